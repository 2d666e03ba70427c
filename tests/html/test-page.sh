#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page of `report --html`, without a browser: one file that is whole or not
# there, the same for any number of threads, small, with nothing to load, names
# as text, and the numbers of `report --json`.
set -u
cd "${SPE_TOP:?}" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0

# result NAME STATUS: the case ends; what it said is in $tmp/log.
result() {
	if [ "$2" -eq 0 ]; then
		echo "ok html: $1"
	else
		echo "not ok html: $1"
		cat "$tmp/log"
		rc=1
	fi
	: >"$tmp/log"
}
: >"$tmp/log"

spe-asm -o "$tmp/demo.data" tests/traces/demo.spe || exit 2

# ---- a build without the charts library says so, and makes nothing --------------
if perf-arm-spe --version | grep -q 'chart.js: \[ OFF'; then
	perf-arm-spe report -i "$tmp/demo.data" --html "$tmp/page.html" >"$tmp/log" 2>&1
	[ $? -eq 1 ] && grep -q 'without Chart.js' "$tmp/log" && [ ! -e "$tmp/page.html" ]
	result 'no page without Chart.js' $?
	echo 'skip html: built without Chart.js'
	exit $rc
fi

# ---- a file like any other output ------------------------------------------------
mkdir "$tmp/made"
perf-arm-spe report -q -i "$tmp/demo.data" --html "$tmp/made/page.html" >"$tmp/log" 2>&1 &&
	[ ! -s "$tmp/log" ] && [ "$(stat -c %a "$tmp/made/page.html")" = 600 ] &&
	[ "$(ls -A "$tmp/made")" = page.html ]
result 'one file, mode 0600, and nothing said' $?
page=$tmp/made/page.html

for threads in 1 2 3; do
	perf-arm-spe report -q -i "$tmp/demo.data" -j $threads --html - >"$tmp/$threads.html" 2>>"$tmp/log"
	cmp "$page" "$tmp/$threads.html" >>"$tmp/log" 2>&1 || break
done
result 'to standard output, the same with any number of threads' $?

echo before >"$tmp/made/page.html.old"
cp "$tmp/made/page.html.old" "$tmp/made/kept.html"
perf-arm-spe report -i "$tmp/demo.data" --pid nobody --html "$tmp/made/kept.html" >"$tmp/log" 2>&1
[ $? -ne 0 ] && cmp -s "$tmp/made/kept.html" "$tmp/made/page.html.old"
result 'what stood there stays until there is a new one' $?

perf-arm-spe report -i "$tmp/demo.data" --html "$tmp/demo.data" >"$tmp/log" 2>&1
[ $? -eq 1 ] && grep -q 'output is the input' "$tmp/log"
result 'the recording is not overwritten' $?

perf-arm-spe report -i "$tmp/demo.data" --html "$tmp/none/page.html" >"$tmp/log" 2>&1
[ $? -eq 1 ] && grep -q 'cannot be written' "$tmp/log"
result 'a folder that is not there' $?

perf-arm-spe report -i "$tmp/demo.data" --json --html "$tmp/x.html" >"$tmp/log" 2>&1
[ $? -eq 129 ] && [ ! -e "$tmp/x.html" ]
result 'no other output option beside it' $?

if [ -e /dev/full ]; then
	perf-arm-spe report -i "$tmp/demo.data" --html - >/dev/full 2>"$tmp/log"
	[ $? -eq 1 ] && grep -q 'No space left' "$tmp/log"
	result 'a full disk is an error' $?
fi

perf-arm-spe report -q -i "$tmp/demo.data" --pid 1000 --op load --html - 2>"$tmp/log" |
	grep -q '"selection":"--pid 1000 --op load","samples":72,'
result 'a page of some samples says of which' $?

# ---- names -------------------------------------------------------------------------
cat >"$tmp/names.spe" <<'EOF'
file cpus=1
cpu 0
time 1s
process 70 "</script><b>&\xe2\x80\xa8"
run 70
record pc=0x401000 op=load events=retired,l1d-access total=14 issue=6 va=0xaaaab0001000 xlat=1 source=0 count=10 every=2us
flush
EOF
if spe-asm -o "$tmp/names.data" "$tmp/names.spe" 2>"$tmp/log"; then
	perf-arm-spe report -i "$tmp/names.data" --html "$tmp/names.html" 2>"$tmp/log"
	[ "$(grep -o '</script>' "$tmp/names.html" | wc -l)" = "$(grep -o '</script>' "$page" | wc -l)" ] &&
		! grep -q '<b>' "$tmp/names.html" && grep -qF '\u003c/script\u003e\u003cb\u003e\u0026' "$tmp/names.html"
fi
result 'a name is text and ends no element' $?

# ---- functions ------------------------------------------------------------------------
# A program whose functions lie where nm says, in a recording that says so.
cat >"$tmp/program.c" <<'EOF'
int counter = 3;
int alpha(int x) { return x + counter; }
int beta(int x) { return x * 2; }
int main(void) { return alpha(1) + beta(2) > 100; }
EOF
at() { nm "$tmp/program" | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
if perf-arm-spe --version | grep -q 'libelf: \[ on\|libdw: \[ on' &&
	${CC:-cc} -O0 -no-pie -o "$tmp/program" "$tmp/program.c" 2>/dev/null && command -v readelf >/dev/null; then
	readelf -lW "$tmp/program" | awk '$1 == "LOAD" && / R E / { print $2, $3, $6 }' >"$tmp/segment"
	read -r offset address bytes <"$tmp/segment"
	readelf -lW "$tmp/program" | awk '$1 == "LOAD" && / RW / { print $2, $3 }' >"$tmp/segment"
	read -r data_offset data_address <"$tmp/segment"
	cat >"$tmp/functions.spe" <<EOF
file cpus=2
header arch=$(uname -m)
process 70 program
mmap2 70 $address $bytes $tmp/program offset=$offset prot=5 flags=2
mmap2 70 $(printf 0x%x $((data_address & ~4095))) 0x2000 $tmp/program offset=$(printf 0x%x $((data_offset & ~4095))) prot=3 flags=2
process 80 "other one"
mmap2 80 $address $bytes $tmp/program offset=$offset prot=5 flags=2
cpu 0
time 1s
run 70
record pc=$(at alpha) op=load total=14 va=$(at counter) count=7 every=2us
record pc=$(at beta) op=other total=3 count=5 every=2us
record pc=0x10 op=other total=3 count=2 every=2us
run 80
record pc=$(at beta) op=store total=9 va=0xffff00001000 count=4 every=2us
record pc=0xffff800008010000 op=other total=9 el=1 count=3 every=2us
EOF
	spe-asm -o "$tmp/functions.data" "$tmp/functions.spe" || exit 2
	perf-arm-spe report -q -i "$tmp/functions.data" --html "$tmp/functions.html"
	perf-arm-spe report -q -i "$tmp/functions.data" --sort sym --json >"$tmp/functions.sym"
	perf-arm-spe report -q -i "$tmp/functions.data" -F latency,issue-latency,xlat-latency,misses --json >"$tmp/functions.json"
else
	echo 'skip html: functions: no libelf, compiler or readelf'
fi

# ---- large ---------------------------------------------------------------------------
spe-asm -g records=400000,cpus=64,processes=300 -o "$tmp/large.data" || exit 2
perf-arm-spe report -q -i "$tmp/large.data" --html "$tmp/large.html" >"$tmp/log" 2>&1 &&
	[ "$(stat -c %s "$tmp/large.html")" -lt 2000000 ]
result 'a large recording makes a page below 2 MB' $?

# ---- numbers and policy -----------------------------------------------------------------
if command -v python3 >/dev/null; then
	cp "$page" "$tmp/demo.html"
	# Functions, of a program made here.
	if [ -s "$tmp/functions.html" ]; then
		python3 tests/html/page.py "$tmp/functions.html" "$tmp/functions.json" "$tmp/functions.sym" >"$tmp/log" 2>&1
		result 'functions of the page are those of report --sort sym' $?
	fi
	for name in demo large; do
		perf-arm-spe report -i "$tmp/$name.data" --sort pid -F latency,issue-latency,xlat-latency,misses \
			--json >"$tmp/$name.json" &&
			python3 tests/html/page.py "$tmp/$name.html" "$tmp/$name.json" >"$tmp/log" 2>&1
		result "numbers of the page are those of report --json ($name)" $?
	done
else
	echo 'skip html: numbers: python3 is not installed'
fi
exit $rc
