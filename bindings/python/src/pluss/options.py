# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the library by name, as the command has them: `threads=[1, 4]`, `define={"n": 100}`, `cache="32K,1M"`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._library import Context, bytes_of, ffi, fill, lib, text_of


def list_options() -> dict[str, str]:
    """Every option with one line about it."""
    found: dict[str, str] = {}
    while (info := fill("pluss_option_info", lib.pluss_option_get, len(found))) is not None:
        found[str(text_of(info.name))] = str(text_of(info.summary))
    return found


def _text(value: Any) -> str:
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, Iterable):
        return ",".join(_text(v) for v in value)
    return str(value)


def make_options(ctx: Context, given: Mapping[str, Any]) -> Any:
    """A pluss_options. None and False are not set, True sets a flag; a mapping is several NAME=VALUE (`define`, `contents`)."""
    options = ctx.make("pluss_options", lib.pluss_options_free, lib.pluss_options_new)
    for key, value in given.items():
        name = key.rstrip("_").replace("_", "-").encode()
        if value is None or value is False:
            continue
        texts: list[str | None]
        if isinstance(value, Mapping):
            texts = [f"{k}={_text(v)}" for k, v in value.items()]
        elif name == b"region" and not isinstance(value, str):
            texts = [str(v) for v in value]
        else:
            texts = [None if value is True else _text(value)]
        for text in texts:
            ctx.call(lib.pluss_options_set, options, name, ffi.NULL if text is None else bytes_of(text))
    return options
