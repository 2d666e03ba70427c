/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of one table of the page, never more than SPE_LIMIT_HTML_ROWS.
 *
 * When there are too many addresses, larger blocks are counted instead, as
 * large as it takes.  How large depends on which addresses there are and on
 * nothing else: a part has no more of them than the whole, so parts never end
 * up coarser than the whole must.
 */
#include "events.h"
#include "html.h"

#include <string.h>

/* Bits of an address that are not looked at. */
static const uint8_t block_bits[] = { 0, 12, 16, 21, 30 };
#define BLOCKS (sizeof(block_bits) / sizeof(block_bits[0]))

struct spe_row_shape html_rows_shape(unsigned keys)
{
	return (struct spe_row_shape){ .keys = keys, .counts = HTML_COUNTS };
}

uint64_t html_block_bytes(const struct html_table *table, unsigned block)
{
	return block ? 1ull << block_bits[block] : table->unit_bytes;
}

void html_rows_init(struct html_rows *rows)
{
	*rows = (struct html_rows){ .block = 0 };
	spe_rows_init(&rows->rows, html_rows_shape(2));
}

void html_rows_fini(struct html_rows *rows)
{
	spe_rows_fini(&rows->rows);
	spe_rows_init(&rows->rows, html_rows_shape(2));
	memset(rows->recent, 0, sizeof(rows->recent));
}

static uint64_t block_of(uint64_t value, unsigned block)
{
	return value >> block_bits[block] << block_bits[block];
}

static void row_add(struct spe_row *into, const struct spe_row *from)
{
	struct spe_row_shape shape = html_rows_shape(2);

	spe_latest_take(&into->latest, from->latest);
	into->samples += from->samples;
	into->weight += from->weight;
	for (unsigned i = 0; i < HTML_COUNTS; i++)
		spe_row_counts(into, shape)[i] += spe_row_counts(from, shape)[i];
}

/* All rows again, in blocks of that size. */
static int rows_coarsen(struct html_rows *rows, unsigned block)
{
	struct html_rows coarse;
	int status = SPE_OK;

	html_rows_init(&coarse);
	coarse.block = block;
	for (size_t i = 0; i < rows->rows.count && !status; i++) {
		const struct spe_row *row = spe_rows_at(&rows->rows, i);
		uint64_t keys[2] = { block_of(row->keys[0], block), row->keys[1] };
		struct spe_row *to;

		status = spe_rows_find(&coarse.rows, keys, &to);
		if (!status)
			row_add(to, row);
	}
	html_rows_fini(rows);
	*rows = coarse;
	return status;
}

/* Not more rows than there may be. */
static int rows_bound(struct html_rows *rows, const struct html_table *table)
{
	int status = SPE_OK;

	while (!status && rows->rows.count > SPE_LIMIT_HTML_ROWS) {
		if (table->address && rows->block + 1 < BLOCKS) {
			status = rows_coarsen(rows, rows->block + 1);
		} else {
			html_rows_fini(rows);
			rows->full = true;
		}
	}
	return status;
}

unsigned html_kind(const struct spe_sample *sample)
{
	const struct spe_record *record = &sample->record;
	unsigned kind = 0;

	if (record->present & SPE_HAS_TOTAL_LATENCY)
		kind |= 1u << HTML_TIMED;
	if (!(record->present & SPE_HAS_OP) || !spe_op_is_memory(record->op_class))
		return kind;
	kind |= HTML_MEMORY;
	if (spe_op_decode(record->op_class, record->op_payload).flags & SPE_OP_F_STORE)
		kind |= 1u << HTML_STORES;
	if (record->events & SPE_EV_L1D_REFILL) /* absent events are 0 */
		kind |= 1u << HTML_MISSES;
	if (record->events & (SPE_EV_REMOTE | SPE_EV_HITM))
		kind |= 1u << HTML_SHARED;
	return kind;
}

static void row_count(struct spe_row *row, const struct spe_sample *sample, unsigned kind)
{
	uint64_t *counts = spe_row_counts(row, html_rows_shape(2));
	struct spe_latest latest = { sample->time_ns, sample->tid, sample->comm + 1,
				     sample->has_time };

	row->samples++;
	spe_latest_take(&row->latest, latest);
	row->weight += sample->record.total_latency_cycles; /* absent is 0 */
	for (unsigned i = 0; i < HTML_COUNTS; i++)
		counts[i] += kind >> i & 1;
}

/* Mostly it is a row that was counted a little while ago. */
static int find_row(struct html_rows *rows, const uint64_t keys[2], struct spe_row **row)
{
	uint64_t hash = (keys[0] * 0x9e3779b97f4a7c15u) ^ (keys[1] * 0xbf58476d1ce4e5b9u);
	uint32_t *recent = &rows->recent[hash >> 57];
	int status;

	if (*recent) {
		*row = spe_rows_at(&rows->rows, *recent - 1);
		if ((*row)->keys[0] == keys[0] && (*row)->keys[1] == keys[1])
			return SPE_OK;
	}
	status = spe_rows_find(&rows->rows, keys, row);
	if (!status)
		*recent = 1 + (uint32_t)(((char *)*row - rows->rows.bytes) /
					 (ptrdiff_t)rows->rows.stride);
	return status;
}

int html_rows_count(struct html_rows *rows, const struct html_table *table, uint64_t value,
		    unsigned slot, const struct spe_sample *sample, unsigned kind)
{
	uint64_t keys[2] = { value, slot };
	struct spe_row *row;
	int status;

	if (rows->full)
		return SPE_OK;
	if (table->address)
		keys[0] = block_of(value, rows->block);
	status = find_row(rows, keys, &row);
	if (status)
		return status;
	row_count(row, sample, kind);
	return rows->rows.count > SPE_LIMIT_HTML_ROWS ? rows_bound(rows, table) : SPE_OK;
}

int html_rows_merge(struct html_rows *into, struct html_rows *from, const struct html_table *table)
{
	int status = SPE_OK;

	if (into->full || from->full) {
		html_rows_fini(into);
		into->full = true;
		return SPE_OK;
	}
	if (into->block < from->block)
		status = rows_coarsen(into, from->block);
	else if (from->block < into->block)
		status = rows_coarsen(from, into->block);
	if (!status)
		status = spe_rows_merge(&into->rows, &from->rows);
	return status ? status : rows_bound(into, table);
}
