/* SPDX-License-Identifier: GPL-2.0-only */
#include "inner.h"

#include "bytes.h"
#include "record.h"
#include "unzip.h"

#include <stdlib.h>

/* Room for the longest record and a good deal to come. */
#define INNER_BYTES (256u << 10)

struct spe_inner {
	struct spe_unzip *unzip;
	uint64_t offset; /* of the COMPRESSED record in work */
	uint64_t made;   /* bytes that came out of it */
	size_t at, filled;
	bool fed;
	uint8_t *buffer; /* 8-aligned */
};

static int inner_begin(struct spe_stream *s, uint64_t offset, struct spe_error *error)
{
	struct spe_inner *inner = calloc(1, sizeof(*inner));
	int status = SPE_NOMEM;

	if (!inner)
		return spe_stream_error(s, status, offset, error, "out of memory");
	s->inner = inner;
	inner->buffer = malloc(INNER_BYTES);
	if (inner->buffer)
		status = spe_unzip_new(&inner->unzip);
	if (!status)
		return SPE_OK;
	spe_inner_free(s);
	if (status == SPE_UNSUPPORTED)
		return spe_stream_error(s, status, offset, error,
					"the records are compressed with zstd and this build has "
					"no libzstd: install it and build again, or record "
					"without -z");
	return spe_stream_error(s, status, offset, error, "out of memory");
}

void spe_inner_free(struct spe_stream *s)
{
	if (!s->inner)
		return;
	spe_unzip_free(s->inner->unzip);
	free(s->inner->buffer);
	free(s->inner);
	s->inner = NULL;
}

int spe_inner_feed(struct spe_perfdata *pd, struct spe_stream *s, const struct spe_raw *raw,
		   struct spe_error *error)
{
	const uint8_t *bytes = s->map + raw->offset + SPE_RECORD_HEADER_BYTES;
	uint64_t n = raw->size - SPE_RECORD_HEADER_BYTES;
	int status;

	if (raw->type == SPE_PERF_COMPRESSED2) {
		/* The size of the record counts padding, this one does not. */
		uint64_t said = n >= 8 ? spe_get64(raw->bytes + 8) : UINT64_MAX;

		if (said > n - 8)
			return spe_stream_error(s, SPE_CORRUPT, raw->offset, error,
						"a compressed record states more data than it "
						"has: the file is damaged here, what comes "
						"before stands");
		bytes += 8;
		n = said;
	}
	if (!s->inner) {
		status = inner_begin(s, raw->offset, error);
		if (status)
			return status;
	}
	pd->info.compressed = true;
	pd->zipped_bytes += n;
	s->inner->offset = raw->offset;
	s->inner->made = 0;
	s->inner->fed = true;
	spe_unzip_feed(s->inner->unzip, bytes, n);
	return SPE_OK;
}

/* Small records that unpack to a lot each make a lot of a small file, too. */
static int inner_ratio(const struct spe_perfdata *pd, const struct spe_stream *s,
		       struct spe_error *error)
{
	if (pd->unzipped_bytes <= SPE_LIMIT_UNZIP_FREE_BYTES ||
	    (pd->unzipped_bytes - SPE_LIMIT_UNZIP_FREE_BYTES) / SPE_LIMIT_UNZIP_RATIO <
		    pd->zipped_bytes)
		return SPE_OK;
	return spe_stream_error(s, SPE_CORRUPT, s->inner->offset, error,
				"%llu bytes of compressed records have unpacked to more than %llu: "
				"no recorder writes this, do not trust the file; what comes before "
				"stands",
				(unsigned long long)pd->zipped_bytes,
				(unsigned long long)pd->unzipped_bytes);
}

/* More bytes behind what is left of the last ones.  *made 0: the payload is used up. */
static int inner_fill(struct spe_perfdata *pd, struct spe_stream *s, size_t *made,
		      struct spe_error *error)
{
	struct spe_inner *inner = s->inner;
	uint64_t limit = SPE_LIMIT_DECOMPRESSED_BYTES;
	const char *reason = "";
	int status;

	if (pd->compressed_len > limit)
		limit = pd->compressed_len;
	memmove(inner->buffer, inner->buffer + inner->at, inner->filled - inner->at);
	inner->filled -= inner->at;
	inner->at = 0;
	status = spe_unzip_run(inner->unzip, inner->buffer + inner->filled,
			       INNER_BYTES - inner->filled, made, &reason);
	if (status == SPE_NOMEM)
		return spe_stream_error(s, status, inner->offset, error,
					"a compressed record cannot be unpacked: out of memory");
	if (status)
		return spe_stream_error(s, status, inner->offset, error,
					"a compressed record cannot be unpacked (%s): the file is "
					"damaged here, what comes before stands",
					reason);
	inner->filled += *made;
	inner->made += *made;
	pd->unzipped_bytes += *made;
	if (inner->made > limit)
		return spe_stream_error(s, SPE_LIMIT, inner->offset, error,
					"a compressed record unpacks to more than %llu bytes: no "
					"recorder writes this, do not trust the file",
					(unsigned long long)limit);
	return inner_ratio(pd, s, error);
}

/* Is there a whole record at hand?  Its header is in *raw then. */
static bool inner_whole(const struct spe_perfdata *pd, const struct spe_inner *inner,
			struct spe_raw *raw)
{
	size_t left = inner->filled - inner->at;

	if (left < SPE_RECORD_HEADER_BYTES)
		return false;
	spe_raw_header(pd, inner->buffer + inner->at, raw);
	return raw->size <= left || raw->size < SPE_RECORD_HEADER_BYTES ||
	       raw->size > SPE_RECORD_BYTES_MAX;
}

static int inner_check(const struct spe_stream *s, const struct spe_raw *raw,
		       struct spe_error *error)
{
	if (raw->size < SPE_RECORD_HEADER_BYTES || raw->size > SPE_RECORD_BYTES_MAX)
		return spe_stream_error(s, SPE_CORRUPT, raw->offset, error,
					"inside a compressed record: one of type %u says it has "
					"%u bytes: the file is damaged here, what comes before "
					"stands",
					raw->type, raw->size);
	switch (raw->type) {
	case SPE_PERF_COMPRESSED:
	case SPE_PERF_COMPRESSED2:
	case SPE_PERF_AUXTRACE:
	case SPE_PERF_TRACING_DATA:
		return spe_stream_error(s, SPE_UNSUPPORTED, raw->offset, error,
					"a record of type %u inside a compressed one: no recorder "
					"writes this, do not trust the file",
					raw->type);
	}
	return SPE_OK;
}

int spe_inner_next(struct spe_perfdata *pd, struct spe_stream *s, struct spe_raw *raw,
		   struct spe_error *error)
{
	struct spe_inner *inner = s->inner;
	size_t made;
	int status;

	if (!inner || !inner->fed)
		return SPE_END;
	memset(raw, 0, sizeof(*raw));
	raw->offset = inner->offset;
	raw->inner = true;
	while (!inner_whole(pd, inner, raw)) {
		status = inner_fill(pd, s, &made, error);
		if (status)
			return status;
		if (!made) {
			inner->fed = false;
			return SPE_END;
		}
	}
	status = inner_check(s, raw, error);
	if (status)
		return status;
	spe_raw_bytes(pd, inner->buffer + inner->at, raw);
	inner->at += raw->size;
	return SPE_OK;
}

int spe_inner_end(struct spe_stream *s, struct spe_error *error)
{
	struct spe_inner *inner = s->inner;
	bool whole = !inner || inner->at == inner->filled;

	if (whole)
		return SPE_OK;
	return spe_stream_error(s, SPE_CORRUPT, inner->offset, error,
				"the compressed records end inside a record: what comes before "
				"stands; the recorder was stopped, or the file is cut");
}
