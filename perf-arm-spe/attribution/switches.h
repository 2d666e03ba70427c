/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switch timelines, one per CPU: who was current, as PERF_RECORD_SWITCH,
 * SWITCH_CPU_WIDE and sched:sched_switch samples tell it.  Fed in any order,
 * then frozen; asked by time, never moved along with a cursor.
 */
#ifndef SPE_ATTRIBUTION_SWITCHES_H
#define SPE_ATTRIBUTION_SWITCHES_H

#include <perf-arm-spe/attribution.h>

struct spe_switches;

/* SPE_OK or SPE_NOMEM. */
int spe_switches_new(struct spe_switches **switches);
void spe_switches_free(struct spe_switches *switches);
/*
 * Take SWITCH, SWITCH_CPU_WIDE, LOST, THROTTLE, and for holes the time of any
 * other record of that CPU: feed it all, SAMPLE too.  Records without CPU or
 * time are let pass.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_switches_add(struct spe_switches *switches, const struct spe_perf_event *event);
/*
 * A sched_switch tracepoint hit (besides feeding its SAMPLE); only of an event
 * that writes every hit: sample_period 1 and no frequency (flag bit 10), since a
 * selection of switches is no timeline.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_switches_add_sched(struct spe_switches *switches, uint32_t cpu, uint64_t time_ns,
			   int32_t prev_tid, int32_t next_tid);
/*
 * The recorder did not finish, or the file is cut: the trace may go on where
 * the side-band ends, so nothing is told past a CPU's last record.  Call before
 * _freeze().
 */
void spe_switches_cut(struct spe_switches *switches);
/* No more records. SPE_OK, SPE_NOMEM. */
int spe_switches_freeze(struct spe_switches *switches);
/*
 * As spe_recording_switch(), in side-band time.  From a switch-out on the next
 * task owns; until its switch-in the answer is in_window, where CONTEXTIDR may
 * still name the one before.  After an exec by a thread that is not the leader the
 * answer keeps the old id: put it through spe_tasks_current_tid(), as a context.  pid is -1 where
 * only sched_switch tells.  SPE_OK or SPE_NOT_FOUND (nothing known: pid and tid -1, and the span
 * this holds for).
 */
int spe_switches_find(const struct spe_switches *switches, int32_t cpu, uint64_t time_ns,
		      struct spe_switch_answer *answer);
size_t spe_switches_count(const struct spe_switches *switches);
bool spe_switches_have(const struct spe_switches *switches, uint8_t evidence);

/*
 * sched_switch formats out of a file's tracing data, through libtraceevent.
 * _new parses the TRACING_DATA blob (perf's tracing data as feature section or
 * record body); SPE_UNSUPPORTED without libtraceevent, SPE_NOT_FOUND when it
 * has no sched:sched_switch, SPE_CORRUPT, SPE_NOMEM.
 */
struct spe_sched;
int spe_sched_new(const uint8_t *bytes, size_t n, struct spe_sched **sched);
void spe_sched_free(struct spe_sched *sched);
/* The tracepoint id (attr.config of events of type PERF_TYPE_TRACEPOINT). */
uint64_t spe_sched_id(const struct spe_sched *sched);
/* What one raw sample says. SPE_OK or SPE_CORRUPT. */
struct spe_sched_switch {
	int32_t prev_tid, next_tid;
	char prev_comm[17], next_comm[17];
};
int spe_sched_read(const struct spe_sched *sched, const uint8_t *raw, size_t n,
		   struct spe_sched_switch *out);

#endif
