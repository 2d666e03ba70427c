/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: whose sample it is. */
#include "keys-private.h"

#include <stdio.h>

/* ":999": a thread nobody named, as perf writes it. */
static void cell_tid(struct spe_cell *cell, int32_t tid)
{
	cell->kind = SPE_CELL_TEXT;
	snprintf(cell->text, sizeof(cell->text), ":%d", tid);
}

static void cell_comm(struct spe_cell *cell, const struct spe_recording *recording, uint32_t comm,
		      int32_t id)
{
	const char *name = spe_recording_comm(recording, comm);

	if (name)
		spe_cell_text(cell, name);
	else if (id == 0)
		spe_cell_text(cell, "swapper");
	else
		cell_tid(cell, id);
}

static uint64_t unresolved_value(int32_t tid)
{
	return tid >= 0 ? UNRESOLVED | (uint32_t)tid : NOBODY;
}

FILL(pid, s->pid >= 0 ? OF_PROCESS(s->pid, s->process) : unresolved_value(s->tid))
FILL(tid, s->tid >= 0 ? OF_PROCESS(s->tid, s->process) : NOBODY)
FILL(comm, s->comm != SPE_COMM_NONE ? s->comm : unresolved_value(s->tid))

/* Is it the same thread of the same process?  Then no key tells the two apart. */
static inline bool is_same_thread(const struct spe_sample *s, const struct spe_sample *t)
{
	uint64_t of_s, of_t;

	_Static_assert(offsetof(struct spe_sample, tid) == offsetof(struct spe_sample, pid) + 4,
		       "the two are neighbours");
	memcpy(&of_s, &s->pid, sizeof(of_s));
	memcpy(&of_t, &t->pid, sizeof(of_t));
	return of_s == of_t && s->process == t->process && s->comm == t->comm;
}

#define RUN(name, same)                                                                            \
	static size_t name##_run(const struct spe_sample *samples, size_t count)                   \
	{                                                                                          \
		const struct spe_sample first = samples[0];                                        \
		size_t i = 1;                                                                      \
                                                                                                   \
		for (; i < count; i++) {                                                           \
			const struct spe_sample *s = &samples[i];                                  \
                                                                                                   \
			if (!is_same_thread(s, &first) && !(same))                                 \
				break;                                                             \
		}                                                                                  \
		return i;                                                                          \
	}

/* What most reports sort by; a thread has one process and one name at a time, mostly. */
RUN(pid, s->pid == first.pid && s->process == first.process && (s->pid >= 0 || s->tid == first.tid))
RUN(tid, s->tid == first.tid && s->process == first.process)
RUN(comm, s->comm == first.comm && (s->comm != SPE_COMM_NONE || s->tid == first.tid))

static void id_cell(const struct spe_value *v, struct spe_cell *cell)
{
	v->value < UNRESOLVED ? spe_cell_number(cell, ID_OF(v->value)) : spe_cell_none(cell);
}

/* The name of a process when its latest sample was taken. */
static uint32_t process_comm(const struct spe_value *v, int32_t pid)
{
	const struct spe_recording *recording = v->context->recording;
	const struct spe_latest *at = &v->row->latest;
	struct spe_task task;

	if (at->tid >= 0 &&
	    spe_recording_task(recording, at->tid, at->has_ns, at->ns, &task) == SPE_OK &&
	    task.pid == pid && task.process_comm != SPE_COMM_NONE)
		return task.process_comm;
	if (spe_recording_task(recording, pid, at->has_ns, at->ns, &task) == SPE_OK &&
	    task.pid == pid)
		return task.comm;
	return SPE_COMM_NONE;
}

static void process_cell(const struct spe_value *v, struct spe_cell *cell)
{
	int32_t pid = ID_OF(v->value);

	if (v->value == NOBODY)
		spe_cell_text(cell, NOBODY_TEXT);
	else if (v->value & UNRESOLVED)
		cell_tid(cell, (int32_t)(uint32_t)v->value);
	else
		cell_comm(cell, v->context->recording, process_comm(v, pid), pid);
}

static void thread_cell(const struct spe_value *v, struct spe_cell *cell)
{
	if (v->value == NOBODY)
		spe_cell_text(cell, NOBODY_TEXT);
	else
		cell_comm(cell, v->context->recording, v->row->latest.comm - 1, ID_OF(v->value));
}

static void comm_cell(const struct spe_value *v, struct spe_cell *cell)
{
	if (v->value == NOBODY)
		spe_cell_text(cell, NOBODY_TEXT);
	else if (v->value & UNRESOLVED)
		cell_tid(cell, (int32_t)(uint32_t)v->value);
	else
		cell_comm(cell, v->context->recording, (uint32_t)v->value, -1);
}

/* perf's "Pid:Command": the number in seven columns, the name. */
static size_t id_text(const struct spe_value *v,
		      void (*name)(const struct spe_value *, struct spe_cell *), char *to,
		      size_t room)
{
	struct spe_cell cell;
	char *at = spe_put_signed_pad(to, v->value < UNRESOLVED ? ID_OF(v->value) : -1, 7);

	*at++ = ':';
	name(v, &cell);
	return (size_t)(at - to) + spe_name_escape(at, room - (size_t)(at - to), cell.text);
}

static size_t pid_text(const struct spe_value *v, char *to, size_t room)
{
	return id_text(v, process_cell, to, room);
}

static size_t tid_text(const struct spe_value *v, char *to, size_t room)
{
	return id_text(v, thread_cell, to, room);
}

#define PROCESS_KEY                                                                                \
	.header = "    Pid:Command", .field = "pid", .name_field = "process", .latest = true,      \
	.fill = pid_fill, .run = pid_run, .cell = id_cell, .name_cell = process_cell,              \
	.text = pid_text

const struct spe_key spe_keys_who[] = {
	{ .name = "pid", .help = "process (perf's own pid key shows threads)", PROCESS_KEY },
	{ .name = "tgid", .help = "same as pid", .alias = true, PROCESS_KEY },
	{ .name = "tid",
	  .header = "    Tid:Command",
	  .help = "thread",
	  .field = "tid",
	  .name_field = "thread",
	  .latest = true,
	  .names = true,
	  .fill = tid_fill,
	  .run = tid_run,
	  .cell = id_cell,
	  .name_cell = thread_cell,
	  .text = tid_text },
	{ .name = "comm",
	  .header = "Command",
	  .help = "name of the thread when it was sampled",
	  .field = "comm",
	  .names = true,
	  .fill = comm_fill,
	  .run = comm_run,
	  .cell = comm_cell },
	{ .name = NULL },
};
