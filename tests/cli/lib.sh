# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Functions for tests/cli/cases/*.sh: `. "$CLI_LIB"`.

# skip WHY: this case cannot run here.
skip() {
	echo "$1" >&2
	exit 77
}

# need PROGRAM...: skip where one is not installed.
need() {
	for p; do
		command -v "$p" >/dev/null 2>&1 || skip "$p is not installed"
	done
}

# shared PATH: where that file of the shared recordings lies; skip where absent:
#	file=$(shared lab/el1-perf6.12-a.data) || exit 77
shared() {
	[ -e "${SPE_SHARED:-/nowhere}/data/$1" ] || skip "no recording $1 here (SPE_SHARED)"
	echo "$SPE_SHARED/data/$1"
}

# machine DIR: the files of an Arm server that lacks nothing for SPE.
machine() {
	mkdir -p "$1/proc/sys/kernel" "$1/proc/self/ns" "$1/boot" "$1/sys/module/arm_spe_pmu" \
		"$1/sys/bus/event_source/devices"
	echo 6.1.0-13-arm64 >"$1/proc/sys/kernel/osrelease"
	echo aarch64 >"$1/proc/sys/kernel/arch"
	echo 2 >"$1/proc/sys/kernel/perf_event_paranoid"
	echo 516 >"$1/proc/sys/kernel/perf_event_mlock_kb"
	printf 'Name:\tsh\nCapEff:\t000001ffffffffff\n' >"$1/proc/self/status"
	printf '         0          0 4294967295\n' >"$1/proc/self/uid_map"
	printf 'Limit                     Soft Limit  Hard Limit  Units\nMax locked memory         8388608     8388608     bytes\n' \
		>"$1/proc/self/limits"
	ln -s 'pid:[4026531836]' "$1/proc/self/ns/pid"
	printf '# CONFIG_DEBUG_RODATA_TEST is not set\nCONFIG_PID_IN_CONTEXTIDR=y\nCONFIG_ARM_SPE_PMU=m\n' \
		>"$1/boot/config-6.1.0-13-arm64"
	mkdir -p "$1/sys/devices/system/cpu"
	echo 0-3 >"$1/sys/devices/system/cpu/online"
	for cpu in 0 1 2 3; do
		mkdir -p "$1/sys/devices/system/cpu/cpu$cpu/regs/identification"
		echo 0x00000000413fd0c1 >"$1/sys/devices/system/cpu/cpu$cpu/regs/identification/midr_el1"
	done
	pmu "$1" arm_spe_0 0-3
}

# pmu DIR NAME CPUS: an SPE unit for the machine in DIR.
pmu() {
	mkdir -p "$1/sys/bus/event_source/devices/$2/caps" "$1/sys/bus/event_source/devices/$2/format"
	echo 8 >"$1/sys/bus/event_source/devices/$2/type"
	echo "$3" >"$1/sys/bus/event_source/devices/$2/cpumask"
	echo 256 >"$1/sys/bus/event_source/devices/$2/caps/min_interval"
	echo 12 >"$1/sys/bus/event_source/devices/$2/caps/count_size"
	echo 0 >"$1/sys/bus/event_source/devices/$2/caps/arch_inst"
	echo config:0 >"$1/sys/bus/event_source/devices/$2/format/ts_enable"
	echo config:16 >"$1/sys/bus/event_source/devices/$2/format/jitter"
}
