#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nests folded out of small runs against the plugin's nests, both simulated at SMALL and predicted at LARGE by 1 and 4 threads: as
many accesses, and the same curves? The kernels are compiled with -O0, so that the program makes the accesses of the source, which are the plugin's, and
traced with 3 threads (fold.py). The folded nest has more: the arguments of parallel regions, on the stack. `mae` is with them,
`mae_alike` without, in points, for kernels whose accesses are then as many; `mae_large` that of predictions, without.

usage: fold_predict.py BUILD [KERNEL...]
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEAMS = (1, 4)


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def without_arguments(text):
    text = re.sub(r"^ *(read|write) stack\[.*\n", "", text, flags=re.M)
    empty = re.compile(r"^ *[^\n]*\{\n *\}\n", re.M)
    while empty.search(text):
        text = empty.sub("", text)
    return text


def evaluate(pluss, verb, file, sizes, team, out):
    """Accesses; None: there is no closed form, and too much to walk."""
    done = subprocess.run([str(c) for c in (pluss, verb, file, *sizes, "-T", team, "--cache", "none", "--json", "-o", out)],
                          capture_output=True, text=True, check=False)
    if "more than the effort" in done.stderr:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(out.read_text())["curves"][0]["accesses"]


def compare(pluss, a, b):
    return json.loads(run(pluss, "compare", "--json", a, b))["mae_points"]


def measure(build, out, kernel):
    pluss, nest, described = build / "pluss", out / f"{kernel}-O0.3.nest", out / f"{kernel}.described.o"
    if not nest.exists() or not nest.stat().st_size:
        print(f"{kernel},,,,,,,", flush=True)
        return
    run("gcc", "-std=c11", "-O0", "-fopenmp", f"-fplugin={build}/pluss.so", "-c", HERE / f"{kernel}.c", "-o", described)
    region = re.search(r"^region (\w+)", run(pluss, "nests", "--text", described), re.M).group(1)
    text = nest.read_text().replace("region folded", "region " + region)
    whole, alike = out / "whole.nest", out / "alike.nest"
    whole.write_text(text)
    alike.write_text(without_arguments(text))
    small, large = ([w for word in run(HERE / "sizes.sh", kernel, size, "raw").split() for w in ("-D", word)] for size in ("SMALL", "LARGE"))
    nests = whole, alike, described
    for team in TEAMS:
        n = [evaluate(pluss, "simulate", f, small, team, out / f"{i}.json") for i, f in enumerate(nests)]
        mae, also, predicted = compare(pluss, out / "0.json", out / "2.json"), "", ""
        if n[1] == n[2]:
            also = f"{compare(pluss, out / '1.json', out / '2.json'):.4f}"
            if all(evaluate(pluss, "predict", nests[i], large, team, out / f"{i}.json") for i in (1, 2)):
                predicted = f"{compare(pluss, out / '1.json', out / '2.json'):.4f}"
        print(f"{kernel},{team},{n[0]},{n[1]},{n[2]},{mae:.4f},{also},{predicted}", flush=True)


def main():
    build = Path(sys.argv[1]).resolve()
    kernels = sys.argv[2:] or sorted(p.name[:-6] for p in (HERE / "reference").glob("*_ref.c"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(os.environ.get("KEEP", folder))
        if "KEEP" not in os.environ:
            run(HERE / "fold.py", build, *kernels, env=dict(os.environ, OPTS="-O0", TEAMS="3", KEEP=folder))
        print("kernel,threads,accesses,alike,plugin,mae,mae_alike,mae_large", flush=True)
        for kernel in kernels:
            measure(build, out, kernel)


if __name__ == "__main__":
    main()
