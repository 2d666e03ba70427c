/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_switch out of tracing data: a blob written here, damaged in every way,
 * and what perf records on this machine, if it may.
 */
#include "../../perf-arm-spe/attribution/switches.h"
#include "../../perf-arm-spe/attribution/tasks.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a blob of tracing data ------------------------------------------------- */

struct bytes {
	uint8_t at[8192];
	size_t n;
	bool big;
};

static void put(struct bytes *b, const void *from, size_t n)
{
	ck_assert_uint_le(b->n + n, sizeof(b->at));
	memcpy(b->at + b->n, from, n);
	b->n += n;
}

static void put_number(struct bytes *b, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)(value >> 8 * (b->big ? n - 1 - i : i));

		put(b, &byte, 1);
	}
}

static void put_text(struct bytes *b, const char *text)
{
	put_number(b, strlen(text), 8);
	put(b, text, strlen(text));
}

static const char other_format[] =
	"name: sched_wakeup\nID: 41\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->common_type\n";

static const char switch_format[] =
	"name: sched_switch\nID: 42\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"%d ==> %d\", REC->prev_pid, REC->next_pid\n";

/* All that stands before the formats of the named systems. */
static void put_start(struct bytes *b, bool big)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

	*b = (struct bytes){ .big = big };
	put(b, magic, sizeof(magic));
	put(b, "0.6", 4);
	put_number(b, big, 1);
	put_number(b, 8, 1);
	put_number(b, 4096, 4);
	put(b, "header_page", 12);
	put_text(b, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	put(b, "header_event", 13);
	put_text(b, "# compressed entry header\n");
	put_number(b, 1, 4);
	put_text(b, "name: function\nID: 1\n");
}

static void put_blob(struct bytes *b, bool big, const char *format)
{
	put_start(b, big);
	put_number(b, 2, 4);
	put(b, "irq", 4);
	put_number(b, 1, 4);
	put_text(b, "name: sched_switch\nID: 7\n"); /* the name, but another system's */
	put(b, "sched", 6);
	put_number(b, 2, 4);
	put_text(b, other_format);
	put_text(b, format);
}

static void put_sample(struct bytes *b, bool big)
{
	*b = (struct bytes){ .big = big };
	put_number(b, 42, 2);
	put_number(b, 0, 2);
	put_number(b, 1234, 4);
	put(b, "sixteen-letters-", 16);
	put_number(b, 1234, 4);
	put_number(b, 120, 4);
	put_number(b, 1, 8);
	put(b, "next\0garbage....", 16);
	put_number(b, 70000, 4);
	put_number(b, 120, 4);
}

static bool have_libtraceevent(void)
{
	struct spe_sched *sched = NULL;

	return spe_sched_new(NULL, 0, &sched) != SPE_UNSUPPORTED;
}

static void check_sample(const struct spe_sched *sched, bool big)
{
	struct spe_sched_switch got;
	struct bytes sample;

	put_sample(&sample, big);
	ck_assert_int_eq(spe_sched_read(sched, sample.at, sample.n, &got), SPE_OK);
	ck_assert_int_eq(got.prev_tid, 1234);
	ck_assert_int_eq(got.next_tid, 70000);
	ck_assert_str_eq(got.prev_comm, "sixteen-letters-");
	ck_assert_str_eq(got.next_comm, "next");
	for (size_t n = 0; n < 60; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, sample.at, n);
		ck_assert_int_eq(spe_sched_read(sched, cut, n, &got), SPE_CORRUPT);
		free(cut);
	}
}

START_TEST(reads_both_byte_orders)
{
	struct spe_sched *sched;
	struct bytes blob;

	put_blob(&blob, _i, switch_format);
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_OK);
	ck_assert_uint_eq(spe_sched_id(sched), 42);
	check_sample(sched, _i);
	spe_sched_free(sched);
}
END_TEST

/* Cut anywhere before the format ends it is damage; a blob without it has none. */
START_TEST(blob_cut_anywhere)
{
	struct spe_sched *sched;
	struct bytes blob;

	put_blob(&blob, false, switch_format);
	for (size_t n = 0; n < blob.n; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, blob.at, n);
		ck_assert_int_eq(spe_sched_new(cut, n, &sched), SPE_CORRUPT);
		free(cut);
	}
}
END_TEST

START_TEST(blob_without_sched_switch)
{
	struct spe_sched *sched;
	struct bytes blob;

	put_blob(&blob, false, other_format);
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_NOT_FOUND);
	put_start(&blob, false);
	put_number(&blob, 0, 4);
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_NOT_FOUND);
	blob.at[0] = 0;
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_CORRUPT);
}
END_TEST

/* Sizes and texts that lie. */
START_TEST(hostile_blobs)
{
	static const char *const formats[] = {
		"name: sched_switch\n",
		"name: sched_switch\nID: 42\nformat:\n\nprint fmt: \"\"\n",
		"name: sched_switch\nID: 42\nformat:\n"
		"\tfield:pid_t prev_pid;\toffset:-4;\tsize:4;\tsigned:1;\n"
		"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\nprint fmt: \"\"\n",
		"name: sched_switch\nID: 42\nformat:\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:2;\tsigned:1;\n"
		"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\nprint fmt: \"\"\n",
	};
	struct spe_sched *sched;
	struct bytes blob;

	put_blob(&blob, false, formats[_i]);
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_CORRUPT);
	put_start(&blob, false);
	put_number(&blob, UINT32_MAX, 4);
	put(&blob, "sched", 6);
	put_number(&blob, UINT32_MAX, 4);
	put_number(&blob, UINT64_MAX, 8);
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_CORRUPT);
}
END_TEST

/* ---- a recording of this machine ---------------------------------------------- */

/* Seen from both ends: what the timelines say, and the sample's own ids. */
struct score {
	unsigned samples, switch_right, switch_wrong, sched_right, sched_wrong;
};

struct recording {
	struct spe_perfdata *pd;
	struct spe_sched *sched;
	struct spe_switches *switches, *scheds;
	struct spe_tasks *tasks;
	int32_t next_tid[1024]; /* by CPU: who its last hit says runs now; 0: none yet, or idle */
	unsigned dropped;       /* hits that another one must have come before */
};

static bool is_sched_sample(const struct recording *r, const struct spe_perf_event *event)
{
	const struct spe_perf_attr *attr = spe_perfdata_attr(r->pd, (size_t)event->attr_index);

	return event->type == SPE_PERF_SAMPLE && attr && attr->type == 2 &&
	       attr->config == spe_sched_id(r->sched);
}

static void add_hit(struct recording *r, const struct spe_perf_event *event)
{
	struct spe_sched_switch hit;
	int32_t *next_tid = &r->next_tid[event->id.cpu % 1024];

	ck_assert_int_eq(spe_sched_read(r->sched, event->u.sample.raw_data,
					event->u.sample.raw_bytes, &hit),
			 SPE_OK);
	r->dropped += *next_tid && *next_tid != hit.prev_tid;
	*next_tid = hit.next_tid;
	ck_assert_int_eq(spe_switches_add_sched(r->scheds, event->id.cpu, event->id.time_ns,
						hit.prev_tid, hit.next_tid),
			 SPE_OK);
	ck_assert_int_eq(spe_tasks_add_pair(r->tasks, -1, hit.next_tid, true, event->id.time_ns,
					    hit.next_comm),
			 SPE_OK);
	/* the one who leaves wrote the record (dying, it has no id there) */
	if (event->id.tid != -1)
		ck_assert_int_eq(hit.prev_tid, event->id.tid);
}

static void add_all(struct recording *r)
{
	struct spe_perf_event event;
	struct spe_error error;

	while (spe_perfdata_next(r->pd, &event, &error) == SPE_OK) {
		ck_assert_int_eq(spe_tasks_add(r->tasks, &event), SPE_OK);
		ck_assert_int_eq(spe_switches_add(r->switches, &event), SPE_OK);
		if (is_sched_sample(r, &event))
			add_hit(r, &event);
	}
	ck_assert_int_eq(spe_tasks_freeze(r->tasks), SPE_OK);
	ck_assert_int_eq(spe_switches_freeze(r->switches), SPE_OK);
	ck_assert_int_eq(spe_switches_freeze(r->scheds), SPE_OK);
}

static void score_sample(const struct recording *r, const struct spe_perf_event *event,
			 struct score *score)
{
	struct spe_switch_answer a;
	struct spe_task task;

	score->samples++;
	if (!spe_switches_find(r->switches, (int32_t)event->id.cpu, event->id.time_ns, &a) &&
	    !a.in_window) {
		score->switch_right += a.tid == event->id.tid;
		score->switch_wrong += a.tid != event->id.tid;
	}
	if (!spe_switches_find(r->scheds, (int32_t)event->id.cpu, event->id.time_ns, &a)) {
		score->sched_right += a.tid == event->id.tid;
		score->sched_wrong += a.tid != event->id.tid;
	}
	spe_tasks_find(r->tasks, event->id.tid, true, event->id.time_ns, &task);
	ck_assert_int_eq(task.pid, event->id.pid);
}

static void score_all(const struct recording *r, struct score *score)
{
	struct spe_perf_event event;
	struct spe_error error;

	ck_assert_int_eq(spe_perfdata_rewind(r->pd), SPE_OK);
	while (spe_perfdata_next(r->pd, &event, &error) == SPE_OK)
		if (event.type == SPE_PERF_SAMPLE && !is_sched_sample(r, &event) &&
		    event.id.tid >= 0)
			score_sample(r, &event, score);
}

static bool record_here(char *path, const char *events)
{
	char command[512];
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(command, sizeof(command),
		 "perf record -q -o %s -a %s -- sleep 0.5 >/dev/null 2>&1", path, events);
	return system(command) == 0;
}

/* A real kernel's switches name the owner of each of its own samples. */
START_TEST(recording_made_here)
{
	char path[] = "/tmp/perf-arm-spe-sched-XXXXXX";
	struct recording r = { 0 };
	struct score score = { 0 };
	struct spe_error error = { 0 };
	const uint8_t *bytes;
	size_t n;

	if (!record_here(path, "-e cpu-clock/freq=2000/ -e sched:sched_switch --switch-events") ||
	    spe_perfdata_open(path, NULL, &r.pd, &error) != SPE_OK ||
	    spe_perfdata_feature(r.pd, SPE_FEAT_TRACING_DATA, &bytes, &n) != SPE_OK) {
		printf("skipped: perf cannot record sched:sched_switch here\n");
		spe_perfdata_close(r.pd);
		unlink(path);
		return;
	}
	unlink(path);
	ck_assert_int_eq(spe_sched_new(bytes, n, &r.sched), SPE_OK);
	ck_assert_int_eq(spe_switches_new(&r.switches), SPE_OK);
	ck_assert_int_eq(spe_switches_new(&r.scheds), SPE_OK);
	ck_assert_int_eq(spe_tasks_new(&r.tasks), SPE_OK);
	add_all(&r);
	score_all(&r, &score);
	printf("%u samples; switch: %u right, %u wrong; sched: %u right, %u wrong; %u dropped\n",
	       score.samples, score.switch_right, score.switch_wrong, score.sched_right,
	       score.sched_wrong, r.dropped);
	ck_assert_uint_gt(score.samples, 0);
	ck_assert_uint_eq(score.switch_wrong, 0);
	ck_assert_uint_le(score.sched_wrong, score.samples / 200);
	ck_assert_uint_gt(score.switch_right, 0);
	ck_assert_uint_gt(score.sched_right, 0);
	/* A busy machine's kernel drops records without a word; neighbours then contradict. */
	if (!r.dropped) {
		ck_assert_uint_ge(score.switch_right, score.samples * 95 / 100);
		ck_assert_uint_ge(score.sched_right, score.samples * 90 / 100);
	}
	spe_tasks_free(r.tasks);
	spe_switches_free(r.switches);
	spe_switches_free(r.scheds);
	spe_sched_free(r.sched);
	spe_perfdata_close(r.pd);
}
END_TEST

/* An event that writes a selection of the switches is no timeline. */
START_TEST(selection_of_switches)
{
	static const char *const events[] = { "-e sched:sched_switch",
					      "-F 500 -e sched:sched_switch",
					      "-c 2 -e sched:sched_switch" };
	struct spe_recording_opts opts = { .size = sizeof(opts), .without_spe = true };
	char path[] = "/tmp/perf-arm-spe-sched-XXXXXX";
	struct spe_recording *recording;
	struct spe_error error;

	if (!record_here(path, events[_i])) {
		printf("skipped: perf cannot record sched:sched_switch here\n");
		unlink(path);
		return;
	}
	ck_assert_int_eq(spe_recording_open(path, &opts, &recording, &error), SPE_OK);
	unlink(path);
	ck_assert_int_eq(spe_recording_facts(recording)->has_sched, _i == 0);
	spe_recording_close(recording);
}
END_TEST

START_TEST(built_without)
{
	struct spe_sched *sched = NULL;
	struct bytes blob;

	put_blob(&blob, false, switch_format);
	ck_assert_int_eq(spe_sched_new(blob.at, blob.n, &sched), SPE_UNSUPPORTED);
	ck_assert_ptr_null(sched);
	spe_sched_free(sched);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("attribution: sched_switch");
	TCase *tc = tcase_create("sched");

	tcase_set_timeout(tc, 120);
	if (have_libtraceevent()) {
		tcase_add_loop_test(tc, reads_both_byte_orders, 0, 2);
		tcase_add_test(tc, blob_cut_anywhere);
		tcase_add_test(tc, blob_without_sched_switch);
		tcase_add_loop_test(tc, hostile_blobs, 0, 4);
		tcase_add_test(tc, recording_made_here);
		tcase_add_loop_test(tc, selection_of_switches, 0, 3);
	} else {
		tcase_add_test(tc, built_without);
	}
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
