#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of $SPE_SHARED/data/lab: samples per process, against what stock
# perf 7.3 counts there; and the same, line for line, without switch records.
set -u
data=${SPE_SHARED:-../shared}/data/lab
[ -d "$data" ] || { echo 'skip lab: no recordings here (SPE_SHARED)'; exit 77; }
command -v perf-arm-spe >/dev/null || { echo 'skip lab: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0

script() {
	perf-arm-spe script --itrace=i1i --ns -F comm,pid,tid,cpu,time,ip,evidence -i "$1" 2>"$tmp/err"
}

# lab FILE 'PID:COUNT ...': processes and their samples, no other process.
lab() {
	script "$data/$1" >"$tmp/script" || { cat "$tmp/err"; }
	perf-arm-spe script --itrace=i1i -F pid -i "$data/$1" 2>/dev/null | awk '{ n[$1]++ }
		END { for (p in n) print p ":" n[p] }' | sort -n | tr '\n' ' ' >"$tmp/got"
	if [ "$(cat "$tmp/got")" = "$2 " ]; then
		echo "ok lab/$1: samples per process"
	else
		echo "not ok lab/$1: samples per process"
		printf 'expected %s\ngot      %s\n' "$2" "$(cat "$tmp/got")"
		rc=1
	fi
	spe-asm --strip switch -o "$tmp/no-switches" "$data/$1" && script "$tmp/no-switches" >"$tmp/without"
	if [ -s "$tmp/script" ] && cmp -s "$tmp/script" "$tmp/without"; then
		echo "ok lab/$1: the same without switch records"
	else
		echo "not ok lab/$1: the same without switch records"
		diff "$tmp/script" "$tmp/without" | head -n 10
		rc=1
	fi
}

lab el1-perf6.12-a.data '14:6 32:2 104:1015 105:1160 106:1187 107:16 109:48'
lab el1-perf7.3-v2.data '14:10 15:2 16:1 26:6 32:2 104:1452 105:1263 106:1402 107:69 109:48'
lab el2-perf7.3-v2.data '14:18 16:6 32:2 104:2059 105:2293 106:2173 107:49 109:148'
exit $rc
