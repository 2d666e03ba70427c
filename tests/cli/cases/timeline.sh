# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Who ran when, by the contexts and by the switch records of one recording.
spe-asm - -o t.data <<'SPE'
file cpus=1 switches=yes
process 100 alpha
process 200 beta
cpu 0
time 10s
run 100
record pc=0x400000 count=3 every=1us
run 200
record pc=0x400000 count=2 every=1us
flush
SPE
perf-arm-spe timeline --source spe t.data
perf-arm-spe timeline t.data
perf-arm-spe timeline --source spe --json t.data
perf-arm-spe timeline -C 0 --source spe t.data
perf-arm-spe timeline -C 77 t.data
echo "no such CPU: $?"
# A record without a time moves neither end of its stretch.
spe-asm - -o untimed.data <<'SPE'
process 100 alpha
time 10s
run 100
record pc=0x400000 end
record pc=0x400000 count=3 every=1us
record pc=0x400000 end
SPE
perf-arm-spe timeline --source spe untimed.data
perf-arm-spe timeline --source spe --json untimed.data
perf-arm-spe timeline --source etm t.data
echo "etm: $?"
perf-arm-spe timeline --source magic t.data
echo "magic: $?"
