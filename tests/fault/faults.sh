# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# What test-nth.sh and long-nth.sh share: files to read, and every command
# over them with the n-th call of a kind failing, for every n (nth.c judges).

# faults_begin: folder $tmp, the shim $tmp/nth.so, small files.
faults_begin() {
	[ -x "$SPE_BUILD/spe-asm" ] || { echo 'skip fault: no spe-asm'; exit 77; }
	tmp=$(mktemp -d) || exit 2
	trap 'rm -rf "$tmp"' EXIT
	rc=0
	# shellcheck disable=SC2086
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -shared -fPIC -o "$tmp/nth.so" "$here/nth.c" -ldl || exit 2
	traces=$here/../traces
	make demo "$traces/demo.spe"
	make cuts "$traces/cuts.spe"
	make sched --set 'switches=yes sched-switch=yes' "$traces/demo.spe"
	make big --set 'order=big auxtrace-info=2 parameters=4 attr-size=136' "$traces/contexts.spe"
	make folder --set 'form=directory' "$traces/demo.spe"
	make pipe --set 'form=pipe' "$traces/demo.spe"
	make zstd --set 'form=pipe compress=zstd2' "$traces/demo.spe" || cp "$tmp/pipe" "$tmp/zstd"
}

make() {
	to=$tmp/$1
	shift
	"$SPE_BUILD/spe-asm" "$@" -o "$to"
}

# fault CALL ERRNO ON RUNS COMMAND...: one kind of failure; the file "-" is read from zstd.
fault() {
	call=$1 errno=$2 on=$3 runs=$4
	shift 4
	timeout 250 env NTH_CALL="$call" NTH_ERRNO="$errno" ${on:+NTH_ON=1} NTH_RUNS="$runs" \
		NTH_FILE="$tmp/made" LD_PRELOAD="$tmp/nth.so ${preload:-}" "$@" \
		<"$tmp/zstd" >"$tmp/log" 2>&1 && return
	echo "not ok $label $errno${on:+, on}: exit $?"
	cat "$tmp/log"
	rc=1
}

# all_faults RUNS COMMAND...: every kind, of memory and of the system.
all_faults() {
	runs=$1
	shift
	label="fault/$(basename "$1") $2 $(basename "$(eval echo "\${$#}")")"
	was=$rc
	rc=0
	fault malloc ENOMEM '' "$runs" "$@"
	fault malloc ENOMEM on "$runs" "$@"
	system_faults "$runs" "$@"
	[ $rc -ne 0 ] || echo "ok $label"
	[ "$was" -eq 0 ] || rc=$was
}

system_faults() {
	while read -r call errno on; do
		fault "$call" "$errno" "$on" "$@" </dev/null
	done <<-END
		read EINTR
		read EIO
		read short on
		write EINTR
		write short on
		write ENOSPC
		write ENOSPC on
		write EPIPE on
		open EMFILE
		open EMFILE on
		mmap ENOMEM
		rename EACCES
		close EIO
	END
}

# every_command RUNS FILE: with $single in one thread, for the sanitizers' own
# part in a thread's start does not survive a failed allocation.
every_command() {
	"$program" --version | grep -q 'chart.js: \[ OFF' && page='' || page="report --html $tmp/made"
	for command in report 'report --json --sort pid,comm,op,source,evidence' 'script --ns' stat dump \
		verify "inject -o $tmp/made" ${page:+"$page"}; do
		[ "$command" = dump ] && one_thread='' || one_thread=${single:+-j 1}
		# shellcheck disable=SC2086
		all_faults "$1" "$program" $command $one_thread -i "$2"
	done
}
