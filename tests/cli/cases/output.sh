# SPDX-License-Identifier: GPL-2.0-only
# A reader that goes away is a quiet end; a full disk is not.
. "$CLI_LIB"
need python3
head -c 300000 /dev/zero >buf
python3 - <<'PY'
import signal, subprocess
p = subprocess.Popen(["perf-arm-spe", "dump", "--raw", "buf"], stdout=subprocess.PIPE)
p.stdout.read(100)
p.stdout.close()
print("closed:", p.wait())
PY
perf-arm-spe dump --raw buf >/dev/full
echo "full: $?"
