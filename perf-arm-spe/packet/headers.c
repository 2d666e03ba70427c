/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The 256 header bytes as a table.  The compiler works it out from the rules
 * in opcodes.h, so that a decoder needs one load where the rules would need
 * nine comparisons.
 */
#include "opcodes.h"

/* clang-format off */
#define KIND_IF(h, kind, value, mask, index, sized) ((h) & (mask)) == (value) ? SPE_PACKET_##kind :
#define INDEX_IF(h, kind, value, mask, index, sized) ((h) & (mask)) == (value) ? ((h) & (index)) :
#define BYTES_IF(h, kind, value, mask, index, sized)                                               \
	((h) & (mask)) == (value) ? ((sized) ? SPE_HDR_SIZE_BYTES(h) : 0) :

#define ROW(h)                                                                                     \
	[h] = {                                                                                    \
		.kind = SPE_HEADER_RULES(KIND_IF, h) SPE_PACKET_UNKNOWN,                           \
		.index = SPE_HEADER_RULES(INDEX_IF, h) 0,                                          \
		.payload_bytes = SPE_HEADER_RULES(BYTES_IF, h) SPE_HDR_SIZE_BYTES(h),              \
	},
#define ROWS_4(h) ROW(h) ROW((h) + 1) ROW((h) + 2) ROW((h) + 3)
#define ROWS_16(h) ROWS_4(h) ROWS_4((h) + 4) ROWS_4((h) + 8) ROWS_4((h) + 12)
#define ROWS_64(h) ROWS_16(h) ROWS_16((h) + 16) ROWS_16((h) + 32) ROWS_16((h) + 48)

const struct spe_header spe_headers[SPE_HEADERS] = {
	ROWS_64(0) ROWS_64(64) ROWS_64(128) ROWS_64(192)
};
/* clang-format on */
