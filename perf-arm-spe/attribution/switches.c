/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking in what records say of switches, and asking. */
#include "switches-private.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

int spe_switches_new(struct spe_switches **switches)
{
	*switches = calloc(1, sizeof(**switches));
	if (!*switches)
		return SPE_NOMEM;
	spe_holes_init(&(*switches)->holes);
	return SPE_OK;
}

static void cpu_free(struct spe_switch_cpu *cpu)
{
	if (!cpu)
		return;
	free(cpu->records.items);
	free(cpu->sched.items);
	free(cpu->by_records.times_ns);
	free(cpu->by_records.owners);
	free(cpu->by_sched.times_ns);
	free(cpu->by_sched.owners);
	free(cpu);
}

void spe_switches_free(struct spe_switches *switches)
{
	if (!switches)
		return;
	for (size_t i = 0; i < switches->cpus.count; i++)
		cpu_free(switches->cpus.items[i]);
	free(switches->cpus.items);
	free(switches->owners.items);
	free(switches->owner_slots);
	spe_holes_fini(&switches->holes);
	free(switches);
}

/* ---- owners: distinct pairs of pid and tid -------------------------------- */

static size_t owner_home(const struct spe_switches *s, int32_t pid, int32_t tid)
{
	uint64_t key = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;

	return (key * 0x9e3779b97f4a7c15u >> 32) & s->owner_mask;
}

static int owners_grow(struct spe_switches *s)
{
	size_t slots = s->owner_slots ? 2 * (s->owner_mask + 1) : 256;
	uint32_t *grown = calloc(slots, sizeof(*grown));

	if (!grown)
		return SPE_NOMEM;
	free(s->owner_slots);
	s->owner_slots = grown;
	s->owner_mask = slots - 1;
	for (size_t i = 0; i < s->owners.count; i++) {
		size_t at = owner_home(s, s->owners.items[i].pid, s->owners.items[i].tid);

		while (grown[at])
			at = (at + 1) & s->owner_mask;
		grown[at] = (uint32_t)i + 1;
	}
	return SPE_OK;
}

/* Number of an owner.  Ids of the dead (-1) are nobody's. */
static int owner_number(struct spe_switches *s, int32_t pid, int32_t tid, uint32_t *number)
{
	struct spe_owner owner = { pid, tid };
	size_t at;
	int status;

	*number = SPE_OWNER_NONE;
	if (tid < 0)
		return SPE_OK;
	if (!s->owner_slots || 2 * s->owners.count > s->owner_mask) {
		status = owners_grow(s);
		if (status)
			return status;
	}
	for (at = owner_home(s, pid, tid); s->owner_slots[at]; at = (at + 1) & s->owner_mask) {
		const struct spe_owner *o = &s->owners.items[s->owner_slots[at] - 1];

		if (o->pid == pid && o->tid == tid) {
			*number = s->owner_slots[at] - 1;
			return SPE_OK;
		}
	}
	status = spe_vec_push(&s->owners, &owner, SPE_OWNER_NONE);
	if (status)
		return status;
	s->owner_slots[at] = (uint32_t)s->owners.count;
	*number = (uint32_t)s->owners.count - 1;
	return SPE_OK;
}

/* ---- records ----------------------------------------------------------------- */

/* The timeline of a CPU, made if new. */
static int cpu_at(struct spe_switches *s, uint32_t number, struct spe_switch_cpu **cpu)
{
	struct spe_switch_cpu *none = NULL;
	int status;

	while (s->cpus.count <= number) {
		status = spe_vec_push(&s->cpus, &none, SPE_LIMIT_CPUS);
		if (status)
			return status;
	}
	*cpu = s->cpus.items[number];
	if (*cpu)
		return SPE_OK;
	*cpu = s->cpus.items[number] = calloc(1, sizeof(**cpu));
	return *cpu ? SPE_OK : SPE_NOMEM;
}

static uint64_t turn_order(uint64_t sequence, enum spe_turn_kind kind)
{
	return sequence << 2 | kind;
}

static int add_switch(struct spe_switches *s, const struct spe_perf_event *event)
{
	enum spe_turn_kind kind = event->u.sw.out ? SPE_TURN_OUT : SPE_TURN_IN;
	struct spe_turn turn = { event->id.time_ns, turn_order(event->sequence, kind),
				 SPE_OWNER_NONE, SPE_OWNER_NONE };
	struct spe_switch_cpu *cpu;
	int status = cpu_at(s, event->id.cpu, &cpu);

	if (!status && event->id.present & SPE_SAMPLE_TID)
		status = owner_number(s, event->id.pid, event->id.tid, &turn.now);
	if (!status && event->u.sw.cpu_wide)
		status = owner_number(s, event->u.sw.next_prev_pid, event->u.sw.next_prev_tid,
				      &turn.other);
	if (!status)
		status = spe_vec_push(&cpu->records, &turn, SPE_LIMIT_SWITCHES);
	if (status)
		return status;
	s->count++;
	s->records++;
	return SPE_OK;
}

/* While an event is throttled its samples (sched_switch hits, too) are not written. */
static int add_break(struct spe_switches *s, uint32_t number, uint64_t time_ns)
{
	struct spe_turn turn = { time_ns, turn_order(UINT64_MAX >> 2, SPE_TURN_BREAK),
				 SPE_OWNER_NONE, SPE_OWNER_NONE };
	struct spe_switch_cpu *cpu;
	int status = cpu_at(s, number, &cpu);

	if (!status)
		status = spe_vec_push(&cpu->records, &turn, SPE_LIMIT_SWITCHES);
	if (!status)
		status = spe_vec_push(&cpu->sched, &turn, SPE_LIMIT_SWITCHES);
	return status;
}

int spe_switches_add(struct spe_switches *switches, const struct spe_perf_event *event)
{
	const uint32_t needs = SPE_SAMPLE_TIME | SPE_SAMPLE_CPU;
	int status;

	/* without a CPU or a time (also: made by perf) there is no place for it */
	if ((event->id.present & needs) != needs || !event->id.time_ns ||
	    event->id.cpu >= SPE_LIMIT_CPUS)
		return SPE_OK;
	status = spe_holes_add(&switches->holes, (int32_t)event->id.cpu, event->id.time_ns,
			       event->sequence, event->type == SPE_PERF_LOST);
	if (status)
		return status;
	if (event->type == SPE_PERF_SWITCH || event->type == SPE_PERF_SWITCH_CPU_WIDE)
		return add_switch(switches, event);
	if (event->type == SPE_PERF_THROTTLE)
		return add_break(switches, event->id.cpu, event->id.time_ns);
	return SPE_OK;
}

int spe_switches_add_sched(struct spe_switches *switches, uint32_t cpu, uint64_t time_ns,
			   int32_t prev_tid, int32_t next_tid)
{
	struct spe_turn turn = { time_ns, 0, SPE_OWNER_NONE, SPE_OWNER_NONE };
	struct spe_switch_cpu *timeline;
	int status;

	if (cpu >= SPE_LIMIT_CPUS || !time_ns)
		return SPE_OK;
	/* no sequence is known; two at one moment are told apart by who they name */
	turn.order = turn_order((uint32_t)prev_tid, SPE_TURN_SCHED);
	status = cpu_at(switches, cpu, &timeline);
	if (!status)
		status = owner_number(switches, prev_tid ? -1 : 0, prev_tid, &turn.now);
	if (!status)
		status = owner_number(switches, next_tid ? -1 : 0, next_tid, &turn.other);
	if (!status)
		status = spe_vec_push(&timeline->sched, &turn, SPE_LIMIT_SWITCHES);
	if (status)
		return status;
	switches->count++;
	switches->scheds++;
	return SPE_OK;
}

void spe_switches_cut(struct spe_switches *switches)
{
	switches->cut = true;
}

int spe_switches_freeze(struct spe_switches *switches)
{
	int status = spe_holes_finish(&switches->holes, switches->cut);

	for (size_t i = 0; !status && i < switches->holes.all.count; i++) {
		const struct spe_hole *hole = &switches->holes.all.items[i];

		status = add_break(switches, (uint32_t)hole->cpu, hole->from_ns);
	}
	for (size_t i = 0; !status && i < switches->cpus.count; i++) {
		struct spe_switch_cpu *cpu = switches->cpus.items[i];

		if (!cpu)
			continue;
		status = spe_changes_build(switches->owners.items, &cpu->records, &cpu->by_records);
		if (!status)
			status = spe_changes_build(switches->owners.items, &cpu->sched,
						   &cpu->by_sched);
	}
	return status;
}

/* ---- asking -------------------------------------------------------------------- */

/* The answer of one witness, narrowing [from, to); SPE_NOT_FOUND: it does not know. */
static int changes_find(const struct spe_switches *s, const struct spe_changes *changes,
			uint8_t evidence, uint64_t time_ns, struct spe_switch_answer *answer)
{
	size_t low = 0, high = changes->count; /* number of changes at or before */
	uint32_t owner;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (changes->times_ns[mid] <= time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && changes->times_ns[low - 1] > answer->from_ns)
		answer->from_ns = changes->times_ns[low - 1];
	if (low < changes->count && changes->times_ns[low] < answer->to_ns)
		answer->to_ns = changes->times_ns[low];
	if (!low)
		return SPE_NOT_FOUND;
	owner = changes->owners[low - 1];
	if ((owner & ~SPE_CHANGE_FLAGS) == SPE_OWNER_NONE)
		return SPE_NOT_FOUND;
	answer->in_window = owner & SPE_CHANGE_WINDOW;
	answer->dying = owner & SPE_CHANGE_DYING;
	owner &= ~SPE_CHANGE_FLAGS;
	answer->pid = s->owners.items[owner].pid;
	answer->tid = s->owners.items[owner].tid;
	answer->evidence = evidence;
	return SPE_OK;
}

int spe_switches_find(const struct spe_switches *switches, int32_t cpu, uint64_t time_ns,
		      struct spe_switch_answer *answer)
{
	const struct spe_switch_cpu *timeline;

	*answer = (struct spe_switch_answer){ .pid = -1, .tid = -1, .to_ns = UINT64_MAX };
	if (cpu < 0 || (size_t)cpu >= switches->cpus.count || !switches->cpus.items[cpu])
		return SPE_NOT_FOUND;
	timeline = switches->cpus.items[cpu];
	if (!changes_find(switches, &timeline->by_records, SPE_EVIDENCE_SWITCH, time_ns, answer))
		return SPE_OK;
	return changes_find(switches, &timeline->by_sched, SPE_EVIDENCE_SCHED, time_ns, answer);
}

size_t spe_switches_count(const struct spe_switches *switches)
{
	return switches->count;
}

bool spe_switches_have(const struct spe_switches *switches, uint8_t evidence)
{
	if (evidence == SPE_EVIDENCE_SWITCH)
		return switches->records;
	return evidence == SPE_EVIDENCE_SCHED && switches->scheds;
}
