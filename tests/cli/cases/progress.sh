# SPDX-License-Identifier: GPL-2.0-only
# On a terminal, work of more than a second tells how far it is, and cleans up behind itself.
. "$CLI_LIB"
need python3
python3 -c 'import pty; pty.openpty()' 2>/dev/null || skip 'no pseudo-terminals here'
spe-asm -g records=20000,cpus=2 --set form=pipe -o f.data
# One that writes half of the file, and the rest a while later.
cat >slow.sh <<'SH'
head -c 600000 f.data
sleep 1.2
tail -c +600001 f.data
SH
cat >term.py <<'PY'
# term.py COMMAND: what it prints, standard error being a terminal.
import os, pty, subprocess, sys
main, other = pty.openpty()
out = subprocess.run(["sh", "-c", sys.argv[1]], stdout=subprocess.PIPE, stderr=other).stdout
os.close(other)
shown = b""
try:
    while data := os.read(main, 4096):
        shown += data
except OSError:
    pass
shown = shown.decode().replace("\r\n", "\n")
parts = shown.split("\r")
print("rows", len([l for l in out.splitlines() if not l.startswith(b"#")]))
said = {"".join("N" if c.isdigit() else c for c in p.replace("\x1b", "^")) for p in parts if p}
said.discard("perf-arm-spe: decoding NN%^[K")  # on a machine that is slow too
print("shown", sorted(said))
print("last", repr(parts[-1]))
PY
python3 term.py 'sh slow.sh | perf-arm-spe report --no-header -i -'
python3 term.py 'sh slow.sh | perf-arm-spe report --no-header -q -i -'
python3 term.py 'sh slow.sh | perf-arm-spe report --no-header -i - 2>talk; cat talk >&2'
