#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every fuzz target, built with sanitizers, over its seeds and some variants
# of each (REPLAY_VARIANTS_ALL; few where a run is long).
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
for source in "$here"/fuzz-*.c; do
	[ -f "$source" ] || { echo 'skip fuzz: no targets'; exit 77; }
	name=$(basename "$source" .c)
	name=${name#fuzz-}
	"$here/seeds" "$name" "$tmp/$name"
	case $name in
	pipeline) variants=3 ;;
	inject) variants=8 ;;
	*) variants=20 ;;
	esac
	export REPLAY_VARIANTS="${REPLAY_VARIANTS_ALL:-$variants}"
	if timeout 120 "$SPE_SAN/tests/fuzz/replay-$name" "$tmp/$name" >"$tmp/log" 2>&1; then
		sed "s|^ok [^:]*|ok fuzz/$name|" "$tmp/log"
	else
		echo "not ok fuzz/$name: exit $?"
		tail -n 30 "$tmp/log"
		rc=1
	fi
done
exit $rc
