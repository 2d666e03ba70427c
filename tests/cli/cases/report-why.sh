# SPDX-License-Identifier: GPL-2.0-only
# Below a table in which most samples are nobody's stands why.
why() {
	echo "-- $1"
	spe-asm -o f.data -
	perf-arm-spe report -i f.data | sed -n '/^# Owners/,$p'
	perf-arm-spe stat -i f.data | grep '^Contexts'
}
why 'no contexts, no switches' <<'TEXT'
process 100 alpha
time 1ms
run 100
record pc=0x400100 context=none count=4 every=1us
TEXT
why 'zeros' <<'TEXT'
process 100 alpha
time 1ms
run 100
record pc=0x400100 context=0 count=4 every=1us
TEXT
why 'switches before the first of which nothing is known' <<'TEXT'
file switches=yes cpus=2
process 100 alpha
cpu 1
time 1ms
run 100
record pc=0x400100
cpu 0
time 1ms
record pc=0x400100 context=none count=4 every=1us
TEXT
why 'guests only' <<'TEXT'
time 1ms
record pc=0xffff800008001000 el=2 context=none op=other
record pc=0x400100 context=none guest=7 count=4 every=1us
TEXT
why 'a few' <<'TEXT'
process 100 alpha
time 1ms
run 100
record pc=0x400100 count=2 every=1us
record pc=0x400100 context=none count=4 every=1us
TEXT
why 'half of them: no reason is given' <<'TEXT'
process 100 alpha
time 1ms
run 100
record pc=0x400100 count=4 every=1us
record pc=0x400100 context=none count=4 every=1us
TEXT
why 'switch records tell: nor here' <<'TEXT'
file switches=yes
process 100 alpha
time 1ms
run 100
record pc=0x400100 context=none count=4 every=1us
TEXT
echo '-- what inject wrote holds no trace'
spe-asm -o injected-from.data "$SPE_TOP/tests/traces/fields.spe"
perf-arm-spe inject -q -i injected-from.data -o injected.data
for command in report script stat verify; do
	perf-arm-spe $command -i injected.data 2>&1
	echo "exit $?"
done
