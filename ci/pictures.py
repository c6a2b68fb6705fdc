#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the curves of a page's commands, for the site.

    pictures.py PAGE PROGRAMS

The commands of PAGE, a copy of a page of docs/, are executed in a new folder that holds the files of the folder PROGRAMS, those that
predict, report or run with --svg. The drawings go into files beside PAGE, which shows them below the commands. `pluss` is found in PATH.
Exit status 1: a command failed, or none drew.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh[^\n]*\n(.*?)^```\n", re.M | re.S)
DRAWS = re.compile(r"\bpluss (?:predict|report|run)\b")


def main(page: pathlib.Path, programs: pathlib.Path) -> int:
    drawn = 0

    def with_pictures(block: re.Match[str]) -> str:
        nonlocal drawn
        pictures: list[str] = []

        def name_picture(command: re.Match[str]) -> str:
            pictures.append(f"{page.stem}-{drawn + len(pictures) + 1}.svg")
            return f"{command[0]} --svg {pictures[-1]}"

        subprocess.run(["bash", "-e", "-c", DRAWS.sub(name_picture, block[1])], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        for picture in pictures:
            shutil.copy(pathlib.Path(folder) / picture, page.parent)
        drawn += len(pictures)
        return block[0] + "".join(f"\n![curves of these commands]({picture})\n" for picture in pictures)

    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(programs, folder, dirs_exist_ok=True)
        page.write_text(BLOCK.sub(with_pictures, page.read_text()))
    return 0 if drawn else 1


sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
