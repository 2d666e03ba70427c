/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sized option structs: `size_t size` first, filled by the caller with its own
 * sizeof.  An older caller's struct is shorter (the rest is zero), a newer
 * one's longer: what this library does not know must be zero.
 */
#ifndef SPE_BASE_OPTS_H
#define SPE_BASE_OPTS_H

#include <perf-arm-spe/base.h>
#include <string.h>

static inline int spe_opts_take_(void *to, size_t to_bytes, const void *from)
{
	size_t size;

	memset(to, 0, to_bytes);
	if (!from)
		return SPE_OK;
	memcpy(&size, from, sizeof(size));
	if (size < sizeof(size))
		return SPE_INVALID;
	for (size_t i = to_bytes; i < size; i++)
		if (((const unsigned char *)from)[i])
			return SPE_INVALID;
	memcpy(to, from, size < to_bytes ? size : to_bytes);
	return SPE_OK;
}

/* *to = the caller's options (NULL: all zero).  SPE_OK or SPE_INVALID. */
#define spe_opts_take(to, from) spe_opts_take_((to), sizeof(*(to)), (from))

#endif
