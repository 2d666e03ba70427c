# SPDX-License-Identifier: GPL-2.0-only
# A disk that is full, a limit, a signal in the middle: the old file stays, or none.
. "$CLI_LIB"
need python3
python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR)' 2>/dev/null || skip 'no files without a name here'
spe-asm -g records=100000,cpus=2 -o in.data
echo old >out
# The limit on a file's size stands for a full disk; with its signal ignored it is an error.
python3 - <<'PY'
import resource, signal, subprocess
def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
p = subprocess.run(["perf-arm-spe", "inject", "-i", "in.data", "-o", "out"], preexec_fn=limit, restore_signals=False)
print("limit:", p.returncode)
PY
cat out
# Interrupted once it has begun to write: it holds the file, which has no name yet.
python3 - <<'PY'
import os, signal, subprocess, time
for sig in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
    for attempt in range(200):
        p = subprocess.Popen(["perf-arm-spe", "inject", "-j", "1", "-q", "-i", "in.data", "-o", "new"])
        while p.poll() is None:
            try:
                sizes = [os.stat(f"/proc/{p.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{p.pid}/fd")]
            except OSError:
                continue
            if any(s.st_nlink == 0 and s.st_size > 0 for s in sizes):
                p.send_signal(sig)
                break
        if p.wait() == -sig:
            print(sig.name, "while writing")
            break
        os.unlink("new")
    else:
        print(sig.name, "never came in time")
PY
ls -A
