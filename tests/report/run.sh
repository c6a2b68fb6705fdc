#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pluss report: programs whose cause and cure the first screen names; the page without a browser; the schema; many points.
# TAP. tests/page looks at the page in a browser.
# Tier: test, limit 600 s
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
here=$PWD/tests/report docs=$PWD/docs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp/config
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
pluss=$build/pluss
cp -r "$here/programs" "$tmp/work" && cd "$tmp/work" || exit 1
failed=0
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 40; failed=1; fi
}
has() { # FILE TEXT...: each of them, in this order
    python3 - "$@" <<'P'
import sys
text, at = open(sys.argv[1], encoding="utf-8").read(), 0
for wanted in sys.argv[2:]:
    found = text.find(wanted, at)
    if found < 0:
        print(f"'{wanted}' is not there, or not after what comes before")
        sys.exit(1)
    at = found
P
}

# ---- the first screen: 40 lines of 100 columns -----------------------------------------------------------------------
screen() { # PROGRAM, options of report; texts that are wanted
    local program=$1 options=$2
    shift 2
    # shellcheck disable=SC2086
    "$pluss" cc -O2 -fopenmp -c "$program.c" -o "$program.o" && "$pluss" report "$program.o" $options >"$program.txt" 2>"$tmp/log" &&
        head -n 40 "$program.txt" >"$tmp/screen" && has "$tmp/screen" "$@" >>"$tmp/log"
    local bad=$?
    cat "$program.txt" >>"$tmp/log"
    verdict "the first screen names cause and cure: $program" $bad "$tmp/log"
}
screen stencil "-D n=1500 -T 4" "T = 4" "L1d" "+-" "1. stencil.c:18: " "capacity: its reuse, carried by loop j" \
    "it moves on by 11.7 KiB from one iteration of loop i to the next, by 8 B in loop j" "what to try" "stencil.c:17: interchange loops j and i: legal, predicted to cost" "% less"
screen tiles "-D n=768 -D ts=192 -T 4" "1. tiles.c:16: read of b[k][j]" "of the misses of L2" "capacity: its reuse, carried by loop" "what to try" \
    "tiles.c:13: tiles of " "legal, predicted to cost" "tiles of another size: ts="
screen counters "-D n=4000000 -T 4" "1. counters.c:21: read of counter[" "false sharing: other threads write other elements of its lines" "what to try" \
    "counters.c:21: elements of counter 64 bytes apart" "legal, predicted to cost"
screen stats "-D n=200000 -T 4" "1. stats.c:15: read of stats[" "false sharing: other threads write other elements of its lines" "what to try" \
    "stats.c:15: elements of stats 64 bytes apart" "legal, predicted to cost"
screen dealt "-D n=20000 -D steps=4 -T 4" "1. dealt.c:7: read of a[i]" "false sharing" "what to try" "dealt.c:5: schedule(static) of loop i: legal, predicted to cost"
screen flip "-D n=2048 -D ts=512 -T 4 --cache L1d=48K:ways=12,L2=1M:ways=16,L3=32M:ways=16:shared" "1. flip.c:9: write of to[j][i]" "conflict: rows of to are 16 KiB apart, so that a column falls into few sets" "what to try" "tiles of " "ts="
"$pluss" report counters.o -D n=4000000 -T 4 --advice 0 >"$tmp/out" 2>&1 && has "$tmp/out" "what to try" "give each thread lines of counter of its own" && ! grep -q legal "$tmp/out"
verdict "rules of thumb where no changes are looked for" $? "$tmp/out"

# ---- advice: the first item names cause and cure, and what running tells stands beside what is predicted ------------------
advised() { # PROGRAM, options; the commands; texts that are wanted
    local program=$1 options=$2 now=$3 then=$4
    shift 4
    # shellcheck disable=SC2086
    "$pluss" advise "$program.o" $options -T 2 --now "$now" --then "$then" >"$tmp/out" 2>"$tmp/log" && sed '/^2\./,$d' "$tmp/out" >"$tmp/first" &&
        has "$tmp/first" "1. " "$@" >>"$tmp/log" && has "$tmp/first" "predicted gain" "% of the cost" "measured gain" "% of the processor time" "now" " s" "then" " s" >>"$tmp/log"
    local bad=$?
    cat "$tmp/first" >>"$tmp/log"
    verdict "the first advice names cause and cure, with the measured gain: $program" $bad "$tmp/log"
}
export OMP_NUM_THREADS=2
for program in stencil tiles counters; do
    gcc -O2 -fno-tree-vectorize -fopenmp "$program.c" -o "$program" && gcc -O2 -fno-tree-vectorize -fopenmp -DCURED "$program.c" -o "$program-cured"
done
advised stencil "-D n=1500" "./stencil 1500" "./stencil-cured 1500" "interchange loops j and i" "most misses cost"
python3 - "$tmp/first" >"$tmp/out" 2>&1 <<'P'
import re, sys
gain = float(re.search(r"measured gain +(-?[0-9.]+)", open(sys.argv[1]).read()).group(1))
print("measured:", gain)
assert gain > 10 # 59 to 92 on the machines at hand
P
verdict "the interchange of the stencil gains time" $? "$tmp/out"
advised tiles "-D n=384 -D ts=192" "./tiles 384 192" "./tiles 384 64" "tiles of " "most misses cost  b[k][j]"
advised counters "-D n=4000000" "./counters 4000000" "./counters-cured 4000000" "elements of counter 64 bytes apart" "most misses cost  counter[\$thread]"
"$pluss" advise stencil.o -D n=1500 -T 2 --now true >"$tmp/out" 2>&1
[ $? -eq 2 ] && has "$tmp/out" "--now and --then belong together"
verdict "one command alone" $? "$tmp/out"
"$pluss" advise counters.o -D n=1000 -T 2 --now ./stencil --then "exit 7" >"$tmp/out" 2>&1
[ $? -eq 3 ] && has "$tmp/out" "exit 7: fails (status 7)"
verdict "a command that fails" $? "$tmp/out"

# ---- questions in one run ----------------------------------------------------------------------------------------------
"$pluss" report tiles.o -D n=768 -D ts=24,48,96,192 -T 4 --advice 0 >"$tmp/out" 2>&1 && has "$tmp/out" "misses by values, schedule and team" "n=768 ts=24" "n=768 ts=48" "n=768 ts=96" "n=768 ts=192"
verdict "four tile sizes in one run, as a table" $? "$tmp/out"
"$pluss" report tiles.o -D n=128 -D ts=8,16,32,64 --schedule written --schedule dynamic,1 -T 4 --advice 0 --svg "$tmp/many.svg" >"$tmp/out" 2>&1 &&
    "$pluss" predict tiles.o -D n=128 -D ts=8,16,32,64 --schedule written --schedule dynamic,1 -T 4 --json >"$tmp/many.json" 2>>"$tmp/out" &&
    python3 "$here/picture.py" "$tmp/many.svg" "$tmp/many.json" >>"$tmp/out" 2>&1
verdict "and as a picture, whose curves are those of the report" $? "$tmp/out"
"$pluss" predict stencil.o -D n=200 -T 2,4 --schedule written --schedule static,1 --schedule dynamic,2 --json >"$tmp/many.json" 2>"$tmp/log" &&
    for one in "" "--schedule static,1" "--schedule dynamic,2"; do
        # shellcheck disable=SC2086
        "$pluss" predict stencil.o -D n=200 -T 2,4 $one --json
    done >"$tmp/each.json" 2>>"$tmp/log" && python3 - "$tmp/many.json" "$tmp/each.json" >>"$tmp/log" <<'P'
import json, sys
many, rest, each, decode = json.load(open(sys.argv[1])), open(sys.argv[2]).read().strip(), {"curves": [], "levels": []}, json.JSONDecoder()
while rest:
    one, end = decode.raw_decode(rest)
    rest = rest[end:].strip()
    each["curves"] += one["curves"]
    each["levels"] += one["levels"]
assert len(many["curves"]) == 6 and many["curves"] == each["curves"] and many["levels"] == each["levels"], "differs"
P
verdict "three schedules in one run are three runs" $? "$tmp/log"
"$pluss" predict tiles.o -D n,ts=32,64 -T 2 --json 2>"$tmp/log" | python3 -c '
import json, sys
print([c["values"] for c in json.load(sys.stdin)["curves"]])' >>"$tmp/log" && has "$tmp/log" "[{'n': 32, 'ts': 32}, {'n': 64, 'ts': 64}]"
verdict "several symbols, step by step" $? "$tmp/log"

"$pluss" report stencil.o -D n=1500 -T 2 --at L2 --advice 0 >"$tmp/out" 2>&1 && has "$tmp/out" "L2" "of the misses of L2" && ! grep -q L3 "$tmp/out"
verdict "one level alone" $? "$tmp/out"
"$pluss" report stencil.o -D n=64 -T 2 --at L7 --advice 0 >"$tmp/out" 2>&1
[ $? -eq 1 ] && has "$tmp/out" "there is no level 'L7'"
verdict "a level that is not there" $? "$tmp/out"
"$pluss" predict tiles.o -D n=384 -D ts=96 -T 4 --cache L1=16K:ways=8 --line-of tiles.c:16 >"$tmp/out" 2>&1 &&
    has "$tmp/out" "multiply, T = 4" "L1     b[k][j]" "reuse that is lost" "L1: " "read of b[k][j], its reuse carried by loop" "b[k][j], L1: capacity"
verdict "a line alone" $? "$tmp/out"
"$pluss" predict tiles.o -D n=64 -D ts=16 -T 4 --line-of tiles.c:1 >"$tmp/out" 2>&1
[ $? -eq 1 ] && has "$tmp/out" "tiles.c:1: error: no reference whose misses are known is on this line"
verdict "a line without references" $? "$tmp/out"
"$pluss" predict tiles.o -D n=64 -D ts=16 -T 4 --line-of tiles.c >"$tmp/out" 2>&1
[ $? -eq 2 ] && has "$tmp/out" "it is FILE:LINE"
verdict "a line that is none" $? "$tmp/out"

# ---- a terminal ----------------------------------------------------------------------------------------------------------
"$pluss" predict stencil.o -D n=64 -T 1 --plot --cache L1=8K:ways=8 >"$tmp/out" 2>&1 && has "$tmp/out" "miss ratio by size of the cache" "100 %" "█" "64 B" "^L1"
verdict "curves of block characters" $? "$tmp/out"
LC_ALL=C "$pluss" predict stencil.o -D n=64 -T 1 --plot >"$tmp/out" 2>&1 && has "$tmp/out" "100 %" "#" "^L1d" && ! LC_ALL=C grep -q '[^ -~]' "$tmp/out"
verdict "curves of letters where there are no others" $? "$tmp/out"
"$pluss" predict stencil.o -D n=64 -T 1 >"$tmp/out" 2>&1 && ! grep -q $'\033' "$tmp/out"
verdict "no colours elsewhere" $? "$tmp/out"
if script -qefc true /dev/null >/dev/null 2>&1; then # a bare root has no pseudo-terminals
    on_terminal() { TERM=${2:-xterm} script -qefc "$pluss predict stencil.o -D n=64 -T 1 $1" /dev/null; } # options, terminal
    on_terminal "" >"$tmp/out" 2>&1 && grep -q $'\033\\[1;34m' "$tmp/out" && on_terminal "" dumb >"$tmp/out" 2>&1 && ! grep -q $'\033' "$tmp/out" &&
        NO_COLOR=1 on_terminal "" >"$tmp/out" 2>&1 && ! grep -q $'\033' "$tmp/out" && on_terminal "--format text" >"$tmp/out" 2>&1 && ! grep -q $'\033' "$tmp/out"
    verdict "colours on a terminal that has some, unless NO_COLOR is set" $? "$tmp/out"
    # ended as soon as it is seen
    TERM=xterm script -qefc "echo \$\$ >pid; exec $pluss predict stencil.o -D n=2000 -T 2-64 --spread --cache none >/dev/null" /dev/null >"$tmp/out" 2>&1 &
    left() { grep -qE '[0-9]+ %, [0-9]+ (s|min) left' "$tmp/out"; }
    while ! left && kill -0 $! 2>/dev/null; do sleep 0.1; done
    kill "$(cat pid)" 2>/dev/null
    wait
    left
    verdict "the progress line tells the time left" $? "$tmp/out"
else
    echo "ok - colours and progress on a terminal # SKIP: no pseudo-terminals here"
fi

# ---- the page -----------------------------------------------------------------------------------------------------------
report() { # NAME, FILE, options: NAME.json and NAME.html
    # shellcheck disable=SC2086
    "$pluss" report $2 $3 -o "$1.json" 2>"$tmp/log" && "$pluss" report $2 $3 -o "$1.html" 2>>"$tmp/log"
}
validator=python3
python3 -c 'import jsonschema' 2>"$tmp/none" || validator=/usr/bin/python3
checked() { # NAME of the test, NAME
    python3 "$here/page.py" "$2.html" "$2.json" >"$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
    verdict "the page is well-formed, loads nothing and has the report: $1" $? "$tmp/log"
    $validator - "$docs/report.schema.json" "$2.json" >"$tmp/log" 2>&1 <<'P'
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))
P
    verdict "the report is as docs/report.schema.json says: $1" $? "$tmp/log"
}
# the options of the grid make the page of a file slow: two teams are enough here
report one "stencil.o tiles.o counters.o" "-D n=48 -D ts=12 -T 1,4"
checked "three files" one
report traced "counters.o" "-D n=1000 -T 2 --cache none --advice 0"
checked "without levels" traced
cat >hostile.nest <<'N'
pluss-nest 1
region hostile "</script><script>alert(1)</script>a\"b<img src=x onerror=alert(2)>&amp;'é.c":3
symbol n
array f64 A[n]
parallel for i in 0..n @4 { read A[i] @5 write A[i] @5 }
N
printf 'pluss-nest 1\nregion r "\\001\\377.c":3\narray f64 A[64]\nparallel for i in 0..64 { read A[i] @5 }\n' >bytes.nest
"$pluss" nests hostile.nest >"$tmp/log" 2>&1 || cat "$tmp/log"
report hostile hostile.nest "-D n=64 -T 2"
checked "hostile names" hostile
printf '<b>&\x01\x7f\xff</script>\n%.0s' 1 2 3 4 5 >ugly.c
echo 'pluss-nest 1 region r "ugly.c":1 array f64 A[64] parallel for i in 0..64 { read A[i] @3 }' >ugly.nest
report ugly ugly.nest "-T 2" && grep -q '"first_line":1' ugly.json
verdict "sources of any bytes are shown" $? "$tmp/log"
checked "hostile sources" ugly
rm -f ugly.c
"$pluss" report ugly.nest -T 2 --advice 0 --json 2>&1 | grep -q '"file":"ugly.c","notes":\[{"severity":"note","text":"its text is not here'
verdict "a source that is not there is told" $? "$tmp/log"
mkdir elsewhere && echo 'int x;' >elsewhere/ugly.c && "$pluss" report ugly.nest -T 2 --advice 0 --json --source elsewhere 2>"$tmp/log" | grep -q '"text":"int x;"'
verdict "--source tells where it is" $? "$tmp/log"
for verb in "machine" "nests stencil.o" "predict stencil.o -D n=64 -T 2"; do
    # shellcheck disable=SC2086
    "$pluss" $verb --html >any.html 2>"$tmp/log" && "$pluss" $verb --json >any.json && python3 "$here/page.py" any.html any.json >>"$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
    verdict "a page of any report: pluss $verb" $? "$tmp/log"
done
"$pluss" report stencil.o -D n=1500 -T 1,2 --markdown --advice 0 >"$tmp/log" 2>&1 && has "$tmp/log" "## smooth (stencil.c:" "| misses | size | T = 1 | T = 2 |" "| --- | ---: | ---: | ---: |" "### what to try" >>"$tmp/log"
verdict "Markdown" $? "$tmp/log"
"$pluss" report stencil.o counters.o -D n=1500 -T 4 -o found.sarif --advice 0 2>"$tmp/log" && python3 - found.sarif >>"$tmp/log" 2>&1 <<'P'
import json, sys
run, = json.load(open(sys.argv[1]))["runs"]
assert run["tool"]["driver"]["name"] == "pluss"
found = {(r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in run["results"]}
assert ("strided-access", "warning", "stencil.c", 18) in found and ("false-sharing", "warning", "counters.c", 21) in found, found
P
verdict "SARIF has the findings at their lines" $? "$tmp/log"
exit $failed
