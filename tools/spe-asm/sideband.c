/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements that are one record of perf.data each, and a few that are more. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define ARM64_PAGE_BYTES 0x1000
#define BUILD_ID_BYTES 20
#define NAMESPACES_COUNT 7
#define NAMESPACE_DEV 3 /* nsfs */
#define THREAD_MAP_NAME_BYTES 16
#define PROT_R_X 5
#define MAP_IS_PRIVATE 2
#define MISC_OUT SPE_MISC_SWITCH_OUT

static const struct task idle = { 0, 0 };

static void put_task(struct buffer *b, struct task task)
{
	buffer_u32(b, (uint32_t)task.pid);
	buffer_u32(b, (uint32_t)task.tid);
}

/* ---- tasks ----------------------------------------------------------------- */

static void emit_comm(struct program *p, struct task task, const char *name, bool exec,
		      const struct trailer *t)
{
	struct known_task *known = program_task(p, task);
	struct buffer b = { 0 };
	size_t n = strnlen(name, sizeof(known->comm) - 1);

	memcpy(known->comm, name, n);
	known->comm[n] = '\0';
	put_task(&b, task);
	buffer_string(&b, name);
	program_record(p, SPE_PERF_COMM, exec ? SPE_MISC_COMM_EXEC : 0, &b, t);
	buffer_free(&b);
}

static void emit_life(struct program *p, uint32_t type, struct task task, struct task parent,
		      const struct trailer *t)
{
	struct buffer b = { 0 };

	buffer_u32(&b, (uint32_t)task.pid);
	buffer_u32(&b, (uint32_t)parent.pid);
	buffer_u32(&b, (uint32_t)task.tid);
	buffer_u32(&b, (uint32_t)parent.tid);
	buffer_u64(&b, t->time_ns);
	program_record(p, type, 0, &b, t);
	buffer_free(&b);
}

/* A new life of an id: it has its parent's name until it gets one. */
static void emit_fork(struct program *p, struct task task, struct task parent,
		      const struct trailer *t)
{
	struct known_task from = *program_task(p, parent);
	struct known_task *known = program_task(p, task);

	memcpy(known->comm, from.comm, sizeof(known->comm));
	known->parent = parent;
	known->start_ns = t->time_ns;
	emit_life(p, SPE_PERF_FORK, task, parent, t);
}

static void comm_statement(struct program *p, struct words *words)
{
	bool exec = words_flag(words, "exec");
	struct task task = words_task(words, "a task");
	struct trailer t = program_trailer(p, words, task);

	emit_comm(p, task, words_take(words, "a name"), exec, &t);
}

static void fork_statement(struct program *p, struct words *words)
{
	bool from = words_flag(words, "from");
	struct task task = words_task(words, "a task"), parent = words_task(words, "its parent");
	struct trailer t = program_trailer(p, words, parent);

	if (!from)
		die_at(&words->place, "fork: say 'fork CHILD from PARENT'");
	emit_fork(p, task, parent, &t);
}

static void exit_statement(struct program *p, struct words *words)
{
	bool from = words_flag(words, "from");
	struct task task = words_task(words, "a task");
	struct task parent = program_task(p, task)->parent;
	struct trailer t = program_trailer(p, words, task);

	if (from)
		parent = words_task(words, "its parent");
	emit_life(p, SPE_PERF_EXIT, task, parent, &t);
}

/* A process with a name: FORK and COMM, as perf tells of those it finds. */
static void process_statement(struct program *p, struct words *words)
{
	bool from = words_flag(words, "from");
	int32_t pid = (int32_t)words_to_u32(words, words_take(words, "a process"));
	const char *name = words_take(words, "a name");
	struct task task = { pid, pid };
	struct task parent = from ? words_task(words, "its parent") : (struct task){ 1, 1 };
	struct trailer t = program_trailer(p, words, parent);

	emit_fork(p, task, parent, &t);
	t.task = task;
	emit_comm(p, task, name, false, &t);
}

static void thread_statement(struct program *p, struct words *words)
{
	struct task task = words_task(words, "a thread");
	const char *name = words_maybe(words);
	struct task leader = { task.pid, task.pid };
	struct trailer t = program_trailer(p, words, leader);

	emit_fork(p, task, leader, &t);
	t.task = task;
	if (name)
		emit_comm(p, task, name, false, &t);
}

/* ---- maps ------------------------------------------------------------------ */

static void put_build_id(const struct words *words, struct buffer *b, const char *hex)
{
	size_t n = strlen(hex) / 2;

	if (n > BUILD_ID_BYTES || strlen(hex) % 2)
		die_at(&words->place, "%s: a build id has up to %u bytes", words->keyword,
		       BUILD_ID_BYTES);
	buffer_u8(b, (unsigned)n);
	buffer_zeros(b, 3);
	for (size_t i = 0; i < n; i++) {
		const char text[] = { '0', 'x', hex[2 * i], hex[2 * i + 1], '\0' };

		buffer_u8(b, words_to_byte(words, text));
	}
	buffer_zeros(b, BUILD_ID_BYTES - n);
}

static void put_inode(struct words *words, struct buffer *b)
{
	buffer_u32(b, (uint32_t)words_key_number(words, "maj", 8));
	buffer_u32(b, (uint32_t)words_key_number(words, "min", 1));
	buffer_u64(b, words_key_number(words, "ino", 1234));
	buffer_u64(b, words_key_number(words, "generation", 0));
}

static void map_statement(struct program *p, struct words *words)
{
	bool second = !strcmp(words->keyword, "mmap2");
	uint16_t misc = words_flag(words, "kernel") ? SPE_MISC_KERNEL : SPE_MISC_USER;
	struct task task = words_task(words, "a task");
	struct trailer t = program_trailer(p, words, task);
	struct buffer b = { 0 };
	const char *id;

	put_task(&b, task);
	buffer_u64(&b, words_number(words, "an address"));
	buffer_u64(&b, words_number(words, "a length"));
	buffer_u64(&b, words_key_number(words, "offset", 0));
	if (second) {
		id = words_key(words, "build-id");
		if (id) {
			misc |= SPE_MISC_MMAP_BUILD_ID;
			put_build_id(words, &b, id);
		} else {
			put_inode(words, &b);
		}
		buffer_u32(&b, (uint32_t)words_key_number(words, "prot", PROT_R_X));
		buffer_u32(&b, (uint32_t)words_key_number(words, "flags", MAP_IS_PRIVATE));
	}
	buffer_string(&b, words_take(words, "a file"));
	program_record(p, second ? SPE_PERF_MMAP2 : SPE_PERF_MMAP, misc, &b, &t);
	buffer_free(&b);
}

static void namespaces_statement(struct program *p, struct words *words)
{
	static const char *const names[NAMESPACES_COUNT] = { "net",  "uts", "ipc",   "pid",
							     "user", "mnt", "cgroup" };
	struct task task = words_task(words, "a task");
	struct trailer t = program_trailer(p, words, task);
	struct buffer b = { 0 };

	put_task(&b, task);
	buffer_u64(&b, NAMESPACES_COUNT);
	for (unsigned i = 0; i < NAMESPACES_COUNT; i++) {
		buffer_u64(&b, NAMESPACE_DEV);
		/* the initial namespaces' numbers are near the top of 32 bits */
		buffer_u64(&b, words_key_number(words, names[i], 0xeffffff8 + i));
	}
	program_record(p, SPE_PERF_NAMESPACES, 0, &b, &t);
	buffer_free(&b);
}

/* ---- switches --------------------------------------------------------------- */

static void emit_switch(struct program *p, uint16_t misc, const struct task *other,
			const struct trailer *t)
{
	struct buffer b = { 0 };

	if (other)
		put_task(&b, *other);
	program_record(p, other ? SPE_PERF_SWITCH_CPU_WIDE : SPE_PERF_SWITCH, misc, &b, t);
	buffer_free(&b);
}

/* switch out|in [preempt] TASK [next|prev TASK]: with the other task it is CPU-wide. */
static void switch_statement(struct program *p, struct words *words)
{
	static const char *const ways[] = { "in", "out", NULL };
	uint16_t misc = words_flag(words, "preempt") ? SPE_MISC_SWITCH_OUT_PREEMPT : 0;
	bool wide = words_flag(words, "next") || words_flag(words, "prev");
	struct task task, other;
	struct trailer t;

	if (words_choice(words, words_take(words, "in or out"), ways))
		misc |= MISC_OUT;
	task = words_task(words, "the task that runs");
	if (wide)
		other = words_task(words, "the other task");
	t = program_trailer(p, words, task);
	emit_switch(p, misc, wide ? &other : NULL, &t);
}

static void emit_sched_switch(struct program *p, struct task prev, struct task next, uint64_t state,
			      const struct trailer *t)
{
	/* copies: looking one up may move the other */
	struct known_task from = *program_task(p, prev), to = *program_task(p, next);

	if (p->recording)
		recording_sched_switch(p->recording, t, from.comm, prev, state, to.comm, next);
}

/* sched-switch PREV next TASK [state=N]: a tracepoint sample. */
static void sched_switch_statement(struct program *p, struct words *words)
{
	bool next_said = words_flag(words, "next");
	struct task prev = words_task(words, "the task that ran");
	struct task next = words_task(words, "the next task");
	struct trailer t = program_trailer(p, words, prev);

	if (!next_said || !p->opts.sched_switch)
		die_at(&words->place, "sched-switch: say 'sched-switch PREV next NEXT', and "
				      "'file sched-switch=yes'");
	emit_sched_switch(p, prev, next, words_key_number(words, "state", 1), &t);
}

/* run TASK: it is on the CPU from now on, and the switch records say so if wanted. */
static void run_statement(struct program *p, struct words *words)
{
	struct stream *s = &p->streams[p->current];
	struct task next = words_task(words, "a task");
	struct task prev = s->has_task ? s->task : idle;
	struct trailer t = program_trailer(p, words, prev);
	bool per_thread = p->opts.buffers[p->current].cpu < 0;

	s->has_task = true;
	s->task = next;
	if (prev.tid == next.tid && prev.pid == next.pid)
		return;
	if (p->opts.sched_switch)
		emit_sched_switch(p, prev, next, 1, &t);
	if (!p->opts.switches)
		return;
	emit_switch(p, MISC_OUT, per_thread ? NULL : &next, &t);
	t.task = next;
	emit_switch(p, 0, per_thread ? NULL : &prev, &t);
}

/* ---- loss and the rest ------------------------------------------------------- */

static struct task running(struct program *p)
{
	return stream_task(p, p->current);
}

static void lost_statement(struct program *p, struct words *words)
{
	bool samples = !strcmp(words->keyword, "lost-samples");
	struct trailer t = program_trailer(p, words, running(p));
	struct buffer b = { 0 };

	if (!samples)
		buffer_u64(&b, t.has_id ? t.id : 1 + p->opts.buffer_count + t.buffer);
	buffer_u64(&b, words_number(words, "how many"));
	program_record(p, samples ? SPE_PERF_LOST_SAMPLES : SPE_PERF_LOST, 0, &b, &t);
	buffer_free(&b);
}

static void throttle_statement(struct program *p, struct words *words)
{
	bool off = !strcmp(words->keyword, "unthrottle");
	struct trailer t = program_trailer(p, words, running(p));
	struct buffer b = { 0 };

	buffer_u64(&b, t.time_ns);
	buffer_u64(&b, 1 + t.buffer);
	buffer_u64(&b, 1 + t.buffer);
	t.of_spe = true;
	program_record(p, off ? SPE_PERF_UNTHROTTLE : SPE_PERF_THROTTLE, 0, &b, &t);
	buffer_free(&b);
}

static void itrace_start_statement(struct program *p, struct words *words)
{
	struct task task = words_task(words, "a task");
	struct trailer t = program_trailer(p, words, task);
	struct buffer b = { 0 };

	put_task(&b, task);
	t.of_spe = true;
	program_record(p, SPE_PERF_ITRACE_START, 0, &b, &t);
	buffer_free(&b);
}

/* thread-map PID:NAME ... */
static void thread_map_statement(struct program *p, struct words *words)
{
	struct buffer b = { 0 };
	const char *entry;
	uint64_t n = 0;

	buffer_u64(&b, 0);
	while ((entry = words_maybe(words))) {
		const char *colon = strchr(entry, ':');
		size_t length = colon ? strnlen(colon + 1, THREAD_MAP_NAME_BYTES - 1) : 0;
		char number[24] = "";
		size_t digits = colon ? (size_t)(colon - entry) : strlen(entry);

		if (digits < sizeof(number))
			memcpy(number, entry, digits);
		buffer_u64(&b, words_to_number(words, number));
		buffer_put(&b, colon ? colon + 1 : "", length);
		buffer_zeros(&b, THREAD_MAP_NAME_BYTES - length);
		n++;
	}
	memcpy(b.bytes, &n, sizeof(n));
	program_record(p, SPE_PERF_THREAD_MAP, 0, &b, NULL);
	buffer_free(&b);
}

static void round_statement(struct program *p, struct words *words)
{
	(void)words;
	program_record(p, SPE_PERF_FINISHED_ROUND, 0, NULL, NULL);
}

static void time_conv_statement(struct program *p, struct words *words)
{
	(void)words;
	if (p->recording)
		recording_time_conv(p->recording);
}

/* raw TYPE [misc=N] [trailer] HEX...: a record of any type; "bytes" of a body it may lack. */
static void raw_statement(struct program *p, struct words *words)
{
	uint32_t type = words_to_u32(words, words_take(words, "a type"));
	uint16_t misc = (uint16_t)words_key_number(words, "misc", 0);
	bool trailed = words_flag(words, "trailer");
	const char *size = words_key(words, "size"), *byte;
	struct trailer t = program_trailer(p, words, running(p));
	struct buffer b = { 0 };

	while ((byte = words_maybe(words))) {
		const char text[] = { '0', 'x', byte[0], byte[0] ? byte[1] : '\0', '\0' };

		if (strlen(byte) != 2)
			die_at(&words->place, "raw: not a byte: '%s'", byte);
		buffer_u8(&b, words_to_byte(words, text));
	}
	if (size && p->recording) {
		struct buffer whole = { 0 };

		buffer_u32(&whole, type);
		buffer_u16(&whole, misc);
		buffer_u16(&whole, (uint16_t)words_to_number(words, size));
		buffer_put(&whole, b.bytes, b.n);
		recording_raw(p->recording, whole.bytes, whole.n);
		buffer_free(&whole);
	} else {
		program_record(p, type, misc, &b, trailed ? &t : NULL);
	}
	buffer_free(&b);
}

const struct statement sideband_statements[] = {
	{ "comm", comm_statement },
	{ "fork", fork_statement },
	{ "exit", exit_statement },
	{ "process", process_statement },
	{ "thread", thread_statement },
	{ "mmap", map_statement },
	{ "mmap2", map_statement },
	{ "namespaces", namespaces_statement },
	{ "switch", switch_statement },
	{ "sched-switch", sched_switch_statement },
	{ "run", run_statement },
	{ "lost", lost_statement },
	{ "lost-samples", lost_statement },
	{ "throttle", throttle_statement },
	{ "unthrottle", throttle_statement },
	{ "itrace-start", itrace_start_statement },
	{ "thread-map", thread_map_statement },
	{ "round", round_statement },
	{ "time-conv", time_conv_statement },
	{ "raw", raw_statement },
	{ NULL, NULL },
};
