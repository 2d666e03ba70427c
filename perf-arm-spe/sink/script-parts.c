/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps put together: text that repeats is kept and copied. */
#include "script.h"

static char *run_steps(char *at, const struct script_line *line, const struct script_part *part)
{
	for (size_t i = 0; i < part->count; i++)
		at = part->steps[i].emit(at, line, &part->steps[i]);
	return at;
}

/* A column by itself: straight to its function. */
static char *emit_column(char *at, const struct script_line *line, const struct script_part *part)
{
	return part->steps->value(at, line);
}

/* Text of a part that was just written, to be copied from now on. */
static void keep(struct script_kept *kept, const char *text, const char *end)
{
	kept->bytes = (uint32_t)(end - text);
	memcpy(kept->text, text, kept->bytes);
}

static char *copy_kept(char *at, const struct script_kept *kept)
{
	memcpy(at, kept->text, SCRIPT_KEPT);
	return at + kept->bytes;
}

/* ---- the owner ------------------------------------------------------------------------ */

static bool same_owner(const struct script_owner *owner, const struct spe_sample *sample)
{
	return owner->tid == sample->tid && owner->stream == sample->stream &&
	       owner->comm == sample->comm && owner->pid == sample->pid &&
	       owner->cpu == sample->cpu && owner->kept.bytes;
}

/* Apart, so that the usual way through emit_owner() saves no registers. */
static __attribute__((noinline)) char *new_owner(char *at, const struct script_line *line,
						 const struct script_part *part,
						 struct script_owner *owner)
{
	const struct spe_sample *sample = line->sample;
	char *end = run_steps(at, line, part);

	owner->kept.bytes = 0;
	if (end - at > SCRIPT_KEPT)
		return end;
	*owner = (struct script_owner){ .stream = sample->stream,
					.comm = sample->comm,
					.pid = sample->pid,
					.tid = sample->tid,
					.cpu = sample->cpu };
	keep(&owner->kept, at, end);
	return end;
}

static char *emit_owner(char *at, const struct script_line *line, const struct script_part *part)
{
	const struct spe_sample *sample = line->sample;
	struct script_owner *owner = &line->cache->owners[sample->stream % SCRIPT_OWNERS];

	if (same_owner(owner, sample))
		return copy_kept(at, &owner->kept);
	return new_owner(at, line, part, owner);
}

/* ---- the event ------------------------------------------------------------------------- */

static char *emit_event(char *at, const struct script_line *line, const struct script_part *part)
{
	(void)part;
	return copy_kept(at, &line->script->events[line->event]);
}

/* Write the text of every event; false if one is too long to be kept. */
static bool keep_events(struct spe_script *script, const struct script_part *part)
{
	char text[SCRIPT_FIELDS_MAX * 4];
	struct script_line line = { .script = script };

	for (line.event = 0; line.event < SPE_SYNTH_EVENTS; line.event++) {
		char *end = run_steps(text, &line, part);

		if (end - text > SCRIPT_KEPT)
			return false;
		keep(&script->events[line.event], text, end);
	}
	return true;
}

/* ---- the time --------------------------------------------------------------------------- */

/* "  123." is kept, and only the digits of its fraction are made. */
static __attribute__((noinline)) void new_second(struct script_cache *cache, uint64_t time_ns)
{
	char *text = cache->second.text;
	char *end = spe_put_dec_pad(text, time_ns / 1000000000u, 5, ' ');

	*end++ = '.';
	cache->second.bytes = (uint32_t)(end - text);
	cache->second_ns = time_ns - time_ns % 1000000000u;
}

/* Room for a second's text: 20 digits and the point. */
#define SECOND_BYTES 24u

static inline char *put_second(char *at, struct script_cache *cache, uint64_t time_ns)
{
	if (time_ns - cache->second_ns >= 1000000000u || !cache->second.bytes)
		new_second(cache, time_ns);
	memcpy(at, cache->second.text, SECOND_BYTES);
	return at + cache->second.bytes;
}

static char *put_colon(char *at)
{
	*at++ = ':';
	*at++ = ' ';
	return at;
}

static char *emit_time_us(char *at, const struct script_line *line, const struct script_part *part)
{
	uint32_t us;

	if (!line->sample->has_time)
		return run_steps(at, line, part);
	at = put_second(at, line->cache, line->sample->time_ns);
	us = (uint32_t)(line->sample->time_ns - line->cache->second_ns) / 1000;
	at = spe_put_pair(at, us / 10000);
	at = spe_put_pair(at, us / 100 % 100);
	return put_colon(spe_put_pair(at, us % 100));
}

static char *emit_time_ns(char *at, const struct script_line *line, const struct script_part *part)
{
	if (!line->sample->has_time)
		return run_steps(at, line, part);
	at = put_second(at, line->cache, line->sample->time_ns);
	at = spe_put_dec9(at, (uint32_t)(line->sample->time_ns - line->cache->second_ns));
	return put_colon(at);
}

/* ---- putting together --------------------------------------------------------------------- */

void spe_script_cache_init(struct script_cache *cache)
{
	memset(cache, 0, sizeof(*cache));
}

/* How many steps from the first depend on the same thing alone. */
static size_t group(const struct script_step *steps, size_t count)
{
	size_t n = 1;

	while (n < count && steps->depends != SCRIPT_ON_RECORD &&
	       steps[n].depends == steps->depends)
		n++;
	return n;
}

static void choose_emit(struct spe_script *script, struct script_part *part, bool *owner_done)
{
	part->emit = part->count == 1 && part->steps->is_column ? emit_column : run_steps;
	if (part->steps->value == spe_script_column_time_us) {
		part->emit = emit_time_us;
	} else if (part->steps->value == spe_script_column_time_ns) {
		part->emit = emit_time_ns;
	} else if (part->steps->depends == SCRIPT_ON_OWNER && !*owner_done) {
		/* One place a stream: only the first such part may use it. */
		part->emit = emit_owner;
		*owner_done = true;
	} else if (part->steps->depends == SCRIPT_ON_EVENT && !script->event_part &&
		   keep_events(script, part)) {
		part->emit = emit_event;
		script->event_part = part;
	}
}

void spe_script_parts(struct spe_script *script)
{
	bool owner_done = false;

	for (size_t i = 0; i < script->step_count;) {
		struct script_part *part = &script->parts[script->part_count++];

		part->steps = &script->steps[i];
		part->count = group(part->steps, script->step_count - i);
		choose_emit(script, part, &owner_done);
		i += part->count;
	}
	/* Kept text is copied whole, beyond its end. */
	script->line_room += 2 * SCRIPT_KEPT;
}
