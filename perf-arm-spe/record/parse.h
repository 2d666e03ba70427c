/* SPDX-License-Identifier: GPL-2.0-only */
/* One record, packet by packet: what the general decoder and everything that must agree with it
 * stand on. */
#ifndef SPE_RECORD_PARSE_H
#define SPE_RECORD_PARSE_H

#include <perf-arm-spe/record.h>

enum spe_parse {
	SPE_PARSE_RECORD,    /* whole */
	SPE_PARSE_EMPTY,     /* nothing but its end packet */
	SPE_PARSE_NEED_MORE, /* whole so far */
	SPE_PARSE_CORRUPT,
	SPE_PARSE_TOO_LONG,
};

struct spe_parsed {
	struct spe_record record;   /* every field, whatever a caller wants */
	uint32_t unknown_packets;   /* stepped over */
	uint32_t undefined_packets; /* of these: with a header nobody defined */
	uint8_t first[2];           /* kind and index of its first packet */
	uint8_t end;                /* kind of its last: TIMESTAMP or END */
};

struct spe_parse_rules {
	size_t limit; /* its end packet begins before this offset */
	bool clean;   /* refuse what no sound record has: repeated and undefined packets */
};

/*
 * Parse the record whose first packet stands at bytes[0], aux_offset of the
 * stream.  Reads no byte beyond n, and decides as soon as the bytes allow it:
 * more bytes never change an answer other than SPE_PARSE_NEED_MORE.  parsed is
 * filled as far as it went; record.length_bytes counts for RECORD and EMPTY.
 */
enum spe_parse spe_record_parse(const uint8_t *bytes, size_t n, uint64_t aux_offset,
				const struct spe_parse_rules *rules, struct spe_parsed *parsed);

/* Take away what is not in `want`: fields become zero, presence bits clear. */
void spe_record_restrict(struct spe_record *record, uint32_t want);

/* Zero bytes and alignment packets from bytes[0] on.  A prefix byte at the very end is not
 * taken: it may begin something else. */
size_t spe_padding_bytes(const uint8_t *bytes, size_t n);

#endif
