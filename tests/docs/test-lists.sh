#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whatever `-s list` and `-F list` print has its line in the manual page.
set -u
cd "${SPE_TOP:?}" || exit 2
command -v perf-arm-spe >/dev/null || { echo 'skip docs: no perf-arm-spe'; exit 77; }
rc=0
# listed NAME PAGE COMMAND...
listed() {
	name=$1 page=$2
	shift 2
	missing=$("$@" | awk '{ print $1 }' | while read -r word; do
		grep -qE "^\.It (.* )?$word( |$)" "$page" || echo "$word"
	done)
	if [ -n "$("$@")" ] && [ -z "$missing" ]; then
		echo "ok docs: $name"
	else
		echo "not ok docs: $name: $(echo "$missing" | tr '\n' ' ')"
		rc=1
	fi
}
listed 'each sort key' docs/man/perf-arm-spe-report.1 perf-arm-spe report -s list
listed 'each column' docs/man/perf-arm-spe-report.1 perf-arm-spe report -F list
listed 'each field' docs/man/perf-arm-spe-script.1 perf-arm-spe script -F list
exit $rc
