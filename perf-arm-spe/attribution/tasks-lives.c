/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From facts and sightings to lives: walk each thread id's own in order of
 * time, and decide at each whether it speaks of the same task still.
 */
#include "tasks-private.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* A task that has exited still runs for a moment (the rest of do_exit). */
#define EXIT_TAIL_NS 1000000u
/* Rings of different CPUs are stamped by clocks that agree to better than this. */
#define SKEW_NS 1000000u

/* The thread id being walked. */
struct walk {
	struct spe_tasks *tasks;
	int32_t tid;
	uint32_t first;       /* its first life */
	bool alive;           /* there is a current life: the last one */
	uint32_t name_number; /* last name pushed for the current life */
};

static int by_sequence(const void *pa, const void *pb)
{
	const struct spe_fact *a = pa, *b = pb;

	SPE_ORDER(a->tid, b->tid);
	SPE_ORDER(a->sequence, b->sequence);
	SPE_ORDER(a->kind, b->kind);
	SPE_ORDER(a->arg, b->arg);
	return 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct spe_fact *a = pa, *b = pb;

	SPE_ORDER(a->tid, b->tid);
	SPE_ORDER(a->time_ns, b->time_ns);
	SPE_ORDER(a->sequence, b->sequence);
	SPE_ORDER(a->kind, b->kind);
	SPE_ORDER(a->arg, b->arg);
	return 0;
}

/*
 * Records without a time (only FORK and EXIT have one in their body) stand in
 * their ring after what happened before them.
 */
static void place_untimed(struct spe_fact *facts, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n && !any; i++)
		any = facts[i].untimed && facts[i].kind != SPE_FACT_LISTED;
	if (!any)
		return;
	qsort(facts, n, sizeof(*facts), by_sequence);
	for (size_t i = 1; i < n; i++)
		if (facts[i].untimed && facts[i].kind != SPE_FACT_LISTED &&
		    facts[i].tid == facts[i - 1].tid)
			facts[i].time_ns = facts[i - 1].time_ns;
}

static struct spe_life *current(const struct walk *w)
{
	return w->alive ? &w->tasks->lives.items[w->tasks->lives.count - 1] : NULL;
}

static int push_life(struct walk *w, uint64_t from_ns, uint64_t start_ns, int32_t pid,
		     uint32_t flags)
{
	struct spe_life life = {
		.from_ns = w->tasks->lives.count == w->first ? 0 : from_ns,
		.start_ns = start_ns,
		.end_ns = start_ns,
		.alias_ns = SPE_NEVER,
		.gone_ns = SPE_NEVER,
		.pid = pid,
		.comm = SPE_COMM_NONE,
		.name_first = (uint32_t)w->tasks->names.count,
		.flags = flags,
	};

	w->alive = true;
	w->name_number = SPE_COMM_NONE;
	return spe_vec_push(&w->tasks->lives, &life, SPE_LIMIT_TASKS);
}

/* For the time it takes to die, an id is nobody else's. */
static uint64_t gone_from(const struct spe_tasks *tasks, const struct spe_life *life)
{
	uint64_t lost = spe_holes_lost_after(&tasks->holes, life->end_ns);

	return tasks->cut && lost - life->end_ns < EXIT_TAIL_NS ? life->end_ns + EXIT_TAIL_NS
								: lost;
}

/* The current life is over as far as we know: a LOST after its EXIT ends our faith in it. */
static void close_life(struct walk *w)
{
	struct spe_life *life = current(w);

	if (life && life->flags & SPE_LIFE_EXITED)
		life->gone_ns = gone_from(w->tasks, life);
}

/*
 * A life whose FORK we did not see, first seen at time_ns: it began in one of
 * the holes before.  Where the one before it is known to have ended it has the id
 * from the first hole on; else nobody knows who had it between the first and the last.
 */
static int begin_unforked(struct walk *w, uint64_t time_ns, int32_t pid)
{
	struct spe_life *before = current(w);
	uint64_t first, last, tail;
	int status;

	close_life(w);
	if (!before || !spe_holes_between(&w->tasks->holes, before->end_ns, time_ns, &first, &last))
		return push_life(w, time_ns, time_ns, pid, 0);
	if (before->flags & SPE_LIFE_EXITED) {
		tail = before->end_ns + EXIT_TAIL_NS;
		if (first < tail)
			first = tail < time_ns ? tail : time_ns;
		return push_life(w, first, time_ns, pid, 0);
	}
	if (first < last) {
		status = push_life(w, first, first, -1, SPE_LIFE_UNSURE);
		if (status)
			return status;
	}
	return push_life(w, last, time_ns, pid, 0);
}

/* A record of the life before, from another CPU's ring, with a time just after the FORK. */
static bool is_skew(const struct walk *w, const struct spe_life *life, uint64_t time_ns,
		    int32_t pid)
{
	if (!(life->flags & SPE_LIFE_FORKED) || w->tasks->lives.count - w->first < 2)
		return false;
	return time_ns - life->start_ns < SKEW_NS && life[-1].pid == pid;
}

/*
 * The id was seen with a process (or -1: just seen).  Is it still the task we
 * think?  *taken is false when the sight tells nothing.
 */
static int seen(struct walk *w, uint64_t time_ns, int32_t pid, bool inferred, bool *taken)
{
	struct spe_life *life = current(w);
	bool other, reborn;

	*taken = true;
	if (!life)
		return push_life(w, 0, time_ns, pid, 0);
	other = pid > 0 && life->pid > 0 && pid != life->pid;
	reborn = !inferred && life->flags & SPE_LIFE_EXITED &&
		 time_ns - life->end_ns > EXIT_TAIL_NS &&
		 spe_holes_lost_after(&w->tasks->holes, life->end_ns) <= time_ns;
	if (other && is_skew(w, life, time_ns, pid)) {
		*taken = false;
		return SPE_OK;
	}
	if (other || reborn)
		return begin_unforked(w, time_ns, pid);
	if (life->pid <= 0)
		life->pid = pid;
	if (!inferred)
		life->end_ns = time_ns;
	return SPE_OK;
}

static int push_name(struct walk *w, uint64_t time_ns, uint32_t comm, bool exec)
{
	struct spe_name name = { time_ns, comm | (exec ? SPE_NAME_EXEC : 0) };

	if (comm == w->name_number)
		return SPE_OK;
	w->name_number = comm;
	return spe_vec_push(&w->tasks->names, &name, UINT32_MAX - 1);
}

static int take_fork(struct walk *w, const struct spe_fact *fact)
{
	struct spe_life *life;
	bool taken;
	int status;

	if (!fact->time_ns) /* one of the set made for what was before: no order in it */
		status = seen(w, 0, fact->pid, false, &taken);
	else {
		close_life(w);
		status = push_life(w, fact->time_ns, fact->time_ns, fact->pid, SPE_LIFE_FORKED);
	}
	life = current(w);
	if (status || life->flags & SPE_LIFE_INHERIT || !fact->arg)
		return status;
	if (life->comm == SPE_COMM_NONE) {
		life->comm = fact->arg;
		life->flags |= SPE_LIFE_INHERIT;
	}
	return SPE_OK;
}

static int take_exec(struct walk *w, const struct spe_fact *fact)
{
	struct spe_exec exec = { fact->pid, fact->time_ns };
	bool taken;
	int status = seen(w, fact->time_ns, fact->pid, false, &taken);

	if (status || !taken)
		return status;
	/* A leader that exited and then executes a program was another thread of its process. */
	current(w)->flags &= ~(uint32_t)SPE_LIFE_EXITED;
	status = push_name(w, fact->time_ns, fact->arg, true);
	if (status || fact->pid <= 0 || !fact->time_ns)
		return status;
	return spe_vec_push(&w->tasks->execs, &exec, 4 * (size_t)SPE_LIMIT_TASKS);
}

static int take_comm(struct walk *w, const struct spe_fact *fact)
{
	bool taken;
	int status = seen(w, fact->time_ns, fact->pid, false, &taken);

	if (status || !taken)
		return status;
	return push_name(w, fact->time_ns, fact->arg, false);
}

static int take_exit(struct walk *w, const struct spe_fact *fact)
{
	bool taken;
	int status = seen(w, fact->time_ns, fact->pid, false, &taken);

	if (!status && taken)
		current(w)->flags |= SPE_LIFE_EXITED;
	return status;
}

/* perf read the name before anything else: good only where no record tells one. */
static int take_listed(struct walk *w, const struct spe_fact *fact)
{
	bool taken;
	int status = seen(w, fact->time_ns, fact->pid, true, &taken);
	struct spe_life *life = current(w);

	if (status || fact->arg == SPE_COMM_NONE)
		return status;
	life->comm = fact->arg;
	life->flags &= ~(uint32_t)SPE_LIFE_INHERIT;
	return SPE_OK;
}

static int (*const take_fact[])(struct walk *w, const struct spe_fact *fact) = {
	[SPE_FACT_FORK] = take_fork, [SPE_FACT_COMM] = take_comm,     [SPE_FACT_EXEC] = take_exec,
	[SPE_FACT_EXIT] = take_exit, [SPE_FACT_LISTED] = take_listed,
};

static int take_sighting(struct walk *w, const struct spe_sighting *s)
{
	bool taken;
	int status = seen(w, s->time_ns, s->pid, s->comm == SPE_SIGHTING_INFERRED, &taken);

	if (status || !taken || s->comm >= SPE_SIGHTING_INFERRED)
		return status;
	return push_name(w, s->time_ns, s->comm, false);
}

/* A name that came without exec was there before it was told, as far as we know. */
static void name_backwards(struct spe_tasks *tasks, uint32_t first)
{
	for (uint32_t i = first; i < tasks->lives.count; i++) {
		struct spe_life *life = &tasks->lives.items[i];
		size_t end = i + 1 < tasks->lives.count ? life[1].name_first : tasks->names.count;
		uint32_t name;

		if (life->comm != SPE_COMM_NONE || life->name_first >= end)
			continue;
		name = tasks->names.items[life->name_first].comm;
		if (!(name & SPE_NAME_EXEC))
			life->comm = name;
	}
}

/* Facts f[0..nf) and sightings s[0..ns) of one thread id, both in order of time. */
static int walk_tid(struct walk *w, const struct spe_fact *f, size_t nf,
		    const struct spe_sighting *s, size_t ns)
{
	size_t i = 0, k = 0;
	int status = SPE_OK;

	while (!status && (i < nf || k < ns)) {
		if (i < nf && (k == ns || f[i].time_ns <= s[k].time_ns)) {
			status = take_fact[f[i].kind](w, &f[i]);
			i++;
		} else {
			status = take_sighting(w, &s[k++]);
		}
	}
	if (status)
		return status;
	close_life(w);
	name_backwards(w->tasks, w->first);
	return spe_tasks_index_add(w->tasks, w->tid, w->first,
				   (uint32_t)w->tasks->lives.count - w->first);
}

static void sort_facts(struct spe_tasks *tasks)
{
	if (!tasks->facts.count)
		return;
	place_untimed(tasks->facts.items, tasks->facts.count);
	qsort(tasks->facts.items, tasks->facts.count, sizeof(*tasks->facts.items), by_time);
}

/* Inferred sightings only matter where nothing else is known: slices of 4 s. */
#define INFERRED_SHIFT 32

static int infer(struct spe_sightings *inferred, int32_t pid, int32_t tid, uint64_t time_ns)
{
	struct spe_sighting seen = { time_ns, pid, pid, SPE_SIGHTING_INFERRED };

	if (pid <= 0 || pid == tid)
		return SPE_OK;
	return spe_sightings_add(inferred, &seen);
}

/*
 * A thread that was seen shows its process to be alive, so that the leader's
 * id cannot be anybody else's then.
 */
static int infer_leaders(struct spe_tasks *tasks, struct spe_sightings *inferred)
{
	int status = SPE_OK;

	for (size_t i = 0; !status && i < tasks->facts.count; i++) {
		const struct spe_fact *f = &tasks->facts.items[i];

		status = infer(inferred, f->pid, f->tid, f->time_ns);
	}
	for (size_t i = 0; !status && i < tasks->sightings.spans.count; i++) {
		const struct spe_sight_span *span = &tasks->sightings.spans.items[i];

		status = infer(inferred, span->pid, span->tid, span->first_ns);
		if (!status)
			status = infer(inferred, span->pid, span->tid, span->last_ns);
	}
	for (size_t i = 0; !status && i < inferred->spans.count; i++)
		status = spe_vec_push(&tasks->sightings.spans, &inferred->spans.items[i],
				      2 * (size_t)SPE_LIMIT_TASKS);
	return status;
}

static int list_sightings(struct spe_tasks *tasks)
{
	struct spe_sightings inferred;
	int status;

	spe_sightings_init(&inferred, INFERRED_SHIFT);
	status = infer_leaders(tasks, &inferred);
	spe_sightings_fini(&inferred);
	return status ? status : spe_sightings_finish(&tasks->sightings);
}

int spe_tasks_build_lives(struct spe_tasks *tasks)
{
	const struct spe_fact *f;
	const struct spe_sighting *s;
	size_t i = 0, k = 0, nf = tasks->facts.count, ns;
	int status = list_sightings(tasks);

	if (status)
		return status;
	sort_facts(tasks);
	f = tasks->facts.items;
	s = tasks->sightings.all.items;
	ns = tasks->sightings.all.count;
	while (i < nf || k < ns) {
		struct walk w = { .tasks = tasks, .first = (uint32_t)tasks->lives.count };
		size_t fi = i, sk = k;

		w.tid = k == ns || (i < nf && f[i].tid <= s[k].tid) ? f[i].tid : s[k].tid;
		while (i < nf && f[i].tid == w.tid)
			i++;
		while (k < ns && s[k].tid == w.tid)
			k++;
		status = walk_tid(&w, nf ? f + fi : NULL, i - fi, ns ? s + sk : NULL, k - sk);
		if (status)
			return status;
	}
	return SPE_OK;
}
