/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches of records become samples.  An owner that was found keeps the span of
 * time it holds for, so that nearly every record is answered from a table.
 */
#ifndef SPE_ATTRIBUTION_ATTRIBUTE_H
#define SPE_ATTRIBUTION_ATTRIBUTE_H

#include "ladder.h"

/* What attribution looks at in a record. */
#define SPE_ATTRIBUTE_WANT                                                                         \
	(SPE_HAS_EL | SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_TIMESTAMP)

/* Owners remembered by context; a power of two. */
#define SPE_KNOWN_OWNERS 256u

/* What of a sample is the same for all of one owner on one stream. */
struct spe_sample_part {
	int32_t pid, tid;
	uint32_t comm;
	int32_t cpu;
	uint32_t stream, process, guest_context;
	uint8_t evidence, guest;
	bool has_time, has_guest_context;
};

/* A cache line. */
struct spe_known_owner {
	uint64_t from_ns, span_ns; /* side-band time it holds for */
	uint64_t quick_ns;         /* span_ns, but 0 for what takes a closer look */
	uint32_t context;
	bool valid, timed;
	struct spe_sample_part part; /* but for cpu and stream */
} __attribute__((aligned(64)));

struct spe_attributor {
	const struct spe_recording *recording;
	const struct spe_stream *stream; /* NULL before the first */
	uint32_t stream_number;
	bool names;
	size_t unwritten;              /* first range of unwritten zeros that may be ahead */
	struct spe_known_owner absent; /* context is not looked at */
	struct spe_known_owner known[SPE_KNOWN_OWNERS];
};

/* names: fill spe_sample.comm. */
void spe_attributor_init(struct spe_attributor *attributor, const struct spe_recording *recording,
			 bool names);
/* From here on: records of that stream, from the position on. */
void spe_attributor_start(struct spe_attributor *attributor, uint32_t stream, uint64_t position);
/* Samples whose records are there; in order of position since the start. */
void spe_attributor_batch(struct spe_attributor *attributor, struct spe_sample *samples,
			  size_t count);

/* Samples next to each other, with the same contexts. */
struct spe_attribute_run {
	uint64_t first_ticks, last_ticks; /* the least and the greatest of all; none is absent */
	uint64_t at_el1;                  /* so many of them */
};

/*
 * Have they all one owner, and differ in nothing but time and record?  Then *sample is
 * the latest, but for its record, which is any.  false: who knows, see
 * spe_attributor_batch().
 */
bool spe_attributor_run(struct spe_attributor *attributor, struct spe_sample *samples,
			const struct spe_attribute_run *run, struct spe_sample *sample);

#endif
