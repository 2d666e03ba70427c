/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUX streams: the buffers of one CPU, or of one thread, put in the order the
 * hardware wrote them, with what was written twice taken out.
 *
 * A position is a place in a stream.  It is the AUX offset of the file, except
 * in snapshot mode, where the kernel counts offsets modulo the buffer: there
 * whole laps are added so that positions only grow.
 */
#ifndef SPE_ATTRIBUTION_STREAMS_H
#define SPE_ATTRIBUTION_STREAMS_H

#include "../base/vec.h"
#include <perf-arm-spe/attribution.h>

/* One AUXTRACE record. */
struct spe_chunk {
	const uint8_t *data;
	uint64_t position;
	uint64_t bytes;
	uint64_t sequence;    /* reading order */
	uint64_t file_offset; /* of the record */
	uint32_t file_index;
};

/* One AUX record. */
struct spe_aux_range {
	uint64_t offset, size, flags;
	uint64_t time_ns; /* side-band clock */
	uint64_t id;
	int32_t cpu, tid; /* -1 when the record does not say */
	int32_t attr;
	bool has_time, has_id;
};

/* Bytes of a stream, each position at most once. */
struct spe_span {
	const uint8_t *data;
	uint64_t position;
	uint64_t bytes;
	bool joins;     /* continues the span before it */
	bool in_record; /* may begin inside a record; never with joins */
};

/* Records between two positions, both included. */
struct spe_position_range {
	uint64_t first, last;
};

typedef SPE_VEC(struct spe_span) spe_span_vec;
typedef SPE_VEC(struct spe_position_range) spe_position_range_vec;

struct spe_stream {
	struct spe_stream_info info;
	uint64_t start_ns; /* side-band time its event was first started at, 0 when unknown */
	size_t attr;       /* of the SPE event it belongs to */
	int32_t key_tid;   /* AUXTRACE.tid as the file has it */
	bool wrong_size;   /* holds other records as trace */
	bool doubtful;     /* may be another CPU's, or another thread's, than it says */
	SPE_VEC(struct spe_chunk) chunks;
	SPE_VEC(struct spe_aux_range) ranges;
	spe_span_vec spans;
	spe_span_vec repeats;             /* bytes left out: they stand in spans already */
	uint32_t decode_align;            /* what decoders are told of the record alignment */
	spe_position_range_vec unwritten; /* zero contexts that nobody wrote, in order */
	struct spe_decode_stats repeated; /* counts of `repeats` */
};

/*
 * Chunks and ranges -> spans, repeats and the counts of loss in info.
 * The chunks are given up.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_stream_build(struct spe_stream *stream);
void spe_stream_clear(struct spe_stream *stream);

#endif
