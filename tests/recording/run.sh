#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that are recorded do what they do otherwise, whatever becomes of the record: output and exit status are compared
# with those of the program that was built without, for records that cannot be written and programs that are short of
# something, are killed, close what is not theirs. Nothing stays but the record, whole. Prints TAP.
# Tier: check, limit 600 s
set -u
cd "$(dirname "$0")/../.."
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C OMP_NUM_THREADS=2 PLUSS_STAMPS=tsc PLUSS_INTERLEAVE=tsc PLUSS_SAMPLE_LINES=all PLUSS_SAMPLE_WORKERS=1
source=$root/tests/recording
cd "$tmp" || exit 1
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
modes="bind time sample profile"
gcc -O2 -fopenmp "$source/recording_program.c" -o plain -ldl && gcc -O2 -fopenmp -fPIC -shared "$source/recording_part.c" -o plain.so
for mode in $modes; do
    cc=("$build/pluss" cc --plugin="$build/pluss.so" --mode=$mode -fplugin-arg-pluss-notes=off -O2 -fopenmp)
    "${cc[@]}" -rdynamic "$source/recording_program.c" -o "$mode" -ldl &&
        # a part as users link it: with the runtime as a library of its own
        gcc -O2 -fopenmp -fplugin="$build/pluss.so" -fplugin-arg-pluss-notes=off -fplugin-arg-pluss-mode=$mode -fPIC -shared \
            "$source/recording_part.c" -o "$mode.so"
done >log 2>&1
[ -x profile ] && [ -e profile.so ]
verdict "programs in every mode" $? log

# WHAT: exit status and output of ./plain WHAT
declare -A said status
expected() {
    [ -n "${status[$1]:-}" ] && return
    said[$1]=$(timeout -k 1 10 ./plain "$1" "$tmp/plain.own" 2>/dev/null)
    status[$1]=$?
}
# MODE WHAT RECORD COMMAND: the same of ./MODE WHAT, in an empty folder with an older record; the command around it
runs() {
    local mode=$1 what=$2 record=$3 around=$4 got
    rm -rf dir && mkdir dir && cd dir && echo older >r
    got=$(PLUSS_RECORD=$record timeout -k 1 10 bash -c "$around"' "$@"' _ "../$mode" "$what" "$tmp/$mode.own" 2>../err)
    local ended=$?
    cd ..
    echo "$mode $what: status $ended, not ${status[$what]}; '$got', not '${said[$what]}'; $(ls dir | tr '\n' ' '); $(cat err)" >>log
    [ $ended = "${status[$what]}" ] && [ "$got" = "${said[$what]}" ] && ! ls dir | grep -q tmp
}
whole() { # FILE
    head -n 1 "$1" | grep -qx 'pluss-record 3' && tail -n 1 "$1" | grep -qx end
}
# NAME WHAT RECORD COMMAND CHECK: in all modes; CHECK has $mode
all_modes() {
    local good=0 mode
    : >log
    cp plain.so lent.so
    expected "$2"
    for mode in $modes; do
        [ -e "$mode.so" ] && cp "$mode.so" "$mode.own.so"
        runs "$mode" "$2" "$3" "$4" && eval "$5" >>log 2>&1 || { good=1; echo "$mode: here" >>log; }
    done
    verdict "$1" $good log
}
kept='[ "$(cat dir/r)" = older ]'
alone='[ "$(ls dir)" = r ]'

all_modes "a record takes an older one's place" nothing r "exec" 'whole dir/r'
all_modes "a program that goes elsewhere has its record where it began" chdir r "exec" 'whole dir/r'
all_modes "a child process leaves its own" fork r "exec" 'whole dir/r && [ "$(ls dir | grep -c "^r.[0-9]*$")" = 1 ]'
all_modes "file size limits: the older record stays, and it is told" small r "exec" "$kept && $alone && grep -q 'cannot be written: File too large' err"
all_modes "and where nothing can be written at all" nothing r "ulimit -f 0; exec" "$kept && $alone"
all_modes "a full device" nothing /dev/full "exec" "$kept && $alone && grep -q 'No space left' err"
all_modes "a folder that is not there" nothing no/r "exec" "$kept && $alone && grep -q 'No such file' err"
all_modes "a folder" nothing . "exec" "$kept && $alone && grep -q 'Is a directory' err"
all_modes "a pipe that nobody reads any more" nothing /dev/fd/7 "exec 7> >(:); sleep 0.1; exec" "$kept && $alone"
all_modes "no descriptors" nofile r "exec" '[ -e dir/r ]'
all_modes "little memory" memory r "exec" '[ -e dir/r ]'
all_modes "descriptors are the program's own" own r "exec" '[ "$(cat $mode.own)" = mine ] && whole dir/r'
all_modes "also when it closes what is not its own" closeall r "exec" '[ "$(cat $mode.own)" = mine ] && whole dir/r'
all_modes "no standard files" nothing r "exec 2>&- <&-; exec" 'whole dir/r'
for what in kill abort _exit exec; do
    all_modes "nothing stays after $what" $what r "exec" "$kept && $alone"
done
all_modes "settings that are no settings" nothing r "PLUSS_STAMPS=-1 PLUSS_INTERLEAVE=%s%n PLUSS_STOPS=x PLUSS_SAMPLE_TEAMS=0,a PLUSS_SAMPLE_RATE=nan exec" \
    'whole dir/r && { [ $mode = bind ] || grep -q "is not understood" err; }'

# shared libraries that are gone when the record is written
: >log
good=0
export LD_LIBRARY_PATH=$tmp
ln -s "$build/libpluss-rt.so" libpluss-rt.so.0
for mode in $modes; do
    gcc -O2 -fopenmp -fplugin="$build/pluss.so" -fplugin-arg-pluss-notes=off -fplugin-arg-pluss-mode=$mode -rdynamic "$source/recording_program.c" \
        -o host -ldl -L"$build" -lpluss-rt >>log 2>&1
    gcc -O2 -fopenmp -fplugin="$build/pluss.so" -fplugin-arg-pluss-notes=off -fplugin-arg-pluss-mode=$mode -fPIC -shared \
        "$source/recording_part.c" -o part.so -L"$build" -lpluss-rt >>log 2>&1
    want=$(./plain borrow "$tmp/plain.so")
    rm -f r
    got=$(PLUSS_RECORD=r ./host borrow "$tmp/part.so" 2>>log)
    [ $? = 3 ] && [ "$got" = "$want" ] && whole r && [ "$(grep -c '^region "lent"' r)" -ge 3 ] && grep -q '^object ".*part.so"' r || good=1
done
verdict "a library that was closed is in the record" $good log

# the heap is the program's: signals that interrupt malloc and free, allocation functions that are recorded, statically linked
: >log
good=0
gcc -O2 -fopenmp "$source/heap_program.c" -o heap.plain -ldl &&
    gcc -O2 -fopenmp -fno-builtin -DOWN_MALLOC "$source/heap_program.c" -o heap.own.plain -ldl &&
    gcc -O2 -fopenmp -static "$source/heap_program.c" -o heap.static.plain -ldl 2>>log || good=1
for mode in $modes auto; do
    cc=("$build/pluss" cc --plugin="$build/pluss.so" --mode=$mode -fplugin-arg-pluss-notes=off -O2 -fopenmp)
    "${cc[@]}" "$source/heap_program.c" -o heap.$mode -ldl >>log 2>&1 &&
        "${cc[@]}" -fno-builtin -DOWN_MALLOC "$source/heap_program.c" -o heap.own.$mode -ldl >>log 2>&1 &&
        "${cc[@]}" -static "$source/heap_program.c" -o heap.static.$mode -ldl >>log 2>&1 || good=1
    for kind in heap heap.own heap.static; do
        want=$(./$kind.plain places)
        rm -f r
        got=$(PLUSS_RECORD=r timeout 60 ./$kind.$mode places 2>>log)
        [ $? = 3 ] && [ "$got" = "$want" ] && whole r || { good=1; echo "$kind.$mode: '$got', not '$want'" >>log; }
    done
done
verdict "blocks are where they are without a record" $good log
: >log
good=0
want=$(./heap.plain storm)
for kind in heap.auto heap.static.auto heap.profile; do
    for _ in 1 2; do
        got=$(PLUSS_RECORD=r timeout 60 ./$kind storm 2>>log)
        [ $? = 3 ] && [ "$got" = "$want" ] && whole r || { good=1; echo "$kind: '$got', not '$want'" >>log; }
    done
done
verdict "signal handlers touch lines while the program allocates" $good log

# a library's constructor waits for a thread that executes a region, while the dynamic loader is locked
: >log
good=0
for mode in bind time profile auto; do
    gcc -O2 -fopenmp -fplugin="$build/pluss.so" -fplugin-arg-pluss-notes=off -fplugin-arg-pluss-mode=$mode -fPIC -shared "$source/heap_part.c" \
        -o heap.so -L"$build" -lpluss-rt >>log 2>&1
    rm -f r
    [ "$(PLUSS_RECORD=r timeout 20 ./heap.plain load ./heap.so 2>>log)" = loaded ] && grep -q '^object ".*/heap.so"' r || { good=1; echo "$mode" >>log; }
done
verdict "a library whose constructor waits for a region" $good log

# what programs that record have in line has all its effects
: >log
good=0
for level in -O0 -O2; do
    want=$(gcc $level -fopenmp "$source"/{small_functions,chosen_function}.c -o small.plain && ./small.plain &&
        g++ $level -fopenmp "$source/small_functions.cc" -o small.plain && ./small.plain)
    for mode in $modes auto; do
        settings=(--plugin="$build/pluss.so" --mode=$mode -fplugin-arg-pluss-notes=off $level -fopenmp)
        got=$("$build/pluss" cc "${settings[@]}" "$source"/{small_functions,chosen_function}.c -o small 2>>log && PLUSS_RECORD=r timeout 60 ./small 2>>log &&
            "$build/pluss" cc --gcc=g++ "${settings[@]}" "$source/small_functions.cc" -o small 2>>log && PLUSS_RECORD=r timeout 60 ./small 2>>log)
        [ -n "$want" ] && [ "$got" = "$want" ] || { good=1; echo "$mode $level: '$got', not '$want'" >>log; }
    done
done
verdict "functions in line have their effects" $good log

# a record with many values of one region: what is left out is counted
: >log
{
    printf 'pluss-record 3\nline 64\nlost-runs 0\nleft-out "r" "many.c":1 team 2 runs 7 accesses 70 by profile\n'
    for n in $(seq 3000); do
        printf 'region "r" "many.c":1 team 2 runs %d lost 1 by bind\nsymbol "n" %d\nend\n' $((n == 2000 ? 5 : 1)) "$n"
    done
    printf 'sequence lost 7\n'
    for n in $(seq 0 2999); do printf 'run %d at 0 times %d\n' "$n" $((n == 1999 ? 5 : 1)); done
    printf 'end\n'
} >many
printf 'pluss-nest 1 symbol n region r "many.c":1 array f64 A[n] parallel for i in 0..n { read A[i]; }' >many.nest
timeout 60 "$build/pluss" run --record many --csv many.nest >got 2>err
echo "status $?" >>err
grep -q "many.c:1: warning: r ran with 3000 sets of values: of these the 64 that ran most are reported, 68 of 3004 runs" err &&
    grep -q "7 runs of 'r' (many.c:1) with 2 threads, 70 accesses, are missing" err && grep -q "3000 accesses of r could not be recorded" err &&
    grep -q "the sequence of all runs, of 3000 kinds, is left out" err && grep -q "^status 0" err
verdict "what a record and a report leave out is told" $? err
timeout 60 "$build/pluss" run --record many --cache none --json -o got.json many.nest 2>err
[ "$(grep -o '"region"' got.json | wc -l)" = 64 ] && grep -q 2000 got.json
verdict "those that ran most are reported, each once" $? err
