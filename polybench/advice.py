#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice for 40 loops whose better form is known (advice/loops.c), each item checked by exact simulation.

usage: advice.py PLUSS OUT.csv [LOOP...]      (make accuracy-advice)

A loop counts as found where an item is of a kind that cures it and exact simulation confirms that it costs less; an item is worse where
the exact cost after it, of all threads or of the busiest one, is higher than before. The cost is that of docs/advise.md. Exit status 1: fewer than 36 of 40 are found, or
an item is worse.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

SMALL = "L1=4K:ways=4,L2=32K:ways=8,L3=512K:ways=16:shared"
LARGE = "L1=32K:ways=8,L2=256K:ways=8,L3=2M:ways=16:shared"
ORDER, TILE, FUSE = ("interchange", "tile"), ("tile",), ("fuse",)
PAD, CHUNK, SPREAD = ("pad",), ("schedule",), ("spread",)

# loop: kinds that cure it, threads, sizes, caches
LOOPS = {
    "gemm_ijk": (ORDER, 4, "n=100", SMALL),
    "gemm_jki": (ORDER, 4, "n=100", SMALL),
    "mm2": (ORDER, 4, "n=100", SMALL),
    "syrk_transposed": (ORDER, 4, "n=100", SMALL),
    "syr2k_transposed": (ORDER, 4, "n=100", SMALL),
    "trmm": (ORDER, 1, "n=100", SMALL),
    "mvt_second": (ORDER, 1, "n=300", SMALL),
    "atax_second": (ORDER, 1, "n=300", SMALL),
    "gemver_update": (ORDER, 4, "n=300", SMALL),
    "gesummv_columns": (ORDER, 1, "n=300", SMALL),
    "jacobi_columns": (ORDER, 4, "n=300", SMALL),
    "fdtd_columns": (ORDER, 4, "n=300", SMALL),
    "heat_kji": (ORDER, 4, "n=50", SMALL),
    "covariance": (ORDER, 4, "n=100", SMALL),
    "convolution_columns": (ORDER, 4, "n=300", SMALL),
    "symm_part": (ORDER, 1, "n=100", SMALL),
    "floats_columns": (ORDER, 4, "n=400", SMALL),
    "transpose": (TILE, 4, "n=400", SMALL),
    "transposed_sum": (TILE, 1, "n=400", SMALL),
    "gemm_ikj": (TILE, 4, "n=100", SMALL),
    "tile_64": (TILE, 2, "n=128", SMALL),
    "tile_100": (TILE, 1, "n=200", SMALL),
    "syrk_rows": (TILE, 4, "n=100", SMALL),
    "wave_power": (PAD, 1, "rounds=2", LARGE),
    "wave_two": (PAD, 1, "rounds=2", LARGE),
    "wave_floats": (PAD, 1, "rounds=2", LARGE),
    "wave_wide": (PAD, 1, "rounds=2", LARGE),
    "wave_parallel": (PAD, 4, "rounds=8", LARGE),
    "wave_planes": (PAD, 1, "rounds=2", LARGE),
    "chunk_1": (CHUNK, 4, "n=4000", LARGE),
    "chunk_2": (CHUNK, 4, "n=4000", LARGE),
    "chunk_dynamic": (CHUNK, 4, "n=4000", LARGE),
    "chunk_ints": (CHUNK, 4, "n=4000", LARGE),
    "chunk_triangle": (CHUNK, 4, "n=300", LARGE),
    "packed_counters": (SPREAD, 4, "n=50000", LARGE),
    "packed_ints": (SPREAD, 4, "n=50000", LARGE),
    "packed_rows": (SPREAD, 4, "n=50000", LARGE),
    "packed_structs": (SPREAD, 4, "n=50000", LARGE),
    "two_sweeps": (FUSE, 4, "n=40000", SMALL),
    "two_updates": (FUSE, 4, "n=300", SMALL),
}


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def weigh(i, n):
    return 150 if i + 1 == n else 10 if i == 0 else 25


def simulate(pluss, nest, team, sizes, caches):
    """Exact misses by level, the cost of the busiest thread, and that of all."""
    levels = json.loads(run(pluss, "simulate", nest, "-T", str(team), "-D", sizes, "--cache", caches, "--json"))["levels"]
    misses = [level["misses"] for level in levels]
    cost = levels[0]["accesses"] + sum(weigh(i, len(misses)) * m for i, m in enumerate(misses))
    busiest = max(t["requests"] for t in levels[0]["by_thread"])
    return misses, cost * busiest / levels[0]["accesses"], cost


def check(pluss, objects, name, rows):
    kinds, team, sizes, caches = LOOPS[name]
    form = os.path.join(os.path.dirname(objects), "form.nest")
    text = run(pluss, "advise", objects, "--region", name, "-T", str(team), "-D", sizes, "--cache", caches, "--json")
    items = json.loads(text)["advice"]
    run(pluss, "transform", objects, "--region", name, "-o", form)
    misses, before, before_all = simulate(pluss, form, team, sizes, caches)
    found, worse = 0, 0
    for number, item in enumerate(items, 1):
        run(pluss, "transform", objects, "--region", name, "-o", form, *item["steps"].split())
        then, after, after_all = simulate(pluss, form, item["threads_then"], sizes, caches)
        worse += after > before or after_all > before_all
        if item["kind"] in kinds and after < before and not found:
            found = number
        rows.append([name, "/".join(kinds), team, sizes, number, item["kind"], item["steps"] or f"-T {item['threads_then']}",
                     f"{item['gain_percent']:.1f}", f"{item['gain_percent_error']:.1f}", f"{100 * (1 - after / before):.1f}",
                     " ".join(str(m) for m in misses), " ".join(str(m) for m in then)])
    if not items:
        rows.append([name, "/".join(kinds), team, sizes, 0, "none", "", "", "", "", " ".join(str(m) for m in misses), ""])
    first = bool(items) and items[0]["kind"] in kinds
    print(f"{name:20} {'item ' + str(found) if found else 'NOT FOUND':10} of {len(items)}{'' if first else ', not the first'}"
          f"{', WORSE: ' + str(worse) if worse else ''}", flush=True)
    return found > 0, first, worse, len(items)


def main():
    pluss, out, names = sys.argv[1], sys.argv[2], sys.argv[3:] or list(LOOPS)
    here = os.path.dirname(os.path.abspath(__file__))
    rows, totals = [], [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        objects = os.path.join(folder, "loops.o")
        run(pluss, "cc", "-O2", "-fopenmp", "-c", os.path.join(here, "advice", "loops.c"), "-o", objects)
        for name in names:
            totals = [a + b for a, b in zip(totals, check(pluss, objects, name, rows))]
    with open(out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["loop", "cures", "threads", "sizes", "item", "kind", "steps", "predicted_percent", "error_percent",
                         "exact_percent", "exact_misses", "exact_misses_then"])
        writer.writerows(rows)
    print(f"{totals[0]} of {len(names)} found, {totals[1]} as the first item; {totals[3]} items, {totals[2]} of them worse by exact simulation")
    return 1 if totals[0] < 0.9 * len(names) or totals[2] else 0


if __name__ == "__main__":
    sys.exit(main())
