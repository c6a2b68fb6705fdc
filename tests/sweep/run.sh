#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pluss sweep: the table against single runs of predict and simulate, the same bytes from any number of processes and ranks,
# workers and ranks that are killed, journals that are damaged, SPECs that are wrong. `make sweep` (large.sh) does the same at
# size. TAP.
# Tier: test, limit 600 s
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD/tests/sweep
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C XDG_CONFIG_HOME=$tmp/config
pluss=$BUILD/pluss
log=$tmp/log
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
cp "$here"/*.nest "$here"/*.sweep "$tmp"
cd "$tmp" || exit 1

"$pluss" sweep small.sweep -j 1 -o one.csv >"$log" 2>&1
verdict "a sweep in one process" $? "$log"
[ ! -e one.csv.cells ]
verdict "no journal is left" $? "$log"
printf 'pluss sweep, jour' >three.csv.cells # ended as it began
"$pluss" sweep small.sweep -j 3 -o three.csv >"$log" 2>&1 && cmp one.csv three.csv >>"$log" 2>&1
verdict "a journal without cells is none" $? "$log"
"$pluss" sweep small.sweep -j 3 >three.csv 2>"$log" && cmp one.csv three.csv >>"$log" 2>&1
verdict "the same bytes from three processes, on standard output" $? "$log"
python3 "$here/against_single_runs.py" "$pluss" one.csv >"$log" 2>&1
verdict "every row is what predict or simulate says" $? "$log"

# ---- what is interrupted ---------------------------------------------------------------------------------------------
("$pluss" sweep long.sweep -j 2 -o long.csv >"$log" 2>&1 & echo $! >pid; wait) &
job=$!
for ((i = 0; i < 400; i++)); do [ "$(cat long.csv.cells 2>/dev/null | grep -ac '^cell ')" -gt 3 ] && break; sleep 0.02; done
kill -9 "$(cat pid)"
wait $job 2>/dev/null
done=$(grep -ac '^cell ' long.csv.cells 2>/dev/null)
done=${done:-0}
{ [ "$done" -gt 3 ] && [ ! -e long.csv ]; } >>"$log" 2>&1
verdict "killed: the cells that were finished are on disk" $? "$log"
! "$pluss" sweep long.sweep -o long.csv >"$log" 2>&1 && grep -q -- '--resume goes on' "$log" && [ -s long.csv.cells ]
verdict "what was computed is not overwritten" $? "$log"
cp long.csv.cells before
printf 'cell 999 12' >>long.csv.cells # torn
"$pluss" sweep long.sweep --resume -o long.csv >"$log" 2>&1 && "$pluss" sweep long.sweep >whole.csv 2>>"$log" && cmp long.csv whole.csv >>"$log" 2>&1
verdict "--resume gives the whole table, though the last record was torn" $? "$log"
# what is in the journal is not computed again: its rows are changed, with their hash, and must come out
python3 "$here/mark_journal.py" before long.csv.cells && "$pluss" sweep long.sweep --resume -o marked.csv >"$log" 2>&1
mv long.csv.cells marked.csv.cells && "$pluss" sweep long.sweep --resume -o marked.csv >"$log" 2>&1
[ "$(grep -c MARKED marked.csv)" = "$(grep -c '^cell ' before)" ]
verdict "finished cells are not computed again" $? "$log"
cp before other.csv.cells
! "$pluss" sweep small.sweep --resume -o other.csv >"$log" 2>&1 && grep -q 'of another sweep' "$log" && cmp -s before other.csv.cells
verdict "a journal of another sweep is refused, and kept" $? "$log"
sed 's/f64/f32/' two.nest >changed.nest && mv two.nest kept.nest && mv changed.nest two.nest
cp before long.csv.cells
! "$pluss" sweep long.sweep --resume -o long.csv >"$log" 2>&1 && grep -q 'of another sweep' "$log"
verdict "a journal of files that have changed is refused" $? "$log"
mv kept.nest two.nest
head -c 5000 before | tr 'cell' '\0\377xy' >broken.csv.cells
! "$pluss" sweep long.sweep --resume -o broken.csv >"$log" 2>&1 && [ -s broken.csv.cells ]
verdict "a damaged journal is refused" $? "$log"
(flock -x 9 && "$pluss" sweep small.sweep --resume -o held.csv) 9>>held.csv.cells >"$log" 2>&1
[ $? -ne 0 ] && grep -q 'another sweep is writing' "$log"
verdict "two sweeps do not write one journal" $? "$log"

# ---- MPI -------------------------------------------------------------------------------------------------------------
if [ -e "$BUILD/pluss-mpi.so" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    : >"$log"
    for n in 1 2 8; do
        mpirun --oversubscribe -n $n "$pluss" sweep long.sweep -o "ranks$n.csv" >>"$log" 2>&1 && cmp whole.csv "ranks$n.csv" >>"$log" 2>&1
        verdict "the same bytes from $n ranks" $? "$log"
    done
    # one exact simulation by slices: of a trace of each thread's and of shared caches, of objects, and of a nest
    "$pluss" generate lines=3000,2000,2500:shared=20%:distances=random+2exponential:accesses=800000:seed=3 -o long.trace >"$log" 2>&1
    printf '0 100000 a\n100000 60000 b\n' >long.trace.objects
    printf 'pluss-nest 1\narray f64 A[700][700]\nregion r\nparallel for i in 0..700 { for j in 0..700 { for k in 0..3 { read A[j][i] write A[i][j] } } }\n' >wide.nest
    simulations() { # NAME COMMAND...: three reports
        local name=$1
        shift
        "$@" simulate long.trace --cache 32K:private,1M --each-thread --csv -o "$name.1" && "$@" simulate long.trace --each-object --cache L1=16K:ways=4 --json -o "$name.2" &&
            "$@" simulate wide.nest -T 3 --cache 8K:private,64K --save-profile "$name.4.json" --json -o "$name.3"
    }
    simulations alone "$pluss" >>"$log" 2>&1
    for n in 1 2 8; do
        simulations "by$n" mpirun --oversubscribe -n $n "$pluss" >>"$log" 2>&1 && for i in 1 2 3 4.json; do cmp "alone.$i" "by$n.$i" || break; done >>"$log" 2>&1
        verdict "one simulation in slices, the same bytes from $n ranks" $? "$log"
    done
    bash "$here/kill_simulation.sh" "$pluss" long.trace >"$log" 2>&1
    verdict "a rank of a simulation is killed: the job ends, with a message and without a report" $? "$log"
    ! timeout 60 mpirun --oversubscribe -n 3 "$pluss" simulate none.trace -o none >"$log" 2>&1 && grep -q 'none.trace' "$log" && [ ! -e none ]
    verdict "a file that is not there ends all ranks" $? "$log"
    bash "$here/kill_ranks.sh" "$pluss" long.sweep whole.csv 2 4 >"$log" 2>&1
    verdict "a rank killed, twice: the sweep ends, --resume computes the rest" $? "$log"
else
    echo "ok - MPI # SKIP there is no mpirun, or pluss was built without it"
fi
! readelf -d "$pluss" | grep -qi 'NEEDED.*mpi'
verdict "the command is not linked with MPI" $? "$log"
env PMIX_RANK=0 PATH="$PATH" cp "$pluss" lonely && ! PMIX_RANK=0 ./lonely sweep small.sweep >"$log" 2>&1 && grep -q 'built without MPI' "$log"
verdict "a rank without the module is refused" $? "$log"

# ---- what fails ------------------------------------------------------------------------------------------------------
"$pluss" sweep failing.sweep >failing.csv 2>"$log"
[ $? = 1 ] && grep -q ',ERANGE,.*extent is negative' failing.csv && grep -q ',OK,$' failing.csv
verdict "a cell that fails is a row with its reason, the others have figures" $? failing.csv
: >"$log"
while IFS='|' read -r text message; do
    printf "$text" >wrong.sweep
    "$pluss" sweep wrong.sweep >out 2>err
    { [ $? -ge 2 ] && [ ! -s out ] && grep -qF -- "$message" err; } || { echo "$text: not '$message':"; cat err; }
done >"$log" <<'W'
|wrong.sweep: error: there is no line 'files'
files two.nest\n|there is no line 'caches'
files two.nest\ncaches\n|wrong.sweep:2:1: error: caches: no value follows
files none.nest\ncaches 1K\n|none.nest
files two.nest\ncaches 1K 0K\n|wrong.sweep:2:11: error: cache '0K'
files two.nest\ncaches 1K\nmodels clock cloak\n|wrong.sweep:3:14: error: model 'cloak': there is no such model
files two.nest\ncaches 1K\nthreads 0\n|wrong.sweep:3:9: error: threads '0'
files two.nest\ncaches 1K\nsizes n\n|wrong.sweep:3:7: error: sizes 'n': it is NAME=VALUE
files two.nest\ncaches 1K\nsizes n=64..8\n|a range ascends
files two.nest\ncaches 1K\nsizes n=1..64*1\n|a range ascends
files two.nest\ncaches 1K\nsizes n=1,2:m=3\n|symbols of one list have as many values each
files two.nest\ncaches 1K\nsizes n=1\nsizes n=2\n|the symbol has values already
files two.nest\ncaches 1K\nsizes n=1 m=2\n|each line of sizes is a dimension
files two.nest\ncaches 1K\nsizes n=1..1000000\nsizes m=1..1000000\nsizes k=1..1000000\n|more than 2^40 cells
files two.nest\ncaches 1K\nsizes n=99999999999999999999\n|sizes 'n=99999999999999999999'
files "two.nest\ncaches 1K\n|wrong.sweep:1:7: error: the quotation mark is not closed
file two.nest\n|wrong.sweep:1:1: error: a line begins with files
files two.nest\ncaches 1K\noption threads=2\n|'threads' is a dimension
files two.nest\ncaches 1K\noption nothing=2\n|'nothing' is no option
files two.nest\ncaches 1K\noption seed=x\n|wrong.sweep:3:8: error: seed 'x'
W
[ ! -s "$log" ]
verdict "what is wrong in a SPEC is told with its place" $? "$log"
! "$pluss" sweep small.sweep --resume >"$log" 2>&1 && grep -q 'needs --output' "$log"
verdict "--resume without --output" $? "$log"
! "$pluss" sweep small.sweep -o small.sweep >"$log" 2>&1 && grep -q 'would be overwritten' "$log"
verdict "the SPEC is not overwritten" $? "$log"
! "$pluss" sweep small.sweep -o no/folder/out.csv >"$log" 2>&1
verdict "a folder that is not there is told before the cells are computed" $? "$log"
