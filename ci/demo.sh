#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job, start to end, in under a minute: a C program with OpenMP is compiled with the plugin, its loop nest is
# shown, its miss ratio curves are predicted for four numbers of threads and drawn, and one of them, and that of the model
# as published, are compared with the exact curve. Fails as soon as any step does.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
pluss=$build/pluss
out=$build/demo
sizes=(-D ni=60 -D nj=70 -D nk=80)
mkdir -p "$out"
say() { printf '\n== %s\n\n' "$*"; }

say "pluss cc: gcc compiles polybench/gemm.c, the plugin writes down its loop nest"
"$pluss" cc -O2 -fopenmp -c polybench/gemm.c -o "$out/gemm.o"
"$pluss" nests "$out/gemm.o"

say "pluss predict: miss ratios for 1, 4, 16 and 64 threads; this machine's caches are marked"
"$pluss" predict "$out/gemm.o" -T 1,4,16,64 "${sizes[@]}" --svg "$out/gemm.svg"
grep -q '</svg>' "$out/gemm.svg"
echo
echo "drawn in $out/gemm.svg"

say "pluss simulate, pluss compare: how far off are the predictions for 4 threads?"
"$pluss" predict "$out/gemm.o" -T 4 "${sizes[@]}" --json -o "$out/clock.json"
"$pluss" predict "$out/gemm.o" -T 4 "${sizes[@]}" --model cri --json -o "$out/cri.json"
"$pluss" simulate "$out/gemm.o" -T 4 "${sizes[@]}" --progress uniform --seed 1 --json -o "$out/exact.json"
echo "The exact curve of one random interleaving (seed 1) is the measure. clock, the default:"
"$pluss" compare "$out/clock.json" "$out/exact.json" --grid strict
echo
echo "cri, the model as published:"
"$pluss" compare "$out/cri.json" "$out/exact.json" --grid strict
