# SPDX-License-Identifier: GPL-3.0-or-later
"""Loop nests: read from files, parsed from text, or put together call by call; predicted and simulated."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from ._library import Context, bytes_of, collect, context, ffi, fill, lib, struct, text_of
from .options import make_options
from .results import Result


def _all(kind: str, function: Any, nest: Any, columns: Mapping[str, str]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    while (info := fill(kind, function, nest, len(rows))) is not None:
        values = {name: getattr(info, member) for name, member in columns.items()}
        rows.append({k: text_of(v) if isinstance(v, ffi.CData) else v for k, v in values.items()})
    return pd.DataFrame(rows, columns=list(columns))


class Nest:
    """The description of a program: regions with their symbols, arrays, loops and references."""

    def __init__(self, ctx: Context, pointer: Any, owner: Any = None) -> None:
        self._context, self._pointer, self._owner = ctx, pointer, owner

    def _evaluate(self, engine: Any, options: Mapping[str, Any]) -> Result:
        request = make_options(self._context, options)
        make = self._context.make
        return Result(self._context, make("pluss_result", lib.pluss_result_free, engine, self._pointer, request))

    def predict(self, **options: Any) -> Result:
        """Miss ratio curves by a model, without running. Options: pluss.list_options()."""
        return self._evaluate(lib.pluss_predict, options)

    def simulate(self, **options: Any) -> Result:
        """The exact curves of one interleaving, by walking every access."""
        return self._evaluate(lib.pluss_simulate, options)

    @property
    def text(self) -> str:
        """In the language of docs/nest-format.md."""
        return collect(lambda take: self._context.call(lib.pluss_nest_write, self._pointer, take, ffi.NULL))

    @property
    def annotated(self) -> str:
        """The loop-annotated trace: references in order, loops in brackets; docs/nest-format.md has the form."""
        return collect(lambda take: self._context.call(lib.pluss_nest_write_annotated, self._pointer, take, ffi.NULL))

    @property
    def regions(self) -> pd.DataFrame:
        columns = {"name": "name", "file": "file", "line": "line"}
        return _all("pluss_region_info", lib.pluss_nest_get_region, self._pointer, columns)

    @property
    def symbols(self) -> pd.DataFrame:
        columns = {"name": "name", "origin": "origin", "value": "value", "region": "region"}
        return _all("pluss_symbol_info", lib.pluss_nest_get_symbol, self._pointer, columns)

    @property
    def loops(self) -> pd.DataFrame:
        names = ("region", "depth", "iv", "lo", "hi", "step", "parallel", "schedule", "file", "line")
        return _all("pluss_loop_info", lib.pluss_nest_get_loop, self._pointer, {n: n for n in names})

    @property
    def references(self) -> pd.DataFrame:
        names = ("region", "loop", "text", "array", "write", "atomic", "parallel", "file", "line")
        return _all("pluss_ref_info", lib.pluss_nest_get_ref, self._pointer, {n: n for n in names})

    def __repr__(self) -> str:
        return f"<pluss.Nest: {', '.join(self.regions['name'])}>"


class Nests(Sequence[Nest]):
    """The nests of a file: an object, an executable, an archive, or text; or a trace, which can be simulated alone."""

    def __init__(self, ctx: Context, pointer: Any, path: str) -> None:
        self._context, self._pointer, self.path = ctx, pointer, path

    def __len__(self) -> int:
        return int(lib.pluss_nests_count(self._pointer))

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        pointer = lib.pluss_nests_get(self._pointer, i + len(self) if i < 0 else i)
        if pointer == ffi.NULL:
            raise IndexError(i)
        return Nest(self._context, pointer, self)

    def predict(self, **options: Any) -> Result:
        """As Nest.predict, of each region on its own (or together=True)."""
        return Nest._evaluate(self, lib.pluss_nests_predict, options)  # type: ignore[arg-type]

    def simulate(self, **options: Any) -> Result:
        return Nest._evaluate(self, lib.pluss_nests_simulate, options)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<pluss.Nests: {len(self)} of {self.path}>"


def read(path: str | os.PathLike[str]) -> Nests:
    """The nests of a file."""
    ctx = context()
    pointer = ctx.make("pluss_nests", lib.pluss_nests_free, lib.pluss_nests_read, bytes_of(path))
    return Nests(ctx, pointer, os.fspath(path))


def parse(text: str, name: str = "<text>") -> Nest:
    """A nest from text (docs/nest-format.md)."""
    ctx, data = context(), text.encode()
    make = ctx.make
    return Nest(ctx, make("pluss_nest", lib.pluss_nest_free, lib.pluss_nest_parse, data, len(data), name.encode()))


# ---- records of runs ---------------------------------------------------------------------------------------------------


def run(program: str | Sequence[str], record: str | None = None, **options: Any) -> Result:
    """Runs a program that was built with `pluss cc --mode=...`, and predicts what ran, with its values and addresses.

    record: keep the record there. Options as of predict; simulate=True walks. An exit status other than 0 raises
    subprocess.CalledProcessError.
    """
    command = [program] if isinstance(program, str) else list(program)
    with tempfile.TemporaryDirectory(prefix="pluss-") as folder:
        path = record or str(Path(folder) / "record")
        subprocess.run(command, check=True, env={**os.environ, "PLUSS_RECORD": path})
        return report_record(path, **options)


def report_record(path: str, **options: Any) -> Result:
    """The curves of all that a record holds."""
    ctx = context()
    record = ctx.make("pluss_record", lib.pluss_record_free, lib.pluss_record_read, bytes_of(path))
    request = make_options(ctx, options)
    arguments = (record, ffi.NULL, 0, request)
    return Result(ctx, ctx.make("pluss_result", lib.pluss_result_free, lib.pluss_record_run, *arguments))


# ---- building ----------------------------------------------------------------------------------------------------------


class Builder:
    """A nest call by call; expressions are numbers or text, blocks are `with` statements.

    >>> b = Builder()
    >>> b.region("axpy")
    >>> b.symbol("n")
    >>> b.array("x", "f64", ["n"])
    >>> with b.loop("i", 0, "n", parallel=True):
    ...     b.read("x", "i")
    ...     b.write("x", "i")
    >>> b.finish().predict(threads=4, define={"n": 1000})
    """

    def __init__(self, name: str | None = None) -> None:
        self._context = context()
        origin = ffi.NULL if name is None else name.encode()
        self._pointer = self._context.make("pluss_builder", lib.pluss_builder_free, lib.pluss_builder_new, origin)
        self._kept: list[Any] = []  # texts of the call that is made

    def _text(self, value: Any) -> Any:
        if value is None:
            return ffi.NULL
        self._kept.append(ffi.new("char[]", str(value).encode()))
        return self._kept[-1]

    def _texts(self, values: Sequence[Any]) -> Any:
        self._kept.append(ffi.new("char *[]", [self._text(v) for v in values]))
        return ffi.cast("const char *const *", self._kept[-1])

    def region(self, name: str, repeat: Any = None) -> None:
        lib.pluss_builder_region(self._pointer, self._text(name), self._text(repeat))

    def symbol(self, name: str, value: Any = None) -> None:
        lib.pluss_builder_symbol(self._pointer, self._text(name), ffi.NULL, self._text(value))

    def array(self, name: str, element: str, extents: Sequence[Any] = (), private: bool = False) -> None:
        """element: "f64", "i32", "b48", ...; extents: of each subscript, the slowest first."""
        spec = struct("pluss_array_spec")
        spec.element, spec.name, spec.rank = self._text(element), self._text(name), len(extents)
        spec.extents, spec.is_private = self._texts(extents), private
        lib.pluss_builder_array(self._pointer, spec)

    @contextmanager
    def loop(
        self,
        iv: str,
        lo: Any,
        hi: Any,
        step: int = 1,
        parallel: bool = False,
        schedule: str | None = None,
        chunk: Any = None,
        collapse: int = 1,
    ) -> Iterator[None]:
        spec = struct("pluss_loop_spec")
        spec.iv, spec.lo, spec.hi, spec.step = self._text(iv), self._text(lo), self._text(hi), step
        spec.kind = lib.PLUSS_LOOP_PARALLEL if parallel else lib.PLUSS_LOOP_SEQUENTIAL
        spec.schedule, spec.chunk, spec.collapse = self._text(schedule), self._text(chunk), collapse
        lib.pluss_builder_loop(self._pointer, spec)
        yield
        lib.pluss_builder_end(self._pointer)

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        lib.pluss_builder_if(self._pointer, self._text(condition))
        yield
        lib.pluss_builder_end(self._pointer)

    def _reference(self, array: str, subscripts: Sequence[Any], write: bool) -> None:
        spec = struct("pluss_ref_spec")
        spec.array, spec.n_subscripts = self._text(array), len(subscripts)
        spec.subscripts, spec.write = self._texts(subscripts), write
        lib.pluss_builder_ref(self._pointer, spec)

    def read(self, array: str, *subscripts: Any) -> None:
        self._reference(array, subscripts, False)

    def write(self, array: str, *subscripts: Any) -> None:
        self._reference(array, subscripts, True)

    def finish(self) -> Nest:
        """The nest; the builder is then empty. All faults of the calls are raised here."""
        out = ffi.new("pluss_nest **")
        with self._context.lock:
            self._context.check(lib.pluss_builder_finish(self._pointer, out))
        self._kept.clear()
        return Nest(self._context, ffi.gc(out[0], lib.pluss_nest_free))
