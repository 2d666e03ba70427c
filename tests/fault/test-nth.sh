#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The n-th allocation, read, write, open ... fails, in every command: some n of
# each here, every n in long-nth.sh.
# tmp and rc are set by faults.sh
# shellcheck disable=SC2154
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fault/faults.sh disable=SC2154
. "$here/faults.sh"
faults_begin
program=$SPE_BUILD/perf-arm-spe
every_command 12 "$tmp/demo"
for f in "$tmp/sched" "$tmp/folder" -; do
	all_faults 20 "$program" report -i "$f"
	all_faults 8 "$program" inject -o "$tmp/made" -i "$f"
done
# a little of it under sanitizers: what fails gives back all it had
preload=$(${CC:-cc} -print-file-name=libasan.so)
program=$SPE_SAN/perf-arm-spe
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1:exitcode=99
if [ -x "$program" ] && [ -f "$preload" ]; then
	for command in report 'script --ns' "inject -o $tmp/made"; do
		label="fault/sanitizers ${command%% -o*}"
		before=$rc
		# shellcheck disable=SC2086
		fault malloc ENOMEM '' 8 "$program" $command -j 1 -i "$tmp/sched"
		[ "$rc" -ne "$before" ] || echo "ok $label"
	done
fi
exit "$rc"
