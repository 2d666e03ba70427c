#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What stock perf prints of an injected file is what we print of the recording, and
# its report, mem and c2c count what we count, for every recording of $SPE_SHARED/data.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need recordings
data=${SPE_SHARED:-../shared}/data
[ -d "$data" ] || { echo 'skip recordings: none here (SPE_SHARED)'; exit 77; }

for file in "$data"/lab/*.data "$data"/truth/*.data "$data"/cases/*.data; do
	perf-arm-spe stat -i "$file" >/dev/null 2>&1 || continue
	echo "# $(basename "$file")"
	same_samples "$(basename "$file")" "$file"
	perf-arm-spe inject -q --itrace=i1i -i "$file" -o "$tmp/injected" 2>/dev/null
	perf script --ns -F comm,pid,tid,cpu,time,event,ip -i "$tmp/injected" 2>/dev/null >"$tmp/expected"
	perf-arm-spe inject -q --itrace=i1i -i "$file" -o - 2>/dev/null |
		perf script --ns -F comm,pid,tid,cpu,time,event,ip -i - 2>/dev/null | diff "$tmp/expected" - >"$tmp/why"
	same=$?
	# without times perf refuses a file the columns that it leaves 0 in a pipe
	[ ! -s "$tmp/expected" ] || verdict "$(basename "$file"): the same through a pipe" $same
	case $file in */cases/*) ;; *) (cd "$tmp" && counts "$file" && exit $rc) || rc=1 ;; esac
done

# One clock for the side-band, another for the trace: all samples are moved by as much.
perf-arm-spe inject -q --itrace=i1i -i "$data/truth/mono.data" -o "$tmp/injected" 2>/dev/null
for f in "$tmp/injected" "$data/truth/mono.data"; do
	case $f in *injected) perf script --ns -F time -i "$f" ;; *) perf-arm-spe script --ns -F time -i "$f" ;; esac 2>/dev/null |
		tr -d ' .:'
done | awk '{ t[NR] = $1 } END {
	for (i = 1; i <= NR / 2; i++) {
		off = t[i] - t[i + NR / 2]
		if (i == 1 || off < least) least = off
		if (i == 1 || off > most) most = off
	}
	if (NR < 1000 || !least || most - least > 20000)
		print NR, least, most
}' >"$tmp/why"
[ ! -s "$tmp/why" ]
verdict 'mono.data: times moved by the offset of the clocks' $?
exit $rc
