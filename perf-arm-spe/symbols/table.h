/* SPDX-License-Identifier: GPL-2.0-only */
/* The symbols of one file, by address. */
#ifndef SPE_SYMBOLS_TABLE_H
#define SPE_SYMBOLS_TABLE_H

#include "../base/vec.h"

enum spe_table_flag {
	SPE_TABLE_GLOBAL = 1,
	SPE_TABLE_WEAK = 2,
	SPE_TABLE_SIZED = 4, /* end is the symbol's own; else that of what holds it */
};

struct spe_table_symbol {
	uint64_t start, end;
	uint32_t name; /* place in names */
	uint32_t flags;
};

struct spe_table {
	SPE_VEC(struct spe_table_symbol) symbols; /* finished: ascending, one a start */
	SPE_VEC(char) names;
	uint64_t *reach; /* finished: the greatest end up to each symbol */
};

/* The readable form of a name into to, false when it has none other. */
typedef bool (*spe_table_readable)(const char *name, char *to, size_t room);

void spe_table_clear(struct spe_table *table);
/* Add a symbol; without SPE_TABLE_SIZED it reaches to the next one, at most to end.
 * SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_table_add(struct spe_table *table, uint64_t start, uint64_t end, const char *name,
		  size_t name_bytes, uint32_t flags);
/* Sort; of several symbols at one place keep the one people expect. SPE_OK, SPE_NOMEM. */
int spe_table_finish(struct spe_table *table, spe_table_readable readable);
/* The symbol that covers an address, the innermost; SIZE_MAX when there is none. */
size_t spe_table_find(const struct spe_table *table, uint64_t address);
const char *spe_table_name(const struct spe_table *table, size_t i);

#endif
