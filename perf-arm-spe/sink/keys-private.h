/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the key table share. */
#ifndef SPE_SINK_KEYS_PRIVATE_H
#define SPE_SINK_KEYS_PRIVATE_H

#include "keys.h"

/*
 * Values of id columns: a known id above which of the processes that had it,
 * a thread of no known process, nobody.
 */
#define OF_PROCESS(id, process) ((uint64_t)(uint32_t)(id) << 32 | (process))
#define ID_OF(value) ((int32_t)((value) >> 32))
#define UNRESOLVED (1ull << 63)
#define NOBODY (1ull << 63 | 1ull << 62)
/* No value of a small enumeration; of an address. */
#define ABSENT NOBODY
#define NO_ADDRESS UINT64_MAX

#define NOBODY_TEXT "[unattributed]"
#define ABSENT_TEXT "N/A"

/*
 * A column: `s` is the sample, `c` the context.  The expressions are all a
 * sample costs here, so they neither call nor allocate.
 */
#define FILL(name, expression)                                                                     \
	static void name##_fill(const struct spe_key_context *c, const struct spe_sample *samples, \
				size_t count, uint64_t *out)                                       \
	{                                                                                          \
		(void)c;                                                                           \
		for (size_t i = 0; i < count; i++) {                                               \
			const struct spe_sample *s = &samples[i];                                  \
                                                                                                   \
			out[i] = (expression);                                                     \
		}                                                                                  \
	}

#define HAS(bit) (s->record.present & SPE_HAS_##bit)

/* Keys, up to one without a name. */
extern const struct spe_key spe_keys_who[], spe_keys_what[], spe_keys_memory[], spe_keys_symbols[];

/* Fill a cell. */
void spe_cell_none(struct spe_cell *cell);
void spe_cell_number(struct spe_cell *cell, int64_t number);
void spe_cell_text(struct spe_cell *cell, const char *text);
void spe_cell_hex(struct spe_cell *cell, uint64_t value);
/* names[value], or none beyond the last. */
void spe_cell_named(struct spe_cell *cell, uint64_t value, const char *const *names, size_t count);
#define CELL_NAMED(cell, value, names)                                                             \
	spe_cell_named(cell, value, names, sizeof(names) / sizeof(names[0]))

/* The id of a sample's data source, and what the core says of it (NULL: not known). */
uint64_t spe_source_value(const struct spe_key_context *context, const struct spe_sample *sample);
const struct spe_data_source *spe_source_of(const struct spe_key_context *context,
					    const struct spe_sample *sample);

#endif
