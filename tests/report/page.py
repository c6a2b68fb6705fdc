#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""page.py PAGE REPORT.json: what is wrong with the page of a report, without a browser: it is well-formed, loads nothing,
its data is the report, and no text of the report is markup. Prints what is amiss."""
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "hr", "img", "link", "input"}
OPTIONAL = {"tr", "td", "th", "p", "li"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.texts, self.scripts, self.policy = [], [], [], [], ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        for name in attributes:
            if name in ("src", "href", "action", "srcset", "data", "poster") or name.startswith("on"):
                self.wrong.append(f"<{tag} {name}>")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((attributes, ""))
        if tag not in {"html", "head", "body", "meta", "title", "style", "main", "script", "h1", "h2", "h3", "h4", "p", "table", "tr", "td", "th"}:
            self.wrong.append(f"an element <{tag}>")

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> ends nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))


with open(sys.argv[1], "rb") as file:
    raw = file.read()
text = raw.decode("utf-8")  # fails where it is no UTF-8
page = Page()
page.feed(text)
page.close()
wrong = page.wrong + [f"<{tag}> is not ended" for tag in page.open]
if "default-src 'none'" not in page.policy:
    wrong.append("no policy against loading")
if re.search(r"@import|url\(\s*['\"]?(?!data:)", text):
    wrong.append("a style loads something")
data = [content for attributes, content in page.scripts if attributes.get("id") == "data"]
if len(page.scripts) != 2 or len(data) != 1:
    wrong.append(f"{len(page.scripts)} scripts, {len(data)} of data")
else:
    if re.search(r"[<>&]", data[0]):
        wrong.append("the data has characters of markup")
    with open(sys.argv[2], encoding="utf-8") as file:
        if json.loads(data[0]) != json.load(file):
            wrong.append("the data is not the report")
if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text):
    wrong.append("a control character")
print("\n".join(wrong), end="\n" if wrong else "")
