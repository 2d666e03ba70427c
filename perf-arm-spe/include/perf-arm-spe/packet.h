/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packet: bytes <-> one Statistical Profiling Extension packet.
 *
 * Facts: Arm ARM, "Statistical Profiling Extension sample record
 * specification".  A packet is a 1-byte header (2 bytes when the first is the
 * extended prefix 0x20-0x3f) and 0, 1, 2, 4 or 8 payload bytes, little-endian
 * always.  This room allocates nothing and knows nothing of records.
 */
#ifndef PERF_ARM_SPE_PACKET_H
#define PERF_ARM_SPE_PACKET_H

#include <perf-arm-spe/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum spe_packet_kind {
	SPE_PACKET_PADDING,     /**< 0x00, no payload */
	SPE_PACKET_END,         /**< 0x01, closes a record that has no timestamp */
	SPE_PACKET_TIMESTAMP,   /**< 0x71, 8 bytes, closes a record */
	SPE_PACKET_EVENTS,      /**< 0x42 0x52 0x62 0x72: 1, 2, 4, 8 bytes */
	SPE_PACKET_DATA_SOURCE, /**< 0x43 0x53 0x63 0x73: 1, 2, 4, 8 bytes */
	SPE_PACKET_OPERATION,   /**< 0x48-0x4b; index is the class, 1 byte */
	SPE_PACKET_CONTEXT,     /**< 0x64-0x67; index 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2 */
	SPE_PACKET_COUNTER,     /**< 0x98-0x9f; index 0 total, 1 issue, 2 translation latency */
	SPE_PACKET_ADDRESS,     /**< 0xb0-0xb7; see enum spe_address_index */
	SPE_PACKET_ALIGNMENT, /**< prefix + 0x00: runs to the next 2^(n+1) boundary of the trace */
	SPE_PACKET_UNKNOWN,   /**< a header nobody defined; length by its size field */
	SPE_PACKET_KINDS
};

enum spe_address_index {
	SPE_ADDRESS_PC = 0,
	SPE_ADDRESS_TARGET = 1,
	SPE_ADDRESS_VA = 2,
	SPE_ADDRESS_PA = 3,
	SPE_ADDRESS_PREV_TARGET = 4,
};

enum spe_counter_index {
	SPE_COUNTER_TOTAL = 0,
	SPE_COUNTER_ISSUE = 1,
	SPE_COUNTER_TRANSLATION = 2,
};

enum spe_op_class {
	SPE_OP_OTHER = 0,
	SPE_OP_LOAD_STORE = 1,
	SPE_OP_BRANCH = 2,
	SPE_OP_UNDEFINED = 3,
};

/** One packet, plain values. */
struct spe_packet {
	uint8_t kind;          /**< enum spe_packet_kind */
	uint8_t index;         /**< context, counter, address index (0-31) or operation class (0-3);
				    for ALIGNMENT the exponent field, byte0[3:0] */
	uint8_t header_bytes;  /**< 1 or 2 */
	uint8_t payload_bytes; /**< 0, 1, 2, 4 or 8 */
	uint8_t header[2];     /**< the header bytes as they stood (or shall stand, see encode) */
	uint32_t length_bytes; /**< header + payload; for ALIGNMENT the filler too */
	uint64_t payload;      /**< little-endian value of the payload, 0 when none */
};

/** The most bytes one packet can take: an alignment to the next 2^16. */
#define SPE_PACKET_MAX_BYTES 65536u
/** Bytes of the longest packet with a payload: extended header + 8. */
#define SPE_PACKET_MAX_VALUE_BYTES 10u

/**
 * Decode the packet that begins at bytes[0].
 *
 * trace_offset is the position of bytes[0] in the CPU's AUX stream; alignment
 * is measured from it, never from a memory address.  Decoding is total over
 * header bytes: an undefined header >= 0x20 is SPE_PACKET_UNKNOWN with the
 * length its size field gives, and so is a prefix before anything but an
 * address or counter, or with bits [4:2] set before one of these.
 *
 * An alignment runs to the next boundary; if that lies inside its header, or
 * if its filler is not all zero, it takes its 2 header bytes only.  Filler is
 * zero and zero is padding, so a caller that only looks for records may always
 * take header_bytes of an alignment and read on.
 *
 * Returns SPE_OK; SPE_NEED_MORE when the packet does not fit in n bytes (also
 * n == 0); SPE_CORRUPT for header bytes 0x02-0x1f, which no rule gives a length.
 *
 * *packet is filled in any case, as far as it is known.  With SPE_NEED_MORE,
 * length_bytes tells how many bytes it takes (1 when n == 0, 2 when the second
 * header byte is missing), and kind what it is going to be (UNKNOWN while the header is not
 * whole).  An ALIGNMENT that needs more has nothing but zeros after its header
 * so far: where the stream goes on, more bytes decide how long it is; where the
 * stream ends, the n bytes are all of it and nothing is lost.  Any other packet
 * that needs more at the end of a stream is cut.  With SPE_CORRUPT, kind is
 * UNKNOWN and length_bytes 1.
 */
SPE_API SPE_MUST_CHECK int spe_packet_decode(const uint8_t *bytes, size_t n, uint64_t trace_offset,
					     struct spe_packet *packet);

/**
 * Write a packet: the inverse of spe_packet_decode(), byte for byte the same
 * header form (short or extended per header_bytes), payload size per
 * payload_bytes.
 *
 * An ALIGNMENT gets zero filler to its boundary; with length_bytes 2 its header only, with
 * length_bytes 0 or the length that trace_offset gives the whole.  header[] is
 * looked at for UNKNOWN, and for the one bit of an alignment's first byte that
 * means nothing.  length_bytes is not looked at for other kinds.
 *
 * *written gets the length.  Returns SPE_OK; SPE_NEED_MORE when size is too
 * small (*written then holds the length needed); SPE_INVALID for a kind, index
 * or payload size that the format has no room for, and for a payload that does
 * not fit payload_bytes.
 */
SPE_API SPE_MUST_CHECK int spe_packet_encode(const struct spe_packet *packet, uint64_t trace_offset,
					     uint8_t *bytes, size_t size, size_t *written);

/**
 * Describe a packet in the words of stock perf 7.3 (`perf script -D`): "PC
 * 0xffba66eda1c2d0 el2 ns=1", "EV RETIRED L1D-ACCESS TLB-ACCESS", "PAD" (also for an
 * alignment).  What perf calls a bad packet is "UNKNOWN 0xa0 value 0x1234".  An operation
 * that perf has no word for is the empty text.
 * midr is the MIDR_EL1 of the core, 0 when not known (names IMPLEMENTATION
 * DEFINED events).  NUL-terminated, cut to size.  Returns SPE_OK or SPE_INVALID
 * (kind out of range, size 0).
 */
SPE_API int spe_packet_describe(const struct spe_packet *packet, uint64_t midr, char *text,
				size_t size);

/** Name of a kind, "TIMESTAMP"; "?" when out of range. Never NULL. */
SPE_API const char *spe_packet_kind_name(unsigned kind);

/**
 * Name of an event bit as perf 7.3 prints it ("L1D-ACCESS"), or NULL when the
 * bit is IMPLEMENTATION DEFINED or unallocated on this core.
 */
SPE_API const char *spe_event_name(unsigned bit, uint64_t midr);

#ifdef __cplusplus
}
#endif
#endif
