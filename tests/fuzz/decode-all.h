/* SPDX-License-Identifier: GPL-2.0-only */
/* Decode a whole input in pieces of a given size, and hold the counts against each other. */
#ifndef TESTS_FUZZ_DECODE_ALL_H
#define TESTS_FUZZ_DECODE_ALL_H

#include <string.h>

#include <perf-arm-spe/limits.h>
#include <perf-arm-spe/record.h>

#include "property.h"

struct decoded {
	struct spe_record *records;
	size_t count;
	struct spe_decode_stats stats;
};

static inline void check_counts(const struct decoded *d, size_t size)
{
	uint64_t bytes = d->stats.record_bytes + d->stats.padding_bytes;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		bytes += d->stats.drop_bytes[i];
	PROPERTY(d->stats.records == d->count);
	PROPERTY(bytes == size);
	for (size_t i = 0; i < d->count; i++) {
		const struct spe_record *r = &d->records[i];

		PROPERTY(r->length_bytes > 0 && r->length_bytes <= SPE_LIMIT_RECORD_BYTES);
		PROPERTY(r->aux_offset + r->length_bytes <= size);
		PROPERTY(i == 0 || r->aux_offset >= r[-1].aux_offset + r[-1].length_bytes);
		PROPERTY((r->present & ~(uint32_t)SPE_HAS_ALL) == 0);
		PROPERTY(r->el <= 3 && r->security <= SPE_REALM && r->op_class <= SPE_OP_UNDEFINED);
	}
}

/* step: bytes that become visible at a time; room: records fetched a call. */
static inline struct decoded decode_all(uint32_t kind, uint32_t align, const uint8_t *data,
					size_t size, size_t step, size_t room)
{
	struct spe_decoder_opts opts = { .size = sizeof(opts), .kind = kind, .align_bytes = align };
	/* A record takes two bytes at least. */
	size_t most = size / 2 + 1;
	struct decoded d = { .records = calloc(most, sizeof(*d.records)) };
	struct spe_decoder *decoder;
	size_t at = 0, end = 0;

	PROPERTY(d.records && spe_decoder_new(&opts, &decoder) == SPE_OK);
	do {
		struct spe_record_array array = { .first = d.records + d.count,
						  .stride_bytes = sizeof(*d.records) };
		size_t used = 0;

		end = size - end < step ? size : end + step;
		do {
			array.first = d.records + d.count;
			array.room = most - d.count < room ? most - d.count : room;
			PROPERTY(spe_decoder_decode(decoder, data + at, end - at, at, end == size,
						    &array, &used) == SPE_OK);
			PROPERTY(used <= end - at && array.count <= array.room);
			at += used;
			d.count += array.count;
		} while (array.count == array.room);
	} while (end < size);
	PROPERTY(at == size);
	d.stats = *spe_decoder_stats(decoder);
	spe_decoder_free(decoder);
	check_counts(&d, size);
	return d;
}

static inline void check_same(const struct decoded *a, const struct decoded *b)
{
	PROPERTY(a->count == b->count);
	PROPERTY(memcmp(&a->stats, &b->stats, sizeof(a->stats)) == 0);
	PROPERTY(memcmp(a->records, b->records, a->count * sizeof(*a->records)) == 0);
}

#endif
