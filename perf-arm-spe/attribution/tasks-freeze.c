/* SPDX-License-Identifier: GPL-2.0-only */
/* What lives take from each other: names from parents, ids from leaders after an exec. */
#include "tasks-private.h"
#include "../base/order.h"

#include <stdlib.h>

/* Parents at the same moment (time-0 sets) may hand a name down this many times. */
#define CHAIN_LIMIT 32u
/* Stands for all that have written nothing. */
#define UNSEEN_CPU (-2)

static uint32_t mix(int32_t tid)
{
	return (uint32_t)tid * 0x9e3779b1u;
}

static int index_grow(struct spe_tasks *tasks)
{
	size_t slots = tasks->index ? 2 * (tasks->index_mask + 1) : 256;
	struct spe_tid *old = tasks->index, *grown = calloc(slots, sizeof(*grown));

	if (!grown)
		return SPE_NOMEM;
	for (size_t i = 0; old && i <= tasks->index_mask; i++) {
		size_t at = mix(old[i].tid) & (slots - 1);

		if (!old[i].tid)
			continue;
		while (grown[at].tid)
			at = (at + 1) & (slots - 1);
		grown[at] = old[i];
	}
	free(old);
	tasks->index = grown;
	tasks->index_mask = slots - 1;
	return SPE_OK;
}

int spe_tasks_index_add(struct spe_tasks *tasks, int32_t tid, uint32_t first, uint32_t count)
{
	size_t at;

	if (!tasks->index || 2 * tasks->tids > tasks->index_mask) {
		int status = index_grow(tasks);

		if (status)
			return status;
	}
	at = mix(tid) & tasks->index_mask;
	while (tasks->index[at].tid)
		at = (at + 1) & tasks->index_mask;
	tasks->index[at] = (struct spe_tid){ tid, first, count, -1, SPE_COMM_NONE };
	tasks->tids++;
	return SPE_OK;
}

const struct spe_tid *spe_tasks_slot(const struct spe_tasks *tasks, int32_t tid)
{
	size_t at;

	if (!tasks->index || tid <= 0)
		return NULL;
	for (at = mix(tid) & tasks->index_mask; tasks->index[at].tid != tid;
	     at = (at + 1) & tasks->index_mask)
		if (!tasks->index[at].tid)
			return NULL;
	return &tasks->index[at];
}

/* ---- names from parents -------------------------------------------------- */

static int by_start(const void *pa, const void *pb, void *arg)
{
	const struct spe_life *lives = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	SPE_ORDER(lives[a].start_ns, lives[b].start_ns);
	SPE_ORDER(a, b);
	return 0;
}

/* Name of thread tid at a time, else of its process. */
static uint32_t name_at(const struct spe_tasks *tasks, int32_t tid, uint64_t time_ns)
{
	const struct spe_tid *slot = spe_tasks_slot(tasks, tid);
	uint64_t from = 0, to = SPE_NEVER;
	uint32_t life, comm;
	int32_t pid;

	if (!slot)
		return SPE_COMM_NONE;
	life = spe_tasks_life(tasks, slot, time_ns);
	comm = spe_tasks_life_comm(tasks, life, time_ns, &from, &to);
	pid = tasks->lives.items[life].pid;
	if (comm != SPE_COMM_NONE || pid <= 0 || pid == tid)
		return comm;
	return spe_tasks_leader_comm(tasks, pid, time_ns, &from, &to);
}

/* First name of a life after all: its own first one unless that came by an exec. */
static uint32_t own_first_name(const struct spe_tasks *tasks, const struct spe_life *life)
{
	size_t i = (size_t)(life - tasks->lives.items);
	size_t end = i + 1 < tasks->lives.count ? life[1].name_first : tasks->names.count;
	uint32_t name;

	if (life->name_first >= end)
		return SPE_COMM_NONE;
	name = tasks->names.items[life->name_first].comm;
	return name & SPE_NAME_EXEC ? SPE_COMM_NONE : name;
}

/*
 * Give a life its parent's name.  Lives come in order of their start, so that
 * the parent has its name unless both start at the same moment: then climb.
 */
static void inherit(struct spe_tasks *tasks, uint32_t number)
{
	struct spe_life *life = &tasks->lives.items[number];
	uint64_t time_ns = life->start_ns;
	int32_t parent = (int32_t)life->comm;
	uint32_t comm = SPE_COMM_NONE;

	for (unsigned steps = 0; steps < CHAIN_LIMIT; steps++) {
		const struct spe_tid *slot = spe_tasks_slot(tasks, parent);
		const struct spe_life *l;

		if (!slot)
			break;
		comm = name_at(tasks, parent, time_ns);
		l = &tasks->lives.items[spe_tasks_life(tasks, slot, time_ns)];
		if (comm != SPE_COMM_NONE || l == life || !(l->flags & SPE_LIFE_INHERIT))
			break;
		parent = (int32_t)l->comm;
	}
	if (comm == SPE_COMM_NONE)
		comm = own_first_name(tasks, life);
	life->flags &= ~(uint32_t)SPE_LIFE_INHERIT;
	life->comm = comm;
}

static int inherit_all(struct spe_tasks *tasks)
{
	size_t n = 0, k = 0;
	uint32_t *order;

	for (size_t i = 0; i < tasks->lives.count; i++)
		n += (tasks->lives.items[i].flags & SPE_LIFE_INHERIT) != 0;
	if (!n)
		return SPE_OK;
	order = malloc(n * sizeof(*order));
	if (!order)
		return SPE_NOMEM;
	for (size_t i = 0; i < tasks->lives.count; i++)
		if (tasks->lives.items[i].flags & SPE_LIFE_INHERIT)
			order[k++] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), by_start, tasks->lives.items);
	for (k = 0; k < n; k++)
		inherit(tasks, order[k]);
	free(order);
	return SPE_OK;
}

/* ---- ids after an exec ---------------------------------------------------- */

static int by_pid(const void *pa, const void *pb)
{
	const struct spe_exec *a = pa, *b = pb;

	SPE_ORDER(a->pid, b->pid);
	SPE_ORDER(a->time_ns, b->time_ns);
	return 0;
}

/* Time of the first exec of a process after a moment, SPE_NEVER: none. */
static uint64_t exec_after(const struct spe_tasks *tasks, int32_t pid, uint64_t time_ns)
{
	size_t low = 0, high = tasks->execs.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct spe_exec *e = &tasks->execs.items[mid];

		if (e->pid > pid || (e->pid == pid && e->time_ns > time_ns))
			high = mid;
		else
			low = mid + 1;
	}
	if (low == tasks->execs.count || tasks->execs.items[low].pid != pid)
		return SPE_NEVER;
	return tasks->execs.items[low].time_ns;
}

/* From its process's exec on the id means the leader, if that exec was in the same life of it. */
static void alias(struct spe_tasks *tasks, struct spe_life *life, int32_t tid, uint64_t end_ns)
{
	const struct spe_tid *slot;
	const struct spe_life *leader;
	uint64_t exec_ns;

	if (life->pid <= 0 || life->pid == tid)
		return;
	exec_ns = exec_after(tasks, life->pid, life->start_ns);
	slot = spe_tasks_slot(tasks, life->pid);
	if (exec_ns >= end_ns || !slot)
		return;
	leader = &tasks->lives.items[spe_tasks_life(tasks, slot, exec_ns)];
	if (leader->pid != life->pid ||
	    life->start_ns < (leader->flags & SPE_LIFE_FORKED ? leader->start_ns : leader->from_ns))
		return;
	life->alias_ns = exec_ns;
	if (!(life->flags & SPE_LIFE_EXITED)) /* the id is free from here on */
		life->gone_ns = spe_holes_lost_after(&tasks->holes, exec_ns);
}

static void alias_all(struct spe_tasks *tasks)
{
	if (!tasks->execs.count)
		return;
	qsort(tasks->execs.items, tasks->execs.count, sizeof(*tasks->execs.items), by_pid);
	for (size_t i = 0; i <= tasks->index_mask; i++) {
		const struct spe_tid *slot = &tasks->index[i];
		struct spe_life *life = &tasks->lives.items[slot->first];

		for (uint32_t k = 0; slot->tid && k < slot->count; k++)
			alias(tasks, &life[k], slot->tid,
			      k + 1 < slot->count ? life[k + 1].from_ns : SPE_NEVER);
	}
}

/* ---- what holds whenever -------------------------------------------------- */

static uint32_t last_name(const struct spe_tasks *tasks, uint32_t number)
{
	uint64_t from = 0, to = SPE_NEVER;

	return spe_tasks_life_comm(tasks, number, SPE_NEVER, &from, &to);
}

static void agree(const struct spe_tasks *tasks, struct spe_tid *slot)
{
	bool first = true;

	for (uint32_t i = slot->first; i < slot->first + slot->count; i++) {
		const struct spe_life *life = &tasks->lives.items[i];
		uint32_t comm = last_name(tasks, i);

		if (life->flags & SPE_LIFE_UNSURE)
			continue;
		if (first) {
			slot->pid = life->pid;
			slot->comm = comm;
		}
		if (slot->pid != life->pid)
			slot->pid = -1;
		if (slot->comm != comm)
			slot->comm = SPE_COMM_NONE;
		first = false;
	}
}

int spe_tasks_cut(struct spe_tasks *tasks, uint64_t unseen_from_ns)
{
	tasks->cut = true;
	if (unseen_from_ns == UINT64_MAX)
		return SPE_OK;
	/* as if that CPU's last record had been then */
	return spe_holes_add(&tasks->holes, UNSEEN_CPU, unseen_from_ns, 0, false);
}

int spe_tasks_freeze(struct spe_tasks *tasks)
{
	int status = spe_holes_finish(&tasks->holes, tasks->cut);

	if (!status)
		status = spe_tasks_build_lives(tasks);
	free(tasks->facts.items);
	tasks->facts.items = NULL;
	tasks->facts.count = tasks->facts.room = 0;
	spe_sightings_fini(&tasks->sightings);
	tasks->sightings = (struct spe_sightings){ 0 };
	if (!status)
		status = inherit_all(tasks);
	if (status)
		return status;
	alias_all(tasks);
	for (size_t i = 0; tasks->index && i <= tasks->index_mask; i++)
		if (tasks->index[i].tid)
			agree(tasks, &tasks->index[i]);
	return SPE_OK;
}
