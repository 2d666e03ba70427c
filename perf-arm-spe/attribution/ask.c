/* SPDX-License-Identifier: GPL-2.0-only */
/* What an open recording answers. */
#include "recording.h"

struct spe_perfdata *spe_recording_perfdata(const struct spe_recording *recording)
{
	return recording->pd;
}

const struct spe_recording_facts *spe_recording_facts(const struct spe_recording *recording)
{
	return &recording->facts;
}

size_t spe_recording_streams(const struct spe_recording *recording)
{
	return recording->stream_count;
}

const struct spe_stream_info *spe_recording_stream(const struct spe_recording *recording, size_t i)
{
	return i < recording->stream_count ? &recording->streams[i]->info : NULL;
}

size_t spe_recording_stream_attr(const struct spe_recording *recording, size_t i)
{
	return i < recording->stream_count ? recording->streams[i]->attr : 0;
}

const char *spe_recording_comm(const struct spe_recording *recording, uint32_t comm)
{
	if (comm == SPE_COMM_NONE)
		return NULL;
	return recording->names.text ? spe_strings_get(recording->names.text, comm)
				     : spe_tasks_comm(recording->tasks, comm);
}

size_t spe_recording_comms(const struct spe_recording *recording)
{
	return recording->names.text ? spe_strings_count(recording->names.text)
				     : spe_tasks_comms(recording->tasks);
}

size_t spe_recording_pieces(const struct spe_recording *recording)
{
	return recording->pieces.count;
}

const struct spe_piece *spe_recording_piece(const struct spe_recording *recording, size_t i)
{
	return i < recording->pieces.count ? &recording->pieces.items[i].piece : NULL;
}

int spe_recording_task(const struct spe_recording *recording, int32_t tid, bool has_time,
		       uint64_t time_ns, struct spe_task *task)
{
	const struct spe_clock *clock = &recording->clock;
	bool timed = has_time && clock->linked;
	int status = spe_tasks_find(recording->tasks, tid, timed, spe_clock_side_ns(clock, time_ns),
				    task);

	task->from_ns = spe_clock_perf_ns(clock, task->from_ns);
	task->to_ns = spe_clock_perf_ns(clock, task->to_ns);
	return status;
}

uint64_t spe_recording_side_ns(const struct spe_recording *recording, uint64_t time_ns)
{
	const struct spe_clock *clock = &recording->clock;

	return clock->linked ? spe_clock_side_ns(clock, time_ns) : time_ns;
}

bool spe_recording_knows_tid(const struct spe_recording *recording, int32_t tid)
{
	return spe_tasks_knows(recording->tasks, tid);
}

int spe_recording_switch(const struct spe_recording *recording, int32_t cpu, uint64_t time_ns,
			 struct spe_switch_answer *answer)
{
	const struct spe_clock *clock = &recording->clock;
	int status;

	*answer = (struct spe_switch_answer){ .pid = -1, .tid = -1, .to_ns = UINT64_MAX };
	if (!clock->linked)
		return SPE_NOT_FOUND;
	status = spe_switches_find(recording->switches, cpu, spe_clock_side_ns(clock, time_ns),
				   answer);
	answer->from_ns = spe_clock_perf_ns(clock, answer->from_ns);
	answer->to_ns = spe_clock_perf_ns(clock, answer->to_ns);
	return status;
}

int spe_recording_etm(const struct spe_recording *recording, int32_t cpu, uint64_t time_ns,
		      int32_t *tid, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct spe_clock *clock = &recording->clock;
	const struct spe_etm_span *span;

	*tid = -1;
	*from_ns = 0;
	*to_ns = UINT64_MAX;
	if (!recording->etm)
		return SPE_NOT_FOUND;
	span = spe_etm_timeline_find(recording->etm, cpu, spe_clock_side_ns(clock, time_ns),
				     from_ns, to_ns);
	*from_ns = spe_clock_perf_ns(clock, *from_ns);
	*to_ns = spe_clock_perf_ns(clock, *to_ns);
	if (!span)
		return SPE_NOT_FOUND;
	*tid = (int32_t)span->tid;
	return SPE_OK;
}
