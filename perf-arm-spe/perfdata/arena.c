/* SPDX-License-Identifier: GPL-2.0-only */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES 4096u

struct spe_arena_block {
	struct spe_arena_block *next;
	size_t used, room;
	uint64_t bytes[];
};

static struct spe_arena_block *block_new(struct spe_arena *arena, size_t n)
{
	size_t room = n > ARENA_BLOCK_BYTES / 4 ? n : ARENA_BLOCK_BYTES;
	struct spe_arena_block *b;

	if (room > SIZE_MAX / 2)
		return NULL;
	b = calloc(1, sizeof(*b) + room);
	if (!b)
		return NULL;
	b->room = room;
	/* A block made for one big item must not end the use of a half-filled small one. */
	if (arena->blocks && room == n) {
		b->next = arena->blocks->next;
		arena->blocks->next = b;
	} else {
		b->next = arena->blocks;
		arena->blocks = b;
	}
	return b;
}

void *spe_arena_alloc(struct spe_arena *arena, size_t n)
{
	struct spe_arena_block *b = arena->blocks;
	void *at;

	if (n > SIZE_MAX / 4)
		n = SIZE_MAX / 4;
	n = (n + 7) & ~(size_t)7;
	if (!b || b->room - b->used < n)
		b = block_new(arena, n);
	if (!b) {
		arena->failed = true;
		return NULL;
	}
	at = (uint8_t *)b->bytes + b->used;
	b->used += n;
	return at;
}

char *spe_arena_string(struct spe_arena *arena, const void *text, size_t n)
{
	char *copy = spe_arena_alloc(arena, n + 1);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void spe_arena_free(struct spe_arena *arena)
{
	struct spe_arena_block *next;

	for (struct spe_arena_block *b = arena->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	arena->blocks = NULL;
}
