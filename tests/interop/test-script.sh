#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# script and dump against the stock perf of this machine, on files both read:
# the same lines, for what stock perf gets right.
set -u
command -v perf >/dev/null || { echo 'skip interop: perf is not installed'; exit 77; }
command -v perf-arm-spe >/dev/null || { echo 'skip interop: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
rc=0

# One blank between words: perf's columns grew wider over time.
words() {
	sed -E 's/^ +//; s/ +$//; s/ +/ /g; s, +/,/,g'
}

# same NAME: stock and ours hold the same, and something.
same() {
	if [ -s stock ] && diff stock ours >difference; then
		echo "ok interop/$1 ($(wc -l <ours) lines)"
	else
		echo "not ok interop/$1"
		head -n 10 difference
		rc=1
	fi
}

stock() {
	perf script -f -i f.data "$@" 2>stock.err | words >stock
}

# Files that stock perf reads and answers right: every record has a context of a known task.
try() { # NAME
	stock --itrace=i1i --ns -F comm,pid,tid,cpu,time,event,ip
	perf-arm-spe script --itrace=i1i --ns -F comm,pid,tid,cpu,time,event,ip -i f.data | words >ours
	same "$1: who, where, when"
	# The branch event has another name and meaning before perf 6.19.
	stock --itrace=fmtaM -F tid,cpu,time,event,ip,addr,weight,phys_addr
	perf-arm-spe script --itrace=fmtaM -F tid,cpu,time,event,ip,addr,weight,phys_addr -i f.data | words >ours
	same "$1: events"
	perf script -f -i f.data -D 2>stock.err | awk '/ARM SPE data/ { on = 1 } /^$/ { on = 0 } on' | words >stock
	perf-arm-spe dump f.data | grep -vE '^(0x.*|\.)?$' | grep '^\.' | words >ours
	same "$1: packets"
}

spe-asm -g records=3000,cpus=3,processes=7 -o f.data
try generated
spe-asm -g records=3000,cpus=2,processes=5,threads=3,shape=43 -o f.data
try unpadded
cat >input.spe <<'SPE'
process 100 alpha
thread 100/101 alpha-io
process 200 beta
time 1ms
run 100/101
record pc=0x400100 op=load events=0x31e total=310 va=0xaaaab0001000 pa=0x80001000
record pc=0x400104 op=store events=0x16 total=9 va=0xaaaab0001008 pa=0x80001008 time=+1us
record pc=0x400108 op=load events=0x716 total=700 va=0xaaaab0001010 time=+1us
run 200
record pc=0xffff800008001000 op=load events=0x3e total=31 va=0xffff000080001000 time=+1us
record pc=0x400200 op=other time=+1us
SPE
spe-asm -o f.data input.spe
try kinds
exit $rc
