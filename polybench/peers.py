#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The prediction beside other ways to know a kernel's misses on one thread, in one run: milliseconds of processor time.

native: the kernel, run as it is. clock: the prediction. exact: the nest simulated, all sizes at once (pluss simulate). Olken: the
kernel compiled with a call for each access, a splay tree of last touches, all sizes at once (driver/olken.c); its misses have to
be those of exact. cachegrind: the kernel under valgrind, one cache. libCacheSim: its LRU through the module libcachesim from PyPI,
where Python finds it, one size of the footprint's half, the accesses read from a file that is made before.

Usage: BUILD=build polybench/peers.py [--size SMALL] [--runs 3] [KERNEL...]       (make -C polybench peers builds what it needs)
"""
import argparse
import bisect
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent.resolve()
BUILD = pathlib.Path(os.environ.get("BUILD", HERE.parent / "build")).resolve()
TOOLS = BUILD / "polybench"


def run(*command):
    """Its output and its processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"peers.py: {' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout, 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def values(kernel, size, *form):
    return run(HERE / "sizes.sh", kernel, size, *form)[0].split()


def libcachesim(kernel, size, lines):
    """Milliseconds of one LRU over the kernel's accesses; None: there is no such module."""
    try:
        import libcachesim
    except ImportError:
        return None
    first, ids = {}, []
    for access in run(TOOLS / f"{kernel}.counted", "--size", size, "--trace")[0].splitlines():
        name, offset, _ = access.split()
        ids.append((first.setdefault(name, len(first) << 40)) + int(offset) // 8)
    with tempfile.NamedTemporaryFile(suffix=".oracleGeneral.bin") as file:
        file.write(b"".join(struct.pack("<IQIq", i, one + 1, 1, -1) for i, one in enumerate(ids)))
        file.flush()
        reader = libcachesim.TraceReader(file.name, libcachesim.TraceType.ORACLE_GENERAL_TRACE)
        cache = libcachesim.LRU(max(lines // 2, 1))
        before = resource.getrusage(resource.RUSAGE_SELF)
        cache.process_trace(reader)
        after = resource.getrusage(resource.RUSAGE_SELF)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def check_olken(kernel, olken, curve):
    for point in olken:
        lines, misses = map(int, point.split(":"))
        at = curve["miss_ratio"][bisect.bisect_right(curve["size_lines"], lines) - 1]
        if round(at * curve["accesses"]) != misses:
            expected = at * curve["accesses"]
            sys.exit(f"peers.py: {kernel}: of {lines} lines Olken's tree counts {misses} misses, the simulation {expected:.0f}")


def row(kernel, size, runs):
    nest, bound = TOOLS / "nests" / f"{kernel}.o", values(kernel, size)
    least = lambda of: min(of() for _ in range(runs))
    native = least(lambda: 1e3 * float(run(TOOLS / kernel, "--size", size, "--threads", 1, "--time", 1)[0].split()[-5]))
    clock = float(run(TOOLS / "cost", nest, 1, "static", runs, "clock", *values(kernel, size, "raw"))[0].split()[1])
    simulate = (BUILD / "pluss", "simulate", nest, "--together", "-T", 1, "--cache", "none", "--json", *bound)
    curve = json.loads(run(*simulate)[0])["curves"][0]
    exact = least(lambda: run(*simulate)[1])
    words = run(TOOLS / f"{kernel}.olken", "--size", size, "--counts")[0].split()
    check_olken(kernel, words[6:], curve)
    under = ("valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null")
    grind = run(*under, TOOLS / kernel, "--size", size, "--threads", 1, "--time", 1)[1]
    other = libcachesim(kernel, size, curve["footprint_lines"])
    return curve["accesses"], native, clock, exact, 1e3 * float(words[3]), grind, other


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="SMALL")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("kernels", nargs="*", default=["gemm", "jacobi-2d", "lu", "mvt"])
    given = parser.parse_args()
    print(f"# {given.size}, one thread: milliseconds of processor time; {os.cpu_count()} processors")
    heads = ("native", "clock", "exact", "Olken", "cachegrind", "libCacheSim", "Olken/exact")
    print(f"{'kernel':16} {'accesses':>12} " + " ".join(f"{x:>{max(8, len(x))}}" for x in heads))
    for kernel in given.kernels:
        accesses, native, clock, exact, olken, grind, other = row(kernel, given.size, given.runs)
        print(f"{kernel:16} {accesses:12.0f} {native:8.1f} {clock:8.1f} {exact:8.1f} {olken:8.1f} {grind:10.0f} "
              f"{'-' if other is None else f'{other:.1f}':>11} {olken / exact:11.1f}", flush=True)


main()
