#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Allocations, reads and writes that fail, one after the other, while a
# recording is reported, printed and rewritten; under sanitizers.
set -u
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "${SPE_TOP:?}" || exit 2
program=$SPE_SAN/tests/fault/fault
[ -x "$program" ] || { echo 'skip fault: not built'; exit 77; }
small='records=40,cpus=2,processes=3,lives=5,switches'
spe-asm -g $small -o "$tmp/plain" && spe-asm -g $small --set form=pipe -o "$tmp/pipe" || exit 2
spe-asm -g $small --set compress=zstd -o "$tmp/zstd" || exit 2
perf-arm-spe stat -i "$tmp/zstd" >/dev/null 2>&1 || rm "$tmp/zstd" # built without libzstd
"$program" "$tmp" "$tmp"/[pz]*
