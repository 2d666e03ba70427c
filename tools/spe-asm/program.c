/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "packets.h"
#include "program.h"

/* ---- what statements share ------------------------------------------------ */

#define NS_DIGITS 9

/* "1500", "1.5us": digits, maybe a fraction, maybe a unit. */
static uint64_t to_ns(const struct words *words, const char *text)
{
	static const struct {
		const char *unit;
		unsigned digits; /* decimal places of a nanosecond */
	} units[] = { { "", 0 }, { "ns", 0 }, { "us", 3 }, { "ms", 6 }, { "s", NS_DIGITS } };
	const char *at = text;
	unsigned fraction = 0;
	uint64_t value = 0;
	bool dot = false;

	for (; isdigit((unsigned char)*at) || (*at == '.' && !dot); at++) {
		if (*at == '.') {
			dot = true;
			continue;
		}
		if (value > (UINT64_MAX - 9) / 10)
			die_at(&words->place, "%s: too late a time: %s", words->keyword, text);
		value = value * 10 + (uint64_t)(*at - '0');
		fraction += dot;
	}
	for (size_t i = 0; at != text && i < sizeof(units) / sizeof(units[0]); i++) {
		unsigned digits = units[i].digits;

		if (strcmp(at, units[i].unit) != 0 || fraction > digits)
			continue;
		for (; fraction < digits; fraction++)
			value *= 10;
		return value;
	}
	die_at(&words->place, "%s: not a time: '%s' (say 1500, 1.5us, +20ms)", words->keyword,
	       text);
}

uint64_t words_to_time(const struct words *words, const char *text, uint64_t now_ns)
{
	return *text == '+' ? now_ns + to_ns(words, text + 1) : to_ns(words, text);
}

uint64_t program_time(struct program *p, struct words *words)
{
	const char *text = words_key(words, "time");
	uint64_t time_ns;

	if (!text)
		return p->now_ns;
	time_ns = words_to_time(words, text, p->now_ns);
	if (time_ns)
		p->now_ns = time_ns;
	return time_ns;
}

struct trailer program_trailer(struct program *p, struct words *words, struct task task)
{
	const char *as = words_key(words, "as"), *on = words_key(words, "on");
	const char *id = words_key(words, "id");
	struct trailer t = { .task = task, .buffer = p->current };

	t.time_ns = program_time(p, words);
	t.zero = !t.time_ns;
	if (as)
		t.task = words_to_task(words, as);
	if (on)
		t.buffer = words_to_u32(words, on);
	if (t.buffer >= p->opts.buffer_count)
		die_at(&words->place, "%s: there is no CPU %s; say cpus= in a 'file' statement",
		       words->keyword, on);
	t.cpu = p->opts.buffers[t.buffer].cpu;
	t.has_id = id;
	t.id = id ? words_to_number(words, id) : 0;
	return t;
}

void program_record(struct program *p, uint32_t type, uint16_t misc, const struct buffer *body,
		    const struct trailer *trailer)
{
	if (p->recording)
		recording_record(p->recording, type, misc, body, trailer);
}

struct known_task *program_task(struct program *p, struct task task)
{
	struct known_task *known = (void *)p->known.bytes;
	size_t n = p->known.n / sizeof(*known);
	struct known_task add = { .task = task };

	/* the youngest of that id */
	for (size_t i = n; i-- > 0;)
		if (known[i].task.tid == task.tid && known[i].task.pid == task.pid)
			return &known[i];
	if (!task.tid)
		memcpy(add.comm, "swapper", sizeof("swapper"));
	buffer_put(&p->known, &add, sizeof(add));
	return (struct known_task *)(void *)p->known.bytes + n;
}

/* ---- running a text ------------------------------------------------------- */

static bool run_one(const struct statement *list, struct program *p, struct words *words)
{
	for (; list->keyword; list++) {
		if (strcmp(list->keyword, words->keyword) != 0)
			continue;
		list->run(p, words);
		words_done(words);
		return true;
	}
	return false;
}

static bool is_in(const struct statement *list, const char *keyword)
{
	for (; list->keyword; list++)
		if (!strcmp(list->keyword, keyword))
			return true;
	return false;
}

static void put_one_packet(struct program *p, const struct words *words,
			   const struct spe_packet *packet)
{
	struct stream *s = &p->streams[p->current];

	packet_put(&words->place, packet, stream_position(s), &s->bytes);
}

static void run(struct program *p, struct words *words)
{
	struct spe_packet packet;

	if (is_in(setup_statements, words->keyword) || run_one(trace_statements, p, words) ||
	    run_one(sideband_statements, p, words))
		return;
	if (!packet_parse(words, p->opts.kernel_el, &packet))
		die_at(&words->place, "there is no statement '%s'", words->keyword);
	put_one_packet(p, words, &packet);
}

/* Every line as words; the array ends with one without a keyword. */
static struct words *split_text(const struct assembly *a, size_t *count)
{
	struct place place = { a->name, 0 };
	const char *at = a->n ? a->text : "", *end = at + a->n;
	struct buffer all = { 0 };

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		struct words words;

		place.line++;
		if (words_split(&words, &place, at, (size_t)(line_end - at)))
			buffer_put(&all, &words, sizeof(words));
		at = line_end + (newline ? 1 : 0);
	}
	*count = all.n / sizeof(struct words);
	return (struct words *)(void *)all.bytes;
}

/* The index of the statement that closes the loop opened at i. */
static size_t closing(const struct words *lines, size_t count, size_t i)
{
	unsigned depth = 0;

	for (size_t j = i; j < count; j++) {
		if (!strcmp(lines[j].keyword, "repeat"))
			depth++;
		else if (!strcmp(lines[j].keyword, "again") && !--depth)
			return j;
	}
	die_at(&lines[i].place, "repeat: there is no 'again' for it");
}

/* Statements first <= i < last. */
static void run_block(struct program *p, struct words *lines, size_t count, size_t first,
		      size_t last)
{
	for (size_t i = first; i < last; i++) {
		struct words *words = &lines[i];

		words_again(words);
		if (!strcmp(words->keyword, "again"))
			die_at(&words->place, "again: there is no 'repeat' before it");
		if (!strcmp(words->keyword, "repeat")) {
			uint64_t times = words_number(words, "how often");
			size_t end = closing(lines, count, i);

			words_done(words);
			while (times--)
				run_block(p, lines, count, i + 1, end);
			i = end;
		} else {
			run(p, words);
		}
	}
}

/* ---- all of it ------------------------------------------------------------ */

static void set_up(struct program *p, const struct assembly *a, struct words *lines, size_t count)
{
	struct place place = { "--set", 1 };
	struct buffer setting = { 0 };
	struct words words;

	recording_defaults(&p->opts);
	p->shape = SHAPE_NEOVERSE;
	for (size_t i = 0; i < count; i++)
		if (!run_one(setup_statements, p, &lines[i]))
			setup_scan(p, &lines[i]);
	if (a->settings) {
		buffer_printf(&setting, "file %s", a->settings);
		if (words_split(&words, &place, (char *)setting.bytes, setting.n))
			run_one(setup_statements, p, &words);
		words_free(&words);
		buffer_free(&setting);
	}
	setup_finish(p);
	p->streams = need(calloc(p->opts.buffer_count, sizeof(*p->streams)));
	for (size_t i = 0; i < p->opts.buffer_count; i++)
		p->streams[i].contexts = p->opts.kernel_el >= 2 ? CONTEXTS_EL2 : CONTEXTS_EL1;
}

/* The stream whose bytes are wanted: the one with any, or that of --cpu. */
static size_t wanted_stream(const struct program *p, const struct assembly *a)
{
	size_t found = 0;

	if (a->cpu >= 0) {
		if ((size_t)a->cpu >= p->opts.buffer_count)
			die("%s has no CPU %d", a->name, a->cpu);
		return (size_t)a->cpu;
	}
	for (size_t i = 1; i < p->opts.buffer_count; i++) {
		if (!p->streams[i].bytes.n)
			continue;
		if (p->streams[found].bytes.n)
			die("%s fills several AUX buffers; choose one with --cpu", a->name);
		found = i;
	}
	return found;
}

static void take_bytes(struct program *p, const struct assembly *a)
{
	const struct stream *s = &p->streams[wanted_stream(p, a)];

	buffer_put(a->out, s->bytes.bytes, s->bytes.n);
}

/* What streams still hold goes out, as at the end of a recording. */
static void write_rest(struct program *p)
{
	for (size_t i = 0; i < p->opts.buffer_count; i++) {
		struct trailer t = { .buffer = i, .time_ns = p->now_ns, .zero = !p->now_ns };

		t.cpu = p->opts.buffers[i].cpu;
		t.task = stream_task(p, i);
		if (p->streams[i].bytes.n)
			stream_write(p, i, true, 0, &t);
	}
	recording_record(p->recording, SPE_PERF_FINISHED_ROUND, 0, NULL, NULL);
	recording_finish(p->recording);
}

static void free_program(struct program *p)
{
	for (size_t i = 0; i < p->opts.buffer_count; i++) {
		buffer_free(&p->streams[i].bytes);
		buffer_free(&p->streams[i].rows);
	}
	for (size_t i = 0; i < p->opts.feature_count; i++)
		buffer_free(&p->opts.features[i].body);
	free(p->opts.features);
	free(p->opts.buffers);
	free(p->opts.cores);
	free(p->streams);
	buffer_free(&p->known);
}

void assemble(const struct assembly *a)
{
	struct program p = { 0 };
	struct words *lines;
	size_t count;

	lines = split_text(a, &count);
	set_up(&p, a, lines, count);
	if (a->path)
		p.recording = recording_new(a->path, &p.opts);
	if (a->truth_path)
		p.truth = truth_new(a->truth_path);
	run_block(&p, lines, count, 0, count);
	if (a->path)
		write_rest(&p);
	else
		take_bytes(&p, a);
	for (size_t i = 0; i < p.opts.buffer_count; i++)
		stream_write_truth(&p, &p.streams[i]);
	if (p.truth)
		truth_finish(p.truth);
	for (size_t i = 0; i < count; i++)
		words_free(&lines[i]);
	free(lines);
	free_program(&p);
}
