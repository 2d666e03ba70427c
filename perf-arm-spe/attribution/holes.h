/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holes in the side-band.  The kernel writes LOST once the ring has room
 * again, so what it speaks of happened since that CPU's previous record.
 */
#ifndef SPE_ATTRIBUTION_HOLES_H
#define SPE_ATTRIBUTION_HOLES_H

#include "../base/vec.h"

struct spe_hole {
	uint64_t from_ns; /* the CPU's record before it; 0 when there is none */
	uint64_t to_ns;   /* time of the LOST record; UINT64_MAX: without end */
	int32_t cpu;
};

struct spe_hole_mark {
	uint64_t time_ns, sequence;
	int32_t cpu;
	bool lost;
};

struct spe_holes {
	SPE_VEC(struct spe_hole_mark) marks; /* until finished */
	size_t thin_at;
	SPE_VEC(struct spe_hole) all; /* by cpu, to_ns */
	struct spe_hole *by_end;      /* by to_ns; from_ns: the least of this and all later */
	struct spe_hole *by_start;    /* by from_ns; to_ns: the greatest of this and all earlier */
};

void spe_holes_init(struct spe_holes *h);
void spe_holes_fini(struct spe_holes *h);
/*
 * A record of a CPU (-1: not told), LOST or not.  Exact for any order of
 * arrival up to some ten thousand records, beyond that for an order that runs with
 * time on each CPU, as files have it.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_holes_add(struct spe_holes *h, int32_t cpu, uint64_t time_ns, uint64_t sequence, bool lost);
/*
 * No more.  cut: the records break off, so that a hole without end follows the
 * last one of each CPU.  SPE_OK or SPE_NOMEM.
 */
int spe_holes_finish(struct spe_holes *h, bool cut);
/*
 * Time of the first LOST after a moment, on any CPU, or from when on records are missing
 * because they break off; UINT64_MAX: never.
 */
uint64_t spe_holes_lost_after(const struct spe_holes *h, uint64_t time_ns);
/*
 * The span within (from, to) in which records may be missing: from the start of
 * the first hole to the end of the last.  false: nothing is.
 */
bool spe_holes_between(const struct spe_holes *h, uint64_t from_ns, uint64_t to_ns,
		       uint64_t *first_ns, uint64_t *last_ns);

#endif
