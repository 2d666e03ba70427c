/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 1b over all streams, and what follows from it for the recording: at
 * which level its kernel ran, and so which context index owns; whether a zero
 * context is the idle task; the list of pieces.
 */
#include "survey.h"
#include "walk.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* Zeros and switches agree if no more than one in so many differs. */
#define ZERO_AGREEMENT 100u
/* Id 0 of the switches is more than idle if it runs one in so many records at EL0. */
#define ZERO_AT_EL0_SHARE 1000u
/* ... and most of them, when there are fewer than this. */
#define FEW_RECORDS 16u

struct survey_all {
	struct spe_recording *recording;
	struct spe_survey *surveys;
	struct spe_survey_along *along; /* NULL: nothing goes along */
	struct spe_walker **walkers;    /* kept, one for each worker */
};

static int count_batch(void *arg, const struct spe_record_array *records, bool clean)
{
	(void)arg, (void)records, (void)clean;
	return SPE_OK;
}

/* What the bytes that stand in the file twice would have given. */
static int count_repeats(const struct spe_recording *recording, struct spe_stream *stream)
{
	struct spe_stream repeats = { .spans = stream->repeats,
				      .decode_align = stream->decode_align };
	const struct spe_walk_opts walk = { .want = SPE_HAS_TIMESTAMP };
	struct spe_decode_stats all = { 0 };
	uint64_t bytes = 0;
	int status;

	if (!repeats.spans.count)
		return SPE_OK;
	status = spe_walk_stream(recording, &repeats, walk, count_batch, NULL, &all);
	for (size_t i = 0; i < repeats.spans.count; i++)
		bytes += repeats.spans.items[i].bytes;
	memset(&stream->repeated, 0, sizeof(stream->repeated));
	stream->repeated.drops[SPE_DROP_DUPLICATE] = all.records;
	stream->repeated.drop_bytes[SPE_DROP_DUPLICATE] = bytes;
	spe_decode_stats_add(&stream->info.decode, &stream->repeated);
	return status;
}

static int survey_job(void *arg, unsigned worker, size_t i)
{
	struct survey_all *all = arg;
	struct spe_stream *stream = all->recording->streams[i];
	int status = spe_survey_stream(all->recording, i, &all->surveys[i], all->along, worker,
				       &all->walkers[worker]);

	return status ? status : count_repeats(all->recording, stream);
}

static int sample_job(void *arg, unsigned worker, size_t i)
{
	struct survey_all *all = arg;

	return spe_survey_sample(all->recording, all->recording->streams[i], &all->surveys[i],
				 &all->walkers[worker]);
}

static int both_jobs(void *arg, unsigned worker, size_t i)
{
	int status = sample_job(arg, worker, i);

	return status ? status : survey_job(arg, worker, i);
}

/*
 * Any PC at EL2 or any context of index 1 means the host's kernel is at EL2,
 * and then index 1 owns.  Unless there is none of it in the file, and code at EL2
 * carries index 0: whoever wrote that trace does not mean a guest's value.
 */
static void settle_host(struct spe_recording *recording, const struct spe_survey *surveys)
{
	uint64_t el1 = 0, el2 = 0, index1 = 0, odd = 0;

	for (size_t i = 0; i < recording->stream_count; i++) {
		const struct spe_stream_info *info = &recording->streams[i]->info;

		index1 += info->with_el2_context;
		el2 += info->at_el[2] + info->with_el2_context;
		el1 += info->at_el[1] + info->with_el1_context;
		odd += surveys[i].el2_by_index0;
	}
	recording->facts.host_el = el2 ? SPE_HOST_EL2 : el1 ? SPE_HOST_EL1 : SPE_HOST_EL_UNKNOWN;
	recording->owner_index = el2 && (index1 || !odd) ? 1 : 0;
}

static void sum_el0(struct spe_survey_el0 *sum, const struct spe_survey_el0 *add)
{
	sum->asked += add->asked;
	sum->at_zero += add->at_zero;
}

static void sum_contexts(struct spe_survey_contexts *sum, const struct spe_survey_contexts *add)
{
	sum->zero += add->zero;
	sum->nonzero += add->nonzero;
	sum->unknown += add->unknown;
	sum->agree += add->agree;
	sum->disagree += add->disagree;
	sum->zero_agree += add->zero_agree;
	sum->zero_disagree += add->zero_disagree;
	sum_el0(&sum->zero_el0, &add->zero_el0);
}

/*
 * A recorder in a pid namespace of its own is told 0 for every task outside of
 * it.  Idle never runs at EL0, so one that does gives that away.
 */
static bool zero_runs_at_el0(const struct spe_recording *recording,
			     const struct spe_survey *surveys)
{
	struct spe_survey_el0 sum = recording->contexts.zero_el0;

	for (size_t i = 0; i < recording->stream_count; i++)
		sum_el0(&sum, &surveys[i].bare_el0);
	if (sum.asked < FEW_RECORDS)
		return sum.at_zero * 2 > sum.asked;
	return sum.at_zero && sum.at_zero * ZERO_AT_EL0_SHARE >= sum.asked;
}

/* Zero is the idle task only where somebody writes the register. */
static bool zero_is_idle(const struct spe_recording *recording)
{
	const struct spe_survey_contexts *sum = &recording->contexts;

	if (sum->nonzero)
		return true;
	if (recording->zero_runs_at_el0)
		return false;
	return sum->zero_agree && sum->zero_disagree * ZERO_AGREEMENT <= sum->zero_agree;
}

static void settle_stream(struct spe_recording *recording, struct spe_stream *stream,
			  struct spe_survey *survey)
{
	unsigned owner = recording->owner_index;

	free(stream->unwritten.items);
	stream->unwritten = survey->unwritten[owner];
	memset(&survey->unwritten[owner], 0, sizeof(survey->unwritten[owner]));
	stream->info.zero_contexts = survey->contexts[owner].zero;
	stream->info.unwritten_zeros = recording->facts.zero_is_idle
					       ? survey->unwritten_zeros[owner]
					       : survey->contexts[owner].zero;
	recording->facts.has_timestamps |= survey->any_time;
}

static int settle_pieces(struct spe_recording *recording, const struct spe_survey *surveys)
{
	recording->pieces.count = 0;
	for (size_t i = 0; i < recording->stream_count; i++) {
		struct spe_stream_info *info = &recording->streams[i]->info;

		info->first_ns = info->last_ns = 0;
		for (size_t j = 0; j < surveys[i].pieces.count; j++) {
			struct spe_piece_extent extent = surveys[i].pieces.items[j];
			int status;

			extent.piece.stream = (uint32_t)i;
			status = spe_vec_push(&recording->pieces, &extent, SPE_LIMIT_AUX_CHUNKS);
			if (status)
				return status;
			if (!extent.piece.last_ns)
				continue;
			if (!info->first_ns || extent.piece.first_ns < info->first_ns)
				info->first_ns = extent.piece.first_ns;
			if (extent.piece.last_ns > info->last_ns)
				info->last_ns = extent.piece.last_ns;
		}
	}
	return SPE_OK;
}

/* What the surveys say of the recording as a whole. */
static void settle_facts(struct spe_recording *recording, const struct spe_survey *surveys)
{
	memset(&recording->contexts, 0, sizeof(recording->contexts));
	settle_host(recording, surveys);
	for (size_t i = 0; i < recording->stream_count; i++)
		sum_contexts(&recording->contexts, &surveys[i].contexts[recording->owner_index]);
	recording->zero_runs_at_el0 = zero_runs_at_el0(recording, surveys);
	recording->facts.zero_is_idle = zero_is_idle(recording);
}

static int settle(struct spe_recording *recording, struct spe_survey *surveys)
{
	settle_facts(recording, surveys);
	for (size_t i = 0; i < recording->stream_count; i++)
		settle_stream(recording, recording->streams[i], &surveys[i]);
	return settle_pieces(recording, surveys);
}

/* ---- samples along with the survey ------------------------------------------------ */

/*
 * Is all that samples depend on known before the survey, if the rest of the trace is
 * like its beginning?  Contexts own, their zeros are the idle task, and the ids are the
 * side-band's; anything else takes more than one look.
 */
static bool is_plain(const struct spe_recording *recording, const struct spe_survey *surveys)
{
	if (recording->facts.other_clock || recording->facts.other_auxtrace || recording->idmap ||
	    spe_recording_foreign_reason(recording))
		return false;
	if (recording->contexts.zero && !recording->facts.zero_is_idle)
		return false;
	for (size_t i = 0; i < recording->stream_count; i++)
		if (surveys[i].unwritten[recording->owner_index].count)
			return false;
	return true;
}

/* After the survey: were the facts those the samples were made by? */
static bool is_as_guessed(const struct spe_recording *recording, unsigned owner_index,
			  bool zero_is_idle, bool zero_runs_at_el0)
{
	if (recording->zero_runs_at_el0 != zero_runs_at_el0)
		return false;
	if (recording->owner_index != owner_index || spe_recording_foreign_reason(recording))
		return false;
	if (recording->contexts.zero && recording->facts.zero_is_idle != zero_is_idle)
		return false;
	for (size_t i = 0; i < recording->stream_count; i++)
		if (recording->streams[i]->unwritten.count)
			return false;
	return true;
}

static int start_along(struct spe_recording *recording, struct spe_survey_along *along,
		       unsigned workers)
{
	const struct spe_companion *companion = along->companion;
	int status = companion->start(companion->arg, workers);

	if (status)
		return status;
	along->attributors = calloc(workers, sizeof(*along->attributors));
	if (!along->attributors)
		return SPE_NOMEM;
	for (unsigned i = 0; i < workers; i++)
		spe_attributor_init(&along->attributors[i], recording, companion->names);
	return SPE_OK;
}

static int survey_along(struct survey_all *all, struct spe_survey_along *along, bool *kept)
{
	struct spe_recording *recording = all->recording;
	bool zero_is_idle = recording->facts.zero_is_idle;
	bool zero_runs_at_el0 = recording->zero_runs_at_el0;
	unsigned owner_index = recording->owner_index;
	int status;

	status = start_along(recording, along, spe_walk_workers(recording));
	all->along = along;
	if (!status)
		status = spe_walk_all(recording, survey_job, all);
	if (!status)
		status = settle(recording, all->surveys);
	free(along->attributors);
	*kept = !status && !atomic_load(&along->off) &&
		is_as_guessed(recording, owner_index, zero_is_idle, zero_runs_at_el0);
	return status;
}

static int survey_with(struct survey_all *all, const struct spe_companion *companion, bool *kept)
{
	struct spe_recording *recording = all->recording;
	struct spe_survey_along along = { .companion = companion };
	int status;

	if (!companion) {
		status = spe_walk_all(recording, both_jobs, all);
		return status ? status : settle(recording, all->surveys);
	}
	status = spe_walk_all(recording, sample_job, all);
	if (status)
		return status;
	settle_facts(recording, all->surveys);
	if (is_plain(recording, all->surveys))
		return survey_along(all, &along, kept);
	status = spe_walk_all(recording, survey_job, all);
	return status ? status : settle(recording, all->surveys);
}

int spe_recording_survey(struct spe_recording *recording, const struct spe_companion *companion,
			 bool *kept)
{
	unsigned workers = spe_walk_workers(recording);
	struct survey_all all = { .recording = recording };
	int status = SPE_NOMEM;

	if (!recording->stream_count)
		return SPE_OK;
	all.surveys = calloc(recording->stream_count, sizeof(*all.surveys));
	all.walkers = calloc(workers, sizeof(struct spe_walker *));
	if (all.surveys && all.walkers)
		status = survey_with(&all, companion, kept);
	for (size_t i = 0; all.surveys && i < recording->stream_count; i++)
		spe_survey_clear(&all.surveys[i]);
	for (unsigned i = 0; all.walkers && i < workers; i++)
		spe_walker_free(all.walkers[i]);
	free(all.surveys);
	free(all.walkers);
	return status;
}
