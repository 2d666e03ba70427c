/* SPDX-License-Identifier: GPL-2.0-only */
/* The report sink: samples into rows. */
#include "report.h"

#include <stdlib.h>

/* What one worker counts. */
struct partial {
	struct spe_key_context context; /* this worker's */
	struct spe_rows rows;
	uint64_t skipped, elsewhere;
	uint64_t *columns;    /* [key][SPE_REPORT_STEP] */
	struct spe_row *last; /* the row of the sample before, NULL at first */
};

/* ---- counting ---------------------------------------------------------- */

static uint64_t batch_latency(const struct spe_sample *samples, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += samples[i].record.total_latency_cycles; /* absent is 0 */
	return sum;
}

/*
 * Backwards: the last sample of a run is mostly the latest, and then all others
 * cost one compare.
 */
static void row_latest(struct spe_row *row, const struct spe_sample *samples, size_t count)
{
	struct spe_latest latest = row->latest; /* in registers */

	while (latest.has_ns && count && samples[count - 1].time_ns < latest.ns)
		count--;
	while (count--) {
		const struct spe_sample *s = &samples[count];

		if (latest.has_ns && s->time_ns < latest.ns)
			continue;
		spe_latest_take(&latest, (struct spe_latest){ s->time_ns, s->tid, s->comm + 1,
							      s->has_time });
	}
	row->latest = latest;
}

static int row_count(const struct spe_report *report, struct spe_row *row,
		     const struct spe_sample *samples, size_t count)
{
	row->samples += count;
	row->weight += report->by_latency ? batch_latency(samples, count) : count;
	if (report->latest)
		row_latest(row, samples, count);
	return report->columns.count
		       ? spe_columns_count(&report->columns, row, report->shape, samples, count)
		       : SPE_OK;
}

/* Where the run of samples with the values of sample `from` ends. */
static size_t run_end(const struct partial *p, unsigned key_count, size_t from, size_t count)
{
	size_t end = count;

	for (unsigned k = 0; k < key_count; k++) {
		const uint64_t *column = p->columns + (size_t)k * SPE_REPORT_STEP;
		size_t i = from + 1;

		while (i < end && column[i] == column[from])
			i++;
		end = i;
	}
	return end;
}

/* The row of sample `at`: mostly that of the sample before it. */
static int row_of(struct partial *p, unsigned key_count, size_t at)
{
	uint64_t keys[SPE_LIMIT_SORT_KEYS];
	bool same = p->last != NULL;

	for (unsigned k = 0; k < key_count; k++) {
		keys[k] = p->columns[(size_t)k * SPE_REPORT_STEP + at];
		same = same && p->last->keys[k] == keys[k];
	}
	return same ? SPE_OK : spe_rows_find(&p->rows, keys, &p->last);
}

static int report_step(const struct spe_report *report, struct partial *p,
		       const struct spe_sample *samples, size_t count)
{
	size_t from = 0;

	for (unsigned k = 0; k < report->key_count; k++)
		report->keys[k]->fill(&p->context, samples, count,
				      p->columns + (size_t)k * SPE_REPORT_STEP);
	while (from < count) {
		size_t end = run_end(p, report->key_count, from, count);
		int status = row_of(p, report->key_count, from);

		if (!status)
			status = row_count(report, p->last, samples + from, end - from);
		if (status)
			return status;
		from = end;
	}
	return spe_key_worker_status(&p->context);
}

/* One key that knows its runs: no column is written and read again. */
static int report_runs(const struct spe_report *report, struct partial *p,
		       const struct spe_sample *samples, size_t count)
{
	const struct spe_key *key = report->keys[0];

	while (count) {
		size_t n = key->run(samples, count);
		uint64_t value;
		int status = SPE_OK;

		key->fill(&report->context, samples, 1, &value);
		if (!p->last || p->last->keys[0] != value)
			status = spe_rows_find(&p->rows, &value, &p->last);
		if (!status)
			status = row_count(report, p->last, samples, n);
		if (status)
			return status;
		samples += n;
		count -= n;
	}
	return SPE_OK;
}

/* Loads and stores to the front. */
static size_t keep_memory(struct spe_sample *samples, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(samples[i].record.present & SPE_HAS_OP) ||
		    !spe_op_is_memory(samples[i].record.op_class))
			continue;
		if (kept != i)
			samples[kept] = samples[i];
		kept++;
	}
	return kept;
}

int spe_report_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	const struct spe_report *report = sink;
	struct partial *p = partial;

	if (report->memory_only) {
		size_t kept = keep_memory(samples, count);

		p->skipped += count - kept;
		count = kept;
	}
	if (spe_report_selects(report)) {
		size_t kept = spe_report_select(report, &p->context, samples, count);

		p->elsewhere += count - kept;
		count = kept;
		if (spe_key_worker_status(&p->context))
			return spe_key_worker_status(&p->context);
	}
	if (report->key_count == 1 && report->keys[0]->run)
		return report_runs(report, p, samples, count);
	while (count) {
		size_t n = count < SPE_REPORT_STEP ? count : SPE_REPORT_STEP;
		int status = report_step(report, p, samples, n);

		if (status)
			return status;
		samples += n;
		count -= n;
	}
	return SPE_OK;
}

int spe_report_run(void *sink, void *partial, const struct spe_sample *sample, uint64_t count)
{
	const struct spe_report *report = sink;
	struct partial *p = partial;
	int status;

	for (unsigned k = 0; k < report->key_count; k++)
		report->keys[k]->fill(&report->context, sample, 1,
				      p->columns + (size_t)k * SPE_REPORT_STEP);
	status = row_of(p, report->key_count, 0);
	if (status)
		return status;
	p->last->samples += count;
	p->last->weight += count;
	if (report->latest)
		row_latest(p->last, sample, 1);
	return SPE_OK;
}

int spe_report_begin(void *sink, unsigned worker, void **partial)
{
	const struct spe_report *report = sink;
	struct partial *p = calloc(1, sizeof(*p));

	(void)worker;
	if (!p)
		return SPE_NOMEM;
	spe_rows_init(&p->rows, report->shape);
	p->columns = malloc((size_t)report->key_count * SPE_REPORT_STEP * sizeof(*p->columns));
	if (!p->columns || spe_key_worker_init(&p->context, &report->context)) {
		free(p->columns);
		free(p);
		return SPE_NOMEM;
	}
	*partial = p;
	return SPE_OK;
}

void spe_report_drop(void *sink, void *partial)
{
	struct partial *p = partial;

	(void)sink;
	spe_rows_fini(&p->rows);
	spe_key_worker_fini(&p->context);
	free(p->columns);
	free(p);
}

int spe_report_merge(void *sink, void *partial)
{
	struct spe_report *report = sink;
	struct partial *p = partial;
	int status = spe_rows_merge(&report->rows, &p->rows);

	report->skipped += p->skipped;
	report->elsewhere += p->elsewhere;
	spe_report_drop(report, p);
	return status;
}
