/* SPDX-License-Identifier: GPL-2.0-only */
/* perf in a pid namespace of its own: found out, never guessed at, translated where it is sure. */
#include "recording-file.h"
#include "../../perf-arm-spe/attribution/idmap.h"

#define S 1000000000ull
#define US 1000ull
#define INITIAL 0xeffffffcull
#define CHILD 0xf0000128ull

/* In the recorder's namespace: one 7/7, two 8/8 with thread 9. */
static struct file *inside(void)
{
	struct file *f = file_new((struct file_kind){ 0 });

	file_comm(f, 7, 7, "one", 0);
	file_comm(f, 8, 8, "two", 0);
	file_comm(f, 8, 9, "two-t", 0);
	return f;
}

static const struct spe_recording_facts *facts_of(const struct answers *a)
{
	return spe_recording_facts(a->recording);
}

/* Contexts 41007, 8 and 41009 are 7, 8's namesake outside, and 9. */
START_TEST(the_map_comes_from_agreement_in_time)
{
	struct file *f = inside();
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, S + 10 * US, 7, 7, 0, 0);
	file_switch(f, 0, S + 20 * US, 0, 0, 8, 9);
	file_switch(f, 0, S + 30 * US, 8, 9, 0, 0);
	put_sample(&t, EL0_PC, 41007, NO_CONTEXT, S + 5 * US);
	put_sample(&t, EL1_PC, 8, NO_CONTEXT, S + 10 * US + 5); /* in the window: no witness */
	put_sample(&t, EL0_PC, 8, NO_CONTEXT, S + 15 * US);
	put_sample(&t, EL0_PC, 41009, NO_CONTEXT, S + 25 * US);
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, S + 35 * US);
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, S + 26 * US);
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, S + 36 * US); /* idle or outside? */
	file_trace(f, 0, &t);
	a = ask_file(f);
	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_MAPPED);
	ck_assert(*facts_of(&a)->namespace_reason);
	expect(&a, 0, 7, 7, MAPPED);
	expect(&a, 1, -1, 8, OUTSIDE);
	expect(&a, 2, -1, 8, OUTSIDE);
	expect(&a, 3, 8, 9, MAPPED);
	expect(&a, 4, 0, 0, CONTEXT);
	expect(&a, 5, 8, 9, SWITCH);
	expect(&a, 6, -1, -1, NONE);
	ck_assert_str_eq(spe_recording_comm(a.recording, a.samples[3].comm), "two-t");
	ck_assert_uint_eq(a.samples[2].comm, SPE_COMM_NONE); /* not "two" */
	answers_free(&a);
	file_free(f);
}
END_TEST

/* The task gave its id up before it left the CPU for the last time: from its EXIT on, who knows. */
START_TEST(an_id_that_was_given_up_is_not_told)
{
	struct file *f = inside();
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, S + 10 * US, 0, 0, 7, 7);
	file_switch(f, 0, S + 20 * US, 7, 7, 0, 0);
	file_switch(f, 0, S + 30 * US, 0, 0, 7, 7);
	file_task(f, SPE_PERF_EXIT, 7, 7, 1, 1, S + 32 * US);
	file_switch(f, 0, S + 40 * US, -1, -1, 0, 0);
	put_sample(&t, EL0_PC, 41007, NO_CONTEXT, S + 15 * US);
	put_sample(&t, EL0_PC, 41007, NO_CONTEXT, S + 31 * US);
	put_sample(&t, EL1_PC, 41007, NO_CONTEXT, S + 35 * US);
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 7, 7, MAPPED);
	expect(&a, 1, 7, 7, MAPPED);
	expect(&a, 2, -1, 41007, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

START_TEST(namespaces_records_say_it)
{
	struct file *f = inside();
	struct trace t = { 0 };
	struct answers a;

	file_namespaces(f, 7, CHILD, 0);
	file_namespaces(f, 0, INITIAL, S); /* a task outside says nothing */
	put_sample(&t, EL0_PC, 7, NO_CONTEXT, S + 5 * US);
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, S + 6 * US);
	file_trace(f, 0, &t);
	a = ask_file(f);
	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_FOREIGN);
	expect(&a, 0, -1, 7, CONTEXT);
	expect(&a, 1, 0, 0, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* Tasks of other namespaces in the side-band of the initial one: nothing is wrong. */
START_TEST(namespaces_records_deny_it)
{
	struct file *f = inside();
	struct trace t = { 0 };
	struct answers a;

	file_namespaces(f, 7, INITIAL, 0);
	file_namespaces(f, 8, CHILD, 0);
	for (int i = 0; i < 20; i++)
		put_sample(&t, EL0_PC, i < 10 ? 7 : 5000 + i, NO_CONTEXT, S + i * US);
	file_trace(f, 0, &t);
	a = ask_file(f);
	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_SAME);
	ck_assert_str_eq(facts_of(&a)->namespace_reason, "");
	expect(&a, 0, 7, 7, CONTEXT);
	expect(&a, 15, -1, 5015, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* `unknown` of 20 records carry ids nobody has. */
static enum spe_namespace_state judged(int unknown, bool lost)
{
	struct file *f = inside();
	struct trace t = { 0 };
	enum spe_namespace_state state;
	struct answers a;

	if (lost)
		file_lost(f, 0, S, 100);
	for (int i = 0; i < 20; i++)
		put_sample(&t, EL0_PC, i < unknown ? 5000 + i : 7, NO_CONTEXT, S + i * US);
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, S + 50 * US); /* zeros do not count */
	file_trace(f, 0, &t);
	a = ask_file(f);
	state = facts_of(&a)->namespace_state;
	expect(&a, 19, state == SPE_NS_SAME ? 7 : -1, 7, CONTEXT);
	answers_free(&a);
	file_free(f);
	return state;
}

START_TEST(many_unknown_ids_say_it)
{
	ck_assert_int_eq(judged(3, false), SPE_NS_SAME);
	ck_assert_int_eq(judged(4, false), SPE_NS_FOREIGN);
	ck_assert_int_eq(judged(9, true), SPE_NS_SAME);
	ck_assert_int_eq(judged(11, true), SPE_NS_FOREIGN);
}
END_TEST

/* 7 and 9 take turns with id 0 on CPU 0, where `at_el0` of the 4 + 12 records fall to id 0 at EL0.
 */
static struct answers under_id_zero(struct file *f, uint64_t context, int at_el0)
{
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, S + 10 * US, 7, 7, 0, 0);
	file_switch(f, 0, S + 20 * US, 0, 0, 8, 9);
	file_switch(f, 0, S + 50 * US, 8, 9, 0, 0);
	put_sample(&t, EL0_PC, context, NO_CONTEXT, S + 5 * US);
	put_sample(&t, EL1_PC, context, NO_CONTEXT, S + 15 * US);
	for (int i = 0; i < 12; i++)
		put_sample(&t, EL0_PC, context, NO_CONTEXT, S + (25 + i) * US);
	for (int i = 0; i < at_el0; i++)
		put_sample(&t, EL0_PC, context, NO_CONTEXT, S + (60 + i) * US);
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 7, 7, SWITCH);
	expect(&a, 2, 8, 9, SWITCH);
	return a;
}

static void under_foreign_zero(uint64_t context, int at_el0)
{
	struct file *f = inside();
	struct answers a = under_id_zero(f, context, at_el0);

	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_FOREIGN);
	ck_assert(*facts_of(&a)->namespace_reason);
	expect(&a, 1, -1, -1, NONE);
	expect(&a, 14, -1, -1, NONE);
	answers_free(&a);
	file_free(f);
}

static void under_idle_zero(struct file *f, uint64_t context, int at_el0)
{
	struct answers a = under_id_zero(f, context, at_el0);

	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_SAME);
	ck_assert_str_eq(facts_of(&a)->namespace_reason, "");
	expect(&a, 1, 0, 0, SWITCH);
	answers_free(&a);
	file_free(f);
}

/* Without contexts too: who runs at EL0 under id 0 is a task outside, not idle. */
START_TEST(what_runs_under_id_zero_says_it)
{
	under_foreign_zero(NO_CONTEXT, 3);
	under_foreign_zero(0, 3);
	under_idle_zero(inside(), NO_CONTEXT, 0);
	under_idle_zero(inside(), NO_CONTEXT, 2); /* of 15: too few to tell by */
}
END_TEST

/* The contexts of another CPU say that ids are the same; id 0 is nobody's all the same. */
START_TEST(what_runs_under_id_zero_beside_contexts)
{
	struct file *f = inside();
	struct trace t = { 0 };
	struct answers a;

	for (int i = 0; i < 20; i++)
		put_sample(&t, EL0_PC, 7, NO_CONTEXT, S + i * US);
	file_trace(f, 1, &t);
	a = under_id_zero(f, NO_CONTEXT, 3);
	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_SAME);
	expect(&a, 1, -1, -1, NONE);
	expect(&a, 17, 7, 7, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- --pid-map ----------------------------------------------------------------------- */

static const char *map_file(const char *text)
{
	static char path[32];
	int fd;

	snprintf(path, sizeof(path), "/tmp/spe-pid-map-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

START_TEST(the_user_gives_the_map)
{
	struct file *f = inside();
	struct spe_recording_opts opts = recording_opts();
	struct trace t = { 0 };
	struct answers a;

	file_namespaces(f, 7, CHILD, 0);
	put_sample(&t, EL0_PC, 41007, NO_CONTEXT, S + 5 * US);
	put_sample(&t, EL0_PC, 41009, NO_CONTEXT, S + 6 * US);
	put_sample(&t, EL0_PC, 41500, NO_CONTEXT, S + 7 * US);
	put_sample(&t, EL0_PC, 7, NO_CONTEXT, S + 8 * US);
	file_trace(f, 0, &t);
	opts.pid_map = map_file("# host inside\n41007 7 7\n\n  41009\t8 9 renamed here # ignored\n"
				"41500 50 51 new one\n");
	a = open_file(f, &opts);
	unlink(opts.pid_map);
	read_answers(&a, 100);
	ck_assert_int_eq(facts_of(&a)->namespace_state, SPE_NS_MAPPED);
	expect(&a, 0, 7, 7, MAPPED);
	expect(&a, 1, 8, 9, MAPPED);
	expect(&a, 2, 50, 51, MAPPED);
	expect(&a, 3, -1, 7, CONTEXT);
	ck_assert_str_eq(spe_recording_comm(a.recording, a.samples[0].comm), "one");
	ck_assert_str_eq(spe_recording_comm(a.recording, a.samples[2].comm), "new one");
	answers_free(&a);
	file_free(f);
}
END_TEST

/* 2000 spaces before a comment: no sane map has such a line. */
static const char *long_line(void)
{
	static char text[2048];

	memset(text, ' ', sizeof(text) - 3);
	text[sizeof(text) - 3] = '#';
	text[sizeof(text) - 2] = '\n';
	return text;
}

static void check_map_error(const char *text, const char *word)
{
	struct file *f = inside();
	struct spe_recording_opts opts = recording_opts();
	struct spe_recording *recording;
	struct spe_error error;

	opts.pid_map = map_file(text);
	ck_assert_int_eq(spe_recording_open(file_write(f), &opts, &recording, &error), SPE_INVALID);
	ck_assert_msg(strstr(error.text, opts.pid_map) && strstr(error.text, word), "%s",
		      error.text);
	unlink(opts.pid_map);
	file_free(f);
}

START_TEST(maps_that_make_no_sense)
{
	check_map_error("41007 7\n", ":1:");
	check_map_error("41007 7 7\nx 7 7\n", ":2:");
	check_map_error("41007 7 7x\n", ":1:");
	check_map_error(long_line(), ":1:");
	check_map_error("0 7 7\n", ":1:");
	check_map_error("41007 7 0\n", ":1:");
	check_map_error("99999999999 7 7\n", ":1:");
	check_map_error("41007 7 7\n41007 8 8\n", "41007");
}
END_TEST

START_TEST(a_map_that_is_not_there)
{
	struct file *f = inside();
	struct spe_recording_opts opts = recording_opts();
	struct spe_recording *recording;
	struct spe_error error;

	opts.pid_map = "/nonexistent/map";
	ck_assert_int_eq(spe_recording_open(file_write(f), &opts, &recording, &error), SPE_IO);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/map"));
	ck_assert_int_ne(error.sys_errno, 0);
	file_free(f);
}
END_TEST

/* ---- the map itself ------------------------------------------------------------------------ */

/* Threads 7 (dies at 500, another is born at 5000000), 8, and 10 (born at 3000). */
static struct spe_tasks *lives(void)
{
	struct spe_tasks *tasks;
	struct spe_perf_event event = { .type = SPE_PERF_FORK,
					.attr_index = -1,
					.id.present = SPE_SAMPLE_TIME | SPE_SAMPLE_CPU };
	static const struct {
		uint32_t type;
		int tid;
		uint64_t time;
	} told[] = { { SPE_PERF_FORK, 7, 100 },
		     { SPE_PERF_FORK, 8, 100 },
		     { SPE_PERF_EXIT, 7, 500 },
		     { SPE_PERF_FORK, 10, 3000 },
		     { SPE_PERF_FORK, 7, 5000000 } };

	ck_assert_int_eq(spe_tasks_new(&tasks), SPE_OK);
	for (size_t i = 0; i < 5; i++) {
		event.type = told[i].type;
		event.sequence = i;
		event.id.time_ns = event.u.task.time_ns = told[i].time;
		event.u.task.pid = event.u.task.tid = told[i].tid;
		event.u.task.ppid = event.u.task.ptid = 1;
		ck_assert_int_eq(spe_tasks_add(tasks, &event), SPE_OK);
	}
	ck_assert_int_eq(spe_tasks_freeze(tasks), SPE_OK);
	return tasks;
}

struct map_want {
	uint32_t context;
	uint64_t time;
	bool found;
	int tid;
};

static void check_map(const struct spe_idmap *map, const struct spe_tasks *tasks,
		      const struct map_want *want)
{
	struct spe_idmap_answer answer;
	bool found = spe_idmap_find(map, want->context, true, want->time, tasks, &answer);

	ck_assert_msg(found == want->found && (!found || answer.tid == want->tid),
		      "context %u at %llu: %d, %d", want->context, (unsigned long long)want->time,
		      found, answer.tid);
	ck_assert_uint_le(answer.from_ns, want->time);
	ck_assert_uint_gt(answer.to_ns, want->time);
	ck_assert_int_eq(found && answer.outside, found && !answer.tid);
}

START_TEST(sights_reach_as_far_as_their_task)
{
	static const struct spe_idmap_sight sights[] = {
		{ 40, 7, 7, 200, 300 },         { 40, 10, 10, 5000100, 5000200 },
		{ 41, 8, 8, 150, 250 },         { 42, 0, 0, 400, 450 },
		{ 43, 7, 7, 5000300, 5000400 }, { 44, 0, 0, 100, 110 },
		{ 44, 7, 7, 5000200, 5000300 },
	};
	static const struct map_want wants[] = {
		{ 40, 250, true, 7 },     { 40, 400, true, 7 },      { 40, 600, false, 0 },
		{ 40, 3500, true, 10 },   { 40, 5000150, true, 10 }, { 40, 9000000, true, 10 },
		{ 41, 9000000, true, 8 }, { 41, 120, true, 8 },      { 41, 50, false, 0 },
		{ 42, 10, true, 0 },      { 42, 9000000, true, 0 },  { 43, 5000100, true, 7 },
		{ 43, 1000, false, 0 },   { 44, 105, true, 0 },      { 44, 2000, false, 0 },
		{ 45, 200, false, 0 },
	};
	struct spe_tasks *tasks = lives();
	struct spe_idmap_answer answer;
	struct spe_idmap *map;

	ck_assert_int_eq(spe_idmap_new(&map), SPE_OK);
	for (size_t i = sizeof(sights) / sizeof(sights[0]); i-- > 0;)
		ck_assert_int_eq(spe_idmap_add(map, &sights[i]), SPE_OK);
	spe_idmap_finish(map, tasks);
	ck_assert_uint_eq(spe_idmap_contexts(map), 5);
	ck_assert_uint_eq(spe_idmap_contradictions(map), 0);
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		check_map(map, tasks, &wants[i]);
	/* without a time only what never changed its meaning */
	ck_assert(!spe_idmap_find(map, 40, false, 0, tasks, &answer));
	ck_assert(spe_idmap_find(map, 41, false, 0, tasks, &answer));
	ck_assert_int_eq(answer.tid, 8);
	spe_idmap_free(map);
	spe_tasks_free(tasks);
}
END_TEST

START_TEST(contradictions_are_left_out)
{
	static const struct spe_idmap_sight sights[] = {
		{ 40, 8, 8, 200, 300 }, { 40, 7, 7, 350, 360 }, { 40, 8, 8, 400, 450 },
		{ 41, 8, 8, 200, 300 }, { 41, 7, 7, 250, 260 },
	};
	struct spe_tasks *tasks = lives();
	struct spe_idmap *map;

	ck_assert_int_eq(spe_idmap_new(&map), SPE_OK);
	for (size_t i = 0; i < sizeof(sights) / sizeof(sights[0]); i++)
		ck_assert_int_eq(spe_idmap_add(map, &sights[i]), SPE_OK);
	spe_idmap_finish(map, tasks);
	ck_assert_uint_eq(spe_idmap_contradictions(map), 2);
	check_map(map, tasks, &(struct map_want){ 40, 355, true, 8 });
	check_map(map, tasks, &(struct map_want){ 41, 255, true, 8 });
	spe_idmap_free(map);
	spe_tasks_free(tasks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("namespace");
	TCase *tc = tcase_create("ids");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, the_map_comes_from_agreement_in_time);
	tcase_add_test(tc, an_id_that_was_given_up_is_not_told);
	tcase_add_test(tc, namespaces_records_say_it);
	tcase_add_test(tc, namespaces_records_deny_it);
	tcase_add_test(tc, many_unknown_ids_say_it);
	tcase_add_test(tc, what_runs_under_id_zero_says_it);
	tcase_add_test(tc, what_runs_under_id_zero_beside_contexts);
	tcase_add_test(tc, the_user_gives_the_map);
	tcase_add_test(tc, maps_that_make_no_sense);
	tcase_add_test(tc, a_map_that_is_not_there);
	tcase_add_test(tc, sights_reach_as_far_as_their_task);
	tcase_add_test(tc, contradictions_are_left_out);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
