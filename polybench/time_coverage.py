#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""time_coverage.py PLUSS OBJECT...: how much of each program's loops a compile-time model of reuse is given, as table 6.1
of Cascaval's thesis ("Compile-time performance prediction of scientific programs") counts it. A loop is

  full           subscripts and bounds of its references and loops are affine, the references to each array that it writes
                 have the same coefficients (all dependence distances are constant)
  partial        affine, but coefficients differ
  not available  something in it is unknown, or subscripts or bounds come out of memory or are not affine
  profiling      it has branches that depend on data

the first that holds of: not available, profiling, partial, full. Prints CSV, a row an object, and the sum."""
import os
import re
import subprocess
import sys

KINDS = ["full", "partial", "not available", "profiling"]


def coefficients(subscript, variables):
    """How the subscript changes with each variable; None: it is not affine in them."""
    names = set(re.findall(r"[A-Za-z_]\w*", subscript)) - {"min", "max"}
    if re.search(r"[\[/%?]|min|max", subscript):
        return None
    base = {name: 1009 + 7 * i for i, name in enumerate(sorted(names))}

    def at(**change):
        return eval(subscript, {}, {**base, **change})  # sums and products of numbers and names alone

    steps = []
    for v in variables:
        if v in names:
            first, second = at(**{v: 1}) - at(**{v: 0}), at(**{v: 5}) - at(**{v: 4})
            if first != second:
                return None
            steps.append((v, first))
    return tuple(steps)


def parse(text):
    """A tree of (line, children)."""
    root = ("", [])
    stack = [root]
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("}"):
            stack.pop()
        if line.endswith("{"):
            node = (line, [])
            stack[-1][1].append(node)
            stack.append(node)
        elif line and not line.startswith("}"):
            stack[-1][1].append((line, []))
    return root


def is_loop(line):
    return re.search(r"\bfor\b.*\bin\b", line)


def below(node):
    for child in node[1]:
        yield child
        yield from below(child)


def classify(loop):
    lines = [loop[0]] + [line for line, _ in below(loop)]
    heads = [line for line in lines if is_loop(line)]
    if any(line.startswith("unknown") for line in lines) or any("[" in h.split(" in ")[1].split("@")[0] for h in heads):
        return "not available"
    variables = [re.search(r"for `?(\w+)`? in", h).group(1) for h in heads]
    shapes = {}
    for line in lines:
        ref = re.match(r"(read|write|update)(?: atomic)? `?([\w.$]+)`?((?:\[.*\])?)", line)
        if ref:
            inner = ref.group(3)
            if re.search(r"\[[^\]]*\[", inner):
                return "not available"
            found = tuple(coefficients(s, variables) for s in re.findall(r"\[([^\]]*)\]", inner))
            if None in found:
                return "not available"
            shapes.setdefault(ref.group(2), []).append((ref.group(1) != "read", found))
    if any(line.startswith("branch") for line in lines):
        return "profiling"
    constant = all(len({found for _, found in refs}) == 1 or not any(write for write, _ in refs) for refs in shapes.values())
    return "full" if constant else "partial"


total = dict.fromkeys(KINDS, 0)
print("program,loops," + ",".join(KINDS))
for path in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], "nests", "--text", path], capture_output=True, text=True, check=True).stdout
    counts = dict.fromkeys(KINDS, 0)
    for node in below(parse(text)):
        if is_loop(node[0]):
            counts[classify(node)] += 1
    for kind in KINDS:
        total[kind] += counts[kind]
    name = os.path.basename(path).removesuffix(".ops.o").removesuffix(".o")
    print(f"{name},{sum(counts.values())}," + ",".join(str(counts[k]) for k in KINDS))
print(f"all,{sum(total.values())}," + ",".join(str(total[k]) for k in KINDS))
