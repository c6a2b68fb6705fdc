#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of polybench/: results against the sequential references, out-of-bounds accesses, and the hand counts of
# references against counted ones. (Out-of-bounds accesses: of every fourth kernel, in tier full of all.) Each check is also shown a kernel that is wrong, which it must refuse. TAP.
# Tier: check, limit 900 s
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/polybench-check # not $BUILD/polybench, where others may be building; tests/kernels, profile and sampler wait for the lock
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | tail -n 15; fi
}

# ---- results -------------------------------------------------------------------------------------------------------------
kernels=$(polybench/sizes.sh)
[ "$(wc -w <<<"$kernels")" -ge 44 ]
verdict "sizes.csv names 44 kernels or more" $? /dev/null
for kernel in polybench/*.c; do
    grep -qx "$(basename "$kernel" .c)" <<<"$kernels" || echo "$kernel"
done >"$tmp/orphans"
[ ! -s "$tmp/orphans" ]
verdict "every kernel has its sizes" $? "$tmp/orphans"

programs=()
for kernel in $kernels; do programs+=("$out/$kernel" "$out/$kernel.runtime" "$out/$kernel.counted"); done
flock "$out.lock" make --no-print-directory -s -C polybench -j2 OUT="$out" "${programs[@]}" >"$tmp/make" 2>&1 && [ ! -s "$tmp/make" ]
verdict "the kernels compile without a warning" $? "$tmp/make"
for kernel in $kernels; do
    polybench/check.sh "$out" "$kernel" >"$tmp/log" 2>&1
    status=$?
    verdict "$kernel: $(grep -c '^ok' "$tmp/log") runs agree with the reference" $status "$tmp/log"
done
polybench/counts.sh -c "$out"

# ---- memory: the same under the address sanitizer, MINI, a team of 2 ---------------------------------------------------
asan=$tmp/asan
every=4
[ "${PLUSS_TIER:-check}" = full ] && every=1
bounded=$(awk -v every=$every '(NR - 1) % every == 0' <<<"$kernels")
programs=()
for kernel in $bounded; do programs+=("$asan/$kernel"); done
make --no-print-directory -s -C polybench -j2 OUT="$asan" OPT="-O1 -g -fsanitize=address,undefined" "${programs[@]}" >"$tmp/make" 2>&1
verdict "the kernels compile for the address sanitizer" $? "$tmp/make"
for kernel in $bounded; do
    UBSAN_OPTIONS=halt_on_error=1 "$asan/$kernel" --check --size MINI --threads 2 >"$tmp/log" 2>&1 || cat "$tmp/log" >>"$tmp/bad"
done
[ ! -e "$tmp/bad" ]
verdict "none of $(wc -w <<<"$bounded") kernels leaves its arrays" $? "$tmp/bad"

# ---- wrong kernels -------------------------------------------------------------------------------------------------------
refused() { # NAME, PROGRAM, options: must fail with status 1
    local name=$1
    shift
    "$@" >"$tmp/log" 2>&1
    [ $? -eq 1 ]
    verdict "$name" $? "$tmp/log"
}
wrong() { # SED SCRIPT, flags, objects: gemm so changed, as $tmp/wrong
    sed "$1" polybench/gemm.c >"$tmp/wrong.c"
    cmp -s polybench/gemm.c "$tmp/wrong.c" && echo "not ok - gemm could not be made wrong by $1"
    # shellcheck disable=SC2086
    gcc -std=c11 $2 -fopenmp -Ipolybench -c "$tmp/wrong.c" -o "$tmp/wrong.o" &&
        gcc $3 "$tmp/wrong.o" "$out/gemm.ref.o" "$out/driver.o" "${@:4}" -lm -o "$tmp/wrong"
}
wrong 's/k < nk/k < nk - 1/' -O1 -fopenmp "$out/refcount_none.o"
refused "a sum that lacks its last term is refused" "$tmp/wrong" --check --size MINI
wrong 's/C\[i\]\[j\] \*= beta;//' -O1 -fopenmp "$out/refcount_none.o"
refused "a matrix that is not scaled is refused" "$tmp/wrong" --check --size MINI
mkdir "$tmp/counted"
wrong 's/alpha \* A\[i\]\[k\]/A[i][k] * A[i][k]/' "-O0 -fsanitize=thread" "" "$out/refcount.o" "$out/counted_calls.o"
cp "$tmp/wrong" "$tmp/counted/gemm.counted"
refused "one reference too many in a loop is refused" polybench/counts.sh -c "$tmp/counted" MINI gemm

# ---- the options that scripts rely on ----------------------------------------------------------------------------------
usage() { # NAME, options of gemm: must end with status 2 and say something
    local name=$1
    shift
    "$out/gemm" "$@" >"$tmp/log" 2>&1
    [ $? -eq 2 ] && [ -s "$tmp/log" ]
    verdict "$name" $? "$tmp/log"
}
usage "an unknown size is refused" --size HUGE
usage "an unknown symbol is refused" nx=3
usage "a size of zero is refused" ni=0
usage "a size that is no number is refused" ni=3x
usage "a schedule is refused where the program has none to choose" --schedule static
usage "a missing value is refused" --size
[ "$("$out/gemm" --size MINI NJ=7 --symbols | tr '\n' ' ')" = "ni=20 nj=7 nk=30 " ]
verdict "sizes come from the table and from the command line" $? /dev/null
[ "$(polybench/sizes.sh gemm SMALL)" = "-D ni=60 -D nj=70 -D nk=80" ]
verdict "sizes.sh speaks the command line's language" $? /dev/null
