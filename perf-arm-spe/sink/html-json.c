/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page's data.  Lists that are mostly zero are written as pairs: how many
 * places further, what stands there.
 */
#include "accounting.h"
#include "html.h"

#include <stdio.h>
#include <string.h>

/* Bumped when the page can no longer read what was written before. */
#define FORMAT 1u

/* Latencies as bars: each value up to 8, then four to a power of two. */
#define BARS_EXACT 8u
#define BARS_PER_OCTAVE 4u
#define BARS (BARS_EXACT + 13 * BARS_PER_OCTAVE)

static unsigned bar_of(uint16_t cycles)
{
	unsigned octave;

	if (cycles < BARS_EXACT)
		return cycles;
	octave = 31u - (unsigned)__builtin_clz(cycles);
	return BARS_EXACT + (octave - 3) * BARS_PER_OCTAVE + (cycles >> (octave - 2) & 3u);
}

static unsigned bar_least(unsigned bar)
{
	unsigned above = bar - BARS_EXACT;

	return bar < BARS_EXACT ? bar
				: (BARS_PER_OCTAVE + above % BARS_PER_OCTAVE)
					  << (1 + above / BARS_PER_OCTAVE);
}

/* One more of a list of pairs. */
static void pair(struct spe_json *json, size_t at, size_t *last, uint64_t count)
{
	spe_json_u64(json, NULL, at - *last);
	spe_json_u64(json, NULL, count);
	*last = at;
}

/* ---- what it is about -------------------------------------------------- */

static void json_file(const struct html *html, struct spe_json *json)
{
	struct spe_perfdata *pd = spe_recording_perfdata(html->recording);
	const struct spe_perfdata_info *info = spe_perfdata_info(pd);
	const struct spe_perf_attr *attr =
		spe_recording_streams(html->recording)
			? spe_perfdata_attr(pd, spe_recording_stream_attr(html->recording, 0))
			: NULL;
	const char *slash = strrchr(info->path, '/');

	spe_json_object(json, "file");
	spe_json_string(json, "name", slash ? slash + 1 : info->path);
	spe_json_u64(json, "bytes", info->file_bytes);
	spe_json_string(json, "host", info->hostname);
	spe_json_string(json, "kernel", info->osrelease);
	spe_json_string(json, "arch", info->arch);
	spe_json_string(json, "core", spe_midr_name(html->context.midr));
	spe_json_string(json, "perf", info->version);
	spe_json_string(json, "command", info->cmdline);
	spe_json_string(json, "event", attr ? attr->name : "");
	spe_json_object_end(json);
}

static void json_time(const struct html *html, struct spe_json *json)
{
	char from[2 * SPE_PUT_BYTES];

	*spe_put_time_ns(from, html->survey.first_ns) = '\0';
	spe_json_u64(json, "timeless", html->counts.timeless);
	if (!html->bins) {
		spe_json_null(json, "time");
		return;
	}
	spe_json_object(json, "time");
	spe_json_string(json, "from_s", from);
	spe_json_u64(json, "span_ns", html->survey.last_ns - html->survey.first_ns);
	spe_json_u64(json, "bin_ns", html->bin_ns);
	spe_json_u64(json, "bins", html->bins);
	spe_json_u64(json, "trend_bins", HTML_TREND_BINS);
	spe_json_object_end(json);
}

static void json_lanes(const struct html *html, struct spe_json *json)
{
	spe_json_array(json, "lanes");
	for (unsigned l = 0; l < html->lane_count; l++) {
		const struct html_lane *lane = &html->lanes[l];
		size_t last = 0;

		spe_json_row(json, NULL);
		spe_json_i64(json, "first", lane->first_cpu);
		spe_json_i64(json, "last", lane->last_cpu);
		spe_json_u64(json, "cpus", lane->cpus);
		spe_json_u64(json, "samples", lane->samples);
		spe_json_array(json, "loss");
		for (size_t b = 0; b < html->bins; b++)
			if (html->loss[l * (size_t)html->bins + b])
				pair(json, b, &last, html->loss[l * (size_t)html->bins + b]);
		spe_json_array_end(json);
		spe_json_object_end(json);
	}
	spe_json_array_end(json);
	spe_json_u64(json, "loss_elsewhere", html->loss_elsewhere);
}

/* ---- processes --------------------------------------------------------- */

static void json_bars(struct spe_json *json, const struct spe_histogram *h)
{
	uint64_t bars[BARS] = { 0 };
	size_t last = 0;

	for (uint32_t i = 0; i < h->used; i++) /* frozen: no empty ones */
		bars[bar_of((uint16_t)(h->bins[i] >> SPE_HISTOGRAM_COUNT_BITS))] +=
			h->bins[i] & SPE_HISTOGRAM_COUNT_MAX;
	spe_json_array(json, NULL);
	for (size_t b = 0; b < BARS; b++)
		if (bars[b])
			pair(json, b, &last, bars[b]);
	spe_json_array_end(json);
}

/* The columns of a report, in its words, and the histograms behind them. */
static void json_columns(const struct html *html, struct spe_json *json, const struct spe_row *row,
			 struct spe_row_shape shape)
{
	for (unsigned i = 0; i < html->columns.count; i++) {
		const char *field = html->columns.items[i]->field;
		unsigned digits;
		double value;

		if (spe_columns_value(&html->columns, i, row, shape, &value, &digits))
			spe_json_double(json, field, value, digits);
		else
			spe_json_null(json, field);
	}
	spe_json_array(json, "bars");
	for (unsigned i = 0; i < shape.histograms; i++)
		json_bars(json, &spe_row_histograms(row, shape)[i]);
	spe_json_array_end(json);
}

static void json_cells(const struct html *html, struct spe_json *json, unsigned slot)
{
	size_t bins = html->bins;

	spe_json_array(json, "cells");
	for (unsigned l = 0; l < html->lane_count; l++) {
		const uint64_t *cells =
			html->counts.cells + ((size_t)slot * html->lane_count + l) * bins;
		size_t last = 0;

		spe_json_array(json, NULL);
		for (size_t b = 0; b < bins; b++)
			if (cells[b])
				pair(json, b, &last, cells[b]);
		spe_json_array_end(json);
	}
	spe_json_array_end(json);
}

static void json_trends(const struct html *html, struct spe_json *json, unsigned slot)
{
	static const char *const names[HTML_TRENDS] = { [HTML_TREND_SAMPLES] = "samples",
							[HTML_TREND_TIMED] = "timed",
							[HTML_TREND_CYCLES] = "cycles",
							[HTML_TREND_L1D_MISS] = "l1d_miss",
							[HTML_TREND_LLC_MISS] = "llc_miss" };
	size_t steps = html_trend_steps(html);

	spe_json_object(json, "trend");
	for (unsigned t = 0; t < HTML_TRENDS; t++) {
		const uint64_t *trend = html->counts.trends + (slot * HTML_TRENDS + t) * steps;
		size_t last = 0;

		spe_json_array(json, names[t]);
		for (size_t i = 0; i < steps; i++)
			if (trend[i])
				pair(json, i, &last, trend[i]);
		spe_json_array_end(json);
	}
	spe_json_object_end(json);
}

static void json_cell(struct spe_json *json, const char *field, const struct spe_cell *cell)
{
	if (cell->kind == SPE_CELL_NUMBER)
		spe_json_i64(json, field, cell->number);
	else
		spe_json_string(json, field, cell->kind == SPE_CELL_TEXT ? cell->text : NULL);
}

/* Who has the slot. */
static void json_owner(const struct html *html, struct spe_json *json, unsigned slot)
{
	const struct html_choice *choice = NULL;
	struct spe_value value = { .context = &html->context };
	struct spe_cell cell;

	if (slot >= html->chosen) {
		bool others = slot == html_slot_others(html);

		spe_json_string(json, "kind", others ? "others" : "nobody");
		if (others)
			spe_json_u64(json, "processes", html->others);
		return;
	}
	for (unsigned i = 0; i < html->chosen; i++)
		if (html->choices[i].slot == slot)
			choice = &html->choices[i];
	value.row = spe_rows_at(&html->survey.processes, choice->row);
	value.value = choice->value;
	html->pid->cell(&value, &cell);
	spe_json_string(json, "kind", cell.kind == SPE_CELL_NUMBER ? "process" : "thread");
	json_cell(json, "pid", &cell);
	html->pid->name_cell(&value, &cell);
	json_cell(json, "process", &cell);
}

/* The row of a slot: an empty one if it has no sample. */
static int process_row(struct html *html, unsigned slot, struct spe_row **row)
{
	uint64_t key = slot;

	return spe_rows_find(&html->counts.processes, &key, row);
}

static int json_processes(struct html *html, struct spe_json *json)
{
	struct spe_rows *rows = &html->counts.processes;
	struct spe_row *row;
	int status = SPE_OK;

	for (unsigned slot = 0; slot < html_slots(html) && !status; slot++)
		status = process_row(html, slot, &row);
	if (status)
		return status;
	spe_rows_freeze(rows);
	spe_json_array(json, "processes");
	for (unsigned slot = 0; slot < html_slots(html) && !status; slot++) {
		status = process_row(html, slot, &row);
		spe_json_row(json, NULL);
		json_owner(html, json, slot);
		json_columns(html, json, row, rows->shape);
		json_cells(html, json, slot);
		json_trends(html, json, slot);
		spe_json_object_end(json);
	}
	spe_json_array_end(json);
	return status;
}

/* All of them together: quantiles cannot be added up by the page. */
static int json_total(struct html *html, struct spe_json *json)
{
	struct spe_row_shape shape = html->counts.processes.shape;
	const uint64_t none = 0; /* keys: there is one row */
	struct spe_rows total;
	struct spe_row *row;
	int status;

	shape.keys = 0;
	spe_rows_init(&total, shape);
	status = spe_rows_merge(&total, &html->counts.processes);
	if (!status)
		status = spe_rows_find(&total, &none, &row);
	if (!status) {
		spe_rows_freeze(&total);
		spe_json_row(json, "total");
		json_columns(html, json, row, shape);
		spe_json_object_end(json);
	}
	spe_rows_fini(&total);
	return status;
}

/* ---- the whole --------------------------------------------------------- */

static void json_scale(const struct html *html, struct spe_json *json)
{
	static const char *const names[SPE_LATENCIES] = { [SPE_LATENCY_TOTAL] = "latency",
							  [SPE_LATENCY_ISSUE] = "issue_latency",
							  [SPE_LATENCY_XLAT] = "xlat_latency" };

	spe_json_array(json, "latencies");
	for (unsigned i = 0; i < html->columns.histograms; i++)
		spe_json_string(json, NULL, names[html->columns.latencies[i]]);
	spe_json_array_end(json);
	spe_json_array(json, "bar_cycles");
	for (unsigned i = 0; i < BARS; i++)
		spe_json_u64(json, NULL, bar_least(i));
	spe_json_array_end(json);
}

int html_json(struct html *html, const struct spe_run_stats *stats, struct spe_text *text)
{
	struct spe_json json;
	int status;

	spe_json_init(&json, text, false);
	spe_json_object(&json, NULL);
	spe_json_u64(&json, "format", FORMAT);
	spe_json_string(&json, "version", spe_version());
	json_file(html, &json);
	spe_json_string(&json, "selection", html->opts->selection);
	spe_json_u64(&json, "samples", html->survey.samples);
	spe_json_u64(&json, "thread_only", html->thread_only);
	json_time(html, &json);
	json_lanes(html, &json);
	json_scale(html, &json);
	status = json_total(html, &json); /* before the others are frozen */
	if (!status)
		status = json_processes(html, &json);
	if (!status)
		status = html_json_tables(html, &json);
	spe_accounting_json(&json, html->recording, stats);
	spe_json_object_end(&json);
	spe_json_end(&json);
	return status;
}
