/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text output: a buffer in front of a struct spe_out, number formatting by
 * tables, and names made safe for a terminal.
 *
 * Hot paths ask for room once a line and write through a moving pointer:
 *
 *	char *at = spe_text_room(text, 128);
 *
 *	at = spe_put_dec(at, sample->pid);
 *	*at++ = '\n';
 *	spe_text_done(text, at);
 *
 * Everybody else uses the spe_text_*() calls.  A failed write is remembered:
 * later text is thrown away, and spe_text_flush() gives the first status.
 */
#ifndef SPE_SINK_FORMAT_H
#define SPE_SINK_FORMAT_H

#include <perf-arm-spe/base.h>
#include <string.h>

/* Bytes of the buffer, and the most one spe_text_room() may ask for. */
#define SPE_TEXT_BYTES 32768u
#define SPE_TEXT_ROOM 4096u

struct spe_text {
	const struct spe_out *out;
	int status; /* the first failure of out, SPE_OK so far */
	size_t used;
	char bytes[SPE_TEXT_BYTES];
};

/* out must outlive the text. */
void spe_text_init(struct spe_text *text, const struct spe_out *out);
/* Hand everything to out. SPE_OK, or the first failure since the beginning. */
int spe_text_flush(struct spe_text *text);

/* n bytes to write at, n <= SPE_TEXT_ROOM; what is written counts after spe_text_done(). */
static inline char *spe_text_room(struct spe_text *text, size_t n)
{
	if (n > SPE_TEXT_BYTES - text->used)
		(void)spe_text_flush(text);
	return text->bytes + text->used;
}

static inline void spe_text_done(struct spe_text *text, const char *end)
{
	text->used = (size_t)(end - text->bytes);
}

/* Any number of bytes. */
void spe_text_put(struct spe_text *text, const char *bytes, size_t n);
void spe_text_str(struct spe_text *text, const char *string);
void spe_text_char(struct spe_text *text, char c);
/* The same character n times. */
void spe_text_fill(struct spe_text *text, char c, size_t n);
/* A name from the file, control bytes escaped as spe_name_escape() does. */
void spe_text_name(struct spe_text *text, const char *name);
/* For lines nobody prints millions of; cut at SPE_TEXT_ROOM - 1. */
void spe_text_printf(struct spe_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A CSV field: quoted (RFC 4180) where it must be, names escaped as everywhere. */
void spe_text_csv(struct spe_text *text, const char *field);

/* ---- numbers: each writes at `at` and returns the end ------------------ */

/* "00" "01" ... "99", and "00" ... "ff". */
extern const char spe_dec_pairs[201];
extern const char spe_hex_pairs[513];

/* The most any of the unpadded ones writes. */
#define SPE_PUT_BYTES 24u

static inline char *spe_put_pair(char *at, unsigned v)
{
	memcpy(at, &spe_dec_pairs[2 * v], 2);
	return at + 2;
}

/* Exactly nine digits of v < 1000000000. */
static inline char *spe_put_dec9(char *at, uint32_t v)
{
	uint32_t high = v / 100000, low = v % 100000; /* 4 and 5 digits */

	at = spe_put_pair(at, high / 100);
	at = spe_put_pair(at, high % 100);
	*at++ = (char)('0' + low / 10000);
	low %= 10000;
	at = spe_put_pair(at, low / 100);
	return spe_put_pair(at, low % 100);
}

/* Digits v has in decimal: 1 to 20. */
static inline unsigned spe_dec_digits(uint64_t v)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* log10(2) is 1233/4096 to within what 64 bits need. */
	unsigned guess = (64u - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;

	return guess + (v >= powers[guess < 20 ? guess : 19] && guess < 20);
}

static inline char *spe_put_dec(char *at, uint64_t v)
{
	char *end = at + spe_dec_digits(v);
	char *p = end;

	while (v >= 100) {
		p -= 2;
		memcpy(p, &spe_dec_pairs[2 * (v % 100)], 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(p - 2, &spe_dec_pairs[2 * v], 2);
	else
		p[-1] = (char)('0' + v);
	return end;
}

static inline char *spe_put_signed(char *at, int64_t v)
{
	if (v < 0)
		*at++ = '-';
	return spe_put_dec(at, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* fill characters up to width, then the number; wider numbers push on. */
static inline char *spe_put_dec_pad(char *at, uint64_t v, unsigned width, char fill)
{
	unsigned digits = spe_dec_digits(v);

	while (width > digits) {
		*at++ = fill;
		width--;
	}
	return spe_put_dec(at, v);
}

static inline char *spe_put_signed_pad(char *at, int64_t v, unsigned width)
{
	char number[SPE_PUT_BYTES];
	unsigned n = (unsigned)(spe_put_signed(number, v) - number);

	while (width > n) {
		*at++ = ' ';
		width--;
	}
	memcpy(at, number, n);
	return at + n;
}

/* Digits v has in hexadecimal: 1 to 16. */
static inline unsigned spe_hex_digits(uint64_t v)
{
	return (67u - (unsigned)__builtin_clzll(v | 1)) / 4;
}

/* Lower case, no prefix, no leading zeros. */
static inline char *spe_put_hex(char *at, uint64_t v)
{
	char *end = at + spe_hex_digits(v);
	char *p = end;

	while (v >= 0x100) {
		p -= 2;
		memcpy(p, &spe_hex_pairs[2 * (v & 0xff)], 2);
		v >>= 8;
	}
	if (v >= 0x10)
		memcpy(p - 2, &spe_hex_pairs[2 * v], 2);
	else
		p[-1] = spe_hex_pairs[2 * v + 1];
	return end;
}

static inline char *spe_put_hex_pad(char *at, uint64_t v, unsigned width, char fill)
{
	unsigned digits = spe_hex_digits(v);

	while (width > digits) {
		*at++ = fill;
		width--;
	}
	return spe_put_hex(at, v);
}

/* "sec.nnnnnnnnn" */
static inline char *spe_put_time_ns(char *at, uint64_t time_ns)
{
	at = spe_put_dec(at, time_ns / 1000000000u);
	*at++ = '.';
	return spe_put_dec9(at, (uint32_t)(time_ns % 1000000000u));
}

/* "sec.uuuuuu": cut, not rounded, as perf does. */
static inline char *spe_put_time_us(char *at, uint64_t time_ns)
{
	return spe_put_time_ns(at, time_ns) - 3;
}

static inline char *spe_put_bytes(char *at, const char *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return at + n;
}

/* ---- names out of a file ----------------------------------------------- */

/*
 * One UTF-8 sequence: its length 1-4 and code point; 0 for a byte that begins
 * none (overlong forms, surrogates, beyond 0x10ffff, cut short).  Never reads
 * past a NUL.
 */
unsigned spe_utf8_take(const char *at, uint32_t *code);

/* Would a terminal do something else with this character than draw it? */
bool spe_code_is_unsafe(uint32_t code);

/* True if nothing in it needs an escape: the usual name. */
bool spe_name_is_plain(const char *name);

/*
 * Make a name safe to print: control characters (C0, DEL, C1), bytes that are
 * no UTF-8, and characters that turn the writing direction become "\xNN".  Cut
 * at room - 1 bytes, never inside a sequence; NUL-terminated.  Returns the
 * length.  4 * strlen(name) + 1 is always enough room.
 */
size_t spe_name_escape(char *to, size_t room, const char *name);

/* Columns an escaped name takes on a terminal: its code points. */
size_t spe_name_columns(const char *name);

#endif
