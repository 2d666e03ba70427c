/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sightings: "at this time thread tid belonged to process pid (and was named
 * so)", as nearly every side-band record says by the way.  There are as many as
 * records and nearly all say the same again, so of equal ones within a slice of
 * time the first and the last are kept, and slices grow until what is kept
 * fits.  What remains is the same for any order of arrival.
 */
#ifndef SPE_ATTRIBUTION_SIGHTINGS_H
#define SPE_ATTRIBUTION_SIGHTINGS_H

#include "../base/vec.h"

/* Instead of a name: not named here, and only inferred (a thread shows that its process lives). */
#define SPE_SIGHTING_UNNAMED UINT32_MAX
#define SPE_SIGHTING_INFERRED (UINT32_MAX - 1)

struct spe_sighting {
	uint64_t time_ns; /* 0: before the recording, or no one knows when */
	int32_t tid;      /* > 0 */
	int32_t pid;      /* > 0, or -1 when not told */
	uint32_t comm;    /* number of a name, or one of the above */
};

/* Equal sightings of one slice. */
struct spe_sight_span {
	uint64_t first_ns, last_ns;
	int32_t tid, pid;
	uint32_t comm;
};

struct spe_sightings {
	SPE_VEC(struct spe_sight_span) spans;
	uint32_t *slots; /* hash table: number of a span + 1, 0: empty */
	size_t slot_mask;
	unsigned slice_shift;             /* slices of 1 << slice_shift ns */
	SPE_VEC(struct spe_sighting) all; /* when finished: by tid, time, pid, name */
};

/* Slices of at least 1 << slice_shift ns. */
void spe_sightings_init(struct spe_sightings *s, unsigned slice_shift);
void spe_sightings_fini(struct spe_sightings *s);
/* SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_sightings_add(struct spe_sightings *s, const struct spe_sighting *seen);
/* No more: list them. SPE_OK or SPE_NOMEM. */
int spe_sightings_finish(struct spe_sightings *s);

#endif
