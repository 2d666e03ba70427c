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

#define SPE_ORDER(a, b)                                                                            \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

#endif
