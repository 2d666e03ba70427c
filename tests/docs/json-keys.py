# SPDX-License-Identifier: GPL-2.0-only
"""json-keys.py DIR JSON.md: for test-json.sh, which made the files of DIR."""
import json
import re
import subprocess
import sys

folder, document = sys.argv[1:]
failed = False


def verdict(name, problems):
    global failed
    print(("not ok" if problems else "ok"), "json:", name)
    for problem in sorted(problems)[:20]:
        print(" ", problem)
    failed |= bool(problems)


def refuse(constant):
    raise ValueError(constant + " is no JSON")


def run(*words):
    out = subprocess.run(["perf-arm-spe", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return out.stdout.decode("utf-8")


def parse(*words):
    return json.loads(run(*words), parse_constant=refuse)


def paths(value, at=""):
    """Each key of a document, its lists as []."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, at + "." + key if at else key)
    elif isinstance(value, list):
        if not value or not isinstance(value[0], (dict, list)):
            yield at + "[]"
        for inner in value:
            yield from paths(inner, at + "[]")
    else:
        yield at


def listed(option):
    return [line.split()[0] for line in run("report", *option.split()).splitlines()]


WORDS = {
    "KEY": listed("-s list") + ["process", "thread"],
    "COLUMN": [name.replace("-", "_") for name in listed("-F list")],
    "REASON": "cut corrupt too-long empty skipped duplicate".split(),
    "WITNESS": "context etm switch sched thread mapped outside none".split(),
    "LOSS": "truncated partial collisions gaps gap_bytes lost_records lost_events loss_first_ns loss_last_ns".split(),
}


def documented():
    """{command: {key: what stands in the table}}"""
    sections, name = {}, None
    for line in open(document, encoding="utf-8"):
        if line.startswith("## "):
            name = line[3:].strip()
            sections[name] = {}
        elif name and line.startswith("| `"):
            for key in re.findall(r"`([^`]+)`", line.split("|")[1]):
                words = [w for w in WORDS if w in re.split(r"[.\[\]]+", key)]
                expand = WORDS[words[0]] if words else [""]
                for word in expand:
                    sections[name][key.replace(words[0], word) if words else key] = key
    return sections


def outputs():
    data = lambda name: "%s/%s.data" % (folder, name)
    recordings = ["demo", "cuts", "fields", "parts", "el2", "ends", "namespace", "sched", "threads", "wrong",
                  "thread-loss"]
    keys, columns = listed("-s list"), listed("-F list")
    for name in recordings:
        for command in ["report", "stat", "verify", "timeline"]:
            yield command, parse(command, "--json", "-i", data(name))
        for some in range(0, len(keys), 9):
            yield "report", parse("report", "--json", "-i", data(name), "-s", ",".join(keys[some:some + 9]),
                                  "-F", ",".join(columns[some:some + 9] or columns))
    yield "report", parse("report", "--json", "-i", data("demo"), "--mem-mode", "--weight", "latency", "--hierarchy",
                          "-s", "pid,op", "--percent-limit", "5")
    yield "report", parse("report", "--json", "-i", data("demo"), "-d", "web")
    yield "check", parse("check", "--json")
    yield "check", parse("check", "--json", "--root", folder + "/machine")
    for table in ["runs", "wild", "once"]:
        if run("overhead", "--from", "%s/%s" % (folder, table)):
            yield "overhead", parse("overhead", "--json", "--from", "%s/%s" % (folder, table))


def keys_test():
    sections = documented()
    shared = sections.pop("accounting")
    for name in ["report", "stat"]:
        sections[name].update(shared)
        del sections[name]["accounting"]
    commands = [c for c in run("--list-cmds").split() if "--json" in run(c, "--list-opts").split()]
    verdict("each command that prints JSON has its section", set(commands) ^ set(sections))
    seen, unknown = {}, {}
    for command, value in outputs():
        for path in paths(value):
            path = re.sub(r"^(rows\[\]\.)+", "rows[].", path)  # rows of rows of rows
            key = sections[command].get(path) or sections[command].get(path + "[]")
            if key:
                seen.setdefault(command, set()).add(key)
            elif not (path in ("cpus[]", "processes[]", "spans[]", "streams[]", "rows[]", "accounting.loss[]", "[]")):
                unknown.setdefault(command, set()).add(path)
    for command in sections:
        if command == "script" or command == "overhead" and command not in seen:
            continue
        verdict("%s: each key is explained" % command, unknown.get(command, set()))
        # ETM trace, which alone has stretches with bounds only, spe-asm does not make.
        never = set(sections[command].values()) - seen.get(command, set()) - {"[].after_ns", "[].before_ns", "rows[].rows[]"}
        verdict("%s: each key explained is printed" % command, never)


def script_test():
    fields = ",".join(line.split()[0] for line in run("script", "-F", "list").splitlines())
    problems = []
    for name in ["demo", "fields", "el2", "threads"]:
        text = run("script", "--json", "-F", fields, "--itrace=bMil", "-i", "%s/%s.data" % (folder, name))
        for line in text.splitlines():
            problems += [key for key in json.loads(line, parse_constant=refuse) if key not in fields.split(",")]
        if not text:
            problems.append(name + ": nothing")
    verdict("script: an object a line, of the fields asked for", problems)


def names_test():
    """Names that want quoting, into the file and out again."""
    names = ["a\"b\\c", "caf\u00e9", "\u20ac \U0001f427", "tab\there", "</script>"]
    path = folder + "/names.data"
    marks = ["name%d" % i for i in range(len(names))]
    source = "time 1ms\n"
    for i, mark in enumerate(marks):
        source += "process %d %s\nrun %d\nrecord pc=0x400100 time=+1us\n" % (100 + i, mark.ljust(15, "_"), 100 + i)
    subprocess.run(["spe-asm", "-o", path, "-"], input=source.encode(), check=True)
    content = open(path, "rb").read()
    for mark, name in zip(marks, names):
        content = content.replace(mark.ljust(15, "_").encode(), name.encode().ljust(15, b"\0"))
    content = content.replace(b"</script>", b"<\xff/scrip>")
    open(path, "wb").write(content)
    want = set(names[:-1]) | {"<\ufffd/scrip>"}
    report = {row["comm"] for row in parse("report", "--json", "-s", "comm", "-i", path)["rows"]}
    lines = run("script", "--json", "-F", "comm", "-i", path).splitlines()
    script = {json.loads(line)["comm"] for line in lines}
    timeline = {row["comm"] for row in parse("timeline", "--json", "-i", path)}
    verdict("names come back as they were", (report ^ want) | (script ^ want) | (timeline ^ want))


keys_test()
script_test()
names_test()
sys.exit(failed)
