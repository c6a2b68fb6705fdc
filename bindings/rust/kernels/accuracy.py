#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What schedule(rayon) is worth: exact curves of the assignments that real runs had against those of the model's.

    PLUSS=build/pluss PLUSS_LIB_DIR=build bindings/rust/kernels/accuracy.py [RUNS] >polybench/results/rayon.txt

Needs pluss and cargo-pluss in PATH. Each kernel is folded, then run RUNS times (5) with each number of threads, compiled as ever but for telling
who ran what; the run's chunks and the model's are walked, with threads that progress alike. MAE is of the miss ratio over
all sizes of caches, in points. `busiest` is the share of the iterations that one thread executed.
"""
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
SIZES = {  # small ones, and larger ones
    "product": ("n=40", "n=160"),
    "transposition": ("n=100", "n=700"),
    "convolution": ("n=30,m=5", "n=200,m=5"),
    "stencil": ("n=100,s=4", "n=700,s=2"),
    "prefix": ("n=64,m=200", "n=64,m=20000"),
    "nbody": ("n=80", "n=1000"),
}


def must(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=HERE)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def busiest(record):
    """The largest share of a thread, of all loops."""
    shares = {}
    for thread, chunks in re.findall(r"^chunks .* thread (\d+)((?: \d+-\d+)+)$", record, re.M):
        lengths = [int(hi) - int(lo) for lo, hi in re.findall(r"(\d+)-(\d+)", chunks)]
        shares[thread] = shares.get(thread, 0) + sum(lengths)
    return max(shares.values()) / sum(shares.values())


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"# bindings/rust/kernels/accuracy.py {runs}")
    print("| kernel | sizes | T | busiest thread, of all iterations: least | most | MAE: least | median | most |")
    print("|---|---|---|---|---|---|---|---|")
    lines = [shlex.split(line) for line in (HERE / "kernels.txt").read_text().splitlines() if line[0] != "#"]
    with tempfile.TemporaryDirectory() as folder:
        nest, record, a, b = (Path(folder, name) for name in ("nest", "record", "a.json", "b.json"))
        for kernel, fold, arguments, _, _ in (line for line in lines if line[0] in SIZES):
            must("cargo", "pluss", "fold", "--bin", kernel, "--function", kernel, "--sizes", fold, "-o", nest, "--", *arguments.split())
            for sizes in SIZES[kernel]:
                values = [word for value in sizes.split(",") for word in ("-D", value)]
                words = [value.split("=")[1] for value in sizes.split(",")]
                for threads in (2, 4, 8):
                    walk = (PLUSS, "simulate", nest, *values, "-T", threads, "--cache", "none", "--json")
                    must(*walk, "-o", b)
                    shares, errors = [], []
                    for _ in range(runs):
                        must("cargo", "pluss", "watch", "--bin", kernel, "-T", threads, "--nest", nest, "-o", record, "--", *words)
                        shares.append(busiest(record.read_text()))
                        must(*walk, "--schedule", "recorded", "--record", record, "-o", a)
                        found = must(PLUSS, "compare", a, b)
                        errors.append(float(re.search(r"^MAE of all.*?([0-9.]+) points", found, re.M)[1]))
                    print(f"| {kernel} | {sizes} | {threads} | {min(shares):.2f} | {max(shares):.2f} | {min(errors):.2f} | "
                          f"{statistics.median(errors):.2f} | {max(errors):.2f} |", flush=True)


main()
