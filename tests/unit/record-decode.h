/* SPDX-License-Identifier: GPL-2.0-only */
/* One trace, decoded in one call, its counts checked. */
#ifndef TESTS_UNIT_RECORD_DECODE_H
#define TESTS_UNIT_RECORD_DECODE_H

#include <check.h>

#include "record-make.h"

#define ROOM 512

static struct trace trace;
static struct spe_record found[ROOM];
static size_t found_count;
static struct spe_decode_stats stats;

static inline uint64_t accounted(const struct spe_decode_stats *s)
{
	uint64_t bytes = s->record_bytes + s->padding_bytes;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		bytes += s->drop_bytes[i];
	return bytes;
}

static inline uint64_t drops(const struct spe_decode_stats *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		n += s->drops[i];
	return n;
}

/* Decode all of bytes in one call; the counts must add up. */
static inline void decode_from(const uint8_t *bytes, size_t n, uint32_t align_bytes, bool in_record)
{
	struct spe_record_array to = { found, sizeof(found[0]), ROOM, 0 };
	struct spe_decoder *d;
	size_t used;

	ck_assert_int_eq(spe_decoder_new(NULL, &d), SPE_OK);
	spe_decoder_restart(d, align_bytes, in_record);
	ck_assert_int_eq(spe_decoder_decode(d, bytes, n, 0, true, &to, &used), SPE_OK);
	ck_assert_uint_eq(used, n);
	found_count = to.count;
	stats = *spe_decoder_stats(d);
	ck_assert_uint_eq(stats.records, to.count);
	ck_assert_uint_eq(accounted(&stats), n);
	spe_decoder_free(d);
}

static inline void decode(void)
{
	decode_from(trace.bytes, trace.n, 0, false);
}

static inline void begin(void)
{
	trace.n = 0;
}

/* A record as they come: PC, context, operation, events, timestamp. */
static inline void put_plain(unsigned pc, unsigned ticks)
{
	put_pc(&trace, 0x8000000000000000 | pc);
	put_context1(&trace, pc);
	put_op(&trace, SPE_OP_LOAD_STORE, 0);
	put_events(&trace, 0x16);
	put_timestamp(&trace, ticks);
}

#define PLAIN_BYTES 28

#endif
