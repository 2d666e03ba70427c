/* SPDX-License-Identifier: GPL-2.0-only */
/* The task timeline: every rule of docs/attribution.md about ids, processes and names. */
#include "attribution-events.h"
#include "../../perf-arm-spe/attribution/tasks.h"

#include <check.h>
#include <stdio.h>

#define MS 1000000ull
#define S 1000000000ull

/* What a test expects at a time: comm NULL is "not known". */
struct want {
	int32_t tid;
	uint64_t time_ns;
	int32_t pid;
	const char *comm;
	const char *process_comm;
};

static struct spe_tasks *timeline(const struct events *e, unsigned round)
{
	struct spe_tasks *tasks;
	size_t order[EVENTS_MAX];

	ck_assert_int_eq(spe_tasks_new(&tasks), SPE_OK);
	events_order(e, round, order);
	for (size_t i = 0; i < e->count; i++)
		ck_assert_int_eq(spe_tasks_add(tasks, &e->all[order[i]]), SPE_OK);
	ck_assert_int_eq(spe_tasks_freeze(tasks), SPE_OK);
	return tasks;
}

static void check_comm(const struct spe_tasks *tasks, uint32_t comm, const char *want,
		       const struct want *w, const char *what)
{
	const char *got = comm == SPE_COMM_NONE ? NULL : spe_tasks_comm(tasks, comm);

	ck_assert(got || comm == SPE_COMM_NONE);
	ck_assert_msg(!got == !want && (!got || !strcmp(got, want)),
		      "tid %d at %llu: %s is %s, not %s", w->tid, (unsigned long long)w->time_ns,
		      what, got ? got : "unknown", want ? want : "unknown");
}

static void check_same(const struct spe_task *a, const struct spe_task *b)
{
	ck_assert_int_eq(a->pid, b->pid);
	ck_assert_uint_eq(a->comm, b->comm);
	ck_assert_uint_eq(a->process_comm, b->process_comm);
	ck_assert_uint_eq(a->from_ns, b->from_ns);
	ck_assert_uint_eq(a->to_ns, b->to_ns);
	ck_assert_uint_eq(a->process, b->process);
}

/* The answer, and that it is the same all over the span it claims. */
static void check_want(const struct spe_tasks *tasks, const struct want *w)
{
	struct spe_task task, edge;
	int status = spe_tasks_find(tasks, w->tid, true, w->time_ns, &task);

	ck_assert_int_eq(status, w->pid > 0 || w->comm || !w->tid ? SPE_OK : SPE_NOT_FOUND);
	ck_assert_msg(task.pid == w->pid, "tid %d at %llu: pid is %d, not %d", w->tid,
		      (unsigned long long)w->time_ns, task.pid, w->pid);
	check_comm(tasks, task.comm, w->comm, w, "name");
	check_comm(tasks, task.process_comm, w->process_comm, w, "process name");
	ck_assert(task.from_ns <= w->time_ns && w->time_ns < task.to_ns);
	spe_tasks_find(tasks, w->tid, true, task.from_ns, &edge);
	check_same(&edge, &task);
	spe_tasks_find(tasks, w->tid, true, task.to_ns - 1, &edge);
	check_same(&edge, &task);
}

static void check_all(const struct events *e, const struct want *wants, size_t count)
{
	for (unsigned round = 0; round < EVENT_ORDERS; round++) {
		struct spe_tasks *tasks = timeline(e, round);

		for (size_t i = 0; i < count; i++)
			check_want(tasks, &wants[i]);
		spe_tasks_free(tasks);
	}
}

#define CHECK(e, ...)                                                                              \
	do {                                                                                       \
		static const struct want wants_[] = { __VA_ARGS__ };                               \
		check_all(e, wants_, sizeof(wants_) / sizeof(wants_[0]));                          \
	} while (0)

static void check_current(const struct events *e, int32_t tid, uint64_t time_ns, int32_t want)
{
	for (unsigned round = 0; round < EVENT_ORDERS; round++) {
		struct spe_tasks *tasks = timeline(e, round);
		uint64_t from, to, f, t;

		ck_assert_int_eq(spe_tasks_current_tid(tasks, tid, true, time_ns, &from, &to),
				 want);
		ck_assert(from <= time_ns && time_ns < to);
		ck_assert_int_eq(spe_tasks_current_tid(tasks, tid, true, from, &f, &t), want);
		ck_assert_int_eq(spe_tasks_current_tid(tasks, tid, true, to - 1, &f, &t), want);
		spe_tasks_free(tasks);
	}
}

START_TEST(idle_and_nobody)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 100, 100, "alpha");
	CHECK(&e, { 0, 5, 0, "swapper", "swapper" }, { 100, 5, 100, "alpha", "alpha" },
	      { 101, 5, -1, NULL, NULL }, { -1, 5, -1, NULL, NULL },
	      { INT32_MIN, 0, -1, NULL, NULL });
}
END_TEST

/* c9: an id that exits and comes back in another process. */
START_TEST(reused_id)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 200, 200, "beta");
	event_comm(&e, 0, 200, 201, "beta-t");
	event_exit(&e, 1000, 200, 201);
	event_comm(&e, 0, 300, 300, "gamma");
	event_fork(&e, 2000, 300, 201, 300, 300);
	event_comm(&e, 3000, 300, 201, "gamma-t");
	CHECK(&e, { 201, 500, 200, "beta-t", "beta" }, { 201, 1000, 200, "beta-t", "beta" },
	      { 201, 1999, 200, "beta-t", "beta" }, { 201, 2000, 300, "gamma", "gamma" },
	      { 201, 2999, 300, "gamma", "gamma" }, { 201, 3000, 300, "gamma-t", "gamma" });
}
END_TEST

static uint32_t process_at(const struct spe_tasks *tasks, int32_t tid, bool timed, uint64_t time_ns)
{
	struct spe_task task;

	ck_assert_int_eq(spe_tasks_find(tasks, tid, timed, time_ns, &task), SPE_OK);
	return task.process;
}

/* Two processes with one id are two numbers; a thread has its process's, an exec changes none. */
START_TEST(processes_are_numbered)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 100, 100, "sh");
	event_fork(&e, 1000, 200, 200, 100, 100);
	event_exec(&e, 1500, 200, "first");
	event_fork(&e, 1600, 200, 201, 200, 200);
	event_exit(&e, 1900, 200, 201);
	event_exit(&e, 2000, 200, 200);
	event_fork(&e, 3000, 200, 200, 100, 100);
	event_fork(&e, 3600, 200, 201, 200, 200);
	for (unsigned round = 0; round < EVENT_ORDERS; round++) {
		struct spe_tasks *tasks = timeline(&e, round);
		uint32_t first = process_at(tasks, 200, true, 1200);
		uint32_t second = process_at(tasks, 200, true, 3200);

		ck_assert_uint_ne(first, 0);
		ck_assert_uint_ne(second, 0);
		ck_assert_uint_ne(first, second);
		ck_assert_uint_eq(process_at(tasks, 200, true, 1700), first);
		ck_assert_uint_eq(process_at(tasks, 201, true, 1700), first);
		ck_assert_uint_eq(process_at(tasks, 201, true, 3700), second);
		ck_assert_uint_ne(process_at(tasks, 100, true, 1700), first);
		ck_assert_uint_eq(process_at(tasks, 200, false, 0), 0);
		ck_assert_uint_eq(process_at(tasks, 100, false, 0),
				  process_at(tasks, 100, true, 5));
		spe_tasks_free(tasks);
	}
}
END_TEST

/* c22: sampled before its FORK: the nearest later. */
START_TEST(before_the_fork)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 100, 100, "alpha");
	event_fork(&e, 5000, 400, 400, 100, 100);
	event_fork(&e, 6000, 100, 401, 100, 100);
	CHECK(&e, { 400, 100, 400, "alpha", "alpha" }, { 401, 100, 100, "alpha", "alpha" });
}
END_TEST

/* c20: the time-0 set has no order; its FORK overwrites nothing. */
START_TEST(time_zero_set)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 200, 200, "beta");
	event_comm(&e, 0, 200, 201, "beta-t");
	event_fork(&e, 0, 200, 200, 100, 100);
	event_fork(&e, 0, 200, 201, 200, 200);
	event_comm(&e, 0, 100, 100, "alpha");
	event_fork(&e, 0, 100, 100, 1, 1);
	event_fork(&e, 0, 300, 300, 200, 200); /* not named: as its parent */
	event_fork(&e, 0, 301, 301, 300, 300);
	CHECK(&e, { 200, 50, 200, "beta", "beta" }, { 201, 50, 200, "beta-t", "beta" },
	      { 100, 50, 100, "alpha", "alpha" }, { 300, 50, 300, "beta", "beta" },
	      { 301, 50, 301, "beta", "beta" }, { 1, 50, 1, NULL, NULL });
}
END_TEST

/* c21 and the report that a process keeps its parent's name. */
START_TEST(exec_names_from_its_time)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 100, 100, "bash"); /* read between fork and exec */
	event_exec(&e, 1000, 100, "prog");
	event_exec(&e, 1000, 500, "late"); /* nothing known before */
	CHECK(&e, { 100, 999, 100, "bash", "bash" }, { 100, 1000, 100, "prog", "prog" },
	      { 500, 999, 500, NULL, NULL }, { 500, 1000, 500, "late", "late" });
}
END_TEST

START_TEST(renames)
{
	static struct events e;

	e = (struct events){ 0 };
	event_fork(&e, 100, 700, 700, 600, 600);
	event_comm(&e, 200, 700, 700, "one");
	event_comm(&e, 300, 700, 700, "two");
	event_fork(&e, 350, 700, 701, 700, 700);
	event_comm(&e, 400, 700, 700, "three");
	event_comm(&e, 450, 700, 701, "own");
	/* without a name before, the first one not by exec is as good as any */
	CHECK(&e, { 700, 150, 700, "one", "one" }, { 700, 250, 700, "one", "one" },
	      { 700, 300, 700, "two", "two" }, { 700, 9999, 700, "three", "three" },
	      { 701, 399, 700, "two", "two" }, { 701, 449, 700, "two", "three" },
	      { 701, 450, 700, "own", "three" });
}
END_TEST

/* A child has the name its parent had then, down the generations, whatever came later. */
START_TEST(names_are_inherited)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 10, 10, "init");
	event_fork(&e, 100, 20, 20, 10, 10);
	event_fork(&e, 200, 30, 30, 20, 20);
	event_fork(&e, 300, 30, 31, 30, 30);
	event_exec(&e, 150, 20, "shell");
	event_exec(&e, 250, 30, "tool");
	event_comm(&e, 400, 10, 10, "systemd");
	event_fork(&e, 500, 40, 40, 10, 10);
	CHECK(&e, { 20, 149, 20, "init", "init" }, { 20, 150, 20, "shell", "shell" },
	      { 30, 249, 30, "shell", "shell" }, { 30, 250, 30, "tool", "tool" },
	      { 31, 300, 30, "tool", "tool" }, { 40, 500, 40, "systemd", "systemd" });
}
END_TEST

/* A name does not cross from one life of an id to the next. */
START_TEST(names_end_with_the_life)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 50, 50, "old");
	event_exit(&e, 100, 50, 50);
	event_fork(&e, 200, 50, 50, 60, 60);
	CHECK(&e, { 50, 199, 50, "old", "old" }, { 50, 200, 50, NULL, NULL });
}
END_TEST

/* The dying task still runs: EXIT comes before its last CONTEXT and its last switch. */
START_TEST(after_exit_until_fork)
{
	static struct events e;

	e = (struct events){ 0 };
	event_fork(&e, 100, 80, 81, 80, 80);
	event_exit(&e, 200, 80, 81);
	event_seen(&e, 201, 80, 81);
	event_seen(&e, 202, -1, -1);
	event_fork(&e, 300, 81, 81, 90, 90);
	CHECK(&e, { 81, 201, 80, NULL, NULL }, { 81, 299, 80, NULL, NULL },
	      { 81, 300, 81, NULL, NULL });
}
END_TEST

/* A dying task seen once more after a LOST is still the dying one, not a new one. */
START_TEST(lost_while_dying)
{
	static struct events e;

	e = (struct events){ 0 };
	event_fork(&e, 1, 80, 81, 80, 80);
	event_exit(&e, 1 * S, 80, 81);
	event_lost(&e, 1 * S + 1000, 80, 81);
	event_seen(&e, 1 * S + 2000, 80, 81);
	event_lost(&e, 2 * S, 9, 9);
	CHECK(&e, { 81, 2 * S - 1, 80, NULL, NULL }, { 81, 2 * S, -1, NULL, NULL });
	event_seen(&e, 3 * S, 80, 81); /* but this is another */
	CHECK(&e, { 81, 2 * S, 80, NULL, NULL }, { 81, 4 * S, 80, NULL, NULL });
}
END_TEST

START_TEST(lost_after_exit_makes_unknown)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 80, 80, "a");
	event_comm(&e, 0, 80, 81, "a-t");
	event_comm(&e, 0, 82, 82, "b");
	event_exit(&e, 1 * S, 80, 81);
	e.cpu = 3;
	event_seen(&e, 2 * S, 82, 82);
	event_lost(&e, 3 * S, 82, 82);
	event_seen(&e, 3 * S, 82, 82);
	e.cpu = 0;
	event_fork(&e, 5 * S, 82, 81, 82, 82);
	CHECK(&e, { 81, 3 * S - 1, 80, "a-t", "a" }, { 81, 3 * S, -1, NULL, NULL },
	      { 81, 5 * S - 1, -1, NULL, NULL }, { 81, 5 * S, 82, "b", "b" },
	      { 80, 9 * S, 80, "a", "a" }, { 82, 9 * S, 82, "b", "b" });
}
END_TEST

/* EXIT names the process whose FORK was lost; from the hole on, and back to the start of all. */
START_TEST(exit_names_the_process)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 70, 70, "job");
	event_fork(&e, 10 * MS, 70, 71, 70, 70);
	event_exit(&e, 20 * MS, 70, 71);
	event_lost(&e, 60 * MS, 9, 9); /* CPU 0 was silent since 20 ms */
	event_exit(&e, 80 * MS, 72, 71);
	event_exit(&e, 90 * MS, 73, 74);
	CHECK(&e, { 71, 15 * MS, 70, "job", "job" }, { 71, 20 * MS + 1000, 70, "job", "job" },
	      { 71, 50 * MS, 72, NULL, NULL }, { 71, 70 * MS, 72, NULL, NULL },
	      { 71, 85 * MS, 72, NULL, NULL }, { 74, 5, 73, NULL, NULL },
	      { 74, 95 * MS, 73, NULL, NULL });
}
END_TEST

/* Both the EXIT of one and the FORK of the next are lost: between the holes nobody knows. */
START_TEST(two_lives_with_holes_between)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 70, 70, "job");
	event_fork(&e, 10 * MS, 70, 71, 70, 70);
	event_seen(&e, 20 * MS, 70, 70);
	event_lost(&e, 30 * MS, 9, 9);
	event_seen(&e, 40 * MS, 9, 9);
	event_lost(&e, 60 * MS, 9, 9);
	event_exit(&e, 80 * MS, 72, 71);
	CHECK(&e, { 71, 20 * MS - 1, 70, "job", "job" }, { 71, 20 * MS, -1, NULL, NULL },
	      { 71, 60 * MS - 1, -1, NULL, NULL }, { 71, 60 * MS, 72, NULL, NULL });
}
END_TEST

/* What contradicts just after a FORK is a record of the life before from another ring. */
START_TEST(skewed_rings)
{
	static struct events e;

	e = (struct events){ 0 };
	event_fork(&e, 1 * S, 70, 71, 70, 70);
	event_fork(&e, 2 * S, 80, 71, 80, 80);
	event_exit(&e, 2 * S + 50, 70, 71);
	CHECK(&e, { 71, 2 * S - 1, 70, NULL, NULL }, { 71, 2 * S + 10, 80, NULL, NULL },
	      { 71, 2 * S + 60, 80, NULL, NULL });
}
END_TEST

START_TEST(trailers_and_maps_name_processes)
{
	static struct events e;

	e = (struct events){ 0 };
	event_seen(&e, 100, 40, 41);
	event_mmap(&e, 200, 50, 52);
	event_mmap(&e, 0, -1, 0); /* the kernel */
	event_seen(&e, 300, -1, -1);
	event_seen(&e, 300, -1, 43);
	event_seen(&e, 300, 44, -1);
	event_seen(&e, 300, 0, 0);
	event_new(&e, SPE_PERF_ITRACE_START, 400, 0, 0)->u.itrace_start.pid = 60;
	e.all[e.count - 1].u.itrace_start.tid = 61;
	CHECK(&e, { 41, 1, 40, NULL, NULL }, { 40, 500, 40, NULL, NULL }, { 52, 1, 50, NULL, NULL },
	      { 61, 1, 60, NULL, NULL }, { 43, 300, -1, NULL, NULL }, { 44, 300, -1, NULL, NULL });
	for (unsigned round = 0; round < EVENT_ORDERS; round++) {
		struct spe_tasks *tasks = timeline(&e, round);

		ck_assert(spe_tasks_knows(tasks, 0));
		ck_assert(spe_tasks_knows(tasks, 41));
		ck_assert(spe_tasks_knows(tasks, 40)); /* a process has a leader */
		ck_assert(!spe_tasks_knows(tasks, 43));
		ck_assert(!spe_tasks_knows(tasks, 44));
		ck_assert(!spe_tasks_knows(tasks, -1));
		spe_tasks_free(tasks);
	}
}
END_TEST

START_TEST(dying_records_name_nobody)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 100, -1, -1, "ghost");
	event_fork(&e, 100, -1, -1, -1, -1);
	event_exit(&e, 100, -1, -1);
	event_comm(&e, 100, 0, 0, "outside");
	event_fork(&e, 200, -1, 33, -1, -1); /* somebody new, but of whom? */
	CHECK(&e, { -1, 100, -1, NULL, NULL }, { 0, 100, 0, "swapper", "swapper" },
	      { 33, 300, -1, NULL, NULL });
}
END_TEST

/* De_thread: thread 902 executes a program and becomes 900; 902 stays in CONTEXTIDR a while. */
static void make_thread_exec(struct events *e)
{
	*e = (struct events){ 0 };
	event_comm(e, 0, 900, 900, "before");
	event_fork(e, 1 * S, 900, 901, 900, 900);
	event_fork(e, 1 * S + 1, 900, 902, 900, 900);
	event_comm(e, 1 * S + 5, 900, 902, "worker");
	event_exit(e, 2 * S, 900, 901);
	event_exit(e, 2 * S + 10, 900, 900); /* the leader gives its id up */
	event_exec(e, 2 * S + 20, 900, "after");
	event_fork(e, 4 * S, 900, 902, 900, 900); /* the id comes back */
	event_fork(e, 4 * S, 950, 950, 900, 900);
}

START_TEST(exec_by_a_thread)
{
	static struct events e;

	make_thread_exec(&e);
	check_current(&e, 902, 2 * S + 19, 902);
	check_current(&e, 902, 2 * S + 20, 900);
	check_current(&e, 902, 4 * S - 1, 900);
	check_current(&e, 902, 4 * S, 902);
	check_current(&e, 901, 3 * S, 900);
	check_current(&e, 900, 3 * S, 900);
	check_current(&e, 950, 5 * S, 950);
	check_current(&e, 12345, 3 * S, 12345);
	CHECK(&e, { 902, 2 * S + 19, 900, "worker", "before" },
	      { 902, 2 * S + 20, 900, "after", "after" }, { 900, 3 * S, 900, "after", "after" },
	      { 902, 4 * S, 900, "after", "after" }, { 950, 4 * S, 950, "after", "after" });
}
END_TEST

/* Only the threads of that life: an older process of the same number had 902 too. */
START_TEST(exec_of_a_later_life)
{
	static struct events e;

	e = (struct events){ 0 };
	event_fork(&e, 1 * S, 900, 900, 1, 1);
	event_fork(&e, 2 * S, 900, 902, 900, 900);
	event_exit(&e, 3 * S, 900, 902);
	event_exit(&e, 3 * S, 900, 900);
	event_fork(&e, 4 * S, 900, 900, 1, 1);
	event_exec(&e, 5 * S, 900, "new");
	check_current(&e, 902, 6 * S, 902);
}
END_TEST

START_TEST(lost_after_thread_exec)
{
	static struct events e;

	make_thread_exec(&e);
	event_lost(&e, 3 * S, 1, 1);
	check_current(&e, 902, 3 * S - 1, 900);
	check_current(&e, 902, 3 * S, 902);
	CHECK(&e, { 902, 3 * S, -1, NULL, NULL }, { 900, 3 * S, 900, "after", "after" },
	      { 902, 4 * S, 900, "after", "after" });
}
END_TEST

/* The leader ends early, its threads go on: the process keeps its name, whatever is lost. */
START_TEST(leader_ends_first)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 20, 20, "main");
	event_comm(&e, 0, 20, 21, "thread");
	event_exit(&e, 1 * S, 20, 20);
	event_lost(&e, 2 * S, 1, 1);
	event_seen(&e, 3 * S, 20, 21);
	CHECK(&e, { 21, 4 * S, 20, "thread", "main" }, { 20, 4 * S, -1, NULL, NULL });
}
END_TEST

/* A thread nobody named is shown by its process's name. */
START_TEST(nameless_thread)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 20, 20, "main");
	event_seen(&e, 3 * S, 20, 21);
	CHECK(&e, { 21, 1 * S, 20, "main", "main" });
}
END_TEST

static void check_untimed(const struct events *e, int32_t tid, int32_t pid, const char *comm)
{
	for (unsigned round = 0; round < EVENT_ORDERS; round++) {
		struct spe_tasks *tasks = timeline(e, round);
		struct want w = { tid, 0, pid, comm, NULL };
		struct spe_task task;

		spe_tasks_find(tasks, tid, false, 0, &task);
		ck_assert_msg(task.pid == pid, "tid %d: pid is %d, not %d", tid, task.pid, pid);
		check_comm(tasks, task.comm, comm, &w, "name");
		ck_assert_uint_eq(task.from_ns, 0);
		ck_assert_uint_eq(task.to_ns, UINT64_MAX);
		spe_tasks_free(tasks);
	}
}

/* Without a time only what all lives of an id agree on. */
START_TEST(asked_without_time)
{
	static struct events e;

	e = (struct events){ 0 };
	event_comm(&e, 0, 200, 200, "beta");
	event_comm(&e, 0, 200, 201, "beta-t");
	event_exit(&e, 1000, 200, 201);
	event_fork(&e, 2000, 300, 201, 300, 300);
	event_fork(&e, 2000, 200, 202, 200, 200);
	event_exit(&e, 3000, 200, 202);
	event_fork(&e, 4000, 200, 202, 200, 200);
	event_comm(&e, 5000, 200, 202, "again");
	check_untimed(&e, 201, -1, NULL);
	check_untimed(&e, 200, 200, "beta");
	check_untimed(&e, 202, 200, "beta"); /* names differ, the process does not */
	check_untimed(&e, 0, 0, "swapper");
	check_untimed(&e, 77, -1, NULL);
}
END_TEST

/* No TIME in the attr: FORK and EXIT tell theirs, other records stand behind them. */
START_TEST(records_without_time)
{
	static struct events e;

	e = (struct events){ .untimed = true };
	event_comm(&e, 0, 60, 60, "perf");
	event_exec(&e, 0, 60, "lab");
	event_fork(&e, 500, 60, 61, 60, 60);
	event_comm(&e, 0, 60, 61, "worker");
	check_untimed(&e, 60, 60, "lab");
	CHECK(&e, { 61, 600, 60, "worker", "lab" }, { 60, 600, 60, "lab", "lab" });
}
END_TEST

START_TEST(thread_map)
{
	static struct events e;
	uint8_t entries[3 * 24] = { 0 };
	uint64_t tids[3] = { 41, UINT64_MAX, 42 };
	struct spe_perf_event *event;

	for (int i = 0; i < 3; i++)
		memcpy(entries + 24 * i, &tids[i], 8);
	memcpy(entries + 8, "sixteen-bytes-xx", 16);
	memcpy(entries + 48 + 8, "listed", 6);
	e = (struct events){ 0 };
	event = event_new(&e, SPE_PERF_THREAD_MAP, 0, 0, 0);
	event->id.present = 0;
	event->u.thread_map.count = 3;
	event->u.thread_map.entries = entries;
	event_comm(&e, 0, 42, 42, "told");
	CHECK(&e, { 41, 1, -1, "sixteen-bytes-xx", NULL }, { 42, 1, 42, "told", "told" });
}
END_TEST

/* Other witnesses: sched_switch names threads, and knows no process. */
START_TEST(pairs_of_others)
{
	static struct events e;
	struct spe_tasks *tasks;
	struct want first = { 31, 500, 30, "early", NULL },
		    second = { 31, 2000, 30, "renamed", NULL };
	struct want alone = { 32, 10, -1, "only", NULL };

	e = (struct events){ 0 };
	event_fork(&e, 100, 30, 31, 30, 30);
	ck_assert_int_eq(spe_tasks_new(&tasks), SPE_OK);
	ck_assert_int_eq(spe_tasks_add_pair(tasks, -1, 31, true, 1000, "renamed"), SPE_OK);
	ck_assert_int_eq(spe_tasks_add_pair(tasks, -1, 31, true, 400, "early"), SPE_OK);
	ck_assert_int_eq(spe_tasks_add_pair(tasks, -1, 32, false, 0, "only"), SPE_OK);
	ck_assert_int_eq(spe_tasks_add_pair(tasks, -1, 33, true, 7, NULL), SPE_OK);
	ck_assert_int_eq(spe_tasks_add_pair(tasks, 5, 0, true, 7, "zero"), SPE_OK);
	ck_assert_int_eq(spe_tasks_add(tasks, &e.all[0]), SPE_OK);
	ck_assert_int_eq(spe_tasks_freeze(tasks), SPE_OK);
	check_want(tasks, &first);
	check_want(tasks, &second);
	check_want(tasks, &alone);
	ck_assert(!spe_tasks_knows(tasks, 33));
	spe_tasks_free(tasks);
}
END_TEST

START_TEST(empty_timeline)
{
	struct spe_tasks *tasks;
	struct spe_task task;

	ck_assert_int_eq(spe_tasks_new(&tasks), SPE_OK);
	ck_assert_int_eq(spe_tasks_freeze(tasks), SPE_OK);
	ck_assert_int_eq(spe_tasks_find(tasks, 5, true, 5, &task), SPE_NOT_FOUND);
	ck_assert_int_eq(task.pid, -1);
	ck_assert_uint_eq(spe_tasks_count(tasks), 0);
	ck_assert_uint_eq(spe_tasks_comms(tasks), 1);
	ck_assert_str_eq(spe_tasks_comm(tasks, 0), "swapper");
	ck_assert_ptr_null(spe_tasks_comm(tasks, 1));
	spe_tasks_free(tasks);
	spe_tasks_free(NULL);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		idle_and_nobody,
		reused_id,
		processes_are_numbered,
		before_the_fork,
		time_zero_set,
		exec_names_from_its_time,
		renames,
		names_are_inherited,
		names_end_with_the_life,
		after_exit_until_fork,
		lost_while_dying,
		lost_after_exit_makes_unknown,
		exit_names_the_process,
		two_lives_with_holes_between,
		skewed_rings,
		trailers_and_maps_name_processes,
		dying_records_name_nobody,
		exec_by_a_thread,
		exec_of_a_later_life,
		lost_after_thread_exec,
		leader_ends_first,
		nameless_thread,
		asked_without_time,
		records_without_time,
		thread_map,
		pairs_of_others,
		empty_timeline,
	};
	Suite *s = suite_create("attribution: tasks");
	TCase *tc = tcase_create("tasks");

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
