/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there an SPE unit that perf can use, and if not: why? */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/klog.h>

#define LOG_BYTES ((size_t)1 << 20)
#define MADT_BYTES 4096 /* the first GICC lies within */

/* ---- the driver -------------------------------------------------------------- */

static bool module_file(const struct machine *m)
{
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (machine_has(m, "/lib/modules/%s/kernel/drivers/perf/arm_spe_pmu.ko%s",
				m->release, ends[i]))
			return true;
	return false;
}

static bool driver_loaded(const struct machine *m)
{
	return m->pmu_count || machine_has(m, "/sys/module/arm_spe_pmu") ||
	       machine_has(m, "/sys/bus/platform/drivers/arm_spe_pmu") ||
	       m->config.spe == KERNEL_OPTION_YES;
}

void check_driver(struct check_findings *findings, const struct machine *m)
{
	static const char name[] = "driver";

	if (driver_loaded(m)) {
		check_add(findings, CHECK_OK, name, "the driver arm_spe_pmu is %s",
			  m->config.spe == KERNEL_OPTION_YES ? "part of the kernel" : "loaded");
	} else if (m->config.spe == KERNEL_OPTION_NO) {
		check_add(findings, CHECK_FAIL, name,
			  "the kernel was built without CONFIG_ARM_SPE_PMU (%s)", m->config.path);
		check_remedy(findings, "boot a kernel with CONFIG_ARM_SPE_PMU=m or =y");
	} else if (module_file(m)) {
		check_add(findings, CHECK_FAIL, name, "the module arm_spe_pmu is not loaded");
		check_remedy(findings, "modprobe arm_spe_pmu (to keep it: echo arm_spe_pmu "
				       ">/etc/modules-load.d/arm_spe_pmu.conf)");
	} else {
		check_add(findings, CHECK_FAIL, name,
			  "there is no module arm_spe_pmu for kernel %s",
			  m->release[0] ? m->release : "(release not known)");
		check_remedy(findings,
			     "install the rest of the kernel's modules (Ubuntu: "
			     "linux-modules-extra-%s), then modprobe arm_spe_pmu",
			     m->release);
	}
}

/* ---- a PMU that is there -------------------------------------------------------- */

static void add_capability(char *text, size_t size, const char *format, int64_t value)
{
	size_t n = strlen(text);

	if (value >= 0)
		snprintf(text + n, size - n, format, (long long)value);
}

static void check_pmu(struct check_findings *findings, const struct machine_pmu *pmu)
{
	char cpus[128] = "CPUs not known", text[CHECK_TEXT] = "";

	if (pmu->has_cpus)
		cpu_list_name(&pmu->cpus, cpus, sizeof(cpus));
	if (pmu->arch_inst >= 0)
		snprintf(text, sizeof(text), ", samples %s",
			 pmu->arch_inst ? "instructions" : "micro-operations");
	add_capability(text, sizeof(text), ", period %lld or more", pmu->min_interval);
	add_capability(text, sizeof(text), ", counters of %lld bits", pmu->count_size);
	if (!pmu->ts_enable) {
		check_add(findings, CHECK_FAIL, "pmu", "%s on %s has no format ts_enable",
			  pmu->name, cpus);
		check_remedy(findings, "boot a kernel whose arm_spe_pmu driver has timestamps");
		return;
	}
	check_add(findings, CHECK_OK, "pmu", "%s on %s%s", pmu->name, cpus, text);
}

/* Machines with several kinds of cores have a PMU for each, or cores with none. */
static void check_coverage(struct check_findings *findings, const struct machine *m)
{
	struct cpu_list all = { { 0 } }, missing;
	char cpus[128];

	if (!m->has_online)
		return;
	for (size_t i = 0; i < m->pmu_count; i++) {
		if (!m->pmus[i].has_cpus)
			return;
		for (size_t w = 0; w < CPU_LIST_MAX / 64; w++)
			all.bits[w] |= m->pmus[i].cpus.bits[w];
	}
	cpu_list_minus(&missing, &m->online, &all);
	cpu_list_name(&missing, cpus, sizeof(cpus));
	if (!cpu_list_count(&missing))
		return;
	check_add(findings, CHECK_WARN, "pmu", "no SPE on %s: nothing is sampled there", cpus);
	check_remedy(findings, "taskset or a cpuset keeps the workload on the other CPUs");
}

/* ---- and one that is not ---------------------------------------------------------- */

/* Is there a line with both?  Ends lines with NULs on its way. */
static bool line_has(char *text, const char *subject, const char *words)
{
	while (*text) {
		char *end = strchrnul(text, '\n');
		bool last = !*end;

		*end = '\0';
		if (strstr(text, subject) && strstr(text, words))
			return true;
		text = last ? end : end + 1;
	}
	return false;
}

/* Does the kernel's log say this of arm_spe?  false also where we may not read it. */
static bool log_says(const struct machine *m, const char *words)
{
	char *log = calloc(1, LOG_BYTES + 1);
	bool found;
	int n = 0;

	if (!log)
		return false;
	if (*m->root)
		n = (int)machine_bytes(m, log, LOG_BYTES, "/var/log/dmesg");
	else
		n = klogctl(3 /* read all that is there */, log, (int)LOG_BYTES);
	log[n > 0 ? n : 0] = '\0';
	found = line_has(log, "arm_spe", words);
	free(log);
	return found;
}

static bool kpti_on(const struct machine *m)
{
	char text[256];

	return log_says(m, "profiling buffer inaccessible") ||
	       (machine_line(m, text, sizeof(text),
			     "/sys/devices/system/cpu/vulnerabilities/meltdown") &&
		strstr(text, "PTI"));
}

/* Where a hypervisor shows itself, and as whom. */
static bool hypervisor(const struct machine *m, char *who, size_t size)
{
	static const char *const vendors[] = { "QEMU",    "KVM",       "Amazon EC2", "Microsoft",
					       "VMware",  "OpenStack", "Xen",        "Google",
					       "Alibaba", "Parallels", "Apple" };
	char product[128];

	if (machine_line(m, who, size, "/sys/hypervisor/type") && strcmp(who, "none"))
		return true;
	if (machine_text(m, who, size, "/proc/device-tree/hypervisor/compatible"))
		return true;
	if (machine_text(m, who, size, "/proc/device-tree/compatible") && strstr(who, "virt"))
		return true;
	machine_line(m, product, sizeof(product), "/sys/class/dmi/id/product_name");
	if (!machine_line(m, who, size, "/sys/class/dmi/id/sys_vendor") ||
	    strcasestr(product, "metal"))
		return false;
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strstr(who, vendors[i]) || strstr(product, vendors[i]))
			return true;
	return false;
}

/* The SPE interrupt of the first CPU in the ACPI table of interrupt controllers (MADT). */
static enum answer acpi_interrupt(const struct machine *m)
{
	enum { ENTRIES = 44, GICC = 11, SPE_INTERRUPT = 78 }; /* offsets and a type: ACPI 6.3 */
	unsigned char table[MADT_BYTES];
	size_t n = machine_bytes(m, table, sizeof(table), "/sys/firmware/acpi/tables/APIC");
	size_t at = ENTRIES;

	for (; at + 2 <= n && table[at + 1] >= 2; at += table[at + 1]) {
		const unsigned char *entry = table + at;

		if (entry[0] != GICC || at + entry[1] > n)
			continue;
		return entry[1] >= SPE_INTERRUPT + 2 &&
				       (entry[SPE_INTERRUPT] || entry[SPE_INTERRUPT + 1])
			       ? ANSWER_YES
			       : ANSWER_NO;
	}
	return ANSWER_UNKNOWN;
}

/* A node of the device tree's first level that is an SPE. */
static enum answer tree_node(const struct machine *m)
{
	enum answer answer = ANSWER_NO;
	char path[4096], compatible[256];
	struct dirent *entry;
	DIR *folder;

	if (snprintf(path, sizeof(path), "%s/proc/device-tree", m->root) >= (int)sizeof(path))
		return ANSWER_UNKNOWN;
	folder = opendir(path);
	if (!folder)
		return ANSWER_UNKNOWN;
	while (answer == ANSWER_NO && (entry = readdir(folder)))
		if (machine_text(m, compatible, sizeof(compatible),
				 "/proc/device-tree/%s/compatible", entry->d_name) &&
		    strstr(compatible, "arm,statistical-profiling-extension"))
			answer = ANSWER_YES;
	closedir(folder);
	return answer;
}

static void firmware_silent(struct check_findings *findings, const struct machine *m)
{
	enum answer acpi = acpi_interrupt(m), tree = tree_node(m);

	if (acpi == ANSWER_YES || tree == ANSWER_YES) {
		check_add(findings, CHECK_FAIL, "pmu",
			  "no arm_spe PMU, though firmware describes SPE and the driver is there");
		check_remedy(findings,
			     "`dmesg | grep arm_spe` tells why the driver gave up; firmware "
			     "must also give SPE to the kernel (MDCR_EL3.NSPB)");
		return;
	}
	check_add(findings, CHECK_FAIL, "pmu", "no arm_spe PMU: %s; the kernel says nothing then",
		  acpi == ANSWER_NO   ? "the ACPI table MADT names no interrupt for SPE"
		  : tree == ANSWER_NO ? "the device tree has no node for SPE"
				      : "the CPUs have no SPE, or firmware does not describe it");
	check_remedy(findings, "%s",
		     tree == ANSWER_NO && acpi != ANSWER_NO
			     ? "add a node compatible with arm,statistical-profiling-extension-v1"
			     : "newer firmware, or a setting of it (SPE, statistical profiling); "
			       "CPUs before Armv8.2 have no SPE");
}

static void check_absence(struct check_findings *findings, const struct machine *m)
{
	char who[128];

	if (hypervisor(m, who, sizeof(who))) {
		check_add(
			findings, CHECK_FAIL, "pmu",
			"no arm_spe PMU: this is a virtual machine (%s), and hypervisors hide SPE",
			who);
		check_remedy(findings, "record on the host, or on a bare-metal instance");
	} else if (!driver_loaded(m)) {
		check_add(findings, CHECK_FAIL, "pmu", "no arm_spe PMU without the driver");
		check_remedy(findings, "as for the driver above; then check again");
	} else if (kpti_on(m)) {
		check_add(findings, CHECK_FAIL, "pmu",
			  "no arm_spe PMU: kernel page-table isolation hides the buffer from SPE");
		check_remedy(findings, "boot with kpti=off (gives up the protection against "
				       "Meltdown: for machines that run trusted code)");
	} else if (log_says(m, "higher exception level")) {
		check_add(findings, CHECK_FAIL, "pmu",
			  "no arm_spe PMU: firmware or a hypervisor keeps SPE to itself");
		check_remedy(findings, "newer firmware, which gives SPE to the kernel "
				       "(MDCR_EL3.NSPB)");
	} else {
		firmware_silent(findings, m);
	}
}

void check_pmus(struct check_findings *findings, const struct machine *m)
{
	if (!m->pmu_count) {
		check_absence(findings, m);
		return;
	}
	for (size_t i = 0; i < m->pmu_count; i++)
		check_pmu(findings, &m->pmus[i]);
	check_coverage(findings, m);
}
