#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The size class T64: LARGE where that is at most 2 G accesses, else LARGE's values scaled by one factor (none below 64
where it was not) until the kernel makes a little over 1 G accesses, so that 64 threads all have work.

The number of accesses is what the header of each kernel states ("... in all"), summed over its loops.
Usage: polybench/t64.py > rows for sizes.csv
"""
import csv
import pathlib
import re

HERE = pathlib.Path(__file__).parent
KEEP = {"nk": {"convolution"}, "nc": {"vgg"}}  # filter sizes and colour planes are not scaled
MOST, AIM = 2_000_000_000, 1_030_000_000
# parallel loops that run over n - 2 values, or have fewer than 64 iterations at LARGE
LEAST_VALUE = {("heat-3d", "n"): 66, ("tce", "nv"): 64, ("convolution", "nb"): 64}


def accesses(kernel, values):
    total = 0
    for text in re.findall(r"^ \*   [^\n]*?: (?:[\d, ]+ innermost, )?(.*) in all$", (HERE / f"{kernel}.c").read_text(), re.M):
        total += eval(text.replace("/", "//"), {}, dict(values))  # the project's own header comments
    return total


def scaled(kernel, values, factor):
    out = {}
    for name, value in values.items():
        if kernel in KEEP.get(name, ()):
            out[name] = value
        else:
            out[name] = max(LEAST_VALUE.get((kernel, name), 64 if value >= 64 else 8), round(value * factor))
    return out


for row in csv.DictReader(open(HERE / "sizes.csv")):
    if row["size"] != "LARGE":
        continue
    kernel = row["kernel"]
    large = {k: int(v) for k, v in (p.split("=") for p in row["symbols"].split())}
    best = large
    if accesses(kernel, large) > MOST:
        lo, hi = 0.0, 1.0
        for _ in range(60):
            mid = (lo + hi) / 2
            if accesses(kernel, scaled(kernel, large, mid)) < AIM:
                lo = mid
            else:
                hi = mid
        best = scaled(kernel, large, hi)
    print(f"{kernel},T64," + " ".join(f"{k}={v}" for k, v in best.items()))
