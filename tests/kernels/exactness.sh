#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The closed-form sampler against exhaustive walks, on every kernel with a closed form, at sizes of a few: teams of 1, 2, 3, 4,
# 7, 16 and 64; static blocks and chunks of 1, 3 and 8 (exactcheck.c). TAP. Minutes: part of tier full.
# Usage: tests/kernels/exactness.sh [KERNEL...]
set -u
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(polybench/sizes.sh | grep -vxE 'spmv|histogram') # their subscripts are data
gcc -std=c11 -O2 -Iruntime -D_GNU_SOURCE tests/kernels/exactcheck.c tests/oracle/sampler_check.c "$BUILD/libpluss.a" \
    $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$tmp/exactcheck" || exit 1
failed=0
for kernel; do
    # unequal, so that a subscript in the wrong place shows
    sizes=$(polybench/sizes.sh "$kernel" MINI raw | tr ' ' '\n' |
        awk -F= '{ v = $2 > 12 ? 12 + NR : $2; if ($1 == "tsteps" && v > 3) v = 3; printf "%s=%d ", $1, v }')
    # shellcheck disable=SC2086
    if gcc -std=c11 -O2 -fopenmp -fplugin="$BUILD/pluss.so" -Ipolybench -c "polybench/$kernel.c" -o "$tmp/$kernel.o" >"$tmp/out" 2>&1 &&
        "$tmp/exactcheck" "$tmp/$kernel.o" $sizes >"$tmp/out" 2>&1; then
        echo "ok - $kernel, $sizes: $(tail -n 1 "$tmp/out")"
    else
        echo "not ok - $kernel, $sizes"
        sed 's/^/    /' "$tmp/out" | tail -n 20
        failed=1
    fi
done
exit $failed
