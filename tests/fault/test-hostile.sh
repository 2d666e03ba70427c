#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Files that mean harm: contexts by the hundred thousand that are nobody's,
# names that would drive a terminal, and what crashed other readers
# ($SPE_SHARED/data/perfdata/hostile, and CoreSight's trace, data/etm/perf):
# 1 s of processor time and 64 MB each, no sanitizer's report, exit 0 or 1.
#	HOSTILE_MS=n	for a build that is slow: so many ms instead of 1000
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$SPE_BUILD/perf-arm-spe
[ -x "$program" ] || { echo 'skip hostile: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -o "$tmp/measure" "$here/measure.c" || exit 2

# modest LABEL COMMAND...: within the limits, and well-behaved.
modest() {
	what=$1
	shift
	timeout 60 "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	if [ $code -gt 1 ] || grep -qE 'Sanitizer|runtime error' "$tmp/err"; then
		echo "not ok $what: exit $code"
		tail -n 20 "$tmp/err"
		rc=1
		bad=1
	fi
}

# all LABEL FILE LIMITS...: every command.
all() {
	label=$1 file=$2
	shift 2
	bad=
	for command in report 'report --json --sort pid,comm,op,source' 'script -F +data_src,+weight' stat dump \
		verify "inject -o $tmp/made"; do
		# shellcheck disable=SC2086
		modest "$label: $command" "$@" $command -i "$file"
	done
	[ -n "$bad" ] || echo "ok $label"
}

awk 'BEGIN {
	print "process 100 alpha\ntime 1ms"
	for (i = 1; i <= 200000; i++)
		printf "record context=%d pc=0x400100 time=+1us\n", i * 7919 % 2000000011 + 5000000
}' | "$SPE_BUILD/spe-asm" -o "$tmp/garbage" - || exit 2
all 'hostile/200000 contexts of nobody' "$tmp/garbage" "$tmp/measure" "${HOSTILE_MS:-1000}" 64 "$program"

# names: no control character leaves us, whatever prints them
"$SPE_BUILD/spe-asm" -o "$tmp/escapes" - <<'END' || exit 2
file cpus=1 switches=yes
header hostname="host\x1b[2J\x07" osrelease="6\x1b]0;pwned\x07" cmdline="perf\x1b[31m record" arch="\x9b31m" cpudesc="a\x1bcb"
process 100 "\x1b[31mred\x07"
process 200 "\x9b1m\xc2\x9b2m"
mmap2 100 0x400000 0x1000 "/tmp/\x1b]0;title\x07\nname"
mmap2 200 0x400000 0x1000 "/tmp/\x1b[1A\x0d\xc2\x9dx"
time 1ms
run 100
record pc=0x400100 count=3 every=1us
run 200
record pc=0x400200 count=3 every=1us
record context=none pc=0x400200 time=+1us
record pc=0x400200 time=+1us
chop 5
flush flags=truncated
END
bad=
for command in report 'report --json --sort pid,tid,comm' 'report --csv --sort comm' 'report --hierarchy --sort comm,pid' \
	script 'script --json' 'script --csv' stat 'stat --json' dump verify 'verify --json' 'report -v --strict' \
	'script -c x' "inject -v -o $tmp/made" 'report -c red'; do
	# shellcheck disable=SC2086
	"$program" $command -i "$tmp/escapes" >"$tmp/out" 2>&1
	[ $? -le 1 ] || { echo "not ok hostile/escapes: $command: exit"; bad=1; }
	if LC_ALL=C tr -d '\11\12\40-\176\200-\377' <"$tmp/out" | grep -q . ||
		LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$tmp/out"; then
		echo "not ok hostile/escapes: $command: control characters"
		LC_ALL=C tr '\1-\10\13-\37\177' '@' <"$tmp/out" | grep @ | head -n 3
		bad=1
	fi
done
if [ -n "$bad" ]; then rc=1; else echo 'ok hostile/escapes'; fi

data=${SPE_SHARED:-/nowhere}/data
for f in "$data"/perfdata/hostile/* "$data"/etm/perf/*; do
	[ -f "$f" ] || continue
	all "hostile/$(basename "$f")" "$f" "$tmp/measure" "${HOSTILE_MS:-1000}" 64 "$program"
	[ -x "$SPE_SAN/perf-arm-spe" ] || continue
	bad=
	for command in report script "inject -o $tmp/made"; do
		# shellcheck disable=SC2086
		modest "hostile/$(basename "$f"), sanitizers: $command" "$SPE_SAN/perf-arm-spe" $command -i "$f"
	done
	[ -n "$bad" ] || echo "ok hostile/$(basename "$f"), sanitizers"
done
exit "$rc"
