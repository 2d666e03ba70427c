/* SPDX-License-Identifier: GPL-2.0-only */
#include "json.h"

#include <math.h>

void spe_json_init(struct spe_json *json, struct spe_text *text, bool lines)
{
	*json = (struct spe_json){ .text = text, .lines = lines, .first = true };
}

void spe_json_quote(struct spe_text *text, const char *string)
{
	spe_text_char(text, '"');
	while (*string) {
		uint32_t code = 0;
		unsigned n = spe_utf8_take(string, &code);

		if (!n)
			spe_text_str(text, "\xef\xbf\xbd");
		else if (code == '"' || code == '\\')
			spe_text_printf(text, "\\%c", (char)code);
		else if (spe_code_is_unsafe(code)) /* ends of a script's line are among them */
			spe_text_printf(text, "\\u%04x", code);
		else
			spe_text_put(text, string, n);
		string += n ? n : 1;
	}
	spe_text_char(text, '"');
}

static bool json_flat(const struct spe_json *json)
{
	return !json->lines || (json->flat >> json->depth & 1);
}

static void json_break(struct spe_json *json)
{
	spe_text_char(json->text, '\n');
	spe_text_fill(json->text, ' ', (size_t)json->depth * 2);
}

/* What stands before a value: comma, line, key. */
static void json_lead(struct spe_json *json, const char *key)
{
	if (!json->first)
		spe_text_str(json->text, json->lines && json_flat(json) ? ", " : ",");
	if (json->depth && !json_flat(json))
		json_break(json);
	json->first = false;
	if (!key)
		return;
	spe_json_quote(json->text, key);
	spe_text_str(json->text, json->lines ? ": " : ":");
}

static void json_open(struct spe_json *json, const char *key, char bracket, bool flat)
{
	json_lead(json, key);
	spe_text_char(json->text, bracket);
	json->first = true;
	flat = flat || json_flat(json);
	if (json->depth < SPE_JSON_DEPTH - 1)
		json->depth++;
	json->flat &= ~(1u << json->depth);
	json->flat |= (uint32_t)flat << json->depth;
}

static void json_close(struct spe_json *json, char bracket)
{
	bool empty = json->first;
	bool flat = json_flat(json);

	if (json->depth)
		json->depth--;
	if (!empty && !flat)
		json_break(json);
	spe_text_char(json->text, bracket);
	json->first = false;
}

void spe_json_object(struct spe_json *json, const char *key)
{
	json_open(json, key, '{', false);
}

void spe_json_row(struct spe_json *json, const char *key)
{
	json_open(json, key, '{', true);
}

void spe_json_object_end(struct spe_json *json)
{
	json_close(json, '}');
}

void spe_json_array(struct spe_json *json, const char *key)
{
	json_open(json, key, '[', false);
}

void spe_json_array_end(struct spe_json *json)
{
	json_close(json, ']');
}

void spe_json_string(struct spe_json *json, const char *key, const char *string)
{
	json_lead(json, key);
	if (string)
		spe_json_quote(json->text, string);
	else
		spe_text_str(json->text, "null");
}

void spe_json_u64(struct spe_json *json, const char *key, uint64_t value)
{
	json_lead(json, key);
	spe_text_done(json->text, spe_put_dec(spe_text_room(json->text, SPE_PUT_BYTES), value));
}

void spe_json_i64(struct spe_json *json, const char *key, int64_t value)
{
	json_lead(json, key);
	spe_text_done(json->text, spe_put_signed(spe_text_room(json->text, SPE_PUT_BYTES), value));
}

void spe_json_id(struct spe_json *json, const char *key, int32_t id)
{
	if (id < 0)
		spe_json_null(json, key);
	else
		spe_json_i64(json, key, id);
}

void spe_json_bool(struct spe_json *json, const char *key, bool value)
{
	json_lead(json, key);
	spe_text_str(json->text, value ? "true" : "false");
}

void spe_json_null(struct spe_json *json, const char *key)
{
	spe_json_string(json, key, NULL);
}

void spe_json_double(struct spe_json *json, const char *key, double value, unsigned digits)
{
	if (!isfinite(value)) {
		spe_json_null(json, key);
		return;
	}
	json_lead(json, key);
	spe_text_printf(json->text, "%.*f", (int)digits, value);
}

void spe_json_hex(struct spe_json *json, const char *key, uint64_t value)
{
	json_lead(json, key);
	spe_text_str(json->text, "\"0x");
	spe_text_done(json->text, spe_put_hex(spe_text_room(json->text, SPE_PUT_BYTES), value));
	spe_text_char(json->text, '"');
}

void spe_json_end(struct spe_json *json)
{
	spe_text_char(json->text, '\n');
}
