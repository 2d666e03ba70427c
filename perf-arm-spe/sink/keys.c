/* SPDX-License-Identifier: GPL-2.0-only */
#include "keys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Values of id columns: a known id, a thread of no known process, nobody. */
#define UNRESOLVED (1ull << 32)
#define NOBODY (2ull << 32)
#define ABSENT NOBODY

#define NOBODY_TEXT "[unattributed]"
#define ABSENT_TEXT "N/A"

static void cell_none(struct spe_cell *cell)
{
	cell->kind = SPE_CELL_NONE;
}

static void cell_number(struct spe_cell *cell, int64_t number)
{
	cell->kind = SPE_CELL_NUMBER;
	cell->number = number;
}

static void cell_text(struct spe_cell *cell, const char *text)
{
	size_t n = strlen(text);

	if (n >= sizeof(cell->text))
		n = sizeof(cell->text) - 1;
	cell->kind = SPE_CELL_TEXT;
	memcpy(cell->text, text, n);
	cell->text[n] = '\0';
}

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
		cell_text(cell, name);
	else if (id == 0)
		cell_text(cell, "swapper");
	else
		cell_tid(cell, id);
}

/*
 * A column: `s` is the sample, `c` the context.  The expressions are all a
 * sample costs here, so they neither call nor allocate.
 */
#define FILL(name, expression)                                                                     \
	static void name##_fill(const struct spe_key_context *c, const struct spe_sample *samples, \
				size_t count, uint64_t *out)                                       \
	{                                                                                          \
		(void)c;                                                                           \
		for (size_t i = 0; i < count; i++) {                                               \
			const struct spe_sample *s = &samples[i];                                  \
                                                                                                   \
			out[i] = (expression);                                                     \
		}                                                                                  \
	}

#define HAS(bit) (s->record.present & SPE_HAS_##bit)

/* ---- who --------------------------------------------------------------- */

static uint64_t unresolved_value(int32_t tid)
{
	return tid >= 0 ? UNRESOLVED | (uint32_t)tid : NOBODY;
}

FILL(pid, s->pid >= 0 ? (uint32_t)s->pid : unresolved_value(s->tid))
FILL(tid, s->tid >= 0 ? (uint32_t)s->tid : NOBODY)
FILL(comm, s->comm != SPE_COMM_NONE ? s->comm : unresolved_value(s->tid))

#define RUN(name, same)                                                                            \
	static size_t name##_run(const struct spe_sample *samples, size_t count)                   \
	{                                                                                          \
		const struct spe_sample first = samples[0];                                        \
		size_t i = 1;                                                                      \
                                                                                                   \
		for (; i < count; i++) {                                                           \
			const struct spe_sample *s = &samples[i];                                  \
                                                                                                   \
			if (!(same))                                                               \
				break;                                                             \
		}                                                                                  \
		return i;                                                                          \
	}

/* What most reports sort by; a thread has one process and one name at a time, mostly. */
RUN(pid, s->pid == first.pid && (s->pid >= 0 || s->tid == first.tid))
RUN(tid, s->tid == first.tid)
RUN(comm, s->comm == first.comm && (s->comm != SPE_COMM_NONE || s->tid == first.tid))

static void id_cell(const struct spe_value *v, struct spe_cell *cell)
{
	v->value < UNRESOLVED ? cell_number(cell, (int64_t)v->value) : cell_none(cell);
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
	int32_t id = (int32_t)(uint32_t)v->value;

	if (v->value == NOBODY)
		cell_text(cell, NOBODY_TEXT);
	else if (v->value & UNRESOLVED)
		cell_tid(cell, id);
	else
		cell_comm(cell, v->context->recording, process_comm(v, id), id);
}

static void thread_cell(const struct spe_value *v, struct spe_cell *cell)
{
	if (v->value == NOBODY)
		cell_text(cell, NOBODY_TEXT);
	else
		cell_comm(cell, v->context->recording, v->row->latest.comm - 1,
			  (int32_t)(uint32_t)v->value);
}

static void comm_cell(const struct spe_value *v, struct spe_cell *cell)
{
	if (v->value == NOBODY)
		cell_text(cell, NOBODY_TEXT);
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
	char *at = spe_put_signed_pad(to, v->value < UNRESOLVED ? (int64_t)v->value : -1, 7);

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

/* ---- where and how ----------------------------------------------------- */

FILL(cpu, s->cpu >= 0 ? (uint32_t)s->cpu : ABSENT)
FILL(evidence, s->evidence)
FILL(el, HAS(EL) ? s->record.el : ABSENT)
FILL(guest, s->guest)

static size_t cpu_text(const struct spe_value *v, char *to, size_t room)
{
	return (size_t)snprintf(to, room, v->value == ABSENT ? "-1" : "%03u", (unsigned)v->value);
}

static void evidence_cell(const struct spe_value *v, struct spe_cell *cell)
{
	cell_text(cell, spe_evidence_name((unsigned)v->value));
}

static void el_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { "EL0", "EL1", "EL2", "EL3" };

	v->value < 4 ? cell_text(cell, names[v->value]) : cell_none(cell);
}

static void guest_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { [SPE_GUEST_NO] = "host",
					     [SPE_GUEST_KERNEL] = "guest-kernel",
					     [SPE_GUEST_MAYBE] = "guest-or-host" };

	v->value < 3 ? cell_text(cell, names[v->value]) : cell_none(cell);
}

/* ---- what -------------------------------------------------------------- */

/* Bits 32-47 are defined nowhere: one of them says that there was no packet. */
#define NO_EVENTS (1ull << 40)

static uint64_t source_value(const struct spe_key_context *c, const struct spe_sample *s)
{
	unsigned value = s->record.data_source;

	return value < 256 && s->stream < c->streams
		       ? c->source_ids[c->stream_model[s->stream]][value]
		       : UNRESOLVED | value;
}

FILL(op, HAS(OP) ? c->op_ids[(s->record.op_class & 3) * 256u + s->record.op_payload] : ABSENT)
FILL(event, HAS(EVENTS) ? s->record.events : NO_EVENTS)
FILL(source, HAS(DATA_SOURCE) ? source_value(c, s) : ABSENT)

static void op_cell(const struct spe_value *v, struct spe_cell *cell)
{
	unsigned op = (unsigned)v->value;

	v->value == ABSENT ? cell_none(cell) : cell_text(cell, spe_op_name(op / 256, op % 256));
}

/* "retired+l1d-access": what --event takes. */
static void event_cell(const struct spe_value *v, struct spe_cell *cell)
{
	size_t n = 0;

	if (v->value == NO_EVENTS) {
		cell_none(cell);
		return;
	}
	cell_text(cell, "none");
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = spe_event_name(bit, v->context->midr);
		char *at = cell->text + n;

		if (!(v->value >> bit & 1))
			continue;
		if (name)
			n += (size_t)snprintf(at, 32, "%s%.30s", n ? "+" : "", name);
		else
			n += (size_t)snprintf(at, 32, "%simpdef:%u", n ? "+" : "", bit);
		for (; *at; at++)
			*at = (char)tolower((unsigned char)*at);
	}
}

static void source_cell(const struct spe_value *v, struct spe_cell *cell)
{
	if (v->value == ABSENT) {
		cell_none(cell);
	} else if (v->value & UNRESOLVED) {
		cell->kind = SPE_CELL_TEXT;
		snprintf(cell->text, sizeof(cell->text), "0x%x", (unsigned)v->value);
	} else {
		cell_text(cell, v->context->source_names[v->value]);
	}
}

/* ---- the table --------------------------------------------------------- */

#define PROCESS_KEY                                                                                \
	.header = "    Pid:Command", .field = "pid", .name_field = "process", .latest = true,      \
	.fill = pid_fill, .run = pid_run, .cell = id_cell, .name_cell = process_cell,              \
	.text = pid_text

static const struct spe_key keys[] = {
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
	{ .name = "cpu",
	  .header = "CPU",
	  .help = "CPU the sample was taken on",
	  .field = "cpu",
	  .right = true,
	  .fill = cpu_fill,
	  .cell = id_cell,
	  .text = cpu_text },
	{ .name = "evidence",
	  .header = "Evidence",
	  .help = "how the owner is known: context, switch ... none",
	  .field = "evidence",
	  .fill = evidence_fill,
	  .cell = evidence_cell },
	{ .name = "op",
	  .header = "Operation",
	  .help = "kind of operation: load, store-release, branch-cond ...",
	  .field = "op",
	  .want = SPE_HAS_OP,
	  .fill = op_fill,
	  .cell = op_cell },
	{ .name = "event",
	  .header = "Events",
	  .help = "set of events of the operation, a row per set",
	  .field = "event",
	  .want = SPE_HAS_EVENTS,
	  .fill = event_fill,
	  .cell = event_cell },
	{ .name = "el",
	  .header = "EL",
	  .help = "exception level of the code",
	  .field = "el",
	  .want = SPE_HAS_EL | SPE_HAS_PC,
	  .fill = el_fill,
	  .cell = el_cell },
	{ .name = "source",
	  .header = "Data source",
	  .help = "where the data came from; a number where the core's numbering is not known",
	  .field = "source",
	  .want = SPE_HAS_DATA_SOURCE,
	  .fill = source_fill,
	  .cell = source_cell },
	{ .name = "guest",
	  .header = "Guest",
	  .help = "host, guest-kernel, or guest-or-host (user code of either)",
	  .field = "guest",
	  .want = SPE_HAS_EL | SPE_HAS_PC,
	  .fill = guest_fill,
	  .cell = guest_cell },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

const struct spe_key *spe_key_at(size_t i)
{
	return i < KEYS ? &keys[i] : NULL;
}

const struct spe_key *spe_key_find(const char *name, size_t length)
{
	for (size_t i = 0; i < KEYS; i++)
		if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0)
			return &keys[i];
	return NULL;
}

size_t spe_key_text(const struct spe_key *key, const struct spe_value *value, char *to, size_t room)
{
	struct spe_cell cell;

	if (key->text)
		return key->text(value, to, room);
	key->cell(value, &cell);
	if (cell.kind == SPE_CELL_NUMBER) {
		char *end = spe_put_signed(to, cell.number);

		*end = '\0';
		return (size_t)(end - to);
	}
	return spe_name_escape(to, room, cell.kind == SPE_CELL_TEXT ? cell.text : ABSENT_TEXT);
}

/* ---- context ----------------------------------------------------------- */

/* Payloads that differ only in bits a name does not tell are one operation. */
static void context_ops(struct spe_key_context *context)
{
	for (unsigned i = 0; i < 4 * 256; i++) {
		const char *name = spe_op_name(i / 256, i % 256);
		unsigned first = i & ~255u;

		while (first < i && strcmp(name, spe_op_name(first / 256, first % 256)) != 0)
			first++;
		context->op_ids[i] = first;
	}
}

/* The id of a source's name, made if new; there is room for all. */
static uint64_t context_source(struct spe_key_context *context, const char *name)
{
	for (size_t i = 0; i < context->source_count; i++)
		if (strcmp(context->source_names[i], name) == 0)
			return i;
	context->source_names[context->source_count] = name;
	return context->source_count++;
}

static void context_model(struct spe_key_context *context, size_t model, uint64_t midr)
{
	for (unsigned value = 0; value < 256; value++) {
		const struct spe_data_source *source = spe_data_source_lookup(midr, value);

		context->source_ids[model][value] =
			source ? context_source(context, source->name) : UNRESOLVED | value;
	}
}

/* Number the distinct core models; *midrs gets them. */
static void context_number(struct spe_key_context *context, uint64_t *midrs)
{
	for (size_t i = 0; i < context->streams; i++) {
		uint64_t midr = spe_recording_stream(context->recording, i)->midr;
		size_t model = 0;

		while (model < context->models && midrs[model] != midr)
			model++;
		if (model == context->models && model < UINT16_MAX)
			midrs[context->models++] = midr;
		context->stream_model[i] = (uint16_t)model;
	}
}

int spe_key_context_init(struct spe_key_context *context, const struct spe_recording *recording)
{
	uint64_t *midrs;

	memset(context, 0, sizeof(*context));
	context->recording = recording;
	context->streams = spe_recording_streams(recording);
	context_ops(context);
	context->stream_model = calloc(context->streams + 1, sizeof(*context->stream_model));
	midrs = calloc(context->streams + 1, sizeof(*midrs));
	if (context->stream_model && midrs)
		context_number(context, midrs);
	context->source_ids = calloc(context->models + 1, sizeof(*context->source_ids));
	context->source_names = calloc(256 * (context->models + 1), sizeof(char *));
	if (!context->stream_model || !midrs || !context->source_ids || !context->source_names) {
		free(midrs);
		spe_key_context_fini(context);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < context->models; i++)
		context_model(context, i, midrs[i]);
	context->midr = context->models == 1 ? midrs[0] : 0;
	free(midrs);
	return SPE_OK;
}

void spe_key_context_fini(struct spe_key_context *context)
{
	free(context->stream_model);
	free(context->source_ids);
	free(context->source_names);
}
