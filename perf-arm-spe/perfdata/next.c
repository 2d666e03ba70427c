/* SPDX-License-Identifier: GPL-2.0-only */
/* Records out of all files, decoded. */
#include "reader.h"

#include "record.h"

static int stop(struct spe_perfdata *pd, const struct spe_error *why, struct spe_error *error)
{
	if (!pd->stopped)
		pd->stop = *why;
	pd->stopped = true;
	if (error)
		*error = pd->stop;
	return pd->stop.status;
}

static void count_skip(struct spe_perfdata *pd, const struct spe_stream *s,
		       const struct spe_raw *raw)
{
	pd->info.records_skipped++;
	if (pd->warned_skip)
		return;
	pd->warned_skip = true;
	spe_log(&pd->listener, SPE_LOG_WARNING,
		"%.160s: 0x%llx: a record of type %u and %u bytes does not add up; it and any "
		"others like it are left out",
		s->name, (unsigned long long)raw->offset, raw->type, raw->size);
}

static void payload_event(struct spe_perf_event *event, const struct spe_stream *s,
			  const struct spe_raw *raw)
{
	event->u.auxtrace.data = raw->payload;
	event->u.auxtrace.data_bytes = raw->payload_bytes;
	event->u.auxtrace.data_offset = s->spooled ? 0 : raw->payload_offset;
}

/* The library's memset beats the string instructions a compiler puts for a known size. */
static void event_clear(struct spe_perf_event *event)
{
	size_t n = sizeof(*event);

	__asm__("" : "+r"(n));
	memset(event, 0, n);
}

/* false: left out, and counted. */
static bool event_decode(struct spe_perfdata *pd, const struct spe_stream *s,
			 const struct spe_raw *raw, struct spe_perf_event *event)
{
	event_clear(event);
	event->type = raw->type;
	event->misc = raw->misc;
	event->size = raw->size;
	event->file_index = s->index;
	event->file_offset = raw->offset;
	event->attr_index = -1;
	event->raw = raw->bytes;
	if (raw->bytes && !spe_record_decode(&pd->attrs, raw->bytes, raw->size, event, pd->spare)) {
		count_skip(pd, s, raw);
		return false;
	}
	if (raw->type == SPE_PERF_AUXTRACE)
		payload_event(event, s, raw);
	event->sequence = pd->sequence++;
	return true;
}

/* The next record of any stream. */
static int raw_next(struct spe_perfdata *pd, struct spe_raw *raw, struct spe_error *error)
{
	while (pd->current < pd->streams.count) {
		int status = spe_stream_next(pd, &pd->streams.items[pd->current], raw, error);

		if (status != SPE_END)
			return status;
		pd->current++;
	}
	return SPE_END;
}

int spe_perfdata_next(struct spe_perfdata *pd, struct spe_perf_event *event,
		      struct spe_error *error)
{
	struct spe_error why;
	struct spe_raw raw;

	if (pd->stopped)
		return stop(pd, NULL, error);
	for (;;) {
		int status = raw_next(pd, &raw, &why);

		if (status == SPE_END)
			return SPE_END;
		if (!status)
			status = spe_learn(pd, &raw, &why);
		if (status)
			return stop(pd, &why, error);
		pd->counts[raw.type < SPE_PERF_RECORD_MAX ? raw.type : SPE_PERF_RECORD_MAX]++;
		if (event_decode(pd, &pd->streams.items[pd->current], &raw, event))
			return SPE_OK;
	}
}

int spe_perfdata_rewind(struct spe_perfdata *pd)
{
	for (size_t i = 0; i < pd->streams.count; i++)
		spe_stream_rewind(&pd->streams.items[i]);
	pd->current = 0;
	pd->sequence = 0;
	pd->zipped_bytes = 0;
	pd->unzipped_bytes = 0;
	pd->stopped = false;
	pd->info.records_skipped = 0;
	memset(pd->counts, 0, sizeof(pd->counts));
	return SPE_OK;
}

uint64_t spe_perfdata_count(const struct spe_perfdata *pd, uint32_t type)
{
	return pd->counts[type < SPE_PERF_RECORD_MAX ? type : SPE_PERF_RECORD_MAX];
}
