/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context -> etm -> switch -> sched -> thread -> none, record by record.  Never the
 * trailer of a system-wide AUX record, which names whoever ran when the buffer
 * was read, and never the owner of the record before.
 */
#include "ladder.h"

static const struct spe_owner nobody = { .to_ns = UINT64_MAX,
					 .pid = -1,
					 .tid = -1,
					 .comm = SPE_COMM_NONE,
					 .evidence = SPE_EVIDENCE_NONE };

static void narrow(struct spe_owner *owner, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns > owner->from_ns)
		owner->from_ns = from_ns;
	if (to_ns < owner->to_ns)
		owner->to_ns = to_ns;
}

static void be_idle(struct spe_owner *owner, uint8_t evidence)
{
	owner->pid = owner->tid = 0;
	owner->comm = 0; /* "swapper" */
	owner->evidence = evidence;
}

/*
 * Of a task whose FORK was lost, with an id that other tasks had before: as
 * long as only processes were forked, an id that was a process's own each time
 * we saw it is a process's own.  The name is another matter.  Where the side-band
 * breaks off, the first thread may have been made after that: no habit then.
 */
static int32_t process_by_habit(const struct spe_recording *recording, int32_t tid)
{
	struct spe_task task;

	if (recording->threads_forked || recording->broken_off ||
	    spe_tasks_find(recording->tasks, tid, false, 0, &task) || task.pid != tid)
		return -1;
	return tid;
}

/* The process a side-band id meant; with clocks that may be off, only if that does not matter. */
static int find_task(const struct spe_recording *recording, int32_t tid, struct spe_moment when,
		     struct spe_task *task)
{
	uint64_t slack = recording->clock.slack_ns;
	int status = spe_tasks_find(recording->tasks, tid, when.timed, when.side_ns, task);
	struct spe_task before, after;

	if (!when.timed || !slack)
		return status;
	if (task->from_ns)
		task->from_ns += slack;
	if (task->to_ns != UINT64_MAX)
		task->to_ns -= slack;
	if (when.side_ns >= task->from_ns && when.side_ns < task->to_ns)
		return status;
	task->from_ns = when.side_ns;
	task->to_ns = when.side_ns + 1;
	spe_tasks_find(recording->tasks, tid, true, when.side_ns - slack, &before);
	spe_tasks_find(recording->tasks, tid, true, when.side_ns + slack, &after);
	return before.pid == after.pid ? status : SPE_NOT_FOUND;
}

/* Name (and, if not known, process) of a thread by its side-band id. */
static void look_up(const struct spe_recording *recording, int32_t tid, struct spe_moment when,
		    struct spe_owner *owner)
{
	struct spe_task task;

	owner->tid = tid;
	if (!find_task(recording, tid, when, &task)) {
		if (owner->pid < 0)
			owner->pid = task.pid;
		if (owner->pid == task.pid) {
			owner->comm = task.comm;
			owner->process = task.process;
		}
	}
	if (owner->pid < 0)
		owner->pid = process_by_habit(recording, tid);
	if (when.timed)
		narrow(owner, task.from_ns, task.to_ns);
}

/* The name sched_switch hits give an initial id, where the side-band has none. */
static void name_by_sched(const struct spe_recording *recording, int32_t id, struct spe_moment when,
			  struct spe_owner *owner)
{
	struct spe_task task;

	if (!recording->sched_tasks || owner->comm != SPE_COMM_NONE)
		return;
	if (!spe_tasks_find(recording->sched_tasks, id, when.timed, when.side_ns, &task) &&
	    task.comm != SPE_COMM_NONE)
		owner->comm = recording->names.of_sched[task.comm];
	if (when.timed)
		narrow(owner, task.from_ns, task.to_ns);
}

/* The thread with this id now: one that execs takes its leader's, unseen by who named it before. */
static void look_up_current(const struct spe_recording *recording, int32_t tid,
			    struct spe_moment when, struct spe_owner *owner)
{
	uint64_t from, to;

	tid = spe_tasks_current_tid(recording->tasks, tid, when.timed, when.side_ns, &from, &to);
	if (when.timed)
		narrow(owner, from, to);
	look_up(recording, tid, when, owner);
}

/* A thread id of the initial namespace: who is it? */
static void resolve_initial_id(const struct spe_recording *recording, uint32_t id,
			       struct spe_moment when, struct spe_owner *owner)
{
	struct spe_idmap_answer mapped;

	if (recording->idmap && spe_idmap_find(recording->idmap, id, when.timed, when.side_ns,
					       recording->tasks, &mapped)) {
		narrow(owner, mapped.from_ns, mapped.to_ns);
		owner->evidence = mapped.outside ? SPE_EVIDENCE_OUTSIDE : SPE_EVIDENCE_MAPPED;
		owner->tid = (int32_t)id;
		if (mapped.outside)
			return;
		owner->pid = mapped.pid;
		look_up(recording, mapped.tid, when, owner);
		return;
	}
	if (recording->idmap)
		narrow(owner, mapped.from_ns, mapped.to_ns);
	if (recording->foreign) { /* a namesake is worse than nothing */
		owner->tid = (int32_t)id;
		return;
	}
	look_up_current(recording, (int32_t)id, when, owner);
}

static void by_initial_id(const struct spe_recording *recording, uint32_t id,
			  struct spe_moment when, struct spe_owner *owner)
{
	resolve_initial_id(recording, id, when, owner);
	name_by_sched(recording, (int32_t)id, when, owner);
}

void spe_owner_by_context(const struct spe_recording *recording, uint32_t context,
			  struct spe_moment when, struct spe_owner *owner)
{
	*owner = nobody;
	owner->evidence = SPE_EVIDENCE_CONTEXT;
	if (!context)
		be_idle(owner, SPE_EVIDENCE_CONTEXT);
	else
		by_initial_id(recording, context, when, owner);
}

/* What the CPU's own ETM/ETE trace says of the moment. */
static bool by_etm(const struct spe_recording *recording, const struct spe_stream *stream,
		   struct spe_moment when, struct spe_owner *owner)
{
	const struct spe_etm_span *span;
	uint64_t from, to;

	if (!recording->etm || !when.timed || stream->info.cpu < 0 || stream->doubtful)
		return false;
	span = spe_etm_timeline_find(recording->etm, stream->info.cpu, when.side_ns, &from, &to);
	narrow(owner, from, to);
	if (!span)
		return false;
	owner->evidence = SPE_EVIDENCE_ETM;
	if (span->tid)
		by_initial_id(recording, span->tid, when, owner);
	else
		be_idle(owner, SPE_EVIDENCE_ETM);
	return true;
}

/* Shrink the span of an answer by how far off the clocks may be; false when nothing is left. */
static bool certain(const struct spe_recording *recording, struct spe_switch_answer *answer,
		    uint64_t side_ns)
{
	uint64_t slack = recording->clock.slack_ns;

	if (!slack)
		return true;
	if (answer->from_ns)
		answer->from_ns += slack;
	if (answer->to_ns != UINT64_MAX)
		answer->to_ns -= slack;
	return side_ns >= answer->from_ns && side_ns < answer->to_ns;
}

/*
 * SWITCH records carry ids of the recorder's namespace, where a task outside
 * is 0 like idle; the tracepoint carries initial ones, as contexts do.
 */
static bool by_switch(const struct spe_recording *recording, const struct spe_stream *stream,
		      struct spe_moment when, struct spe_owner *owner)
{
	struct spe_switch_answer answer = { .from_ns = when.side_ns, .to_ns = when.side_ns + 1 };

	if (!when.timed || stream->info.cpu < 0 || stream->doubtful)
		return false;
	if (spe_switches_find(recording->switches, stream->info.cpu, when.side_ns, &answer)) {
		narrow(owner, answer.from_ns, answer.to_ns);
		return false;
	}
	if (!certain(recording, &answer, when.side_ns)) {
		narrow(owner, when.side_ns, when.side_ns + 1);
		return false;
	}
	narrow(owner, answer.from_ns, answer.to_ns);
	if (answer.evidence == SPE_EVIDENCE_NONE || answer.in_window || answer.tid < 0)
		return false;
	owner->evidence = answer.evidence;
	if (answer.evidence == SPE_EVIDENCE_SCHED) {
		if (answer.tid)
			by_initial_id(recording, (uint32_t)answer.tid, when, owner);
		else
			be_idle(owner, SPE_EVIDENCE_SCHED);
		return true;
	}
	if ((recording->foreign || recording->zero_runs_at_el0) && (!answer.tid || answer.dying)) {
		owner->evidence = SPE_EVIDENCE_NONE;
		return false;
	}
	if (!answer.tid) {
		be_idle(owner, SPE_EVIDENCE_SWITCH);
		return true;
	}
	owner->pid = answer.pid > 0 ? answer.pid : -1;
	look_up_current(recording, answer.tid, when, owner);
	return true;
}

void spe_owner_without_context(const struct spe_recording *recording,
			       const struct spe_stream *stream, struct spe_moment when,
			       struct spe_owner *owner)
{
	*owner = nobody;
	if (by_etm(recording, stream, when, owner) || by_switch(recording, stream, when, owner))
		return;
	if (stream->info.cpu >= 0 || stream->info.tid <= 0 || stream->doubtful)
		return;
	owner->evidence = SPE_EVIDENCE_THREAD;
	look_up_current(recording, stream->info.tid, when, owner);
}
