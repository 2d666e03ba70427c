# SPDX-License-Identifier: GPL-2.0-only
# report: every sort key, its rows adding up to the same samples.
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
perf-arm-spe report -s list | while read -r key _; do
	echo "== $key"
	perf-arm-spe report -i f.data -n --no-header -s "$key"
	perf-arm-spe report -i f.data --csv --no-header -s "$key" | awk -F, '{ n += $2 } END { print n " in all" }'
done
