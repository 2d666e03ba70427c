# SPDX-License-Identifier: GPL-2.0-only
# `check`: kernel configuration, permission, namespaces, memory, perf, JSON.
. "$CLI_LIB"
config=boot/config-6.1.0-13-arm64

# says TITLE [OPTION...]: as in check.sh.
says() {
	echo "-- $1"
	shift
	perf-arm-spe check --root m "$@" >out
	code=$?
	grep -vE '^ok' out
	echo "exit $code"
	rm -rf m
	machine m
}

# unprivileged KERNEL PARANOID
unprivileged() {
	printf 'Name:\tsh\nCapEff:\t0000000000000000\n' >m/proc/self/status
	[ -f "m/boot/config-$1" ] || mv m/$config "m/boot/config-$1"
	echo "$1" >m/proc/sys/kernel/osrelease
	echo "$2" >m/proc/sys/kernel/perf_event_paranoid
}

machine m
sed -i 's/CONFIG_PID_IN_CONTEXTIDR=y/# CONFIG_PID_IN_CONTEXTIDR is not set/' m/$config
says 'no contexts'
sed -i '/CONTEXTIDR/d' m/$config
says 'no contexts, not even mentioned'
echo CONFIG_PID_IN_CONTEXTIDR_NOT=y >m/$config
says 'a name that only begins so'
rm m/$config
says 'no configuration'
mkdir -p m/lib/modules/6.1.0-13-arm64
mv m/$config m/lib/modules/6.1.0-13-arm64/config
perf-arm-spe check --root m | grep contexts
says 'configuration beside the modules'

for paranoid in -1 0 1 2 4; do
	unprivileged 6.1.0-13-arm64 $paranoid
	says "6.1, paranoid $paranoid"
	unprivileged 6.12.9-arm64 $paranoid
	says "6.12, paranoid $paranoid"
done
echo '         0     100000      65536' >m/proc/self/uid_map
says 'root of a user namespace'
unprivileged 6.12.9-arm64 0
echo 'CapEff:	0000004000000000' >>m/proc/self/status
sed -i 2d m/proc/self/status
says 'CAP_PERFMON alone'
rm m/proc/self/status
says 'capabilities not known'

ln -sf 'pid:[4026532211]' m/proc/self/ns/pid
says 'container'
rm m/proc/self/ns/pid
says 'namespace not known'

unprivileged 6.12.9-arm64 0
perf-arm-spe check --root m | grep memory
echo 64 >m/proc/sys/kernel/perf_event_mlock_kb
sed -i 's/8388608/65536/' m/proc/self/limits
says 'little memory'

fake() {
	printf '#!/bin/sh\n%s\n' "$1" >perf-it
	chmod +x perf-it
}
says 'no perf' --perf ./nothing
fake 'echo perf version 6.12.4.g123'
perf-arm-spe check --root m --perf ./perf-it | grep perf-it
fake 'echo perf version 4.9'
says 'old perf' --perf ./perf-it
fake 'echo WARNING: perf not found for kernel 6.1; exit 2'
says 'wrapper' --perf ./perf-it
PATH=$PWD:$PATH
fake 'echo perf version 5.10.0'
perf-arm-spe check --root m --perf perf-it | grep -c perf-it

perf-arm-spe check --root m --json | head -n 3
rm m/$config
perf-arm-spe check --root m --json | grep contexts
perf-arm-spe check --root nowhere
echo "exit $?"
perf-arm-spe check extra 2>&1 | head -n 1
