/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's second run: samples into tables of a size that is known by now. */
#include "events.h"
#include "html.h"
#include "keys-private.h"

#include <stdlib.h>

/* What one worker counts. */
struct partial {
	struct html_counts counts;
	struct spe_key_context context; /* this worker's */
	uint64_t last_value;            /* of the key pid, with its slot */
	unsigned last_slot;
	uint64_t values[HTML_STEP];
	uint32_t slots[HTML_STEP];
	uint8_t kinds[HTML_STEP];
};

static struct spe_row_shape process_shape(const struct html *html)
{
	return (struct spe_row_shape){ .keys = 1,
				       .histograms = html->columns.histograms,
				       .counts = html->columns.counts };
}

static size_t cell_count(const struct html *html)
{
	return (size_t)html_slots(html) * html->lane_count * html->bins;
}

static size_t trend_count(const struct html *html)
{
	return (size_t)html_slots(html) * HTML_TRENDS * html_trend_steps(html);
}

static int counts_init(const struct html *html, struct html_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	spe_rows_init(&counts->processes, process_shape(html));
	for (unsigned t = 0; t < HTML_TABLES; t++)
		html_rows_init(&counts->tables[t]);
	counts->cells = calloc(cell_count(html) + 1, sizeof(*counts->cells));
	counts->trends = calloc(trend_count(html) + 1, sizeof(*counts->trends));
	return counts->cells && counts->trends ? SPE_OK : SPE_NOMEM;
}

void html_counts_fini(struct html_counts *counts)
{
	spe_rows_fini(&counts->processes);
	for (unsigned t = 0; t < HTML_TABLES; t++)
		html_rows_fini(&counts->tables[t]);
	free(counts->cells);
	free(counts->trends);
}

/* ---- slots ------------------------------------------------------------- */

static unsigned slot_find(const struct html *html, uint64_t value)
{
	unsigned from = 0, to = html->chosen;

	if (value == NOBODY)
		return html_slot_nobody(html);
	while (from < to) {
		unsigned middle = (from + to) / 2;

		if (html->choices[middle].value == value)
			return html->choices[middle].slot;
		if (html->choices[middle].value < value)
			from = middle + 1;
		else
			to = middle;
	}
	return html_slot_others(html);
}

/* p->values become p->slots: the same for long stretches. */
static void find_slots(const struct html *html, struct partial *p, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (p->values[i] != p->last_value) {
			p->last_value = p->values[i];
			p->last_slot = slot_find(html, p->last_value);
		}
		p->slots[i] = p->last_slot;
	}
}

/* ---- counting ---------------------------------------------------------- */

static int count_processes(const struct html *html, struct partial *p,
			   const struct spe_sample *samples, size_t count)
{
	struct spe_row_shape shape = process_shape(html);
	size_t from = 0;

	while (from < count) {
		uint64_t slot = p->slots[from];
		struct spe_row *row;
		size_t to = from + 1;
		int status = spe_rows_find(&p->counts.processes, &slot, &row);

		while (to < count && p->slots[to] == slot)
			to++;
		if (!status)
			status = spe_columns_count(&html->columns, row, shape, samples + from,
						   to - from);
		if (status)
			return status;
		row->samples += to - from;
		from = to;
	}
	return SPE_OK;
}

static void count_trend(const struct html *html, struct partial *p, const struct spe_sample *sample,
			unsigned slot, unsigned bin)
{
	unsigned steps = html_trend_steps(html);
	uint64_t *trend =
		p->counts.trends + (size_t)slot * HTML_TRENDS * steps + bin / HTML_TREND_BINS;
	const struct spe_record *record = &sample->record;

	trend[HTML_TREND_SAMPLES * steps]++;
	trend[HTML_TREND_L1D_MISS * steps] += (record->events & SPE_EV_L1D_REFILL) != 0;
	trend[HTML_TREND_LLC_MISS * steps] += (record->events & SPE_EV_LLC_REFILL) != 0;
	if (!(record->present & SPE_HAS_TOTAL_LATENCY))
		return;
	trend[HTML_TREND_TIMED * steps]++;
	trend[HTML_TREND_CYCLES * steps] += record->total_latency_cycles;
}

static void count_times(const struct html *html, struct partial *p,
			const struct spe_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t lane;
		unsigned bin;

		if (!samples[i].has_time) {
			p->counts.timeless++;
			continue;
		}
		bin = html_bin_of(html, samples[i].time_ns);
		lane = (size_t)p->slots[i] * html->lane_count + html_lane_of(html, samples[i].cpu);
		p->counts.cells[lane * html->bins + bin]++;
		count_trend(html, p, &samples[i], p->slots[i], bin);
	}
}

/* Does a table say anything of a sample with that value? */
static bool is_counted(const struct html_table *table, uint64_t value, unsigned kind)
{
	if (table->memory && !(kind & HTML_MEMORY))
		return false;
	if (table->located && value == (table->address ? NO_ADDRESS : ABSENT))
		return false;
	return !table->named || !(value & UNRESOLVED);
}

static int count_table(const struct html *html, struct partial *p, unsigned t,
		       const struct spe_sample *samples, size_t count)
{
	const struct html_table *table = &html_tables[t];
	int status = SPE_OK;

	if (!html->keys[t])
		return SPE_OK;
	html->keys[t]->fill(&p->context, samples, count, p->values);
	for (size_t i = 0; i < count && !status; i++)
		if (is_counted(table, p->values[i], p->kinds[i]))
			status = html_rows_count(&p->counts.tables[t], table, p->values[i],
						 p->slots[i], &samples[i], p->kinds[i]);
	return status ? status : spe_key_worker_status(&p->context);
}

static int count_step(const struct html *html, struct partial *p, const struct spe_sample *samples,
		      size_t count)
{
	int status;

	html->pid->fill(&html->context, samples, count, p->values);
	find_slots(html, p, count);
	for (size_t i = 0; i < count; i++)
		p->kinds[i] = (uint8_t)html_kind(&samples[i]);
	status = count_processes(html, p, samples, count);
	count_times(html, p, samples, count);
	for (unsigned t = 0; t < HTML_TABLES && !status; t++)
		status = count_table(html, p, t, samples, count);
	return status;
}

/* ---- the ops ----------------------------------------------------------- */

static void partial_free(struct partial *p)
{
	html_counts_fini(&p->counts);
	spe_key_worker_fini(&p->context);
	free(p);
}

static int count_begin(void *sink, unsigned worker, void **partial)
{
	struct html *html = sink;
	struct partial *p = calloc(1, sizeof(*p));
	int status;

	(void)worker;
	if (!p)
		return SPE_NOMEM;
	p->last_value = NOBODY;
	p->last_slot = html_slot_nobody(html);
	status = counts_init(html, &p->counts);
	if (!status)
		status = spe_key_worker_init(&p->context, &html->context);
	if (status) {
		partial_free(p);
		return status;
	}
	*partial = p;
	return SPE_OK;
}

static int count_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	int status = SPE_OK;

	while (count && !status) {
		size_t n = count < HTML_STEP ? count : HTML_STEP;

		status = count_step(sink, partial, samples, n);
		samples += n;
		count -= n;
	}
	return status;
}

static int counts_add(const struct html *html, struct html_counts *into, struct html_counts *from)
{
	int status = spe_rows_merge(&into->processes, &from->processes);

	for (unsigned t = 0; t < HTML_TABLES && !status; t++)
		status = html_rows_merge(&into->tables[t], &from->tables[t], &html_tables[t]);
	for (size_t i = 0; i < cell_count(html); i++)
		into->cells[i] += from->cells[i];
	for (size_t i = 0; i < trend_count(html); i++)
		into->trends[i] += from->trends[i];
	into->timeless += from->timeless;
	return status;
}

static int count_merge(void *sink, void *partial)
{
	struct html *html = sink;
	struct partial *p = partial;
	int status = SPE_OK;

	if (!html->counts.cells)
		status = counts_init(html, &html->counts);
	if (!status)
		status = counts_add(html, &html->counts, &p->counts);
	partial_free(p);
	return status;
}

static int count_end(void *sink, const struct spe_run_stats *stats)
{
	struct html *html = sink;

	(void)stats;
	return html->counts.cells ? SPE_OK : counts_init(html, &html->counts);
}

struct spe_sink_ops html_count_ops(const struct html *html)
{
	struct spe_sink_ops ops = { .name = "page",
				    .want = SPE_HAS_TIMESTAMP | SPE_HAS_OP | SPE_HAS_EVENTS |
					    SPE_HAS_TOTAL_LATENCY,
				    .names = true,
				    .begin = count_begin,
				    .batch = count_batch,
				    .merge = count_merge,
				    .end = count_end };

	for (unsigned t = 0; t < HTML_TABLES; t++)
		ops.want |= html->keys[t] ? html->keys[t]->want : 0;
	for (unsigned i = 0; i < html->columns.count; i++)
		ops.want |= spe_column_want(html->columns.items[i]);
	return ops;
}
