/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record layouts as tables: which fields a type has, where they stand, and
 * where they go in struct spe_perf_event.  The same tables swap byte order.
 */
#ifndef SPE_PERFDATA_RECORD_H
#define SPE_PERFDATA_RECORD_H

#include "attrs.h"

#define SPE_RECORD_HEADER_BYTES 8u
#define SPE_RECORD_BYTES_MAX 65535u
#define SPE_AUXTRACE_HEADER_BYTES 48u
#define SPE_SIMPLEPERF_TYPES 32768u /* simpleperf's own records begin here */

enum spe_field_kind {
	SPE_FIELD_U8,
	SPE_FIELD_U16,
	SPE_FIELD_U32,
	SPE_FIELD_U64,
	SPE_FIELD_BYTES20, /* a build id */
	SPE_FIELD_HERE,    /* a pointer to this place */
	SPE_FIELD_STRING,  /* a pointer to a NUL-terminated string that begins here */
};

/* Fields past the end of a record that is long enough for its type are absent: zero. */
struct spe_field {
	uint8_t kind; /* enum spe_field_kind */
	uint8_t at;   /* offset from the record's first byte */
	uint16_t to;  /* offset in struct spe_perf_event, or SPE_FIELD_NOWHERE */
};

#define SPE_FIELD_NOWHERE 0xffffu

/* What follows the fields, as far as byte order is concerned. */
enum spe_tail { SPE_TAIL_BYTES, SPE_TAIL_WORDS64, SPE_TAIL_THREADS, SPE_TAIL_SPECIAL };

struct spe_shape {
	const struct spe_field *fields;
	uint8_t field_count;
	uint8_t min_bytes; /* header included, trailer not; 0: the type is not known */
	uint8_t tail_at;
	uint8_t tail; /* enum spe_tail */
};

/* The shape of a record; one without fields for types that are not known. */
const struct spe_shape *spe_shape_of(uint32_t type, uint16_t misc);

/*
 * Swap a whole record, header excluded, between the file's order and ours.
 * type, misc and n are the header's, already in our order.
 */
void spe_record_swap(const struct spe_attrs *attrs, uint32_t type, uint16_t misc, uint8_t *raw,
		     size_t n, bool to_host);

/*
 * Decode a record in our byte order into *event, whose header fields are set.
 * spare: SPE_RECORD_BYTES_MAX + 1 bytes where a string that lacks its NUL is
 * put with one.  false: too short for its type, nothing of it can be used.
 */
bool spe_record_decode(const struct spe_attrs *attrs, const uint8_t *raw, size_t n,
		       struct spe_perf_event *event, char *spare);

/* A SAMPLE in our byte order, read as `layout` says.  false: it does not add up. */
bool spe_sample_decode(const struct spe_attr *layout, const uint8_t *raw, size_t n,
		       struct spe_perf_event *event);

/* Swap a SAMPLE in place. */
void spe_sample_swap(const struct spe_attr *layout, uint8_t *raw, size_t n, bool to_host);

/* Swap what depends on the values of a record: SPE_TAIL_SPECIAL. */
void spe_special_swap(uint32_t type, uint8_t *raw, size_t n, bool to_host);

/* The trailer of a kernel record of n bytes. */
void spe_trailer_decode(const struct spe_attr *layout, const uint8_t *raw, size_t n,
			struct spe_perf_id *id);
void spe_trailer_swap(const struct spe_attr *layout, uint8_t *raw, size_t n);

#endif
