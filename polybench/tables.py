#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of README.md and docs/accuracy.md, made from results/.

usage: tables.py [--write]

Each table of a document that is preceded by a line `<!-- tables.py: NAME -->` is made anew from the recorded results;
sentences with figures in them are looked for. Without --write it is a TAP test: nothing is changed, and what differs is
said. With --write the tables are replaced; sentences are left to the writer.
"""
import csv
import re
import statistics
import sys
from pathlib import Path

POLYBENCH = Path(__file__).resolve().parent
RESULTS = POLYBENCH / "results"
SIZES = ["SMALL", "MEDIUM", "T64"]
SCHEDULES = ["static", "static,1", "static,8", "dynamic,1", "guided"]
MODELS = ["clock", "clock-ri", "clock-sd", "cri", "cri@4", "cri-line", "ri-random"]


def rows(name):
    with open(RESULTS / name, newline="") as file:
        return list(csv.DictReader(file))


class Accuracy:
    """accuracy.csv: rows by (size, team, schedule), then by model."""

    def __init__(self):
        self.cases = {}
        for row in rows("accuracy.csv"):
            case = row["size"], int(row["team"]), row["schedule"]
            self.cases.setdefault(case, {}).setdefault(row["model"], []).append(row)

    def order(self):
        return sorted(self.cases, key=lambda c: (SIZES.index(c[0]), c[1], SCHEDULES.index(c[2])))

    def cell(self, case, model):
        """mean (worst) over the kernels, and of how many if not of all; - where there is none"""
        if model == "cri@4" and case[1] == 4:
            model = "cri"
        errors = [float(row["mae_strict"]) for row in self.cases[case].get(model, [])]
        if not errors:
            return "-"
        of = "" if len(errors) == len(self.cases[case]["clock"]) else " of %d" % len(errors)
        return "%.2f (%.2f)%s" % (sum(errors) / len(errors), max(errors), of)

    def held(self, case):
        """per cent of the sizes at which the stated error of clock holds the truth"""
        clock = self.cases[case]["clock"]
        return "%.1f %%" % (100 * sum(int(r["in_95"]) for r in clock) / sum(int(r["points"]) for r in clock))


def accuracy():
    a = Accuracy()
    yield ["size, threads", "schedule", "clock", "truth in 95 %"] + MODELS[1:]
    for case in a.order():
        cells = [a.cell(case, model) for model in MODELS]
        yield ["%s, %d" % case[:2], case[2], cells[0], a.held(case)] + cells[1:]


def indirect():
    models = ["lines", "cri-line", "cri"]
    found = {}
    for row in rows("indirect.csv"):
        key = row["kernel"], row["size"], int(row["team"]), row["schedule"]
        found.setdefault(key, {})[row["model"]] = "%.2f (%.2f)" % (float(row["mae_strict"]), float(row["mae_64"]))
    yield ["kernel, size, threads", "schedule"] + models
    for key in sorted(found, key=lambda k: (k[0], SIZES.index(k[1]), k[2], SCHEDULES.index(k[3]))):
        if key[2] > 2 and key[3] != "static,8":
            yield ["%s %s, %d" % key[:3], key[3]] + [found[key][model] for model in models]


REAL = {"uniform": "uniform", "round-robin": "round robin", "mixed": "mixed", "usual": "usual rates", "rates": "rates alone",
        "calibrated": "calibrated", "other": "another run", "recorded": "as recorded"}


def real_errors():
    kernels, errors, runs = [], {}, {}
    for row in rows("accuracy-real.csv"):
        if row["kernel"] not in kernels:
            kernels.append(row["kernel"])
        errors[row["kernel"], row["prediction"]] = float(row["mae"])
        runs[row["kernel"]] = int(row["runs"]) - int(row["discarded"])
    return kernels, errors, runs


def real():
    kernels, errors, runs = real_errors()
    yield ["", "runs"] + list(REAL.values())
    for kernel in kernels:
        yield [kernel, str(runs[kernel])] + ["%.2f" % errors[kernel, p] for p in REAL]
    for name, of in (("mean", lambda x: sum(x) / len(x)), ("worst", max)):
        yield [name + " accuracy, %", ""] + ["%.2f" % (100 - of([errors[k, p] for k in kernels])) for p in REAL]


def slices():
    yield ["", "an access, ns", "a slice, accesses", "slices", "slices, 4,000,000", "uniform", "mixed", "one after another"]
    for row in rows("slices.csv"):
        yield [row["kernel"], row["access_ns"], "{:,}".format(int(row["slice_accesses"])), row["slices"], row["usual_slices"],
               row["uniform"], row["mixed"], row["sequential"]]


OPTIONS = ["sequential", "O2-scalar", "O2", "O3"]


def callgrind_cases():
    """((size, options, level), kernel: (counted, deviation of the walk, of the prediction or None)), deviations in percent"""
    found = {}
    for row in rows("callgrind.csv"):
        counted = int(row["counted"])
        off = [100 * (float(row[name]) - counted) / counted if row[name] else None for name in ("simulated", "predicted")]
        found.setdefault((row["size"], row["options"], row["level"]), {})[row["kernel"]] = counted, *off
    return sorted(found.items(), key=lambda item: (SIZES.index(item[0][0]), OPTIONS.index(item[0][1]), item[0][2]))


def callgrind():
    yield ["size", "options", "level", "kernels", "walk: median", "mean", "within 1 %", "prediction: median", "mean", "within 3 %"]
    for key, kernels in callgrind_cases():
        cells = []
        for column, most in ((1, 1), (2, 3)):
            off = [abs(case[column]) for case in kernels.values() if case[column] is not None]
            cells += ["%.2f %%" % statistics.median(off), "%.2f %%" % statistics.mean(off),
                      "%d of %d" % (sum(x <= most for x in off), len(off))]
        yield list(key) + [str(len(kernels))] + cells


def callgrind_deviations():
    yield ["size", "options", "level", "walk off by more than 1 %, in percent of the misses counted"]
    for key, kernels in callgrind_cases():
        off = sorted((case[1], kernel) for kernel, case in kernels.items() if abs(case[1]) > 1)
        yield list(key) + [", ".join("%s %+.1f" % (kernel, x) for x, kernel in off) or "none"]


def levels():
    """Misses of a level, predicted against simulated."""
    yield ["T", "level", "cases", "off by, in % of all accesses: mean", "95th percentile", "worst", "within 1.96 errors",
           "with more than 1 miss in 1,000 (L1) or 10,000 accesses", "off by, in % of the misses: median", "95th percentile", "worst"]
    cases = {}
    for row in rows("levels.csv"):
        figures = [float(row[name]) for name in ("accesses", "simulated", "predicted", "error")]
        cases.setdefault((int(row["team"]), row["level"]), []).append(figures)
    for (team, level), some in sorted(cases.items()):
        off = sorted(100 * abs(predicted - simulated) / accesses for accesses, simulated, predicted, _ in some)
        held = sum(abs(predicted - simulated) <= 1.96 * error + 0.5 for _, simulated, predicted, error in some)
        least = 1e-3 if level == "L1" else 1e-4
        part = sorted(100 * abs(predicted - simulated) / simulated
                      for accesses, simulated, predicted, _ in some if simulated > least * accesses)
        cells = [statistics.mean(off), off[len(off) * 95 // 100], off[-1], 100 * held / len(off)]
        parts = [statistics.median(part), part[len(part) * 95 // 100], part[-1]]
        yield [str(team), level, str(len(some))] + ["%.3f" % x for x in cells[:3]] + ["%.1f %%" % cells[3], str(len(part))] + \
              ["%.2f" % x for x in parts]


def crd():
    """crd on all kernels, beside the models that accuracy.csv has."""
    a, of_crd = Accuracy(), {}
    for row in rows("accuracy-crd.csv"):
        of_crd.setdefault((row["size"], int(row["team"]), row["schedule"]), []).append(float(row["mae_strict"]))
    yield ["size, threads", "schedule", "crd", "cri", "cri-line", "clock"]
    for case in a.order():
        if case in of_crd:
            errors = of_crd[case]
            yield ["%s, %d" % case[:2], case[2], "%.2f (%.2f)" % (sum(errors) / len(errors), max(errors))] + \
                  [a.cell(case, model) for model in ("cri", "cri-line", "clock")]


def crd_recorded():
    models, found = ["crd", "cri", "cri-line", "clock"], {}
    for row in rows("crd-recorded.csv"):
        key = row["kernel"], row["symbols"], int(row["team"]), row["order"]
        found.setdefault(key, {})[row["model"]] = "%.2f (%.2f)" % (float(row["mae"]), float(row["mae_64"]))
        if row["model"].startswith("crd"):
            found[key][row["model"] + " accuracy"] = "%.1f %%" % float(row["accuracy"])
    yield ["program", "threads", "order"] + models + ["accuracy of crd", "of crd, each thread"]
    for (kernel, symbols, team, order), cells in sorted(found.items(), key=lambda item: item[0][3], reverse=True):
        yield ["%s, %s" % (kernel, symbols), str(team), order] + [cells.get(column, "-") for column in models + ["crd accuracy", "crd-threads accuracy"]]


def fold():
    found = {}
    for row in rows("fold.csv"):
        found.setdefault((row["level"], int(row["threads"])), []).append(row)
    yield ["level", "threads", "exact", "same nest as that of 1", "most memory", "refused"]
    for (level, threads), group in found.items():
        refused = [row["kernel"] for row in group if row["status"] != "0"]
        same = "-" if threads == 1 else "%d" % sum(row["same"] == "yes" for row in group)
        most = max(int(row["mb"]) for row in group)
        yield [level, str(threads), "%d of %d" % (len(group) - len(refused), len(group)), same, "%d MB" % most, ", ".join(refused)]


def fold_predict():
    table = list(rows("fold-predict.csv"))
    yield ["threads", "as many accesses as the plugin's nest", "mean error at SMALL 0.0000", "at 100 times the accesses of the largest run", "of predictions at LARGE", "not"]
    for threads in sorted({row["threads"] for row in table if row["threads"]}, key=int):
        group = [row for row in table if row["threads"] == threads]
        same = [row for row in group if row["mae_alike"]]
        cells = [threads, "%d of %d" % (len(same), len(group))]
        off = []
        for column in "mae_alike", "mae_100", "mae_large":
            some = [row for row in same if row[column]]
            off = [row for row in some if float(row[column]) > 0]
            cells.append("%d of %d" % (len(some) - len(off), len(some)))
        yield cells + [", ".join("%s %.4f" % (row["kernel"], float(row["mae_large"])) for row in off)]


def sentences():
    """(document, words that must be in it)"""
    a = Accuracy()
    for model, words in ("clock", "%.2f to %.2f points, %.2f for the worst kernel"), ("cri", "%.2f to %.2f, %.2f for the worst"):
        cells = [re.findall(r"[\d.]+", a.cell(case, model)) for case in a.order() if case[2] == "static"]
        means = [float(cell[0]) for cell in cells]
        yield "README.md", words % (min(means), max(means), max(float(cell[1]) for cell in cells))
    kernels, errors, _ = real_errors()
    mean = {p: sum(errors[k, p] for k in kernels) / len(kernels) for p in REAL}
    worst = {p: max(errors[k, p] for k in kernels) for p in REAL}
    both = lambda p: "%.2f points (%.2f)" % (mean[p], worst[p])
    yield "README.md", "%d programs" % len(kernels)
    yield "README.md", both("calibrated") + " calibrated"
    yield "README.md", "%.2f (%.2f) not" % (mean["usual"], worst["usual"])
    yield "README.md", "%.2f (%.2f) off" % (mean["other"], worst["other"])

    text = (RESULTS / "large.txt").read_text()
    native, count, profile, profiled, further = re.search(
        r"native / prediction ([\d.]+) \((\d+) kernels\), profile / prediction ([\d.]+) \((\d+) kernels\); "
        r"T = 16: ([\d.]+) ms", text).groups()
    yield "README.md", "%.0f times less than running the kernel on two threads" % float(native)
    yield "README.md", "%.0f times less than recording its accesses" % float(profile)
    yield "docs/accuracy.md", "%s times faster than the kernel itself (%s kernels" % (native, count)
    yield "docs/accuracy.md", "%.0f times faster than recording every access (%s kernels)" % (float(profile), profiled)
    yield "docs/accuracy.md", "T = 16, takes %.0f ms on average" % float(further)


TABLES = {"crd": crd, "crd_recorded": crd_recorded, "fold": fold, "fold_predict": fold_predict, "accuracy": accuracy, "indirect": indirect, "real": real, "slices": slices, "callgrind": callgrind, "levels": levels,
          "callgrind_deviations": callgrind_deviations}


def markdown(table):
    lines = [("| " + " | ".join(row) + " |").replace("|  |", "| |") for row in table]
    return [lines[0], "|" + "---|" * (lines[0].count("|") - 1)] + lines[1:]


def remade(text):
    """the document with its tables made anew, and their names"""
    out, names, skipping = [], [], False
    for line in text.split("\n"):
        if skipping and line.startswith("|"):
            continue
        skipping = False
        out.append(line)
        mark = re.fullmatch(r"<!-- tables.py: (\w+) -->", line)
        if mark:
            names.append(mark[1])
            out += markdown(TABLES[mark[1]]())
            skipping = True
    return "\n".join(out), names


def main():
    write = sys.argv[1:] == ["--write"]
    if sys.argv[1:] and not write:
        sys.exit(__doc__)
    failed, seen = False, set()
    for name in ("README.md", "docs/accuracy.md"):
        path = POLYBENCH.parent / name
        text = path.read_text()
        new, tables = remade(text)
        seen.update(tables)
        if write:
            path.write_text(new)
        elif new == text:
            print("ok - tables of %s are those of the recorded results: %s" % (name, ", ".join(tables)))
        else:
            failed = True
            print("not ok - tables of %s are those of the recorded results" % name)
            for old, made in zip(text.split("\n"), new.split("\n")):
                if old != made:
                    print("    %s\n    recorded: %s" % (old, made))
                    break
    if write:
        return
    for table in sorted(set(TABLES) - seen):
        failed = True
        print("not ok - table %s is in a document" % table)
    for name, words in sentences():
        text = " ".join((POLYBENCH.parent / name).read_text().split())
        found = words in text
        failed |= not found
        print("%s - %s says: %s" % ("ok" if found else "not ok", name, words))
    sys.exit(failed)


main()
