/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How switch timelines are kept.  While records come in: per CPU what each
 * said.  Frozen: per CPU and witness the moments at which the answer changes.
 */
#ifndef SPE_ATTRIBUTION_SWITCHES_PRIVATE_H
#define SPE_ATTRIBUTION_SWITCHES_PRIVATE_H

#include "switches.h"
#include "../base/vec.h"
#include "holes.h"

enum spe_turn_kind {
	SPE_TURN_IN,    /* `now` came; `other` was before */
	SPE_TURN_OUT,   /* `now` left; `other` comes */
	SPE_TURN_SCHED, /* at once: `now` left, `other` came */
	SPE_TURN_BREAK, /* from here on records may be missing */
};

/* No owner: not told, or an id that dying tasks have. */
#define SPE_OWNER_NONE (UINT32_MAX >> 2)

/* What one record said. */
struct spe_turn {
	uint64_t time_ns;
	uint64_t order;      /* sequence << 2 | kind: among equal times as written */
	uint32_t now, other; /* numbers of owners, or SPE_OWNER_NONE */
};

struct spe_turns {
	struct spe_turn *items;
	size_t count;
	size_t room;
};

#define SPE_CHANGE_WINDOW 0x80000000u
/* The span ends with a record that has no id for the owner: it died meanwhile. */
#define SPE_CHANGE_DYING 0x40000000u
#define SPE_CHANGE_FLAGS (SPE_CHANGE_WINDOW | SPE_CHANGE_DYING)

/* Moments (ascending) and who is current from there on: an owner | SPE_CHANGE_*. */
struct spe_changes {
	uint64_t *times_ns;
	uint32_t *owners;
	size_t count;
};

struct spe_switch_cpu {
	struct spe_turns records; /* SWITCH, SWITCH_CPU_WIDE, breaks */
	struct spe_turns sched;   /* sched_switch, breaks */
	struct spe_changes by_records, by_sched;
};

struct spe_owner {
	int32_t pid, tid;
};

struct spe_switches {
	SPE_VEC(struct spe_switch_cpu *) cpus; /* by number; NULL: nothing said */
	SPE_VEC(struct spe_owner) owners;      /* distinct */
	uint32_t *owner_slots;                 /* owner + 1; 0: empty */
	size_t owner_mask;
	struct spe_holes holes;
	size_t count, records, scheds;
	bool cut; /* the side-band breaks off */
};

/* Turn what was said into changes. Frees the turns. SPE_OK or SPE_NOMEM. */
int spe_changes_build(const struct spe_owner *owners, struct spe_turns *turns,
		      struct spe_changes *changes);

#endif
