# SPDX-License-Identifier: GPL-2.0-only
# Which context packet speaks for a sample.
spe-asm -o in.data "$SPE_TOP/tests/traces/contexts.spe" || exit
perf-arm-spe script -i in.data --itrace=i1i -F pid,tid,time,ip,evidence | awk '{ $1 = $1; print }'
