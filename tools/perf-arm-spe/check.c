/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands between a machine and samples with contexts, but for its PMUs. */
#include "check.h"

#include <perf-arm-spe/record.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_MAX 8
#define SMALL_AUX_BYTES (128 << 10) /* a buffer below this loses much */

void check_add(struct check_findings *findings, enum check_state state, const char *name,
	       const char *format, ...)
{
	struct check_finding *finding;
	va_list args;

	if (findings->count == CHECK_FINDINGS_MAX)
		return;
	finding = &findings->list[findings->count++];
	finding->state = state;
	finding->name = name;
	finding->remedy[0] = '\0';
	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

void check_remedy(struct check_findings *findings, const char *format, ...)
{
	struct check_finding *finding = &findings->list[findings->count - 1];
	va_list args;

	va_start(args, format);
	vsnprintf(finding->remedy, sizeof(finding->remedy), format, args);
	va_end(args);
}

/* ---- the CPUs ------------------------------------------------------------------ */

struct model {
	uint64_t midr;
	struct cpu_list cpus;
};

static size_t read_models(const struct machine *m, struct model *models)
{
	size_t count = 0;

	for (unsigned cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		char text[64];
		uint64_t midr;
		size_t i = 0;

		if (!cpu_list_has(&m->online, cpu) ||
		    !machine_line(m, text, sizeof(text),
				  "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1",
				  cpu))
			continue;
		midr = strtoull(text, NULL, 16);
		while (i < count && models[i].midr != midr)
			i++;
		if (i == MODELS_MAX)
			continue;
		count += i == count;
		models[i].midr = midr;
		cpu_list_set(&models[i].cpus, cpu);
	}
	return count;
}

static void check_models(struct check_findings *findings, const struct machine *m)
{
	struct model models[MODELS_MAX] = { { .midr = 0 } };
	size_t count = read_models(m, models);

	if (!count)
		check_add(findings, CHECK_OK, "cpu", "%s, %u CPUs online", m->arch,
			  cpu_list_count(&m->online));
	for (size_t i = 0; i < count; i++) {
		const char *name = spe_midr_name(models[i].midr);
		char cpus[128];

		cpu_list_name(&models[i].cpus, cpus, sizeof(cpus));
		check_add(findings, CHECK_OK, "cpu", "%s: %s (MIDR 0x%" PRIx64 ")", cpus,
			  name ? name : "a model whose data sources are not known", models[i].midr);
	}
}

/* False where nothing else need be looked at. */
static bool check_cpus(struct check_findings *findings, const struct machine *m)
{
	if (m->arch[0] && strcmp(m->arch, "aarch64") && strcmp(m->arch, "arm64") && !m->pmu_count) {
		check_add(findings, CHECK_FAIL, "cpu", "this is %s: only arm64 CPUs have SPE",
			  m->arch);
		check_remedy(findings, "record on an Arm server; everything else of perf arm-spe "
				       "works here");
		return false;
	}
	if (m->arch[0])
		check_models(findings, m);
	else
		check_add(findings, CHECK_WARN, "cpu", "architecture not known");
	return true;
}

/* ---- the kernel and what it lets us see ------------------------------------------- */

static void check_contexts(struct check_findings *findings, const struct machine *m)
{
	static const char name[] = "contexts";

	if (m->config.contextidr == KERNEL_OPTION_YES) {
		check_add(findings, CHECK_OK, name, "CONFIG_PID_IN_CONTEXTIDR=y (%s)",
			  m->config.path);
	} else if (m->config.contextidr == KERNEL_OPTION_UNKNOWN) {
		check_add(findings, CHECK_WARN, name,
			  "CONFIG_PID_IN_CONTEXTIDR not known: %s of kernel %s",
			  m->config.packed ? "/proc/config.gz needs zlib, and there is no other "
					     "configuration"
					   : "there is no configuration",
			  m->release[0] ? m->release : "(release not known)");
		check_remedy(findings,
			     "modprobe configs gives /proc/config.gz; or record, and look "
			     "at Contexts in perf arm-spe stat");
	} else {
		check_add(findings, CHECK_FAIL, name,
			  "the kernel was built without CONFIG_PID_IN_CONTEXTIDR (%s): samples "
			  "name no thread",
			  m->config.path);
		check_remedy(findings,
			     "boot a kernel with CONFIG_PID_IN_CONTEXTIDR=y "
			     "(CONFIG_CORESIGHT_SOURCE_ETM4X selects it); till then record "
			     "switch events, as perf arm-spe record does");
	}
}

/* What lets us see the kernel.  Early kernels take no sysctl for it. */
static void remedy_permission(struct check_findings *findings, const struct machine *m)
{
	check_remedy(findings, "root; or setcap cap_perfmon,cap_ipc_lock=ep on perf's file%s",
		     machine_sysctl_helps(m) ? "; or sysctl kernel.perf_event_paranoid=0" : "");
}

static void check_refused(struct check_findings *findings, const struct machine *m)
{
	static const char name[] = "permission";
	const char *userns =
		m->user_namespace ? " (capabilities of a user namespace do not count)" : "";

	if (m->paranoid <= 1)
		check_add(findings, CHECK_FAIL, name,
			  "kernel %s gives contexts to CAP_PERFMON only, whatever "
			  "perf_event_paranoid (%d) says%s",
			  m->release, m->paranoid, userns);
	else
		check_add(findings, CHECK_FAIL, name,
			  "perf_event_paranoid is %d and CAP_PERFMON is missing: %s%s", m->paranoid,
			  m->paranoid > 2 ? "perf may open nothing"
					  : "no contexts, no kernel samples, no -a",
			  userns);
	remedy_permission(findings, m);
}

static void check_permission(struct check_findings *findings, const struct machine *m)
{
	static const char name[] = "permission";
	enum answer contexts = machine_sees_contexts(m);

	if (machine_privileged(m)) {
		check_add(findings, CHECK_OK, name, "%s has CAP_PERFMON or CAP_SYS_ADMIN",
			  m->program_caps ? "perf's file" : "this process");
	} else if (contexts == ANSWER_UNKNOWN) {
		check_add(findings, CHECK_WARN, name, "%s not known",
			  m->has_caps ? "perf_event_paranoid" : "capabilities");
		check_remedy(findings, "record as root");
	} else if (contexts == ANSWER_NO) {
		check_refused(findings, m);
	} else if (m->paranoid > 0) {
		check_add(findings, CHECK_WARN, name,
			  "perf_event_paranoid is %d: own processes only, no -a", m->paranoid);
		remedy_permission(findings, m);
	} else {
		check_add(findings, CHECK_OK, name, "perf_event_paranoid is %d", m->paranoid);
	}
}

static void check_namespace(struct check_findings *findings, const struct machine *m)
{
	static const char name[] = "namespace";

	if (m->first_pid_ns == ANSWER_YES) {
		check_add(findings, CHECK_OK, name, "this is the initial pid namespace");
	} else if (m->first_pid_ns == ANSWER_UNKNOWN) {
		check_add(findings, CHECK_WARN, name, "pid namespace not known");
		check_remedy(findings, "outside of containers, nothing is wrong");
	} else {
		check_add(findings, CHECK_FAIL, name,
			  "this is not the initial pid namespace: contexts carry the host's ids, "
			  "and everything else in the recording the container's");
		check_remedy(findings, "record on the host, or in a container with --pid=host; a "
				       "recording made here wants report --pid-map");
	}
}

/* ---- memory -------------------------------------------------------------------------- */

static void check_memory(struct check_findings *findings, const struct machine *m)
{
	static const char name[] = "memory";
	uint64_t limit = machine_aux_limit(m, cpu_list_count(&m->online), 128 << 10);

	if (!m->has_mlock && !machine_privileged(m)) {
		check_add(findings, CHECK_WARN, name, "perf_event_mlock_kb not known");
	} else if (limit == UINT64_MAX) {
		check_add(findings, CHECK_OK, name, "buffers may be of any size");
	} else if (limit >= SMALL_AUX_BYTES) {
		check_add(findings, CHECK_OK, name,
			  "each CPU may have %" PRIu64 " KiB of AUX buffer", limit >> 10);
	} else {
		check_add(findings, CHECK_WARN, name,
			  "each CPU may have %" PRIu64 " KiB of AUX buffer: much will be lost",
			  limit >> 10);
		check_remedy(findings,
			     "sysctl kernel.perf_event_mlock_kb=1028, ulimit -l unlimited, "
			     "or CAP_IPC_LOCK");
	}
}

void check_machine(struct check_findings *findings, const struct machine *m, const char *perf)
{
	findings->count = 0;
	if (!check_cpus(findings, m))
		return;
	check_driver(findings, m);
	check_pmus(findings, m);
	check_contexts(findings, m);
	check_permission(findings, m);
	check_namespace(findings, m);
	if (!*m->root)
		check_open(findings, m);
	check_memory(findings, m);
	check_perf(findings, m, perf);
}
