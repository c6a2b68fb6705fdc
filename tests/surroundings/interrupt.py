# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C, which reaches all processes of a terminal, at several moments of `pluss run`: what was computed is written, a record
that was asked for is kept, nothing else is left, and the command ends as a program does that Ctrl-C has ended.

Usage: interrupt.py PLUSS PROGRAM. TAP."""
import os
import signal
import subprocess
import sys
import time

pluss, program = sys.argv[1:]
ENDED = -signal.SIGINT


def start(*words):
    for name in ("saved", "report"):
        if os.path.exists(name):
            os.remove(name)
    return subprocess.Popen([pluss, "run", "--simulate", "--cache", "1K", "--save", "saved", "-o", "report", *words],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def answer(p, line):
    """Waits until the program has said this, and lets it go on."""
    assert p.stdout.readline() == line + "\n"
    p.stdin.write("\n")
    p.stdin.flush()


def end(p):
    """Interrupts it; its status, messages, and the two files."""
    os.killpg(p.pid, signal.SIGINT)
    _, err = p.communicate(timeout=60)
    text = [open(name, encoding="utf-8").read() if os.path.exists(name) else None for name in ("saved", "report")]
    return p.returncode, err, *text


def while_the_program_runs():
    p = start(program)
    assert p.stdout.readline() == "quick is done\n"
    status, err, saved, report = end(p)
    assert status == ENDED, (status, err)
    assert saved is None and not report, (saved, report)


def a_program_that_goes_on():
    p = start(program, "handles")
    assert p.stdout.readline() == "quick is done\n"
    os.killpg(p.pid, signal.SIGINT)
    time.sleep(0.2)
    p.stdin.write("\n\n")
    p.stdin.close()
    assert p.stdout.read().endswith("slow is done\n")
    err = p.stderr.read()
    assert p.wait(timeout=60) == 0, (p.returncode, err)
    saved, report = (open(name, encoding="utf-8").read() for name in ("saved", "report"))
    assert '"quick"' in saved and '"slow"' in saved and "quick" in report and "slow" in report, (saved, report)


def while_it_is_walked():
    p = start(program)
    answer(p, "quick is done")
    answer(p, "slow is done")
    time.sleep(2)
    assert p.poll() is None, "the walk is too short for the test"
    status, err, saved, report = end(p)
    assert status == ENDED, (status, err)
    assert '"quick"' in saved and '"slow"' in saved, saved
    assert report.startswith("quick") and "\nslow" not in report and "interrupted" in err, (report, err)


def twice():
    p = start(program)
    answer(p, "quick is done")
    answer(p, "slow is done")
    time.sleep(1)
    os.killpg(p.pid, signal.SIGINT)
    status, err, saved, report = end(p)
    assert status == ENDED and '"slow"' in saved, (status, err, saved, report)


failed = 0
for moment in (while_the_program_runs, a_program_that_goes_on, while_it_is_walked, twice):
    before = set(os.listdir(".")) | set(os.listdir(os.environ["TMPDIR"]))
    try:
        moment()
        left = (set(os.listdir(".")) | set(os.listdir(os.environ["TMPDIR"]))) - before - {"saved", "report"}
        assert not left, left
        print("ok - Ctrl-C:", moment.__name__.replace("_", " "))
    except (AssertionError, subprocess.TimeoutExpired) as why:
        failed += 1
        print("not ok - Ctrl-C:", moment.__name__.replace("_", " "))
        print("   ", str(why).replace("\n", " ")[:600])
    sys.stdout.flush()
sys.exit(failed > 0)
