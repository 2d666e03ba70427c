/* SPDX-License-Identifier: GPL-2.0-only */
/* For the tests of perfdata: everything an open file gives, folded into one number. */
#ifndef TESTS_PERFDATA_DIGEST_H
#define TESTS_PERFDATA_DIGEST_H

#include <perf-arm-spe/perfdata.h>

#include <string.h>

struct digest {
	uint64_t hash;
	uint64_t records, payload;
	int status; /* what ended it */
};

static void fold(struct digest *d, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++)
		d->hash = (d->hash ^ b[i]) * 0x100000001b3u;
}

static void fold_event(struct digest *d, const struct spe_perf_event *e)
{
	fold(d, &e->type, sizeof(e->type));
	fold(d, &e->id, sizeof(e->id));
	fold(d, &e->attr_index, sizeof(e->attr_index));
	if (e->raw)
		fold(d, e->raw, e->size);
	switch (e->type) {
	case SPE_PERF_COMM:
		fold(d, e->u.comm.comm, strlen(e->u.comm.comm));
		break;
	case SPE_PERF_MMAP:
	case SPE_PERF_MMAP2:
		fold(d, e->u.mmap.filename, strlen(e->u.mmap.filename));
		break;
	case SPE_PERF_BUILD_ID:
		fold(d, e->u.build_id.filename, strlen(e->u.build_id.filename));
		break;
	case SPE_PERF_NAMESPACES:
		fold(d, e->u.namespaces.dev_ino, e->u.namespaces.count * 16);
		break;
	case SPE_PERF_ID_INDEX:
		fold(d, e->u.id_index.entries, e->u.id_index.count * 32);
		break;
	case SPE_PERF_AUXTRACE_INFO:
		fold(d, e->u.auxtrace_info.priv, e->u.auxtrace_info.priv_count * 8);
		break;
	case SPE_PERF_THREAD_MAP:
		fold(d, e->u.thread_map.entries, e->u.thread_map.count * 24);
		break;
	case SPE_PERF_AUXTRACE:
		fold(d, e->u.auxtrace.data, e->u.auxtrace.data_bytes);
		d->payload += e->u.auxtrace.data_bytes;
		break;
	case SPE_PERF_SAMPLE:
		if (e->u.sample.raw_data)
			fold(d, e->u.sample.raw_data, e->u.sample.raw_bytes);
		break;
	}
}

/* What a pipe says in records and a file in its header. */
static bool describes_the_file(uint32_t type)
{
	return type == SPE_PERF_HEADER_ATTR || type == SPE_PERF_HEADER_FEATURE ||
	       type == SPE_PERF_EVENT_UPDATE;
}

/* Read to the end, touching every byte that is pointed at. */
static struct digest digest_rest(struct spe_perfdata *pd, struct spe_error *error)
{
	struct digest d = { .hash = 0xcbf29ce484222325u };
	struct spe_perf_event e;

	while ((d.status = spe_perfdata_next(pd, &e, error)) == SPE_OK) {
		if (describes_the_file(e.type))
			continue;
		d.records++;
		fold_event(&d, &e);
	}
	return d;
}

/* The same twice, with a rewind between: both must agree. */
static struct digest digest_file(struct spe_perfdata *pd, struct spe_error *error)
{
	struct digest first = digest_rest(pd, error), again;

	ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
	again = digest_rest(pd, error);
	ck_assert_uint_eq(first.hash, again.hash);
	ck_assert_uint_eq(first.records, again.records);
	ck_assert_int_eq(first.status, again.status);
	return first;
}

/* Open, read twice, close; status says what ended it, the error what and where. */
static struct digest digest_path(const char *path, struct spe_error *error)
{
	struct digest d = { 0 };
	struct spe_perfdata *pd;

	d.status = spe_perfdata_open(path, NULL, &pd, error);
	if (d.status)
		return d;
	d = digest_file(pd, error);
	spe_perfdata_close(pd);
	return d;
}

#endif
