#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The owners we give against the owners the kernel logged, on every recording
# of $SPE_SHARED/data/truth; what was reached, and must be, stands in `expected`.
#	test-truth.sh NAME...	only these
set -u
here=$(cd "$(dirname "$0")" && pwd)
data=${SPE_SHARED:-../shared}/data/truth score=${SPE_SHARED:-../shared}/tools/score-truth
[ -d "$data" ] || { echo 'skip truth: no recordings with known owners here (SPE_SHARED)'; exit 77; }
command -v python3 >/dev/null || { echo 'skip truth: no python3'; exit 77; }
command -v perf-arm-spe >/dev/null || { echo 'skip truth: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
grep -v '^#' "$here/expected" >"$tmp/expected"
while read -r name tid pid missing tid_none tid_wrong pid_none; do
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	perf-arm-spe script --itrace=i1i --ns -F pid,tid,cpu,time,ip -i "$data/$name.data" \
		>"$tmp/out" 2>"$tmp/err"
	status=$?
	python3 "$score" "$data/$name.truth.csv.gz" <"$tmp/out" >"$tmp/score" 2>>"$tmp/err"
	if why=$(tr -d '%|' <"$tmp/score" | awk -v status=$status -v tid="$tid" -v pid="$pid" -v missing="$missing" \
		-v tid_none="$tid_none" -v tid_wrong="$tid_wrong" -v pid_none="$pid_none" '
		function no(what) { print what; bad = 1 }
		function most(n, limit, what) { if (n > limit) no(n " " what ", were " limit) }
		$1 == "records" {
			seen = 1
			if (status) no("exit " status)
			most($6, 0, "records made up")
			most($4, missing, "records missing")
			most($11, tid_none, "records without a thread")
			most($13, tid_wrong, "wrong threads")
			most($18, pid_none, "records without a process")
			most($20, 0, "wrong processes")
			if ($9 < tid) no("threads right: " $9 " %, were " tid)
			if ($16 < pid) no("processes right: " $16 " %, were " pid)
		}
		END { if (!seen) no("no score"); exit bad }'); then
		echo "ok truth/$name: $(cat "$tmp/score")"
	else
		echo "not ok truth/$name: $(echo "$why" | tr '\n' ';')"
		cat "$tmp/score"
		head -n 3 "$tmp/err"
		rc=1
	fi
done <"$tmp/expected"
exit $rc
