#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of pages of docs/, and what they print.

    pages.py [--update] PAGE...

A page is executed in a new folder that holds the programs of docs/examples. Its fenced blocks are, in order:
    ```LANGUAGE FILE   the contents of a file
    ```sh [NEED...]    commands, for bash -e; NEED: programs without which the block, and all after it, are left out
    ```text            what the commands before it print; a line `...` stands for any lines
Other blocks are not looked at. Prints TAP. --update writes what is printed into the page; blocks with `...` keep that line
if they match.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```([a-z]+)((?: [^\n]*)?)\n(.*?)^```$", re.M | re.S)


def matches(wanted: str, printed: str) -> bool:
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", wanted, flags=re.M)]
    return re.fullmatch(r"(?:[^\n]*\n)*?".join(parts), printed) is not None


def run_page(page: pathlib.Path, update: bool) -> bool:
    text, folder, good = page.read_text(), pathlib.Path(tempfile.mkdtemp()), True
    printed = name = lacks = None
    count, at, new = 0, 0, []
    for program in (ROOT / "docs/examples").iterdir():
        shutil.copy(program, folder)
    try:
        for block in BLOCK.finditer(text):
            language, words, body = block[1], block[2].split(), block[3]
            if language == "sh":
                count += 1
                name = f"{page.name}, commands {count}"
                lacks = lacks or next((need for need in words if not shutil.which(need)), None)
                printed = None
                if lacks:
                    print(f"ok - {name} # SKIP there is no {lacks}")
                    continue
                done = subprocess.run(["bash", "-e", "-c", body], cwd=folder, text=True, capture_output=True, stdin=subprocess.DEVNULL)
                printed = "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"
                print(f"{'not ' if done.returncode else ''}ok - {name}")
                if done.returncode:
                    good, printed = False, None
                    print("".join(f"    {line}\n" for line in (body + done.stderr).splitlines()))
            elif language == "text" and printed is not None:
                same = matches(body, printed)
                if update and not same:
                    new += [text[at : block.start(3)], printed]
                    at = block.end(3)
                elif not same:
                    good = False
                    print(f"not ok - {name} print what the page shows (tests/docs/pages.py --update docs/{page.name})")
                    print("".join(f"    {line}\n" for line in printed.splitlines()[:40]))
                printed = None
            elif language not in ("sh", "text") and words and "/" not in words[0]:
                (folder / words[0]).write_text(body)
    finally:
        shutil.rmtree(folder)
    if new:
        page.write_text("".join(new) + text[at:])
    return good


def main() -> int:
    arguments = sys.argv[1:]
    update = "--update" in arguments
    pages = [pathlib.Path(name) for name in arguments if name != "--update"]
    return 0 if all([run_page(page, update) for page in pages]) else 1


sys.exit(main())
