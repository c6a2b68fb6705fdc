#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One picture with a small panel a kernel: the exact curve, the clock model with its band of two standard errors, and cri.

Every exact curve of the table TRUTH/SIZE-tTEAM-SCHEDULE makes a panel, if its kernel is predicted from the nest alone.
Usage: panels.py PLUSS OBJECTS TRUTH SIZE TEAM SCHEDULE OUTPUT.svg
    PLUSS    the command; OBJECTS the folder with the kernels' objects; TRUTH the folder of the tables
"""
import json
import math
import pathlib
import subprocess
import sys
from xml.sax.saxutils import escape

COLUMNS, WIDTH, HEIGHT, HEAD = 6, 230, 170, 40
LEFT, RIGHT, TOP, BOTTOM = 24, 8, 20, 16  # margins of a panel
SIZES = {"64": 64, "1K": 1024, "32K": 32768, "1M": 1048576, "32M": 33554432}
LINES = {"exact": ("#202020", 'stroke-dasharray="5 3"'), "clock": ("#3182bd", ""), "cri": ("#e6550d", 'stroke-dasharray="2 2"')}
BAND = "#9ecae1"


def read_truths(path):
    """Of each kernel of a table what is said of it, as a dictionary, and its points as (lines, miss ratio)."""
    shared, *curves = path.read_text().split("\nkernel ")
    shared = dict(line.split(" ", 1) for line in shared.splitlines() if line)
    if shared["pluss-truth"] != "2" or int(shared["kernels"]) != len(curves):
        sys.exit(f"{path}: not a table of exact curves, or not a whole one")
    for curve in curves:
        kernel, *lines = curve.rstrip("\n").split("\n")
        head, points = {**shared, "kernel": kernel}, []
        for line in lines[:-1]:  # the last one says: end
            first, _, rest = line.partition(" ")
            if first.isdigit():
                points.append((int(first), float(rest.split()[0])))
            else:
                head[first] = rest
        yield head, points


def predict(command, nest, truth, model):
    words = [command, "predict", str(nest), "--together", "--json", "--model", model, "-T", truth["team"],
             "--schedule", truth["schedule"]]
    for value in truth["symbols"].split():
        words += ["-D", value]
    run = subprocess.run(words, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["curves"][0]


def at(steps, key, lines):
    """The value of a step function at a size, found by bisection."""
    sizes, lo, hi = steps["size_lines"], 0, len(steps["size_lines"])
    while hi - lo > 1:
        mid = (lo + hi) // 2
        lo, hi = (mid, hi) if sizes[mid] <= lines else (lo, mid)
    return steps[key][lo]


def text(x, y, what, size, anchor="middle"):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}">{escape(what)}</text>\n'


def line(points, stroke, more=""):
    return f'<polyline points="{points}" fill="none" stroke="{stroke}" stroke-width="1.2" {more}/>\n'


def panel(i, kernel, points, clock, cri):
    """The panel of number i: miss ratios in percent over bytes, on a logarithmic axis."""
    x0, y0 = i % COLUMNS * WIDTH + LEFT, i // COLUMNS * HEIGHT + HEAD + TOP
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    sizes, error, last = [lines for lines, _ in points], clock["standard_error"], max(points[-1][0], 2)

    def place(lines, percent):
        x, y = x0 + width * math.log2(lines) / math.log2(last), y0 + height * (1 - min(max(percent, 0), 100) / 100)
        return f"{x:.1f},{y:.1f}"

    def curve(values):
        return " ".join(place(size, percent) for size, percent in zip(sizes, values))

    clocks = [100 * at(clock, "miss_ratio", s) for s in sizes]
    errors = [200 * at(error, "miss_ratio", s) for s in sizes]
    upper = [place(s, m + e) for s, m, e in zip(sizes, clocks, errors)]
    lower = [place(s, m - e) for s, m, e in zip(sizes, clocks, errors)]
    out = text(x0 + width / 2, y0 - 6, kernel, 11)
    for percent in (0, 50, 100):
        _, y = place(1, percent).split(",")
        out += line(f"{x0},{y} {x0 + width},{y}", "#dddddd") + text(x0 - 3, float(y) + 3, str(percent), 8, "end")
    for name, size in SIZES.items():
        if size <= 64 * last:
            x, y = place(size / 64, 0).split(",")
            out += line(f"{x},{y} {x},{float(y) + 3}", "#808080") + text(x, float(y) + 12, name, 8)
    out += f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{BAND}"/>\n'
    values = {"cri": [100 * at(cri, "miss_ratio", s) for s in sizes], "clock": clocks, "exact": [100 * m for _, m in points]}
    return out + "".join(line(curve(v), *LINES[name]) for name, v in values.items())


def legend(i):
    x, y = i % COLUMNS * WIDTH + LEFT + 30, i // COLUMNS * HEIGHT + HEAD + TOP + 30
    out = ""
    for k, (name, how) in enumerate(LINES.items()):
        out += line(f"{x},{y + 20 * k} {x + 30},{y + 20 * k}", *how) + text(x + 38, y + 20 * k + 4, name, 11, "start")
    return (out + f'<rect x="{x}" y="{y + 55}" width="30" height="9" fill="{BAND}"/>\n'
            + text(x + 38, y + 64, "± 2 standard errors", 11, "start"))


def main(command, objects, folder, size, team, schedule, output):
    table = pathlib.Path(folder) / f"{size}-t{team}-{schedule.replace(',', '_')}"
    if not table.exists():
        sys.exit(f"panels.py: there is no table of exact curves {table}")
    panels = []
    for truth, points in sorted(read_truths(table), key=lambda curve: curve[0]["kernel"]):
        if "contents" in truth:
            continue
        nest = pathlib.Path(objects) / f"{truth['kernel']}.o"
        panels.append(panel(len(panels), truth["kernel"], points, predict(command, nest, truth, "clock"),
                            predict(command, nest, truth, "cri")))
    rows = (len(panels) + COLUMNS) // COLUMNS  # one panel more: the legend
    width, height = WIDTH * COLUMNS, HEIGHT * rows + HEAD
    title = f"miss ratio of a shared cache, %, by its size: {size}, {team} threads, schedule({schedule})"
    pathlib.Path(output).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n'
        + text(width / 2, 24, title, 15) + "".join(panels) + legend(len(panels)) + "</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    main(*sys.argv[1:])
