/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up recording: processes and threads take turns on CPUs, each CPU
 * samples what runs on it, and the truth is written down as it happens.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate-records.h"
#include "generate.h"
#include "program.h"

#define START_NS UINT64_C(1000000000)
#define FIRST_PID 1000
#define PERF_PID 900
#define USER_TEXT UINT64_C(0x400000)
#define USER_TEXT_BYTES 0x40000
#define KERNEL_TEXT UINT64_C(0xffff800008000000)
#define KERNEL_TEXT_BYTES 0x1000000
#define HOT_PCS 64 /* most samples fall on few addresses */
#define ROUND_NS UINT64_C(100000000)
#define SHORT_ROUND_NS UINT64_C(2000000) /* where ids shall be used again */
#define SWITCH_NS 200                    /* from out to in */

struct spec {
	uint64_t records, period_ns, slice, seed, lives, aux_bytes;
	unsigned cpus, processes, threads, kernel_percent, idle_percent, context_percent;
	enum made_shape shape;
	bool no_contexts, el2, switches;
};

/* A thread that is alive; its place is taken by another when it exits. */
struct actor {
	struct task task;
	uint64_t start_ns;
	uint64_t slices; /* of this life */
	unsigned number; /* of the process, for its name */
	char comm[16];
};

struct made_cpu {
	uint64_t now_ns, left; /* records still to make */
	uint64_t slice_left;
	uint64_t random;
	size_t first, actors, running; /* of the actors that live on this CPU */
	bool idle;
	uint64_t offset; /* in the AUX stream */
	struct buffer bytes;
};

struct maker {
	struct spec spec;
	struct recording_opts opts;
	struct recording *recording;
	struct truth *truth;
	struct made_templates templates;
	struct made_cpu *cpus;
	struct actor *actors;
	size_t actor_count;
	uint32_t *ids; /* FIRST_PID + i: in use, or the round in which it got free */
	size_t id_count, next_id;
	uint32_t round; /* 1, 2 ... */
	uint32_t hot[HOT_PCS];
	struct buffer body;
};

/* ---- the spec ---------------------------------------------------------------- */

static void take_contexts(struct words *words, struct spec *s)
{
	const char *text = words_key(words, "contexts");

	s->context_percent = 100;
	if (!text || !strcmp(text, "el1"))
		return;
	if (!strcmp(text, "none"))
		s->context_percent = 0;
	else if (!strcmp(text, "el2"))
		s->el2 = true;
	else
		s->context_percent = words_to_byte(words, text);
}

static void take_spec(const char *text, struct spec *s)
{
	static const char *const shapes[] = {
		[MADE_64] = "64",
		[MADE_43] = "43",
		[MADE_MIXED] = "mixed",
		NULL,
	};
	struct place place = { "--generate", 1 };
	struct buffer line = { 0 };
	struct words words;
	const char *shape;

	buffer_printf(&line, "generate %s", text);
	for (size_t i = 0; i < line.n; i++)
		if (line.bytes[i] == ',')
			line.bytes[i] = ' ';
	words_split(&words, &place, (char *)line.bytes, line.n);
	s->records = words_key_number(&words, "records", 100000);
	s->cpus = (unsigned)words_key_number(&words, "cpus", 2);
	s->processes = (unsigned)words_key_number(&words, "processes", 8);
	s->threads = (unsigned)words_key_number(&words, "threads", 1);
	s->period_ns = words_key_number(&words, "period", 1000);
	s->slice = words_key_number(&words, "slice", 100);
	s->lives = words_key_number(&words, "lives", 0);
	s->aux_bytes = words_key_number(&words, "aux", 1 << 20);
	s->kernel_percent = (unsigned)words_key_number(&words, "kernel", 25);
	s->idle_percent = (unsigned)words_key_number(&words, "idle", 0);
	s->seed = words_key_number(&words, "seed", 1);
	s->switches = words_flag(&words, "switches");
	shape = words_key(&words, "shape");
	s->shape = shape ? words_choice(&words, shape, shapes) : MADE_64;
	take_contexts(&words, s);
	words_done(&words);
	words_free(&words);
	buffer_free(&line);
	if (!s->cpus || s->cpus > 4096 || !s->processes || !s->threads || !s->slice ||
	    !s->period_ns || s->aux_bytes < MADE_RECORD_MAX || (s->lives && s->threads > 1))
		die("--generate: cpus= (up to 4096), processes=, threads=, slice= and period= "
		    "are at least 1, aux= at least %u; lives= goes with threads=1 only",
		    MADE_RECORD_MAX);
}

/* ---- side-band ----------------------------------------------------------------- */

static void emit(struct maker *m, uint32_t type, uint16_t misc, const struct trailer *t)
{
	recording_record(m->recording, type, misc, &m->body, t);
	m->body.n = 0;
}

static struct trailer trailer_at(unsigned cpu, uint64_t time_ns, struct task task)
{
	return (struct trailer){ .task = task,
				 .time_ns = time_ns,
				 .buffer = cpu,
				 .cpu = (int32_t)cpu,
				 .zero = !time_ns };
}

static void emit_life(struct maker *m, uint32_t type, struct task task, struct task parent,
		      const struct trailer *t)
{
	buffer_u32(&m->body, (uint32_t)task.pid);
	buffer_u32(&m->body, (uint32_t)parent.pid);
	buffer_u32(&m->body, (uint32_t)task.tid);
	buffer_u32(&m->body, (uint32_t)parent.tid);
	buffer_u64(&m->body, t->time_ns);
	emit(m, type, 0, t);
}

static void emit_comm(struct maker *m, const struct actor *a, bool exec, const struct trailer *t)
{
	buffer_u32(&m->body, (uint32_t)a->task.pid);
	buffer_u32(&m->body, (uint32_t)a->task.tid);
	buffer_string(&m->body, a->comm);
	emit(m, SPE_PERF_COMM, exec ? SPE_MISC_COMM_EXEC : 0, t);
}

static void emit_map(struct maker *m, const struct actor *a, const struct trailer *t)
{
	struct buffer *b = &m->body;

	buffer_u32(b, (uint32_t)a->task.pid);
	buffer_u32(b, (uint32_t)a->task.tid);
	buffer_u64(b, USER_TEXT);
	buffer_u64(b, USER_TEXT_BYTES);
	buffer_u64(b, 0);
	buffer_u32(b, 8); /* device 8:1 */
	buffer_u32(b, 1);
	buffer_u64(b, 1000 + a->number); /* inode */
	buffer_u64(b, 0);
	buffer_u32(b, 5); /* r-x */
	buffer_u32(b, 2); /* private */
	buffer_printf(b, "/usr/bin/work-%u", a->number);
	buffer_u8(b, 0);
	emit(m, SPE_PERF_MMAP2, SPE_MISC_USER, t);
}

static void emit_kernel_map(struct maker *m)
{
	const struct trailer t = { .zero = true };

	buffer_u32(&m->body, UINT32_MAX);
	buffer_u32(&m->body, 0);
	buffer_u64(&m->body, KERNEL_TEXT);
	buffer_u64(&m->body, KERNEL_TEXT_BYTES);
	buffer_u64(&m->body, KERNEL_TEXT);
	buffer_string(&m->body, "[kernel.kallsyms]_stext");
	emit(m, SPE_PERF_MMAP, SPE_MISC_KERNEL, &t);
}

static void emit_switch(struct maker *m, unsigned cpu, uint64_t time_ns, struct task prev,
			struct task next)
{
	struct trailer t = trailer_at(cpu, time_ns, prev);

	if (!m->spec.switches)
		return;
	buffer_u32(&m->body, (uint32_t)next.pid);
	buffer_u32(&m->body, (uint32_t)next.tid);
	emit(m, SPE_PERF_SWITCH_CPU_WIDE, SPE_MISC_SWITCH_OUT, &t);
	t = trailer_at(cpu, time_ns + SWITCH_NS, next);
	buffer_u32(&m->body, (uint32_t)prev.pid);
	buffer_u32(&m->body, (uint32_t)prev.tid);
	emit(m, SPE_PERF_SWITCH_CPU_WIDE, 0, &t);
}

/* ---- who lives ------------------------------------------------------------------ */

#define ID_IN_USE UINT32_MAX

static void add_ids(struct maker *m, size_t count)
{
	m->ids = need(realloc(m->ids, count * sizeof(*m->ids)));
	for (; m->id_count < count; m->id_count++)
		m->ids[m->id_count] = 0;
}

/*
 * Ids come round again soon, on any CPU.  CPUs are made one after the other for
 * a round at a time, so that an id which is free may still be taken at the time
 * another CPU stands at: it rests until the next round.
 */
static int32_t new_pid(struct maker *m)
{
	for (size_t tried = 0; tried < m->id_count; tried++) {
		size_t i = m->next_id++ % m->id_count;

		if (m->ids[i] == ID_IN_USE || m->ids[i] == m->round)
			continue;
		m->ids[i] = ID_IN_USE;
		return FIRST_PID + (int32_t)i;
	}
	m->next_id = m->id_count;
	add_ids(m, 2 * m->id_count);
	return new_pid(m);
}

static void free_pid(struct maker *m, int32_t pid)
{
	m->ids[pid - FIRST_PID] = m->round;
}

static void name_actor(struct actor *a, bool thread)
{
	snprintf(a->comm, sizeof(a->comm), thread ? "work-%u/t" : "work-%u", a->number);
}

/* A process is born: fork by perf's child, name, program. */
static void emit_birth(struct maker *m, const struct actor *a, const struct trailer *t)
{
	struct task leader = { a->task.pid, a->task.pid };
	struct task perf = { PERF_PID, PERF_PID };
	bool thread = a->task.pid != a->task.tid;

	emit_life(m, SPE_PERF_FORK, a->task, thread ? leader : perf, t);
	emit_comm(m, a, !thread && t->time_ns, t);
	if (!thread)
		emit_map(m, a, t);
}

static void populate(struct maker *m)
{
	const struct trailer t = { .zero = true };
	struct actor perf = { .task = { PERF_PID, PERF_PID }, .comm = "perf" };

	m->actor_count = (size_t)m->spec.processes * m->spec.threads;
	m->actors = need(calloc(m->actor_count, sizeof(*m->actors)));
	add_ids(m, m->actor_count + m->actor_count / 2 + 16);
	emit_kernel_map(m);
	emit_comm(m, &perf, false, &t);
	for (size_t i = 0; i < m->actor_count; i++) {
		struct actor *a = &m->actors[i];
		bool thread = i % m->spec.threads;

		a->number = (unsigned)(i / m->spec.threads);
		a->task.tid = new_pid(m);
		a->task.pid = thread ? a[-1].task.pid : a->task.tid;
		name_actor(a, thread);
		emit_birth(m, a, &t);
	}
}

/* The task that ran exits, and a new process comes in its place. */
static void reincarnate(struct maker *m, unsigned cpu, struct actor *a)
{
	struct made_cpu *c = &m->cpus[cpu];
	struct task perf = { PERF_PID, PERF_PID };
	struct trailer t = trailer_at(cpu, c->now_ns + SWITCH_NS / 4, a->task);

	emit_life(m, SPE_PERF_EXIT, a->task, perf, &t);
	free_pid(m, a->task.pid);
	a->task.pid = a->task.tid = new_pid(m);
	a->slices = 0;
	a->start_ns = c->now_ns + SWITCH_NS / 2;
	a->number += m->spec.processes;
	name_actor(a, false);
	t = trailer_at(cpu, a->start_ns, perf);
	emit_birth(m, a, &t);
}

/* ---- who runs ------------------------------------------------------------------- */

static struct task running(const struct maker *m, const struct made_cpu *c)
{
	return c->idle ? (struct task){ 0, 0 } : m->actors[c->running].task;
}

static void next_slice(struct maker *m, unsigned cpu)
{
	struct made_cpu *c = &m->cpus[cpu];
	struct task prev = running(m, c);
	struct actor *a;

	if (m->spec.lives && !c->idle && m->actors[c->running].slices >= m->spec.lives)
		reincarnate(m, cpu, &m->actors[c->running]);
	c->idle = !c->actors || random_below(&c->random, 100) < m->spec.idle_percent;
	if (c->actors)
		c->running = c->first + (size_t)random_below(&c->random, c->actors);
	a = &m->actors[c->running];
	if (!c->idle)
		a->slices++;
	/* between half and one and a half of the usual length */
	c->slice_left = m->spec.slice / 2 + random_below(&c->random, m->spec.slice) + 1;
	emit_switch(m, cpu, c->now_ns + SWITCH_NS, prev, running(m, c));
	c->now_ns += 4 * SWITCH_NS;
}

static uint64_t made_pc(struct maker *m, struct made_cpu *c, bool kernel)
{
	uint64_t dice = random_next(&c->random);
	uint64_t base = kernel ? KERNEL_TEXT : USER_TEXT;
	uint64_t bytes = kernel ? KERNEL_TEXT_BYTES : USER_TEXT_BYTES;

	if (dice & 7)
		return base + (m->hot[dice >> 3 & (HOT_PCS - 1)] & (bytes - 4));
	return base + (dice >> 16 & (bytes - 4));
}

static void make_record(struct maker *m, unsigned cpu)
{
	struct made_cpu *c = &m->cpus[cpu];
	struct task task = running(m, c);
	bool kernel = c->idle || random_below(&c->random, 100) < m->spec.kernel_percent;
	struct made_record r = {
		.pc = made_pc(m, c, kernel),
		.el = !kernel       ? 0
		      : m->spec.el2 ? 2
				    : 1,
		.has_context = m->spec.context_percent == 100 ||
			       random_below(&c->random, 100) < m->spec.context_percent,
		.context = (uint32_t)task.tid,
		.kind = (enum made_kind)(random_next(&c->random) >> 62),
	};
	struct truth_row row = {
		.cpu = (int32_t)cpu,
		.pc = r.pc,
		.task = task,
		.comm = c->idle ? "swapper" : m->actors[c->running].comm,
		.has_time = true,
		.context = r.has_context ? r.context : 0,
		.el = r.el,
		.kind = made_kind_name(r.kind),
		.start_ns = c->idle ? 0 : m->actors[c->running].start_ns,
	};

	spe_time_to_ticks(&m->opts.clock, c->now_ns, &r.timestamp);
	made_record_put(&m->templates, &r, &c->random, &c->bytes);
	if (!m->truth)
		return;
	row.timestamp = r.timestamp;
	spe_time_from_ticks(&m->opts.clock, r.timestamp, &row.time_ns);
	truth_add(m->truth, &row);
}

/* ---- the recording ---------------------------------------------------------------- */

static void write_aux(struct maker *m, unsigned cpu)
{
	struct made_cpu *c = &m->cpus[cpu];
	struct trailer t = trailer_at(cpu, c->now_ns, running(m, c));

	if (!c->bytes.n)
		return;
	buffer_u64(&m->body, c->offset);
	buffer_u64(&m->body, c->bytes.n);
	buffer_u64(&m->body, 0);
	t.of_spe = true;
	emit(m, SPE_PERF_AUX, 0, &t);
	recording_auxtrace(m->recording, cpu, c->offset, c->bytes.bytes, c->bytes.n);
	c->offset += c->bytes.n;
	c->bytes.n = 0;
}

/* What a CPU does until a time. */
static void run_cpu(struct maker *m, unsigned cpu, uint64_t until_ns)
{
	struct made_cpu *c = &m->cpus[cpu];

	while (c->left && c->now_ns < until_ns) {
		if (!c->slice_left)
			next_slice(m, cpu);
		make_record(m, cpu);
		c->now_ns += m->spec.period_ns;
		c->left--;
		c->slice_left--;
		if (c->bytes.n + MADE_RECORD_MAX > m->spec.aux_bytes)
			write_aux(m, cpu);
	}
	write_aux(m, cpu);
}

static void start(struct maker *m)
{
	uint64_t seed = m->spec.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	size_t next = 0;

	for (unsigned i = 0; i < HOT_PCS; i++)
		m->hot[i] = (uint32_t)random_next(&seed);
	m->cpus = need(calloc(m->spec.cpus, sizeof(*m->cpus)));
	for (unsigned cpu = 0; cpu < m->spec.cpus; cpu++) {
		struct made_cpu *c = &m->cpus[cpu];

		c->now_ns = START_NS + cpu * 100;
		c->left = m->spec.records / m->spec.cpus +
			  (cpu < m->spec.records % m->spec.cpus ? 1 : 0);
		c->random = random_next(&seed) | 1;
		c->first = next;
		/* each task lives on one CPU */
		c->actors = m->actor_count / m->spec.cpus +
			    (cpu < m->actor_count % m->spec.cpus ? 1 : 0);
		next += c->actors;
		c->running = c->actors ? c->first : 0;
		c->idle = true;
	}
}

static void make(struct maker *m)
{
	uint64_t until_ns = START_NS;
	bool left = true;

	while (left) {
		left = false;
		m->round++;
		until_ns += m->spec.lives ? SHORT_ROUND_NS : ROUND_NS;
		for (unsigned cpu = 0; cpu < m->spec.cpus; cpu++) {
			run_cpu(m, cpu, until_ns);
			left |= m->cpus[cpu].left != 0;
		}
		recording_record(m->recording, SPE_PERF_FINISHED_ROUND, 0, NULL, NULL);
	}
}

static void set_options(struct maker *m, const char *settings)
{
	struct program p = { 0 };
	struct place place = { "--set", 1 };
	struct buffer line = { 0 };
	struct words words;

	recording_defaults(&p.opts);
	buffer_printf(&line, "file cpus=%u %s", m->spec.cpus, settings ? settings : "");
	words_split(&words, &place, (char *)line.bytes, line.n);
	setup_statements[0].run(&p, &words);
	words_done(&words);
	setup_finish(&p);
	m->opts = p.opts;
	m->opts.aux_bytes = 0;
	words_free(&words);
	buffer_free(&line);
}

void generate(const char *spec, const char *settings, const char *path, const char *truth)
{
	struct maker m = { 0 };

	m.round = 1;
	take_spec(spec, &m.spec);
	set_options(&m, settings);
	made_templates_init(&m.templates, m.spec.shape, m.spec.el2);
	m.recording = recording_new(path, &m.opts);
	if (truth)
		m.truth = truth_new(truth);
	populate(&m);
	start(&m);
	make(&m);
	recording_finish(m.recording);
	if (m.truth)
		truth_finish(m.truth);
	for (unsigned cpu = 0; cpu < m.spec.cpus; cpu++)
		buffer_free(&m.cpus[cpu].bytes);
	buffer_free(&m.body);
	free(m.cpus);
	free(m.actors);
	free(m.ids);
	free(m.opts.cores);
	free(m.opts.buffers);
}
