# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter sweeps (docs/sweep.md), their cells given out to processes."""

from __future__ import annotations

import io
import multiprocessing
import os
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from ._library import Context, bytes_of, collect, context, ffi, lib, struct

NO_CELL = 2**64 - 1


class Sweep:
    """The cells of a text."""

    def __init__(self, text: str, name: str = "<text>") -> None:
        data = text.encode()
        self._context: Context = context()
        self._pointer: Any = self._context.make(
            "pluss_sweep", lib.pluss_sweep_free, lib.pluss_sweep_parse, data, len(data), bytes_of(name)
        )

    def __len__(self) -> int:
        info = struct("pluss_sweep_info")
        self._context.check(lib.pluss_sweep_get_info(self._pointer, info))
        return int(info.cells)

    def rows(self, cell: int) -> str:
        """In CSV, after a line of names."""
        ctx = self._context
        make = ctx.make
        report = make("pluss_report", lib.pluss_report_free, lib.pluss_sweep_report, self._pointer, cell, ffi.NULL)
        return collect(lambda take: ctx.call(lib.pluss_report_write, report, b"csv", ffi.NULL, take, ffi.NULL))


_sweep: Sweep | None = None


def _begin(text: str, name: str) -> None:
    global _sweep
    _sweep = Sweep(text, name)


def _evaluate(cell: int) -> str:
    assert _sweep is not None
    return _sweep.rows(cell).split("\n", 1)[1]


def make_spec(files: str | Iterable[str], caches: Iterable[str], sizes: Mapping[str, Any] | None = None, **more: Any) -> str:
    """The text of a sweep; more: schedules, threads, models, each a list; options: a mapping."""
    lines = ["files " + " ".join(f'"{os.fspath(f)}"' for f in ([files] if isinstance(files, str) else files))]
    lines.append("caches " + " ".join(caches))
    for name, values in (sizes or {}).items():
        lines.append(f"sizes {name}=" + (values if isinstance(values, str) else ",".join(str(v) for v in values)))
    for option, text in dict(more.pop("options", {})).items():
        lines.append(f"option {option}" + ("" if text is True else f"={text}"))
    for word, values in more.items():
        lines.append(f"{word} " + " ".join(str(v) for v in values))
    return "\n".join(lines) + "\n"


def sweep(
    spec: str | os.PathLike[str] | None = None, processes: int | None = None, parquet: str | None = None, **parts: Any
) -> pd.DataFrame:
    """All cells as one frame: of a file, of a text with several lines, or of the parts that make_spec takes.

    processes: default one a processor. parquet: also write it there (needs pyarrow). For long sweeps, for --resume and for MPI
    there is the command, whose table pandas.read_csv reads.
    """
    name, text = "<text>", make_spec(**parts) if spec is None else os.fspath(spec)
    if "\n" not in text:
        name = text
        with open(text, encoding="utf-8") as file:
            text = file.read()
    whole = Sweep(text, name)
    n, cells = processes or os.cpu_count() or 1, len(whole)
    names = whole.rows(NO_CELL)
    if n == 1 or cells == 1:
        _begin(text, name)
        rows = [_evaluate(i) for i in range(cells)]
    else:
        with multiprocessing.get_context("spawn").Pool(n, _begin, (text, name)) as pool:
            rows = list(pool.imap(_evaluate, range(cells), chunksize=max(1, min(16, cells // (8 * n)))))
    frame = pd.read_csv(io.StringIO(names + "".join(rows)), float_precision="round_trip")
    if parquet:
        frame.to_parquet(parquet, index=False)
    return frame
