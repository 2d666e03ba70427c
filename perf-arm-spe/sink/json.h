/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A streaming JSON writer.  Strings come out as valid UTF-8 whatever goes in:
 * a byte that is no UTF-8 becomes U+FFFD, control characters are escaped.
 * Numbers beyond 2^53 are written in full; readers that use doubles lose bits.
 *
 * Inside an object every value has a key; inside an array key is NULL.
 */
#ifndef SPE_SINK_JSON_H
#define SPE_SINK_JSON_H

#include "format.h"

#define SPE_JSON_DEPTH 32u

struct spe_json {
	struct spe_text *text;
	unsigned depth;
	bool lines;    /* an indented line per value; else all on one line */
	bool first;    /* nothing yet in the innermost container */
	uint32_t flat; /* bit n: the container at depth n is written on one line */
};

/* Begin a document on text. lines: indented for people; else compact. */
void spe_json_init(struct spe_json *json, struct spe_text *text, bool lines);

void spe_json_object(struct spe_json *json, const char *key);
void spe_json_object_end(struct spe_json *json);
void spe_json_array(struct spe_json *json, const char *key);
void spe_json_array_end(struct spe_json *json);
/* An object that stays on one line even in an indented document: table rows. */
void spe_json_row(struct spe_json *json, const char *key);

/* string NULL: null */
void spe_json_string(struct spe_json *json, const char *key, const char *string);
void spe_json_u64(struct spe_json *json, const char *key, uint64_t value);
void spe_json_i64(struct spe_json *json, const char *key, int64_t value);
/* A CPU, thread or process; below 0 it is not known: null. */
void spe_json_id(struct spe_json *json, const char *key, int32_t id);
void spe_json_bool(struct spe_json *json, const char *key, bool value);
void spe_json_null(struct spe_json *json, const char *key);
/* A finite number with `digits` decimals; anything else is null. */
void spe_json_double(struct spe_json *json, const char *key, double value, unsigned digits);
/* "0x..." as a string: addresses do not survive a double. */
void spe_json_hex(struct spe_json *json, const char *key, uint64_t value);
/* A newline after a finished document. */
void spe_json_end(struct spe_json *json);

/* The quoted, escaped form of a string. */
void spe_json_quote(struct spe_text *text, const char *string);

#endif
