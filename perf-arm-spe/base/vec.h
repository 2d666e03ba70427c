/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Growable arrays with a ceiling:
 *
 *	SPE_VEC(struct thing) things = { 0 };
 *	int status = spe_vec_push(&things, &thing, LIMIT);
 *
 * and free(things.items) at the end.
 */
#ifndef SPE_BASE_VEC_H
#define SPE_BASE_VEC_H

#include <perf-arm-spe/base.h>
#include <string.h>

#define SPE_VEC(type)                                                                              \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count;                                                                      \
		size_t room;                                                                       \
	}

/*
 * Make room for `count` items in all.  SPE_OK, SPE_NOMEM, or SPE_LIMIT when
 * count is over the ceiling; on failure nothing changed.
 */
int spe_vec_reserve_(void **items, size_t *room, size_t item_bytes, size_t count, size_t limit);

#define spe_vec_reserve(vec, want, limit)                                                          \
	spe_vec_reserve_((void **)&(vec)->items, &(vec)->room, sizeof(*(vec)->items), (want),      \
			 (limit))

#define spe_vec_push(vec, item, limit)                                                             \
	({                                                                                         \
		int status_ = spe_vec_reserve((vec), (vec)->count + 1, (limit));                   \
		if (!status_)                                                                      \
			(vec)->items[(vec)->count++] = *(item);                                    \
		status_;                                                                           \
	})

#endif
