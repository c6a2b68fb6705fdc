#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""time_accuracy.py BUILD KERNELS RESULTS [RUNS [CACHE]]: predicted running time against measured.

Measures this machine (pluss machine --measure), runs each kernel of time.csv out of the folder KERNELS with one thread,
RUNS times (default 15), and predicts the same with pluss time; then the forms of forms/time_forms.c, of which those of one
kind are compared in pairs. Processor time, so that other programs do not count; of the runs the median and the spread,
half of the range of the middle two thirds. CACHE: levels in place of the machine's (--cache), where others use its
last level, too. Writes RESULTS/time.csv, RESULTS/time-forms.csv and RESULTS/time-machine.json, and prints the summary."""
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
alone = dict(os.environ, OMP_NUM_THREADS="1")


def output(command):
    return subprocess.run(command, check=True, text=True, capture_output=True, env=alone).stdout


def describe(name):
    """The object with nests and counts of operations."""
    subprocess.run(["gcc", *FLAGS, *PLUGIN, "-c", f"{here}/{name}.c", "-o", f"{kernels}/{name}.ops.o"], check=True,
                   stderr=subprocess.DEVNULL)
    return f"{kernels}/{name}.ops.o"


def summarize(times):
    times = sorted(times)
    n = len(times)
    return times[n // 2], (times[min(n - 1, n * 5 // 6)] - times[n // 6]) / 2


def predict(path, symbols, more=()):
    """Seconds, their error, and what binds most of the time."""
    command = [pluss, "time", path, "-T", "1", "--json", "--machine", machine, *cache, *more]
    for symbol in symbols:
        command += ["-D", symbol]
    teams = [region["teams"][0] for region in json.loads(output(command))["times"]]
    longest = max(teams, key=lambda team: team["time_s"])
    binds = longest["binds"] + (" of " + longest["binds_level"] if "binds_level" in longest else "")
    return sum(t["time_s"] for t in teams), sum(t["time_s_error"] ** 2 for t in teams) ** 0.5, binds


for _ in range(2):  # the second one finds the processor awake
    output([pluss, "machine", "--measure", "--save", machine, "-o", os.devnull])
errors = []
with open(f"{here}/time.csv", encoding="utf-8") as cases, open(f"{results}/time.csv", "w", encoding="utf-8") as out:
    out.write("kernel,symbols,measured_s,spread_s,predicted_s,predicted_error_s,relative_error,binds\n")
    for case in csv.DictReader(cases):
        name, symbols = case["kernel"], case["symbols"].split()
        text = output([f"{kernels}/{name}", *symbols, "--time", runs])
        measured, spread = summarize([float(t) for t in re.findall(r"([\d.]+) s of processor", text)])
        predicted, error, binds = predict(describe(name), symbols)
        errors.append(predicted / measured - 1)
        out.write(f"{name},{case['symbols']},{measured:.6f},{spread:.6f},{predicted:.6f},{error:.6f},{errors[-1]:.3f},{binds}\n")
        out.flush()
sizes = sorted(abs(e) for e in errors)
print(f"{len(sizes)} kernels: mean error {100 * sum(sizes) / len(sizes):.1f} %, median {100 * sizes[len(sizes) // 2]:.1f} %, "
      f"within 20 %: {sum(e <= 0.2 for e in sizes)}, mean signed {100 * sum(errors) / len(errors):+.1f} %")

subprocess.run(["gcc", *FLAGS, f"{here}/forms/time_forms.c", "-o", f"{kernels}/time_forms"], check=True)
described = describe("time_forms")
names = re.findall(r"FORM\((\w+)\)", open(f"{here}/forms/time_forms.c", encoding="utf-8").read())[1:]
right = pairs = unclear = 0
with open(f"{results}/time-forms.csv", "w", encoding="utf-8") as out:
    out.write("form,n,measured_s,spread_s,predicted_s,predicted_error_s\n")
    found = {}
    for name in names:
        n = 400 if re.match("product|tiled", name) else 2000
        measured, spread = summarize([float(t) for t in output([f"{kernels}/time_forms", name, str(n), runs]).split()])
        predicted, error, _ = predict(described, [f"n={n}"], ["--region", f"form_{name}"])
        found[name] = measured, spread, predicted
        out.write(f"{name},{n},{measured:.6f},{spread:.6f},{predicted:.6f},{error:.6f}\n")
    for a, b in itertools.combinations(found, 2):
        if a.split("_")[0] == b.split("_")[0]:
            x, y = found[a], found[b]
            pairs += 1
            right += (x[0] < y[0]) == (x[2] < y[2])
            unclear += abs(x[0] - y[0]) <= x[1] + y[1]
print(f"{pairs} pairs of forms: {right} in the right order; {unclear} differ by no more than their spreads")
