#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated C sampler against generated Rust sampler, and the closed-form sampler called from both, in one run.

    bindings/rust/bench/bench.py [RUNS]        (make bench-rust)

For each kernel and number of threads the two programs run in turn, C, Rust, C, Rust, ..., so that whatever else the
machine does meets both; of RUNS runs each the quickest counts, in elapsed and in processor time. (On a machine that is
busy otherwise the processor times tell more.) The private reuse
intervals that both print must be equal, to the last count. `ratio` is Rust / C: below 1 Rust is quicker. `scaling` is
the elapsed time of one worker over that of this many, all at 4 threads of the nest. Products go to $BUILD/bench-rust.
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
OUT = BUILD / "bench-rust"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", BUILD / "rust-target"))
# kernel: sizes of the walked samplers (10 to 20 million accesses), sizes of the closed-form one
KERNELS = {
    "gemm": ({"ni": 160, "nj": 160, "nk": 160}, {"ni": 1000, "nj": 1000, "nk": 1000}),
    "syrk": ({"n": 200, "m": 180}, {"n": 1000, "m": 1000}),
    "jacobi-2d": ({"tsteps": 24, "n": 250}, {"tsteps": 100, "n": 1000}),
}
# (threads of the nest, workers that walk them)
TEAMS = [(1, 1), (2, 2), (4, 1), (4, 2), (4, 4)]

CARGO_TOML = """[package]
name = "samplers"
version = "0.0.0"
edition = "2021"
publish = false

[dependencies]
rayon = "1.10"

[workspace]
"""


def must(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def cargo(*words, cwd, env=None):
    """Offline where the dependencies are all there."""
    env = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), **(env or {})}
    command = ["cargo", "build", "-q", "--release", *words]
    if subprocess.run([*command, "--offline"], cwd=cwd, env=env, capture_output=True, check=False).returncode != 0:
        must(*command, cwd=cwd, env=env)


def build():
    package = OUT / "samplers"
    (package / "src/bin").mkdir(parents=True, exist_ok=True)
    (package / "Cargo.toml").write_text(CARGO_TOML, encoding="utf-8")
    (package / "Cargo.lock").write_bytes((ROOT / "bindings/rust/Cargo.lock").read_bytes())
    for kernel in KERNELS:
        nest = ROOT / f"tests/codegen/{kernel}.nest"
        must(BUILD / "pluss", "codegen", nest, "--lang", "c", "-o", OUT / f"{kernel}.c")
        must(BUILD / "pluss", "codegen", nest, "--lang", "rust", "-o", package / f"src/bin/{kernel}.rs")
        # the optimisation level that cargo's release profile asks for
        must("gcc", "-std=c11", "-O3", "-D_GNU_SOURCE", "-pthread", OUT / f"{kernel}.c", "-o", OUT / kernel)
    cargo(cwd=package)
    libraries = must("pkg-config", "--libs", "gsl", "libelf", "jansson", "zlib", "libzstd").split()
    must("gcc", "-std=c11", "-O3", "-D_GNU_SOURCE", f"-I{ROOT}/ffi", ROOT / "bindings/rust/bench/predict.c",
         BUILD / "libpluss.a", *libraries, "-lm", "-pthread", "-o", OUT / "predict")
    cargo("--locked", "-p", "pluss", "--example", "predict", cwd=ROOT / "bindings/rust",
          env={"PLUSS_LIB_DIR": str(BUILD)})


def timed(command, output):
    """Elapsed and processor milliseconds of one run."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=output) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.perf_counter() - start
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    return 1e3 * elapsed, 1e3 * (used.ru_utime + used.ru_stime)


def duel(programs, arguments, runs):
    """The least elapsed and processor time of each program, which run in turn."""
    best = [(float("inf"), float("inf"))] * len(programs)
    for _ in range(runs):
        for i, program in enumerate(programs):
            with open(os.devnull, "wb") as null:
                new = timed([str(program), *arguments], null)
            best[i] = tuple(map(min, best[i], new))
    return best


def same_intervals(programs, arguments):
    paths = []
    for program in programs:
        with tempfile.NamedTemporaryFile(delete=False, dir=OUT, suffix=".json") as file:
            timed([str(program), *arguments], file)
            paths.append(file.name)
    must(sys.executable, ROOT / "tests/codegen/equal.py", *paths)
    for path in paths:
        os.unlink(path)


def samplers(runs):
    print("Generated samplers, milliseconds; ratio = Rust / C")
    print(f"{'':10} {'T':>2} {'workers':>7} {'C':>8} {'Rust':>8} {'ratio':>6}   {'C cpu':>8} {'Rust cpu':>8} {'ratio':>6}"
          f"   {'C scaling':>9} {'Rust scaling':>12}   intervals")
    worst, worst_cpu = 0.0, 0.0
    for kernel, (sizes, _) in KERNELS.items():
        programs = [OUT / kernel, TARGET / "release" / kernel]
        alone = None
        for threads, workers in TEAMS:
            arguments = ["-T", str(threads), "--workers", str(workers)]
            for name, value in sizes.items():
                arguments += ["-D", f"{name}={value}"]
            same_intervals(programs, arguments)
            (c, c_cpu), (rust, rust_cpu) = duel(programs, arguments, runs)
            scaling = ""
            if threads == 4:
                alone = alone or (c, rust)
                scaling = f"{alone[0] / c:9.2f} {alone[1] / rust:12.2f}"
            worst, worst_cpu = max(worst, rust / c), max(worst_cpu, rust_cpu / c_cpu)
            print(f"{kernel:10} {threads:2} {workers:7} {c:8.1f} {rust:8.1f} {rust / c:6.2f}   {c_cpu:8.1f} {rust_cpu:8.1f}"
                  f" {rust_cpu / c_cpu:6.2f}   {scaling:22}   equal", flush=True)
    print(f"the largest ratio of elapsed times: {worst:.2f}, of processor times: {worst_cpu:.2f}\n")


def closed_form(runs):
    print("The closed-form sampler (model clock) through the C interface and through the crate pluss, milliseconds")
    print(f"{'':10} {'T':>2} {'C':>8} {'Rust':>8} {'ratio':>6}   miss ratio of 32 KiB   (larger sizes than above)")
    for kernel, (_, sizes) in KERNELS.items():
        for threads in (1, 2, 4):
            command = [str(ROOT / f"tests/codegen/{kernel}.nest"), str(threads), "1"]
            command += [f"{name}={value}" for name, value in sizes.items()]
            least, bits = [float("inf")] * 2, set()
            for _ in range(runs):
                for i, program in enumerate((OUT / "predict", TARGET / "release/examples/predict")):
                    microseconds, word = must(program, *command).split()
                    least[i] = min(least[i], float(microseconds) / 1e3)
                    bits.add(word)
            if len(bits) != 1:
                sys.exit(f"{kernel}, {threads} threads: C and Rust predict {' and '.join(sorted(bits))}")
            print(f"{kernel:10} {threads:2} {least[0]:8.1f} {least[1]:8.1f} {least[1] / least[0]:6.2f}   equal to the last bit",
                  flush=True)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    OUT.mkdir(parents=True, exist_ok=True)
    build()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; least of {runs} runs each, in turn\n")
    samplers(runs)
    closed_form(runs)


if __name__ == "__main__":
    main()
