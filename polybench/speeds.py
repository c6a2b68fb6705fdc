#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 1 and 3 of Jiang, Zhang, Tian and Shen (CC 2010), asked of this machine: relative speeds of programs that run side by side,
as they are and with every access recorded (mode=profile); of the two threads of a program, by time stamps (mode=time).

usage: speeds.py PLUSS OUT: OUT has KERNEL.native, KERNEL.profile, KERNEL.time (speeds.sh makes them). A program's speed is its
accesses in a second of processor time, median over its runs in a window of WINDOW seconds; each is kept on a core of its own."""
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

WINDOW = float(os.environ.get("WINDOW", "3"))
FIRST = {"gemm": "ni=128 nj=128 nk=128", "covariance": "m=120 n=120"}
SECOND = {"mvt": "n=1200", "jacobi-2d": "tsteps=10 n=400"}
SIZES = {"gemm": ["ni=96 nj=96 nk=96", "ni=192 nj=192 nk=192"], "jacobi-2d": ["tsteps=10 n=300", "tsteps=10 n=700"],
         "mvt": ["n=800", "n=1600"]}
pluss, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])


def command(kernel, mode, values, threads=1):
    return [str(out / ("%s.%s" % (kernel, mode))), "--threads", str(threads)] + values.split() + ["--time", "1"]


def environment(kernel, mode):
    return dict(os.environ, OMP_DYNAMIC="false", PLUSS_RECORD=str(out / ("speeds-%s.%s" % (kernel, mode))))


def count_accesses(kernel, values):
    record = Path(environment(kernel, "count")["PLUSS_RECORD"])
    record.unlink(missing_ok=True)
    subprocess.run(command(kernel, "profile", values), env=environment(kernel, "count"), check=True, stdout=subprocess.DEVNULL)
    return sum(int(line.split()[3]) for line in record.read_text().splitlines() if line.startswith("thread "))


def run_until(end, core, kernel, mode, values, seconds):
    """processor seconds of each run that begins before the end; at least one"""
    while True:
        done = subprocess.run(["taskset", "-c", str(core)] + command(kernel, mode, values), env=environment(kernel, mode),
                              check=True, capture_output=True, text=True)
        seconds.append(float(done.stdout.split()[-5]))
        if time.monotonic() > end:
            return


def side_by_side(mode, programs):
    """median processor seconds of each"""
    end, seconds = time.monotonic() + WINDOW, [[], []]
    runs = [threading.Thread(target=run_until, args=(end, core, kernel, mode, values, seconds[core]))
            for core, (kernel, values) in enumerate(programs)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    return [statistics.median(s) for s in seconds]


def load():
    return " ".join(Path("/proc/loadavg").read_text().split()[:3])


print("# %d processors, load average %s before" % (os.cpu_count(), load()))
print("# speed of the first program relative to the second, side by side: as they are, recorded, change in percent")
for a, of_a in FIRST.items():
    for b, of_b in SECOND.items():
        ratio = count_accesses(a, of_a) / count_accesses(b, of_b)
        r = []
        for mode in ("native", "profile"):
            first, second = side_by_side(mode, [(a, of_a), (b, of_b)])
            r.append(ratio * second / first)
        print("%-12s %-12s %6.2f %6.2f %6.1f" % (a, b, r[0], r[1], 100 * abs(r[0] - r[1]) / r[0]), flush=True)
print("# speed of thread 0 relative to thread 1 of one program, two sizes: rates of all runs, by time stamps")
for kernel, sizes in SIZES.items():
    for values in sizes:
        done = subprocess.run([str(pluss), "calibrate", "--runs", "8", "--machine", str(out / "speeds.json"), "--json"] +
                              command(kernel, "time", values, 2), capture_output=True, text=True,
                              env=dict(os.environ, OMP_DYNAMIC="false"))
        regions = json.loads(done.stdout)["calibrated"] if done.returncode == 0 else []
        for region in regions:
            rates = region["rates"]
            print("%-12s %-28s %6.3f  (%d runs, %d left out)" %
                  (kernel, values, rates[0] / rates[1], region["runs"], region["discarded"]), flush=True)
        if not regions:
            print("%-12s %-28s      -  (in each run a thread was kept from running for more than half of the time)" % (kernel, values),
                  flush=True)
print("# load average %s after" % load())
