/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as perf prints one, as JSON and as CSV. */
#include "accounting.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

double spe_report_percent(const struct spe_report *report, const struct spe_row *row)
{
	return report->weight ? 100.0 * (double)row->weight / (double)report->weight : 0.0;
}

/* Rows at or above the limit: they come first. */
static size_t report_shown(const struct spe_report *report)
{
	size_t count = report->rows.count;

	while (count &&
	       spe_report_percent(report, spe_rows_at(&report->rows, report->order[count - 1])) <
		       report->percent_limit)
		count--;
	return count;
}

static const struct spe_row *report_row(const struct spe_report *report, size_t i)
{
	return spe_rows_at(&report->rows, report->order[i]);
}

static struct spe_value report_value(const struct spe_report *report, const struct spe_row *row,
				     unsigned k)
{
	return (struct spe_value){ &report->context, row, row->keys[k] };
}

/* Names of the events, each once: one PMU per kind of core. */
void spe_event_names_put(struct spe_text *text, const struct spe_recording *recording)
{
	const struct spe_perfdata *pd = spe_recording_perfdata(recording);
	size_t streams = spe_recording_streams(recording);
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < streams; i++) {
		size_t attr = spe_recording_stream_attr(recording, i);
		const struct spe_perf_attr *a = spe_perfdata_attr(pd, attr);
		bool seen = false;

		for (size_t k = 0; k < i && attr != last && !seen; k++)
			seen = spe_recording_stream_attr(recording, k) == attr;
		if (attr == last || seen)
			continue;
		spe_text_str(text, last == SIZE_MAX ? "" : ", ");
		spe_text_name(text, a && *a->name ? a->name : "arm_spe");
		last = attr;
	}
}

/* ---- text -------------------------------------------------------------- */

/* Columns of the text table: overhead, samples, the keys. */
struct layout {
	const struct spe_report *report;
	struct spe_text *text;
	size_t shown;
	size_t widths[SPE_LIMIT_SORT_KEYS];
	char cell[SPE_CELL_BYTES];
};

#define OVERHEAD_WIDTH 8u
#define SAMPLES_WIDTH 12u

static void layout_widths(struct layout *layout)
{
	const struct spe_report *report = layout->report;

	for (unsigned k = 0; k < report->key_count; k++)
		layout->widths[k] = strlen(report->keys[k]->header);
	for (size_t i = 0; i < layout->shown; i++) {
		const struct spe_row *row = report_row(report, i);

		for (unsigned k = 0; k < report->key_count; k++) {
			struct spe_value value = report_value(report, row, k);
			size_t columns;

			spe_key_text(report->keys[k], &value, layout->cell, sizeof(layout->cell));
			columns = spe_name_columns(layout->cell);
			if (columns > layout->widths[k])
				layout->widths[k] = columns;
		}
	}
}

/* A cell of `width` columns; the last one of a line is not filled up. */
static void text_cell(struct spe_text *text, const char *cell, size_t width, bool right, bool last)
{
	size_t columns = spe_name_columns(cell);
	size_t fill = width > columns ? width - columns : 0;

	spe_text_fill(text, ' ', right ? fill : 0);
	spe_text_str(text, cell);
	spe_text_fill(text, ' ', right || last ? 0 : fill);
}

static void layout_header(struct layout *layout)
{
	const struct spe_report *report = layout->report;
	struct spe_text *text = layout->text;

	spe_text_str(text, "# Overhead");
	if (report->show_samples)
		spe_text_str(text, "       Samples");
	for (unsigned k = 0; k < report->key_count; k++) {
		spe_text_str(text, "  ");
		text_cell(text, report->keys[k]->header, layout->widths[k], report->keys[k]->right,
			  k + 1 == report->key_count);
	}
	spe_text_str(text, "\n# ");
	spe_text_fill(text, '.', OVERHEAD_WIDTH);
	if (report->show_samples) {
		spe_text_str(text, "  ");
		spe_text_fill(text, '.', SAMPLES_WIDTH);
	}
	for (unsigned k = 0; k < report->key_count; k++) {
		spe_text_str(text, "  ");
		spe_text_fill(text, '.', layout->widths[k]);
	}
	spe_text_str(text, "\n#\n");
}

static void layout_row(struct layout *layout, const struct spe_row *row)
{
	const struct spe_report *report = layout->report;
	struct spe_text *text = layout->text;

	spe_text_printf(text, "  %7.2f%%", spe_report_percent(report, row));
	if (report->show_samples)
		spe_text_printf(text, "  %12" PRIu64, row->samples);
	for (unsigned k = 0; k < report->key_count; k++) {
		struct spe_value value = report_value(report, row, k);

		spe_text_str(text, "  ");
		spe_key_text(report->keys[k], &value, layout->cell, sizeof(layout->cell));
		text_cell(text, layout->cell, layout->widths[k], report->keys[k]->right,
			  k + 1 == report->key_count);
	}
	spe_text_char(text, '\n');
}

/* With -t: no filling, and the separator never inside a cell. */
static void separated_cell(struct layout *layout, const char *cell)
{
	struct spe_text *text = layout->text;
	const char *separator = layout->report->separator;

	spe_text_str(text, separator);
	while (*cell == ' ')
		cell++;
	for (; *cell; cell++)
		spe_text_char(text, strchr(separator, *cell) ? '.' : *cell);
}

static void separated_header(struct layout *layout)
{
	const struct spe_report *report = layout->report;

	spe_text_str(layout->text, "# Overhead");
	if (report->show_samples)
		separated_cell(layout, "Samples");
	for (unsigned k = 0; k < report->key_count; k++)
		separated_cell(layout, report->keys[k]->header);
	spe_text_char(layout->text, '\n');
}

static void separated_row(struct layout *layout, const struct spe_row *row)
{
	const struct spe_report *report = layout->report;

	spe_text_printf(layout->text, "%.2f%%", spe_report_percent(report, row));
	if (report->show_samples) {
		*spe_put_dec(layout->cell, row->samples) = '\0';
		separated_cell(layout, layout->cell);
	}
	for (unsigned k = 0; k < report->key_count; k++) {
		struct spe_value value = report_value(report, row, k);

		spe_key_text(report->keys[k], &value, layout->cell, sizeof(layout->cell));
		separated_cell(layout, layout->cell);
	}
	spe_text_char(layout->text, '\n');
}

static void text_head(const struct layout *layout, const struct spe_run_stats *stats)
{
	const struct spe_report *report = layout->report;
	struct spe_text *text = layout->text;

	spe_text_printf(text, "#\n# Samples: %" PRIu64 "  of event '", report->samples);
	spe_event_names_put(text, report->recording);
	spe_text_char(text, '\'');
	if (stats->filtered)
		spe_text_printf(text, " (%" PRIu64 " filtered out)", stats->filtered);
	spe_text_printf(text, "\n# Event count (approx.): %" PRIu64 "%s\n#\n", report->weight,
			report->by_latency ? " cycles of latency" : "");
}

/* What --percent-limit took away is said, not hidden. */
static void text_hidden(const struct layout *layout)
{
	const struct spe_report *report = layout->report;
	uint64_t samples = 0;

	if (layout->shown == report->rows.count)
		return;
	for (size_t i = layout->shown; i < report->rows.count; i++)
		samples += report_row(report, i)->samples;
	spe_text_str(layout->text, "# Below ");
	spe_text_printf(layout->text, "%.2f%%: ", report->percent_limit);
	spe_text_count(layout->text, report->rows.count - layout->shown, "row");
	spe_text_str(layout->text, ", ");
	spe_text_count(layout->text, samples, "sample");
	spe_text_char(layout->text, '\n');
}

static void print_text(const struct spe_report *report, const struct spe_run_stats *stats,
		       struct spe_text *text)
{
	struct layout layout = { .report = report, .text = text, .shown = report_shown(report) };

	if (!report->no_header)
		text_head(&layout, stats);
	if (!report->separator)
		layout_widths(&layout);
	if (!report->no_header)
		(report->separator ? separated_header : layout_header)(&layout);
	for (size_t i = 0; i < layout.shown; i++)
		(report->separator ? separated_row : layout_row)(&layout, report_row(report, i));
	if (report->no_header)
		return;
	spe_text_str(text, "#\n");
	text_hidden(&layout);
	spe_accounting_text(text, report->recording, stats, false);
}

/* ---- JSON -------------------------------------------------------------- */

static void json_cell(struct spe_json *json, const char *field, const struct spe_cell *cell)
{
	if (cell->kind == SPE_CELL_NUMBER)
		spe_json_i64(json, field, cell->number);
	else
		spe_json_string(json, field, cell->kind == SPE_CELL_TEXT ? cell->text : NULL);
}

static void json_table_row(struct spe_json *json, const struct spe_report *report,
			   const struct spe_row *row)
{
	struct spe_cell cell;

	spe_json_row(json, NULL);
	spe_json_double(json, "overhead", spe_report_percent(report, row), 2);
	spe_json_u64(json, "samples", row->samples);
	if (report->by_latency)
		spe_json_u64(json, "latency_cycles", row->weight);
	for (unsigned k = 0; k < report->key_count; k++) {
		const struct spe_key *key = report->keys[k];
		struct spe_value value = report_value(report, row, k);

		key->cell(&value, &cell);
		json_cell(json, key->field, &cell);
		if (!key->name_field)
			continue;
		key->name_cell(&value, &cell);
		json_cell(json, key->name_field, &cell);
	}
	spe_json_object_end(json);
}

static void print_json(const struct spe_report *report, const struct spe_run_stats *stats,
		       struct spe_text *text)
{
	size_t shown = report_shown(report);
	struct spe_json json;

	spe_json_init(&json, text, true);
	spe_json_object(&json, NULL);
	spe_json_string(&json, "sort", report->sort);
	spe_json_string(&json, "weight", report->by_latency ? "latency" : "samples");
	spe_json_u64(&json, "samples", report->samples);
	spe_json_u64(&json, "total", report->weight);
	spe_json_array(&json, "rows");
	for (size_t i = 0; i < shown; i++)
		json_table_row(&json, report, report_row(report, i));
	spe_json_array_end(&json);
	spe_json_u64(&json, "hidden_rows", report->rows.count - shown);
	spe_accounting_json(&json, report->recording, stats);
	spe_json_object_end(&json);
	spe_json_end(&json);
}

/* ---- CSV --------------------------------------------------------------- */

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
	for (unsigned k = 0; k < report->key_count; k++) {
		spe_text_printf(text, ",%s", report->keys[k]->field);
		if (report->keys[k]->name_field)
			spe_text_printf(text, ",%s", report->keys[k]->name_field);
	}
	spe_text_char(text, '\n');
}

static void csv_row(const struct spe_report *report, const struct spe_row *row,
		    struct spe_text *text)
{
	struct spe_cell cell;

	spe_text_printf(text, "%.2f,%" PRIu64, spe_report_percent(report, row), row->samples);
	if (report->by_latency)
		spe_text_printf(text, ",%" PRIu64, row->weight);
	for (unsigned k = 0; k < report->key_count; k++) {
		struct spe_value value = report_value(report, row, k);

		report->keys[k]->cell(&value, &cell);
		csv_cell(text, &cell);
		if (!report->keys[k]->name_field)
			continue;
		report->keys[k]->name_cell(&value, &cell);
		csv_cell(text, &cell);
	}
	spe_text_char(text, '\n');
}

static void print_csv(const struct spe_report *report, const struct spe_run_stats *stats,
		      struct spe_text *text)
{
	size_t shown = report_shown(report);

	(void)stats;
	if (!report->no_header)
		csv_header(report, text);
	for (size_t i = 0; i < shown; i++)
		csv_row(report, report_row(report, i), text);
}

int spe_report_print(const struct spe_report *report, const struct spe_run_stats *stats,
		     const struct spe_out *out)
{
	static void (*const printers[])(const struct spe_report *, const struct spe_run_stats *,
					struct spe_text *) = {
		[SPE_FORMAT_TEXT] = print_text,
		[SPE_FORMAT_JSON] = print_json,
		[SPE_FORMAT_CSV] = print_csv,
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
