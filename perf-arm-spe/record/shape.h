/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shapes: what records look like that repeat.
 *
 * A core lays its records out in few ways.  The general decoder takes a record
 * apart once; from then on any record with the same bytes in all places that
 * are not payload (headers, and the zeros between packets) has its packets in
 * the same places, and its fields come from known bytes.  A shape says so for
 * one layout.  Nothing is guessed: a record that fits no shape goes to the
 * general decoder.
 *
 * A record is made of a shape in two steps.  First its bytes are moved: every
 * byte of struct spe_record comes from one byte of the trace, or is the same for
 * all records of the shape, or is zero because the field is absent or not
 * wanted.  So far pc, target, prev_target and va are as in their packets, and
 * el, security and target_el are the top bytes of pc, pc and target.  Then
 * these seven are put right.
 */
#ifndef SPE_RECORD_SHAPE_H
#define SPE_RECORD_SHAPE_H

#include "parse.h"

#define SPE_SHAPE_BYTES 128 /* longer records are left to the general decoder */
#define SPE_SHAPES 64

/* Bytes that may be read behind the beginning of a record while it is held against shapes. */
#define SPE_SHAPE_WINDOW SPE_SHAPE_BYTES

/* Bytes that are moved at a time, and how many such pieces a record has. */
#define SPE_SHAPE_PIECE 16
#define SPE_SHAPE_PIECES (SPE_SHAPE_BYTES / SPE_SHAPE_PIECE)

#define SPE_SHAPE_NOWHERE 0x80 /* in move[]: this byte is zero */

struct spe_shape {
	uint8_t value[SPE_SHAPE_BYTES];       /* of the bytes that are not payload; else zero */
	uint64_t exact[SPE_SHAPE_BYTES / 64]; /* bit n: byte n must be as in value[] */
	/* Of each piece of the trace: which of its bytes goes to which byte of the record. */
	uint8_t move[SPE_SHAPE_PIECES][sizeof(struct spe_record)];
	/* For each byte of the record which of the trace it is, SPE_SHAPE_NOWHERE: none. */
	uint8_t source[sizeof(struct spe_record)];
	struct spe_record fixed; /* what is the same for all: present, length, op_class ... */
	uint64_t keep[4];        /* bits of pc, target, prev_target, va that are wanted */
	uint32_t length_bytes;
	uint32_t unknown_packets;
	uint8_t first[2], end; /* as in struct spe_parsed */
} __attribute__((aligned(64)));

/*
 * Which shape a record may have: by two bits of the bytes at a few telling
 * places.  These two bits tell headers (and zero) apart well enough, and where
 * a shape has payload they do not scatter its records too far.
 */
#define SPE_SHAPE_PLACES 6
#define SPE_SHAPE_KEYS (1u << 2 * SPE_SHAPE_PLACES)

/* The shape last seen for a key, and the length of its records. */
struct spe_shape_guess {
	uint8_t shape;
	uint8_t length_bytes;
};

struct spe_shapes {
	struct spe_shape list[SPE_SHAPES];
	unsigned places;
	uint8_t place[SPE_SHAPE_PLACES];
	unsigned count;
	unsigned next;         /* to give up for a new one, when all are taken */
	unsigned missed;       /* records that fitted none since all are taken */
	uint32_t common_bytes; /* the length all have; 0: they differ */
	uint32_t want;
	struct spe_shape_guess guesses[SPE_SHAPE_KEYS];
};

/* The two bits. */
static inline unsigned spe_shape_code(uint8_t byte)
{
	return byte & 3;
}

/* SPE_OK or SPE_NOMEM. */
int spe_shapes_new(uint32_t want, struct spe_shapes **shapes);
void spe_shapes_free(struct spe_shapes *shapes);

/* A sound record the general decoder took apart: remember its shape, if it can have one. */
void spe_shapes_learn(struct spe_shapes *shapes, const uint8_t *bytes,
		      const struct spe_parsed *parsed);

#endif
