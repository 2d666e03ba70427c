/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a recording: pass 1, pass 1b, and the facts that follow. */
#include "recording.h"

#include "../base/opts.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

/* All that pass 1 and what follows found. */
static void forget(struct spe_recording *recording)
{
	for (size_t i = 0; i < recording->stream_count; i++) {
		spe_stream_clear(recording->streams[i]);
		free(recording->streams[i]);
	}
	free(recording->streams);
	free(recording->pieces.items);
	free(recording->info.cpus.items);
	spe_idmap_free(recording->idmap);
	spe_switches_free(recording->switches);
	spe_etm_timeline_free(recording->etm);
	spe_tasks_free(recording->tasks);
	spe_tasks_free(recording->sched_tasks);
	spe_names_clear(&recording->names);
}

void spe_recording_close(struct spe_recording *recording)
{
	if (!recording)
		return;
	forget(recording);
	spe_perfdata_close(recording->pd);
	free(recording);
}

/* As if it had just been opened. */
static int start_over(struct spe_recording *recording)
{
	struct spe_recording clean = { .pd = recording->pd, .opts = recording->opts };

	forget(recording);
	*recording = clean;
	return spe_perfdata_rewind(recording->pd);
}

static void copy_opts(struct spe_recording_opts *into, const struct spe_recording_opts *opts)
{
	size_t size = sizeof(*into);

	if (opts) {
		if (opts->size < size)
			size = opts->size;
		memcpy(into, opts, size);
	}
	into->size = sizeof(*into);
}

static int read_all(struct spe_recording *recording, const char *path, bool *again,
		    struct spe_error *error)
{
	int status = spe_tasks_new(&recording->tasks);

	if (!status)
		status = spe_switches_new(&recording->switches);
	if (!status && recording->opts.pid_map)
		status = spe_idmap_new(&recording->idmap);
	if (status)
		return spe_error_set(error, status, "%s: %s", path, spe_status_text(status));
	if (recording->idmap) {
		status = spe_idmap_read(recording->idmap, recording->opts.pid_map, recording->tasks,
					error);
		if (status)
			return status;
	}
	return spe_recording_collect(recording, again, error);
}

/* Everything but the trace itself. */
static int open_side_band(struct spe_recording *recording, const char *path,
			  struct spe_error *error)
{
	struct spe_perfdata_opts opts = { .size = sizeof(opts),
					  .listener = recording->opts.listener,
					  .tmpdir = recording->opts.tmpdir };
	int status = spe_perfdata_open(path, &opts, &recording->pd, error);
	bool again = true;

	/* each time, one more of SPE_LIMIT_MENDS sizes is put right at least */
	while (!status && again) {
		again = false;
		status = read_all(recording, path, &again, error);
		if (!status && again)
			status = start_over(recording);
	}
	return status;
}

static int build_streams(struct spe_recording *recording)
{
	int status = SPE_OK;

	for (size_t i = 0; i < recording->stream_count && !status; i++) {
		struct spe_stream *stream = recording->streams[i];

		status = spe_stream_build(stream);
		recording->facts.snapshots |= stream->repeats.count != 0;
	}
	return status;
}

/*
 * With another clock in the side-band the first survey cannot compare contexts
 * with switches; it is made again once the clocks are lined up.
 */
static int survey(struct spe_recording *recording, const struct spe_companion *companion,
		  bool *kept)
{
	int status = spe_recording_survey(recording, companion, kept);

	if (status || !recording->facts.other_clock || !recording->clock.usable ||
	    !recording->side_band_timed)
		return status;
	status = spe_recording_link_clocks(recording);
	if (status || !recording->clock.linked)
		return status;
	*kept = false;
	return spe_recording_survey(recording, NULL, kept);
}

/*
 * CoreSight trace in the same file is another witness.  What it cannot tell
 * (no library, no contexts, no timestamps of a known clock) is no failure.
 */
static int open_etm(struct spe_recording *recording)
{
	struct spe_error error = { .text = "" };
	struct spe_etm *etm;
	int status;

	if (!recording->facts.other_auxtrace)
		return SPE_OK;
	status = spe_etm_new(recording->pd, &etm, &error);
	if (status == SPE_NOMEM)
		return status;
	if (status) {
		if (status != SPE_NOT_FOUND)
			spe_log(&recording->opts.listener, SPE_LOG_NOTE, "%s", error.text);
		return SPE_OK;
	}
	recording->facts.has_etm = spe_etm_totals(etm)->buffers > 0;
	if (recording->clock.usable && recording->clock.linked)
		status = spe_etm_timeline_new(etm, &recording->clock, &recording->etm);
	spe_etm_free(etm);
	return status == SPE_NOT_FOUND ? SPE_OK : status;
}

/* What a killed perf had not written yet is missing, and how much nobody knows. */
static void tell_unfinished(struct spe_recording *recording)
{
	const struct spe_perfdata_info *info = spe_perfdata_info(recording->pd);

	if (!info->unfinished)
		return;
	recording->broken_off = true;
	if (recording->facts.partial)
		return;
	recording->facts.partial = true;
	snprintf(recording->partial_reason, sizeof(recording->partial_reason),
		 "%.160s: perf was stopped before it ended the file (data size 0 at offset 0x30): "
		 "what it had not written is missing",
		 info->path);
	spe_log(&recording->opts.listener, SPE_LOG_WARNING, "%s", recording->partial_reason);
}

/* The end of pass 1: nothing of the side-band changes any more. */
static int settle(struct spe_recording *recording)
{
	int status;

	tell_unfinished(recording);
	if (recording->broken_off) {
		status = spe_tasks_cut(recording->tasks,
				       recording->unseen_cpu ? recording->complete_ns : UINT64_MAX);
		if (status)
			return status;
		spe_switches_cut(recording->switches);
	}
	status = spe_tasks_freeze(recording->tasks);
	if (!status && recording->sched_tasks)
		status = spe_tasks_freeze(recording->sched_tasks);
	if (!status)
		status = spe_names_merge(&recording->names, recording->tasks,
					 recording->sched_tasks);
	if (!status)
		status = spe_switches_freeze(recording->switches);
	if (!status)
		status = build_streams(recording);
	return status;
}

/* Loss is noted in the side-band's clock; samples show the perf clock. */
static void finish_stream(struct spe_recording *recording, struct spe_stream *stream)
{
	struct spe_stream_info *info = &stream->info;

	if (recording->clock.linked) {
		info->loss_first_ns = spe_clock_perf_ns(&recording->clock, info->loss_first_ns);
		info->loss_last_ns = spe_clock_perf_ns(&recording->clock, info->loss_last_ns);
	}
	free(stream->ranges.items); /* nothing asks for them any more */
	memset(&stream->ranges, 0, sizeof(stream->ranges));
}

static void finish_facts(struct spe_recording *recording)
{
	struct spe_recording_facts *facts = &recording->facts;

	for (size_t i = 0; i < recording->stream_count; i++)
		finish_stream(recording, recording->streams[i]);
	facts->namespace_reason = recording->namespace_reason;
	facts->partial_reason = recording->partial_reason;
	facts->has_time = facts->has_timestamps && recording->clock.usable;
	facts->clock_offset_known = facts->other_clock && recording->clock.linked;
	facts->clock_offset_ns = facts->clock_offset_known ? recording->clock.offset_ns : 0;
	facts->clock_slack_ns = facts->clock_offset_known ? recording->clock.slack_ns : 0;
	facts->has_switches = spe_switches_have(recording->switches, SPE_EVIDENCE_SWITCH);
	facts->has_sched = spe_switches_have(recording->switches, SPE_EVIDENCE_SCHED);
	facts->tasks = spe_tasks_count(recording->tasks);
	facts->comms = spe_recording_comms(recording);
	facts->switches = spe_switches_count(recording->switches);
}

/* Pass 1b, and all that waits for it. */
static int finish(struct spe_recording *recording, const struct spe_companion *companion,
		  bool *kept)
{
	int status = survey(recording, companion, kept);

	if (!status)
		status = spe_recording_judge_namespace(recording);
	if (!status)
		status = open_etm(recording);
	if (status)
		return status;
	finish_facts(recording);
	recording->finished = true;
	return SPE_OK;
}

int spe_recording_finish(struct spe_recording *recording, const struct spe_companion *companion,
			 bool *kept, struct spe_error *error)
{
	struct spe_companion taken;
	bool samples = false;
	int status = SPE_OK;

	if (!recording || spe_opts_take(&taken, companion) ||
	    (companion && (!taken.start || !taken.batch || !kept)))
		return spe_error_set(error, SPE_INVALID, "spe_recording_finish: bad arguments");
	if (!recording->finished)
		status = finish(recording, companion ? &taken : NULL, &samples);
	if (kept)
		*kept = samples && !status;
	return status ? spe_error_set(error, status, "%s: %s",
				      spe_perfdata_info(recording->pd)->path,
				      spe_status_text(status))
		      : SPE_OK;
}

int spe_recording_open(const char *path, const struct spe_recording_opts *opts,
		       struct spe_recording **recording, struct spe_error *error)
{
	struct spe_recording *r;
	int status;

	if (!path || !recording)
		return spe_error_set(error, SPE_INVALID, "no file named");
	r = calloc(1, sizeof(*r));
	if (!r)
		return spe_error_set(error, SPE_NOMEM, "%s: %s", path, spe_status_text(SPE_NOMEM));
	copy_opts(&r->opts, opts);
	status = open_side_band(r, path, error);
	r->opts.pid_map = r->opts.tmpdir = NULL; /* the caller's strings are not kept */
	if (!status) {
		status = settle(r);
		if (status)
			spe_error_set(error, status, "%s: %s", path, spe_status_text(status));
	}
	if (!status && !r->opts.later)
		status = spe_recording_finish(r, NULL, NULL, error);
	if (status) {
		spe_recording_close(r);
		return status;
	}
	*recording = r;
	return SPE_OK;
}
