#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tools of stock perf on injected files: report, script, mem, c2c, annotate,
# evlist and the header run without a complaint, and count what we count.
set -u
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/inputs
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need tools
cd "$tmp" || exit 2

# Every event of every record, with all its fields; perf 6.1 has other words for data_src.
fields=comm,pid,tid,misc,cpu,time,event,ip,addr,period,weight,data_src
everything() { # RECORDING EXTRA-FIELDS
	perf-arm-spe inject -q -o injected -i "$1" 2>err || cat err
	perf-arm-spe script --itrace -F "$fields$2" -i "$1" 2>/dev/null | words | sed 's/ |OP .*BLK N.A//' >want
	for perf in $PERFS; do
		$perf script -F "$fields$2" -i injected 2>err | words | sed 's/ |OP .*BLK N.A//' >got
		tool "all fields of all events" want
	done
}

spe-asm -g records=5000,cpus=3,threads=3,processes=5 -o in.data
everything in.data ''
counts in.data
{
	cat "$inputs/el1.spe"
	# NUMA_TOPOLOGY and MEM_TOPOLOGY: one node, with CPUs 0-1 and the first block of memory
	echo 'feature 14 01 00 00 00 00 00 00 00 00 00 10 00 00 00 00 00 00 00 08 00 00 00 00 00 04 00 00 00 30 2d 31 00'
	word='00 00 00 00 00 00 00'
	echo "feature 22 01 $word 00 00 00 08 00 00 00 00 01 $word 00 $word 01 $word 01 $word 01 $word"
} >in.spe
spe-asm -o in.data in.spe
everything in.data ''
counts in.data
# The header says what the recording's said, and the events.
perf report --header-only -i in.data 2>/dev/null | grep -E '^# (hostname|os release|perf version|arch|nrcpus|cpuid|cmdline|pmu mappings)' >want
for perf in $PERFS; do
	$perf report --header-only -i injected 2>err | grep -E '^# (hostname|os release|perf version|arch|nrcpus|cpuid|cmdline|pmu mappings)' >got
	tool 'the header' want
	printf '%s\n' arm_spe_0/ts_enable=1/ dummy:u l1d-miss l1d-access llc-miss llc-access tlb-miss tlb-access \
		branch remote-access memory instructions >events
	$perf evlist -i injected 2>err | grep -v '^#' >got
	tool evlist events
done

# Three latencies in one word.
perf-arm-spe inject -q --itrace=i1i --weight-struct -o injected -i in.data
perf-arm-spe script --itrace=i1i -F ip,total_lat,issue_lat -i in.data | tr '=-' ' 0' | awk '{ print $3, $5, $1 }' >want
for perf in $PERFS; do
	$perf script -F weight,ins_lat,ip -i injected 2>err | words >got
	tool '--weight-struct' want
done

# The program itself: samples land on its instructions.
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v aarch64-linux-gnu-objdump >/dev/null; then
	printf '\t.text\n\t.globl _start, hot\n\t.type hot, %%function\n_start:\nhot:\n' >hot.s
	printf '\tldr x0, [x1]\n\tstr x0, [x2]\n\tcbz x0, 1f\n\tbl hot\n1:\tret\n\t.size hot, .-hot\n' >>hot.s
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id -o hot hot.s
	start=$(aarch64-linux-gnu-nm hot | awk '$3 == "hot" { sub(/^0+/, "", $1); print $1 }')
	id=$(aarch64-linux-gnu-readelf -n hot | awk '/Build ID/ { print $3 }')
	{
		echo "process 100 hot"
		echo "mmap2 100 0x400000 0x1000 $tmp/hot build-id=$id prot=5 flags=2"
		echo "time 1ms"
		echo "run 100"
		echo "record pc=0x$start op=load va=0x1000 total=20 count=6 every=1us step=0"
		printf 'record pc=0x%x op=store va=0x2000 total=5 count=3 every=1us step=0\n' $((0x$start + 4))
		printf 'record pc=0x%x op=call target=0x%s\n' $((0x$start + 12)) "$start"
	} >hot.spe
	spe-asm -o in.data hot.spe
	perf-arm-spe inject -q --itrace=i1i -o injected -i in.data
	printf '60.00 ldr\n30.00 str\n0.00 cbz\n10.00 bl\n0.00 ret\n' >want
	for perf in $PERFS; do
		$perf annotate --stdio --objdump=aarch64-linux-gnu-objdump -s hot -i injected 2>err |
			awk '$1 ~ /^[0-9.]+$/ && $4 ~ /^[a-z]/ { print $1, $4 }' >got
		tool annotate want
		echo '10 hot' >rows
		$perf report --stdio --sort sym -n -i injected 2>err | awk '!/^#/ && NF { print $2, $NF }' >got
		tool 'report --sort sym' rows
	done
else
	echo 'skip annotate: no binutils for aarch64'
fi
exit $rc
