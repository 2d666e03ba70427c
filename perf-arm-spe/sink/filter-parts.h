/* SPDX-License-Identifier: GPL-2.0-only */
/* What a filter is made of; shared by its parser, its binder and its tests. */
#ifndef SPE_SINK_FILTER_PARTS_H
#define SPE_SINK_FILTER_PARTS_H

#include "filter.h"

#include "../base/vec.h"

/* Numbers lo .. hi. */
struct spe_range {
	int64_t lo, hi;
};
typedef SPE_VEC(struct spe_range) spe_ranges;

/* Words of an option, kept for binding. */
typedef SPE_VEC(char *) spe_words;

/* A stretch of time: both ends belong to it unless open_end. */
struct spe_time_range {
	bool percent;    /* ends are parts of a million of the recording's span */
	uint64_t lo, hi; /* ns; hi UINT64_MAX: to the end */
	bool open_end;
};
typedef SPE_VEC(struct spe_time_range) spe_time_ranges;

enum spe_filter_kind {
	SPE_FILTER_PID,
	SPE_FILTER_TID,
	SPE_FILTER_COMM,
	SPE_FILTER_CPU,
	SPE_FILTER_TIME,
	SPE_FILTER_OP,
	SPE_FILTER_EVENT,
	SPE_FILTER_SOURCE,
	SPE_FILTER_EL,
	SPE_FILTER_LATENCY,
	SPE_FILTER_EVIDENCE,
	SPE_FILTER_KINDS
};

struct spe_filter {
	bool used[SPE_FILTER_KINDS];
	spe_ranges pids, tids, cpus;
	spe_words comms, events, sources;
	spe_time_ranges times;
	bool ops[4][256]; /* class, payload */
	unsigned els;     /* bit n: ELn */
	unsigned evidences;
	uint16_t min_latency_cycles;
};

/* One alternative of --event: these bits set, those reported and clear. */
struct spe_event_test {
	uint64_t set, clear;
};

/* What depends on the core: one per distinct MIDR of the recording. */
struct spe_filter_model {
	uint64_t midr;
	struct spe_event_test *events; /* one per word; set = clear = 0: means nothing here */
	uint64_t *sources;             /* 65536 bits, or NULL */
};

struct spe_filter_bound {
	const struct spe_filter *filter;
	uint8_t *comms; /* by comm number: passes */
	size_t comm_count;
	spe_ranges comm_tids; /* ":999": threads without a name */
	spe_time_ranges times;
	uint16_t *stream_model;
	size_t streams;
	SPE_VEC(struct spe_filter_model) models;
};

/*
 * Parse an argument into the filter: one function per kind.  name is for the
 * message.  SPE_OK, SPE_NOMEM, SPE_INVALID.
 */
typedef int spe_filter_parse_fn(struct spe_filter *filter, const char *name, const char *argument,
				struct spe_error *error);
spe_filter_parse_fn spe_parse_pids, spe_parse_tids, spe_parse_cpus, spe_parse_comms,
	spe_parse_times, spe_parse_ops, spe_parse_events, spe_parse_sources, spe_parse_els,
	spe_parse_latency, spe_parse_evidences;

bool spe_ranges_have(const spe_ranges *ranges, int64_t value);

/* Names compare without case, and '_' is '-'. */
bool spe_word_is(const char *word, const char *name);

/* A word for several operations, or sources, at once. */
struct spe_filter_word {
	const char *word;
	uint32_t what; /* SPE_OP_F_* of an operation, enum spe_mem_level of a source */
	const char *help;
};

/* NULL: it is none. */
const struct spe_filter_word *spe_filter_op_word(const char *word);
const struct spe_filter_word *spe_filter_source_word(const char *word);

#define SPE_LIMIT_FILTER_ITEMS 65536u

#endif
