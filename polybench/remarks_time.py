#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""remarks_time.py PLUSS RESULT [RUNS]: what remarks on a loop cost: processor time of `pluss remarks` for teams of 1 and 16
threads, by the loops that it remarks on, median of RUNS (default 11), and of how many accesses' samples. The process's start is in it.
The target is 60 ms a loop."""
import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile

TARGET = 60
CACHES = "L1d=48K:ways=12,L2=1M:ways=16,L3=32M:ways=16:shared"
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "tests", "report", "programs")
LOOPS = [
    ("atax", HERE, "m=1900 n=2100"),
    ("mvt", HERE, "n=2000"),
    ("2mm", HERE, "ni=800 nj=900 nk=1100 nl=1200"),
    ("gemm", HERE, "ni=200 nj=200 nk=200"),
    ("gemm", HERE, "ni=1000 nj=1000 nk=1000"),
    ("jacobi-2d", HERE, "tsteps=500 n=1300"),
    ("syrk", HERE, "m=1000 n=1200"),
    ("heat-3d", HERE, "tsteps=500 n=120"),
    ("trmm", HERE, "m=1000 n=1200"),
    ("stencil", PROGRAMS, "n=1500"),
    ("tiles", PROGRAMS, "n=768 ts=192"),
    ("counters", PROGRAMS, "n=4000000"),
]


def processor_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime), out


def main():
    pluss, result = os.path.abspath(sys.argv[1]), sys.argv[2]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, source, values in LOOPS:
            made = os.path.join(folder, name + ".o")
            subprocess.run([pluss, "cc", "-O2", "-fopenmp", "-I", HERE, "-c", os.path.join(source, name + ".c"), "-o", made], check=True, stderr=subprocess.DEVNULL)
            command = [pluss, "remarks", made, "-T", "1,16", "--cache", CACHES, "--csv"]
            command += [word for value in values.split() for word in ("-D", value)]
            times = []
            for _ in range(runs):
                ms, out = processor_ms(command)
                times.append(ms)
            remarks = [r for r in csv.DictReader(out.splitlines()) if r["level"]]
            rows.append((name, values, len(remarks), statistics.median(times), min(times), max(times)))
        start = statistics.median(processor_ms([pluss, "--version"])[0] for _ in range(runs))
    with open(result, "w", encoding="utf-8") as file:
        print(f"# pluss remarks -T 1,16: ms of processor time, median of {runs} runs (least, most); start of a process: {start:.0f} ms\n"
              f"# {CACHES}\n{'nest':10} {'values':32} {'loops':>5} {'ms a loop':>9} {'ms':>7}", file=file)
        for name, values, loops, median, least, most in rows:
            print(f"{name:10} {values:32} {loops:5} {median / loops:9.1f} {median:7.1f} ({least:.0f}, {most:.0f})", file=file)
        above = [f"{name} {values}" for name, values, loops, median, _, _ in rows if median / loops > TARGET]
        print(f"# at most {TARGET} ms a loop: {len(rows) - len(above)} of {len(rows)}", *above, file=file)
    print(open(result, encoding="utf-8").read(), end="")


main()
