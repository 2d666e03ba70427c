# SPDX-License-Identifier: GPL-2.0-only
# report: the memory view, trees, weights and limits.
spe-asm -o f.data "$SPE_TOP/tests/traces/demo.spe"
perf-arm-spe report -i f.data --mem-mode
perf-arm-spe report -i f.data --mem-mode --weight latency -s pid --no-header
perf-arm-spe report -i f.data -n --hierarchy -s pid,tid,op --percent-limit 5
perf-arm-spe report -i f.data --group-by cpu -s pid -F latency-p50,latency-max
perf-arm-spe report -i f.data --mem-mode --hierarchy -s pid,level --json --percent-limit 10 | sed '/accounting/,$d'
perf-arm-spe report -i f.data --mem-mode --csv -s comm -j 2
perf-arm-spe report -i f.data -F bananas
echo "exit $?"
perf-arm-spe report -i f.data --group-by nothing
echo "exit $?"
# The answer is the same for any number of threads.
for j in 1 2 3; do
	perf-arm-spe report -i f.data -j $j --hierarchy -s comm,level,snoop,el -F samples,latency,misses >$j
done
cmp 1 2 && cmp 1 3
