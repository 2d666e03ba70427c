#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What stock perf prints of an injected file is what we print of the recording,
# and is the truth: for recordings of every kind; of every form with --all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/inputs
rc=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/lib.sh"
interop_need samples

# made NAME INPUT [SPE-ASM OPTION...]: a recording of inputs/INPUT.spe.
made() {
	name=$1 input=$2
	shift 2
	rm -rf "$tmp/in.data" "$tmp/truth"
	spe-asm "$@" --truth "$tmp/truth" -o "$tmp/in.data" "$inputs/$input.spe" 2>"$tmp/why" ||
		{ verdict "$name: spe-asm" 1; return; }
	same_samples "$name" "$tmp/in.data"
}

# truth NAME: and the owners are those of the truth table, wherever the register held
# the owner, but for a guest's kernel, whose samples perf leaves out.
truth() {
	awk -F, 'NR > 1 && $12 == $4 && !($13 == 1 && $18) {
		printf "%d/%d [%03d] %d.%09d: %s\n", $5, $4, $1, $7 / 1e9, $7 % 1e9, substr($3, 3) }' \
		"$tmp/truth" | sort >"$tmp/expected"
	perf script --ns -F pid,tid,cpu,time,ip -i "$tmp/injected" 2>/dev/null | words | sort >"$tmp/got"
	{
		[ -s "$tmp/expected" ] || echo 'no truth'
		comm -23 "$tmp/expected" "$tmp/got"
	} >"$tmp/why"
	[ ! -s "$tmp/why" ]
	verdict "$1: the truth of $(wc -l <"$tmp/expected") samples" $?
}

# clocked DRIFT: with -k, samples stand where the side-band's clock puts them, to 20 us
# (what contexts and switches tell of the offset).  What times should be goes to $tmp/times.
clocked() {
	awk -v drift="$1" -v times="$tmp/times" 'BEGIN {
		srand(7)
		side = 6e9
		print "file clockid=1 switches=yes cpus=1\nitrace-start 100 time=5999000000"
		print "process 100 alpha time=0\nprocess 200 beta\nprocess 300 gamma"
		for (i = 0; i < 1500; i++) {
			side += 4000 + int(rand() * 600000)
			printf "run %d time=%.0f\n", 100 * (1 + int(rand() * 3)), side
			if (i % 50 == 49)
				print "flush"
			for (k = 1; k < 4; k++) {
				t = side + k * 1000
				pc = 4194304 + i * 16 + k * 4
				printf "record pc=0x%x ts=%.0f\n", pc, t - 5e9 + (t - 6e9) * drift
				printf "%.0f %x\n", t, pc >times
			}
		}
	}' >"$tmp/clock.spe"
	spe-asm -o "$tmp/in.data" "$tmp/clock.spe"
	same_samples "clock, drift $1" "$tmp/in.data"
	perf script --ns -F time,ip -i "$tmp/injected" 2>/dev/null | tr -d .: |
		paste -d ' ' "$tmp/times" - | awk '
			{ off = $1 - $3 }
			$2 != $4 || off > 20000 || off < -20000 { print; bad = 1 }
			END { exit bad || !NR }' >"$tmp/why"
	verdict "clock, drift $1: times of $(wc -l <"$tmp/times") samples" $?
}

made el1 el1
truth el1
few='attr-size=144,auxtrace-info=2 order=big compress=zstd form=pipe form=directory ids=id,aux-bytes=100 trailers=no time=no'
rest='switches=yes attr-size=64 attr-size=128 attr-size=136 auxtrace-info=2,parameters=3 order=big,attr-size=128
	compress=zstd2 ids=no,dummy=no index=no index=empty id-index=no dummy=no finished-init=no'
[ "${1:-}" = --all ] && few="$few $rest"
for set in $few; do
	set=$(echo "$set" | tr , ' ')
	made "el1 $set" el1 --set "$set"
done
spe-asm -o - "$inputs/el1.spe" | perf-arm-spe inject -q --itrace=i1i -o "$tmp/injected" &&
	spe-asm -o "$tmp/in.data" "$inputs/el1.spe" &&
	expected "$tmp/in.data" "$tmp/injected" comm,pid,tid,cpu,time,event,ip >"$tmp/expected"
perf script --ns -F comm,pid,tid,cpu,time,event,ip -i "$tmp/injected" 2>/dev/null | words | diff "$tmp/expected" - >"$tmp/why"
verdict 'el1 from a pipe' $?
perf-arm-spe inject -q --itrace=i1i -i "$tmp/in.data" -o - |
	perf script --ns -F comm,pid,tid,cpu,time,event,ip -i - 2>"$tmp/err" | words | diff "$tmp/expected" - >"$tmp/why"
verdict 'el1 into a pipe' $?
made el2 el2
truth el2
for input in ends threads namespace sched; do
	made $input $input
done
clocked 0
clocked 0.0002
for shape in 64 43 mixed; do
	spe-asm -g records=4000,cpus=3,shape=$shape,lives=7,threads=1,idle=10,switches --truth "$tmp/truth" -o "$tmp/in.data"
	same_samples "generated, shape $shape" "$tmp/in.data"
	truth "generated, shape $shape"
done
spe-asm -g records=4000,cpus=2,contexts=50,switches --truth "$tmp/truth" -o "$tmp/in.data"
same_samples 'generated, half without contexts' "$tmp/in.data"
spe-asm -g records=4000,cpus=2,contexts=el2,switches --truth "$tmp/truth" -o "$tmp/in.data"
same_samples 'generated, EL2' "$tmp/in.data"
truth 'generated, EL2'
exit $rc
