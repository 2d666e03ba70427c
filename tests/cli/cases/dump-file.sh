# SPDX-License-Identifier: GPL-2.0-only
# The trace of a perf.data, buffer by buffer, with the event names of each CPU's core.
cat >input.spe <<'SPE'
file cpus=3 auxtrace-info=2
core 0 midr=0x413fd0c1
core 1 midr=0x000f0510
core 2 midr=0x000f0510
process 100 alpha
time 1ms
cpu 0
run 100
record pc=0x400100 op=load events=retired,12
cpu 1
run 100
record pc=0x400104 op=load events=retired,12
record pc=0x400108 op=store
chop 20
SPE
spe-asm -o f.data input.spe
perf-arm-spe dump f.data | sed -E 's/^0x[0-9a-f]+ /PLACE /; s/ref: 0x[0-9a-f]+/ref: N/'
echo '# CPU 1, as if it were another'
perf-arm-spe dump -C 1 --midr 0x413fd0c1 f.data | grep -c LATE-PREFETCH
perf-arm-spe dump -C 2 f.data
echo "exit $?"
spe-asm --set form=pipe -o - input.spe | perf-arm-spe dump | grep -c 'ARM SPE data'
