#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py PAGE.html REPORT.json [SYMBOLS.json]: what a page holds against `report --json`.

The report was sorted by pid, with the columns latency, issue-latency,
xlat-latency and misses.  Also: that its Content-Security-Policy allows the
scripts and the style that are there, and nothing else.
"""
import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser


class Page(HTMLParser):
    """Elements that hold code or data, and every attribute that could load something."""

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.parts, self.loads, self.policy, self.inside = [], [], None, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in ("script", "style"):
            self.inside = (tag, attrs, [])
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        for name, value in attrs.items():
            if name in ("src", "href", "action", "style") or name.startswith("on"):
                self.loads.append((tag, name, value))

    def handle_data(self, text):
        if self.inside:
            self.inside[2].append(text)

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[0]:
            self.parts.append((self.inside[0], self.inside[1], "".join(self.inside[2])))
            self.inside = None


def fail(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def same(what, got, wanted):
    if got != wanted:
        fail(f"{what}: {got!r} on the page, {wanted!r} in the report")


def check_policy(page):
    wanted = {"default-src": ["'none'"], "base-uri": ["'none'"], "form-action": ["'none'"],
              "script-src": [], "style-src": []}
    for tag, attrs, text in page.parts:
        if attrs.get("type") == "application/json":
            continue
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        wanted[f"{tag}-src"].append(f"'sha256-{digest}'")
    got = dict((words[0], words[1:]) for words in (rule.split() for rule in page.policy.split(";")))
    same("policy", got, wanted)
    same("attributes that load", page.loads, [("a", "href", "#content")])


def pairs_sum(pairs):
    return sum(pairs[1::2])


def check_process(process, row, fields):
    same(f"{row['process']}: samples", process["samples"], row["samples"])
    for field in fields:
        same(f"{row['process']}: {field}", process[field], row[field])


def check_numbers(data, report):
    skip = {"overhead", "samples", "pid", "process"}
    own = [p for p in data["processes"] if p["kind"] in ("process", "thread")]
    others, nobody = data["processes"][-2:]
    rows = report["rows"]
    named = [r for r in rows if r["process"] != "[unattributed]"]
    fields = [f for f in rows[0] if f not in skip]
    if len(fields) < 12:
        fail("the report has too few columns to compare")
    by_name = {(r["pid"], r["process"]): r for r in named}
    for process in own:
        check_process(process, by_name.pop((process["pid"], process["process"])), fields)
    same("other processes", others["processes"], len(by_name))
    same("their samples", others["samples"], sum(r["samples"] for r in by_name.values()))
    same("unattributed", nobody["samples"],
         sum(r["samples"] for r in rows if r["process"] == "[unattributed]"))
    same("samples", data["samples"], report["samples"])
    same("of a thread alone", data["thread_only"],
         sum(r["samples"] for r in named if r["pid"] is None))
    same("accounting", data["accounting"], report["accounting"])


def check_sums(data):
    """What is counted twice must be the same twice."""
    cells = 0
    for process in data["processes"]:
        cells += sum(pairs_sum(lane) for lane in process["cells"])
    same("samples in the timeline", cells + data["timeless"], data["samples"])
    same("samples by CPU", sum(lane["samples"] for lane in data["lanes"]), data["samples"])
    for process in data["processes"]:
        counted = {name: pairs_sum(pairs) for name, pairs in process["trend"].items()}
        same("samples of a trend", counted["samples"], sum(pairs_sum(lane) for lane in process["cells"]))
        if not data["timeless"]:
            same("L1D misses of a trend", counted["l1d_miss"], process["l1d_miss"])
            same("LLC misses of a trend", counted["llc_miss"], process["llc_miss"])
            if counted["timed"]:
                same("latency of a trend", f"{counted['cycles'] / counted['timed']:.1f}",
                     f"{process['latency_avg']:.1f}")
    for name, table in data["tables"].items():
        parts = sum(part["samples"] for part in table["processes"])
        same(f"{name}: processes together", parts, table["all"]["samples"])
        for part in [table["all"], *table["processes"]]:
            shown = sum(row[1] for row in part["rows"])
            same(f"{name}: rows and the rest", shown + part["more_samples"], part["samples"])
    for field in ("op", "evidence", "el", "thread"):
        same(f"samples by {field}", data["tables"][field]["all"]["samples"], data["samples"])
    for i, bars in enumerate(data["total"]["bars"]):
        same(f"histogram {i}", sum(pairs_sum(p["bars"][i]) for p in data["processes"]),
             pairs_sum(bars))


def check_functions(data, report):
    """Symbols are those of --sort sym; what has none there is in none here."""
    table = data["tables"]["function"]
    wanted = {r["sym"]: r["samples"] for r in report["rows"]
              if r["sym"] and not r["sym"].startswith("0x")}
    if len(wanted) < 2:
        fail("the report has too few functions to compare")
    same("functions", {row[0]: row[1] for row in table["all"]["rows"]}, wanted)
    same("their files", {row[6] for row in table["all"]["rows"]}, {"program"})
    same("data objects", [row[:2] for row in data["tables"]["data"]["all"]["rows"]], [["counter", 7]])


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        text = file.read()
    page.feed(text)
    if not re.match(r"<!doctype html>\n", text):
        fail("does not begin as a page")
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    data = [json.loads(text) for _, attrs, text in page.parts if attrs.get("type") == "application/json"]
    same("data elements", len(data), 1)
    check_policy(page)
    check_numbers(data[0], report)
    check_sums(data[0])
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as file:
            check_functions(data[0], json.load(file))


main()
