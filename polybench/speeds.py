#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 1 and 3 of Jiang, Zhang, Tian and Shen (CC 2010), asked of this machine: relative speeds of programs that run side by side,
as they are and with every access recorded (mode=profile), and of the two threads of a program, at two sizes.

usage: speeds.py OUT: OUT has KERNEL.native and KERNEL.profile (speeds.sh makes them). A speed is accesses in a second of processor time of
its own, as an IPC is instructions in cycles of its own, so that it does not matter how long something had to wait for a processor, but
for what others leave of the caches. Programs: medians over the runs in a window of WINDOW seconds, each program on a core of its own.
Threads: medians over RUNS runs of a process, each thread on a core of its own. All of it REPEATS times: median, least, greatest."""
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

WINDOW = float(os.environ.get("WINDOW", "2"))
RUNS = int(os.environ.get("RUNS", "20"))
REPEATS = int(os.environ.get("REPEATS", "5"))
FIRST = {"gemm": "ni=128 nj=128 nk=128", "covariance": "m=120 n=120"}
SECOND = {"mvt": "n=1200", "jacobi-2d": "tsteps=10 n=400"}
SIZES = {"gemm": ["ni=128 nj=128 nk=128", "ni=256 nj=256 nk=256"], "covariance": ["m=240 n=240", "m=480 n=480"],
         "jacobi-2d": ["tsteps=10 n=400", "tsteps=10 n=1000"], "mvt": ["n=1000", "n=2400"]}
out = Path(sys.argv[1])


def run(kernel, mode, values, threads, *more, prefix=()):
    """lines of a run; the record of one that records goes to speeds-KERNEL.MODE"""
    environment = dict(os.environ, OMP_DYNAMIC="false", OMP_WAIT_POLICY="passive", OMP_PLACES="cores",
                       PLUSS_RECORD=str(out / ("speeds-%s.%s" % (kernel, mode))))
    if threads > 1:
        environment["OMP_PROC_BIND"] = "true"
    return subprocess.run([*prefix, str(out / ("%s.%s" % (kernel, mode))), "--threads", str(threads), *values.split(), *more], check=True,
                          env=environment, capture_output=True, text=True).stdout.splitlines()


def count_accesses(kernel, values, threads):
    """of each thread"""
    record = out / ("speeds-%s.profile" % kernel)
    record.unlink(missing_ok=True)
    run(kernel, "profile", values, threads, "--time", "1")
    counts = [0] * threads
    for line in record.read_text().splitlines():
        if line.startswith("thread "):
            counts[int(line.split()[1])] += int(line.split()[3])
    return counts


def run_until(end, core, kernel, mode, values, seconds):
    """processor seconds of each run that begins before the end; at least one"""
    while True:
        line = run(kernel, mode, values, 1, "--time", "1", prefix=("taskset", "-c", str(core)))[-1]
        seconds.append(float(line.split()[-5]))
        if time.monotonic() > end:
            return


def side_by_side(mode, programs):
    """median processor seconds of each"""
    end, seconds = time.monotonic() + WINDOW, [[], []]
    runs = [threading.Thread(target=run_until, args=(end, core, kernel, mode, values, seconds[core]))
            for core, (kernel, values) in enumerate(programs)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    return [statistics.median(s) for s in seconds]


def thread_seconds(kernel, values):
    """median processor seconds of threads 0 and 1"""
    seconds = [[], []]
    for line in run(kernel, "native", values, 2, "--time", str(RUNS), "--each-thread"):
        found = re.search(r" thread (\d): ([0-9.]+) s of processor time$", line)
        if found:
            seconds[int(found[1])].append(float(found[2]))
    return [statistics.median(s) for s in seconds]


def spread(values, digits=2):
    return "%.*f [%.*f, %.*f]" % (digits, statistics.median(values), digits, min(values), digits, max(values))


def load():
    return " ".join(Path("/proc/loadavg").read_text().split()[:3])


print("# %d processors, load average %s before; of each %d: median [least, greatest]" % (os.cpu_count(), load(), REPEATS))
print("# speed of the first program relative to the second, side by side: as they are, recorded, change in percent")
for a, of_a in FIRST.items():
    for b, of_b in SECOND.items():
        ratio = count_accesses(a, of_a, 1)[0] / count_accesses(b, of_b, 1)[0]
        r = {"native": [], "profile": []}
        for _ in range(REPEATS):
            for mode, of_mode in r.items():
                first, second = side_by_side(mode, [(a, of_a), (b, of_b)])
                of_mode.append(ratio * second / first)
        change = [100 * abs(x - y) / x for x, y in zip(r["native"], r["profile"])]
        print("%-10s %-9s  %-19s  %-19s  %s" % (a, b, spread(r["native"]), spread(r["profile"]), spread(change, 0)), flush=True)
print("# speed of thread 0 relative to thread 1 of one program, at two sizes")
for kernel, sizes in SIZES.items():
    for values in sizes:
        counts = count_accesses(kernel, values, 2)
        ratios = []
        for _ in range(REPEATS):
            first, second = thread_seconds(kernel, values)
            ratios.append(counts[0] / first / (counts[1] / second))
        print("%-10s %-22s  %s" % (kernel, values, spread(ratios, 3)), flush=True)
print("# load average %s after" % load())
