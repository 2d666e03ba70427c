/* SPDX-License-Identifier: GPL-2.0-only */
#include "holes.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define ROOM 65536u

void spe_holes_init(struct spe_holes *h)
{
	*h = (struct spe_holes){ .thin_at = ROOM };
}

void spe_holes_fini(struct spe_holes *h)
{
	free(h->marks.items);
	free(h->all.items);
	free(h->by_end);
	free(h->by_start);
}

static int by_cpu_and_time(const void *pa, const void *pb)
{
	const struct spe_hole_mark *a = pa, *b = pb;

	SPE_ORDER(a->cpu, b->cpu);
	SPE_ORDER(a->time_ns, b->time_ns);
	SPE_ORDER(a->sequence, b->sequence);
	return 0;
}

/* CPUs that have a place of their own: -1 and the first ones. */
#define PLACES 4096

static size_t place_of(const struct spe_hole_mark *mark)
{
	return (size_t)((int64_t)mark->cpu + 1);
}

/*
 * All of a CPU together, each as it came: that is in order of time nearly always, and
 * costs less than to sort.  Left as it is where there is no memory for it, or a CPU too many.
 */
static void marks_group(struct spe_holes *h)
{
	uint32_t next[PLACES + 1] = { 0 };
	size_t count = h->marks.count;
	struct spe_hole_mark *marks = h->marks.items, *grouped;

	for (size_t i = 0; i < count; i++) {
		if (place_of(&marks[i]) >= PLACES)
			return;
		next[place_of(&marks[i]) + 1]++;
	}
	for (size_t place = 0; place < PLACES; place++)
		next[place + 1] += next[place];
	grouped = malloc(count * sizeof(*grouped));
	if (!grouped)
		return;
	for (size_t i = 0; i < count; i++)
		grouped[next[place_of(&marks[i])]++] = marks[i];
	memcpy(marks, grouped, count * sizeof(*marks));
	free(grouped);
}

static void marks_sort(struct spe_holes *h)
{
	if (!h->marks.count)
		return;
	if (h->marks.count <= UINT32_MAX)
		marks_group(h);
	spe_sort(h->marks.items, h->marks.count, sizeof(*h->marks.items), by_cpu_and_time);
}

/* Drop marks that another one follows: only the one right before a LOST matters. */
static void marks_thin(struct spe_holes *h)
{
	struct spe_hole_mark *marks = h->marks.items;
	size_t kept = 0;

	marks_sort(h);
	for (size_t i = 0; i < h->marks.count; i++) {
		bool last = i + 1 == h->marks.count || marks[i + 1].cpu != marks[i].cpu;

		if (last || marks[i].lost || marks[i + 1].lost)
			marks[kept++] = marks[i];
	}
	h->marks.count = kept;
	h->thin_at = kept > ROOM / 2 ? 2 * kept : ROOM;
}

int spe_holes_add(struct spe_holes *h, int32_t cpu, uint64_t time_ns, uint64_t sequence, bool lost)
{
	struct spe_hole_mark mark = { time_ns, sequence, cpu, lost };

	if (h->marks.count >= h->thin_at)
		marks_thin(h);
	return spe_vec_push(&h->marks, &mark, SPE_LIMIT_SWITCHES);
}

static int by_cpu_and_end(const void *pa, const void *pb)
{
	const struct spe_hole *a = pa, *b = pb;

	SPE_ORDER(a->cpu, b->cpu);
	SPE_ORDER(a->to_ns, b->to_ns);
	SPE_ORDER(a->from_ns, b->from_ns);
	return 0;
}

static int by_end(const void *pa, const void *pb)
{
	const struct spe_hole *a = pa, *b = pb;

	SPE_ORDER(a->to_ns, b->to_ns);
	SPE_ORDER(a->from_ns, b->from_ns);
	return 0;
}

static int by_start(const void *pa, const void *pb)
{
	const struct spe_hole *a = pa, *b = pb;

	SPE_ORDER(a->from_ns, b->from_ns);
	SPE_ORDER(a->to_ns, b->to_ns);
	return 0;
}

static int holes_collect(struct spe_holes *h, bool cut)
{
	const struct spe_hole_mark *marks = h->marks.items;
	size_t n = h->marks.count;
	int status = SPE_OK;

	marks_sort(h);
	for (size_t i = 0; !status && i < n; i++) {
		bool has_previous = i && marks[i - 1].cpu == marks[i].cpu;
		bool is_last = i + 1 == n || marks[i + 1].cpu != marks[i].cpu;
		uint64_t from_ns = has_previous ? marks[i - 1].time_ns : 0;
		struct spe_hole hole = { from_ns, marks[i].time_ns, marks[i].cpu };
		struct spe_hole rest = { marks[i].time_ns, UINT64_MAX, marks[i].cpu };

		if (marks[i].lost)
			status = spe_vec_push(&h->all, &hole, SPE_LIMIT_SWITCHES);
		if (!status && cut && is_last)
			status = spe_vec_push(&h->all, &rest, SPE_LIMIT_SWITCHES);
	}
	return status;
}

int spe_holes_finish(struct spe_holes *h, bool cut)
{
	size_t bytes, n;
	int status = holes_collect(h, cut);

	free(h->marks.items);
	h->marks.items = NULL;
	h->marks.count = h->marks.room = 0;
	n = h->all.count;
	if (status || !n)
		return status;
	bytes = n * sizeof(*h->all.items);
	h->by_end = malloc(bytes);
	h->by_start = malloc(bytes);
	if (!h->by_end || !h->by_start)
		return SPE_NOMEM;
	qsort(h->all.items, n, sizeof(*h->all.items), by_cpu_and_end);
	memcpy(h->by_end, h->all.items, bytes);
	memcpy(h->by_start, h->all.items, bytes);
	qsort(h->by_end, n, sizeof(*h->by_end), by_end);
	qsort(h->by_start, n, sizeof(*h->by_start), by_start);
	for (size_t i = n - 1; i > 0; i--)
		if (h->by_end[i].from_ns < h->by_end[i - 1].from_ns)
			h->by_end[i - 1].from_ns = h->by_end[i].from_ns;
	for (size_t i = 1; i < n; i++)
		if (h->by_start[i - 1].to_ns > h->by_start[i].to_ns)
			h->by_start[i].to_ns = h->by_start[i - 1].to_ns;
	return SPE_OK;
}

/* Index of the first hole that ends after a moment. */
static size_t first_end_after(const struct spe_holes *h, uint64_t time_ns)
{
	size_t low = 0, high = h->all.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->by_end[mid].to_ns > time_ns)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Number of holes that start before a moment. */
static size_t starts_before(const struct spe_holes *h, uint64_t time_ns)
{
	size_t low = 0, high = h->all.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->by_start[mid].from_ns < time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t spe_holes_lost_after(const struct spe_holes *h, uint64_t time_ns)
{
	size_t i = first_end_after(h, time_ns);

	if (i == h->all.count)
		return UINT64_MAX;
	if (h->by_end[i].to_ns < UINT64_MAX)
		return h->by_end[i].to_ns;
	/* no LOST ends it: the records break off there */
	return h->by_end[i].from_ns > time_ns ? h->by_end[i].from_ns : time_ns;
}

bool spe_holes_between(const struct spe_holes *h, uint64_t from_ns, uint64_t to_ns,
		       uint64_t *first_ns, uint64_t *last_ns)
{
	size_t first = first_end_after(h, from_ns);
	size_t last = starts_before(h, to_ns);
	uint64_t start, end;

	if (first == h->all.count || !last)
		return false;
	start = h->by_end[first].from_ns;
	end = h->by_start[last - 1].to_ns;
	if (start >= to_ns || end <= from_ns)
		return false;
	*first_ns = start > from_ns ? start : from_ns;
	*last_ns = end < to_ns ? end : to_ns;
	return true;
}
