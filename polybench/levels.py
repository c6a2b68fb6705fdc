#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of memory hierarchies: predicted against the exact simulation.

Usage: polybench/levels.py PLUSS FOLDER-OF-NESTS [--teams 1,4] [--sizes SMALL,64,...] [--seeds N] [--kernels NAME,...] [--hierarchies NAME,...]
       [--simulated results/levels.csv] [--error E] > NEW.csv
A size that is a number is the value of all symbols but the number of time steps, which is 4 then. SEEDS simulations are
averaged where threads share caches; what a table of --simulated has is not simulated again. CSV: kernel,size,team,hierarchy,level,accesses,simulated,predicted,error (misses, and the stated standard
error). tables.py makes the table of docs/accuracy.md from it.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

HIERARCHIES = {
    "small": "L1=32K:ways=8,L2=256K:ways=8,L3=1M:ways=16:shared",
    "wide": "L1=48K:ways=12,L2=1M:ways=16",
    "quarter": "L1=8K:ways=8,L2=64K:ways=8,L3=256K:ways=16:shared",
    "sixteenth": "L1=2K:ways=8,L2=16K:ways=8,L3=64K:ways=16:shared",
    "odd": "L1=3K:ways=12,L2=64K:ways=16",
}
CASE = ("kernel", "size", "team", "hierarchy", "level")
DATA_DEPENDENT = {"spmv", "histogram"}
HERE = pathlib.Path(__file__).parent


def read_sizes():
    with open(HERE / "sizes.csv", encoding="utf-8") as table:
        return {(row["kernel"], row["size"]): dict(s.split("=") for s in row["symbols"].split()) for row in csv.DictReader(table)}


def values_of(sizes, kernel, size):
    if not size.isdigit():
        return sizes.get((kernel, size))
    some = next((v for (name, _), v in sizes.items() if name == kernel), {})
    return {s: "4" if s in ("tsteps", "tmax") else size for s in some}


def levels(pluss, verb, nest, values, team, hierarchy, seed, more=()):
    command = [pluss, verb, nest, "-T", str(team), "--cache", hierarchy, "--json", "--seed", str(seed), *more]
    for name, value in values.items():
        command += ["-D", f"{name}={value}"]
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(got.stdout).get("levels") if got.returncode == 0 else None


def read_simulated(path):
    with open(path, encoding="utf-8") as table:
        return {tuple(row[c] for c in CASE): float(row["simulated"]) for row in csv.DictReader(table)}


def simulate(options, nest, values, case, hierarchy, known):
    """Mean misses of each level; None: it cannot be simulated."""
    team, names = int(case[2]), [level.split("=")[0] for level in hierarchy.split(",")]
    if all((*case, level) in known for level in names):
        return [known[(*case, level)] for level in names]
    runs = [levels(options.pluss, "simulate", nest, values, team, hierarchy, s + 1) for s in range(options.seeds if team > 1 else 1)]
    return None if None in runs else [statistics.mean(r[i]["misses"] for r in runs) for i in range(len(runs[0]))]


def compare(options, writer):
    sizes = read_sizes()
    known = read_simulated(options.simulated) if options.simulated else {}
    names = options.kernels.split(",") if options.kernels else sorted({k for k, _ in sizes} - DATA_DEPENDENT)
    for kernel in names:
        nest = f"{options.nests}/{kernel}.o"
        for size in options.sizes.split(","):
            values = values_of(sizes, kernel, size)
            for team in map(int, options.teams.split(",")):
                for name in options.hierarchies.split(","):
                    hierarchy = HIERARCHIES[name]
                    exact = simulate(options, nest, values, (kernel, size, str(team), name), hierarchy, known)
                    made = exact and levels(options.pluss, "predict", nest, values, team, hierarchy, 1, options.error)
                    if not made:
                        print(f"left out: {kernel} {size} {team} {name}", file=sys.stderr)
                        continue
                    for level, misses in zip(made, exact):
                        row = [kernel, size, team, name, level["name"], int(level["accesses"]), round(misses, 1),
                               round(level["misses"], 1), round(level.get("miss_ratio_error", 0) * level["accesses"], 1)]
                        writer.writerow(row)
                sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pluss")
    parser.add_argument("nests")
    parser.add_argument("--teams", default="1,4")
    parser.add_argument("--sizes", default="SMALL,64,65,127,128")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--hierarchies", default=",".join(HIERARCHIES))
    parser.add_argument("--simulated", default="")
    parser.add_argument("--error", type=lambda error: ["--error", error], default=[])
    options = parser.parse_args()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow("kernel size team hierarchy level accesses simulated predicted error".split())
    compare(options, writer)


main()
