#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random OpenMP programs, traced and folded.

    folded.py [--first N] [--count N] --base DIR

Each program, of one kernel in C or Fortran, is compiled with -O1 -fsanitize=thread and traced with 1 and 3 threads, at equal
addresses. Each trace is folded, or refused. Where both are folded, one thread executes the nest of three as it does the nest of one:
the order in which three threads' accesses are put together is the one that one thread had. TAP, one line a program."""
import argparse
import os
import re
import subprocess
import sys

import invent
import printed

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", os.environ.get("BUILD", "build"))
TEAMS = (1, 3)


class Fault(Exception):
    pass


def run(command, allowed=(0,), **env):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ, **env))
    except subprocess.TimeoutExpired:
        raise Fault("hangs: " + " ".join(command)) from None
    if done.returncode not in allowed:
        raise Fault("%s: status %d: %s" % (" ".join(command), done.returncode, done.stderr[-500:]))
    return done


def build(p, work):
    fortran = p.lang == "f90"
    with open("%s.%s" % (work, p.lang), "w") as out:
        out.write((printed.Fortran(p, False) if fortran else printed.C(p)).whole())
    with open(work + ".driver.c", "w") as out:
        out.write(printed.driver(p))
    common = ["gcc", "-w", "-fopenmp", "-I" + HERE]
    run(common + (["-ffree-line-length-none", "-J", os.path.dirname(work)] if fortran else ["-std=gnu11"]) +
        ["-O1", "-fsanitize=thread", "-c", "%s.%s" % (work, p.lang), "-o", work + ".o"])
    run(common + ["-c", work + ".driver.c", "-o", work + ".driver.o"])
    run(common + [work + ".o", work + ".driver.o", os.path.join(os.path.dirname(work), "counting.o"), BUILD + "/libpluss-trace.a", "-lm"] +
        (["-lgfortran"] if fortran else []) + ["-o", work])


def curve(nest):
    """By size, with the number of accesses."""
    text = run([BUILD + "/pluss", "simulate", nest, "-T", "1"]).stdout.splitlines()
    return [line for line in text if "%" in line or "accesses to" in line]


def fold(work, team):
    """The nest's file; None: refused."""
    trace, nest = "%s.%d" % (work, team), "%s.%d.nest" % (work, team)
    run(["setarch", "-R", work], OMP_NUM_THREADS=str(team), OMP_DYNAMIC="false", OMP_WAIT_POLICY="passive", PLUSS_TRACE=trace, PLUSS_TRACE_ACCESSES="1000000")
    if not os.path.getsize(trace):
        return None
    done = run([BUILD + "/pluss", "fold", trace, "-o", nest], (0, 1))
    if done.returncode:
        return None
    return nest


def trial(seed, base):
    p = invent.program(seed, 1)
    work = os.path.join(base, "f%d" % seed)
    if p.lang == "cc":
        return "ok - program %d # SKIP in C++" % seed, 0
    build(p, work)
    nests = [fold(work, team) for team in TEAMS]
    few = nests[0] and re.search(r"(workshare|parallel) for \w+ in 0\.\.[1-%d]\b" % TEAMS[1], open(nests[0], encoding="ascii").read())
    if few:
        return "ok - program %d # SKIP a loop has no more iterations than the team threads" % seed, 0
    if all(nests) and curve(nests[0]) != curve(nests[1]):
        raise Fault("one thread and three give nests of other accesses: " + " ".join(nests))
    found = sum(n is not None for n in nests)
    return "ok - program %d (%s), folded: %s" % (seed, p.lang, ", ".join("%d threads %s" % (t, "found" if n else "refused") for t, n in zip(TEAMS, nests))), found


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--first", type=int, default=1)
    arguments.add_argument("--count", type=int, default=8)
    arguments.add_argument("--base", required=True, help="a folder with counting.o")
    options = arguments.parse_args()
    if subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("ok - random programs are folded # SKIP addresses cannot be the same here (setarch -R)")
        return
    failed = found = 0
    for seed in range(options.first, options.first + options.count):
        try:
            text, n = trial(seed, options.base)
            found += n
        except Fault as fault:
            failed += 1
            text = "not ok - program %d\n    %s" % (seed, fault)
        print(text, flush=True)
    print("# %d of %d traces folded" % (found, len(TEAMS) * options.count))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
