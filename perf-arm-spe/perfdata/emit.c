/* SPDX-License-Identifier: GPL-2.0-only */
#include "emit.h"

#include <perf-arm-spe/limits.h>

#define STRING_ALIGN 64u /* of perf's header strings */

/* Room for n more, or NULL and a status. */
static uint8_t *emit_room(struct spe_emit *e, size_t n)
{
	uint8_t *at;

	if (!e->status && n > SPE_LIMIT_FEATURE_BYTES)
		e->status = SPE_LIMIT;
	if (!e->status)
		e->status = spe_vec_reserve(&e->bytes, e->bytes.count + n,
					    2 * (size_t)SPE_LIMIT_FEATURE_BYTES);
	if (e->status)
		return NULL;
	at = e->bytes.items + e->bytes.count;
	e->bytes.count += n;
	return at;
}

void spe_emit_bytes(struct spe_emit *e, const void *bytes, size_t n)
{
	uint8_t *at = n ? emit_room(e, n) : NULL;

	if (at)
		memcpy(at, bytes, n);
}

void spe_emit_zeros(struct spe_emit *e, size_t n)
{
	uint8_t *at = n ? emit_room(e, n) : NULL;

	if (at)
		memset(at, 0, n);
}

void spe_emit_u16(struct spe_emit *e, uint16_t v)
{
	if (e->swap)
		v = __builtin_bswap16(v);
	spe_emit_bytes(e, &v, sizeof(v));
}

void spe_emit_u32(struct spe_emit *e, uint32_t v)
{
	if (e->swap)
		v = __builtin_bswap32(v);
	spe_emit_bytes(e, &v, sizeof(v));
}

void spe_emit_u64(struct spe_emit *e, uint64_t v)
{
	if (e->swap)
		v = __builtin_bswap64(v);
	spe_emit_bytes(e, &v, sizeof(v));
}

void spe_emit_string(struct spe_emit *e, const char *text)
{
	size_t n = strlen(text);
	size_t padded = (n + 1 + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	if (padded > SPE_LIMIT_STRING_BYTES) {
		e->status = SPE_LIMIT;
		return;
	}
	spe_emit_u32(e, (uint32_t)padded);
	spe_emit_bytes(e, text, n);
	spe_emit_zeros(e, padded - n);
}

void spe_emit_header(struct spe_emit *e, uint32_t type, uint16_t misc, size_t size)
{
	if (size > UINT16_MAX) {
		e->status = SPE_LIMIT;
		return;
	}
	spe_emit_u32(e, type);
	spe_emit_u16(e, misc);
	spe_emit_u16(e, (uint16_t)size);
}
