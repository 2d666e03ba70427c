/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as JSON and as CSV. */
#include "accounting.h"
#include "report.h"

#include <inttypes.h>

/* ---- JSON -------------------------------------------------------------- */

struct json_view {
	const struct spe_report *report;
	struct spe_json json;
	unsigned open; /* levels whose row is not closed yet */
};

static void json_cell(struct spe_json *json, const char *field, const struct spe_cell *cell)
{
	if (cell->kind == SPE_CELL_NUMBER)
		spe_json_i64(json, field, cell->number);
	else
		spe_json_string(json, field, cell->kind == SPE_CELL_TEXT ? cell->text : NULL);
}

static void json_key(struct json_view *view, const struct spe_row *row, unsigned k)
{
	const struct spe_key *key = view->report->keys[k];
	struct spe_value value = spe_report_value(view->report, row, k);
	struct spe_cell cell;

	key->cell(&value, &cell);
	json_cell(&view->json, key->field, &cell);
	if (!key->name_field)
		return;
	key->name_cell(&value, &cell);
	json_cell(&view->json, key->name_field, &cell);
}

/* Samples stand in every row. */
static bool column_is_samples(const struct spe_report *report, unsigned i)
{
	return report->columns.items[i]->kind == SPE_COLUMN_SAMPLES;
}

static void json_columns(struct json_view *view, const struct spe_row *row, unsigned level)
{
	const struct spe_report *report = view->report;
	struct spe_row_shape shape = spe_report_shape(report, level);

	spe_json_double(&view->json, "overhead", spe_report_percent(report, row), 2);
	spe_json_u64(&view->json, "samples", row->samples);
	if (report->by_latency)
		spe_json_u64(&view->json, "latency_cycles", row->weight);
	for (unsigned i = 0; i < report->columns.count; i++) {
		const char *field = report->columns.items[i]->field;
		unsigned digits;
		double value;

		if (column_is_samples(report, i))
			continue;
		if (spe_columns_value(&report->columns, i, row, shape, &value, &digits))
			spe_json_double(&view->json, field, value, digits);
		else
			spe_json_null(&view->json, field);
	}
}

static void json_close(struct json_view *view, unsigned level)
{
	while (view->open > level) {
		view->open--;
		if (view->open + 1 < view->report->level_count)
			spe_json_array_end(&view->json);
		spe_json_object_end(&view->json);
	}
}

static void json_row(void *arg, const struct spe_row *row, unsigned level)
{
	struct json_view *view = arg;
	const struct spe_report *report = view->report;
	bool leaf = level + 1 == report->level_count;

	json_close(view, level);
	(leaf ? spe_json_row : spe_json_object)(&view->json, NULL);
	json_columns(view, row, level);
	for (unsigned k = spe_report_first_key(report, level); k < report->level_keys[level]; k++)
		json_key(view, row, k);
	if (!leaf)
		spe_json_array(&view->json, "rows");
	view->open = level + 1;
}

void spe_report_json(const struct spe_report *report, const struct spe_run_stats *stats,
		     struct spe_text *text)
{
	struct json_view view = { .report = report };
	struct spe_json *json = &view.json;
	uint64_t hidden_samples;
	size_t hidden;

	spe_json_init(json, text, true);
	spe_json_object(json, NULL);
	spe_json_string(json, "sort", report->sort);
	spe_json_string(json, "weight", report->by_latency ? "latency" : "samples");
	spe_json_u64(json, "samples", report->samples);
	spe_json_u64(json, "total", report->weight);
	if (report->memory_only)
		spe_json_u64(json, "not_memory", report->skipped);
	if (spe_report_selects(report))
		spe_json_u64(json, "elsewhere", report->elsewhere);
	spe_json_array(json, "rows");
	hidden = spe_report_walk(report, json_row, &view, &hidden_samples);
	json_close(&view, 0);
	spe_json_array_end(json);
	spe_json_u64(json, "hidden_rows", hidden);
	spe_json_u64(json, "hidden_samples", hidden_samples);
	spe_accounting_json(json, report->recording, stats);
	spe_json_object_end(json);
	spe_json_end(json);
}

/* ---- CSV: the leaves --------------------------------------------------- */

struct csv_view {
	const struct spe_report *report;
	struct spe_text *text;
};

static void csv_cell(struct spe_text *text, const struct spe_cell *cell)
{
	spe_text_char(text, ',');
	if (cell->kind == SPE_CELL_NUMBER)
		spe_text_printf(text, "%" PRId64, cell->number);
	else if (cell->kind == SPE_CELL_TEXT)
		spe_text_csv(text, cell->text);
}

static void csv_header(const struct spe_report *report, struct spe_text *text)
{
	spe_text_str(text, "overhead,samples");
	if (report->by_latency)
		spe_text_str(text, ",latency_cycles");
	for (unsigned i = 0; i < report->columns.count; i++)
		if (!column_is_samples(report, i))
			spe_text_printf(text, ",%s", report->columns.items[i]->field);
	for (unsigned k = 0; k < report->key_count; k++) {
		spe_text_printf(text, ",%s", report->keys[k]->field);
		if (report->keys[k]->name_field)
			spe_text_printf(text, ",%s", report->keys[k]->name_field);
	}
	spe_text_char(text, '\n');
}

static void csv_columns(const struct csv_view *view, const struct spe_row *row, unsigned level)
{
	const struct spe_report *report = view->report;

	spe_text_printf(view->text, "%.2f,%" PRIu64, spe_report_percent(report, row), row->samples);
	if (report->by_latency)
		spe_text_printf(view->text, ",%" PRIu64, row->weight);
	for (unsigned i = 0; i < report->columns.count; i++) {
		unsigned digits;
		double value;

		if (column_is_samples(report, i))
			continue;
		spe_text_char(view->text, ',');
		if (spe_columns_value(&report->columns, i, row, spe_report_shape(report, level),
				      &value, &digits))
			spe_text_printf(view->text, "%.*f", (int)digits, value);
	}
}

static void csv_row(void *arg, const struct spe_row *row, unsigned level)
{
	const struct csv_view *view = arg;
	const struct spe_report *report = view->report;
	struct spe_cell cell;

	if (level + 1 < report->level_count)
		return;
	csv_columns(view, row, level);
	for (unsigned k = 0; k < report->key_count; k++) {
		struct spe_value value = spe_report_value(report, row, k);

		report->keys[k]->cell(&value, &cell);
		csv_cell(view->text, &cell);
		if (!report->keys[k]->name_field)
			continue;
		report->keys[k]->name_cell(&value, &cell);
		csv_cell(view->text, &cell);
	}
	spe_text_char(view->text, '\n');
}

void spe_report_csv(const struct spe_report *report, const struct spe_run_stats *stats,
		    struct spe_text *text)
{
	struct csv_view view = { report, text };
	uint64_t hidden_samples;

	(void)stats;
	if (!report->no_header)
		csv_header(report, text);
	spe_report_walk(report, csv_row, &view, &hidden_samples);
}
