/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "die.h"

#define BUFFER_FIRST_BYTES 4096u

uint8_t *buffer_room(struct buffer *b, size_t n)
{
	size_t room = b->room ? b->room : BUFFER_FIRST_BYTES;

	if (!b->room || b->room - b->n < n) {
		if (n > SIZE_MAX / 2 - b->n)
			die("out of memory");
		while (room - b->n < n)
			room = room * 2;
		b->bytes = need(realloc(b->bytes, room));
		b->room = room;
	}
	return b->bytes + b->n;
}

void buffer_put(struct buffer *b, const void *bytes, size_t n)
{
	uint8_t *at = buffer_room(b, n);

	if (n)
		memcpy(at, bytes, n);
	b->n += n;
}

void buffer_zeros(struct buffer *b, size_t n)
{
	uint8_t *at = buffer_room(b, n);

	if (n)
		memset(at, 0, n);
	b->n += n;
}

void buffer_align(struct buffer *b, size_t to)
{
	if (b->n % to)
		buffer_zeros(b, to - b->n % to);
}

void buffer_string(struct buffer *b, const char *text)
{
	buffer_put(b, text, strlen(text) + 1);
}

void buffer_printf(struct buffer *b, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		die("a text cannot be formatted");
	va_start(args, format);
	vsnprintf((char *)buffer_room(b, (size_t)n + 1), (size_t)n + 1, format, args);
	va_end(args);
	b->n += (size_t)n;
}

void buffer_free(struct buffer *b)
{
	free(b->bytes);
	*b = (struct buffer){ 0 };
}
