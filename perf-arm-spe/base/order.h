/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a qsort() comparison, most important field first:
 *
 *	SPE_ORDER(a->cpu, b->cpu);
 *	SPE_ORDER(a->time_ns, b->time_ns);
 *	return 0;
 *
 * Each returns where its two values differ.  A subtraction would overflow.
 */
#ifndef SPE_BASE_ORDER_H
#define SPE_BASE_ORDER_H

#include <stdlib.h>

#define SPE_ORDER(a, b)                                                                            \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

/* qsort() for what is in order most of the time: then each is looked at once. */
static inline void spe_sort(void *items, size_t count, size_t size,
			    int (*order)(const void *a, const void *b))
{
	const char *at = items;

	for (size_t i = 1; i < count; i++, at += size)
		if (order(at, at + size) > 0) {
			qsort(items, count, size, order);
			return;
		}
}

#endif
