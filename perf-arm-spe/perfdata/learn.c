/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that describe the file itself: what a pipe sends in place of a file header. */
#include "reader.h"

#include "bytes.h"
#include "record.h"

#define EVENT_UPDATE_NAME 2u

static int learn_attr(struct spe_perfdata *pd, const struct spe_raw *raw)
{
	uint32_t bytes;

	/* A file that has its events in the header does not need them twice. */
	if (pd->header_attrs || raw->size < SPE_RECORD_HEADER_BYTES + SPE_ATTR_SIZE_MIN)
		return SPE_OK;
	/* Every recorder sends them first.  One that comes late would change what the records
	 * before it mean, but only for the next reading. */
	if (pd->attrs_closed) {
		spe_log(&pd->listener, SPE_LOG_WARNING,
			"%.160s: 0x%llx: an event is described after records of others: left out",
			pd->info.path, (unsigned long long)raw->offset);
		return SPE_OK;
	}
	bytes = spe_get32(raw->bytes + 12);
	if (!bytes)
		bytes = SPE_ATTR_SIZE_MIN;
	if (bytes < SPE_ATTR_SIZE_MIN || bytes > raw->size - SPE_RECORD_HEADER_BYTES)
		return SPE_CORRUPT;
	return spe_attrs_add(&pd->attrs, raw->bytes + 8, bytes, spe_host_big_endian(),
			     raw->bytes + 8 + bytes, (raw->size - 8 - bytes) / 8);
}

static int learn_feature(struct spe_perfdata *pd, const struct spe_raw *raw)
{
	const struct spe_stream *s = &pd->streams.items[0];
	uint64_t feature;

	if (raw->size < 16)
		return SPE_OK;
	feature = spe_get64(raw->bytes + 8);
	if (feature < SPE_FEAT_MAX && raw->size > 16) /* a bare one ends the list */
		spe_feature_set(pd, (unsigned)feature, s->map + raw->offset + 16, raw->size - 16);
	return SPE_OK;
}

static int learn_update(struct spe_perfdata *pd, const struct spe_raw *raw)
{
	const char *name = (const char *)raw->bytes + 24;
	int32_t index;

	if (raw->size <= 24 || spe_get64(raw->bytes + 8) != EVENT_UPDATE_NAME)
		return SPE_OK;
	index = spe_attrs_find(&pd->attrs, spe_get64(raw->bytes + 16));
	if (index < 0)
		return SPE_OK;
	name = spe_arena_string(&pd->arena, name, strnlen(name, raw->size - 24));
	if (!name)
		return SPE_NOMEM;
	pd->attrs.list.items[index]->pub.name = name;
	return SPE_OK;
}

static int learn_tracing_data(struct spe_perfdata *pd, const struct spe_raw *raw)
{
	spe_feature_set(pd, SPE_FEAT_TRACING_DATA, raw->payload, raw->payload_bytes);
	return SPE_OK;
}

static const struct {
	uint32_t type;
	int (*take)(struct spe_perfdata *pd, const struct spe_raw *raw);
} lessons[] = {
	{ SPE_PERF_HEADER_ATTR, learn_attr },
	{ SPE_PERF_HEADER_FEATURE, learn_feature },
	{ SPE_PERF_EVENT_UPDATE, learn_update },
	{ SPE_PERF_TRACING_DATA, learn_tracing_data },
};

int spe_learn(struct spe_perfdata *pd, const struct spe_raw *raw, struct spe_error *error)
{
	int status = SPE_OK;

	if (raw->type < SPE_PERF_HEADER_ATTR || raw->type > SPE_PERF_HEADER_FEATURE ||
	    pd->current || raw->inner || raw->offset < pd->learned_to)
		return SPE_OK;
	for (size_t i = 0; i < sizeof(lessons) / sizeof(lessons[0]); i++)
		if (lessons[i].type == raw->type)
			status = lessons[i].take(pd, raw);
	pd->learned_to = raw->offset + 1;
	if (!status && pd->arena.failed)
		status = SPE_NOMEM;
	if (status)
		return spe_stream_error(&pd->streams.items[0], status, raw->offset, error,
					"a record of type %u cannot be used: %s", raw->type,
					spe_status_text(status));
	return SPE_OK;
}

int spe_learn_ahead(struct spe_perfdata *pd, struct spe_error *error)
{
	struct spe_stream *s = &pd->streams.items[0];
	struct spe_raw raw;
	int status = SPE_OK;

	do {
		/* Damage is for spe_perfdata_next() to tell, when its place is reached. */
		if (spe_stream_next(pd, s, &raw, NULL) || raw.inner ||
		    raw.type < SPE_PERF_HEADER_ATTR)
			break;
		status = spe_learn(pd, &raw, error);
	} while (!status);
	pd->attrs_closed = true;
	spe_stream_rewind(s);
	pd->zipped_bytes = 0;
	pd->unzipped_bytes = 0;
	memset(pd->counts, 0, sizeof(pd->counts));
	return status;
}
