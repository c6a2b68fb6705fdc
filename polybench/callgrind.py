#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Misses of the kernels' programs, counted by valgrind's callgrind, against the simulation and the prediction of their nests.

Usage: polybench/callgrind.py PLUSS FOLDER [--sizes SMALL,MEDIUM] [--options sequential,O2-scalar,O2,O3] [--kernels NAME,...]
       > results/callgrind.csv
FOLDER: for what is built. A kernel is built twice, with its arrays at the same addresses: as it is, for callgrind to run on one
thread from empty caches, and with mode=bind, for the record from which the nest gets its values and addresses. The options
"sequential" are those of O2-scalar without OpenMP in the program that is counted.
Callgrind counts instruction by instruction. Of the kernel's functions, push, pop, call, ret, operands in the stack frame and
constants are in the columns scalar_accesses and scalar (misses); all else in counted_accesses and counted; the OpenMP runtime and
the mathematics library in other_accesses and other. Column gcc: what GCC says that it did to loops, WORD:LINE.
stderr: a table by size, options and level: deviations of misses in percent of those counted.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

OPTIONS = {"sequential": "-O2 -fno-tree-vectorize", "O2-scalar": "-O2 -fno-tree-vectorize", "O2": "-O2", "O3": "-O3"}
# bytes and ways of the first level and of the last one, by size: each about a quarter of what the kernels touch, or less
CACHES = {"MINI": ((1024, 4), (4096, 8)), "SMALL": ((4096, 4), (32768, 8)), "MEDIUM": ((32768, 8), (262144, 8))}
DATA_DEPENDENT = {"spmv", "histogram"}
HERE = pathlib.Path(__file__).parent.resolve()
REMARKS = {"loops interchanged": "interchanged", "loop vectorized": "vectorized", "unroll and jam": "unrolled-and-jammed",
           "distributed": "distributed", "outer-loop already vectorized": "outer-loop-vectorized"}


def run(command, good=(0,), **more):
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if got.returncode not in good:
        sys.exit(f"callgrind.py: {' '.join(map(str, command))}: exit status {got.returncode}\n{got.stderr}")
    return got


def build(pluss, folder, kernel, name, mode):
    """The kernel's program, compiled with these options in this mode of pluss cc."""
    program = folder / name / mode / kernel
    compiler = f"{pluss} cc --mode={mode} -no-pie -D_DEFAULT_SOURCE -DCOUNTED_BY_CALLGRIND"
    openmp = "-fno-openmp" if name == "sequential" and mode == "describe" else "-fopenmp"
    run(["make", "-s", "-C", HERE, f"OUT={program.parent}", f"CC={compiler}", f"OPT={OPTIONS[name]}", f"DEFINES={openmp}", program])
    return program


def list_remarks(kernel, flags):
    """What GCC says that it did to loops: "REMARK:LINE ..."."""
    got = run(["gcc", "-std=c11", *flags.split(), "-ffp-contract=off", "-fopenmp", "-fopt-info-loop-vec-optimized-missed", "-c", HERE / f"{kernel}.c",
               "-o", os.devnull])
    found = set()
    for line, text in re.findall(r"\.c:(\d+):\d+: (?:optimized|missed): (.*)", got.stderr):
        found |= {(int(line), word) for phrase, word in REMARKS.items() if phrase in text.lower()}
    return " ".join(f"{word}:{line}" for line, word in sorted(found))


def find_scalar_instructions(program, kernel):
    """Addresses of the kernel's instructions whose memory operand is in the stack frame or a constant."""
    code = run(["objdump", "-d", "--no-show-raw-insn", program]).stdout
    found = set()
    for body in re.findall(rf"^[0-9a-f]+ <kernel_{re.escape(kernel)}\b[^>]*>:\n(.*?)(?:\n\n|\Z)", code.replace("-", "_") + "\n\n", re.M | re.S):
        frame = r"%rsp|%rbp" if re.search(r"\bmov +%rsp,%rbp", body) else "%rsp"
        scalar = re.compile(rf"\b(push|pop|call|ret|leave)|\((%rip|{frame})[,)]")
        found |= {int(address, 16) for address, text in re.findall(r"^ *([0-9a-f]+):\t(.*)$", body, re.M) if scalar.search(text)}
    return found


def read_costs(path, kernel):
    """(address, events) of each instruction; address None: not of the kernel's functions."""
    names, mine, skip = [], False, False
    own = re.compile(rf"fn=kernel_{re.escape(kernel)}(\.|$)")
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("events:"):
            names = line.split()[1:]
        elif line.startswith("fn="):
            mine = own.match(line)
        elif line.startswith("calls="):
            skip = True
        elif line.startswith("0x"):
            if not skip:
                address, *costs = line.split()
                yield int(address, 16) if mine else None, dict(zip(names, map(int, costs)))
            skip = False


def count_misses(program, kernel, size, caches):
    """Callgrind's events: of the kernel's functions in arrays, and elsewhere; of all other functions."""
    out = program.with_suffix(".callgrind")
    options = [f"--{name}={size_of},{ways},64" for name, (size_of, ways) in zip(("D1", "LL"), caches)]
    symbol = kernel.replace("-", "_")
    run(["valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--I1=32768,8,64", *options, "--instr-atstart=no",
         f"--toggle-collect=kernel_{symbol}", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no", "--compress-strings=no",
         f"--callgrind-out-file={out}", program, "--size", size, "--threads", "1", "--time", "1"])
    scalars = find_scalar_instructions(program, symbol)
    array, scalar, other = collections.Counter(), collections.Counter(), collections.Counter()
    for address, events in read_costs(out, symbol):
        (other if address is None else scalar if address in scalars else array).update(events)
    out.unlink()
    if not array:
        sys.exit(f"callgrind.py: {program}: callgrind has seen no function kernel_{symbol}")
    return array, scalar, other


def ask_levels(pluss, program, record, caches, *options):
    """The levels of pluss run's report; None: it refuses, because it would take too long."""
    (l1, ways), (l2, more_ways) = caches
    got = run([pluss, "run", f"--record={record}", "--together", "--cache", f"L1={l1}:ways={ways},L2={l2}:ways={more_ways}", "--json",
               *options, program], good=(0, 3))
    return json.loads(got.stdout)["levels"] if got.returncode == 0 else None


def compare(options, kernel, size, name):
    """One row a level."""
    caches, folder = CACHES[size], pathlib.Path(options.folder).resolve()
    plain, bound = (build(options.pluss, folder, kernel, name, mode) for mode in ("describe", "bind"))
    array, scalar, other = count_misses(plain, kernel, size, caches)
    record = bound.with_suffix(".record")
    run([bound, "--size", size, "--threads", "1", "--time", "1"], env={**os.environ, "PLUSS_RECORD": str(record)})
    walked = ask_levels(options.pluss, bound, record, caches, "--simulate")
    made = ask_levels(options.pluss, bound, record, caches, f"--error={options.error}")
    remarks = list_remarks(kernel, OPTIONS[name])
    for i, (level, code) in enumerate((("L1", "1"), ("LL", "L"))):
        misses = lambda events: events[f"D{code}mr"] + events[f"D{code}mw"]
        predicted = [round(made[i]["misses"], 1), round(made[i]["miss_ratio_error"] * made[i]["accesses"], 1)] if made else ["", ""]
        yield [kernel, size, name, level, *caches[i], walked[i]["accesses"], array["Dr"] + array["Dw"], scalar["Dr"] + scalar["Dw"],
               other["Dr"] + other["Dw"], misses(array), misses(scalar), misses(other), walked[i]["misses"], *predicted, remarks]


HEADER = ("kernel size options level bytes ways accesses counted_accesses scalar_accesses other_accesses counted scalar other simulated predicted "
          "error gcc").split()


def summarize(rows):
    print("size    options    level kernels | walk: median   mean  worst  within 1% | prediction: median   mean  worst  within 3%",
          file=sys.stderr)
    for size, name, level in sorted({tuple(r[1:4]) for r in rows}):
        some = [r for r in rows if r[1:4] == [size, name, level]]
        walk, made = ([100 * abs(r[c] - r[10]) / r[10] for r in some if r[c] != ""] for c in (13, 14))
        figures = [f"{statistics.median(d):6.2f} {statistics.mean(d):6.2f} {max(d):6.2f} {sum(x <= most for x in d):6}"
                   for d, most in ((walk, 1), (made, 3))]
        print(f"{size:7} {name:10} {level:5} {len(some):7} |       {figures[0]}     |             {figures[1]}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pluss", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("folder")
    parser.add_argument("--sizes", default="SMALL,MEDIUM")
    parser.add_argument("--options", default=",".join(OPTIONS))
    parser.add_argument("--kernels", default="")
    parser.add_argument("--error", default="0.03%", help="of the prediction: pluss run --error")
    options = parser.parse_args()
    with open(HERE / "sizes.csv", encoding="utf-8") as table:
        known = sorted({row["kernel"] for row in csv.DictReader(table)} - DATA_DEPENDENT)
    writer, rows = csv.writer(sys.stdout, lineterminator="\n"), []
    writer.writerow(HEADER)
    for size in options.sizes.split(","):
        for name in options.options.split(","):
            for kernel in options.kernels.split(",") if options.kernels else known:
                for row in compare(options, kernel, size, name):
                    writer.writerow(row)
                    rows.append(row)
                sys.stdout.flush()
    summarize(rows)


main()
