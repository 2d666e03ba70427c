/* SPDX-License-Identifier: GPL-2.0-only */
/* Who ran when on each CPU, as each witness in the file tells it. */
#include "timeline.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const source_names[TIMELINE_SOURCES] = {
	[TIMELINE_SPE] = "spe",
	[TIMELINE_ETM] = "etm",
	[TIMELINE_SWITCH] = "switch",
};

#define NS_PER_S 1000000000u

static void put_time(struct spe_text *text, bool known, uint64_t ns)
{
	if (known)
		spe_text_printf(text, "%6" PRIu64 ".%09u", ns / NS_PER_S,
				(unsigned)(ns % NS_PER_S));
	else
		spe_text_printf(text, "%16s", "-");
}

static void put_line(struct timeline *t, const struct timeline_stretch *s)
{
	const char *comm = spe_recording_comm(t->recording, s->comm);

	if (s->cpu < 0)
		spe_text_str(t->text, "[  -] ");
	else
		spe_text_printf(t->text, "[%03d] ", s->cpu);
	put_time(t->text, s->has_time && !s->no_from, s->from_ns);
	spe_text_str(t->text, s->bounds_only ? " .. " : " -  ");
	put_time(t->text, s->has_time && !s->no_to, s->to_ns);
	spe_text_printf(t->text, "  %-6s %7d/%-7d ", source_names[s->source], s->pid, s->tid);
	if (comm)
		spe_text_name(t->text, comm);
	else
		spe_text_printf(t->text, ":%d", s->tid);
	if (s->count)
		spe_text_printf(t->text, "  (%" PRIu64 ")", s->count);
	spe_text_char(t->text, '\n');
}

static void put_row(struct timeline *t, const struct timeline_stretch *s)
{
	struct spe_json *json = &t->json;

	spe_json_row(json, NULL);
	spe_json_string(json, "source", source_names[s->source]);
	spe_json_id(json, "cpu", s->cpu);
	spe_json_id(json, "pid", s->pid);
	spe_json_id(json, "tid", s->tid);
	spe_json_string(json, "comm", spe_recording_comm(t->recording, s->comm));
	if (s->has_time && !s->no_from)
		spe_json_u64(json, s->bounds_only ? "after_ns" : "from_ns", s->from_ns);
	if (s->has_time && !s->no_to)
		spe_json_u64(json, s->bounds_only ? "before_ns" : "to_ns", s->to_ns);
	if (s->count)
		spe_json_u64(json, "count", s->count);
	spe_json_object_end(json);
}

int timeline_put(struct timeline *t, const struct timeline_stretch *s)
{
	t->printed++;
	if (t->opts->format == SPE_FORMAT_JSON)
		put_row(t, s);
	else
		put_line(t, s);
	return t->text->status;
}

/* ---- ETM needs a reading of its own, and has something to say about it -------------- */

static void etm_totals_say(const struct timeline *t, const struct spe_etm *etm)
{
	const struct spe_etm_totals *totals = spe_etm_totals(etm);
	const struct spe_listener *listener = &t->opts->listener;
	uint64_t before = 0, bad = 0;
	bool timestamps = false;

	for (size_t i = 0; i < spe_etm_sources(etm); i++) {
		before += spe_etm_stats(etm, i)->before_sync_bytes;
		bad += spe_etm_stats(etm, i)->bad_packets;
		timestamps |= spe_etm_stats(etm, i)->timestamps > 0;
	}
	if (totals->missing_bytes)
		spe_log(listener, SPE_LOG_WARNING,
			"the AUX records promise %" PRIu64 " bytes of CoreSight trace, %" PRIu64
			" of them are not in the file",
			totals->promised_bytes, totals->missing_bytes);
	if (totals->truncated || before || bad || totals->fatal_errors)
		spe_log(listener, SPE_LOG_NOTE,
			"CoreSight trace: %" PRIu64 " AUX records truncated, %" PRIu64
			" bytes before synchronisation, %" PRIu64 " bad packets, %" PRIu64
			" restarts",
			totals->truncated, before, bad, totals->fatal_errors);
	if (!timestamps && totals->buffers)
		spe_log(listener, SPE_LOG_NOTE,
			"the CoreSight trace has no timestamps: the times of its AUX records only "
			"bound a stretch (`..` stands between them)");
}

static int spe_print(struct timeline *t, bool asked, struct spe_error *error)
{
	int status = timeline_spe(t, error);

	if (!status && asked && !t->printed && t->opts->cpu < 0)
		return spe_error_set(error, SPE_NOT_FOUND,
				     "the SPE trace has no contexts that name a thread");
	return status;
}

static int etm_print(struct timeline *t, bool asked, struct spe_error *error)
{
	struct spe_etm *etm;
	int status = spe_etm_new(spe_recording_perfdata(t->recording), &etm, error);

	if (status == SPE_NOT_FOUND)
		return asked ? spe_error_set(error, status, "the file has no CoreSight trace")
			     : SPE_OK;
	if (status)
		return status;
	etm_totals_say(t, etm);
	status = timeline_etm(t, etm);
	spe_etm_free(etm);
	return status;
}

/* ---- the whole ---------------------------------------------------------------------- */

static int sources_wanted(const char *name, bool wanted[TIMELINE_SOURCES])
{
	bool found = false;

	for (unsigned i = 0; i < TIMELINE_SOURCES; i++) {
		wanted[i] = !name || !strcmp(name, source_names[i]);
		found |= wanted[i];
	}
	return found ? SPE_OK : SPE_INVALID;
}

static int print_all(struct timeline *t, const bool wanted[TIMELINE_SOURCES],
		     struct spe_error *error)
{
	const struct spe_recording_facts *facts = spe_recording_facts(t->recording);
	bool asked = t->opts->source != NULL;
	int status = SPE_OK;

	if (wanted[TIMELINE_SPE] && spe_recording_streams(t->recording))
		status = spe_print(t, asked, error);
	else if (asked && wanted[TIMELINE_SPE])
		status = spe_error_set(error, SPE_NOT_FOUND, "the file has no SPE trace");
	if (!status && wanted[TIMELINE_ETM])
		status = etm_print(t, asked, error);
	if (!status && wanted[TIMELINE_SWITCH]) {
		if (facts->has_switches || facts->has_sched)
			status = timeline_switch(t);
		else if (asked)
			status = spe_error_set(error, SPE_NOT_FOUND,
					       "the file has no switch records");
	}
	return status;
}

/* As dump answers: a CPU the file does not have is a mistake, one that was idle is none. */
static int check_cpu(const struct timeline *t, struct spe_error *error)
{
	if (t->printed || t->opts->cpu < 0)
		return SPE_OK;
	for (size_t i = 0; i < spe_recording_streams(t->recording); i++)
		if (spe_recording_stream(t->recording, i)->cpu == t->opts->cpu)
			return SPE_OK;
	return spe_error_set(error, SPE_NOT_FOUND, "%s: no trace of CPU %d in this file",
			     spe_perfdata_info(spe_recording_perfdata(t->recording))->path,
			     t->opts->cpu);
}

int spe_timeline_print(const struct spe_recording *recording, const struct spe_timeline_opts *opts,
		       const struct spe_out *out, struct spe_error *error)
{
	struct timeline t = { .recording = recording, .opts = opts };
	bool wanted[TIMELINE_SOURCES];
	int status, flushed;

	if (sources_wanted(opts->source, wanted))
		return spe_error_set(
			error, SPE_INVALID,
			"--source: there is no witness '%s': spe, etm and switch are known",
			opts->source);
	t.text = malloc(sizeof(*t.text));
	if (!t.text)
		return spe_error_set(error, SPE_NOMEM, "out of memory");
	spe_text_init(t.text, out);
	if (opts->format == SPE_FORMAT_JSON) {
		spe_json_init(&t.json, t.text, true);
		spe_json_array(&t.json, NULL);
	}
	status = print_all(&t, wanted, error);
	if (!status)
		status = check_cpu(&t, error);
	if (opts->format == SPE_FORMAT_JSON) {
		spe_json_array_end(&t.json);
		spe_json_end(&t.json);
	}
	flushed = spe_text_flush(t.text);
	free(t.text);
	return status ? status : flushed;
}
