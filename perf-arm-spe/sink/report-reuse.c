/* SPDX-License-Identifier: GPL-2.0-only */
/* Ids that several processes used, one after the other: their rows look alike. */
#include "keys-private.h"
#include "report.h"

#include "../base/vec.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define IDS_NAMED 4u /* the others are counted */

struct reuse {
	const struct spe_report *report;
	unsigned key; /* which of the keys is the process or thread */
	SPE_VEC(uint64_t) values;
	int status;
};

static bool find_key(struct reuse *reuse)
{
	for (; reuse->key < reuse->report->key_count; reuse->key++) {
		const char *field = reuse->report->keys[reuse->key]->field;

		if (!strcmp(field, "pid") || !strcmp(field, "tid"))
			return true;
	}
	return false;
}

static void collect(void *arg, const struct spe_row *row, unsigned level)
{
	struct reuse *reuse = arg;
	uint64_t value;

	if (reuse->key < spe_report_first_key(reuse->report, level) ||
	    reuse->key >= reuse->report->level_keys[level])
		return;
	value = spe_report_value(reuse->report, row, reuse->key).value;
	if (value < UNRESOLVED && !reuse->status)
		reuse->status = spe_vec_push(&reuse->values, &value, SPE_LIMIT_REPORT_ROWS);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The values from i on that have one id: how many of them differ; *next is behind them. */
static size_t owners_of_id(const struct reuse *reuse, size_t i, size_t *next)
{
	const uint64_t *values = reuse->values.items;
	size_t owners = 1;

	for (*next = i + 1; *next < reuse->values.count; ++*next) {
		if (ID_OF(values[*next]) != ID_OF(values[i]))
			break;
		owners += values[*next] != values[*next - 1];
	}
	return owners;
}

static void put(const struct reuse *reuse, struct spe_text *text)
{
	size_t ids = 0;

	for (size_t i = 0, next; i < reuse->values.count; i = next) {
		size_t owners = owners_of_id(reuse, i, &next);

		if (owners < 2 || ids++ >= IDS_NAMED)
			continue;
		spe_text_printf(text, "%s %d by %zu processes",
				ids > 1 ? "," : "# Ids used again:", ID_OF(reuse->values.items[i]),
				owners);
	}
	if (ids > IDS_NAMED)
		spe_text_printf(text, ", and %zu more", ids - IDS_NAMED);
	if (ids)
		spe_text_str(text, ", one after the other\n");
}

void spe_report_reuse_text(const struct spe_report *report, struct spe_text *text)
{
	struct reuse reuse = { .report = report };
	uint64_t hidden;

	if (!find_key(&reuse))
		return;
	spe_report_walk(report, collect, &reuse, &hidden);
	if (reuse.status && !text->status)
		text->status = reuse.status;
	if (reuse.values.count) {
		qsort(reuse.values.items, reuse.values.count, sizeof(*reuse.values.items), compare);
		put(&reuse, text);
	}
	free(reuse.values.items);
}
