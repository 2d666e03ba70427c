# SPDX-License-Identifier: GPL-2.0-only
# `check`: a machine that lacks nothing, then one thing after the other.
. "$CLI_LIB"
devices=sys/bus/event_source/devices
driver=lib/modules/6.1.0-13-arm64/kernel/drivers/perf

# says TITLE: what is not right with m, and the exit code; m is made anew.
says() {
	echo "-- $1"
	perf-arm-spe check --root m >out
	code=$?
	grep -vE '^ok' out
	echo "exit $code"
	rm -rf m
	machine m
}

machine m
perf-arm-spe check --root m
echo "exit $?"

rm -r m/$devices/arm_spe_0 m/sys/module/arm_spe_pmu
mkdir -p m/$driver
touch m/$driver/arm_spe_pmu.ko.xz
says 'module not loaded'

rm -r m/$devices/arm_spe_0 m/sys/module/arm_spe_pmu
says 'module not there'

rm -r m/$devices/arm_spe_0 m/sys/module/arm_spe_pmu
echo '# CONFIG_ARM_SPE_PMU is not set' >>m/boot/config-6.1.0-13-arm64
says 'driver not built'

rm -r m/$devices/arm_spe_0
mkdir -p m/sys/class/dmi/id
echo 'Amazon EC2' >m/sys/class/dmi/id/sys_vendor
echo m7g.16xlarge >m/sys/class/dmi/id/product_name
says 'virtual machine'

rm -r m/$devices/arm_spe_0
mkdir -p m/sys/class/dmi/id m/var/log
echo 'Amazon EC2' >m/sys/class/dmi/id/sys_vendor
echo m6g.metal >m/sys/class/dmi/id/product_name
printf '%s\n' '[    2.1] loop: module loaded' \
	'[    2.2] arm_spe_pmu spe-pmu: profiling buffer inaccessible. Try passing "kpti=off"' \
	>m/var/log/dmesg
says 'bare metal, KPTI told by the log'

rm -r m/$devices/arm_spe_0
mkdir -p m/sys/devices/system/cpu/vulnerabilities
echo 'Mitigation: PTI' >m/sys/devices/system/cpu/vulnerabilities/meltdown
says 'KPTI told by sysfs'

rm -r m/$devices/arm_spe_0
mkdir -p m/proc/device-tree/hypervisor
printf 'linux,kvm\0' >m/proc/device-tree/hypervisor/compatible
says 'virtual machine of the device tree'

rm -r m/$devices/arm_spe_0
says 'nothing known of firmware'

rm -r m/$devices/arm_spe_0
mkdir -p m/proc/device-tree/pmu
printf 'arm,armv8-pmuv3\0' >m/proc/device-tree/pmu/compatible
says 'device tree without SPE'

rm -r m/$devices/arm_spe_0
mkdir -p m/proc/device-tree/spe
printf 'arm,statistical-profiling-extension-v1\0' >m/proc/device-tree/spe/compatible
says 'device tree with SPE'

# An ACPI MADT: 44 bytes, an ITS (type 15, 20 bytes), a GICC (type 11) of length $1 whose
# interrupt for SPE, at offset 78, is $2.
madt() {
	mkdir -p m/sys/firmware/acpi/tables
	{
		head -c 44 /dev/zero
		printf '\017\024'
		head -c 18 /dev/zero
		printf '\013\'"$1"
		head -c 76 /dev/zero
		printf '\'"$2"
		head -c 3 /dev/zero
	} >m/sys/firmware/acpi/tables/APIC
}
rm -r m/$devices/arm_spe_0
madt 122 000
says 'ACPI without the interrupt'
rm -r m/$devices/arm_spe_0
madt 122 025
says 'ACPI with the interrupt'
rm -r m/$devices/arm_spe_0
madt 114 025
says 'ACPI before 6.3'

rm m/$devices/arm_spe_0/format/ts_enable
says 'no timestamps'

echo 0-1 >m/$devices/arm_spe_0/cpumask
pmu m arm_spe_1 3
echo 0x00000000410fd490 >m/sys/devices/system/cpu/cpu3/regs/identification/midr_el1
perf-arm-spe check --root m | grep -E '^ok +(cpu|pmu)'
says 'two units, and a CPU without'

echo x86_64 >m/proc/sys/kernel/arch
rm -r m/$devices/arm_spe_0
says 'no Arm machine'
rm m/proc/sys/kernel/arch
says 'architecture not known'
rm m/proc/sys/kernel/arch
printf 'processor\t: 0\nCPU implementer\t: 0x41\n' >m/proc/cpuinfo
says 'architecture from cpuinfo'
