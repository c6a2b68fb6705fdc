#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""page.py PAGE HOSTILE MANY: the page of a report in a browser: values are read, controls changed, keys pressed, pictures
compared; hostile names run nothing; a page of many regions loads fast. TAP."""
import json
import re
import sys
import time

from browser import Browser

failed = 0


def verdict(name, good, told=""):
    global failed
    print(("ok - " if good else "not ok - ") + name)
    if not good:
        print("    " + str(told)[:400])
        failed = 1


def load(browser, path):
    """Seconds until the page is ready, as the browser measures it."""
    browser.open(path)
    for _ in range(600):
        if browser.run("return document.documentElement.dataset.ready") == "yes":
            break
        time.sleep(0.1)
    return browser.run("return performance.now && performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd / 1000")


def pressed(browser, key):
    return browser.run("return document.querySelector('[data-key=' + arguments[0] + '][aria-pressed=true]').dataset.value", key)


browser = Browser()
try:
    browser.media("screen")
    load(browser, sys.argv[1])
    data = json.loads(browser.run("return document.getElementById('data').textContent"))
    region = data["regions"][0]
    verdict("the tables for readers without scripts are hidden", browser.run("return document.getElementById('plain').hidden"))
    verdict("nothing was loaded", browser.run("return performance.getEntriesByType('resource').length") == 0)
    rows = browser.run("return [...document.querySelectorAll('#glance tr[data-region]')].map(row => row.textContent)")
    verdict("a row for each region, the one that costs most first", len(rows) == len(data["regions"]) and rows[0].startswith(region["region"]), rows)

    # a value read: the misses of the level in the table are those of the data
    def told(level):
        return browser.run("const cell = document.querySelector('[data-value=\"' + arguments[0] + '-misses\"]'); return cell && cell.textContent", level)

    def shown(n):  # as page.js writes counts
        units = ["", " k", " M", " G", " T"]
        unit = 0
        while n >= 9999.5 and unit < 4:
            n, unit = n / 1000, unit + 1
        return f"{float(f'{n:.3g}'):g}{units[unit]}" if unit else str(round(n))

    widest = max(region["points"], key=lambda point: (point["threads"], -region["points"].index(point)))
    level = widest["levels"][0]
    verdict("the table has the misses of the data", told(level["name"]) == shown(level["misses"]), (told(level["name"]), level["misses"]))

    # a click, a control changed
    browser.click('[data-key="threads"][data-value="1"]')
    one = next(p for p in region["points"] if p["threads"] == 1 and p["schedule"] == widest["schedule"] and p["values"] == widest["values"])
    verdict("a click chooses another number of threads", pressed(browser, "threads") == "1" and told(level["name"]) == shown(one["levels"][0]["misses"]))
    before = browser.text("#method")
    browser.run("""const choice = document.getElementById('select-kind'); choice.selectedIndex = [...choice.options].findIndex(o => o.text === 'static');
                   choice.dispatchEvent(new Event('change'))""")
    verdict("another schedule has other figures, and a chunk", "static, 1" in browser.text("#method") and browser.text("#method") != before
            and browser.run("return document.getElementById('select-chunk').value") == "1", browser.text("#method"))
    browser.click('[data-by="array"]')
    arrays = {reference.get("array") for reference in region["references"]}
    verdict("attribution by array", set(browser.run("return [...document.querySelectorAll('#attribution tbody code')].map(e => e.textContent)")) <= arrays)
    browser.click('[data-key="level"][data-value="%s"]' % widest["levels"][1]["name"])
    verdict("another level in source and attribution", widest["levels"][1]["name"] in browser.text("#attribution h2") and widest["levels"][1]["name"] in browser.text("#source h2"))

    # values on hover
    browser.run("document.getElementById('curves').scrollIntoView({block: 'center'})")
    browser.move_to("#curves .u-over", 5, 0)
    legend = browser.run("return [...document.querySelectorAll('#curves .u-series')].filter(r => !r.hidden).map(r => r.textContent)")
    verdict("values under the pointer", re.search(r"cache[\d.]+ [KMG]iB", legend[0]) and len(legend) == 1 + len({p["threads"] for p in region["points"]})
            and all(re.search(r"T = \d+.* % ±", line) for line in legend[1:]), legend)
    inked = browser.run("""const c = document.querySelector('#curves canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                           let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (d.length / 4)""")
    verdict("the curves are drawn", 0.01 < inked < 0.9, inked)

    # the source and the reuse that was lost
    hot = browser.run("return [...document.querySelectorAll('#source tr.hot')].map(row => [row.dataset.line, row.querySelector('.code').textContent])")
    text = {source["file"]: source for source in data["sources"]}[region["file"]]
    verdict("lines of the source with misses", hot and all(text["lines"][int(n) - text["first_line"]]["text"] == code for n, code in hot), hot)
    browser.run("document.querySelector('[data-key=level][data-value=%s]').click()" % widest["levels"][0]["name"])
    lost = browser.run("return [...document.querySelectorAll('#source .told')].map(row => row.textContent).join(' ')")
    browser.run("document.querySelector('#source tr.hot').focus()")
    opened = browser.run("return document.querySelectorAll('#source .told').length")
    browser.keys("\ue007")
    verdict("the reuse that is lost is told, and Enter on a line opens or closes it", "lost: reuse of" in lost and browser.run("return document.querySelectorAll('#source .told').length") != opened, lost)

    # keys
    browser.run("document.activeElement.blur()")
    browser.keys("t")
    verdict("t: more threads", pressed(browser, "threads") == "2" or len({p["threads"] for p in region["points"]}) < 3, pressed(browser, "threads"))
    browser.keys("j")
    verdict("j: the next region", browser.text("#region").startswith(data["regions"][1]["region"]))
    browser.keys("k")

    # light and dark: pictures compared
    browser.run("window.scrollTo(0, 0)")
    browser.move_to("h1", 0, 0)
    browser.keys("dd")
    light = browser.screenshot()
    browser.keys("d")
    dark = browser.screenshot()
    browser.keys("d")
    again = browser.screenshot()
    verdict("dark differs from light, and light comes back to the pixel", light == again and light != dark)
    verdict("dark is dark", browser.run("document.documentElement.dataset.theme = 'dark'; const c = getComputedStyle(document.body).backgroundColor; document.documentElement.dataset.theme = 'light'; return c") == "rgb(20, 23, 28)")

    # narrow and printed
    browser.resize(390, 844)
    time.sleep(0.5)
    wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    verdict("nothing is wider than a phone", wide <= 0, wide)
    browser.resize(1280, 900)
    pdf = browser.pdf()
    verdict("it prints", pdf.startswith(b"%PDF") and 1 <= pdf.count(b"/Type /Page\n") + len(re.findall(rb"/Type\s*/Page[^s]", pdf)) <= 12)
    verdict("no errors", not browser.errors(), browser.errors())

    # hostile names
    load(browser, sys.argv[2])
    name = json.loads(browser.run("return document.getElementById('data').textContent"))["regions"][0]["file"]
    verdict("a hostile name is text", "<img" in name and name in browser.text("#region") and browser.run("return document.images.length") == 0 and not browser.errors(), name)

    # many regions
    times = [load(browser, sys.argv[3]) for _ in range(3)]
    regions = browser.run("return document.querySelectorAll('#glance tr[data-region]').length")
    print(f"# {regions} regions: ready after {', '.join(f'{t:.2f}' for t in times)} s")
    verdict("200 regions load in under 2 s", regions >= 200 and min(times) < 2, times)
    browser.run("const f = document.querySelector('#glance input'); f.value = 'region_7'; f.dispatchEvent(new Event('input'))")
    verdict("regions are filtered", browser.run("return [...document.querySelectorAll('#glance tr[data-region]')].filter(r => !r.hidden).length") == 11)
finally:
    browser.close()
sys.exit(failed)
