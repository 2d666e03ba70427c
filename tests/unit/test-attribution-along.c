/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples along with the survey: kept where the trace is as its beginning
 * promised, given up where one late record makes the facts others.  (That they
 * are the readers' is checked for every recording that any test asks.)
 */
#include "recording-file.h"

#include <stdlib.h>

#define S UINT64_C(1000000000)
/* More than the survey looks at before it decides what is likely. */
#define MANY 5000

static struct trace *new_trace(void)
{
	struct trace *t = calloc(1, sizeof(*t));

	ck_assert_ptr_nonnull(t);
	return t;
}

/* Chunks of a stream, as one trace is too small. */
struct stream_end {
	int cpu;
	uint64_t offset;
	uint64_t time;
};

static void add(struct file *f, struct stream_end *end, uint64_t pc, uint64_t el1, uint64_t el2,
		unsigned count)
{
	struct trace *t = new_trace();

	while (count) {
		t->n = 0;
		for (; count && t->n + 64 <= sizeof(t->bytes); count--)
			put_sample(t, pc, el1, el2, S + ++end->time);
		file_auxtrace(f, end->cpu, -1, end->offset, t->bytes, t->n);
		end->offset += t->n;
	}
	free(t);
}

static struct file *usual(struct file_kind kind)
{
	struct file *f = file_new(kind);

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	return f;
}

/* Asks, gives everything back. */
static bool is_kept(struct file *f, struct spe_recording_opts opts)
{
	struct answers a;
	bool kept;

	a = ask_file_as(f, opts, &kept);
	ck_assert_uint_gt(a.count, 0);
	answers_free(&a);
	file_free(f);
	return kept;
}

/* ---- kept ------------------------------------------------------------------- */

START_TEST(contexts_as_usual)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 }, one = { .cpu = 1 };

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, MANY);
	add(f, &zero, EL1_PC, 0, NO_CONTEXT, 100);
	add(f, &zero, EL0_PC, 200, NO_CONTEXT, MANY);
	add(f, &one, EL0_PC, 200, NO_CONTEXT, MANY);
	add(f, &one, EL0_PC, NO_CONTEXT, NO_CONTEXT, 100);
	ck_assert(is_kept(f, recording_opts()));
}
END_TEST

/* How many runs of one owner came as one. */
static uint64_t runs_of(struct file *f)
{
	struct spe_recording_opts opts = recording_opts();
	struct answers a;
	uint64_t runs;
	bool kept;

	a = ask_file_as(f, opts, &kept);
	ck_assert(kept);
	runs = go_along_for_owners(f, opts, &a);
	answers_free(&a);
	file_free(f);
	return runs;
}

START_TEST(runs_of_one_owner)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	file_comm(f, 300, 300, "other", S + 1); /* the side-band has times */
	for (int i = 0; i < 10; i++) {
		add(f, &zero, EL0_PC, 100, NO_CONTEXT, 50);
		add(f, &zero, EL0_PC, 200, NO_CONTEXT, 2);
		add(f, &zero, EL1_PC, 0, NO_CONTEXT, 50);
	}
	ck_assert_uint_ge(runs_of(f), 10);
}
END_TEST

/* The name changes in the middle of a run, and the time goes back in another. */
START_TEST(runs_of_changing_owners)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	file_exec(f, 100, "gamma", S + 30);
	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 60);
	zero.time = 10;
	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 10);
	zero.time = 200;
	add(f, &zero, EL0_PC, 200, NO_CONTEXT, 20);
	zero.time = 150;
	add(f, &zero, EL0_PC, 200, NO_CONTEXT, 20);
	ck_assert_uint_ge(runs_of(f), 1);
}
END_TEST

/* On a host at EL2 code at EL1 is a guest's, whoever it belongs to. */
START_TEST(runs_with_guests)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	file_comm(f, 300, 300, "other", S + 1);
	add(f, &zero, EL2_PC, NO_CONTEXT, 100, 20);
	add(f, &zero, EL1_PC, NO_CONTEXT, 100, 1);
	add(f, &zero, EL0_PC, NO_CONTEXT, 100, 300);
	add(f, &zero, EL0_PC, 7, 100, 20);
	add(f, &zero, EL1_PC, 7, 200, 20);
	ck_assert_uint_ge(runs_of(f), 1);
}
END_TEST

START_TEST(host_at_el2)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL2_PC, NO_CONTEXT, 100, MANY);
	add(f, &zero, EL1_PC, 7, 200, MANY);
	add(f, &zero, EL0_PC, 7, 200, 10);
	ck_assert(is_kept(f, recording_opts()));
}
END_TEST

START_TEST(switches_alone)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	file_switch(f, 0, S + 100, 100, 100, 200, 200);
	file_switch(f, 0, S + 6000, 200, 200, 100, 100);
	add(f, &zero, EL0_PC, NO_CONTEXT, NO_CONTEXT, 2 * MANY);
	ck_assert(is_kept(f, recording_opts()));
}
END_TEST

START_TEST(without_clock)
{
	struct file *f = usual((struct file_kind){ .no_conv = true });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 20);
	ck_assert(is_kept(f, recording_opts()));
}
END_TEST

/* ---- given up on: what comes late says otherwise ------------------------------- */

START_TEST(one_late_zero_at_el0)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, MANY);
	add(f, &zero, EL0_PC, 0, NO_CONTEXT, 1);
	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 3);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

START_TEST(one_late_record_at_el2)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 }, one = { .cpu = 1 };

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, MANY);
	add(f, &one, EL0_PC, 100, NO_CONTEXT, MANY);
	add(f, &one, EL2_PC, NO_CONTEXT, 200, 1);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

START_TEST(zeros_whose_meaning_comes_late)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL1_PC, NO_CONTEXT, NO_CONTEXT, MANY);
	add(f, &zero, EL1_PC, 0, NO_CONTEXT, 2);
	add(f, &zero, EL1_PC, 100, NO_CONTEXT, 2);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

START_TEST(ids_that_turn_out_foreign)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, MANY);
	add(f, &zero, EL0_PC, 4100, NO_CONTEXT, MANY);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

/* Records that first are aligned, then are not: the survey starts over. */
START_TEST(alignment_that_does_not_last)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };
	struct trace *t = new_trace();

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, MANY);
	for (int i = 0; i < 20; i++) {
		put_pc(t, EL0_PC);
		put_context1(t, 200);
		put_timestamp(t, S + ++zero.time);
	}
	file_auxtrace(f, 0, -1, zero.offset, t->bytes, t->n);
	free(t);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

/* ---- never tried ---------------------------------------------------------------- */

START_TEST(zeros_at_el0_from_the_first)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL0_PC, 0, NO_CONTEXT, 20);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

START_TEST(another_clock)
{
	struct file *f = usual((struct file_kind){ .other_clock = true });
	struct stream_end zero = { .cpu = 0 };

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 20);
	ck_assert(!is_kept(f, recording_opts()));
}
END_TEST

/* ---- the function itself ---------------------------------------------------------- */

static int refuse(void *arg, unsigned workers)
{
	(void)arg;
	(void)workers;
	return SPE_IO;
}

static int accept(void *arg, unsigned workers)
{
	(void)arg;
	return workers ? SPE_OK : SPE_INTERNAL;
}

static int refuse_batch(void *arg, unsigned worker, struct spe_sample *samples, size_t count)
{
	size_t *left = arg;

	(void)worker;
	(void)samples;
	if (count > *left)
		return SPE_CLOSED;
	*left -= count;
	return SPE_OK;
}

static int finish_with(struct spe_companion companion)
{
	struct spe_recording_opts opts = recording_opts();
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };
	struct spe_recording *recording;
	struct spe_error error = { 0 };
	bool kept = true;
	int status;

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 1000);
	opts.later = true;
	ck_assert_int_eq(spe_recording_open(file_write(f), &opts, &recording, &error), SPE_OK);
	status = spe_recording_finish(recording, &companion, &kept, &error);
	ck_assert(kept == !status);
	ck_assert_int_eq(error.status, status);
	spe_recording_close(recording);
	file_free(f);
	return status;
}

START_TEST(failures_come_back)
{
	struct along along = { 0 };
	size_t left = 600, enough = 1000;

	ck_assert_int_eq(finish_with((struct spe_companion){ .size = sizeof(struct spe_companion),
							     .arg = &along,
							     .start = refuse,
							     .batch = along_batch }),
			 SPE_IO);
	ck_assert_int_eq(finish_with((struct spe_companion){ .size = sizeof(struct spe_companion),
							     .arg = &left,
							     .start = accept,
							     .batch = refuse_batch }),
			 SPE_CLOSED);
	ck_assert_int_eq(finish_with((struct spe_companion){ .size = sizeof(struct spe_companion),
							     .arg = &enough,
							     .start = accept,
							     .batch = refuse_batch }),
			 SPE_OK);
	ck_assert_uint_eq(enough, 0);
}
END_TEST

START_TEST(finished_once)
{
	struct spe_companion companion = { .size = sizeof(companion), .start = refuse };
	struct spe_recording_opts opts = recording_opts();
	struct file *f = usual((struct file_kind){ 0 });
	struct stream_end zero = { .cpu = 0 };
	struct spe_recording *recording;
	struct spe_error error = { 0 };
	bool kept = true;

	add(f, &zero, EL0_PC, 100, NO_CONTEXT, 20);
	ck_assert_int_eq(spe_recording_open(file_write(f), &opts, &recording, &error), SPE_OK);
	ck_assert_int_eq(spe_recording_finish(recording, NULL, NULL, &error), SPE_OK);
	ck_assert_int_eq(spe_recording_finish(recording, &companion, &kept, &error), SPE_INVALID);
	companion.batch = along_batch;
	ck_assert_int_eq(spe_recording_finish(recording, &companion, NULL, &error), SPE_INVALID);
	ck_assert_int_eq(spe_recording_finish(NULL, NULL, NULL, &error), SPE_INVALID);
	ck_assert_int_eq(spe_recording_finish(recording, &companion, &kept, &error), SPE_OK);
	ck_assert(!kept); /* the survey was made long ago */
	spe_recording_close(recording);
	file_free(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("along with the survey");
	TCase *tc = tcase_create("along");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, contexts_as_usual);
	tcase_add_test(tc, runs_of_one_owner);
	tcase_add_test(tc, runs_of_changing_owners);
	tcase_add_test(tc, runs_with_guests);
	tcase_add_test(tc, host_at_el2);
	tcase_add_test(tc, switches_alone);
	tcase_add_test(tc, without_clock);
	tcase_add_test(tc, one_late_zero_at_el0);
	tcase_add_test(tc, one_late_record_at_el2);
	tcase_add_test(tc, zeros_whose_meaning_comes_late);
	tcase_add_test(tc, ids_that_turn_out_foreign);
	tcase_add_test(tc, alignment_that_does_not_last);
	tcase_add_test(tc, zeros_at_el0_from_the_first);
	tcase_add_test(tc, another_clock);
	tcase_add_test(tc, failures_come_back);
	tcase_add_test(tc, finished_once);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
