/* SPDX-License-Identifier: GPL-2.0-only */
/* The report: its options and its life. */
#include "names.h"
#include "report.h"

#include "../base/opts.h"

#include <stdlib.h>

/* What --mem shows unless told otherwise. */
#define MEMORY_SORT "pid,level"
#define MEMORY_FIELDS "samples,latency,l1d-miss,llc-miss,tlb-walk,remote"

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
	report->symbols |= key->symbols;
	report->ops.names |= key->names;
	report->ops.want |= key->want;
}

static int report_no_key(const char *option, const char *word, size_t length,
			 struct spe_error *error)
{
	struct spe_names names = { .count = 0 };
	const struct spe_key *key;

	for (size_t i = 0; (key = spe_key_at(i)); i++)
		spe_names_add(&names, key->name, key->help);
	return spe_names_refuse(&names, option, "key", word, length, error);
}

static int report_keys(struct spe_report *report, const char *option, const char *sort,
		       struct spe_error *error)
{
	while (sort) {
		size_t length = strcspn(sort, ",");
		const struct spe_key *key = spe_key_find(sort, length);

		if (!key)
			return report_no_key(option, sort, length, error);
		if (report->key_count == SPE_LIMIT_SORT_KEYS)
			return spe_error_set(error, SPE_INVALID, "--%s: more than %u keys", option,
					     SPE_LIMIT_SORT_KEYS);
		report_add_key(report, key);
		sort = sort[length] ? sort + length + 1 : NULL;
	}
	return SPE_OK;
}

/* Add the columns a word means: one, or all of a group. */
static bool report_add_columns(struct spe_report *report, const char *word, size_t length)
{
	const struct spe_column *column;
	bool any = false;

	for (size_t i = 0; (column = spe_column_at(i)); i++) {
		if (!spe_column_is(column, word, length))
			continue;
		spe_columns_add(&report->columns, column);
		report->ops.want |= spe_column_want(column);
		any = true;
	}
	return any;
}

static int report_no_column(const char *word, size_t length, struct spe_error *error)
{
	struct spe_names names = { .count = 0 };
	const struct spe_column *column;

	for (size_t i = 0; (column = spe_column_at(i)); i++) {
		spe_names_add(&names, column->name, column->help);
		spe_names_add(&names, column->group, NULL);
	}
	return spe_names_refuse(&names, "fields", "column", word, length, error);
}

static int report_fields(struct spe_report *report, const char *fields, struct spe_error *error)
{
	while (fields) {
		size_t length = strcspn(fields, ",");
		bool overhead =
			length == 8 && memcmp(fields, "overhead", 8) == 0; /* is always there */

		if (!overhead && !report_add_columns(report, fields, length))
			return report_no_column(fields, length, error);
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

/* Keys and levels: the groups first, then the sort keys, each its own level in a hierarchy. */
static int report_levels(struct spe_report *report, const struct spe_report_opts *opts,
			 struct spe_error *error)
{
	unsigned groups;
	int status = report_keys(report, "group-by", opts->group_by, error);

	if (status)
		return status;
	groups = report->key_count;
	if (groups)
		report->level_keys[report->level_count++] = groups;
	status = report_keys(report, "sort", report->sort, error);
	if (status)
		return status;
	for (unsigned k = groups + 1; opts->hierarchy && k < report->key_count; k++)
		report->level_keys[report->level_count++] = k;
	if (report->key_count > groups)
		report->level_keys[report->level_count++] = report->key_count;
	return SPE_OK;
}

/* Owners are all that is counted: samples of one need not be looked at one by one. */
static bool report_owners_only(const struct spe_report *report)
{
	if (report->columns.count || report->by_latency || report->memory_only ||
	    spe_report_selects(report))
		return false;
	for (unsigned k = 0; k < report->key_count; k++)
		if (!report->keys[k]->run)
			return false;
	return true;
}

static int report_columns(struct spe_report *report, const struct spe_report_opts *opts,
			  struct spe_error *error)
{
	const char *fields = opts->fields;

	if (!fields && opts->mem)
		fields = MEMORY_FIELDS;
	if (opts->show_nr_samples)
		report_add_columns(report, "samples", strlen("samples"));
	return report_fields(report, fields, error);
}

/* Everything that may be refused. */
static int report_choose(struct spe_report *report, const struct spe_report_opts *opts,
			 struct spe_error *error)
{
	int status;

	if (opts->format > SPE_FORMAT_CSV || !(opts->percent_limit >= 0))
		return spe_error_set(error, SPE_INVALID, "spe_report_new: bad options");
	if (opts->separator && !*opts->separator)
		return spe_error_set(error, SPE_INVALID, "--field-separator: empty");
	status = report_levels(report, opts, error);
	if (!status)
		status = report_columns(report, opts, error);
	if (!status)
		status = report_weight(report, opts->weight, error);
	return status;
}

static int report_end(void *sink, const struct spe_run_stats *stats)
{
	(void)stats;
	return spe_report_order(sink);
}

static char *copy_of(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Only some files and functions: addresses are looked up for that alone, too. */
static int report_only(struct spe_report *report, const struct spe_report_opts *opts)
{
	int status = SPE_OK;

	if (opts->dsos)
		status = spe_report_names_init(&report->only_dsos, opts->dsos);
	if (!status && opts->symbol_names)
		status = spe_report_names_init(&report->only_symbols, opts->symbol_names);
	if (spe_report_selects(report)) {
		report->symbols = true;
		report->ops.want |= SPE_HAS_PC | SPE_HAS_EL;
	}
	return status;
}

static int report_init(struct spe_report *report, const struct spe_report_opts *opts,
		       struct spe_error *error)
{
	int status;

	report->ops = (struct spe_sink_ops){ .name = "report",
					     .want = SPE_HAS_TIMESTAMP, /* 0 would mean all */
					     .begin = spe_report_begin,
					     .batch = spe_report_batch,
					     .merge = spe_report_merge,
					     .drop = spe_report_drop,
					     .end = report_end };
	if (opts->mem)
		report->ops.want |= SPE_HAS_OP;
	report->memory_only = opts->mem;
	report->no_header = opts->no_header;
	report->percent_limit = opts->percent_limit;
	report->format = opts->format;
	report->sort = copy_of(opts->sort ? opts->sort : opts->mem ? MEMORY_SORT : "pid");
	if (opts->separator)
		report->separator = copy_of(opts->separator);
	if (!report->sort || (opts->separator && !report->separator))
		return SPE_NOMEM;
	status = report_choose(report, opts, error);
	if (!status)
		status = report_only(report, opts);
	if (!status && report_owners_only(report))
		report->ops.run = spe_report_run;
	if (!status)
		status = spe_key_context_init(&report->context, report->recording);
	if (!status && report->symbols)
		status = spe_key_context_symbols(&report->context, opts->symbols);
	report->shape = (struct spe_row_shape){ report->key_count, report->columns.histograms,
						report->columns.counts };
	spe_rows_init(&report->rows, report->shape);
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
	spe_report_order_fini(report);
	spe_rows_fini(&report->rows);
	spe_key_context_fini(&report->context);
	spe_report_names_fini(&report->only_dsos);
	spe_report_names_fini(&report->only_symbols);
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

int spe_report_column(unsigned index, const char **name, const char **help)
{
	const struct spe_column *column = spe_column_at(index);

	if (!column)
		return SPE_END;
	*name = column->name;
	*help = column->help;
	return SPE_OK;
}

int spe_report_print(const struct spe_report *report, const struct spe_run_stats *stats,
		     const struct spe_out *out)
{
	static void (*const printers[])(const struct spe_report *, const struct spe_run_stats *,
					struct spe_text *) = {
		[SPE_FORMAT_TEXT] = spe_report_text,
		[SPE_FORMAT_JSON] = spe_report_json,
		[SPE_FORMAT_CSV] = spe_report_csv,
	};
	struct spe_text *text;
	int status;

	if (!report || !stats || !out)
		return SPE_INVALID;
	text = malloc(sizeof(*text));
	if (!text)
		return SPE_NOMEM;
	spe_text_init(text, out);
	printers[report->format](report, stats, text);
	status = spe_text_flush(text);
	free(text);
	return status;
}
