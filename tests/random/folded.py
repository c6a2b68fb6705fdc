#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random OpenMP programs, traced and folded.

    folded.py [--first N] [--count N] --base DIR

From number N on as many programs are compared. Each, of one kernel in C, C++ or Fortran, is compiled with -O1 -fsanitize=thread and traced with 1 and 3 threads, at equal
addresses, for ten values of its arguments. The trace of one of them is folded, or refused. Where both are folded, one thread executes
the nest of three as it does the nest of one: the order in which three threads' accesses are put together is the one that one thread
had. Traces of six values are folded together and checked by two more. A nest that is found so has to equal, access by access, the
other two, which only this test has seen. Where `pluss fold` has warned that no run executes some of the code, they may differ in
runs that do execute it. TAP, one line a program."""
import argparse
import os
import random
import re
import subprocess
import sys

import invent
import printed
import program

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", os.environ.get("BUILD", "build"))
TEAMS = (1, 3)
NAMES = ("n", "m", "k")
FITTED, HELD_BACK, UNSEEN = 6, 2, 2


class Fault(Exception):
    pass


class Refused(Exception):
    """The compiler does not take the program, or it dies of itself."""


def run(command, allowed=(0,), **env):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ, **env))
    except subprocess.TimeoutExpired:
        raise Fault("hangs: " + " ".join(command)) from None
    if done.returncode not in allowed:
        raise Fault("%s: status %d: %s" % (" ".join(command), done.returncode, done.stderr[-500:]))
    return done


def build(p, work):
    fortran, cc = p.lang == "f90", p.lang == "cc"
    with open("%s.%s" % (work, p.lang), "w") as out:
        out.write((printed.Fortran(p, False) if fortran else printed.C(p)).whole())
    # one call, with what the command line says
    p.kernels[0].calls = [tuple("size[%d]" % i for i in range(len(NAMES)))]
    with open(work + ".driver.c", "w") as out:
        out.write("#include <stdlib.h>\nstatic int size[%d];\n" % len(NAMES))
        out.write(printed.driver(p).replace("int main(void) {", "int main(int argc, char **argv) { for (int i = 1; i < argc; i++) size[i - 1] = atoi(argv[i]);"))
    common = ["gcc", "-w", "-fopenmp", "-I" + HERE]
    compiled = run(common + (["-ffree-line-length-none", "-J", os.path.dirname(work)] if fortran else [] if cc else ["-std=gnu11"]) +
                   ["-O1", "-fsanitize=thread", "-c", "%s.%s" % (work, p.lang), "-o", work + ".o"], (0, 1))
    if "invalid controlling predicate" in compiled.stderr: # as GCC says of conditions that it has folded into other comparisons
        raise Refused("GCC does not take the loop")
    if compiled.returncode:
        raise Fault(compiled.stderr[-500:])
    run(common + ["-c", work + ".driver.c", "-o", work + ".driver.o"])
    run(common + [work + ".o", work + ".driver.o", os.path.join(os.path.dirname(work), "counting.o"), BUILD + "/libpluss-trace.a", "-lm"] +
        (["-lgfortran"] if fortran else ["-lstdc++"] if cc else []) + ["-o", work])


def curve(nest):
    """By size, with the number of accesses."""
    text = run([BUILD + "/pluss", "simulate", nest, "-T", "1"]).stdout.splitlines()
    return [line for line in text if "%" in line or "accesses to" in line]


def fold(nest, traces, sizes):
    """The nest's file, None: refused; whether code is missing; whether the nest has the accesses of all runs: where it is not known at
    which sizes it holds, it is refused after they have been compared."""
    done = run([BUILD + "/pluss", "fold"] + traces + sizes + ["-o", nest], (0, 1))
    return None if done.returncode else nest, "no run executes" in done.stderr, done.returncode == 0 or "decided alike" in done.stderr


def holds(nest, size):
    """Whether the nest is said to be the program's for these values."""
    done = run([BUILD + "/pluss", "simulate", nest, "-T", "1"] + ["-D%s=%d" % of for of in zip(NAMES, size)], (0, 2, 3))
    if done.returncode and not re.search("known to hold|has no accesses", done.stderr):
        raise Fault("%s cannot be simulated at %s: %s" % (nest, size, done.stderr[-500:]))
    return "known to hold" not in done.stderr


def sites(trace):
    with open(trace, encoding="ascii") as lines:
        return {words[4] for words in map(str.split, lines) if len(words) > 4}


def fold_sizes(work, team, traces, sizes):
    """Whether runs of several sizes are folded, and code is missing."""
    def fold_some(name, some):
        return fold("%s.%d.%s" % (work, team, name), [traces[i] for i in some],
                    ["--sizes", ":".join("%s=%s" % (name, ",".join(str(sizes[i][k]) for i in some)) for k, name in enumerate(NAMES))])
    first = list(range(FITTED))
    nest, misses, _ = fold_some("sizes", first + list(range(FITTED, FITTED + HELD_BACK)))
    seen = set().union(*[sites(trace) for trace in traces[:FITTED + HELD_BACK]]) if nest else set()
    for other in range(FITTED + HELD_BACK, len(sizes)):
        # the nest says from which sizes on it is known to hold
        if any(size < min(column) for size, *column in zip(sizes[other], *sizes[:FITTED + HELD_BACK])):
            continue
        # and under which conditions
        if nest and not holds(nest, sizes[other]):
            continue
        if nest and not (misses and sites(traces[other]) - seen) and not fold_some("unseen", first + [FITTED, other])[2]:
            raise Fault("the nest %s is not that of other sizes: %s" % (nest, sizes[other]))
    return nest is not None, nest is not None and misses


def make_traces(work, team, sizes):
    """The files; None: a run makes no accesses."""
    traces = ["%s.%d.%d" % (work, team, i) for i in range(len(sizes))]
    for trace, size in zip(traces, sizes):
        command, how = ["setarch", "-R", work] + [str(x) for x in size], {"OMP_NUM_THREADS": str(team), "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive"}
        ended = run(command, (0, -11), PLUSS_TRACE=trace, PLUSS_TRACE_ACCESSES="1000000", **how).returncode
        if ended and run(command, (0, -11), **how).returncode == ended: # subscripts may depend on the number of threads
            raise Refused("it dies with %d threads, untraced" % team)
        if ended:
            raise Fault(" ".join(command) + ": dies where it is traced")
        if not os.path.getsize(trace):
            return None
    return traces


def draw_sizes(seed):
    """No value twice among those fitted."""
    draw = random.Random(seed)
    n = FITTED + HELD_BACK + UNSEEN
    return list(zip(*(draw.sample(range(lo, lo + n + 3), n) for lo in (8, 7, 2))))


def trial(seed, base):
    p = invent.program(seed, 1)
    work = os.path.join(base, "f%d" % seed)
    sizes = draw_sizes(seed)
    p.kernels[0].calls = list(sizes)
    try:
        p.settle()
    except program.Undefined:
        return "ok - program %d # SKIP undefined with larger arguments" % seed, None
    try:
        build(p, work)
        traces = [make_traces(work, team, sizes) for team in TEAMS]
    except Refused as why:
        return "ok - program %d # SKIP %s" % (seed, why), None
    if not all(traces):
        return "ok - program %d # SKIP a run makes no accesses" % seed, None
    nests = [fold("%s.%d.nest" % (work, team), t[:1], [])[0] for t, team in zip(traces, TEAMS)]
    several = [fold_sizes(work, team, t, sizes) for t, team in zip(traces, TEAMS)]
    few = nests[0] and re.search(r"(workshare|parallel) for \w+ in 0\.\.[1-%d]\b" % TEAMS[1], open(nests[0], encoding="ascii").read())
    if not few and all(nests) and curve(nests[0]) != curve(nests[1]):
        raise Fault("one thread and three give nests of other accesses: " + " ".join(nests))
    found, missing = map(sum, zip(*several))
    for name in os.listdir(base):
        if name.startswith("f%d." % seed):
            os.unlink(os.path.join(base, name))
    return "ok - program %d (%s), folded: %s" % (seed, p.lang, ", ".join("%d threads %s" % (t, "found" if n else "refused") for t, n in zip(TEAMS, nests))
                                                   + "; with sizes %d, %d of them with code missing" % (found, missing)), (sum(map(bool, nests)), found, missing)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--first", type=int, default=1)
    arguments.add_argument("--count", type=int, default=8)
    arguments.add_argument("--base", required=True, help="a folder with counting.o")
    options = arguments.parse_args()
    if subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("ok - random programs are folded # SKIP addresses cannot be the same here (setarch -R)")
        return
    failed, seed, counts = 0, options.first, []
    while failed + len(counts) < options.count:
        try:
            text, found = trial(seed, options.base)
            if found:
                counts.append(found)
        except Fault as fault:
            failed += 1
            text = "not ok - program %d\n    %s" % (seed, fault)
        print(text, flush=True)
        seed += 1
    print("# %d programs by %d teams: of one run %d nests, of several sizes %d, of which %d with code that no run executes" %
          (options.count, len(TEAMS), *[sum(c[i] for c in counts) for i in range(3)]))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
