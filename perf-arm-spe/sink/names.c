/* SPDX-License-Identifier: GPL-2.0-only */
#include "names.h"

#include <ctype.h>
#include <string.h>

#define NEAR 2u /* letters that a slip of the finger changes */

void spe_names_add(struct spe_names *names, const char *name, const char *help)
{
	char *to = names->items[names->count < SPE_NAMES_MAX ? names->count : 0];
	size_t length = strlen(name);

	if (names->count == SPE_NAMES_MAX || length >= SPE_NAME_BYTES ||
	    spe_names_have(names, name, length))
		return;
	for (size_t i = 0; i <= length; i++)
		to[i] = (char)tolower((unsigned char)name[i]);
	names->help[names->count++] = help;
}

static char plain(char c)
{
	return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

bool spe_names_have(const struct spe_names *names, const char *word, size_t length)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i];
		size_t n = 0;

		while (n < length && name[n] && plain(word[n]) == plain(name[n]))
			n++;
		if (n == length && !name[n])
			return true;
	}
	return false;
}

/* Letters to add, take away or change to make one of the other (Levenshtein). */
static size_t distance(const char *word, size_t length, const char *name)
{
	size_t row[SPE_NAME_BYTES + 1];
	size_t columns = strlen(name);

	for (size_t k = 0; k <= columns; k++)
		row[k] = k;
	for (size_t i = 1; i <= length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= columns; k++) {
			size_t change = diagonal + (plain(word[i - 1]) != plain(name[k - 1]));
			size_t least = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;

			diagonal = row[k];
			row[k] = change < least ? change : least;
		}
	}
	return row[columns];
}

/* NULL: none is near.  Of a short word, not all may be changed. */
static const char *nearest(const struct spe_names *names, const char *word, size_t length)
{
	size_t least = (length > NEAR + 1 ? NEAR : 1) + 1;
	const char *found = NULL;

	for (size_t i = 0; i < names->count && length < SPE_NAME_BYTES; i++) {
		size_t d = distance(word, length, names->items[i]);

		if (d >= least || d >= length)
			continue;
		least = d;
		found = names->items[i];
	}
	return found;
}

int spe_names_refuse(const struct spe_names *names, const char *option, const char *what,
		     const char *word, size_t length, struct spe_error *error)
{
	const char *near = nearest(names, word, length);

	return spe_error_set(error, SPE_INVALID,
			     "--%s: there is no %s '%.*s'%s%s%s; --%s list shows all", option, what,
			     length < 100 ? (int)length : 100, word, near ? " (did you mean '" : "",
			     near ? near : "", near ? "'?)" : "", option);
}
