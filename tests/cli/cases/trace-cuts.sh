# SPDX-License-Identifier: GPL-2.0-only
# Cut and damaged records become no samples, wherever the buffers are cut.
spe-asm -o in.data "$SPE_TOP/tests/traces/cuts.spe" || exit
perf-arm-spe script -i in.data --itrace=i1i -F pid,tid,time,ip,evidence | awk '{ $1 = $1; print }'
perf-arm-spe report -i in.data 2>&1 | grep -E '^# (Records|Loss)' >records
cat records
for n in 1 8 37 64; do
	spe-asm --set aux-bytes=$n -o cut.data "$SPE_TOP/tests/traces/cuts.spe" || exit
	perf-arm-spe report -i cut.data 2>&1 | grep -E '^# (Records|Loss)' | diff records - && echo "the same, cut every $n bytes"
done
