#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links of the tree's pages to files and headings that are not there, pages that are named and are not there, and pages of docs/ that
docs/README.md or the site's ci/mkdocs.yml does not have: a line each."""
import pathlib
import re
import subprocess

FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


def anchors(page: pathlib.Path) -> set[str]:
    """As forges make them of headings."""
    found: dict[str, int] = {}
    out = set()
    for heading in re.findall(r"^#+ +(.*?) *$", FENCE.sub("", page.read_text()), re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        out.add(f"{name}-{count}" if count else name)
    return out


def check(page: pathlib.Path) -> None:
    text = FENCE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text())
    for match in re.finditer(r"\]\(([^()\s]+)\)", text):
        place = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        target, _, anchor = match[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = page.parent / target if target else page
        if not path.exists():
            print(f"{place}: there is no {match[1]}")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            print(f"{place}: {path.name} has no heading {anchor}")
    for match in re.finditer(r"\bdocs/[a-z0-9_-]+\.md\b", text):
        if not pathlib.Path(match[0]).exists():
            print(f"{page}:{text.count(chr(10), 0, match.start()) + 1}: there is no {match[0]}")


for name in subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split():
    check(pathlib.Path(name))
for page in sorted(pathlib.Path("docs").glob("*.md")):
    if f"({page.name})" not in pathlib.Path("docs/README.md").read_text() and page.name != "README.md":
        print(f"docs/README.md: {page.name} is not in it")
    if f"- {page}\n" not in pathlib.Path("ci/mkdocs.yml").read_text():
        print(f"ci/mkdocs.yml: {page} is not in it")
