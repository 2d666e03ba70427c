/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields that tell which function, file and line a sample's code is. */
#include "json.h"
#include "script-fields.h"

#include <stdio.h>
#include <stdlib.h>

/* Where a name that needs an escape goes. */
struct place {
	char *at;
	size_t room;
};

static int place_put(void *priv, const char *bytes, size_t n)
{
	struct place *place = priv;

	if (n > place->room)
		n = place->room;
	memcpy(place->at, bytes, n);
	place->at += n;
	place->room -= n;
	return SPE_OK;
}

/* As the format dresses it; the room of the field is enough for any name of its length. */
static __attribute__((noinline)) char *put_dressed(char *at, const struct spe_script *script,
						   const char *name, size_t room)
{
	struct place place = { at, room };
	struct spe_out out = { .write = place_put, .priv = &place };
	struct spe_text text;

	spe_text_init(&text, &out);
	if (script->format == SPE_FORMAT_JSON)
		spe_json_quote(&text, name);
	else if (script->format == SPE_FORMAT_CSV)
		spe_text_csv(&text, name);
	else
		spe_text_name(&text, name);
	(void)spe_text_flush(&text);
	return place.at;
}

/* Six bytes a byte, and quotes around: what JSON makes of it at worst. */
#define DRESSED(bytes) (6 * (bytes) + 2)

/* Copy a name that needs no dress in any format; NULL if it does. */
static char *put_plain(char *at, const char *name, size_t most)
{
	const char *end = name + most;

	for (; *name && name < end; name++) {
		char c = *name;

		if (c < 0x20 || c > 0x7e || c == ',' || c == '"' || c == '\\')
			return NULL;
		*at++ = c;
	}
	return *name ? NULL : at;
}

static char *put_name(char *at, const struct script_line *line, const char *name, size_t most)
{
	bool quoted = line->script->format == SPE_FORMAT_JSON;
	char cut[SPE_SCRIPT_DSO_BYTES + 1];
	char *end = put_plain(at + quoted, name, most);

	if (end && quoted) {
		*at = '"';
		*end++ = '"';
	}
	if (end)
		return end;
	snprintf(cut, sizeof(cut), "%.*s", (int)most, name);
	return put_dressed(at, line->script, cut, DRESSED(most));
}

/* ---- sym, symoff, dso --------------------------------------------------------------- */

char *spe_script_value_sym(char *at, const struct script_line *line)
{
	const char *name = line->code->name;

	return name ? put_name(at, line, name, SPE_SCRIPT_SYM_BYTES) : at;
}

char *spe_script_column_sym(char *at, const struct script_line *line)
{
	*at++ = ' ';
	return line->code->name ? spe_script_value_sym(at, line)
				: spe_script_put_word(at, "[unknown]");
}

char *spe_script_value_symoff(char *at, const struct script_line *line)
{
	return line->code->name ? spe_put_dec(at, line->code->offset) : at;
}

/* "name+0x10": stands right behind the name. */
char *spe_script_column_symoff(char *at, const struct script_line *line)
{
	if (!line->code->name)
		return at;
	*at++ = '+';
	return spe_script_put_hex(at, line->code->offset);
}

char *spe_script_value_dso(char *at, const struct script_line *line)
{
	const char *dso = line->code->dso;

	return dso ? put_name(at, line, dso, SPE_SCRIPT_DSO_BYTES) : at;
}

char *spe_script_column_dso(char *at, const struct script_line *line)
{
	*at++ = ' ';
	*at++ = '(';
	at = line->code->dso ? spe_script_value_dso(at, line)
			     : spe_script_put_word(at, "[unknown]");
	*at++ = ')';
	return at;
}

/* ---- srcline --------------------------------------------------------------------------- */

/* Asking libdw takes long, and code comes back to where it was. */
static const char *line_of(const struct script_line *line)
{
	const struct spe_symbol *code = line->code;
	uint64_t key = (uint64_t)code->dso_id << 40 ^ code->dso_address;
	struct script_srcline *known =
		&line->symbols->srclines[(key * 0x9e3779b97f4a7c15ull >> 32) % SCRIPT_SRCLINES];
	int status;

	if (known->set && known->dso_id == code->dso_id && known->address == code->dso_address)
		return known->text;
	known->set = true;
	known->dso_id = code->dso_id;
	known->address = code->dso_address;
	status = spe_symbols_srcline(line->script->symbols, code, false, known->text,
				     sizeof(known->text));
	if (status)
		known->text[0] = '\0';
	if (status == SPE_NOMEM && !line->symbols->lookup.status)
		line->symbols->lookup.status = status;
	return known->text;
}

char *spe_script_value_srcline(char *at, const struct script_line *line)
{
	const char *text = line_of(line);

	return *text ? put_name(at, line, text, SPE_SCRIPT_SYM_BYTES) : at;
}

/* On a line of its own, as in perf; without one "function+16" or "file[1030]". */
char *spe_script_column_srcline(char *at, const struct script_line *line)
{
	const struct spe_symbol *code = line->code;

	if (!code->dso)
		return at;
	at = spe_put_bytes(at, "\n  ", 3);
	if (*line_of(line))
		return spe_script_value_srcline(at, line);
	if (code->name) {
		at = put_name(at, line, code->name, SPE_SCRIPT_SYM_BYTES);
		*at++ = '+';
		return spe_put_dec(at, code->offset);
	}
	at = put_name(at, line, code->dso_name, SPE_SCRIPT_SYM_BYTES);
	*at++ = '[';
	at = spe_put_hex(at, code->dso_offset);
	*at++ = ']';
	return at;
}

/* ---- a worker's --------------------------------------------------------------------------- */

int spe_script_symbols_new(const struct spe_script *script, struct script_symbols **made)
{
	struct script_symbols *symbols = calloc(1, sizeof(*symbols));
	int status;

	if (!symbols)
		return SPE_NOMEM;
	status = spe_lookup_init(&symbols->lookup, script->recording, script->symbols);
	if (status) {
		free(symbols);
		return status;
	}
	*made = symbols;
	return SPE_OK;
}

void spe_script_symbols_free(struct script_symbols *symbols)
{
	if (!symbols)
		return;
	spe_lookup_fini(&symbols->lookup);
	free(symbols);
}
