# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: curves as NumPy arrays, levels of caches and all of it as pandas frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ._library import Context, bytes_of, collect, context, ffi, fill, lib, struct, text_of

Array = np.ndarray


def _array(pointer: Any, n: int) -> Array:
    """A copy of n doubles."""
    if n == 0 or pointer == ffi.NULL:
        return np.empty(0)
    return np.frombuffer(ffi.buffer(pointer, 8 * n), dtype=np.float64).copy()


def parse_size(text: str | int) -> int:
    """Bytes of "32K", "1MiB" or a number."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(r"(\d+)([KMGTPE]?)i?B?", text.strip())
    if not match:
        raise ValueError(f"{text!r} is no size: 32K, 1M, 48KiB")
    return int(match[1]) << (10 * (" KMGTPE".index(match[2] or " ")))


@dataclass(frozen=True, eq=False)
class Curve:
    """A miss ratio curve: miss_ratio[i] for caches of size_lines[i] lines up to the next size.

    standard_error is told at error_size_lines; empty where the engine tells none. threads_per_cache 0: all threads share one.
    """

    region: str
    file: str | None
    line: int
    threads: int
    threads_per_cache: int
    engine: str
    simulated: bool
    schedule: str
    seed: int
    values: dict[str, int]
    accesses: float
    footprint_lines: int
    line_bytes: int
    unknowns: int
    size_lines: Array
    miss_ratio: Array
    mean_error: float
    error_size_lines: Array
    standard_error: Array
    _result: Any
    _pointer: Any

    def at(self, cache: str | int) -> float:
        """The miss ratio of a cache of this size ("32K", or bytes)."""
        return float(lib.pluss_curve_at(self._pointer, parse_size(cache)))

    @property
    def size_bytes(self) -> Array:
        return self.size_lines * self.line_bytes


@dataclass(frozen=True)
class Level:
    """What a level of a memory hierarchy does; counts are accesses of a run."""

    name: str
    region: str
    threads: int
    threads_per_cache: int
    simulated: bool
    line_bytes: int
    cache_bytes: int
    sets: int
    ways: int
    point: int
    accesses: float
    requests: float
    misses: float
    misses_error: float
    cold: float
    capacity: float
    conflict: float
    true_sharing: float
    false_sharing: float
    bytes_fetched: float
    bytes_written_back: float

    @property
    def miss_ratio(self) -> float:
        """Misses / all accesses of the program."""
        return self.misses / self.accesses


class Result(Sequence[Curve]):
    """Curves, and the levels of caches where some were described. A sequence of curves."""

    def __init__(self, ctx: Context, pointer: Any) -> None:
        self._context, self._pointer = ctx, pointer

    def __len__(self) -> int:
        return int(lib.pluss_result_count(self._pointer))

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        pointer = lib.pluss_result_get(self._pointer, i)
        if pointer == ffi.NULL:
            raise IndexError(i)
        info = fill("pluss_curve_info", lib.pluss_curve_get_info, pointer)
        assert info is not None
        return Curve(
            region=text_of(info.region) or "",
            file=text_of(info.file),
            line=info.line,
            threads=info.team,
            threads_per_cache=info.threads_per_cache,
            engine=text_of(info.engine) or "",
            simulated=bool(info.simulated),
            schedule=text_of(info.schedule) or "",
            seed=info.seed,
            values={str(text_of(info.bindings[k].name)): info.bindings[k].value for k in range(info.n_bindings)},
            accesses=info.accesses,
            footprint_lines=info.footprint_lines,
            line_bytes=info.line_bytes,
            unknowns=info.unknowns,
            size_lines=_array(info.size_lines, info.n_points),
            miss_ratio=_array(info.miss, info.n_points),
            mean_error=info.mean_error,
            error_size_lines=_array(info.error_size_lines, info.n_error_points),
            standard_error=_array(info.error, info.n_error_points),
            _result=self,
            _pointer=pointer,
        )

    @property
    def levels(self) -> list[Level]:
        return list(self._levels())

    def _levels(self) -> Iterator[Level]:
        i = 0
        while (info := fill("pluss_level_info", lib.pluss_result_get_level, self._pointer, i)) is not None:
            i, m = i + 1, info.misses
            yield Level(
                text_of(info.name) or "",
                text_of(info.region) or "",
                info.threads,
                info.threads_per_cache,
                bool(info.simulated),
                info.line_bytes,
                info.bytes,
                info.sets,
                info.ways,
                info.point,
                info.accesses,
                m.requests,
                m.misses,
                m.error if m.error >= 0 else float("nan"),
                m.cold,
                m.capacity,
                m.conflict,
                m.true_sharing,
                m.false_sharing,
                m.bytes_fetched,
                m.bytes_written_back,
            )

    def curves(self) -> pd.DataFrame:
        """All points of all curves: region, threads, threads_per_cache, engine, values, size_lines, size_bytes, miss_ratio."""
        frames = [
            pd.DataFrame(
                {
                    "region": c.region,
                    "threads": c.threads,
                    "threads_per_cache": c.threads_per_cache,
                    "engine": c.engine,
                    **c.values,
                    "size_lines": c.size_lines,
                    "size_bytes": c.size_bytes,
                    "miss_ratio": c.miss_ratio,
                }
            )
            for c in self
        ]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def caches(self, sizes: Sequence[str | int] | None = None) -> pd.DataFrame:
        """A row for each level, or, without levels, for each curve and cache size (default: powers of two to the footprint)."""
        levels = self.levels
        if levels and sizes is None:
            frame = pd.DataFrame([vars(level) for level in levels])
            return frame.assign(miss_ratio=[level.miss_ratio for level in levels])
        rows = []
        for c in self:
            footprint = max(c.footprint_lines, 1) * c.line_bytes
            doubling = [1 << k for k in range(10, max(11, footprint.bit_length() + 1))]
            for size in [parse_size(s) for s in sizes] if sizes is not None else doubling:
                row = {"region": c.region, "threads": c.threads, "threads_per_cache": c.threads_per_cache, "engine": c.engine}
                rows.append({**row, **c.values, "cache_bytes": size, "accesses": c.accesses, "miss_ratio": c.at(size)})
        return pd.DataFrame(rows)

    def report(self, format: str = "text") -> str:
        """The command's report: text, json, csv, ..."""
        options = struct("pluss_report_options")
        report = self._context.make(
            "pluss_report", lib.pluss_report_free, lib.pluss_result_report, self._pointer, options
        )
        return collect(
            lambda take: self._context.call(
                lib.pluss_report_write, report, format.encode(), ffi.NULL, take, ffi.NULL
            )
        )

    def plot(self, **options: Any) -> Any:
        """As pluss.plot(self, ...)."""
        from .plot import plot

        return plot(self, **options)

    def __repr__(self) -> str:
        return f"<pluss.Result: {len(self)} curves, {len(self.levels)} levels>"


def read_report(path: str) -> Result:
    """A report in JSON that the command or Result.report has written."""
    ctx = context()
    with open(path, "rb") as file:
        text = file.read()
    pointer = ctx.make("pluss_result", lib.pluss_result_free, lib.pluss_result_read, text, len(text), bytes_of(path))
    return Result(ctx, pointer)
