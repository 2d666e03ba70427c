#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The n-th allocation, read, write, open ... fails, for every n, in every
# command, on every form of file; under sanitizers some.
# tmp and rc are set by faults.sh
# shellcheck disable=SC2154
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fault/faults.sh disable=SC2154
. "$here/faults.sh"
faults_begin
program=$SPE_BUILD/perf-arm-spe
for f in "$tmp/demo" "$tmp/cuts" "$tmp/sched" "$tmp/big" "$tmp/folder" -; do
	every_command 0 "$f"
done
preload=$(${CC:-cc} -print-file-name=libasan.so)
program=$SPE_SAN/perf-arm-spe
# shellcheck disable=SC2034 # faults.sh looks at it
single=1
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1:exitcode=99
for f in "$tmp/cuts" "$tmp/sched" "$tmp/folder" -; do
	[ -x "$program" ] && [ -f "$preload" ] && every_command 60 "$f"
done
exit "$rc"
