/* SPDX-License-Identifier: GPL-2.0-only */
/* One record after the other out of a mapped file. */
#include "reader.h"

#include "bytes.h"
#include "inner.h"
#include "record.h"

#include <stdio.h>
#include <sys/stat.h>

#define SHRINK_CHECK_BYTES (64u << 10) /* look this often whether the file still is that long */

int spe_stream_error(const struct spe_stream *s, int status, uint64_t offset,
		     struct spe_error *error, const char *format, ...)
{
	char what[SPE_ERROR_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	/* The end of the text says what to do: a long path gives way first. */
	return spe_error_set_at(error, status, offset, "%.160s: 0x%llx: %s", s->name,
				(unsigned long long)offset, what);
}

void spe_stream_rewind(struct spe_stream *s)
{
	s->pos = s->start;
	s->checked_to = 0;
	s->short_payload = false;
	spe_inner_free(s);
}

/* Touching a page of a mapping past the end of a file that shrank would kill the process. */
static int still_there(struct spe_stream *s, uint64_t to, struct spe_error *error)
{
	struct stat st;

	if (to <= s->checked_to || s->spooled)
		return SPE_OK;
	if ((s->fd >= 0 ? fstat(s->fd, &st) : stat(s->name, &st)) ||
	    (uint64_t)st.st_size < s->map_bytes)
		return spe_stream_error(s, SPE_IO, s->pos, error,
					"the file became shorter while it was read: read it when "
					"nobody writes to it");
	s->checked_to = to + SHRINK_CHECK_BYTES;
	return SPE_OK;
}

static int stream_cut(const struct spe_stream *s, uint64_t at, const char *what,
		      struct spe_error *error)
{
	const char *name = s->end > s->map_bytes ? "the file is cut" : "the records end early";

	return spe_stream_error(s, SPE_CORRUPT, at, error,
				"%s, inside %s: what comes before stands; copy the file again or "
				"do with what is there",
				name, what);
}

void spe_raw_header(const struct spe_perfdata *pd, const uint8_t *at, struct spe_raw *raw)
{
	raw->type = spe_get32(at);
	raw->misc = spe_get16(at + 4);
	raw->size = spe_get16(at + 6);
	if (pd->swap) {
		raw->type = __builtin_bswap32(raw->type);
		raw->misc = __builtin_bswap16(raw->misc);
		raw->size = __builtin_bswap16((uint16_t)raw->size);
	}
	if (raw->type >= SPE_SIMPLEPERF_TYPES) {
		/* simpleperf keeps the upper half of a long record's size where misc is. */
		raw->size |= (uint32_t)raw->misc << 16;
		raw->misc = 0;
	}
}

/* Header of the record at pos, checked against what is left. */
static int record_header(struct spe_perfdata *pd, const struct spe_stream *s, uint64_t left,
			 struct spe_raw *raw, struct spe_error *error)
{
	if (left < SPE_RECORD_HEADER_BYTES)
		return stream_cut(s, s->pos, "a record's header", error);
	spe_raw_header(pd, s->map + s->pos, raw);
	if (raw->size < SPE_RECORD_HEADER_BYTES)
		return spe_stream_error(s, SPE_CORRUPT, s->pos, error,
					"a record of type %u says it has %u bytes: the file is "
					"damaged here, what comes before stands",
					raw->type, raw->size);
	if (raw->size > left)
		return stream_cut(s, s->pos, "a record", error);
	return SPE_OK;
}

void spe_raw_bytes(struct spe_perfdata *pd, const uint8_t *at, struct spe_raw *raw)
{
	raw->bytes = at;
	if (!pd->swap && ((uintptr_t)at & 7) == 0)
		return;
	if (raw->size > SPE_RECORD_BYTES_MAX) {
		raw->bytes = NULL;
		return;
	}
	memcpy(pd->scratch, at, raw->size);
	raw->bytes = pd->scratch;
	if (!pd->swap)
		return;
	spe_put32(pd->scratch, raw->type);
	spe_put16(pd->scratch + 4, raw->misc);
	spe_put16(pd->scratch + 6, (uint16_t)raw->size);
	spe_record_swap(&pd->attrs, raw->type, raw->misc, pd->scratch, raw->size, true);
}

/* Bytes that follow a record without being counted in its size. */
static int record_payload(struct spe_perfdata *pd, struct spe_stream *s, struct spe_raw *raw,
			  uint64_t left, struct spe_error *error)
{
	uint64_t want;
	int status = SPE_OK;

	if (raw->type == SPE_PERF_AUXTRACE && raw->size >= SPE_AUXTRACE_HEADER_BYTES)
		want = spe_get64(raw->bytes + 8);
	else if (raw->type == SPE_PERF_TRACING_DATA && raw->size >= 12)
		want = ((uint64_t)spe_get32(raw->bytes + 8) + 7) & ~UINT64_C(7);
	else
		return spe_stream_error(s, SPE_CORRUPT, raw->offset, error,
					"a record of type %u is too short (%u bytes) to say how "
					"much data follows it: the file is damaged here, what "
					"comes before stands",
					raw->type, raw->size);
	if (raw->type == SPE_PERF_AUXTRACE)
		status = spe_mend_payload(pd, s, raw, left, &want, error);
	if (status)
		return status;
	raw->payload = s->map + s->pos;
	raw->payload_offset = s->pos;
	raw->payload_bytes = want < left ? want : left;
	s->short_payload = want > left;
	return SPE_OK;
}

/* The next record of the file itself. */
static int outer_next(struct spe_perfdata *pd, struct spe_stream *s, struct spe_raw *raw,
		      struct spe_error *error)
{
	uint64_t limit = s->end < s->map_bytes ? s->end : s->map_bytes;
	uint64_t left = limit - s->pos;
	int status;

	memset(raw, 0, sizeof(*raw));
	raw->offset = s->pos;
	if (s->short_payload)
		return stream_cut(s, s->pos, "the data that follows a record", error);
	if (!left && s->pos == s->end)
		return SPE_END;
	status = still_there(s, s->pos + 1, error);
	if (!status)
		status = record_header(pd, s, left, raw, error);
	if (!status)
		status = still_there(s, s->pos + raw->size, error);
	if (status)
		return status;
	spe_raw_bytes(pd, s->map + s->pos, raw);
	s->pos += raw->size;
	if (raw->type == SPE_PERF_AUXTRACE || raw->type == SPE_PERF_TRACING_DATA) {
		s->checked_to = 0;
		status = still_there(s, s->pos, error);
		if (!status)
			status = record_payload(pd, s, raw, left - raw->size, error);
		s->pos += raw->payload_bytes;
	}
	return status;
}

int spe_stream_next(struct spe_perfdata *pd, struct spe_stream *s, struct spe_raw *raw,
		    struct spe_error *error)
{
	int status;

	for (;;) {
		status = spe_inner_next(pd, s, raw, error);
		if (status != SPE_END)
			return status;
		status = outer_next(pd, s, raw, error);
		if (status == SPE_END)
			break;
		if (status ||
		    (raw->type != SPE_PERF_COMPRESSED && raw->type != SPE_PERF_COMPRESSED2))
			return status;
		pd->counts[raw->type]++;
		status = spe_inner_feed(pd, s, raw, error);
		if (status)
			return status;
	}
	status = spe_inner_end(s, error);
	spe_inner_free(s);
	return status ? status : SPE_END;
}
