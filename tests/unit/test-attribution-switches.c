/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch timelines: every rule of docs/attribution.md about SWITCH, LOST and sched_switch. */
#include "attribution-events.h"
#include "../../perf-arm-spe/attribution/switches.h"

#include <check.h>
#include <stdio.h>

#define NOBODY -1

struct want {
	int32_t cpu;
	uint64_t time_ns;
	int32_t pid, tid;
	uint8_t evidence;
	bool in_window;
};

/* A sched_switch hit, fed besides the records. */
struct hit {
	uint32_t cpu;
	uint64_t time_ns;
	int32_t prev, next;
};

static struct spe_switches *timeline(const struct events *e, unsigned round, const struct hit *hits,
				     size_t hit_count)
{
	struct spe_switches *switches;
	size_t order[EVENTS_MAX];

	ck_assert_int_eq(spe_switches_new(&switches), SPE_OK);
	events_order(e, round, order);
	for (size_t i = 0; i < e->count; i++)
		ck_assert_int_eq(spe_switches_add(switches, &e->all[order[i]]), SPE_OK);
	for (size_t i = 0; i < hit_count; i++) {
		const struct hit *h = &hits[round & 1 ? hit_count - 1 - i : i];

		ck_assert_int_eq(spe_switches_add_sched(switches, h->cpu, h->time_ns, h->prev,
							h->next),
				 SPE_OK);
	}
	ck_assert_int_eq(spe_switches_freeze(switches), SPE_OK);
	return switches;
}

static void check_same(const struct spe_switch_answer *a, const struct spe_switch_answer *b)
{
	ck_assert_int_eq(a->pid, b->pid);
	ck_assert_int_eq(a->tid, b->tid);
	ck_assert_int_eq(a->evidence, b->evidence);
	ck_assert_int_eq(a->in_window, b->in_window);
	ck_assert_uint_eq(a->from_ns, b->from_ns);
	ck_assert_uint_eq(a->to_ns, b->to_ns);
}

static void check_want(const struct spe_switches *switches, const struct want *w)
{
	struct spe_switch_answer got, edge;
	int status = spe_switches_find(switches, w->cpu, w->time_ns, &got);

	ck_assert_int_eq(status, w->evidence ? SPE_OK : SPE_NOT_FOUND);
	ck_assert_msg(got.tid == w->tid && got.pid == w->pid,
		      "cpu %d at %llu: %d/%d runs, not %d/%d", w->cpu,
		      (unsigned long long)w->time_ns, got.pid, got.tid, w->pid, w->tid);
	ck_assert_msg(got.in_window == w->in_window, "cpu %d at %llu: window", w->cpu,
		      (unsigned long long)w->time_ns);
	ck_assert_int_eq(got.evidence, w->evidence);
	ck_assert(got.from_ns <= w->time_ns && w->time_ns < got.to_ns);
	spe_switches_find(switches, w->cpu, got.from_ns, &edge);
	check_same(&edge, &got);
	spe_switches_find(switches, w->cpu, got.to_ns - 1, &edge);
	check_same(&edge, &got);
}

static void check_all(const struct events *e, const struct hit *hits, size_t hit_count,
		      const struct want *wants, size_t count)
{
	for (unsigned round = 0; round < EVENT_ORDERS; round++) {
		struct spe_switches *switches = timeline(e, round, hits, hit_count);

		for (size_t i = 0; i < count; i++)
			check_want(switches, &wants[i]);
		spe_switches_free(switches);
	}
}

#define CHECK_HITS(e, hits, hit_count, ...)                                                        \
	do {                                                                                       \
		static const struct want wants_[] = { __VA_ARGS__ };                               \
		check_all(e, hits, hit_count, wants_, sizeof(wants_) / sizeof(wants_[0]));         \
	} while (0)

#define CHECK(e, ...) CHECK_HITS(e, NULL, 0, __VA_ARGS__)

#define RUNS(cpu, t, pid, tid)                                                                     \
	{                                                                                          \
		cpu, t, pid, tid, SPE_EVIDENCE_SWITCH, false                                       \
	}
#define WINDOW(cpu, t, pid, tid)                                                                   \
	{                                                                                          \
		cpu, t, pid, tid, SPE_EVIDENCE_SWITCH, true                                        \
	}
#define SCHED(cpu, t, pid, tid)                                                                    \
	{                                                                                          \
		cpu, t, pid, tid, SPE_EVIDENCE_SCHED, false                                        \
	}
#define UNKNOWN(cpu, t)                                                                            \
	{                                                                                          \
		cpu, t, NOBODY, NOBODY, SPE_EVIDENCE_NONE, false                                   \
	}

/* One whole switch: out at t, in at t + 10. */
static void event_turn(struct events *e, uint64_t t, int32_t from_pid, int32_t from_tid,
		       int32_t to_pid, int32_t to_tid)
{
	event_switch(e, t, true, from_pid, from_tid, to_pid, to_tid);
	event_switch(e, t + 10, false, to_pid, to_tid, from_pid, from_tid);
}

/* c18: before, at and after; the owner changes with the OUT, the window ends with the IN. */
START_TEST(before_at_and_after)
{
	static struct events e;

	e = (struct events){ .cpu = 2 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	event_turn(&e, 2000, 200, 201, 0, 0);
	CHECK(&e, RUNS(2, 0, 100, 100), RUNS(2, 999, 100, 100), WINDOW(2, 1000, 200, 201),
	      WINDOW(2, 1009, 200, 201), RUNS(2, 1010, 200, 201), RUNS(2, 1999, 200, 201),
	      WINDOW(2, 2005, 0, 0), RUNS(2, 2010, 0, 0), RUNS(2, UINT64_MAX - 1, 0, 0),
	      UNKNOWN(1, 1500), UNKNOWN(3, 1500), UNKNOWN(-1, 1500), UNKNOWN(INT32_MAX, 0));
}
END_TEST

/* The first record of a CPU may be an IN: its `prev` had been running. */
START_TEST(first_record_is_an_in)
{
	static struct events e;

	e = (struct events){ 0 };
	event_switch(&e, 1000, false, 200, 201, 100, 100);
	CHECK(&e, RUNS(0, 999, 100, 100), RUNS(0, 1000, 200, 201));
}
END_TEST

/* The preempt flag tells why, not who. */
START_TEST(preemption_is_a_switch)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	e.all[0].misc |= SPE_MISC_SWITCH_OUT_PREEMPT;
	CHECK(&e, RUNS(0, 999, 100, 100), RUNS(0, 1010, 200, 201));
}
END_TEST

START_TEST(cpus_are_apart)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	e.cpu = 1;
	event_turn(&e, 1500, 300, 300, 100, 100);
	CHECK(&e, RUNS(0, 1400, 200, 201), RUNS(1, 1400, 300, 300), RUNS(1, 1600, 100, 100),
	      RUNS(0, 1600, 200, 201));
}
END_TEST

/* Records of equal time stand as they were written. */
START_TEST(equal_times)
{
	static struct events e;

	e = (struct events){ 0 };
	event_switch(&e, 1000, true, 100, 100, 200, 200);
	event_switch(&e, 1000, false, 200, 200, 100, 100);
	event_switch(&e, 1000, true, 200, 200, 300, 300);
	event_switch(&e, 1000, false, 300, 300, 200, 200);
	CHECK(&e, RUNS(0, 999, 100, 100), RUNS(0, 1000, 300, 300));
}
END_TEST

/* The hole runs from the record before LOST to the next switch record; any record will do. */
START_TEST(lost_makes_a_hole)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	event_comm(&e, 1500, 200, 201, "x");
	event_lost(&e, 4000, 300, 300);
	event_seen(&e, 4000, 300, 300);
	event_turn(&e, 5000, 300, 300, 400, 400);
	e.cpu = 1;
	event_turn(&e, 1100, 7, 7, 8, 8);
	CHECK(&e, RUNS(0, 1499, 200, 201), UNKNOWN(0, 1500), UNKNOWN(0, 4500), UNKNOWN(0, 4999),
	      WINDOW(0, 5000, 400, 400), RUNS(0, 6000, 400, 400), RUNS(1, 4500, 8, 8));
}
END_TEST

/* LOST and the record that found room again carry the same time. */
START_TEST(lost_at_the_time_of_a_switch)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	event_lost(&e, 3000, 300, 300);
	event_switch(&e, 3000, false, 300, 300, 400, 400);
	event_lost(&e, 5000, 600, 600); /* to the end of the recording */
	CHECK(&e, WINDOW(0, 1009, 200, 201), UNKNOWN(0, 1010), UNKNOWN(0, 2999), UNKNOWN(0, 3000),
	      UNKNOWN(0, 9000));
}
END_TEST

START_TEST(lost_first_of_all)
{
	static struct events e;

	e = (struct events){ 0 };
	event_lost(&e, 900, 100, 100);
	event_turn(&e, 1000, 100, 100, 200, 201);
	CHECK(&e, UNKNOWN(0, 0), UNKNOWN(0, 999), RUNS(0, 1010, 200, 201));
}
END_TEST

START_TEST(throttle_breaks)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	event_new(&e, SPE_PERF_THROTTLE, 2000, 200, 201);
	event_new(&e, SPE_PERF_UNTHROTTLE, 3000, 200, 201);
	event_turn(&e, 4000, 200, 201, 100, 100);
	CHECK(&e, RUNS(0, 1999, 200, 201), UNKNOWN(0, 2000), UNKNOWN(0, 3999),
	      RUNS(0, 4010, 100, 100));
}
END_TEST

/* Records that do not fit together: something is missing though no LOST says so. */
START_TEST(missing_records)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	event_turn(&e, 2000000, 300, 300, 400, 400);          /* who switched 201 out? */
	event_switch(&e, 3000000, true, 400, 400, 500, 500);  /* no IN of 500 ... */
	event_switch(&e, 4000000, true, 500, 500, 600, 600);  /* ... but it agrees */
	event_switch(&e, 5000000, false, 700, 700, 600, 600); /* 700 came without an OUT */
	event_switch(&e, 6000000, false, 800, 800, 700, 700);
	CHECK(&e, UNKNOWN(0, 1500), WINDOW(0, 2000005, 400, 400), RUNS(0, 3500000, 500, 500),
	      UNKNOWN(0, 4500000), RUNS(0, 5500000, 700, 700), RUNS(0, 6500000, 800, 800));
}
END_TEST

/* Dying tasks show as -1: they neither own nor contradict. */
START_TEST(dying_tasks)
{
	static struct events e;

	e = (struct events){ 0 };
	event_switch(&e, 900, false, 200, 201, -1, -1);
	event_switch(&e, 1000, true, -1, -1, 300, 300);
	event_switch(&e, 1010, false, 300, 300, -1, -1);
	event_switch(&e, 2000, true, 300, 300, 400, 400);
	event_switch(&e, 2010, false, -1, -1, 300, 300); /* its trailer came too late */
	event_switch(&e, 3000, true, 400, 400, 500, 500);
	CHECK(&e, UNKNOWN(0, 800), RUNS(0, 950, 200, 201), WINDOW(0, 1005, 300, 300),
	      RUNS(0, 1020, 300, 300), WINDOW(0, 2005, 400, 400), RUNS(0, 2500, 400, 400));
}
END_TEST

/* Outside of perf's namespace a task shows as 0, and so does idle. */
START_TEST(outside_tasks)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 5, 5, 0, 0);
	event_turn(&e, 2000, 0, 0, 0, 0);
	event_turn(&e, 3000, 0, 0, 6, 6);
	CHECK(&e, RUNS(0, 1500, 0, 0), RUNS(0, 2500, 0, 0), RUNS(0, 3500, 6, 6));
}
END_TEST

static void event_plain(struct events *e, uint64_t t, bool out, int32_t pid, int32_t tid)
{
	struct spe_perf_event *event = event_new(e, SPE_PERF_SWITCH, t, pid, tid);

	event->misc = out ? SPE_MISC_SWITCH_OUT : 0;
	event->u.sw.out = out;
	event->u.sw.next_prev_pid = event->u.sw.next_prev_tid = -1;
}

/* Events of single tasks write SWITCH: between an out and the next in it was somebody else. */
START_TEST(events_of_tasks)
{
	static struct events e;

	e = (struct events){ 0 };
	event_plain(&e, 1000, false, 100, 100);
	event_plain(&e, 2000, true, 100, 100);
	event_plain(&e, 3000, false, 100, 101);
	event_plain(&e, 4000, true, 100, 101);
	event_plain(&e, 5000, true, 100, 102); /* its in is missing */
	CHECK(&e, UNKNOWN(0, 500), RUNS(0, 1500, 100, 100), UNKNOWN(0, 2500),
	      RUNS(0, 3500, 100, 101), UNKNOWN(0, 4500), UNKNOWN(0, 6000));
}
END_TEST

/* Two events that both write switches. */
START_TEST(repeated_records)
{
	static struct events e;

	e = (struct events){ 0 };
	event_switch(&e, 1000, true, 100, 100, 200, 200);
	event_switch(&e, 1001, true, 100, 100, 200, 200);
	event_switch(&e, 1010, false, 200, 200, 100, 100);
	event_switch(&e, 1012, false, 200, 200, 100, 100);
	CHECK(&e, RUNS(0, 999, 100, 100), WINDOW(0, 1000, 200, 200), WINDOW(0, 1005, 200, 200),
	      RUNS(0, 1011, 200, 200), RUNS(0, 5000, 200, 200));
}
END_TEST

START_TEST(no_place_without_cpu_or_time)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 200);
	e.all[0].id.present = SPE_SAMPLE_TID | SPE_SAMPLE_TIME;
	e.all[1].id.present = SPE_SAMPLE_TID | SPE_SAMPLE_CPU;
	event_turn(&e, 1000, 100, 100, 200, 200);
	e.all[2].id.cpu = e.all[3].id.cpu = UINT32_MAX;
	CHECK(&e, UNKNOWN(0, 500), UNKNOWN(0, 1500), UNKNOWN(-1, 1500));
}
END_TEST

/* sched_switch where SWITCH does not know; SWITCH first. */
START_TEST(sched_fills_in)
{
	static const struct hit hits[] = {
		{ 1, 1000, 50, 60 }, { 1, 2000, 60, 0 },   { 1, 3000, 0, 70 },
		{ 1, 4000, 71, 72 }, { 0, 995, 100, 201 }, { 0, 2000, 201, 202 },
	};
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	CHECK_HITS(&e, hits, 6, SCHED(1, 10, -1, 50), SCHED(1, 1000, -1, 60), SCHED(1, 2500, 0, 0),
		   UNKNOWN(1, 3500), SCHED(1, 4500, -1, 72), RUNS(0, 999, 100, 100),
		   RUNS(0, 2500, 200, 201));
}
END_TEST

START_TEST(lost_breaks_sched_too)
{
	static const struct hit hits[] = { { 0, 1000, 50, 60 }, { 0, 4000, 60, 70 } };
	static struct events e;

	e = (struct events){ 0 };
	event_new(&e, SPE_PERF_SAMPLE, 1000, 50, 50);
	event_lost(&e, 3000, 60, 60);
	event_new(&e, SPE_PERF_SAMPLE, 4000, 60, 60);
	CHECK_HITS(&e, hits, 2, SCHED(0, 999, -1, 50), UNKNOWN(0, 1000), UNKNOWN(0, 3999),
		   SCHED(0, 4000, -1, 70));
}
END_TEST

START_TEST(what_there_is)
{
	static const struct hit hits[] = { { 0, 1000, 50, 60 } };
	static struct events e;
	struct spe_switches *s;

	e = (struct events){ 0 };
	s = timeline(&e, 0, NULL, 0);
	ck_assert_uint_eq(spe_switches_count(s), 0);
	ck_assert(!spe_switches_have(s, SPE_EVIDENCE_SWITCH));
	ck_assert(!spe_switches_have(s, SPE_EVIDENCE_SCHED));
	spe_switches_free(s);
	s = timeline(&e, 0, hits, 1);
	ck_assert(!spe_switches_have(s, SPE_EVIDENCE_SWITCH));
	ck_assert(spe_switches_have(s, SPE_EVIDENCE_SCHED));
	spe_switches_free(s);
	event_turn(&e, 1000, 100, 100, 200, 201);
	s = timeline(&e, 0, hits, 1);
	ck_assert_uint_eq(spe_switches_count(s), 3);
	ck_assert(spe_switches_have(s, SPE_EVIDENCE_SWITCH));
	ck_assert(!spe_switches_have(s, SPE_EVIDENCE_CONTEXT));
	spe_switches_free(s);
	spe_switches_free(NULL);
}
END_TEST

/* A ring of tasks on several CPUs: every slice belongs to whom it was given. */
START_TEST(many_switches)
{
	enum { CPUS = 3, TURNS = 40000, TASKS = 977 };
	static struct events e;
	struct spe_switches *s;
	struct spe_switch_answer a;
	bool failed = false;

	ck_assert_int_eq(spe_switches_new(&s), SPE_OK);
	for (int32_t i = 0; i < TURNS; i++) {
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			int32_t from = 1 + i % TASKS, to = 1 + (i + 1) % TASKS;

			e = (struct events){ .cpu = cpu };
			event_turn(&e, 1000 * (uint64_t)(i + 1) + cpu, from, from, to, to);
			e.all[0].sequence = 2 * (uint64_t)i;
			e.all[1].sequence = 2 * (uint64_t)i + 1;
			failed |= spe_switches_add(s, &e.all[1]) != SPE_OK;
			failed |= spe_switches_add(s, &e.all[0]) != SPE_OK;
		}
	}
	ck_assert(!failed);
	ck_assert_int_eq(spe_switches_freeze(s), SPE_OK);
	ck_assert_uint_eq(spe_switches_count(s), (size_t)CPUS * TURNS * 2);
	for (int32_t i = 0; i < TURNS; i++) {
		failed |= spe_switches_find(s, i % CPUS, 1000 * (uint64_t)(i + 1) + 500, &a) !=
			  SPE_OK;
		failed |= a.in_window || a.tid != 1 + (i + 1) % TASKS;
	}
	ck_assert(!failed);
	spe_switches_free(s);
}
END_TEST

/* A thread came, executed a program and left as its leader: still one and the same. */
START_TEST(exec_by_a_thread)
{
	static struct events e;

	e = (struct events){ 0 };
	event_turn(&e, 1000000, 0, 0, 900, 902);
	event_turn(&e, 2000000, 900, 900, 0, 0);
	event_turn(&e, 3000000, 0, 0, 900, 900);
	event_turn(&e, 4000000, 900, 902, 0, 0); /* but not the other way round */
	CHECK(&e, RUNS(0, 1500000, 900, 902), RUNS(0, 2500000, 0, 0), UNKNOWN(0, 3500000));
}
END_TEST

/* The recorder was killed: the trace may go on after the side-band ends. */
START_TEST(cut_recording)
{
	static struct events e;
	struct spe_switches *s;
	struct want wants[] = { WINDOW(0, 1005, 200, 201), UNKNOWN(0, 1010), UNKNOWN(0, 9999),
				RUNS(1, 2499, 8, 8), UNKNOWN(1, 2500) };

	e = (struct events){ 0 };
	event_turn(&e, 1000, 100, 100, 200, 201);
	e.cpu = 1;
	event_turn(&e, 1000, 7, 7, 8, 8);
	event_seen(&e, 2500, 8, 8);
	ck_assert_int_eq(spe_switches_new(&s), SPE_OK);
	for (size_t i = 0; i < e.count; i++)
		ck_assert_int_eq(spe_switches_add(s, &e.all[i]), SPE_OK);
	spe_switches_cut(s);
	ck_assert_int_eq(spe_switches_freeze(s), SPE_OK);
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		check_want(s, &wants[i]);
	spe_switches_free(s);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		before_at_and_after,
		first_record_is_an_in,
		preemption_is_a_switch,
		cpus_are_apart,
		equal_times,
		lost_makes_a_hole,
		lost_at_the_time_of_a_switch,
		lost_first_of_all,
		throttle_breaks,
		missing_records,
		dying_tasks,
		outside_tasks,
		events_of_tasks,
		repeated_records,
		no_place_without_cpu_or_time,
		sched_fills_in,
		lost_breaks_sched_too,
		exec_by_a_thread,
		cut_recording,
		what_there_is,
		many_switches,
	};
	Suite *s = suite_create("attribution: switches");
	TCase *tc = tcase_create("switches");

	tcase_set_timeout(tc, 120);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(tc, tests[i]);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
