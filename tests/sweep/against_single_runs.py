#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""against_single_runs.py PLUSS TABLE: each row of the table of a sweep (small.sweep) is what predict or simulate says, to the
last digit, and the cells are all combinations in their order."""
import csv
import itertools
import json
import subprocess
import sys

pluss, table = sys.argv[1:]
rows = list(csv.DictReader(open(table)))
caches = ["1K,8K", "L1=1K:ways=2,L2=8K:ways=4:shared"]
cells = list(
    itertools.product(["two.nest"], [24], ["as-written", "dynamic,3"], [1, 2], caches, ["clock", "cri-line", "simulate"])
)
seen, faults = set(), []


def wrong(row, what):
    faults.append(f"cell {row['cell']}, {row['region']}: {what}")


def run(cell):
    file, n, schedule, threads, cache, model = cell
    command = [pluss, "simulate" if model == "simulate" else "predict", file, "-D", f"n={n}", "-T", str(threads)]
    command += ["--cache", cache, "--seed", "7", "--json"]
    command += [] if schedule == "as-written" else ["--schedule", schedule]
    command += [] if model == "simulate" else ["--model", model]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def at(curve, size_bytes):
    miss = 1
    for size, ratio in zip(curve["size_lines"], curve["miss_ratio"]):
        if size <= size_bytes // curve["line_bytes"]:
            miss = ratio
    return miss


known = {}
for row in rows:
    number = int(row["cell"])
    cell = cells[number]
    seen.add(number)
    if (row["file"], int(row["size_n"]), row["schedule"], int(row["threads"]), row["model"]) != (*cell[:4], cell[5]):
        wrong(row, f"it is of {cell}")
    if cell[1:] not in known:
        known[cell[1:]] = run(cell)
    report = known[cell[1:]]
    shared_by = int(row["threads_per_cache"])
    curves = [c for c in report["curves"] if c["region"] == row["region"]]
    curve = next((c for c in curves if c.get("threads_per_cache", c["threads"]) == shared_by), curves[0])
    level = [l for l in report.get("levels", []) if l["region"] == row["region"] and l["name"] == row["cache"]]
    if level:
        pairs = [(k, float(level[0][k])) for k in ("requests", "misses", "miss_ratio", "bytes_fetched", "bytes_written_back")]
        pairs += [("ways", level[0]["ways"])]
    else:
        pairs = [("miss_ratio", at(curve, int(row["cache_bytes"]))), ("accesses", curve["accesses"])]
    pairs += [("footprint_lines", curve["footprint_lines"]), ("seed", 7)]
    for key, value in pairs:
        if float(row[key]) != value:
            wrong(row, f"{key} {row[key]}, alone {value}")
    if row["engine"] != curve["engine"] or row["status"] != "OK":
        wrong(row, f"{row['engine']}, {row['status']}; alone {curve['engine']}")
if seen != set(range(len(cells))):
    faults.append(f"{len(seen)} of {len(cells)} cells")
print("\n".join(faults) or f"{len(rows)} rows")
sys.exit(1 if faults else 0)
