# SPDX-License-Identifier: GPL-3.0-or-later
"""loops.csv from what `pluss nests --json` says of each kernel; see loops.sh, which calls this.

Kernels' names on stdin, FOLDER/<kernel>.json for each. Usage: loops.py FOLDER
"""
import csv
import json
import re
import sys


def forest(region):
    """The region's loops by number, each with the parallel loop that it lies in, and whether it is innermost."""
    loops, path = {}, []
    for loop in region["loops"]:
        # text order: the parent is the last loop before it that lies less deep
        while path and path[-1]["depth"] >= loop["depth"]:
            path.pop()
        for outer in path[-1:]:
            outer["leaf"] = False
        path.append(loop)
        loop.update(leaf=True, own=0, top=next((outer["loop"] for outer in path if outer["parallel"]), None))
        loops[loop["loop"]] = loop
    return loops


def described(region, loops, refs):
    first = loops[0].get("line", 0)
    last = max([x.get("line", 0) for x in loops + refs])
    lacks = [f"{u['kind']}: {u['reason']}" for u in region["unknown"] if first <= u.get("line", 0) <= last]
    if lacks:
        return "; ".join(lacks)
    subscript_in_subscript = any(re.search(r"\[[^]]*\[", ref["text"]) for ref in refs)
    loaded_bound = any("[" in loop["from"] + loop["to"] for loop in loops)
    return "indirect" if subscript_in_subscript or loaded_bound else "affine"


def rows(kernel, regions):
    number = 0
    for region in regions:
        loops = forest(region)
        for top in [loop for loop in loops.values() if loop["top"] == loop["loop"]]:
            number += 1
            inside = [loop for loop in loops.values() if loop["top"] == top["loop"]]
            refs = [ref for ref in region["references"]
                    if ref["loop"] is not None and loops[ref["loop"]]["top"] == top["loop"]]
            for ref in refs:
                loops[ref["loop"]]["own"] += 1
            classes = [(sum(ref["sharing"] == name for ref in refs), name)
                       for name in ("none", "spatial", "full", "split")]
            yield [
                kernel, number, f"{top.get('file') or region.get('file')}:{top.get('line', 0)}",
                1 + max(loop["depth"] for loop in inside) - top["depth"], top["depth"], len(refs),
                " ".join(str(loop["own"]) for loop in inside if loop["leaf"]),
                " ".join(sorted({ref["array"] for ref in refs})),
                ", ".join(f"{count} {name}" for count, name in classes if count),
                described(region, inside, refs),
            ]


out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow("kernel loop place depth around references innermost arrays sharing described".split())
for name in sys.stdin.read().split():
    with open(f"{sys.argv[1]}/{name}.json") as file:
        out.writerows(rows(name, json.load(file)["regions"]))
