/* SPDX-License-Identifier: GPL-2.0-only */
#include "mend.h"
#include "reader.h"

#include "bytes.h"
#include "record.h"

#include <stdio.h>

/* So many records in a row are no accident. */
#define CHAIN_RECORDS 4u
/* Data is padded to words. */
#define STEP_BYTES 8u
/* Types below this have been given out, or may be. */
#define LIKELY_TYPES 128u
#define INDEX_ENTRY_BYTES 16u

/* Could a record begin with these eight bytes? */
static bool header_likely(const struct spe_perfdata *pd, const uint8_t *at, struct spe_raw *raw)
{
	uint32_t least;

	spe_raw_header(pd, at, raw);
	if (raw->type >= SPE_SIMPLEPERF_TYPES)
		return raw->type < SPE_SIMPLEPERF_TYPES + LIKELY_TYPES &&
		       raw->size >= SPE_RECORD_HEADER_BYTES;
	if (!raw->type || raw->type >= LIKELY_TYPES)
		return false;
	least = spe_shape_of(raw->type, raw->misc)->min_bytes;
	if (raw->size < SPE_RECORD_HEADER_BYTES || raw->size < least)
		return false;
	/* Only COMPRESSED, and what it made way for, comes in odd sizes. */
	return raw->size % STEP_BYTES == 0 || raw->type == SPE_PERF_COMPRESSED;
}

/* Bytes from a record to the next, AUXTRACE's data included; 0: more than there are. */
static uint64_t record_extent(const struct spe_perfdata *pd, const uint8_t *at,
			      const struct spe_raw *raw, uint64_t left)
{
	uint64_t data = 0;

	if (raw->size > left)
		return 0;
	if (raw->type == SPE_PERF_AUXTRACE)
		data = pd->swap ? __builtin_bswap64(spe_get64(at + 8)) : spe_get64(at + 8);
	return data > left - raw->size ? 0 : raw->size + data;
}

static uint64_t stream_limit(const struct spe_stream *s)
{
	return s->end < s->map_bytes ? s->end : s->map_bytes;
}

/* Do records follow one another from a place on, some of them or up to the end? */
static bool records_begin(const struct spe_perfdata *pd, const struct spe_stream *s, uint64_t at)
{
	uint64_t limit = stream_limit(s);

	for (unsigned n = 0; n < CHAIN_RECORDS; n++) {
		struct spe_raw raw;
		uint64_t extent;

		if (at == limit)
			return n > 0;
		if (limit - at < SPE_RECORD_HEADER_BYTES || !header_likely(pd, s->map + at, &raw))
			return false;
		extent = record_extent(pd, s->map + at, &raw, limit - at);
		if (!extent)
			return false;
		at += extent;
	}
	return true;
}

/* Does the header's list of AUXTRACE records have one in [from, to)?  perf writes it in order. */
static bool indexed_between(const struct spe_perfdata *pd, uint64_t from, uint64_t to)
{
	const struct spe_feature_body *body = &pd->features[SPE_FEAT_AUXTRACE];
	size_t low = 0, high;

	if (!body->present || body->n < sizeof(uint64_t) + INDEX_ENTRY_BYTES ||
	    pd->streams.count != 1)
		return false;
	high = (body->n - sizeof(uint64_t)) / INDEX_ENTRY_BYTES;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint64_t at = spe_get64(body->bytes + sizeof(uint64_t) + mid * INDEX_ENTRY_BYTES);

		if (pd->swap)
			at = __builtin_bswap64(at);
		if (at >= from && at < to)
			return true;
		if (at < from)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/* Is there anything about this size that asks for a closer look? */
static bool claim_doubtful(const struct spe_perfdata *pd, const struct spe_stream *s,
			   uint64_t claim, uint64_t left)
{
	struct spe_raw next;

	if (claim > left)
		return true;
	if (claim < left && (left - claim < SPE_RECORD_HEADER_BYTES ||
			     !header_likely(pd, s->map + s->pos + claim, &next)))
		return true;
	return indexed_between(pd, s->pos, s->pos + claim);
}

static const struct spe_mend *find_mend(const struct spe_perfdata *pd, uint32_t file_index,
					uint64_t offset)
{
	for (size_t i = 0; i < pd->mends.count; i++)
		if (pd->mends.items[i].offset == offset &&
		    pd->mends.items[i].file_index == file_index)
			return &pd->mends.items[i];
	return NULL;
}

static int mend_add(struct spe_perfdata *pd, const struct spe_stream *s, uint64_t offset,
		    uint64_t bytes)
{
	struct spe_mend mend = { .file_index = s->index, .offset = offset, .bytes = bytes };
	int status = spe_vec_push(&pd->mends, &mend, SPE_LIMIT_MENDS);

	if (status)
		return status;
	pd->info.sizes_mended = pd->mends.count;
	spe_log(&pd->listener, SPE_LOG_WARNING,
		"%.160s: 0x%llx: the size of this trace is wrong, other records begin after 0x%llx "
		"bytes of it: taken for so many",
		s->name, (unsigned long long)offset, (unsigned long long)bytes);
	return SPE_OK;
}

int spe_mend_payload(struct spe_perfdata *pd, const struct spe_stream *s, const struct spe_raw *raw,
		     uint64_t left, uint64_t *claim, struct spe_error *error)
{
	const struct spe_mend *known = find_mend(pd, s->index, raw->offset);
	uint64_t most = *claim < left ? *claim : left;
	int status;

	if (known) {
		*claim = known->bytes < left ? known->bytes : left;
		return SPE_OK;
	}
	if (!claim_doubtful(pd, s, *claim, left))
		return SPE_OK;
	for (uint64_t bytes = 0; bytes < most; bytes += STEP_BYTES) {
		if (!records_begin(pd, s, s->pos + bytes))
			continue;
		*claim = bytes;
		status = mend_add(pd, s, raw->offset, bytes);
		return !status ? SPE_OK
			       : spe_stream_error(s, status, raw->offset, error,
						  "more wrong sizes of trace than %u: the file is "
						  "damaged, what comes before stands",
						  SPE_LIMIT_MENDS);
	}
	return SPE_OK;
}

int spe_perfdata_mend(struct spe_perfdata *pd, uint32_t file_index, uint64_t offset, uint64_t bytes)
{
	const struct spe_stream *s = NULL;
	uint64_t limit, header = SPE_AUXTRACE_HEADER_BYTES;
	struct spe_raw raw;

	for (size_t i = 0; i < pd->streams.count; i++)
		if (pd->streams.items[i].index == file_index)
			s = &pd->streams.items[i];
	if (!s || find_mend(pd, file_index, offset))
		return SPE_NOT_FOUND;
	limit = stream_limit(s);
	if (offset > limit || limit - offset < header)
		return SPE_NOT_FOUND;
	spe_raw_header(pd, s->map + offset, &raw);
	header = raw.size;
	if (raw.type != SPE_PERF_AUXTRACE || limit - offset < header ||
	    limit - offset - header < bytes ||
	    limit - offset - header - bytes < SPE_RECORD_HEADER_BYTES ||
	    !header_likely(pd, s->map + offset + header + bytes, &raw))
		return SPE_NOT_FOUND;
	return mend_add(pd, s, offset, bytes);
}
