/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing perf.data: what the caller sees. */
#include "writer.h"

#include "bytes.h"
#include "record.h"

#include "../base/opts.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define ATTR_SIZE_DEFAULT 112u /* what every perf since 4.1 reads */

static struct spe_perfdata_writer *writer_alloc(const struct spe_perfdata_writer_opts *opts)
{
	struct spe_perfdata_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->scratch = malloc(SPE_RECORD_BYTES_MAX + 1);
	if (!w->scratch) {
		free(w);
		return NULL;
	}
	spe_attrs_init(&w->attrs, &w->arena);
	w->pipe = opts->pipe;
	w->big_endian = opts->big_endian;
	w->swap = w->big_endian != spe_host_big_endian();
	w->out.fd = -1;
	return w;
}

static void writer_free(struct spe_perfdata_writer *w)
{
	free(w->scratch);
	free(w->auxtraces.items);
	spe_attrs_fini(&w->attrs);
	spe_arena_free(&w->arena);
	free(w);
}

int spe_perfdata_writer_new(const char *path, const struct spe_perfdata_writer_opts *user_opts,
			    struct spe_perfdata_writer **result, struct spe_error *error)
{
	struct spe_perfdata_writer_opts opts;
	struct spe_perfdata_writer *w;
	int status;

	*result = NULL;
	if (spe_opts_take(&opts, user_opts))
		return spe_error_set(error, SPE_INVALID,
				     "%.300s: options that this library does not know", path);
	w = writer_alloc(&opts);
	if (!w)
		return spe_error_set(error, SPE_NOMEM, "%.300s: out of memory", path);
	status = spe_output_open(&w->out, path, opts.reserve_bytes, error);
	if (status) {
		writer_free(w);
		return status;
	}
	if (w->out.stream)
		w->pipe = true;
	*result = w;
	return SPE_OK;
}

/* ---- events -------------------------------------------------------------- */

struct attr_word {
	uint16_t at;
	uint64_t value;
};

static void attr_build(const struct spe_perf_attr *attr, uint8_t *raw, size_t n)
{
	const struct attr_word words[] = {
		{ 8, attr->config },
		{ 16, attr->sample_period },
		{ 24, attr->sample_type },
		{ 32, attr->read_format },
		{ 56, attr->config1 },
		{ 64, attr->config2 },
		{ 72, attr->branch_sample_type },
		{ 128, attr->config3 },
		{ 136, attr->config4 },
	};

	/* What has no field of its own (registers, watermarks) comes from the original. */
	if (attr->raw)
		memcpy(raw, attr->raw, attr->raw_bytes < n ? attr->raw_bytes : n);
	spe_put32(raw, attr->type);
	spe_put32(raw + 4, (uint32_t)n);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].at + 8u <= n)
			spe_put64(raw + words[i].at, words[i].value);
	spe_attr_flags_put(raw, attr->flags, spe_host_big_endian());
	if (n >= 96)
		spe_put32(raw + 92, (uint32_t)attr->clockid);
}

int spe_perfdata_writer_attr(struct spe_perfdata_writer *w, const struct spe_perf_attr *attr)
{
	size_t n = attr->attr_size ? attr->attr_size : ATTR_SIZE_DEFAULT;
	uint8_t *raw;
	char *name;
	int status;

	if (w->begun || n < SPE_ATTR_SIZE_MIN || n % 8 || n > SPE_LIMIT_ATTR_BYTES)
		return SPE_INVALID;
	raw = spe_arena_alloc(&w->arena, n);
	name = spe_arena_string(&w->arena, attr->name ? attr->name : "",
				attr->name ? strlen(attr->name) : 0);
	if (!raw || !name)
		return SPE_NOMEM;
	attr_build(attr, raw, n);
	status = spe_attrs_add(&w->attrs, raw, n, spe_host_big_endian(), (const uint8_t *)attr->ids,
			       attr->id_count);
	if (status)
		return status;
	w->attrs.list.items[w->attrs.list.count - 1]->pub.name = name;
	if (n > w->attr_bytes)
		w->attr_bytes = n;
	return SPE_OK;
}

int spe_perfdata_writer_feature(struct spe_perfdata_writer *w, unsigned feature,
				const uint8_t *bytes, size_t n)
{
	if (feature == 0 || feature >= SPE_FEAT_MAX || (w->begun && w->pipe))
		return SPE_INVALID;
	return spe_writer_feature_store(w, feature, bytes, n);
}

int spe_writer_feature_store(struct spe_perfdata_writer *w, unsigned feature, const uint8_t *bytes,
			     size_t n)
{
	uint8_t *copy;

	if (n > SPE_LIMIT_FEATURE_BYTES)
		return SPE_LIMIT;
	copy = spe_arena_alloc(&w->arena, n);
	if (!copy)
		return SPE_NOMEM;
	if (n)
		memcpy(copy, bytes, n);
	w->features[feature] = (struct spe_writer_feature){ copy, n, true };
	return SPE_OK;
}

/* ---- records ------------------------------------------------------------- */

static int writer_begin(struct spe_perfdata_writer *w, struct spe_error *error)
{
	if (w->begun)
		return SPE_OK;
	w->begun = true;
	return spe_writer_head(w, error);
}

/* One record, swapped into scratch; its size, 0 when it is none. */
static size_t record_to_file(struct spe_perfdata_writer *w, const uint8_t *bytes, size_t n)
{
	uint32_t type;
	uint16_t misc, size;

	if (n < SPE_RECORD_HEADER_BYTES)
		return 0;
	type = spe_get32(bytes);
	misc = spe_get16(bytes + 4);
	size = spe_get16(bytes + 6);
	if (size < SPE_RECORD_HEADER_BYTES || size > n)
		return 0;
	memcpy(w->scratch, bytes, size);
	spe_record_swap(&w->attrs, type, misc, w->scratch, size, false);
	spe_swap32(w->scratch);
	spe_swap16(w->scratch + 4);
	spe_swap16(w->scratch + 6);
	return size;
}

int spe_perfdata_writer_records(struct spe_perfdata_writer *w, const uint8_t *bytes, size_t n,
				struct spe_error *error)
{
	int status = writer_begin(w, error);

	if (!w->swap)
		return status ? status : spe_output_write(&w->out, bytes, n, error);
	while (!status && n) {
		size_t size = record_to_file(w, bytes, n);

		if (!size)
			return spe_error_set(error, SPE_INVALID,
					     "%.300s: what was to be written is not whole records",
					     w->out.name);
		status = spe_output_write(&w->out, w->scratch, size, error);
		bytes += size;
		n -= size;
	}
	return status;
}

int spe_perfdata_writer_auxtrace(struct spe_perfdata_writer *w, const uint8_t *record,
				 size_t record_bytes, const uint8_t *data, size_t data_bytes,
				 struct spe_error *error)
{
	int status = writer_begin(w, error);
	uint64_t at;

	if (status)
		return status;
	if (record_bytes != SPE_AUXTRACE_HEADER_BYTES || spe_get64(record + 8) != data_bytes)
		return spe_error_set(error, SPE_INVALID,
				     "%.300s: an AUXTRACE record does not state its data's size",
				     w->out.name);
	at = w->out.offset;
	status = spe_vec_push(&w->auxtraces, &at, SPE_LIMIT_AUX_CHUNKS);
	if (status)
		return spe_error_set(error, status, "%.300s: %s", w->out.name,
				     spe_status_text(status));
	status = spe_perfdata_writer_records(w, record, record_bytes, error);
	return status ? status : spe_output_write(&w->out, data, data_bytes, error);
}

/* ---- the end ------------------------------------------------------------- */

int spe_perfdata_writer_finish(struct spe_perfdata_writer *w, struct spe_error *error)
{
	int status = writer_begin(w, error);

	if (!status)
		status = spe_writer_tail(w, error);
	if (status)
		spe_output_abort(&w->out);
	else
		status = spe_output_finish(&w->out, error);
	writer_free(w);
	return status;
}

void spe_perfdata_writer_abort(struct spe_perfdata_writer *w)
{
	if (!w)
		return;
	spe_output_abort(&w->out);
	writer_free(w);
}
