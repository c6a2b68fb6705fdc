#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What includes what, computed from the sources: prints every circle, of files and of folders, and every file that lacks what the
build includes before its first line; nothing if there is none.

usage: includes.py [ROOT]     (the repository's root; default: where this script's folder lies)

Files: every source that git knows, or every one in ROOT if it is no repository. Folders: those of runtime/ and gcc-plugin/,
each by itself, and ffi and cli as wholes; tests and measuring programs may use everything. An include counts where it names
a file of the project; it is looked up beside the file that includes, then where the Makefile's -I point.
Exit status 1 if there is one.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

SEARCHED = ["runtime", "ffi", "polybench", "polybench/driver", "polybench/harness", "tests/unit", "tests/oracle"]
LAYERED = {"runtime": 2, "gcc-plugin": 2, "ffi": 1, "cli": 1}  # top folder: how much of the path names a layer
# folder -> the precompiled header of its files: each includes it, itself or through others, so that it compiles without
PRECOMPILED = {"gcc-plugin/": "gcc-plugin/common/gcc-compat.h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def list_sources(root):
    known = subprocess.run(["git", "-C", root, "ls-files", "-z", "--", "*.c", "*.h", "*.cc"], capture_output=True, text=True)
    if known.returncode == 0:
        return sorted({name for name in known.stdout.split("\0") if name and (root / name).exists()})
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.suffix in (".c", ".h", ".cc"))


def find_includes(root, sources):
    """file -> [(line number, included file)]"""
    there, found = set(sources), {}
    for source in sources:
        text = (root / source).read_text(errors="replace")
        found[source] = []
        for match in INCLUDE.finditer(text):
            for folder in [os.path.dirname(source)] + (["gcc-plugin"] if source.startswith("gcc-plugin/") else []) + SEARCHED:
                target = os.path.normpath(os.path.join(folder, match[1]))
                if target in there:
                    found[source].append((text.count("\n", 0, match.start()) + 1, target))
                    break
    return found


def name_layer(path):
    """the layer that a file belongs to; None for tests and tools"""
    parts = Path(path).parts
    depth = LAYERED.get(parts[0])
    return depth and "/".join(parts[:min(depth, len(parts) - 1)])


def find_circles(graph):
    """strongly connected components of more than one node, or of a node that leads to itself (Tarjan, without recursion)"""
    number, low, stack, on_stack, circles = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in number:
            continue
        work = [(start, iter(sorted(graph[start])))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph.get(target, ())))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    members = set()
                    while node not in members:
                        members.add(stack[-1])
                        on_stack.discard(stack.pop())
                    if len(members) > 1 or node in graph.get(node, ()):
                        circles.append(members)
    return circles


def reaches(includes, source, header):
    """whether a file is this header, or includes it, itself or through others"""
    reached, waiting = {source}, [source]
    while waiting:
        for target in includes[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    return header in reached


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    includes = find_includes(root, list_sources(root))
    files = {source: {target for _, target in found} for source, found in includes.items()}
    layers, witness = {}, {}
    for source, found in includes.items():
        for line, target in found:
            a, b = name_layer(source), name_layer(target)
            if a and b and a != b:
                layers.setdefault(a, set()).add(b)
                witness.setdefault((a, b), []).append(f"{source}:{line} includes {target}")
    circles = find_circles(files)
    for members in circles:
        print("files that include each other in a circle: " + ", ".join(sorted(members)))
    for members in find_circles(layers):
        circles.append(members)
        print("folders that depend on each other in a circle: " + ", ".join(sorted(members)))
        for (a, b), lines in sorted(witness.items()):
            if a in members and b in members:
                print(f"  {a} -> {b}: {lines[0]}" + (f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""))
    lacking = [(source, header) for folder, header in PRECOMPILED.items() for source in files
               if source.startswith(folder) and not reaches(files, source, header)]
    for source, header in lacking:
        print(f"{source} includes {header} neither itself nor through others")
    sys.exit(1 if circles or lacking else 0)


main()
