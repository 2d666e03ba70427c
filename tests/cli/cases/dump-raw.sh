# SPDX-License-Identifier: GPL-2.0-only
# A bare buffer: two records as captured on a Neoverse N1, and zeros behind them.
printf '\260\320\302\241\355f\272\377\300\0\0\0\0\0e\200_\0\0I\0R\026\0\231\004\0\230\014\0' >buf
printf '\262(k\011\0037\016\377\0\232\001\0\0\0\0\0\0\0\0\0\0C\0\0\0q.e/j\012\0\0\0' >>buf
printf '\260\340\260\357\355f\272\377\300\0\0\0\0\0e\016\0\0\0J\001RB\0\231\020\0\230\021\0' >>buf
printf '\261\344\260\357\355f\272\377\300\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0q\215e/j\012\0\0\0' >>buf
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >>buf
perf-arm-spe dump --raw buf
# The same by another way.
perf-arm-spe dump --raw buf >one
perf-arm-spe dump --raw -i - <buf >two
cat buf | perf-arm-spe dump --raw >three
cmp one two && cmp one three
# That is for bare buffers, which a perf.data is not.
spe-asm -g records=5,cpus=1 -o perf.data
perf-arm-spe dump --raw perf.data 2>&1 >out | cat
[ -s out ] && echo 'dumped all the same'
perf-arm-spe dump --raw -q - <perf.data 2>&1 >two | cat
cmp out two && perf-arm-spe dump perf.data 2>&1 >/dev/null | cat
