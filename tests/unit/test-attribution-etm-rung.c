/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CoreSight trace beside SPE in one file: samples without a context take their
 * owner from it where its timestamps vouch for the moment, and nowhere else.
 */
#include "recording-file.h"

#include <perf-arm-spe/etm.h>

#define S 1000000000ull
#define NS(n) (S + (n))
#define ETM_PMU 9u
#define ETE_MAGIC 0x5050505050505050ull
#define TS_VIRTUAL 1u

/* AUXTRACE_INFO of cs_etm, metadata version 2, one ETE on CPU 0 with contexts and timestamps. */
static void cs_info(struct file *f, uint64_t ts_source)
{
	const uint64_t words[] = { 2,          (uint64_t)ETM_PMU << 32 | 1,
				   0,          ETE_MAGIC,
				   0,          9,
				   0x840,      0x10,
				   0x28000ea1, 0x4100fff3,
				   0x20001088, 0,
				   0,          0x47705a13,
				   ts_source };

	file_begin_record(f, SPE_PERF_AUXTRACE_INFO, 0);
	file_u32(f, SPE_AUXTRACE_CS_ETM);
	file_u32(f, 0);
	file_put(f, words, sizeof(words));
	file_end_record(f);
}

static void etm_bytes(struct trace *t, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_byte(t, bytes[i]);
}

static void etm_sync(struct trace *t)
{
	put_zeros(t, 11);
	etm_bytes(t, (const uint8_t[]){ 0x80, 0x01, 0x01, 0x00 }, 4);
}

static void etm_time(struct trace *t, uint64_t ticks)
{
	uint8_t packet[10] = { 0x02 };
	size_t n = 1;

	for (; n < 9 && ticks > 0x7f; ticks >>= 7)
		packet[n++] = (uint8_t)(ticks & 0x7f) | 0x80;
	packet[n++] = (uint8_t)ticks;
	etm_bytes(t, packet, n);
}

static void etm_context(struct trace *t, uint32_t tid)
{
	uint8_t packet[6] = { 0x81, 0xb0 };

	memcpy(packet + 2, &tid, sizeof(tid));
	etm_bytes(t, packet, sizeof(packet));
}

/* 100 ran from 1000 to 2000 for certain, 200 from 2100 to 3000; nothing vouches for what is
 * between. */
static void etm_two_threads(struct trace *t)
{
	etm_sync(t);
	etm_context(t, 100);
	etm_time(t, NS(1000));
	etm_time(t, NS(2000));
	etm_context(t, 200);
	etm_time(t, NS(2100));
	etm_time(t, NS(3000));
}

/* SPE samples without contexts, then the CoreSight trace. */
static struct file *two_traces(uint64_t ts_source, bool switches)
{
	static const uint64_t times[] = { 500, 1500, 2050, 2500, 3500 };
	struct file *f = file_new((struct file_kind){ 0 });
	struct trace spe = { 0 }, etm = { 0 };

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	if (switches)
		file_switch(f, 0, NS(10), 100, 100, 200, 200);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		put_sample(&spe, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(times[i]));
	put_sample(&spe, EL0_PC, 200, NO_CONTEXT, NS(3600));
	file_trace(f, 0, &spe);
	etm_two_threads(&etm);
	cs_info(f, ts_source);
	/* the AUX record of the trace, of the third event: raw trace of one source */
	file_begin_record(f, SPE_PERF_AUX, 0);
	file_u64(f, 0);
	file_u64(f, etm.n);
	file_u64(f, 0x0100);
	file_trailer(f, 9, 9, NS(3000), 0, 2);
	file_auxtrace(f, 0, -1, 0, etm.bytes, etm.n);
	return f;
}

#ifdef HAVE_OPENCSD

START_TEST(etm_owns_where_it_vouches)
{
	struct file *f = two_traces(TS_VIRTUAL, false);
	struct answers a = ask_file(f);

	ck_assert(spe_recording_facts(a.recording)->has_etm);
	ck_assert_uint_eq(a.count, 6);
	expect(&a, 0, -1, -1, NONE);
	expect(&a, 1, 100, 100, ETM);
	expect(&a, 2, -1, -1, NONE);
	expect(&a, 3, 200, 200, ETM);
	expect(&a, 4, -1, -1, NONE);
	expect(&a, 5, 200, 200, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

START_TEST(etm_comes_before_switches)
{
	struct file *f = two_traces(TS_VIRTUAL, true); /* which say 200 all along */
	struct answers a = ask_file(f);

	expect(&a, 0, 200, 200, SWITCH);
	expect(&a, 1, 100, 100, ETM);
	expect(&a, 2, 200, 200, SWITCH);
	expect(&a, 3, 200, 200, ETM);
	expect(&a, 4, 200, 200, SWITCH);
	expect(&a, 5, 200, 200, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

START_TEST(etm_answers_and_says_how_long)
{
	struct file *f = two_traces(TS_VIRTUAL, false);
	struct answers a = ask_file(f);
	uint64_t from, to;
	int32_t tid;

	ck_assert_int_eq(spe_recording_etm(a.recording, 0, NS(1500), &tid, &from, &to), SPE_OK);
	ck_assert_int_eq(tid, 100);
	ck_assert_uint_eq(from, NS(1000));
	ck_assert_uint_eq(to, NS(2000));
	ck_assert_int_eq(spe_recording_etm(a.recording, 0, NS(2050), &tid, &from, &to),
			 SPE_NOT_FOUND);
	ck_assert_int_eq(tid, -1);
	ck_assert_uint_eq(from, NS(2000));
	ck_assert_uint_eq(to, NS(2100));
	ck_assert_int_eq(spe_recording_etm(a.recording, 1, NS(1500), &tid, &from, &to),
			 SPE_NOT_FOUND);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* The trace id is where AUX_OUTPUT_HW_ID says, not where the metadata did. */
START_TEST(trace_id_by_hw_id)
{
	struct file *f = file_new((struct file_kind){ .no_info = true });
	struct spe_perfdata_opts opts = { .size = sizeof(opts) };
	struct spe_perfdata *pd;
	struct spe_etm *etm;

	cs_info(f, TS_VIRTUAL);
	file_begin_record(f, SPE_PERF_AUX_OUTPUT_HW_ID, 0);
	file_u64(f, 0x2a);
	file_trailer(f, 9, 9, NS(1), 0, 2);
	ck_assert_int_eq(spe_perfdata_open(file_write(f), &opts, &pd, NULL), SPE_OK);
	ck_assert_int_eq(spe_etm_new(pd, &etm, NULL), SPE_OK);
	ck_assert_uint_eq(spe_etm_source(etm, 0)->trace_id, 0x2a);
	ck_assert(spe_etm_source(etm, 0)->ete && spe_etm_source(etm, 0)->has_ts_source);
	spe_etm_free(etm);
	spe_perfdata_close(pd);
	file_free(f);
}
END_TEST

/* Timestamps of a clock the metadata does not name place nothing. */
START_TEST(unknown_clock_places_nothing)
{
	struct file *f = two_traces(UINT64_MAX, false);
	struct answers a = ask_file(f);

	ck_assert(spe_recording_facts(a.recording)->has_etm);
	for (size_t i = 0; i < 5; i++)
		expect(&a, i, -1, -1, NONE);
	answers_free(&a);
	file_free(f);
}
END_TEST

#endif

/* A file without SPE opens for those who ask for its tasks only. */
START_TEST(without_spe)
{
	struct spe_recording_opts opts = recording_opts();
	struct file *f = file_new((struct file_kind){ .no_info = true });
	struct spe_recording *recording;
	struct spe_task task;

	file_comm(f, 100, 100, "alpha", 0);
	file_write(f);
	/* The SPE event's PMU has no name here: without AUXTRACE_INFO it is any event. */
	ck_assert_int_eq(spe_recording_open(f->path, &opts, &recording, NULL), SPE_NO_SPE);
	opts.without_spe = true;
	ck_assert_int_eq(spe_recording_open(f->path, &opts, &recording, NULL), SPE_OK);
	ck_assert_uint_eq(spe_recording_streams(recording), 0);
	ck_assert_int_eq(spe_recording_task(recording, 100, false, 0, &task), SPE_OK);
	ck_assert_int_eq(task.pid, 100);
	spe_recording_close(recording);
	file_free(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("attribution-etm-rung");
	TCase *tc = tcase_create("rung");
	SRunner *runner;
	int failed;

#ifdef HAVE_OPENCSD
	tcase_add_test(tc, etm_owns_where_it_vouches);
	tcase_add_test(tc, etm_comes_before_switches);
	tcase_add_test(tc, unknown_clock_places_nothing);
	tcase_add_test(tc, etm_answers_and_says_how_long);
	tcase_add_test(tc, trace_id_by_hw_id);
#else
	(void)two_traces;
#endif
	tcase_add_test(tc, without_spe);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
