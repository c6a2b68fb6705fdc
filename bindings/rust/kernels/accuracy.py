#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What --progress pool is worth: exact curves of the order that real runs of Rayon had, against runs that it draws.

    PLUSS=build/pluss PLUSS_LIB_DIR=build bindings/rust/kernels/accuracy.py [RUNS [TEAM,... [unpinned]]] >polybench/results/rayon.txt

Needs pluss and cargo-pluss in PATH. Kernels, and the example `bodies` of pluss-rayon, are compiled as ever but for telling who ran what
when, and run 2 RUNS times (5) with each number of threads, with the highest priority where that is allowed, so that other
programs keep them from running as little as possible. Runs of even number give the median time to wake up and the median time of an access. Each other run's
exact curve, in the order of its times, is compared over all sizes of caches with: the curve of schedule(rayon) with uniform progress; a drawn run with the
usual numbers; one with the kernel's own, which know nothing of the run; the curve that `pluss predict` gives with these, the mean over drawn runs;
and the run before. Errors in points, mean / median of the RUNS. *Alone*: of the loops of all these runs, how many one thread executed as a whole.
"""
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLUSS = os.environ.get("PLUSS", "pluss")
CORES = os.cpu_count() or 1
SIZES = {
    "product": ("n=40", "n=96"),
    "transposition": ("n=100",),
    "convolution": ("n=30,m=5", "n=200,m=5"),
    "stencil": ("n=100,s=4",),
    "prefix": ("n=64,m=200",),
    "nbody": ("n=80",),
    "halves": ("m=64", "m=1024"),
}
# rows, length, least and most rows of a piece, divisions of a product, steps
BODIES = ("96 96 0 0 0 4", "400 400 0 0 0 4", "200 1000 0 0 0 4", "200 1000 0 0 4 4", "1000 200 0 10 0 4", "1000 200 100 0 0 4",
          "24 8000 0 0 0 4", "2000 50 0 0 0 4")
NEST = """pluss-nest 1
symbol n >= 1
symbol m >= 1
symbol s >= 1
symbol least >= 1
symbol most >= 1
array b8 a[m * n]
array b8 x[m]
array b8 y[n]
region folded
for i0 in 0..s {
  parallel for i1 in 0..n schedule(rayon, least, most) {
    for i2 in 0..m {
      read a[m * i1 + i2]
      read x[i2]
    }
    write y[i1]
  }
}
"""
CURVES = ("uniform", "usual", "calibrated", "predicted", "another run")


def must(*command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=HERE, **settings)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def built(*words):
    """The program that cargo makes."""
    out = must("cargo", "build", "--message-format=json", *words, env={**os.environ, "PLUSS_KERNELS": "watched"})
    found = [json.loads(line).get("executable") for line in out.splitlines() if line.startswith("{")]
    return [path for path in found if path][-1]


def programs(folder):
    """Name, program, its arguments, nest, values."""
    lines = [shlex.split(line) for line in (HERE / "kernels.txt").read_text().splitlines() if line[0] != "#"]
    for kernel, fold, arguments, _, _ in (line for line in lines if line[0] in SIZES):
        nest = folder / kernel
        must("cargo", "pluss", "fold", "--bin", kernel, "--function", kernel, "--sizes", fold, "-o", nest, "--", *arguments.split())
        # steps of a stencil: the nest is of fewer, too, than the runs had that it was found in
        nest.write_text(re.sub(r"^(symbol s) >= \d+$", r"\1", nest.read_text(), flags=re.M))
        must("cargo", "pluss", "watch", "--bin", kernel, "--", *(["20"] * len(arguments.split())))
        target = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target"))
        for sizes in SIZES[kernel]:
            values = dict(value.split("=") for value in sizes.split(","))
            yield f"{kernel} {sizes}", target / "pluss-watched" / kernel, list(values.values()), nest, values
    nest = folder / "bodies"
    nest.write_text(NEST)
    program = built("--release", "--manifest-path", HERE.parent / "Cargo.toml", "-p", "pluss-rayon", "--example", "bodies")
    for words in map(str.split, BODIES):
        values = dict(n=words[0], m=words[1], least=max(int(words[2]), 1), most=int(words[3]) or 1 << 20, s=words[5])
        yield "bodies " + " ".join(words), program, words, nest, values


def loops(nest):
    found = json.loads(must(PLUSS, "nests", "--json", nest))["regions"][0]["loops"]
    return ",".join(str(loop["loop"]) for loop in found if loop["parallel"])


def times(text):
    """Of each loop: when each thread's pieces began and ended."""
    of = {}
    for loop, pieces in re.findall(r"^times (loop \d+ time \d+) thread \d+(.*)$", text, re.M):
        of.setdefault(loop, []).append([tuple(map(int, piece.split("-"))) for piece in pieces.split()])
    return list(of.values())


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    teams = [int(team) for team in sys.argv[2].split(",")] if len(sys.argv) > 2 else [2, 4, 8]
    pinned = {} if "unpinned" in sys.argv else {"PLUSS_WATCH_PINNED": "1"}
    first = ["nice", "-n", "-20"] if os.geteuid() == 0 else []
    print(f"# bindings/rust/kernels/accuracy.py {' '.join(sys.argv[1:])}")
    print(f"| program | T | wake, ns | access, ns | alone | {' | '.join(CURVES)} |\n|---|---|---|---|---|{'---|' * len(CURVES)}")
    means, shares = ({team: [] for team in teams} for _ in range(2))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        uniform, drawn, predicted, truth, before = (folder / f"{x}.json" for x in ("uniform", "drawn", "predicted", "truth", "before"))
        for program, path, words, nest, values in programs(folder):
            for team in teams:
                records = [folder / f"record.{i}" for i in range(2 * runs)]
                for record in records:
                    must(*first, path, *words, env={**os.environ, **pinned, "RAYON_NUM_THREADS": str(team),
                                                    "PLUSS_WATCH": str(record), "PLUSS_WATCH_LOOPS": loops(nest)})
                walk = [nest, "-T", team, "--cache", "none", "--json"]
                walk += [word for value in values.items() for word in ("-D", "%s=%s" % value)]
                must(PLUSS, "simulate", *walk, "-o", uniform)
                accesses = max(map(int, re.findall(r'"accesses":(\d+)', uniform.read_text())))
                loops_of = [times(record.read_text()) for record in records]
                shares[team].append(statistics.mean(len(loop) == 1 for run in loops_of for loop in run))
                known = loops_of[::2]
                late = [sorted(pieces[0][0] for pieces in loop) for run in known for loop in run]
                late = [starts[1] - starts[0] for starts in late if len(starts) > 1]
                wake = statistics.median(late) if late else 1e6 # one thread executed everything
                access = statistics.median(sum(to - at for loop in run for pieces in loop for at, to in pieces) for run in known) / accesses
                pool = f"pool:{wake:.0f}:{access:.4f}:{CORES}"
                must(PLUSS, "predict", *walk, "--progress", pool, "-o", predicted)
                errors = {curve: [] for curve in CURVES}
                for i, record in enumerate(records[1::2]):
                    def compare(other, curve, *progress):
                        if progress:
                            must(PLUSS, "simulate", *walk, "--progress", *progress, "--seed", i + 1, "-o", other)
                        found = must(PLUSS, "compare", truth, other)
                        errors[curve].append(float(re.search(r"^MAE of all.*?([0-9.]+) points", found, re.M)[1]))
                    must(PLUSS, "simulate", *walk, "--progress", "recorded", "--record", record, "-o", truth)
                    compare(uniform, "uniform")
                    compare(drawn, "usual", f"pool:::{CORES}")
                    compare(drawn, "calibrated", pool)
                    compare(predicted, "predicted")
                    if i:
                        compare(before, "another run")
                    before.write_text(truth.read_text())
                means[team].append({curve: statistics.mean(list_) for curve, list_ in errors.items() if list_})
                cells = [f"{statistics.mean(x):.2f} / {statistics.median(x):.2f}" if x else "" for x in errors.values()]
                print(f"| {program} | {team} | {wake:.0f} | {access:.3f} | {shares[team][-1]:.0%} | {' | '.join(cells)} |", flush=True)
    print("\n| of all programs: mean, worst mean | T | alone: mean, most | " + " | ".join(CURVES) + " |\n|---|---|---|" + "---|" * len(CURVES))
    for team, found in means.items():
        cells = [f"{statistics.mean(x):.2f}, {max(x):.2f}" for x in ([row[curve] for row in found if curve in row] for curve in CURVES) if x]
        print(f"| | {team} | {statistics.mean(shares[team]):.0%}, {max(shares[team]):.0%} | {' | '.join(cells)} |")


main()
