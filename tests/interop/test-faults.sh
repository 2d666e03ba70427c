#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What stock perf's own decoding gets wrong, and its reading of an injected file
# gets right: one case for each.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need faults
cd "$tmp" || exit 2

# case NAME LETTERS FIELDS EXPECTED, with records on stdin: of injected files every
# perf prints the words expected.
case_of() {
	{
		printf 'process 100 alpha\nmmap2 100 0x400000 0x10000 /bin/alpha\ntime 1ms\nrun 100\n'
		cat
	} >in.spe
	spe-asm -o in.data in.spe && perf-arm-spe inject -q --itrace="$2" -o injected -i in.data
	printf '%s' "$4" >want
	for perf in $PERFS; do
		$perf script -F "$3" -i injected 2>err | words | sed 's/ |OP.*BLK N.A//' >got
		{ complaints err; diff want got; } >why
		[ ! -s why ]
		verdict "$1 ($(basename "$perf"))" $?
	done
}

lines() { printf '%s\n' "$@"; }
# A record packet by packet: the operation as bytes.
packets() { # PC CLASS PAYLOAD
	printf 'pc %s\ncontext 100 el1\nop class=%s payload=%s\nevents retired\nts 1000100\n' "$1" "$2" "$3"
}

# perf makes "memory" of a branch with link, of a return and of SVE arithmetic.
{
	echo 'record pc=0x400100 op=call target=0x400200'
	echo 'record pc=0x400204 op=return target=0x400104'
	packets 0x400108 0 0x2a
	echo 'record pc=0x40010c op=load va=0x1000'
	echo 'record pc=0x400110 op=store va=0x2000'
} | case_of 'memory is loads and stores' M event,ip,addr \
	"$(lines 'memory: 1000 40010c' 'memory: 2000 400110')
"
# perf takes an absent data source for 0: an L1 hit.
{
	echo 'record pc=0x400100 op=load va=0x1000 events=retired,l1d-access,l1d-refill,llc-access,llc-refill'
	echo 'record pc=0x400104 op=load va=0x1000 events=retired'
	echo 'record pc=0x400108 op=load va=0x1000 source=0'
} | case_of 'no source is no L1 hit' M ip,data_src \
	"$(lines '600080882 400100' '1e00080022 400104' '200100142 400108')
"
# perf takes an indirect branch without link for a return.
{
	echo 'record pc=0x400100 op=branch-indirect target=0x400200'
	echo 'record pc=0x400200 op=return target=0x400104'
} | case_of 'BR is no return' bl ip,addr \
	"$(lines '400200 400100' '400104 400200')
"
for perf in $PERFS; do
	$perf script -F brstack -i injected 2>/dev/null | grep -oE '(IND|RET)' | tr '\n' ' ' >got
	echo 'IND RET ' | tr -d '\n' | diff - got >why
	verdict "BR is no return in a branch stack ($(basename "$perf"))" $?
done
# perf 7.3 puts a branch's target into the address of every instruction, 0 for a load.
{
	echo 'record pc=0x400100 op=load va=0x7f0000001000'
	echo 'record pc=0x400104 op=branch-cond target=0x400200'
} | case_of 'a load keeps its address' i1i event,ip,addr \
	"$(lines 'instructions: 7f0000001000 400100' 'instructions: 400200 400104')
"
# perf judges kernel and user by the address, and fills the top byte of every EL1 address.
{
	echo 'record pc=0x80010000 op=other el=1'
	echo 'record pc=0x400104 op=other el=0'
	echo 'record pc=0xffff800008001000 op=other el=1'
} | case_of 'the mode is that of the exception level' i1i misc,ip \
	"$(lines 'K 80010000' 'U 400104' 'K ffff800008001000')
"
# perf makes a sample of every byte that decodes to nothing, and of half records;
# the record with such a byte goes, and its neighbours stay what they are.
{
	echo 'record pc=0x400100 op=other'
	echo 'bytes 05 05 05 05'
	echo 'record pc=0x400108 op=other'
	echo 'pad 60'
	echo 'record pc=0x400104 op=other'
	echo 'record pc=0x40010c op=other'
	echo 'chop 20'
} | case_of 'junk makes no samples' i1i ip \
	"$(lines 400100 400104)
"
exit $rc
