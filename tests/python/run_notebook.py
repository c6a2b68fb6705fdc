# SPDX-License-Identifier: GPL-3.0-or-later
"""run_notebook.py NOTEBOOK OBJECT: executes its cells in order, with gemm.o being OBJECT."""
import json
import os
import sys

os.environ["GEMM"] = sys.argv[2]
names = {"__name__": "__main__"}
for number, cell in enumerate(json.load(open(sys.argv[1]))["cells"]):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
