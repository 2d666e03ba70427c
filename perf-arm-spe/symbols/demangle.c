/* SPDX-License-Identifier: GPL-2.0-only */
#include "demangle.h"

#include <string.h>

#ifdef HAVE_DEMANGLE
#include <libiberty/demangle.h>
#include <setjmp.h>

/* Mangled names refer back to their own parts: a short one can stand for gigabytes. */
#define TEXT_MAX 65536u
/* Longer ones are left as they are. */
#define NAME_MAX_BYTES 16384u

struct text {
	char *to;
	size_t room;
	size_t used;
	size_t total;
	jmp_buf enough;
};

/*
 * Called with one piece of the text after the other.  There is no way to tell
 * the demangler to stop but to leave it: it holds no memory of ours, and while it
 * writes punctuation none of its own.
 */
static void take_piece(const char *piece, size_t n, void *arg)
{
	struct text *text = arg;
	size_t fits = text->room - 1 - text->used;

	if (n < fits)
		fits = n;
	memcpy(text->to + text->used, piece, fits);
	text->used += fits;
	text->total += n;
	if (text->total > TEXT_MAX && n && strchr("<>(){}:,& ", piece[0]))
		longjmp(text->enough, 1);
}

static bool run(const char *name, struct text *text)
{
	if (setjmp(text->enough))
		return false;
	/* Rust's old names look like C++. */
	if (rust_demangle_callback(name, DMGL_NO_OPTS, take_piece, text))
		return true;
	text->used = text->total = 0;
	return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_piece, text) != 0;
}

bool spe_demangle(const char *name, char *to, size_t room)
{
	struct text text = { .to = to, .room = room };

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
		return false;
	if (!run(name, &text) || !text.used)
		return false;
	to[text.used] = '\0';
	return true;
}

#else

bool spe_demangle(const char *name, char *to, size_t room)
{
	(void)name;
	(void)to;
	(void)room;
	return false;
}

#endif
