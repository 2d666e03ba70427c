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
# Whatever was to be written, one line says why it was not.
spe-asm -g records=100,cpus=1 -o in.data
try() {
	echo "$*" >&2
	perf-arm-spe "$@" >/dev/full
	echo "$?"
}
try timeline -q in.data
try script -q --csv in.data
try report -q in.data
try stat -q in.data
try --version
try --list-cmds
try report -s list
try script --op list
try script --list-opts
perf-arm-spe script -q in.data >&-
echo "closed: $?"
perf-arm-spe --version >&-
echo "closed: $?"
# Nor does what is said land in a file that was opened in place of a closed stream.
perf-arm-spe inject -i in.data -o first 2>/dev/null
perf-arm-spe inject -i in.data -o second >&- 2>&-
cmp first second && echo 'the same'
