/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows in order, as a list or as a tree. */
#include "report.h"

#include <stdlib.h>

double spe_report_percent(const struct spe_report *report, const struct spe_row *row)
{
	return report->weight ? 100.0 * (double)row->weight / (double)report->weight : 0.0;
}

struct spe_row_shape spe_report_shape(const struct spe_report *report, unsigned level)
{
	struct spe_row_shape shape = report->shape;

	shape.keys = report->level_keys[level];
	return shape;
}

unsigned spe_report_first_key(const struct spe_report *report, unsigned level)
{
	return level ? report->level_keys[level - 1] : 0;
}

/* The row of a level that a leaf belongs to. */
static uint32_t node_number(const struct spe_report *report, uint32_t leaf, unsigned level)
{
	unsigned inner = report->level_count - 1;

	return level == inner ? leaf : report->parents[(size_t)leaf * inner + level];
}

static const struct spe_row *node_row(const struct spe_report *report, uint32_t number,
				      unsigned level)
{
	return spe_rows_at(level == report->level_count - 1 ? &report->rows : &report->inner[level],
			   number);
}

/* ---- the tree ---------------------------------------------------------- */

/* One level above the leaves: its rows, and which of them each leaf is under. */
static int tree_level(struct spe_report *report, unsigned level)
{
	struct spe_rows *inner = &report->inner[level];
	unsigned width = report->level_count - 1;
	int status;

	spe_rows_init(inner, spe_report_shape(report, level));
	status = spe_rows_merge(inner, &report->rows);
	for (size_t i = 0; i < report->rows.count && !status; i++) {
		struct spe_row *row;

		status = spe_rows_find(inner, spe_rows_at(&report->rows, i)->keys, &row);
		if (!status)
			report->parents[i * width + level] =
				(uint32_t)(((char *)row - inner->bytes) / (ptrdiff_t)inner->stride);
	}
	spe_rows_freeze(inner);
	return status;
}

static int tree_build(struct spe_report *report)
{
	unsigned inner = report->level_count - 1;
	int status = SPE_OK;

	if (inner) {
		report->parents = malloc((report->rows.count * inner + 1) * sizeof(uint32_t));
		if (!report->parents)
			return SPE_NOMEM;
	}
	for (unsigned level = 0; level < inner && !status; level++)
		status = tree_level(report, level);
	spe_rows_freeze(&report->rows);
	return status;
}

/* ---- order ------------------------------------------------------------- */

/* Heaviest first; equal ones by the keys of the level. */
static int node_compare(const struct spe_report *report, const struct spe_row *x,
			const struct spe_row *y, unsigned level)
{
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	for (unsigned k = spe_report_first_key(report, level); k < report->level_keys[level]; k++) {
		const struct spe_key *key = report->keys[k];

		if (x->keys[k] == y->keys[k])
			continue;
		return key->order ? key->order(&report->context, x->keys[k], y->keys[k])
		       : x->keys[k] < y->keys[k] ? -1
						 : 1;
	}
	return 0;
}

static int leaf_compare(const void *a, const void *b, void *arg)
{
	const struct spe_report *report = arg;

	for (unsigned level = 0; level < report->level_count; level++) {
		uint32_t x = node_number(report, *(const uint32_t *)a, level);
		uint32_t y = node_number(report, *(const uint32_t *)b, level);

		if (x != y)
			return node_compare(report, node_row(report, x, level),
					    node_row(report, y, level), level);
	}
	return 0;
}

int spe_report_order(struct spe_report *report)
{
	size_t count = report->rows.count;
	int status;

	spe_report_order_fini(report);
	report->order = malloc((count + 1) * sizeof(*report->order));
	if (!report->order)
		return SPE_NOMEM;
	report->samples = report->weight = 0;
	for (size_t i = 0; i < count; i++) {
		const struct spe_row *row = spe_rows_at(&report->rows, i);

		report->order[i] = (uint32_t)i;
		report->samples += row->samples;
		report->weight += row->weight;
	}
	status = tree_build(report);
	if (!status)
		qsort_r(report->order, count, sizeof(*report->order), leaf_compare, report);
	return status;
}

void spe_report_order_fini(struct spe_report *report)
{
	for (unsigned level = 0; level + 1 < report->level_count; level++) {
		spe_rows_fini(&report->inner[level]);
		report->inner[level] = (struct spe_rows){ .count = 0 };
	}
	free(report->parents);
	free(report->order);
	report->parents = report->order = NULL;
}

/* ---- the walk ---------------------------------------------------------- */

/* Visit what leaf i adds to leaf i - 1: the levels from the first that differs on. */
static bool walk_leaf(const struct spe_report *report, size_t i, spe_report_visit_fn *visit,
		      void *arg)
{
	bool fresh = i == 0;

	for (unsigned level = 0; level < report->level_count; level++) {
		uint32_t number = node_number(report, report->order[i], level);
		const struct spe_row *row = node_row(report, number, level);

		fresh = fresh || number != node_number(report, report->order[i - 1], level);
		if (spe_report_percent(report, row) < report->percent_limit)
			return false;
		if (fresh && visit)
			visit(arg, row, level);
	}
	return true;
}

size_t spe_report_walk(const struct spe_report *report, spe_report_visit_fn *visit, void *arg,
		       uint64_t *hidden_samples)
{
	size_t hidden = 0;

	*hidden_samples = 0;
	for (size_t i = 0; i < report->rows.count && report->order; i++) {
		if (walk_leaf(report, i, visit, arg))
			continue;
		hidden++;
		*hidden_samples += spe_rows_at(&report->rows, report->order[i])->samples;
	}
	return hidden;
}
