#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""time_measure.py KERNELS FILE RUNS [SECONDS [NAME...]]: running times of the kernels and forms of time_accuracy.py.

Runs the kernels of time.csv with one thread and with two, and the forms of forms/time_forms.c, out of the folder KERNELS,
five times after each other, those first that have the fewest runs, until each has RUNS. FILE has a line a run: it is
appended to, so that a machine's quiet minutes can be used as they come. SECONDS: no call begins after as many; NAME: these
kernels alone, and of "forms" all forms."""
import csv
import os
import re
import subprocess
import sys
import time

FIELDS = ["name", "symbols", "threads", "processor_s", "elapsed_s"]
AT_ONCE = 5
FORM = "form_"
here = os.path.dirname(os.path.abspath(__file__))


def list_forms():
    """(name, n): the forms, and their size."""
    text = open(f"{here}/forms/time_forms.c", encoding="utf-8").read()
    return re.findall(r"FORM\((\w+), (\d+)\)", text)


def list_cases():
    """(name, symbols, threads) of all that there is to run."""
    with open(f"{here}/time.csv", encoding="utf-8") as cases:
        kernels = [(c["kernel"], c["symbols"]) for c in csv.DictReader(cases)]
    return [(*k, threads) for k in kernels for threads in (1, 2)] + [(FORM + f, f"n={n}", 1) for f, n in list_forms()]


def read_runs(path):
    """Lists of (processor_s, elapsed_s) by case."""
    runs = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = row["name"], row["symbols"], int(row["threads"])
                runs.setdefault(key, []).append((float(row["processor_s"]), float(row["elapsed_s"])))
    return runs


def run(folder, case, times):
    """(processor_s, elapsed_s) of each run."""
    name, symbols, threads = case
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
    if name.startswith(FORM):
        command = [f"{folder}/time_forms", name[len(FORM):], symbols[2:], str(times)]
    else:
        command = [f"{folder}/{name}", *symbols.split(), "--time", str(times)]
    text = subprocess.run(command, check=True, text=True, capture_output=True, env=env).stdout
    found = re.findall(r"([\d.]+) s, ([\d.]+) s of processor", text)
    return [(float(processor), float(elapsed)) for elapsed, processor in found]


def main(folder, path, most, seconds=float("inf"), *names):
    end = time.monotonic() + float(seconds)
    cases = [c for c in list_cases() if not names or c[0] in names or "forms" in names and c[0].startswith(FORM)]
    runs = read_runs(path)
    new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        if new:
            out.writerow(FIELDS)
        for least in range(0, int(most), AT_ONCE):
            for case in cases:
                have = runs.setdefault(case, [])
                if len(have) > least or time.monotonic() > end:
                    continue
                for pair in run(folder, case, min(AT_ONCE, int(most) - len(have))):
                    have.append(pair)
                    out.writerow([*case, *(f"{s:.9f}" for s in pair)])
                file.flush()
    missing = sum(len(runs.get(c, [])) < int(most) for c in cases)
    if missing:
        print(f"{missing} of {len(cases)} cases have fewer than {most} runs", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
