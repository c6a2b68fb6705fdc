#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `pluss fold` finds in runs of the kernels: each compiled with -fsanitize=thread and linked with libpluss-trace, run at
six small sizes that are fitted and two larger ones that are held back, by one thread (and by three, as pluss fold does unless it is
given a number) and by several. One line a kernel, level of optimisation and number of threads; `same`: the nest is that of the first
number. `mb`: the most memory at a time.

usage: fold.py BUILD [KERNEL...]      (OPTS="-O1 -O2", TEAMS="1 3 16")
"""
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FITTED, MOST = 6, 1_000_000
# least and largest size and product of sizes: tiles of which a run has several, deep nests
BOUNDED = {"gemm_tiled": (49, 79, 240_000), "convolution": (3, 9, 18_000)}
MULTIPLES = {"dct": 8}
# sizes of one run, as the least are in the nest for any number of threads; of more than 8 the first has two iterations of the distributed
# loop for a thread, beyond a million accesses
NARROW = {"gemm_tiled": {"nj": 49, "nk": 50}}
WIDE = {"gemm_tiled": {"ni": 257}}


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def measure(*command):
    """Exit status, standard error and the most memory, MB, that it or a program that it ran had."""
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=said) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return process.returncode, said.read(), used.ru_maxrss / 1024


def build_kernel(build, out, kernel, level):
    made = run("make", "--no-print-directory", "-s", f"OUT={out}", f"{out}/driver.o", f"{out}/refcount_none.o", f"{out}/{kernel}.ref.o", cwd=HERE)
    steps = [["gcc", "-std=c11", level, "-ffp-contract=off", "-fopenmp", "-fsanitize=thread", "-c", f"{kernel}.c", "-o", out / f"{kernel}.o"],
             ["gcc", out / f"{kernel}.o", out / f"{kernel}.ref.o", out / "driver.o", out / "refcount_none.o", build / "libpluss-trace.a",
              "-fopenmp", "-lm", "-o", out / kernel]]
    for step in steps:
        if made.returncode == 0:
            made = run(*step, cwd=HERE)
    if made.returncode:
        sys.exit(made.stderr)
    return out / kernel


def draw_sizes(kernel, base):
    """Six sizes below those of MINI and two above, the same each time."""
    draw = random.Random(kernel)
    step = MULTIPLES.get(kernel, 1)
    values = {name: [] for name in base}
    least = 8 if len(base) < 5 else 6 if len(base) < 6 else 4
    for lo, hi in [(0.4, 0.95)] * FITTED + [(1.2, 1.6), (1.7, 2.2)]:
        for _ in range(10000):
            one = {s: draw.randint(max(least, int(b * lo)), max(least + 6, int(b * hi), int(b * lo) + 6)) for s, b in base.items()}
            most, different, earlier = math.inf, len(one), values
            if step > 1:
                one = {s: step * draw.randint(3, 9) for s in base}
            if kernel in BOUNDED:
                least, largest, most = BOUNDED[kernel]
                if lo > 1: # another combination of sizes, some of which were there
                    largest, most, earlier = largest + 2, 1.3 * most, {s: [] for s in base}
                one, different = {s: draw.randint(least, largest) for s in base}, 2
            if math.prod(one.values()) <= most and all(one[s] not in earlier[s] for s in base) and len(set(one.values())) >= different:
                break
        for s in base:
            values[s].append(one[s])
    return values


def draw_values(kernel, base, threads):
    """Of each symbol, those of all runs by that many threads."""
    values = draw_sizes(kernel, base)
    for name, value in {**NARROW.get(kernel, {}), **(WIDE.get(kernel, {}) if threads > 8 else {})}.items():
        values[name][1] = value
    return values


def fold_kernel(build, out, kernel, level, program, threads, first):
    smallest = dict((k, int(v)) for k, v in (word.split("=") for word in run(program, "--symbols", "--size", "MINI").stdout.split()))
    values = draw_values(kernel, smallest, int(threads))
    sizes = ":".join(f"{s}={','.join(map(str, v))}" for s, v in values.items())
    began = time.monotonic()
    status, said, most = measure(build / "pluss", "fold", program, "--sizes", sizes, *(["-T", threads] if threads != "1" else []), "-o",
                                 out / f"{kernel}{level}.{threads}.nest", "--", "--time", "1", *[f"{s}={{{s}}}" for s in values])
    seconds = time.monotonic() - began
    lines = (out / f"{kernel}{level}.{threads}.nest").read_text().splitlines() if status == 0 else []
    text = "\n".join(line for line in lines if not line.startswith("#")) # comments tell the sizes compared
    said = re.sub(r"\S*/pluss-run-\w+/", "run ", "; ".join(said.strip().splitlines())[-300:].replace(",", ";"))
    why = "exact" if status == 0 else said
    same = "-" if first is None or not text else "yes" if text == first else "no"
    print(f"{kernel},{level},{threads},{status},{len(lines)},{same},{seconds:.1f},{most:.0f},{why}", flush=True)
    return text


def main():
    build = Path(sys.argv[1]).resolve()
    kernels = sys.argv[2:] or sorted(p.name[:-6] for p in (HERE / "reference").glob("*_ref.c"))
    print("kernel,level,threads,status,lines,same,seconds,mb,result", flush=True)
    teams = os.environ.get("TEAMS", "1 3 16").split()
    with tempfile.TemporaryDirectory() as folder:
        for level in os.environ.get("OPTS", "-O1 -O2").split():
            for kernel in kernels:
                out, first = Path(os.environ.get("KEEP", folder)), None
                program = build_kernel(build, out, kernel, level)
                for threads in teams:
                    text = fold_kernel(build, out, kernel, level, program, threads, first)
                    first = text if first is None else first


if __name__ == "__main__":
    main()
