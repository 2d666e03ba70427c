/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: where a sample was taken, how its owner is known, what it did. */
#include "keys-private.h"

#include <ctype.h>
#include <stdio.h>

FILL(cpu, s->cpu >= 0 ? (uint32_t)s->cpu : ABSENT)
FILL(evidence, s->evidence)
FILL(el, HAS(EL) ? s->record.el : ABSENT)
FILL(guest, s->guest)

static size_t cpu_text(const struct spe_value *v, char *to, size_t room)
{
	return (size_t)snprintf(to, room, v->value == ABSENT ? "-1" : "%03u", (unsigned)v->value);
}

static void evidence_cell(const struct spe_value *v, struct spe_cell *cell)
{
	spe_cell_text(cell, spe_evidence_name((unsigned)v->value));
}

static void el_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { "EL0", "EL1", "EL2", "EL3" };

	CELL_NAMED(cell, v->value, names);
}

static void guest_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { [SPE_GUEST_NO] = "host",
					     [SPE_GUEST_KERNEL] = "guest-kernel",
					     [SPE_GUEST_MAYBE] = "guest-or-host" };

	CELL_NAMED(cell, v->value, names);
}

/* Bits 32-47 are defined nowhere: one of them says that there was no packet. */
#define NO_EVENTS (1ull << 40)

FILL(op, HAS(OP) ? c->op_ids[(s->record.op_class & 3) * 256u + s->record.op_payload] : ABSENT)
FILL(event, HAS(EVENTS) ? s->record.events : NO_EVENTS)
FILL(source, HAS(DATA_SOURCE) ? spe_source_value(c, s) : ABSENT)

static void op_cell(const struct spe_value *v, struct spe_cell *cell)
{
	unsigned op = (unsigned)v->value;

	v->value == ABSENT ? spe_cell_none(cell)
			   : spe_cell_text(cell, spe_op_name(op / 256, op % 256));
}

/* "retired+l1d-access": what --event takes. */
static void event_cell(const struct spe_value *v, struct spe_cell *cell)
{
	size_t n = 0;

	if (v->value == NO_EVENTS) {
		spe_cell_none(cell);
		return;
	}
	spe_cell_text(cell, "none");
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = spe_event_name(bit, v->context->midr);
		char *at = cell->text + n;

		if (!(v->value >> bit & 1))
			continue;
		if (name)
			n += (size_t)snprintf(at, 32, "%s%.30s", n ? "+" : "", name);
		else
			n += (size_t)snprintf(at, 32, "%simpdef:%u", n ? "+" : "", bit);
		for (; *at; at++)
			*at = (char)tolower((unsigned char)*at);
	}
}

static void source_cell(const struct spe_value *v, struct spe_cell *cell)
{
	if (v->value == ABSENT) {
		spe_cell_none(cell);
	} else if (v->value & UNRESOLVED) {
		spe_cell_hex(cell, (uint32_t)v->value);
	} else {
		spe_cell_text(cell, v->context->source_names[v->value]);
	}
}

static void id_cell(const struct spe_value *v, struct spe_cell *cell)
{
	v->value == ABSENT ? spe_cell_none(cell) : spe_cell_number(cell, (int64_t)v->value);
}

const struct spe_key spe_keys_what[] = {
	{ .name = "cpu",
	  .header = "CPU",
	  .help = "CPU the sample was taken on",
	  .field = "cpu",
	  .right = true,
	  .fill = cpu_fill,
	  .cell = id_cell,
	  .text = cpu_text },
	{ .name = "evidence",
	  .header = "Evidence",
	  .help = "how the owner is known: context, switch ... none",
	  .field = "evidence",
	  .fill = evidence_fill,
	  .cell = evidence_cell },
	{ .name = "op",
	  .header = "Operation",
	  .help = "kind of operation: load, store-release, branch-cond ...",
	  .field = "op",
	  .want = SPE_HAS_OP,
	  .fill = op_fill,
	  .cell = op_cell },
	{ .name = "event",
	  .header = "Events",
	  .help = "set of events of the operation, a row per set",
	  .field = "event",
	  .want = SPE_HAS_EVENTS,
	  .fill = event_fill,
	  .cell = event_cell },
	{ .name = "el",
	  .header = "EL",
	  .help = "exception level of the code",
	  .field = "el",
	  .want = SPE_HAS_EL | SPE_HAS_PC,
	  .fill = el_fill,
	  .cell = el_cell },
	{ .name = "source",
	  .header = "Data source",
	  .help = "where the data came from; a number where the core's numbering is not known",
	  .field = "source",
	  .want = SPE_HAS_DATA_SOURCE,
	  .fill = source_fill,
	  .cell = source_cell },
	{ .name = "guest",
	  .header = "Guest",
	  .help = "host, guest-kernel, or guest-or-host (user code of either)",
	  .field = "guest",
	  .want = SPE_HAS_EL | SPE_HAS_PC,
	  .fill = guest_fill,
	  .cell = guest_cell },
	{ .name = NULL },
};
