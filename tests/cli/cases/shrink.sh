# SPDX-License-Identifier: GPL-2.0-only
# The file becomes shorter while it is read: said, exit 1, no signal.
. "$CLI_LIB"
need python3
spe-asm -g records=200000,cpus=1,aux=65536 -o big.data
python3 - <<'PY'
import os, subprocess
p = subprocess.Popen(["perf-arm-spe", "script", "-j", "1", "-F", "comm,tid,time,ip", "-i", "big.data"], stdout=subprocess.PIPE)
p.stdout.read(4096)           # it is running, and waits for us
os.truncate("big.data", 8192)
p.stdout.read()
print("exit", p.wait())
PY
