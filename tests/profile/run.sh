#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs built with mode=bind, mode=time and mode=profile: what they record, and that they do what they did before. TAP.
#   tests/profile/run.sh [KERNEL...]
# 1. The kernels of polybench/ at MINI, teams of 1, 2 and 4, as they are and static,1 (but for those that are asked for and tier
#    full one of both, in turn; tests/sampler has both of each): recorded private reuse intervals of
#    every reference and thread are those of the nest with the recorded values, addresses and chunks, walked and in closed
#    form (profilecheck.c); and at SMALL a few, all with PROFILE_SMALL=all. With EQUALITY=all (`make equality`) all at both
#    sizes, and nothing else.
# 2. The same kernels, with time stamps too, compute what their references do; unless all are asked for (PROFILE_RESULTS=all), a
#    third of them.
# 3. Awkward programs, cases/: the same output and exit status as without the plugin, and a record that says what
#    cases/NAME.check (a script; $record, $work) looks for. Each mode at -O0 and a higher level, in tier full at more.
# 4. Parts in libraries and under -flto (linked/), and the trace.
# Tier: check, limit 1800 s (full: 14400 s)
set -u
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
plugin=$BUILD/pluss.so
runtime=$BUILD/libpluss-rt.a
out=$BUILD/profile-check
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PLUSS_RECORD PLUSS_INTERLEAVE PLUSS_STAMPS PLUSS_STOPS OMP_SCHEDULE OMP_NUM_THREADS
export OMP_DYNAMIC=false LC_ALL=C
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 12; fi
}
# Index arrays whose contents the nest does not have: no walk to compare with.
not_affine=" spmv histogram "
limit=600 tier=${PLUSS_TIER:-check}
[ "${EQUALITY:-}" = all ] || [ "$tier" = full ] && PROFILE_SMALL=all PROFILE_RESULTS=all limit=7200
all_schedules=$#
[ "${PROFILE_SMALL:-}" = all ] && all_schedules=1

kernels=("$@")
# shellcheck disable=SC2207
[ $# -gt 0 ] || kernels=($(polybench/sizes.sh))
shared=$BUILD/polybench-check # with tests/polybench, tests/kernels and tests/sampler: one makes at a time
objects=("$shared/driver.o" "$shared/refcount_none.o")
for kernel in "${kernels[@]}"; do objects+=("$shared/$kernel.ref.o"); done
flock "$shared.lock" make --no-print-directory -s -C polybench -j2 OUT="$shared" "${objects[@]}" >"$work/make" 2>&1 && [ ! -s "$work/make" ] &&
    gcc -std=c11 -O2 -Iruntime -Iffi -D_GNU_SOURCE tests/profile/profilecheck.c "$BUILD/libpluss.a" \
        $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$out/profilecheck" 2>>"$work/make"
status=$?
verdict "drivers, references and profilecheck compile" $status "$work/make"
[ $status -eq 0 ] || exit 1

build_kernel() { # KERNEL, MODE, PROGRAM, flags...
    local kernel=$1 mode=$2 program=$3
    shift 3
    timeout 100 gcc -std=c11 -ffp-contract=off -fopenmp -fplugin="$plugin" -fplugin-arg-pluss-mode="$mode" \
        -fplugin-arg-pluss-notes=off "$@" -c "polybench/$kernel.c" -o "$program.o" &&
        gcc -fopenmp "$program.o" "$shared/$kernel.ref.o" "$shared/driver.o" "$shared/refcount_none.o" "$runtime" -lm -o "$program"
}

compare() { # SIZE, PROGRAM: teams of 1, 2 and 4; in $compared how much
    local team
    compared=0
    for team in 1 2 4; do
        rm -f "$work/record"
        PLUSS_RECORD=$work/record timeout $limit "$2" --size "$1" --threads "$team" >"$work/run" 2>&1 &&
            timeout $limit "$out/profilecheck" "$work/record" "$2.o" >"$work/run" 2>&1 || return 1
        compared=$((compared + $(tail -n 1 "$work/run" | grep -o '[0-9]* accesses' | cut -d' ' -f1)))
    done
}

count=0
for kernel in "${kernels[@]}"; do
    [ "${not_affine/ $kernel /}" = "$not_affine" ] || continue
    schedules=("" static,1)
    [ "$all_schedules" -gt 0 ] || [ "$kernel" = lu_dynamic ] || schedules=("${schedules[count++ % 2]}")
    for schedule in "${schedules[@]}"; do
        build_kernel "$kernel" profile "$out/$kernel" -O2 ${schedule:+"-DSCHEDULE=$schedule"} >"$work/run" 2>&1
        status=$?
        compared=0 sizes=MINI
        case " ${PROFILE_SMALL:-gemm jacobi-1d trmm} " in *" $kernel "* | " all ") sizes="MINI SMALL" ;; esac
        for size in $sizes; do
            [ $status -eq 0 ] && compare "$size" "$out/$kernel" || status=1
            verdict "$kernel, $size, 1, 2 and 4 threads, ${schedule:-as it is}: $compared accesses, intervals are the nest's" \
                $status "$work/run"
        done
    done
done
[ "${EQUALITY:-}" = all ] && exit 0

count=0
for kernel in "${kernels[@]}"; do
    [ $# -gt 0 ] || [ "${PROFILE_RESULTS:-}" = all ] || [ $((count++ % 3)) -eq 0 ] || continue
    for flags in "bind -O0 -fchecking=2" "bind -O3 -g" "time -O0 -fchecking=2" "time -O3" "profile -O0 -g" "profile -O3 -fchecking=2"; do
        # shellcheck disable=SC2086
        build_kernel "$kernel" ${flags%% *} "$out/$kernel.same" ${flags#* } >"$work/run" 2>&1 &&
            PLUSS_STAMPS=tsc PLUSS_RECORD=$work/record timeout 200 "$out/$kernel.same" --check --size MINI --threads 2 >"$work/run" 2>&1
        status=$?
        [ $status -eq 0 ] || break
    done
    verdict "$kernel: results are its reference's in every mode" $status "$work/run"
done

[ $# -gt 0 ] && exit 0
count=0
for source in tests/profile/cases/*.{c,cc,f90}; do
    name=$(basename "$source")
    levels=("bind -O0 -g" "bind -O3 -fchecking=2" "time -O0 -g" "time -O2 -fchecking=2" "time -O3" "profile -O0 -g -fchecking=2" "profile -O2" "profile -O3 -g")
    if [ "$tier" != full ]; then unset "levels[3 + count % 2]" "levels[7 - count % 2]"; fi
    count=$((count + 1))
    case $source in
    *.c) compiler=gcc ;;
    *.cc) compiler=g++ ;;
    *) compiler=$(command -v gfortran || echo gfortran-12) ;;
    esac
    $compiler -O2 -fopenmp -pthread "$source" -o "$work/plain" >"$work/run" 2>&1
    timeout 60 "$work/plain" >"$work/expected"
    echo "exit status $?" >>"$work/expected"
    for flags in "${levels[@]}"; do
        rm -f "$work/record"*
        # shellcheck disable=SC2086
        $compiler ${flags#* } -fopenmp -pthread -fplugin="$plugin" -fplugin-arg-pluss-mode=${flags%% *} \
            -fplugin-arg-pluss-notes=off "$source" "$runtime" -o "$work/program" >"$work/run" 2>&1
        status=$?
        if [ $status -eq 0 ]; then
            PLUSS_STAMPS=tsc PLUSS_STOPS=1ms PLUSS_RECORD=$work/record timeout 60 "$work/program" >"$work/got" 2>"$work/run"
            echo "exit status $?" >>"$work/got"
            diff "$work/expected" "$work/got" >>"$work/run" 2>&1
            status=$?
        fi
        verdict "$name, $flags: does what it does without" $status "$work/run"
    done
    record=$work/record work=$work program=$work/program out=$out bash -eu "tests/profile/cases/${name%.*}.check" >"$work/run" 2>&1
    verdict "$name: the record" $? "$work/run"
done

# A part in a shared library, in an archive, under -flto: one record, with every region once.
linked() { # NAME, exit status, file
    if [ "$2" -eq 0 ]; then
        rm -f "$work/record"
        PLUSS_RECORD=$work/record timeout 60 "$work/program" >"$work/got" 2>"$3" &&
            grep -c '^region "work".* team 2 runs 1 lost 0' "$work/record" >>"$3" &&
            grep -c '^region "main".* team 2 runs 1 lost 0' "$work/record" >>"$3" &&
            [ "$(grep -c '^region' "$work/record")" = 2 ] && grep -x 202 "$work/got" >>"$3" 2>&1
        verdict "$1" $? "$3"
    else
        verdict "$1" "$2" "$3"
    fi
}
flags=(-O2 -fopenmp "-fplugin=$plugin" -fplugin-arg-pluss-mode=profile -fplugin-arg-pluss-notes=off)
part=tests/profile/linked/linked_part.c main=tests/profile/linked/linked_main.c
{ gcc "${flags[@]}" -fPIC -shared $part -o "$work/libpart.so" "$runtime" &&
    gcc "${flags[@]}" $main -o "$work/program" -L"$work" -lpart -Wl,-rpath,"$work" "$runtime"; } >"$work/run" 2>&1
linked "a shared library and the program have one record" $? "$work/run"
{ gcc "${flags[@]}" -c $part -o "$work/part.o" && ar rcs "$work/libpart.a" "$work/part.o" &&
    gcc "${flags[@]}" $main -o "$work/program" "$work/libpart.a" "$runtime"; } >"$work/run" 2>&1
linked "a part in an archive is recorded" $? "$work/run"
{ gcc "${flags[@]}" -flto -c $part -o "$work/part.o" && gcc "${flags[@]}" -flto -c $main -o "$work/main.o" &&
    gcc -O2 -fopenmp -flto "$work/part.o" "$work/main.o" -o "$work/program" "$runtime"; } >"$work/run" 2>&1
linked "under -flto nothing is lost or there twice" $? "$work/run"
PLUSS_INTERLEAVE=tsc PLUSS_RECORD=$work/traced "$work/program" >"$work/got" 2>&1 && [ -s "$work/traced.trace" ] &&
    head -c 11 "$work/traced.trace" | grep -q pluss-trace && ! ls "$work"/traced*.tmp 2>"$work/run"
verdict "PLUSS_INTERLEAVE=tsc leaves a trace beside the record" $? "$work/run"
gcc "${flags[@]}" tests/profile/linked/two_phases.c -o "$work/program" "$runtime" >"$work/run" 2>&1 &&
    OMP_NUM_THREADS=2 PLUSS_INTERLEAVE=tsc "$BUILD/pluss" run --simulate --progress recorded --sharing --save-profile "$work/phases.json" \
        "$work/program" >>"$work/run" 2>&1 &&
    python3 -c '
import json, sys
sums = {}
for p in json.load(open(sys.argv[1]))["profiles"]:
    if p.get("sharing") and p["scope"] == "concurrent":
        sums[p["phase"], p["sharing"]] = p["cold"] + p["thread_first"] + p.get("coherence", 0) + sum(p["weights"])
print(sums)
first, second = ([sums.get((phase, s), 0) for s in ("private", "shared")] for phase in (0, 2))
sys.exit(sorted({k[0] for k in sums}) != [0, 2] or sum(first) != 1024 or sum(second) < 512 * 64 or
         first[1] > 0.05 * sum(first) or second[1] < 0.3 * sum(second))' "$work/phases.json" >>"$work/run" 2>&1
verdict "touches of two loops are two phases, one of private lines, one of shared" $? "$work/run"
