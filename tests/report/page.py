#!/usr/bin/python3
"""page.py PAGE [CSV]: a report is one sound page that loads nothing; with CSV, its lines have the values of that export."""
import base64
import csv
import hashlib
import html.parser
import math
import re
import sys

VOID = {"meta", "br", "link", "img", "input", "hr"}
UNITS = 2000
failed = False


def fail(text):
    global failed
    failed = True
    print("page.py: " + text)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.scripts = [], [], [], []
        self.paths, self.box, self.policy, self.text, self.figures = [], {}, "", [], []

    def end_cells(self, tags):
        """HTML ends cells and rows where others begin."""
        while self.open and self.open[-1] in tags:
            self.open.pop()

    def handle_starttag(self, tag, attrs):
        if tag in ("td", "th", "tr"):
            self.end_cells(("td", "th"))
        names = [name for name, _ in attrs]
        a = dict(attrs)
        if len(names) != len(set(names)):
            fail(f"<{tag}> has an attribute twice")
        for name, value in attrs:
            if name.startswith("on"):
                fail(f"<{tag}> has the handler {name}")
            if name in ("src", "srcset", "data", "action", "background") or name == "href" and not value.startswith("#"):
                fail(f"<{tag}> loads or leads to {value}")
        if a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        if "id" in a:
            self.ids.append(a["id"])
        if tag == "a":
            self.links.append(a.get("href", "")[1:])
        if tag == "svg" and a.get("role") == "img" and not a.get("aria-label", "").strip():
            fail("a picture has no name")
        if tag == "svg" and a.get("role") != "img" and a.get("aria-hidden") != "true":
            fail("a picture is neither named nor hidden")
        if tag == "th" and "scope" not in a:
            fail("<th> without scope")
        if tag == "figure":
            self.figures.append({"class": a.get("class"), "id": a.get("id"), "table": False})
        if tag == "table" and "figure" in self.open:
            self.figures[-1]["table"] = True
        if tag == "div" and "data-top" in a:
            self.box = a
        if tag == "path" and "data-m" in a:
            self.paths.append({"metric": a["data-m"], "d": a["d"], "box": self.box, "class": a["class"]})
        if tag not in VOID and tag not in ("path", "rect"):
            self.open.append(tag)
        elif tag in ("path", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag == "tr":
            self.end_cells(("td", "th"))
        if not self.open or self.open[-1] != tag:
            fail(f"</{tag}> closes {self.open[-1] if self.open else 'nothing'}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif not self.open or self.open[-1] != "style":
            self.text.append(data)


def points(d):
    """The shares of the height, by step."""
    found, x, y = {}, 0, 0
    for c in re.findall(r"[MlVHZ][^MlVHZ]*", d):
        n = [float(v) for v in re.findall(r"-?[\d.]+", c[1:])]
        if c[0] == "M":
            x, y = n
        elif c[0] == "l":
            x, y = x + n[0], y + n[1]
        else:
            continue
        found[int(x)] = 1 - y / UNITS
    return found


def compare(page, path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    below, compared = {}, 0
    for p in reversed(page.paths):  # of a stack the lowest comes last
        top, bottom = float(p["box"]["data-top"]), float(p["box"]["data-bottom"])
        stacked = "data-stack" in p["box"]
        key = id(p["box"])
        base = below.setdefault(key, {}) if stacked else {}
        shares = points(p["d"])
        if p["metric"] not in rows[0]:
            continue
        raw = [(i, float(r[p["metric"]]), float(r["duration"])) for i, r in enumerate(rows) if r[p["metric"]]]
        best = None
        for rate in (False, True):  # an export has counts of the interval, a plot rates
            values = [(i, v / s if rate else v) for i, v, s in raw]
            drawn = [(v, (shares[i] - base.get(i, 0)) * (top - bottom) + (0 if base else bottom)) for i, v in values if i in shares]
            if not drawn:
                continue
            # the axis has a prefix, such as GB/s: find the power of a thousand
            for power in range(-3, 5):
                scale = 1000.0 ** -power
                worst = max(abs(v * scale - d) for v, d in drawn if d < top * 0.999) if any(d < top * 0.999 for _, d in drawn) else math.inf
                if all(v * scale >= top * 0.99 for v, d in drawn):
                    worst = 0
                best = worst if best is None else min(best, worst)
        if stacked:
            below[key] = shares
        if best is None:
            continue
        compared += 1
        if best > (top - bottom) * 0.002:
            fail(f"{p['metric']}: drawn up to {best:.4g} of {top:g} beside its values")
    if compared < 12:
        fail(f"only {compared} lines could be compared")


def main():
    text = open(sys.argv[1], encoding="utf-8", errors="strict").read()
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        fail(f"not closed: {page.open}")
    for bad in ("http:", "https:", "@import", "url(", "javascript:", "NaN", "inf%", "-nan"):
        body = text[: text.find("<script>")]
        if bad in body:
            fail(f"the page has '{bad}' in it: {body[max(0, body.find(bad) - 60):][:90]!r}")
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text):
        fail("a control character")
    for name in page.links:
        if name not in page.ids:
            fail(f"a link to #{name}, which is nowhere")
    if len(page.ids) != len(set(page.ids)):
        fail("an id is there twice")
    if len(page.scripts) != 1:
        fail(f"{len(page.scripts)} scripts")
    sha = base64.b64encode(hashlib.sha256(page.scripts[0].encode()).digest()).decode()
    if "default-src 'none'" not in page.policy or f"script-src 'sha256-{sha}'" not in page.policy:
        fail(f"the policy does not name the script's sha256-{sha}: {page.policy} (REPORT_SCRIPT_SHA256 in report_page.h)")
    for figure in page.figures:
        if figure["id"] and figure["id"] != "p-frames" and figure["class"] == "pl" and not figure["table"]:
            fail(f"the plot {figure['id']} has no table")
    if len(sys.argv) > 2:
        compare(page, sys.argv[2])
    return failed


sys.exit(main())
