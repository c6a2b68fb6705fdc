#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""abi.py HEADER LIBRARY: the C interface, a line each: exported functions with their versions, then what the header
declares - enumerations with their numbers, structs with their fields, prototypes - in its order."""
import re
import subprocess
import sys

header, library = sys.argv[1:3]
symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
print("\n".join(sorted(f"export {line.split()[2]}" for line in symbols.splitlines() if line.split()[1] == "T")))

with open(header, encoding="utf-8") as file:
    text = file.read()
text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
text = re.sub(r"^\s*#(.*\\\n)*.*$", "", text, flags=re.M)
text = " ".join(text.replace("PLUSS_API ", "").replace("PLUSS_NODISCARD", "must_use").split())
depth, start = 0, 0
for i, c in enumerate(text):
    depth += (c == "{") - (c == "}")
    if c == ";" and depth == 0:
        print(text[start:i].strip())
        start = i + 1
