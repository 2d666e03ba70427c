/* SPDX-License-Identifier: GPL-2.0-only */
#include "rows.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

void spe_rows_init(struct spe_rows *rows, struct spe_row_shape shape)
{
	*rows = (struct spe_rows){
		.shape = shape,
		.stride = sizeof(struct spe_row) + shape.keys * sizeof(uint64_t) +
			  shape.histograms * sizeof(struct spe_histogram) +
			  shape.counts * sizeof(uint64_t),
	};
}

void spe_rows_fini(struct spe_rows *rows)
{
	for (size_t i = 0; i < rows->count && rows->shape.histograms; i++) {
		struct spe_histogram *h = spe_row_histograms(spe_rows_at(rows, i), rows->shape);

		for (unsigned k = 0; k < rows->shape.histograms; k++)
			spe_histogram_fini(&h[k]);
	}
	free(rows->bytes);
	free(rows->slots);
}

static uint64_t keys_hash(const uint64_t *keys, unsigned count)
{
	uint64_t h = 0x9e3779b97f4a7c15u;

	for (unsigned i = 0; i < count; i++) {
		h = (h ^ keys[i]) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 31;
	}
	return h;
}

static bool keys_equal(const uint64_t *a, const uint64_t *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* The slot of the row with these keys, or the empty one where it belongs. */
static uint32_t *rows_slot(const struct spe_rows *rows, const uint64_t *keys)
{
	size_t mask = rows->slot_count - 1;
	size_t at = keys_hash(keys, rows->shape.keys) & mask;

	while (rows->slots[at] &&
	       !keys_equal(spe_rows_at(rows, rows->slots[at] - 1)->keys, keys, rows->shape.keys))
		at = (at + 1) & mask;
	return &rows->slots[at];
}

/* Twice the slots: at most half of them are taken. */
static int rows_grow_slots(struct spe_rows *rows)
{
	size_t count = rows->slot_count ? rows->slot_count * 2 : FIRST_SLOTS;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return SPE_NOMEM;
	free(rows->slots);
	rows->slots = slots;
	rows->slot_count = count;
	for (size_t i = 0; i < rows->count; i++)
		*rows_slot(rows, spe_rows_at(rows, i)->keys) = (uint32_t)i + 1;
	return SPE_OK;
}

static int rows_grow(struct spe_rows *rows)
{
	size_t room = rows->room ? rows->room * 2 : FIRST_SLOTS / 2;
	char *bytes;

	if (rows->count >= SPE_LIMIT_REPORT_ROWS)
		return SPE_LIMIT;
	bytes = realloc(rows->bytes, room * rows->stride);
	if (!bytes)
		return SPE_NOMEM;
	rows->bytes = bytes;
	rows->room = room;
	return SPE_OK;
}

int spe_rows_find(struct spe_rows *rows, const uint64_t *keys, struct spe_row **row)
{
	uint32_t *slot = rows->slots ? rows_slot(rows, keys) : NULL;
	int status = SPE_OK;

	if (slot && *slot) {
		*row = spe_rows_at(rows, *slot - 1);
		return SPE_OK;
	}
	if (rows->count == rows->room)
		status = rows_grow(rows);
	if (!status && rows->count >= rows->slot_count / 2) {
		status = rows_grow_slots(rows);
		slot = NULL;
	}
	if (status)
		return status;
	if (!slot)
		slot = rows_slot(rows, keys);
	*row = spe_rows_at(rows, rows->count++);
	memset(*row, 0, rows->stride);
	(*row)->latest.tid = -1;
	memcpy((*row)->keys, keys, rows->shape.keys * sizeof(*keys));
	*slot = (uint32_t)rows->count;
	return SPE_OK;
}

static int row_add(struct spe_row *into, struct spe_row_shape to, const struct spe_row *from,
		   struct spe_row_shape shape)
{
	int status = SPE_OK;

	spe_latest_take(&into->latest, from->latest);
	into->samples += from->samples;
	into->weight += from->weight;
	for (unsigned i = 0; i < shape.counts; i++)
		spe_row_counts(into, to)[i] += spe_row_counts(from, shape)[i];
	for (unsigned i = 0; i < shape.histograms && !status; i++)
		status = spe_histogram_merge(&spe_row_histograms(into, to)[i],
					     &spe_row_histograms(from, shape)[i]);
	return status;
}

int spe_rows_merge(struct spe_rows *into, const struct spe_rows *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct spe_row *row = spe_rows_at(from, i);
		struct spe_row *to;
		int status = spe_rows_find(into, row->keys, &to);

		if (!status)
			status = row_add(to, into->shape, row, from->shape);
		if (status)
			return status;
	}
	return SPE_OK;
}

void spe_rows_freeze(struct spe_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		for (unsigned k = 0; k < rows->shape.histograms; k++)
			spe_histogram_freeze(
				&spe_row_histograms(spe_rows_at(rows, i), rows->shape)[k]);
}
