/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up records, fast: templates of bytes with a few fields filled in. */
#ifndef SPE_ASM_GENERATE_RECORDS_H
#define SPE_ASM_GENERATE_RECORDS_H

#include "buffer.h"
#include "words.h"

/* xorshift64*: good enough to look busy, and the same everywhere. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number below n. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((unsigned __int128)random_next(state) * n >> 64);
}

enum made_shape {
	MADE_64,    /* Neoverse: 64 bytes, zeros where a packet is absent */
	MADE_43,    /* no padding, each record 43 bytes */
	MADE_MIXED, /* no padding, 34 to 57 bytes */
};

enum made_kind { MADE_LOAD, MADE_STORE, MADE_BRANCH, MADE_OTHER, MADE_KINDS };

#define MADE_RECORD_MAX 64

struct made_template {
	uint8_t bytes[MADE_RECORD_MAX];
	uint8_t n;
	/* offsets of payloads; 0: not there */
	uint8_t context, issue, total, data, physical, source, timestamp;
};

/* [with a context]: the templates of a file. */
struct made_templates {
	struct made_template kinds[2][MADE_KINDS];
};

/* context_index: 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2. */
void made_templates_init(struct made_templates *t, enum made_shape shape, unsigned context_index);

struct made_record {
	uint64_t pc; /* canonical */
	unsigned el;
	bool has_context;
	uint32_t context;
	uint64_t timestamp;
	enum made_kind kind;
};

/* Append a record. */
void made_record_put(const struct made_templates *t, const struct made_record *r, uint64_t *random,
		     struct buffer *out);
/* "load", "store" ... */
const char *made_kind_name(enum made_kind kind);

#endif
