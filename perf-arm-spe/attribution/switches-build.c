/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From what records said to who was current.  Between two records of a CPU
 * somebody is named by both or there is a record missing; only what both agree
 * on (or what one says and the other cannot know) is kept.
 */
#include "switches-private.h"
#include "../base/order.h"

#include <stdlib.h>

/* What is written again within this time is a repetition. */
#define REPEAT_NS 100000u

static int by_time(const void *pa, const void *pb)
{
	const struct spe_turn *a = pa, *b = pb;

	SPE_ORDER(a->time_ns, b->time_ns);
	SPE_ORDER(a->order, b->order);
	SPE_ORDER(a->now, b->now);
	SPE_ORDER(a->other, b->other);
	return 0;
}

static enum spe_turn_kind kind_of(const struct spe_turn *turn)
{
	return turn->order & 3;
}

/* Who runs right after a record. */
static uint32_t after(const struct spe_turn *turn)
{
	return kind_of(turn) == SPE_TURN_IN ? turn->now : turn->other;
}

/* Who ran right before it. */
static uint32_t before(const struct spe_turn *turn)
{
	return kind_of(turn) == SPE_TURN_IN ? turn->other : turn->now;
}

/* Several events of a file may each write the same switch. */
static bool is_repeat(const struct spe_turn *prev, const struct spe_turn *next)
{
	return kind_of(prev) == kind_of(next) && prev->now == next->now &&
	       prev->other == next->other && next->time_ns - prev->time_ns < REPEAT_NS;
}

/* The two records of one switch. */
static bool is_pair(const struct spe_turn *prev, const struct spe_turn *next)
{
	return kind_of(prev) == SPE_TURN_OUT && kind_of(next) == SPE_TURN_IN;
}

/* A thread executed a program and left under its leader's id (spe_tasks_current_tid() knows when).
 */
static bool became_leader(const struct spe_owner *owners, uint32_t mine, uint32_t theirs)
{
	if (mine == SPE_OWNER_NONE || theirs == SPE_OWNER_NONE || owners[mine].pid <= 0)
		return false;
	return owners[mine].pid == owners[theirs].pid && owners[theirs].tid == owners[theirs].pid;
}

/* Who ran between two records that follow each other: what both can agree to. */
static uint32_t agreed(const struct spe_owner *owners, const struct spe_turn *prev,
		       const struct spe_turn *next)
{
	uint32_t mine = after(prev), theirs = is_pair(prev, next) ? after(next) : before(next);

	if (is_repeat(prev, next) || became_leader(owners, mine, theirs))
		return mine;
	if (mine == SPE_OWNER_NONE && kind_of(prev) == SPE_TURN_IN)
		return theirs; /* somebody whose id was gone already */
	return theirs == SPE_OWNER_NONE || theirs == mine ? mine : SPE_OWNER_NONE;
}

/* The same up to the first record (prev NULL), from the last on (next NULL), and at breaks. */
static uint32_t between(const struct spe_owner *owners, const struct spe_turn *prev,
			const struct spe_turn *next)
{
	if (prev && kind_of(prev) == SPE_TURN_BREAK)
		return SPE_OWNER_NONE;
	if (!next || kind_of(next) == SPE_TURN_BREAK)
		return prev ? after(prev) : SPE_OWNER_NONE;
	return prev ? agreed(owners, prev, next) : before(next);
}

static bool is_window(const struct spe_turn *prev, const struct spe_turn *next)
{
	return next && kind_of(prev) == SPE_TURN_OUT &&
	       (is_pair(prev, next) || is_repeat(prev, next));
}

/* Dead tasks have no id in the trailer: it was given up between these two records. */
static bool is_dying(const struct spe_turn *prev, const struct spe_turn *next)
{
	return next && kind_of(next) == SPE_TURN_OUT && next->now == SPE_OWNER_NONE &&
	       kind_of(prev) != SPE_TURN_BREAK;
}

/* Append a change unless it changes nothing. */
static void append(struct spe_changes *c, uint64_t time_ns, uint32_t owner)
{
	if (c->count && c->times_ns[c->count - 1] == time_ns) {
		c->owners[c->count - 1] = owner;
		return;
	}
	if (c->count && c->owners[c->count - 1] == owner)
		return;
	c->times_ns[c->count] = time_ns;
	c->owners[c->count++] = owner;
}

static void build(const struct spe_owner *owners, const struct spe_turn *turns, size_t n,
		  struct spe_changes *changes)
{
	append(changes, 0, between(owners, NULL, &turns[0]));
	for (size_t i = 0; i < n; i++) {
		const struct spe_turn *next = i + 1 < n ? &turns[i + 1] : NULL;
		uint32_t owner = between(owners, &turns[i], next);

		if (is_window(&turns[i], next))
			owner |= SPE_CHANGE_WINDOW;
		if (is_dying(&turns[i], next))
			owner |= SPE_CHANGE_DYING;
		append(changes, turns[i].time_ns, owner);
	}
}

static bool only_breaks(const struct spe_turns *turns)
{
	for (size_t i = 0; i < turns->count; i++)
		if (kind_of(&turns->items[i]) != SPE_TURN_BREAK)
			return false;
	return true;
}

int spe_changes_build(const struct spe_owner *owners, struct spe_turns *turns,
		      struct spe_changes *changes)
{
	size_t room = turns->count + 1;

	if (!only_breaks(turns)) {
		changes->times_ns = malloc(room * sizeof(*changes->times_ns));
		changes->owners = malloc(room * sizeof(*changes->owners));
		if (!changes->times_ns || !changes->owners)
			return SPE_NOMEM;
		spe_sort(turns->items, turns->count, sizeof(*turns->items), by_time);
		build(owners, turns->items, turns->count, changes);
	}
	free(turns->items);
	*turns = (struct spe_turns){ 0 };
	return SPE_OK;
}
