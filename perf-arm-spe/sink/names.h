/* SPDX-License-Identifier: GPL-2.0-only */
/* Names an option takes: listing them, and refusing what is none of them. */
#ifndef SPE_SINK_NAMES_H
#define SPE_SINK_NAMES_H

#include <perf-arm-spe/base.h>

#define SPE_NAMES_MAX 192u
#define SPE_NAME_BYTES 48u

struct spe_names {
	size_t count;
	const char *help[SPE_NAMES_MAX];           /* NULL: the name says it */
	char items[SPE_NAMES_MAX][SPE_NAME_BYTES]; /* small letters */
};

/* Add a name unless it is there; one too many, or too long, is left out. */
void spe_names_add(struct spe_names *names, const char *name, const char *help);

/*
 * SPE_INVALID, with "--OPTION: there is no WHAT 'WORD' (did you mean 'NAME'?); --OPTION list
 * shows all" in *error.  The question is asked where a name differs in two letters or less.
 */
int spe_names_refuse(const struct spe_names *names, const char *option, const char *what,
		     const char *word, size_t length, struct spe_error *error);

/* The names of --op, --event, --source or --evidence; false: that filter takes none. */
bool spe_filter_names_of(const char *filter, struct spe_names *names);
/* Is it one of those, whatever its case, '_' or '-'? */
bool spe_names_have(const struct spe_names *names, const char *word, size_t length);

#endif
