#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mark_journal.py FROM TO: the journal of a sweep with the word MARKED in the last column of each cell's first row."""
import re
import sys


def hash_of(rows, cell):
    h = 0xCBF29CE484222325 ^ cell
    for byte in rows:
        h = ((h ^ byte) * 0x100000001B3) % 2**64
    return h


data = open(sys.argv[1], "rb").read()
end = data.index(b"\n") + 1
out = data[:end]
while match := re.compile(rb"cell (\d+) (\d+) (\d+) ([0-9a-f]{16})\n").match(data, end):
    cell, length = int(match[1]), int(match[2])
    rows = data[match.end() : match.end() + length]
    if hash_of(rows, cell) != int(match[4], 16):
        sys.exit(f"cell {cell}: another hash")
    rows = rows.replace(b"\n", b"MARKED\n", 1)
    out += b"cell %d %d %s %016x\n" % (cell, len(rows), match[3], hash_of(rows, cell)) + rows
    end = match.end() + length
open(sys.argv[2], "wb").write(out)
