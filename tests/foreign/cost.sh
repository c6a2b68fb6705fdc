#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What mode describe costs the compiler: instructions (callgrind) of compiling a file of some 1,000
# lines, the project's own kernels one after another, with and without the plugin. The analysis runs
# in children of the compiler's: each one's instructions are counted from where it begins.
#   tests/foreign/cost.sh [LEVEL...]     (-O2 if none is given); BUILD: where pluss.so is
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
[ "${build#/}" = "$build" ] && build=$PWD/$build
command -v valgrind >/dev/null || { echo "cost.sh: needs valgrind" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/kernels.c"
for kernel in polybench/*.c; do
    [ "$(wc -l <"$work/kernels.c")" -ge 1000 ] || cat "$kernel" >>"$work/kernels.c"
done
[ $# -gt 0 ] || set -- -O2
count() { # log
    sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$1" | awk '{s += $1} END {printf "%.0f", s}'
}
for level; do
    flags=(-w -fopenmp "$level" -Ipolybench -Ipolybench/harness '-DSCHEDULED=schedule(static)')
    for plugin in without with; do
        extra=()
        [ $plugin = without ] || extra=(-fplugin="$build/pluss.so" -fplugin-arg-pluss-notes=off)
        command=$(gcc -### "${extra[@]}" "${flags[@]}" -S "$work/kernels.c" -o "$work/$plugin.s" 2>&1 | grep '/cc1 ')
        eval "valgrind --tool=callgrind --callgrind-out-file=/dev/null --zero-before='pluss::describe*' $command" >"$work/$plugin" 2>&1
    done
    without=$(count "$work/without") with=$(count "$work/with")
    echo "$(wc -l <"$work/kernels.c") lines, $(grep -c 'Collected' "$work/with" | awk '{print $1 - 1}') functions, $level:" \
        "$without instructions without the plugin, $with with it: $(awk -v a="$without" -v b="$with" 'BEGIN {printf "+%.2f %%", 100 * (b - a) / a}')"
done
