/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts carry thread ids of the initial pid namespace; the side-band those
 * of the namespace perf ran in.  Find out whether that is another one, and if
 * so which id of the one is which of the other.
 */
#include "idmap.h"
#include "walk.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Without switches: one context in so many names no known task. */
#define UNKNOWN_SHARE 5u
/* ... one in two when side-band was lost, or when there is too little to tell by. */
#define UNKNOWN_SHARE_UNSURE 2u
#define FEW_RECORDS 16u

/* ---- detection ------------------------------------------------------------------ */

const char *spe_recording_foreign_reason(const struct spe_recording *recording)
{
	const struct spe_survey_contexts *c = &recording->contexts;
	bool unsure = recording->facts.side_band_lost || c->nonzero < FEW_RECORDS;
	uint64_t compared = c->agree + c->disagree;

	if (recording->namespaces.initial)
		return NULL;
	if (recording->namespaces.any)
		return "the file's NAMESPACES records are all of another pid namespace than the "
		       "initial one";
	if (!c->nonzero && recording->zero_runs_at_el0)
		return "switch records name id 0 for code at EL0, where idle never runs";
	if (compared)
		return c->agree * 2 < compared
			       ? "context packets and switch records disagree on most records"
			       : NULL;
	if (c->nonzero && (unsure ? c->unknown * UNKNOWN_SHARE_UNSURE > c->nonzero
				  : c->unknown * UNKNOWN_SHARE >= c->nonzero))
		return "many context packets carry ids that no task of the side-band has";
	return NULL;
}

/* ---- the map from agreement in time ------------------------------------------------ */

struct sighting_walk {
	const struct spe_recording *recording;
	const struct spe_stream *stream;
	struct spe_switch_answer answer; /* holds for [from, to) */
	struct spe_idmap_sight sight;    /* being extended; context 0: none */
	SPE_VEC(struct spe_idmap_sight) sights;
};

struct sighting_job {
	struct spe_recording *recording;
	struct sighting_walk *walks;
};

static int sight_close(struct sighting_walk *w)
{
	int status = SPE_OK;

	if (w->sight.context)
		status = spe_vec_push(&w->sights, &w->sight, SPE_LIMIT_SWITCHES);
	w->sight.context = 0;
	return status;
}

/* Who was on the CPU, if a switch record says so beyond doubt. */
static bool switch_answer(struct sighting_walk *w, uint64_t side_ns)
{
	uint64_t slack = w->recording->clock.slack_ns;

	if (side_ns < w->answer.from_ns || side_ns >= w->answer.to_ns) {
		if (spe_switches_find(w->recording->switches, w->stream->info.cpu, side_ns,
				      &w->answer))
			w->answer.evidence = SPE_EVIDENCE_NONE;
	}
	return w->answer.evidence == SPE_EVIDENCE_SWITCH && !w->answer.in_window &&
	       !w->answer.dying && w->answer.tid >= 0 && side_ns - w->answer.from_ns >= slack &&
	       w->answer.to_ns - side_ns > slack;
}

static int see_pair(struct sighting_walk *w, uint32_t context, uint64_t side_ns)
{
	struct spe_idmap_sight *sight = &w->sight;
	int status;

	if (!switch_answer(w, side_ns))
		return SPE_OK;
	if (sight->context == context && sight->tid == w->answer.tid &&
	    sight->pid == w->answer.pid && side_ns >= sight->last_ns) {
		sight->last_ns = side_ns;
		return SPE_OK;
	}
	status = sight_close(w);
	*sight =
		(struct spe_idmap_sight){ context, w->answer.pid, w->answer.tid, side_ns, side_ns };
	return status;
}

static int sighting_batch(void *arg, const struct spe_record_array *records, bool clean)
{
	struct sighting_walk *w = arg;
	const struct spe_clock *clock = &w->recording->clock;
	unsigned index = w->recording->owner_index;
	uint32_t need = SPE_HAS_TIMESTAMP | (index ? SPE_HAS_CONTEXT_EL2 : SPE_HAS_CONTEXT_EL1);
	int status = SPE_OK;

	(void)clean;
	for (size_t i = 0; i < records->count && !status; i++) {
		const struct spe_record *record = spe_walk_at(records, i);
		uint32_t context = record->context[index];
		uint64_t ns;

		if ((record->present & need) != need || !record->timestamp || !context ||
		    context > INT32_MAX)
			continue;
		ns = spe_clock_ns(clock, spe_clock_whole_ticks(clock, record->timestamp));
		status = see_pair(w, context, spe_clock_side_ns(clock, ns));
	}
	return status;
}

static int sighting_stream(void *arg, unsigned worker, size_t i)
{
	struct sighting_job *job = arg;
	struct sighting_walk *w = &job->walks[i];
	const struct spe_walk_opts walk = { .want = SPE_HAS_TIMESTAMP | SPE_HAS_CONTEXT_EL1 |
						    SPE_HAS_CONTEXT_EL2 };
	int status;

	(void)worker;
	w->recording = job->recording;
	w->stream = job->recording->streams[i];
	if (w->stream->info.cpu < 0 || w->stream->doubtful)
		return SPE_OK;
	status = spe_walk_stream(job->recording, w->stream, walk, sighting_batch, w, NULL);
	return status ? status : sight_close(w);
}

static int merge_sights(struct spe_idmap *map, const struct sighting_walk *walks, size_t count)
{
	int status = SPE_OK;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < walks[i].sights.count && !status; j++)
			status = spe_idmap_add(map, &walks[i].sights.items[j]);
	}
	return status;
}

static int derive_map(struct spe_recording *recording)
{
	struct sighting_job job = { .recording = recording };
	int status = SPE_OK;

	if (!recording->idmap)
		status = spe_idmap_new(&recording->idmap);
	if (status)
		return status;
	job.walks = calloc(recording->stream_count, sizeof(*job.walks));
	if (!job.walks)
		return SPE_NOMEM;
	status = spe_walk_all(recording, sighting_stream, &job);
	if (!status)
		status = merge_sights(recording->idmap, job.walks, recording->stream_count);
	for (size_t i = 0; i < recording->stream_count; i++)
		free(job.walks[i].sights.items);
	free(job.walks);
	if (!status)
		spe_idmap_finish(recording->idmap, recording->tasks);
	return status;
}

/* ---- the verdict ----------------------------------------------------------------------- */

static void say(struct spe_recording *recording, const char *why)
{
	size_t contexts = recording->idmap ? spe_idmap_contexts(recording->idmap) : 0;
	char *text = recording->namespace_reason;
	size_t size = sizeof(recording->namespace_reason);

	if (why && !recording->contexts.nonzero)
		snprintf(text, size,
			 "perf ran in a pid namespace of its own (%s): id 0 of switch records is "
			 "idle or any task outside of it, and not told apart",
			 why);
	else if (!why)
		snprintf(text, size, "a pid map was given: %zu context ids are translated",
			 contexts);
	else if (!contexts)
		snprintf(text, size,
			 "perf ran in a pid namespace of its own (%s): contexts are thread ids of "
			 "the initial one, their processes are not known; record on the host, or "
			 "give --pid-map",
			 why);
	else
		snprintf(text, size,
			 "perf ran in a pid namespace of its own (%s): %zu context ids are "
			 "translated, %zu contradictions left out; recorded on the host, or with "
			 "--pid-map, all would be known",
			 why, contexts, spe_idmap_contradictions(recording->idmap));
	/* The whole of it stands where owners are accounted for. */
	spe_log(&recording->opts.listener, SPE_LOG_WARNING, "%s",
		why ? "perf ran in a pid namespace of its own: not every owner can be known; "
		      "record on "
		      "the host, or give --pid-map"
		    : text);
}

int spe_recording_judge_namespace(struct spe_recording *recording)
{
	const char *why = spe_recording_foreign_reason(recording);
	int status = SPE_OK;

	recording->foreign = why != NULL;
	if (why && recording->contexts.nonzero && recording->clock.linked &&
	    spe_switches_have(recording->switches, SPE_EVIDENCE_SWITCH))
		status = derive_map(recording);
	if (status || (!why && !recording->idmap))
		return status;
	recording->facts.namespace_state = recording->idmap && spe_idmap_contexts(recording->idmap)
						   ? SPE_NS_MAPPED
						   : SPE_NS_FOREIGN;
	say(recording, why);
	return SPE_OK;
}
