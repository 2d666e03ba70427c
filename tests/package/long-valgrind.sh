#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The unit tests under valgrind: no invalid access, nothing used before it is
# set, nothing leaked (also in the children libcheck forks).
set -u
command -v valgrind >/dev/null || { echo 'skip valgrind: not installed'; exit 77; }
cd "${SPE_TOP:?}" || exit 2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
rc=0
export CK_TIMEOUT_MULTIPLIER=50
for t in "$SPE_BUILD"/tests/unit/test-*; do
	name=valgrind/$(basename "$t")
	if timeout 1200 valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
		--child-silent-after-fork=no "$t" >"$log" 2>&1 && ! grep -q '^==' "$log"; then
		echo "ok $name"
	else
		echo "not ok $name"
		tail -n 40 "$log"
		rc=1
	fi
done
exit $rc
