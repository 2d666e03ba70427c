/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as perf prints one. */
#include "accounting.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

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
	if (!streams)
		spe_text_str(text, "arm_spe");
}

#define OVERHEAD_WIDTH 8u
#define LEVEL_INDENT 3u /* of the overhead, a level; perf's */
#define LABEL_INDENT 2u /* of the keys */

struct layout {
	const struct spe_report *report;
	struct spe_text *text;
	size_t widths[SPE_LIMIT_SORT_KEYS];
	char cell[SPE_CELL_BYTES];
};

static bool is_tree(const struct spe_report *report)
{
	return report->level_count > 1;
}

/* Columns of the overhead, with what the levels are shifted by. */
static size_t overhead_width(const struct spe_report *report)
{
	return OVERHEAD_WIDTH + (report->level_count - 1) * LEVEL_INDENT;
}

static void fill_cell(struct layout *layout, const struct spe_row *row, unsigned k)
{
	struct spe_value value = spe_report_value(layout->report, row, k);

	spe_key_text(layout->report->keys[k], &value, layout->cell, sizeof(layout->cell));
}

static void widen(void *arg, const struct spe_row *row, unsigned level)
{
	struct layout *layout = arg;
	const struct spe_report *report = layout->report;

	for (unsigned k = spe_report_first_key(report, level); k < report->level_keys[level]; k++) {
		size_t columns;

		fill_cell(layout, row, k);
		columns = spe_name_columns(layout->cell);
		if (columns > layout->widths[k])
			layout->widths[k] = columns;
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

/* The text of a number column; events are shares of the row's samples. */
static void column_text(const struct spe_report *report, unsigned i, const struct spe_row *row,
			unsigned level, char *to, size_t room)
{
	double value;
	unsigned digits;

	if (!spe_columns_value(&report->columns, i, row, spe_report_shape(report, level), &value,
			       &digits))
		snprintf(to, room, "-");
	else if (report->columns.items[i]->kind == SPE_COLUMN_EVENT)
		snprintf(to, room, "%.2f%%", 100.0 * value / (double)row->samples);
	else
		snprintf(to, room, "%.*f", (int)digits, value);
}

/* ---- aligned ----------------------------------------------------------- */

/* The widths a level's keys take, with two columns between them. */
static size_t label_width(const struct layout *layout, unsigned level)
{
	const struct spe_report *report = layout->report;
	size_t width = level * LABEL_INDENT;

	for (unsigned k = spe_report_first_key(report, level); k < report->level_keys[level]; k++)
		width += layout->widths[k] + (k > spe_report_first_key(report, level) ? 2 : 0);
	return width;
}

/* "Pid:Command / CPU": the levels of a tree in one column; returns its width. */
static size_t tree_header(struct layout *layout)
{
	const struct spe_report *report = layout->report;
	size_t header = 0, widest = 0;

	for (unsigned level = 0; level < report->level_count; level++) {
		unsigned k = spe_report_first_key(report, level);
		size_t width = label_width(layout, level);

		widest = width > widest ? width : widest;
		for (; k < report->level_keys[level]; k++) {
			const char *text = report->keys[k]->header;

			text += strspn(text, " ");
			spe_text_str(layout->text, !k ? ""
						   : k == spe_report_first_key(report, level)
							   ? " / "
							   : "  ");
			spe_text_str(layout->text, text);
			header += strlen(text) + (k ? 3 : 0);
		}
	}
	return header > widest ? header : widest;
}

static void flat_header(struct layout *layout)
{
	const struct spe_report *report = layout->report;

	for (unsigned k = 0; k < report->key_count; k++) {
		spe_text_str(layout->text, k ? "  " : "");
		text_cell(layout->text, report->keys[k]->header, layout->widths[k],
			  report->keys[k]->right, k + 1 == report->key_count);
	}
}

static void aligned_header(struct layout *layout)
{
	const struct spe_report *report = layout->report;
	struct spe_text *text = layout->text;
	size_t tree = 0;

	spe_text_str(text, "# ");
	text_cell(text, "Overhead", overhead_width(report), true, false);
	for (unsigned i = 0; i < report->columns.count; i++) {
		const struct spe_column *column = report->columns.items[i];

		spe_text_str(text, "  ");
		text_cell(text, column->header, column->width, true, false);
	}
	spe_text_str(text, "  ");
	if (is_tree(report))
		tree = tree_header(layout);
	else
		flat_header(layout);
	spe_text_str(text, "\n# ");
	spe_text_fill(text, '.', overhead_width(report));
	for (unsigned i = 0; i < report->columns.count; i++) {
		spe_text_str(text, "  ");
		spe_text_fill(text, '.', report->columns.items[i]->width);
	}
	spe_text_str(text, tree ? "  " : "");
	spe_text_fill(text, '.', tree);
	for (unsigned k = 0; k < report->key_count && !tree; k++) {
		spe_text_str(text, "  ");
		spe_text_fill(text, '.', layout->widths[k]);
	}
	spe_text_str(text, "\n#\n");
}

static void aligned_row(void *arg, const struct spe_row *row, unsigned level)
{
	struct layout *layout = arg;
	const struct spe_report *report = layout->report;
	struct spe_text *text = layout->text;
	unsigned first = spe_report_first_key(report, level), last = report->level_keys[level];

	spe_text_fill(text, ' ', 2 + level * LEVEL_INDENT);
	spe_text_printf(text, "%7.2f%%", spe_report_percent(report, row));
	spe_text_fill(text, ' ', (report->level_count - 1 - level) * LEVEL_INDENT);
	for (unsigned i = 0; i < report->columns.count; i++) {
		column_text(report, i, row, level, layout->cell, sizeof(layout->cell));
		spe_text_str(text, "  ");
		text_cell(text, layout->cell, report->columns.items[i]->width, true, false);
	}
	spe_text_fill(text, ' ', level * LABEL_INDENT);
	for (unsigned k = first; k < last; k++) {
		const char *cell = layout->cell;

		spe_text_str(text, "  ");
		fill_cell(layout, row, k);
		if (is_tree(report) && last - first == 1) /* the indent speaks */
			cell += strspn(cell, " ");
		text_cell(text, cell, layout->widths[k], report->keys[k]->right && !is_tree(report),
			  k + 1 == last);
	}
	spe_text_char(text, '\n');
}

static void print_aligned(struct layout *layout, uint64_t *hidden_samples)
{
	const struct spe_report *report = layout->report;

	for (unsigned k = 0; k < report->key_count; k++)
		layout->widths[k] = strlen(report->keys[k]->header);
	spe_report_walk(report, widen, layout, hidden_samples);
	if (!report->no_header)
		aligned_header(layout);
	spe_report_walk(report, aligned_row, layout, hidden_samples);
}

/* ---- with a separator (-t): the leaves, nothing filled up -------------- */

/* The separator never stands inside a cell. */
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
	for (unsigned i = 0; i < report->columns.count; i++)
		separated_cell(layout, report->columns.items[i]->header);
	for (unsigned k = 0; k < report->key_count; k++)
		separated_cell(layout, report->keys[k]->header);
	spe_text_char(layout->text, '\n');
}

static void separated_row(void *arg, const struct spe_row *row, unsigned level)
{
	struct layout *layout = arg;
	const struct spe_report *report = layout->report;

	if (level + 1 < report->level_count)
		return;
	spe_text_printf(layout->text, "%.2f%%", spe_report_percent(report, row));
	for (unsigned i = 0; i < report->columns.count; i++) {
		column_text(report, i, row, level, layout->cell, sizeof(layout->cell));
		separated_cell(layout, layout->cell);
	}
	for (unsigned k = 0; k < report->key_count; k++) {
		fill_cell(layout, row, k);
		separated_cell(layout, layout->cell);
	}
	spe_text_char(layout->text, '\n');
}

/* ---- around the table -------------------------------------------------- */

static void text_head(const struct layout *layout, const struct spe_run_stats *stats)
{
	const struct spe_report *report = layout->report;
	struct spe_text *text = layout->text;

	spe_text_printf(text, "#\n# Samples: %" PRIu64 "  of event '", report->samples);
	spe_event_names_put(text, report->recording);
	spe_text_char(text, '\'');
	if (stats->filtered)
		spe_text_printf(text, " (%" PRIu64 " filtered out)", stats->filtered);
	if (report->memory_only)
		spe_text_printf(text, " (loads and stores; %" PRIu64 " others left out)",
				report->skipped);
	if (spe_report_selects(report))
		spe_text_printf(text, " (%" PRIu64 " of other files and functions left out)",
				report->elsewhere);
	spe_text_printf(text, "\n# Event count (approx.): %" PRIu64 "%s\n#\n", report->weight,
			report->by_latency ? " cycles of latency" : "");
}

/* What --percent-limit took away is said, not hidden. */
static void text_hidden(const struct layout *layout, size_t hidden, uint64_t samples)
{
	if (!hidden)
		return;
	spe_text_printf(layout->text, "# Below %.2f%%: ", layout->report->percent_limit);
	spe_text_count(layout->text, hidden, "row");
	spe_text_str(layout->text, ", ");
	spe_text_count(layout->text, samples, "sample");
	spe_text_char(layout->text, '\n');
}

void spe_report_text(const struct spe_report *report, const struct spe_run_stats *stats,
		     struct spe_text *text)
{
	struct layout layout = { .report = report, .text = text };
	uint64_t hidden_samples;
	size_t hidden;

	if (!report->no_header)
		text_head(&layout, stats);
	if (report->separator && !report->no_header)
		separated_header(&layout);
	if (report->separator)
		spe_report_walk(report, separated_row, &layout, &hidden_samples);
	else
		print_aligned(&layout, &hidden_samples);
	if (report->no_header)
		return;
	spe_text_str(text, "#\n");
	hidden = spe_report_walk(report, NULL, NULL, &hidden_samples);
	text_hidden(&layout, hidden, hidden_samples);
	spe_report_reuse_text(report, text);
	spe_accounting_text(text, report->recording, stats, false);
}
