/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes, CPUs and steps of time get a row of the page. */
#include "accounting.h"
#include "html.h"
#include "keys-private.h"

#include <stdlib.h>

/* ---- processes --------------------------------------------------------- */

static int by_samples(const void *a, const void *b, void *arg)
{
	const struct spe_row *x = spe_rows_at(arg, *(const uint32_t *)a);
	const struct spe_row *y = spe_rows_at(arg, *(const uint32_t *)b);

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->keys[0] < y->keys[0] ? -1 : x->keys[0] > y->keys[0];
}

static int by_value(const void *a, const void *b)
{
	const struct html_choice *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static int choose_processes(struct html *html)
{
	struct spe_rows *rows = &html->survey.processes;
	uint32_t *order = malloc((rows->count + 1) * sizeof(*order));

	if (!order)
		return SPE_NOMEM;
	for (size_t i = 0; i < rows->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, rows->count, sizeof(*order), by_samples, rows);
	for (size_t i = 0; i < rows->count; i++) {
		const struct spe_row *row = spe_rows_at(rows, order[i]);
		uint64_t value = row->keys[0];

		if (value == NOBODY)
			continue;
		if (value & UNRESOLVED)
			html->thread_only += row->samples;
		if (html->chosen == SPE_LIMIT_HTML_PROCESSES) {
			html->others++;
			continue;
		}
		html->choices[html->chosen] = (struct html_choice){ value, order[i], html->chosen };
		html->chosen++;
	}
	qsort(html->choices, html->chosen, sizeof(html->choices[0]), by_value);
	free(order);
	return SPE_OK;
}

/* ---- lanes ------------------------------------------------------------- */

static int by_cpu(const void *a, const void *b)
{
	const struct html_lane *x = a, *y = b;

	return x->first_cpu < y->first_cpu ? -1 : x->first_cpu > y->first_cpu;
}

/* Neighbours together until there are few enough; "no CPU" stays apart. */
static void share_lanes(struct html *html, const struct html_lane *all, size_t count)
{
	size_t none = count && all[0].first_cpu < 0;
	size_t share = (count - none + SPE_LIMIT_HTML_LANES - 1) / SPE_LIMIT_HTML_LANES;

	for (size_t i = 0; i < count; i++) {
		bool begins = i < none || (i - none) % share == 0;
		struct html_lane *lane;

		if (begins) {
			html->lanes[html->lane_count++] = all[i];
			continue;
		}
		lane = &html->lanes[html->lane_count - 1];
		lane->last_cpu = all[i].last_cpu;
		lane->cpus += all[i].cpus;
		lane->samples += all[i].samples;
	}
}

/* A lane for a CPU without a sample: of a filter's making, or lost all it had. */
static int add_silent_cpus(struct html *html)
{
	for (size_t i = 0; i < spe_recording_streams(html->recording); i++) {
		const struct spe_stream_info *info = spe_recording_stream(html->recording, i);
		uint64_t cpu = (uint32_t)info->cpu;
		struct spe_row *row;
		int status = info->cpu < 0 ? SPE_OK : spe_rows_find(&html->survey.cpus, &cpu, &row);

		if (status)
			return status;
	}
	return SPE_OK;
}

static int choose_lanes(struct html *html)
{
	struct spe_rows *rows = &html->survey.cpus;
	int status = add_silent_cpus(html);
	struct html_lane *all = calloc(rows->count + 1, sizeof(*all));

	if (!all || status) {
		free(all);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < rows->count; i++) {
		const struct spe_row *row = spe_rows_at(rows, i);
		int32_t cpu = (int32_t)(uint32_t)row->keys[0];

		all[i] = (struct html_lane){ cpu, cpu, 1, row->samples };
	}
	qsort(all, rows->count, sizeof(*all), by_cpu);
	share_lanes(html, all, rows->count);
	free(all);
	return SPE_OK;
}

unsigned html_lane_of(const struct html *html, int32_t cpu)
{
	unsigned from = 0, to = html->lane_count;

	while (to - from > 1) {
		unsigned middle = (from + to) / 2;

		if (cpu < html->lanes[middle].first_cpu)
			to = middle;
		else
			from = middle;
	}
	return from;
}

/* ---- time -------------------------------------------------------------- */

/* Loss at the ends belongs to the picture, unless a part was asked for. */
static void widen_to_loss(struct html *html)
{
	for (size_t i = 0; i < spe_recording_streams(html->recording); i++) {
		const struct spe_stream_info *info = spe_recording_stream(html->recording, i);

		if (!info->loss_last_ns)
			continue;
		if (info->loss_first_ns < html->survey.first_ns)
			html->survey.first_ns = info->loss_first_ns;
		if (info->loss_last_ns > html->survey.last_ns)
			html->survey.last_ns = info->loss_last_ns;
	}
}

static void choose_bins(struct html *html)
{
	unsigned most = SPE_LIMIT_HTML_CELLS / (html->lane_count ? html->lane_count : 1);
	struct html_survey *survey = &html->survey;
	uint64_t span_ns;

	if (survey->first_ns > survey->last_ns)
		return;
	if (!html->opts->filter)
		widen_to_loss(html);
	if (most > SPE_LIMIT_HTML_BINS)
		most = SPE_LIMIT_HTML_BINS;
	span_ns = survey->last_ns - survey->first_ns;
	html->bin_ns = span_ns / most + 1;
	html->bins = (unsigned)(span_ns / html->bin_ns) + 1;
}

int html_choose(struct html *html)
{
	int status = choose_processes(html);

	if (!status)
		status = choose_lanes(html);
	if (!status)
		choose_bins(html);
	return status;
}
