/* SPDX-License-Identifier: GPL-2.0-only */
/* The file header, its attrs and the place of everything else. */
#include "reader.h"

#include "../base/cursor.h"
#include "bytes.h"

#include <stdio.h>

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t bitmap[4];
};

static struct section take_section(struct spe_cursor *c)
{
	struct section s;

	s.offset = spe_cursor_u64(c);
	s.size = spe_cursor_u64(c);
	return s;
}

static bool section_within(struct section s, uint64_t bytes)
{
	return s.offset <= bytes && s.size <= bytes - s.offset;
}

/* ---- whose file is it ---------------------------------------------------- */

static int magic_read(struct spe_perfdata *pd, const struct spe_stream *s, struct spe_error *error)
{
	const uint8_t *m = s->map;

	if (s->map_bytes == 0)
		return spe_error_set_at(error, SPE_NOT_PERFDATA, 0,
					"%s: the file is empty: was the recording interrupted "
					"before anything was written?",
					s->name);
	if (s->map_bytes >= SPE_FILE_MAGIC_BYTES) {
		if (!memcmp(m, "PERFILE2", SPE_FILE_MAGIC_BYTES))
			return SPE_OK;
		if (!memcmp(m, "2ELIFREP", SPE_FILE_MAGIC_BYTES)) {
			pd->info.big_endian = true;
			return SPE_OK;
		}
		if (!memcmp(m, "PERFFILE", SPE_FILE_MAGIC_BYTES) ||
		    !memcmp(m, "ELIFFREP", SPE_FILE_MAGIC_BYTES))
			return spe_stream_error(s, SPE_UNSUPPORTED, 0, error,
						"a perf.data of the old format PERFFILE, from a "
						"perf of 2012 or before: record again");
	}
	if (s->map_bytes < SPE_FILE_MAGIC_BYTES && !memcmp(m, "PERFILE2", s->map_bytes))
		return spe_stream_error(s, SPE_CORRUPT, s->map_bytes, error,
					"the file ends inside the header: it was cut, copy or "
					"record it again");
	return spe_stream_error(s, SPE_NOT_PERFDATA, 0, error,
				"not a perf.data file: it does not begin with PERFILE2");
}

/* ---- attrs --------------------------------------------------------------- */

static int attr_read(struct spe_perfdata *pd, const struct spe_stream *s, uint64_t at,
		     uint64_t stride, uint64_t *ids_left, struct spe_error *error)
{
	struct spe_cursor c = spe_cursor_over(s->map + at, stride, pd->swap);
	struct section ids;
	uint32_t bytes;
	int status;

	c.pos = 4;
	bytes = spe_cursor_u32(&c);
	if (!bytes)
		bytes = SPE_ATTR_SIZE_MIN;
	c.pos = 0;
	spe_cursor_take(&c, bytes);
	ids = take_section(&c);
	if (c.failed || bytes < SPE_ATTR_SIZE_MIN)
		return spe_stream_error(s, SPE_CORRUPT, at, error,
					"an event's attr of %u bytes does not fit its entry of "
					"%llu: the file is damaged, record again",
					bytes, (unsigned long long)stride);
	if (!section_within(ids, s->map_bytes) || ids.size > *ids_left)
		return spe_stream_error(s, SPE_CORRUPT, at + bytes, error,
					"the ids of an event lie outside the file (offset 0x%llx, "
					"%llu bytes): it was cut, copy or record it again",
					(unsigned long long)ids.offset,
					(unsigned long long)ids.size);
	*ids_left -= ids.size;
	status = spe_attrs_add(&pd->attrs, s->map + at, bytes, pd->info.big_endian,
			       s->map + ids.offset, ids.size / 8);
	if (status)
		return spe_stream_error(s, status, at, error, "the events cannot be read: %s",
					spe_status_text(status));
	return SPE_OK;
}

static int attrs_read(struct spe_perfdata *pd, const struct spe_stream *s,
		      const struct file_header *h, struct spe_error *error)
{
	/* Id lists do not overlap in an honest file; a crafted one must not make us store more. */
	uint64_t ids_left = s->map_bytes;
	uint64_t count;

	if (!section_within(h->attrs, s->map_bytes))
		return spe_stream_error(s, SPE_CORRUPT, 24, error,
					"the list of events lies outside the file (offset 0x%llx, "
					"%llu bytes): it was cut, copy or record it again",
					(unsigned long long)h->attrs.offset,
					(unsigned long long)h->attrs.size);
	if (!h->attrs.size)
		return SPE_OK;
	if (h->attr_size < SPE_ATTR_SIZE_MIN + sizeof(struct section))
		return spe_stream_error(s, SPE_CORRUPT, 16, error,
					"an event entry of %llu bytes is too small: the file is "
					"damaged, record again",
					(unsigned long long)h->attr_size);
	count = h->attrs.size / h->attr_size;
	if (count > SPE_LIMIT_ATTRS)
		return spe_stream_error(s, SPE_LIMIT, 24, error,
					"%llu events, the limit is %u: the file is damaged, "
					"record again",
					(unsigned long long)count, SPE_LIMIT_ATTRS);
	for (uint64_t i = 0; i < count; i++) {
		int status = attr_read(pd, s, h->attrs.offset + i * h->attr_size, h->attr_size,
				       &ids_left, error);

		if (status)
			return status;
	}
	pd->header_attrs = pd->attrs.list.count;
	return SPE_OK;
}

/* ---- the header ---------------------------------------------------------- */

/* Four words; old big-endian 32-bit machines wrote them as pairs the other way round. */
static void bitmap_fix(struct spe_perfdata *pd, uint64_t bitmap[4])
{
	uint64_t hostname = UINT64_C(1) << SPE_FEAT_HOSTNAME;

	if (!pd->swap || (bitmap[0] & hostname) || !(bitmap[0] >> 32 & hostname))
		return;
	for (int i = 0; i < 4; i++)
		bitmap[i] = bitmap[i] << 32 | bitmap[i] >> 32;
}

static int file_header_read(struct spe_perfdata *pd, struct spe_stream *s, struct spe_error *error)
{
	struct spe_cursor c = spe_cursor_over(s->map, s->map_bytes, pd->swap);
	struct file_header h = { 0 };
	int status;

	spe_cursor_take(&c, SPE_FILE_MAGIC_BYTES);
	h.size = spe_cursor_u64(&c);
	h.attr_size = spe_cursor_u64(&c);
	h.attrs = take_section(&c);
	h.data = take_section(&c);
	take_section(&c); /* event types, long unused */
	if (h.size >= SPE_FILE_HEADER_BYTES)
		for (int i = 0; i < 4; i++)
			h.bitmap[i] = spe_cursor_u64(&c);
	if (c.failed)
		return spe_stream_error(s, SPE_CORRUPT, s->map_bytes, error,
					"the file ends inside the header: it was cut, copy or "
					"record it again");
	if (h.data.offset > s->map_bytes || h.data.offset < SPE_FILE_HEADER_BYTES_OLD ||
	    h.data.offset + h.data.size < h.data.offset)
		return spe_stream_error(s, SPE_CORRUPT, 40, error,
					"the records lie outside the file (offset 0x%llx, %llu "
					"bytes): it was cut, copy or record it again",
					(unsigned long long)h.data.offset,
					(unsigned long long)h.data.size);
	bitmap_fix(pd, h.bitmap);
	s->start = s->pos = h.data.offset;
	s->end = h.data.offset + h.data.size;
	pd->info.unfinished = h.data.size == 0;
	if (pd->info.unfinished)
		s->end = s->map_bytes;
	status = attrs_read(pd, s, &h, error);
	if (!status && !pd->info.unfinished)
		spe_feature_table_read(pd, h.bitmap, s->end);
	return status;
}

int spe_header_read(struct spe_perfdata *pd, struct spe_error *error)
{
	struct spe_stream *s = &pd->streams.items[0];
	struct spe_cursor c;
	uint64_t size;
	int status = magic_read(pd, s, error);

	if (status)
		return status;
	pd->swap = pd->info.big_endian != spe_host_big_endian();
	c = spe_cursor_over(s->map, s->map_bytes, pd->swap);
	spe_cursor_take(&c, SPE_FILE_MAGIC_BYTES);
	size = spe_cursor_u64(&c);
	if (!c.failed && size == SPE_PIPE_HEADER_BYTES) {
		pd->info.pipe = true;
		s->start = s->pos = SPE_PIPE_HEADER_BYTES;
		s->end = s->map_bytes;
	} else if (!c.failed && size != SPE_FILE_HEADER_BYTES_OLD && size < SPE_FILE_HEADER_BYTES) {
		return spe_stream_error(s, SPE_CORRUPT, 8, error,
					"a header of %llu bytes is none: the file is damaged, "
					"record again",
					(unsigned long long)size);
	} else {
		status = file_header_read(pd, s, error);
	}
	if (!status)
		status = spe_learn_ahead(pd, error);
	pd->info.data_offset = s->start;
	pd->info.data_bytes = s->end - s->start;
	return status;
}
