#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""stamps_check.py FILE: what the stamps of timed_program.c's first two runs must say (runtime/trace/format.h). Prints what is amiss."""
import struct
import sys

FORK, BEGIN, END, LOOP, ITER, DONE, BARRIER, GO = range(8)
data = open(sys.argv[1], "rb").read()
wrong = []


def require(holds, what):
    if not holds:
        wrong.append(what)


RUN, STAMPS, CHUNKS, STOPS, CLOCK = 1, 3, 4, 5, 6
require(data[:16] == b"pluss-trace\n".ljust(16, b"\0") and data[20:24] == struct.pack("<I", 64), "the head")
at, stamps, chunks, runs, stops, clock = 24, {}, {}, [], {}, None
while at < len(data):
    kind, size, n, run, thread, start, end = struct.unpack_from("<IIQIIQQ", data, at)
    at += 40
    entries = data[at : at + n * size]
    at += n * size
    if kind == STAMPS:
        for time, begun, loop, execution in struct.iter_unpack("<QQII", entries):
            stamps.setdefault((run, thread), []).append((time, begun, loop >> 24, loop & 0xFFFFFF, execution))
    elif kind == CHUNKS:
        for loop, execution, lo, hi in struct.iter_unpack("<IIQQ", entries):
            chunks.setdefault((run, loop, execution), []).append((lo, hi))
    elif kind == STOPS:
        stops[run] = n
    elif kind == RUN:
        runs.append((run, struct.unpack("<II", entries)[0], thread, start, end))
    elif kind == CLOCK:
        clock = (end - start, struct.unpack("<Q", entries)[0])
        require(at == len(data), "the clock is last")
require(clock and clock[0] > 0 and clock[1] > 0, "the clock goes")
tick = clock[1] / clock[0] if clock else 1
first = runs[:2]
require([r[0] for r in first] == [0, 1], "two runs, in order")
require([r[2] for r in first] == [2, 2], "of two threads")
for run, _, team, start, end in first:
    shares = {}
    for k in range(team):
        s = stamps.get((run, k), [])
        kinds = [x[2] for x in s]
        require(all(a[0] <= b[0] for a, b in zip(s, s[1:])), f"run {run}, thread {k}: times ascend")
        require(s and start <= s[0][0] and s[-1][0] <= end, f"run {run}, thread {k}: within the run")
        require(kinds.count(FORK) == (k == 0) and kinds.count(BEGIN) == kinds.count(END) == 1, "one team")
        loops = [x[3] for x in s if x[2] == LOOP]
        require(loops == [0, 1, 2, 3], f"run {run}, thread {k}: each loop in its order: {loops}")
        for x in s:
            if x[2] == DONE:
                shares[x[3]] = shares.get(x[3], 0) + x[1]
        # behind the first loop, the single, the explicit one, the dynamic loop, the sections
        require(kinds.count(BARRIER) == kinds.count(GO) == 5, f"run {run}, thread {k}: {kinds.count(BARRIER)} barriers")
        iterations = [x for x in s if x[2] == ITER and x[3] == 0]
        require(len(iterations) == 80, f"run {run}, thread {k}: long iterations are stamped each: {len(iterations)}")
        require([x[1] for x in iterations] == list(range(1, 81)), "and counted")
        require(all((b[0] - a[0]) * tick > 99000 for a, b in zip(iterations, iterations[1:])), "and take 100 us")
        short = sum(x[2] == ITER and x[3] == 1 for x in s)
        require(short < 5000, f"short iterations are thinned: {short} of 20000")
    require(shares == {0: 160, 1: 40000, 2: 30, 3: 3}, f"run {run}: shares make up the loops: {shares}")
    arrive = [[x[0] for x in stamps[run, k] if x[2] == BARRIER] for k in range(team)]
    go = [[x[0] for x in stamps[run, k] if x[2] == GO] for k in range(team)]
    for b in range(5):
        require(max(a[b] for a in arrive) <= min(g[b] for g in go), f"run {run}: nobody passes barrier {b} early")
    dynamic = sorted(chunks.get((run, 2, 0), []))
    taken = [i for lo, hi in dynamic for i in range(lo, hi)]
    require(taken == list(range(30)), f"run {run}: who took what of the dynamic loop: {dynamic}")
for i in range(2, len(runs)): # one that the program's end cut short
    require(any(x[2] == ITER for k in range(2) for x in stamps.get((runs[i][0], k), [])), "a run that was cut short has stamps")
print("\n".join(wrong))
print(f"runs {len(runs)} stops {sum(stops.values())}")
