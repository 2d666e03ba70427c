/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "die.h"

#define CLEANUPS_MAX 4

static struct {
	void (*run)(void *arg);
	void *arg;
} cleanups[CLEANUPS_MAX];

void die_cleanup(void (*run)(void *arg), void *arg)
{
	for (size_t i = 0; i < CLEANUPS_MAX; i++)
		if (!cleanups[i].run) {
			cleanups[i].run = run;
			cleanups[i].arg = arg;
			return;
		}
}

void die_cleanup_done(void *arg)
{
	for (size_t i = 0; i < CLEANUPS_MAX; i++)
		if (cleanups[i].arg == arg)
			cleanups[i].run = NULL;
}

static _Noreturn void leave(void)
{
	for (size_t i = CLEANUPS_MAX; i-- > 0;)
		if (cleanups[i].run)
			cleanups[i].run(cleanups[i].arg);
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

void remove_half_written(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		remove(path);
}
