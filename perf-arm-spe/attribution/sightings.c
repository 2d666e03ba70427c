/* SPDX-License-Identifier: GPL-2.0-only */
#include "sightings.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define LAST_SHIFT 62
#define KEEP (1u << 19) /* spans; more only if they differ in more than their slice */

void spe_sightings_init(struct spe_sightings *s, unsigned slice_shift)
{
	*s = (struct spe_sightings){ .slice_shift = slice_shift };
}

void spe_sightings_fini(struct spe_sightings *s)
{
	free(s->spans.items);
	free(s->slots);
	free(s->all.items);
}

static size_t home_of(const struct spe_sightings *s, const struct spe_sight_span *span)
{
	uint64_t h = (uint64_t)(uint32_t)span->tid << 32 | (uint32_t)span->pid;

	h = (h ^ (span->first_ns >> s->slice_shift)) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 32 ^ span->comm) * 0xd6e8feb86659fd93u;
	return (h >> 32) & s->slot_mask;
}

static bool same(const struct spe_sightings *s, const struct spe_sight_span *a,
		 const struct spe_sight_span *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->comm == b->comm &&
	       a->first_ns >> s->slice_shift == b->first_ns >> s->slice_shift;
}

/* The slot of an equal span, or the empty one where it belongs. */
static uint32_t *slot_for(const struct spe_sightings *s, const struct spe_sight_span *span)
{
	size_t at = home_of(s, span);

	while (s->slots[at] && !same(s, &s->spans.items[s->slots[at] - 1], span))
		at = (at + 1) & s->slot_mask;
	return &s->slots[at];
}

static int slots_grow(struct spe_sightings *s)
{
	size_t slots = s->slots ? 2 * (s->slot_mask + 1) : 1024;
	uint32_t *grown = calloc(slots, sizeof(*grown));

	if (!grown)
		return SPE_NOMEM;
	free(s->slots);
	s->slots = grown;
	s->slot_mask = slots - 1;
	for (size_t i = 0; i < s->spans.count; i++)
		*slot_for(s, &s->spans.items[i]) = (uint32_t)i + 1;
	return SPE_OK;
}

static void span_stretch(struct spe_sight_span *span, const struct spe_sight_span *with)
{
	if (with->first_ns < span->first_ns)
		span->first_ns = with->first_ns;
	if (with->last_ns > span->last_ns)
		span->last_ns = with->last_ns;
}

/*
 * Wider slices, and what then is equal put together.  They widen only when
 * narrower ones would not do for all there is, so that the width in the end does
 * not depend on the order of arrival.
 */
static void slices_widen(struct spe_sightings *s)
{
	size_t kept = 0;

	s->slice_shift += 2;
	memset(s->slots, 0, (s->slot_mask + 1) * sizeof(*s->slots));
	for (size_t i = 0; i < s->spans.count; i++) {
		struct spe_sight_span span = s->spans.items[i];
		uint32_t *slot = slot_for(s, &span);

		if (*slot) {
			span_stretch(&s->spans.items[*slot - 1], &span);
			continue;
		}
		s->spans.items[kept] = span;
		*slot = (uint32_t)++kept;
	}
	s->spans.count = kept;
}

int spe_sightings_add(struct spe_sightings *s, const struct spe_sighting *seen)
{
	struct spe_sight_span span = { seen->time_ns, seen->time_ns, seen->tid, seen->pid,
				       seen->comm };
	uint32_t *slot;
	int status = 2 * s->spans.count >= s->slot_mask ? slots_grow(s) : SPE_OK;

	if (status)
		return status;
	slot = slot_for(s, &span);
	while (!*slot && s->spans.count >= KEEP && s->slice_shift < LAST_SHIFT) {
		slices_widen(s);
		slot = slot_for(s, &span);
	}
	if (*slot) {
		span_stretch(&s->spans.items[*slot - 1], &span);
		return SPE_OK;
	}
	status = spe_vec_push(&s->spans, &span, SPE_LIMIT_TASKS);
	if (!status)
		*slot = (uint32_t)s->spans.count;
	return status;
}

static int by_time(const void *pa, const void *pb)
{
	const struct spe_sighting *a = pa, *b = pb;

	SPE_ORDER(a->tid, b->tid);
	SPE_ORDER(a->time_ns, b->time_ns);
	SPE_ORDER(a->pid, b->pid);
	SPE_ORDER(a->comm, b->comm);
	return 0;
}

int spe_sightings_finish(struct spe_sightings *s)
{
	int status = SPE_OK;

	free(s->slots);
	s->slots = NULL;
	for (size_t i = 0; !status && i < s->spans.count; i++) {
		const struct spe_sight_span *span = &s->spans.items[i];
		struct spe_sighting seen = { span->first_ns, span->tid, span->pid, span->comm };

		status = spe_vec_push(&s->all, &seen, 4 * (size_t)SPE_LIMIT_TASKS);
		if (!status && span->last_ns != span->first_ns) {
			seen.time_ns = span->last_ns;
			status = spe_vec_push(&s->all, &seen, 4 * (size_t)SPE_LIMIT_TASKS);
		}
	}
	free(s->spans.items);
	s->spans.items = NULL;
	s->spans.count = s->spans.room = 0;
	if (s->all.count)
		qsort(s->all.items, s->all.count, sizeof(*s->all.items), by_time);
	return status;
}
