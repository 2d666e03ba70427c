/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of every record: shared by report and stat. */
#ifndef SPE_SINK_ACCOUNTING_H
#define SPE_SINK_ACCOUNTING_H

#include "json.h"

#include <perf-arm-spe/sink.h>

/* As spe_accounting_print(), each line with "# " in front. */
void spe_accounting_text(struct spe_text *text, const struct spe_recording *recording,
			 const struct spe_run_stats *stats, bool full);
/* An object "accounting". */
void spe_accounting_json(struct spe_json *json, const struct spe_recording *recording,
			 const struct spe_run_stats *stats);

/* "CPU 3" or "thread 105": whose stream. */
void spe_stream_name(struct spe_text *text, const struct spe_stream_info *info);
/* Did anything of this stream get lost? */
bool spe_stream_lost(const struct spe_stream_info *info);
/* "3 truncated, 1 collision ... between 1.000000 s and 2.000000 s" */
void spe_stream_loss_text(struct spe_text *text, const struct spe_stream_info *info);
/* The fields of an object that says the same. */
void spe_stream_loss_json(struct spe_json *json, const struct spe_stream_info *info);
/* "1 record" "2 records" */
void spe_text_count(struct spe_text *text, uint64_t count, const char *what);
/* "12.34%" of total; "0.00%" of nothing. */
void spe_text_percent(struct spe_text *text, uint64_t part, uint64_t total);

#endif
