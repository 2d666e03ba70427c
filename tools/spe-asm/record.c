/* SPDX-License-Identifier: GPL-2.0-only */
/* The record statement: one sampled operation in one line. */
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/record.h>

#include "packets.h"
#include "program.h"

#define NEOVERSE_RECORD_BYTES 64

/* Where packets of a record stand. Neoverse has them in this order, zeros where one is absent. */
enum slot {
	SLOT_PC,
	SLOT_CONTEXT_EL1,
	SLOT_CONTEXT_EL2,
	SLOT_OPERATION,
	SLOT_EVENTS,
	SLOT_ISSUE,
	SLOT_TOTAL,
	SLOT_DATA, /* virtual address or branch target */
	SLOT_XLAT,
	SLOT_PHYSICAL, /* or the previous branch target */
	SLOT_SOURCE,
	SLOT_CLOSE, /* timestamp or end */
	SLOTS
};

static const uint8_t slot_bytes[SLOTS] = { 9, 5, 5, 2, 3, 3, 3, 9, 3, 9, 2, 0 };

struct layout {
	struct spe_packet packets[SLOTS];
	bool present[SLOTS];
};

static void set(struct layout *l, enum slot slot, unsigned kind, unsigned index,
		unsigned payload_bytes, uint64_t payload)
{
	l->present[slot] = true;
	l->packets[slot] = (struct spe_packet){ .kind = (uint8_t)kind,
						.index = (uint8_t)index,
						.header_bytes = 1,
						.payload_bytes = (uint8_t)payload_bytes,
						.payload = payload };
}

/* ---- what the statement says ----------------------------------------------- */

static const char *const securities[] = { "secure", "nonsecure", "root", "realm", NULL };

/* Top byte of a code address: NS and NSE, as enum spe_security counts them. */
static unsigned security_top(unsigned security)
{
	return (security & SPE_NONSECURE ? PACKET_TOP_NS : 0) |
	       (security & SPE_ROOT ? PACKET_TOP_NSE : 0);
}

static void take_code(struct program *p, struct words *words, struct layout *l)
{
	const char *pc = words_key(words, "pc"), *el_text = words_key(words, "el");
	const char *target = words_key(words, "target"), *prev = words_key(words, "prev-target");
	const char *security = words_key(words, "security");
	unsigned top =
		security_top(security ? words_choice(words, security, securities) : SPE_NONSECURE);
	const struct {
		const char *text;
		enum slot slot;
		unsigned index;
	} code[] = {
		{ pc, SLOT_PC, SPE_ADDRESS_PC },
		{ target, SLOT_DATA, SPE_ADDRESS_TARGET },
		{ prev, SLOT_PHYSICAL, SPE_ADDRESS_PREV_TARGET },
	};

	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++) {
		uint64_t address;
		unsigned el;

		if (!code[i].text)
			continue;
		address = words_to_number(words, code[i].text);
		el = el_text ? words_to_byte(words, el_text) & 3u
			     : packet_default_el(address, p->opts.kernel_el);
		set(l, code[i].slot, SPE_PACKET_ADDRESS, code[i].index, 8,
		    packet_code_address(words, address, el, top));
	}
}

static void take_data(struct words *words, struct layout *l)
{
	const char *va = words_key(words, "va"), *pa = words_key(words, "pa");
	const char *source = words_key(words, "source");

	if ((va && l->present[SLOT_DATA]) || (pa && l->present[SLOT_PHYSICAL]))
		die_at(&words->place, "record: a branch has no data address");
	if (va)
		set(l, SLOT_DATA, SPE_PACKET_ADDRESS, SPE_ADDRESS_VA, 8,
		    words_to_number(words, va));
	if (pa)
		set(l, SLOT_PHYSICAL, SPE_PACKET_ADDRESS, SPE_ADDRESS_PA, 8,
		    (words_to_number(words, pa) & PACKET_ADDRESS_MASK) |
			    (uint64_t)PACKET_TOP_NS << PACKET_TOP_SHIFT);
	if (source)
		set(l, SLOT_SOURCE, SPE_PACKET_DATA_SOURCE, 0, PACKET_SOURCE_BYTES,
		    words_to_number(words, source));
}

static void take_counters(struct words *words, struct layout *l)
{
	static const struct {
		const char *key;
		enum slot slot;
		unsigned index;
	} counters[] = {
		{ "total", SLOT_TOTAL, SPE_COUNTER_TOTAL },
		{ "issue", SLOT_ISSUE, SPE_COUNTER_ISSUE },
		{ "xlat", SLOT_XLAT, SPE_COUNTER_TRANSLATION },
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		const char *text = words_key(words, counters[i].key);

		if (text)
			set(l, counters[i].slot, SPE_PACKET_COUNTER, counters[i].index, 2,
			    words_to_number(words, text));
	}
}

static void take_operation(struct words *words, struct layout *l)
{
	const char *op = words_key(words, "op"), *events = words_key(words, "events");
	uint8_t op_class, payload;
	uint64_t bits;

	if (!op)
		op = l->present[SLOT_DATA] && l->packets[SLOT_DATA].index == SPE_ADDRESS_TARGET
			     ? "branch"
			     : "load";
	if (!packet_operation(op, &op_class, &payload))
		die_at(&words->place, "record: no operation is called '%s'", op);
	set(l, SLOT_OPERATION, SPE_PACKET_OPERATION, op_class, 1, payload);
	bits = packet_events(words, events ? events : "retired");
	set(l, SLOT_EVENTS, SPE_PACKET_EVENTS, 0,
	    bits >> 32   ? 8
	    : bits >> 16 ? 4
			 : PACKET_EVENTS_BYTES,
	    bits);
}

static void take_contexts(struct program *p, struct words *words, struct layout *l)
{
	const struct stream *s = &p->streams[p->current];
	const char *context = words_key(words, "context"), *guest = words_key(words, "guest");
	enum contexts which = s->contexts;
	uint32_t value = (uint32_t)s->task.tid;

	if (context && !strcmp(context, "none")) {
		which = CONTEXTS_NONE;
	} else if (context) {
		value = words_to_u32(words, context);
		if (which == CONTEXTS_NONE)
			which = p->opts.kernel_el >= 2 ? CONTEXTS_EL2 : CONTEXTS_EL1;
	} else if (!s->has_task) {
		which = CONTEXTS_NONE;
	}
	if (which != CONTEXTS_NONE)
		set(l, which == CONTEXTS_EL2 ? SLOT_CONTEXT_EL2 : SLOT_CONTEXT_EL1,
		    SPE_PACKET_CONTEXT, which - CONTEXTS_EL1, 4, value);
	if (guest && l->present[SLOT_CONTEXT_EL1])
		die_at(&words->place, "record: a guest's context needs a host at EL2 "
				      "(file kernel=el2)");
	if (guest)
		set(l, SLOT_CONTEXT_EL1, SPE_PACKET_CONTEXT, 0, 4, words_to_u32(words, guest));
}

/* How the record ends: at `now`, at ticks said (ts), or without a time. */
static void set_close(struct program *p, bool end, const uint64_t *ts, struct layout *l)
{
	uint64_t ticks = p->now_ns;

	if (end) {
		set(l, SLOT_CLOSE, SPE_PACKET_END, 0, 0, 0);
		return;
	}
	if (ts)
		ticks = *ts;
	else if (p->opts.clock.present)
		spe_time_to_ticks(&p->opts.clock, p->now_ns, &ticks);
	set(l, SLOT_CLOSE, SPE_PACKET_TIMESTAMP, 0, 8, ticks);
}

/* ---- bytes ------------------------------------------------------------------- */

static void put_slot(const struct words *words, const struct layout *l, enum slot slot,
		     struct stream *s)
{
	if (l->present[slot])
		packet_put(&words->place, &l->packets[slot], stream_position(s), &s->bytes);
}

static void put_record(struct program *p, const struct words *words, const struct layout *l)
{
	struct stream *s = &p->streams[p->current];
	size_t start = s->bytes.n, body, want = p->shape;
	size_t close = l->packets[SLOT_CLOSE].payload_bytes + 1u;

	for (unsigned slot = 0; slot < SLOT_CLOSE; slot++) {
		size_t before = s->bytes.n;

		put_slot(words, l, slot, s);
		if (p->shape == SHAPE_NEOVERSE && s->bytes.n - before < slot_bytes[slot])
			buffer_zeros(&s->bytes, slot_bytes[slot] - (s->bytes.n - before));
	}
	body = s->bytes.n - start;
	if (p->shape == SHAPE_NEOVERSE)
		want = NEOVERSE_RECORD_BYTES;
	if (want != SHAPE_PACKED && body + close > want)
		die_at(&words->place, "record: %zu bytes do not fit a record of %zu", body + close,
		       want);
	if (want != SHAPE_PACKED)
		buffer_zeros(&s->bytes, want - close - body);
	put_slot(words, l, SLOT_CLOSE, s);
}

/* ---- truth -------------------------------------------------------------------- */

static uint64_t canonical(uint64_t payload)
{
	uint64_t address = payload & PACKET_ADDRESS_MASK;
	unsigned el = PACKET_TOP_EL_OF(payload >> PACKET_TOP_SHIFT);

	if ((el == 1 || el == 2) && address >> (PACKET_TOP_SHIFT - 1))
		address |= ~PACKET_ADDRESS_MASK;
	return address;
}

static const char *kind_of(const struct spe_packet *op)
{
	if (op->index == SPE_OP_LOAD_STORE)
		return op->payload & 1 ? "store" : "load";
	return op->index == SPE_OP_BRANCH ? "branch" : "other";
}

/* A row for a record whose owner is known; it goes out when its bytes do. */
static void note_truth(struct program *p, const struct words *words, const struct layout *l,
		       const char *owner)
{
	struct stream *s = &p->streams[p->current];
	const struct spe_packet *context = &l->packets[SLOT_CONTEXT_EL1];
	const struct known_task *known;
	struct waiting_row waiting = { .end = stream_position(s) };
	struct truth_row *row = &waiting.row;

	if (!p->truth)
		return;
	if (!owner && !s->has_task)
		die_at(&words->place, "record: nobody runs here, so --truth cannot be told; say "
				      "'run TASK' before it or owner=TASK");
	row->task = owner ? words_to_task(words, owner) : s->task;
	known = program_task(p, row->task);
	memcpy(waiting.comm, known->comm, sizeof(waiting.comm));
	row->start_ns = known->start_ns;
	row->cpu = p->opts.buffers[p->current].cpu;
	row->timestamp = l->packets[SLOT_CLOSE].payload;
	row->pc = canonical(l->packets[SLOT_PC].payload);
	row->el = PACKET_TOP_EL_OF(l->packets[SLOT_PC].payload >> PACKET_TOP_SHIFT);
	row->has_time = l->packets[SLOT_CLOSE].kind == SPE_PACKET_TIMESTAMP &&
			spe_time_from_ticks(&p->opts.clock, row->timestamp, &row->time_ns);
	if (l->present[SLOT_CONTEXT_EL2]) {
		row->guest = (uint32_t)context->payload;
		context = &l->packets[SLOT_CONTEXT_EL2];
	}
	row->context = (uint32_t)context->payload;
	row->kind = kind_of(&l->packets[SLOT_OPERATION]);
	buffer_put(&s->rows, &waiting, sizeof(waiting));
}

/* ---- the statement ------------------------------------------------------------- */

void record_statement(struct program *p, struct words *words)
{
	uint64_t count = words_key_number(words, "count", 1);
	uint64_t step = words_key_number(words, "step", 4);
	const char *every = words_key(words, "every"), *owner = words_key(words, "owner");
	uint64_t every_ns = every ? words_to_time(words, every, 0) : 0;
	const char *ts_text = words_key(words, "ts");
	uint64_t ts = ts_text ? words_to_number(words, ts_text) : 0;
	bool end = words_flag(words, "end");
	struct layout l = { 0 };

	program_time(p, words);
	take_code(p, words, &l);
	take_data(words, &l);
	take_counters(words, &l);
	take_operation(words, &l);
	take_contexts(p, words, &l);
	for (uint64_t i = 0; i < count; i++) {
		set_close(p, end, ts_text ? &ts : NULL, &l);
		put_record(p, words, &l);
		note_truth(p, words, &l, owner);
		p->now_ns += every_ns;
		if (l.present[SLOT_PC])
			l.packets[SLOT_PC].payload += step;
	}
}
