#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""screenshots.py PAGE FOLDER: the page as a phone, a laptop and a printer show it, into FOLDER/NAME.png, printer.pdf."""
import sys
import time
from pathlib import Path

from browser import Browser

folder = Path(sys.argv[2])
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
    (folder / "printer.pdf").write_bytes(browser.pdf())
finally:
    browser.close()
