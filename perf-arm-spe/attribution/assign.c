/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of pass 1: whose AUX records, losses, models and events are a stream's. */
#include "collect.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

/* A failed allocation inside uthash must come back as a status, not exit(). */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* A CPU has one buffer per SPE event on it: look no further among its streams. */
#define BUFFERS_PER_CPU 64u

struct stream_key {
	int32_t cpu, tid;
	uint32_t idx;
};

struct spe_stream_entry {
	UT_hash_handle hh;
	struct stream_key key;
	struct spe_stream *stream;
};

/* ---- making streams --------------------------------------------------------- */

static struct spe_stream *new_stream(const struct stream_key *key)
{
	struct spe_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->key_tid = key->tid;
	stream->info.cpu = key->cpu;
	stream->info.tid = key->cpu < 0 ? key->tid : -1;
	stream->info.idx = key->idx;
	return stream;
}

int spe_collect_stream(struct spe_collect *collect, const struct spe_perf_event *event,
		       struct spe_stream **stream)
{
	struct stream_key key = { .cpu = event->u.auxtrace.cpu < 0 ? -1 : event->u.auxtrace.cpu,
				  .tid = event->u.auxtrace.tid,
				  .idx = event->u.auxtrace.idx };
	struct spe_stream_entry *entry;

	HASH_FIND(hh, collect->by_key, &key, sizeof(key), entry);
	if (entry) {
		*stream = entry->stream;
		return SPE_OK;
	}
	if (HASH_COUNT(collect->by_key) >= SPE_LIMIT_STREAMS)
		return SPE_LIMIT;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return SPE_NOMEM;
	entry->key = key;
	entry->stream = new_stream(&key);
	if (entry->stream)
		HASH_ADD(hh, collect->by_key, key, sizeof(entry->key), entry);
	if (!entry->stream || !entry->hh.tbl) {
		free(entry->stream);
		free(entry);
		return SPE_NOMEM;
	}
	*stream = entry->stream;
	return SPE_OK;
}

void spe_collect_clear(struct spe_collect *collect)
{
	struct spe_stream_entry *entry, *next;

	HASH_ITER (hh, collect->by_key, entry, next) {
		HASH_DEL(collect->by_key, entry);
		if (entry->stream) /* was not handed to the recording */
			spe_stream_clear(entry->stream);
		free(entry->stream);
		free(entry);
	}
	free(collect->ranges.items);
	free(collect->lost.items);
	free(collect->starts.items);
	free(collect->seen.items);
	spe_sched_free(collect->sched);
	free(collect->ids.items);
}

static int stream_order(const void *a, const void *b)
{
	const struct spe_stream *x = *(struct spe_stream *const *)a;
	const struct spe_stream *y = *(struct spe_stream *const *)b;

	SPE_ORDER(x->info.cpu, y->info.cpu);
	SPE_ORDER(x->key_tid, y->key_tid);
	SPE_ORDER(x->info.idx, y->info.idx);
	return 0;
}

static int hand_over_streams(struct spe_collect *collect)
{
	struct spe_recording *recording = collect->recording;
	size_t count = HASH_COUNT(collect->by_key);
	struct spe_stream_entry *entry, *next;

	if (!count)
		return SPE_OK;
	recording->streams = calloc(count, sizeof(struct spe_stream *));
	if (!recording->streams)
		return SPE_NOMEM;
	HASH_ITER (hh, collect->by_key, entry, next) {
		recording->streams[recording->stream_count++] = entry->stream;
		entry->stream = NULL;
	}
	qsort(recording->streams, count, sizeof(struct spe_stream *), stream_order);
	return SPE_OK;
}

/* ---- which stream an AUX record speaks of ------------------------------------ */

static int id_order(const void *a, const void *b)
{
	const struct spe_id_entry *x = a, *y = b;

	SPE_ORDER(x->id, y->id);
	return 0;
}

/* First stream of a CPU, and with cpu -1 of a thread; or one after, or stream_count. */
static size_t first_of(const struct spe_recording *recording, int32_t cpu, int32_t tid)
{
	size_t low = 0, high = recording->stream_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct spe_stream *at = recording->streams[mid];

		if (at->info.cpu < cpu || (cpu < 0 && at->info.cpu < 0 && at->key_tid < tid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct spe_stream *spe_collect_find(const struct spe_recording *recording, int32_t cpu, int32_t tid,
				    int64_t idx)
{
	size_t first = first_of(recording, cpu, tid);

	for (size_t i = first; i < recording->stream_count && i - first < BUFFERS_PER_CPU; i++) {
		struct spe_stream *stream = recording->streams[i];

		if (stream->info.cpu != cpu || (cpu < 0 && stream->key_tid != tid))
			break;
		if (idx < 0 || stream->info.idx == idx)
			return stream;
	}
	return NULL;
}

static struct spe_stream *stream_of_range(const struct spe_collect *collect,
					  const struct spe_aux_range *range)
{
	const struct spe_recording *recording = collect->recording;
	struct spe_id_entry key = { .id = range->id };
	const struct spe_id_entry *entry = NULL;
	struct spe_stream *stream = NULL;

	if (range->has_id && collect->ids.count)
		entry = bsearch(&key, collect->ids.items, collect->ids.count, sizeof(key),
				id_order);
	if (entry)
		stream = spe_collect_find(recording, entry->cpu < 0 ? -1 : entry->cpu, entry->tid,
					  entry->idx);
	if (!stream)
		stream = spe_collect_find(recording, range->cpu, range->tid, -1);
	return stream;
}

static int assign_ranges(struct spe_collect *collect)
{
	int status = SPE_OK;

	if (collect->ids.count)
		qsort(collect->ids.items, collect->ids.count, sizeof(*collect->ids.items),
		      id_order);
	for (size_t i = 0; i < collect->ranges.count && !status; i++) {
		const struct spe_aux_range *range = &collect->ranges.items[i];
		struct spe_stream *stream = stream_of_range(collect, range);

		if (stream)
			status = spe_vec_push(&stream->ranges, range, SPE_LIMIT_AUX_CHUNKS);
	}
	return status;
}

static void assign_losses(struct spe_collect *collect)
{
	struct spe_recording *recording = collect->recording;

	for (size_t i = 0; i < collect->lost.count; i++) {
		const struct spe_lost *lost = &collect->lost.items[i];
		struct spe_stream *stream =
			lost->cpu < 0 ? NULL : spe_collect_find(recording, lost->cpu, -1, -1);
		struct spe_stream_info *info;

		if (!stream)
			continue;
		info = &stream->info;
		info->lost_records++;
		info->lost_events += lost->events;
		if (!lost->time_ns)
			continue;
		if (!info->loss_first_ns || lost->time_ns < info->loss_first_ns)
			info->loss_first_ns = lost->time_ns;
		if (lost->time_ns > info->loss_last_ns)
			info->loss_last_ns = lost->time_ns;
	}
}

static void assign_starts(struct spe_collect *collect)
{
	for (size_t i = 0; i < collect->starts.count; i++) {
		const struct spe_start *start = &collect->starts.items[i];
		struct spe_stream *stream =
			spe_collect_find(collect->recording, start->cpu, -1, -1);

		if (stream)
			stream->start_ns = start->time_ns;
	}
}

/* ---- which event and which core ----------------------------------------------- */

static bool is_spe_attr(const struct spe_recording *recording, const struct spe_perf_attr *attr)
{
	const char *pmu = spe_perfdata_pmu_name(recording->pd, attr->type);

	if (recording->info.version) {
		if (attr->type == recording->info.pmu_type)
			return true;
		for (size_t i = 0; i < recording->info.cpus.count; i++) {
			if (recording->info.cpus.items[i].pmu_type == attr->type)
				return true;
		}
	}
	return (pmu && strncmp(pmu, "arm_spe", 7) == 0) || strncmp(attr->name, "arm_spe", 7) == 0;
}

size_t spe_collect_spe_attr(const struct spe_recording *recording, uint32_t pmu_type)
{
	size_t count = spe_perfdata_attr_count(recording->pd);

	for (size_t i = 0; i < count; i++) {
		const struct spe_perf_attr *attr = spe_perfdata_attr(recording->pd, i);

		if (attr && (pmu_type == UINT32_MAX || attr->type == pmu_type) &&
		    is_spe_attr(recording, attr))
			return i;
	}
	return SIZE_MAX;
}

/* The event whose AUX records feed the stream, else that of the CPU's PMU, else the first. */
static size_t attr_of_stream(const struct spe_recording *recording, const struct spe_stream *stream)
{
	uint32_t pmu = spe_auxtrace_info_pmu(&recording->info, stream->info.cpu);
	size_t attr = SIZE_MAX;

	if (stream->ranges.count && stream->ranges.items[0].attr >= 0) {
		const struct spe_perf_attr *of_range =
			spe_perfdata_attr(recording->pd, (size_t)stream->ranges.items[0].attr);

		if (of_range && is_spe_attr(recording, of_range))
			return (size_t)stream->ranges.items[0].attr;
	}
	if (recording->info.version)
		attr = spe_collect_spe_attr(recording, pmu);
	if (attr == SIZE_MAX)
		attr = spe_collect_spe_attr(recording, UINT32_MAX);
	return attr == SIZE_MAX ? 0 : attr;
}

static void describe_streams(struct spe_recording *recording)
{
	const char *cpuid = spe_perfdata_info(recording->pd)->cpuid;

	for (size_t i = 0; i < recording->stream_count; i++) {
		struct spe_stream *stream = recording->streams[i];

		stream->attr = attr_of_stream(recording, stream);
		stream->info.midr =
			recording->opts.midr
				? recording->opts.midr
				: spe_auxtrace_info_midr(&recording->info, stream->info.cpu, cpuid);
		if (stream->info.cpu < 0)
			recording->facts.per_thread = true;
	}
}

/* ---- the whole ------------------------------------------------------------------ */

bool spe_collect_other_clock(const struct spe_recording *recording)
{
	size_t count = spe_perfdata_attr_count(recording->pd);

	for (size_t i = 0; i < count; i++) {
		const struct spe_perf_attr *attr = spe_perfdata_attr(recording->pd, i);

		if (attr && (attr->flags >> SPE_ATTR_USE_CLOCKID & 1))
			return true;
	}
	return false;
}

static void judge_clock(struct spe_collect *collect)
{
	struct spe_recording *recording = collect->recording;

	recording->facts.other_clock = spe_collect_other_clock(recording);
	recording->facts.conv = recording->clock.conv;
	recording->clock.linked =
		recording->clock.usable && collect->timed && !recording->facts.other_clock;
	recording->side_band_timed = collect->timed;
}

/* A CPU of the recording that has told nothing yet may have had something to tell. */
static void look_for_unseen(const struct spe_collect *collect)
{
	struct spe_recording *recording = collect->recording;

	for (size_t i = 0; i < collect->ids.count; i++) {
		int32_t cpu = collect->ids.items[i].cpu;

		if (cpu < 0 || ((size_t)cpu < collect->seen.count && collect->seen.items[cpu]))
			continue;
		recording->unseen_cpu = true;
		recording->complete_ns = collect->complete_ns;
		return;
	}
}

/* Name the file's events, as many as fit. */
static void list_events(const struct spe_recording *recording, char *text, size_t size)
{
	size_t count = spe_perfdata_attr_count(recording->pd), used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && used < size; i++) {
		const char *name = spe_perfdata_attr(recording->pd, i)->name;
		int n = snprintf(text + used, size - used, "%s%s", i ? ", " : "",
				 *name ? name : "an event without a name");

		if (n < 0 || (size_t)n >= size - used)
			break;
		used += (size_t)n;
	}
}

static const char *auxtrace_kind_name(uint32_t kind)
{
	switch (kind) {
	case SPE_AUXTRACE_INTEL_PT:
		return "Intel PT";
	case SPE_AUXTRACE_INTEL_BTS:
		return "Intel BTS";
	case SPE_AUXTRACE_CS_ETM:
		return "CoreSight ETM";
	default:
		return "another kind";
	}
}

static int no_spe(const struct spe_collect *collect, struct spe_error *error)
{
	const struct spe_recording *recording = collect->recording;
	const char *path = spe_perfdata_info(recording->pd)->path;
	char events[256];

	list_events(recording, events, sizeof(events));
	if (recording->facts.other_auxtrace || collect->kind_known)
		return spe_error_set(error, SPE_NO_SPE,
				     "%s: no Arm SPE data: its AUX trace is of %s; events: %s",
				     path, auxtrace_kind_name(collect->kind), events);
	return spe_error_set(error, SPE_NO_SPE, "%s: no Arm SPE data; events: %s", path,
			     *events ? events : "none");
}

/*
 * Events that an inject made, ours or perf's: they are numbered so much above the SPE event's
 * own id (perf: synth_instructions_events and the like of each decoder).
 */
#define SYNTH_ID_OFFSET 1000000000ull
#define SYNTH_IDS 16u

static bool was_injected(const struct spe_recording *recording)
{
	size_t at = spe_collect_spe_attr(recording, UINT32_MAX);
	const struct spe_perf_attr *spe = spe_perfdata_attr(recording->pd, at);

	for (size_t i = 0; spe && spe->id_count && i < spe_perfdata_attr_count(recording->pd);
	     i++) {
		const struct spe_perf_attr *attr = spe_perfdata_attr(recording->pd, i);

		for (size_t k = 0; k < attr->id_count; k++)
			if (attr->ids[k] - spe->ids[0] - SYNTH_ID_OFFSET < SYNTH_IDS)
				return true;
	}
	return false;
}

int spe_collect_finish(struct spe_collect *collect, struct spe_error *error)
{
	struct spe_recording *recording = collect->recording;
	int status;

	if (!HASH_COUNT(collect->by_key)) {
		if (recording->facts.partial) /* nothing of it can be used: *error says why */
			return error->status;
		if (!recording->info.present && !recording->opts.without_spe &&
		    spe_collect_spe_attr(recording, UINT32_MAX) == SIZE_MAX)
			return no_spe(collect, error);
		if (!recording->opts.without_spe && was_injected(recording))
			return spe_error_set(error, SPE_NO_SPE,
					     "%s: was written by inject: it holds samples in place "
					     "of the trace; perf report reads it",
					     spe_perfdata_info(recording->pd)->path);
		if (!recording->opts.without_spe)
			spe_log(&recording->opts.listener, SPE_LOG_WARNING,
				"the file has an SPE event but no trace of it");
	}
	status = hand_over_streams(collect);
	if (!status)
		status = assign_ranges(collect);
	if (status)
		return spe_error_set(error, status, "%s: %s",
				     spe_perfdata_info(recording->pd)->path,
				     spe_status_text(status));
	assign_losses(collect);
	assign_starts(collect);
	describe_streams(recording);
	judge_clock(collect);
	look_for_unseen(collect);
	status = spe_collect_vouch(collect);
	return status ? spe_error_set(error, status, "%s: %s",
				      spe_perfdata_info(recording->pd)->path,
				      spe_status_text(status))
		      : SPE_OK;
}
