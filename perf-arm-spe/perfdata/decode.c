/* SPDX-License-Identifier: GPL-2.0-only */
#include "bytes.h"
#include "record.h"

/* ---- trailers ------------------------------------------------------------ */

void spe_trailer_decode(const struct spe_attr *layout, const uint8_t *raw, size_t n,
			struct spe_perf_id *id)
{
	uint64_t st = layout->pub.sample_type;
	const uint8_t *at = raw + n - layout->trailer_bytes;

	id->present = (uint32_t)st & (SPE_TRAILER_BITS & ~SPE_SAMPLE_IDENTIFIER);
	if (st & SPE_SAMPLE_TID) {
		id->pid = (int32_t)spe_get32(at);
		id->tid = (int32_t)spe_get32(at + 4);
		at += 8;
	}
	if (st & SPE_SAMPLE_TIME) {
		id->time_ns = spe_get64(at);
		at += 8;
	}
	if (st & SPE_SAMPLE_ID) {
		id->id = spe_get64(at);
		at += 8;
	}
	if (st & SPE_SAMPLE_STREAM_ID) {
		id->stream_id = spe_get64(at);
		at += 8;
	}
	if (st & SPE_SAMPLE_CPU) {
		id->cpu = spe_get32(at);
		at += 8;
	}
	if (st & SPE_SAMPLE_IDENTIFIER) {
		id->id = spe_get64(at);
		id->present |= SPE_SAMPLE_ID;
	}
}

void spe_trailer_swap(const struct spe_attr *layout, uint8_t *raw, size_t n)
{
	uint8_t *at = raw + n - layout->trailer_bytes;

	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t flag = 1u << bit;

		/* The order of the words is that of the bits. */
		if (!(layout->pub.sample_type & SPE_TRAILER_BITS & flag))
			continue;
		if (flag == SPE_SAMPLE_TID || flag == SPE_SAMPLE_CPU)
			spe_swap32s(at, 8);
		else
			spe_swap64(at);
		at += 8;
	}
}

/* ---- fields -------------------------------------------------------------- */

static const char *field_string(const uint8_t *raw, size_t at, size_t end, char *spare)
{
	if (at >= end)
		return "";
	if (memchr(raw + at, 0, end - at))
		return (const char *)raw + at;
	memcpy(spare, raw + at, end - at);
	spare[end - at] = '\0';
	return spare;
}

static void field_decode(const struct spe_field *f, const uint8_t *raw, size_t end,
			 struct spe_perf_event *event, char *spare)
{
	uint8_t *to = (uint8_t *)event + f->to;
	const void *here = raw + f->at;

	if (f->kind == SPE_FIELD_STRING) {
		here = field_string(raw, f->at, end, spare);
		memcpy(to, &here, sizeof(here));
		return;
	}
	if (f->kind == SPE_FIELD_HERE) {
		memcpy(to, &here, sizeof(here));
		return;
	}
	switch (f->kind) {
	case SPE_FIELD_U8:
		memcpy(to, here, 1);
		break;
	case SPE_FIELD_U16:
		memcpy(to, here, 2);
		break;
	case SPE_FIELD_U32:
		memcpy(to, here, 4);
		break;
	case SPE_FIELD_U64:
		memcpy(to, here, 8);
		break;
	case SPE_FIELD_BYTES20:
		memcpy(to, here, 20);
		break;
	}
}

/* ---- what a table cannot say --------------------------------------------- */

static bool switch_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	(void)raw;
	(void)end;
	event->u.sw.out = event->misc & SPE_MISC_SWITCH_OUT;
	event->u.sw.cpu_wide = event->type == SPE_PERF_SWITCH_CPU_WIDE;
	if (!event->u.sw.cpu_wide)
		event->u.sw.next_prev_pid = event->u.sw.next_prev_tid = -1;
	return true;
}

static bool mmap_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	(void)raw;
	(void)end;
	if (event->u.mmap.build_id_bytes > sizeof(event->u.mmap.build_id))
		event->u.mmap.build_id_bytes = sizeof(event->u.mmap.build_id);
	return true;
}

static bool namespaces_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	(void)raw;
	return event->u.namespaces.count <= (end - 24) / 16;
}

static bool build_id_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	uint8_t bytes = event->u.build_id.build_id_bytes;

	(void)raw;
	(void)end;
	if (!(event->misc & SPE_MISC_BUILD_ID_SIZE) || bytes > sizeof(event->u.build_id.build_id))
		event->u.build_id.build_id_bytes = sizeof(event->u.build_id.build_id);
	return true;
}

static bool id_index_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	(void)raw;
	return event->u.id_index.count <= (end - 16) / 32;
}

static bool auxtrace_info_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	(void)raw;
	event->u.auxtrace_info.priv_count = (end - 16) / 8;
	return true;
}

static bool thread_map_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	(void)raw;
	return event->u.thread_map.count <= (end - 16) / 24;
}

static bool time_conv_finish(const uint8_t *raw, size_t end, struct spe_perf_event *event)
{
	struct spe_time_conv *conv = &event->u.time_conv;
	uint64_t shift = spe_get64(raw + 8), mult = spe_get64(raw + 16);

	if (shift >= 64 || !mult || mult > UINT32_MAX)
		return true; /* stays absent */
	conv->present = true;
	conv->shift = (uint16_t)shift;
	conv->mult = (uint32_t)mult;
	conv->zero = spe_get64(raw + 24);
	if (end < 56)
		return true;
	conv->cycles = spe_get64(raw + 32);
	conv->mask = spe_get64(raw + 40);
	conv->cap_short = raw[49] != 0;
	return true;
}

typedef bool (*finish_fn)(const uint8_t *raw, size_t end, struct spe_perf_event *event);

static const finish_fn finishers[SPE_PERF_RECORD_MAX] = {
	[SPE_PERF_SWITCH] = switch_finish,
	[SPE_PERF_SWITCH_CPU_WIDE] = switch_finish,
	[SPE_PERF_MMAP2] = mmap_finish,
	[SPE_PERF_NAMESPACES] = namespaces_finish,
	[SPE_PERF_BUILD_ID] = build_id_finish,
	[SPE_PERF_ID_INDEX] = id_index_finish,
	[SPE_PERF_AUXTRACE_INFO] = auxtrace_info_finish,
	[SPE_PERF_THREAD_MAP] = thread_map_finish,
	[SPE_PERF_TIME_CONV] = time_conv_finish,
};

/* ---- a record ------------------------------------------------------------ */

bool spe_record_decode(const struct spe_attrs *attrs, const uint8_t *raw, size_t n,
		       struct spe_perf_event *event, char *spare)
{
	const struct spe_shape *shape = spe_shape_of(event->type, event->misc);
	const struct spe_attr *layout;
	size_t end = n;

	event->attr_index = spe_attrs_of_record(attrs, event->type, raw, n, false, &layout);
	if (n < shape->min_bytes)
		return false;
	if (event->type == SPE_PERF_SAMPLE)
		return !layout || spe_sample_decode(layout, raw, n, event);
	if (layout && layout->trailer_bytes &&
	    n >= (shape->min_bytes ? shape->min_bytes : 8u) + layout->trailer_bytes) {
		spe_trailer_decode(layout, raw, n, &event->id);
		end -= layout->trailer_bytes;
	}
	for (unsigned i = 0; i < shape->field_count; i++)
		if (shape->fields[i].to != SPE_FIELD_NOWHERE)
			field_decode(&shape->fields[i], raw, end, event, spare);
	if (event->type < SPE_PERF_RECORD_MAX && finishers[event->type])
		return finishers[event->type](raw, end, event);
	return true;
}

/* ---- byte order ---------------------------------------------------------- */

static const uint8_t field_bytes[] = {
	[SPE_FIELD_U16] = 2,
	[SPE_FIELD_U32] = 4,
	[SPE_FIELD_U64] = 8,
	[SPE_FIELD_STRING] = 0,
};

static void fields_swap(const struct spe_shape *shape, uint8_t *raw, size_t end)
{
	for (unsigned i = 0; i < shape->field_count; i++) {
		const struct spe_field *f = &shape->fields[i];
		unsigned bytes = field_bytes[f->kind];

		if (!bytes || (size_t)f->at + bytes > end)
			continue;
		if (bytes == 2)
			spe_swap16(raw + f->at);
		else if (bytes == 4)
			spe_swap32(raw + f->at);
		else
			spe_swap64(raw + f->at);
	}
}

void spe_record_swap(const struct spe_attrs *attrs, uint32_t type, uint16_t misc, uint8_t *raw,
		     size_t n, bool to_host)
{
	const struct spe_shape *shape = spe_shape_of(type, misc);
	const struct spe_attr *layout;
	size_t end = n;

	spe_attrs_of_record(attrs, type, raw, n, to_host, &layout);
	if (type == SPE_PERF_SAMPLE) {
		if (layout)
			spe_sample_swap(layout, raw, n, to_host);
		return;
	}
	if (layout && layout->trailer_bytes &&
	    n >= (shape->min_bytes ? shape->min_bytes : 8u) + layout->trailer_bytes) {
		spe_trailer_swap(layout, raw, n);
		end -= layout->trailer_bytes;
	}
	if (shape->tail == SPE_TAIL_SPECIAL)
		spe_special_swap(type, raw, end, to_host);
	fields_swap(shape, raw, end);
	if (shape->tail == SPE_TAIL_WORDS64 && end > shape->tail_at)
		spe_swap64s(raw + shape->tail_at, end - shape->tail_at);
	if (shape->tail == SPE_TAIL_THREADS)
		for (size_t at = 16; at + 24 <= end; at += 24)
			spe_swap64(raw + at);
}
