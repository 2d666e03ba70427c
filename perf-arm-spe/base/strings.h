/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of distinct strings, numbered 0, 1, 2 ... in order of arrival. */
#ifndef SPE_BASE_STRINGS_H
#define SPE_BASE_STRINGS_H

#include <perf-arm-spe/base.h>

struct spe_strings;

/* SPE_OK or SPE_NOMEM; limit: the most strings it will hold. */
int spe_strings_new(size_t limit, struct spe_strings **strings);
void spe_strings_free(struct spe_strings *strings);
/* Number of the text (added if new). SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_strings_add(struct spe_strings *strings, const char *text, size_t length, uint32_t *number);
/* Text of a number, NULL when out of range.  Lives as long as the table. */
const char *spe_strings_get(const struct spe_strings *strings, uint32_t number);
size_t spe_strings_count(const struct spe_strings *strings);

#endif
