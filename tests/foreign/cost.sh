#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What mode describe costs the compiler: instructions (callgrind) of compiling a file of some 1,000
# lines, the project's own kernels one after another, with and without the plugin. The analysis runs
# in children of the compiler's: each one's instructions are counted from where it begins.
#   tests/foreign/cost.sh [LEVEL...] [-- COMMAND...]
# (-O2 if no level is given); BUILD: where pluss.so is. COMMAND: what compiles another file, as in
#   tests/foreign/cost.sh -O2 -- g++ -fopenmp -I src src/build_db.cc
# (fifty times as long as that takes).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
[ "${build#/}" = "$build" ] && build=$root/$build
command -v valgrind >/dev/null || { echo "cost.sh: needs valgrind" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
levels=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    levels+=("$1")
    shift
done
[ ${#levels[@]} -gt 0 ] || levels=(-O2)
if [ $# -gt 1 ]; then
    shift
    what=${!#}
else
    what=$work/kernels.c
    cd "$root"
    : >"$what"
    for kernel in polybench/*.c; do
        [ "$(wc -l <"$what")" -ge 1000 ] || cat "$kernel" >>"$what"
    done
    set -- gcc -fopenmp -Ipolybench -Ipolybench/harness '-DSCHEDULED=schedule(static)' "$what"
fi
count() { # log
    sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$1" | awk '{s += $1} END {printf "%.0f", s}'
}
for level in "${levels[@]}"; do
    for plugin in without with; do
        extra=()
        [ $plugin = without ] || extra=(-fplugin="$build/pluss.so" -fplugin-arg-pluss-notes=off)
        command=$("$1" -### "${extra[@]}" -w "${@:2}" "$level" -S -o "$work/$plugin.s" 2>&1 | grep -E '/(cc1|cc1plus|f951) ')
        eval "valgrind --tool=callgrind --callgrind-out-file=/dev/null --zero-before='pluss::describe_f*' $command" >"$work/$plugin" 2>&1
    done
    without=$(count "$work/without") with=$(count "$work/with")
    echo "$(basename "$what"), $(wc -l <"$what") lines, $(grep -c 'Collected' "$work/with" | awk '{print $1 - 1}') functions, $level:" \
        "$without instructions without the plugin, $with with it: $(awk -v a="$without" -v b="$with" 'BEGIN {printf "+%.2f %%", 100 * (b - a) / a}')"
done
