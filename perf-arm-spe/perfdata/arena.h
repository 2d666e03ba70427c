/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that lives as long as an open file: strings, ids, attrs.  Nothing is freed singly. */
#ifndef SPE_PERFDATA_ARENA_H
#define SPE_PERFDATA_ARENA_H

#include <perf-arm-spe/base.h>

struct spe_arena_block;

struct spe_arena {
	struct spe_arena_block *blocks; /* newest first */
	bool failed;                    /* something was asked for and could not be given */
};

/* n zeroed bytes, 8-aligned, or NULL when there is no memory. */
void *spe_arena_alloc(struct spe_arena *arena, size_t n);
/* A NUL-terminated copy of n bytes, or NULL. */
char *spe_arena_string(struct spe_arena *arena, const void *text, size_t n);
void spe_arena_free(struct spe_arena *arena);

#endif
