#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What levels of caches cost: processor time of `pluss predict` with one set-associative cache and with three levels, as
multiples of the plain prediction (--cache none), side by side; and accesses a second of the exact simulation.

Usage: polybench/level_cost.py PLUSS FOLDER-OF-NESTS [RUNS=1] [KERNEL...]
"""
import csv
import pathlib
import resource
import statistics
import subprocess
import sys

ONE = "L1=32K:ways=8"
THREE = "L1=32K:ways=8,L2=1M:ways=16,L3=32M:ways=16:shared"
GEMM = 42.328  # millions of accesses
SMALL = "L1=32K:ways=8,L2=256K:ways=8,L3=1M:ways=16:shared"
HERE = pathlib.Path(__file__).parent


def processor_time(command):
    """Seconds; None: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    good = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if good else None


def main():
    pluss, nests = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with open(HERE / "sizes.csv", encoding="utf-8") as table:
        sizes = {(row["kernel"], row["size"]): row["symbols"].split() for row in csv.DictReader(table)}
    kernels = sys.argv[4:] or [kernel for kernel, size in sizes if size == "LARGE" and kernel not in ("spmv", "histogram")]

    def seconds(verb, kernel, size, team, caches):
        defines = [x for symbol in sizes[kernel, size] for x in ("-D", symbol)]
        command = [pluss, verb, f"{nests}/{kernel}.o", "-T", str(team), "--cache", caches] + defines
        times = [processor_time(command) for _ in range(runs)]
        return None if None in times else min(times)

    for team in 1, 8:
        print(f"\n# LARGE, T = {team}: one level, three, three of which the last is small, as multiples of none (milliseconds)")
        ratios = []
        for kernel in kernels:
            plain, *with_levels = (seconds("predict", kernel, "LARGE", team, c) for c in ("none", ONE, THREE, SMALL))
            if plain is None or None in with_levels:
                print(f"{kernel:16s} not predicted")
                continue
            ratios.append([t / plain for t in with_levels])
            print(f"{kernel:16s} {plain * 1e3:8.1f} " + " ".join(f"{r:6.2f}" for r in ratios[-1]), flush=True)
        for name, of in ("mean", statistics.mean), ("median", statistics.median), ("most", max):
            print(f"{name:25s} " + " ".join(f"{of(r):6.2f}" for r in zip(*ratios)))
    curve, both = (seconds("simulate", "gemm", "MEDIUM", 1, c) for c in ("none", THREE))
    print("\n# exact simulation, gemm, MEDIUM, T = 1, millions of accesses a second of processor time: "
          f"three levels {GEMM / (both - curve):.0f}, with the curve {GEMM / both:.0f}")


main()
