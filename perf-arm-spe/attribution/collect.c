/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 1: all records of the file once, in file order, into the task timeline,
 * the switch timelines and the AUX streams.
 */
#include "collect.h"
#include "../base/cursor.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Tell the listener how far we are every so many records. */
#define PROGRESS_EVERY 65536u
/* Sizes and offsets above this are no places in any file. */
#define SANE_BYTES (1ull << 62)
/* PERF_TYPE_TRACEPOINT */
#define TRACEPOINT_TYPE 2u
/* Inode of the initial pid namespace: the kernel's PROC_PID_INIT_INO. */
#define INITIAL_PID_NAMESPACE 0xeffffffcull
/* Place of the pid namespace in a NAMESPACES record, which holds {dev, ino} pairs. */
#define NAMESPACE_PID 3u

static int take_time_conv(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_cursor c = spe_cursor_over(event->raw, event->size, false);
	struct spe_time_conv conv = { .present = true };
	uint64_t shift;

	spe_cursor_take(&c, sizeof(uint64_t)); /* header */
	shift = spe_cursor_u64(&c);
	conv.mult = (uint32_t)spe_cursor_u64(&c);
	conv.zero = spe_cursor_u64(&c);
	if (c.failed)
		return SPE_OK;
	conv.cycles = spe_cursor_u64(&c);
	conv.mask = spe_cursor_u64(&c);
	spe_cursor_u8(&c); /* cap_user_time_zero: without it there would be no record */
	conv.cap_short = spe_cursor_u8(&c) != 0;
	if (c.failed) { /* the old, short form */
		conv.cycles = conv.mask = 0;
		conv.cap_short = false;
	}
	if (shift < 64 && conv.mult) {
		conv.shift = (uint16_t)shift;
		collect->recording->clock.conv = conv;
		collect->recording->clock.usable = true;
	}
	return SPE_OK;
}

static int take_auxtrace_info(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_recording *recording = collect->recording;
	struct spe_auxtrace_info *info = &recording->info;
	int status;

	collect->kind_known = true;
	collect->kind = event->u.auxtrace_info.type;
	if (collect->kind != SPE_AUXTRACE_ARM_SPE)
		return SPE_OK;
	info->present = true;
	status = spe_auxtrace_info_read(info, event->u.auxtrace_info.priv,
					event->u.auxtrace_info.priv_count);
	if (status != SPE_CORRUPT)
		return status;
	spe_log(&recording->opts.listener, SPE_LOG_WARNING,
		"AUXTRACE_INFO at offset %llu is damaged: core models may be missing",
		(unsigned long long)event->file_offset);
	return SPE_OK;
}

static bool is_spe_trace(struct spe_collect *collect)
{
	if (collect->kind_known)
		return collect->kind == SPE_AUXTRACE_ARM_SPE;
	return spe_collect_spe_attr(collect->recording, UINT32_MAX) != SIZE_MAX;
}

static int take_auxtrace(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_chunk chunk = { .data = event->u.auxtrace.data,
				   .position = event->u.auxtrace.offset,
				   .bytes = event->u.auxtrace.size,
				   .sequence = event->sequence,
				   .file_offset = event->file_offset,
				   .file_index = event->file_index };
	struct spe_stream *stream;
	int status;

	if (!is_spe_trace(collect)) {
		collect->recording->facts.other_auxtrace++;
		return SPE_OK;
	}
	if (chunk.bytes > event->u.auxtrace.data_bytes)
		chunk.bytes = event->u.auxtrace.data_bytes;
	if (chunk.position > SANE_BYTES || chunk.bytes > SANE_BYTES) {
		spe_log(&collect->recording->opts.listener, SPE_LOG_WARNING,
			"AUXTRACE at file offset %llu has an impossible AUX offset: not used",
			(unsigned long long)event->file_offset);
		return SPE_OK;
	}
	status = spe_collect_stream(collect, event, &stream);
	if (status)
		return status;
	stream->info.chunks++;
	return spe_vec_push(&stream->chunks, &chunk, SPE_LIMIT_AUX_CHUNKS);
}

static int take_aux(struct spe_collect *collect, const struct spe_perf_event *event)
{
	const struct spe_perf_id *id = &event->id;
	struct spe_aux_range range = {
		.offset = event->u.aux.offset,
		.size = event->u.aux.size,
		.flags = event->u.aux.flags,
		.time_ns = id->time_ns,
		.has_time = (id->present & SPE_SAMPLE_TIME) != 0,
		.cpu = id->present & SPE_SAMPLE_CPU ? (int32_t)id->cpu : -1,
		.tid = id->present & SPE_SAMPLE_TID ? id->tid : -1,
		.id = id->id,
		.has_id = (id->present & SPE_SAMPLE_ID) != 0,
		.attr = event->attr_index,
	};

	if (range.offset > SANE_BYTES || range.size > SANE_BYTES)
		return SPE_OK;
	return spe_vec_push(&collect->ranges, &range, SPE_LIMIT_AUX_CHUNKS);
}

static int take_lost(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_lost lost = { .events = event->u.lost.lost, .cpu = -1 };

	if (event->id.present & SPE_SAMPLE_CPU)
		lost.cpu = (int32_t)event->id.cpu;
	if (event->id.present & SPE_SAMPLE_TIME)
		lost.time_ns = event->id.time_ns;
	collect->recording->facts.side_band_lost += lost.events;
	return spe_vec_push(&collect->lost, &lost, SPE_LIMIT_SWITCHES);
}

static int take_id_index(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_cursor c = spe_cursor_over(event->raw, event->size, false);
	uint64_t count;

	spe_cursor_take(&c, sizeof(uint64_t)); /* header */
	count = spe_cursor_u64(&c);
	for (uint64_t i = 0; i < count; i++) {
		struct spe_id_entry entry;
		int status;

		entry.id = spe_cursor_u64(&c);
		entry.idx = (uint32_t)spe_cursor_u64(&c);
		entry.cpu = (int32_t)spe_cursor_u64(&c);
		entry.tid = (int32_t)spe_cursor_u64(&c);
		if (c.failed)
			break;
		status = spe_vec_push(&collect->ids, &entry, SPE_LIMIT_IDS_PER_ATTR);
		if (status)
			return status;
	}
	return SPE_OK;
}

static int take_namespaces(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_namespaces *namespaces = &collect->recording->namespaces;

	/* a task outside the recorder's namespace has no id there, and says nothing */
	if (event->u.namespaces.tid <= 0 || event->u.namespaces.count <= NAMESPACE_PID)
		return SPE_OK;
	if (event->u.namespaces.dev_ino[2 * NAMESPACE_PID + 1] == INITIAL_PID_NAMESPACE)
		namespaces->initial = true;
	else
		namespaces->any = true;
	return SPE_OK;
}

/* Does an event write each of its hits?  A selection of switches is no timeline. */
static bool writes_all(const struct spe_perf_attr *attr)
{
	return attr->sample_period <= 1 && !(attr->flags >> SPE_ATTR_FREQ & 1);
}

/* The format, once; a file without one that can be read has no sched_switch. */
static int learn_sched(struct spe_collect *collect)
{
	const uint8_t *bytes;
	size_t n;
	int status;

	if (collect->sched_tried)
		return SPE_OK;
	collect->sched_tried = true;
	if (spe_perfdata_feature(collect->recording->pd, SPE_FEAT_TRACING_DATA, &bytes, &n))
		return SPE_OK;
	status = spe_sched_new(bytes, n, &collect->sched);
	if (status)
		collect->sched = NULL;
	return status == SPE_NOMEM ? status : SPE_OK;
}

/* SPE_OK, SPE_END when it is none, SPE_NOMEM. */
static int is_sched_switch(struct spe_collect *collect, const struct spe_perf_event *event)
{
	const struct spe_perf_attr *attr;
	int status;

	if (event->attr_index < 0 || !event->u.sample.raw_data)
		return SPE_END;
	attr = spe_perfdata_attr(collect->recording->pd, (size_t)event->attr_index);
	if (!attr || attr->type != TRACEPOINT_TYPE || !writes_all(attr))
		return SPE_END;
	status = learn_sched(collect);
	if (status)
		return status;
	return collect->sched && attr->config == spe_sched_id(collect->sched) ? SPE_OK : SPE_END;
}

/*
 * The tracepoint carries ids of the initial namespace, so its names are kept
 * apart from those of the side-band.
 */
static int take_sched_name(struct spe_collect *collect, int32_t tid, uint64_t time_ns,
			   const char *comm)
{
	struct spe_recording *recording = collect->recording;
	int status = recording->sched_tasks ? SPE_OK : spe_tasks_new(&recording->sched_tasks);

	return status ? status
		      : spe_tasks_add_pair(recording->sched_tasks, -1, tid, true, time_ns, comm);
}

static int take_sample(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_sched_switch hit;
	uint32_t need = SPE_SAMPLE_TIME | SPE_SAMPLE_CPU;
	int status;

	status = is_sched_switch(collect, event);
	if (status < 0)
		return status;
	if (status == SPE_END || (event->id.present & need) != need)
		return SPE_OK;
	if (spe_sched_read(collect->sched, event->u.sample.raw_data, event->u.sample.raw_bytes,
			   &hit))
		return SPE_OK;
	status = spe_switches_add_sched(collect->recording->switches, event->id.cpu,
					event->id.time_ns, hit.prev_tid, hit.next_tid);
	if (!status)
		status = take_sched_name(collect, hit.prev_tid, event->id.time_ns, hit.prev_comm);
	if (!status)
		status = take_sched_name(collect, hit.next_tid, event->id.time_ns, hit.next_comm);
	return status;
}

static int take_start(struct spe_collect *collect, const struct spe_perf_event *event)
{
	uint32_t need = SPE_SAMPLE_TIME | SPE_SAMPLE_CPU;
	struct spe_start start = { .cpu = (int32_t)event->id.cpu, .time_ns = event->id.time_ns };

	if ((event->id.present & need) != need || !start.time_ns ||
	    !spe_collect_other_clock(collect->recording))
		return SPE_OK;
	/* one a CPU is enough, and they come in order of time */
	for (size_t i = 0; i < collect->starts.count; i++) {
		if (collect->starts.items[i].cpu == start.cpu)
			return SPE_OK;
	}
	return spe_vec_push(&collect->starts, &start, SPE_LIMIT_CPUS);
}

static int take_task_time(struct spe_collect *collect, const struct spe_perf_event *event)
{
	if (!event->u.task.time_ns)
		return SPE_OK;
	collect->timed = true;
	if (event->type == SPE_PERF_FORK && event->u.task.pid != event->u.task.tid)
		collect->recording->threads_forked = true;
	return SPE_OK;
}

/*
 * perf goes round the rings of all CPUs again and again.  What was written before
 * one round ended is in the file when the next has.
 */
static int take_round(struct spe_collect *collect, const struct spe_perf_event *event)
{
	(void)event;
	collect->complete_ns = collect->round_ns;
	collect->round_ns = collect->newest_ns;
	return SPE_OK;
}

static int note_cpu(struct spe_collect *collect, const struct spe_perf_id *id)
{
	uint32_t need = SPE_SAMPLE_TIME | SPE_SAMPLE_CPU;
	const uint8_t no = 0;

	if ((id->present & need) != need || !id->time_ns || id->cpu >= SPE_LIMIT_CPUS)
		return SPE_OK;
	if (id->time_ns > collect->newest_ns)
		collect->newest_ns = id->time_ns;
	while (collect->seen.count <= id->cpu) {
		int status = spe_vec_push(&collect->seen, &no, SPE_LIMIT_CPUS);

		if (status)
			return status;
	}
	collect->seen.items[id->cpu] = 1;
	return SPE_OK;
}

/* Records that say more than their trailer. */
static const struct {
	uint32_t type;
	int (*take)(struct spe_collect *collect, const struct spe_perf_event *event);
} takers[] = {
	{ SPE_PERF_TIME_CONV, take_time_conv },
	{ SPE_PERF_AUXTRACE_INFO, take_auxtrace_info },
	{ SPE_PERF_AUXTRACE, take_auxtrace },
	{ SPE_PERF_AUX, take_aux },
	{ SPE_PERF_LOST, take_lost },
	{ SPE_PERF_ID_INDEX, take_id_index },
	{ SPE_PERF_NAMESPACES, take_namespaces },
	{ SPE_PERF_SAMPLE, take_sample },
	{ SPE_PERF_ITRACE_START, take_start },
	{ SPE_PERF_FINISHED_ROUND, take_round },
	{ SPE_PERF_FORK, take_task_time },
	{ SPE_PERF_EXIT, take_task_time },
};

static int take_event(struct spe_collect *collect, const struct spe_perf_event *event)
{
	struct spe_recording *recording = collect->recording;
	bool possible = spe_tasks_possible(event);
	int status = possible ? spe_tasks_add(recording->tasks, event) : SPE_OK;

	collect->impossible += !possible;
	if (!status && possible)
		status = spe_switches_add(recording->switches, event);
	if (!status)
		status = note_cpu(collect, &event->id);
	if ((event->id.present & SPE_SAMPLE_TIME) && event->id.time_ns)
		collect->timed = true;
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]) && !status; i++) {
		if (takers[i].type == event->type)
			status = takers[i].take(collect, event);
	}
	return status;
}

/* The end of the file was not the end of the recording. */
static int note_damage(struct spe_recording *recording, const struct spe_error *error)
{
	recording->facts.partial = recording->broken_off = true;
	snprintf(recording->partial_reason, sizeof(recording->partial_reason), "%s", error->text);
	return SPE_OK;
}

static int take_error(const char *path, const struct spe_perf_event *event, int status,
		      struct spe_error *error)
{
	const char *name = spe_perf_record_name(event->type);

	if (status != SPE_LIMIT)
		return spe_error_set(error, status, "%s: %s", path, spe_status_text(status));
	return spe_error_set_at(error, status, event->file_offset,
				"%s: 0x%llx: more than this program keeps, this %s record is one "
				"too many: record for a shorter time",
				path, (unsigned long long)event->file_offset, name);
}

static int read_events(struct spe_collect *collect, struct spe_error *error)
{
	struct spe_recording *recording = collect->recording;
	const struct spe_perfdata_info *info = spe_perfdata_info(recording->pd);
	struct spe_perf_event event;
	int status;

	for (uint64_t n = 0;; n++) {
		status = spe_perfdata_next(recording->pd, &event, error);
		if (status)
			break;
		status = take_event(collect, &event);
		if (status)
			return take_error(info->path, &event, status, error);
		if (n % PROGRESS_EVERY == 0)
			spe_progress(&recording->opts.listener, "reading", event.file_offset,
				     info->file_bytes);
	}
	if (status == SPE_CORRUPT || status == SPE_LIMIT || status == SPE_UNSUPPORTED)
		return note_damage(recording, error);
	return status == SPE_END ? SPE_OK : status;
}

int spe_recording_collect(struct spe_recording *recording, bool *again, struct spe_error *error)
{
	struct spe_collect collect = { .recording = recording };
	struct spe_error own;
	int status;

	if (!error)
		error = &own;
	memset(error, 0, sizeof(*error));
	status = read_events(&collect, error);
	if (!status)
		status = spe_collect_finish(&collect, error);
	*again = collect.again;
	spe_collect_clear(&collect);
	return status;
}
