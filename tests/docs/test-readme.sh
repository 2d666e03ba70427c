#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The pictures of README.md are what the commands print: each block between ``` with
# lines `$ COMMAND`.  Of stock perf's output, lines that are empty or begin with # are left out.
#	UPDATE=1	rewrites the pictures
set -u
cd "${SPE_TOP:?}" || exit 2
command -v perf-arm-spe >/dev/null || { echo 'skip readme: no perf-arm-spe'; exit 77; }
here=$PWD/tests/docs top=$PWD
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
. tests/cli/lib.sh
. "$here/lib.sh"
export LC_ALL=C TZ=UTC PERF_PAGER=cat PAGER=cat PATH="$tmp/bin:$PATH"

# A server whose kernel writes no contexts, and what is recorded there; and the demo.
machine "$tmp/machine"
# Debian's own would: this one was built by somebody.
sed -i 's/CONTEXTIDR=y/CONTEXTIDR=n/' "$tmp/machine"/boot/config-*
mv "$tmp/machine"/boot/config-* "$tmp/machine/boot/config-6.1.55-own"
echo 6.1.55-own >"$tmp/machine/proc/sys/kernel/osrelease"
spe-asm -o "$tmp/made.data" - <<'TEXT' || exit 2
file switches=yes
process 1000 web
process 1100 db
time 100s
repeat 3
run 1000
record pc=0x400100 context=none count=40 every=2us
run 1100
record pc=0x400100 context=none count=20 every=2us
run 0
record pc=0xffff800008001000 op=other el=1 context=none count=4 every=2us
again
TEXT
mkdir -p "$tmp/in/build/demo"
spe-asm -o "$tmp/in/build/demo/demo.data" tests/traces/demo.spe || exit 2
ln -s "$top/tests" "$tmp/in/tests"
cd "$tmp/in" || exit 2

# before COMMAND: what it finds as perf.data.
before() {
	case $1 in
	'perf arm-spe report'*) spe-asm --strip switch -o perf.data "$tmp/made.data" ;;
	esac
}

# picture COMMAND: it and what it prints.
picture() {
	before "$1"
	echo "\$ $1"
	case $1 in
	'perf arm-spe'* | perf-arm-spe* | spe-asm*) sh -c "$1" 2>&1 </dev/null ;;
	*) sh -c "$1" 2>/dev/null </dev/null | grep -vE '^(#|$)' | sed 's/ *$//' ;;
	esac
}

awk -v to="$tmp/block" '
	/^```/ { on = !on; if (on) file = to (++n); next }
	on { print >file }' "$top/README.md"
seen=0
for block in "$tmp"/block*; do
	grep -q '^\$ ' "$block" || continue
	first=$(sed -n '1s/^\$ //p' "$block")
	case $first in perf\ arm-spe* | perf-arm-spe* | spe-asm*) ;; *)
		case ${perf:+$($perf --version)} in *' 6.1'*) ;; *)
			echo "skip readme: $first: wants perf 6.1"
			continue ;;
		esac ;;
	esac
	sed -n 's/^\$ //p' "$block" | while read -r command; do
		picture "$command"
	done >"$tmp/now"
	seen=$((seen + 1))
	if diff "$block" "$tmp/now" >"$tmp/diff"; then
		echo "ok readme: $first"
	elif [ -n "${UPDATE:-}" ]; then
		awk -v first="\$ $first" -v now="$tmp/now" '
			on && /^```/ { on = 0 }
			!on { print }
			/^```/ { open = !open; next }
			open && !done && $0 == first {
				getline line <now # the command itself stands already
				while ((getline line <now) > 0) print line
				on = done = 1
			}' "$top/README.md" >"$tmp/readme" && cp "$tmp/readme" "$top/README.md"
		echo "ok readme: $first: rewritten"
	else
		echo "not ok readme: $first"
		cat "$tmp/diff"
		rc=1
	fi
done
[ $seen -gt 3 ] || { echo "not ok readme: $seen pictures found"; rc=1; }
exit $rc
