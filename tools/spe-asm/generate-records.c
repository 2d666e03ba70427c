/* SPDX-License-Identifier: GPL-2.0-only */
#include <endian.h>
#include <string.h>

#include <perf-arm-spe/packet.h>

#include "generate-records.h"
#include "packets.h"

#define VA_BASE UINT64_C(0x0000aaaab0000000)
#define PA_BASE UINT64_C(0x0000000880000000)
#define DATA_BYTES (UINT64_C(1) << 26)

/* What each kind of record holds. Slots of Neoverse are as in record.c. */
static const struct {
	const char *name, *op, *events;
	bool target, va, xlat, source;
} kinds[MADE_KINDS] = {
	[MADE_LOAD] = { "load", "load", "0x16", false, true, true, true },
	[MADE_STORE] = { "store", "store", "0x16", false, true, true, false },
	[MADE_BRANCH] = { "branch", "branch-cond", "0x02", true, false, false, false },
	[MADE_OTHER] = { "other", "other", "0x02", false, false, false, false },
};

const char *made_kind_name(enum made_kind kind)
{
	return kinds[kind].name;
}

/* Builds one template: packets, and zeros where the shape keeps a place free. */
struct builder {
	struct made_template *t;
	bool padded;
};

/* Returns where the payload begins; 0 if the packet is not there. */
static uint8_t put(struct builder *b, bool present, unsigned kind, unsigned index,
		   unsigned payload_bytes, uint64_t payload)
{
	struct spe_packet p = { .kind = (uint8_t)kind,
				.index = (uint8_t)index,
				.header_bytes = 1,
				.payload_bytes = (uint8_t)payload_bytes,
				.payload = payload };
	struct made_template *t = b->t;
	uint8_t at = t->n;
	size_t written = 0;

	if (present)
		die_on(spe_packet_encode(&p, at, t->bytes + at, sizeof(t->bytes) - at, &written),
		       NULL);
	if (present || b->padded)
		t->n = (uint8_t)(t->n + 1 + payload_bytes);
	return present ? (uint8_t)(at + 1) : 0;
}

static void build(struct made_template *t, enum made_shape shape, enum made_kind kind,
		  bool has_context, unsigned context_index)
{
	struct builder b = { t, shape == MADE_64 };
	bool small = shape == MADE_43; /* PC, context, op, events, two latencies, address, time */
	struct words none = { .keyword = "generate" };
	uint8_t op_class = 0, op_payload = 0;

	memset(t, 0, sizeof(*t));
	packet_operation(kinds[kind].op, &op_class, &op_payload);
	put(&b, true, SPE_PACKET_ADDRESS, SPE_ADDRESS_PC, 8, 0);
	for (unsigned index = 0; index < 2; index++) {
		uint8_t at = put(&b, has_context && context_index == index, SPE_PACKET_CONTEXT,
				 index, 4, 0);

		t->context = at ? at : t->context;
	}
	put(&b, true, SPE_PACKET_OPERATION, op_class, 1, op_payload);
	put(&b, true, SPE_PACKET_EVENTS, 0, 2, packet_events(&none, kinds[kind].events));
	t->issue = put(&b, true, SPE_PACKET_COUNTER, SPE_COUNTER_ISSUE, 2, 0);
	t->total = put(&b, true, SPE_PACKET_COUNTER, SPE_COUNTER_TOTAL, 2, 0);
	t->data = put(&b, kinds[kind].target || kinds[kind].va || small, SPE_PACKET_ADDRESS,
		      kinds[kind].target ? SPE_ADDRESS_TARGET : SPE_ADDRESS_VA, 8, 0);
	put(&b, kinds[kind].xlat && !small, SPE_PACKET_COUNTER, SPE_COUNTER_TRANSLATION, 2, 1);
	t->physical = put(&b, kinds[kind].source && shape == MADE_MIXED, SPE_PACKET_ADDRESS,
			  SPE_ADDRESS_PA, 8, 0);
	t->source = put(&b, kinds[kind].source && !small, SPE_PACKET_DATA_SOURCE, 0, 1, 0);
	if (b.padded)
		t->n = MADE_RECORD_MAX - 9;
	t->timestamp = put(&b, true, SPE_PACKET_TIMESTAMP, 0, 8, 0);
}

void made_templates_init(struct made_templates *t, enum made_shape shape, unsigned context_index)
{
	for (unsigned with = 0; with < 2; with++)
		for (unsigned kind = 0; kind < MADE_KINDS; kind++)
			build(&t->kinds[with][kind], shape, kind, with, context_index);
}

static inline void store64(uint8_t *at, uint64_t v)
{
	v = htole64(v);
	memcpy(at, &v, sizeof(v));
}

static inline void store32(uint8_t *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
}

static inline void store16(uint8_t *at, unsigned v)
{
	uint16_t le = htole16((uint16_t)v);

	memcpy(at, &le, sizeof(le));
}

static uint64_t code(uint64_t address, unsigned el)
{
	return (address & PACKET_ADDRESS_MASK) | (uint64_t)(PACKET_TOP_NS | PACKET_TOP_EL(el))
							 << PACKET_TOP_SHIFT;
}

void made_record_put(const struct made_templates *templates, const struct made_record *r,
		     uint64_t *random, struct buffer *out)
{
	static const uint8_t sources[8] = { 0, 0, 0, 0, 8, 8, 11, 14 }; /* L1, L2, L3, DRAM */
	const struct made_template *t = &templates->kinds[r->has_context][r->kind];
	uint8_t *at = buffer_room(out, MADE_RECORD_MAX);
	uint64_t dice = random_next(random);
	unsigned issue = 2 + (unsigned)(dice & 15), total = issue + 1 + (unsigned)(dice >> 4 & 31);
	uint64_t data = dice >> 16 & (DATA_BYTES - 8);

	memcpy(at, t->bytes, MADE_RECORD_MAX);
	store64(at + 1, code(r->pc, r->el));
	if (t->context)
		store32(at + t->context, r->context);
	store16(at + t->issue, issue);
	store16(at + t->total, total);
	if (t->data)
		store64(at + t->data, r->kind == MADE_BRANCH
					      ? code(r->pc + 64 + (dice >> 16 & 0xfc), r->el)
					      : VA_BASE + data);
	if (t->physical)
		store64(at + t->physical,
			(PA_BASE + data) | (uint64_t)PACKET_TOP_NS << PACKET_TOP_SHIFT);
	if (t->source)
		at[t->source] = sources[dice >> 60 & 7];
	store64(at + t->timestamp, r->timestamp);
	out->n += t->n;
}
