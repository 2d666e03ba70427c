#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A small recording cut in many places: with --strict every command fails and
# says why, and no sample has another owner than in the whole file.
#	CUT_STEP=n	at every n-th byte (11)
#	CUT_EVERY=n	other commands than script at every n-th of these (16)
set -u
for p in perf-arm-spe spe-asm; do
	command -v $p >/dev/null || { echo "skip cut: no $p"; exit 77; }
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
rc=0
# Thread 201 is made behind the trace of CPU 0, which is of before and after.
spe-asm -o whole - <<'END' || exit 2
file cpus=2 switches=yes
process 100 "alpha"
process 200 "beta"
time 1ms
run 100
record pc=0x400100 count=2 every=1us
run 200
record pc=0x400200 count=2 every=1us
record context=none pc=0x400200 time=+1us
fork 201 from 200
cpu 1
run 201
record pc=0x400300 count=2 every=1us
record context=none pc=0x400308 time=+1us
END
fields='cpu,time,ip,pid,tid'
perf-arm-spe script --strict -F $fields -i whole >want || { echo 'not ok cut: the whole file'; exit 1; }
bytes=$(wc -c <whole)
# dump shows records alone, and always fails where some are missing
records_end=$(od -An -t u8 -j 40 -N 16 whole | awk '{ print $1 + $2 }')

# refused N COMMAND: exit 1 and a reason
refused() {
	# shellcheck disable=SC2086
	perf-arm-spe $2 -i part >out 2>err
	code=$?
	[ $code -eq 1 ] && [ -s err ] && return
	echo "not ok cut: $2 after $1 bytes: exit $code"
	head -n 3 err
	rc=1
}

n=0
files=0
while [ "$n" -lt "$bytes" ]; do
	head -c "$n" whole >part
	refused "$n" "script --strict -F $fields"
	sed "s/^/$n /" out >>all
	if [ $((files % ${CUT_EVERY:-16})) -eq 0 ]; then
		for command in 'report --strict' 'report --strict --json' 'stat --strict' 'verify --strict' \
			'timeline --strict' 'inject --strict -o made'; do
			refused "$n" "$command"
		done
		[ "$n" -lt "$records_end" ] && refused "$n" dump
	fi
	files=$((files + 1))
	n=$((n + ${CUT_STEP:-11}))
done
[ $rc -eq 0 ] && echo "ok cut/refused: $files files"

# "N PID/TID [CPU] TIME: IP": the same in the whole file, or not known
if [ -s all ] && awk '
	NR == FNR { owner[$2, $3, $4] = $1; next }
	{
		split($2, ids, "/")
		split(owner[$3, $4, $5], true_ids, "/")
		if (!(($3, $4, $5) in owner) || (ids[1] != -1 && ids[1] != true_ids[1]) ||
		    (ids[2] != -1 && ids[2] != true_ids[2])) {
			print
			bad = 1
		}
	}
	END { exit bad }' want all >wrong; then
	echo "ok cut/owners: $(wc -l <all) samples"
else
	echo "not ok cut/owners: $(wc -l <wrong) samples with another owner"
	head -n 5 wrong
	rc=1
fi
exit $rc
