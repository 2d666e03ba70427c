/* SPDX-License-Identifier: GPL-2.0-only */
#include "format.h"

#include <stdio.h>

#define TEN(t) t "0" t "1" t "2" t "3" t "4" t "5" t "6" t "7" t "8" t "9"
#define SIXTEEN(t) TEN(t) t "a" t "b" t "c" t "d" t "e" t "f"

const char spe_dec_pairs[201] =
	TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

const char spe_hex_pairs[513] = SIXTEEN("0") SIXTEEN("1") SIXTEEN("2") SIXTEEN("3") SIXTEEN("4")
	SIXTEEN("5") SIXTEEN("6") SIXTEEN("7") SIXTEEN("8") SIXTEEN("9") SIXTEEN("a") SIXTEEN("b")
		SIXTEEN("c") SIXTEEN("d") SIXTEEN("e") SIXTEEN("f");

/* ---- the buffer -------------------------------------------------------- */

void spe_text_init(struct spe_text *text, const struct spe_out *out)
{
	text->out = out;
	text->status = SPE_OK;
	text->used = 0;
}

int spe_text_flush(struct spe_text *text)
{
	if (text->used && !text->status)
		text->status = text->out->write(text->out->priv, text->bytes, text->used);
	text->used = 0;
	return text->status;
}

void spe_text_put(struct spe_text *text, const char *bytes, size_t n)
{
	while (n) {
		size_t part = n < SPE_TEXT_ROOM ? n : SPE_TEXT_ROOM;

		spe_text_done(text, spe_put_bytes(spe_text_room(text, part), bytes, part));
		bytes += part;
		n -= part;
	}
}

void spe_text_str(struct spe_text *text, const char *string)
{
	spe_text_put(text, string, strlen(string));
}

void spe_text_char(struct spe_text *text, char c)
{
	*spe_text_room(text, 1) = c;
	text->used++;
}

void spe_text_fill(struct spe_text *text, char c, size_t n)
{
	while (n--)
		spe_text_char(text, c);
}

void spe_text_printf(struct spe_text *text, const char *format, ...)
{
	char *at = spe_text_room(text, SPE_TEXT_ROOM);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(at, SPE_TEXT_ROOM, format, args);
	va_end(args);
	if (n >= (int)SPE_TEXT_ROOM)
		n = (int)SPE_TEXT_ROOM - 1;
	if (n > 0)
		spe_text_done(text, at + n);
}

/* ---- names ------------------------------------------------------------- */

unsigned spe_utf8_take(const char *at, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)*at;
	unsigned n = lead < 0x80             ? 1
		     : (lead & 0xe0) == 0xc0 ? 2
		     : (lead & 0xf0) == 0xe0 ? 3
		     : (lead & 0xf8) == 0xf0 ? 4
					     : 0;
	uint32_t c;

	if (n <= 1) {
		*code = lead;
		return n;
	}
	c = lead & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return n;
}

bool spe_code_is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) ||     /* C0, DEL, C1 */
	       code == 0x200e || code == 0x200f || code == 0x61c || /* direction marks */
	       (code >= 0x2028 && code <= 0x202e) ||                /* separators, overrides */
	       (code >= 0x2066 && code <= 0x2069);                  /* isolates */
}

bool spe_name_is_plain(const char *name)
{
	for (; *name; name++)
		if (*name < 0x20 || *name > 0x7e) /* plain char is signed or not: both work */
			return false;
	return true;
}

static char *put_escaped(char *to, const char *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		*to++ = '\\';
		*to++ = 'x';
		to = spe_put_hex_pad(to, (unsigned char)bytes[i], 2, '0');
	}
	return to;
}

size_t spe_name_escape(char *to, size_t room, const char *name)
{
	char *at = to;

	if (!room)
		return 0;
	while (*name) {
		uint32_t code = 0;
		unsigned n = spe_utf8_take(name, &code);
		bool escape = !n || spe_code_is_unsafe(code);
		unsigned bytes = n ? n : 1;

		if ((size_t)(at - to) + bytes * (escape ? 4 : 1) + 1 > room)
			break;
		at = escape ? put_escaped(at, name, bytes) : spe_put_bytes(at, name, bytes);
		name += bytes;
	}
	*at = '\0';
	return (size_t)(at - to);
}

size_t spe_name_columns(const char *name)
{
	size_t columns = 0;

	for (; *name; name++)
		columns += (*name & 0xc0) != 0x80;
	return columns;
}

/* One sequence of a name, escaped if need be; returns what was used of it. */
static unsigned text_sequence(struct spe_text *text, const char *name)
{
	char *at = spe_text_room(text, 16);
	uint32_t code = 0;
	unsigned n = spe_utf8_take(name, &code);
	unsigned bytes = n ? n : 1;

	if (!n || spe_code_is_unsafe(code))
		at = put_escaped(at, name, bytes);
	else
		at = spe_put_bytes(at, name, bytes);
	spe_text_done(text, at);
	return bytes;
}

void spe_text_name(struct spe_text *text, const char *name)
{
	if (spe_name_is_plain(name)) {
		spe_text_str(text, name);
		return;
	}
	while (*name)
		name += text_sequence(text, name);
}

void spe_text_csv(struct spe_text *text, const char *field)
{
	if (!strpbrk(field, ",\"")) {
		spe_text_name(text, field);
		return;
	}
	spe_text_char(text, '"');
	while (*field) {
		if (*field == '"')
			spe_text_char(text, '"');
		field += text_sequence(text, field);
	}
	spe_text_char(text, '"');
}
