/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When loss was reported: AUX records with a flag, LOST records.  Each is a
 * moment at which something had been lost, not how long that took.
 */
#include "accounting.h"
#include "html.h"

#include <stdlib.h>

static bool is_loss(const struct spe_perf_event *event)
{
	switch (event->type) {
	case SPE_PERF_AUX:
		return event->u.aux.flags &
		       (SPE_AUX_TRUNCATED | SPE_AUX_PARTIAL | SPE_AUX_COLLISION);
	case SPE_PERF_LOST:
	case SPE_PERF_LOST_SAMPLES:
		return true;
	default:
		return false;
	}
}

/* The side-band's clock, as perf's. */
static bool loss_time(const struct html *html, const struct spe_perf_event *event, uint64_t *ns)
{
	const struct spe_recording_facts *facts = spe_recording_facts(html->recording);

	if (!(event->id.present & SPE_SAMPLE_TIME) || !event->id.time_ns)
		return false;
	*ns = event->id.time_ns;
	if (facts->other_clock) {
		if (!facts->clock_offset_known)
			return false;
		*ns -= (uint64_t)facts->clock_offset_ns;
	}
	return true;
}

static bool has_lane(const struct html *html, const struct spe_perf_event *event, unsigned *lane)
{
	int32_t cpu = (int32_t)event->id.cpu;

	if (!(event->id.present & SPE_SAMPLE_CPU) || !html->lane_count)
		return false;
	*lane = html_lane_of(html, cpu);
	return cpu >= html->lanes[*lane].first_cpu && cpu <= html->lanes[*lane].last_cpu;
}

static void loss_mark(struct html *html, const struct spe_perf_event *event)
{
	unsigned lane;
	uint64_t ns;

	if (!html->bins || !loss_time(html, event, &ns) || ns < html->survey.first_ns ||
	    ns > html->survey.last_ns || !has_lane(html, event, &lane))
		html->loss_elsewhere++;
	else
		html->loss[(size_t)lane * html->bins + html_bin_of(html, ns)]++;
}

static bool any_loss(const struct html *html)
{
	for (size_t i = 0; i < spe_recording_streams(html->recording); i++)
		if (spe_stream_lost(spe_recording_stream(html->recording, i)))
			return true;
	return spe_recording_facts(html->recording)->side_band_lost != 0;
}

int html_loss(struct html *html)
{
	struct spe_perfdata *pd = spe_recording_perfdata(html->recording);
	struct spe_perf_event event;
	int status;

	html->loss = calloc((size_t)html->lane_count * html->bins + 1, sizeof(*html->loss));
	if (!html->loss)
		return SPE_NOMEM;
	if (!any_loss(html))
		return SPE_OK;
	status = spe_perfdata_rewind(pd);
	while (!status) {
		status = spe_perfdata_next(pd, &event, NULL);
		if (!status && is_loss(&event))
			loss_mark(html, &event);
	}
	/* Damage ends it here as it did when the recording was opened, which has said so. */
	return status == SPE_NOMEM ? status : SPE_OK;
}
