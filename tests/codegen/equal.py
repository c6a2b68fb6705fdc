#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""equal.py A B: whether two files of private reuse intervals agree, reference by reference: bins to
the last count, cold and thread-first within 1e-9 of their sum (they are sums of fractions 1/k)."""
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["refs"]


a, b = (read(path) for path in sys.argv[1:3])
faults = [] if len(a) == len(b) and a else [f"{len(a)} references and {len(b)}"]
for x, y in zip(a, b):
    if x["ref"] != y["ref"] or x["bins"] != y["bins"]:
        faults.append(f"reference {x['ref']}: bins {x['bins'][:8]} and {y['bins'][:8]}")
    for key in ("cold", "thread_first"):
        if abs(x[key] - y[key]) > 1e-9 * max(1, abs(x[key])):
            faults.append(f"reference {x['ref']}: {key} {x[key]} and {y[key]}")
print("\n".join(faults))
sys.exit(bool(faults))
