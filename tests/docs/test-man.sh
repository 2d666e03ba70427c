#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The examples of the manual pages run: each line `.Dl perf arm-spe ...` under
# EXAMPLES, with the demo's recording as perf.data; the program of the
# library's page is compiled and prints a line for each sample.
# Left out is what needs an Arm machine or starts other programs.
set -u
cd "${SPE_TOP:?}" || exit 2
command -v perf-arm-spe >/dev/null || { echo 'skip man: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
spe-asm -o "$tmp/perf.data" --set switches=yes tests/traces/demo.spe || exit 2

for page in docs/man/perf-arm-spe-*.1; do
	cmd=$(basename "$page" .1)
	case $cmd in *-record | *-check | *-overhead | *-overview | *-dlfilter) continue ;; esac
	awk '/^\.Sh/ { on = $2 == "EXAMPLES" } on && /^\.Dl perf arm-spe / {
		sub(/^\.Dl perf arm-spe /, ""); gsub(/\\-/, "-"); gsub(/\\e/, "\\"); gsub(/\\&/, ""); print }' \
		"$page" >"$tmp/lines"
	[ -s "$tmp/lines" ] || {
		echo "not ok man/$cmd: no example that can be run"
		rc=1
	}
	while read -r line; do
		if (cd "$tmp" && PERF_PAGER='cat' sh -c "perf-arm-spe $line" >out 2>err </dev/null); then
			echo "ok man/$cmd: perf arm-spe $line"
		else
			echo "not ok man/$cmd: perf arm-spe $line: exit $?"
			head -n 5 "$tmp/err"
			rc=1
		fi
	done <"$tmp/lines"
done

# What the first pages tell people to type, in the same folder.
sed -nE 's/^\tperf arm-spe ((report|script|stat|verify|inject|timeline|dump)( .*)?)$/\1/p' README.md docs/howto.md |
	sed -E 's/ +#.*//; s/ [|&].*//' | sort -u >"$tmp/lines"
while read -r line; do
	if (cd "$tmp" && PERF_PAGER='cat' sh -c "perf-arm-spe $line" >out 2>err </dev/null); then
		echo "ok first pages: perf arm-spe $line"
	else
		echo "not ok first pages: perf arm-spe $line: exit $?"
		head -n 5 "$tmp/err"
		rc=1
	fi
done <"$tmp/lines"
[ -s "$tmp/lines" ] || { echo 'not ok first pages: no command found'; rc=1; }

awk '/^\.Sh/ { ex = $2 == "EXAMPLES" } /^\.Ed/ { on = 0 } ex && on { gsub(/\\e/, "\\"); print } ex && /^\.Bd/ { on = 1 }' \
	docs/man/libperf-arm-spe.3 >"$tmp/example.c"
ln -s "$SPE_BUILD/libperf-arm-spe.so.$SPE_VERSION" "$tmp/libperf-arm-spe.so.0"
if $CC -Wall -Werror -Iperf-arm-spe/include -o "$tmp/example" "$tmp/example.c" \
	"$tmp/libperf-arm-spe.so.0" >"$tmp/err" 2>&1 &&
	(cd "$tmp" && LD_LIBRARY_PATH=. ./example >out 2>err) &&
	[ "$(wc -l <"$tmp/out")" -eq 433 ] && grep -q '^1201 420000 context$' "$tmp/out"; then
	echo 'ok man/libperf-arm-spe: the example'
else
	echo 'not ok man/libperf-arm-spe: the example'
	head -n 20 "$tmp/err"
	head -n 3 "$tmp/out"
	rc=1
fi
exit $rc
