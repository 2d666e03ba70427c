/* SPDX-License-Identifier: GPL-2.0-only */
/* Making trace bytes for the tests of record/: packet by packet, or whole random streams. */
#ifndef TESTS_UNIT_RECORD_MAKE_H
#define TESTS_UNIT_RECORD_MAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/record.h>

#define MAKE_ROOM (1u << 18)

struct trace {
	size_t n;
	uint8_t bytes[MAKE_ROOM];
};

/* A small generator of our own: the same streams on every machine. */
static inline uint64_t make_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static inline unsigned make_below(uint64_t *state, unsigned limit)
{
	return (unsigned)(make_random(state) % limit);
}

static inline void put_byte(struct trace *t, unsigned byte)
{
	if (t->n < MAKE_ROOM)
		t->bytes[t->n++] = (uint8_t)byte;
}

static inline void put_packet(struct trace *t, unsigned header, unsigned bytes, uint64_t payload)
{
	put_byte(t, header);
	for (unsigned i = 0; i < bytes; i++)
		put_byte(t, payload >> 8 * i & 0xff);
}

static inline void put_zeros(struct trace *t, size_t n)
{
	while (n--)
		put_byte(t, 0);
}

/* "b0 a8 04 ...": bytes in hexadecimal, white space as one likes. */
static inline void put_hex(struct trace *t, const char *hex)
{
	unsigned byte;
	int taken;

	while (sscanf(hex, "%2x%n", &byte, &taken) == 1) {
		put_byte(t, byte);
		hex += taken;
	}
}

#define put_pc(t, address) put_packet(t, 0xb0, 8, address)
#define put_target(t, address) put_packet(t, 0xb1, 8, address)
#define put_va(t, address) put_packet(t, 0xb2, 8, address)
#define put_pa(t, address) put_packet(t, 0xb3, 8, address)
#define put_context1(t, id) put_packet(t, 0x64, 4, id)
#define put_context2(t, id) put_packet(t, 0x65, 4, id)
#define put_op(t, class, payload) put_packet(t, 0x48 | (class), 1, payload)
#define put_events(t, bits) put_packet(t, 0x52, 2, bits)
#define put_issue(t, cycles) put_packet(t, 0x99, 2, cycles)
#define put_total(t, cycles) put_packet(t, 0x98, 2, cycles)
#define put_xlat(t, cycles) put_packet(t, 0x9a, 2, cycles)
#define put_source(t, value) put_packet(t, 0x43, 1, value)
#define put_timestamp(t, ticks) put_packet(t, 0x71, 8, ticks)
#define put_end(t) put_byte(t, 0x01)

/* How a stream is laid out. */
struct make_style {
	const char *name;
	bool op_first;     /* as Arm's models have it; else the PC */
	bool end;          /* no timestamps */
	unsigned in_place; /* this many bytes a record, zeros where a packet is absent; 0: no */
	unsigned align;    /* zeros behind a record up to a multiple of this; 0: no */
};

static inline uint64_t make_address(uint64_t *state)
{
	uint64_t low = make_random(state) & 0xffffffffff;

	return make_below(state, 2) ? low | UINT64_C(0x8000000000000000)
				    : low | UINT64_C(0xc0ff800000000000);
}

static inline void put_operands(struct trace *t, uint64_t *state, unsigned class)
{
	if (class == SPE_OP_BRANCH)
		put_target(t, make_address(state));
	if (class != SPE_OP_LOAD_STORE)
		return;
	put_va(t, make_address(state) & UINT64_C(0x00ffffffffffffff));
	if (make_below(state, 4))
		put_pa(t, make_random(state) | UINT64_C(0x8000000000000000));
	if (make_below(state, 3))
		put_xlat(t, make_below(state, 100));
}

static inline void put_middle(struct trace *t, uint64_t *state, const struct make_style *style,
			      unsigned class, uint64_t pc)
{
	if (style->op_first) {
		put_op(t, class, make_below(state, 256));
		put_operands(t, state, class);
		put_events(t, make_below(state, 65536));
		put_pc(t, pc);
		put_total(t, make_below(state, 65536));
		return;
	}
	put_pc(t, pc);
	if (style->in_place && make_below(state, 2))
		put_zeros(t, 5);
	else
		put_context2(t, make_below(state, 100000));
	put_op(t, class, make_below(state, 256));
	put_events(t, make_below(state, 65536));
	put_issue(t, make_below(state, 4096));
	put_total(t, make_below(state, 4096));
	put_operands(t, state, class);
}

/* One record of a style; number n of its stream. */
static inline void put_record(struct trace *t, uint64_t *state, const struct make_style *style,
			      unsigned n)
{
	static const uint8_t classes[] = { SPE_OP_OTHER, SPE_OP_LOAD_STORE, SPE_OP_LOAD_STORE,
					   SPE_OP_BRANCH };
	size_t begin = t->n, tail = style->end ? 1 : 9;

	put_middle(t, state, style, classes[make_below(state, 4)], make_address(state));
	if (style->in_place)
		put_zeros(t, style->in_place - tail - (t->n - begin));
	if (style->end)
		put_end(t);
	else
		put_timestamp(t, UINT64_C(7969191665714) + n * 1000 + make_below(state, 900));
	while (style->align && t->n % style->align)
		put_byte(t, 0);
}

static const struct make_style make_styles[] = {
	{ .name = "64 bytes in place", .in_place = 64 },
	{ .name = "64 bytes in place, END", .in_place = 64, .end = true },
	{ .name = "72 bytes in place", .in_place = 72 },
	{ .name = "unpadded" },
	{ .name = "unpadded, END", .end = true },
	{ .name = "aligned to 8", .align = 8 },
	{ .name = "operation first", .op_first = true },
	{ .name = "operation first, END", .op_first = true, .end = true },
	{ .name = "operation first, aligned to 16", .op_first = true, .align = 16 },
};
#define MAKE_STYLES (sizeof(make_styles) / sizeof(make_styles[0]))

#endif
