#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page of `report --html` in headless Chromium: it draws, its filters and
# keys work, it has nothing to complain of and asks for nothing from outside.
# Skips without Chromium, which `make check-long` installs.
#	CHROMIUM=PROGRAM	another one
set -u
cd "${SPE_TOP:?}" || exit 2
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
[ -n "$browser" ] || { echo 'skip html: chromium is not installed'; exit 77; }
command -v python3 >/dev/null || { echo 'skip html: python3 is not installed'; exit 77; }
perf-arm-spe --version | grep -q 'chart.js: \[ OFF' && { echo 'skip html: built without Chart.js'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/names.spe" <<'EOF'
file cpus=1
cpu 0
time 1s
process 70 "</script><b>&\xe2\x80\xa8"
run 70
record pc=0x401000 op=load events=retired,l1d-access total=14 issue=6 va=0xaaaab0001000 xlat=1 source=0 count=10 every=2us
flush
EOF
spe-asm -o "$tmp/names.data" "$tmp/names.spe" &&
	spe-asm -o "$tmp/demo.data" tests/traces/demo.spe &&
	spe-asm -g records=2000000,cpus=16,processes=40 -o "$tmp/large.data" || exit 2
for page in demo names large; do
	perf-arm-spe report -q -i "$tmp/$page.data" --html "$tmp/$page.html" || exit 2
	rm "$tmp/$page.data"
done
python3 tests/html/browser.py "$browser" "$tmp"
