/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who ran on a CPU by its ETM/ETE trace: spans between timestamps in which one
 * context was in force for certain.
 */
#ifndef SPE_ATTRIBUTION_ETM_TIMELINE_H
#define SPE_ATTRIBUTION_ETM_TIMELINE_H

#include <perf-arm-spe/etm.h>

struct spe_etm_timeline;

#include "clock.h"

/* A span in which one thread ran; times are the side-band's, [from, to). */
struct spe_etm_span {
	int32_t cpu;
	uint64_t from_ns, to_ns;
	uint32_t tid; /* of the initial namespace */
	uint8_t el;
	bool has_el;
	bool el2_host; /* the id came from CONTEXTIDR_EL2: EL1 is a guest */
};

/*
 * From what was read of a file: only units whose timestamps are of the generic
 * timer (the metadata says so) and whose contexts were traced; clock must be
 * linked.  SPE_OK,
 * SPE_NOT_FOUND when there is no such span, SPE_NOMEM, SPE_LIMIT.
 */
int spe_etm_timeline_new(const struct spe_etm *etm, const struct spe_clock *clock,
			 struct spe_etm_timeline **timeline);
void spe_etm_timeline_free(struct spe_etm_timeline *timeline);
/*
 * The span of a CPU that holds this moment, NULL when none does; the answer is the
 * same for [*from_ns, *to_ns).  Thread-safe.
 */
const struct spe_etm_span *spe_etm_timeline_find(const struct spe_etm_timeline *timeline,
						 int32_t cpu, uint64_t side_ns, uint64_t *from_ns,
						 uint64_t *to_ns);

#endif
