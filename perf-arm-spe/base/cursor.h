/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounds-checked cursor over bytes from a file.  All input of perfdata goes
 * through one: a failed take leaves the cursor failed, so that a parser may
 * take several fields and look once.
 */
#ifndef SPE_BASE_CURSOR_H
#define SPE_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct spe_cursor {
	const uint8_t *bytes;
	size_t n;
	size_t pos;  /* <= n always */
	bool swap;   /* the file's byte order is not this machine's */
	bool failed; /* something was taken that is not there */
};

static inline struct spe_cursor spe_cursor_over(const void *bytes, size_t n, bool swap)
{
	return (struct spe_cursor){ .bytes = bytes, .n = n, .swap = swap };
}

static inline size_t spe_cursor_left(const struct spe_cursor *c)
{
	return c->n - c->pos;
}

/* n bytes in place, or NULL (and failed) when they are not there. */
static inline const uint8_t *spe_cursor_take(struct spe_cursor *c, size_t n)
{
	const uint8_t *at;

	if (c->failed || n > spe_cursor_left(c)) {
		c->failed = true;
		return NULL;
	}
	at = c->bytes + c->pos;
	c->pos += n;
	return at;
}

static inline uint8_t spe_cursor_u8(struct spe_cursor *c)
{
	const uint8_t *at = spe_cursor_take(c, 1);

	return at ? *at : 0;
}

static inline uint16_t spe_cursor_u16(struct spe_cursor *c)
{
	const uint8_t *at = spe_cursor_take(c, sizeof(uint16_t));
	uint16_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return c->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t spe_cursor_u32(struct spe_cursor *c)
{
	const uint8_t *at = spe_cursor_take(c, sizeof(uint32_t));
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t spe_cursor_u64(struct spe_cursor *c)
{
	const uint8_t *at = spe_cursor_take(c, sizeof(uint64_t));
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return c->swap ? __builtin_bswap64(v) : v;
}

#endif
