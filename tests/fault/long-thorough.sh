#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The unit tests under sanitizers, with all that `make check` leaves out there.
set -u
cd "${SPE_TOP:?}" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
if ! env -u MAKEFLAGS make "-j${JOBS:-2}" SAN=address,undefined O="$tmp/build" CPPFLAGS=-DTHOROUGH CFLAGS='-O1 -g' unit-bin >"$tmp/log" 2>&1; then
	tail -n 20 "$tmp/log"
	echo 'not ok thorough: build'
	exit 1
fi
# shellcheck disable=SC2046
TEST_TIMEOUT=1200 tests/run "$tmp/results" $(find "$tmp/build/tests/unit" -name 'test-*' -type f ! -name '*.*' | sort) >"$tmp/out"
rc=$?
sed -n 's/^  PASS *\([^ ]*\).*/ok thorough: \1/p; s/^  FAIL *\([^:]*:[^:]*\):.*/not ok thorough: \1/p; s/^  SKIP *\([^ ]*\).*/skip thorough: \1/p' "$tmp/out"
exit $rc
