/* SPDX-License-Identifier: GPL-2.0-only */
/* Does an SPE event really open?  Needs libperf. */
#include "check.h"

#ifdef HAVE_LIBPERF
#include <errno.h>
#include <linux/perf_event.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <string.h>

#define PERIOD 65536

static const struct {
	int number;
	const char *text, *remedy;
} refusals[] = {
	{ EACCES, "permission denied",
	  "root, CAP_PERFMON, or sysctl kernel.perf_event_paranoid=-1" },
	{ EPERM, "not permitted",
	  "root or CAP_PERFMON; in a container also a seccomp profile that allows "
	  "perf_event_open" },
	{ EBUSY, "the unit is in use",
	  "end the other recording; some kernels use SPE themselves (memory sampling for NUMA "
	  "balancing)" },
	{ ENOSYS, "the kernel has no perf_event_open", "boot a kernel with CONFIG_PERF_EVENTS" },
	{ ENODEV, "the PMU has no such CPU", "compare cpumask of the PMU with the CPUs online" },
};

static int open_event(const struct machine *m, const struct machine_pmu *pmu)
{
	bool cpus_too = machine_sees_cpus(m) == ANSWER_YES && pmu->has_cpus;
	struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER5,
		.type = (uint32_t)pmu->type,
		.config = 1, /* ts_enable */
		.sample_period = PERIOD,
		.disabled = 1,
		.exclude_kernel = machine_sees_contexts(m) != ANSWER_YES,
		.exclude_hv = 1,
	};
	struct perf_evsel *evsel = perf_evsel__new(&attr);
	struct perf_thread_map *self = NULL;
	struct perf_cpu_map *cpus = NULL;
	char text[8192];
	int failed = -ENOMEM;

	/* Where not all CPUs are open to us: this thread, wherever it runs. */
	if (cpus_too) {
		cpu_list_print(&pmu->cpus, text, sizeof(text));
		cpus = perf_cpu_map__new(text);
	} else {
		self = perf_thread_map__new_dummy();
		if (self)
			perf_thread_map__set_pid(self, 0, 0);
	}
	if (evsel && (cpus || self)) {
		failed = perf_evsel__open(evsel, cpus, self);
		perf_evsel__close(evsel);
	}
	perf_evsel__delete(evsel);
	perf_cpu_map__put(cpus);
	perf_thread_map__put(self);
	return failed;
}

static void check_opens(struct check_findings *findings, const struct machine *m,
			const struct machine_pmu *pmu)
{
	int number = -open_event(m, pmu);

	if (!number) {
		check_add(findings, CHECK_OK, "open", "an event of %s opens", pmu->name);
		return;
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].number == number) {
			check_add(findings, CHECK_FAIL, "open", "an event of %s does not open: %s",
				  pmu->name, refusals[i].text);
			check_remedy(findings, "%s", refusals[i].remedy);
			return;
		}
	check_add(findings, CHECK_FAIL, "open", "an event of %s does not open: %s", pmu->name,
		  strerror(number));
	check_remedy(findings, "dmesg may say more");
}

void check_open(struct check_findings *findings, const struct machine *m)
{
	/* Rights of perf's own file are not ours: nothing to be learnt. */
	for (size_t i = 0; i < m->pmu_count && !m->program_caps; i++)
		if (m->pmus[i].type >= 0)
			check_opens(findings, m, &m->pmus[i]);
}
#else
void check_open(struct check_findings *findings, const struct machine *m)
{
	if (m->pmu_count)
		check_add(findings, CHECK_WARN, "open",
			  "whether an event opens was not tried: built without libperf");
}
#endif
