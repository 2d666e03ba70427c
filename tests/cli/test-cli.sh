#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs every tests/cli/cases/NAME.sh in an empty folder and compares what it
# printed with what stands beside it:
#	NAME.stdout.exact or NAME.stdout.glob	nothing expected where absent
#	NAME.stderr.exact or NAME.stderr.glob	nothing expected where absent
#	NAME.exit				0 expected where absent
# In a .glob, * stands for anything within a line and a line of three dots for
# any lines.  A case that exits 77 is skipped; its last line on stderr says why.
# Scripts find perf-arm-spe and spe-asm in PATH, sources in $SPE_TOP, and the
# functions of tests/cli/lib.sh.
#	UPDATE=1	rewrites what differs (the .exact and .exit files)
#	test-cli.sh NAME...	only these
set -u
here=$(cd "$(dirname "$0")" && pwd)
cases=$here/cases
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C TZ=UTC PERF_PAGER=cat PAGER=cat CLI_LIB="$here/lib.sh"
unset LS_COLORS NO_COLOR PERF_BUILDID_DIR PERF_ARM_SPE_DECODER
rc=0

# compare CASE STREAM ACTUAL: prints the difference, fails if there is one.
compare() {
	if [ -f "$cases/$1.$2.glob" ]; then
		awk -f "$here/glob.awk" "$cases/$1.$2.glob" "$3"
		return
	fi
	stands=$cases/$1.$2.exact
	[ -f "$stands" ] || stands=/dev/null
	diff -u -L "expected $2" -L "$2" "$stands" "$3" && return
	[ -n "${UPDATE:-}" ] || return 1
	if [ -s "$3" ]; then cp "$3" "$cases/$1.$2.exact"; else rm -f "$cases/$1.$2.exact"; fi
}

if [ $# -eq 0 ]; then
	for f in "$cases"/*.sh; do
		[ -f "$f" ] && set -- "$@" "$(basename "$f" .sh)"
	done
fi
for name; do
	mkdir "$tmp/in" && cd "$tmp/in" || exit 2
	sh "$cases/$name.sh" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
	status=$?
	cd "$tmp" && rm -rf "$tmp/in"
	if [ $status -eq 77 ]; then
		echo "skip cli/$name: $(tail -n 1 "$tmp/stderr")"
		continue
	fi
	want=0
	[ -f "$cases/$name.exit" ] && want=$(cat "$cases/$name.exit")
	{
		compare "$name" stdout "$tmp/stdout"
		a=$?
		compare "$name" stderr "$tmp/stderr"
		b=$?
	} >"$tmp/diff"
	if [ -n "${UPDATE:-}" ] && [ "$status" != "$want" ]; then
		if [ $status -eq 0 ]; then rm -f "$cases/$name.exit"; else echo $status >"$cases/$name.exit"; fi
		want=$status
	fi
	if [ $a -eq 0 ] && [ $b -eq 0 ] && [ "$status" = "$want" ]; then
		echo "ok cli/$name"
	else
		echo "not ok cli/$name: exit $status, expected $want"
		cat "$tmp/diff"
		rc=1
	fi
done
exit $rc
