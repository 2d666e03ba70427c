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

struct survey_all {
	struct spe_recording *recording;
	struct spe_survey *surveys;
};

static int count_batch(void *arg, const struct spe_record *records, size_t count, bool clean)
{
	(void)arg, (void)records, (void)count, (void)clean;
	return SPE_OK;
}

/* What the bytes that stand in the file twice would have given. */
static int count_repeats(const struct spe_recording *recording, struct spe_stream *stream)
{
	struct spe_stream repeats = { .spans = stream->repeats,
				      .decode_align = stream->decode_align };
	struct spe_decode_stats all = { 0 };
	uint64_t bytes = 0;
	int status;

	if (!repeats.spans.count)
		return SPE_OK;
	status = spe_walk_stream(recording, &repeats, SPE_HAS_TIMESTAMP, count_batch, NULL, &all);
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
	int status = spe_survey_stream(all->recording, stream, &all->surveys[i]);

	(void)worker;
	return status ? status : count_repeats(all->recording, stream);
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

static void sum_contexts(struct spe_survey_contexts *sum, const struct spe_survey_contexts *add)
{
	sum->zero += add->zero;
	sum->nonzero += add->nonzero;
	sum->unknown += add->unknown;
	sum->agree += add->agree;
	sum->disagree += add->disagree;
	sum->zero_agree += add->zero_agree;
	sum->zero_disagree += add->zero_disagree;
}

/* Zero is the idle task only where somebody writes the register. */
static bool zero_is_idle(const struct spe_survey_contexts *sum)
{
	if (sum->nonzero)
		return true;
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

static int settle(struct spe_recording *recording, struct spe_survey *surveys)
{
	memset(&recording->contexts, 0, sizeof(recording->contexts));
	settle_host(recording, surveys);
	for (size_t i = 0; i < recording->stream_count; i++)
		sum_contexts(&recording->contexts, &surveys[i].contexts[recording->owner_index]);
	recording->facts.zero_is_idle = zero_is_idle(&recording->contexts);
	for (size_t i = 0; i < recording->stream_count; i++)
		settle_stream(recording, recording->streams[i], &surveys[i]);
	return settle_pieces(recording, surveys);
}

int spe_recording_survey(struct spe_recording *recording)
{
	struct survey_all all = { .recording = recording };
	int status;

	if (!recording->stream_count)
		return SPE_OK;
	all.surveys = calloc(recording->stream_count, sizeof(*all.surveys));
	if (!all.surveys)
		return SPE_NOMEM;
	status = spe_walk_all(recording, survey_job, &all);
	if (!status)
		status = settle(recording, all.surveys);
	for (size_t i = 0; i < recording->stream_count; i++)
		spe_survey_clear(&all.surveys[i]);
	free(all.surveys);
	return status;
}
