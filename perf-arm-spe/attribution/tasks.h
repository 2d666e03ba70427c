/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task timeline: which process a thread id meant at a time, and its name.
 *
 * Fed with side-band records in any order during pass 1, then frozen: from
 * there on it never changes and may be asked from any thread.  All times are
 * side-band times; the caller converts.
 */
#ifndef SPE_ATTRIBUTION_TASKS_H
#define SPE_ATTRIBUTION_TASKS_H

#include <perf-arm-spe/attribution.h>

struct spe_tasks;

/* SPE_OK or SPE_NOMEM. */
int spe_tasks_new(struct spe_tasks **tasks);
void spe_tasks_free(struct spe_tasks *tasks);
/*
 * Take what a record says of tasks: COMM, FORK, EXIT, MMAP/MMAP2, THREAD_MAP,
 * ITRACE_START, SWITCH_CPU_WIDE, NAMESPACES, LOST (its time makes later matches
 * of exited tasks unknown), and any record's trailer (pid/tid pair at its
 * time); the time of every record bounds what a LOST may mean, so feed it all.  SPE_OK, SPE_NOMEM,
 * SPE_LIMIT.
 */
int spe_tasks_add(struct spe_tasks *tasks, const struct spe_perf_event *event);
/* Could a kernel have written the ids in this record of tasks?  True of other records. */
bool spe_tasks_possible(const struct spe_perf_event *event);
/* Also usable by other witnesses: at time_ns (has_time) tid belonged to pid, named comm (or NULL).
 */
int spe_tasks_add_pair(struct spe_tasks *tasks, int32_t pid, int32_t tid, bool has_time,
		       uint64_t time_ns, const char *comm);
/*
 * The records break off: whoever had exited by then may have been followed.  Some CPU has
 * written none yet, and may have had some from unseen_from_ns on; UINT64_MAX: none has.
 * Before freezing.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_tasks_cut(struct spe_tasks *tasks, uint64_t unseen_from_ns);
/* No more records: sort and resolve. SPE_OK, SPE_NOMEM. */
int spe_tasks_freeze(struct spe_tasks *tasks);
/*
 * As spe_recording_task(); times are side-band times.  *task is filled either
 * way: SPE_NOT_FOUND means that neither process nor name is known over its span.
 */
int spe_tasks_find(const struct spe_tasks *tasks, int32_t tid, bool has_time, uint64_t time_ns,
		   struct spe_task *task);
/*
 * After a non-leader exec the old id stays in CONTEXTIDR until the next switch:
 * which thread id does a context value `tid` mean at time_ns?  Itself, or the
 * leader's.  [*from_ns, *to_ns) is where the answer holds.
 */
int32_t spe_tasks_current_tid(const struct spe_tasks *tasks, int32_t tid, bool has_time,
			      uint64_t time_ns, uint64_t *from_ns, uint64_t *to_ns);
bool spe_tasks_knows(const struct spe_tasks *tasks, int32_t tid);
/* Names: number -> text. Number 0 is always "swapper". */
const char *spe_tasks_comm(const struct spe_tasks *tasks, uint32_t comm);
size_t spe_tasks_comms(const struct spe_tasks *tasks);
size_t spe_tasks_count(const struct spe_tasks *tasks);

#endif
