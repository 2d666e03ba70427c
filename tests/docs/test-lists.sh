#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whatever `-s list` and `-F list` print has its line in the manual page.
set -u
cd "${SPE_TOP:?}" || exit 2
command -v perf-arm-spe >/dev/null || { echo 'skip docs: no perf-arm-spe'; exit 77; }
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
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
commands() { perf-arm-spe --list-cmds | sed 's/.*/Xr perf-arm-spe-& 1/'; }
# all NAME PAGE: each line on standard input stands in the page as an item.
all() {
	lines=$(cat)
	missing=$(echo "$lines" | while read -r line; do
		grep -qxF ".It $line" "$2" || echo "$line"
	done)
	if [ -n "$lines" ] && [ -z "$missing" ]; then
		echo "ok docs: $1"
	else
		echo "not ok docs: $1: $missing"
		rc=1
	fi
}
commands | all 'each command' docs/man/perf-arm-spe-overview.1
headers() { (cd perf-arm-spe/include/perf-arm-spe && ls -- *.h); }
headers | sed 's/^/Pa /' | all 'each header' docs/man/libperf-arm-spe.3
missing=$(headers | while read -r header; do
	grep -qxF ".In perf-arm-spe/$header" docs/man/libperf-arm-spe.3 || echo "$header"
done)
[ -z "$missing" ] || { echo "not ok docs: headers in the synopsis: $missing"; rc=1; }
# Each page can be asked for.
mkdir -p "$tmp/bin" && printf '#!/bin/sh\necho "$1"\n' >"$tmp/bin/man" && chmod +x "$tmp/bin/man"
for page in docs/man/perf-arm-spe-*.1; do
	name=$(basename "$page" .1)
	[ "$(PATH=$tmp/bin:$PATH perf-arm-spe help "${name#perf-arm-spe-}")" = "$name" ] || {
		echo "not ok docs: help ${name#perf-arm-spe-}"
		rc=1
	}
done
exit $rc
