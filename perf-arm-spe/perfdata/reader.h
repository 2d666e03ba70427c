/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of an open perf.data. */
#ifndef SPE_PERFDATA_READER_H
#define SPE_PERFDATA_READER_H

#include "arena.h"
#include "attrs.h"

#include "../base/vec.h"
#include <perf-arm-spe/limits.h>
#include <perf-arm-spe/perfdata.h>

#define SPE_FILE_MAGIC_BYTES 8u
#define SPE_PIPE_HEADER_BYTES 16u
#define SPE_FILE_HEADER_BYTES 104u
#define SPE_FILE_HEADER_BYTES_OLD 72u /* without the feature bitmap */

/* One file of records: the file itself, or data.N of a directory. */
struct spe_stream {
	char *name; /* for messages; in the arena */
	int fd;     /* -1: none */
	const uint8_t *map;
	uint64_t map_bytes;
	uint64_t start, end; /* of the records; end may lie past map_bytes if the file is cut */
	uint64_t pos;
	uint64_t checked_to;     /* up to here the file was seen to be still that long */
	bool short_payload;      /* the last record promised more data than there is */
	uint32_t index;          /* file_index of its events */
	struct spe_inner *inner; /* what unpacks COMPRESSED records, NULL until there is one */
	bool spooled;            /* offsets are those of the spool, not of a file of the user */
};

struct spe_feature_body {
	const uint8_t *bytes;
	size_t n;
	bool present;
};

struct spe_pmu {
	uint32_t type;
	const char *name;
};

/* An AUXTRACE record whose size is wrong, and how much data it has. */
struct spe_mend {
	uint32_t file_index;
	uint64_t offset, bytes;
};

/* One record as it stands, before its fields are read. */
struct spe_raw {
	const uint8_t *bytes; /* host order, 8-aligned; NULL: see struct spe_perf_event */
	uint32_t type;
	uint16_t misc;
	uint32_t size;
	uint64_t offset;
	bool inner;             /* came out of a COMPRESSED record */
	const uint8_t *payload; /* of AUXTRACE and TRACING_DATA */
	uint64_t payload_bytes; /* really there */
	uint64_t payload_offset;
};

struct spe_perfdata {
	struct spe_listener listener;
	struct spe_arena arena;
	struct spe_attrs attrs;
	size_t header_attrs; /* how many of them the file header gave */
	struct spe_perfdata_info info;
	SPE_VEC(struct spe_stream) streams;
	size_t current;
	struct spe_feature_body features[SPE_FEAT_MAX];
	SPE_VEC(struct spe_pmu) pmus;
	SPE_VEC(struct spe_mend) mends;
	uint64_t counts[SPE_PERF_RECORD_MAX + 1];
	uint64_t sequence;
	uint64_t learned_to;     /* header records of stream 0 before this are known already */
	uint64_t zipped_bytes;   /* payloads of COMPRESSED records read so far, of all streams */
	uint64_t unzipped_bytes; /* and what came out of them */
	uint32_t compressed_len; /* feature COMPRESSED's mmap_len */
	bool swap;               /* the file's byte order is not ours */
	bool warned_skip;
	bool attrs_closed; /* no more events: every reading must decode alike */
	bool stopped;      /* at damage or an error; stop says which */
	struct spe_error stop;
	uint8_t *scratch; /* SPE_RECORD_BYTES_MAX + 1, for records that cannot be used in place */
	char *spare;      /* the same size, for strings without their NUL */
};

/* What spe_perfdata_open() does once path is known to be a regular file, mapped. */
int spe_header_read(struct spe_perfdata *pd, struct spe_error *error);

/* Feature bodies. */
void spe_feature_table_read(struct spe_perfdata *pd, const uint64_t bitmap[4], uint64_t table_at);
void spe_feature_set(struct spe_perfdata *pd, unsigned feature, const uint8_t *bytes, size_t n);

/* A string of a feature at the cursor (u32 length, bytes), NULL when it does not fit. */
struct spe_cursor;
const char *spe_feature_string(struct spe_perfdata *pd, struct spe_cursor *c);

/* The next record of a stream.  SPE_OK, SPE_END, or a failure with *error filled. */
int spe_stream_next(struct spe_perfdata *pd, struct spe_stream *s, struct spe_raw *raw,
		    struct spe_error *error);
void spe_stream_rewind(struct spe_stream *s);

/* Type, misc and size of the record at a place where eight bytes are, in our order. */
void spe_raw_header(const struct spe_perfdata *pd, const uint8_t *at, struct spe_raw *raw);
/* Set raw->bytes: the record in our order and 8-aligned.  Its header was read already. */
void spe_raw_bytes(struct spe_perfdata *pd, const uint8_t *at, struct spe_raw *raw);

/*
 * How many of the `claim` bytes behind s->pos, of which `left` are in the file,
 * are data of the AUXTRACE record at raw->offset.
 * SPE_OK, or SPE_NOMEM, SPE_LIMIT with *error filled.
 */
int spe_mend_payload(struct spe_perfdata *pd, const struct spe_stream *s, const struct spe_raw *raw,
		     uint64_t left, uint64_t *claim, struct spe_error *error);

/* Take in a record that describes the file (HEADER_ATTR, HEADER_FEATURE ...), once. */
int spe_learn(struct spe_perfdata *pd, const struct spe_raw *raw, struct spe_error *error);
/* Take in those at the beginning, up to the first record of the kernel. */
int spe_learn_ahead(struct spe_perfdata *pd, struct spe_error *error);

/* An error about a place in a file: "NAME: 0xOFFSET: ..." */
int spe_stream_error(const struct spe_stream *s, int status, uint64_t offset,
		     struct spe_error *error, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
