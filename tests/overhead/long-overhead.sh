#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `overhead` on real programs: the baseline against itself holds, an arm with
# twice the work is found.  perf bench sched messaging and pipe from linux-perf,
# param_test_benchmark built from the kernel source package.
set -u
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0

# Twice the work must be found; the A/A arm may say `differs` once in twenty, so
# it is given a second try.
judge() { # NAME PRESET METRIC BASE MORE
	name=$1
	for _ in 1 2; do
		# shellcheck disable=SC2086
		perf-arm-spe overhead --preset "$2" $3 --runs 12 --json \
			--arm base="$4" --arm more="$5" >"$tmp/json" 2>"$tmp/err" || break
		awk -v RS='{' '
			/"name":"A\/A"/ { again = /"verdict":"(inconclusive|no difference)"/ }
			/"name":"more"/ { found = /"verdict":"differs"/ && /"delta_percent":[0-9]/ }
			END { exit !(again && found) }' "$tmp/json" && {
			echo "ok overhead: $name"
			return
		}
	done
	echo "not ok overhead: $name: $(cat "$tmp/err") $(head -c 600 "$tmp/json")"
	rc=1
}

if command -v perf >/dev/null && perf bench sched pipe -l 10 >/dev/null 2>&1; then
	judge 'sched messaging' sched-messaging '' \
		'perf bench sched messaging -t -g 2 -l 200' 'perf bench sched messaging -t -g 2 -l 800'
	judge 'sched pipe' sched-pipe '' \
		'perf bench sched pipe -l 5000' 'perf bench sched pipe -l 20000'
else
	echo 'skip overhead: perf bench is not installed'
fi

# The cost of recording, by an event that every machine has.
if perf record -q -a -e cpu-clock -o "$tmp/probe.data" -- true 2>/dev/null; then
	perf-arm-spe overhead --recording 'perf bench sched pipe -l 2000' -e cpu-clock --runs 3 \
		>"$tmp/out" 2>"$tmp/err"
	if grep -q '^recorded: perf.data grows by [0-9]* bytes a second, [0-9.]* bytes a sample' "$tmp/out"; then
		echo 'ok overhead: recording'
	else
		echo "not ok overhead: recording: $(cat "$tmp/err" "$tmp/out")"
		rc=1
	fi
else
	echo 'skip overhead: perf record -a is not possible here'
fi

source=$(ls /usr/src/linux-source-6.1.tar.xz 2>/dev/null)
if [ -n "$source" ]; then
	tar -xJf "$source" -C "$tmp" --wildcards '*/tools/testing/selftests/rseq/*' \
		'*/tools/testing/selftests/kselftest.h' '*/tools/include/*'
	dir=$(echo "$tmp"/*/tools/testing/selftests/rseq)
	if ${CC:-gcc} -O2 -I"$dir" -idirafter "$dir/../../../include" -DBENCHMARK \
		-o "$tmp/param_test_benchmark" "$dir/param_test.c" "$dir/rseq.c" -lpthread -ldl 2>"$tmp/log" &&
		"$tmp/param_test_benchmark" -T i -t 1 -r 10 >/dev/null 2>&1; then
		judge 'rseq param_test_benchmark' rseq '--metric user' \
			"$tmp/param_test_benchmark -T i -t 1 -r 10000000" \
			"$tmp/param_test_benchmark -T i -t 1 -r 20000000"
	else
		echo "skip overhead: param_test_benchmark does not build or run here: $(head -n 1 "$tmp/log")"
	fi
else
	echo 'skip overhead: linux-source-6.1 is not installed'
fi
exit $rc
