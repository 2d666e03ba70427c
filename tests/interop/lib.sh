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

# tool NAME EXPECTED-FILE: what $tmp/got holds is that, and nobody complained.
tool() {
	{
		complaints err
		[ -s "$2" ] || echo 'nothing expected'
		diff "$2" got
	} >why
	[ ! -s why ]
	verdict "$1 ($(basename "$perf"), $(wc -l <"$2") lines)" $?
}

# Samples per thread, or process, and name, of `report -F sample,pid,comm -t "|"`: perf's key
# `pid` is thread:its last name.
rows() { awk -F ' *[|] *' '!/^#/ && NF > 2 { split($2, id, ":"); n[id[1] " " $3] += $1 } END { for (k in n) print k, n[k] }' | words | sort; }
# The same of lines of ID NAME.
tally() { sort | uniq -c | awk '{ n = $1; id = $2; $1 = $2 = ""; print id $0, n }' | words | sort; }

# counts RECORDING: report, mem and c2c of stock perf count on injected files what we count.
counts() {
	perf-arm-spe inject -q --itrace=i1i -o one -i "$1" 2>/dev/null
	perf-arm-spe inject -q --itrace=i1i --merge-threads -o merged -i "$1" 2>/dev/null
	perf-arm-spe inject -q --itrace=M -o memory -i "$1" 2>/dev/null
	expected "$1" one comm,pid,tid,ip | sed -E 's,^(.*) -?[0-9]+/(-?[0-9]+) [0-9a-f]+$,\2 \1,' | tally >threads
	# Of an unknown owner perf's line has the thread where the pid should be: -1 here too.
	perf-arm-spe script --itrace=i1i -F pid,mode -i "$1" 2>/dev/null | grep -v 'mode=guest' | awk '{ print $1 }' |
		tally >processes
	# perf takes a weight of 0 for 1.
	perf-arm-spe script --itrace=M -F op,weight -i "$1" 2>/dev/null | awk '
		{ n++; weight += $1 ? $1 : 1; if (/=load|=atomic/) load++; else store++ }
		END { print n + 0, load + 0, store + 0; print n, weight }' >memory.want
	head -n 1 memory.want >c2c.want
	tail -n 1 memory.want >mem.want
	for perf in $PERFS; do
		$perf report -i one --stdio -F sample,pid,comm -w 12,40,40 -t '|' 2>err | rows >got
		tool 'report --sort pid,comm' threads
		$perf report -i merged --stdio -F sample,pid,comm -w 12,40,40 -t '|' 2>err | rows | awk '{ n[$1] += $NF }
			END { for (k in n) print k, n[k] }' | sort >got
		tool 'report --sort pid of merged threads' processes
		[ "$(cat c2c.want)" != '0 0 0' ] || continue
		# The column is not the second in every perf.
		$perf mem report -i memory --stdio -n 2>err | awk '
			/^# Total weight/ { weight = $NF }
			/^# Overhead/ { for (i = 2; $i != "Samples"; i++) column = i }
			!/^#/ && NF { n += $column }
			END { print n, weight }' >got
		tool 'mem report' mem.want
		# c2c wants to know of the machine's nodes and of CPUs, whoever wrote the file.
		perf report --header-only -I -i memory 2>/dev/null | grep -q "^# node0 cpu list" || continue
		perf evlist -v -i memory | grep -q '^memory.*|CPU' || continue
		$perf c2c report -i memory --stdio 2>err | awk -F: '
			/Total records/ { n = $2 } /^ *Load Operations/ { load = $2 } /^ *Store Operations/ { store = $2 }
			END { print n + 0, load + 0, store + 0 }' >got
		tool 'c2c report' c2c.want
	done
}
