#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One recording in every form of perf.data: plain, pipe, compressed, folder,
# the other byte order, other attrs and metadata.  report and script say the same.
set -u
here=$(cd "$(dirname "$0")" && pwd)
for p in perf-arm-spe spe-asm; do
	command -v $p >/dev/null || { echo "skip forms: no $p"; exit 77; }
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0

# say FILE: what report and script print of it, but for the file's name; - is standard input
say() {
	perf-arm-spe report --sort pid,tid,comm,cpu,evidence,op -i "$1" <"$2" 2>&1
	perf-arm-spe script --ns -i "$1" <"$2" 2>&1 | grep -v ': no symbols of ' # build ids are not converted
}

# compare NAME LABEL: what was said of $tmp/file against what was said of the first of that name
compare() {
	case $2 in
	*standard*) say - "$tmp/file" ;;
	*) say "$tmp/file" /dev/null ;;
	esac | sed "s|$tmp/file|FILE|g; s|standard input|FILE|g; s|^perf-arm-spe: -:|perf-arm-spe: FILE:|" >"$tmp/said"
	[ "$2" = plain ] && cp "$tmp/said" "$tmp/plain"
	if [ "$(wc -l <"$tmp/plain")" -gt 5 ] && cmp -s "$tmp/plain" "$tmp/said"; then
		echo "ok forms/$1, $2"
	else
		echo "not ok forms/$1, $2"
		diff "$tmp/plain" "$tmp/said" | head -n 10
		rc=1
	fi
	rm -rf "$tmp/file"
}

# form NAME LABEL SETTINGS COMMAND...: the same again with these settings, and $extra
extra=
form() {
	name=$1 label=$2 settings="$3 $extra"
	shift 3
	if ! spe-asm --set "$settings" "$@" -o "$tmp/file" 2>"$tmp/err"; then
		if grep -q 'without libzstd' "$tmp/err"; then
			echo "skip forms/$name, $label: no libzstd"
		else
			echo "not ok forms/$name, $label: spe-asm"
			cat "$tmp/err"
			rc=1
		fi
		return
	fi
	compare "$name" "$label"
}

forms() {
	name=$1
	shift
	form "$name" plain form=file "$@"
	form "$name" pipe form=pipe "$@"
	form "$name" 'pipe on standard input' form=pipe "$@"
	form "$name" zstd compress=zstd "$@"
	form "$name" 'zstd pipe on standard input' 'form=pipe compress=zstd' "$@"
	form "$name" 'zstd2 pipe' 'form=pipe compress=zstd2' "$@"
	form "$name" folder form=directory "$@"
	form "$name" 'zstd folder' 'form=directory compress=zstd' "$@"
	form "$name" 'big-endian' order=big "$@"
	form "$name" 'big-endian pipe on standard input' 'order=big form=pipe' "$@"
	form "$name" 'no index' index=no "$@"
	form "$name" 'long attrs' attr-size=144 "$@"
	form "$name" 'small buffers' aux-bytes=1000 "$@"
}

for f in demo contexts cuts fields; do
	forms $f "$here/../traces/$f.spe"
done
extra='switches=no sched-switch=yes'
forms 'demo with sched_switch' "$here/../traces/demo.spe"
forms 'contexts with sched_switch' "$here/../traces/contexts.spe"
extra=
forms generated -g records=3000,cpus=3,lives=4,shape=mixed,switches

# lab FILE: recordings of stock perf, through reader and writer
lab() {
	name=lab/$(basename "$1")
	cp "$1" "$tmp/file"
	compare "$name" plain
	for form in file pipe big big-pipe; do
		label=$form
		[ "$form" = pipe ] && label='pipe on standard input'
		if "$tmp/convert" $form "$1" "$tmp/file"; then
			compare "$name" "$label"
		else
			echo "not ok forms/$name, $form: convert"
			rc=1
		fi
	done
}

library=${SPE_BUILD:-build}/libperf-arm-spe.so.${SPE_VERSION:-0.9.0}
if [ -d "${SPE_SHARED:-/nowhere}/data/lab" ] && [ -f "$library" ]; then
	ln -s "$(realpath "$library")" "$tmp/libperf-arm-spe.so.0"
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -I"$here/../../perf-arm-spe/include" -o "$tmp/convert" \
		"$here/convert.c" "$tmp/libperf-arm-spe.so.0" -Wl,-rpath,"$tmp" || exit 2
	for f in "$SPE_SHARED"/data/lab/el*.data "$SPE_SHARED"/data/lab/no*.data; do
		lab "$f"
	done
fi
exit "$rc"
