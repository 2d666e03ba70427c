/* SPDX-License-Identifier: GPL-2.0-only */
#include "table.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* Symbols inside symbols are looked through no further back than this. */
#define NESTED_MAX 256u
/* The last symbol of a file without sizes ends after the page that follows it. */
#define PAGE_BYTES 4096u
/* Readable names are compared as far as this. */
#define READABLE_BYTES 1024u

void spe_table_clear(struct spe_table *table)
{
	free(table->symbols.items);
	free(table->names.items);
	free(table->reach);
	memset(table, 0, sizeof(*table));
}

int spe_table_add(struct spe_table *table, uint64_t start, uint64_t end, const char *name,
		  size_t name_bytes, uint32_t flags)
{
	struct spe_table_symbol symbol = { start, end, (uint32_t)table->names.count, flags };
	int status;

	if (end < start)
		return SPE_OK;
	status = spe_vec_reserve(&table->names, table->names.count + name_bytes + 1,
				 SPE_LIMIT_SYMBOL_NAMES);
	if (!status)
		status = spe_vec_push(&table->symbols, &symbol, SPE_LIMIT_SYMBOLS);
	if (status)
		return status;
	memcpy(table->names.items + table->names.count, name, name_bytes);
	table->names.items[table->names.count + name_bytes] = '\0';
	table->names.count += name_bytes + 1;
	return SPE_OK;
}

const char *spe_table_name(const struct spe_table *table, size_t i)
{
	return table->names.items + table->symbols.items[i].name;
}

/* ---- order ----------------------------------------------------------------- */

/* By start, then as the file has them: names are in that order. */
static int compare_symbols(const void *a_, const void *b_)
{
	const struct spe_table_symbol *a = a_;
	const struct spe_table_symbol *b = b_;

	SPE_ORDER(a->start, b->start);
	SPE_ORDER(a->name, b->name);
	return 0;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* By their names: the one with fewer underscores before it, then the longer one. */
static bool name_is_better(const char *a, const char *b, spe_table_readable readable)
{
	char texts[2][READABLE_BYTES];
	size_t na;
	size_t nb;

	if (readable && readable(a, texts[0], READABLE_BYTES))
		a = texts[0];
	if (readable && readable(b, texts[1], READABLE_BYTES))
		b = texts[1];
	if (underscores(a) != underscores(b))
		return underscores(a) < underscores(b);
	na = strlen(a);
	nb = strlen(b);
	return na > nb;
}

/* Of two symbols at one place: is b better than a, which came first?  As perf chooses. */
static bool is_better(const struct spe_table *table, size_t b, size_t a,
		      spe_table_readable readable)
{
	const struct spe_table_symbol *sa = &table->symbols.items[a];
	const struct spe_table_symbol *sb = &table->symbols.items[b];
	uint32_t differ = sa->flags ^ sb->flags;

	if (differ & SPE_TABLE_SIZED)
		return (sb->flags & SPE_TABLE_SIZED) != 0;
	if (differ & SPE_TABLE_WEAK)
		return (sa->flags & SPE_TABLE_WEAK) != 0;
	if (differ & SPE_TABLE_GLOBAL)
		return (sb->flags & SPE_TABLE_GLOBAL) != 0;
	return name_is_better(spe_table_name(table, b), spe_table_name(table, a), readable);
}

static void drop_aliases(struct spe_table *table, spe_table_readable readable)
{
	struct spe_table_symbol *items = table->symbols.items;
	size_t count = table->symbols.count;
	size_t kept = 0;

	for (size_t i = 0; i < count;) {
		size_t best = i;
		size_t next = i + 1;

		for (; next < count && items[next].start == items[i].start; next++)
			if (is_better(table, next, best, readable))
				best = next;
		items[kept++] = items[best];
		i = next;
	}
	table->symbols.count = kept;
}

static uint64_t page_after(uint64_t address)
{
	uint64_t end = (address | (PAGE_BYTES - 1)) + 1 + PAGE_BYTES;

	return end > address ? end : UINT64_MAX;
}

/* A symbol without a size ends where the next one begins. */
static void set_ends(struct spe_table *table)
{
	struct spe_table_symbol *items = table->symbols.items;
	uint64_t reach = 0;

	for (size_t i = 0; i < table->symbols.count; i++) {
		if (!(items[i].flags & SPE_TABLE_SIZED) && i + 1 < table->symbols.count &&
		    items[i + 1].start < items[i].end)
			items[i].end = items[i + 1].start;
		if (items[i].end == UINT64_MAX && i + 1 == table->symbols.count)
			items[i].end = page_after(items[i].start);
		if (items[i].end > reach)
			reach = items[i].end;
		table->reach[i] = reach;
	}
}

int spe_table_finish(struct spe_table *table, spe_table_readable readable)
{
	if (table->symbols.count)
		qsort(table->symbols.items, table->symbols.count, sizeof(*table->symbols.items),
		      compare_symbols);
	drop_aliases(table, readable);
	table->reach = malloc((table->symbols.count + 1) * sizeof(*table->reach));
	if (!table->reach)
		return SPE_NOMEM;
	set_ends(table);
	return SPE_OK;
}

/* ---- finding --------------------------------------------------------------- */

size_t spe_table_find(const struct spe_table *table, uint64_t address)
{
	const struct spe_table_symbol *items = table->symbols.items;
	size_t low = 0;
	size_t high = table->symbols.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (items[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t step = 0; low-- && step < NESTED_MAX; step++) {
		if (table->reach[low] <= address)
			break;
		if (items[low].end > address)
			return low;
	}
	return SIZE_MAX;
}
