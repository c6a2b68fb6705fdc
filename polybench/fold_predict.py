#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nests folded out of small runs against the plugin's nests, by 1 and 4 threads: as many accesses, and the same curves? The kernels
are compiled with -O0, so that the program makes the accesses of the source, which are the plugin's, and traced with 3 threads (fold.py).
The folded nest has more: the arguments of parallel regions, on the stack. `mae`, in points, is that of exact curves at SMALL with
them. The other columns are without, for kernels whose accesses are then as many, and with the left-hand sides of compound assignments
read where docs/nest-format.md says, as the plugin's are (compiled code reads some of them first): `mae_alike` the same at SMALL;
`mae_100` that of exact curves at sizes with 100 times the accesses of the largest run that was fitted, `times` of them; `mae_large` that
of predictions at LARGE, which are two samples. `sizes`: SMALL, or more where the folded nest is known to hold from there on.

usage: fold_predict.py BUILD [KERNEL...]
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import fold

HERE = Path(__file__).resolve().parent
TEAMS = (1, 4)
TIMES = 100


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


def in_order(text):
    """The read of what a statement writes comes right before the write."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        first = at
        while line.lstrip().startswith("write ") and first > 0 and lines[first - 1].lstrip().startswith("read "):
            first -= 1
        read = re.sub(r"\bwrite ", "read ", line, count=1)
        if read in lines[first:at]:
            lines.insert(at - 1, lines.pop(first + lines[first:at].index(read)))
    return "\n".join(lines)


def evaluate(pluss, verb, file, sizes, team, out):
    """Accesses; None: there is no closed form, and too much to walk."""
    values = [word for name, value in sizes.items() for word in ("-D", f"{name}={value}")]
    done = subprocess.run([str(c) for c in (pluss, verb, file, *values, "-T", team, "--cache", "none", "--json", "-o", out)],
                          capture_output=True, text=True, check=False)
    if "more than the effort" in done.stderr:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(out.read_text())["curves"][0]["accesses"]


def compare(pluss, a, b):
    return json.loads(run(pluss, "compare", "--json", a, b))["mae_points"]


def sizes_of(kernel, size):
    return {name: int(value) for name, value in (word.split("=") for word in run(HERE / "sizes.sh", kernel, size, "raw").split())}


def find_larger(pluss, nest, kernel, least, out):
    """Sizes with TIMES the accesses of the largest fitted run, or a little more, and how many times; None: they cannot be counted."""
    values = fold.draw_values(kernel, sizes_of(kernel, "MINI"), 3)
    runs = [{name: values[name][i] for name in values} for i in range(fold.FITTED)]
    counts = [evaluate(pluss, "simulate", nest, one, 1, out / "run.json") for one in runs]
    most, largest = max(zip(counts, runs), key=lambda pair: pair[0])
    factor, n = TIMES ** 0.25, 0
    while n is not None and n < TIMES * most:
        factor *= 1.02
        sizes = {name: max(round(factor * value), least.get(name, 0)) for name, value in largest.items()}
        n = evaluate(pluss, "predict", nest, sizes, 1, out / "run.json")
    return n and (sizes, n / most)


def measure(build, out, kernel):
    pluss, nest, described = build / "pluss", out / f"{kernel}-O0.3.nest", out / f"{kernel}.described.o"
    if not nest.exists() or not nest.stat().st_size:
        print(f"{kernel},,,,,,,,,,", flush=True)
        return
    run("gcc", "-std=c11", "-O0", "-fopenmp", f"-fplugin={build}/pluss.so", "-c", HERE / f"{kernel}.c", "-o", described)
    plain = re.sub(r" @\d+\b", "", run(pluss, "nests", "--text", described))
    region = re.search(r"^region (\w+)", plain, re.M).group(1)
    text = nest.read_text().replace("region folded", "region " + region)
    nests = whole, alike, plugin = [out / name for name in ("whole.nest", "alike.nest", "plugin.nest")]
    whole.write_text(text)
    alike.write_text(in_order(without_arguments(text)))
    plugin.write_text(in_order(plain))
    least = {name: int(value) for name, value in re.findall(r"^symbol (\w+) >= (\d+)$", text, re.M)}
    small, large = ({name: max(value, least.get(name, 0)) for name, value in sizes_of(kernel, size).items()} for size in ("SMALL", "LARGE"))
    larger = find_larger(pluss, plugin, kernel, least, out)

    def compare_at(verb, sizes, team):
        """Of the two without arguments."""
        if not all(evaluate(pluss, verb, nests[i], sizes, team, out / f"{i}.json") for i in (1, 2)):
            return ""
        return f"{compare(pluss, out / '1.json', out / '2.json'):.4f}"

    for team in TEAMS:
        n = [evaluate(pluss, "simulate", f, small, team, out / f"{i}.json") for i, f in enumerate(nests)]
        row = [kernel, team, " ".join(f"{name}={value}" for name, value in small.items()), *n, f"{compare(pluss, out / '0.json', out / '2.json'):.4f}"]
        if n[1] == n[2]:
            row += [f"{compare(pluss, out / '1.json', out / '2.json'):.4f}"]
            row += [f"{larger[1]:.0f}", compare_at("simulate", larger[0], team)] if larger else ["", ""]
            row += [compare_at("predict", large, team)]
        else:
            row += [""] * 4
        print(*row, sep=",", flush=True)


def main():
    build = Path(sys.argv[1]).resolve()
    kernels = sys.argv[2:] or sorted(p.name[:-6] for p in (HERE / "reference").glob("*_ref.c"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(os.environ.get("KEEP", folder))
        if "KEEP" not in os.environ:
            run(HERE / "fold.py", build, *kernels, env=dict(os.environ, OPTS="-O0", TEAMS="3", KEEP=folder))
        print("kernel,threads,sizes,accesses,alike,plugin,mae,mae_alike,times,mae_100,mae_large", flush=True)
        for kernel in kernels:
            measure(build, out, kernel)


if __name__ == "__main__":
    main()
