#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Misses that formulas tell, against exact ones: Cascaval's thesis, figures 6.1 to 6.3 and 6.6.

    sparse.py BUILD FOLDER [SEED]

Sparse routines (sparse/splib.c) by the indirect accesses model, with two matrices made here of the
thesis's sizes: half of the elements of a row are next to its diagonal, the others within a band of
a twentieth of the columns. Against exact simulation of caches as the thesis's machine has them:
fully associative, as the model's is, and of two ways. jacobi-2d by its stack histogram, over sizes.

FOLDER keeps what is made. Prints CSV: routine,matrix or n,cache,line,predicted,exact,error_percent
(of a fully associative cache),two_ways,two_ways_error_percent; means on stderr.
"""
import csv
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MATRICES = {"small": (1128, 13360), "large": (20284, 452752)}
# cache and line of the thesis's R10000; the small matrices fit its second level
CACHES = [("32K", 32), ("1M", 128)]
JACOBI = range(40, 521, 40)


def matrix(n, elements, rng):
    """Columns of each row, ascending, the diagonal among them."""
    extra = elements - n
    lengths = [extra // n + (i < extra % n) for i in range(n)]
    rows = []
    for i, more in enumerate(lengths):
        columns, band = {i}, max(more, n // 20)
        while len(columns) < more + 1:
            reach = more if len(columns) <= more // 2 else band
            column = i + rng.randint(-reach, reach)
            if 0 <= column < n:
                columns.add(column)
        rows.append(sorted(columns))
    return rows


def write_contents(folder, rows):
    starts, columns, diagonal = [0], [], []
    for i, row in enumerate(rows):
        diagonal.append(len(columns) + row.index(i))
        columns += row
        starts.append(len(columns))
    contents = {"ia": starts, "ja": columns, "diagonal": diagonal}
    for name, values in contents.items():
        (folder / name).write_text("".join(f"{v}\n" for v in values))
    return [option for name in contents for option in ("--contents", f"{name}={folder / name}")]


def report(pluss, *words):
    done = subprocess.run([pluss, *map(str, words), "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def simulated(pluss, path, region, cache, line, ways, options):
    """Misses of a cache of that many ways."""
    found = report(pluss, "simulate", path, "-T", 1, "--region", region, "--line", line,
                   "--cache", f"L1={cache}:ways={ways}", *options)
    return found["levels"][0]["misses"]


def main():
    build, folder = Path(sys.argv[1]), Path(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    pluss = build / "pluss"
    folder.mkdir(parents=True, exist_ok=True)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("routine,case,cache,line,predicted,exact,error_percent,two_ways,"
                 "two_ways_error_percent".split(","))
    errors = {}

    def add(routine, case, cache, line, predicted, exact, ways):
        error, of_ways = (100 * (predicted / misses - 1) for misses in (exact, ways))
        out.writerow([routine, case, cache, line, round(predicted), exact, f"{error:.2f}", ways,
                      f"{of_ways:.2f}"])
        sys.stdout.flush()
        errors.setdefault((case if routine != "jacobi-2d" else "jacobi-2d", cache), []).append(
            (abs(error), abs(of_ways)))

    for name, (n, elements) in MATRICES.items():
        options = write_contents(folder, matrix(n, elements, rng))
        path = folder / f"splib-{name}.o"
        subprocess.run(["gcc", "-O2", "-fopenmp", f"-DN={n}", f"-DNNZ={elements}",
                        f"-fplugin={build / 'pluss.so'}", "-c", HERE / "sparse/splib.c", "-o", path],
                       check=True)
        for cache, line in CACHES:
            found = report(pluss, "symbolic", path, "--line", line, "--cache", cache, *options)
            for region in found["regions"]:
                misses, routine = region["misses"][0], region["region"]
                exact = misses.get("exact_misses", misses["misses"])
                add(routine, name, cache, line, misses["misses"], exact,
                    simulated(pluss, path, routine, cache, line, 2, options))
    for n in JACOBI:
        path, bound = build / "polybench/nests/jacobi-2d.o", ["-D", f"n={n}", "-D", "tsteps=10"]
        cache, line = CACHES[0]
        found = report(pluss, "symbolic", path, "--line", line, "--cache", cache, *bound)
        region = found["regions"][0]
        name = region["region"]
        add("jacobi-2d", n, cache, line, region["misses"][0]["misses"],
            *(simulated(pluss, path, name, cache, line, ways, bound) for ways in (1024, 2)))
    for (case, cache), pairs in errors.items():
        full, ways = zip(*pairs)
        print(f"{case}, {cache}: mean error {statistics.mean(full):.1f} %, at most {max(full):.1f} %;"
              f" two ways {statistics.mean(ways):.1f} %, {max(ways):.1f} %", file=sys.stderr)


main()
