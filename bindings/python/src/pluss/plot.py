# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of curves with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .results import Curve, parse_size


def plot(
    curves: Iterable[Curve], ax: Any = None, caches: Mapping[str, str | int] | None = None, errors: bool = True
) -> Any:
    """Miss ratio by cache size, a step function a curve, with 95 % intervals where errors are told. Returns the axes.

    caches: sizes to mark, {"L1": "32K"}.
    """
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots()
    shown = list(curves)
    regions = {c.region for c in shown}
    for c in shown:
        label = f"T = {c.threads}" + (f", {c.region}" if len(regions) > 1 else "") + (", simulated" if c.simulated else "")
        inside = c.size_lines >= 1
        (line,) = ax.step(c.size_bytes[inside], c.miss_ratio[inside], where="post", label=label)
        if errors and len(c.error_size_lines):
            middle = [c.at(int(s) * c.line_bytes) for s in c.error_size_lines]
            low = [m - 1.96 * e for m, e in zip(middle, c.standard_error)]
            high = [m + 1.96 * e for m, e in zip(middle, c.standard_error)]
            ax.fill_between(c.error_size_lines * c.line_bytes, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    for name, size in (caches or {}).items():
        ax.axvline(parse_size(size), color="0.6", linestyle=":")
        ax.annotate(name, (parse_size(size), 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", color="0.4")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("cache size (bytes)")
    ax.set_ylabel("miss ratio")
    ax.legend()
    return ax
