/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include "die.h"

static struct {
	void (*run)(void *arg);
	void *arg;
} cleanup;

void die_cleanup(void (*run)(void *arg), void *arg)
{
	cleanup.run = run;
	cleanup.arg = arg;
}

static _Noreturn void leave(void)
{
	if (cleanup.run)
		cleanup.run(cleanup.arg);
	exit(1);
}

_Noreturn void die(const char *format, ...)
{
	va_list args;

	fputs("spe-asm: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	leave();
}

_Noreturn void die_at(const struct place *place, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%u: ", place->file, place->line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	leave();
}

void die_on(int status, const struct spe_error *error)
{
	if (status < 0)
		die("%s", error && error->text[0] ? error->text : spe_status_text(status));
}

void *need(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}
