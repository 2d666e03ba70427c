/* SPDX-License-Identifier: GPL-2.0-only */
#include "index.h"

#include <stdlib.h>

/*
 * Bounds part the points into pieces, the leaves of the tree; a span stands in
 * the few nodes that make it up, and in each node the spans are in order.
 */
struct spe_index {
	uint64_t *bounds; /* ascending */
	size_t pieces;    /* bounds - 1 */
	size_t *first;    /* by node: where its list begins; [2 * pieces] is the end */
	uint32_t *lists;
};

static int compare_bounds(const void *a_, const void *b_)
{
	const uint64_t *a = a_;
	const uint64_t *b = b_;

	return (*a > *b) - (*a < *b);
}

static size_t unique(uint64_t *bounds, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!kept || bounds[kept - 1] != bounds[i])
			bounds[kept++] = bounds[i];
	return kept;
}

/* The last bound at or below a point; there is one. */
static size_t piece_of(const struct spe_index *index, uint64_t point)
{
	size_t low = 0;
	size_t high = index->pieces + 1;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (index->bounds[mid] <= point)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Put span i where it belongs: count it (lists NULL), or write it. */
static void insert(struct spe_index *index, struct spe_span span, size_t i, size_t *places)
{
	size_t l = piece_of(index, span.start) + index->pieces;
	size_t r = piece_of(index, span.end) + index->pieces;

	for (; l < r; l /= 2, r /= 2) {
		if (l & 1) {
			if (index->lists)
				index->lists[places[l]] = (uint32_t)i;
			places[l++]++;
		}
		if (r & 1) {
			r--;
			if (index->lists)
				index->lists[places[r]] = (uint32_t)i;
			places[r]++;
		}
	}
}

static int make_lists(struct spe_index *index, struct spe_span (*span)(const void *arg, size_t i),
		      const void *arg, size_t count)
{
	size_t nodes = 2 * index->pieces;
	size_t *places = calloc(nodes + 1, sizeof(*places));
	size_t total = 0;

	index->first = calloc(nodes + 1, sizeof(*index->first));
	if (!places || !index->first) {
		free(places);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < count; i++)
		insert(index, span(arg, i), i, places);
	for (size_t n = 0; n < nodes; n++) {
		index->first[n] = total;
		total += places[n];
		places[n] = index->first[n];
	}
	index->first[nodes] = total;
	index->lists = malloc((total + 1) * sizeof(*index->lists));
	for (size_t i = 0; i < count && index->lists; i++)
		insert(index, span(arg, i), i, places);
	free(places);
	return index->lists ? SPE_OK : SPE_NOMEM;
}

int spe_index_new(struct spe_span (*span)(const void *arg, size_t i), const void *arg, size_t count,
		  struct spe_index **index_)
{
	struct spe_index *index = calloc(1, sizeof(*index));
	int status = SPE_OK;

	if (!index)
		return SPE_NOMEM;
	index->bounds = malloc((2 * count + 1) * sizeof(*index->bounds));
	if (!index->bounds) {
		free(index);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct spe_span s = span(arg, i);

		index->bounds[2 * i] = s.start;
		index->bounds[2 * i + 1] = s.end;
	}
	qsort(index->bounds, 2 * count, sizeof(*index->bounds), compare_bounds);
	if (count) {
		index->pieces = unique(index->bounds, 2 * count) - 1;
		status = make_lists(index, span, arg, count);
	}
	if (status) {
		spe_index_free(index);
		return status;
	}
	*index_ = index;
	return SPE_OK;
}

void spe_index_free(struct spe_index *index)
{
	if (!index)
		return;
	free(index->bounds);
	free(index->first);
	free(index->lists);
	free(index);
}

/* The first entry of a node's list that is at or above `before`. */
static size_t list_at(const struct spe_index *index, size_t node, size_t before)
{
	size_t low = index->first[node];
	size_t high = index->first[node + 1];

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (index->lists[mid] < before)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Is the point beyond all spans?  Then *answer says how far that goes. */
static bool outside(const struct spe_index *index, uint64_t point, struct spe_index_answer *answer)
{
	*answer = (struct spe_index_answer){ SPE_INDEX_NONE, SPE_INDEX_NONE, 0, UINT64_MAX };
	if (!index->pieces)
		return true;
	if (point < index->bounds[0])
		answer->hi = index->bounds[0];
	else if (point >= index->bounds[index->pieces])
		answer->lo = index->bounds[index->pieces];
	else
		return false;
	return true;
}

struct spe_index_answer spe_index_find(const struct spe_index *index, uint64_t point, size_t before)
{
	struct spe_index_answer answer;
	size_t piece;

	if (outside(index, point, &answer))
		return answer;
	piece = piece_of(index, point);
	answer.lo = index->bounds[piece];
	answer.hi = index->bounds[piece + 1];
	for (size_t node = piece + index->pieces; node; node /= 2) {
		size_t at = list_at(index, node, before);

		if (at > index->first[node] &&
		    (answer.last == SPE_INDEX_NONE || index->lists[at - 1] > answer.last))
			answer.last = index->lists[at - 1];
		if (at < index->first[node + 1] && index->lists[at] < answer.next)
			answer.next = index->lists[at];
	}
	return answer;
}

void spe_index_visit(const struct spe_index *index, uint64_t point,
		     bool (*visit)(void *arg, size_t i), void *arg)
{
	struct spe_index_answer answer;

	if (outside(index, point, &answer))
		return;
	for (size_t node = piece_of(index, point) + index->pieces; node; node /= 2)
		for (size_t i = index->first[node]; i < index->first[node + 1]; i++)
			if (!visit(arg, index->lists[i]))
				return;
}
