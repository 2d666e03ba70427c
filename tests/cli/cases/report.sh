# SPDX-License-Identifier: GPL-2.0-only
# report: by process, by what is asked, and the account below.
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
perf-arm-spe report -i f.data
perf-arm-spe report -i f.data -s pid,tid,evidence -n --no-header
perf-arm-spe report -i f.data --sort op --op branch --no-header -t '|'
perf-arm-spe report -i f.data --sort nonsense
echo "exit $?"
perf-arm-spe report -i f.data --stdio-color sometimes 2>&1 | head -n 1
perf-arm-spe report f.data --csv --json 2>&1 | head -n 1
# No SPE in it.
echo 'process 100 alpha' | spe-asm --set auxtrace-info=none -o none.data -
perf-arm-spe report -i none.data
echo "exit $?"
# Memory, trees, groups.
perf-arm-spe report -i f.data --mem-mode -s op -F samples,latency-avg,llc-miss --no-header
perf-arm-spe report -i f.data --hierarchy -s pid,tid,op --no-header
perf-arm-spe report -i f.data --group-by pid -s op --no-header
