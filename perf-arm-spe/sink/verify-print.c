/* SPDX-License-Identifier: GPL-2.0-only */
/* What verify found: a table per CPU, one per process, the spans, and a verdict. */
#include "json.h"
#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>

/* Spans printed one by one as text; JSON has all that were kept. */
#define SPANS_SHOWN 20u

static const struct {
	const char *word, *sentence;
} beliefs[] = {
	[SPE_BELIEVE_EITHER] = { "either", "" },
	[SPE_BELIEVE_CONTEXTS] = { "contexts",
				   "Believe the contexts: side-band was lost, and switch records "
				   "with it." },
	[SPE_BELIEVE_SWITCHES] = { "switches",
				   "Believe the switch records: the context stays the same while "
				   "tasks change, as a register does that nobody writes." },
	[SPE_BELIEVE_NEITHER] = { "neither",
				  "Nothing in the file explains it.  Contexts cannot be lost or "
				  "reordered, switch records can." },
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct verify_process *x = *(struct verify_process *const *)a;
	const struct verify_process *y = *(struct verify_process *const *)b;

	if (x->compared != y->compared)
		return x->compared < y->compared ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The processes, most samples first; caller frees.  NULL when out of memory. */
static struct verify_process **processes_sorted(const struct spe_verify *verify, size_t *n)
{
	struct verify_process **all, *p, *next;

	*n = 0;
	all = malloc((HASH_COUNT(verify->processes) + 1) * sizeof(struct verify_process *));
	if (!all)
		return NULL;
	HASH_ITER (hh, verify->processes, p, next)
		all[(*n)++] = p;
	qsort(all, *n, sizeof(struct verify_process *), compare_processes);
	return all;
}

/* ---- text ------------------------------------------------------------------ */

static void text_cpus(const struct spe_verify *verify, struct spe_text *text)
{
	spe_text_printf(text, "# %6s %12s %12s %9s %12s %12s %12s %12s %12s\n", "CPU", "compared",
			"agree", "%", "part", "in window", "no switch", "no context",
			"untranslated");
	for (size_t i = 0; i < spe_recording_streams(verify->recording); i++) {
		const struct verify_cpu *c = &verify->cpus[i];

		spe_text_printf(text,
				"  %6d %12" PRIu64 " %12" PRIu64 " %9.2f %12" PRIu64 " %12" PRIu64
				" %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
				spe_recording_stream(verify->recording, i)->cpu, c->compared,
				c->agree, percent(c->agree, c->compared), c->compared - c->agree,
				c->in_window, c->no_switch, c->no_context, c->untranslated);
	}
}

static void text_processes(const struct spe_verify *verify, struct spe_text *text,
			   struct verify_process *const *all, size_t n)
{
	spe_text_printf(text, "#\n# %6s %12s %12s %9s  %s\n", "pid", "compared", "agree", "%",
			"process");
	for (size_t i = 0; i < n; i++) {
		const char *comm = spe_recording_comm(verify->recording, all[i]->comm);

		spe_text_printf(text, "  %6d %12" PRIu64 " %12" PRIu64 " %9.2f  ", all[i]->pid,
				all[i]->compared, all[i]->agree,
				percent(all[i]->agree, all[i]->compared));
		spe_text_name(text, comm ? comm : "(unknown)");
		spe_text_char(text, '\n');
	}
}

static void text_spans(const struct spe_verify *verify, struct spe_text *text)
{
	size_t shown = verify->spans.count < SPANS_SHOWN ? verify->spans.count : SPANS_SHOWN;

	if (!shown)
		return;
	spe_text_printf(text, "#\n# Where they part (%" PRIu64 " %s", verify->result.spans,
			verify->result.spans == 1 ? "span" : "spans");
	if (verify->result.spans > shown)
		spe_text_printf(text, ", the first %zu", shown);
	spe_text_str(text, "):\n");
	for (size_t i = 0; i < shown; i++) {
		const struct verify_span *s = &verify->spans.items[i];

		spe_text_printf(text,
				"  CPU %d  %" PRIu64 ".%09u - %" PRIu64 ".%09u: %" PRIu64
				" sample%s, context %d, switch %d\n",
				s->cpu, s->first_ns / 1000000000,
				(unsigned)(s->first_ns % 1000000000), s->last_ns / 1000000000,
				(unsigned)(s->last_ns % 1000000000), s->samples,
				s->samples == 1 ? "" : "s", s->context_tid, s->switch_tid);
	}
}

static void text_verdict(const struct spe_verify *verify, struct spe_text *text)
{
	const struct spe_verify_result *r = &verify->result;

	spe_text_str(text, "#\n");
	if (r->etm_compared)
		spe_text_printf(text,
				"# Contexts and ETM trace agree on %" PRIu64 " of %" PRIu64
				" samples (%.2f %%).\n",
				r->etm_agree, r->etm_compared,
				percent(r->etm_agree, r->etm_compared));
	if (r->lost_events)
		spe_text_printf(text, "# The kernel lost %" PRIu64 " side-band events.\n",
				r->lost_events);
	if (!r->compared)
		spe_text_str(text, "# Nothing could be compared: it takes samples that have both a "
				   "context packet and switch records around them.\n");
	else
		spe_text_printf(text,
				"# Contexts and switches agree on %" PRIu64 " of %" PRIu64
				" samples (%.2f %%), and part on %" PRIu64 ".\n",
				r->agree, r->compared, percent(r->agree, r->compared), r->part);
	if (*beliefs[r->belief].sentence)
		spe_text_printf(text, "# %s\n", beliefs[r->belief].sentence);
}

/* ---- JSON ------------------------------------------------------------------- */

static void json_cpus(const struct spe_verify *verify, struct spe_json *json)
{
	spe_json_array(json, "cpus");
	for (size_t i = 0; i < spe_recording_streams(verify->recording); i++) {
		const struct verify_cpu *c = &verify->cpus[i];

		spe_json_row(json, NULL);
		spe_json_id(json, "cpu", spe_recording_stream(verify->recording, i)->cpu);
		spe_json_u64(json, "compared", c->compared);
		spe_json_u64(json, "agree", c->agree);
		spe_json_u64(json, "in_window", c->in_window);
		spe_json_u64(json, "no_switch", c->no_switch);
		spe_json_u64(json, "no_context", c->no_context);
		spe_json_u64(json, "untranslated", c->untranslated);
		spe_json_object_end(json);
	}
	spe_json_array_end(json);
}

static void json_processes(const struct spe_verify *verify, struct spe_json *json,
			   struct verify_process *const *all, size_t n)
{
	spe_json_array(json, "processes");
	for (size_t i = 0; i < n; i++) {
		spe_json_row(json, NULL);
		spe_json_id(json, "pid", all[i]->pid);
		spe_json_string(json, "comm", spe_recording_comm(verify->recording, all[i]->comm));
		spe_json_u64(json, "compared", all[i]->compared);
		spe_json_u64(json, "agree", all[i]->agree);
		spe_json_object_end(json);
	}
	spe_json_array_end(json);
}

static void json_spans(const struct spe_verify *verify, struct spe_json *json)
{
	spe_json_array(json, "spans");
	for (size_t i = 0; i < verify->spans.count; i++) {
		const struct verify_span *s = &verify->spans.items[i];

		spe_json_row(json, NULL);
		spe_json_id(json, "cpu", s->cpu);
		spe_json_u64(json, "first_ns", s->first_ns);
		spe_json_u64(json, "last_ns", s->last_ns);
		spe_json_u64(json, "samples", s->samples);
		spe_json_id(json, "context_tid", s->context_tid);
		spe_json_id(json, "switch_tid", s->switch_tid);
		spe_json_object_end(json);
	}
	spe_json_array_end(json);
}

static void json_all(const struct spe_verify *verify, struct spe_text *text,
		     struct verify_process *const *all, size_t n)
{
	const struct spe_verify_result *r = &verify->result;
	struct spe_json json;

	spe_json_init(&json, text, true);
	spe_json_object(&json, NULL);
	spe_json_u64(&json, "compared", r->compared);
	spe_json_u64(&json, "agree", r->agree);
	spe_json_u64(&json, "part", r->part);
	spe_json_u64(&json, "in_window", r->in_window);
	spe_json_u64(&json, "no_switch", r->no_switch);
	spe_json_u64(&json, "no_context", r->no_context);
	spe_json_u64(&json, "untranslated", r->untranslated);
	spe_json_u64(&json, "etm_compared", r->etm_compared);
	spe_json_u64(&json, "etm_agree", r->etm_agree);
	spe_json_u64(&json, "span_count", r->spans);
	spe_json_u64(&json, "lost_events", r->lost_events);
	spe_json_string(&json, "believe", beliefs[r->belief].word);
	json_cpus(verify, &json);
	json_processes(verify, &json, all, n);
	json_spans(verify, &json);
	spe_json_object_end(&json);
	spe_json_end(&json);
}

int spe_verify_print(const struct spe_verify *verify, uint32_t format, const struct spe_out *out)
{
	struct spe_text *text = malloc(sizeof(*text));
	struct verify_process **all;
	int status = SPE_NOMEM;
	size_t n;

	if (!text)
		return SPE_NOMEM;
	all = processes_sorted(verify, &n);
	spe_text_init(text, out);
	if (all && format == SPE_FORMAT_JSON) {
		json_all(verify, text, all, n);
	} else if (all) {
		text_cpus(verify, text);
		text_processes(verify, text, all, n);
		text_spans(verify, text);
		text_verdict(verify, text);
	}
	if (all)
		status = spe_text_flush(text);
	free(all);
	free(text);
	return status;
}
