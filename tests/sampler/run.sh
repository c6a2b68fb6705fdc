#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mode=sample: generated samplers.
#   - the affine kernels of polybench/ at MINI, block and static,1 (lu_dynamic dynamic too), teams of 1, 2 and 4: the private
#     reuse intervals of each reference and thread are those of the walked nest and of the closed form, with the record's
#     values and addresses (tests/profile/profilecheck.c);
#   - pluss run --model cri gives the same report from a sampler's record as from the nest;
#   - cases/: C, C++ and Fortran programs at -O0, -O2 and -O3: the same, or the same as mode=profile where an address depends
#     on data; what they print does not change;
#   - protected.c: samplers of spmv, a histogram and gemm run while their data cannot be read;
#   - any number of workers gives the same record; schedules from the environment; sampled lines;
#   - refused/: regions without a sampler, and why.
# Every compilation with -fchecking=2. TAP. Usage: tests/sampler/run.sh [KERNEL...]; SAMPLER_SIZES="MINI SMALL"
# With EQUALITY=all (`make equality`) the kernels at both sizes, and nothing else.
# Tier: check, limit 900 s (full: 14400 s)
set -u
cd "$(dirname "$0")/../.."
root=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/sampler-check
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=tests/sampler
fortran=$(command -v gfortran-12 || command -v gfortran)
plugin=(-fopenmp -fchecking=2 "-fplugin=$BUILD/pluss.so")
sampling=("${plugin[@]}" -fplugin-arg-pluss-mode=sample)
affine=$(polybench/sizes.sh | grep -vxE 'spmv|histogram')
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $affine

limit=900 tier=${PLUSS_TIER:-check}
[ "${EQUALITY:-}" = all ] || [ "$tier" = full ] && SAMPLER_SIZES="MINI SMALL" limit=7200

verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | cut -c1-200 | head -n 12; fi
}
# What a sampler recorded, as a record of its own.
sampled() {
    awk '/^object/ { next } /^sequence / { exit } /^region / { block = 1; keep = / by sample$/ } !block || keep
         block && /^end$/ { block = 0 }' "$1"
}
intervals() { # RECORD: without addresses, and how it was recorded
    grep -E '^(region|thread|pri|shared)' "$1" | sed 's/ by .*//'
}

shared=$BUILD/polybench-check # with tests/polybench, tests/kernels and tests/profile: one makes at a time
objects=("$shared/driver.o" "$shared/refcount_none.o")
for kernel in "$@" gemm jacobi-2d lu seidel-2d syrk; do objects+=("$shared/$kernel.ref.o"); done
flock "$shared.lock" make --no-print-directory -s -C polybench -j2 OUT="$shared" "${objects[@]}" >"$tmp/make" 2>&1 && [ ! -s "$tmp/make" ] &&
    gcc -std=c11 -O2 -Iruntime -Iffi -D_GNU_SOURCE tests/profile/profilecheck.c "$BUILD/libpluss.a" \
        $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$out/profilecheck" 2>>"$tmp/make"
status=$?
verdict "references and profilecheck compile" $status "$tmp/make"
[ $status -eq 0 ] || exit 1

# ---- kernels --------------------------------------------------------------------------------------
for kernel; do
    schedules="static static,1"
    [ "$kernel" = lu_dynamic ] && schedules="$schedules dynamic"
    for schedule in $schedules; do
        object=$tmp/$kernel.o
        status=0
        { gcc -std=c11 -O2 -ffp-contract=off "${sampling[@]}" -Ipolybench "-DSCHEDULE=$schedule" -c "polybench/$kernel.c" \
            -o "$object" &&
            gcc -fopenmp "$object" "$shared/$kernel.ref.o" "$shared/driver.o" "$shared/refcount_none.o" "$BUILD/libpluss-rt.a" \
                -lm -o "$tmp/$kernel"; } >"$tmp/log" 2>&1 || status=1
        for size in ${SAMPLER_SIZES:-MINI}; do
            rm -f "$tmp/record"
            [ $status -ne 0 ] || { PLUSS_RECORD=$tmp/record PLUSS_SAMPLE_TEAMS=1,2,4 OMP_NUM_THREADS=2 timeout $limit \
                "$tmp/$kernel" --size "$size" && sampled "$tmp/record" >"$tmp/sampled" &&
                timeout $limit "$out/profilecheck" "$tmp/sampled" "$object"; } >>"$tmp/log" 2>&1 || status=1
            compared=$(tail -n 1 "$tmp/log" | grep -o '[0-9]* accesses')
            verdict "$kernel $size $schedule: $compared, sampler, walk and closed form agree" $status "$tmp/log"
        done
    done
done

[ "${EQUALITY:-}" = all ] && exit 0

# The model takes the recorded intervals for those of the nest: the reports are the same, to the byte.
for kernel in gemm jacobi-2d lu seidel-2d syrk; do
    status=0
    : >"$tmp/log"
    for mode in bind sample; do
        { gcc -std=c11 -O2 -ffp-contract=off "${plugin[@]}" "-fplugin-arg-pluss-mode=$mode" -Ipolybench -c "polybench/$kernel.c" \
            -o "$tmp/$mode.o" &&
            gcc -fopenmp "$tmp/$mode.o" "$shared/$kernel.ref.o" "$shared/driver.o" "$shared/refcount_none.o" "$BUILD/libpluss-rt.a" \
                -lm -o "$tmp/$mode" &&
            PLUSS_SAMPLE_TEAMS=4 "$BUILD/pluss" run --model cri -T 4 --cache 32K --json -o "$tmp/$mode.json" "$tmp/$mode" --size MINI; } \
            >>"$tmp/log" 2>&1 || status=1
    done
    # how it is recorded is told, and is all that differs
    { grep -q '"recorded":"values"' "$tmp/bind.json" && grep -q '"recorded":"sampler"' "$tmp/sample.json" &&
        cmp <(sed 's/"recorded":"[a-z]*"//' "$tmp/bind.json") <(sed 's/"recorded":"[a-z]*"//' "$tmp/sample.json"); } \
        >>"$tmp/log" 2>&1 || status=1
    verdict "$kernel: run --model cri, from the sampler's record and from the nest" $status "$tmp/log"
done

# ---- programs -------------------------------------------------------------------------------------
compile() { # SOURCE OUTPUT OPTION...
    local source=$1 output=$2 compiler=gcc
    shift 2
    case $source in *.cc) compiler=g++ ;; *.f90) compiler=$fortran ;; esac
    (cd "$tmp" && $compiler "$@" "$root/$source" -o "$output" "$BUILD/libpluss-rt.a" -lm)
}
for source in $here/cases/*; do
    name=$(basename "$source")
    for level in -O0 -O2 -O3; do
        status=0
        { compile "$source" "$tmp/plain" -fopenmp "$level" &&
            compile "$source" "$tmp/program" "${sampling[@]}" "$level" &&
            OMP_NUM_THREADS=4 "$tmp/plain" >"$tmp/plain.out" &&
            OMP_NUM_THREADS=4 PLUSS_RECORD=$tmp/record PLUSS_SAMPLE_TEAMS=2,4 "$tmp/program" >"$tmp/program.out" &&
            cmp "$tmp/plain.out" "$tmp/program.out"; } >"$tmp/log" 2>&1 || status=1
        verdict "$name $level: prints the same" $status "$tmp/log"
        grep -q 'region not sampled' "$tmp/log" && status=1
        if [ "$name" = gather.c ]; then
            { compile "$source" "$tmp/profiled" "${plugin[@]}" -fplugin-arg-pluss-mode=profile "$level" &&
                OMP_DYNAMIC=false OMP_NUM_THREADS=4 PLUSS_RECORD=$tmp/real "$tmp/profiled" &&
                PLUSS_RECORD=$tmp/record PLUSS_SAMPLE_TEAMS=4 "$tmp/program" &&
                sampled "$tmp/record" >"$tmp/sampled" && intervals "$tmp/sampled" >"$tmp/a" &&
                intervals "$tmp/real" >"$tmp/b" && diff "$tmp/a" "$tmp/b"; } >>"$tmp/log" 2>&1 || status=1
            verdict "$name $level: sampler and profile agree" $status "$tmp/log"
        else
            { sampled "$tmp/record" >"$tmp/sampled" && "$out/profilecheck" "$tmp/sampled" "$tmp/program"; } \
                >>"$tmp/log" 2>&1 || status=1
            verdict "$name $level: sampler, walk and closed form agree" $status "$tmp/log"
        fi
    done
done

for level in -O0 -O2 -O3; do
    { compile $here/protected.c "$tmp/protected" "${sampling[@]}" "$level" -Wl,--wrap=pluss_rt_sample_end &&
        PLUSS_RECORD=$tmp/record PLUSS_SAMPLE_TEAMS=1,4 "$tmp/protected" | tee "$tmp/out" && grep -q '^3 samples,' "$tmp/out" &&
        [ "$(grep -c '^region .* lost 0 by sample$' "$tmp/record")" -eq 6 ]; } >"$tmp/log" 2>&1
    verdict "protected.c $level: no load and no store of data" $? "$tmp/log"
done

# ---- tier full: the GCC before, where it and its plugin are there -----------------------------------------------------
before=$(($(gcc -dumpversion | cut -d. -f1) - 1))
older() { # SOURCE MODE LEVEL: what it prints, and what it records
    local compiler=gcc-$before
    [ "${1##*.}" = cc ] && compiler=g++-$before
    $compiler -fopenmp "$3" "$1" -o "$tmp/plain" -lm &&
        $compiler -fopenmp -fchecking=2 "-fplugin=$BUILD/gcc-$before/pluss.so" "-fplugin-arg-pluss-mode=$2" "$3" "$1" \
            "$BUILD/libpluss-rt.a" -o "$tmp/program" -lm || return 1
    rm -f "$tmp/record"
    OMP_DYNAMIC=false OMP_NUM_THREADS=4 "$tmp/plain" >"$tmp/plain.out" &&
        OMP_DYNAMIC=false OMP_NUM_THREADS=4 PLUSS_RECORD=$tmp/record PLUSS_SAMPLE_TEAMS=1,4 timeout 60 "$tmp/program" \
            >"$tmp/program.out" && cmp "$tmp/plain.out" "$tmp/program.out" || return 1
    case $2 in
    bind) grep -q '^region .* by bind$' "$tmp/record" ;;
    sample) sampled "$tmp/record" >"$tmp/sampled" && "$out/profilecheck" "$tmp/sampled" "$tmp/program" ;;
    profile) "$out/profilecheck" "$tmp/record" "$tmp/program" ;;
    esac
}
if [ "$tier" != full ]; then
    :
elif command -v g++-$before >/dev/null && [ -e "$BUILD/gcc-$before/pluss.so" ]; then
    for source in $here/cases/sampled_shapes.c $here/cases/vectors.cc; do
        for mode in bind sample profile; do
            for level in -O0 -O2; do
                older "$source" $mode $level >"$tmp/log" 2>&1
                verdict "gcc $before, $(basename "$source"), mode=$mode $level: prints the same, records what the nest says" $? "$tmp/log"
            done
        done
    done
else
    echo "ok - gcc $before # SKIP not installed, or no plugin for it (make plugins)"
fi

# ---- what the environment says --------------------------------------------------------------------
compile $here/protected.c "$tmp/program" "${sampling[@]}" -O2 -Wl,--wrap=pluss_rt_sample_end >"$tmp/log" 2>&1
sample() { # NAME VARIABLE=VALUE...
    local name=$1
    shift
    { env "$@" PLUSS_RECORD="$tmp/record" "$tmp/program" && sampled "$tmp/record" >"$tmp/$name"; } >>"$tmp/log" 2>&1
    intervals "$tmp/$name" >"$tmp/$name.intervals"
}
sample one PLUSS_SAMPLE_TEAMS=1,3,8 PLUSS_SAMPLE_WORKERS=1
sample many PLUSS_SAMPLE_TEAMS=1,3,8 PLUSS_SAMPLE_WORKERS=5
cmp "$tmp/one.intervals" "$tmp/many.intervals" >>"$tmp/log" 2>&1 && [ -s "$tmp/one.intervals" ]
verdict "one worker and five give the same record" $? "$tmp/log"
# All rows have four entries: chunks on demand go round as static ones do.
sample static PLUSS_SAMPLE_TEAMS=4 PLUSS_SAMPLE_SCHEDULE=static,3
sample dynamic PLUSS_SAMPLE_TEAMS=4 PLUSS_SAMPLE_SCHEDULE=dynamic,3
sample block PLUSS_SAMPLE_TEAMS=4 PLUSS_SAMPLE_SCHEDULE=static
cmp "$tmp/static.intervals" "$tmp/dynamic.intervals" >>"$tmp/log" 2>&1 && ! cmp -s "$tmp/static.intervals" "$tmp/block.intervals"
verdict "equal chunks go round, handed out on demand or not" $? "$tmp/log"
sample whole PLUSS_SAMPLE_TEAMS=2
sample part PLUSS_SAMPLE_TEAMS=2 PLUSS_SAMPLE_RATE=0.3
totals() { # accesses by thread and reference
    awk '$1 == "pri" { n = $7; for (i = 8; i <= NF; i++) { split($i, c, ":"); n += c[2] } print $3, $5, n }' "$1"
}
totals "$tmp/whole" >"$tmp/a" && totals "$tmp/part" >"$tmp/b" && diff "$tmp/a" "$tmp/b" >>"$tmp/log" &&
    ! cmp -s "$tmp/whole.intervals" "$tmp/part.intervals"
verdict "a third of the lines stands for all accesses" $? "$tmp/log"
compile $here/cases/sampled_orphan.c "$tmp/orphan" "${sampling[@]}" -O2 >"$tmp/log" 2>&1
PLUSS_SAMPLE_TEAMS=two PLUSS_RECORD=$tmp/record "$tmp/orphan" >>"$tmp/log" 2>&1 &&
    grep -q 'nothing is sampled: PLUSS_SAMPLE_TEAMS=two is not understood' "$tmp/log" && ! grep -q 'by sample' "$tmp/record"
verdict "a setting that is not understood is told" $? "$tmp/log"

{ compile tests/profile/cases/fork_inside.c "$tmp/forks" "${sampling[@]}" -O2 &&
    [ "$(PLUSS_SAMPLE_WORKERS=2 PLUSS_SAMPLE_TEAMS=2 PLUSS_RECORD=$tmp/record timeout 60 "$tmp/forks")" = 4 ]; } >"$tmp/log" 2>&1
verdict "a child of a program that was sampled is sampled too, by one worker" $? "$tmp/log"

# ---- refusals -------------------------------------------------------------------------------------
for level in -O0 -O3; do
    (cd $here/refused && gcc "${sampling[@]}" "$level" -c refused.c -o "$tmp/refused.o") >"$tmp/log" 2>&1
    status=$?
    sed -n 's/: note: pluss: region not sampled: /: region not sampled: /p' "$tmp/log" | diff - $here/refused/expected.err >"$tmp/diff"
    [ $? -eq 0 ] && [ $status -eq 0 ]
    verdict "refused.c $level: refused, and why" $? "$tmp/diff"
done
