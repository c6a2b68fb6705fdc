#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of a picture of --svg against those of a report of --json: read off where the axis names a size.

usage: picture.py PICTURE.svg REPORT.json      (one panel, eight curves that differ in ts and in the schedule)
"""
import json
import math
import re
import sys
import xml.dom.minidom

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
picture = xml.dom.minidom.parse(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as file:
    curves = json.load(file)["curves"]
texts = [(t.firstChild.data, t) for t in picture.getElementsByTagName("text") if t.firstChild]
drawn = {p.firstChild.firstChild.data: p.getAttribute("d") for p in picture.getElementsByTagName("path") if p.firstChild}
rows = {float(name): float(t.getAttribute("y")) - 4.5 for name, t in texts if t.getAttribute("text-anchor") == "end" and t.getAttribute("y")}
columns = {int(m[1]) * UNITS[m[2]]: float(t.getAttribute("x")) for name, t in texts if (m := re.fullmatch(r"(\d+) (B|KiB|MiB)", name))}
least = min(rows)
octave = (max(columns.values()) - min(columns.values())) / math.log2(max(columns) / min(columns))
assert len(picture.getElementsByTagName("g")) == 1 and len(curves) == len(drawn) == 8, (len(curves), list(drawn))
assert len(columns) > 5 and len(rows) > 2, (columns, rows)
worst = 0
for curve in curves:
    label = f"T = 4, ts = {curve['values']['ts']}, {'dynamic, 1' if curve.get('schedule') else 'as written'}"
    points = [(float(x), float(y)) for x, y in re.findall(r"[MH]([\d.]+)[,V]([\d.]+)", drawn[label])]
    for size, x in columns.items():
        miss = [100 * m for s, m in zip(curve["size_lines"], curve["miss_ratio"]) if s <= size // curve["line_bytes"]][-1]
        height = [y for at, y in points if at <= x + octave / 128][-1]
        read = 100 * (least / 100) ** ((height - rows[100]) / (rows[least] - rows[100]))
        if miss > least:
            worst = max(worst, abs(math.log(read / miss)))
        else:
            assert abs(height - rows[least]) < 0.1, (label, size, read, miss)
print(f"largest difference {100 * worst:.2f} %")
assert worst < 0.01 # a tenth of a pixel
