#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes polybench/loops.csv: one line for each parallel loop of the kernels, as the plugin describes them.
#   kernel, loop      the loop's number in the kernel, from 1
#   place             file:line of the loop
#   depth             loops that enclose each other, the parallel one included, on the deepest path; around: serial loops outside
#   references        of the source, in the loop; innermost: of each innermost loop's body
#   arrays            that it touches
#   sharing           references by class of sharing: none, spatial, full, or split (symbols' values must tell)
#   described         affine; or what is not: indirect subscripts, or the constructs that are unknown and why
# Usage: BUILD=build polybench/loops.sh [--check]     --check: says what differs from loops.csv, writes nothing
# NESTS: a folder that holds the kernels' object files already, compiled with the plugin from the top of the tree.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel in $(polybench/sizes.sh); do
    object=${NESTS:-$tmp}/$kernel.o
    [ -n "${NESTS:-}" ] || gcc -std=c11 -O2 -fopenmp -fplugin="$(realpath "$build/pluss.so")" -c "polybench/$kernel.c" -o "$object"
    "$build/pluss" nests --json "$object" >"$tmp/$kernel.json"
done
polybench/sizes.sh | python3 polybench/loops.py "$tmp" >"$tmp/loops.csv"
if [ "${1:-}" = --check ]; then diff polybench/loops.csv "$tmp/loops.csv"; else cp "$tmp/loops.csv" polybench/loops.csv; fi
