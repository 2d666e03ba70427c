# SPDX-License-Identifier: GPL-2.0-only
# `record --dry-run`: the command line for perf, on machines of all kinds.
. "$CLI_LIB"
plan() { perf-arm-spe record --root m --dry-run "$@"; }

machine m
plan
plan -a
plan -a -- sleep 10
plan sleep 10 -a -o notours
plan -p 1,2
plan -t 7 -C 1
plan -C 0,2-3 -o 'my file' -- sh -c "echo 'it'" ''
plan -e arm_spe_0/load_filter=1/ -c 1000 -m ,16M true
plan -z -S0x1000 --threads=cpu -D 5 -X --mmap-flush=1 -X -N -k mono --per-thread -q true
plan --switch-events
plan --no-switch-events --event=dummy
echo '-- large'
echo 0-127 >m/sys/devices/system/cpu/online
plan
plan sleep 1
echo '-- coarse'
rm -r m
machine m
echo 1048576 >m/sys/bus/event_source/devices/arm_spe_0/caps/min_interval
plan
echo '-- two units, one without jitter'
pmu m arm_spe_1 2-3
rm m/sys/bus/event_source/devices/arm_spe_1/format/jitter
plan
echo '-- no contexts, container, not known, no permission'
rm -r m
machine m
sed -i 's/CONTEXTIDR=y/CONTEXTIDR=n/' m/boot/config-*
plan
rm -r m
machine m
ln -sf 'pid:[4026532211]' m/proc/self/ns/pid
plan
rm -r m
machine m
rm m/boot/config-*
plan
rm -r m
machine m
echo 'CapEff:	0000000000000000' >m/proc/self/status
sed -i '1i Name:	sh' m/proc/self/status
plan
echo 1 >m/proc/sys/kernel/perf_event_paranoid
plan
echo 6.12.9 >m/proc/sys/kernel/osrelease
mv m/boot/config-* m/boot/config-6.12.9
plan
sed -i 's/8388608 /unlimited/' m/proc/self/limits
plan
echo 8 >m/proc/sys/kernel/perf_event_mlock_kb
sed -i 's/unlimited/0        /' m/proc/self/limits
plan
perf-arm-spe record --root nowhere --dry-run
echo "exit $?"
plan --pid 2>&1 | head -n 1
plan --nonsense 2>&1 | head -n 1
