/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements about AUX data: whose it is, what is in it, where it is cut. */
#include <string.h>

#include "program.h"

uint64_t stream_position(const struct stream *s)
{
	return s->offset + s->bytes.n;
}

static struct stream *current(struct program *p)
{
	return &p->streams[p->current];
}

/* ---- whose, when, how --------------------------------------------------------- */

static void cpu_statement(struct program *p, struct words *words)
{
	p->current = words_number(words, "a number");
}

static void thread_buffer_statement(struct program *p, struct words *words)
{
	int32_t tid = (int32_t)words_to_u32(words, words_take(words, "a thread"));

	for (size_t i = 0; i < p->opts.buffer_count; i++)
		if (p->opts.buffers[i].tid == tid)
			p->current = i;
}

static void time_statement(struct program *p, struct words *words)
{
	p->now_ns = words_to_time(words, words_take(words, "a time"), p->now_ns);
}

static void shape_statement(struct program *p, struct words *words)
{
	static const char *const names[] = { "packed", "neoverse", NULL };
	const char *shape = words_take(words, "a shape");

	p->shape = *shape >= '0' && *shape <= '9' ? words_to_u32(words, shape)
						  : words_choice(words, shape, names);
}

static void contexts_statement(struct program *p, struct words *words)
{
	static const char *const names[] = { "none", "el1", "el2", NULL };

	current(p)->contexts = words_choice(words, words_take(words, "el1, el2 or none"), names);
}

/* ---- bytes ---------------------------------------------------------------------- */

static void bytes_statement(struct program *p, struct words *words)
{
	const char *byte = words_take(words, "a byte");

	for (; byte; byte = words_maybe(words)) {
		const char text[] = { '0', 'x', byte[0], byte[0] ? byte[1] : '\0', '\0' };

		if (strlen(byte) != 2)
			die_at(&words->place, "bytes: not a byte: '%s'", byte);
		buffer_u8(&current(p)->bytes, words_to_byte(words, text));
	}
}

static void pad_statement(struct program *p, struct words *words)
{
	const char *n = words_maybe(words);

	buffer_zeros(&current(p)->bytes, n ? words_to_u32(words, n) : 1);
}

/* ---- rows of truth ---------------------------------------------------------------- */

void stream_write_truth(struct program *p, struct stream *s)
{
	struct waiting_row *rows = (void *)s->rows.bytes;

	for (size_t i = 0; p->truth && i < s->rows.n / sizeof(*rows); i++) {
		rows[i].row.comm = rows[i].comm;
		truth_add(p->truth, &rows[i].row);
	}
	s->rows.n = 0;
}

/* Records that lost bytes are no records any more. */
static void forget_rows(struct stream *s)
{
	const struct waiting_row *rows = (const void *)s->rows.bytes;
	size_t n = s->rows.n / sizeof(*rows);

	while (n && rows[n - 1].end > stream_position(s))
		n--;
	s->rows.n = n * sizeof(*rows);
}

/* ---- buffers ---------------------------------------------------------------------- */

static void emit_aux(struct program *p, uint64_t offset, uint64_t size, uint64_t flags,
		     const struct trailer *trailer)
{
	struct trailer t = *trailer;
	struct buffer b = { 0 };

	buffer_u64(&b, offset);
	buffer_u64(&b, size);
	buffer_u64(&b, flags);
	t.of_spe = true;
	program_record(p, SPE_PERF_AUX, 0, &b, &t);
	buffer_free(&b);
}

void stream_write(struct program *p, size_t stream, bool aux, uint64_t flags,
		  const struct trailer *trailer)
{
	struct stream *s = &p->streams[stream];
	uint64_t end = stream_position(s);
	size_t at = 0;

	stream_write_truth(p, s);
	if (!p->recording)
		return; /* bytes stay together */
	if (aux) {
		emit_aux(p, s->aux_from, end - s->aux_from, flags, trailer);
		s->aux_from = end;
	}
	while (at < s->bytes.n) {
		size_t n = s->bytes.n - at;

		if (p->opts.aux_bytes && n > p->opts.aux_bytes)
			n = p->opts.aux_bytes;
		recording_auxtrace(p->recording, stream, s->offset + at, s->bytes.bytes + at, n);
		at += n;
	}
	s->offset = end;
	s->bytes.n = 0;
}

static uint64_t take_flags(const struct words *words, const char *text)
{
	static const struct {
		const char *name;
		uint64_t flag;
	} names[] = {
		{ "truncated", SPE_AUX_TRUNCATED },
		{ "overwrite", SPE_AUX_OVERWRITE },
		{ "partial", SPE_AUX_PARTIAL },
		{ "collision", SPE_AUX_COLLISION },
	};
	uint64_t flags = 0;

	while (text && *text) {
		size_t n = strcspn(text, ","), i = 0;

		if (*text >= '0' && *text <= '9')
			return words_to_number(words, text);
		while (i < sizeof(names) / sizeof(names[0]) &&
		       (strlen(names[i].name) != n || strncmp(names[i].name, text, n) != 0))
			i++;
		if (i == sizeof(names) / sizeof(names[0]))
			die_at(&words->place, "%s: no flag is called '%.*s'", words->keyword,
			       (int)n, text);
		flags |= names[i].flag;
		text += n + (text[n] == ',');
	}
	return flags;
}

struct task stream_task(struct program *p, size_t stream)
{
	const struct known_task *known = (const void *)p->known.bytes;
	int32_t tid = p->opts.buffers[stream].tid;

	if (p->streams[stream].has_task)
		return p->streams[stream].task;
	if (tid < 0)
		return (struct task){ 0, 0 };
	for (size_t i = p->known.n / sizeof(*known); i-- > 0;)
		if (known[i].task.tid == tid)
			return known[i].task;
	return (struct task){ tid, tid };
}

static struct task running(struct program *p)
{
	return stream_task(p, p->current);
}

/* flush [flags=LIST]: an AUX record over what came since the last, then the bytes. */
static void flush_statement(struct program *p, struct words *words)
{
	uint64_t flags = take_flags(words, words_key(words, "flags"));
	struct trailer t = program_trailer(p, words, running(p));

	stream_write(p, p->current, true, flags, &t);
}

/* cut: the bytes so far leave in AUXTRACE, and no AUX record tells of them yet. */
static void cut_statement(struct program *p, struct words *words)
{
	struct trailer t = program_trailer(p, words, running(p));

	stream_write(p, p->current, false, 0, &t);
}

/* aux OFFSET SIZE [flags=LIST]: an AUX record that says this, whatever is true. */
static void aux_statement(struct program *p, struct words *words)
{
	uint64_t flags = take_flags(words, words_key(words, "flags"));
	uint64_t offset = words_number(words, "an offset"), size = words_number(words, "a size");
	struct trailer t = program_trailer(p, words, running(p));

	emit_aux(p, offset, size, flags, &t);
	current(p)->aux_from = stream_position(current(p));
}

/* gap N: N bytes of the stream are lost. What came before leaves first. */
static void gap_statement(struct program *p, struct words *words)
{
	struct stream *s = current(p);
	uint64_t n = words_number(words, "a number of bytes");
	struct trailer t = program_trailer(p, words, running(p));

	if (s->bytes.n)
		stream_write(p, p->current, true, 0, &t);
	s->offset += n;
	s->aux_from = stream_position(s);
}

/* chop N: the last N bytes are not there. */
static void chop_statement(struct program *p, struct words *words)
{
	struct stream *s = current(p);
	uint64_t n = words_number(words, "a number of bytes");

	if (n > s->bytes.n)
		die_at(&words->place, "chop: there are only %zu bytes", s->bytes.n);
	s->bytes.n -= n;
	forget_rows(s);
}

const struct statement trace_statements[] = {
	{ "cpu", cpu_statement },           { "thread-buffer", thread_buffer_statement },
	{ "time", time_statement },         { "shape", shape_statement },
	{ "contexts", contexts_statement }, { "record", record_statement },
	{ "bytes", bytes_statement },       { "pad", pad_statement },
	{ "flush", flush_statement },       { "cut", cut_statement },
	{ "aux", aux_statement },           { "gap", gap_statement },
	{ "chop", chop_statement },         { NULL, NULL },
};
