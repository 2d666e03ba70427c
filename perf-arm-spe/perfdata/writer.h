/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a perf.data being written. */
#ifndef SPE_PERFDATA_WRITER_H
#define SPE_PERFDATA_WRITER_H

#include "arena.h"
#include "attrs.h"
#include "emit.h"
#include "output.h"

#include <perf-arm-spe/perfdata.h>

struct spe_writer_feature {
	const uint8_t *bytes;
	size_t n;
	bool present;
};

struct spe_perfdata_writer {
	struct spe_output out;
	struct spe_arena arena;
	struct spe_attrs attrs; /* in our byte order */
	struct spe_writer_feature features[SPE_FEAT_MAX];
	SPE_VEC(uint64_t) auxtraces; /* offsets of their headers */
	uint8_t *scratch;            /* one record, while it is swapped */
	size_t attr_bytes;           /* of every attr in this file */
	uint64_t attrs_at, data_at;
	bool pipe, big_endian, swap;
	bool begun;
};

/* Copy a feature's body, in the file's byte order, for the tail (pipe: the head) to write. */
int spe_writer_feature_store(struct spe_perfdata_writer *w, unsigned feature, const uint8_t *bytes,
			     size_t n);
/* Everything before the first record. */
int spe_writer_head(struct spe_perfdata_writer *w, struct spe_error *error);
/* Everything after the last one. */
int spe_writer_tail(struct spe_perfdata_writer *w, struct spe_error *error);

#endif
