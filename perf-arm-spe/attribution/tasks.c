/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking in what records say of tasks. */
#include "tasks-private.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_SHIFT 20 /* a millisecond: what is seen again within it adds nothing */
#define FACTS_LIMIT (4 * (size_t)SPE_LIMIT_TASKS)

int spe_tasks_new(struct spe_tasks **tasks)
{
	struct spe_tasks *t = calloc(1, sizeof(*t));
	uint32_t zero;
	int status;

	if (!t)
		return SPE_NOMEM;
	spe_holes_init(&t->holes);
	spe_sightings_init(&t->sightings, SLICE_SHIFT);
	status = spe_strings_new(SPE_LIMIT_COMMS, &t->names_text);
	if (!status)
		status = spe_strings_add(t->names_text, "swapper", 7, &zero);
	if (status) {
		spe_tasks_free(t);
		return status;
	}
	*tasks = t;
	return SPE_OK;
}

void spe_tasks_free(struct spe_tasks *tasks)
{
	if (!tasks)
		return;
	spe_strings_free(tasks->names_text);
	free(tasks->facts.items);
	spe_sightings_fini(&tasks->sightings);
	spe_holes_fini(&tasks->holes);
	free(tasks->lives.items);
	free(tasks->names.items);
	free(tasks->execs.items);
	free(tasks->index);
	free(tasks);
}

static int comm_number(struct spe_tasks *tasks, const char *comm, size_t room, uint32_t *number)
{
	return spe_strings_add(tasks->names_text, comm, strnlen(comm, room), number);
}

/* No Linux has ids above this (PID_MAX_LIMIT); -1 is one that is not known. */
#define ID_MAX (1 << 22)

static bool id_possible(int32_t id)
{
	return id >= -1 && id <= ID_MAX;
}

static int add_seen(struct spe_tasks *tasks, int32_t pid, int32_t tid, uint64_t time_ns,
		    uint32_t comm)
{
	struct spe_sighting seen = { time_ns, tid, pid > 0 ? pid : -1, comm };

	if (tid <= 0 || (pid <= 0 && comm == SPE_SIGHTING_UNNAMED) || !id_possible(tid) ||
	    !id_possible(pid))
		return SPE_OK;
	return spe_sightings_add(&tasks->sightings, &seen);
}

static int add_fact(struct spe_tasks *tasks, struct spe_fact *fact)
{
	if (fact->tid <= 0)
		return SPE_OK;
	if (fact->pid <= 0)
		fact->pid = -1;
	return spe_vec_push(&tasks->facts, fact, FACTS_LIMIT);
}

/* Time of a record, 0 if it has none (or was made by perf to tell what was before). */
static uint64_t time_of(const struct spe_perf_event *event)
{
	return event->id.present & SPE_SAMPLE_TIME ? event->id.time_ns : 0;
}

static struct spe_fact fact_of(const struct spe_perf_event *event, uint8_t kind)
{
	return (struct spe_fact){ .time_ns = time_of(event),
				  .sequence = event->sequence,
				  .kind = kind,
				  .untimed = !(event->id.present & SPE_SAMPLE_TIME) };
}

static int add_comm(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	bool exec = event->misc & SPE_MISC_COMM_EXEC;
	struct spe_fact fact = fact_of(event, exec ? SPE_FACT_EXEC : SPE_FACT_COMM);
	int status;

	fact.pid = event->u.comm.pid;
	fact.tid = event->u.comm.tid;
	if (fact.tid <= 0)
		return SPE_OK;
	status = comm_number(tasks, event->u.comm.comm, SPE_LIMIT_COMM_BYTES, &fact.arg);
	return status ? status : add_fact(tasks, &fact);
}

/* The records' own time is in their body too, for files whose trailers have none. */
static int add_task(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	bool fork = event->type == SPE_PERF_FORK;
	struct spe_fact fact = fact_of(event, fork ? SPE_FACT_FORK : SPE_FACT_EXIT);
	int status;

	if (fact.untimed && event->u.task.time_ns) {
		fact.time_ns = event->u.task.time_ns;
		fact.untimed = false;
	}
	fact.pid = event->u.task.pid;
	fact.tid = event->u.task.tid;
	fact.arg = event->u.task.ptid > 0 ? (uint32_t)event->u.task.ptid : 0;
	status = add_fact(tasks, &fact);
	if (status)
		return status;
	return add_seen(tasks, event->u.task.ppid, event->u.task.ptid, fact.time_ns,
			SPE_SIGHTING_UNNAMED);
}

static int add_mmap(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	return add_seen(tasks, event->u.mmap.pid, event->u.mmap.tid, time_of(event),
			SPE_SIGHTING_UNNAMED);
}

static int add_itrace(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	return add_seen(tasks, event->u.itrace_start.pid, event->u.itrace_start.tid, time_of(event),
			SPE_SIGHTING_UNNAMED);
}

static int add_namespaces(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	return add_seen(tasks, event->u.namespaces.pid, event->u.namespaces.tid, time_of(event),
			SPE_SIGHTING_UNNAMED);
}

/* The other of the two that switched. */
static int add_switch(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	return add_seen(tasks, event->u.sw.next_prev_pid, event->u.sw.next_prev_tid, time_of(event),
			SPE_SIGHTING_UNNAMED);
}

/* The list of what perf was asked to record: thread ids and the names they had then. */
static int add_thread_map(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	enum { ENTRY = 24, NAME = 16 };
	const uint8_t *entry = event->u.thread_map.entries;
	struct spe_fact fact = fact_of(event, SPE_FACT_LISTED);

	for (size_t i = 0; i < event->u.thread_map.count; i++, entry += ENTRY) {
		char name[NAME + 1] = { 0 };
		uint64_t tid;
		int status;

		memcpy(&tid, entry, sizeof(tid));
		memcpy(name, entry + sizeof(tid), NAME);
		if (!tid || tid > ID_MAX)
			continue;
		fact.tid = (int32_t)tid;
		fact.pid = -1;
		fact.arg = SPE_COMM_NONE;
		status = name[0] ? comm_number(tasks, name, NAME, &fact.arg) : SPE_OK;
		if (!status)
			status = add_fact(tasks, &fact);
		if (status)
			return status;
	}
	return SPE_OK;
}

static const struct {
	uint32_t type;
	int (*add)(struct spe_tasks *tasks, const struct spe_perf_event *event);
} readers[] = {
	{ SPE_PERF_COMM, add_comm },
	{ SPE_PERF_FORK, add_task },
	{ SPE_PERF_EXIT, add_task },
	{ SPE_PERF_MMAP, add_mmap },
	{ SPE_PERF_MMAP2, add_mmap },
	{ SPE_PERF_ITRACE_START, add_itrace },
	{ SPE_PERF_NAMESPACES, add_namespaces },
	{ SPE_PERF_SWITCH_CPU_WIDE, add_switch },
	{ SPE_PERF_THREAD_MAP, add_thread_map },
};

static int add_body(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i].type == event->type)
			return readers[i].add(tasks, event);
	return SPE_OK;
}

static int add_hole_mark(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	uint64_t time_ns = time_of(event);
	int32_t cpu = event->id.present & SPE_SAMPLE_CPU ? (int32_t)event->id.cpu : -1;

	if (!time_ns)
		return SPE_OK;
	return spe_holes_add(&tasks->holes, cpu, time_ns, event->sequence,
			     event->type == SPE_PERF_LOST);
}

bool spe_tasks_possible(const struct spe_perf_event *event)
{
	const struct spe_perf_id *id = &event->id;
	bool trailer =
		!(id->present & SPE_SAMPLE_TID) || (id_possible(id->pid) && id_possible(id->tid));

	switch (event->type) {
	case SPE_PERF_COMM:
		return trailer && id_possible(event->u.comm.pid) && id_possible(event->u.comm.tid);
	case SPE_PERF_FORK:
	case SPE_PERF_EXIT:
		return trailer && id_possible(event->u.task.pid) &&
		       id_possible(event->u.task.tid) && id_possible(event->u.task.ppid) &&
		       id_possible(event->u.task.ptid);
	case SPE_PERF_MMAP:
	case SPE_PERF_MMAP2:
		return trailer && id_possible(event->u.mmap.pid) && id_possible(event->u.mmap.tid);
	case SPE_PERF_SWITCH:
		return trailer;
	case SPE_PERF_SWITCH_CPU_WIDE:
		return trailer && id_possible(event->u.sw.next_prev_pid) &&
		       id_possible(event->u.sw.next_prev_tid);
	default:
		return true;
	}
}

int spe_tasks_add(struct spe_tasks *tasks, const struct spe_perf_event *event)
{
	int status = add_body(tasks, event);

	if (!status)
		status = add_hole_mark(tasks, event);
	if (!status && event->id.present & SPE_SAMPLE_TID)
		status = add_seen(tasks, event->id.pid, event->id.tid, time_of(event),
				  SPE_SIGHTING_UNNAMED);
	return status;
}

int spe_tasks_add_pair(struct spe_tasks *tasks, int32_t pid, int32_t tid, bool has_time,
		       uint64_t time_ns, const char *comm)
{
	uint32_t number = SPE_SIGHTING_UNNAMED;
	int status = SPE_OK;

	if (tid <= 0)
		return SPE_OK;
	if (comm && comm[0])
		status = comm_number(tasks, comm, SPE_LIMIT_COMM_BYTES, &number);
	return status ? status : add_seen(tasks, pid, tid, has_time ? time_ns : 0, number);
}
