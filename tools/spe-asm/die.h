/* SPDX-License-Identifier: GPL-2.0-only */
/* Giving up: one line on standard error, exit 1, no half-written file left behind. */
#ifndef SPE_ASM_DIE_H
#define SPE_ASM_DIE_H

#include <perf-arm-spe/base.h>

/* Where in a text something stands. */
struct place {
	const char *file;
	unsigned line;
};

/* "spe-asm: what", exit 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "file:line: what", exit 1. */
_Noreturn void die_at(const struct place *place, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* die() with the library's words unless status is SPE_OK. */
void die_on(int status, const struct spe_error *error);

/* What to do before exiting, last first, until die_cleanup_done() with the same arg. */
void die_cleanup(void (*cleanup)(void *arg), void *arg);
void die_cleanup_done(void *arg);

/* Take away a file that is not whole; devices and pipes stay. */
void remove_half_written(const char *path);

/* Memory or die(). */
void *need(void *memory);

#endif
