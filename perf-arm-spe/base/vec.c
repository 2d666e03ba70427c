/* SPDX-License-Identifier: GPL-2.0-only */
#include "vec.h"

#include <stdlib.h>

int spe_vec_reserve_(void **items, size_t *room, size_t item_bytes, size_t count, size_t limit)
{
	size_t want = *room ? *room : 16;
	void *grown;

	if (count <= *room)
		return SPE_OK;
	if (count > limit || limit > SIZE_MAX / item_bytes)
		return SPE_LIMIT;
	while (want < count)
		want += want / 2 + 8;
	if (want > limit)
		want = limit;
	grown = realloc(*items, want * item_bytes);
	if (!grown)
		return SPE_NOMEM;
	*items = grown;
	*room = want;
	return SPE_OK;
}
