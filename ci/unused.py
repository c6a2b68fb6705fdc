#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of the product that no product file calls: only tests do, or nobody. Prints them; nothing if there is none.

usage: unused.py [BUILD]     (default: build; the object files of a finished `make`)

A function with external linkage, defined in an object file of runtime/, ffi/ or gcc-plugin/, must be exported (default
visibility: the interfaces of libpluss and libpluss-rt, the plugin's entry), or one of the product's object files must refer
to it: the symbol is in a relocation, or in the code, where a call within the file needs none, or the debugging information
names a call that was inlined. Tests do not count.
Exit status 1 if there is one, or an exception below has become superfluous.
"""
import re
import subprocess
import sys
from pathlib import Path

# Kept although no product file calls them: beginning of the name -> why.
EXCEPTIONS = {
    "plussi_stacks_": "private caches that keep each other coherent; the simulation of hierarchies needs them",
    "plussi_nest_equal": "what a round trip of the text is checked with, here and in programs that embed the library's sources",
    "plussi_object_read_image": "objects from memory: what the fuzzer gives to the readers",
}


def list_objects(build):
    objects = []
    for folder in ("obj/runtime", "obj/ffi", "obj/cli", "plugin-obj/gcc-plugin"):
        for path in sorted((build / folder).rglob("*.o")):
            # what is left of sources that are gone says nothing
            if Path(*path.relative_to(build / folder.split("/")[0]).with_suffix("").parts).exists():
                objects.append(path)
    return objects


def read_symbols(objects):
    """({function: (where it is defined, exported?)}, names that a relocation refers to)"""
    text = subprocess.run(["readelf", "-srW"] + [str(o) for o in objects], check=True, capture_output=True, text=True).stdout
    defined, used, current = {}, set(), str(objects[0])  # readelf names the file only where there are several
    for block in text.split("\n\n"):
        block = block.lstrip("\n")
        if block.startswith("File: "):
            current, _, block = block.partition("\n")
            current, block = current[6:], block.lstrip("\n")
        heading, _, lines = block.partition("\n")
        if heading.startswith("Relocation section") and ".debug" not in heading and ".eh_frame" not in heading:
            for line in lines.splitlines():
                fields = line.split(None, 4)
                if len(fields) == 5 and fields[2].startswith("R_"):
                    used.add(fields[4].rsplit(" - ", 1)[0].rsplit(" + ", 1)[0])
        elif heading.startswith("Symbol table"):
            for line in lines.splitlines():
                fields = line.split(None, 7)
                if len(fields) == 8 and fields[3] == "FUNC" and fields[4] == "GLOBAL" and fields[6] != "UND":
                    defined.setdefault(fields[7], (current, fields[5] == "DEFAULT"))
                elif len(fields) == 8 and fields[4] == "LOCAL" and re.search(r"\.(isra|constprop)\.", fields[7]):
                    used.add(fields[7].split(".")[0])  # its callers call a copy that the compiler made for them
    return defined, used


def list_called(path):
    """linkage names of the functions that are called somewhere in this object file, or, by the debugging information, inlined"""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    current = None
    for match in re.finditer(r"^[0-9a-f]+ <(.+)>:$|<([^+>]+)>$", code, re.M):
        if match[1]:
            current = match[1]
        elif match[2] != current:  # a function that calls itself is not used by that
            yield match[2]
    dump = subprocess.run(["readelf", "--debug-dump=info", path], check=True, capture_output=True, text=True).stdout
    names, refers, calls, at, tag = {}, {}, set(), None, ""
    for line in dump.splitlines():
        if "(DW_TAG_" in line and (match := re.match(r" *<[0-9a-f]+><([0-9a-f]+)>: .*\((DW_TAG_\w+)\)", line)):
            at, tag = match.groups()
        elif tag == "DW_TAG_call_site":
            if match := re.search(r"DW_AT_call_origin *: <0x([0-9a-f]+)>", line):
                calls.add(match[1])
        elif tag in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine"):
            if "DW_AT_linkage_name" in line or "DW_AT_name" in line and at not in names:
                names[at] = line.rsplit(": ", 1)[-1].strip()
            elif match := re.search(r"DW_AT_(?:abstract_origin|specification).*<0x([0-9a-f]+)>", line):
                (calls.add(match[1]) if tag == "DW_TAG_inlined_subroutine" else refers.__setitem__(at, match[1]))
    for at in calls:
        while at not in names and at in refers:
            at = refers[at]
        yield names.get(at)


def name_without_variant(name):
    """a constructor or destructor of C++ has several names, one for each use"""
    return re.sub(r"[CD][0-5]E", "E", name) if name.startswith("_Z") else name


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    objects = list_objects(build)
    if not objects:
        sys.exit(f"unused.py: no object files in {build}")
    defined, used = read_symbols(objects)
    used = {name_without_variant(name) for name in used}
    unused = {name: path for name, (path, exported) in defined.items()
              if not exported and name_without_variant(name) not in used and "/obj/cli/" not in path}
    for path in sorted(set(unused.values())):
        called = {name_without_variant(name) for name in list_called(path) if name}
        unused = {name: where for name, where in unused.items() if where != path or name_without_variant(name) not in called}
    excused = {prefix for prefix in EXCEPTIONS for name in unused if name.startswith(prefix)}
    failed = sorted(set(EXCEPTIONS) - excused)
    for prefix in failed:
        print(f"{prefix}: the exception in ci/unused.py is not needed")
    for name, path in sorted(unused.items(), key=lambda item: (item[1], item[0])):
        if not name.startswith(tuple(EXCEPTIONS)):
            plain = subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip()
            print(f"{plain} ({path.split('obj/')[-1].removesuffix('.o')}): no product file calls it")
            failed.append(name)
    sys.exit(1 if failed else 0)


main()
