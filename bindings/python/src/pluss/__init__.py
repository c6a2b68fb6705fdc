# SPDX-License-Identifier: GPL-3.0-or-later
"""How parallel loops will use the caches, for any number of threads, before they run.

>>> import pluss
>>> gemm = pluss.read("gemm.o")
>>> gemm.predict(threads=[1, 4], define={"ni": 60, "nj": 70, "nk": 80}, cache="32K,1M").caches()
"""

from ._library import Error, Warned, version
from .nests import Builder, Nest, Nests, parse, read, report_record, run
from .options import list_options
from .plot import plot
from .results import Curve, Level, Result, parse_size, read_report
from .sweeps import Sweep, make_spec, sweep

__version__ = version
__all__ = [
    "Builder",
    "Curve",
    "Error",
    "Level",
    "Nest",
    "Nests",
    "Result",
    "Sweep",
    "Warned",
    "list_options",
    "make_spec",
    "parse",
    "parse_size",
    "plot",
    "read",
    "read_report",
    "report_record",
    "run",
    "sweep",
    "version",
]
