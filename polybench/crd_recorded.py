#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""crd_recorded.py MODEL.json EXACT.json PREFIX: a line of crd_recorded.sh: mean absolute error of the first curve, in points, on the
strict grid (8 sizes an octave), from one line and from 64 lines to the footprint; accuracy as in table 4 of the model's paper,
1 - E / 2 in %, E the sum of the absolute differences of the histograms of reuse distances, whose bins are that grid's."""
import bisect
import json
import sys


def first_curve(path):
    with open(path, encoding="utf-8") as report:
        return json.load(report)["curves"][0]


def miss_ratio(curve, size):
    return curve["miss_ratio"][bisect.bisect_right(curve["size_lines"], size) - 1]


model, exact = first_curve(sys.argv[1]), first_curve(sys.argv[2])
sizes = sorted({round(2 ** (k / 8)) for k in range(8 * 40) if round(2 ** (k / 8)) <= exact["footprint_lines"]})
off = {size: 100 * abs(miss_ratio(model, size) - miss_ratio(exact, size)) for size in sizes}
def histogram(curve):
    """Shares of the accesses by distance: between sizes of the grid, beyond the last."""
    at = [1.0] + [miss_ratio(curve, size) for size in sizes]
    return [a - b for a, b in zip(at, at[1:])] + [at[-1]]


accuracy = 100 - 50 * sum(abs(a - b) for a, b in zip(histogram(model), histogram(exact)))
some = [off[size] for size in sizes if size >= 64]
print("%s,%d,%.3f,%.3f,%.1f" % (sys.argv[3], exact["accesses"], sum(off.values()) / len(off), sum(some) / max(1, len(some)), accuracy))
