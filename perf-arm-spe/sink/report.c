/* SPDX-License-Identifier: GPL-2.0-only */
/* The report sink: samples into rows. */
#include "report.h"

#include "../base/opts.h"

#include <stdlib.h>

/* What one worker counts. */
struct partial {
	struct spe_rows rows;
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

	while (count--) {
		const struct spe_sample *s = &samples[count];

		if (latest.has_ns && s->time_ns < latest.ns)
			continue;
		spe_latest_take(&latest, (struct spe_latest){ s->time_ns, s->tid, s->comm + 1,
							      s->has_time });
	}
	row->latest = latest;
}

static void row_count(const struct spe_report *report, struct spe_row *row,
		      const struct spe_sample *samples, size_t count)
{
	row->samples += count;
	row->weight += report->by_latency ? batch_latency(samples, count) : count;
	if (report->latest)
		row_latest(row, samples, count);
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
		report->keys[k]->fill(&report->context, samples, count,
				      p->columns + (size_t)k * SPE_REPORT_STEP);
	while (from < count) {
		size_t end = run_end(p, report->key_count, from, count);
		int status = row_of(p, report->key_count, from);

		if (status)
			return status;
		row_count(report, p->last, samples + from, end - from);
		from = end;
	}
	return SPE_OK;
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
		if (status)
			return status;
		row_count(report, p->last, samples, n);
		samples += n;
		count -= n;
	}
	return SPE_OK;
}

static int report_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	const struct spe_report *report = sink;

	if (report->key_count == 1 && report->keys[0]->run)
		return report_runs(report, partial, samples, count);
	while (count) {
		size_t n = count < SPE_REPORT_STEP ? count : SPE_REPORT_STEP;
		int status = report_step(report, partial, samples, n);

		if (status)
			return status;
		samples += n;
		count -= n;
	}
	return SPE_OK;
}

static int report_begin(void *sink, unsigned worker, void **partial)
{
	const struct spe_report *report = sink;
	struct partial *p = calloc(1, sizeof(*p));

	(void)worker;
	if (!p)
		return SPE_NOMEM;
	spe_rows_init(&p->rows, report->key_count);
	p->columns = malloc((size_t)report->key_count * SPE_REPORT_STEP * sizeof(*p->columns));
	if (!p->columns) {
		free(p);
		return SPE_NOMEM;
	}
	*partial = p;
	return SPE_OK;
}

static int report_merge(void *sink, void *partial)
{
	struct spe_report *report = sink;
	struct partial *p = partial;
	int status = spe_rows_merge(&report->rows, &p->rows);

	spe_rows_fini(&p->rows);
	free(p->columns);
	free(p);
	return status;
}

static int report_end(void *sink, const struct spe_run_stats *stats)
{
	(void)stats;
	return spe_report_order(sink);
}

/* ---- order ------------------------------------------------------------- */

static int row_compare(const void *a, const void *b, void *arg)
{
	const struct spe_report *report = arg;
	const struct spe_row *x = spe_rows_at(&report->rows, *(const uint32_t *)a);
	const struct spe_row *y = spe_rows_at(&report->rows, *(const uint32_t *)b);

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	for (unsigned k = 0; k < report->key_count; k++)
		if (x->keys[k] != y->keys[k])
			return x->keys[k] < y->keys[k] ? -1 : 1;
	return 0;
}

int spe_report_order(struct spe_report *report)
{
	size_t count = report->rows.count;

	free(report->order);
	report->order = malloc((count + 1) * sizeof(*report->order));
	if (!report->order)
		return SPE_NOMEM;
	report->samples = report->weight = 0;
	for (size_t i = 0; i < count; i++) {
		const struct spe_row *row = spe_rows_at(&report->rows, i);

		report->order[i] = (uint32_t)i;
		report->samples += row->samples;
		report->weight += row->weight;
	}
	qsort_r(report->order, count, sizeof(*report->order), row_compare, report);
	return SPE_OK;
}

/* ---- the object -------------------------------------------------------- */

/* Does a key before it fill the same column?  As in perf, the second one is not shown. */
static bool report_has_key(const struct spe_report *report, const struct spe_key *key)
{
	for (unsigned k = 0; k < report->key_count; k++)
		if (strcmp(report->keys[k]->field, key->field) == 0)
			return true;
	return false;
}

static void report_add_key(struct spe_report *report, const struct spe_key *key)
{
	if (report_has_key(report, key))
		return;
	report->keys[report->key_count++] = key;
	report->latest |= key->latest;
	report->ops.names |= key->names;
	report->ops.want |= key->want;
}

static int report_keys(struct spe_report *report, const char *sort, struct spe_error *error)
{
	while (sort) {
		size_t length = strcspn(sort, ",");
		const struct spe_key *key = spe_key_find(sort, length);

		if (!key)
			return spe_error_set(error, SPE_INVALID,
					     "--sort: there is no key '%.*s'; -h lists them",
					     length < 100 ? (int)length : 100, sort);
		if (report->key_count == SPE_LIMIT_SORT_KEYS)
			return spe_error_set(error, SPE_INVALID, "--sort: more than %u keys",
					     SPE_LIMIT_SORT_KEYS);
		report_add_key(report, key);
		sort = sort[length] ? sort + length + 1 : NULL;
	}
	return SPE_OK;
}

static int report_fields(struct spe_report *report, const char *fields, struct spe_error *error)
{
	while (fields) {
		size_t length = strcspn(fields, ",");

		if (length == 7 && memcmp(fields, "samples", 7) == 0)
			report->show_samples = true;
		else
			return spe_error_set(error, SPE_INVALID,
					     "--fields: there is no column '%.*s'",
					     length < 100 ? (int)length : 100, fields);
		fields = fields[length] ? fields + length + 1 : NULL;
	}
	return SPE_OK;
}

static int report_weight(struct spe_report *report, const char *weight, struct spe_error *error)
{
	if (!weight || strcmp(weight, "samples") == 0)
		return SPE_OK;
	if (strcmp(weight, "latency") != 0)
		return spe_error_set(error, SPE_INVALID,
				     "--weight: '%.100s' is neither samples nor latency", weight);
	report->by_latency = true;
	report->ops.want |= SPE_HAS_TOTAL_LATENCY;
	return SPE_OK;
}

static int report_init(struct spe_report *report, const struct spe_report_opts *opts,
		       struct spe_error *error)
{
	int status;

	report->ops = (struct spe_sink_ops){ .name = "report",
					     .want = SPE_HAS_TIMESTAMP, /* 0 would mean all */
					     .begin = report_begin,
					     .batch = report_batch,
					     .merge = report_merge,
					     .end = report_end };
	report->show_samples = opts->show_nr_samples;
	report->no_header = opts->no_header;
	report->percent_limit = opts->percent_limit;
	report->format = opts->format;
	report->sort = strdup(opts->sort ? opts->sort : "pid");
	if (opts->separator)
		report->separator = strdup(opts->separator);
	if (!report->sort || (opts->separator && !report->separator))
		return SPE_NOMEM;
	if (opts->format > SPE_FORMAT_CSV || !(opts->percent_limit >= 0))
		return spe_error_set(error, SPE_INVALID, "spe_report_new: bad options");
	if (opts->separator && !*opts->separator)
		return spe_error_set(error, SPE_INVALID, "--field-separator: empty");
	status = report_keys(report, report->sort, error);
	if (!status)
		status = report_fields(report, opts->fields, error);
	if (!status)
		status = report_weight(report, opts->weight, error);
	if (!status)
		status = spe_key_context_init(&report->context, report->recording);
	spe_rows_init(&report->rows, report->key_count);
	return status;
}

int spe_report_new(const struct spe_recording *recording, const struct spe_report_opts *opts,
		   struct spe_report **made, struct spe_error *error)
{
	struct spe_report_opts taken;
	struct spe_report *report;
	int status;

	if (error)
		*error = (struct spe_error){ 0 };
	if (!recording || spe_opts_take(&taken, opts))
		return spe_error_set(error, SPE_INVALID, "spe_report_new: bad arguments");
	report = calloc(1, sizeof(*report));
	if (!report)
		return spe_error_set(error, SPE_NOMEM, "report: out of memory");
	report->recording = recording;
	status = report_init(report, &taken, error);
	if (status) {
		spe_report_free(report);
		return status == SPE_NOMEM ? spe_error_set(error, status, "report: out of memory")
					   : status;
	}
	*made = report;
	return SPE_OK;
}

void spe_report_free(struct spe_report *report)
{
	if (!report)
		return;
	spe_rows_fini(&report->rows);
	spe_key_context_fini(&report->context);
	free(report->order);
	free(report->separator);
	free(report->sort);
	free(report);
}

const struct spe_sink_ops *spe_report_ops(const struct spe_report *report)
{
	return &report->ops;
}

int spe_report_key(unsigned index, const char **name, const char **help)
{
	const struct spe_key *key = spe_key_at(index);

	if (!key)
		return SPE_END;
	*name = key->name;
	*help = key->help;
	return SPE_OK;
}
