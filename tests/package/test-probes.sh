#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Makefile finds a header where it is, and none where the compiler finds none.
set -u
cd "${SPE_TOP:?}" || exit 2
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
probed() { # COMPILER: the variables of headers that were found
	env -u MAKEFLAGS make -pnr CC="$1" O="$tmp" all 2>/dev/null |
		sed -n 's/^\(HAVE_DEMANGLE\|HAVE_DLFILTER\) := 1$/\1/p'
}
found=$(probed 'gcc -nostdinc')
if [ -z "$found" ]; then
	echo 'ok probes: no headers, none found'
else
	echo "not ok probes: found without headers: $found"
	rc=1
fi
for probe in DEMANGLE:libiberty/demangle.h DLFILTER:perf/perf_dlfilter.h; do
	[ -e "/usr/include/${probe#*:}" ] || continue
	case $(probed gcc) in
	*"HAVE_${probe%:*}"*) echo "ok probes: ${probe#*:}" ;;
	*) echo "not ok probes: ${probe#*:} is there and was not found"; rc=1 ;;
	esac
done
exit $rc
