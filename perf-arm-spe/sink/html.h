/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HTML page's insides.  Two runs: html-survey.c finds out which processes,
 * CPUs and times there are, html-choose.c decides what gets a row, html-count.c
 * counts into tables of that size.  html-json.c writes the counts down,
 * html.c wraps the page around them.
 */
#ifndef SPE_SINK_HTML_H
#define SPE_SINK_HTML_H

#include "columns.h"
#include "json.h"
#include "keys.h"

#include <perf-arm-spe/limits.h>

/* Samples whose key values are worked out together. */
#define HTML_STEP 256u

/* What is counted per process by one key; the table in html-tables.c. */
struct html_table {
	const char *name; /* in the page's data */
	const char *key;
	unsigned top;        /* rows shown of one process */
	unsigned top_all;    /* rows shown of all processes together */
	bool memory;         /* loads and stores alone */
	bool pair;           /* a value means something only within its process */
	bool address;        /* too many values: they are counted by larger blocks */
	bool symbols;        /* there only if symbols are looked up */
	bool named;          /* symbols alone: no addresses without one */
	bool located;        /* only samples that have a value at all */
	unsigned unit_bytes; /* of an address */
};

#define HTML_TABLES 11u
extern const struct html_table html_tables[HTML_TABLES];

/* What a table counts of a row besides samples and the sum of total latencies. */
enum html_count { HTML_TIMED, HTML_STORES, HTML_MISSES, HTML_SHARED, HTML_COUNTS };

/* What is counted of a process over time, in longer steps than the timeline has. */
enum html_trend {
	HTML_TREND_SAMPLES,
	HTML_TREND_TIMED,  /* with a total latency */
	HTML_TREND_CYCLES, /* sum of those */
	HTML_TREND_L1D_MISS,
	HTML_TREND_LLC_MISS,
	HTML_TRENDS
};
#define HTML_TREND_BINS 5u /* of the timeline to a step */

/* The rows of one table, keys: value, slot. */
struct html_rows {
	struct spe_rows rows;
	unsigned block;       /* how coarse addresses are counted: html_block_bytes() */
	bool full;            /* too many rows even so: there are none */
	uint32_t recent[128]; /* row number + 1 of what was found lately, by a hash */
};

/* What the first run finds. */
struct html_survey {
	struct spe_rows processes; /* keys: value of the key pid */
	struct spe_rows cpus;      /* keys: CPU number, or UINT32_MAX */
	uint64_t samples, timeless;
	uint64_t first_ns, last_ns; /* first > last: no time at all */
};

/* What the second run counts. */
struct html_counts {
	struct spe_rows processes; /* keys: slot */
	struct html_rows tables[HTML_TABLES];
	uint64_t *cells;  /* [slot][lane][bin] */
	uint64_t *trends; /* [slot][enum html_trend][step] */
	uint64_t timeless;
};

/* A process with a slot of its own. */
struct html_choice {
	uint64_t value; /* of the key pid */
	uint32_t row;   /* in the survey */
	uint32_t slot;  /* 0: the one with most samples */
};

struct html_lane {
	int32_t first_cpu, last_cpu; /* -1: samples of no known CPU */
	uint32_t cpus;
	uint64_t samples;
};

struct html {
	struct spe_recording *recording;
	const struct spe_html_opts *opts;
	struct spe_error *error;
	struct spe_key_context context;
	const struct spe_key *pid;
	const struct spe_key *keys[HTML_TABLES]; /* NULL: not on this page */
	struct spe_columns columns;

	struct html_survey survey;
	/* What was chosen.  Behind the processes come the slots of all others and of nobody. */
	struct html_choice choices[SPE_LIMIT_HTML_PROCESSES]; /* by value */
	unsigned chosen;
	uint64_t others;      /* processes without a slot of their own */
	uint64_t thread_only; /* samples of a thread whose process is not known */
	struct html_lane lanes[SPE_LIMIT_HTML_LANES + 1];
	unsigned lane_count;
	unsigned bins; /* 0: no time */
	uint64_t bin_ns;

	struct html_counts counts;
	uint32_t *loss;          /* [lane][bin]: reports of loss */
	uint64_t loss_elsewhere; /* at no time, or none that is shown */
};

static inline unsigned html_slot_others(const struct html *html)
{
	return html->chosen;
}
static inline unsigned html_slot_nobody(const struct html *html)
{
	return html->chosen + 1;
}
static inline unsigned html_slots(const struct html *html)
{
	return html->chosen + 2;
}
/* Steps of a trend. */
static inline unsigned html_trend_steps(const struct html *html)
{
	return (html->bins + HTML_TREND_BINS - 1) / HTML_TREND_BINS;
}
/* The lane of a CPU (-1: none known). There is one for each CPU of a sample. */
unsigned html_lane_of(const struct html *html, int32_t cpu);
/* The step of time; only for times within the survey's. */
static inline unsigned html_bin_of(const struct html *html, uint64_t ns)
{
	return (unsigned)((ns - html->survey.first_ns) / html->bin_ns);
}

/* html-survey.c, html-count.c: the ops of the two runs. */
extern const struct spe_sink_ops html_survey_ops;
struct spe_sink_ops html_count_ops(const struct html *html);
void html_survey_fini(struct html_survey *survey);
void html_counts_fini(struct html_counts *counts);

/* html-rows.c */
void html_rows_init(struct html_rows *rows);
void html_rows_fini(struct html_rows *rows);
/* What rows count of a sample: a bit for each enum html_count, and whether it is a load or store.
 */
#define HTML_MEMORY (1u << HTML_COUNTS)
unsigned html_kind(const struct spe_sample *sample);
/* Count one sample, and its kind, under (value, slot). SPE_OK or SPE_NOMEM. */
int html_rows_count(struct html_rows *rows, const struct html_table *table, uint64_t value,
		    unsigned slot, const struct spe_sample *sample, unsigned kind);
/* Add all of another one. SPE_OK or SPE_NOMEM. */
int html_rows_merge(struct html_rows *into, struct html_rows *from, const struct html_table *table);
/* The shape rows of a table have. */
struct spe_row_shape html_rows_shape(unsigned keys);
/* Bytes that count as one address. */
uint64_t html_block_bytes(const struct html_table *table, unsigned block);

/* html-choose.c: after the survey. SPE_OK or SPE_NOMEM. */
int html_choose(struct html *html);
/* html-loss.c: when loss was reported. SPE_OK or SPE_NOMEM. */
int html_loss(struct html *html);

/* The two runs and the loss. */
int html_collect(struct html *html, struct spe_run_stats *stats);
/* Set up before, free after. */
int html_init(struct html *html, struct spe_recording *recording, const struct spe_html_opts *opts,
	      struct spe_error *error);
void html_fini(struct html *html);

/* html-json.c, html-json-tables.c: the counts as one JSON document. SPE_OK or SPE_NOMEM. */
int html_json(struct html *html, const struct spe_run_stats *stats, struct spe_text *text);
int html_json_tables(struct html *html, struct spe_json *json);

/* Made from html/ in the build: the page before and after its data; empty without Chart.js. */
struct html_part {
	const unsigned char *bytes;
	size_t n;
};
extern const struct html_part html_page[2];

#endif
