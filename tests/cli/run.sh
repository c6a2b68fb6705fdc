#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The command, from outside. cases/NAME.cmd is a piece of shell that runs in a folder with a copy of inputs/ and `pluss` on
# the PATH, on a made-up machine; cases/NAME.expected is its exit status, standard output and standard error. What cannot
# be told by a text is tested below. TAP. With --update, the expected texts are written anew: look at the difference.
# Tier: test, limit 600 s
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD/tests/cli
update=${1:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C COLUMNS=80 XDG_CONFIG_HOME=$tmp/config # no machine file of the user's
export DOCS=$PWD/docs # machine files
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
mkdir "$tmp/bin"
ln -s "$BUILD/pluss" "$tmp/bin/pluss"
export PATH=$tmp/bin:$PATH

verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
folders=0
fresh() { # a folder of its own to work in
    folders=$((folders + 1))
    cp -r "$here/inputs" "$tmp/work$folders" && cd "$tmp/work$folders" || exit 1
}

# ---- expected texts --------------------------------------------------------------------------------------------------
for cmd in "$here"/cases/*.cmd; do
    name=$(basename "$cmd" .cmd)
    fresh
    bash "$cmd" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
    { echo "exit status $?"; echo '--- standard output'; cat "$tmp/stdout"; echo '--- standard error'; cat "$tmp/stderr"; } >"$tmp/got"
    [ "$update" = --update ] && cp "$tmp/got" "$here/cases/$name.expected"
    # Later versions of a library may put the same answer into other pieces: NAME.LIBRARY-VERSION.expected.
    for other in "$here/cases/$name".*-*.expected; do cmp -s "$other" "$tmp/got" && break; done ||
        diff -u "$here/cases/$name.expected" "$tmp/got" >"$tmp/diff" 2>&1
    verdict "$name" $? "$tmp/diff"
done

# ---- the worked examples of docs/corun.md are what the command says -------------------------------------------------------
for name in corun corun_rates corun_threads; do
    { if [ $name = corun ]; then sed -n '3,10p' "$here/cases/$name.expected"; else grep -E -- '->|^(threads|crd|clock|exact) ' "$here/cases/$name.expected"; fi; } | sed 's/^./    &/' >"$tmp/lines"
    { [ -s "$tmp/lines" ] && python3 -c 'import sys; sys.exit(open(sys.argv[1]).read() not in open(sys.argv[2]).read())' "$tmp/lines" "$here/../../docs/corun.md"; } 2>"$tmp/diff"
    verdict "docs/corun.md has the figures of $name" $? "$tmp/diff"
done

# ---- what docs/json.md says of the reports, and nothing else, is in them ---------------------------------------------
fresh
{
    pluss predict gemm.nest -D ni=32 -D nj=32 -D nk=32 -T 2 --explain --schedule static,4 --cache L1=1K,L2=4K:shared --save-profile predicted.json --json >predict.json
    pluss simulate two.nest -T 2 -D n=640 --cache 1K --sharing --save-profile profiles.json --json >simulate.json
    sed '0,/^ *read .*/s//&\n ops(dbl_add 1)/' two.nest >counted.nest
    pluss simulate counted.nest -T 2 -D n=640 --cache L1=1K:ways=2:pages=128,L2=4K:ways=4 --json >levels.json
    pluss predict placed.nest -T 2 --schedule static,2 --cache L1=1K:ways=2,L2=4K:ways=4 --json >predicted-levels.json
    echo "pluss-nest 1 region c array f64 A[64][64] for i in 0..64 { for j in 0..64 { read A[j][i] } }" >column.nest
    pluss predict column.nest -T 1 --cache L1=8K:ways=2 --json >column.json
    pluss predict placed.nest -T 1 --cache L1=64:ways=1 --json >lost.json
    pluss predict placed.nest -T 2 --cache L1=1K:ways=1..4,L2=4K:ways=4 --line 32,64 --json >sweep.json
    pluss simulate two.nest -T 2 -D n=640 --schedule static,4 --cache L1=1K:ways=1..4 --json >ways.json
    pluss simulate counters.nest -T 2 --json >counters.json
    pluss predict placed.nest -T 2 --explain --json >placed.json
    printf 'pluss-record 3\nline 64\nlost-runs 0\nserial 10\ntook 2000 serial 500\nobject "two.nest"\nregion "first_part" "two.c":3 team 2 runs 1 lost 0 by bind\noutside 5\ntook 1500\nsymbol "n" 64\nend\n' >record
    pluss run --record record --json >recorded.json
    pluss predict placed.nest -T 2 --progress rates --json >rates.json
    echo "pluss-nest 1 region gemm array f64 A[64] parallel for i in 0..64 { read A[i] }" >stalls.nest
    pluss predict stalls.nest -T 2 --progress rates --machine "$here/../calibrate/machine.json" --json >machine_rates.json
    pluss simulate placed.nest -T 2 --progress burst:8 --json >burst.json
    pluss simulate placed.nest -T 2 --progress slices:100:2 --json >slices.json
    pluss predict --corun placed.nest plain.trace --rates 1,2 --save-profile corun-profiles.json --json >corun.json
    echo "pluss-nest 1 region r array f64 A[900][900] parallel for i in 0..900 { for j in 0..i { read A[i][j] } }" >triangle.nest
    pluss predict triangle.nest -T 2 --json >triangle.json
    pluss predict triangle.nest -T 1 --model extrapolate --cache 32K --formulas --hit-rate 32K:8 --json >formulas.json
    pluss nests two.nest --json >nests.json
    echo "pluss-nest 1 region r array f64 A[2097152] for t in 0..2 { parallel for i in 0..64 { for k in 0..3 { for j in 0..64 { read A[32768*i+512*j] } } } }" >far.nest
    pluss scale far.nest -T 8 --line 4096 --json >scale.json
    pluss nests placed.nest --json >columns.json
    pluss machine --json >machine.json
    pluss compare predict.json predict.json --json >compare.json
    sed 's/region c/region c "c.c":1/; s/A.j..i./& @3/' column.nest >old.nest
    sed 's/for j in 0..64/for j in 0..32/' old.nest >new.nest
    pluss diff old.nest new.nest -T 1 --cache L1=2K:ways=2 --json >diff.json
    pluss advise column.nest -T 1 --cache L1=2K:ways=2,L2=16K:ways=4 --json >advise.json
    pluss advise counters.nest -T 4 --json >advise-counters.json
    pluss advise column.nest -T 1 --cache L1=8K:ways=2 --now true --then true --json >advise-measured.json
    echo 'pluss-nest 1 region f "f.c":1 symbol n array f64 A[n][n] for t in 0..2 @2 { for i in 0..n @3 { for j in 0..n @4 { read A[i][j] @5 } } }' >formulas.nest
    pluss symbolic formulas.nest -D n=64 --cache 32K --json >symbolic.json
    cat >sparse.nest <<'N'
pluss-nest 1 region sparse "s.c":1 symbol n, m array i32 P[n], E[n], C[m] array f64 A[m], x[n], y[n]
parallel for i in 0..n @3 { for k in P[i]..E[i] @4 { read A[k] @5 read x[C[k]] @5 } write y[i] @6 }
N
    seq 0 4 63 >from && seq 4 4 64 >to && seq 63 -1 0 | awk '{ print $1 % 16 }' >idx
    pluss symbolic sparse.nest -D n=16 -D m=64 --contents P=from --contents E=to --contents C=idx --cache 1K --json >estimate.json
    pluss remarks old.nest -T 1 --cache L1=2K:ways=2,L2=16K:ways=4 --json >remarks.json
    pluss compare predicted-levels.json predicted-levels.json --json >compared-levels.json
    sed 's/"latency": 10/&, "latency_spread": 1, "shared": 2, "shared_spread": 0.1/; s/"latency": 80/"latency": 8000/; s/"dbl_div": 21,/& "dbl_div_spread": 1,/; s/"cycle_ns".*/& "issue": 0.25, "window": 100, "serial": 0.5, "pages": {"bytes": 4096, "steps": [{"reach": 20, "cycles": 10, "cycles_spread": 1}]}, "teams": [{"threads": 1, "start": 1000, "start_spread": 5, "barrier": 10, "barrier_spread": 1}], "transfer": {"latency": 100, "latency_spread": 1, "stream": 6, "stream_spread": 1, "strided": 6, "strided_spread": 1, "scattered": 7, "scattered_spread": 1, "upgrade": 15, "upgrade_spread": 1},/; s/"latency": 8000/&, "bursts": [{"lines": 4, "cycles": 9000, "cycles_spread": 1}], "written": 1, "written_spread": 0.1/' "$here/../../docs/machines/r10000.json" >costs.json
    pluss machine --machine costs.json --json >costs-report.json
    printf '\n\n\n\n\n    B[j] = A[j];\n' >two.c # line 6 has a text
    pluss time counted.nest -T 1,2 -D n=640 --machine costs.json --json >time.json
    rm two.c
    pluss cc --mode=time -O1 -fopenmp "$here/../progress/timed_program.c" -o program
    pluss gaps --runs=1 --interval=200us --json ./program >gaps.json
    for _ in 1 2 3 4 5; do # runs are discarded where the machine is busy
        pluss calibrate --runs=2 --processes=2 --machine=here.json --json ./program >calibrate.json && break
    done
} 2>/dev/null
reports="predict.json simulate.json levels.json predicted-levels.json costs-report.json time.json sweep.json ways.json column.json lost.json counters.json placed.json rates.json machine_rates.json burst.json slices.json triangle.json formulas.json nests.json scale.json columns.json machine.json compare.json compared-levels.json gaps.json calibrate.json profiles.json predicted.json corun.json corun-profiles.json recorded.json advise.json advise-counters.json remarks.json diff.json advise-measured.json symbolic.json estimate.json"
# shellcheck disable=SC2086
python3 "$here/json_members.py" "$here/../../docs/json.md" $reports >"$tmp/diff" 2>&1
[ ! -s "$tmp/diff" ]
verdict "the members of reports in JSON are those of docs/json.md" $? "$tmp/diff"
validator=python3
python3 -c 'import jsonschema' 2>"$tmp/none" || validator=/usr/bin/python3
# shellcheck disable=SC2086
$validator "$here/json_valid.py" "$here/../../docs/json.schema.json" $reports >"$tmp/diff" 2>&1
verdict "they are as docs/json.schema.json says, which refuses what is spoilt" $? "$tmp/diff"

# ---- this machine is measured, and time is made from it --------------------------------------------------------------------
fresh
{
    pluss machine --measure --save measured.json >report 2>/dev/null
    pluss time gemm.nest -D ni=64 -D nj=64 -D nk=64 -T 1,2 --machine measured.json >time
    python3 - measured.json <<'END'
import json, os, sys
costs = json.load(open(sys.argv[1]))["costs"]
assert [level["name"] for level in costs["levels"]] == ["L1d", "L2", "L3", "memory"], "levels"
assert 0.05 < costs["cycle_ns"] < 20, "a cycle"
assert all(0 < costs["operations"][name] < 1e4 for name in costs["operations"]), "operations"
assert costs["operations"]["dbl_div"] > costs["operations"]["dbl_add"] > 0, "quotients cost more than sums"
assert costs["latencies"]["dbl_add"] > costs["operations"]["dbl_add"], "a sum that waits costs more than one that does not"
assert costs["levels"][3]["latency"] > costs["levels"][0]["latency"], "memory is farther than the first level"
for level in costs["levels"][1:]:
    assert [burst["lines"] for burst in level["bursts"]] == [2, 4, 8, 16, 32, 64], "bursts"
    assert all(burst["cycles"] >= level["strided"] for burst in level["bursts"]), "a line in a burst costs no less"
if len(os.sched_getaffinity(0)) > 1:
    assert costs["transfer"]["latency"] > costs["levels"][0]["latency"], "another core is farther than the first level"
END
} >"$tmp/diff" 2>&1 && grep -q 'memory s' time
verdict "pluss machine --measure gives costs that pluss time takes" $? "$tmp/diff"

# ---- what cannot be written ------------------------------------------------------------------------------------------
expect() { # NAME, exit status wanted, text wanted on standard error; the command's own in $status and $tmp/stderr
    { [ "$status" -eq "$2" ] && { [ -z "$3" ] || grep -qF -- "$3" "$tmp/stderr"; }; }
    local bad=$?
    { echo "exit status $status, $2 wanted; standard error, in which '$3' is wanted:"; cat "$tmp/stderr"; } >"$tmp/details"
    verdict "$1" $bad "$tmp/details"
}
fresh
for line in "nests gemm.nest" "nests gemm.nest --json" "nests gemm.nest --text" "machine" "machine --json" "--help" "--version" \
    "predict --help" "simulate two.nest -D n=64 -T 2" "simulate two.nest -D n=64 -T 2 --json" "simulate two.nest -D n=64 -T 2 --csv"; do
    # shellcheck disable=SC2086
    pluss $line >/dev/full 2>"$tmp/stderr"
    status=$?
    expect "a full disk is noticed: pluss $line" 3 "cannot be written"
done
pluss simulate two.nest -D n=64 -T 2 -o /dev/full 2>"$tmp/stderr"
status=$?
expect "a full disk is noticed: -o" 3 "/dev/full: cannot be written: No space left on device"
pluss simulate two.nest -D n=64 -o no/such/folder 2>"$tmp/stderr"
status=$?
expect "a folder that is not there: -o" 3 "no/such/folder: cannot be written: No such file or directory"
pluss predict gemm.nest -T 1..16 -D ni=64 -D nj=64 -D nk=64 --csv 2>"$tmp/stderr" | head -n 1 >/dev/null
status=${PIPESTATUS[0]}
expect "a reader that goes away is a write error, no signal" 3 "Broken pipe"
pluss nests gemm.nest >&- 2>"$tmp/stderr"
status=$?
expect "a closed standard output is noticed" 3 "cannot be written"

echo kept >kept
pluss simulate two.nest -D n=64 --svg /dev/full >/dev/null 2>"$tmp/stderr"
status=$?
expect "a full disk is noticed: --svg" 3 "/dev/full: cannot be written: No space left on device"
mkdir small
if mount -t tmpfs -o size=32k none small 2>/dev/null; then
    echo kept >small/kept
    head -c 24k /dev/zero >small/fill
    for option in -o --svg; do
        pluss simulate two.nest -D n=6400 -T 1..16 --json "$option" small/kept >/dev/null 2>"$tmp/stderr"
        status=$?
        expect "a disk that fills up: $option" 3 "small/kept: cannot be written: No space left on device"
        ls -lA small >"$tmp/details" # in front: one that still ran would keep the file system busy
        [ "$(cat small/kept)" = kept ] && [ "$(ls -A small | tr '\n' ' ')" = "fill kept " ]
        verdict "and what was there stays: $option" $? "$tmp/details"
    done
    umount small || exit 1
else
    echo "ok - a disk that fills up # SKIP no file systems to be made here"
fi

# ---- ended from outside ----------------------------------------------------------------------------------------------
cat >slow.nest <<'N'
pluss-nest 1
array f64 A[4096]
region quick
for i in 0..4096 { read A[i] }
region slow
for t in 0..10000000 { for i in 0..4096 { read A[i] } }
N
python3 - <<'P' >"$tmp/details" 2>&1
import os, signal, subprocess, time
for name, number, output in (("INT", signal.SIGINT, "-"), ("INT", signal.SIGINT, "table"), ("TERM", signal.SIGTERM, "kept")):
    p = subprocess.Popen(["pluss", "simulate", "slow.nest", "-T", "1", "--cache", "1K", "-o", output], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    while sum(map(int, open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) < os.sysconf("SC_CLK_TCK") / 3:
        time.sleep(0.02)  # a third of a second of processor: region quick takes a thousandth
    p.send_signal(number)
    out, err = p.communicate(timeout=60)
    text = out if output == "-" else open(output).read()
    assert p.returncode == -number, (name, p.returncode, err)
    if number == signal.SIGINT:
        assert text.startswith("quick") and "slow" not in text and "interrupted" in err, (output, text, err)
    else:
        assert text == "kept\n" and not out, (text, out)
    assert not [f for f in os.listdir(".") if f.startswith(".pluss")], os.listdir(".")
P
verdict "Ctrl-C keeps what was computed, a signal that ends leaves nothing half" $? "$tmp/details"

# ---- pictures --------------------------------------------------------------------------------------------------------
fresh
pluss simulate two.nest -D n=640 -T 1,4 --svg curve.svg >"$tmp/stdout" 2>"$tmp/stderr"
status=$?
expect "a picture is drawn" 0 ""
python3 - <<'P' >"$tmp/details" 2>&1
import xml.dom.minidom
document = xml.dom.minidom.parse("curve.svg")
text = " ".join(t.firstChild.data if t.firstChild and t.firstChild.nodeType == 3 else "" for t in document.getElementsByTagName("tspan"))
text += " ".join("".join(n.data for n in t.childNodes if n.nodeType == 3) for t in document.getElementsByTagName("text"))
for wanted in ("first_part", "second_part", "two.c:3", "T = 1", "T = 4", "L1d 48 KiB, per thread", "L2 1 MiB, per thread", "L3 32 MiB", "miss ratio, %", "size of the shared cache", "n = 640"):
    assert wanted in text, (wanted, text)
P
verdict "the picture is XML and names regions, teams and caches" $? "$tmp/details"
pluss predict gemm.nest -D ni=32 -D nj=32 -D nk=32 -T 1,4 --cache 1K,L1=2K,L2=8K:shared=2 --svg predicted.svg >"$tmp/stdout" 2>"$tmp/stderr"
python3 - <<'P' >"$tmp/details" 2>&1
import re
exact, predicted = open("curve.svg").read(), open("predicted.svg").read()
assert "standard errors" in predicted and "standard errors" not in exact
assert "fill-opacity" in predicted.split("T = 4")[0] and predicted.count("fill-opacity") > exact.count("fill-opacity")
for wanted in ("L1 2 KiB, per thread", "L2 8 KiB, 2 threads each", ">1 KiB<", ">100<", ">1<"):
    assert wanted in re.sub(r"</?tspan[^>]*>|\s+(?=<)|(?<=>)\s+", "", predicted), wanted
P
verdict "a prediction's picture has bands of errors, a logarithmic axis, and who shares which cache" $? "$tmp/details"
pluss scale gemm.nest --sizes ni=16,24,32 -D nj=18 -D nk=22 -T 8 --svg scaled.svg >"$tmp/stdout" 2>"$tmp/stderr"
{ for word in "T = 8" "ni = 16" "ni = 24" "ni = 32" "predicted by scale" "predicted by clock"; do grep -q "$word" scaled.svg || echo "no $word"; done; } >"$tmp/details" 2>&1
[ ! -s "$tmp/details" ]
verdict "the picture of scaled curves has a panel for each size and model" $? "$tmp/details"
pluss scale gemm.nest -D ni=32 -D nj=18 -D nk=22 -T 8,16 --svg marked.svg --json -o marked.json 2>"$tmp/stderr"
python3 - <<'P' >"$tmp/details" 2>&1
import json, re
told = json.load(open("marked.json"))["capacities"]["scaling"]
marks = re.findall(r"<title>(C_core|C_share) ([\d.]+) (B|KiB), T = (\d+)</title>", open("marked.svg").read())
shown = sorted((name, float(number) * (1024 if unit == "KiB" else 1), int(team)) for name, number, unit, team in marks)
wanted = sorted((name, row[name.lower() + "_bytes"], row["threads"]) for row in told for name in ("C_core", "C_share") if row.get(name.lower() + "_bytes"))
assert 6 <= len(wanted) <= 8 and {w[0] for w in wanted} == {"C_core", "C_share"}, wanted
assert [s[::2] for s in shown] == [w[::2] for w in wanted], (shown, wanted)
assert all(abs(s[1] - w[1]) < 0.01 * w[1] for s, w in zip(shown, wanted)), (shown, wanted)
P
verdict "the picture marks C_core and C_share where the table has them" $? "$tmp/details"
PATH=/nowhere "$BUILD/pluss" simulate two.nest -D n=64 --svg alone.svg >/dev/null 2>"$tmp/stderr"
status=$?
expect "a picture needs no other program" 0 ""
pluss simulate two.nest -D n=64 --svg no/such/folder >/dev/null 2>"$tmp/stderr"
status=$?
expect "a picture that cannot be written" 3 "no/such/folder: cannot be written"
# names that mean something to XML
sed 's/first_part/`a<b>\&"_^{x}"\\`/; s/two\.c/we"i_r^d.c/; s/"we"i/"we\\"i/' two.nest >weird.nest
pluss simulate weird.nest -D n=64 --svg weird.svg >/dev/null 2>"$tmp/stderr" && python3 -c '
import xml.dom.minidom
xml.dom.minidom.parse("weird.svg")' 2>"$tmp/stderr"
verdict "names that are special to XML" $? "$tmp/stderr"

# ---- progress --------------------------------------------------------------------------------------------------------
cat >long.nest <<'N'
pluss-nest 1
symbol n
array f64 A[4096]
region long
for t in 0..n { for i in 0..4096 { read A[i] } }
N
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "pluss simulate long.nest -T 1,2 -D n=35000 -o table" /dev/null >"$tmp/tty" 2>&1
    grep -qE 'simulate: \[#+ *\] +[0-9]+ %' "$tmp/tty" && [ -s table ]
    verdict "progress is shown on a terminal, with a total" $? "$tmp/tty"
    tr '\r' '\n' <"$tmp/tty" | sed -nE 's/.*\] +([0-9]+) %.*/\1/p' >"$tmp/percents"
    { sort -nc "$tmp/percents" && [ "$(wc -l <"$tmp/percents")" -gt 3 ] && [ "$(tail -n 1 "$tmp/percents")" -gt 60 ]; } >>"$tmp/tty" 2>&1
    verdict "and it never goes back, over all teams" $? "$tmp/tty"
    one_total() { # COMMAND: of all that a verb asks of the library
        script -qec "$1" /dev/null >"$tmp/tty" 2>&1
        tr '\r' '\n' <"$tmp/tty" | sed -nE 's/.*\] +([0-9]+) %.*/\1/p' >"$tmp/percents"
        { sort -nc "$tmp/percents" && [ "$(wc -l <"$tmp/percents")" -gt 3 ] && [ "$(tail -n 1 "$tmp/percents")" -gt 60 ]; } >>"$tmp/tty" 2>&1
    }
    one_total "pluss scale long.nest --sizes n=2000,2400 -o table"
    verdict "pluss scale has one total" $? "$tmp/tty"
    pluss generate lines=3000:accesses=12000000 -o a.trace
    one_total "pluss diff a.trace a.trace -o table"
    verdict "pluss diff has one" $? "$tmp/tty"
    one_total "pluss report a.trace a.trace a.trace -o table.json"
    verdict "pluss report has one" $? "$tmp/tty"
    pluss generate lines=3000:accesses=12000000 -o long.trace
    script -qec "pluss simulate long.trace -o table" /dev/null >"$tmp/tty" 2>&1
    grep -qE 'simulate: \[#* *\] +[0-9]+ %' "$tmp/tty" && ! grep -q 'not known' "$tmp/tty"
    verdict "the reading of a trace has a total, too" $? "$tmp/tty"
    mkfifo slow
    (head -c 300000 long.trace; sleep 1.5; tail -c +300001 long.trace) >slow &
    script -qec "pluss simulate slow -o piped" /dev/null >"$tmp/tty2" 2>&1
    wait $!
    grep -qE 'read: [0-9.]+ MB out of a pipe, of how many is not known' "$tmp/tty2" && diff <(grep -v ^trace table) <(grep -v ^trace piped) >>"$tmp/tty2"
    verdict "a pipe has none, which is said" $? "$tmp/tty2"
else
    echo "ok - progress is shown on a terminal # SKIP no pseudo-terminals here"
fi
pluss simulate long.nest -T 1 -D n=35000 -o table 2>"$tmp/stderr" # longer than the second after which a terminal would have it
[ $? -eq 0 ] && [ ! -s "$tmp/stderr" ]
verdict "no progress elsewhere" $? "$tmp/stderr"

# ---- files that gcc, ld, ar and strip make ---------------------------------------------------------------------------
fresh
section() { # NEST FILE: an assembly source with the text in the section, twice, as the plugin would write it
    echo '.section .pluss.nests,"MS",@progbits,1'
    for _ in 1 2; do sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/.ascii "&\\n"/' "$1"; echo '.byte 0'; done
    echo '.section .note.GNU-stack,"",@progbits'
}
section gemm.nest >gemm.s
section two.nest >two.s
printf 'int main(void) { return 0; }\n' >main.c
tools=0
gcc -c gemm.s two.s && gcc main.c gemm.o two.o -o program && gcc -shared gemm.o two.o -o shared.so && ld -r gemm.o two.o -o both.o &&
    ar rcs plain.a gemm.o two.o && ar rcs a_library_with_long_names.a gemm.o && cp two.o a_member_with_a_long_name.o &&
    ar rs a_library_with_long_names.a a_member_with_a_long_name.o 2>/dev/null && cp program stripped && strip stripped &&
    ar rcT thin.a gemm.o || tools=1
verdict "gcc, ld, ar and strip work" $tools /dev/null
for file in gemm.o two.o program shared.so both.o plain.a a_library_with_long_names.a stripped; do
    case $file in gemm.o) want="kernel_gemm" ;; two.o) want="first_part second_part" ;; *) want="kernel_gemm first_part second_part" ;; esac
    got=$(pluss nests "$file" --json | python3 -c 'import json, sys; print(*[r["region"] for r in json.load(sys.stdin)["regions"]])')
    echo "got '$got', wanted '$want'" >"$tmp/details"
    [ "$(tr ' ' '\n' <<<"$got" | sort)" = "$(tr ' ' '\n' <<<"$want" | sort)" ]
    verdict "nests of $file, each once" $? "$tmp/details"
done
pluss nests thin.a >/dev/null 2>"$tmp/stderr"
status=$?
expect "a thin archive" 3 "thin.a: error: a thin archive holds no objects"
gcc -c main.c
pluss nests main.o >/dev/null 2>"$tmp/stderr"
status=$?
expect "an object without nests" 1 "main.o: no loop nests"
pluss predict main.o >/dev/null 2>"$tmp/stderr"
status=$?
expect "nothing to predict" 3 "main.o holds no loop nests"
head -c 700 program >cut
pluss nests cut >/dev/null 2>"$tmp/stderr"
status=$?
expect "part of an executable" 3 "cut: error: damaged ELF file"
mkfifo pipe
cat gemm.nest >pipe &
pluss nests pipe >/dev/null 2>"$tmp/stderr"
status=$?
wait
expect "a description through a pipe" 0 ""
cat gemm.nest | pluss nests - --text 2>"$tmp/stderr" | cmp - gemm.nest >"$tmp/details" 2>&1
verdict "a description through standard input" $? "$tmp/details"

# ---- pluss cc --------------------------------------------------------------------------------------------------------
cat >loop.c <<'C'
void scale(int n, double *a, double f)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] *= f;
}
C
pluss cc -O2 -fopenmp -c loop.c -o loop.o 2>"$tmp/stderr" && pluss nests loop.o >"$tmp/details" 2>&1 && grep -q '^scale' "$tmp/details"
verdict "pluss cc writes nests" $? "$tmp/details"
gcc -O2 -fopenmp -c loop.c -o plain.o && objcopy --remove-section=.pluss.nests loop.o without.o &&
    cmp <(objdump -d plain.o | tail -n +3) <(objdump -d without.o | tail -n +3) >"$tmp/details" 2>&1
verdict "and leaves the code as it is" $? "$tmp/details"
echo 'int x = ;' >wrong.c
pluss cc -c wrong.c 2>"$tmp/stderr"
status=$?
expect "gcc's errors pass through" 1 "wrong.c:1:9: error"
printf '#!/bin/sh\necho "$@"\nexit 42\n' >"$tmp/bin/mycc"
chmod +x "$tmp/bin/mycc"
pluss cc --gcc=mycc --mode=bind -c "a b.c" >args 2>"$tmp/stderr"
status=$?
expect "gcc's exit status passes through" 42 ""
printf -- '-fplugin=%s -fplugin-arg-pluss-mode=bind -c a b.c\n' "$(dirname "$(readlink -f "$BUILD/pluss")")/pluss.so" | diff - args >"$tmp/details"
verdict "what pluss cc hands on" $? "$tmp/details"
pluss cc --gcc=mycc --mode=profile a.c >args 2>"$tmp/stderr"
grep -q 'a.c .*/libpluss-rt.a -pthread$' args
verdict "modes that record link the runtime library" $? args
pluss cc --gcc=no-such-compiler -c loop.c 2>"$tmp/stderr"
status=$?
expect "no such compiler" 3 "no-such-compiler cannot be started: No such file or directory"

# ---- the numbers -----------------------------------------------------------------------------------------------------
fresh
pluss simulate gemm.nest -T 4 -D ni=20 -D nj=25 -D nk=30 --seed 1 --json -o one.json &&
    pluss simulate gemm.nest -T 4 -D ni=20 -D nj=25 -D nk=30 --seed 1 --json | cmp - one.json >"$tmp/details" 2>&1
verdict "the same seed gives the same bytes" $? "$tmp/details"
pluss simulate gemm.nest -T 4 -D ni=20 -D nj=25 -D nk=30 --seed 2 --json -o other.json && ! cmp -s other.json one.json
verdict "another seed gives others" $? "$tmp/details"
python3 - <<'P' >"$tmp/details" 2>&1
import json
report = json.load(open("one.json"))
assert report["version"] == 2, report["version"]
(curve,) = report["curves"]
size, miss = curve["size_lines"], curve["miss_ratio"]
assert curve["accesses"] == 20 * 25 * (2 + 4 * 30)
assert curve["footprint_lines"] == -(-20 * 30 // 8) + -(-30 * 25 // 8) + -(-20 * 25 // 8)
assert size[0] == 0 and miss[0] == 1 and len(size) == len(miss)
assert all(a < b for a, b in zip(size, size[1:])) and all(a >= b for a, b in zip(miss, miss[1:]))
assert abs(miss[-1] * curve["accesses"] - curve["footprint_lines"]) < 1e-6  # what is left are the cold misses
P
verdict "the exact curve counts what can be counted by hand" $? "$tmp/details"
for model in $(pluss predict --help | sed -n '/^Models:/,$s/^  \([a-z-]*\) .*/\1/p' | grep -vx lines); do # lines: of records alone
    threads=4
    [ "$model" = extrapolate ] && threads=1 && pluss simulate gemm.nest -T 1 -D ni=20 -D nj=25 -D nk=30 --json -o one.json
    pluss predict gemm.nest -T "$threads" -D ni=20 -D nj=25 -D nk=30 --model "$model" --json -o "$model.json" 2>"$tmp/stderr" &&
        pluss compare "$model.json" one.json --tolerance 25 >"$tmp/details" 2>&1
    verdict "$model is within 25 points of the exact curve" $? "$tmp/details"
done
