#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated samplers in C, by gcc and by clang, and in Rust, and the closed-form sampler called from both, in one run.

    bindings/rust/bench/bench.py [RUNS [PICTURE.svg]]        (make bench-rust)
    bindings/rust/bench/bench.py kernels [RUNS]              only the table of watching and tracing

C by gcc against C by clang are two back ends of one language, C by clang against Rust two languages whose compilers have
LLVM as their back end, of different versions. For each kernel the three programs run in turn, so that whatever else the
machine does meets all of them. Processor times count, of RUNS runs each: the median, and half of the range that holds
the middle half of the runs. A ratio is the median of the ratios of runs that followed each other. The private reuse
intervals that the programs print must be equal, to the last count. Products go to $BUILD/bench-rust.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
OUT = BUILD / "bench-rust"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", BUILD / "rust-target"))
# kernels of the PolyBench sources, and sizes at which they make 6 to 20 million accesses
KERNELS = {
    "gemm": {"ni": 160, "nj": 160, "nk": 160},
    "syrk": {"n": 200, "m": 180},
    "jacobi-2d": {"tsteps": 24, "n": 250},
    "2mm": {"ni": 130, "nj": 130, "nk": 130, "nl": 130},
    "trmm": {"m": 220, "n": 220},
    "atax": {"m": 900, "n": 900},
    "mvt": {"n": 850},
    "gesummv": {"n": 850},
    "doitgen": {"nq": 40, "nr": 40, "np": 36},
    "heat-3d": {"tsteps": 16, "n": 36},
}
CLOSED = {
    "gemm": {"ni": 1000, "nj": 1000, "nk": 1000},
    "syrk": {"n": 1000, "m": 1000},
    "jacobi-2d": {"tsteps": 100, "n": 1000},
}
# kernels of bindings/rust/kernels and arguments with which they take some milliseconds
TRACED = {
    "product": "300",
    "transposition": "1500",
    "convolution": "500 5",
    "stencil": "500 20",
    "prefix": "64 20000",
    "nbody": "1000",
    "sparse": "3000",
    "kmeans": "20000 16",
    "halves": "300000",
}
PROGRAMS = ("C, gcc", "C, clang", "Rust")
COLOURS = ("#4878a8", "#e0a030", "#b04848")
THREADS = 2

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
    clang = os.environ.get("CLANG", "clang-14")
    for kernel in KERNELS:
        nest = OUT / f"{kernel}.o"
        must("gcc", "-O2", "-fopenmp", f"-fplugin={BUILD}/pluss.so", "-c", ROOT / f"polybench/{kernel}.c", "-o", nest)
        must(BUILD / "pluss", "codegen", nest, "--lang", "c", "-o", OUT / f"{kernel}.c")
        must(BUILD / "pluss", "codegen", nest, "--lang", "rust", "-o", package / f"src/bin/{kernel}.rs")
        # the optimisation level that cargo's release profile asks for
        for compiler, end in (("gcc", "gcc"), (clang, "clang")):
            must(compiler, "-std=c11", "-O3", "-D_GNU_SOURCE", "-pthread", OUT / f"{kernel}.c", "-o", OUT / f"{kernel}.{end}")
    cargo(cwd=package)
    libraries = must("pkg-config", "--libs", "gsl", "libelf", "jansson", "zlib", "libzstd").split()
    must("gcc", "-std=c11", "-O3", "-D_GNU_SOURCE", f"-I{ROOT}/ffi", ROOT / "bindings/rust/bench/predict.c",
         BUILD / "libpluss.a", *libraries, "-lm", "-pthread", "-o", OUT / "predict")
    cargo("--locked", "-p", "pluss", "--example", "predict", cwd=ROOT / "bindings/rust",
          env={"PLUSS_LIB_DIR": str(BUILD)})


def timed(command, output, environment=None):
    """Elapsed and processor milliseconds of one run."""
    with tempfile.TemporaryFile() as said: # watched kernels describe their loops
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=output, stderr=said, env={**os.environ, **(environment or {})}) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.perf_counter() - start
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"{' '.join(command)}: status {process.returncode}\n{said.read().decode(errors='replace')}")
    return 1e3 * elapsed, 1e3 * (used.ru_utime + used.ru_stime)


def turns(programs, arguments, runs):
    """Processor milliseconds of each program, which run in turn."""
    times = [[] for _ in programs]
    for _ in range(runs):
        for program, list_of in zip(programs, times):
            with open(os.devnull, "wb") as null:
                list_of.append(timed([str(program), *arguments], null)[1])
    return times


def spread(values):
    """Half of the range of the middle half."""
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def same_intervals(programs, arguments):
    paths = []
    for program in programs:
        with tempfile.NamedTemporaryFile(delete=False, dir=OUT, suffix=".json") as file:
            timed([str(program), *arguments], file)
            paths.append(file.name)
    for path in paths[1:]:
        must(sys.executable, ROOT / "tests/codegen/equal.py", paths[0], path)
    for path in paths:
        os.unlink(path)


def samplers(runs):
    """Prints the table; medians and spreads by kernel."""
    print(f"Generated samplers, {THREADS} threads, milliseconds of processor time: median, +- half of the middle half's range")
    heads = "".join(f"{name:>18}" for name in PROGRAMS)
    print(f"{'':10}{heads}{'clang / gcc':>13}{'Rust / clang':>13}   intervals")
    found, back_ends, languages = {}, [], []
    for kernel, sizes in KERNELS.items():
        programs = [OUT / f"{kernel}.gcc", OUT / f"{kernel}.clang", TARGET / "release" / kernel]
        arguments = ["-T", str(THREADS)]
        for name, value in sizes.items():
            arguments += ["-D", f"{name}={value}"]
        same_intervals(programs, arguments)
        times = turns(programs, arguments, runs)
        gcc, clang, rust = times
        back_ends.append(statistics.median(b / a for a, b in zip(gcc, clang)))
        languages.append(statistics.median(b / a for a, b in zip(clang, rust)))
        found[kernel] = [(statistics.median(values), spread(values)) for values in times]
        row = "".join(f"{median:10.1f} +-{half:5.1f}" for median, half in found[kernel])
        print(f"{kernel:10}{row}{back_ends[-1]:13.2f}{languages[-1]:13.2f}   equal", flush=True)
    for name, ratios in (("back ends, clang / gcc", back_ends), ("languages, Rust / clang", languages)):
        mean = statistics.geometric_mean(ratios)
        print(f"{name}: geometric mean {mean:.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")
    print()
    return found


def build_kernels():
    """Three programs of each kernel: as it is, watched, traced."""
    folder, env = ROOT / "bindings/rust/kernels", {**os.environ, "PLUSS_LIB_DIR": str(BUILD), "PLUSS": str(BUILD / "pluss")}
    env["CARGO_TARGET_DIR"] = str(TARGET)
    cargo("--locked", "-p", "cargo-pluss", cwd=ROOT / "bindings/rust")
    env["PATH"] = f"{TARGET / 'release'}:{env['PATH']}"
    env["CARGO_TARGET_DIR"] = str(BUILD / "rust-kernels")
    names = [word for kernel in TRACED for word in ("--bin", kernel)]
    must("cargo", "build", "-q", "--release", "--locked", *names, cwd=folder, env=env)
    must("cargo", "build", "-q", "--release", "--locked", *names, cwd=folder,
         env={**env, "PLUSS_KERNELS": "watched", "CARGO_TARGET_DIR": str(BUILD / "rust-kernels/watched")})
    for kernel in TRACED:
        must("cargo", "pluss", "build", "--locked", "--bin", kernel, cwd=folder, env=env)
    target = BUILD / "rust-kernels"
    return {kernel: [target / "release" / kernel, target / "watched/release" / kernel, target / "pluss" / kernel] for kernel in TRACED}


def kernels(runs):
    """Prints what watching and tracing cost: processor time by that of the plain program."""
    print(f"Rust kernels with 1 thread, milliseconds of processor time of the whole program: median, +- half of the middle half's range")
    print(f"{'':28}{'plain':>16}" + "".join(f"{name:>14}" for name in ("watched", "not recorded", "recorded", "ns/access")))
    ratios = [[], [], []]
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        for kernel, (plain, watched, traced) in build_kernels().items():
            trace, arguments = Path(folder) / "trace", TRACED[kernel].split()
            record = [BUILD / "pluss", "trace", "-T", "1", "--accesses", str(10**12), "--function", kernel, "-o", trace, traced, *arguments]
            commands = [[plain, *arguments], [watched, *arguments], [traced, *arguments], record]
            environments = [{}, {"PLUSS_WATCH": str(Path(folder) / "record"), "PLUSS_WATCH_LOOPS": "0"}, {}, {}]
            times = [[] for _ in commands]
            for _ in range(runs):
                for command, environment, list_of in zip(commands, environments, times):
                    with open(os.devnull, "wb") as null:
                        list_of.append(timed([str(word) for word in command], null, {"RAYON_NUM_THREADS": "1", **environment})[1])
            with open(trace, "rb") as file: # its end: the number of events
                file.seek(-8, os.SEEK_END)
                events = int.from_bytes(file.read(), "little")
            each = [statistics.median(b / a for a, b in zip(times[0], list_of)) for list_of in times[1:]]
            for list_of, ratio in zip(ratios, each):
                list_of.append(ratio)
            name = f"{kernel} {' '.join(arguments)}"
            cells = "".join(f"{ratio:13.2f}x" for ratio in each)
            cost = 1e6 * (statistics.median(times[3]) - statistics.median(times[0])) / events
            print(f"{name:28}{statistics.median(times[0]):10.1f} +-{spread(times[0]):4.1f}{cells}{cost:14.1f}", flush=True)
    for name, list_of in zip(("watched", "traced, not recorded", "traced and recorded"), ratios):
        print(f"{name}: geometric mean {statistics.geometric_mean(list_of):.2f}, median {statistics.median(list_of):.2f}, "
              f"from {min(list_of):.2f} to {max(list_of):.2f} times")
    print()


def draw(found, path):
    """Bars of medians with their spreads, each kernel's in units of C by gcc."""
    width, left, top, height = 72, 48, 34, 200
    most = 1.15 * max((median + half) / row[0][0] for row in found.values() for median, half in row)
    y = lambda value: top + height * (1 - value / most)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width * len(found) + 10}" height="{top + height + 30}"'
           ' font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="14">Generated samplers: processor time by that of C with gcc; medians, bars hold the middle half</text>']
    for tick in range(int(most / 0.25) + 1):
        at = y(0.25 * tick)
        out.append(f'<line x1="{left}" x2="{left + width * len(found)}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{0.25 * tick:.2f}</text>')
    for i, (kernel, row) in enumerate(found.items()):
        for j, (median, half) in enumerate(row):
            x, unit = left + width * i + 6 + 20 * j, row[0][0]
            low, high = y((median - half) / unit), y((median + half) / unit)
            out.append(f'<rect x="{x}" y="{y(median / unit):.1f}" width="18" height="{top + height - y(median / unit):.1f}"'
                       f' fill="{COLOURS[j]}"/><line x1="{x + 9}" x2="{x + 9}" y1="{low:.1f}" y2="{high:.1f}" stroke="black"/>')
        out.append(f'<text x="{left + width * i + 35}" y="{top + height + 15}" text-anchor="middle">{kernel}</text>')
    for j, name in enumerate(PROGRAMS):
        out.append(f'<rect x="{left + 90 * j}" y="20" width="9" height="9" fill="{COLOURS[j]}"/>'
                   f'<text x="{left + 90 * j + 13}" y="29">{name}</text>')
    Path(path).write_text("\n".join([*out, "</svg>", ""]), encoding="utf-8")


def closed_form(runs):
    print(f"The closed-form sampler (model clock) through the C interface and through the crate pluss, milliseconds, least of {runs}")
    print(f"{'':10} {'T':>2} {'C':>8} {'Rust':>8} {'ratio':>6}   miss ratio of 32 KiB   (larger sizes than above)")
    for kernel, sizes in CLOSED.items():
        for threads in (1, 2, 4):
            command = [str(OUT / f"{kernel}.o"), str(threads), "1"]
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
    OUT.mkdir(parents=True, exist_ok=True)
    if sys.argv[1:2] == ["kernels"]:
        kernels(int(sys.argv[2]) if len(sys.argv) > 2 else 15)
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    build()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; {runs} runs each, in turn\n")
    found = samplers(runs)
    if len(sys.argv) > 2:
        draw(found, sys.argv[2])
    kernels(runs)
    closed_form(runs)


if __name__ == "__main__":
    main()
