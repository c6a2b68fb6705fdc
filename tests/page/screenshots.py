#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""screenshots.py PAGE README_PAGE FOLDER: the page as a phone, a laptop and a printer show it, into FOLDER/NAME.png, printer.pdf; the
upper part of another page, readme.png, which is docs/report.png."""
import sys
import time
from pathlib import Path

from browser import Browser

folder = Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
browser = Browser()
try:
    for name, width, media, scheme in (("phone", 390, "screen", "light"), ("laptop", 1280, "screen", "light"), ("laptop-dark", 1280, "screen", "dark"), ("printer", 720, "print", "light")):
        browser.media(media, scheme)
        browser.resize(width, 900)
        browser.open(sys.argv[1])
        time.sleep(1)
        browser.resize(width, browser.run("return document.documentElement.scrollHeight"))
        time.sleep(1)
        (folder / f"{name}.png").write_bytes(browser.screenshot(whole=True))
    browser.media("screen")
    browser.resize(1000, 1270)
    browser.open(sys.argv[2])
    time.sleep(1)
    (folder / "readme.png").write_bytes(browser.screenshot())
    browser.open(sys.argv[1])
    (folder / "printer.pdf").write_bytes(browser.pdf())
finally:
    browser.close()
