/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a file: their attrs, which ids belong to which, and where the
 * identity words stand in SAMPLE records and in the trailers of all others.
 * Shared by reader and writer.
 */
#ifndef SPE_PERFDATA_ATTRS_H
#define SPE_PERFDATA_ATTRS_H

#include "../base/vec.h"
#include "arena.h"

#include <perf-arm-spe/perfdata.h>

#define SPE_ATTR_SIZE_MIN 64u   /* the first published form */
#define SPE_ATTR_SIZE_OURS 144u /* the last one whose fields are known here */

#define SPE_TRAILER_BITS                                                                           \
	(SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_ID | SPE_SAMPLE_STREAM_ID |                 \
	 SPE_SAMPLE_CPU | SPE_SAMPLE_IDENTIFIER)

/* One event and what was worked out from its attr. */
struct spe_attr {
	struct spe_perf_attr pub;
	bool id_all;           /* non-SAMPLE records carry a trailer */
	uint8_t trailer_bytes; /* 0 without id_all */
	uint8_t trailer_id;    /* where the id stands, in bytes before the end; 0: nowhere */
	int16_t sample_id;     /* where it stands in a SAMPLE after the header; -1: nowhere */
	uint64_t regs_user;    /* masks of sampled registers */
	uint64_t regs_intr;
};

struct spe_attr_id {
	uint64_t id; /* 0: slot is free */
	uint32_t index;
};

struct spe_attrs {
	struct spe_arena *arena;
	SPE_VEC(struct spe_attr *) list;
	struct spe_attr_id *slots; /* open addressing, at most half full */
	size_t slot_count;         /* power of two */
	size_t id_count;
	uint64_t seed;
	bool alike; /* all have the first one's sample_type and id_all */
};

void spe_attrs_init(struct spe_attrs *attrs, struct spe_arena *arena);
void spe_attrs_fini(struct spe_attrs *attrs);

/*
 * Add an event: n bytes of attr in the file's byte order, then its ids, also
 * in the file's order.  SPE_OK; SPE_CORRUPT (n too small), SPE_NOMEM, SPE_LIMIT.
 */
int spe_attrs_add(struct spe_attrs *attrs, const uint8_t *bytes, size_t n, bool big_endian,
		  const uint8_t *ids, size_t id_count);

/* Index of the event with this id, -1 when none has it. */
int32_t spe_attrs_find(const struct spe_attrs *attrs, uint64_t id);

/*
 * Which event a record belongs to (-1: not known), and in *layout the event by
 * whose sample_type the record is to be read (NULL: unreadable).
 * swap: the record's bytes are not in this machine's order.
 */
int32_t spe_attrs_of_record(const struct spe_attrs *attrs, uint32_t type, const uint8_t *raw,
			    size_t n, bool swap, const struct spe_attr **layout);

/* Between the file's and this machine's byte order, either way. */
void spe_attr_swap(uint8_t *bytes, size_t n);

/* The bit field at offset 40 <-> bit 0 = disabled. */
uint64_t spe_attr_flags_get(const uint8_t *bytes, bool big_endian);
void spe_attr_flags_put(uint8_t *bytes, uint64_t flags, bool big_endian);

#endif
