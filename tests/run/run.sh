#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pluss run on real programs, built in every mode: what passes through, what is predicted, against the same nests with the
# same values given by hand, against other engines, and against the real interleaving. TAP.
# Usage: tests/run/run.sh [all]: with "all", all kernels are compared, at MINI and SMALL, static and static,1 (minutes);
# with EQUALITY=all (`make equality`) that alone.
# Tier: check, limit 900 s (full: 14400 s)
set -u
cd "$(dirname "$0")/../.."
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
all=${1:-${EQUALITY:-}}
[ "${PLUSS_TIER:-check}" = full ] && all=all
tmp=$(mktemp -d)
# a child that is killed before it becomes another program has this trap too
trap '[ "$BASHPID" != $$ ] || rm -rf "$tmp"' EXIT
export LC_ALL=C COLUMNS=80 OMP_NUM_THREADS=2
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
mkdir "$tmp/bin" "$tmp/tmp"
ln -s "$build/pluss" "$tmp/bin/pluss"
export PATH=$tmp/bin:$PATH TMPDIR=$tmp/tmp
programs=$root/tests/run/programs
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
same() { # NAME, expected, got
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; diff <(echo "$2") <(echo "$3") | sed 's/^/    /' | head -n 20; fi
}
cc() { # MODE, arguments; compiler: another than gcc
    local mode=$1
    shift
    pluss cc --gcc="${compiler:-gcc}" --plugin="$build/pluss.so" --mode="$mode" -fplugin-arg-pluss-notes=off -fopenmp -g "$@"
}
# curves alone, without what says how they came about
curves() {
    python3 -c '
import json, sys
for file in sys.argv[1:]:
    for c in json.load(open(file))["curves"]:
        print(c["threads"], c["accesses"], c["footprint_lines"], c["size_lines"], c["miss_ratio"])' "$@"
}

cd "$tmp" || exit 1
# ---- kernels ---------------------------------------------------------------------------------------------------------
# run --model cri on a sample's record against predict --model cri on the nest with the same values and addresses
compared() { # what got.json and want.json have the same of goes to $points
    curves got.json >got && curves want.json >want && [ -s want ] && cmp got want || return 1
    points=$((points + $(awk -F, '{ n += (NF + 1) / 2 } END { print n }' want)))
}
# so many threads really ran; who got what is in the record
replayed() { # SIZE
    points=0
    for team in 1 2 4; do
        rm -f record
        PLUSS_RECORD=record ./kernel.profile --size "$1" --threads $team >/dev/null &&
            pluss run --record record --text >kernel.nest &&
            pluss run --record record --schedule recorded --model cri -T $team --json -o got.json &&
            pluss predict kernel.nest --schedule recorded --record record --model cri -T $team --json -o want.json && compared ||
            return 1
    done
}
equal() { # SIZE, KERNEL, SCHEDULE: one run samples all three teams
    rm -f record
    points=0
    PLUSS_SAMPLE_TEAMS=1,2,4 PLUSS_SAMPLE_SCHEDULE=$3 PLUSS_RECORD=record ./kernel --size "$1" >/dev/null || return 1
    pluss run --record record --text >kernel.nest || return 1
    for team in 1 2 4; do
        pluss run --record record --schedule "$3" --model cri -T $team --json -o got.json &&
            pluss predict kernel.nest --schedule "$3" --model cri -T $team --json -o want.json && compared || return 1
    done
}
compare_kernels() {
    local kernels sizes schedules objects kernel size schedule points=0
    if [ "$all" = all ]; then
        kernels=$("$root/polybench/sizes.sh" | grep -vxE 'spmv|histogram') # a walk does not know their index arrays
        sizes="MINI SMALL" schedules="static static,1"
    else
        kernels="gemm jacobi-2d covariance trmm heat-3d lu_dynamic" sizes=MINI schedules=static,1
    fi
    objects="$tmp/k/driver.o $tmp/k/refcount_none.o"
    # shellcheck disable=SC2086
    make --no-print-directory -s -C "$root/polybench" OUT="$tmp/k" $objects $(for k in $kernels; do echo "$tmp/k/$k.ref.o"; done) >log 2>&1
    verdict "the kernels' driver compiles" $? log
    for kernel in $kernels; do
        # shellcheck disable=SC2086
        cc sample -O2 -ffp-contract=off -I"$root/polybench" -c "$root/polybench/$kernel.c" -o kernel.o >log 2>&1 &&
            cc sample kernel.o "$tmp/k/$kernel.ref.o" $objects -lm -o kernel >>log 2>&1
        verdict "$kernel compiles, mode=sample" $? log
        for size in $sizes; do
            for schedule in $schedules; do
                equal "$size" "$kernel" "$schedule" >log 2>&1
                verdict "$kernel $size $schedule: $points points, sampled and walked intervals give the same curves to the last bit" $? log
            done
            [ "$kernel" = lu_dynamic ] || continue
            cc profile -O2 -ffp-contract=off -I"$root/polybench" -c "$root/polybench/$kernel.c" -o kernel.o >log 2>&1 &&
                cc profile kernel.o "$tmp/k/$kernel.ref.o" $objects -lm -o kernel.profile >>log 2>&1 &&
                replayed "$size" >>log 2>&1
            verdict "$kernel $size, as handed out: $points points, profiled and walked intervals give the same curves to the last bit" $? log
        done
    done
}
[ "${EQUALITY:-}" = all ] && { compare_kernels; exit 0; }

for mode in bind sample profile; do
    cc $mode -O2 "$programs/calls.c" -o calls.$mode >log 2>&1
    verdict "calls.c compiles, mode=$mode" $? log
done

# ---- what passes through ---------------------------------------------------------------------------------------------
for mode in bind profile; do
    pluss run -o report ./calls.$mode 7 --json -T 99 'two words' >out 2>err
    status=$?
    same "exit status, mode=$mode" 7 $status
    same "output and arguments, mode=$mode" "<7><--json><-T><99><two words>0" "$(cat out)"
    same "standard error, mode=$mode" "to stderr" "$(cat err)"
    grep -q '^multiply (.*calls.c:[0-9]*), T = 2' report
    verdict "and a report, mode=$mode" $? report
done
# ---- two team sizes in one region ------------------------------------------------------------------------------------
pluss cc --plugin="$build/pluss.so" -fplugin-arg-pluss-notes=off -O1 -fopenmp -c "$programs/two_teams.c" -o two_teams.o
pluss simulate two_teams.o -D n=3000 -D times=3 -T 2 --json -o described.json
for mode in bind profile sample time; do
    cc $mode -O1 "$programs/two_teams.c" -o two_teams &&
        pluss run --simulate --json -o two_teams.json ./two_teams >log 2>&1
    same "two teams, mode=$mode: as described with the default one" "$(curves described.json)" "$(curves two_teams.json)"
done

export PLUSS_RECORD_SERIAL=0 # serial parts have a test of their own
# ---- mode=auto: each region as in the cheapest mode that will do -------------------------------------------------------
for mode in auto bind sample profile; do
    cc $mode -O2 "$programs/three_ways.c" -o three_ways && rm -f "$mode.record" &&
        PLUSS_SAMPLE_TEAMS=2 PLUSS_RECORD=$mode.record ./three_ways >$mode.out 2>&1
done
same "mode=auto: what the program prints" "$(cat bind.out)" "$(cat auto.out)"
same "mode=auto: values, a sampler, every access" "scale bind gather bind gather sample relax profile" \
    "$(awk '/^region/ { printf "%s%s %s", n++ ? " " : "", $2, $NF }' auto.record | tr -d '"')"
block() { awk -v region="\"$1\"" -v by="$2" '/^region/ { p = $2 == region && $NF == by } p && !/^(array|outside|took|carried)/; /^end/ { p = 0 }' "$3"; }
for how in "scale bind" "gather sample" "relax profile"; do
    block $how auto.record >got && block $how "${how#* }.record" >want && [ -s want ] && cmp got want >log 2>&1
    verdict "mode=auto: ${how% *} is recorded as in mode=${how#* }" $? log
done
pluss run --record auto.record --json -o got.json >log 2>err
same "mode=auto: the engines" "clock lines cri-line clock" "$(python3 -c '
import json
print(*[c["engine"] for c in json.load(open("got.json"))["curves"]])')"

pluss run --record auto.record --cache 32K,256K:shared >report 2>err
same "and a table of the regions, the one with the most misses in the last cache first" \
    "gather sampler 3 14.8, scale values 3 11.1, relax accesses 1 74.1" \
    "$(awk '/^regions of the run/ { p = 1 } /predicted by/ { p = 0 } p && $3 ~ /^(values|sampler|accesses)$/ { printf "%s%s %s %s %s", n++ ? ", " : "", $1, $3, $4, $5 }' report)"
# one region with several sets of values is one row, with its range
sed 's/scale(N)/scale(N \/ (k + 1))/' "$programs/three_ways.c" >ranges.c
cc auto -O2 ranges.c -o ranges && pluss run --cache 4K ./ranges >report 2>err
grep -qE '^  scale \(ranges.c:[0-9]+\) +values +3 .* [0-9.]+ to [0-9.]+ % +100.0 %$' report
verdict "runs of a region with other values are in one row, with their range" $? report
# of more than three regions what each does is shown where it is asked for
(unset PLUSS_RECORD_SERIAL && pluss run --save many.record --cache 4K -o report ./ranges >out 2>err)
for asked in "" --details --region=gather; do
    pluss run --record many.record --cache 4K $asked 2>>err | grep -E '^[a-z ]*( \(.*\))?: predicted by|^--' | sed 's/[ :].*//' | uniq | xargs
done >got
same "details of regions where they are asked for" "all --region,serial scale gather scale relax all,gather" "$(paste -sd, got)"

# what is not described is recorded or counted: 10 nodes of a list, 2 loads each, for each of 4000; 3 loads a call;
# serially 2 stores a node, 4000 stores and 4000 loads. Runs above the limit, which touch few lines, count the same.
cc auto -O2 "$programs/not_described.c" -o not_described
for limit in 100000000 100000; do
    PLUSS_RECORD_ACCESSES=$limit pluss run --save not.record --json -o not.json ./not_described >out 2>err
    same "mode=auto: what nests do not have is counted, $limit accesses recorded of a region" \
        "serial 8020 plain outside 0 list outside 400000 calls outside 12000" \
        "$(awk '/^serial/ { printf "%s", $0 } /^region/ { if (n[$2]++ == 0) order[++m] = $2 } /^region/ { r = $2 } /^outside/ { sum[r] += $2 }
            END { for (i = 1; i <= m; i++) { x = order[i]; gsub("\"", "", x); printf " %s outside %d", x, sum[order[i]] } }' not.record)"
    same "and the figures tell what share of it they are of, $limit" \
        "program 0.984 495982 0 8020: plain 1.000, list 1.000, calls 1.000, all in order 0.984" "$(python3 -c '
import json
d = json.load(open("not.json"))
c = d["coverage"]
print("program %.3f %d %d %d:" % (c["share"], c["covered"], c["outside"], c["serial"]),
      ", ".join("%s %.3f" % ("all in order" if "+" in k["region"] else k["region"], k["coverage"]) for k in d["curves"]))')"
done
sed 's/^serial .*/serial 500000/' not.record >serial.record
pluss run --record serial.record -o report 2>err
grep -q 'the sequence of all runs is left out: of the program.s loads and stores 49.8 % are described, and 46.2 % recorded access by access$' err
verdict "below a half there is no figure of the program" $? err
pluss run --record not.record >report 2>err
grep -q "of the program's loads and stores 98.4 % are in these figures, 0.0 % are the regions' others, 1.6 % serial" report &&
    [ "$(grep -c "coverage: .* of the loads and stores of the region's runs" report)" = 3 ]
verdict "each figure is told with its coverage" $? report
# functions with serial code and parallel work of their own: what they access is recorded where a region calls them (2 + 4 * 50 for
# each of 10 nodes, and 50 stores, in each of 40 calls), and their serial code where they are regions (20 loads) or none (20 stores of main)
cc auto -O2 "$programs/work_in_work.c" -o work_in_work
OMP_NUM_THREADS=2 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=work.record ./work_in_work >out
same "mode=auto: functions with parallel work that regions call, and their serial code" "1845 serial 40 40 main 82800 82800 work 2000 2050" \
    "$(cat out) $(awk '/^region/ { order[n++] = r = $2 } /^outside/ { made[r] += $2 } /^thread/ { got[r] += $4 }
        END { for (i = 0; i < n; i++) if (!told[order[i]]++) { x = order[i]; gsub("\"", "", x); printf "%s%s %d %d", i ? " " : "", x, made[order[i]], got[order[i]] } }' work.record)"
# a hierarchy of grids: the coarsest has no inner points, and half of a region is executed for the finest alone. What a run has not
# loaded is no loss. Counted by hand: 2790 + 126 + 0 and 1864 + 16 + 4 accesses
for mode in sample time bind auto; do
    cc $mode -O2 "$programs/coarse.c" -o coarse
    pluss run -o report ./coarse >out 2>err
    same "mode=$mode: runs that do not load all values" "0 coarse.c:24: note: smooth made no access with g->nx=2 4,800" \
        "$? $(sed 's,.*/,,' err) $(awk '/accesses to/ { sub(/.*: /, ""); print $1; exit }' report)"
done
cc sample -O2 "$programs/coarse.c" -o coarse.sample
PLUSS_SAMPLE_LINES=all PLUSS_RECORD=idle ./coarse.sample >out
pluss run --record idle --model lines -o report 2>err
same "nor is a sampler's order of no accesses" "0 1" "$? $(grep -c 'note: smooth made no access with g->nx=2$' err)"
# what recording costs, beside the program without the plugin: its output is dropped, what it reads is read again
gcc -O2 -fopenmp "$programs/coarse.c" -o coarse.plain
pluss run --plain ./coarse.plain -o report ./coarse >again 2>err
same "pluss run --plain tells what recording costs" "0 pluss run: note: recording took N times the plain run's time (N s for N s) and N times its memory (N MiB for N MiB)" \
    "$? $(sed -n '/note: recording/s/[0-9]*\.[0-9]*/N/gp' err)"
same "and the output is the recorded run's alone" "$(cat out)" "$(cat again)"
printf 'one\ntwo\n' >lines
same "and standard input is where it was" "$(cat lines)" "$({ pluss run --plain cat -o report ./coarse >/dev/null 2>&1 && cat; } <lines)"
same "what is piped is the recorded run's alone, and their times are not compared" \
    "$(cat out) 0 ./coarse.plain: ran without standard input, which is not a file: their times are not compared" \
    "$({ sleep 0.1 && cat lines; } | { sleep 0.3 && pluss run --plain ./coarse.plain -o report ./coarse 2>err; }) $? $(sed -n 's/^pluss run: error: //p' err)"
same "signals that end both programs, or the plain one" "143 143 0" \
    "$(printf '#!/bin/sh\nkill -TERM $$\n' >ended && chmod +x ended && for pair in 'ended ./ended' 'coarse.plain ./ended' 'ended ./coarse'; do
        # shellcheck disable=SC2086
        pluss run --plain ./$pair -o report </dev/null >again 2>err
        echo $?
    done | tr '\n' ' ' | sed 's/ $//')"
pluss run --plain false -o report ./coarse >again 2>err
same "a plain program that ends otherwise is told" "0 false: ended otherwise than ./coarse: their times are not compared" \
    "$? $(sed -n 's/^pluss run: error: //p' err)"
# where the time goes: each region's runs, and what is between them, are the whole run; a sleep is where it was
cc auto -O2 "$programs/times.c" -o times
pluss run --save times.record --json -o times.json ./times >out 2>err
same "time of regions and serial parts: no less than they sleep, and the whole run together" "yes yes yes yes" "$(python3 -c '
import json
d = json.load(open("times.json"))
took = {c["region"]: c["took_seconds"] for c in d["curves"] if "took_seconds" in c}
whole = d["coverage"]
print(*["yes" if it else d for it in (took["long_one"] >= .1, took["short_one"] >= .02, whole["serial_seconds"] >= .04,
      abs(sum(took.values()) + whole["serial_seconds"] - whole["took_seconds"]) < 1e-6)])')"
sed 's/^took [0-9]* serial.*/took 2000000000 serial 250000000/
    /^region "long_one"/,/^end/s/^took.*/took 1500000000/; /^region "short_one"/,/^end/s/^took.*/took 250000000/' times.record >timed.record
pluss run --record timed.record -o report 2>err
same "and the table has their shares" "the recorded run took 2.000 s, 87.5 % in these regions and 12.5 % in serial parts; long_one 75.0, short_one 12.5" \
    "$(awk '/^ *the recorded run took/ { sub(/^ */, ""); line = $0 }
        /^  (long|short)_one / && / values / { line = line (m++ ? ", " : "; ") $1 " " $7 } END { print line }' report)"
# above the limit the intervals are those of some lines: within their error, which is told, of those of all lines, for a region,
# what is outside of regions, and all runs; the lines that runs leave each other are always a sample here
cc auto -O2 "$programs/followed.c" -o followed
for limit in 100000000 20000; do
    OMP_NUM_THREADS=2 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD_ACCESSES=$limit PLUSS_RECORD=followed.record ./followed >out
    sed -i '/^iteration/d' followed.record
    pluss run --record followed.record --cache none --json -o followed.$limit.json 2>err
done
same "above the limit of accesses some lines are followed: coverage, error, and within half a point of all lines" \
    "serial parts, look_all_up, all runs" "$(python3 -c '
import bisect, json
some, all = ({c["region"]: c for c in json.load(open("followed.%d.json" % limit))["curves"]} for limit in (20000, 100000000))
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
right = []
for name in ("serial parts", "look_all_up", "all runs"):
    c, exact = some[name], all[name]
    error = c["standard_error"]["mean"]
    sizes = range(64, exact["footprint_lines"], 64)
    apart = sum(abs(at(c, size) - at(exact, size)) for size in sizes) / len(sizes)
    if ("standard_error" in exact) != (name == "all runs") or not 0 <= error < .01 or apart > .005 or abs(c["coverage"] - exact["coverage"]) > .001 or c["coverage"] < .99:
        right.append((error, apart, c["coverage"]))
    right.append(name)
print(*right, sep=", ")')"
grep -q 'note: look_all_up: of [0-9.]* % of its accesses the reuse intervals are those of one line in [0-9]*, standard error 0.[0-9]* points (PLUSS_RECORD_ACCESSES)' err
verdict "which is told" $? err
# one run of a region, and what is before and after it
sed 's/time < 4/time < 1/' "$programs/followed.c" >once.c
cc auto -O2 once.c -o once && OMP_NUM_THREADS=2 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=once.record ./once >out
sed -i '/^iteration/d' once.record
pluss run --record once.record --cache none --json -o once.json 2>err
same "one run of a region and what is around it have a curve of the program, too" "serial parts 1.00, look_all_up 1.00, all runs 1.00" "$(python3 -c '
import json
print(*["%s %.2f" % (c["region"], c["coverage"]) for c in json.load(open("once.json"))["curves"]], sep=", ")')"
# without a value that the nest needs, the figure is that of the accesses
sed '/^region "calls"/,/^end/s/^symbol "n" .*/symbol "n" -9223372036854775808/' not.record >valueless.record
sed -i '/^iteration/d' not.record # nor what the nest has in the places of unknowns
pluss run --record not.record --region calls --json -o whole.json >out 2>err
pluss run --record valueless.record --region calls --json -o valueless.json >out 2>err
same "a region without a value: its accesses make the figure, as they did with it" "$(curves whole.json)" "$(curves valueless.json)"
grep -q 'calls: the run does not tell the value of n: only its recorded accesses are in the figure' err
verdict "which is told" $? err
# tasks: all of their accesses, 2 of each of 16000 iterations, whichever thread executes them, and when
cc auto -O2 "$programs/late_tasks.c" -o late_tasks
OMP_NUM_THREADS=4 PLUSS_RECORD=late.record ./late_tasks >out
same "mode=auto: tasks that are executed in the last barrier" "15999 outside 32000 accesses 32000" \
    "$(cat out) $(awk '/^outside/ { o = $2 } /^thread/ { a += $4 } END { print "outside", o, "accesses", a }' late.record)"
# functions that exist only in line, structures across lines, recursion: the program stays what it was
for mode in describe auto; do
    cc $mode -O2 "$programs/called.c" -o called && PLUSS_RECORD=called.record ./called >called.$mode 2>&1
done
same "mode=auto: a program with all kinds of called functions" "$(cat called.describe)" "$(cat called.auto)"
same "and what they access: 3 in line, a structure across 2 lines, the store, and 3 in each of 8 calls, which no nest has" \
    "outside 2400 accesses 3000" \
    "$(awk '/^outside/ { o = $2 } /^thread/ { a += $4 } END { print "outside", o, "accesses", a }' called.record)"
# where a region is recorded access by access in any case, not all that it calls is put in line
cc auto -O2 "$programs/doubling.c" -o doubling && PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=doubling.record ./doubling >doubling.auto
gcc -O2 -fopenmp "$programs/doubling.c" -o doubling && ./doubling >doubling.plain
same "mode=auto: a program whose calls would be thousands of statements" "$(cat doubling.plain)" "$(cat doubling.auto)"
same "and its accesses: 1024 and 3 in calls and a store, 16 times; 1024 in calls and 48 besides in serial code" "accesses 17520" \
    "$(awk '/^thread/ { a += $4 } END { print "accesses", a }' doubling.record)"
for mode in describe auto; do cc $mode -O2 -c "$programs/doubling.c" -o doubling.$mode.o; done
size doubling.describe.o doubling.auto.o >log
verdict "and its code is at most 20 times as large" "$(awk 'NR == 2 { n = $1 } END { print ($1 > 20 * n) }' log)" log
# what a nest has not is in its place: the exact curves of such a nest, by one thread, are those of a trace of the program
hybrid() { # COMPILER, file, level
    local compiler=$1 source=$programs/$2
    local -a flags=()
    [ "${source##*.}" != F90 ] || flags=(-ffree-line-length-none "-J$tmp")
    "$compiler" -O1 -fopenmp "${flags[@]}" -DORDER "$source" -o order && OMP_NUM_THREADS=1 ./order >order.trace
    "$compiler" -O1 -fopenmp "${flags[@]}" "$source" -o plain && ./plain >plain.out
    cc auto "$3" "${flags[@]}" "$source" -o hybrid
    OMP_NUM_THREADS=1 PLUSS_RECORD=hybrid.record ./hybrid >out
    same "mode=auto: $2 prints what it did, $3" "$(cat plain.out)" "$(cat out)"
    pluss run --record hybrid.record --simulate -T 1 --line=32 --cache none --json -o hybrid.json 2>err
    pluss simulate order.trace --line=32 --cache none --json -o order.json 2>>err
    same "and its nest with what was recorded has the accesses of the program, in its order, $3" \
        "$(curves order.json | cut -d' ' -f1-3 | head -n 1) 1.000 same" "$(python3 -c '
import json
got, = json.load(open("hybrid.json"))["curves"]
want = json.load(open("order.json"))["curves"][0]
print(got["threads"], got["accesses"], got["footprint_lines"], "%.3f" % got["coverage"],
      "same" if (got["size_lines"], got["miss_ratio"]) == (want["size_lines"], want["miss_ratio"]) else "other")')"
}
hybrid g++ hybrid.cc -O2
fortran=$(command -v gfortran || command -v gfortran-12)
[ -z "$fortran" ] || hybrid "$fortran" hybrid.F90 -O2
for level in -O0 -O2; do
    hybrid gcc hybrid.c "$level"
    same "its stores are stores, those of called functions, too; the nest has 720 of them itself, $level" "$(grep -c ' w$' order.trace)" \
        "$((720 + $(grep '^iteration' hybrid.record | grep -o ' write ' | wc -l)))"
    pluss run --record hybrid.record --text --region work >hybrid.nest 2>err && ! grep unknown hybrid.nest &&
        grep -q 'read b\[i\]\[j\]' hybrid.nest && grep -q 'all memory' hybrid.nest &&
        pluss run --record hybrid.record --simulate -T 1,4 --cache none --json -o got.json 2>>err &&
        pluss simulate hybrid.nest -T 1,4 --cache none --json -o want.json 2>>err &&
        cmp <(curves got.json | head -n 2) <(curves want.json) >>err
    verdict "it is a nest, which other commands read, for other teams, $level" $? err
    OMP_NUM_THREADS=4 PLUSS_RECORD=team.record ./hybrid >out
    pluss run --record team.record --simulate -T 1 --line=32 --cache none --json -o team.json 2>err
    same "as four threads tell it, too, $level" "$(curves hybrid.json | tail -n 1 | cut -d' ' -f1-3)" \
        "$(curves team.json | tail -n 1 | cut -d' ' -f1-3)"
done

# all runs of recorded regions in order, with the cache as the one before left it: against the exact curve of the same
# accesses, by one thread, whose order is known
cc auto -O2 "$programs/lists.c" -o lists
OMP_NUM_THREADS=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=lists.record ./lists >out
sed -i '/^iteration/d' lists.record # which would make nests of them
pluss run --record lists.record -T 1 --cache none --json -o lists.json 2>err
pluss run --record lists.record --simulate --progress recorded --together --cache none --json -o order.json 2>err
same "a curve of all runs, of 7: accesses, those outside, and within half a point of the exact one at each size" \
    "all runs 194736 0.830 194736 close" "$(python3 -c '
import bisect, json
curve = json.load(open("lists.json"))["curves"][-1]
exact = json.load(open("order.json"))["curves"][-1]
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
apart = [at(curve, size) - at(exact, size) for size in range(64, exact["footprint_lines"] + 1)]
print(curve["region"], curve["accesses"], "%.3f" % curve["coverage"], exact["accesses"],
      "close" if max(map(abs, apart)) < .02 and abs(sum(map(abs, apart))) < .005 * len(apart) else apart)')"
# and with what is between the regions
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=serial.record ./lists >out
sed -i '/^iteration/d' serial.record
pluss run --record serial.record -T 1 --cache none --json -o lists.json 2>err
pluss run --record serial.record --simulate --progress recorded --together --cache none --json -o order.json 2>>err
same "the same with serial parts: they are in it, in order, and nothing is left to be counted" \
    "all runs 1.000 same accesses close, serial parts 1.000, serial 0" "$(python3 -c '
import bisect, json
d = json.load(open("lists.json"))
curve, exact = d["curves"][-1], json.load(open("order.json"))["curves"][-1]
serial = [c for c in d["curves"] if c["region"] == "serial parts"][0]
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
apart = [at(curve, size) - at(exact, size) for size in range(64, exact["footprint_lines"] + 1)]
print(curve["region"], "%.3f" % curve["coverage"], "same" if abs(curve["accesses"] - exact["accesses"]) <= 1 else "other", "accesses", # 20000.5 a run
      "close," if max(map(abs, apart)) < .02 and abs(sum(map(abs, apart))) < .005 * len(apart) else apart,
      serial["region"], "%.3f," % serial["coverage"], "serial", d["coverage"]["serial"])')"
sed 's/^carried.*//; /^$/d' lists.record >apart.record
pluss run --record apart.record -T 1 --cache none -o report 2>err
grep -q 'the sequence of all runs is left out: .* recorded access by access, without what is between the runs' err
verdict "and none where that is not known" $? err

# a region that is described and one that is recorded, and what is around them: one curve, by one thread that of the exact order,
# by two that of the same regions recorded access by access
cc auto -O2 "$programs/mixed.c" -o mixed
cc auto -O2 -fplugin-arg-pluss-accesses=on "$programs/mixed.c" -o all 2>err
cc profile -O2 -fplugin-arg-pluss-accesses=on -c "$programs/mixed.c" -o other.o 2>>err
same "accesses=on does nothing in other modes, and says so" "1" "$(grep -c 'warning: pluss: .accesses=on. does nothing but with .mode=auto.' err)"
for team in 1 2; do
    OMP_NUM_THREADS=$team PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=mixed.record ./mixed >out
    pluss run --record mixed.record --cache none --json -o mixed.$team.json 2>err
    OMP_NUM_THREADS=$team PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=all.record ./all >out
    pluss run --record all.record --cache none --json -o all.$team.json 2>err
done
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=all.record ./all >out
pluss run --record all.record --simulate --progress recorded --together --cache none --json -o exact.json 2>err
same "what is described and what is recorded, in order, in one curve: its accesses, coverage, lines, and close to the others" \
    "all runs 676800 1.000 6252 exact, all runs 676800 1.000 6252 recorded" "$(python3 -c '
import bisect, json
def whole(name):
    return json.load(open(name + ".json"))["curves"][-1]
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
told = []
for name, other, what in (("mixed.1", "exact", "exact"), ("mixed.2", "all.2", "recorded")):
    curve, wanted = whole(name), whole(other)
    error = 3 * max(curve["standard_error"]["miss_ratio"])
    apart = [abs(at(curve, size) - at(wanted, size)) for size in range(64, wanted["footprint_lines"] + 1)]
    far = sum(a > error + .005 for a in apart) > .02 * len(apart) # but at steps
    close = not far and sum(apart) < .002 * len(apart) and abs(curve["accesses"] - wanted["accesses"]) < 1
    told.append("%s %.0f %.3f %d %s" % (curve["region"], curve["accesses"], curve["coverage"], curve["footprint_lines"], what if close else apart))
print(*told, sep=", ")')"
pluss run --record mixed.record --schedule static --schedule dynamic,4 --cache none --json -o lists.json 2>err
same "of several schedules at a time there is the curve of the nests in a row, with its coverage, and a warning that there is no other" \
    "2 scale+follow+scale+follow+scale+scale+follow+1 more 616800 0.911 1 told" "$(python3 -c '
import json
curves = json.load(open("lists.json"))["curves"]
assert all(c["coverage"] <= 1 + 1e-9 and c["region"] != "all runs" for c in curves)
last = curves[-1]
print(sum(c["region"] == last["region"] for c in curves), last["region"], last["accesses"], "%.3f" % last["coverage"])') $(
        grep -c 'the curve of all runs, however they are recorded, is left out: it is of one schedule' err) told"
pluss run --record apart.record --schedule static --schedule dynamic,4 --cache none -o report 2>err
same "and where most is recorded, likewise" "1" "$(grep -c 'the curve of all runs, .*is left out' err)"
cc auto -O2 -DMORE "$programs/mixed.c" -o more
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=more.record ./more >out
pluss run --record more.record --effort 20000000 --cache none --json -o more.json 2>err
same "where the nests in a row have most accesses, but their walk takes too long, they are walked run by run" \
    "all runs 15076800 1.000 told" "$(python3 -c '
import json
c = json.load(open("more.json"))["curves"][-1]
print(c["region"], "%.0f" % c["accesses"], "%.3f" % c["coverage"])') $(
        grep -q 'warning: the walk takes more steps than the effort allows' err && echo told)"
OMP_NUM_THREADS=2 PLUSS_RECORD=/dev/stdout ./mixed 2>err >piped
same "a record that is no file has no sidecar file, of which nothing is told" "" "$(cat err)"
mv mixed.record.trace kept
pluss run --record mixed.record --cache none --json -o without.json 2>err
same "without its sidecar file the curve is that of what is described" "scale+follow+scale+follow+scale+scale+follow+1 more 1 told" \
    "$(python3 -c 'import json; print(json.load(open("without.json"))["curves"][-1]["region"])') $(
        grep -c 'warning: cannot be opened' err) $(grep -q 'mixed.record.trace' err && echo told)"

# a region that is nested in a recorded one: what that one touches afterwards is as far back as both tell
cc auto -O2 "$programs/paused.c" -o nested
cc auto -O2 -fplugin-arg-pluss-accesses=on "$programs/paused.c" -o all
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=nested.record ./nested >out
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=all.record ./all >out
pluss run --record nested.record --cache none --json -o nested.json 2>err
pluss run --record all.record --cache none --json -o all.json 2>err
pluss run --record all.record --simulate --progress recorded --together --cache none --json -o exact.json 2>err
same "runs inside of others: they are in pieces, and the curve of all runs is within a fifth of a point of the exact one" \
    "17 pieces nested all runs 1152000 1.000 4206 close, all all runs 1152000 1.000 4206 close" \
    "$(awk '/^ordered/ { print $9 }' nested.record) pieces $(python3 -c '
import bisect, json
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
exact = json.load(open("exact.json"))["curves"][-1]
told = []
for name in ("nested", "all"):
    curve = json.load(open(name + ".json"))["curves"][-1]
    apart = [abs(at(curve, size) - at(exact, size)) for size in range(64, exact["footprint_lines"] + 1)]
    close = max(apart) < .02 and sum(apart) < .002 * len(apart) and abs(curve["accesses"] - exact["accesses"]) < 1
    told.append("%s %s %.0f %.3f %d %s" % (name, curve["region"], curve["accesses"], curve["coverage"], curve["footprint_lines"], "close" if close else apart))
print(*told, sep=", ")')"

# where the outer one is described, the run tells after how many parallel constructs the others began; one that a sampler would
# take is recorded; and where the outer one has most accesses
compare_whole() { # record of the program, of its accesses, share of sizes at steps: the curve of all runs and the recorded order's
    pluss run --record "$1" --cache none --json -o whole.json 2>err
    pluss run --record "$2" --simulate --progress recorded --together --cache none --json -o exact.json 2>>err
    python3 -c '
import bisect, json
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
curve, exact = (json.load(open(name + ".json"))["curves"][-1] for name in ("whole", "exact"))
error = 3 * max(curve.get("standard_error", {"miss_ratio": [0]})["miss_ratio"])
apart = [abs(at(curve, size) - at(exact, size)) for size in range(64, exact["footprint_lines"] + 1)]
# at steps, whose sizes are rounded, the two are farther apart
far = sum(a > .005 + error for a in apart) > '"${3:-.02}"' * len(apart)
close = not far and sum(apart) < .002 * len(apart) and abs(curve["accesses"] - exact["accesses"]) < 3
print(curve["region"], "%.0f" % curve["accesses"], "%.3f" % curve["coverage"], curve["footprint_lines"], "close" if close else apart)'
}
record_both() { # name of the program; options and sources follow: by its own modes, and access by access
    cc auto "${@:2}" -o "$1" && cc auto -fplugin-arg-pluss-accesses=on "${@:2}" -o all
    OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD="$1.record" "./$1" >out
    OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=all.record ./all >>out
}
pieces() { awk '/^ordered/ { print $9 }' "$1"; }
record_both nested -O2 -DDESCRIBED "$programs/paused.c"
same "runs inside of one that is described" "around 2, 17 pieces, all runs 1000000 1.000 4502 close" \
    "$(grep '^around' nested.record), $(pieces nested.record) pieces, $(compare_whole nested.record all.record)"
pluss run --record nested.record --together --cache none --json -o nested.json 2>err
same "nor is the one of the nests in a row, which is asked for, said to be of all loads and stores" "None told" "$(python3 -c '
import json
print(json.load(open("nested.json"))["curves"][-1].get("coverage"))') $(
        grep -q 'other runs are nested in 2 of the runs, and come before them here' err && echo told)"
record_both nested -O2 -DSAMPLED "$programs/paused.c"
same "and inside of one whose subscripts are data" "17 pieces, all runs 1152000 1.000 4502 close" \
    "$(pieces nested.record) pieces, $(compare_whole nested.record all.record)"
record_both nested -O2 "$programs/around.c"
same "and inside of one that has most accesses" "around 1, 20 pieces, all runs 443000 1.000 4188 close" \
    "$(grep '^around' nested.record), $(pieces nested.record) pieces, $(compare_whole nested.record all.record)"

# regions that a team of another one executes, all of them recorded
record_both teams -O2 "$programs/in_teams.c"
same "runs inside of another one's team" "8 pieces, all runs 278482 1.000 1780 close" \
    "$(pieces teams.record) pieces, $(compare_whole teams.record all.record .05)"

# C++ and Fortran, and programs that are compiled and linked with -flto
record_both mixed.flto -O2 -flto "$programs/mixed.c"
same "one curve of all runs, under -flto" "all runs 676800 1.000 6252 close" "$(compare_whole mixed.flto.record all.record)"
compiler=g++ record_both mixed.cc -O2 "$programs/mixed.cc"
same "and in C++" "all runs 713634 1.000 11260 close" "$(compare_whole mixed.cc.record all.record)"
compiler=$fortran record_both mixed.F90 -O2 "$programs/mixed.F90"
same "and in Fortran" "all runs 573600 1.000 6254 close" "$(compare_whole mixed.F90.record all.record)"
compiler=$fortran record_both mixed.F90 -O2 -flto "$programs/mixed.F90"
same "under -flto likewise" "all runs 573600 1.000 6254 close" "$(compare_whole mixed.F90.record all.record)"

# a function whose serial code calls what is not described: its parallel loops are told by their values, what is between them is
# recorded, in sequence, and the curve of all runs is near the exact one; loops over levels choose parts of arrays
parts() { # COMPILER, file, flags
    local compiler=$1 file=$2
    shift 2
    cc auto -O2 "$@" "$programs/$file" -o parts
    cc auto -O2 "$@" -fplugin-arg-pluss-accesses=on "$programs/$file" -o all
    "$compiler" -O2 -fopenmp "$@" "$programs/$file" -o plain
    [ "$(./parts)" = "$(./plain)" ] || echo "another output"
    OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=parts.record ./parts >out
    OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=all.record ./all >out
    pluss run --record parts.record --cache none --json -o parts.json 2>err
    pluss run --record all.record --simulate --progress recorded --together --cache none --json -o exact.json 2>>err
    grep -v 'cannot take a value loaded from memory' err
    python3 -c '
import bisect, json
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
curves = json.load(open("parts.json"))["curves"]
curve, exact = curves[-1], json.load(open("exact.json"))["curves"][-1]
ways = {}
for c in curves:
    if c.get("recorded") in ("values", "accesses"):
        way = ways.setdefault(c["region"] + ":" + str(c.get("line", 0)), {"values": 0, "accesses": 0})
        way[c["recorded"]] += c["runs"]
apart = [abs(at(curve, size) - at(exact, size)) for size in range(64, exact["footprint_lines"] + 1)]
close = max(apart) < .05 and sum(apart) < .003 * len(apart) and abs(curve["accesses"] - exact["accesses"]) < 10
told = [name + "".join(" %d by %s" % (n, how) for how, n in way.items() if n) for name, way in sorted(ways.items())]
print(*told, curve["region"], "%.3f" % curve["coverage"], "close" if close else apart, sep=", ")'
}
line_of() { # NUMBER, file: of that parallel construct
    grep -niE '#pragma omp parallel|!\$omp parallel' "$programs/$2" | sed -n "$1s/:.*//p"
}
first=$(line_of 1 parts.c) second=$(line_of 2 parts.c) third=$(line_of 3 parts.c)
same "parallel loops that are described, in a function that is not: by their values, in C" \
    "main:$first 20 by values, main:$second 1 by values, serial parts:0 6 by accesses, all runs, 1.000, close" "$(parts gcc parts.c)"
same "one of them that is not described is recorded by itself" \
    "main:$first 20 by values, main:$second 1 by values, main:$third 1 by accesses, serial parts:0 6 by accesses, all runs, 1.000, close" \
    "$(parts gcc parts.c -DMORE)"
same "in C++, where an exception leaves the function" \
    "Model::add_up:$(line_of 1 parts.cc) 52 by values, serial parts:0 14 by accesses, all runs, 1.000, close" "$(parts g++ parts.cc)"
[ -z "$fortran" ] || same "in Fortran, of a main program with variables in a frame" \
    "parts:$(line_of 1 parts.F90) 20 by values, parts:$(line_of 2 parts.F90) 1 by values, serial parts:0 6 by accesses, all runs, 1.000, close" \
    "$(parts "$fortran" parts.F90)"
[ -z "$fortran" ] || same "and of a contained procedure" \
    "serial parts:0 5 by accesses, steps:$(line_of 1 parts_inside.F90) 4 by values, all runs, 1.000, close" "$(parts "$fortran" parts_inside.F90)"
[ -z "$fortran" ] || same "one that is described but for a few subscripts: by its values, and these accesses" \
    "parts_data:$(line_of 1 parts_data.F90) 4 by values, serial parts:0 5 by accesses, all runs, 1.000, close" \
    "$(parts "$fortran" parts_data.F90 '-DHEATS=command_argument_count() > 0')"
[ -z "$fortran" ] || same "and where what is allocated under a condition is used" \
    "parts_data:$(line_of 1 parts_data.F90) 4 by values, serial parts:0 5 by accesses, all runs, 1.000, close" \
    "$(parts "$fortran" parts_data.F90 '-DHEATS=command_argument_count() == 0')"

# at -O2 loops are told by one call each, of the same accesses in the same order
for level in 0 1 2 3; do
    cc auto -O$level "$programs/told_loops.c" -o told_loops -lm
    OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=told_loops.record ./told_loops >told$level
    grep -vE '^(took|object|iteration|array)' told_loops.record >>told$level
    objdump -d told_loops | grep -c 'call.*<pluss_rt_[a-z]*_loop' >told_by_loop$level
done
same "loops that one call of the library tells: the record of a call an access, in C" "same same same 0 enough" "$(
    for level in 1 2 3; do cmp -s told0 told$level && echo same; done | xargs) $(cat told_by_loop0) $([ "$(cat told_by_loop2)" -ge 5 ] && echo enough)"

# a region that a sampler takes, one that is described, and what is around them: by one thread the exact order's curve
cc auto -O2 "$programs/gathered.c" -o gathered
cc auto -O2 -fplugin-arg-pluss-accesses=on "$programs/gathered.c" -o all
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=gathered.record ./gathered >out
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_INTERLEAVE=tsc PLUSS_RECORD=all.record ./all >out
pluss run --record gathered.record --cache none --json -o gathered.json 2>err
pluss run --record all.record --simulate --progress recorded --together --cache none --json -o exact.json 2>err
same "a sampler's region, a described one and serial parts in one curve: within a tenth of a point of the exact one" \
    "all runs 384002 1.000 4502 close" "$(python3 -c '
import bisect, json
at = lambda c, size: c["miss_ratio"][bisect.bisect(c["size_lines"], size) - 1]
curve, exact = (json.load(open(name + ".json"))["curves"][-1] for name in ("gathered", "exact"))
apart = [abs(at(curve, size) - at(exact, size)) for size in range(64, exact["footprint_lines"] + 1)]
print(curve["region"], round(curve["accesses"]), "%.3f" % curve["coverage"], curve["footprint_lines"], "close" if max(apart) < .001 else apart)')"

# walks with another schedule than the run's tell other first touches: by one thread the same
for team in 1 2; do
    OMP_NUM_THREADS=$team PLUSS_SAMPLE_SCHEDULE=static,1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=gathered.record ./gathered >out
    pluss run --record gathered.record --cache none --json -o gathered.json 2>err
    echo "$team: $(python3 -c '
import json
c = json.load(open("gathered.json"))["curves"][-1]
print(c["region"], round(c["accesses"]), "%.3f" % c["coverage"])') $(grep -c 'runs of gather are not in the curve of all runs' err) told"
done >got
same "walks with a schedule that the user gives are in the curve of all runs if it is one thread's" \
    "1: all runs 384002 1.000 0 told
2: all runs 240002 0.625 1 told" "$(cat got)"

# a signal's handler executes a region and ends the program, wherever it interrupts what is recorded outside of regions
cc auto -O2 "$programs/alarmed.c" -o alarmed
for _ in 1 2 3 4 5; do
    OMP_NUM_THREADS=1 PLUSS_RECORD=alarmed.record timeout 60 ./alarmed 2>err
    echo $?
done | sort | uniq -c | tr -s ' ' >statuses
same "a program that a signal's handler ends while serial parts are recorded" " 5 7" "$(cat statuses)"

# and one whose handler jumps out of them goes on to be recorded: both walks of 2 * 2^20 loads after the last jump
cc auto -O2 "$programs/leaving.c" -o leaving
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=leaving.record timeout 60 ./leaving >out 2>err
same "a program whose signal handler jumps out of what is recorded" "1 recorded" \
    "$(cat out) $(awk '/^region/ { p = $2 == "\"serial" } p && /^outside/ { made += $2 } p && /^thread/ { got += $4 }
        END { print (got >= 4194304 && got >= 0.99 * made ? "recorded" : got " of " made) }' leaving.record)"

# and one whose handler executes a region after any instruction of an access that is recorded
cc auto -O2 "$programs/stepped.c" -o stepped
OMP_NUM_THREADS=1 PLUSS_RECORD_SERIAL=1 PLUSS_RECORD=stepped.record timeout 60 ./stepped >out 2>err
same "a signal after each instruction of a recorded access" "0 1" "$? $(cat out)"

# code without OpenMP: a loop is told once, where it stands, in any mode: its values
for mode in bind auto sample; do
    pluss cc --plugin="$build/pluss.so" --mode=$mode --serial -fplugin-arg-pluss-notes=off -O2 "$programs/one_thread.c" -o serial &&
        pluss run -T 2 --json -o report ./serial 50 >out 2>err || cat err
    python3 -c '
import json
print([(c["region"], c["accesses"]) for c in json.load(open("report"))["curves"]])' 2>&1
done >serial.regions
same "serial code: the region and its three runs" "$(for _ in 1 2 3; do echo "[('sweep', 6912), ('sweep', 20736)]"; done)" "$(cat serial.regions)"
PLUSS_RECORD_ACCESSES=1k PLUSS_RECORD=x ./not_described >out 2>err
same "a limit that is no number" "pluss: PLUSS_RECORD_ACCESSES=1k is not understood: it is a number from 1 on" "$(cat err)"

same "standard input" "<read>read word0" "$(echo word | pluss run -o report ./calls.bind read 2>/dev/null)"
PATH=$tmp:$PATH pluss run -o report calls.bind 0 >out 2>&1
verdict "looked up in PATH" $? out
(pluss run -o report ./calls.bind abort >out 2>err) 2>/dev/null
same "ends by the program's signal" 134 $?
: >out # what is in it from here on is the program's
pluss run -o report ./calls.bind wait >out 2>err &
pid=$!
for _ in $(seq 100); do [ -s out ] && break; sleep 0.1; done
kill -TERM $pid
wait $pid 2>/dev/null
same "hands SIGTERM on" 143 $?
# a signal that comes before fork has come back to us is the program's too
gcc -shared -fPIC "$programs/slow_fork.c" -o slow_fork.so
: >out
LD_PRELOAD=$PWD/slow_fork.so pluss run -o report ./calls.bind wait >out 2>err &
pid=$!
for _ in $(seq 100); do [ -s out ] && break; sleep 0.1; done
kill -TERM $pid
( sleep 20; kill -KILL $pid ) 2>/dev/null &
watchdog=$!
wait $pid 2>/dev/null
same "hands an early SIGTERM on" 143 $?
kill $watchdog 2>/dev/null
same "and nothing is left running" "" "$(ls -l /proc/[0-9]*/exe 2>/dev/null | grep "$tmp/calls.bind")"
same "nothing is left in TMPDIR" "" "$(ls "$TMPDIR")"
rm -f kept
(cd / && pluss run -o "$tmp/report" --save "$tmp/kept" "$tmp/calls.bind" 0 >/dev/null 2>&1)
head -n 1 kept >log 2>&1
same "--save keeps the record" "pluss-record 3" "$(cat log)"
cp kept good
touch kept.trace # of a run before
for program in ./nothing-there /bin/true; do
    pluss run --save kept $program >out 2>err
    same "a program without a record costs no good one: $program" "" "$(cmp kept good 2>&1)"
done
pluss run --save kept ./calls.bind 0 >out 2>err
same "what lay beside the record before goes with it" "kept" "$(ls -d kept* | tr '\n' ' ' | sed 's/ $//')"
mkdir folder
for place in folder /dev/null no/such/folder; do
    pluss run --save $place ./calls.bind 0 >out 2>err
    status=$?
    same "a record cannot be kept in $place, which is told before" "3 1 0" "$status $(grep -cE "$place: cannot be (replaced: not a regular file|written: No such file)" err) $(wc -c <out)"
done
same "and nothing of it goes" "folder character special file" "$(ls -d folder) $(stat -c %F /dev/null)"
mkdir small
if mount -t tmpfs -o size=16k none small 2>/dev/null; then
    cat /dev/zero >small/fill 2>/dev/null
    pluss run --save small/kept ./calls.bind 0 >out 2>err
    same "a full disk is why there is no record" "3 1" "$? $(grep -c 'the record cannot be written: No space left on device' err)"
    umount small
else
    echo "ok - a full disk is why there is no record # SKIP no file systems to be made here"
fi
same "nothing stays beside" "" "$(ls -A | grep '^\.pluss')"

# ---- faults ----------------------------------------------------------------------------------------------------------
pluss run /bin/true >out 2>err
same "a program that records nothing" "3 pluss run: error: /bin/true left no record" "$? $(grep -o 'pluss run: error: /bin/true left no record' err)"
pluss run ./nothing >out 2>err
same "a program that is none" "127 pluss run: error: ./nothing: cannot be started: No such file or directory" "$? $(cat err)"
pluss run >out 2>err
same "no program" 2 $?
: >empty
pluss run --record empty >out 2>err
same "a record that is none" "3 empty:1:1: error: found the line's end, expected 'pluss-record'" "$? $(cat err)"
pluss run --record "$tmp/none" >out 2>err
same "no record" "3 $tmp/none: error: cannot be opened: No such file or directory" "$? $(cat err)"
pluss run --record kept --region nobody >out 2>err
same "no such region" "2 pluss: error: no region 'nobody' is in the record" "$? $(cat err)"
pluss run --record kept /bin/true >out 2>err
grep -q "there is no description of 'multiply'" err
verdict "objects without the regions" $? err

# ---- bindings --------------------------------------------------------------------------------------------------------
regions() { python3 -c '
import json, sys
for c in json.load(open(sys.argv[1]))["curves"]:
    print(c["region"], c["threads"], " ".join(f"{k}={v}" for k, v in sorted(c["values"].items())))' "$1"; }
pluss run --record kept --json -o got.json 2>err
same "a curve for each binding, and one for all" "multiply 2 n=24
halve 2 n=24
multiply 2 n=40
multiply+halve+multiply 2 halve.n=24 multiply#2.n=40 multiply.n=24" "$(regions got.json)"
pluss run --record kept -T 1,4 --region halve --json -o got.json 2>err
same "other teams" "halve 1 n=24
halve 4 n=24" "$(regions got.json)"

# a region that is entered now and then with nothing to do: no curve of that, and no fault
cat >sometimes.c <<'C'
static double a[64];
__attribute__((noinline)) static void scale(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
int main(int argc, char **argv)
{
    (void)argv;
    scale(argc > 1 ? 0 : 64);
    scale(0);
    return 0;
}
C
idle="sometimes.c:2: note: scale made no access with n=0"
for mode in bind sample profile time; do
    cc $mode -O1 sometimes.c -o sometimes.$mode >log 2>&1
    verdict "sometimes.c compiles, mode=$mode" $? log
done
while read -r mode how; do
    # shellcheck disable=SC2086
    pluss run $how --json -o got.json ./sometimes.$mode 2>err
    same "a call that does nothing is a note: mode=$mode $how" "0 $idle
scale 2
scale+scale 2" "$? $(cat err)
$(regions got.json | cut -d ' ' -f 1,2)"
    # shellcheck disable=SC2086
    pluss run $how --json -o got.json ./sometimes.$mode nothing 2>err
    same "a run that does nothing is an error: mode=$mode $how" "3 $idle
pluss: error: no region made an access" "$? $(cat err)"
done <<'END'
bind
bind --simulate --progress round-robin
sample --model cri
profile --model ri-random
profile --simulate --progress recorded
time --progress recorded
time --simulate --progress recorded
END
pluss run --together --json -o got.json ./sometimes.bind 2>err
same "nor is it one of the sequence" "0 scale+scale 2 scale#2.n=0 scale.n=64" "$? $(cat err)$(regions got.json)"
pluss run --together -o report ./sometimes.bind nothing 2>err
same "a sequence that does nothing is an error" "3 pluss: error: no region made an access" "$? $(cat err)"

# the same nest with the values and addresses written in by hand
bound() { # RECORD, BLOCK (from 0): the program's nest of that region with the record's facts
    pluss nests --text calls.bind | python3 -c '
import re, sys
blocks = re.findall(r"^region \"(\w+)\".*?^end$", open(sys.argv[1]).read(), re.S | re.M)
texts = re.findall(r"(^region \".*?^end$)", open(sys.argv[1]).read(), re.S | re.M)
name, text = blocks[int(sys.argv[2])], texts[int(sys.argv[2])]
nests = [n for n in re.split(r"(?=^pluss-nest 1$)", sys.stdin.read(), flags=re.M) if f"region {name} " in n]
nest = nests[0]
for symbol, value in re.findall(r"^symbol \"(\w+)\" (-?\d+)", text, re.M):
    nest = re.sub(rf"(?m)^symbol {symbol}$", f"symbol {symbol} = {value}", nest)
for array, address in re.findall(r"^array \"(\w+)\" (\d+)", text, re.M):
    nest = re.sub(rf"(?m)^(array .* {array}\[.*)$", rf"\1 address({address})", nest)
print(nest, end="")' "$1" "$2"
}
for case in "0 clock" "1 clock" "2 cri"; do
    set -- $case
    bound kept "$1" >bound.nest 2>log
    pluss predict bound.nest -T 1,4 --model "$2" --json -o want.json 2>>log
    region=$(sed -n 's/^region \([a-z]*\) .*/\1/p' bound.nest)
    pluss run --record kept -T 1,4 --model "$2" --region "$region" --json -o got.json 2>>log
    curves want.json >want
    curves got.json >got
    if [ "$1" = 2 ]; then tail -n 2 got >part; else head -n 2 got >part; fi
    same "region $1 as with values and addresses by hand, $2" "$(cat want)" "$(cat part)"
done
bound kept 1 >bound.nest
pluss run --record kept --region halve --text >got.nest 2>log
same "--text" "$(cat bound.nest)" "$(cat got.nest)"

# ---- the sequence ----------------------------------------------------------------------------------------------------
# multiply(24), halve(24) three times, multiply(40): the cache is warm, C is one array
pluss run --record kept --together --text >whole.nest 2>log
grep -q 'for `run 1` in 0..3 {' whole.nest
verdict "the calls of a loop are a loop" $? whole.nest
python3 - kept >by-hand.nest <<'PYTHON'
import re, sys
at = dict(re.findall(r'^array "(\w+)" (\d+)', open(sys.argv[1]).read(), re.M))
print("pluss-nest 1")
for name in "ABC":
    print(f"array f64 {name}[48][48] address({at[name]})")
multiply = """region m
parallel for i in 0..N schedule(static, 2) { for j in 0..N { for k in 0..N {
  read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }"""
halve = "region h parallel for i in 0..24 schedule(dynamic, 3) { for j in 0..24 { read C[i][j] write C[i][j] } }"
for t in range(3):
    print(multiply.replace("N", "24"), halve, sep="\n")
print(multiply.replace("N", "40"))
PYTHON
pluss simulate by-hand.nest --together -T 2 --progress round-robin --json -o want.json 2>log
pluss run --record kept --together --simulate --progress round-robin --json -o got.json 2>>log
curves want.json >want
curves got.json >got
same "the whole sequence is the program written out" "$(cat want)" "$(cat got)"
pluss simulate by-hand.nest --together -T 2 --json -o want.json 2>log
pluss run --record kept --together --json -o got.json 2>>log
python3 - got.json want.json >log <<'PYTHON'
import bisect, json, sys
a, b = (json.load(open(f))["curves"][0] for f in sys.argv[1:])
at = lambda c, s: c["miss_ratio"][bisect.bisect_right(c["size_lines"], s) - 1]
sizes = [2 ** (i / 8) for i in range(8 * 10)]
error = sum(abs(at(a, s) - at(b, s)) for s in sizes) / len(sizes)
print("mean absolute error of the prediction:", error)
sys.exit(error > 0.01)
PYTHON
verdict "and predicted, near the exact one" $? log

# ---- recorded intervals ----------------------------------------------------------------------------------------------
# once: static, so that the walk of the nest is what happened; sample, profile and walk give the same curves to the last bit
for mode in sample profile; do
    rm -f once.$mode
    PLUSS_RECORD=once.$mode ./calls.$mode once >log 2>&1
    pluss run --record once.$mode --region multiply --text >once.nest 2>>log
    for model in cri cri-line; do
        pluss run --record once.$mode --region multiply --model $model -T 1,4,64 --json -o got.json 2>>log
        pluss predict once.nest --model $model --collect 2 -T 1,4,64 --json -o want.json 2>>log
        curves want.json >want
        curves got.json >got
        [ -s want ] && cmp want got >>log 2>&1
        verdict "$model: mode=$mode equals the walk of the nest to the last bit" $? log
    done
done
# a schedule that is not the recorded one: what is predicted is the schedule that was asked for, and that is said
other() { # NAME, RECORD, SCHEDULE, 0: it is the recorded one, 1: it is not
    # the nest of this record: arrays are at other places of a line in another program
    pluss run --record "$2" --region multiply --text >once.nest 2>>log &&
        pluss run --record "$2" --region multiply --schedule "$3" --model cri -T 2 --json -o got.json 2>err &&
        pluss predict once.nest --schedule "$3" --model cri -T 2 --json -o want.json 2>>log
    curves want.json >want
    curves got.json >got
    [ -s want ] && cmp want got >>log 2>&1 &&
        [ "$(grep -c "intervals of 'multiply' are recorded with another schedule than is asked for" err)" = "$4" ]
    verdict "$1" $? err
}
for mode in sample profile; do
    other "mode=$mode, --schedule as it is written: recorded" once.$mode static,2 0
    other "mode=$mode, --schedule in blocks: not recorded" once.$mode static 1
    other "mode=$mode, --schedule static,1: not recorded" once.$mode static,1 1
done
rm -f once.other
PLUSS_SAMPLE_TEAMS=2 PLUSS_SAMPLE_SCHEDULE=static,1 PLUSS_RECORD=once.other ./calls.sample once >log 2>&1
other "a sampler's schedule: recorded" once.other static,1 0
other "and not the one that is written" once.other static,2 1
# teams that were simulated, and the one that ran; others from the largest of them
rm -f teams.txt
PLUSS_SAMPLE_TEAMS=1,4 PLUSS_RECORD=teams.txt ./calls.sample once >log 2>&1
pluss run --record teams.txt --model cri --json -o got.json 2>>log
same "simulated teams are reported" "multiply 1 n=24
multiply 2 n=24
multiply 4 n=24" "$(regions got.json)"
pluss run --record teams.txt --text >teams.nest 2>log
pluss run --record teams.txt --model cri -T 4,64 --json -o got.json 2>>log
pluss predict teams.nest --model cri --collect 4 -T 4,64 --json -o want.json 2>>log
curves want.json >want
curves got.json >got
[ -s want ] && cmp want got >>log 2>&1
verdict "and others follow from the largest" $? log
# the same by options
equals() { # NAME, options of run, options of predict: on the nest with the run's values and addresses
    # shellcheck disable=SC2086
    pluss run --save teams.txt --model cri --json -o got.json $2 ./calls.sample once >out 2>log &&
        pluss run --record teams.txt --text >teams.nest 2>>log &&
        pluss predict teams.nest --model cri --json -o want.json $3 2>>log
    curves want.json >want 2>>log
    curves got.json >got 2>>log
    [ -s want ] && cmp want got >>log 2>&1
    verdict "$1" $? log
}
equals "-T: each team is simulated" "-T 1,4,64" "-T 1,4,64"
same "which the record has" "1 4 64" "$(sed -n 's/^region .* team \([0-9]*\) .* by sample$/\1/p' teams.txt | xargs)"
equals "--sample-teams: those, and others follow" "-T 1,64 --sample-teams=4" "-T 1,64 --collect 4"
equals "--schedule: is simulated too" "-T 1,4 --schedule=static,1" "-T 1,4 --schedule=static,1"
PLUSS_SAMPLE_TEAMS=3 pluss run --save teams.txt --model cri -T 1,4 -o out ./calls.sample once >/dev/null 2>log
same "the environment comes before -T" 3 "$(sed -n 's/^region .* team \([0-9]*\) .* by sample$/\1/p' teams.txt | xargs)"
sampled_rows() { # RECORD: accesses of the sampled team; of B, which both threads touch all of: first touches, those of shared lines
    awk '/^region/ { sampled = / by sample$/ && /"multiply"/ } sampled && /^thread/ { n += $4 } sampled && /^pri .* ref 1 / { first += $7 }
        sampled && /^shared .* ref 1 / { split($6, of, ":"); shared += of[2] } END { print n, first, shared }' "$1"
}
pluss run --save whole.txt --sample-teams=2 -o out ./calls.sample once >/dev/null 2>log
pluss run --save part.txt --sample-teams=2 --rate=25% -o out ./calls.sample once >/dev/null 2>>log
sampled_rows whole.txt >whole && sampled_rows part.txt >part && cat whole part >>log
read -r n first shared <part
[ "$(cut -d' ' -f1 <whole)" = "$n" ] && [ "$first" -gt 0 ] && [ "$first" = "$shared" ]
verdict "--rate: a quarter of the lines stands for all accesses" $? log
pluss run --save none.txt --sample-teams=2 --rate=1e-12 -o out ./calls.sample once >/dev/null 2>log
sed -n '/ by sample$/,/^region/s/^thread . accesses //p' none.txt | awk '$1 != $3 { exit 1 } END { exit !NR }'
verdict "--rate: where no line is followed, every access is lost" $? none.txt
pluss run --rate=0 ./calls.sample once >out 2>err
same "a rate of 0" "2 pluss run: error: --rate '0': a rate is above 0 and up to 1, as in 0.01 or 1%" "$? $(head -n 1 err)"
pluss run --sample-teams=5000 ./calls.sample once >out 2>err
same "a team too large to simulate" "2 pluss run: error: --sample-teams '5000': samplers take up to 64 teams of up to 4096 threads" \
    "$? $(head -n 1 err)"
pluss run --record teams.txt --rate=0.5 >out 2>err
same "a rate for a record that is there" "2 pluss run: error: --rate is for a program that is run; --record runs none" \
    "$? $(head -n 1 err)"

# ---- knees -----------------------------------------------------------------------------------------------------------
knees() { python3 -c '
import json, sys
for c in json.load(open(sys.argv[1]))["curves"]:
    print(json.dumps(c["knees"], sort_keys=True))' "$1"; }
pluss run --record kept --region halve -T 2 --explain --json -o got.json 2>log
bound kept 1 >bound.nest && pluss predict bound.nest -T 2 --explain --json -o want.json 2>>log
knees want.json >want 2>>log
knees got.json >got 2>>log
grep -q carried_by want && head -n 1 got | cmp - want >>log 2>&1
verdict "--explain: the knees are those of the nest" $? log
pluss run --record kept --region halve -T 2 --explain >out 2>log && grep -q 'C\[' out
verdict "and the report names references" $? out
cc sample -O2 "$programs/sparse.c" -o spmv.sample >log 2>&1 && pluss run -T 2,8 --json -o got.json ./spmv.sample >out 2>err
verdict "spmv runs, mode=sample" $? err
engines() { python3 -c 'import json, sys; print(*[c["engine"] for c in json.load(open(sys.argv[1]))["curves"]])' "$1" 2>/dev/null; }
rm -f spmv.record*
PLUSS_SAMPLE_TEAMS=2 PLUSS_RECORD=spmv.record ./spmv.sample >log 2>&1
pluss run --record spmv.record -T 2,8 --json -o got.json 2>err
same "spmv: from the order that was sampled, other teams from intervals" "lines cri-line" "$(engines got.json)"
grep -q 'predicted by lines instead' err && grep -q 'predicted by cri-line instead' err
verdict "and it says so" $? err
pluss run --record spmv.record --schedule static,1 -T 2 >out 2>err
status=$?
[ $status -eq 3 ] && grep -q 'spmv.record' err
verdict "spmv: of another schedule nothing is known" $? err
rm -f spmv.record.trace
pluss run --record spmv.record -T 2 >out 2>err
status=$?
[ $status -eq 3 ] && grep -q 'spmv.record.trace: error: cannot be opened' err
verdict "without the file beside the record: an error that names it" $? err
PLUSS_SAMPLE_LINES=none PLUSS_RECORD=spmv.record ./spmv.sample >log 2>&1
pluss run --record spmv.record --model lines >out 2>err
status=$?
[ $status -ne 0 ] && grep -q 'kept the order of accesses' err
verdict "the model lines without what it needs" $? err

# ---- chunks and interleavings of the run -----------------------------------------------------------------------------
rm -f run.txt run.txt.trace
PLUSS_RECORD=run.txt PLUSS_INTERLEAVE=tsc ./calls.profile 0 >log 2>&1
pluss run --record run.txt --schedule recorded --region halve --model ri-random --json -o got.json 2>>log
verdict "--schedule recorded" $? log
pluss run --record run.txt --schedule recorded --region multiply --json -o got.json 2>err
same "static loops need no recorded chunks" "0 " "$? $(cat err)"
pluss run --record run.txt --region multiply --json -o written.json 2>err
same "and are as they are written" "$(curves written.json)" "$(curves got.json)"
for verb in predict simulate; do
    pluss $verb calls.bind -T 2 -D n=24 --region multiply --schedule recorded --record run.txt --json -o got.json 2>err
    same "static loops, $verb" "0 " "$? $(cat err)"
    pluss $verb calls.bind -T 2 -D n=24 --region multiply --json -o written.json 2>err
    same "$verb: as they are written" "$(curves written.json)" "$(curves got.json)"
done
pluss nests calls.bind --text --region multiply >part.nest 2>err
pluss run --record run.txt --text part.nest >got.nest 2>err
same "--text: a region without a nest does not keep the others" "2 multiply 1" "$? $(grep -oE '^region [a-z]+' got.nest | sort -u | sed 's/region //' | tr '\n' ' ')$(grep -c "halve" err | sed 's/[2-9]/1/')"
pluss run --record run.txt --schedule recorded --json -o got.json 2>err
same "with those of the other regions" "0 halve multiply " "$? $(python3 -c 'import json; print(*sorted({c["region"] for c in json.load(open("got.json"))["curves"]}))') $(cat err)"
pluss predict calls.bind -T 2 -D n=24 --region halve --schedule recorded --record run.txt --json -o other.json 2>>log
verdict "--schedule recorded --record FILE, predict" $? log
pluss simulate calls.bind -T 2 -D n=24 --region halve --schedule recorded --record run.txt --json -o other.json 2>>log
verdict "--schedule recorded --record FILE, simulate" $? log
pluss simulate calls.bind -T 3 -D n=24 --region halve --schedule recorded --record run.txt >out 2>err
same "a team that did not run" "2 run.txt: error: no run of halve with 3 threads and these values, or not its chunks" "$? $(cat err)"
# who executed what is what the chunks say: each thread's accesses in the record are those of its iterations
python3 - run.txt >log <<'PYTHON'
import re, sys
block = re.search(r'^region "halve".*?^end$', open(sys.argv[1]).read(), re.S | re.M).group(0)
runs = int(re.search(r" runs (\d+)", block).group(1))
owned = {0: 0, 1: 0}
for time, thread, chunks in re.findall(r"^chunks loop 0 time (\d+) thread (\d+)((?: \d+-\d+)+)$", block, re.M):
    owned[int(thread)] += sum(int(h) - int(l) for l, h in re.findall(r"(\d+)-(\d+)", chunks))
print(block, owned)
sys.exit(sum(owned.values()) != 24 or runs != 3)
PYTHON
verdict "the chunks of the first run are all iterations" $? log
pluss run --record run.txt --simulate --progress recorded --json -o got.json 2>err
verdict "--simulate --progress recorded" $? err
python3 - got.json run.txt >log <<'PYTHON'
import json, re, sys
curves = json.load(open(sys.argv[1]))["curves"]
blocks = re.findall(r"^region .*?^end$", open(sys.argv[2]).read(), re.S | re.M)
bad = len(curves) != len(blocks) + 1
for curve, block in zip(curves, blocks):
    runs = int(re.search(r" runs (\d+)", block).group(1))
    accesses = sum(map(int, re.findall(r"^thread \d+ accesses (\d+)", block, re.M))) / runs
    first = [sum(map(int, re.findall(r" first (\d+)", block)))]
    print(curve["region"], curve["engine"], curve["accesses"], accesses, curve["footprint_lines"])
    bad |= curve["accesses"] != accesses or curve["engine"] != "recorded" or curve["footprint_lines"] * runs > first[0]
whole = curves[-1]
bad |= whole["accesses"] != sum(c["accesses"] * n for c, n in zip(curves, (3, 3, 1)))
sys.exit(bad)
PYTHON
verdict "its curves have the accesses of the record" $? log
# one thread's order is that of the walk; and what its caches do with it
rm -f one.txt one.txt.trace
OMP_NUM_THREADS=1 PLUSS_RECORD=one.txt PLUSS_INTERLEAVE=tsc ./calls.profile 0 >log 2>&1
levels() {
    pluss run --record one.txt --region multiply --simulate "$@" --cache L1=1K:ways=2,L2=4K:ways=4 --json 2>>err |
        python3 -c 'import json, sys
for l in json.load(sys.stdin)["levels"]:
    print(l["name"], l["threads"], l["requests"], l["kinds"], l["bytes_written_back"], [(r["reference"], r["misses"]) for r in l["by_reference"]])'
}
: >err
same "recorded levels of one thread are those of the walk" "$(levels)" "$(levels --progress recorded)"
same "two for each of its values, without a message" "4 " "$(levels --progress recorded | grep -c '^L') $(cat err)"
pluss run --simulate --progress recorded -o report ./calls.profile 0 >out 2>err
verdict "in one go" $? err
same "and no trace is left" "" "$(ls "$TMPDIR")"
pluss run --record run.txt --simulate --progress recorded -T 4 >out 2>err
same "a team that did not run has no interleaving" 2 $?

# ---- time stamps -----------------------------------------------------------------------------------------------------
# a program that records the order of its accesses cannot keep the timeline of one that does not: the curves are compared with
# the prediction from the same timelines instead, and the accesses with those of the nest
cat >timed.c <<'C'
#include <stdio.h>
static double a[96][96], b[96][96], c[96][96];
__attribute__((noinline)) static void multiply(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] *= 1.5;
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}
__attribute__((noinline)) static void sweep(int n, int times)
{
    for (int t = 0; t < times; t++) {
#pragma omp parallel for schedule(dynamic, 4)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = a[i][j] + a[i - 1][j] + a[i + 1][j];
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = b[i][j];
    }
}
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 3; i++)
        multiply(88 + argc);
    sweep(90, 6);
    printf("%g %g\n", c[1][1], a[2][2]);
}
C
cc time -O1 timed.c -o timed >log 2>&1 &&
    pluss run --save stamped --simulate --progress recorded --json -o exact.json ./timed >>log 2>&1
verdict "--simulate --progress recorded, from time stamps" $? log
for as in recorded uniform; do
    pluss run --record stamped --progress $as --json -o $as.json 2>>log || break
done
verdict "--progress recorded" $? log
python3 - exact.json recorded.json uniform.json >log <<'PYTHON'
import json, sys
exact, recorded, uniform = (json.load(open(f))["curves"] for f in sys.argv[1:])
bad = len(exact) != 3 or len(recorded) != 3
for e, r, u in zip(exact, recorded, uniform):
    at = lambda c, size: [m for s, m in zip(c["size_lines"], c["miss_ratio"]) if s <= size][-1]
    sizes = [2 ** (k / 8) for k in range(int(8 * __import__("math").log2(e["footprint_lines"])))]
    off = sum(abs(at(e, s) - at(r, s)) for s in sizes) / len(sizes)
    print(e["region"], e["engine"], r["engine"], e["accesses"], r["accesses"], u["accesses"], "off", off)
    bad |= e["engine"] != "recorded" or r["engine"] != "clock, recorded" or off > .02
    bad |= e["accesses"] != r["accesses"] or e["accesses"] != u["accesses"] or e["footprint_lines"] != r["footprint_lines"]
    bad |= ("spread" in r) != (e["region"] == "multiply")  # three runs; one of all others
sys.exit(bad)
PYTHON
verdict "which agree with each other" $? log
pluss run --record stamped --region multiply --text -o timed.nest 2>log &&
    pluss predict timed.nest --region multiply -T 2 --progress recorded --record stamped --json -o got.json 2>>log &&
    cmp <(curves got.json) <(curves recorded.json | sed -n 1p) >>log
verdict "predict --record is the same" $? log
pluss simulate timed.nest --region multiply -T 2 --progress recorded --record stamped --json -o got.json 2>log &&
    cmp <(curves got.json) <(curves exact.json | sed -n 1p) >>log
verdict "and so is simulate --record" $? log
pluss predict timed.nest --region multiply -T 3 --progress recorded --record stamped >out 2>err
same "a team that did not run has no progress" "2 stamped: error: no run of multiply with 3 threads" "$? $(head -n 1 err)"
pluss predict timed.nest --progress recorded >out 2>err
same "recorded by whom" 2 $?
pluss run --progress recorded ./calls.profile 0 >out 2>err
same "a program that leaves no stamps has none" "3 1" "$? $(grep -c 'by programs that pluss cc --mode=time has built' err)"

# ---- the C interface does what the command does ----------------------------------------------------------------------
# shellcheck disable=SC2046
gcc -O1 -Wall -I"$root/ffi" "$root/tests/run/as_command.c" "$build/libpluss.a" $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o as_command >log 2>&1
verdict "a program with the C interface" $? log
sed 's/"region": "gemm"/"region": "multiply"/; s/"file": [^,]*/"file": "timed.c"/' "$root/tests/calibrate/machine.json" >m.json
same_document() { # VERB FILE NAME=TEXT...: as options of the command, and of a program
    local verb=$1 file=$2 words=() name
    case " $* " in *" cache="*) ;; *) words=(--cache none) ;; esac # the command's default is the machine's
    for name in "${@:3}"; do words+=("--$name"); done
    if [ "$verb" = run ]; then
        pluss run --record "$file" "${words[@]}" --json >want.json 2>err
    else
        pluss "$verb" "$file" "${words[@]}" --json >want.json 2>err
    fi
    ./as_command "$@" >got.json 2>>err && [ -s got.json ] && cmp want.json got.json >>err
    verdict "the same document: $*" $? err
}
same_document run run.txt
same_document run run.txt model=cri region=halve threads=2,4 schedule=static,1
same_document run run.txt schedule=recorded region=halve
same_document run run.txt simulate progress=recorded
same_document run stamped progress=recorded
same_document run stamped simulate progress=recorded region=multiply
same_document run stamped progress=rates machine=m.json threads=2,3
same_document run stamped together threads=2 cache=L1=32K,L2=1M:shared
same_document predict timed.nest threads=2 progress=recorded record=stamped
same_document simulate timed.nest threads=2 progress=recorded record=stamped
same_document predict calls.bind threads=2 define=n=24 region=halve schedule=recorded record=run.txt
same_document predict timed.nest threads=1..8x2 progress=slices::2 machine=m.json seed=3

laws() { python3 -c 'import json, sys; print(*sorted({(c["progress"]["law"], c["progress"]["from"], c["progress"].get("source")) for c in json.load(open(sys.argv[1]))["curves"]}))' "$1"; }
pluss run --record stamped --progress recorded --json -o told.json 2>err
same "the law of recorded progress" "('recorded', 'record', None)" "$(laws told.json)$(cat err)"
pluss run --record run.txt --simulate --progress recorded --json -o told.json 2>err
same "that of the order of the touches" "('recorded', 'record', None)" "$(laws told.json)$(cat err)"
pluss run --record stamped --progress rates --machine m.json --region multiply --json -o told.json 2>err
same "that of a machine file" "('rates', 'machine file', 'm.json')" "$(laws told.json)$(cat err)"

# ---- shared libraries ------------------------------------------------------------------------------------------------
cc bind -O2 -DLIBRARY -fPIC -shared "$programs/inside.c" -o libinside.so >log 2>&1 &&
    gcc -O2 "$programs/inside.c" -L. -linside -Wl,-rpath,"$tmp" -o inside >>log 2>&1 && ./inside >>log 2>&1 &&
    pluss run --json -o got.json ./inside >>log 2>&1
verdict "a region in a shared library" $? log
same "is found there" "sum 2 n=777" "$(regions got.json)"

compare_kernels
