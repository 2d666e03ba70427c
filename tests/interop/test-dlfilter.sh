#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The plug-in of `perf script`: of stock perf's own samples those pass whose true
# owner, evidence, operation ... fulfil the conditions, and others' samples all do.
set -u
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/inputs
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need dlfilter
plugin=${SPE_BUILD:-$(dirname "$(command -v perf-arm-spe)")}/dlfilter-arm-spe.so
[ -f "$plugin" ] || { echo 'skip dlfilter: not built (it needs perf/perf_dlfilter.h)'; exit 77; }
cd "$tmp" || exit 2

# where NAME PERF-ARM-SPE-OPTIONS --dlarg...: CPU, time and address of what passes, against ours.
where() {
	name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	perf-arm-spe script --itrace=i1i --ns -F cpu,time,ip $options -i in.data 2>/dev/null | words | sort >want
	for perf in $PERFS; do
		$perf script --itrace=i1i --ns -F cpu,time,ip --dlfilter "$plugin" "$@" -i in.data 2>err | words | sort >got
		{
			grep -v '^Old SPE metadata' err
			[ -s want ] || echo 'nothing expected'
			diff want got
		} >why
		[ ! -s why ]
		verdict "$name ($(basename "$perf"), $(wc -l <want) samples)" $?
	done
}

# Half of the records have no context: stock perf gives those the owner before them.
spe-asm -g records=4000,cpus=2,contexts=50,switches,processes=4 -o in.data
where 'a process' '--pid 1001' --dlarg pid=1001
where 'evidence' '--evidence switch' --dlarg evidence=switch
where 'two conditions' '--evidence context --op load' --dlarg evidence=context --dlarg op=load
# With `show` the line begins with the owner.
perf-arm-spe script --itrace=i1i --ns -F pid,tid,evidence,time,ip -i in.data |
	sed -E 's/evidence=//' | awk '{ split($1, id, "/"); print id[1] "/" id[2], $NF, $2, $3 }' | sort >want
for perf in $PERFS; do
	$perf script --itrace=i1i --ns -F time,ip --dlfilter "$plugin" --dlarg show -i in.data 2>err | words | sort >got
	diff want got >why
	verdict "show ($(basename "$perf"))" $?
done
# perf takes the last of two contexts, which may be a guest's.
spe-asm -o in.data "$inputs/el2.spe"
where 'a host task beside guests' '--pid 100' --dlarg pid=100
# Of bytes that are no record perf makes samples: they do not pass.
printf 'process 100 alpha\ntime 1ms\nrun 100\nrecord pc=0x400100\nbytes 05 05 05\nrecord pc=0x400108\npad 61\nrecord pc=0x400104\n' |
	spe-asm -o in.data -
where 'no samples of junk' '--pid 100' --dlarg pid=100
# Code at EL1 in the low half: perf sets the top byte of its address.
printf 'process 100 alpha\ntime 1ms\nrun 100\nrecord pc=0x80010000 el=1 op=other\nrecord pc=0x400104\n' | spe-asm -o in.data -
perf script --itrace=i1i -F ip --dlfilter "$plugin" --dlarg el=1 -i in.data 2>err | words >got
echo ff00000080010000 | diff - got >why
verdict 'EL1 code in the low half' $?

# What other events sampled passes.
spe-asm -o in.data "$inputs/sched.spe"
perf script --itrace=i1i -F event,pid --dlfilter "$plugin" --dlarg pid=200 -i in.data 2>err | words |
	sed -E 's/^[0-9-]+ //' | sort | uniq -c | words >got
printf '%s\n' '5 instructions:' '10 sched:sched_switch:' | diff - got >why
verdict 'samples of other events pass' $?

# On an injected file, by the recording it came of.
spe-asm -o in.data "$inputs/el1.spe"
perf-arm-spe inject -q --itrace=i1i -i in.data -o injected
perf script -F ip --dlfilter "$plugin" --dlarg file=in.data --dlarg op=store -i injected 2>err | words >got
perf-arm-spe script -F ip --op store -i in.data | words | diff - got >why
verdict 'an injected file' $?

# No answer is better than a wrong one.
refused() { # NAME EXPECTED-WORDS ARGUMENTS...
	name=$1 words=$2
	shift 2
	perf script --dlfilter "$plugin" "$@" >got 2>err
	status=$?
	{
		[ $status -ne 0 ] && [ $status -lt 250 ] || echo "exit $status"
		cat got
		grep -qF "$words" err || cat err
	} >why
	[ ! -s why ]
	verdict "refused: $name" $?
}
refused 'no condition' 'nothing to filter by' -i in.data
refused 'an unknown condition' "no filter called 'foo'" --dlarg foo=1 -i in.data
refused 'a word' 'NAME=VALUE' --dlarg foo -i in.data
refused 'a value' 'not a process id' --dlarg pid=x -i in.data
refused 'no trace' 'was written by inject' --dlarg pid=1 -i injected
spe-asm -o ends.data "$inputs/ends.spe"
refused 'no times' 'no times' --dlarg pid=1 -i ends.data

# Installed, perf lists it.
if (cd "$here/../.." && env -u MAKEFLAGS make O="${SPE_BUILD:-build}" prefix=/usr dlfilterdir=/core/dlfilters \
	DESTDIR="$tmp/root" install) >why 2>&1; then
	perf --exec-path="$tmp/root/core" script --list-dlfilters 2>&1 | tee why | grep -q 'dlfilter-arm-spe.so  *Arm SPE: '
fi
verdict 'perf lists it where it is installed' $?
exit $rc
