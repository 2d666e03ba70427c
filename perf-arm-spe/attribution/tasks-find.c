/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the frozen task timeline. */
#include "tasks-private.h"

#define SWAPPER 0u

static void narrow(uint64_t *from_ns, uint64_t *to_ns, uint64_t from, uint64_t to)
{
	if (from > *from_ns)
		*from_ns = from;
	if (to < *to_ns)
		*to_ns = to;
}

uint32_t spe_tasks_life(const struct spe_tasks *tasks, const struct spe_tid *slot, uint64_t time_ns)
{
	const struct spe_life *lives = tasks->lives.items;
	uint32_t low = slot->first, high = slot->first + slot->count;

	/* the last one that begins at or before; the first begins at 0 */
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (lives[mid].from_ns <= time_ns)
			low = mid;
		else
			high = mid;
	}
	return low;
}

uint32_t spe_tasks_life_comm(const struct spe_tasks *tasks, uint32_t life, uint64_t time_ns,
			     uint64_t *from_ns, uint64_t *to_ns)
{
	const struct spe_life *l = &tasks->lives.items[life];
	const struct spe_name *names = tasks->names.items;
	size_t first = l->name_first, low = first;
	size_t end = life + 1u < tasks->lives.count ? l[1].name_first : tasks->names.count;
	size_t high = end;

	while (low < high) { /* number of names at or before */
		size_t mid = low + (high - low) / 2;

		if (names[mid].time_ns <= time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	narrow(from_ns, to_ns, low > first ? names[low - 1].time_ns : 0,
	       low < end ? names[low].time_ns : SPE_NEVER);
	if (low > first)
		return names[low - 1].comm & ~SPE_NAME_EXEC;
	return l->flags & SPE_LIFE_INHERIT ? SPE_COMM_NONE : l->comm;
}

/* Where the answer of a life holds: its own span. */
static void narrow_to_life(const struct spe_tasks *tasks, const struct spe_tid *slot, uint32_t life,
			   uint64_t *from_ns, uint64_t *to_ns)
{
	const struct spe_life *l = &tasks->lives.items[life];
	bool last = life + 1 == slot->first + slot->count;

	narrow(from_ns, to_ns, l->from_ns, last ? SPE_NEVER : l[1].from_ns);
}

uint32_t spe_tasks_leader_comm(const struct spe_tasks *tasks, int32_t pid, uint64_t time_ns,
			       uint64_t *from_ns, uint64_t *to_ns)
{
	const struct spe_tid *slot = spe_tasks_slot(tasks, pid);
	uint32_t life;

	if (!slot)
		return SPE_COMM_NONE;
	life = spe_tasks_life(tasks, slot, time_ns);
	narrow_to_life(tasks, slot, life, from_ns, to_ns);
	if (tasks->lives.items[life].pid != pid)
		return SPE_COMM_NONE;
	return spe_tasks_life_comm(tasks, life, time_ns, from_ns, to_ns);
}

/* Before or from a moment on: narrow to the side time_ns is on, and say which. */
static bool past(uint64_t moment_ns, uint64_t time_ns, uint64_t *from_ns, uint64_t *to_ns)
{
	if (moment_ns == SPE_NEVER || time_ns < moment_ns) {
		narrow(from_ns, to_ns, 0, moment_ns);
		return false;
	}
	narrow(from_ns, to_ns, moment_ns, SPE_NEVER);
	return true;
}

/* Of the process a life belongs to: the number of its leader's life, from 1 on; 0 not known. */
static uint32_t process_number(const struct spe_tasks *tasks, const struct spe_tid *slot,
			       uint32_t life, uint64_t time_ns)
{
	int32_t pid = tasks->lives.items[life].pid;
	uint32_t leader;

	if (pid == slot->tid)
		return life + 1;
	slot = pid > 0 ? spe_tasks_slot(tasks, pid) : NULL;
	if (!slot)
		return 0;
	leader = spe_tasks_life(tasks, slot, time_ns);
	return tasks->lives.items[leader].pid == pid ? leader + 1 : 0;
}

static void find_timed(const struct spe_tasks *tasks, const struct spe_tid *slot, uint64_t time_ns,
		       struct spe_task *task)
{
	uint32_t life = spe_tasks_life(tasks, slot, time_ns);
	const struct spe_life *l = &tasks->lives.items[life];
	bool alias;

	narrow_to_life(tasks, slot, life, &task->from_ns, &task->to_ns);
	if (past(l->gone_ns, time_ns, &task->from_ns, &task->to_ns))
		return;
	alias = past(l->alias_ns, time_ns, &task->from_ns, &task->to_ns);
	task->pid = l->pid;
	if (!alias)
		task->comm =
			spe_tasks_life_comm(tasks, life, time_ns, &task->from_ns, &task->to_ns);
	task->process = process_number(tasks, slot, life, time_ns);
	if (l->pid == slot->tid)
		task->process_comm = task->comm;
	else if (l->pid > 0)
		task->process_comm =
			spe_tasks_leader_comm(tasks, l->pid, time_ns, &task->from_ns, &task->to_ns);
}

static void find_untimed(const struct spe_tasks *tasks, const struct spe_tid *slot,
			 struct spe_task *task)
{
	const struct spe_tid *leader = slot->pid > 0 ? spe_tasks_slot(tasks, slot->pid) : NULL;

	task->pid = slot->pid;
	task->comm = slot->comm;
	task->process_comm = leader && leader->pid == slot->pid ? leader->comm : SPE_COMM_NONE;
	task->process = leader && leader->count == 1 ? leader->first + 1 : 0;
}

int spe_tasks_find(const struct spe_tasks *tasks, int32_t tid, bool has_time, uint64_t time_ns,
		   struct spe_task *task)
{
	const struct spe_tid *slot;

	*task = (struct spe_task){ -1, SPE_COMM_NONE, SPE_COMM_NONE, 0, SPE_NEVER, 0 };
	if (tid == 0) {
		task->pid = 0;
		task->comm = task->process_comm = SWAPPER;
		return SPE_OK;
	}
	slot = spe_tasks_slot(tasks, tid);
	if (!slot)
		return SPE_NOT_FOUND;
	if (!has_time)
		find_untimed(tasks, slot, task);
	else
		find_timed(tasks, slot, time_ns, task);
	if (task->comm == SPE_COMM_NONE)
		task->comm = task->process_comm; /* threads start with their process's name */
	return task->pid > 0 || task->comm != SPE_COMM_NONE ? SPE_OK : SPE_NOT_FOUND;
}

int32_t spe_tasks_current_tid(const struct spe_tasks *tasks, int32_t tid, bool has_time,
			      uint64_t time_ns, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct spe_tid *slot = spe_tasks_slot(tasks, tid);
	const struct spe_life *l;
	uint32_t life;

	*from_ns = 0;
	*to_ns = SPE_NEVER;
	if (!slot || !has_time)
		return tid;
	life = spe_tasks_life(tasks, slot, time_ns);
	l = &tasks->lives.items[life];
	narrow_to_life(tasks, slot, life, from_ns, to_ns);
	if (past(l->gone_ns, time_ns, from_ns, to_ns))
		return tid;
	return past(l->alias_ns, time_ns, from_ns, to_ns) ? l->pid : tid;
}

bool spe_tasks_knows(const struct spe_tasks *tasks, int32_t tid)
{
	return tid == 0 || spe_tasks_slot(tasks, tid);
}

const char *spe_tasks_comm(const struct spe_tasks *tasks, uint32_t comm)
{
	return spe_strings_get(tasks->names_text, comm);
}

size_t spe_tasks_comms(const struct spe_tasks *tasks)
{
	return spe_strings_count(tasks->names_text);
}

size_t spe_tasks_count(const struct spe_tasks *tasks)
{
	return tasks->lives.count;
}
