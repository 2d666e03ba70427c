/* SPDX-License-Identifier: GPL-2.0-only */
/* Side-band records by hand, for the tests of the timelines. */
#ifndef TEST_ATTRIBUTION_EVENTS_H
#define TEST_ATTRIBUTION_EVENTS_H

#include <perf-arm-spe/perfdata.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 64

/* A recording in the making; records get their sequence in the order they are made. */
struct events {
	struct spe_perf_event all[EVENTS_MAX];
	size_t count;
	uint32_t cpu;  /* of records made from now on */
	bool untimed;  /* ... which have no time in their trailer */
	bool trailers; /* off: no trailer at all */
};

static inline struct spe_perf_event *event_new(struct events *e, uint32_t type, uint64_t time_ns,
					       int32_t pid, int32_t tid)
{
	struct spe_perf_event *event = &e->all[e->count];

	*event = (struct spe_perf_event){ .type = type, .sequence = e->count++, .attr_index = 0 };
	event->id.present = SPE_SAMPLE_TID | SPE_SAMPLE_CPU | (e->untimed ? 0 : SPE_SAMPLE_TIME);
	if (!time_ns && !e->untimed) /* made by perf: the trailer is all zero */
		return event;
	event->id.cpu = e->cpu;
	event->id.pid = pid;
	event->id.tid = tid;
	event->id.time_ns = time_ns;
	return event;
}

static inline void event_comm(struct events *e, uint64_t t, int32_t pid, int32_t tid,
			      const char *comm)
{
	event_new(e, SPE_PERF_COMM, t, pid, tid)->u.comm.comm = comm;
	e->all[e->count - 1].u.comm.pid = pid;
	e->all[e->count - 1].u.comm.tid = tid;
}

static inline void event_exec(struct events *e, uint64_t t, int32_t pid, const char *comm)
{
	event_comm(e, t, pid, pid, comm);
	e->all[e->count - 1].misc = SPE_MISC_COMM_EXEC;
}

/* The record of a new task; the trailer is its parent's. */
static inline struct spe_perf_event *event_fork(struct events *e, uint64_t t, int32_t pid,
						int32_t tid, int32_t ppid, int32_t ptid)
{
	struct spe_perf_event *event = event_new(e, SPE_PERF_FORK, t, ppid, ptid);

	event->u.task.pid = pid;
	event->u.task.tid = tid;
	event->u.task.ppid = ppid;
	event->u.task.ptid = ptid;
	event->u.task.time_ns = t;
	return event;
}

static inline struct spe_perf_event *event_exit(struct events *e, uint64_t t, int32_t pid,
						int32_t tid)
{
	struct spe_perf_event *event = event_new(e, SPE_PERF_EXIT, t, pid, tid);

	event->u.task.pid = pid;
	event->u.task.tid = tid;
	event->u.task.ppid = event->u.task.ptid = -1;
	event->u.task.time_ns = t;
	return event;
}

static inline void event_mmap(struct events *e, uint64_t t, int32_t pid, int32_t tid)
{
	struct spe_perf_event *event = event_new(e, SPE_PERF_MMAP2, t, pid, tid);

	event->u.mmap.pid = pid;
	event->u.mmap.tid = tid;
	event->u.mmap.filename = "/bin/true";
}

/* Nothing but a trailer that shows who ran. */
static inline void event_seen(struct events *e, uint64_t t, int32_t pid, int32_t tid)
{
	event_new(e, SPE_PERF_AUX, t, pid, tid);
}

static inline void event_lost(struct events *e, uint64_t t, int32_t pid, int32_t tid)
{
	event_new(e, SPE_PERF_LOST, t, pid, tid)->u.lost.lost = 1;
}

static inline void event_switch(struct events *e, uint64_t t, bool out, int32_t pid, int32_t tid,
				int32_t other_pid, int32_t other_tid)
{
	struct spe_perf_event *event = event_new(e, SPE_PERF_SWITCH_CPU_WIDE, t, pid, tid);

	event->misc = out ? SPE_MISC_SWITCH_OUT : 0;
	event->u.sw.out = out;
	event->u.sw.cpu_wide = true;
	event->u.sw.next_prev_pid = other_pid;
	event->u.sw.next_prev_tid = other_tid;
}

/* The rounds a test feeds its records in: as made, backwards, then at random. */
#define EVENT_ORDERS 12

static inline void events_order(const struct events *e, unsigned round, size_t *order)
{
	uint32_t random = round * 2654435761u + 1;

	for (size_t i = 0; i < e->count; i++)
		order[i] = round == 1 ? e->count - 1 - i : i;
	for (size_t i = e->count; round > 1 && i > 1; i--) {
		size_t k, keep;

		random = random * 1664525u + 1013904223u;
		k = (random >> 8) % i;
		keep = order[i - 1];
		order[i - 1] = order[k];
		order[k] = keep;
	}
}

#endif
