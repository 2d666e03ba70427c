/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine: every sample once, in order where asked, whatever the threads and batches. */
#include "fake-recording.h"
#include "faults.h"

/* ---- a recording that times, tears and repeats ------------------------- */

#define STREAMS 5u
#define JITTER 40u

/* Times mostly rise; every few samples come early or have none; equal times abound. */
static struct spe_recording *make(size_t count, uint32_t seed, unsigned jitter)
{
	struct spe_sample *samples = calloc(count + 1, sizeof(*samples));
	size_t each = count / STREAMS + 1;

	for (size_t i = 0; i < count; i++) {
		struct spe_sample *s = &samples[i];
		uint64_t place = i % each;

		s->stream = (uint32_t)(i / each);
		s->cpu = (int32_t)s->stream;
		s->record.aux_offset = place * 64;
		s->record.present = SPE_HAS_TIMESTAMP;
		s->has_time = fake_random(&seed) % 50 != 0;
		s->time_ns = 5000 + place * 3 / (1 + s->stream) * 4;
		if (jitter && fake_random(&seed) % 10 == 0)
			s->time_ns -= fake_random(&seed) % jitter;
		if (!s->has_time)
			s->time_ns = 0;
		s->record.timestamp = s->time_ns / 2;
		s->evidence = (uint8_t)(fake_random(&seed) % SPE_EVIDENCE_KINDS);
		s->tid = s->evidence ? (int32_t)(fake_random(&seed) % 9) : -1;
		s->pid = s->tid % 3 ? s->tid : -1;
		s->guest = s->tid == 7;
	}
	return fake_new(samples, count, STREAMS, 300, seed);
}

/* ---- a sink that remembers --------------------------------------------- */

struct seen {
	uint32_t stream;
	uint64_t aux_offset;
};

struct memory {
	struct seen *seen; /* ordered */
	size_t count;
	atomic_size_t total;
	atomic_uint begun, merged, ended, active;
	uint64_t sum; /* of the partials */
	int begin_status, batch_status, merge_status, end_status;
	size_t fail_batch; /* this batch fails; counted from 0 */
	atomic_size_t batches;
};

struct part {
	unsigned worker;
	uint64_t sum;
};

static int part_begin(void *sink, unsigned worker, void **partial)
{
	struct memory *m = sink;
	struct part *part = calloc(1, sizeof(*part));

	if (!part)
		return SPE_NOMEM;
	if (m->begin_status && worker > 0) {
		free(part);
		return m->begin_status;
	}
	part->worker = worker;
	m->begun++;
	*partial = part;
	return SPE_OK;
}

static uint64_t mix(uint32_t stream, uint64_t aux_offset)
{
	return ((uint64_t)stream << 48 ^ aux_offset) * 0x9e3779b97f4a7c15u >> 7;
}

static int part_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	struct memory *m = sink;
	struct part *part = partial;

	must(count > 0);
	if (m->batch_status && m->batches++ == m->fail_batch)
		return m->batch_status;
	for (size_t i = 0; i < count; i++) {
		must(samples[i].stream == samples[0].stream);
		if (i)
			must(samples[i].record.aux_offset > samples[i - 1].record.aux_offset);
		part->sum += mix(samples[i].stream, samples[i].record.aux_offset);
	}
	memset(samples, 0xee, count * sizeof(*samples)); /* they are ours */
	m->total += count;
	return SPE_OK;
}

static int ordered_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	struct memory *m = sink;

	(void)partial;
	must(m->active++ == 0); /* one at a time */
	must(count > 0);
	for (size_t i = 0; i < count && !m->batch_status; i++)
		m->seen[m->count++] =
			(struct seen){ samples[i].stream, samples[i].record.aux_offset };
	memset(samples, 0xee, count * sizeof(*samples));
	m->active--;
	return m->batch_status && m->batches++ == m->fail_batch ? m->batch_status : SPE_OK;
}

static int part_merge(void *sink, void *partial)
{
	struct memory *m = sink;
	struct part *part = partial;

	must(part->worker == m->merged); /* in worker order */
	m->sum += part->sum;
	m->merged++;
	free(part);
	return m->merge_status;
}

static int part_end(void *sink, const struct spe_run_stats *stats)
{
	struct memory *m = sink;

	must(m->merged == m->begun);
	must(stats->samples == stats->decode.records);
	m->ended++;
	return m->end_status;
}

static const struct spe_sink_ops unordered = { .name = "test",
					       .begin = part_begin,
					       .batch = part_batch,
					       .merge = part_merge,
					       .end = part_end };
static const struct spe_sink_ops ordered = { .name = "test",
					     .ordered = true,
					     .begin = part_begin,
					     .batch = ordered_batch,
					     .merge = part_merge,
					     .end = part_end };

static const unsigned threads[] = { 1, 2, 7 };
static const size_t batches[] = { 1, 2, 33, 256, 5000 };

/* ---- what must come out ------------------------------------------------ */

struct expected {
	uint64_t key;
	struct seen seen;
};

static int expected_compare(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->seen.stream != y->seen.stream)
		return x->seen.stream < y->seen.stream ? -1 : 1;
	return x->seen.aux_offset < y->seen.aux_offset ? -1 : 1;
}

static struct expected *expect(const struct spe_recording *r, bool ticks)
{
	struct expected *e = calloc(r->count + 1, sizeof(*e));
	uint64_t last = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct spe_sample *s = &r->samples[i];

		if (i == 0 || s->stream != s[-1].stream)
			last = ticks ? 0 : r->infos[s->stream].first_ns;
		if (s->has_time || ticks)
			last = ticks ? s->record.timestamp : s->time_ns;
		e[i] = (struct expected){ last, { s->stream, s->record.aux_offset } };
	}
	qsort(e, r->count, sizeof(*e), expected_compare);
	return e;
}

static void check_stats(const struct spe_recording *r, const struct spe_run_stats *stats)
{
	uint64_t evidence[SPE_EVIDENCE_KINDS] = { 0 }, unresolved = 0, guest = 0;

	for (size_t i = 0; i < r->count; i++) {
		evidence[r->samples[i].evidence]++;
		unresolved += r->samples[i].tid >= 0 && r->samples[i].pid < 0;
		guest += r->samples[i].guest;
	}
	ck_assert_uint_eq(stats->samples, r->count);
	ck_assert_uint_eq(stats->decode.records, r->count);
	ck_assert_mem_eq(stats->by_evidence, evidence, sizeof(evidence));
	ck_assert_uint_eq(stats->unresolved, unresolved);
	ck_assert_uint_eq(stats->guest_samples, guest);
}

START_TEST(pieces_reach_the_sink_once)
{
	struct spe_recording *r = make(20011, 1, JITTER);
	uint64_t sum = 0;

	for (size_t i = 0; i < r->count; i++)
		sum += mix(r->samples[i].stream, r->samples[i].record.aux_offset);
	r->max_step = 90;
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]) * 5; i++) {
		struct memory m = { 0 };
		struct spe_run_opts opts = { .size = sizeof(opts),
					     .threads = threads[i / 5],
					     .batch_records = batches[i % 5] };
		struct spe_run_stats stats;

		ck_assert_int_eq(spe_sink_run(r, &unordered, &m, &opts, &stats, NULL), SPE_OK);
		ck_assert_uint_eq(m.total, r->count);
		ck_assert_uint_eq(m.sum, sum);
		ck_assert_uint_eq(m.ended, 1);
		ck_assert_uint_eq(m.begun, opts.threads);
		check_stats(r, &stats);
	}
	fake_free(r);
}
END_TEST

static void check_order(struct spe_recording *r, const struct expected *e, unsigned nthreads,
			size_t batch)
{
	struct memory m = { .seen = calloc(r->count + 1, sizeof(*m.seen)) };
	struct spe_run_opts opts = { .size = sizeof(opts),
				     .threads = nthreads,
				     .batch_records = batch };
	struct spe_run_stats stats;

	ck_assert_int_eq(spe_sink_run(r, &ordered, &m, &opts, &stats, NULL), SPE_OK);
	ck_assert_uint_eq(m.count, r->count);
	for (size_t i = 0; i < r->count; i++) {
		must(m.seen[i].stream == e[i].seen.stream);
		must(m.seen[i].aux_offset == e[i].seen.aux_offset);
	}
	ck_assert_uint_eq(m.ended, 1);
	ck_assert_uint_eq(m.begun, 1);
	check_stats(r, &stats);
	free(m.seen);
}

START_TEST(streams_merge_by_time)
{
	static const size_t counts[] = { 0, 1, 2, 63, 64, 65, 1000, 20011 };

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct spe_recording *r = make(counts[c], 7 + (uint32_t)c, JITTER);
		struct expected *e = expect(r, false);

		r->max_step = 90;
		for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]) * 5; i++)
			check_order(r, e, threads[i / 5], batches[i % 5]);
		free(e);
		fake_free(r);
	}
}
END_TEST

/* No conversion: the counter itself orders. */
START_TEST(ticks_order_without_conversion)
{
	struct spe_recording *r = make(3000, 3, JITTER);
	struct expected *e;

	r->facts.has_time = false;
	for (size_t i = 0; i < r->count; i++) {
		r->samples[i].has_time = false;
		r->samples[i].record.timestamp = i % 601 * 5 + i % 3;
	}
	for (size_t i = 0; i < r->piece_count; i++)
		r->pieces[i].first_ns = 0;
	e = expect(r, true);
	check_order(r, e, 2, 100);
	free(e);
	fake_free(r);
}
END_TEST

/* Untimed streams come one after the other. */
START_TEST(streams_without_time_stay_whole)
{
	struct spe_recording *r = make(3000, 3, 0);
	struct expected *e;

	r->facts.has_time = r->facts.has_timestamps = false;
	for (size_t i = 0; i < r->count; i++)
		r->samples[i].has_time = false;
	for (size_t i = 0; i < r->piece_count; i++)
		r->pieces[i].first_ns = 0;
	for (size_t i = 0; i < r->streams; i++)
		r->infos[i].first_ns = 0;
	e = expect(r, false);
	ck_assert_uint_eq(e[0].seen.stream, 0);
	ck_assert_uint_eq(e[r->count - 1].seen.stream, STREAMS - 1);
	check_order(r, e, 2, 100);
	free(e);
	fake_free(r);
}
END_TEST

/* Times further back than the window: not in order any more, but the same always. */
START_TEST(wild_times_do_not_depend_on_threads)
{
	struct spe_recording *r = make(20011, 11, 5000);
	struct seen *first = NULL;

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]) * 5; i++) {
		struct memory m = { .seen = calloc(r->count + 1, sizeof(*m.seen)) };
		struct spe_run_opts opts = { .size = sizeof(opts),
					     .threads = threads[i / 5],
					     .batch_records = batches[i % 5] };

		ck_assert_int_eq(spe_sink_run(r, &ordered, &m, &opts, NULL, NULL), SPE_OK);
		ck_assert_uint_eq(m.count, r->count);
		if (first) {
			for (size_t k = 0; k < m.count; k++) {
				must(m.seen[k].stream == first[k].stream);
				must(m.seen[k].aux_offset == first[k].aux_offset);
			}
			free(m.seen);
		} else {
			first = m.seen;
		}
	}
	free(first);
	fake_free(r);
}
END_TEST

/* ---- failures ---------------------------------------------------------- */

static void check_failure(struct spe_recording *r, const struct spe_sink_ops *ops, struct memory m,
			  int want)
{
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct memory run = m;
		struct spe_run_opts opts = { .size = sizeof(opts),
					     .threads = threads[i],
					     .batch_records = 50 };
		struct spe_error error;

		run.seen = calloc(r->count + 1, sizeof(*run.seen));
		if (m.begin_status && (threads[i] == 1 || ops->ordered)) {
			free(run.seen);
			continue; /* only workers after the first fail */
		}
		ck_assert_int_eq(spe_sink_run(r, ops, &run, &opts, NULL, &error), want);
		ck_assert_int_eq(error.status, want);
		ck_assert_uint_gt(strlen(error.text), 0);
		ck_assert_uint_eq(run.merged, run.begun); /* nothing is left */
		ck_assert_uint_eq(run.ended, m.end_status ? 1 : 0);
		free(run.seen);
	}
}

START_TEST(failures_come_back)
{
	const struct spe_sink_ops *both[] = { &unordered, &ordered };

	for (size_t i = 0; i < 2; i++) {
		struct spe_recording *r = make(9000, 5, JITTER);

		check_failure(r, both[i], (struct memory){ .begin_status = SPE_LIMIT }, SPE_LIMIT);
		check_failure(r, both[i], (struct memory){ .batch_status = SPE_CLOSED },
			      SPE_CLOSED);
		check_failure(r, both[i],
			      (struct memory){ .batch_status = SPE_CLOSED, .fail_batch = 77 },
			      SPE_CLOSED);
		check_failure(r, both[i], (struct memory){ .merge_status = SPE_IO }, SPE_IO);
		check_failure(r, both[i], (struct memory){ .end_status = SPE_IO }, SPE_IO);
		r->fail_at = 0;
		check_failure(r, both[i], (struct memory){ 0 }, SPE_IO);
		r->fail_at = 8999;
		check_failure(r, both[i], (struct memory){ 0 }, SPE_IO);
		r->fail_at = 4321;
		check_failure(r, both[i], (struct memory){ 0 }, SPE_IO);
		fake_free(r);
	}
}
END_TEST

START_TEST(arguments_are_checked)
{
	struct spe_recording *r = make(10, 5, 0);
	struct {
		struct spe_run_opts opts;
		char more[8];
	} newer = { .opts = { .size = sizeof(newer), .threads = 1 } };
	struct memory m = { 0 };
	struct spe_error error;

	ck_assert_int_eq(spe_sink_run(NULL, &unordered, &m, NULL, NULL, &error), SPE_INVALID);
	ck_assert_int_eq(spe_sink_run(r, NULL, &m, NULL, NULL, &error), SPE_INVALID);
	ck_assert_int_eq(spe_sink_run(r, &unordered, &m, NULL, NULL, &error), SPE_OK);
	memset(&m, 0, sizeof(m));
	ck_assert_int_eq(spe_sink_run(r, &unordered, &m, &newer.opts, NULL, &error), SPE_OK);
	newer.more[7] = 1;
	ck_assert_int_eq(spe_sink_run(r, &unordered, &m, &newer.opts, NULL, &error), SPE_INVALID);
	fake_free(r);
}
END_TEST

#ifdef FAULTS
START_TEST(no_memory_is_a_status)
{
	const struct spe_sink_ops *both[] = { &unordered, &ordered };
	struct spe_recording *r = make(2000, 9, JITTER);
	struct spe_filter *filter;

	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "time", "10%-90%", NULL), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "comm", "x,:7", NULL), SPE_OK);
	for (unsigned i = 0; i < 12; i++) {
		struct spe_run_opts opts = { .size = sizeof(opts),
					     .threads = 1 + i % 3,
					     .filter = i / 6 ? filter : NULL };
		int status = SPE_NOMEM;
		long n;

		for (n = 0; status == SPE_NOMEM; n++) {
			struct memory m = { .seen = calloc(r->count + 1, sizeof(*m.seen)) };
			long live = atomic_load(&fault_live);

			atomic_store(&fault_in, n);
			status = spe_sink_run(r, both[i / 3 % 2], &m, &opts, NULL, NULL);
			if (atomic_exchange(&fault_in, -1) >= 0)
				must(status == SPE_OK); /* nothing failed */
			if (opts.threads == 1)          /* threads leave things in libc's caches */
				must(atomic_load(&fault_live) == live);
			must(m.merged == m.begun);
			free(m.seen);
		}
		ck_assert_int_eq(status, SPE_OK);
		ck_assert_int_gt(n, 3);
	}
	spe_filter_free(filter);
	fake_free(r);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("sink-run");
	TCase *tc = tcase_create("run");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, pieces_reach_the_sink_once);
	tcase_add_test(tc, streams_merge_by_time);
	tcase_add_test(tc, ticks_order_without_conversion);
	tcase_add_test(tc, streams_without_time_stay_whole);
	tcase_add_test(tc, wild_times_do_not_depend_on_threads);
	tcase_add_test(tc, failures_come_back);
	tcase_add_test(tc, arguments_are_checked);
#ifdef FAULTS
	tcase_add_test(tc, no_memory_is_a_status);
#endif
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
