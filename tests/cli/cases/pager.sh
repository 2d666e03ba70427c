# SPDX-License-Identifier: GPL-2.0-only
# On a terminal: the pager of perf, colour; none of both elsewhere.
. "$CLI_LIB"
need python3
python3 -c 'import pty; pty.openpty()' 2>/dev/null || skip 'no pseudo-terminals here'
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
cat >term.py <<'PY'
# term.py NAME=VALUE... COMMAND: runs it on a terminal, prints what that shows.
import os, pty, sys
args = sys.argv[1:]
while "=" in args[0] and not args[0].startswith("-"):
    name, value = args.pop(0).split("=", 1)
    os.environ[name] = value
    if not value:
        del os.environ[name]
child, fd = pty.fork()
if child == 0:
    os.execvp(args[0], args)
shown = b""
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:  # what a terminal says when all have left
        break
    if not data:
        break
    shown += data
status = os.waitpid(child, 0)[1]
text = shown.decode().replace("\r\n", "\n").replace("\x1b", "^")
print("\n".join(line.rstrip() for line in text.splitlines() if line.strip("# ")))
print("exit", os.waitstatus_to_exitcode(status))
PY
tty() {
	echo "## $*"
	python3 term.py "$@" </dev/null
}
tty PERF_PAGER='sed s/^/P:/' perf-arm-spe script -i f.data -F tid --pid 100
tty PERF_PAGER= PAGER='sed s/^/Q:/' perf-arm-spe script -i f.data -F tid --pid 100
tty PERF_PAGER='sed s/^/P:/' perf-arm-spe --no-pager script -i f.data -F tid --pid 100
mkdir bin
printf '#!/bin/sh\necho "less with LESS=$LESS"\ncat\n' >bin/less
chmod +x bin/less
PATH=$PWD/bin:$PATH
tty PERF_PAGER= PAGER= LESS= perf-arm-spe script -i f.data -F tid --pid 100
tty PERF_PAGER= PAGER= LESS=-x perf-arm-spe dump --raw /dev/null
tty PERF_PAGER='head -n 1' perf-arm-spe script -i f.data -F tid
tty PERF_PAGER=cat perf-arm-spe report -i f.data --no-header
tty PERF_PAGER=cat NO_COLOR=1 perf-arm-spe report -i f.data --no-header
tty PERF_PAGER=cat NO_COLOR=1 perf-arm-spe report -i f.data --no-header --stdio-color always
tty PERF_PAGER=cat perf-arm-spe report -i f.data --no-header --stdio-color never
tty PERF_PAGER=cat perf-arm-spe report -i f.data --no-header -t,
echo '## no terminal'
PERF_PAGER='sed s/^/P:/' perf-arm-spe report -i f.data --no-header
perf-arm-spe report -i f.data --no-header --stdio-color=always | tr '\033' '^'
