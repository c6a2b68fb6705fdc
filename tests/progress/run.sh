#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The laws of thread progress; mode=time and pluss gaps: what a program's time stamps say, and what is made of them. TAP.
# Tier: check, limit 600 s
set -u
unset OMP_WAIT_POLICY # which ci/check.sh sets: here is measured when threads run
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD/tests/progress
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C PATH=$BUILD:$PATH
unset PLUSS_RECORD PLUSS_STAMPS PLUSS_STOPS PLUSS_INTERLEAVE OMP_SCHEDULE OMP_NUM_THREADS OMP_THREAD_LIMIT GCC_COLORS
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
cd "$tmp" || exit 1

# ---- the laws: each that --help lists is predicted and simulated, but where it says that it is not; what the report says of
# it is read again, and is the same law
sed 's/schedule([^)]*)/schedule(rayon)/' "$here/../cli/inputs/gemm.nest" >rayon.nest
curves() { # VERB LAW; a pool has loops of its own
    local nest=$here/../cli/inputs/gemm.nest
    [[ $2 == pool* ]] && nest=rayon.nest
    pluss "$1" "$nest" -D ni=12 -D nj=13 -D nk=14 -T 3 --progress "$2" --json
}
without_engine() { sed 's/"engine":"[^"]*"//g; s/"progress":{[^}]*}//g' "$1"; }
pluss predict --help | sed -n '/^Thread progress:/,/^$/s/^  \([^ ]\)/\1/p' >laws
[ "$(wc -l <laws)" -ge 8 ]
verdict "--help lists the laws" $? laws
while read -r law summary; do
    usual=$(sed 's/\[.*//; s/:MEAN/:8/' <<<"$law")
    [ "$usual" = recorded ] && continue # of runs alone: tests/run
    for verb in predict simulate; do
        curves $verb "$usual" >first 2>log
        status=$?
        case $verb,$summary in
        predict,*"(simulated only)" | simulate,*"(predicted only)")
            [ $status -eq 2 ] && grep -q "progress '$usual'" log
            verdict "$verb refuses $usual by name" $? log
            continue
            ;;
        esac
        engine=$(grep -o '"engine":"[^"]*"' first | head -n 1 | sed 's/"engine":"//; s/"$//; s/^clock$/uniform/; s/^clock, //')
        [ $status -eq 0 ] && [ "${engine%%:*}" = "${usual%%:*}" ] && curves $verb "$engine" >again 2>>log &&
            diff <(without_engine first) <(without_engine again) >>log
        verdict "$verb with $usual, which is $engine" $? log
    done
done <laws

gcc -O2 -fopenmp "$here/timed_program.c" -o plain && ./plain >expected
for level in -O0 -O2 -O3; do
    pluss cc --mode=time "$level" -fopenmp -fchecking=2 "$here/timed_program.c" -o program >log 2>&1 && ! grep -q 'not stamped' log
    verdict "mode=time $level: compiles, and all loops are stamped" $? log
    rm -f record*
    PLUSS_RECORD=record PLUSS_STAMPS=tsc ./program >out 2>log && diff expected out >log
    verdict "mode=time $level: the program does what it did" $? log
    python3 "$here/stamps_check.py" record.trace >log 2>&1
    [ "$(cat log)" = "$(printf '\nruns 2 stops 0')" ]
    verdict "mode=time $level: stamps, shares, barriers and chunks" $? log
done
ls record* >log
[ "$(cat log)" = "$(printf 'record\nrecord.trace')" ]
verdict "nothing but the record and the stamps is left" $? log
rm -f record*
PLUSS_RECORD=record ./program >out && ls record* >log && [ "$(cat log)" = record ]
verdict "no stamps unless asked for" $? log
rm -f record*
PLUSS_RECORD=record PLUSS_STAMPS=tsc PLUSS_STOPS=500us ./program exit >out 2>log && diff expected out >log && python3 "$here/stamps_check.py" record.trace >log 2>&1
[ $? -eq 0 ] && grep -q '^runs 3 stops [1-9]' log && [ -z "$(head -1 log)" ]
verdict "a program that ends in a loop: stamps as far as it got, and stops" $? log

pluss cc --mode=time -O2 -fopenmp -c "$here/unstamped.c" -o unstamped.o >log 2>&1
grep -o 'note: pluss: [a-z]* not stamped: .*' log | sort >got
diff - got >log <<'F'
note: pluss: iterations not stamped: those of a simd loop are executed together
note: pluss: loop not stamped: it can be cancelled
note: pluss: loop not stamped: it has a conditional lastprivate
note: pluss: loop not stamped: its reduction is one of tasks or a scan
F
verdict "loops that are not stamped, and why" $? log

# ---- pluss gaps --------------------------------------------------------------------------------------------------
for stops in afterwards timer; do
    pluss gaps --runs=2 --interval=200us --bins=4 --stops=$stops --json -o report.json ./program >out 2>log && [ ! -s out ] &&
        python3 - $stops >log 2>&1 <<'F'
import json, sys
r = json.load(open("report.json"))
assert r["region"] == "loops" and r["loop"] == 0 and r["threads"] == 2 and r["lap_iterations"] == 1, r
assert r["interval_ns"] == 200000 and r["taken"] == sys.argv[1] and r["degrees_of_freedom"] == 3, r
assert len(r["runs"]) == 2 and r["samples"] == sum(run["samples"] for run in r["runs"]) == sum(r["counts"]), r
# two executions of 80 iterations of 100 us and more, a tenth dropped
assert r["samples"] > 40 and r["stops"] > r["samples"] and r["wrong"] <= 0.02 * r["samples"] + 1, r
assert 0 <= r["p"] <= 1 and 0 <= r["p_corrected"] <= 1 and -1 <= r["lag_one"] <= 1, r
assert 0 < r["effective_samples"] <= r["samples"] * 1.0000001 and r["correlation_samples"] >= 1, r
n = r["samples"]
assert abs(r["chi_square"] - sum((c - n / 4) ** 2 / (n / 4) for c in r["counts"])) < 1e-6 * n, r
F
    verdict "pluss gaps --stops=$stops: the report" $? log
done
pluss gaps --runs=1 --interval=200us --loop=2 --region=loops --lap=2 --drop=0 ./program >out 2>log
{ grep -q '^loops ([^ ]*timed_program.c:[0-9]*), loop 2, 2 threads: gaps to thread 0, in laps of 2 iterations; stops every 200 us$' out &&
    [ "$(grep -cE '^  [01]\.[0-9]{2}  [01]\.[0-9]{2} laps ' out)" = 20 ] && grep -q 'p of even gaps, so correlated  *[0-9]' out; } || cat out >>log
verdict "pluss gaps: a loop that is asked for, as text" $((!!$(wc -c <log))) log
expect() { # NAME, exit status, words on standard error; the rest is the command
    local name=$1 wanted=$2 words=$3 status
    shift 3
    "$@" >out 2>log
    status=$?
    { [ $status -eq "$wanted" ] && grep -qF -- "$words" log && [ ! -s out ]; } || { echo "exit status $status"; cat out; } >>log
    { [ $status -eq "$wanted" ] && grep -qF -- "$words" log && [ ! -s out ]; }
    verdict "pluss gaps: $name" $? log
}
expect "a program that fails" 7 "./program failed; nothing is reported" pluss gaps ./program fail
expect "a program without stamps" 3 "was not built with pluss cc --mode=time" pluss gaps ./plain
expect "a program whose regions do not run" 3 "left no time stamps" pluss gaps ./program idle
expect "a program that is not there" 127 "cannot be started" pluss gaps ./nowhere
expect "a loop that is not there" 1 "no stop found two threads" pluss gaps --runs=1 --loop=99 ./program
expect "no program" 2 "PROGRAM" pluss gaps
expect "an interval that is none" 2 "an interval is a number of ns" pluss gaps --interval=5 ./program
expect "too long an interval" 2 "up to 10s" pluss gaps --interval=11s ./program
expect "a lap of nothing" 2 "a lap is more than nothing" pluss gaps --lap=0 ./program
expect "too few bins" 2 "there are 2 to 1024 bins" pluss gaps --bins=1 ./program
expect "all dropped" 2 "a share is 0, or as 10% or 0.1" pluss gaps --drop=1 ./program
expect "no runs" 2 "it is run at least once" pluss gaps --runs=0 ./program
expect "a loop's number that is none" 2 "a number is expected" pluss gaps --loop=first ./program
expect "a region that no run has" 1 "no stop found two threads" pluss gaps --runs=1 --region=a --region=b ./program
expect "another way to stop" 2 "stops are made by the timer" pluss gaps --stops=world ./program
