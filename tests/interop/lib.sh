# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # rc and tmp are the script's
# Functions for tests/interop: `. "$here/lib.sh"` with $tmp, a folder, and rc=0 set.
# PERFS are the stock perfs to test with: the installed one, and the program that
# SPE_PERF_NEW names, if any, for what an older one does not read.
LC_ALL=C TZ=UTC PERF_PAGER=cat PAGER=cat
export LC_ALL TZ PERF_PAGER PAGER
unset PERF_BUILDID_DIR PERF_ARM_SPE_DECODER
PERFS=perf${SPE_PERF_NEW:+ $SPE_PERF_NEW}

# interop_need: leaves with 77 where the programs are not here.
interop_need() {
	for p in perf perf-arm-spe spe-asm; do
		command -v "$p" >/dev/null || { echo "skip $1: no $p"; exit 77; }
	done
}

# verdict NAME STATUS: tells how it went; what $tmp/why holds, where it did not.
verdict() {
	if [ "$2" -eq 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		head -n "${WHY_LINES:-12}" "$tmp/why"
		rc=1
	fi
}

words() { awk '{ $1 = $1; print }'; }

# What stock perf says on stderr of any arm64 recording that is read elsewhere,
# and of one in which events were lost, whoever wrote the file.
complaints() {
	grep -vE '^unwind: target platform=|^No kallsyms or vmlinux with build-id|^$' "$1" |
		grep -vE '^Warning:$|^Processed [0-9]+ (events|samples) and lost [0-9.]+(%| chunks)!|^Check IO/CPU overload!' |
		grep -vE 'Kernel address maps .* (are|were) restricted|Samples in kernel|[Cc]heck /proc/sys/kernel/kptr_restrict|kernel relocation symbol|can.t be resolved|As no suitable kallsyms'
}

# Fields to compare: cpu and time where every event has them, as perf refuses a field
# by name that the first event lacks; no time with -k, when perf's is the side-band's.
fields_of() { # INJECTED
	perf evlist -v -i "$1" 2>/dev/null | grep -v "^dummy" >"$tmp/evlist"
	f=comm,pid,tid
	grep -qvE '[|]CPU' "$tmp/evlist" || f=$f,cpu
	grep -vE '[|]TIME' "$tmp/evlist" >"$tmp/no-time"
	[ -s "$tmp/no-time" ] || grep -q use_clockid "$tmp/evlist" || f=$f,time
	echo "$f,event,ip"
}

# Thread ids that records of the side-band name: of the task in the trailer, which stands
# before the time, and as pid/tid or (pid:tid) in the record.
side_tids() { # INJECTED
	perf script -i "$1" --show-task-events --show-mmap-events --show-switch-events --show-namespace-events \
		-F pid,tid,ip 2>/dev/null | awk '
		!/PERF_RECORD_/ { next }
		{
			split($1, id, "/")
			print id[2]
			sub(/.*PERF_RECORD_/, "")
			if (/^MMAP/)
				sub(/: .*/, "")
			while (match($0, /[0-9]+[\/:][0-9]+/)) {
				split(substr($0, RSTART, RLENGTH), id, /[\/:]/)
				print id[2]
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' | sort -un
}

# What perf must print for the samples of RECORDING, one a line, from our own script:
# - samples of a guest's kernel are in a mode that perf leaves out of its lines;
# - an unresolved thread whose id the side-band uses for another is -1.
expected() { # RECORDING INJECTED FIELDS
	side_tids "$2" >"$tmp/tids"
	perf-arm-spe script --itrace=i1i --ns -F "$3,mode" -i "$1" 2>"$tmp/script.err" | words |
		awk -v tids="$tmp/tids" '
			BEGIN { while ((getline t < tids) > 0) known[t] = 1 }
			/ mode=guest/ { next }
			{ sub(/ mode=.*/, "") }
			match($0, / -1\/[0-9]+ /) {
				tid = substr($0, RSTART + 4, RLENGTH - 5)
				if (tid in known) {
					sub(" -1/" tid " ", " -1/-1 ")
					sub("^:" tid " ", ":-1 ")
				}
			}
			{ print }'
}

# same_samples NAME RECORDING: stock perf prints of the injected file what we
# print of the recording, sample for sample, and complains of nothing.
same_samples() {
	rm -f "$tmp/injected"
	perf-arm-spe inject -q --itrace=i1i -i "$2" -o "$tmp/injected" >"$tmp/why" 2>&1 ||
		{ verdict "$1: inject" 1; return; }
	fields=$(fields_of "$tmp/injected")
	expected "$2" "$tmp/injected" "$fields" >"$tmp/expected"
	for perf in $PERFS; do
		# An attr that an old perf does not know is for newer ones.
		$perf script --ns -F "$fields" -i "$tmp/injected" 2>"$tmp/err" | words |
			grep ' instructions: ' | sed 's/ \[-01\]//' >"$tmp/got"
		{
			complaints "$tmp/err"
			[ -s "$tmp/expected" ] || echo 'no samples'
			diff "$tmp/expected" "$tmp/got"
		} >"$tmp/why"
		[ ! -s "$tmp/why" ]
		verdict "$1: $(wc -l <"$tmp/expected") samples in $(basename "$perf")" $?
	done
}
