/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spe_sink_run_first(): whatever way the samples took, the report and its counts
 * are those of spe_sink_run().
 */
#include "recording-file.h"

#include <perf-arm-spe/sink.h>
#include <stdlib.h>

#define S UINT64_C(1000000000)
#define TEXT_ROOM (1u << 20)
/* Records of each CPU: more than the survey looks at before it decides. */
#define MANY 6000

struct text {
	size_t n;
	char bytes[TEXT_ROOM];
};

static int keep_text(void *priv, const char *bytes, size_t n)
{
	struct text *text = priv;

	ck_assert_uint_lt(text->n + n, TEXT_ROOM);
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
	text->bytes[text->n] = '\0';
	return SPE_OK;
}

/* Two CPUs, three threads that take turns; the last record is at EL0 with this context. */
static struct file *recording(uint32_t last_context)
{
	static const uint32_t contexts[] = { 100, 200, 201, 0, 100, 200, 201, 999 };
	struct file *f = file_new((struct file_kind){ 0 });
	static struct trace t;

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	file_comm(f, 200, 201, "beta-io", 0);
	for (int cpu = 0; cpu < 2; cpu++) {
		uint64_t offset = 0, time = S;

		for (unsigned i = 0; i < MANY;) {
			t.n = 0;
			for (; i < MANY && t.n + 64 <= sizeof(t.bytes); i++, time += 1000)
				put_sample(&t, EL1_PC, contexts[i / 70 % 8], NO_CONTEXT, time);
			if (i == MANY && cpu) {
				t.n -= 64;
				put_sample(&t, EL0_PC, last_context, NO_CONTEXT, time);
			}
			file_auxtrace(f, cpu, -1, offset, t.bytes, t.n);
			offset += t.n;
		}
	}
	return f;
}

/* How a run goes. */
struct way {
	bool first;
	unsigned threads;
	const char *filter, *argument; /* NULL: none */
	size_t batch_records;
};

static struct spe_run_stats report(const struct file *f, const struct way *way, const char *sort,
				   struct text *text)
{
	struct spe_recording_opts opts = recording_opts();
	struct spe_report_opts report_opts = { .size = sizeof(report_opts), .sort = sort };
	struct spe_run_opts run = { .size = sizeof(run), .batch_records = way->batch_records };
	struct spe_out out = { .write = keep_text, .priv = text };
	struct spe_filter *filter = NULL;
	struct spe_recording *r;
	struct spe_report *sink;
	struct spe_run_stats stats;
	struct spe_error error = { 0 };

	opts.later = way->first;
	opts.threads = run.threads = way->threads;
	text->n = 0;
	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	if (way->filter)
		ck_assert_int_eq(spe_filter_add(filter, way->filter, way->argument, &error),
				 SPE_OK);
	run.filter = filter;
	ck_assert_int_eq(spe_recording_open(f->path, &opts, &r, &error), SPE_OK);
	ck_assert_int_eq(spe_report_new(r, &report_opts, &sink, &error), SPE_OK);
	if (way->first)
		ck_assert_int_eq(spe_sink_run_first(r, spe_report_ops(sink), sink, &run, &stats,
						    &error),
				 SPE_OK);
	else
		ck_assert_int_eq(spe_sink_run(r, spe_report_ops(sink), sink, &run, &stats, &error),
				 SPE_OK);
	ck_assert_int_eq(spe_report_print(sink, &stats, &out), SPE_OK);
	spe_report_free(sink);
	spe_recording_close(r);
	spe_filter_free(filter);
	return stats;
}

static void same_reports(const struct file *f, const char *filter, const char *argument,
			 const char *sort)
{
	static struct text want, have;
	const struct way plain = { .threads = 1, .filter = filter, .argument = argument };
	struct spe_run_stats stats = report(f, &plain, sort, &want), other;

	ck_assert_uint_eq(stats.decode.records, 2 * MANY);
	for (unsigned threads = 1; threads <= 3; threads++) {
		const struct way way = { true, threads, filter, argument, 100 * threads };

		other = report(f, &way, sort, &have);
		ck_assert_str_eq(have.bytes, want.bytes);
		ck_assert_mem_eq(&other, &stats, sizeof(stats));
	}
}

static void same_in_all_ways(uint32_t last_context)
{
	static const char *const filters[][2] = {
		{ NULL, NULL }, { "pid", "200" },      { "comm", "beta-io" },     { "cpu", "1" },
		{ "el", "0" },  { "time", "10%-20%" }, { "time", "1.001,1.002" },
	};
	struct file *f = recording(last_context);

	file_write(f);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		same_reports(f, filters[i][0], filters[i][1], "pid");
		same_reports(f, filters[i][0], filters[i][1], "pid,comm,el,evidence");
		same_reports(f, filters[i][0], filters[i][1], "comm,tid");
	}
	file_free(f);
}

START_TEST(as_expected)
{
	same_in_all_ways(100);
}
END_TEST

START_TEST(one_that_is_redone)
{
	same_in_all_ways(0); /* at EL0: nobody wrote that zero, nor those before it */
}
END_TEST

/* ---- what the sink sees --------------------------------------------------------- */

struct counter {
	bool ordered;
	int fail_begin, fail_batch, fail_merge; /* status; 0: none */
	unsigned begun, merged, dropped, ended;
	uint64_t samples, merged_samples;
};

static int counter_begin(void *sink, unsigned worker, void **partial)
{
	struct counter *c = sink;

	(void)worker;
	if (c->fail_begin && c->begun)
		return c->fail_begin;
	*partial = calloc(1, sizeof(uint64_t));
	c->begun += *partial != NULL;
	return *partial ? SPE_OK : SPE_NOMEM;
}

static int counter_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	struct counter *c = sink;

	(void)samples;
	if (c->fail_batch)
		return c->fail_batch;
	*(uint64_t *)partial += count;
	c->samples += count;
	return SPE_OK;
}

static int counter_merge(void *sink, void *partial)
{
	struct counter *c = sink;

	c->merged++;
	c->merged_samples += *(uint64_t *)partial;
	free(partial);
	return c->fail_merge;
}

static int counter_end(void *sink, const struct spe_run_stats *stats)
{
	struct counter *c = sink;

	c->ended++;
	ck_assert_uint_eq(stats->samples, stats->decode.records);
	return SPE_OK;
}

static void counter_drop(void *sink, void *partial)
{
	struct counter *c = sink;

	c->dropped++;
	free(partial);
}

static int count(uint32_t last_context, struct counter *c, unsigned threads)
{
	const struct spe_sink_ops ops = { .name = "counter",
					  .want = SPE_HAS_TIMESTAMP,
					  .ordered = c->ordered,
					  .begin = counter_begin,
					  .batch = counter_batch,
					  .merge = counter_merge,
					  .end = counter_end,
					  .drop = counter_drop };
	struct spe_recording_opts opts = recording_opts();
	struct spe_run_opts run = { .size = sizeof(run), .threads = threads };
	struct file *f = recording(last_context);
	struct spe_recording *r;
	struct spe_run_stats stats;
	struct spe_error error = { 0 };
	int status;

	opts.later = true;
	opts.threads = threads;
	ck_assert_int_eq(spe_recording_open(file_write(f), &opts, &r, &error), SPE_OK);
	status = spe_sink_run_first(r, &ops, c, &run, &stats, &error);
	ck_assert_int_eq(error.status, status);
	if (!status)
		ck_assert_uint_eq(stats.samples, 2 * MANY);
	spe_recording_close(r);
	file_free(f);
	ck_assert_uint_eq(c->begun, c->merged + c->dropped);
	return status;
}

START_TEST(each_sample_once)
{
	struct counter kept = { 0 }, redone = { 0 }, ordered = { .ordered = true };

	ck_assert_int_eq(count(100, &kept, 1), SPE_OK);
	ck_assert_uint_eq(kept.samples, 2 * MANY);
	ck_assert_uint_eq(kept.merged_samples, 2 * MANY);
	ck_assert_uint_eq(kept.dropped, 0);
	ck_assert_uint_eq(kept.ended, 1);
	ck_assert_int_eq(count(0, &redone, 1), SPE_OK);
	ck_assert_uint_eq(redone.merged_samples, 2 * MANY);
	ck_assert_uint_eq(redone.dropped, 1);
	ck_assert_uint_eq(redone.ended, 1);
	ck_assert_int_eq(count(100, &ordered, 1), SPE_OK);
	ck_assert_uint_eq(ordered.merged_samples, 2 * MANY);
	ck_assert_uint_eq(ordered.dropped, 0);
}
END_TEST

START_TEST(failures_stop_the_run)
{
	struct counter begin = { .fail_begin = SPE_NOMEM }, batch = { .fail_batch = SPE_IO },
		       merge = { .fail_merge = SPE_LIMIT };

	ck_assert_int_eq(count(100, &begin, 2), SPE_NOMEM);
	ck_assert_uint_eq(begin.begun, 1);
	ck_assert_uint_eq(begin.dropped, 1);
	ck_assert_int_eq(count(100, &batch, 1), SPE_IO);
	ck_assert_uint_eq(batch.ended, 0);
	ck_assert_int_eq(count(100, &merge, 1), SPE_LIMIT);
	ck_assert_uint_eq(merge.ended, 0);
}
END_TEST

START_TEST(bad_arguments)
{
	struct spe_error error = { 0 };

	ck_assert_int_eq(spe_sink_run_first(NULL, NULL, NULL, NULL, NULL, &error), SPE_INVALID);
	ck_assert_int_eq(error.status, SPE_INVALID);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("the first run");
	TCase *tc = tcase_create("first");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, as_expected);
	tcase_add_test(tc, one_that_is_redone);
	tcase_add_test(tc, each_sample_once);
	tcase_add_test(tc, failures_stop_the_run);
	tcase_add_test(tc, bad_arguments);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
