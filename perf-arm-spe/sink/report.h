/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report's insides: report.c takes the options, report-count.c counts,
 * report-tree.c orders, report-text.c and report-data.c show.
 */
#ifndef SPE_SINK_REPORT_H
#define SPE_SINK_REPORT_H

#include "columns.h"
#include "json.h"
#include "keys.h"

#include <perf-arm-spe/limits.h>

/* Samples whose key values are worked out together. */
#define SPE_REPORT_STEP 256u

/* Names of a list, one after the other in text, each with its NUL. */
struct spe_report_names {
	char *text;
	size_t count; /* 0: any name will do */
};

struct spe_report {
	const struct spe_recording *recording;
	struct spe_key_context context;
	struct spe_sink_ops ops;
	const struct spe_key *keys[SPE_LIMIT_SORT_KEYS];
	unsigned key_count;
	struct spe_columns columns;
	struct spe_row_shape shape; /* of a leaf */
	bool latest;                /* some key is named after the latest sample */
	bool symbols;               /* some key looks addresses up */
	bool by_latency;            /* weight: cycles of latency instead of samples */
	bool memory_only;           /* loads and stores alone */
	struct spe_report_names only_dsos, only_symbols;
	bool no_header;
	double percent_limit;
	uint32_t format;
	char *separator; /* NULL: aligned columns */
	char *sort;      /* the keys, as they were asked for */

	/* A level of the tree has the first level_keys[l] keys; the last has all. */
	unsigned level_keys[SPE_LIMIT_SORT_KEYS];
	unsigned level_count;

	struct spe_rows rows;                       /* leaves */
	struct spe_rows inner[SPE_LIMIT_SORT_KEYS]; /* levels above them */
	uint32_t *parents;                          /* [leaf][level_count - 1] */
	uint32_t *order;                            /* leaves as they are shown */
	uint64_t samples, weight;                   /* of all leaves */
	uint64_t skipped;                           /* not memory */
	uint64_t elsewhere;                         /* not in only_dsos, only_symbols */
};

/* report-count.c: begin, batch and merge of the ops. */
int spe_report_begin(void *sink, unsigned worker, void **partial);
int spe_report_batch(void *sink, void *partial, struct spe_sample *samples, size_t count);
int spe_report_merge(void *sink, void *partial);
int spe_report_run(void *sink, void *partial, const struct spe_sample *sample, uint64_t count);
void spe_report_drop(void *sink, void *partial);

/* report-select.c.  "a,b": copied. SPE_OK, SPE_NOMEM. */
int spe_report_names_init(struct spe_report_names *names, const char *list);
void spe_report_names_fini(struct spe_report_names *names);
/* Samples of the files and functions asked for to the front; how many. */
size_t spe_report_select(const struct spe_report *report, const struct spe_key_context *context,
			 struct spe_sample *samples, size_t count);
static inline bool spe_report_selects(const struct spe_report *report)
{
	return report->only_dsos.count || report->only_symbols.count;
}

/* Put the rows in order; once, after the last merge. SPE_OK or SPE_NOMEM. */
int spe_report_order(struct spe_report *report);
void spe_report_order_fini(struct spe_report *report);

/* Share of the whole, in percent; 0 of nothing is 0. */
double spe_report_percent(const struct spe_report *report, const struct spe_row *row);
/* The shape of a row of a level. */
struct spe_row_shape spe_report_shape(const struct spe_report *report, unsigned level);
/* The first key a level adds; level_keys[level] is behind its last. */
unsigned spe_report_first_key(const struct spe_report *report, unsigned level);

/*
 * Visit the rows above the percent limit in order, parents before children.
 * Returns how many leaves the limit took away; *hidden_samples gets theirs.
 */
typedef void spe_report_visit_fn(void *arg, const struct spe_row *row, unsigned level);
size_t spe_report_walk(const struct spe_report *report, spe_report_visit_fn *visit, void *arg,
		       uint64_t *hidden_samples);

struct spe_text;
/* A line below the table that says which ids of its rows several processes used, if any. */
void spe_report_reuse_text(const struct spe_report *report, struct spe_text *text);

static inline struct spe_value spe_report_value(const struct spe_report *report,
						const struct spe_row *row, unsigned k)
{
	return (struct spe_value){ &report->context, row, row->keys[k] };
}

/* Names of the SPE events of a recording, "arm_spe_0//, arm_spe_1//". */
void spe_event_names_put(struct spe_text *text, const struct spe_recording *recording);

void spe_report_text(const struct spe_report *report, const struct spe_run_stats *stats,
		     struct spe_text *text);
void spe_report_json(const struct spe_report *report, const struct spe_run_stats *stats,
		     struct spe_text *text);
void spe_report_csv(const struct spe_report *report, const struct spe_run_stats *stats,
		    struct spe_text *text);

#endif
