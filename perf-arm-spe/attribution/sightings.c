/* SPDX-License-Identifier: GPL-2.0-only */
#include "sightings.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define SLOTS 8192u
#define FIRST_SHIFT 20 /* about a millisecond */
#define LAST_SHIFT 62
#define KEEP (1u << 19)
#define ROOM (1u << 20)

struct spe_sight_slot {
	uint64_t slice;
	int32_t tid, pid;
	uint32_t comm;
	uint32_t first, last; /* indexes + 1 of the earliest and latest in `all`; 0: empty */
};

int spe_sightings_init(struct spe_sightings *s)
{
	*s = (struct spe_sightings){ .thin_at = ROOM, .slice_shift = FIRST_SHIFT };
	s->cache = calloc(SLOTS, sizeof(*s->cache));
	return s->cache ? SPE_OK : SPE_NOMEM;
}

void spe_sightings_fini(struct spe_sightings *s)
{
	free(s->all.items);
	free(s->cache);
}

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

/* Equal ones of a slice together, earliest first. */
static int by_slice(const void *pa, const void *pb, void *arg)
{
	const struct spe_sighting *a = pa, *b = pb;
	unsigned shift = *(const unsigned *)arg;

	ORDER(a->tid, b->tid);
	ORDER(a->time_ns >> shift, b->time_ns >> shift);
	ORDER(a->pid, b->pid);
	ORDER(a->comm, b->comm);
	ORDER(a->time_ns, b->time_ns);
	return 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct spe_sighting *a = pa, *b = pb;

	ORDER(a->tid, b->tid);
	ORDER(a->time_ns, b->time_ns);
	ORDER(a->pid, b->pid);
	ORDER(a->comm, b->comm);
	return 0;
}

static bool same(const struct spe_sighting *a, const struct spe_sighting *b, unsigned shift)
{
	return a->tid == b->tid && a->pid == b->pid && a->comm == b->comm &&
	       a->time_ns >> shift == b->time_ns >> shift;
}

/* Keep the first and the last of each run of equal ones. */
static void thin_once(struct spe_sightings *s)
{
	struct spe_sighting *all = s->all.items;
	size_t n = s->all.count, kept = 0;

	if (n)
		qsort_r(all, n, sizeof(*all), by_slice, &s->slice_shift);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && same(&all[i], &all[end], s->slice_shift); end++)
			;
		all[kept++] = all[i];
		if (all[end - 1].time_ns != all[kept - 1].time_ns)
			all[kept++] = all[end - 1];
	}
	s->all.count = kept;
}

/*
 * A slice width chosen half way never is wider than the one for all of them,
 * so the end result does not depend on when this ran.
 */
static void thin(struct spe_sightings *s)
{
	thin_once(s);
	while (s->all.count > KEEP && s->slice_shift < LAST_SHIFT) {
		s->slice_shift += 2;
		thin_once(s);
	}
	s->thin_at = s->all.count > ROOM / 2 ? 2 * s->all.count : ROOM;
	memset(s->cache, 0, SLOTS * sizeof(*s->cache));
}

static struct spe_sight_slot *slot_of(const struct spe_sightings *s,
				      const struct spe_sighting *seen)
{
	uint64_t h = ((uint64_t)(uint32_t)seen->tid << 32 | (uint32_t)seen->pid) ^
		     (uint64_t)seen->comm * 0x9e3779b1u;

	h *= 0x9e3779b97f4a7c15u;
	return &s->cache[(h >> 40) % SLOTS];
}

static bool slot_holds(const struct spe_sight_slot *slot, const struct spe_sighting *seen,
		       uint64_t slice)
{
	return slot->first && slot->tid == seen->tid && slot->pid == seen->pid &&
	       slot->comm == seen->comm && slot->slice == slice;
}

/* Stretch what is there; false when it takes a new entry. */
static bool slot_stretch(struct spe_sightings *s, const struct spe_sight_slot *slot, uint64_t time)
{
	struct spe_sighting *first = &s->all.items[slot->first - 1];
	struct spe_sighting *last = &s->all.items[slot->last - 1];

	if (time >= first->time_ns && time <= last->time_ns)
		return true;
	if (slot->first == slot->last)
		return false;
	if (time < first->time_ns)
		first->time_ns = time;
	else
		last->time_ns = time;
	return true;
}

int spe_sightings_add(struct spe_sightings *s, const struct spe_sighting *seen)
{
	struct spe_sight_slot *slot = slot_of(s, seen);
	uint64_t slice = seen->time_ns >> s->slice_shift;
	bool known = slot_holds(slot, seen, slice);
	uint32_t at;
	int status;

	if (known && slot_stretch(s, slot, seen->time_ns))
		return SPE_OK;
	if (s->all.count >= s->thin_at) {
		thin(s);
		known = false;
		slice = seen->time_ns >> s->slice_shift;
	}
	status = spe_vec_push(&s->all, seen, 2 * (size_t)SPE_LIMIT_TASKS);
	if (status)
		return status;
	at = (uint32_t)s->all.count;
	if (!known)
		*slot = (struct spe_sight_slot){ slice, seen->tid, seen->pid, seen->comm, at, at };
	else if (seen->time_ns < s->all.items[slot->first - 1].time_ns)
		slot->first = at;
	else
		slot->last = at;
	return SPE_OK;
}

void spe_sightings_finish(struct spe_sightings *s)
{
	thin(s);
	if (s->all.count)
		qsort(s->all.items, s->all.count, sizeof(*s->all.items), by_time);
}
