#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas in L against formulas for lines of one size, which took no part in them: any_line.py ANY.json ONE.json L

Each text of a region's reuses has at random values of all names the same value in both, or it is another formula. Exit status 1,
and the text, where that is not so."""
import json
import math
import random
import re
import sys
from fractions import Fraction


def values_of(text, names):
    text = text.replace("^", "**").replace("<=", ",").replace(":", ",").replace(" = ", ", ")
    return eval(f"[{text}]", {"floor": math.floor}, names)


def main():
    any_line, one = (json.load(open(name))["regions"] for name in sys.argv[1:3])
    elements = int(sys.argv[3])
    rng = random.Random(19)
    compared = 0
    for a, b in zip(any_line, one, strict=True):
        symbols = {s["symbol"]: s for s in b.get("symbols", [])}
        for table in ("classes", "accesses"):
            for x, y in zip(a[table], b[table], strict=True):
                for key in x.keys() & {"iterations", "accesses", "distance", "condition"}:
                    if x[key] is None:
                        assert y[key] is None
                        continue
                    for _ in range(5):
                        names = {n: Fraction(rng.randrange(100)) for n in re.findall(r"[A-Za-z_]\w*", x[key] + y[key])}
                        names.update({n: Fraction((s.get("multiple_of") or 1) * rng.randrange(2, 40)) for n, s in symbols.items()})
                        names["L"] = Fraction(elements)
                        names.pop("floor", None)
                        assert values_of(x[key], names) == values_of(y[key], names), (key, x[key], y[key])
                        compared += 1
        for x, y in zip(a.get("symbols", []), b.get("symbols", []), strict=True):
            for key in ("least", "multiple_of"):
                assert (key in x) == (key in y) and values_of(str(x.get(key, 0)), {"L": elements}) == [y.get(key, 0)], (x, y)
    assert compared > 20, compared


if __name__ == "__main__":
    main()
