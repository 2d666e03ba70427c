/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's first run: which processes, CPUs and times there are. */
#include "html.h"

#include <stdlib.h>

static void survey_init(struct html_survey *survey)
{
	*survey = (struct html_survey){ .first_ns = UINT64_MAX };
	spe_rows_init(&survey->processes, (struct spe_row_shape){ .keys = 1 });
	spe_rows_init(&survey->cpus, (struct spe_row_shape){ .keys = 1 });
}

void html_survey_fini(struct html_survey *survey)
{
	spe_rows_fini(&survey->processes);
	spe_rows_fini(&survey->cpus);
}

static int survey_begin(void *sink, unsigned worker, void **partial)
{
	struct html_survey *survey = malloc(sizeof(*survey));

	(void)sink;
	(void)worker;
	if (!survey)
		return SPE_NOMEM;
	survey_init(survey);
	*partial = survey;
	return SPE_OK;
}

static void survey_times(struct html_survey *survey, const struct spe_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t ns = samples[i].time_ns;

		if (!samples[i].has_time) {
			survey->timeless++;
			continue;
		}
		if (ns < survey->first_ns)
			survey->first_ns = ns;
		if (ns > survey->last_ns)
			survey->last_ns = ns;
	}
}

/* The samples of one process at the front; returns how many, or a status. */
static int survey_process(const struct html *html, struct html_survey *survey,
			  const struct spe_sample *samples, size_t count, size_t *taken)
{
	struct spe_row *row;
	uint64_t value;
	int status;

	*taken = html->pid->run(samples, count);
	html->pid->fill(&html->context, samples, 1, &value);
	status = spe_rows_find(&survey->processes, &value, &row);
	if (status)
		return status;
	row->samples += *taken;
	for (size_t i = 0; i < *taken; i++)
		spe_latest_take(&row->latest,
				(struct spe_latest){ samples[i].time_ns, samples[i].tid,
						     samples[i].comm + 1, samples[i].has_time });
	return SPE_OK;
}

/* The same for one CPU. */
static int survey_cpu(struct html_survey *survey, const struct spe_sample *samples, size_t count,
		      size_t *taken)
{
	uint64_t cpu = (uint32_t)samples[0].cpu;
	struct spe_row *row;
	size_t n = 1;
	int status = spe_rows_find(&survey->cpus, &cpu, &row);

	if (status)
		return status;
	while (n < count && samples[n].cpu == samples[0].cpu)
		n++;
	row->samples += n;
	*taken = n;
	return SPE_OK;
}

static int survey_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	const struct html *html = sink;
	struct html_survey *survey = partial;
	size_t taken = 0;
	int status = SPE_OK;

	survey->samples += count;
	survey_times(survey, samples, count);
	for (size_t i = 0; i < count && !status; i += taken)
		status = survey_process(html, survey, samples + i, count - i, &taken);
	for (size_t i = 0; i < count && !status; i += taken)
		status = survey_cpu(survey, samples + i, count - i, &taken);
	return status;
}

static void survey_drop(void *sink, void *partial)
{
	(void)sink;
	html_survey_fini(partial);
	free(partial);
}

static int survey_merge(void *sink, void *partial)
{
	struct html_survey *into = &((struct html *)sink)->survey;
	struct html_survey *from = partial;
	int status = spe_rows_merge(&into->processes, &from->processes);

	if (!status)
		status = spe_rows_merge(&into->cpus, &from->cpus);
	into->samples += from->samples;
	into->timeless += from->timeless;
	if (from->first_ns < into->first_ns)
		into->first_ns = from->first_ns;
	if (from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	survey_drop(sink, from);
	return status;
}

const struct spe_sink_ops html_survey_ops = {
	.name = "page",
	.want = SPE_HAS_TIMESTAMP,
	.begin = survey_begin,
	.batch = survey_batch,
	.merge = survey_merge,
	.drop = survey_drop,
};
