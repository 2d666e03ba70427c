#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The events of an injected file are those that stock `perf inject --itrace` makes
# of the recording: names, ids, types, fields.  What differs, and why:
# - sizes of attrs: ours are the smallest, so that an older perf reads them;
# - the recorded event claims the fields of the new ones, as `perf script -F` wants;
# - a period of 1 where stock says 0 without `i`: 0 makes report count nothing;
# - ANY in the kind of branches: perf_event_open() takes no branch stack without one;
# - before 6.19 the branch event has another name and meaning.
set -u
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/inputs
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need events
cd "$tmp" || exit 2

events_of() { # FILE
	$perf report --header-only -i "$1" 2>/dev/null | grep '^# event :' |
		sed -E 's/size = [0-9]+, //; s/\{ sample_period, sample_freq \} = [0-9]+, //
			s/branch_sample_type = (ANY\|)?/branch_sample_type = /; s/, $//' |
		sed -E '/arm_spe/s/sample_type = [A-Z_|]+//'
}

spe-asm -o in.data "$inputs/el1.spe"
for perf in $PERFS; do
	for letters in i1i i4i M f m t a fmta fmtaMi1i b bl i1il; do
		[ "$perf" = perf ] && case $letters in *[bl]*) continue ;; esac
		$perf inject --itrace=$letters -i in.data -o stock >err 2>&1
		perf-arm-spe inject -q --itrace=$letters -i in.data -o ours
		events_of stock >want
		events_of ours >got
		{
			[ "$(wc -l <want)" -ge 3 ] || { echo 'stock perf has no such events'; cat err; }
			diff want got
		} >why
		[ ! -s why ]
		verdict "events of $letters as $(basename "$perf") makes them" $?
	done
done

# Every attr as small as can be: an old perf refuses files with one larger than its own.
for size in 64 112 128 136 144; do
	spe-asm --set "attr-size=$size" -o in.data "$inputs/el1.spe"
	perf-arm-spe inject -q -i in.data -o ours
	perf evlist -v -i ours | grep -o 'size: [0-9]*' | sort -u >got
	echo 'size: 112' | diff - got >why
	verdict "attrs of 112 bytes from $size" $?
done

# What says something beyond that stays: config3 stands at 128.
first_attr() { od -An -tu8 -j24 -N8 "$1" | words; }
spe-asm --set attr-size=144 -o in.data "$inputs/el1.spe"
printf '\001' | dd of=in.data bs=1 seek=$(($(first_attr in.data) + 128)) conv=notrunc 2>/dev/null
perf-arm-spe inject -q -i in.data -o ours
for at in 4 128; do
	od -An -tu4 -j$(($(first_attr ours) + at)) -N4 ours | words
done >got
printf '%s\n' 136 1 | diff - got >why
verdict 'attrs of 136 bytes where config3 is in use' $?
exit $rc
