/* SPDX-License-Identifier: GPL-2.0-only */
#include "script.h"

#include <stdlib.h>

#include "../base/opts.h"

/* Lines are collected up to here before they are written. */
#define BUFFER_BYTES 65536u

/* What one worker has not written yet. */
struct script_partial {
	struct script_cache cache;
	struct script_symbols *symbols; /* NULL: no field wants them */
	size_t used;
	char bytes[]; /* BUFFER_BYTES + line_room */
};

/* ---- writing ------------------------------------------------------------------------ */

static int write_out(struct spe_script *script, const char *bytes, size_t n)
{
	int status = SPE_OK;

	pthread_mutex_lock(&script->lock);
	if (n)
		status = script->out.write(script->out.priv, bytes, n);
	pthread_mutex_unlock(&script->lock);
	return status;
}

static int flush_partial(struct spe_script *script, struct script_partial *partial)
{
	size_t n = partial->used;

	partial->used = 0;
	return write_out(script, partial->bytes, n);
}

static int write_header(struct spe_script *script)
{
	char text[SCRIPT_FIELDS_MAX * sizeof(script->steps[0].prefix_text)];

	if (script->header_done || script->format != SPE_FORMAT_CSV)
		return SPE_OK;
	script->header_done = true;
	return script->out.write(script->out.priv, text, spe_script_header(script, text));
}

/* Every key of a JSON object brings a comma: the first becomes the brace. */
static char *close_object(char *start, char *at)
{
	if (at == start)
		at++;
	*start = '{';
	*at++ = '}';
	return at;
}

static inline char *run_program(const struct spe_script *script, char *at,
				const struct script_line *line)
{
	const struct script_part *part = script->parts;
	const struct script_part *end = part + script->part_count;
	char *start = at;

	for (; part < end; part++)
		at = part->emit(at, line, part);
	if (script->format == SPE_FORMAT_JSON)
		at = close_object(start, at);
	*at++ = '\n';
	return at;
}

/* ---- the sink ------------------------------------------------------------------------ */

static int script_begin(void *sink, unsigned worker, void **partial)
{
	struct spe_script *script = sink;
	struct script_partial *made;
	int status;

	(void)worker;
	pthread_mutex_lock(&script->lock);
	status = write_header(script);
	pthread_mutex_unlock(&script->lock);
	if (status)
		return status;
	made = malloc(sizeof(*made) + BUFFER_BYTES + script->line_room);
	if (!made)
		return SPE_NOMEM;
	made->used = 0;
	made->symbols = NULL;
	spe_script_cache_init(&made->cache);
	if (script->symbols)
		status = spe_script_symbols_new(script, &made->symbols);
	if (status) {
		free(made);
		return status;
	}
	*partial = made;
	return SPE_OK;
}

static int add_line(struct spe_script *script, struct script_partial *partial,
		    const struct script_line *line)
{
	char *end = run_program(script, partial->bytes + partial->used, line);

	if (line->symbols && line->symbols->lookup.status) /* "[unknown]" would not be true */
		return line->symbols->lookup.status;
	partial->used = (size_t)(end - partial->bytes);
	return partial->used < BUFFER_BYTES ? SPE_OK : flush_partial(script, partial);
}

/* The events to show of a sample: an INSTRUCTIONS one only when its period is full. */
static uint32_t select_events(struct spe_script *script, const struct spe_sample *sample)
{
	uint32_t events = spe_itrace_select(&script->itrace, &sample->record);
	uint32_t instructions = 1u << SPE_SYNTH_INSTRUCTIONS;

	if (events & instructions && script->itrace.period > 1) {
		if (++script->due[sample->stream] < script->itrace.period)
			return events & ~instructions;
		script->due[sample->stream] = 0;
	}
	return events;
}

static int add_events(struct spe_script *script, struct script_partial *partial,
		      struct script_line *line)
{
	uint32_t events = select_events(script, line->sample);
	int status = SPE_OK;

	for (; events && !status; events &= events - 1) {
		line->event = (unsigned)__builtin_ctz(events);
		status = add_line(script, partial, line);
	}
	return status;
}

static int script_batch(void *sink, void *partial_, struct spe_sample *samples, size_t count)
{
	struct spe_script *script = sink;
	struct script_partial *partial = partial_;
	struct script_line line = {
		.script = script,
		.cache = &partial->cache,
		.symbols = partial->symbols,
		.event = SPE_SYNTH_INSTRUCTIONS,
	};
	int status = SPE_OK;

	for (size_t i = 0; i < count && !status; i++) {
		line.sample = &samples[i];
		line.midr = script->midrs[samples[i].stream];
		if (line.symbols)
			line.code = spe_lookup_code(&line.symbols->lookup, &samples[i]);
		status = script->plain ? add_line(script, partial, &line)
				       : add_events(script, partial, &line);
	}
	return status;
}

static int script_merge(void *sink, void *partial)
{
	int status = flush_partial(sink, partial);

	spe_script_symbols_free(((struct script_partial *)partial)->symbols);
	free(partial);
	return status;
}

static int script_end(void *sink, const struct spe_run_stats *stats)
{
	struct spe_script *script = sink;

	(void)stats;
	return write_header(script);
}

/* ---- making one ------------------------------------------------------------------------ */

static int per_stream(struct spe_script *script)
{
	size_t streams = spe_recording_streams(script->recording);

	script->due = calloc(streams ? streams : 1, sizeof(*script->due));
	script->midrs = calloc(streams ? streams : 1, sizeof(*script->midrs));
	if (!script->due || !script->midrs)
		return SPE_NOMEM;
	for (size_t i = 0; i < streams; i++)
		script->midrs[i] = spe_recording_stream(script->recording, i)->midr;
	return SPE_OK;
}

static int set_up(struct spe_script *script, const struct spe_script_opts *opts,
		  struct spe_error *error)
{
	uint32_t instructions = 1u << SPE_SYNTH_INSTRUCTIONS;
	int status = spe_itrace_parse(opts->itrace ? opts->itrace : "i1i", &script->itrace, error);

	if (!status)
		status = spe_script_program(script, opts->fields, error);
	if (status)
		return status;
	for (unsigned i = 0; i < SPE_SYNTH_EVENTS; i++) {
		unsigned n = (unsigned)strlen(spe_synth_name(i));

		if (script->itrace.events >> i & 1 && n > script->event_columns)
			script->event_columns = n;
	}
	script->plain = script->itrace.events == instructions && script->itrace.period == 1;
	if (!script->plain)
		script->ops.want |= SPE_SYNTH_WANT;
	/* A period is counted in one order, whatever the threads do. */
	script->ops.ordered = !opts->unordered || script->itrace.period > 1;
	status = per_stream(script);
	if (!status && script->wants_symbols)
		status = spe_symbols_open(spe_recording_perfdata(script->recording), opts->symbols,
					  &script->symbols);
	if (!status && script->ops.names)
		status = spe_script_names(script);
	if (!status)
		spe_script_parts(script);
	return status;
}

int spe_script_new(const struct spe_recording *recording, const struct spe_script_opts *opts,
		   struct spe_script **script, struct spe_error *error)
{
	static const struct spe_sink_ops ops = {
		.name = "script",
		.want = SPE_HAS_TIMESTAMP, /* never 0, which would mean all */
		.begin = script_begin,
		.batch = script_batch,
		.merge = script_merge,
		.end = script_end,
	};
	struct spe_script_opts o;
	struct spe_script *made;
	int status;

	if (!recording || spe_opts_take(&o, opts) || !o.out.write || o.format > SPE_FORMAT_CSV)
		return spe_error_set(error, SPE_INVALID, "script: options are not valid");
	made = calloc(1, sizeof(*made));
	if (!made)
		return spe_error_set(error, SPE_NOMEM, "script: out of memory");
	pthread_mutex_init(&made->lock, NULL);
	made->recording = recording;
	made->out = o.out;
	made->format = o.format;
	made->ns = o.ns;
	made->ops = ops;
	made->host_el = spe_recording_facts(recording)->host_el;
	status = set_up(made, &o, error);
	if (status) {
		spe_script_free(made);
		return status;
	}
	*script = made;
	return SPE_OK;
}

void spe_script_free(struct spe_script *script)
{
	if (!script)
		return;
	pthread_mutex_destroy(&script->lock);
	spe_symbols_free(script->symbols);
	free(script->comms);
	free(script->names);
	free(script->due);
	free(script->midrs);
	free(script);
}

const struct spe_sink_ops *spe_script_ops(const struct spe_script *script)
{
	return &script->ops;
}
