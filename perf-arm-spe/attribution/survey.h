/* SPDX-License-Identifier: GPL-2.0-only */
/* What pass 1b finds in one stream, for each context index as long as nobody knows which owns. */
#ifndef SPE_ATTRIBUTION_SURVEY_H
#define SPE_ATTRIBUTION_SURVEY_H

#include "attribute.h"
#include "walk.h"

#include <stdatomic.h>

/* An unbroken run of zero contexts. */
struct spe_survey_run {
	uint64_t first, last; /* positions of its records */
	uint64_t zeros;
	bool at_el0; /* idle never runs there: nobody wrote the register */
};

struct spe_survey {
	struct spe_survey_contexts contexts[2];
	spe_position_range_vec unwritten[2];
	uint64_t unwritten_zeros[2];
	uint64_t el2_by_index0;         /* records at EL2 whose only context is of index 0 */
	struct spe_survey_el0 bare_el0; /* of records without any context */
	spe_piece_vec pieces;
	bool any_time;
};

/* Samples that are made along with a survey, by what the facts are likely to be. */
struct spe_survey_along {
	const struct spe_companion *companion;
	struct spe_attributor *attributors; /* one for each worker */
	_Atomic bool off;                   /* they are of no use any more */
};

/*
 * Look at the first records of a stream: guesses decode_align, and fills *out
 * (which may hold an earlier survey) and info with what is in those.  keep: of the walk.
 */
int spe_survey_sample(const struct spe_recording *recording, struct spe_stream *stream,
		      struct spe_survey *out, struct spe_walker **keep);
/* Survey stream `number`, whose decode_align was guessed; along may be NULL. */
int spe_survey_stream(const struct spe_recording *recording, size_t number, struct spe_survey *out,
		      struct spe_survey_along *along, unsigned worker, struct spe_walker **keep);
void spe_survey_clear(struct spe_survey *survey);

#endif
