#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The examples of the manual pages run, in a folder with the demo's recording as
# perf.data: `perf arm-spe` is ours, with the files of an Arm server for what looks at
# the machine; `perf record` and `perf bench` only pretend, as do programs we have
# nothing to do with; other commands of perf are the installed one's.  The program of the
# library's page is compiled and prints a line for each sample.
set -u
cd "${SPE_TOP:?}" || exit 2
here=$PWD/tests/docs
command -v perf-arm-spe >/dev/null || { echo 'skip man: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
. tests/cli/lib.sh
machine "$tmp/machine"
{
	cat tests/traces/demo.spe
	# NUMA_TOPOLOGY and MEM_TOPOLOGY, which c2c wants to know
	echo 'feature 14 01 00 00 00 00 00 00 00 00 00 10 00 00 00 00 00 00 00 08 00 00 00 00 00 04 00 00 00 30 2d 31 00'
	word='00 00 00 00 00 00 00'
	echo "feature 22 01 $word 00 00 00 08 00 00 00 00 01 $word 00 $word 01 $word 01 $word 01 $word"
} | spe-asm -o "$tmp/made.data" --set switches=yes - || exit 2
cp "$tmp/made.data" "$tmp/perf.data"
. "$here/lib.sh"
[ -f "$SPE_BUILD/dlfilter-arm-spe.so" ] && ln -s "$SPE_BUILD/dlfilter-arm-spe.so" "$tmp"
perf-arm-spe overhead --from /dev/null 2>&1 | grep -q r-mathlib && no_statistics=1

# possible LINE: what it needs is here.
possible() {
	case $1 in
	*overhead*) [ -z "${no_statistics:-}" ] ;;
	*dlfilter*) [ -n "$perf" ] && [ -f "$tmp/dlfilter-arm-spe.so" ] ;;
	'perf arm-spe '* | 'perf record '*) ;;
	perf\ *) [ -n "$perf" ] ;;
	esac
}

# runs PAGE LINE: it does, and something comes of it.
runs() {
	possible "$2" || { echo "skip man/$1: $2: not here"; return; }
	: >"$tmp/out" && : >"$tmp/err"
	(cd "$tmp" && PATH=$tmp/bin:$PATH PERF_PAGER=cat sh -c "$2" >out 2>err </dev/null)
	status=$?
	came=yes
	[ -s "$tmp/out" ] || [ -s "$tmp/err" ] || case $2 in *' -o '* | *'>'* | *--html* | 'perf record '*) ;; *) came='' ;; esac
	if [ $status -eq 0 ] && [ -n "$came" ]; then
		echo "ok man/$1: $2"
	else
		echo "not ok man/$1: $2: exit $status"
		head -n 5 "$tmp/err"
		rc=1
	fi
}

for page in docs/man/*.1; do
	name=$(basename "$page" .1)
	awk -v folder="$tmp" -f "$here/examples.awk" "$page" >"$tmp/lines"
	[ -s "$tmp/lines" ] || {
		echo "not ok man/$name: no example that can be run"
		rc=1
	}
	while read -r line; do
		runs "$name" "$line"
	done <"$tmp/lines"
done

# What the first pages tell people to type, in the same folder.
sed -nE 's/^\t(perf (arm-spe|record|report|mem|script) .*)$/\1/p' README.md docs/howto.md |
	sed -E 's/ +#.*//' | sort -u >"$tmp/lines"
while read -r line; do
	runs 'first pages' "$line"
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
