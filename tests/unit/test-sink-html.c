/* SPDX-License-Identifier: GPL-2.0-only */
/* The page: its counts against a plain recomputation, the same however it is run. */
#include "../../perf-arm-spe/sink/events.h"
#include "../../perf-arm-spe/sink/html.h"
#include "faults.h"
#include "fake-recording.h"

#include <fcntl.h>
#include <unistd.h>

#define N1 0x413fd0c1u
#define SAMPLES 30000u
#define STREAMS 5u
#define PROCESSES 70 /* more than have a row of their own */

static const char *const comms[] = { "swapper", "one", "</script><img src=x onerror=alert(1)>",
				     "a&b\xe2\x80\xa8" };
static struct fake_task tasks[PROCESSES];

static struct spe_perf_event losses[8];

/* What the fake does not have: it is always finished. */
int spe_recording_finish(struct spe_recording *recording, const struct spe_companion *companion,
			 bool *kept, struct spe_error *error)
{
	(void)recording;
	(void)companion;
	(void)error;
	if (kept)
		*kept = false;
	return SPE_OK;
}

/* ---- a recording ----------------------------------------------------------- */

static void owner(struct spe_sample *s, uint32_t *seed)
{
	unsigned pick = fake_random(seed) % 100;

	/* Some are busier than others. */
	s->pid = (int32_t)(fake_random(seed) % (1 + fake_random(seed) % PROCESSES));
	s->tid = s->pid;
	s->process = (uint32_t)s->pid;
	s->comm = (uint32_t)s->pid % 4;
	s->evidence = SPE_EVIDENCE_CONTEXT;
	if (pick < 5) {
		s->pid = s->tid = -1;
		s->process = 0;
		s->comm = SPE_COMM_NONE;
		s->evidence = SPE_EVIDENCE_NONE;
	} else if (pick < 8) {
		s->pid = -1;
		s->tid = 5000 + (int32_t)(pick % 3);
		s->process = 0;
		s->comm = SPE_COMM_NONE;
	}
}

static void record(struct spe_record *r, uint32_t *seed)
{
	static const uint8_t classes[] = { SPE_OP_OTHER, SPE_OP_LOAD_STORE, SPE_OP_LOAD_STORE,
					   SPE_OP_BRANCH };

	r->present = SPE_HAS_EVENTS | SPE_HAS_EL | SPE_HAS_PC | SPE_HAS_OP;
	r->op_class = classes[fake_random(seed) % 4];
	r->op_payload = fake_random(seed) % 2;
	r->pc = 0x400000 + 4 * (fake_random(seed) % 300);
	r->el = fake_random(seed) % 2;
	r->events = fake_random(seed) & 0x7ff;
	r->events_bytes = 2;
	if (fake_random(seed) % 8) {
		r->present |= SPE_HAS_TOTAL_LATENCY;
		r->total_latency_cycles = (uint16_t)(fake_random(seed) >> fake_random(seed) % 24);
	}
	if (fake_random(seed) % 2) {
		r->present |= SPE_HAS_VA | SPE_HAS_ISSUE_LATENCY;
		r->va = 0xffff00001000 + 8 * (fake_random(seed) % 500);
		r->issue_latency_cycles = (uint16_t)(fake_random(seed) % 50);
	}
	if (fake_random(seed) % 3 == 0) {
		r->present |= SPE_HAS_DATA_SOURCE | SPE_HAS_XLAT_LATENCY;
		r->data_source = fake_random(seed) % 16;
		r->xlat_latency_cycles = (uint16_t)(fake_random(seed) % 5);
	}
}

static struct spe_recording *make_some(size_t count, size_t piece_samples)
{
	struct spe_sample *samples = calloc(count, sizeof(*samples));
	struct spe_recording *r;
	uint32_t seed = 17;

	for (size_t i = 0; i < count; i++) {
		struct spe_sample *s = &samples[i];

		s->stream = (uint32_t)(i / (count / STREAMS));
		s->cpu = (int32_t)s->stream * 2;
		s->has_time = fake_random(&seed) % 50 != 0;
		if (s->has_time)
			s->time_ns = 5000000000u + i % (count / STREAMS) * 1000;
		owner(s, &seed);
		record(&s->record, &seed);
	}
	r = fake_new(samples, count, STREAMS, piece_samples, 3);
	for (int32_t i = 0; i < PROCESSES; i++)
		tasks[i] = (struct fake_task){ i, i, (uint32_t)i % 4, (uint32_t)i % 4 };
	r->comms = comms;
	r->comm_count = 4;
	r->tasks = tasks;
	r->task_count = PROCESSES;
	for (size_t i = 0; i < STREAMS; i++) {
		r->infos[i].midr = N1;
		r->infos[i].cpu = (int32_t)i * 2;
	}
	return r;
}

static struct spe_recording *make(size_t piece_samples)
{
	return make_some(SAMPLES, piece_samples);
}

static void collect(struct html *html, struct spe_recording *r, const struct spe_html_opts *opts,
		    struct spe_run_stats *stats)
{
	struct spe_error error = { .text = "" };

	ck_assert_int_eq(html_init(html, r, opts, &error), SPE_OK);
	ck_assert_msg(html_collect(html, stats) == SPE_OK, "%s", error.text);
}

/* ---- the counts -------------------------------------------------------------- */

struct plain {
	uint64_t by_pid[PROCESSES], unresolved[3], nobody;
};

static void count_plainly(const struct spe_recording *r, struct plain *plain)
{
	memset(plain, 0, sizeof(*plain));
	for (size_t i = 0; i < r->count; i++) {
		const struct spe_sample *s = &r->samples[i];

		if (s->pid >= 0)
			plain->by_pid[s->pid]++;
		else if (s->tid >= 0)
			plain->unresolved[s->tid - 5000]++;
		else
			plain->nobody++;
	}
}

static uint64_t slot_samples(const struct html *html, uint64_t slot)
{
	struct spe_row *row;

	must(spe_rows_find((struct spe_rows *)&html->counts.processes, &slot, &row) == SPE_OK);
	return row->samples;
}

static uint64_t slot_cells(const struct html *html, unsigned slot)
{
	size_t cells = (size_t)html->lane_count * html->bins;
	uint64_t sum = 0;

	for (size_t i = 0; i < cells; i++)
		sum += html->counts.cells[slot * cells + i];
	return sum;
}

static uint64_t choice_samples(const struct plain *plain, const struct html_choice *choice)
{
	int32_t tid = (int32_t)(uint32_t)choice->value;

	return choice->value >> 63 ? plain->unresolved[tid - 5000]
				   : plain->by_pid[choice->value >> 32];
}

START_TEST(every_sample_is_in_one_slot)
{
	struct spe_html_opts opts = { .threads = 2 };
	struct spe_recording *r = make(500);
	struct html *html = malloc(sizeof(*html));
	struct spe_run_stats stats;
	struct plain plain;
	uint64_t rest = SAMPLES, cells = 0;

	count_plainly(r, &plain);
	collect(html, r, &opts, &stats);
	ck_assert_uint_eq(html->chosen, SPE_LIMIT_HTML_PROCESSES);
	ck_assert_uint_eq(html->others, PROCESSES + 3 - SPE_LIMIT_HTML_PROCESSES);
	for (unsigned i = 0; i < html->chosen; i++) {
		const struct html_choice *choice = &html->choices[i];
		uint64_t samples = slot_samples(html, choice->slot);

		ck_assert_uint_eq(samples, choice_samples(&plain, choice));
		ck_assert(!choice->slot || samples <= slot_samples(html, choice->slot - 1));
		rest -= samples;
	}
	ck_assert_uint_eq(slot_samples(html, html_slot_nobody(html)), plain.nobody);
	ck_assert_uint_eq(html->thread_only,
			  plain.unresolved[0] + plain.unresolved[1] + plain.unresolved[2]);
	ck_assert_uint_eq(slot_samples(html, html_slot_others(html)), rest - plain.nobody);
	for (unsigned slot = 0; slot < html_slots(html); slot++)
		cells += slot_cells(html, slot);
	ck_assert_uint_eq(cells + html->counts.timeless, SAMPLES);
	ck_assert_uint_eq(stats.samples, SAMPLES);
	html_fini(html);
	free(html);
	fake_free(r);
}
END_TEST

/* Each table against the samples it is about. */
START_TEST(tables_hold_what_the_samples_say)
{
	struct spe_html_opts opts = { .threads = 1 };
	struct spe_recording *r = make(5000);
	struct html *html = malloc(sizeof(*html));
	struct spe_run_stats stats;

	collect(html, r, &opts, &stats);
	for (unsigned t = 0; t < HTML_TABLES; t++) {
		const struct spe_rows *rows = &html->counts.tables[t].rows;
		uint64_t samples = 0, cycles = 0, timed = 0, stores = 0;
		uint64_t row_samples = 0, row_cycles = 0, row_timed = 0, row_stores = 0;

		for (size_t i = 0; i < r->count; i++) {
			const struct spe_record *s = &r->samples[i].record;
			bool memory = s->op_class == SPE_OP_LOAD_STORE;

			if ((html_tables[t].memory && !memory) || html_tables[t].symbols ||
			    (!strcmp(html_tables[t].name, "line") && !(s->present & SPE_HAS_VA)))
				continue;
			samples++;
			stores += memory && s->op_payload & 1;
			if (!(s->present & SPE_HAS_TOTAL_LATENCY))
				continue;
			timed++;
			cycles += s->total_latency_cycles;
		}
		for (size_t i = 0; i < rows->count; i++) {
			const struct spe_row *row = spe_rows_at(rows, i);

			row_samples += row->samples;
			row_cycles += row->weight;
			row_timed += spe_row_counts(row, rows->shape)[HTML_TIMED];
			row_stores += spe_row_counts(row, rows->shape)[HTML_STORES];
		}
		ck_assert_uint_eq(row_samples, samples);
		ck_assert_uint_eq(row_cycles, cycles);
		ck_assert_uint_eq(row_timed, timed);
		ck_assert_uint_eq(row_stores, stores);
		ck_assert(html_tables[t].top <= 40 && html_tables[t].top_all <= 40);
	}
	html_fini(html);
	free(html);
	fake_free(r);
}
END_TEST

START_TEST(a_cell_is_a_cpu_and_a_time)
{
	struct spe_html_opts opts = { .threads = 1 };
	struct spe_recording *r = make(5000);
	struct html *html = malloc(sizeof(*html));
	struct spe_run_stats stats;
	uint64_t *plain;

	collect(html, r, &opts, &stats);
	ck_assert_uint_eq(html->lane_count, STREAMS);
	ck_assert_uint_le(html->bins, SPE_LIMIT_HTML_BINS);
	plain = calloc((size_t)STREAMS * html->bins, sizeof(*plain));
	for (size_t i = 0; i < r->count; i++)
		if (r->samples[i].has_time)
			plain[r->samples[i].stream * html->bins +
			      (r->samples[i].time_ns - html->survey.first_ns) / html->bin_ns]++;
	for (size_t i = 0; i < (size_t)STREAMS * html->bins; i++) {
		uint64_t sum = 0;

		for (unsigned slot = 0; slot < html_slots(html); slot++)
			sum += html->counts.cells[(size_t)slot * STREAMS * html->bins + i];
		must(sum == plain[i]);
	}
	free(plain);
	html_fini(html);
	free(html);
	fake_free(r);
}
END_TEST

/* The sums of a trend against the columns, for samples that all have a time. */
START_TEST(trends_add_up_to_the_columns)
{
	struct spe_html_opts opts = { .threads = 2 };
	struct spe_recording *r = make(500);
	struct html *html = malloc(sizeof(*html));
	uint64_t plain[HTML_TRENDS] = { 0 };
	struct spe_run_stats stats;
	unsigned steps;

	collect(html, r, &opts, &stats);
	steps = html_trend_steps(html);
	ck_assert_uint_eq(steps, (html->bins + HTML_TREND_BINS - 1) / HTML_TREND_BINS);
	for (size_t i = 0; i < r->count; i++) {
		const struct spe_sample *s = &r->samples[i];
		bool timed = s->record.present & SPE_HAS_TOTAL_LATENCY;

		/* the last third of a CPU's time, to the step */
		if (!s->has_time || html_bin_of(html, s->time_ns) / HTML_TREND_BINS < steps * 2 / 3)
			continue;
		plain[HTML_TREND_SAMPLES]++;
		plain[HTML_TREND_TIMED] += timed;
		plain[HTML_TREND_CYCLES] += timed ? s->record.total_latency_cycles : 0;
		plain[HTML_TREND_L1D_MISS] += !!(s->record.events & SPE_EV_L1D_REFILL);
		plain[HTML_TREND_LLC_MISS] += !!(s->record.events & SPE_EV_LLC_REFILL);
	}
	for (unsigned t = 0; t < HTML_TRENDS; t++) {
		uint64_t sum = 0;

		for (unsigned slot = 0; slot < html_slots(html); slot++)
			for (unsigned step = steps * 2 / 3; step < steps; step++)
				sum += html->counts.trends[(slot * HTML_TRENDS + t) * steps + step];
		ck_assert_uint_gt(sum, 0);
		ck_assert_uint_eq(sum, plain[t]);
	}
	html_fini(html);
	free(html);
	fake_free(r);
}
END_TEST

/* ---- lanes ------------------------------------------------------------------- */

START_TEST(neighbours_share_a_lane_when_there_are_many)
{
	static const size_t counts[] = { 1, 2, 128, 129, 300 };

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		size_t n = counts[c];
		struct spe_sample *samples = calloc(n, sizeof(*samples));
		struct spe_html_opts opts = { .threads = 1 };
		struct html *html = malloc(sizeof(*html));
		struct spe_run_stats stats;
		struct spe_recording *r;
		uint64_t cpus = 0, sum = 0;

		for (size_t i = 0; i < n; i++) {
			samples[i].stream = (uint32_t)i;
			samples[i].cpu = (int32_t)i;
			samples[i].has_time = true;
			samples[i].time_ns = 1000 + i;
		}
		r = fake_new(samples, n, n, 1, 1);
		collect(html, r, &opts, &stats);
		ck_assert_uint_le(html->lane_count, SPE_LIMIT_HTML_LANES);
		ck_assert_uint_le(html->lane_count * html->bins, SPE_LIMIT_HTML_CELLS);
		for (unsigned l = 0; l < html->lane_count; l++) {
			cpus += html->lanes[l].cpus;
			sum += html->lanes[l].samples;
		}
		ck_assert_uint_eq(cpus, n);
		ck_assert_uint_eq(sum, n);
		for (size_t i = 0; i < n; i++) {
			const struct html_lane *lane = &html->lanes[html_lane_of(html, (int32_t)i)];

			ck_assert(lane->first_cpu <= (int32_t)i && (int32_t)i <= lane->last_cpu);
		}
		html_fini(html);
		free(html);
		fake_free(r);
	}
}
END_TEST

/* ---- the same however it is run ------------------------------------------------ */

static char *page_data(struct spe_recording *r, struct spe_html_opts opts);

struct kept {
	char *bytes;
	size_t n;
};

static int keep(void *priv, const char *bytes, size_t n)
{
	struct kept *kept = priv;

	kept->bytes = realloc(kept->bytes, kept->n + n + 1);
	must(kept->bytes);
	memcpy(kept->bytes + kept->n, bytes, n);
	kept->n += n;
	kept->bytes[kept->n] = '\0';
	return SPE_OK;
}

static char *page_data(struct spe_recording *r, struct spe_html_opts opts)
{
	struct html *html = malloc(sizeof(*html));
	struct spe_text *text = malloc(sizeof(*text));
	struct kept kept = { 0 };
	struct spe_out out = { keep, &kept };
	struct spe_run_stats stats;

	collect(html, r, &opts, &stats);
	spe_text_init(text, &out);
	ck_assert_int_eq(html_json(html, &stats, text), SPE_OK);
	ck_assert_int_eq(spe_text_flush(text), SPE_OK);
	html_fini(html);
	free(html);
	free(text);
	return kept.bytes;
}

START_TEST(threads_batches_and_pieces_do_not_matter)
{
	static const struct {
		unsigned threads;
		size_t batch, piece;
	} ways[] = { { 1, 1, 700 }, { 2, 7, 100 }, { 4, 0, 31 }, { 3, 5000, 10000 } };
	struct spe_recording *r = make(100000);
	char *wanted = page_data(r, (struct spe_html_opts){ .threads = 1 });

	fake_free(r);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char *got;

		r = make(ways[i].piece);
		got = page_data(r, (struct spe_html_opts){ .threads = ways[i].threads,
							   .batch_records = ways[i].batch });
		ck_assert_str_eq(got, wanted);
		free(got);
		fake_free(r);
	}
	free(wanted);
}
END_TEST

START_TEST(a_filter_narrows_page_and_time)
{
	struct spe_filter *filter;
	struct spe_html_opts opts = { .threads = 2 };
	struct spe_recording *r = make(500);
	struct html *html = malloc(sizeof(*html));
	struct spe_error error;
	struct spe_run_stats stats;

	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "time", "5.001,5.002", &error), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "pid", "1", &error), SPE_OK);
	opts.filter = filter;
	collect(html, r, &opts, &stats);
	ck_assert_uint_eq(html->chosen, 1);
	ck_assert_uint_eq(html->survey.samples, stats.samples - stats.filtered);
	ck_assert_uint_gt(html->survey.samples, 0);
	ck_assert_uint_ge(html->survey.first_ns, 5001000000u);
	ck_assert_uint_le(html->survey.last_ns, 5002000000u);
	ck_assert_uint_eq(slot_cells(html, 0) + html->counts.timeless, html->survey.samples);
	html_fini(html);
	free(html);
	spe_filter_free(filter);
	fake_free(r);
}
END_TEST

START_TEST(a_page_of_nothing)
{
	struct spe_recording *r = fake_new(NULL, 0, 0, 1, 1);
	char *json = page_data(r, (struct spe_html_opts){ .threads = 1 });

	ck_assert_ptr_nonnull(
		strstr(json, "\"samples\":0,\"thread_only\":0,\"timeless\":0,\"time\":null"));
	free(json);
	fake_free(r);
}
END_TEST

/* ---- too many rows --------------------------------------------------------------- */

/* Lines from `from` to `to`, a sample each, into a table that began with nothing. */
static void count_lines(struct html_rows *rows, const struct html_table *table, uint64_t from,
			uint64_t to)
{
	struct spe_sample sample = { .tid = 1 };

	html_rows_init(rows);
	for (uint64_t i = from; i < to; i++)
		must(html_rows_count(rows, table, i * 64, 0, &sample, html_kind(&sample)) ==
		     SPE_OK);
}

START_TEST(too_many_lines_are_counted_by_pages)
{
	const struct html_table *lines = &html_tables[HTML_TABLES - 1];
	struct html_rows whole, first, second;
	uint64_t n = SPE_LIMIT_HTML_ROWS + SPE_LIMIT_HTML_ROWS / 4;
	struct spe_row *row;
	uint64_t sum = 0;

	count_lines(&whole, lines, 0, n);
	count_lines(&first, lines, 0, n / 2);
	count_lines(&second, lines, n / 2, n);
	ck_assert_uint_eq(first.block, 0);
	ck_assert_int_eq(html_rows_merge(&first, &second, lines), SPE_OK);
	ck_assert_uint_eq(html_block_bytes(lines, whole.block), 4096);
	ck_assert_uint_eq(first.block, whole.block);
	ck_assert_uint_eq(first.rows.count, whole.rows.count);
	for (size_t i = 0; i < whole.rows.count; i++) {
		const struct spe_row *a = spe_rows_at(&whole.rows, i);

		must(spe_rows_find(&first.rows, a->keys, &row) == SPE_OK);
		must(row->samples == a->samples);
		sum += a->samples;
	}
	ck_assert_uint_eq(first.rows.count, whole.rows.count);
	ck_assert_uint_eq(sum, n);
	html_rows_fini(&second);

	/* One that is still fine, into one that is not, and the other way round. */
	count_lines(&second, lines, 0, 128);
	ck_assert_int_eq(html_rows_merge(&whole, &second, lines), SPE_OK);
	ck_assert_uint_eq(whole.rows.count, first.rows.count);
	html_rows_fini(&second);
	count_lines(&second, lines, 0, 128);
	ck_assert_int_eq(html_rows_merge(&second, &first, lines), SPE_OK);
	ck_assert_uint_eq(second.rows.count, first.rows.count);
	ck_assert_uint_eq(second.block, first.block);
	html_rows_fini(&whole);
	html_rows_fini(&first);
	html_rows_fini(&second);
}
END_TEST

START_TEST(too_many_of_what_has_no_blocks_are_not_shown)
{
	const struct html_table *threads = &html_tables[5];
	struct html_rows rows, few;

	count_lines(&few, threads, 0, 10);
	count_lines(&rows, threads, 0, SPE_LIMIT_HTML_ROWS + 1);
	ck_assert(rows.full && rows.rows.count == 0);
	ck_assert_int_eq(html_rows_merge(&few, &rows, threads), SPE_OK);
	ck_assert(few.full && few.rows.count == 0);
	html_rows_fini(&rows);
	html_rows_fini(&few);
}
END_TEST

/* ---- loss --------------------------------------------------------------------- */

static struct spe_perf_event loss(uint32_t type, uint64_t ns, uint32_t cpu)
{
	struct spe_perf_event event = { .type = type };

	event.id.present = SPE_SAMPLE_TIME | SPE_SAMPLE_CPU;
	event.id.time_ns = ns;
	event.id.cpu = cpu;
	if (type == SPE_PERF_AUX)
		event.u.aux.flags = SPE_AUX_TRUNCATED;
	return event;
}

START_TEST(loss_stands_where_it_was_reported)
{
	struct spe_html_opts opts = { .threads = 1 };
	struct spe_recording *r = make(5000);
	struct html *html = malloc(sizeof(*html));
	struct spe_run_stats stats;
	uint64_t marked = 0;

	r->infos[1].truncated = 1;
	losses[0] = loss(SPE_PERF_AUX, 5001000000u, 2);
	losses[1] = loss(SPE_PERF_LOST, 5002000000u, 4);
	losses[2] = loss(SPE_PERF_AUX, 5002000000u, 3); /* a CPU that is not here */
	losses[3] = loss(SPE_PERF_AUX, 9000000000u, 2); /* long after */
	losses[4] = loss(SPE_PERF_AUX, 5003000000u, 2);
	losses[4].u.aux.flags = 0; /* nothing was lost */
	losses[5] = loss(SPE_PERF_COMM, 5003000000u, 2);
	r->events = losses;
	r->event_count = 6;
	collect(html, r, &opts, &stats);
	for (size_t i = 0; i < (size_t)html->lane_count * html->bins; i++)
		marked += html->loss[i];
	ck_assert_uint_eq(marked, 2);
	ck_assert_uint_eq(html->loss_elsewhere, 2);
	ck_assert_uint_eq(html->loss[html->bins + html_bin_of(html, 5001000000u)], 1);
	ck_assert_uint_eq(html->loss[2 * html->bins + html_bin_of(html, 5002000000u)], 1);
	html_fini(html);
	free(html);
	fake_free(r);
}
END_TEST

/* ---- the page ------------------------------------------------------------------ */

static unsigned occurrences(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *bytes = calloc(1, 4 << 20);

	must(file && bytes);
	must(fread(bytes, 1, (4 << 20) - 1, file) > 0);
	fclose(file);
	return bytes;
}

START_TEST(names_cannot_end_the_element_they_stand_in)
{
	struct spe_html_opts opts = { .size = sizeof(opts), .threads = 1 };
	struct spe_recording *r = make(5000);
	char path[] = "/tmp/test-sink-html-XXXXXX";
	struct spe_error error;
	char *page;
	int status;

	close(mkstemp(path));
	status = spe_html_write(r, path, &opts, NULL, &error);
	if (!html_page[0].n) {
		ck_assert_int_eq(status, SPE_UNSUPPORTED);
		ck_assert_ptr_nonnull(strstr(error.text, "Chart.js"));
	} else {
		ck_assert_msg(status == SPE_OK, "%s", error.text);
		page = read_file(path);
		/* the data, the charts library, the page's own */
		ck_assert_uint_eq(occurrences(page, "</script>"), 3);
		ck_assert_uint_eq(occurrences(page, "onerror=alert"),
				  occurrences(page, "\\u003c/script\\u003e\\u003cimg src=x "
						    "onerror=alert(1)\\u003e"));
		ck_assert_uint_gt(occurrences(page, "onerror=alert"), 0);
		ck_assert_uint_gt(occurrences(page, "a\\u0026b\\u2028"), 0);
		ck_assert_int_eq(strncmp(page, "<!doctype html>", 15), 0);
		ck_assert_str_eq(page + strlen(page) - 8, "</html>\n");
		free(page);
	}
	unlink(path);
	fake_free(r);
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
	struct spe_html_opts opts = { .size = 1 };
	struct spe_recording *r = make(5000);
	struct spe_error error;

	ck_assert_int_eq(spe_html_write(NULL, "x", NULL, NULL, &error), SPE_INVALID);
	ck_assert_int_eq(spe_html_write(r, NULL, NULL, NULL, NULL), SPE_INVALID);
	ck_assert_int_eq(spe_html_write(r, "x", &opts, NULL, &error), SPE_INVALID);
	if (html_page[0].n)
		ck_assert_int_eq(spe_html_write(r, "/nowhere/x", NULL, NULL, &error), SPE_IO);
	fake_free(r);
}
END_TEST

#ifdef FAULTS
static int discard(void *priv, const char *bytes, size_t n)
{
	(void)priv;
	(void)bytes;
	(void)n;
	return SPE_OK;
}

static int try_data(struct spe_recording *r, struct html *html, struct spe_text *text)
{
	static const struct spe_out out = { .write = discard };
	struct spe_html_opts opts = { .threads = 1 };
	struct spe_run_stats stats;
	int status = html_init(html, r, &opts, NULL);

	spe_text_init(text, &out);
	if (!status)
		status = html_collect(html, &stats);
	if (!status)
		status = html_json(html, &stats, text);
	html_fini(html);
	return status;
}

START_TEST(no_memory_is_an_error_and_no_leak)
{
	struct spe_recording *r = make_some(1500, 5000);
	struct html *html = malloc(sizeof(*html));
	struct spe_text *text = malloc(sizeof(*text));
	int status = SPE_NOMEM;
	long n;

	for (n = 0; status == SPE_NOMEM; n++) {
		long live = atomic_load(&fault_live);

		atomic_store(&fault_in, n);
		status = try_data(r, html, text);
		if (atomic_exchange(&fault_in, -1) >= 0)
			must(status == SPE_OK); /* nothing failed */
		must(atomic_load(&fault_live) == live);
	}
	ck_assert_int_eq(status, SPE_OK);
	ck_assert_int_gt(n, 20);
	free(text);
	free(html);
	fake_free(r);
}
END_TEST
#endif

/* A table can be filled; see low-limits.h. */
#define LOW (SPE_LIMIT_HTML_ROWS < 100000)

static void add_all_but_full_tables(TCase *tcase)
{
	tcase_add_test(tcase, every_sample_is_in_one_slot);
	tcase_add_test(tcase, tables_hold_what_the_samples_say);
	tcase_add_test(tcase, a_cell_is_a_cpu_and_a_time);
	tcase_add_test(tcase, trends_add_up_to_the_columns);
	tcase_add_test(tcase, neighbours_share_a_lane_when_there_are_many);
	tcase_add_test(tcase, threads_batches_and_pieces_do_not_matter);
	tcase_add_test(tcase, a_filter_narrows_page_and_time);
	tcase_add_test(tcase, a_page_of_nothing);
	tcase_add_test(tcase, loss_stands_where_it_was_reported);
	tcase_add_test(tcase, names_cannot_end_the_element_they_stand_in);
	tcase_add_test(tcase, wrong_calls_are_refused);
#ifdef FAULTS
	tcase_add_test(tcase, no_memory_is_an_error_and_no_leak);
#endif
}

int main(void)
{
	Suite *suite = suite_create("sink-html");
	TCase *tcase = tcase_create("page");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	if (LOW) {
		tcase_add_test(tcase, too_many_lines_are_counted_by_pages);
		tcase_add_test(tcase, too_many_of_what_has_no_blocks_are_not_shown);
	} else {
		add_all_but_full_tables(tcase);
	}
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
