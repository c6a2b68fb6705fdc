#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Executes a loop-annotated trace and prints its reuse distances, as the paper's algorithm counts them (Razzak, Barai,
Santhi, Badawy, figure 2: the different places between two accesses; -1: none before): one line a distance, with how often it
occurs. Induction variables are not named in a trace: ~NAME is taken from the loops around it, whose names are given from the
outermost to the innermost of each nest in order of appearance. SYMBOL=NUMBER arguments are values.

    pluss nests --annotated FILE | tests/annotated/annotated.py i,j,k n=10
"""
import re
import sys

OPEN, CLOSE = "[", "]"


def split_items(text):
    """The items of a list, at its own commas."""
    depth, start, items = 0, 0, []
    for at, c in enumerate(text):
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            items.append(text[start:at].strip())
            start = at + 1
    return [i for i in items + [text[start:].strip()] if i]


def value_of(text, names):
    return eval(text.replace("/", "//"), {"min": min, "max": max}, names)


def parse(items, loops):
    out = []
    for item in items:
        if item.startswith(OPEN):
            inner = split_items(item[1:-1])
            iv = loops.pop(0)
            out.append((iv, inner[0], parse(inner[1:], loops)))
        elif item.startswith("{"):
            ways = item[1:-1].split(" | ")
            assert len(ways) == 1, item
            head, body = ways[0].split(": ", 1)
            out.append((None, head, parse(split_items(body), loops)))
        else:
            out.append(item)
    return out


def execute(tree, names, trace):
    for item in tree:
        if isinstance(item, str):
            head, *subscripts = item.split("~")
            trace.append((head, *(value_of(s, names) for s in subscripts)))
        elif item[0] is None:
            if value_of(item[1].replace("&&", " and "), names):
                execute(item[2], names, trace)
        else:
            iv, _, start = item[0].partition(":")
            first = value_of(start or "0", names)
            for t in range(max(0, value_of(item[1], names))):
                names[iv] = first + t
                execute(item[2], names, trace)


def distances(trace):
    last, counts = {}, {}
    for at, place in enumerate(trace):
        d = len(set(trace[last[place] + 1 : at])) if place in last else -1
        counts[d] = counts.get(d, 0) + 1
        last[place] = at
    return counts


def main():
    loops = sys.argv[1].split(",")
    names = {k: int(v) for k, v in (a.split("=") for a in sys.argv[2:])}
    text = re.sub(r"\s+", " ", sys.stdin.read()).split(": ", 1)[1]
    trace = []
    execute(parse(split_items(text), loops), names, trace)
    for d, n in sorted(distances(trace).items()):
        print(d, n)


if __name__ == "__main__":
    main()
