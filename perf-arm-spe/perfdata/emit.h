/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes put together in either byte order. */
#ifndef SPE_PERFDATA_EMIT_H
#define SPE_PERFDATA_EMIT_H

#include "../base/vec.h"

/* All zero but swap is an empty one.  After a failure nothing more is added. */
struct spe_emit {
	SPE_VEC(uint8_t) bytes; /* free(bytes.items) at the end */
	bool swap;
	int status; /* SPE_OK, SPE_NOMEM or SPE_LIMIT */
};

void spe_emit_bytes(struct spe_emit *e, const void *bytes, size_t n);
void spe_emit_zeros(struct spe_emit *e, size_t n);
void spe_emit_u16(struct spe_emit *e, uint16_t v);
void spe_emit_u32(struct spe_emit *e, uint32_t v);
void spe_emit_u64(struct spe_emit *e, uint64_t v);
/* u32 length, a multiple of 64 with at least one NUL, then the text so padded. */
void spe_emit_string(struct spe_emit *e, const char *text);
/* Header of a record. */
void spe_emit_header(struct spe_emit *e, uint32_t type, uint16_t misc, size_t size);

#endif
