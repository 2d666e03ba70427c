#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The text that tools which optimise by profile read of `perf script`, to the
# character: perf2bolt (pid,brstack and pid,event,addr,ip), AutoFDO (pid,ip,addr),
# llvm-profgen (ip,brstack); of our own script, and of stock perf on injected
# files, whose columns and branch entries differ a little from version to version.
set -u
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/inputs
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need text
cd "$tmp" || exit 2
spe-asm -o in.data "$inputs/branches.spe"

# One blank between words, one word for an event, and of a branch what all versions have:
# from/to/mispredicted or predicted/transaction/abort/cycles/type.
common() {
	words | sed -E 's,(0x[0-9a-f]+/0x[0-9a-f]+/)([MP-])N?((/[-XA]){2}/[0-9]+)/([A-Z_]*)(/[-A-Z_]*)?( |$),\1\2\3/\5 ,g' | words
}

# text NAME LETTERS FIELDS: stdin is what our script prints, to the character; stock
# perf prints the same of the injected file: to the character if it is perf 6.19 or newer,
# else the same words.
text() {
	sed 's/\$$//' >want
	perf-arm-spe script --itrace="$2" -F "$3" -i in.data >got
	diff want got >why
	verdict "$1: our script" $?
	perf-arm-spe inject -q --itrace="$2" -o injected -i in.data
	for perf in $PERFS; do
		# As perf2bolt calls it.
		$perf script -F "$3" --itrace="$2" -f -i injected 2>err >raw
		{
			complaints err
			if [ "$perf" = perf ] || [ "$3" != "${3#*event}" ]; then
				common <raw >got
				common <want | diff - got
			else
				diff want raw
			fi
		} >why
		[ ! -s why ]
		verdict "$1: $(basename "$perf") on the injected file" $?
	done
}

text perf2bolt bl pid,brstack <<'END'
    100  0x400100/0x400300/M/-/-/12/COND/-  0x0/0x400080/-/-/-/0//- $
    100  0x400104/0x400108/PN/-/-/3/COND/- $
    200  0x500200/0x500400/P/-/-/65535/CALL/- $
    200  0x500404/0x500204/P/-/-/0/RET/-  0x0/0xffff800008001000/-/-/-/0//- $
    200  0x500208/0x500500/P/-/-/0/IND/- $
      0  0xffff800008001004/0xffff800008001010/P/-/-/0//- $
END
text 'perf2bolt, memory' M pid,event,addr,ip <<'END'
    100 memory:     7f0000001000           400200$
    100 memory:     7f0000002000           400204$
END
text autofdo bM pid,ip,addr <<'END'
    100           400300           400100$
    100           400108           400104$
    100     7f0000001000           400200$
    100     7f0000002000           400204$
    200           500400           500200$
    200           500204           500404$
    200           500500           500208$
      0 ffff800008001010 ffff800008001004$
END
text llvm-profgen bl ip,brstack <<'END'
           400100 0x400100/0x400300/M/-/-/12/COND/-  0x0/0x400080/-/-/-/0//- $
           400104 0x400104/0x400108/PN/-/-/3/COND/- $
           500200 0x500200/0x500400/P/-/-/65535/CALL/- $
           500404 0x500404/0x500204/P/-/-/0/RET/-  0x0/0xffff800008001000/-/-/-/0//- $
           500208 0x500208/0x500500/P/-/-/0/IND/- $
 ffff800008001004 0xffff800008001004/0xffff800008001010/P/-/-/0//- $
END

# What else perf2bolt asks for: mappings, tasks, build ids.
for perf in $PERFS; do
	{
		$perf script --show-mmap-events --no-itrace -f -i injected 2>>err | grep -o 'PERF_RECORD_MMAP2.*'
		$perf script --show-task-events --no-itrace -f -i injected 2>>err | grep -oE 'PERF_RECORD_(COMM|FORK).*'
		$perf buildid-list -i injected 2>>err | words
	} >got
	cat >want <<'END'
PERF_RECORD_MMAP2 100/100: [0x400000(0x10000) @ 0 08:01 1234 0]: r-xp /bin/alpha
PERF_RECORD_MMAP2 200/200: [0x500000(0x10000) @ 0 08:01 1234 0]: r-xp /bin/beta
PERF_RECORD_FORK(100:100):(1:1)
PERF_RECORD_COMM: alpha:100/100
PERF_RECORD_FORK(200:200):(1:1)
PERF_RECORD_COMM: beta:200/200
PERF_RECORD_FORK(200:201):(200:200)
PERF_RECORD_COMM: beta-io:200/201
/bin/alpha
/bin/beta
END
	{ complaints err; diff want got; } >why
	[ ! -s why ]
	verdict "mappings and tasks: $(basename "$perf")" $?
done
exit $rc
