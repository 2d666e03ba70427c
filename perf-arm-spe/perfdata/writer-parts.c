/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands around the records: headers, attrs, features, in both forms. */
#include "writer.h"

#include "bytes.h"
#include "record.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define FILE_HEADER_BYTES 104u
#define PIPE_HEADER_BYTES 16u
#define EVENT_UPDATE_NAME 2u
#define INDEX_ENTRIES_MAX (SPE_LIMIT_FEATURE_BYTES / 16 - 1)
/* The newest feature perf 6.1 lets pass in a pipe; a newer one ends its reading. */
#define PIPE_FEATURE_MAX 31u

static int parts_write(struct spe_perfdata_writer *w, struct spe_emit *e, struct spe_error *error)
{
	int status = e->status;

	if (status)
		spe_error_set(error, status, "%.300s: the header cannot be written: %s",
			      w->out.name, spe_status_text(status));
	else
		status = spe_output_write(&w->out, e->bytes.items, e->bytes.count, error);
	free(e->bytes.items);
	e->bytes.items = NULL;
	return status;
}

static void emit_magic(const struct spe_perfdata_writer *w, struct spe_emit *e)
{
	spe_emit_bytes(e, w->big_endian ? "2ELIFREP" : "PERFILE2", 8);
}

/* One attr, all being of one size: perf steps over them by what each says, we by the header. */
static void emit_attr(const struct spe_perfdata_writer *w, struct spe_emit *e, size_t i)
{
	const struct spe_perf_attr *attr = &w->attrs.list.items[i]->pub;
	size_t at = e->bytes.count;
	uint8_t *raw;

	spe_emit_bytes(e, attr->raw, attr->raw_bytes);
	spe_emit_zeros(e, w->attr_bytes - attr->raw_bytes);
	if (e->status)
		return;
	raw = e->bytes.items + at;
	spe_put32(raw + 4, (uint32_t)w->attr_bytes);
	if (w->swap)
		spe_attr_swap(raw, w->attr_bytes);
}

static void emit_ids(const struct spe_perfdata_writer *w, struct spe_emit *e, size_t i)
{
	const struct spe_perf_attr *attr = &w->attrs.list.items[i]->pub;

	for (size_t k = 0; k < attr->id_count; k++)
		spe_emit_u64(e, attr->ids[k]);
}

/* ---- features made here -------------------------------------------------- */

static bool all_named(const struct spe_perfdata_writer *w)
{
	for (size_t i = 0; i < w->attrs.list.count; i++)
		if (!*w->attrs.list.items[i]->pub.name)
			return false;
	return w->attrs.list.count > 0;
}

static int feature_keep(struct spe_perfdata_writer *w, unsigned feature, struct spe_emit *e)
{
	int status = e->status;

	if (!status)
		status = spe_writer_feature_store(w, feature, e->bytes.items, e->bytes.count);
	free(e->bytes.items);
	return status;
}

/* u32 events, u32 attr bytes, and for each: attr, u32 ids, string name, ids. */
static int feature_event_desc(struct spe_perfdata_writer *w)
{
	struct spe_emit e = { .swap = w->swap };

	if (w->features[SPE_FEAT_EVENT_DESC].present || !all_named(w))
		return SPE_OK;
	spe_emit_u32(&e, (uint32_t)w->attrs.list.count);
	spe_emit_u32(&e, (uint32_t)w->attr_bytes);
	for (size_t i = 0; i < w->attrs.list.count; i++) {
		emit_attr(w, &e, i);
		spe_emit_u32(&e, (uint32_t)w->attrs.list.items[i]->pub.id_count);
		spe_emit_string(&e, w->attrs.list.items[i]->pub.name);
		emit_ids(w, &e, i);
	}
	return feature_keep(w, SPE_FEAT_EVENT_DESC, &e);
}

/* u64 count, and for each AUXTRACE record: u64 offset, u64 size of its header. */
static int feature_auxtrace(struct spe_perfdata_writer *w)
{
	struct spe_emit e = { .swap = w->swap };

	/* An index too long to be read is left out: no reader needs it. */
	if (w->features[SPE_FEAT_AUXTRACE].present || !w->auxtraces.count ||
	    w->auxtraces.count > INDEX_ENTRIES_MAX)
		return SPE_OK;
	spe_emit_u64(&e, w->auxtraces.count);
	for (size_t i = 0; i < w->auxtraces.count; i++) {
		spe_emit_u64(&e, w->auxtraces.items[i]);
		spe_emit_u64(&e, SPE_AUXTRACE_HEADER_BYTES);
	}
	return feature_keep(w, SPE_FEAT_AUXTRACE, &e);
}

/* ---- file form ----------------------------------------------------------- */

static void file_header(const struct spe_perfdata_writer *w, struct spe_emit *e, uint64_t data_end)
{
	uint64_t bitmap[SPE_FEAT_MAX / 64] = { 0 };

	for (unsigned f = 0; f < SPE_FEAT_MAX; f++)
		if (w->features[f].present)
			bitmap[f / 64] |= UINT64_C(1) << f % 64;
	emit_magic(w, e);
	spe_emit_u64(e, FILE_HEADER_BYTES);
	spe_emit_u64(e, w->attr_bytes + 16);
	spe_emit_u64(e, w->attrs_at);
	spe_emit_u64(e, w->attrs.list.count * (w->attr_bytes + 16));
	spe_emit_u64(e, w->data_at);
	spe_emit_u64(e, data_end - w->data_at);
	spe_emit_u64(e, 0);
	spe_emit_u64(e, 0);
	for (size_t i = 0; i < SPE_FEAT_MAX / 64; i++)
		spe_emit_u64(e, bitmap[i]);
}

/* A place for the header, the ids, the attrs: as perf record lays them out. */
static int file_head(struct spe_perfdata_writer *w, struct spe_error *error)
{
	struct spe_emit e = { .swap = w->swap };
	uint64_t ids_at = FILE_HEADER_BYTES;

	spe_emit_zeros(&e, FILE_HEADER_BYTES);
	for (size_t i = 0; i < w->attrs.list.count; i++)
		emit_ids(w, &e, i);
	w->attrs_at = e.bytes.count;
	for (size_t i = 0; i < w->attrs.list.count; i++) {
		uint64_t bytes = w->attrs.list.items[i]->pub.id_count * 8;

		emit_attr(w, &e, i);
		spe_emit_u64(&e, ids_at);
		spe_emit_u64(&e, bytes);
		ids_at += bytes;
	}
	w->data_at = e.bytes.count;
	return parts_write(w, &e, error);
}

static int file_tail(struct spe_perfdata_writer *w, struct spe_error *error)
{
	struct spe_emit header = { .swap = w->swap }, table = { .swap = w->swap };
	uint64_t data_end = w->out.offset, at = data_end;
	int status = feature_event_desc(w);

	if (!status)
		status = feature_auxtrace(w);
	table.status = status;
	for (unsigned f = 0; f < SPE_FEAT_MAX; f++)
		at += w->features[f].present ? 16 : 0;
	for (unsigned f = 0; f < SPE_FEAT_MAX; f++) {
		if (!w->features[f].present)
			continue;
		spe_emit_u64(&table, at);
		spe_emit_u64(&table, w->features[f].n);
		at += w->features[f].n;
	}
	status = parts_write(w, &table, error);
	for (unsigned f = 0; f < SPE_FEAT_MAX && !status; f++)
		status = spe_output_write(&w->out, w->features[f].bytes, w->features[f].n, error);
	if (!status) {
		file_header(w, &header, data_end);
		status = header.status;
		if (status)
			spe_error_set(error, status, "%.300s: %s", w->out.name,
				      spe_status_text(status));
	}
	if (!status)
		status =
			spe_output_patch(&w->out, 0, header.bytes.items, header.bytes.count, error);
	free(header.bytes.items);
	return status;
}

/* ---- pipe form ----------------------------------------------------------- */

/* Features that a pipe sends as records of their own, or not at all. */
static bool feature_in_pipe(unsigned feature)
{
	static const uint8_t not_sent[] = {
		SPE_FEAT_TRACING_DATA, SPE_FEAT_BUILD_ID,
		SPE_FEAT_BRANCH_STACK, SPE_FEAT_AUXTRACE,
		SPE_FEAT_STAT,         SPE_FEAT_CACHE,
		SPE_FEAT_DIR_FORMAT,   30 /* HYBRID_TOPOLOGY */,
	};

	for (size_t i = 0; i < sizeof(not_sent); i++)
		if (not_sent[i] == feature)
			return false;
	return feature <= PIPE_FEATURE_MAX;
}

/* The size is that of the data with its padding: perf compares. */
static void pipe_tracing_data(const struct spe_perfdata_writer *w, struct spe_emit *e)
{
	const struct spe_writer_feature *f = &w->features[SPE_FEAT_TRACING_DATA];

	if (!f->present)
		return;
	spe_emit_header(e, SPE_PERF_TRACING_DATA, 0, 12);
	spe_emit_u32(e, (uint32_t)((f->n + 7) & ~(size_t)7));
	spe_emit_bytes(e, f->bytes, f->n);
	spe_emit_zeros(e, -f->n & 7);
}

/* The section is a row of records already, but for their type. */
static void pipe_build_ids(const struct spe_perfdata_writer *w, struct spe_emit *e)
{
	const struct spe_writer_feature *f = &w->features[SPE_FEAT_BUILD_ID];
	size_t at = 0;

	while (f->present && f->n - at >= SPE_RECORD_HEADER_BYTES) {
		uint16_t misc = spe_get16(f->bytes + at + 4), size = spe_get16(f->bytes + at + 6);

		if (w->swap) {
			misc = __builtin_bswap16(misc);
			size = __builtin_bswap16(size);
		}
		if (size < SPE_RECORD_HEADER_BYTES || size > f->n - at)
			return;
		spe_emit_header(e, SPE_PERF_BUILD_ID, misc, size);
		spe_emit_bytes(e, f->bytes + at + 8, size - 8u);
		at += size;
	}
}

/* perf takes an event's name in a pipe from here only. */
static void pipe_event_name(const struct spe_perfdata_writer *w, struct spe_emit *e, size_t i)
{
	const struct spe_perf_attr *attr = &w->attrs.list.items[i]->pub;
	size_t n = strlen(attr->name), padded = (n + 1 + 7) & ~(size_t)7;

	if (!n || !attr->id_count)
		return;
	spe_emit_header(e, SPE_PERF_EVENT_UPDATE, 0, 24 + padded);
	spe_emit_u64(e, EVENT_UPDATE_NAME);
	spe_emit_u64(e, attr->ids[0]);
	spe_emit_bytes(e, attr->name, n);
	spe_emit_zeros(e, padded - n);
}

static int pipe_head(struct spe_perfdata_writer *w, struct spe_error *error)
{
	struct spe_emit e = { .swap = w->swap };

	emit_magic(w, &e);
	spe_emit_u64(&e, PIPE_HEADER_BYTES);
	for (size_t i = 0; i < w->attrs.list.count; i++) {
		size_t ids = w->attrs.list.items[i]->pub.id_count * 8;

		spe_emit_header(&e, SPE_PERF_HEADER_ATTR, 0, 8 + w->attr_bytes + ids);
		emit_attr(w, &e, i);
		emit_ids(w, &e, i);
	}
	if (!e.status)
		e.status = feature_event_desc(w);
	for (unsigned f = 0; f < SPE_FEAT_MAX; f++) {
		size_t n = w->features[f].n;

		if (!w->features[f].present || !feature_in_pipe(f))
			continue;
		/* As perf does, without padding: it reads CPU_TOPOLOGY to the record's end. */
		spe_emit_header(&e, SPE_PERF_HEADER_FEATURE, 0, 16 + n);
		spe_emit_u64(&e, f);
		spe_emit_bytes(&e, w->features[f].bytes, n);
	}
	for (size_t i = 0; i < w->attrs.list.count; i++)
		pipe_event_name(w, &e, i);
	pipe_tracing_data(w, &e);
	pipe_build_ids(w, &e);
	return parts_write(w, &e, error);
}

/* ---- either -------------------------------------------------------------- */

int spe_writer_head(struct spe_perfdata_writer *w, struct spe_error *error)
{
	return w->pipe ? pipe_head(w, error) : file_head(w, error);
}

int spe_writer_tail(struct spe_perfdata_writer *w, struct spe_error *error)
{
	return w->pipe ? SPE_OK : file_tail(w, error);
}
