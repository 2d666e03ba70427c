/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The n-th allocation fails: fault_in counts down in every thread.  Where the
 * sanitizers bring their own allocator FAULTS is not defined.
 */
#ifndef TESTS_UNIT_FAULTS_H
#define TESTS_UNIT_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FAULTS 1
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

static atomic_long fault_in = -1; /* so many allocations still succeed; negative: all */
static atomic_long fault_live;    /* blocks not freed yet (and those from before the first look) */

static bool fault(void)
{
	return atomic_load(&fault_in) >= 0 && atomic_fetch_sub(&fault_in, 1) == 0;
}

static void *fault_count(void *p)
{
	if (p)
		atomic_fetch_add(&fault_live, 1);
	return p;
}

void *malloc(size_t n)
{
	return fault() ? NULL : fault_count(__libc_malloc(n));
}

void *calloc(size_t count, size_t n)
{
	return fault() ? NULL : fault_count(__libc_calloc(count, n));
}

void *realloc(void *p, size_t n)
{
	void *grown = fault() ? NULL : __libc_realloc(p, n);

	return p ? grown : fault_count(grown);
}

void free(void *p)
{
	if (p)
		atomic_fetch_sub(&fault_live, 1);
	__libc_free(p);
}
#endif

#endif
