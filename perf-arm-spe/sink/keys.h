/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sort keys, one table.  A key turns samples into 64-bit values a column at a
 * time, and a value back into text; equal values are one row.
 */
#ifndef SPE_SINK_KEYS_H
#define SPE_SINK_KEYS_H

#include "format.h"
#include "rows.h"

#include "../base/strings.h"

#include <perf-arm-spe/sink.h>
#include <perf-arm-spe/symbols.h>
#include <pthread.h>

/* The most a cell's text takes, NUL included; longer ones are cut. */
#define SPE_CELL_BYTES 2048u

struct spe_lookup;

/* What the keys with symbols share, all workers. */
struct spe_key_symbols {
	struct spe_symbols *symbols;
	pthread_mutex_t lock;      /* around lines, while samples come in */
	struct spe_strings *lines; /* "file.c:12", by the value of the key */
};

/* The line of a place in a file. */
#define SPE_KNOWN_LINES 4096u
struct spe_known_line {
	uint64_t offset;
	uint32_t dso_id;
	uint32_t number;
	bool set;
};

/* What the keys of one report need to know of the recording. */
struct spe_key_context {
	const struct spe_recording *recording;
	uint64_t midr;            /* of all CPUs; 0 when they differ */
	uint64_t op_ids[4 * 256]; /* by class and payload: equal names, equal ids */
	size_t streams;
	uint16_t *stream_model;
	const struct spe_data_source *(*sources)[256]; /* by model and value */
	uint64_t (*source_ids)[256];                   /* equal names, equal ids */
	size_t models;
	const char **source_names; /* by id */
	size_t source_count;
	struct spe_key_symbols *symbols; /* NULL: none of the keys wants them */
	/* A worker's own: */
	struct spe_lookup *lookup;
	struct spe_known_line *lines;
};

int spe_key_context_init(struct spe_key_context *context, const struct spe_recording *recording);
/* Read the maps, for keys with symbols; a second read of the side-band. SPE_OK, SPE_NOMEM,
 * SPE_LIMIT, SPE_INVALID (opts), SPE_IO. */
int spe_key_context_symbols(struct spe_key_context *context, const struct spe_symbols_opts *opts);
void spe_key_context_fini(struct spe_key_context *context);
void spe_key_symbols_free(struct spe_key_symbols *shared);

/*
 * A worker's view of a context: what fill() of keys with symbols wants.  SPE_OK, SPE_NOMEM.
 * The context outlives it.
 */
int spe_key_worker_init(struct spe_key_context *worker, const struct spe_key_context *context);
/* The first failure of its fills: SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_key_worker_status(const struct spe_key_context *worker);
void spe_key_worker_fini(struct spe_key_context *worker);

enum spe_cell_kind { SPE_CELL_NONE, SPE_CELL_NUMBER, SPE_CELL_TEXT };

/* A value as JSON and CSV have it: a key may fill more than one (pid and its name). */
struct spe_cell {
	uint8_t kind; /* enum spe_cell_kind */
	int64_t number;
	char text[SPE_CELL_BYTES]; /* as the file has it: writers escape */
};

/* One key's value in one row. */
struct spe_value {
	const struct spe_key_context *context;
	const struct spe_row *row;
	uint64_t value;
};

struct spe_key {
	const char *name;
	const char *header;
	const char *help;
	const char *field;      /* its name in JSON and CSV */
	const char *name_field; /* of the name beside an id; NULL: none */
	bool right;             /* numbers stand at the right */
	bool latest;            /* is named after the latest sample of a row */
	bool names;             /* looks at spe_sample.comm */
	bool alias;             /* not listed: another word for the key before it */
	bool symbols;           /* fill() looks addresses up, in a worker's context */
	uint32_t want;          /* SPE_HAS_* */
	/* A column: out[i] is the value of samples[i]. */
	void (*fill)(const struct spe_key_context *context, const struct spe_sample *samples,
		     size_t count, uint64_t *out);
	/* How many samples from the first on have its value; NULL: look at the column. */
	size_t (*run)(const struct spe_sample *samples, size_t count);
	/* Which of two values comes first where the rest is equal; NULL: the smaller one. */
	int (*order)(const struct spe_key_context *context, uint64_t a, uint64_t b);
	void (*cell)(const struct spe_value *value, struct spe_cell *cell);
	void (*name_cell)(const struct spe_value *value, struct spe_cell *cell);
	/* The text column; NULL: the cell. Escaped, NUL-terminated; returns the length. */
	size_t (*text)(const struct spe_value *value, char *to, size_t room);
};

/* The key of a name (length bytes), NULL when there is none. */
const struct spe_key *spe_key_find(const char *name, size_t length);
/* Key i of the table, NULL after the last. */
const struct spe_key *spe_key_at(size_t i);
/* The text of a key's value for a table column: at most room - 1 bytes, room >= 64. */
size_t spe_key_text(const struct spe_key *key, const struct spe_value *value, char *to,
		    size_t room);

#endif
