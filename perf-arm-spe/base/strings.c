/* SPDX-License-Identifier: GPL-2.0-only */
#include "strings.h"
#include "vec.h"

#include <stdlib.h>

/* A failed allocation inside uthash must come back as a status, not exit(). */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct entry {
	UT_hash_handle hh;
	uint32_t number;
	char text[]; /* NUL-terminated */
};

struct spe_strings {
	struct entry *by_text;
	SPE_VEC(struct entry *) by_number;
	size_t limit;
};

int spe_strings_new(size_t limit, struct spe_strings **strings)
{
	*strings = calloc(1, sizeof(**strings));
	if (!*strings)
		return SPE_NOMEM;
	(*strings)->limit = limit;
	return SPE_OK;
}

void spe_strings_free(struct spe_strings *strings)
{
	if (!strings)
		return;
	HASH_CLEAR(hh, strings->by_text);
	for (size_t i = 0; i < strings->by_number.count; i++)
		free(strings->by_number.items[i]);
	free(strings->by_number.items);
	free(strings);
}

static int strings_insert(struct spe_strings *strings, const char *text, size_t length,
			  struct entry **made)
{
	struct entry *e = malloc(sizeof(*e) + length + 1);
	int status;

	if (!e)
		return SPE_NOMEM;
	memset(e, 0, sizeof(*e));
	memcpy(e->text, text, length);
	e->text[length] = '\0';
	e->number = (uint32_t)strings->by_number.count;
	status = spe_vec_push(&strings->by_number, &e, strings->limit);
	if (status) {
		free(e);
		return status;
	}
	HASH_ADD_KEYPTR(hh, strings->by_text, e->text, length, e);
	if (!e->hh.tbl) { /* uthash had no memory */
		strings->by_number.count--;
		free(e);
		return SPE_NOMEM;
	}
	*made = e;
	return SPE_OK;
}

int spe_strings_add(struct spe_strings *strings, const char *text, size_t length, uint32_t *number)
{
	struct entry *e;
	int status;

	HASH_FIND(hh, strings->by_text, text, length, e);
	if (!e) {
		status = strings_insert(strings, text, length, &e);
		if (status)
			return status;
	}
	*number = e->number;
	return SPE_OK;
}

const char *spe_strings_get(const struct spe_strings *strings, uint32_t number)
{
	return number < strings->by_number.count ? strings->by_number.items[number]->text : NULL;
}

size_t spe_strings_count(const struct spe_strings *strings)
{
	return strings->by_number.count;
}
