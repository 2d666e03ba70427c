/* SPDX-License-Identifier: GPL-2.0-only */
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TASK_CPUS 4 /* CPUs that a recording of some tasks is taken to keep busy */
#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define AUX_TOTAL (256 * MIB)  /* of all CPUs: what a server can spare */
#define AUX_MOST (4 * MIB)     /* a CPU; perf's own choice for root */
#define AUX_LEAST (256 * KIB)  /* where nothing limits us */
#define AUX_SMALLEST (8 * KIB) /* perf takes nothing smaller */
#define DATA_BYTES (128 * KIB) /* of the other buffer, where both share a limit */
#define PERIOD_PER_CPU 4096
#define WORDS_OWN 16 /* words of ours, at most */

static uint64_t power_of_two_below(uint64_t value)
{
	uint64_t power = 1;

	while (power <= value / 2)
		power *= 2;
	return power;
}

static unsigned cpus_recorded(const struct machine *m, const struct record_wishes *wishes,
			      bool system_wide)
{
	struct cpu_list cpus = { { 0 } };
	unsigned count = cpu_list_count(&m->online);

	if (wishes->cpus && cpu_list_add(&cpus, wishes->cpus))
		return cpu_list_count(&cpus);
	if (!count || (!system_wide && count > TASK_CPUS))
		return TASK_CPUS;
	return count;
}

/*
 * A CPU does some 6e9 operations a second, and a record has 64 bytes: with
 * 4096 operations a record for each CPU, a machine of any size writes less
 * than 100 MB a second.
 */
static void choose_period(struct record_plan *plan, const struct machine *m, unsigned cpus)
{
	uint64_t period = power_of_two_below((uint64_t)cpus * PERIOD_PER_CPU * 2 - 1);

	for (size_t i = 0; i < m->pmu_count; i++)
		while (m->pmus[i].min_interval > (int64_t)period)
			period *= 2;
	snprintf(plan->period, sizeof(plan->period), "%" PRIu64, period);
}

static void size_print(char *text, size_t size, const char *before, uint64_t bytes)
{
	if (bytes % MIB)
		snprintf(text, size, "%s,%" PRIu64 "K", before, bytes / KIB);
	else
		snprintf(text, size, "%s,%" PRIu64 "M", before, bytes / MIB);
}

/* Buffers lie on all CPUs even when tasks are recorded: these may run anywhere. */
static void choose_pages(struct record_plan *plan, const struct machine *m)
{
	unsigned cpus = cpu_list_count(&m->online);
	uint64_t limit = machine_aux_limit(m, cpus, DATA_BYTES);
	uint64_t bytes = power_of_two_below(AUX_TOTAL / (cpus ? cpus : 1));

	bytes = bytes > AUX_MOST ? AUX_MOST : bytes < AUX_LEAST ? AUX_LEAST : bytes;
	if (limit == UINT64_MAX) {
		size_print(plan->pages, sizeof(plan->pages), "", bytes);
	} else if (limit >= AUX_SMALLEST) {
		bytes = bytes > limit ? power_of_two_below(limit) : bytes;
		size_print(plan->pages, sizeof(plan->pages), "128K", bytes);
	} else {
		bytes = 0;
	}
	plan->aux_bytes = bytes;
}

/* One unit by its name; several by what they have in common, which perf takes for all. */
static void choose_event(struct record_plan *plan, const struct machine *m)
{
	bool jitter = m->pmu_count > 0;

	for (size_t i = 0; i < m->pmu_count; i++)
		jitter = jitter && m->pmus[i].jitter;
	snprintf(plan->event, sizeof(plan->event), "%s/ts_enable=1%s/",
		 m->pmu_count == 1 ? m->pmus[0].name : "arm_spe", jitter ? ",jitter=1" : "");
}

static void add(struct record_plan *plan, const char *word)
{
	plan->argv[plan->argc++] = word;
}

static void add_option(struct record_plan *plan, const char *option, const char *value)
{
	if (!value || !*value)
		return;
	add(plan, option);
	add(plan, value);
}

static void add_all(struct record_plan *plan, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(plan, words[i]);
}

int record_plan_make(struct record_plan *plan, const struct machine *machine,
		     const struct record_wishes *wishes)
{
	size_t room = WORDS_OWN + wishes->word_count + wishes->workload_count + 1;

	*plan = (struct record_plan){ .contexts = machine_gives_contexts(machine) };
	plan->argv = calloc(room, sizeof(*plan->argv));
	if (!plan->argv)
		return 1;
	plan->system_wide = wishes->all_cpus || (wishes->cpus && !wishes->tasks) ||
			    (!wishes->tasks && !wishes->workload_count);
	choose_event(plan, machine);
	choose_period(plan, machine, cpus_recorded(machine, wishes, plan->system_wide));
	choose_pages(plan, machine);

	add(plan, wishes->perf);
	add(plan, "record");
	add_option(plan, "-e", wishes->event ? wishes->event : plan->event);
	add_option(plan, "-c", wishes->period ? wishes->period : plan->period);
	add_option(plan, "-m", wishes->pages ? wishes->pages : plan->pages);
	if (!wishes->switches_said)
		add(plan, plan->contexts == ANSWER_YES ? "--no-switch-events" : "--switch-events");
	if (plan->system_wide && !wishes->cpus)
		add(plan, "-a");
	add_option(plan, "-C", wishes->cpus);
	add_option(plan, "-o", wishes->output);
	add_all(plan, wishes->words, wishes->word_count);
	if (wishes->workload_count)
		add(plan, "--");
	add_all(plan, wishes->workload, wishes->workload_count);
	return 0;
}

void record_plan_free(struct record_plan *plan)
{
	free(plan->argv);
}

/* A word as the shell reads it again. */
static void print_word(const char *word, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%^";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

void record_plan_print(const struct record_plan *plan, FILE *out)
{
	for (size_t i = 0; i < plan->argc; i++) {
		if (i)
			fputc(' ', out);
		print_word(plan->argv[i], out);
	}
	fputc('\n', out);
}

const char *record_reason(const struct machine *m)
{
	if (m->config.contextidr != KERNEL_OPTION_UNKNOWN &&
	    m->config.contextidr != KERNEL_OPTION_YES)
		return "the kernel was built without CONFIG_PID_IN_CONTEXTIDR";
	if (machine_sees_contexts(m) == ANSWER_NO)
		return "contexts want the right to see the kernel (CAP_PERFMON)";
	if (m->first_pid_ns == ANSWER_NO)
		return "contexts carry the ids of the host, and this is a container";
	if (m->config.contextidr == KERNEL_OPTION_UNKNOWN)
		return "whether the kernel has CONFIG_PID_IN_CONTEXTIDR is not known";
	return "whether this process may have contexts is not known";
}
