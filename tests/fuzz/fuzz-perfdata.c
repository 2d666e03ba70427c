/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata: any bytes open or are refused with a reason; a file that opens is
 * walked to its end, twice the same; what an event points at can be read.
 */
#include <string.h>

#include <perf-arm-spe/perfdata.h>

#include "in-memory.h"

static uint64_t sum;

static void touch(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; at && i < n; i++)
		sum = sum * 31 + at[i];
}

static void touch_text(const char *text)
{
	if (text)
		touch(text, strlen(text));
}

static void touch_event(const struct spe_perf_event *e)
{
	sum = sum * 31 + e->type;
	touch(e->raw, e->raw ? e->size : 0);
	switch (e->type) {
	case SPE_PERF_COMM:
		touch_text(e->u.comm.comm);
		break;
	case SPE_PERF_MMAP:
	case SPE_PERF_MMAP2:
		PROPERTY(e->u.mmap.build_id_bytes <= sizeof(e->u.mmap.build_id));
		touch_text(e->u.mmap.filename);
		break;
	case SPE_PERF_NAMESPACES:
		touch(e->u.namespaces.dev_ino, e->u.namespaces.count * 16);
		break;
	case SPE_PERF_AUXTRACE:
		PROPERTY(e->u.auxtrace.data_bytes <= e->u.auxtrace.size);
		touch(e->u.auxtrace.data, e->u.auxtrace.data_bytes);
		break;
	case SPE_PERF_AUXTRACE_INFO:
		touch(e->u.auxtrace_info.priv, e->u.auxtrace_info.priv_count * 8);
		break;
	case SPE_PERF_THREAD_MAP:
		touch(e->u.thread_map.entries, e->u.thread_map.count * 24);
		break;
	case SPE_PERF_ID_INDEX:
		touch(e->u.id_index.entries, e->u.id_index.count * 32);
		break;
	case SPE_PERF_BUILD_ID:
		touch_text(e->u.build_id.filename);
		break;
	case SPE_PERF_SAMPLE:
		touch(e->u.sample.raw_data, e->u.sample.raw_bytes);
		break;
	}
}

static uint64_t walk(const uint8_t *data, size_t size)
{
	struct spe_perfdata_opts opts = { .size = sizeof(opts) };
	struct spe_error error = { 0 };
	struct spe_perfdata *pd = NULL;
	struct spe_perf_event event;
	int status = spe_perfdata_open(in_memory(data, size), &opts, &pd, &error);

	sum = 0;
	if (status) {
		PROPERTY(status < 0 && !pd && error.text[0] && error.status == status);
		return 0;
	}
	while ((status = spe_perfdata_next(pd, &event, &error)) == SPE_OK)
		touch_event(&event);
	PROPERTY(status == SPE_END || (status < 0 && error.text[0]));
	spe_perfdata_close(pd);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PROPERTY(walk(data, size) == walk(data, size));
	return 0;
}
