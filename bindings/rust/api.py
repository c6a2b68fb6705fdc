#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public interface of the crates, from their documentation, against the recorded one (api.txt).

    bindings/rust/api.py [--update] FOLDER      FOLDER: what `cargo doc` made, with the folders pluss, pluss_rayon, ...

A declaration that is gone or changed breaks users: without a new minor number (until 1.0; then major) of the version
in api.txt's first line it is an error. (Documentation of another rustdoc than the recorded one may look different.) New ones, and a new version, are to be recorded by --update. Blanket and
auto-trait implementations are left out, and methods of implemented traits.
"""
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "api.txt"
CRATES = ("pluss", "pluss_rayon", "pluss_trace", "pluss_macros")
LISTS_LEFT_OUT = ("synthetic-implementations-list", "blanket-implementations-list", "deref-methods")


class Declarations(HTMLParser):
    """Texts of the item's declaration and of the headers of its methods and implementations."""

    VOID = {"br", "img", "hr", "input", "meta", "link", "wbr"}

    def __init__(self):
        super().__init__()
        self.open, self.found, self.text, self.at, self.skip, self.traits = [], [], None, 0, 0, 0

    def handle_starttag(self, tag, attrs):
        if tag in self.VOID:
            return
        given = dict(attrs)
        names = (given.get("class") or "").split()
        self.open.append(tag)
        if not self.skip and (given.get("id") or "").startswith(LISTS_LEFT_OUT):
            self.skip = len(self.open)
        if given.get("id") == "trait-implementations-list":
            self.traits = len(self.open)
        if self.text is None and not self.skip and ("item-decl" in names or "code-header" in names):
            self.text, self.at = [], len(self.open)

    def handle_endtag(self, tag):
        if tag in self.VOID or tag not in self.open:
            return
        while self.open.pop() != tag:
            pass
        if self.text is not None and len(self.open) < self.at:
            text = re.sub(r"\s+", " ", unescape("".join(self.text))).strip()
            if not self.traits or text.startswith("impl"):
                self.found.append(text)
            self.text = None
        if self.skip and len(self.open) < self.skip:
            self.skip = 0
        if self.traits and len(self.open) < self.traits:
            self.traits = 0

    def handle_data(self, data):
        if self.text is not None:
            self.text.append(data)


def interface(folder):
    lines = set()
    for crate in CRATES:
        for page in sorted((folder / crate).rglob("*.html")):
            if page.name in ("index.html", "all.html") or "src" in page.parts[-2:-1]:
                continue
            parser = Declarations()
            parser.feed(page.read_text(encoding="utf-8"))
            name = page.relative_to(folder).with_suffix("").as_posix()
            lines |= {f"{name}: {text}" for text in parser.found if text}
    return lines


def main():
    update = "--update" in sys.argv
    folder = Path([word for word in sys.argv[1:] if word != "--update"][0])
    version = (HERE.parents[1] / "VERSION").read_text(encoding="utf-8").strip()
    found = interface(folder)
    if len(found) < 300:
        sys.exit(f"api.py: {len(found)} declarations in {folder}: no documentation of the crates")
    if update:
        rustdoc = subprocess.run(["rustdoc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        first = f"version {version}, rustdoc {rustdoc.rpartition('.')[0]}"
        RECORD.write_text("\n".join([first, *sorted(found), ""]), encoding="utf-8")
        return
    first, *old = RECORD.read_text(encoding="utf-8").splitlines()
    gone, new = sorted(set(old) - found), sorted(found - set(old))
    recorded = first.removeprefix("version ").split(",")[0]
    part = 2 if recorded.startswith("0.") else 1
    compatible = recorded.split(".")[:part] == version.split(".")[:part]
    for line in gone:
        print(f"gone: {line}")
    for line in new:
        print(f"new, not recorded: {line}")
    if gone and compatible:
        print(f"api.py: this breaks users of {recorded}, and {version} is said to be compatible with it")
    if gone or new or recorded != version:
        sys.exit("api.py: record the interface by bindings/rust/api.py --update FOLDER")


if __name__ == "__main__":
    main()
