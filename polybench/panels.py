#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One picture with a small panel a kernel: the exact curve, the clock model with its band of two standard errors, and cri.

Every exact curve of the table TRUTH/SIZE-tTEAM-SCHEDULE makes a panel, if its kernel is predicted from the nest alone.
Needs gnuplot. Usage: panels.py PLUSS OBJECTS TRUTH SIZE TEAM SCHEDULE OUTPUT.svg
    PLUSS    the command; OBJECTS the folder with the kernels' objects; TRUTH the folder of the tables
"""
import json
import pathlib
import subprocess
import sys

COLUMNS, WIDTH, HEIGHT = 6, 230, 170
HEAD = """set terminal svg size {width},{height} dynamic background rgb 'white' font 'sans-serif,9'
set encoding utf8
set output '{output}'
set multiplot layout {rows},{columns} title "{title}" font ',12' margins 0.03,0.99,0.03,0.94 spacing 0.022,0.032
set logscale x 2
set yrange [0:100]
set border 3 lc rgb '#808080'
set xtics nomirror out scale 0.4 font ',7' (\\
    "64" 64, "1K" 1024, "32K" 32768, "1M" 1048576, "32M" 33554432)
set ytics nomirror out scale 0.4 font ',7' 50
set grid lc rgb '#eeeeee' lw 1 lt 1
unset key
"""
PANEL = """set title "{kernel}" noenhanced offset 0,-0.9 font ',9'
set xrange [64:{last}]
plot $band{i} using 1:2:3 with filledcurves lc rgb '#9ecae1' notitle, \\
     $cri{i} using 1:2 with lines lw 1 dt 3 lc rgb '#e6550d' notitle, \\
     $clock{i} using 1:2 with lines lw 1.2 lc rgb '#3182bd' notitle, \\
     $truth{i} using 1:2 with lines lw 1.2 dt 2 lc rgb '#202020' notitle
"""
LEGEND = """unset border
unset xtics
unset ytics
unset grid
unset title
unset logscale
set xrange [0:1]
set yrange [0:1]
set key center center Left reverse samplen 3 spacing 1.4 font ',10'
plot NaN with lines lw 1.5 dt 2 lc rgb '#202020' title 'exact', NaN with lines lw 1.5 lc rgb '#3182bd' title 'clock', \\
     NaN with lines lw 6 lc rgb '#9ecae1' title '± 2 standard errors', NaN with lines lw 1.5 dt 3 lc rgb '#e6550d' title 'cri'
unset multiplot
"""


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


def block(name, rows):
    text = "\n".join(" ".join(f"{x:.8g}" for x in row) for row in rows)
    return f"${name} << end_of_data\n{text}\nend_of_data\n"


def panel(i, kernel, points, clock, cri):
    sizes, error = [lines for lines, _ in points], clock["standard_error"]
    rows = [(64 * s, 100 * at(clock, "miss_ratio", s), 100 * at(error, "miss_ratio", s)) for s in sizes]
    return (block(f"truth{i}", [(64 * s, 100 * miss) for s, miss in points])
            + block(f"clock{i}", [(s, m) for s, m, _ in rows])
            + block(f"band{i}", [(s, max(m - 2 * e, 0), min(m + 2 * e, 100)) for s, m, e in rows])
            + block(f"cri{i}", [(64 * s, 100 * at(cri, "miss_ratio", s)) for s in sizes])
            + PANEL.format(i=i, kernel=kernel, last=64 * max(sizes[-1], 2)))


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
    script = HEAD.format(width=WIDTH * COLUMNS, height=HEIGHT * rows + 40, output=output, rows=rows, columns=COLUMNS,
                         title=f"miss ratio of a shared cache, %, by its size: {size}, {team} threads, schedule({schedule})")
    subprocess.run(["gnuplot", "-"], input=script + "".join(panels) + LEGEND, text=True, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    main(*sys.argv[1:])
