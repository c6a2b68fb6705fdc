#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""time_accuracy.py BUILD KERNELS RESULTS [RUNS [CACHE]]: predicted running time against measured.

Measures this machine (pluss machine --measure), runs each kernel of time.csv out of the folder KERNELS with one thread
and with two, RUNS times (default 15), and predicts the same with pluss time; then the forms of forms/time_forms.c, of
which those of one kind are compared in pairs. Times of one thread are processor time, so that other programs do not
count; of the runs the median and the spread, half of the range of the middle two thirds. Speed-ups are one thread's
processor time by the time of day of two, of medians: they want a machine without other work, or to come before it (chrt -f 5).
CACHE: levels in place of the machine's (--cache). Writes
RESULTS/time.csv, RESULTS/time-forms.csv and RESULTS/time-machine.json, and prints the summary."""
import csv
import itertools
import json
import os
import re
import subprocess
import sys

build, kernels, results = (os.path.abspath(p) for p in sys.argv[1:4])
runs = sys.argv[4] if len(sys.argv) > 4 else "15"
cache = ["--cache", sys.argv[5]] if len(sys.argv) > 5 else []
here = os.path.dirname(os.path.abspath(__file__))
pluss = f"{build}/pluss"
machine = f"{results}/time-machine.json"
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


def measure(command, threads):
    """Medians with their spreads of processor time and of the time of day."""
    text = output(command, threads)
    times = [tuple(map(float, t)) for t in re.findall(r"T=\d+ ([\d.]+) s, ([\d.]+) s of processor", text)]
    return summarize([cpu for _, cpu in times]), summarize([elapsed for elapsed, _ in times])


for _ in range(2):  # the second one finds the processor awake
    output([pluss, "machine", "--measure", "--save", machine, "-o", os.devnull])
errors, differences = [], []
with open(f"{here}/time.csv", encoding="utf-8") as cases, open(f"{results}/time.csv", "w", encoding="utf-8") as out:
    out.write("kernel,symbols,measured_s,spread_s,predicted_s,predicted_error_s,relative_error,binds,"
              "speedup,speedup_spread,predicted_speedup,binds_2\n")
    for case in csv.DictReader(cases):
        name, symbols = case["kernel"], case["symbols"].split()
        command = [f"{kernels}/{name}", *symbols, "--time", runs]
        (measured, spread), _ = measure(command, 1)
        _, two = measure(command, 2)
        (predicted, error, binds), (less, _, binds_2) = predict(describe(name), symbols, (1, 2))
        errors.append(predicted / measured - 1)
        speedup, expected = measured / two[0], predicted / less
        differences.append(expected / speedup - 1)
        out.write(f"{name},{case['symbols']},{measured:.6f},{spread:.6f},{predicted:.6f},{error:.6f},{errors[-1]:.3f},{binds},"
                  f"{speedup:.3f},{speedup * (spread / measured + two[1] / two[0]):.3f},{expected:.3f},{binds_2}\n")
        out.flush()
sizes = sorted(abs(e) for e in errors)
print(f"{len(sizes)} kernels: mean error {100 * sum(sizes) / len(sizes):.1f} %, median {100 * sizes[len(sizes) // 2]:.1f} %, "
      f"within 20 %: {sum(e <= 0.2 for e in sizes)}, mean signed {100 * sum(errors) / len(errors):+.1f} %")
sizes = sorted(abs(d) for d in differences)
print(f"speed-ups of two threads: mean error {100 * sum(sizes) / len(sizes):.1f} %, median {100 * sizes[len(sizes) // 2]:.1f} %, "
      f"within 10 %: {sum(d <= 0.1 for d in sizes)}, mean signed {100 * sum(differences) / len(differences):+.1f} %")

subprocess.run(["gcc", *FLAGS, f"{here}/forms/time_forms.c", "-o", f"{kernels}/time_forms"], check=True)
described = describe("time_forms", f"{here}/forms")
names = re.findall(r"FORM\((\w+)\)", open(f"{here}/forms/time_forms.c", encoding="utf-8").read())[1:]
right = pairs = unclear = 0
with open(f"{results}/time-forms.csv", "w", encoding="utf-8") as out:
    out.write("form,n,measured_s,spread_s,predicted_s,predicted_error_s\n")
    found = {}
    for name in names:
        n = 400 if re.match("product|tiled", name) else 2000
        measured, spread = summarize([float(t) for t in output([f"{kernels}/time_forms", name, str(n), runs]).split()])
        predicted, error, _ = predict(described, [f"n={n}"], more=["--region", f"form_{name}"])[0]
        found[name] = measured, spread, predicted
        out.write(f"{name},{n},{measured:.6f},{spread:.6f},{predicted:.6f},{error:.6f}\n")
    for a, b in itertools.combinations(found, 2):
        if a.split("_")[0] == b.split("_")[0]:
            x, y = found[a], found[b]
            pairs += 1
            right += (x[0] < y[0]) == (x[2] < y[2])
            unclear += abs(x[0] - y[0]) <= x[1] + y[1]
print(f"{pairs} pairs of forms: {right} in the right order; {unclear} differ by no more than their spreads")
