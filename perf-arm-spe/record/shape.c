/* SPDX-License-Identifier: GPL-2.0-only */
#include "shape.h"

#include <stdlib.h>
#include <string.h>

#include "address.h"

int spe_shapes_new(uint32_t want, struct spe_shapes **shapes)
{
	void *memory = NULL;

	if (posix_memalign(&memory, _Alignof(struct spe_shapes), sizeof(**shapes)))
		return SPE_NOMEM;
	*shapes = memset(memory, 0, sizeof(**shapes));
	(*shapes)->want = want;
	return SPE_OK;
}

void spe_shapes_free(struct spe_shapes *shapes)
{
	free(shapes);
}

/* ---- one shape ------------------------------------------------------------ */

#define ANY_INDEX 0xff

/* So many zeros behind a record do not align it but are padding. */
#define ZEROS_MAX 64

/* Factors that are tried for one without collisions. */
#define FACTORS 16

/* Which bytes of which packet go where in a record. */
static const struct move {
	uint8_t kind, index;
	uint8_t from, bytes; /* of the payload */
	uint8_t to, room;    /* in the record */
	uint32_t bits;       /* SPE_HAS_*: moved if one of them is wanted */
} moves[] = {
#define MOVE(kind, index, from, bytes, field, bits)                                                \
	{                                                                                          \
		SPE_PACKET_##kind, index, from, bytes, offsetof(struct spe_record, field),         \
			sizeof(((struct spe_record *)0)->field), bits                              \
	}
	MOVE(TIMESTAMP, 0, 0, 8, timestamp, SPE_HAS_TIMESTAMP),
	MOVE(CONTEXT, 0, 0, 4, context[0], SPE_HAS_CONTEXT_EL1),
	MOVE(CONTEXT, 1, 0, 4, context[1], SPE_HAS_CONTEXT_EL2),
	MOVE(EVENTS, 0, 0, 8, events, SPE_HAS_EVENTS),
	MOVE(DATA_SOURCE, 0, 0, 2, data_source, SPE_HAS_DATA_SOURCE),
	MOVE(OPERATION, ANY_INDEX, 0, 1, op_payload, SPE_HAS_OP),
	MOVE(COUNTER, SPE_COUNTER_TOTAL, 0, 2, total_latency_cycles, SPE_HAS_TOTAL_LATENCY),
	MOVE(COUNTER, SPE_COUNTER_ISSUE, 0, 2, issue_latency_cycles, SPE_HAS_ISSUE_LATENCY),
	MOVE(COUNTER, SPE_COUNTER_TRANSLATION, 0, 2, xlat_latency_cycles, SPE_HAS_XLAT_LATENCY),
	MOVE(ADDRESS, SPE_ADDRESS_PC, 0, 8, pc, SPE_HAS_PC | SPE_HAS_EL),
	MOVE(ADDRESS, SPE_ADDRESS_PC, 7, 1, el, SPE_HAS_EL),
	MOVE(ADDRESS, SPE_ADDRESS_PC, 7, 1, security, SPE_HAS_EL),
	MOVE(ADDRESS, SPE_ADDRESS_TARGET, 0, 8, target, SPE_HAS_TARGET),
	MOVE(ADDRESS, SPE_ADDRESS_TARGET, 7, 1, target_el, SPE_HAS_TARGET),
	MOVE(ADDRESS, SPE_ADDRESS_PREV_TARGET, 0, 8, prev_target, SPE_HAS_PREV_TARGET),
	MOVE(ADDRESS, SPE_ADDRESS_VA, 0, 8, va, SPE_HAS_VA),
	MOVE(ADDRESS, SPE_ADDRESS_VA, 7, 1, va_tag, SPE_HAS_VA),
	MOVE(ADDRESS, SPE_ADDRESS_PA, 0, 7, pa, SPE_HAS_PA),
	MOVE(ADDRESS, SPE_ADDRESS_PA, 7, 1, pa_top, SPE_HAS_PA),
#undef MOVE
};

/* Payloads are little-endian; records are as this machine has them. */
static size_t place_of_byte(const struct move *m, size_t i)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? m->to + i : m->to + m->room - 1u - i;
}

/* All of the field, so that of two packets the last counts whatever their sizes. */
static void move_field(struct spe_shape *shape, const struct move *m,
		       const struct spe_packet *packet, size_t at)
{
	size_t bytes = packet->payload_bytes - m->from;

	if (bytes > m->bytes)
		bytes = m->bytes;
	for (size_t i = 0; i < m->room; i++)
		shape->source[place_of_byte(m, i)] =
			i < bytes ? (uint8_t)(at + m->from + i) : SPE_SHAPE_NOWHERE;
}

static void move_packet(struct spe_shape *shape, const struct spe_packet *packet, size_t at,
			uint32_t want)
{
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].kind == packet->kind && moves[i].bits & want &&
		    (moves[i].index == packet->index || moves[i].index == ANY_INDEX))
			move_field(shape, &moves[i], packet, at);
}

/* A source over 16 bits would be an unknown packet: that hangs on its value, not its shape. */
static bool is_fixed(const struct spe_packet *packet)
{
	return packet->kind != SPE_PACKET_DATA_SOURCE || packet->payload_bytes <= 2;
}

/* Walk over a sound record as the general decoder did. False: it can have no shape. */
static bool move_packets(struct spe_shape *shape, const uint8_t *bytes, size_t n, uint32_t want)
{
	struct spe_packet packet;
	size_t payload;

	for (size_t at = 0; at < n; at += packet.length_bytes) {
		at += spe_padding_bytes(bytes + at, n - at);
		if (spe_packet_decode(bytes + at, n - at, 0, &packet) || !is_fixed(&packet))
			return false;
		payload = at + packet.header_bytes;
		for (size_t i = payload; i < payload + packet.payload_bytes; i++)
			shape->exact[i / 64] &= ~(UINT64_C(1) << i % 64);
		move_packet(shape, &packet, payload, want);
	}
	return true;
}

/* The same as source[], seen from the trace: one list for each piece of it. */
static void cut_into_pieces(struct spe_shape *shape)
{
	uint8_t from;

	memset(shape->move, SPE_SHAPE_NOWHERE, sizeof(shape->move));
	for (size_t to = 0; to < sizeof(shape->source); to++) {
		from = shape->source[to];
		if (from != SPE_SHAPE_NOWHERE)
			shape->move[from / SPE_SHAPE_PIECE][to] = from % SPE_SHAPE_PIECE;
	}
}

static void fix_fields(struct spe_shape *shape, const struct spe_parsed *parsed, uint32_t want)
{
	static const uint32_t addresses[] = { SPE_HAS_PC, SPE_HAS_TARGET, SPE_HAS_PREV_TARGET,
					      SPE_HAS_VA };
	struct spe_record *fixed = &shape->fixed;

	*fixed = parsed->record;
	if (fixed->present & SPE_HAS_PC) /* whether this one is odd or not */
		fixed->present |= SPE_HAS_EL;
	spe_record_restrict(fixed, want);
	*fixed = (struct spe_record){
		.present = fixed->present,
		.length_bytes = fixed->length_bytes,
		.events_bytes = fixed->events_bytes,
		.op_class = fixed->op_class,
	};
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		shape->keep[i] = want & addresses[i] ? SPE_ADDR_MASK : 0;
		shape->extend[i] = want & addresses[i] ? SPE_ADDR_TOP : 0;
	}
}

/* The same as source[] once more, for loads of whole fields. */
static void find_for_survey(struct spe_shape *shape)
{
	struct spe_shape_survey *survey = &shape->survey;
	uint8_t at = shape->source[offsetof(struct spe_record, timestamp)];

	if (at != SPE_SHAPE_NOWHERE) {
		survey->timestamp_at = at;
		survey->timestamp_mask = UINT64_MAX;
	}
	for (unsigned i = 0; i < 2; i++) {
		at = shape->source[offsetof(struct spe_record, context) + 4 * i];
		if (at == SPE_SHAPE_NOWHERE)
			continue;
		survey->context_at[i] = at;
		survey->context_mask[i] = UINT32_MAX;
	}
	at = shape->source[offsetof(struct spe_record, el)];
	if (at != SPE_SHAPE_NOWHERE) {
		survey->top_at = at - 1;
		survey->top_mask = UINT16_MAX;
	}
}

static bool is_exact(const struct spe_shape *shape, unsigned place)
{
	return shape->exact[place / 64] >> place % 64 & 1;
}

/* The record and the zeros behind it, all exact where there is no payload. */
static void fix_bytes(struct spe_shape *shape, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < shape->step_bytes; i++)
		shape->value[i] = is_exact(shape, i) ? bytes[i] : 0;
}

/* The record and the zeros that align it, up to n bytes; 0: the bytes do not tell. */
static uint32_t find_step(const uint8_t *bytes, size_t n, uint32_t length_bytes)
{
	uint32_t step = length_bytes;

	while (step < n && !bytes[step] && step < SPE_SHAPE_BYTES)
		step++;
	if (step == n)
		return 0;
	return bytes[step] && step - length_bytes < ZEROS_MAX ? step : length_bytes;
}

static bool make_shape(struct spe_shape *shape, const uint8_t *bytes, size_t n,
		       const struct spe_parsed *parsed, uint32_t want)
{
	uint32_t length_bytes = parsed->record.length_bytes;

	memset(shape, 0, sizeof(*shape));
	shape->step_bytes = find_step(bytes, n, length_bytes);
	shape->sums = (uint64_t)parsed->unknown_packets << 32 | (shape->step_bytes - length_bytes);
	for (uint32_t i = 0; i < shape->step_bytes; i++)
		shape->exact[i / 64] |= UINT64_C(1) << i % 64;
	memset(shape->source, SPE_SHAPE_NOWHERE, sizeof(shape->source));
	if (!shape->step_bytes || !move_packets(shape, bytes, length_bytes, want))
		return false;
	fix_bytes(shape, bytes);
	cut_into_pieces(shape);
	fix_fields(shape, parsed, want);
	find_for_survey(shape);
	memcpy(shape->first, parsed->first, sizeof(shape->first));
	shape->end = parsed->end;
	return true;
}

/* ---- all of them ---------------------------------------------------------- */

/* Sets of shapes are words: bit n for shape n. */
_Static_assert(SPE_SHAPES <= 64, "sets of shapes are bits of a word");

/*
 * Bits that tell at a place: where shapes have payload there, few, that their
 * records do not scatter; but enough to tell headers, and headers from zero.
 */
#define FEW_BITS 0x03

/* More places would tell little more. */
#define TELLING_PLACES 12

/* Up to so many shapes places are chosen anew with each, then with every eighth. */
#define PLACES_FOLLOW 16

/* How the shapes look at one place. */
struct view {
	uint64_t exact; /* these have no payload there */
	uint8_t bits;   /* that tell */
	unsigned values;
	uint8_t value[SPE_SHAPES]; /* the telling bits, each once */
	uint64_t with[SPE_SHAPES]; /* and which shapes have them */
};

static void sort_by_value(const struct spe_shapes *s, struct view *v, unsigned place)
{
	uint8_t value;
	unsigned k;

	v->values = 0;
	for (unsigned i = 0; i < s->count; i++) {
		if (!(v->exact >> i & 1))
			continue;
		value = s->list[i].value[place] & v->bits;
		for (k = 0; k < v->values && v->value[k] != value; k++)
			;
		if (k == v->values) {
			v->value[v->values++] = value;
			v->with[k] = 0;
		}
		v->with[k] |= UINT64_C(1) << i;
	}
}

static void look_at(const struct spe_shapes *s, struct view *v, unsigned place)
{
	v->exact = 0;
	for (unsigned i = 0; i < s->count; i++)
		v->exact |= (uint64_t)is_exact(&s->list[i], place) << i;
	v->bits = v->exact == UINT64_MAX >> (64 - s->count) ? 0xff : FEW_BITS;
	sort_by_value(s, v, place);
}

/* How many pairs of shapes that were alike so far the place tells apart; with `take`, do. */
static unsigned tell_apart(const struct view *v, uint64_t *alike, bool take)
{
	uint64_t others;
	unsigned pairs = 0;

	for (unsigned k = 0; k < v->values; k++) {
		others = v->exact & ~v->with[k];
		for (uint64_t these = v->with[k]; these; these &= these - 1) {
			uint64_t *these_alike = &alike[__builtin_ctzll(these)];

			pairs += (unsigned)__builtin_popcountll(*these_alike & others);
			if (take)
				*these_alike &= ~others;
		}
	}
	return pairs;
}

/* The place that tells most, SPE_SHAPE_TRAIT_BYTES: none. */
static unsigned find_telling_place(const struct spe_shapes *s, uint64_t *alike)
{
	unsigned telling = SPE_SHAPE_TRAIT_BYTES, most = 0, pairs;
	struct view view;

	for (unsigned place = 0; place < SPE_SHAPE_TRAIT_BYTES; place++) {
		look_at(s, &view, place);
		pairs = view.values > 1 ? tell_apart(&view, alike, false) : 0;
		if (pairs > most) {
			most = pairs;
			telling = place;
		}
	}
	return telling;
}

static void choose_places(struct spe_shapes *s)
{
	uint64_t alike[SPE_SHAPES];
	struct view view;
	unsigned place;

	memset(alike, 0xff, sizeof(alike));
	memset(s->telling, 0, sizeof(s->telling));
	for (unsigned i = 0; i < TELLING_PLACES; i++) {
		place = find_telling_place(s, alike);
		if (place == SPE_SHAPE_TRAIT_BYTES)
			return;
		look_at(s, &view, place);
		tell_apart(&view, alike, true);
		s->telling[place] = view.bits;
	}
}

/* As the fast decoder adds them up; payload taken for zero. */
static struct spe_shape_traits traits_of(const struct spe_shapes *s, const struct spe_shape *shape)
{
	struct spe_shape_traits traits = { 0, 0 };
	uint64_t word, telling;

	for (unsigned i = 0; i < SPE_SHAPE_TRAIT_BYTES; i += sizeof(word)) {
		memcpy(&word, shape->value + i, sizeof(word));
		memcpy(&telling, s->telling + i, sizeof(telling));
		*(i & sizeof(word) ? &traits.odd : &traits.even) += word & telling;
	}
	return traits;
}

static unsigned count_collisions(const struct spe_shapes *s)
{
	uint64_t taken[SPE_SHAPE_KEYS / 64] = { 0 };
	unsigned collisions = 0, key;

	for (unsigned i = 0; i < s->count; i++) {
		key = spe_shape_key(s, traits_of(s, &s->list[i]));
		collisions += taken[key / 64] >> key % 64 & 1;
		taken[key / 64] |= UINT64_C(1) << key % 64;
	}
	return collisions;
}

static void choose_factors(struct spe_shapes *s)
{
	unsigned fewest = UINT32_MAX, collisions;
	uint64_t best[2] = { 0, 0 };

	for (unsigned i = 0; i < FACTORS && fewest; i++) {
		s->factors[0] = UINT64_C(0x9e3779b97f4a7c15) * (2 * i + 1);
		s->factors[1] = UINT64_C(0xd1b54a32d192ed03) * (2 * i + 1);
		collisions = count_collisions(s);
		if (collisions < fewest) {
			fewest = collisions;
			memcpy(best, s->factors, sizeof(best));
		}
	}
	memcpy(s->factors, best, sizeof(best));
}

static void reset_guesses(struct spe_shapes *s)
{
	for (unsigned i = 0; i < SPE_SHAPE_KEYS; i++)
		s->guesses[i] = (struct spe_shape_guess){
			.step_bytes = s->list[0].step_bytes,
		};
}

static void find_common_length(struct spe_shapes *s)
{
	s->common_bytes = s->list[0].step_bytes;
	for (unsigned i = 1; i < s->count; i++)
		if (s->list[i].step_bytes != s->common_bytes)
			s->common_bytes = 0;
}

static bool is_known(const struct spe_shapes *s, const struct spe_shape *shape)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->list[i].step_bytes == shape->step_bytes &&
		    !memcmp(s->list[i].exact, shape->exact, sizeof(shape->exact)) &&
		    !memcmp(s->list[i].value, shape->value, sizeof(shape->value)))
			return true;
	return false;
}

void spe_shapes_learn(struct spe_shapes *s, const uint8_t *bytes, size_t n,
		      const struct spe_parsed *parsed)
{
	struct spe_shape shape;

	if (parsed->record.length_bytes > SPE_SHAPE_BYTES)
		return;
	/* A stream of ever new shapes: do not spend more on learning than on decoding. */
	if (s->count == SPE_SHAPES && s->missed++ % SPE_SHAPES)
		return;
	if (!make_shape(&shape, bytes, n, parsed, s->want) || is_known(s, &shape))
		return;
	s->list[s->next] = shape;
	s->next = (s->next + 1) % SPE_SHAPES;
	if (s->count < SPE_SHAPES)
		s->count++;
	find_common_length(s);
	if (s->count <= PLACES_FOLLOW || !(s->next % 8)) {
		choose_places(s);
		choose_factors(s);
	}
	reset_guesses(s);
}
