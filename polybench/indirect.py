#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels whose subscripts are data: what is predicted from their samplers (mode=sample) against truth/.

Usage: polybench/indirect.py PLUSS FOLDER-OF-THE-PROGRAMS TABLE... > results/indirect.csv
CSV: kernel,size,team,schedule,model,mae_strict,mae_64,max_strict,ms (points of miss ratio; mae_64: from 64 lines on; ms: of
the program with its sampler, and the prediction, on the clock); a table on stderr.
"""
import bisect
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from panels import read_truths

MODELS = ["lines", "cri-line", "cri"]


def strict_grid(footprint):
    sizes, k = {footprint}, 0
    while round(2 ** (k / 8)) < footprint:
        sizes.add(round(2 ** (k / 8)))
        k += 1
    return sorted(sizes)


def step(sizes, values, at):
    i = bisect.bisect_right(sizes, at) - 1
    return values[i] if i >= 0 else 1.0


def run(pluss, program, size, team, schedule, folder):
    """The record of the program with a sampler for this team; the prediction of each model."""
    record = folder / "record"
    environment = dict(os.environ, PLUSS_RECORD=str(record), PLUSS_SAMPLE_TEAMS=team, PLUSS_SAMPLE_SCHEDULE=schedule)
    start = time.monotonic()
    subprocess.run([program, "--size", size], env=environment, stdout=subprocess.DEVNULL, check=True)
    ran = time.monotonic() - start
    for model in MODELS:
        out, start = folder / "curve.json", time.monotonic()
        subprocess.run([pluss, "run", "--record", record, "-T", team, "--model", model, "--json", "-o", out], check=True)
        yield model, json.loads(out.read_text())["curves"], 1e3 * (ran + time.monotonic() - start)


def main(pluss, programs, tables):
    print("kernel,size,team,schedule,model,mae_strict,mae_64,max_strict,ms")
    print(f"{'':36}" + "".join(f"{m:>18}" for m in MODELS) + "   (points: mean; from 64 lines on)", file=sys.stderr)
    for head, points in (curve for table in tables for curve in read_truths(pathlib.Path(table))):
        if "contents" not in head:
            continue
        kernel, size, team, schedule = (head[w] for w in ("kernel", "size", "team", "schedule"))
        sizes, values = zip(*points)
        row = f"{kernel:12}{size:8}T={team:4}{schedule:12}"
        with tempfile.TemporaryDirectory() as folder:
            for model, curves, ms in run(pluss, f"{programs}/{kernel}", size, team, schedule, pathlib.Path(folder)):
                curve = next(c for c in curves if c["threads"] == int(team))
                off = [(s, 100 * abs(step(curve["size_lines"], curve["miss_ratio"], s) - step(sizes, values, s)))
                       for s in strict_grid(int(head["footprint"]))]
                mean = sum(d for _, d in off) / len(off)
                large = [d for s, d in off if s >= 64]
                mean_64 = sum(large) / len(large)
                print(f'{kernel},{size},{team},"{schedule}",{model},{mean:.3f},{mean_64:.3f},{max(d for _, d in off):.3f},{ms:.0f}',
                      flush=True)
                row += f"{mean:10.2f} {mean_64:7.2f}"
        print(row, file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
