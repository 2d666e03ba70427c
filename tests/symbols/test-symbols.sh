#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Symbols from end to end: a program is built, a recording of its addresses made
# with spe-asm, and what report and script say of each instruction is held
# against nm and addr2line, and against stock perf on the same file.
set -u
LC_ALL=C TZ=UTC PERF_PAGER=cat PAGER=cat
export LC_ALL TZ PERF_PAGER PAGER
unset PERF_BUILDID_DIR PERF_ARM_SPE_DECODER
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export HOME="$tmp"
rc=0

for tool in perf-arm-spe spe-asm "${CC:=cc}" nm readelf addr2line; do
	command -v "${tool%% *}" >/dev/null || { echo "skip symbols: no $tool"; exit 77; }
done
perf-arm-spe --version | grep -q 'libdw: .*OFF' && { echo 'skip symbols: built without libdw'; exit 77; }
cd "$tmp" || exit 2

# verdict NAME: ok if $tmp/why is empty.
verdict() {
	if [ -s why ]; then
		echo "not ok $1"
		head -n 20 why
		rc=1
	else
		echo "ok $1"
	fi
}

cat >program.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int counter = 3;
static int table[512];
static __attribute__((noinline)) int helper(int x)
{
	return x * table[x & 511];
}
__attribute__((noinline)) int visible(int x)
{
	for (int i = 0; i < x; i++)
		counter += helper(i);
	return counter;
}
int main(int argc, char **argv)
{
	printf("%d\n", visible(argc));
	return atoi(argv[0]);
}
C

# num(): a number from its hexadecimal digits; not every awk reads or prints more than 32 bits.
# shellcheck disable=SC2016 # awk's own
NUM='
	function num(hex, v, i) {
		v = 0
		sub(/^0x/, "", hex)
		for (i = 1; i <= length(hex); i++)
			v = v * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return v
	}'

# maps FILE BASE PID: mmap2 statements, as the kernel's loader maps a file.
maps() {
	readelf -lW "$1" | awk -v file="$PWD/$1" -v base="$2" -v pid="$3" "$NUM"'
		$1 == "LOAD" {
			slack = num($3) % 4096
			prot = (/ R/ ? 1 : 0) + (/W/ ? 2 : 0) + (/ E / || /RE/ || /R E/ ? 4 : 0)
			bytes = num($5) + slack
			bytes += (4096 - bytes % 4096) % 4096
			printf "mmap2 %d %.0f %.0f %s offset=%.0f prot=%d\n", pid, base + num($3) - slack, bytes, file, num($2) - slack, prot
		}'
}

# recording FILE BASE [ARCH]: perf.data with a record for every fourth byte of all functions.
BASE=93824992231424
recording() {
	{
		echo "header arch=${3:-$(uname -m)}"
		echo "process 100 program"
		maps "$1" "$2" 100
		echo "time 1ms"
		echo "run 100"
		nm -S --defined-only "$1" | awk -v base="$2" "$NUM"'
			NF == 4 && $3 ~ /[Tt]/ {
				for (at = 0; at < num($2); at += 4)
					printf "record pc=%.0f op=load va=%.0f total=5 time=+100ns\n", base + num($1) + at, base + num($1) + at
			}'
	} >input.spe
	spe-asm -o recording.data input.spe
}

# Lines of "pc function+offset" as nm has them, pc in decimal.
names_of() { # FILE BASE
	nm -S --defined-only "$1" | awk -v base="$2" "$NUM"'
		NF == 4 && $3 ~ /[Tt]/ {
			for (at = 0; at < num($2); at += 4)
				printf "%.0f %s+0x%x\n", base + num($1) + at, $4, at
		}'
}

compare_nm() { # NAME FILE BASE
	names_of "$2" "$3" | sort >expected
	perf-arm-spe script -i recording.data -F ip,sym,symoff 2>err | awk "$NUM"'{ printf "%.0f %s\n", num($1), $2 }' | sort >got
	{ cat err; [ -s expected ] || echo 'no functions'; diff expected got; } >why
	verdict "$1: script -F sym,symoff equals nm ($(wc -l <expected) addresses)"
}

compare_lines() { # NAME FILE BASE TOOLS
	perf-arm-spe script -i recording.data -F ip,srcline --csv 2>err | sed 1d | tr ',' ' ' >got
	awk '{ print $1 }' got | while read -r pc; do printf '0x%x\n' $((pc - $3)); done |
		"$4addr2line" -e "$2" | sed 's/ (discriminator.*//; s,.*/,,; s/^??:[0?]$//; s/.*:?$//' | paste -d ' ' got - |
		awk '{ if ($2 != $3) print }' >why
	cat err >>why
	[ "$(grep -c 'program.c:' got)" -gt 10 ] || echo 'few lines' >>why
	verdict "$1: script -F srcline equals addr2line"
}

# perf adds up what we do: symbol and file of each address.
compare_perf() { # NAME
	command -v perf >/dev/null || { echo "skip $1 beside perf: no perf"; return; }
	perf script -i recording.data --itrace=i1i -F ip,sym,symoff,dso 2>/dev/null | awk '{ $1 = $1; print }' >expected
	perf-arm-spe script -i recording.data -F ip,sym,symoff,dso 2>err | awk '{ $1 = $1; print }' >got
	{ cat err; [ -s expected ] || echo 'perf prints nothing'; diff expected got; } >why
	verdict "$1: script equals perf script ($(wc -l <expected) lines)"
	perf report -i recording.data --itrace=i1i --sort sym,dso --stdio 2>/dev/null | awk '!/^#/ && NF { $1 = $1; print }' | sort >expected
	perf-arm-spe report -i recording.data --sort sym,dso --no-header 2>err | awk '{ $1 = $1; print }' | sort >got
	{ cat err; [ -s expected ] || echo 'perf prints nothing'; diff expected got; } >why
	verdict "$1: report --sort sym,dso equals perf report ($(wc -l <expected) rows)"
}

for mode in '-O2 -pie -fPIE' '-O1 -no-pie'; do
	# shellcheck disable=SC2086 # words
	$CC -g $mode -o program program.c 2>err || { cat err; echo "not ok symbols: $mode: build"; rc=1; continue; }
	base=$BASE
	case $mode in *no-pie) base=0 ;; esac
	recording program "$base"
	compare_nm "symbols: $mode" program "$base"
	compare_lines "symbols: $mode" program "$base" ''
	compare_perf "symbols: $mode"
done

if command -v aarch64-linux-gnu-gcc >/dev/null; then
	aarch64-linux-gnu-gcc -g -O2 -o program program.c
	recording program "$BASE" aarch64
	compare_nm 'symbols: arm64' program "$BASE"
	compare_lines 'symbols: arm64' program "$BASE" aarch64-linux-gnu-
	compare_perf 'symbols: arm64'
else
	echo 'skip symbols: arm64: no aarch64-linux-gnu-gcc'
fi

# Without a key or field that wants them no file is opened.
if command -v strace >/dev/null; then
	strace -f -e trace=open,openat -o trace perf-arm-spe report -i recording.data --sort pid,comm,ip >/dev/null
	strace -f -e trace=open,openat -o trace2 perf-arm-spe script -i recording.data -F comm,pid,ip >/dev/null
	grep -h "$PWD/program\"" trace trace2 >why
	verdict 'symbols: no file is opened unless asked for'
	strace -f -e trace=open,openat,socket,connect -o trace perf-arm-spe report -i recording.data --sort sym,srcline >/dev/null
	{ grep -E 'socket|connect' trace; grep -q "$PWD/program\"" trace || echo 'the program was not opened'; } >why
	verdict 'symbols: the network is never asked'
else
	echo 'skip symbols: what is opened: no strace'
fi

# The answer does not depend on threads.
for keys in sym,dso srcline symbol_daddr,dso_daddr; do
	perf-arm-spe report -i recording.data -j 1 --sort "$keys" >one 2>&1
	perf-arm-spe report -i recording.data -j 4 --sort "$keys" >four 2>&1
	diff one four >why
	verdict "symbols: report --sort $keys is the same with 1 and 4 threads"
done
exit $rc
