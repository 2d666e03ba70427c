#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The public headers, the symbol map and the shared library must name the same
# functions.  --update writes what the headers say into the map.
set -u
cd "${SPE_TOP:-.}" || exit 2
map=perf-arm-spe/libperf-arm-spe.map
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# The name before the first parenthesis that is not of an attribute.
cat perf-arm-spe/include/perf-arm-spe/*.h | awk '
	/^#/ { next }
	/(^|[ \t])SPE_API([ \t]|$)/ { text = "" ; on = 1 }
	on {
		text = text " " $0
		sub(/__attribute__ *\(\([^)]*\)*/, "", text)
		if (match(text, /[A-Za-z_][A-Za-z0-9_]* *\(/)) {
			name = substr(text, RSTART, RLENGTH - 1)
			sub(/ +$/, "", name)
			print name
			on = 0
		} else if (text ~ /;/) {
			sub(/[;\[].*/, "", text)
			n = split(text, w, /[ *\t]+/)
			print w[n]
			on = 0
		}
	}' | sort -u >"$tmp/headers"

if [ "${1:-}" = --update ]; then
	major=${SPE_VERSION%.*}
	{
		echo '/* SPDX-License-Identifier: GPL-2.0-only */'
		echo "PERF_ARM_SPE_$major {"
		echo 'global:'
		sed 's/.*/	&;/' "$tmp/headers"
		echo 'local:'
		echo '	*;'
		echo '};'
	} >$map
	echo "wrote $(wc -l <"$tmp/headers") names to $map"
	exit 0
fi

awk '/local:/ { on = 0 } on { gsub(/[ \t;]/, ""); print } /global:/ { on = 1 }' $map | sort -u >"$tmp/map"
nm -D --defined-only "${SPE_BUILD:-build}/libperf-arm-spe.so.${SPE_VERSION}" |
	awk '$2 ~ /[TDBRVW]/ { sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/library"
rc=0
[ -s "$tmp/headers" ] || { echo 'not ok abi: no public function found in the headers'; exit 1; }
for other in map library; do
	if diff -u -L headers -L $other "$tmp/headers" "$tmp/$other" >"$tmp/diff"; then
		echo "ok abi: headers and $other"
	else
		echo "not ok abi: headers and $other differ (map: make abi-update)"
		cat "$tmp/diff"
		rc=1
	fi
done
exit $rc
