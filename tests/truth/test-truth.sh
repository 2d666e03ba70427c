#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The owners we give against the owners the kernel logged, on every recording
# of $SPE_SHARED/data/truth; what must be reached stands in `expected`.
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
while read -r name tid pid missing wrong; do
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	perf-arm-spe script --itrace=i1i --ns -F pid,tid,cpu,time,ip -i "$data/$name.data" \
		>"$tmp/out" 2>"$tmp/err"
	status=$?
	python3 "$score" "$data/$name.truth.csv.gz" <"$tmp/out" >"$tmp/score" 2>>"$tmp/err"
	if why=$(tr -d '%|' <"$tmp/score" | awk -v status=$status -v tid="$tid" -v pid="$pid" -v missing="$missing" -v wrong="$wrong" '
		function no(what) { print what; bad = 1 }
		$1 == "records" {
			n = $2; seen = 1
			if (status) no("exit " status)
			if ($6 > 0) no($6 " records made up")
			if ($4 > missing) no($4 " records missing")
			if ($20 > 0) no($20 " wrong processes")
			if (100 * $13 > wrong * n) no($13 " wrong threads")
			if ($9 < tid) no("threads right: " $9 " %")
			if ($16 < pid) no("processes right: " $16 " %")
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
