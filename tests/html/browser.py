#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""browser.py CHROMIUM FOLDER: the pages in FOLDER in a headless browser.

demo.html is of tests/traces/demo.spe, names.html has a hostile name, large.html
has two million samples.  The browser is driven through the pipe of its DevTools
protocol: what a user does is done, and what the page then shows is compared
with what it must.  A line a case; --picture FILE:PAGE#FRAGMENT takes one.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

SECONDS = 60


class Browser:
    """One tab.  Everything it says on the side is kept in events."""

    def __init__(self, program, profile):
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def pipes():
            # The protocol's ends are descriptors 3 and 4; mind that one may already be there.
            read, write = os.dup(to_read), os.dup(to_write)
            high = [os.dup2(read, 100), os.dup2(write, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={profile}",
             "--window-size=1280,1000", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        tab = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.read_end, 1 << 16)
            if not part:
                sys.exit("browser: it went away")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write_end, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") != self.number:
                self.events.append(answer)
                continue
            if "error" in answer:
                sys.exit(f"browser: {method}: {answer['error']}")
            return answer["result"]

    def run(self, code):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"browser: {code}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, code):
        end = time.monotonic() + SECONDS
        while not self.run(code):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def open(self, path, fragment=""):
        """Seconds until the page is drawn, or None."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        began = time.monotonic()
        self.call("Page.navigate", url=f"file://{path}{fragment}")
        if not self.wait("document.documentElement?.dataset.drawn === 'yes'"):
            return None
        return time.monotonic() - began

    def key(self, key, shift=False):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowDown": 40, "End": 35}
        common = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key],
                  "modifiers": 8 if shift else 0}
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def complaints(self):
        """Errors and warnings of the page since it was opened."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [e for e in self.events if e.get("method") in kinds]

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=SECONDS)


class Cases:
    failed = 0

    def check(self, name, got, wanted=True):
        if got == wanted:
            print(f"ok html: {name}")
        else:
            print(f"not ok html: {name}: {got!r}, not {wanted!r}")
            self.failed += 1


ROWS = """[...document.querySelectorAll('#%s-table tbody tr')].map(
    (row) => [...row.children].map((cell) => cell.textContent))"""


def rows(browser, name):
    return browser.run(ROWS % name)


def page_is_whole(browser, cases, page):
    cases.check("demo: it draws", browser.open(page) is not None)
    cases.check("demo: no complaints", browser.complaints(), [])
    cases.check("demo: nothing is requested but the page itself", browser.requests(),
                [f"file://{page}"])
    cases.check("demo: title", browser.run("document.title"), "demo.data – Arm SPE report")
    cases.check("demo: processes", [row[:3] for row in rows(browser, "process")], [
        ["web", "1000", "180"], ["db", "1100", "120"], ["cc", "1201", "60"], ["ld", "1201", "40"],
        ["make", "1200", "20"], ["swapper (idle)", "0", "12"], ["not attributed", "–", "1"]])
    cases.check("demo: tiles", browser.run(
        "[...document.querySelectorAll('.tile .number')].map((n) => n.textContent)"),
        ["433", "99.8%", "5", "2", "555 µs", "1 of 2 CPUs"])
    for name in ("time", "latency-chart", "trend-chart", "level-chart"):
        cases.check(f"demo: {name} has a picture", browser.run(
            f"""(() => {{ const c = document.getElementById('{name}');
            const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            return new Set(new Uint32Array(p.buffer)).size > 5; }})()"""))
        cases.check(f"demo: {name} has a label", browser.run(
            f"document.getElementById('{name}').getAttribute('aria-label').length > 20"))


def filters_work(browser, cases, page):
    browser.open(page, "#process=1100")
    cases.check("filter from the address", browser.run(
        "document.getElementById('filtered').textContent"), "120 samples, 27.7% of all")
    cases.check("filter: its threads alone", [row[0] for row in rows(browser, "thread")],
                ["db 1100", "db-log 1101"])
    browser.run("document.getElementById('clear').click()")
    cases.check("filter cleared: the address too", browser.run("location.hash"), "")
    cases.check("filter cleared: all threads", len(rows(browser, "thread")) > 5)
    browser.run("""(() => { const s = document.getElementById('process'); s.value = '1201-2';
                   s.dispatchEvent(new Event('change')); })()""")
    cases.check("filter by the list, of two with one id",
                browser.run("document.getElementById('filtered').textContent.slice(0, 10)"),
                "40 samples")
    cases.check("filter in the address", browser.run("location.hash"), "#process=1201-2")
    browser.key("Escape")
    cases.check("Escape clears it", browser.run("location.hash"), "")
    browser.run("location.hash = '#process=none'")
    browser.wait("document.getElementById('filtered').textContent.startsWith('1 sample,')")
    cases.check("filter: nobody's sample", rows(browser, "evidence")[0][:2], ["none", "1"])
    browser.run("""(() => { const s = document.getElementById('trend'); s.value = 'llc_miss';
                   s.dispatchEvent(new Event('change')); })()""")
    cases.check("since when: in the address", browser.run("location.hash"),
                "#process=none&trend=llc_miss")
    cases.check("since when: as a table", len(rows(browser, "trend")) > 5)
    cases.check("filters: no complaints", browser.complaints(), [])


def keyboard_works(browser, cases, page):
    browser.open(page)
    places = []
    for _ in range(60):
        browser.key("Tab")
        places.append(browser.run("document.activeElement.id || document.activeElement.className"
                                  " || document.activeElement.localName"))
    for place in ("skip", "theme", "process", "time", "pick", "latency", "summary"):
        cases.check(f"Tab comes to {place}", place in places)
    browser.run("document.getElementById('time').focus()")
    browser.key("ArrowRight")
    cases.check("arrows read the timeline", browser.run(
        "document.getElementById('time-read').textContent.startsWith('CPU 0, ')"))
    browser.key("End")
    browser.key("ArrowDown")
    browser.key("ArrowDown")
    cases.check("to the last CPU and no further", browser.run(
        "document.getElementById('time-read').textContent.startsWith('CPU 1, ')"))
    browser.run("document.querySelector('#process-table .pick').focus()")
    browser.key("Enter")
    cases.check("Enter picks a process", browser.run("location.hash"), "#process=1000")
    cases.check("keyboard: no complaints", browser.complaints(), [])


def looks_work(browser, cases, page):
    for theme, paper in (("light", "rgb(244, 245, 247)"), ("dark", "rgb(15, 18, 21)")):
        browser.open(page, f"#theme={theme}")
        cases.check(f"theme {theme}", browser.run("getComputedStyle(document.body).backgroundColor"),
                    paper)
    for width in (360, 1280, 2500):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                     deviceScaleFactor=1, mobile=False)
        browser.open(page)
        cases.check(f"{width} pixels wide: nothing sticks out", browser.run(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.open(page)
    browser.run("[...document.querySelectorAll('#process-table th button')][4].click()")
    cases.check("a heading sorts", [row[0] for row in rows(browser, "process")][0], "db")
    cases.check("and says so", browser.run(
        "document.querySelectorAll('#process-table th')[4].getAttribute('aria-sort')"), "descending")
    cases.check("each field has a label", browser.run(
        "[...document.querySelectorAll('select')].every((s) => s.labels.length === 1)"))
    cases.check("ids are unique", browser.run(
        "(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);"
        " return ids.length === new Set(ids).size; })()"))


def names_are_text(browser, cases, page):
    browser.open(page)
    cases.check("a hostile name makes no element", browser.run(
        "document.querySelectorAll('img, b[onclick], iframe').length"), 0)
    cases.check("and is there as text", rows(browser, "process")[0][0], "</script><b>&\\u2028")
    cases.check("names: no complaints", browser.complaints(), [])
    # Were one to get in, the policy would keep it from running.
    browser.run("""document.body.insertAdjacentHTML('beforeend',
        "<img src=x onerror='window.got_in = 1'><script>window.got_in = 1</" + "script>")""")
    time.sleep(0.2)
    cases.check("the policy stops what is not ours", browser.run("window.got_in === undefined"))
    cases.check("and says so", any("Content Security Policy" in json.dumps(e) or
                                   "Content-Security-Policy" in json.dumps(e)
                                   for e in browser.complaints()))


def large_is_quick(browser, cases, page, limit):
    took = browser.open(page)
    cases.check("two million samples: it draws", took is not None)
    # The best of some: how busy the machine is is not the page's doing.
    ms = browser.run("""Math.min(...[1, 2, 3, 4, 5].map((i) => {
        const began = performance.now();
        const s = document.getElementById('process');
        s.selectedIndex = i;
        s.dispatchEvent(new Event('change'));
        return performance.now() - began; }))""")
    cases.check(f"two million samples: drawn within {limit} s", took < limit)
    cases.check("two million samples: a filter within half a second", ms < 500)
    cases.check("two million samples: no complaints", browser.complaints(), [])
    print(f"# two million samples: drawn in {took * 1000:.0f} ms, a filter takes {ms:.0f} ms")


def picture(browser, file, page):
    path, _, fragment = page.partition("#")
    browser.open(os.path.abspath(path), f"#{fragment}" if fragment else "")
    height = browser.run("document.documentElement.scrollHeight")
    browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=height,
                 deviceScaleFactor=1, mobile=False)
    time.sleep(0.3)
    shot = browser.call("Page.captureScreenshot", format="png")
    with open(file, "wb") as out:
        out.write(base64.b64decode(shot["data"]))


def main():
    program, rest = sys.argv[1], sys.argv[2:]
    cases = Cases()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        if rest[0] == "--picture":
            picture(browser, *rest[1].split(":", 1))
        else:
            folder = os.path.abspath(rest[0])
            page_is_whole(browser, cases, f"{folder}/demo.html")
            filters_work(browser, cases, f"{folder}/demo.html")
            keyboard_works(browser, cases, f"{folder}/demo.html")
            looks_work(browser, cases, f"{folder}/demo.html")
            names_are_text(browser, cases, f"{folder}/names.html")
            large_is_quick(browser, cases, f"{folder}/large.html", 10)
        browser.end()
    sys.exit(cases.failed > 0)


main()
