/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timelines when memory runs out: whichever allocation fails, SPE_NOMEM comes
 * back, nothing crashes and nothing is left behind.  The allocator is replaced
 * for the whole program; sanitizers bring their own, so there it is left alone.
 */
#include "attribution-events.h"
#include "../../perf-arm-spe/attribution/switches.h"
#include "../../perf-arm-spe/attribution/tasks.h"

#include <check.h>
#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACED false
static long fail_at = -1, allocated, live;
#else
#define REPLACED true

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *old, size_t n);
void __libc_free(void *p);

static long fail_at = -1; /* how many succeed until one fails; -1: none fails */
static long allocated, live;

static bool refuse(void)
{
	allocated++;
	return fail_at >= 0 && fail_at-- == 0;
}

void *malloc(size_t n)
{
	void *p = refuse() ? NULL : __libc_malloc(n);

	live += p != NULL;
	return p;
}

void *calloc(size_t count, size_t n)
{
	void *p = refuse() ? NULL : __libc_calloc(count, n);

	live += p != NULL;
	return p;
}

void *realloc(void *old, size_t n)
{
	void *p = refuse() ? NULL : __libc_realloc(old, n);

	live += p && !old;
	return p;
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}
#endif

static void make_events(struct events *e)
{
	*e = (struct events){ 0 };
	event_comm(e, 0, 100, 100, "alpha");
	event_fork(e, 0, 101, 101, 100, 100);
	event_comm(e, 50, 100, 102, "name-of-its-own");
	event_fork(e, 100, 200, 200, 100, 100);
	event_fork(e, 110, 200, 201, 200, 200);
	event_exec(e, 120, 200, "beta");
	event_mmap(e, 130, 200, 201);
	event_switch(e, 140, true, 100, 100, 200, 200);
	event_switch(e, 150, false, 200, 200, 100, 100);
	event_exit(e, 160, 200, 201);
	event_lost(e, 170, 200, 200);
	event_exit(e, 180, 300, 201);
	e->cpu = 40;
	event_switch(e, 190, true, 100, 100, 300, 300);
}

/* Enough lives and sightings that every array has to grow. */
static int feed_tasks(struct spe_tasks *tasks, const struct events *e)
{
	int status = SPE_OK;

	for (size_t i = 0; !status && i < e->count; i++)
		status = spe_tasks_add(tasks, &e->all[i]);
	for (int32_t tid = 1; !status && tid < 600; tid++)
		status = spe_tasks_add_pair(tasks, 1 + tid / 2, tid, true, 1000 + (uint64_t)tid,
					    tid & 1 ? "odd" : "even");
	return status ? status : spe_tasks_freeze(tasks);
}

static int feed_switches(struct spe_switches *switches, const struct events *e)
{
	int status = SPE_OK;

	for (size_t i = 0; !status && i < e->count; i++)
		status = spe_switches_add(switches, &e->all[i]);
	for (int32_t tid = 1; !status && tid < 600; tid++)
		status = spe_switches_add_sched(switches, (uint32_t)tid & 7, 1000 + (uint64_t)tid,
						tid, tid + 1);
	return status ? status : spe_switches_freeze(switches);
}

static int run_tasks(const struct events *e)
{
	struct spe_tasks *tasks;
	int status = spe_tasks_new(&tasks);

	if (status)
		return status;
	status = feed_tasks(tasks, e);
	spe_tasks_free(tasks);
	return status;
}

static int run_switches(const struct events *e)
{
	struct spe_switches *switches;
	int status = spe_switches_new(&switches);

	if (status)
		return status;
	status = feed_switches(switches, e);
	spe_switches_free(switches);
	return status;
}

/* Sorting does without memory, so a refusal may pass unnoticed; a failure is SPE_NOMEM. */
static void refuse_each(int (*run)(const struct events *e))
{
	static struct events e;
	long total, refused = 0;

	make_events(&e);
	allocated = 0;
	ck_assert_int_eq(run(&e), SPE_OK);
	total = allocated;
	if (!total) {
		printf("skipped: the allocator cannot be replaced here\n");
		return;
	}
	for (long n = 0; n < total; n++) {
		long before = live;
		int status;

		fail_at = n;
		status = run(&e);
		fail_at = -1;
		ck_assert_msg(live == before, "refusal %ld leaves %ld behind", n, live - before);
		ck_assert(status == SPE_OK || status == SPE_NOMEM);
		refused += status == SPE_NOMEM;
	}
	ck_assert_int_gt(refused, 10);
}

START_TEST(tasks_without_memory)
{
	refuse_each(run_tasks);
}
END_TEST

START_TEST(switches_without_memory)
{
	refuse_each(run_switches);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("attribution: no memory");
	TCase *tc = tcase_create("nomem");
	SRunner *runner;
	int failed;

	if (!REPLACED) {
		fail_at = allocated = live = 0;
		printf("skipped: the sanitizer has its own allocator\n");
	}
	tcase_add_test(tc, tasks_without_memory);
	tcase_add_test(tc, switches_without_memory);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
