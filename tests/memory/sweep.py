# SPDX-License-Identifier: GPL-3.0-or-later
"""Every verb of the command without memory: allocation after allocation of a process fails, that one
alone or all from there on. A run must end in what it ends in otherwise, or with a status that is not 0
and a message; never by a signal, never with other results and status 0, never with files left behind.

Usage: sweep.py PRELOAD PLUSS POSITIONS [NAME]: POSITIONS of each command, 0: all. In a folder with
what the commands need. TAP."""
import os
import subprocess
import sys

preload, pluss, positions = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
wanted = sys.argv[4:]

CLI_NO = 1
SIZES = "-D ni=20 -D nj=25 -D nk=30"
HELP = subprocess.run([pluss, "predict", "--help"], capture_output=True, text=True, check=True).stdout
MODELS = [line.split()[0] for line in HELP.split("Models:")[1].splitlines() if line]
COMMANDS = {f"predict {model}": f"predict gemm.nest {SIZES} -T {1 if model == 'extrapolate' else '2,3'} --model {model}" for model in MODELS if model != "lines"}
COMMANDS.update({
    "predict, explained": f"predict gemm.nest {SIZES} -T 2 --explain --json",
    "predict dynamic": f"predict gemm.nest {SIZES} -T 3 --schedule dynamic,2",
    "predict rates": f"predict gemm.nest {SIZES} -T 2 --progress rates:0.1 --csv",
    "predict slices": f"predict gemm.nest {SIZES} -T 3 --progress slices:100:2",
    "predict caches": f"predict gemm.nest {SIZES} -T 2 --cache L1=1K,L2=4K:shared --json",
    "predict levels": f"predict gemm.nest {SIZES} -T 2 --cache L1=1K:ways=2,L2=4K:ways=4:shared",
    "simulate levels": "simulate two.nest -D n=64 -T 2 --cache L1=1K:ways=2,L2=4K:ways=4:shared --json",
    "predict together": "predict two.nest -D n=64 -T 2 --together",
    "predict walked": "predict indirect.nest -T 2 --contents idx=idx --cache 1K",
    "predict replayed": "predict profiled -T 2 --schedule recorded --record record",
    "predict calibrated": f"predict gemm.nest {SIZES} -T 2 --progress rates --machine machine.json",
    "predict at a recorded timeline": "predict timed -T 2 --progress recorded --record timeline --region main",
    "simulate at a recorded timeline": "simulate timed -T 2 --progress recorded --record timeline --region main",
    "predict an executable": "predict profiled -T 2",
    "simulate": "simulate two.nest -D n=64 -T 1,2 --csv",
    "simulate an archive": "simulate lib.a -T 2 --cache machine",
    "simulate and keep profiles": "simulate two.nest -D n=64 -T 2 --save-profile kept.json.gz",
    "compare profiles": "compare kept.json.gz kept.json.gz",
    "simulate slices": "simulate two.nest -D n=64 -T 3 --progress slices:100:2",
    "simulate a trace that zlib compressed": "simulate trace.txt.gz --cache L1=1K:ways=2,L2=4K:shared",
    "simulate a trace that libzstd compressed": "simulate trace.txt.zst --cache L1=1K:ways=2/4,L2=4K:shared",
    "simulate into a file": "simulate two.nest -D n=64 -T 2 --json -o written",
    "simulate a picture": "simulate two.nest -D n=64 -T 2 --svg written",
    "simulate and keep locality profiles": "simulate two.nest -D n=64 -T 2 --sharing --save-profile kept.json.gz",
    "scale": "scale two.nest --sizes n=64,128,256 -T 8",
    "scale profiles": "scale locality.json -D n=64 -T 8",
    "sweep": "sweep two.sweep -j 1",
    "run": "run -T 2 ./profiled",
    "run, saved": "run --save kept --json ./profiled",
    "run, traced": "run --simulate --progress recorded --csv ./profiled",
    "run from samples": "run --record sampled --model cri-line --json",
    "run from a record": "run --record record --model cri --csv",
    "run replayed": "run --record record --schedule recorded -T 2",
    "run text": "run --record record --text",
    "nests": "nests two.nest",
    "nests of an executable": "nests profiled",
    "nests, json": "nests lib.a --json",
    "nests, text": "nests two.nest --text --region first_part",
    "compare": "compare a.json b.json",
    "compare, json": "compare a.json b.json --json --tolerance 100",
    "codegen c": "codegen gemm.nest --lang c",
    "codegen rust": "codegen gemm.nest --lang rust -o written",
    "machine": "machine",
    "machine, json": "machine --json",
    "calibrate": "calibrate --machine calibrated --runs 1 --processes 1 ./timed",
    "gaps": "gaps --runs=1 --interval=20us ./timed",
    "cc": "cc --gcc=true -c x.c",
    "cc, help": "cc --help",
    "help": "predict --help",
    "version": "--version",
})
MEASURED = ("run, saved", "run, traced", "calibrate", "gaps")  # other figures, and perhaps none, each time


def run(line, at=None, once=False):
    """Exit status, standard output and what it wrote, standard error, allocations."""
    for name in ("written", "kept", "calibrated", "count"):
        if os.path.exists(name):
            os.remove(name)
    before = set(os.listdir("."))
    environment = dict(os.environ, LD_PRELOAD=preload, FAIL_IN="/" + os.path.basename(pluss), FAIL_COUNT="count")
    if at is not None:
        environment["FAIL_AT"] = str(at)
    if once:
        environment["FAIL_ONCE"] = "1"
    p = subprocess.run([pluss] + line.split(), capture_output=True, env=environment, timeout=120)
    out = p.stdout
    for name in ("written", "kept"):
        if os.path.exists(name):
            out += open(name, "rb").read()
    left = set(os.listdir(".")) - before - {"written", "kept", "calibrated", "count"} | set(os.listdir(os.environ["TMPDIR"]))
    count = int(open("count").read()) if os.path.exists("count") else None
    return p.returncode, out, p.stderr.decode(errors="replace"), count, left


def fault(line, name, reference, at, once):
    try:
        status, out, err, _, left = run(line, at, once)
    except subprocess.TimeoutExpired:
        return "hangs"
    if status < 0:
        return f"signal {-status}"
    if left:
        return f"leaves {sorted(left)}"
    if name in MEASURED and status in (0, CLI_NO):
        return None
    if status != reference[0]:
        return None if status != 0 and "error: " in err else f"status {status} without a message"
    if out != reference[1]:
        return f"status {status} with other results"
    return None


failed = 0
total = 0
for name, line in COMMANDS.items():
    if wanted and not any(w in name for w in wanted):
        continue
    reference = run(line)
    for _ in range(4):  # a busy machine may leave nothing to measure
        if name in MEASURED and reference[0] == CLI_NO:
            reference = run(line)
    n = reference[3]
    faults = []
    if n is None:  # it became another program
        n = 40
    if reference[0] not in ((0, CLI_NO) if name in MEASURED else (0,)):
        faults.append(f"with memory: status {reference[0]}: {reference[2]}")
    elif name not in MEASURED and run(line)[1] != reference[1]:
        faults.append("its results differ from one run to the next")
    else:
        step = max(1, n // positions) if positions else 1
        for at in range(n % step // 2, n, step):
            for once in (False, True):
                what = fault(line, name, reference, at, once)
                total += 1
                if what:
                    faults.append(f"allocation {at} of {n}{' alone' if once else ''}: {what}")
    print("not ok" if faults else "ok", "-", name, "without memory,", n, "allocations")
    for text in faults[:20]:
        print("   ", text.replace("\n", " "))
    if len(faults) > 20:
        print("    and", len(faults) - 20, "more")
    sys.stdout.flush()
    failed += bool(faults)
print("#", total, "runs")
sys.exit(failed > 0)
