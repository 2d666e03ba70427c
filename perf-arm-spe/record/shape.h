/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shapes: what records look like that repeat.
 *
 * A core lays its records out in few ways.  The general decoder takes a record
 * apart once; from then on any record with the same bytes in all places that
 * are not payload (headers, and the zeros between packets) has its packets in
 * the same places, and its fields come from known bytes.  A shape says so for
 * one layout, a few zeros behind the record included, by which cores align.  Nothing is guessed: a
 * record that fits no shape goes to the general decoder.
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

/* Bytes that are moved at a time, and how many such pieces a record has. */
#define SPE_SHAPE_PIECE 16
#define SPE_SHAPE_PIECES (SPE_SHAPE_BYTES / SPE_SHAPE_PIECE)

#define SPE_SHAPE_NOWHERE 0x80 /* in move[]: this byte is zero */

/* Where the fields stand that a survey looks at; masks are zero for what is absent. */
struct spe_shape_survey {
	uint64_t timestamp_mask;
	uint32_t context_mask[2];
	uint16_t top_mask;
	uint8_t timestamp_at, context_at[2];
	uint8_t top_at; /* bits 63:48 of the PC */
};

#define SPE_SHAPE_SURVEY                                                                           \
	(SPE_HAS_TIMESTAMP | SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_EL |              \
	 SPE_HAS_UNKNOWN | SPE_HAS_DUPLICATE)

struct spe_shape {
	/* First what vectors are loaded from, none across two lines of a cache. */
	uint8_t value[SPE_SHAPE_BYTES]; /* of the bytes that are not payload; else zero */
	/* Of each piece of the trace: which of its bytes goes to which byte of the record. */
	uint8_t move[SPE_SHAPE_PIECES][sizeof(struct spe_record)];
	struct spe_record fixed; /* what is the same for all: present, length, op_class ... */
	uint64_t keep[4];        /* bits 55:0 of pc, target, prev_target, va if they are wanted */
	uint64_t extend[4];      /* and the bits above */
	/* For each byte of the record which of the trace it is, SPE_SHAPE_NOWHERE: none. */
	uint8_t source[sizeof(struct spe_record)];
	uint64_t exact[SPE_SHAPE_BYTES / 64]; /* bit n: byte n must be as in value[] */
	struct spe_shape_survey survey;
	uint32_t step_bytes;   /* to the next record: the length and zeros behind it */
	uint64_t sums;         /* unknown packets << 32 | these zeros: for counts of a whole run */
	uint8_t first[2], end; /* as in struct spe_parsed */
} __attribute__((aligned(64)));

/*
 * Which shape a record may have is looked up by some bits of some of its first
 * bytes, those that tell shapes apart: its traits.  They are added up in two
 * words, which are hashed to a key.
 */
#define SPE_SHAPE_TRAIT_BYTES 64
#define SPE_SHAPE_KEY_BITS 10
#define SPE_SHAPE_KEYS (1u << SPE_SHAPE_KEY_BITS)

struct spe_shape_traits {
	uint64_t even, odd; /* sums of the words 0, 2, 4, 6 and 1, 3, 5, 7 */
};

/* The shape last seen for a key, and how far to the next record. */
struct spe_shape_guess {
	uint32_t offset; /* of the shape in the list, in bytes: no multiplication */
	uint32_t step_bytes;
};

struct spe_shapes {
	struct spe_shape list[SPE_SHAPES];
	uint8_t telling[SPE_SHAPE_TRAIT_BYTES]; /* bits of the byte at this place */
	uint64_t factors[2];                    /* make keys that differ for all shapes */
	unsigned count;
	unsigned next;         /* to give up for a new one, when all are taken */
	unsigned missed;       /* records that fitted none since all are taken */
	uint32_t common_bytes; /* the step all have; 0: they differ */
	uint32_t want;
	struct spe_shape_guess guesses[SPE_SHAPE_KEYS];
};

static inline unsigned spe_shape_key(const struct spe_shapes *shapes,
				     struct spe_shape_traits traits)
{
	uint64_t hash = traits.even * shapes->factors[0] + traits.odd * shapes->factors[1];

	return (unsigned)(hash >> (64 - SPE_SHAPE_KEY_BITS));
}

/* SPE_OK or SPE_NOMEM. */
int spe_shapes_new(uint32_t want, struct spe_shapes **shapes);
void spe_shapes_free(struct spe_shapes *shapes);

/*
 * A sound record the general decoder took apart, with what stands behind it, n
 * bytes in all: remember its shape, if it can have one.
 */
void spe_shapes_learn(struct spe_shapes *shapes, const uint8_t *bytes, size_t n,
		      const struct spe_parsed *parsed);

#endif
