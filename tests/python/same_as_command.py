# SPDX-License-Identifier: GPL-3.0-or-later
"""same_as_command.py PLUSS FOLDER: each way of asking the package gives what the command gives, byte by byte. Prints TAP."""
import subprocess
import sys
import threading
import warnings

import numpy as np
import pandas as pd

import pluss

command, folder = sys.argv[1:]
sizes = {"ni": 60, "nj": 70, "nk": 80}
defines = [f"-D{name}={value}" for name, value in sizes.items()]


def run(*arguments, **more):
    return subprocess.run([command, *arguments], check=True, capture_output=True, text=True, **more).stdout


def test(name):
    def decorate(function):
        if __name__ != "__main__":  # in a process of a sweep
            return
        try:
            function()
            print(f"ok - {name}")
        except Exception as fault:  # a test that fails does not keep the others from running
            print(f"not ok - {name}\n    {type(fault).__name__}: {fault}")

    return decorate


gemm_o = f"{folder}/gemm.o"


@test("gemm in three lines is the command's report, to the byte")
def _():
    gemm = pluss.read(gemm_o)
    result = gemm.predict(threads=[1, 4], define=sizes)
    assert result.report("json") == run("predict", gemm_o, "-T1,4", *defines, "--cache", "none", "--json")


@test("a simulation, with a schedule, a seed and levels")
def _():
    caches = "L1=4K:ways=4,L2=64K:ways=8:shared"
    result = pluss.read(gemm_o).simulate(threads=2, define=sizes, schedule="static,1", seed=3, cache=caches)
    asked = ["-T2", *defines, "--schedule", "static,1", "--seed", "3", "--cache", caches]
    assert result.report("json") == run("simulate", gemm_o, *asked, "--json")
    levels = result.caches()
    assert list(levels["name"]) == ["L1", "L2"] and (levels["misses"] == [l.misses for l in result.levels]).all()


@test("arrays and frames hold the numbers of the curve")
def _():
    result = pluss.read(gemm_o).predict(threads=[1, 4], define=sizes)
    curve = result[-1]
    assert curve.threads == 4 and curve.values == sizes and curve.size_lines.dtype == np.float64
    assert curve.miss_ratio[0] == 1 and (np.diff(curve.miss_ratio) <= 0).all() and (np.diff(curve.size_lines) > 0).all()
    for size in (1024, 32768, 1 << 20):
        i = np.searchsorted(curve.size_lines, size // 64, side="right") - 1
        assert curve.at(size) == curve.miss_ratio[i], size
    frame = result.curves()
    assert len(frame) == sum(len(c.size_lines) for c in result) and (frame[frame.threads == 4].miss_ratio == curve.miss_ratio).all()
    assert list(result.caches(["32K"]).miss_ratio) == [c.at("32K") for c in result]


@test("a nest from text and one from calls are the same")
def _():
    text = "pluss-nest 1\nregion axpy\nsymbol n\narray f64 x[n]\nparallel for i in 0..n {\n  read x[i]\n  write x[i]\n}\n"
    b = pluss.Builder()
    b.region("axpy")
    b.symbol("n")
    b.array("x", "f64", ["n"])
    with b.loop("i", 0, "n", parallel=True):
        b.read("x", "i")
        b.write("x", "i")
    built = b.finish()
    assert built.text == text == pluss.parse(text).text
    asked = dict(threads=4, define={"n": 1000})
    assert built.predict(**asked).report("json") == pluss.parse(text).predict(**asked).report("json")


@test("a program that is run")
def _():
    result = pluss.run([f"{folder}/axpy", "x"], record=f"{folder}/record", threads=[1, 2])
    assert [c.threads for c in result] == [1, 2] and result[0].accesses == 3 * 2048
    assert result.report("json") == run("run", "--record", f"{folder}/record", "-T1,2", "--cache", "none", "--json")


@test("a sweep, in one process and in two, and in Parquet")
def _():
    parts = dict(files=gemm_o, caches=["4K,32K"], sizes={"ni": [16, 32], "nj": "16..32*2", "nk": [8]}, threads=[1, 2])
    spec = pluss.make_spec(**parts, models=["cri", "simulate"])
    with open(f"{folder}/a.sweep", "w") as file:
        file.write(spec)
    run("sweep", f"{folder}/a.sweep", "-o", f"{folder}/a.csv")
    expected = pd.read_csv(f"{folder}/a.csv", float_precision="round_trip")
    assert len(expected) == 32
    for processes in (1, 2):
        pd.testing.assert_frame_equal(pluss.sweep(spec, processes=processes), expected, check_exact=True)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return
    pluss.sweep(f"{folder}/a.sweep", processes=1, parquet=f"{folder}/a.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(f"{folder}/a.parquet"), expected, check_exact=True)


@test("what is wrong is told with its place, and nothing is lost")
def _():
    faults = [
        (lambda: pluss.read(gemm_o).predict(threads=4), "EUNBOUND", "ni, nj, nk"),
        (lambda: pluss.read(gemm_o).predict(threads=0), "EINVAL", "threads"),
        (lambda: pluss.read(gemm_o).predict(speed="fast"), "ENOTFOUND", "speed"),
        (lambda: pluss.read("none.o"), "EIO", "none.o"),
        (lambda: pluss.parse("pluss-nest 1\nregion", "given"), "EPARSE", "given:2"),
        (lambda: pluss.sweep("files none\nspeed fast\n"), "EINVAL", "<text>:2:1"),
    ]
    for call, status, text in faults:
        try:
            call()
        except pluss.Error as error:
            assert error.status == status and text in str(error), f"{error.status}: {error}"
        else:
            raise AssertionError(f"{text}: not refused")
    b = pluss.Builder()
    b.read("x", "i")
    try:
        b.finish()
    except pluss.Error:
        pass
    else:
        raise AssertionError("a reference outside of a region is not refused")


@test("warnings are Python's")
def _():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        pluss.read(gemm_o).predict(threads=2, define=sizes, model="cri-line", cache="L1=4K:ways=4")
    assert any(issubclass(w.category, pluss.Warned) and "sets and ways" in str(w.message) for w in seen)


@test("threads at once")
def _():
    nests, wanted, found = pluss.read(gemm_o), [], []
    wanted = nests.predict(threads=2, define=sizes).report("json")
    workers = [threading.Thread(target=lambda: found.append(nests.predict(threads=2, define=sizes).report("json"))) for _ in range(4)]
    [w.start() for w in workers]
    [w.join() for w in workers]
    assert found == [wanted] * 4


@test("the package computes nothing: it has every option of the library")
def _():
    assert {"threads", "cache", "model", "seed", "progress"} <= set(pluss.list_options())


try:
    import matplotlib  # noqa: F401
except ImportError:
    matplotlib = None


@test("a picture" if matplotlib else "a picture # SKIP no matplotlib")
def _():
    if matplotlib:
        axes = pluss.read(gemm_o).predict(threads=[1, 4], define=sizes).plot(caches={"L1": "32K"})
        axes.figure.savefig(f"{folder}/curves.svg")
        assert len([line for line in axes.lines if line.get_label().startswith("T = ")]) == 2
