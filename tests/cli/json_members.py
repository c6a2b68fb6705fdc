#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""json_members.py docs/json.md REPORT...: every member of the reports stands in a table of the document, and every member
in its tables is in one of the reports. Tables belong to the name in backquotes before them: the member that holds objects
of that kind; of tables without one to the whole report. Prints what is amiss."""
import json
import re
import sys

documented = {}
holder = ""
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("#") or line.startswith("What ") or line.startswith("`pluss"):
        holder = ""
    elif line.startswith("A curve:"):
        holder = "curves"
    elif re.match(r"An? ", line) and (name := re.search(r"of `(\w+)`", line)):
        holder = name.group(1)
    elif (row := re.match(r"\| ([a-z_, ]+) \|", line)) and row.group(1).strip() != "member":
        documented.setdefault(holder, set()).update(row.group(1).strip().split(", "))
# a reuse's `after` and `loop`, the standard error and the values of a curve, what all calibrated regions have are described in their own rows
inner = {"after", "all", "loop", "standard_error", "values"}
# of linked files alone: tests/objects looks at these; nothing here is noted at a column
seen = {"regions": {"symbol", "no_symbol"}, "notes": {"column"}}


def walk(value, holder):
    if isinstance(value, dict):
        for name, member in value.items():
            seen.setdefault(holder, set()).add(name)
            if not (name in inner and isinstance(member, dict)):
                walk(member, name)
    elif isinstance(value, list):
        for element in value:
            walk(element, holder)


for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as report:
        walk(json.load(report), "")
documented.setdefault("", set()).update({"version", "generator"})
for holder in sorted(set(documented) | set(seen)):
    where = f"of `{holder}`" if holder else "of a report"
    for name in sorted(seen.get(holder, set()) - documented.get(holder, set())):
        print(f"{name} {where} is not in the document")
    for name in sorted(documented.get(holder, set()) - seen.get(holder, set())):
        print(f"{name} {where} is in no report")
