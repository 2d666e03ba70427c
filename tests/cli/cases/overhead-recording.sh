# SPDX-License-Identifier: GPL-2.0-only
# overhead --recording: the command lines are those of `record -a`, for whatever machine this is.
. "$CLI_LIB"
perf-arm-spe overhead --from /dev/null 2>&1 | grep -q r-mathlib && skip 'built without r-mathlib'
spe-asm -g records=100 -o made.data
cat >perf <<'END'
#!/bin/sh
echo "perf $*" >>calls
while [ "$1" != -o ]; do shift; done
cp made.data "$2"
END
chmod +x perf
PATH=$PWD:$PATH
# The calls, by their words alone: file and quotes go.
words() { sed -E "s|-o [^ ]*|-o FILE|; s/'//g" | sort -u; }
# Where there is no unit, record needs to be told the event that overhead takes anyway.
plan() {
	perf-arm-spe record --dry-run "$@" 2>/dev/null ||
		perf-arm-spe record --dry-run -e arm_spe/ts_enable=1/ "$@"
}
same() {
	words <calls >got
	words <want | diff - got && echo "$1: as record"
	rm calls
}
work="echo 'it' \"is\""
perf-arm-spe overhead -q -r 1 -w 0 --recording "$work" >out
for switches in --switch-events --no-switch-events; do
	plan -q -o FILE -a $switches -- sh -c "$work" | sed "s/'.''//g"
done >want
grep -c . calls
same 'the default'
perf-arm-spe overhead -q -r 1 -w 0 --recording true -e arm_spe_7/load_filter=1/ >out
for switches in --switch-events --no-switch-events; do
	perf-arm-spe record --dry-run -q -o FILE -a -e arm_spe_7/load_filter=1/ $switches -- sh -c true
done >want
same 'an event'
grep -oE '^(recorded|no-switch): perf.data grows by [0-9.]+ bytes a second, ' out | sed 's/[0-9].* a/N bytes a/'
# Another event's period, buffers and switches are perf's own choice.
perf-arm-spe overhead -q -r 1 -w 0 --recording true -e cpu-clock >out
words <calls
