/* SPDX-License-Identifier: GPL-2.0-only */
#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the UTF-8 sequence at `at`; 0 where none begins.  As the library has it. */
static unsigned utf8_bytes(const char *at, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)*at;
	unsigned n = 1;

	*code = lead;
	if (lead < 0x80)
		return 1;
	while (n < 5 && lead & (0x80u >> n))
		n++;
	if (n < 2 || n > 4)
		return 0;
	*code = lead & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if (((unsigned char)at[i] & 0xc0) != 0x80) /* nor beyond the end */
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff || (*code & ~0x7ffu) == 0xd800)
		return 0;
	return n;
}

/* Controls, and what turns or breaks the text around it. */
static bool is_unsafe(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

void json_string(const char *text, FILE *out)
{
	fputc('"', out);
	while (*text) {
		uint32_t code;
		unsigned n = utf8_bytes(text, &code);

		if (!n)
			fputs(REPLACEMENT, out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", *text);
		else if (is_unsafe(code))
			fprintf(out, "\\u%04x", (unsigned)code);
		else
			fwrite(text, 1, n, out);
		text += n ? n : 1;
	}
	fputc('"', out);
}

void json_number(double number, unsigned digits, FILE *out)
{
	if (isfinite(number))
		fprintf(out, "%.*g", (int)digits, number);
	else
		fputs("null", out);
}
