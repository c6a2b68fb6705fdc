#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random OpenMP programs through the plugin in every mode.

    trial.py [--first N] [--count N] [--jobs N] --base DIR [--keep DIR] [--no-shrink] [--quick | --long] [--sanitize]

Each program is built plain, with counts of its own, and in every mode, and must
  - compile and end, and print in every mode what it prints without the plugin; mode=describe gives the same object code;
  - make the accesses in mode=profile that its own counts say: by line, array, kind and (of static loops) thread;
  - sample what it profiles: the same private reuse intervals, of loops whose chunks are taken on demand the same sums;
  - have a description whose walk, with the recorded values, is the profile, and whose closed form is the walk (profilecheck).
A difference counts unless a note of the plugin says that something at that loop is not described, or not recorded. What fails is
cut down to a small program with the same fault, in DIR. TAP, one line a program. Exit status 1: something failed."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

import invent
import printed
import program
import shrink

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", os.environ.get("BUILD", "build"))
COMPILER = {"c": ["gcc", "-std=gnu11"], "cc": ["g++"], "f90": [shutil.which("gfortran-12") or "gfortran", "-ffree-line-length-none"]}
OWN = re.compile(r"k\d+_w\d+$")
QUIET = ["-w", "-fno-diagnostics-show-caret"]
# What GCC watches without a trace in the code that the plugin sees; the library's build has all of undefined.
WATCHED = ["-g", "-fsanitize=address,signed-integer-overflow,null,alignment,pointer-overflow", "-fno-sanitize-recover=all",
           "-fno-sanitize-address-use-after-scope"]


class Fault(Exception):
    """kind: a word, by which a smaller program is known to have the same fault."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class GccRefuses(Exception):
    """A program without the plugin, or dies of it."""


def run(command, kind, env=None, limit=60, cwd=None):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit, cwd=cwd,
                              env=dict(os.environ, **env) if env else None)
    except subprocess.TimeoutExpired:
        raise Fault(kind + " hangs", " ".join(command)) from None
    if done.returncode:
        raise Fault(kind + " fails", "status %d: %s" % (done.returncode, (done.stderr + done.stdout).decode(errors="replace")[-2000:]))
    return done


class Trial:
    def __init__(self, p, work, quick=False, sanitized=False):
        """sanitized: programs that record and their libpluss-rt are watched."""
        self.p, self.work, self.quick, self.sanitized = p, work, quick, sanitized
        self.scalars = p.seed % 3 == 0 and p.lang != "cc" # where a captured pointer has its array's name
        self.explained = 0
        self.compared = 0
        self.refused = ""

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text):
        with open(self.path(name), "w") as out:
            out.write(text)

    def compile(self, mode, source="kernels", options=()):
        out = self.path(mode + ".o")
        plugin = []
        if mode not in ("plain", "counted"):
            plugin = ["-fplugin=%s/pluss.so" % BUILD, "-fplugin-arg-pluss-scalars=" + ("on" if self.scalars else "off"), "-fplugin-arg-pluss-mode=" + mode]
            if not self.quick or mode in ("profile", "sample"):
                plugin.append("-fchecking=2")
            if self.sanitized and mode != "describe":
                plugin += WATCHED
        # What the source counts, it counts at any level; gfortran makes other programs of .and. at others.
        level = "-O0" if mode == "counted" and self.p.lang != "f90" else self.p.level
        command = COMPILER[self.p.lang] + QUIET + [level, "-fopenmp", "-I" + HERE, "-c", source + "." + self.p.lang, "-o", out]
        try:
            done = run(command + plugin + list(options), "compiler, " + mode, cwd=self.work)
        except Fault as fault:
            if self.sanitized and "internal compiler error" in str(fault):
                try:
                    run(command + WATCHED, "", cwd=self.work)
                except Fault:
                    raise GccRefuses("watched, it dies of it") from None
            raise
        text = done.stderr.decode(errors="replace")
        if "internal compiler error" in text or "pluss: function" in text and "fault" in text:
            raise Fault("compiler, " + mode, text[-2000:])
        return text

    def link(self, mode):
        libs = ["-lgfortran"] if self.p.lang == "f90" else ["-lstdc++"] if self.p.lang == "cc" else []
        run(["gcc", "-fopenmp", self.path(mode + ".o"), self.path("driver.o"), os.path.join(self.work, "..", "counting.o"),
             BUILD + ("/asan" if self.sanitized else "") + "/libpluss-rt.a", "-lm"] + libs +
            (["-fsanitize=address,undefined"] if self.sanitized else []) + ["-o", self.path(mode)], "linker, " + mode)

    def execute(self, mode, limit=20, **env):
        env = dict({"OMP_NUM_THREADS": str(self.p.team), "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive",
                    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}, **env)
        return run([self.path(mode)], "run, " + mode, env, limit, cwd=self.work).stdout

    # ---- the program, and its own counts
    def prepare(self):
        p = self.p
        fortran = p.lang == "f90"
        self.source = printed.Fortran(p, False) if fortran else printed.C(p)
        self.write("kernels." + p.lang, self.source.whole())
        if fortran:
            self.write("counted.f90", printed.Fortran(p, True).whole())
        self.write("driver.c", printed.driver(p))
        run(["gcc", "-w", "-O0", "-fopenmp", "-I" + HERE, "-c", self.path("driver.c"), "-o", self.path("driver.o")], "driver")
        try:
            self.compile("counted", "counted" if fortran else "kernels", ["-DCOUNT"])
        except Fault as fault:
            if "internal compiler error" in str(fault) or "invalid controlling predicate" in str(fault):
                raise GccRefuses(str(fault)) from None
            raise
        self.link("counted")
        self.expected = self.execute("counted", RANDOM_COUNTS="counts")
        if not self.quick:
            self.compile("plain")
            self.link("plain")
            self.same("plain", self.execute("plain"))
        self.counts = collections.defaultdict(dict)
        got = collections.Counter()
        arrays = {a.id: a for k in p.kernels for a in k.arrays}
        with open(self.path("counts")) as counts:
            for text in counts:
                line, array, write, thread, n = map(int, text.split())
                self.counts[line, array, write][thread] = n
                got[arrays[array].name] += n
        # A bound that is read is read by whom and how often the compiler likes.
        want = {name: n for name, n in program.made(p).items() if "_x" not in name}
        wrong = {name: (want.get(name, 0), got[name]) for name in set(want) | set(got) if "_x" not in name and
                 want.get(name, 0) != got[name]}
        if wrong:
            raise Fault("gcc", "GCC's program makes other accesses than the source says: %s (said, made)" % wrong)

    def same(self, mode, got):
        if got != self.expected:
            raise Fault("output, " + mode, "expected\n%s\ngot\n%s" % (self.expected.decode(), got.decode(errors="replace")))

    # ---- notes
    def read_notes(self, text):
        # a cause has one note; its other places are told in the description
        self.notes = {u["line"]: u["reason"] for r in self.nests.values() for u in r["unknown"] if "line" in u}
        self.texts = []
        for line in text.splitlines():
            found = re.match(r"[^:\s]+:(\d+):\d+: note: pluss: (.*)", line)
            if found:
                self.texts.append(line)
                if re.search(r"not (described|recorded|sampled)|taken not to be negative", found.group(2)):
                    self.notes[int(found.group(1))] = found.group(2)

    def around(self, line):
        """The loops and constructs that hold a line, innermost first."""
        return sorted((s for s in self.source.spans if s[0] <= line <= s[1]), key=lambda s: s[1] - s[0])

    def is_explained(self, line):
        """By a note at a loop or construct that holds the line, or in the innermost one; a function's lines by one at its call."""
        here = self.around(line)
        for noted in self.notes:
            if noted == line or any(noted in (s[0], s[0] + 1, s[0] + 2) for s in here):
                return True
            there = self.around(noted)
            if there and any(there[0][0] <= line <= there[0][1] for line in self.source.leaves): # so nothing behind it is described
                there = [span for span in there if span in self.source.loops]
            if there and there[0] in here:
                return True
            if "function not described" in self.notes[noted]:
                return True
        for name, (first, last) in self.source.function_lines.items():
            if first <= line <= last and any(called == name and self.is_explained(at) for at, called in self.source.calls):
                return True
        return False

    def unsettled(self, line):
        called = [at for name, (first, last) in self.source.function_lines.items() if first <= line <= last
                  for at, name_there in self.source.calls if name_there == name]
        return any(a <= line <= b for a, b in self.source.unsettled) or any(map(self.unsettled, called))

    # ---- modes
    def describe(self):
        """The object code is the plain one's, the description that of the program which records."""
        if self.quick:
            self.compile("plain")
        self.compile("describe")
        for mode in ("plain", "describe"):
            run(["objcopy", "-R", ".pluss.nests", "-R", ".pluss.symbols", self.path(mode + ".o"), self.path(mode + ".bare")], "objcopy")
        if open(self.path("plain.bare"), "rb").read() != open(self.path("describe.bare"), "rb").read():
            raise Fault("object, describe", "the object code differs")
        if self.nests_of("describe") != self.nests_of("profile"):
            raise Fault("nests, profile", "the description differs from mode=describe's")

    def nests_of(self, mode):
        text = run([BUILD + "/pluss", "nests", "--json", self.path(mode + ".o")], "pluss nests").stdout
        return {r["region"]: dict(r, origin="") for r in json.loads(text)["regions"]}

    def record(self, mode):
        notes = self.compile(mode)
        self.link(mode)
        record = self.path(mode + ".record")
        self.same(mode, self.execute(mode, PLUSS_RECORD=record, PLUSS_STAMPS="tsc", PLUSS_SAMPLE_TEAMS=str(self.p.team)))
        # without a record it is the same program, too
        if not self.quick:
            self.same(mode, self.execute(mode))
        return notes, read_record(record)

    def check_counts(self, blocks):
        """By line, array and kind against the program's own counts."""
        made = collections.defaultdict(lambda: collections.defaultdict(int))
        ids = {a.name: a.id for k in self.p.kernels for a in k.arrays}
        for block in blocks:
            if block.by != "profile":
                continue
            refs = self.nests[block.region]["references"]
            for (thread, ref), intervals in block.intervals.items():
                r = refs[ref]
                name = re.match(r"k\d+_[a-z]\d+|\w+", r["array"]).group(0)
                if name in ids:
                    made[r["line"], ids[name], int(r["access"] == "write")][thread] += sum(intervals.values())
        for key in sorted(set(made) | set(self.counts)):
            want, got = self.counts.get(key, {}), {t: n for t, n in made.get(key, {}).items() if n}
            self.compared += sum(want.values())
            if want == got or self.unsettled(key[0]) and sum(want.values()) == sum(got.values()):
                continue
            # A pointer's first element alone is a single variable to the compiler.
            if self.is_explained(key[0]) or key[:2] in self.source.folded or not self.scalars and key[:2] in self.source.alone:
                self.explained += 1
                continue
            raise Fault("count", "line %d, array %d, %s: counted %s, profiled %s" % (
                key[0], key[1], "writes" if key[2] else "reads", dict(want), dict(got)))

    def check_sample(self, profile, sample):
        """Per region and reference."""
        def table(blocks, by):
            out = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
            for block in blocks:
                if block.by == by:
                    for (thread, ref), intervals in block.intervals.items():
                        out[block.region, ref][thread].update(intervals)
            return out
        where = [{b.region: b.layout for b in blocks if b.layout} for blocks in (profile, sample)]
        real, simulated = table(profile, "profile"), table(sample, "sample")
        missing = {block.region for block in profile if block.by == "profile"} - {b.region for b in sample if b.by == "sample"}
        for region in missing:
            first = self.nests[region]["line"]
            if not any("region not sampled" in note for note in self.notes.values()):
                raise Fault("sample missing", "%s, line %d: no sample, no note" % (region, first))
        def number(table, key):
            return sum(sum(c.values()) for c in table[key].values())
        # what differs in number first: intervals that differ follow from it
        for key in sorted(set(real) | set(simulated), key=lambda key: (number(real, key) == number(simulated, key), key)):
            if key[0] in missing:
                continue
            refs = self.nests[key[0]]["references"]
            line = refs[key[1]]["line"]
            settled = not any(self.unsettled(r["line"]) for r in refs)
            a, b = real[key], simulated[key]
            if settled:
                equal = {t: +c for t, c in a.items() if sum(c.values())} == {t: +c for t, c in b.items() if sum(c.values())}
            else:
                equal = number(real, key) == number(simulated, key)
            # other lines, other intervals
            if not equal and (where[0].get(key[0]) != where[1].get(key[0]) or
                              self.own_float(refs) and OWN.match(refs[key[1]]["array"])):
                equal = all(sum(a[t].values()) == sum(b[t].values()) for t in set(a) | set(b))
            if equal:
                continue
            if self.is_explained(line):
                self.explained += 1
                continue
            raise Fault("sample", "%s, reference %d `%s', line %d: profiled %s, sampled %s" % (
                key[0], key[1], refs[key[1]]["text"], line, {t: dict(c) for t, c in a.items()}, {t: dict(c) for t, c in b.items()}))

    def own_float(self, refs):
        """Where threads' own arrays lie on their stacks is each mode's own: those of several teams, and unaligned ones."""
        own = {r["array"] for r in refs if OWN.match(r["array"])}
        return len(own) > 1 or own and self.p.lang == "f90"

    def check_walk(self, mode):
        """The record against the nest, walked and in closed form."""
        text = run([BUILD + "/pluss", "nests", "--text", self.path(mode + ".o")], "pluss nests").stdout.decode()
        text = re.sub(r"^array i32 \w+_x\d+\[(\d+)\].*$", give_contents, text, flags=re.M)
        self.texts_of_nests = []
        for number, nest in enumerate(re.split(r"^(?=pluss-nest )", text, flags=re.M)[1:]):
            self.texts_of_nests.append("%d.nest" % number)
            self.write(self.texts_of_nests[-1], nest)
        own = ["--own"] if any(self.own_float(nest["references"]) for nest in self.nests.values()) else []
        done = self.profilecheck(mode, *own)
        if done.returncode == 1: # an access that the nest has at two places, or what a note tells
            done = self.profilecheck(mode, "--places", *own)
            self.explained += done.returncode == 0
        text = done.stdout.decode(errors="replace")
        if done.returncode == 3:
            self.refused = "; ".join(line for line in text.strip().splitlines() if not line.startswith("region "))
        elif done.returncode:
            assumed = any("taken not to be negative" in note for note in self.notes.values())
            for line in text.splitlines():
                if assumed and re.match(r"region .* intervals ", line): # other places, as many accesses
                    self.explained += 1
                    continue
                numbers = re.match(r"region (.*) reference (\d+) recorded \d+ (walked|computed) \d+$", line)
                at = self.nests[numbers.group(1)]["references"][int(numbers.group(2))] if numbers else None
                if not re.match(r"region |.*no closed form|\d+ blocks", line) or \
                        line.startswith("region ") and not (at and self.is_explained(at["line"])):
                    raise Fault("walk, " + mode, "%s, line %s\n%s" % (at and at["text"], at and at["line"], text[-2000:]))
                self.explained += 1

    def profilecheck(self, mode, *options):
        try:
            return subprocess.run([os.path.join(self.work, "..", "profilecheck"), *options, self.path(mode + ".record"),
                                   *map(self.path, self.texts_of_nests)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        except subprocess.TimeoutExpired:
            raise Fault("profilecheck hangs", mode) from None

    def go(self):
        self.prepare()
        notes, profile = self.record("profile")
        self.nests = self.nests_of("profile")
        self.read_notes(notes)
        if not self.sanitized and (not self.quick or self.p.seed % 4 == 0): # what is watched is folded less
            self.describe()
        self.check_counts(profile)
        notes, sample = self.record("sample")
        self.read_notes("\n".join(self.texts) + "\n" + notes)
        self.check_sample(profile, sample)
        if not program.holds([k.body for k in self.p.kernels], program.Block): # any thread may be the single one
            self.check_walk("profile")
        for mode in ("bind", "time"):
            if not self.quick or self.p.seed % 2 == (mode == "time"):
                self.record(mode)


def give_contents(line):
    return "%s values(%s)" % (line.group(0), ", ".join(str(program.content(i)) for i in range(int(line.group(1)))))


class Block:
    def __init__(self, region, by):
        self.region, self.by = region, by
        self.layout = [] # of arrays: place in the first one's line, or distance from it
        self.first = 0
        self.intervals = {}


def read_record(path):
    blocks = []
    with open(path) as record:
        for line in record:
            words = line.split()
            if words[0] == "region":
                by = words[-1] if words[-2] == "by" else "profile"
                if words[words.index("lost") + 1] != "0":
                    raise Fault("lost", line)
                blocks.append(Block(json.loads('"%s"' % re.match(r'region "((?:[^"\\]|\\.)*)"', line).group(1)), by))
            elif words[0] == "array" and int(words[2]):
                block = blocks[-1]
                block.layout.append(int(words[2]) - block.first if block.first else int(words[2]) % 64)
                block.first = block.first or int(words[2])
            elif words[0] == "pri":
                intervals = collections.Counter({0: int(words[6])})
                for pair in words[7:]:
                    interval, n = pair.split(":")
                    intervals[int(interval)] += int(n)
                blocks[-1].intervals[int(words[2]), int(words[4])] = intervals
    return blocks


def fault_of(p, work, options):
    """None: all is well."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    trial = Trial(p, work, options.quick, options.sanitize)
    try:
        trial.go()
        return None, trial
    except GccRefuses:
        trial.refused = "GCC itself refuses it or dies of it"
        return None, trial
    except Fault as fault:
        return fault, trial


def one(seed, options, base):
    p = invent.program(seed)
    work = os.path.join(base, "p%d" % seed)
    fault, trial = fault_of(p, work, options)
    if fault is None:
        shutil.rmtree(work)
        more = ", %d explained by notes" % trial.explained if trial.explained else ""
        more += ", not walked: " + trial.refused if trial.refused else ""
        return True, "ok - program %d (%s %s): %d accesses%s" % (seed, p.lang, p.level, trial.compared, more)
    if not options.no_shrink:
        smaller = shrink.shrink(p, lambda q: getattr(fault_of(q, work, options)[0], "kind", None) == fault.kind)
        again, trial = fault_of(smaller, work, options)
        fault = again or fault
    if options.keep:
        kept = os.path.join(options.keep, "p%d" % seed)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(work, kept)
        with open(os.path.join(kept, "fault"), "w") as out:
            out.write("%s\n%s\n%s\n" % (fault.kind, fault, "\n".join(getattr(trial, "texts", []))))
    shutil.rmtree(work)
    return False, "not ok - program %d (%s %s): %s\n%s" % (
        seed, p.lang, p.level, fault.kind, "\n".join("    " + t for t in str(fault).splitlines()[:12]))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--first", type=int, default=1)
    arguments.add_argument("--count", type=int, default=60)
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--keep")
    arguments.add_argument("--no-shrink", action="store_true")
    arguments.add_argument("--quick", action="store_true", help="of bind and time one, no runs without a record, of one in four the object code")
    arguments.add_argument("--long", action="store_true", help="all of it, which is what is done without --quick")
    arguments.add_argument("--sanitize", action="store_true", help="programs that record, and $BUILD/asan/libpluss-rt.a, are watched by sanitizers")
    arguments.add_argument("--base", required=True, help="a folder with profilecheck and counting.o")
    options = arguments.parse_args()
    base = options.base
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.count)
        for done in concurrent.futures.as_completed([pool.submit(one, seed, options, base) for seed in seeds]):
            ok, text = done.result()
            failed += not ok
            print(text, flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
