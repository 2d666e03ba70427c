/* SPDX-License-Identifier: GPL-2.0-only */
/* A report's insides: report.c counts, report-print.c shows. */
#ifndef SPE_SINK_REPORT_H
#define SPE_SINK_REPORT_H

#include "json.h"
#include "keys.h"

#include <perf-arm-spe/limits.h>

/* Samples whose key values are worked out together. */
#define SPE_REPORT_STEP 256u

struct spe_report {
	const struct spe_recording *recording;
	struct spe_key_context context;
	struct spe_sink_ops ops;
	const struct spe_key *keys[SPE_LIMIT_SORT_KEYS];
	unsigned key_count;
	bool latest;     /* some key is named after the latest sample */
	bool by_latency; /* weight: cycles of latency instead of samples */
	bool show_samples;
	bool no_header;
	double percent_limit;
	uint32_t format;
	char *separator; /* NULL: aligned columns */
	char *sort;      /* as it was asked for */

	struct spe_rows rows;
	uint64_t samples, weight; /* of all rows */
	uint32_t *order;          /* row numbers, heaviest first */
};

/* Put the rows in order; once, after the last merge. SPE_OK or SPE_NOMEM. */
int spe_report_order(struct spe_report *report);

/* Share of the whole, in percent; 0 of nothing is 0. */
double spe_report_percent(const struct spe_report *report, const struct spe_row *row);

/* Names of the SPE events of a recording, "arm_spe_0//, arm_spe_1//". */
void spe_event_names_put(struct spe_text *text, const struct spe_recording *recording);

#endif
