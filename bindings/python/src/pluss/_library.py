# SPDX-License-Identifier: GPL-3.0-or-later
"""libpluss through its header: what pluss.h declares is what cffi calls. No declaration is repeated here."""

from __future__ import annotations

import os
import re
import threading
import warnings
from pathlib import Path
from typing import Any, Callable

from cffi import FFI

_here = Path(__file__).parent


def _declarations(header: str) -> str:
    """The header without comments, preprocessor lines and attributes; numbers that are macros stay."""
    numbers = re.findall(r"^#define (PLUSS_RATES_PIECES) (\d+)$", header, re.M)
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = re.sub(r'extern "C" \{', "", text)
    text = re.sub(r"\n\}\s*$", "\n", text.rstrip())
    for name, value in numbers:
        text = text.replace(name, value)
    return re.sub(r"\bPLUSS_(API|NODISCARD)\b", "", text)


def _find(name: str, variable: str) -> str:
    """The file of this package, or the one that an environment variable names."""
    place = os.environ.get(variable) or str(_here / name)
    if not Path(place).exists():
        raise ImportError(f"{place} is missing: install the wheel, or set {variable}")
    return place


ffi = FFI()
ffi.cdef(_declarations(Path(_find("pluss.h", "PLUSS_HEADER")).read_text()))
lib: Any = ffi.dlopen(_find("libpluss.so.1", "PLUSS_LIBRARY"))


class Error(Exception):
    """What the library refuses; `status` is its name, "EINVAL", and the text has the place."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status: str = ffi.string(lib.pluss_status_name(status)).decode()


class Warned(UserWarning):
    """A warning of the library."""


def text_of(pointer: Any) -> str | None:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode(errors="surrogateescape")


def bytes_of(text: str | os.PathLike[str]) -> bytes:
    return os.fsencode(text)


# Of predictions, for those that follow: what a notebook's controls change is a part of them.
KEPT_BYTES = 64 << 20


class Context:
    """Allocator and messages of all objects of a thread of calls. Calls of one context exclude each other."""

    def __init__(self) -> None:
        out = ffi.new("pluss_context **")
        options = ffi.new("pluss_context_options *")
        options.size = ffi.sizeof("pluss_context_options")
        options.kept_bytes = KEPT_BYTES
        status = lib.pluss_context_new(options, out)
        if status:
            raise MemoryError
        self.pointer = ffi.gc(out[0], lib.pluss_context_free)
        self.lock = threading.RLock()

    def check(self, status: int) -> None:
        """Raises what has failed, and passes warnings on."""
        d = ffi.new("pluss_diagnostic *")
        d.size = ffi.sizeof("pluss_diagnostic")
        errors = []
        for i in range(lib.pluss_context_diagnostic_count(self.pointer)):
            if lib.pluss_context_diagnostic(self.pointer, i, d):
                continue
            place = ":".join(str(p) for p in (text_of(d.file), d.line, d.col) if p)
            said = f"{place}: {text_of(d.text)}" if place else str(text_of(d.text))
            if d.severity == lib.PLUSS_ERROR:
                errors.append(said)
            elif d.severity == lib.PLUSS_WARNING:
                warnings.warn(said, Warned, stacklevel=4)
        lib.pluss_context_clear(self.pointer)
        if status == lib.PLUSS_ENOMEM:
            raise MemoryError(errors[-1] if errors else "out of memory")
        if status:
            raise Error(status, "; ".join(errors) or text_of(lib.pluss_status_text(status)) or "")

    def make(self, kind: str, free: Callable[[Any], None], function: Callable[..., int], *arguments: Any) -> Any:
        """Calls function(context, arguments..., out) and owns what it gives; the context outlives that."""
        out = ffi.new(f"{kind} **")
        with self.lock:
            self.check(function(self.pointer, *arguments, out))
        context = self

        def release(pointer: Any) -> None:
            with context.lock:
                free(pointer)

        return ffi.gc(out[0], release)

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        with self.lock:
            self.check(function(self.pointer, *arguments))


_of_thread = threading.local()


def context() -> Context:
    """The calling thread's."""
    found: Context | None = getattr(_of_thread, "context", None)
    if found is None:
        found = _of_thread.context = Context()
    return found


def struct(kind: str) -> Any:
    """One that begins with its size."""
    value = ffi.new(f"{kind} *")
    value.size = ffi.sizeof(kind)
    return value


def fill(kind: str, function: Callable[..., int], *arguments: Any) -> Any | None:
    """What a _get function gives; None past the end."""
    value = struct(kind)
    status = function(*arguments, value)
    if status == lib.PLUSS_ENOTFOUND:
        return None
    if status:
        raise Error(status, text_of(lib.pluss_status_text(status)) or "")
    return value


def collect(write: Callable[[Any], None]) -> str:
    """The text that a function hands to a pluss_write_fn."""
    parts: list[bytes] = []

    def take(_user: Any, data: Any, length: int) -> int:
        parts.append(ffi.buffer(data, length)[:])
        return 0

    write(ffi.callback("int(void *, const char *, size_t)", take))
    return b"".join(parts).decode(errors="surrogateescape")


version: str = text_of(lib.pluss_version()) or ""
