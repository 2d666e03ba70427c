/* SPDX-License-Identifier: GPL-2.0-only */
/* The ladder of evidence: one moment, one owner. */
#ifndef SPE_ATTRIBUTION_LADDER_H
#define SPE_ATTRIBUTION_LADDER_H

#include "recording.h"

/* When, in side-band time; without `timed`, at some unknown moment. */
struct spe_moment {
	uint64_t side_ns;
	bool timed;
};

struct spe_owner {
	uint64_t from_ns, to_ns; /* side-band time; the same for all moments in [from, to) */
	int32_t pid, tid;        /* -1 when not known */
	uint32_t comm;           /* SPE_COMM_NONE when not known */
	uint32_t process;        /* as spe_sample.process */
	uint8_t evidence;
};

/* A context value that cannot be a thread id: those are positive, or 0 for idle. */
static inline bool spe_context_is_id(uint32_t context)
{
	return context <= INT32_MAX;
}

/* The owner a context value names. */
void spe_owner_by_context(const struct spe_recording *recording, uint32_t context,
			  struct spe_moment when, struct spe_owner *owner);
/* The owner of a record of this stream whose context is absent. */
void spe_owner_without_context(const struct spe_recording *recording,
			       const struct spe_stream *stream, struct spe_moment when,
			       struct spe_owner *owner);

#endif
