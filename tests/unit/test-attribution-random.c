/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timelines from records at random, with few ids and few moments so that
 * everything collides: the order of arrival must not matter, and every answer
 * must hold all over the span it claims.
 */
#include "attribution-events.h"
#include "../../perf-arm-spe/attribution/switches.h"
#include "../../perf-arm-spe/attribution/tasks.h"

#include <check.h>

enum { GROUPS = 8, SEEDS = 400 / THINNED(4), IDS = 7, MOMENTS = 24, CPUS = 2 };

static uint32_t state, trying;

/* Millions of checks: libcheck's own write a mark to a pipe each. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("seed %u: %s", trying, #condition);                           \
	} while (0)

static uint32_t draw(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(state >> 4) * below >> 28);
}

static int32_t draw_id(void)
{
	return (int32_t)draw(IDS + 1) - 1;
}

/* Moments far apart and close together: skew, tails and repeats all occur. */
static uint64_t moment(uint32_t i)
{
	static const uint64_t step[] = { 1, 1000, 90000, 2000000 };
	uint64_t t = 0;

	for (uint32_t k = 0; k < i; k++)
		t += step[k & 3];
	return t;
}

static void draw_task(struct events *e, uint64_t t)
{
	static const char *const names[] = { "a", "b", "c" };
	int32_t pid = draw_id(), tid = draw(3) ? pid : draw_id();

	switch (draw(6)) {
	case 0:
		event_fork(e, t, pid, tid, draw_id(), draw_id());
		break;
	case 1:
		event_exit(e, t, pid, tid);
		break;
	case 2:
		event_exec(e, t, pid, names[draw(3)]);
		break;
	case 3:
		event_comm(e, t, pid, tid, names[draw(3)]);
		break;
	case 4:
		event_mmap(e, t, pid, tid);
		break;
	default:
		event_seen(e, t, pid, tid);
	}
}

static void draw_events(struct events *e)
{
	size_t count = 1 + draw(EVENTS_MAX - 1);

	*e = (struct events){ 0 };
	while (e->count < count) {
		uint64_t t = moment(draw(MOMENTS));

		e->cpu = draw(CPUS);
		e->untimed = !draw(12);
		if (!draw(14))
			event_lost(e, t, draw_id(), draw_id());
		else if (draw(3))
			draw_task(e, t);
		else
			event_switch(e, t, draw(2), draw_id(), draw_id(), draw_id(), draw_id());
	}
}

static struct spe_tasks *make_tasks(const struct events *e, unsigned round)
{
	struct spe_tasks *tasks;
	size_t order[EVENTS_MAX];

	MUST(spe_tasks_new(&tasks) == SPE_OK);
	events_order(e, round, order);
	for (size_t i = 0; i < e->count; i++)
		MUST(spe_tasks_add(tasks, &e->all[order[i]]) == SPE_OK);
	MUST(spe_tasks_freeze(tasks) == SPE_OK);
	return tasks;
}

static struct spe_switches *make_switches(const struct events *e, unsigned round)
{
	struct spe_switches *switches;
	size_t order[EVENTS_MAX];

	MUST(spe_switches_new(&switches) == SPE_OK);
	events_order(e, round, order);
	for (size_t i = 0; i < e->count; i++)
		MUST(spe_switches_add(switches, &e->all[order[i]]) == SPE_OK);
	MUST(spe_switches_freeze(switches) == SPE_OK);
	return switches;
}

/* Names have other numbers in another order of arrival: compare the text. */
static const char *text(const struct spe_tasks *tasks, uint32_t comm)
{
	const char *name = comm == SPE_COMM_NONE ? NULL : spe_tasks_comm(tasks, comm);

	return name ? name : "";
}

static void compare_task(const struct spe_tasks *a, const struct spe_tasks *b, int32_t tid,
			 bool has_time, uint64_t t)
{
	struct spe_task x, y;

	MUST(spe_tasks_find(a, tid, has_time, t, &x) == spe_tasks_find(b, tid, has_time, t, &y));
	MUST(x.pid == y.pid);
	MUST(!strcmp(text(a, x.comm), text(b, y.comm)));
	MUST(!strcmp(text(a, x.process_comm), text(b, y.process_comm)));
	MUST(x.from_ns == y.from_ns);
	MUST(x.to_ns == y.to_ns);
	MUST(x.from_ns <= t && t < x.to_ns);
}

static void compare_spans(const struct spe_tasks *a, int32_t tid, uint64_t t)
{
	struct spe_task x, edge;
	uint64_t from, to, f, l;
	int32_t now = spe_tasks_current_tid(a, tid, true, t, &from, &to);

	spe_tasks_find(a, tid, true, t, &x);
	for (unsigned k = 0; k < 2; k++) {
		spe_tasks_find(a, tid, true, k ? x.to_ns - 1 : x.from_ns, &edge);
		MUST(edge.pid == x.pid);
		MUST(edge.comm == x.comm);
		MUST(edge.process_comm == x.process_comm);
		MUST(spe_tasks_current_tid(a, tid, true, k ? to - 1 : from, &f, &l) == now);
	}
	MUST(from <= t && t < to);
}

static void try_tasks(uint32_t seed)
{
	static struct events e;
	struct spe_tasks *first, *other;

	trying = seed;
	state = seed * 7919u + 1;
	draw_events(&e);
	first = make_tasks(&e, 0);
	for (unsigned round = 1; round < 5; round++) {
		other = make_tasks(&e, round);
		for (int32_t tid = -1; tid <= IDS; tid++) {
			MUST(spe_tasks_knows(first, tid) == spe_tasks_knows(other, tid));
			compare_task(first, other, tid, false, 0);
			for (uint32_t m = 0; m <= 2 * MOMENTS; m++) {
				uint64_t t = moment(m / 2) + (m & 1);

				compare_task(first, other, tid, true, t);
				compare_spans(first, tid, t);
			}
		}
		spe_tasks_free(other);
	}
	spe_tasks_free(first);
}

START_TEST(tasks_in_any_order)
{
	for (uint32_t i = 0; i < SEEDS; i++)
		try_tasks((uint32_t)_i * SEEDS + i);
}
END_TEST

static void compare_switch(const struct spe_switches *a, const struct spe_switches *b, int32_t cpu,
			   uint64_t t)
{
	struct spe_switch_answer x, y;

	MUST(spe_switches_find(a, cpu, t, &x) == spe_switches_find(b, cpu, t, &y));
	MUST(x.pid == y.pid);
	MUST(x.tid == y.tid);
	MUST(x.in_window == y.in_window);
	MUST(x.evidence == y.evidence);
	MUST(x.from_ns == y.from_ns);
	MUST(x.to_ns == y.to_ns);
	MUST(x.from_ns <= t && t < x.to_ns);
	spe_switches_find(a, cpu, x.from_ns, &y);
	MUST(x.tid == y.tid);
	spe_switches_find(a, cpu, x.to_ns - 1, &y);
	MUST(x.tid == y.tid);
}

static void try_switches(uint32_t seed)
{
	static struct events e;
	struct spe_switches *first, *other;

	trying = seed;
	state = seed * 104729u + 1;
	draw_events(&e);
	first = make_switches(&e, 0);
	for (unsigned round = 1; round < 5; round++) {
		other = make_switches(&e, round);
		MUST(spe_switches_count(first) == spe_switches_count(other));
		for (int32_t cpu = 0; cpu < CPUS; cpu++)
			for (uint32_t m = 0; m <= 2 * MOMENTS; m++)
				compare_switch(first, other, cpu, moment(m / 2) + (m & 1));
		spe_switches_free(other);
	}
	spe_switches_free(first);
}

START_TEST(switches_in_any_order)
{
	for (uint32_t i = 0; i < SEEDS; i++)
		try_switches((uint32_t)_i * SEEDS + i);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("attribution: at random");
	TCase *tc = tcase_create("random");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, tasks_in_any_order, 0, GROUPS);
	tcase_add_loop_test(tc, switches_in_any_order, 0, GROUPS);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
