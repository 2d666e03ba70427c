#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Owners in recordings made here, where it is known who ran: all right where the
# file holds the truth, the rest unattributed, none wrong.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/simulated.sh"
for p in perf-arm-spe spe-asm; do
	command -v $p >/dev/null || { echo "skip simulated: no $p"; exit 77; }
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
for kind in $(simulated_kinds); do
	least=100
	[ "$kind" = holes ] && least=25
	for seed in 0 1; do
		simulate "$kind" $seed "$tmp" &&
			perf-arm-spe script --itrace=i1i --ns -F pid,tid,cpu,time,ip -i "$tmp/data" \
				>"$tmp/out" 2>"$tmp/err"
		status=$?
		awk -f "$here/score.awk" "$tmp/truth" "$tmp/out" >"$tmp/score"
		if [ $status -eq 0 ] && awk -v least=$least '
			{ exit !($2 > 1000 && !$4 && !$6 && !$10 && !$14 && 100 * $8 >= least * $2 && 100 * $12 >= least * $2) }
		' "$tmp/score"; then
			echo "ok simulated/$kind-$seed: $(cat "$tmp/score")"
		else
			echo "not ok simulated/$kind-$seed: exit $status, $(cat "$tmp/score")"
			head -n 3 "$tmp/err"
			rc=1
		fi
	done
done
exit $rc
