# SPDX-License-Identifier: GPL-3.0-or-later
"""Every verb of the command where something is lacking: room on the disk, memory, processes, open files, a standard stream, the
right to write. A run must end in what it ends in otherwise, or with a status that is not 0 and a message; never by a signal
(but where the compiler alone ends by it, too), never with other results and status 0. A file that was there is as it was, or the whole new one; nothing else is left.

Usage: trial.py PLUSS FULL. FULL: an empty folder; a file system of 16 KB, if it holds `mounted`. In a folder with what the
commands need. TAP."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

pluss, full = sys.argv[1:]
NOBODY = 65534
IS_ROOT = os.geteuid() == 0

COMPILED = "-O1 -fopenmp -c loops.c -o {object}"
# {out}: a file that is there, and is to be replaced
COMMANDS = {
    "nests": "nests profile --json",
    "predict": "predict two.nest --region first_part -D n=64 -T 2 --json -o {out}",
    "predict to standard output": "predict two.nest --region first_part -D n=64 -T 2",
    "simulate": "simulate two.nest -D n=640 -T 1..8 --json -o {out}",
    "a picture": "simulate two.nest -D n=64 -T 2 --svg {out}",
    "run": "run -T 2 ./profile",
    "run, saved": "run --save {out} ./profile",
    "run from a record": "run --record record --csv -o {out}",
    "compare": "compare a.json b.json -o {out}",
    "codegen": "codegen gemm.nest --lang c -o {out}",
    "machine": "machine --json -o {out}",
    "calibrate": "calibrate --machine {machine} --runs 1 --processes 1 ./time",
    "gaps": "gaps --runs=1 --interval=20us -o {out} ./time",
    "cc": f"cc {COMPILED}",
    "help": "--help",
    "version": "--version",
}
MEASURED = ("run, saved", "calibrate", "gaps", "a picture", "cc")  # what they write differs from run to run
PASSES = {"run": (0,), "run, saved": (0,), "calibrate": (0, 1), "gaps": (0, 1)}


def limit(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def lacking_processes():
    become_nobody()
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def close(*numbers):
    return lambda: [os.close(n) for n in numbers]


class Place:
    """Where results go: a folder of its own, removed afterwards."""

    def __init__(self, folder, mode):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.out = os.path.join(self.folder, "out")
        with open(self.out, "w", encoding="utf-8") as f:
            f.write("kept\n")
        os.chmod(self.out, 0o666)
        os.chmod(self.folder, mode)

    def strangers(self):
        return sorted(set(os.listdir(self.folder)) - {"out", "object.o", "machine"})

    def content(self):
        with open(self.out, "rb") as f:
            return f.read()

    def remove(self):
        shutil.rmtree(self.folder)


def surroundings():
    """Name, what is done before the command begins, where results go, mode of that folder, TMPDIR."""
    here = os.path.dirname(full)
    for size in (0, 1, 1000):
        yield f"files of at most {size} bytes", limit(resource.RLIMIT_FSIZE, size), here, 0o755, None
    for megabytes in (24, 32, 48, 96):
        yield f"{megabytes} MB of memory", limit(resource.RLIMIT_AS, megabytes << 20), here, 0o755, None
    for n in (3, 4, 5, 7):
        yield f"{n} open files", limit(resource.RLIMIT_NOFILE, n), here, 0o755, None
    for numbers in ((0,), (1,), (2,), (0, 1, 2)):
        yield f"standard streams {numbers} closed", close(*numbers), here, 0o755, None
    yield "a TMPDIR that is not there", None, here, 0o755, "/no/such/folder"
    if IS_ROOT:
        yield "the rights of nobody, who may write", become_nobody, here, 0o777, None
        yield "the rights of nobody, who may only read", become_nobody, here, 0o755, None
        yield "no processes", lacking_processes, here, 0o777, None
    if os.path.exists(os.path.join(full, "mounted")):
        with open(os.path.join(full, "fill"), "wb") as f:
            f.write(bytes(8192))  # which leaves two pages, one of them for the file that is there
        yield "a full disk", None, full, 0o777, full


def run(line, place, before, tmpdir, program=pluss):
    """Exit status, standard output, standard error; "hangs"."""
    words = line.format(out=place.out, object=os.path.join(place.folder, "object.o"),
                        machine=os.path.join(place.folder, "machine")).split()
    environment = dict(os.environ, **({"TMPDIR": tmpdir} if tmpdir else {}))
    p = subprocess.Popen([program] + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                         preexec_fn=before)
    try:
        out, err = p.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        return "hangs", b"", b""
    return p.returncode, out, err


def fault(name, got, reference, place, wrote, told):
    """What is wrong; None: nothing is."""
    status, out, err = got
    content = place.content()
    kept = content == b"kept\n"
    if status == "hangs":
        return status
    if status < 0:
        return f"signal {signal.Signals(-status).name}: {err[-300:]}"
    if place.strangers():
        return f"leaves {place.strangers()}"
    if status not in PASSES.get(name, (0,)):
        if told and not err.strip():
            return f"status {status} without a message"
        return None if kept or name in MEASURED else f"status {status}, and the file is another: {content[:80]}"
    if name in MEASURED:
        return None if kept or len(content) > 30 or not wrote else f"half a file: {content}"
    if out != reference[1] and told != "no output":
        return f"status {status} with other output: {out[:200]}"
    return None if content == reference[3] else f"status {status} with another file: {content[:200]}"


def main():
    references = {}
    for name, line in COMMANDS.items():
        place = Place(os.path.dirname(full), 0o755)
        references[name] = run(line, place, None, None) + (place.content(),)
        if references[name][0] not in PASSES.get(name, (0,)):
            print(f"not ok - {name}: status {references[name][0]} where nothing is lacking: {references[name][2].decode()}")
        place.remove()
    failed = 0
    for title, before, folder, mode, tmpdir in surroundings():
        faults = []
        for name, line in COMMANDS.items():
            place = Place(folder, mode)
            had = set(os.listdir(os.environ["TMPDIR"])) | set(os.listdir("."))
            got = run(line, place, before, tmpdir)
            if name == "cc" and got[0] != "hangs" and got[0] < 0 and run(COMPILED, place, before, tmpdir, "gcc")[0] == got[0]:
                for stranger in set(os.listdir(os.environ["TMPDIR"])) - had:
                    os.remove(os.path.join(os.environ["TMPDIR"], stranger))
                place.remove()
                continue
            told = False if "2" in title and "closed" in title else "no output" if "1" in title and "closed" in title else True
            what = fault(name, got, references[name], place, "{out}" in line, told)
            left = (set(os.listdir(os.environ["TMPDIR"])) | set(os.listdir("."))) - had
            if what or left:
                faults.append(f"{name}: {what or ''}{' leaves ' + str(sorted(left)) if left else ''}")
            place.remove()
        print("not ok" if faults else "ok", "-", title)
        for text in faults:
            print("   ", text.replace("\n", " ")[:400])
        sys.stdout.flush()
        failed += bool(faults)
    if not IS_ROOT:
        print("ok - the rights of other users # SKIP only root can become another one")
    if not os.path.exists(os.path.join(full, "mounted")):
        print("ok - a full disk # SKIP no file systems to be made here")
    return failed > 0


sys.exit(main())
