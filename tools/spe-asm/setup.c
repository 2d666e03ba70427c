/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements about the file as a whole.  They count wherever they stand. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define CPUS_MAX 4096u
#define DEFAULT_INTERVAL 1024

static void set_cpus(const struct words *words, struct recording_opts *o, uint64_t cpus)
{
	if (cpus > CPUS_MAX)
		die_at(&words->place, "%s: more than %u CPUs", words->keyword, CPUS_MAX);
	if (cpus <= o->cpus)
		return;
	o->cores = need(realloc(o->cores, cpus * sizeof(*o->cores)));
	for (; o->cpus < cpus; o->cpus++)
		o->cores[o->cpus] = (struct core){
			.midr = UINT64_C(0x413fd0c1),
			.min_interval = DEFAULT_INTERVAL,
		};
}

static void file_statement(struct program *p, struct words *words)
{
	const char *cpus = words_key(words, "cpus");

	recording_set(&p->opts, words);
	if (cpus)
		set_cpus(words, &p->opts, words_to_number(words, cpus));
}

static void clock_statement(struct program *p, struct words *words)
{
	static const char *const places[] = { "first", "last", "none", NULL };
	struct spe_time_conv *c = &p->opts.clock;
	const char *place = words_key(words, "place");

	if (words_flag(words, "none"))
		p->opts.clock_place = CLOCK_NONE;
	if (place)
		p->opts.clock_place = words_choice(words, place, places);
	c->shift = (uint16_t)words_key_number(words, "shift", c->shift);
	c->mult = (uint32_t)words_key_number(words, "mult", c->mult);
	c->zero = words_key_number(words, "zero", c->zero);
	c->cycles = words_key_number(words, "cycles", c->cycles);
	c->mask = words_key_number(words, "mask", c->mask);
	c->cap_short = words_flag(words, "short");
}

static void core_statement(struct program *p, struct words *words)
{
	uint64_t cpu = words_number(words, "a CPU");
	struct core *core;

	set_cpus(words, &p->opts, cpu + 1);
	core = &p->opts.cores[cpu];
	core->midr = words_key_number(words, "midr", core->midr);
	core->min_interval = words_key_number(words, "min-interval", core->min_interval);
	core->event_filter = words_key_number(words, "event-filter", core->event_filter);
	core->no_spe = !words_key_bool(words, "spe", !core->no_spe);
}

static void set_string(struct words *words, const char *key, const char **value)
{
	const char *text = words_key(words, key);

	if (text)
		*value = strcmp(text, "none") != 0 ? text : NULL;
}

static void header_statement(struct program *p, struct words *words)
{
#define X(name, feature, value) set_string(words, #name, &p->opts.strings[STRING_##name]);
	RECORDING_STRINGS(X)
#undef X
	set_string(words, "cmdline", &p->opts.cmdline);
}

static struct buffer *add_feature(struct recording_opts *o, unsigned feature)
{
	o->features = need(realloc(o->features, (o->feature_count + 1) * sizeof(*o->features)));
	memset(&o->features[o->feature_count], 0, sizeof(*o->features));
	o->features[o->feature_count].feature = feature;
	return &o->features[o->feature_count++].body;
}

/* A feature section byte by byte, in the file's byte order. */
static void feature_statement(struct program *p, struct words *words)
{
	unsigned feature = words_to_byte(words, words_take(words, "a number"));
	struct buffer *body = add_feature(&p->opts, feature);
	const char *byte;

	while ((byte = words_maybe(words))) {
		char text[8] = "0x";

		if (strlen(byte) != 2)
			die_at(&words->place, "feature: not a byte: '%s'", byte);
		memcpy(text + 2, byte, 3);
		buffer_u8(body, words_to_byte(words, text));
	}
}

/* Wall clock and side-band clock at one moment: feature CLOCK_DATA. */
static void clock_data_statement(struct program *p, struct words *words)
{
	struct buffer *body = add_feature(&p->opts, SPE_FEAT_CLOCK_DATA);
	uint32_t clockid = words_to_u32(words, words_take(words, "a clock id"));
	const char *wall = words_take(words, "the wall clock");
	uint64_t wall_ns = words_to_time(words, wall, 0);
	uint64_t clock_ns = words_to_time(words, words_take(words, "the clock"), 0);
	const uint32_t version = 1;

	if (p->opts.big_endian) {
		buffer_u32(body, __builtin_bswap32(version));
		buffer_u32(body, __builtin_bswap32(clockid));
		buffer_u64(body, __builtin_bswap64(wall_ns));
		buffer_u64(body, __builtin_bswap64(clock_ns));
		return;
	}
	buffer_u32(body, version);
	buffer_u32(body, clockid);
	buffer_u64(body, wall_ns);
	buffer_u64(body, clock_ns);
}

const struct statement setup_statements[] = {
	{ "file", file_statement },
	{ "clock", clock_statement },
	{ "core", core_statement },
	{ "header", header_statement },
	{ "feature", feature_statement },
	{ "clock-data", clock_data_statement },
	{ NULL, NULL },
};

static size_t find_thread_buffer(const struct recording_opts *o, int32_t tid)
{
	size_t i = 0;

	while (i < o->buffer_count && o->buffers[i].tid != tid)
		i++;
	return i;
}

static void add_buffer(struct recording_opts *o, int32_t cpu, int32_t tid)
{
	o->buffers = need(realloc(o->buffers, (o->buffer_count + 1) * sizeof(*o->buffers)));
	o->buffers[o->buffer_count++] = (struct aux_buffer){ cpu, tid };
}

void setup_scan(struct program *p, struct words *words)
{
	struct recording_opts *o = &p->opts;
	int32_t tid;

	if (!strcmp(words->keyword, "cpu")) {
		set_cpus(words, o, words_number(words, "a number") + 1);
	} else if (!strcmp(words->keyword, "thread-buffer")) {
		tid = (int32_t)words_to_u32(words, words_take(words, "a thread"));
		if (find_thread_buffer(o, tid) == o->buffer_count)
			add_buffer(o, -1, tid);
	}
}

void setup_finish(struct program *p)
{
	struct recording_opts *o = &p->opts;

	set_cpus(&(struct words){ .keyword = "file" }, o, 1);
	for (unsigned cpu = 0; cpu < o->cpus && (!o->buffer_count || o->buffers[0].cpu >= 0); cpu++)
		add_buffer(o, (int32_t)cpu, -1);
	/* perf record --per-thread asks for no times */
	if (!o->time_said)
		o->has_time = o->buffers[0].cpu >= 0;
	o->clock.present = o->clock_place != CLOCK_NONE;
}
