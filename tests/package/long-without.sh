#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every optional library left out, one at a time and all together: it builds
# without a warning, the unit tests pass, --version says what is missing.
set -u
cd "${SPE_TOP:?}" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
for lib in ALL ZSTD LIBTRACEEVENT LIBDW OPENCSD DEMANGLE RMATH ZLIB DLFILTER CHARTJS LIBPERF; do
	if env -u MAKEFLAGS make "-j$JOBS" O="$tmp/build" CFLAGS=-O1 "WITHOUT_$lib=1" all unit-bin >"$tmp/log" 2>&1; then
		echo "ok WITHOUT_$lib=1: build"
	else
		echo "not ok WITHOUT_$lib=1: build"
		tail -n 20 "$tmp/log"
		rc=1
		continue
	fi
	for t in "$tmp"/build/tests/unit/test-*; do
			"$t" >"$tmp/log" 2>&1 && continue
		echo "not ok WITHOUT_$lib=1: $(basename "$t")"
		tail -n 20 "$tmp/log"
		rc=1
	done
done
if [ -f "$tmp/build/perf-arm-spe" ]; then
	# The last one built is without libperf.
	if "$tmp/build/perf-arm-spe" --version | grep 'libperf: \[ OFF' >/dev/null; then
		echo 'ok --version names what is missing'
	else
		echo 'not ok --version names what is missing'
		"$tmp/build/perf-arm-spe" --version
		rc=1
	fi
fi
exit $rc
