/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that grow.  Running out of memory ends the program. */
#ifndef SPE_ASM_BUFFER_H
#define SPE_ASM_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
	uint8_t *bytes;
	size_t n, room;
};

/* Room for n more bytes, at the end; they do not count until buffer->n grows. */
uint8_t *buffer_room(struct buffer *b, size_t n);
void buffer_put(struct buffer *b, const void *bytes, size_t n);
void buffer_zeros(struct buffer *b, size_t n);
/* Zeros up to a multiple of `to` bytes. */
void buffer_align(struct buffer *b, size_t to);
/* A string with its NUL. */
void buffer_string(struct buffer *b, const char *text);
/* Text as printf makes it, without NUL. */
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_free(struct buffer *b);

/* Numbers in this machine's byte order. */
static inline void buffer_u8(struct buffer *b, unsigned v)
{
	*buffer_room(b, 1) = (uint8_t)v;
	b->n++;
}

static inline void buffer_u16(struct buffer *b, uint16_t v)
{
	buffer_put(b, &v, sizeof(v));
}

static inline void buffer_u32(struct buffer *b, uint32_t v)
{
	buffer_put(b, &v, sizeof(v));
}

static inline void buffer_u64(struct buffer *b, uint64_t v)
{
	buffer_put(b, &v, sizeof(v));
}

#endif
