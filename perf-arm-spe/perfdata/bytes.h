/* SPDX-License-Identifier: GPL-2.0-only */
/* Unaligned loads, stores and swaps.  The caller has checked the bounds. */
#ifndef SPE_PERFDATA_BYTES_H
#define SPE_PERFDATA_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool spe_host_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static inline uint16_t spe_get16(const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t spe_get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint64_t spe_get64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline void spe_put16(uint8_t *at, uint16_t v)
{
	memcpy(at, &v, sizeof(v));
}

static inline void spe_put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static inline void spe_put64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

static inline void spe_swap16(uint8_t *at)
{
	spe_put16(at, __builtin_bswap16(spe_get16(at)));
}

static inline void spe_swap32(uint8_t *at)
{
	spe_put32(at, __builtin_bswap32(spe_get32(at)));
}

static inline void spe_swap64(uint8_t *at)
{
	spe_put64(at, __builtin_bswap64(spe_get64(at)));
}

/* As many whole words as fit in n bytes. */
static inline void spe_swap64s(uint8_t *at, size_t n)
{
	for (; n >= 8; at += 8, n -= 8)
		spe_swap64(at);
}

static inline void spe_swap32s(uint8_t *at, size_t n)
{
	for (; n >= 4; at += 4, n -= 4)
		spe_swap32(at);
}

#endif
