/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts held against switch records: what is compared, where they part, whom to believe. */
#include "recording-file.h"

#include <perf-arm-spe/limits.h>
#include <perf-arm-spe/sink.h>

#define S UINT64_C(1000000000)
#define US UINT64_C(1000)
#define TEXT_ROOM (4u << 20)

static struct spe_verify_result result;
static char text[TEXT_ROOM];
static size_t text_bytes;

static int keep_text(void *priv, const char *bytes, size_t n)
{
	(void)priv;
	ck_assert_uint_lt(text_bytes + n, TEXT_ROOM);
	memcpy(text + text_bytes, bytes, n);
	text_bytes += n;
	text[text_bytes] = '\0';
	return SPE_OK;
}

/* Run verify over f; `result` and `text` hold what came of it. */
static void verify(struct file *f, uint32_t format)
{
	const struct spe_out to = { .write = keep_text };
	struct spe_recording_opts recording = recording_opts();
	struct spe_run_opts run = { .size = sizeof(run), .threads = 2, .batch_records = 7 };
	struct answers a = open_file(f, &recording);
	struct spe_run_stats stats;
	struct spe_verify *v;

	ck_assert_int_eq(spe_verify_new(a.recording, &v), SPE_OK);
	ck_assert_int_eq(spe_sink_run(a.recording, spe_verify_ops(v), v, &run, &stats, NULL),
			 SPE_OK);
	result = *spe_verify_result(v);
	text_bytes = 0;
	ck_assert_int_eq(spe_verify_print(v, format, &to), SPE_OK);
	spe_verify_free(v);
	answers_free(&a);
	file_free(f);
	/* every sample is counted once */
	ck_assert_uint_eq(result.compared + result.in_window + result.no_switch +
				  result.no_context + result.untranslated,
			  stats.samples);
	ck_assert_uint_eq(result.agree + result.part, result.compared);
}

/* alpha 100 and beta 200 with threads of its own. */
static struct file *usual(struct file_kind kind)
{
	struct file *f = file_new(kind);

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	file_comm(f, 200, 201, "beta-io", 0);
	return f;
}

static struct trace *fresh(void)
{
	static struct trace t;

	t.n = 0;
	return &t;
}

static void traced(struct file *f, int cpu, struct trace *t)
{
	file_trace(f, cpu, t);
	file_aux(f, cpu, 9 * S, 0, t->n, 0);
}

/* On CPU 0 alpha, thread 201, alpha ... take turns of 100 us from S on. */
static void turns(struct file *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		file_switch(f, 0, S + i * 100 * US, i % 2 ? 100 : 200, i % 2 ? 100 : 201,
			    i % 2 ? 200 : 100, i % 2 ? 201 : 100);
}

static uint64_t runs_at(unsigned turn)
{
	return turn % 2 ? 201 : 100;
}

/* Four samples in each turn, with the contexts that `says` tells. */
static struct trace *samples(unsigned n, uint64_t (*says)(unsigned turn))
{
	struct trace *t = fresh();

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 1; k <= 4; k++)
			put_sample(t, EL0_PC, says(i), NO_CONTEXT, S + (i * 100 + 20 * k) * US);
	return t;
}

START_TEST(test_agree)
{
	struct file *f = usual((struct file_kind){ 0 });

	turns(f, 20);
	traced(f, 0, samples(20, runs_at));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.compared, 80);
	ck_assert_uint_eq(result.agree, 80);
	ck_assert_uint_eq(result.spans, 0);
	ck_assert_int_eq(result.belief, SPE_BELIEVE_EITHER);
	ck_assert_ptr_nonnull(strstr(text, "agree on 80 of 80 samples (100.00 %), and part on 0"));
	ck_assert_ptr_nonnull(strstr(text, "     200           40           40    100.00  beta"));
}
END_TEST

static uint64_t wrong_in_turn_7_and_8(unsigned turn)
{
	return turn == 7 || turn == 8 ? 200 : runs_at(turn);
}

/* Two turns in a row are one span, and another CPU does not end it. */
START_TEST(test_part)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t;

	turns(f, 20);
	traced(f, 0, samples(20, wrong_in_turn_7_and_8));
	file_switch(f, 1, S - 10 * US, 0, 0, 100, 100);
	t = fresh();
	for (unsigned i = 0; i < 20; i++)
		put_sample(t, EL0_PC, 100, NO_CONTEXT, S + (i * 100 + 50) * US);
	traced(f, 1, t);
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.compared, 100);
	ck_assert_uint_eq(result.part, 8);
	ck_assert_uint_eq(result.spans, 1);
	ck_assert_int_eq(result.belief, SPE_BELIEVE_NEITHER);
	ck_assert_ptr_nonnull(strstr(text, "  CPU 0  1.000720000 - 1.000880000: 8 samples, "
					   "context 200, switch 201\n"));
	ck_assert_ptr_nonnull(strstr(text, "     200           44           36     81.82  beta"));
}
END_TEST

/* The same, and side-band was lost: that explains it. */
START_TEST(test_part_after_loss)
{
	struct file *f = usual((struct file_kind){ 0 });

	turns(f, 20);
	file_lost(f, 1, S, 12);
	traced(f, 0, samples(20, wrong_in_turn_7_and_8));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.part, 8);
	ck_assert_uint_eq(result.lost_events, 12);
	ck_assert_int_eq(result.belief, SPE_BELIEVE_CONTEXTS);
	ck_assert_ptr_nonnull(strstr(text, "The kernel lost 12 side-band events"));
}
END_TEST

static uint64_t stuck(unsigned turn)
{
	(void)turn;
	return 100;
}

/* One context while tasks change: nobody writes the register. */
START_TEST(test_stuck)
{
	struct file *f = usual((struct file_kind){ 0 });

	for (unsigned i = 0; i < 30; i++) { /* 100 has one turn in three */
		static const int pids[] = { 100, 200, 200 }, tids[] = { 100, 200, 201 };

		file_switch(f, 0, S + i * 100 * US, pids[(i + 2) % 3], tids[(i + 2) % 3],
			    pids[i % 3], tids[i % 3]);
	}
	traced(f, 0, samples(30, stuck));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_int_eq(result.belief, SPE_BELIEVE_SWITCHES);
	ck_assert_ptr_nonnull(strstr(text, "Believe the switch records"));
}
END_TEST

/* Between out and in either is right. */
START_TEST(test_window)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	turns(f, 2); /* at S and S + 100 us: out, and in 10 ns later */
	put_sample(t, EL0_PC, 100, NO_CONTEXT, S + 50 * US);
	put_sample(t, EL1_PC, 100, NO_CONTEXT, S + 100 * US + 3);
	put_sample(t, EL1_PC, 201, NO_CONTEXT, S + 100 * US + 7);
	put_sample(t, EL0_PC, 201, NO_CONTEXT, S + 100 * US + 20);
	traced(f, 0, t);
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.in_window, 2);
	ck_assert_uint_eq(result.agree, 2);
	ck_assert_uint_eq(result.part, 0);
}
END_TEST

/* A hole in the side-band: nothing is compared until the CPU switches again. */
START_TEST(test_hole)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_switch(f, 0, S, 200, 201, 100, 100);
	file_lost(f, 0, S + 500 * US, 3);
	file_switch(f, 0, S + 600 * US, 100, 100, 200, 201);
	put_sample(t, EL0_PC, 201, NO_CONTEXT, S + 300 * US);
	put_sample(t, EL0_PC, 201, NO_CONTEXT, S + 700 * US);
	traced(f, 0, t);
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.no_switch, 1);
	ck_assert_uint_eq(result.agree, 1);
	ck_assert_uint_eq(result.part, 0);
}
END_TEST

/* Nothing to compare: no context, zeros nobody wrote, no switches, no time. */
static uint64_t none(unsigned turn)
{
	(void)turn;
	return NO_CONTEXT;
}

static uint64_t zero(unsigned turn)
{
	(void)turn;
	return 0;
}

START_TEST(test_nothing)
{
	struct file *f = usual((struct file_kind){ 0 });

	turns(f, 20);
	traced(f, 0, samples(20, _i ? zero : none));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.no_context, 80);
	ck_assert_int_eq(result.belief, _i ? SPE_BELIEVE_SWITCHES : SPE_BELIEVE_EITHER);
	ck_assert_ptr_nonnull(strstr(text, "Nothing could be compared"));
}
END_TEST

START_TEST(test_no_switches)
{
	struct file *f = usual((struct file_kind){ 0 });

	traced(f, 0, samples(20, runs_at));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.no_switch, 80);

	f = usual((struct file_kind){ 0 });
	turns(f, 20);
	{
		struct trace *t = fresh();

		put_sample(t, EL0_PC, 100, NO_CONTEXT, 0);
		traced(f, 0, t);
	}
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.no_switch, 1);
}
END_TEST

/* perf in a child namespace: 5100 is what the side-band calls 100, 5201 is 201. */
static uint64_t outside_ids(unsigned turn)
{
	return 5000 + runs_at(turn);
}

START_TEST(test_namespace)
{
	struct file *f = usual((struct file_kind){ 0 });

	file_namespaces(f, 100, UINT64_C(0xf0000001), 0);
	file_namespaces(f, 200, UINT64_C(0xf0000001), 0);
	turns(f, 40);
	traced(f, 0, samples(40, outside_ids));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_ge(result.compared, 150);
	ck_assert_uint_eq(result.part, 0);
}
END_TEST

/* Nothing translates them: they are no missing contexts. */
START_TEST(test_untranslated)
{
	struct file *f = usual((struct file_kind){ 0 });

	file_namespaces(f, 100, UINT64_C(0xf0000001), 0);
	traced(f, 0, samples(40, outside_ids));
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.untranslated, 160);
	ck_assert_uint_eq(result.no_context, 0);
}
END_TEST

/* A thread that execs keeps its old id in register and switch record: both mean the leader. */
START_TEST(test_exec)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_switch(f, 0, S, 100, 100, 200, 201);
	file_exec(f, 200, "fresh", S + 100 * US);
	for (unsigned i = 0; i < 10; i++)
		put_sample(t, EL0_PC, 201, NO_CONTEXT, S + (50 + i * 20) * US);
	traced(f, 0, t);
	verify(f, SPE_FORMAT_TEXT);
	ck_assert_uint_eq(result.agree, 10);
	ck_assert_uint_eq(result.part, 0);
}
END_TEST

static uint64_t wrong_now_and_then(unsigned turn)
{
	return turn % 4 == 1 ? 200 : runs_at(turn);
}

/* More spans than are kept are counted all the same, each once. */
START_TEST(test_many_spans)
{
	const unsigned each = 1000, cpus = 4 * (SPE_LIMIT_VERIFY_SPANS / each + 1);
	struct file *f = usual((struct file_kind){ 0 });

	turns(f, each);
	for (unsigned i = 1; i < cpus; i++)
		for (unsigned k = 0; k < each; k++)
			file_switch(f, (int)i, S + k * 100 * US, k % 2 ? 100 : 200,
				    k % 2 ? 100 : 201, k % 2 ? 200 : 100, k % 2 ? 201 : 100);
	for (unsigned i = 0; i < cpus; i++) {
		struct trace *t = fresh();

		for (unsigned k = 0; k < each; k++)
			for (unsigned n = 1; n < 3; n++)
				put_sample(t, EL0_PC, wrong_now_and_then(k), NO_CONTEXT,
					   S + (k * 100 + 20 * n) * US);
		traced(f, (int)i, t);
	}
	verify(f, SPE_FORMAT_JSON);
	ck_assert_uint_eq(result.part, (uint64_t)cpus * each / 4 * 2);
	ck_assert_uint_eq(result.spans, (uint64_t)cpus * each / 4);
	ck_assert_uint_gt(result.spans, SPE_LIMIT_VERIFY_SPANS);
}
END_TEST

START_TEST(test_json)
{
	struct file *f = usual((struct file_kind){ 0 });

	turns(f, 20);
	traced(f, 0, samples(20, wrong_in_turn_7_and_8));
	verify(f, SPE_FORMAT_JSON);
	ck_assert_ptr_nonnull(strstr(text, "\"compared\": 80"));
	ck_assert_ptr_nonnull(strstr(text, "\"part\": 8"));
	ck_assert_ptr_nonnull(strstr(text, "\"believe\": \"neither\""));
	ck_assert_ptr_nonnull(strstr(text, "\"first_ns\": 1000720000, \"last_ns\": 1000880000, "
					   "\"samples\": 8, \"context_tid\": 200, "
					   "\"switch_tid\": 201"));
	ck_assert_ptr_nonnull(strstr(text, "\"comm\": \"alpha\""));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verify");
	TCase *tc = tcase_create("verify");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, test_agree);
	tcase_add_test(tc, test_part);
	tcase_add_test(tc, test_part_after_loss);
	tcase_add_test(tc, test_stuck);
	tcase_add_test(tc, test_window);
	tcase_add_test(tc, test_hole);
	tcase_add_loop_test(tc, test_nothing, 0, 2);
	tcase_add_test(tc, test_no_switches);
	tcase_add_test(tc, test_namespace);
	tcase_add_test(tc, test_untranslated);
	tcase_add_test(tc, test_exec);
	tcase_add_test(tc, test_many_spans);
	tcase_add_test(tc, test_json);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
