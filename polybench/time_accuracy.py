#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""time_accuracy.py BUILD KERNELS RESULTS [RUNS [CACHE]]: predicted running time against measured.

Measures this machine (pluss machine --measure), runs the kernels of time.csv out of the folder KERNELS with one thread
and with two, and the forms of forms/time_forms.c, RUNS times (default 15; time_measure.py), and predicts the same with
pluss time. RUNS 0: nothing is measured, the machine and the runs are those of RESULTS/time-machine.json and
RESULTS/time-runs.csv. Times of one thread are processor time, so that other programs do not count; of the runs the
median and the spread, half of the range of the middle two thirds. Speed-ups are one thread's processor time by the time
of day of two, of medians: they want a machine without other work. Forms of one kind are compared in pairs, those whose
runs say which is faster: their medians differ by more than both spreads together. CACHE: levels in place of the
machine's (--cache). Writes RESULTS/time.csv and RESULTS/time-forms.csv, and prints the summary."""
import csv
import itertools
import json
import os
import subprocess
import sys

import time_measure

build, kernels, results = (os.path.abspath(p) for p in sys.argv[1:4])
runs = sys.argv[4] if len(sys.argv) > 4 else "15"
cache = ["--cache", sys.argv[5]] if len(sys.argv) > 5 else []
here = os.path.dirname(os.path.abspath(__file__))
pluss = f"{build}/pluss"
machine = f"{results}/time-machine.json"
measured_runs = f"{results}/time-runs.csv"
FLAGS = ["-std=c11", "-O2", "-g", "-ffp-contract=off", "-fopenmp"]  # as the Makefile's
PLUGIN = [f"-fplugin={build}/pluss.so", "-fplugin-arg-pluss-ops=on", "-fplugin-arg-pluss-notes=off"]


def output(command, threads=1):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
    return subprocess.run(command, check=True, text=True, capture_output=True, env=env).stdout


def describe(name, folder=here):
    """The object with nests and counts of operations."""
    subprocess.run(["gcc", *FLAGS, *PLUGIN, "-c", f"{folder}/{name}.c", "-o", f"{kernels}/{name}.ops.o"], check=True,
                   stderr=subprocess.DEVNULL)
    return f"{kernels}/{name}.ops.o"


def summarize(times):
    times = sorted(times)
    n = len(times)
    return times[n // 2], (times[min(n - 1, n * 5 // 6)] - times[n // 6]) / 2


def predict(path, symbols, threads=(1,), more=()):
    """For each number of threads: seconds, their error, and what binds most of the time."""
    command = [pluss, "time", path, "-T", ",".join(map(str, threads)), "--json", "--machine", machine, *cache, *more]
    for symbol in symbols:
        command += ["-D", symbol]
    regions = json.loads(output(command))["times"]
    found = []
    for i in range(len(threads)):
        teams = [region["teams"][i] for region in regions]
        longest = max(teams, key=lambda team: team["time_s"])
        binds = longest["binds"] + (" of " + longest["binds_level"] if "binds_level" in longest else "")
        found.append((sum(t["time_s"] for t in teams), sum(t["time_s_error"] ** 2 for t in teams) ** 0.5, binds))
    return found


def measure_all():
    """The machine, twice, as the second one finds the processor awake, and all runs."""
    subprocess.run(["gcc", *FLAGS, f"{here}/forms/time_forms.c", "-o", f"{kernels}/time_forms"], check=True)
    for path in (machine, measured_runs):
        if os.path.exists(path):
            os.remove(path)
    for _ in range(2):
        output([pluss, "machine", "--measure", "--save", machine, "-o", os.devnull])
    time_measure.main(kernels, measured_runs, runs)


def compare_kernels(measured):
    """Writes time.csv, and prints how far predictions of times and speed-ups are off."""
    errors, differences = [], []
    with open(f"{results}/time.csv", "w", encoding="utf-8") as out:
        out.write("kernel,symbols,runs,measured_s,spread_s,predicted_s,predicted_error_s,relative_error,binds,"
                  "speedup,speedup_spread,predicted_speedup,binds_2\n")
        for name, symbols, threads in time_measure.list_cases():
            one, two = (measured.get((name, symbols, n)) for n in (1, 2))
            if threads != 1 or name.startswith(time_measure.FORM) or not one or not two:
                continue
            (time_1, spread), (time_2, spread_2) = summarize([p for p, _ in one]), summarize([e for _, e in two])
            (predicted, error, binds), (less, _, binds_2) = predict(describe(name), symbols.split(), (1, 2))
            errors.append(predicted / time_1 - 1)
            speedup, expected = time_1 / time_2, predicted / less
            differences.append(expected / speedup - 1)
            out.write(f"{name},{symbols},{len(one)},{time_1:.6f},{spread:.6f},{predicted:.6f},{error:.6f},{errors[-1]:.3f},{binds},"
                      f"{speedup:.3f},{speedup * (spread / time_1 + spread_2 / time_2):.3f},{expected:.3f},{binds_2}\n")
            out.flush()
    for what, offs, least in (f"{len(errors)} kernels", errors, 20), ("speed-ups of two threads", differences, 10):
        sizes = sorted(abs(e) for e in offs)
        print(f"{what}: mean error {100 * sum(sizes) / len(sizes):.1f} %, median {100 * sizes[len(sizes) // 2]:.1f} %, "
              f"within {least} %: {sum(e <= least / 100 for e in sizes)}, mean signed {100 * sum(offs) / len(offs):+.1f} %")


def compare_forms(measured):
    """Writes time-forms.csv, and prints how many pairs are predicted in the order that is measured."""
    found = {}
    described = describe("time_forms", f"{here}/forms")
    with open(f"{results}/time-forms.csv", "w", encoding="utf-8") as out:
        out.write("form,n,measured_s,spread_s,predicted_s,predicted_error_s\n")
        for name, n in time_measure.list_forms():
            if not (times := measured.get((time_measure.FORM + name, f"n={n}", 1))):
                continue
            time_1, spread = summarize([p for p, _ in times])
            predicted, error, _ = predict(described, [f"n={n}"], more=["--region", f"form_{name}"])[0]
            found[name] = time_1, spread, predicted
            out.write(f"{name},{n},{time_1:.6f},{spread:.6f},{predicted:.6f},{error:.6f}\n")
            out.flush()
    kinds = {}
    for a, b in itertools.combinations(found, 2):
        if a.split("_")[0] == b.split("_")[0]:
            x, y = found[a], found[b]
            kind = kinds.setdefault(a.split("_")[0], [0, 0, 0])
            if abs(x[0] - y[0]) <= x[1] + y[1]:
                kind[2] += 1
                continue
            kind[1] += 1
            kind[0] += (x[0] < y[0]) == (x[2] < y[2])
    right, clear, unclear = (sum(k[i] for k in kinds.values()) for i in range(3))
    print(f"pairs of forms in the right order: {right} of {clear} ({', '.join(f'{k} {v[0]} of {v[1]}' for k, v in kinds.items())}); "
          f"{unclear} more differ by no more than their spreads")


if runs != "0":
    measure_all()
compare_kernels(time_measure.read_runs(measured_runs))
compare_forms(time_measure.read_runs(measured_runs))
