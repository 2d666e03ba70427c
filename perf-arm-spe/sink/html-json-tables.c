/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's tables: the first rows of each process and of all, the rest counted. */
#include "html.h"

#include <stdio.h>
#include <stdlib.h>

#define TOP_MAX 40u /* no table shows more: html_tables */

/* The first rows of one process, or of all, in order; the others are counted. */
struct top {
	const struct spe_row *rows[TOP_MAX];
	unsigned count, most;
	uint64_t all_rows, all_samples;
};

struct view {
	const struct html *html;
	unsigned table;
	unsigned keys; /* of a row */
	bool owner;    /* rows say whose they are */
};

/* Heaviest first, equal ones by key. */
static bool comes_before(const struct view *view, const struct spe_row *x, const struct spe_row *y)
{
	const struct spe_key *key = view->html->keys[view->table];

	if (x->samples != y->samples)
		return x->samples > y->samples;
	if (x->keys[0] != y->keys[0])
		return key->order ? key->order(&view->html->context, x->keys[0], y->keys[0]) < 0
				  : x->keys[0] < y->keys[0];
	return view->keys > 1 && x->keys[1] < y->keys[1];
}

static void top_add(struct top *top, const struct view *view, const struct spe_row *row)
{
	unsigned at = top->count;

	top->all_rows++;
	top->all_samples += row->samples;
	if (at == top->most) {
		if (!comes_before(view, row, top->rows[at - 1]))
			return;
		at--;
	} else {
		top->count++;
	}
	for (; at && comes_before(view, row, top->rows[at - 1]); at--)
		top->rows[at] = top->rows[at - 1];
	top->rows[at] = row;
}

/* ---- one row ----------------------------------------------------------- */

/* "worker 201", "0x4007f0", or null. */
static void json_label(const struct view *view, struct spe_json *json, const struct spe_row *row)
{
	const struct spe_key *key = view->html->keys[view->table];
	struct spe_value value = { &view->html->context, row, row->keys[0] };
	char label[SPE_CELL_BYTES + SPE_PUT_BYTES];
	struct spe_cell cell, name;

	key->cell(&value, &cell);
	name.kind = SPE_CELL_NONE;
	if (key->name_field)
		key->name_cell(&value, &name);
	if (cell.kind == SPE_CELL_NUMBER && name.kind == SPE_CELL_TEXT && name.text[0] == ':')
		cell.kind = SPE_CELL_NONE; /* the name is the number */
	if (cell.kind == SPE_CELL_NUMBER && name.kind == SPE_CELL_TEXT)
		snprintf(label, sizeof(label), "%s %d", name.text, (int)cell.number);
	else if (cell.kind == SPE_CELL_NUMBER)
		snprintf(label, sizeof(label), "%d", (int)cell.number);
	else if (cell.kind == SPE_CELL_TEXT || name.kind == SPE_CELL_TEXT)
		snprintf(label, sizeof(label), "%s",
			 cell.kind == SPE_CELL_TEXT ? cell.text : name.text);
	spe_json_string(json, NULL,
			cell.kind == SPE_CELL_NONE && name.kind == SPE_CELL_NONE ? NULL : label);
}

/* The file a symbol is in, as its library or program is called. */
static void json_object_name(const struct view *view, struct spe_json *json,
			     const struct spe_row *row)
{
	struct spe_symbol symbol = { .dso_name = NULL };

	(void)spe_symbols_by_id(view->html->context.symbols->symbols, row->keys[0], &symbol);
	spe_json_string(json, NULL, symbol.dso_name);
}

/* [label, samples, average latency, stores, misses, shared(, slot or file)] */
static void json_row(const struct view *view, struct spe_json *json, const struct spe_row *row)
{
	const uint64_t *counts = spe_row_counts(row, html_rows_shape(view->keys));

	spe_json_array(json, NULL);
	json_label(view, json, row);
	spe_json_u64(json, NULL, row->samples);
	if (counts[HTML_TIMED])
		spe_json_double(json, NULL, (double)row->weight / (double)counts[HTML_TIMED], 1);
	else
		spe_json_null(json, NULL);
	spe_json_u64(json, NULL, counts[HTML_STORES]);
	spe_json_u64(json, NULL, counts[HTML_MISSES]);
	spe_json_u64(json, NULL, counts[HTML_SHARED]);
	if (view->owner)
		spe_json_u64(json, NULL, row->keys[1]);
	if (html_tables[view->table].named)
		json_object_name(view, json, row);
	spe_json_array_end(json);
}

static void json_top(const struct view *view, struct spe_json *json, const char *name,
		     const struct top *top)
{
	uint64_t samples = 0;

	spe_json_object(json, name);
	spe_json_array(json, "rows");
	for (unsigned i = 0; i < top->count; i++) {
		samples += top->rows[i]->samples;
		json_row(view, json, top->rows[i]);
	}
	spe_json_array_end(json);
	spe_json_u64(json, "samples", top->all_samples);
	spe_json_u64(json, "more_rows", top->all_rows - top->count);
	spe_json_u64(json, "more_samples", top->all_samples - samples);
	spe_json_object_end(json);
}

/* ---- one table --------------------------------------------------------- */

static int json_by_process(const struct view *view, struct spe_json *json,
			   const struct spe_rows *rows)
{
	unsigned slots = html_slots(view->html);
	struct top *tops = calloc(slots, sizeof(*tops));

	if (!tops)
		return SPE_NOMEM;
	for (unsigned i = 0; i < slots; i++)
		tops[i].most = html_tables[view->table].top;
	for (size_t i = 0; i < rows->count; i++) {
		const struct spe_row *row = spe_rows_at(rows, i);

		top_add(&tops[row->keys[1]], view, row);
	}
	spe_json_array(json, "processes");
	for (unsigned i = 0; i < slots; i++)
		json_top(view, json, NULL, &tops[i]);
	spe_json_array_end(json);
	free(tops);
	return SPE_OK;
}

/* All processes together; where a value says nothing without its process, rows name it. */
static int json_all(struct view *view, struct spe_json *json, const struct spe_rows *rows)
{
	const struct html_table *table = &html_tables[view->table];
	struct top top = { .most = table->top_all };
	struct spe_rows together;
	int status = SPE_OK;

	spe_rows_init(&together, html_rows_shape(1));
	if (!table->pair) {
		status = spe_rows_merge(&together, rows);
		rows = &together;
		view->keys = 1;
	}
	for (size_t i = 0; i < rows->count && !status; i++)
		top_add(&top, view, spe_rows_at(rows, i));
	view->owner = table->pair;
	json_top(view, json, "all", &top);
	view->owner = false;
	view->keys = 2;
	spe_rows_fini(&together);
	return status;
}

static int json_table(struct html *html, struct spe_json *json, unsigned t)
{
	const struct html_table *table = &html_tables[t];
	const struct html_rows *rows = &html->counts.tables[t];
	struct view view = { .html = html, .table = t, .keys = 2 };
	int status;

	if (!html->keys[t])
		return SPE_OK;
	spe_json_object(json, table->name);
	spe_json_string(json, "key", html->keys[t]->name);
	if (table->address)
		spe_json_u64(json, "unit_bytes", html_block_bytes(table, rows->block));
	spe_json_bool(json, "too_many", rows->full);
	status = json_all(&view, json, &rows->rows);
	if (!status)
		status = json_by_process(&view, json, &rows->rows);
	spe_json_object_end(json);
	return status;
}

int html_json_tables(struct html *html, struct spe_json *json)
{
	int status = SPE_OK;

	spe_json_object(json, "tables");
	for (unsigned t = 0; t < HTML_TABLES && !status; t++)
		status = json_table(html, json, t);
	spe_json_object_end(json);
	return status;
}
