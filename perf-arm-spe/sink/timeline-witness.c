/* SPDX-License-Identifier: GPL-2.0-only */
/* The witnesses: SPE contexts, switch records, ETM contexts; each as stretches. */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

static bool wanted(const struct timeline *t, int32_t cpu)
{
	return t->opts->cpu < 0 || t->opts->cpu == cpu;
}

/* ---- SPE records, in time order ---------------------------------------------- */

static int on_begin(void *sink, unsigned worker, void **partial)
{
	(void)worker;
	*partial = sink;
	return SPE_OK;
}

static int on_merge(void *sink, void *partial)
{
	(void)sink;
	(void)partial;
	return SPE_OK;
}

/* A record without a time belongs to it, and moves neither end. */
static void stretch_grow(struct timeline_stretch *open, const struct spe_sample *s)
{
	open->count++;
	if (!s->has_time)
		return;
	if (!open->has_time)
		open->from_ns = s->time_ns;
	open->has_time = true;
	open->to_ns = s->time_ns;
}

static int stretch_take(struct timeline *t, const struct spe_sample *s)
{
	struct timeline_stretch *open = &t->open[s->stream];
	int status = SPE_OK;

	if (!wanted(t, s->cpu) ||
	    (s->evidence != SPE_EVIDENCE_CONTEXT && s->evidence != SPE_EVIDENCE_MAPPED &&
	     s->evidence != SPE_EVIDENCE_OUTSIDE))
		return SPE_OK;
	if (t->is_open[s->stream] && open->tid == s->tid && open->pid == s->pid) {
		stretch_grow(open, s);
		return SPE_OK;
	}
	if (t->is_open[s->stream])
		status = timeline_put(t, open);
	t->is_open[s->stream] = true;
	*open = (struct timeline_stretch){ .source = TIMELINE_SPE,
					   .cpu = s->cpu,
					   .pid = s->pid,
					   .tid = s->tid,
					   .comm = s->comm,
					   .has_time = s->has_time,
					   .from_ns = s->time_ns,
					   .to_ns = s->time_ns,
					   .count = 1 };
	return status;
}

static int on_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	int status = SPE_OK;

	(void)partial;
	for (size_t i = 0; !status && i < count; i++)
		status = stretch_take(sink, &samples[i]);
	return status;
}

static int on_end(void *sink, const struct spe_run_stats *stats)
{
	struct timeline *t = sink;
	int status = SPE_OK;

	(void)stats;
	for (size_t i = 0; !status && i < spe_recording_streams(t->recording); i++)
		if (t->is_open[i])
			status = timeline_put(t, &t->open[i]);
	return status;
}

int timeline_spe(struct timeline *t, struct spe_error *error)
{
	static const struct spe_sink_ops ops = { .name = "timeline",
						 .want = SPE_HAS_TIMESTAMP,
						 .names = true,
						 .ordered = true,
						 .begin = on_begin,
						 .batch = on_batch,
						 .merge = on_merge,
						 .end = on_end };
	struct spe_run_opts run = { .size = sizeof(run),
				    .threads = t->opts->threads,
				    .listener = t->opts->listener };
	size_t streams = spe_recording_streams(t->recording);
	struct spe_run_stats stats;
	int status = SPE_NOMEM;

	t->open = calloc(streams + 1, sizeof(*t->open));
	t->is_open = calloc(streams + 1, sizeof(*t->is_open));
	if (t->open && t->is_open)
		status = spe_sink_run(t->recording, &ops, t, &run, &stats, error);
	free(t->open);
	free(t->is_open);
	return status;
}

/* ---- switch records ------------------------------------------------------------- */

/* The stretch a switch answer stands for, named. */
static struct timeline_stretch switch_stretch(const struct timeline *t, int32_t cpu, uint64_t from,
					      const struct spe_switch_answer *a)
{
	struct timeline_stretch s = { .source = TIMELINE_SWITCH,
				      .cpu = cpu,
				      .pid = a->pid,
				      .tid = a->tid,
				      .comm = SPE_COMM_NONE,
				      .has_time = true,
				      .no_from = !from,
				      .no_to = a->to_ns == UINT64_MAX,
				      .from_ns = from,
				      .to_ns = a->to_ns };
	struct spe_task task;

	if (!spe_recording_task(t->recording, a->tid, true, from, &task)) {
		s.pid = s.pid < 0 ? task.pid : s.pid;
		s.comm = task.comm;
	}
	return s;
}

/* A CPU's switch timeline from its first answer to its last, hopping from span to span. */
static int switch_cpu(struct timeline *t, int32_t cpu)
{
	struct timeline_stretch open = { .cpu = -1 }, s;
	uint64_t at = 0, end = 0;
	int status = SPE_OK;

	while (!status && end != UINT64_MAX) {
		struct spe_switch_answer a = { .to_ns = UINT64_MAX };
		bool known = !spe_recording_switch(t->recording, cpu, at, &a) &&
			     a.evidence != SPE_EVIDENCE_NONE;

		end = a.to_ns;
		if (end <= at) /* no span is empty; a loop must end all the same */
			break;
		s = switch_stretch(t, cpu, at, &a);
		at = end;
		if (known && open.cpu == cpu && open.tid == s.tid && open.to_ns == s.from_ns) {
			open.to_ns = s.to_ns;
			open.no_to = s.no_to;
			continue;
		}
		if (open.cpu == cpu)
			status = timeline_put(t, &open);
		open = s;
		open.cpu = known ? cpu : -1;
	}
	if (!status && open.cpu == cpu)
		status = timeline_put(t, &open);
	return status;
}

int timeline_switch(struct timeline *t)
{
	const struct spe_perfdata_info *info =
		spe_perfdata_info(spe_recording_perfdata(t->recording));
	int32_t cpus = (int32_t)info->cpus_available;
	int status = SPE_OK;

	for (size_t i = 0; i < spe_recording_streams(t->recording); i++) {
		int32_t cpu = spe_recording_stream(t->recording, i)->cpu;

		cpus = cpu >= cpus ? cpu + 1 : cpus;
	}
	for (int32_t cpu = 0; !status && cpu < cpus; cpu++)
		if (wanted(t, cpu))
			status = switch_cpu(t, cpu);
	return status;
}

/* ---- ETM/ETE trace ----------------------------------------------------------------- */

static bool ticks_to_ns(const struct timeline *t, uint64_t ticks, uint64_t *ns)
{
	return spe_time_from_ticks(&spe_recording_facts(t->recording)->conv, ticks, ns);
}

/*
 * Times of a context: between the timestamps around it where the trace has any
 * and they convert, else the AUX records around it only bound it.
 */
static void etm_times(const struct timeline *t, const struct spe_etm_context *c,
		      struct timeline_stretch *s)
{
	uint64_t from, until;

	if (c->has_next_timestamp && ticks_to_ns(t, c->next_timestamp, &from) &&
	    ticks_to_ns(t, c->until_timestamp, &until)) {
		s->has_time = true;
		s->from_ns = from;
		s->to_ns = until;
		return;
	}
	s->has_time = s->bounds_only = c->has_bounds;
	s->from_ns = c->after_ns;
	s->to_ns = c->before_ns;
}

static void etm_stretch(const struct timeline *t, const struct spe_etm_context *c,
			struct timeline_stretch *s)
{
	struct spe_task task;

	*s = (struct timeline_stretch){ .source = TIMELINE_ETM,
					.cpu = c->cpu,
					.pid = -1,
					.tid = (int32_t)c->tid,
					.comm = SPE_COMM_NONE,
					.count = 1 };
	etm_times(t, c, s);
	if (!spe_recording_task(t->recording, s->tid, s->has_time, s->to_ns, &task)) {
		s->pid = task.pid;
		s->comm = task.comm;
	}
}

int timeline_etm(struct timeline *t, const struct spe_etm *etm)
{
	const struct spe_etm_context *c;
	struct timeline_stretch open = { 0 }, s;
	bool is_open = false;
	int status = SPE_OK;
	size_t n;

	c = spe_etm_contexts(etm, &n);
	for (size_t i = 0; !status && i < n; i++) {
		if (!c[i].has_tid || !wanted(t, c[i].cpu))
			continue;
		etm_stretch(t, &c[i], &s);
		if (is_open && open.cpu == s.cpu && open.tid == s.tid &&
		    open.has_time == s.has_time && open.bounds_only == s.bounds_only) {
			open.to_ns = s.to_ns;
			open.count++;
			continue;
		}
		if (is_open)
			status = timeline_put(t, &open);
		open = s;
		is_open = true;
	}
	if (!status && is_open)
		status = timeline_put(t, &open);
	return status;
}
