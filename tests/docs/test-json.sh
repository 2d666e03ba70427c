#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What --json prints: a parser reads it, docs/json.md explains each key of it and no other,
# and names out of a file come back as they were.
set -u
cd "${SPE_TOP:?}" || exit 2
for p in perf-arm-spe spe-asm python3; do
	command -v $p >/dev/null || { echo "skip json: no $p"; exit 77; }
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# Recordings that between them have whatever a document can tell.
made() { # NAME SPE-ASM-ARGUMENTS
	name=$1
	shift
	spe-asm -o "$tmp/$name.data" "$@" || exit 2
}
made demo --set switches=yes tests/traces/demo.spe
made cuts tests/traces/cuts.spe
made fields tests/traces/fields.spe
made parts --set switches=yes -g records=500,cpus=2,contexts=50
for input in el2 ends namespace sched threads; do
	made $input tests/interop/inputs/$input.spe
done
made wrong - <<-TEXT
	file cpus=1 switches=yes
	process 100 alpha
	process 200 beta
	time 1ms
	run 100
	record pc=0x400100 context=200
	run 200 time=+1us
	record pc=0x400100
	run 100 time=+1us
	lost 3 time=+1us
TEXT
made thread-loss - <<-TEXT
	process 100 alpha
	thread-buffer 100
	time 1ms
	record pc=0x400100
	flush flags=truncated
TEXT
. tests/cli/lib.sh
machine "$tmp/machine"
printf 'a b\n1 2\n1.5 2.5\n1.2 2.1\n1.3 2.2\n1.1 2.7\n1.4 2.6\n' >"$tmp/runs"
printf 'a b\n1 1e300\n1e300 1\n' >"$tmp/wild"
printf 'a b\n1 2\n' >"$tmp/once"
python3 tests/docs/json-keys.py "$tmp" docs/json.md
