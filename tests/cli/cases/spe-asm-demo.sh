# SPDX-License-Identifier: GPL-2.0-only
# The demo's recording and its truth hold what the text's head says.
. "$CLI_LIB"
need perf
spe-asm -o demo.data --truth demo.csv "$SPE_TOP/tests/traces/demo.spe" || exit
awk -F , 'NR > 1 { n[$6 " " $5 "/" $4]++ } END { for (k in n) print n[k], k }' demo.csv | sort -k2
perf script -i demo.data --itrace=i1i -F comm,pid,tid 2>/dev/null |
	awk '{ n[$1 " " $2]++ } END { for (k in n) print "perf:", n[k], k }' | sort -k3
