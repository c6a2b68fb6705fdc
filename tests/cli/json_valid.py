#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""json_valid.py SCHEMA REPORT...: every report is valid, and is refused when any one of its members has another name, or any one
of its numbers is a text. No object has a member twice. Every definition of the schema is used. Prints what is amiss."""
import copy
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
amiss = []
if set(schema["definitions"]) != {text.split('"')[0] for text in json.dumps(schema).split("#/definitions/")[1:]}:
    amiss.append("a definition is not used, or is not there")
spoilt = set()


def places(value, path=()):
    """The first place of each kind: of objects in arrays, the first element."""
    if isinstance(value, dict):
        for name in value:
            yield (*path, name)
            if name != "values":
                yield from places(value[name], (*path, name))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def unique(members):
    """An object without a member twice."""
    names = [name for name, _ in members]
    amiss.extend(f"{name}: {one} twice in an object" for one in set(names) if names.count(one) > 1)
    return dict(members)


def holder(report, path):
    for step in path[:-1]:
        report = report[step]
    return report


for name in sys.argv[2:]:
    report = json.load(open(name, encoding="utf-8"), object_pairs_hook=unique)
    for error in validator.iter_errors(report):
        amiss.append(f"{name}: {list(error.absolute_path)}: {error.message[:200]}")
    # one element of each list is enough, and quicker
    small = {k: v[:1] if isinstance(v, list) else v for k, v in report.items()}
    for path in places(small):
        for change in ("name", "type"):
            kind = (change, tuple(small)[2:], *(step for step in path if isinstance(step, str)))
            if kind in spoilt:
                continue
            spoilt.add(kind)
            bad = copy.deepcopy(small)
            into = holder(bad, path)
            if change == "name":
                into["no_such_member"] = into.pop(path[-1])
            elif isinstance(into[path[-1]], (int, float)) and path[-1] != "version":
                into[path[-1]] = "text"
            else:
                continue
            if validator.is_valid(bad):
                amiss.append(f"{name}: spoilt in {change} at {list(path)}, and valid")
print("\n".join(amiss[:20]))
sys.exit(1 if amiss or not spoilt else 0)
