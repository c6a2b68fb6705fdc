#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two threads on one core: what --progress slices says against what the threads did. Each kernel of real.csv that is named
# (default: those below) is built with mode=time and calibrated with two threads on two cores; then it runs with both on one
# core, RUNS (5) times. The truth is the exact curve of the order that the time stamps of these runs tell, their mean.
# CSV on stdout: what was fitted, and by how many points predictions are off on the strict grid; usual_slices: without the
# machine file; sequential: one thread's phase after the other's.
# Usage: slices.sh BUILD OUT [LABEL...]
set -eu -o pipefail
cd "$(dirname "$0")"
build=$(realpath "$1") out=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- gemm-256 2mm-128 trmm-200 syrk-256 mvt-1000
runs=${RUNS:-5}
mkdir -p "$out/slices"
export PATH=$build:$PATH LC_ALL=C PLUSS_STAMPS=tsc
export OMP_NUM_THREADS=2 OMP_DYNAMIC=false OMP_WAIT_POLICY=passive
echo "load before: $(uptime)" >&2
echo kernel,access_ns,slice_ms,slice_accesses,slices,usual_slices,uniform,mixed,sequential
for label; do
    IFS=, read -r _ kernel symbols < <(grep "^$label," real.csv)
    p=$out/slices/$kernel
    define=()
    for symbol in $symbols; do define+=(-D "$symbol"); done
    pluss cc --plugin="$build/pluss.so" --mode=time -fplugin-arg-pluss-notes=off -std=c11 -O2 -g -fopenmp -c "$kernel.c" -o "$p.o"
    pluss cc --plugin="$build/pluss.so" --mode=time -fopenmp "$p.o" "$out/$kernel.ref.o" "$out/driver.o" "$out/refcount_none.o" -lm -o "$p"
    rm -f "$p.json" "$p.record"*
    # shellcheck disable=SC2086
    pluss calibrate --machine "$p.json" --pin "$p" $symbols --time "$runs" >&2
    # shellcheck disable=SC2086
    OMP_PROC_BIND=false PLUSS_RECORD=$p.record taskset -c 0 "$p" $symbols --time "$runs" >/dev/null
    pluss simulate "$p.o" "${define[@]}" -T 2 --cache none --progress recorded --record "$p.record" --json >"$p.truth"
    points() { # [VERB OPTION...]
        pluss "$1" "$p.o" "${define[@]}" -T 2 "${@:2}" --json >"$p.curve"
        pluss compare --grid=strict --json "$p.curve" "$p.truth" | grep -m 1 -oE '"mae_points": [0-9.e-]+' | cut -d' ' -f2
    }
    slices=$(points predict --progress slices::1 --machine "$p.json")
    length=$(grep -oE 'slices:[0-9]+' "$p.curve" | cut -d: -f2)
    python3 - "$p.json" "$label" "$length" "$slices" "$(points predict --progress slices:4000000:1)" "$(points predict)" \
        "$(points predict --progress mixed)" "$(points simulate --progress sequential)" <<'END'
import json, sys
path, label, length, *points = sys.argv[1:]
file = json.load(open(path))
print(label, "%.3g" % file["access"], "%.2f" % (file["slice"] / 1e6) if "slice" in file else "-", length,
      *("%.2f" % float(p) for p in points), sep=",", flush=True)
END
done
echo "load after: $(uptime)" >&2
