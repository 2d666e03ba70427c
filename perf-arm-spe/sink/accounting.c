/* SPDX-License-Identifier: GPL-2.0-only */
#include "accounting.h"

#include <inttypes.h>

/* Streams with loss that the lines below a report name one by one. */
#define LOSS_LINES 16u

/* ---- pieces of a line -------------------------------------------------- */

void spe_text_count(struct spe_text *text, uint64_t count, const char *what)
{
	spe_text_printf(text, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

void spe_text_percent(struct spe_text *text, uint64_t part, uint64_t total)
{
	spe_text_printf(text, "%.2f%%", total ? 100.0 * (double)part / (double)total : 0.0);
}

void spe_stream_name(struct spe_text *text, const struct spe_stream_info *info)
{
	if (info->cpu >= 0)
		spe_text_printf(text, "CPU %d", info->cpu);
	else if (info->tid >= 0)
		spe_text_printf(text, "thread %d", info->tid);
	else
		spe_text_printf(text, "buffer %u", info->idx);
}

/* ---- loss -------------------------------------------------------------- */

enum loss {
	LOSS_TRUNCATED,
	LOSS_PARTIAL,
	LOSS_COLLISIONS,
	LOSS_GAPS,
	LOSS_GAP_BYTES,
	LOSS_LOST_RECORDS,
	LOSS_LOST_EVENTS,
	LOSS_KINDS
};

static const struct {
	const char *field, *one, *many;
} losses[LOSS_KINDS] = {
	[LOSS_TRUNCATED] = { "truncated", "truncated buffer", "truncated buffers" },
	[LOSS_PARTIAL] = { "partial", "partial buffer", "partial buffers" },
	[LOSS_COLLISIONS] = { "collisions", "buffer with collisions", "buffers with collisions" },
	[LOSS_GAPS] = { "gaps", "gap", "gaps" },
	[LOSS_GAP_BYTES] = { "gap_bytes", "missing byte", "missing bytes" },
	[LOSS_LOST_RECORDS] = { "lost_records", "report of lost side-band",
				"reports of lost side-band" },
	[LOSS_LOST_EVENTS] = { "lost_events", "lost side-band event", "lost side-band events" },
};

static void stream_losses(const struct spe_stream_info *info, uint64_t counts[LOSS_KINDS])
{
	counts[LOSS_TRUNCATED] = info->truncated;
	counts[LOSS_PARTIAL] = info->partial;
	counts[LOSS_COLLISIONS] = info->collisions;
	counts[LOSS_GAPS] = info->gaps;
	counts[LOSS_GAP_BYTES] = info->gap_bytes;
	counts[LOSS_LOST_RECORDS] = info->lost_records;
	counts[LOSS_LOST_EVENTS] = info->lost_events;
}

bool spe_stream_lost(const struct spe_stream_info *info)
{
	uint64_t counts[LOSS_KINDS];
	bool lost = false;

	stream_losses(info, counts);
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		lost |= counts[i] != 0;
	return lost;
}

static void text_seconds(struct spe_text *text, uint64_t ns)
{
	spe_text_done(text, spe_put_time_us(spe_text_room(text, 2 * SPE_PUT_BYTES), ns));
}

void spe_stream_loss_text(struct spe_text *text, const struct spe_stream_info *info)
{
	uint64_t counts[LOSS_KINDS];
	bool more = false;

	stream_losses(info, counts);
	for (unsigned i = 0; i < LOSS_KINDS; i++) {
		if (!counts[i])
			continue;
		spe_text_printf(text, "%s%" PRIu64 " %s", more ? ", " : "", counts[i],
				counts[i] == 1 ? losses[i].one : losses[i].many);
		more = true;
	}
	if (!info->loss_last_ns)
		return;
	spe_text_str(text, ", from ");
	text_seconds(text, info->loss_first_ns);
	spe_text_str(text, " to ");
	text_seconds(text, info->loss_last_ns);
	spe_text_str(text, " s");
}

void spe_stream_loss_json(struct spe_json *json, const struct spe_stream_info *info)
{
	uint64_t counts[LOSS_KINDS];

	stream_losses(info, counts);
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		spe_json_u64(json, losses[i].field, counts[i]);
	if (!info->loss_last_ns)
		return;
	spe_json_u64(json, "loss_first_ns", info->loss_first_ns);
	spe_json_u64(json, "loss_last_ns", info->loss_last_ns);
}

static void text_losses(struct spe_text *text, const struct spe_recording *recording)
{
	size_t streams = spe_recording_streams(recording), shown = 0, more = 0;

	for (size_t i = 0; i < streams; i++) {
		const struct spe_stream_info *info = spe_recording_stream(recording, i);

		if (!spe_stream_lost(info))
			continue;
		if (shown == LOSS_LINES) {
			more++;
			continue;
		}
		spe_text_str(text, "# Loss: ");
		spe_stream_name(text, info);
		spe_text_str(text, ": ");
		spe_stream_loss_text(text, info);
		spe_text_char(text, '\n');
		shown++;
	}
	if (more)
		spe_text_printf(text, "# Loss: %zu more like these: perf arm-spe stat lists them\n",
				more);
}

/* ---- records and owners ------------------------------------------------ */

static void drop_sums(const struct spe_decode_stats *decode, uint64_t *records, uint64_t *bytes)
{
	*records = *bytes = 0;
	for (unsigned i = 0; i < SPE_DROP_KINDS; i++) {
		*records += decode->drops[i];
		*bytes += decode->drop_bytes[i];
	}
}

static void text_records(struct spe_text *text, const struct spe_run_stats *stats)
{
	const struct spe_decode_stats *decode = &stats->decode;
	uint64_t records, bytes;
	bool more = false;

	drop_sums(decode, &records, &bytes);
	spe_text_str(text, "# Records: ");
	spe_text_printf(text, "%" PRIu64 " decoded, %" PRIu64 " dropped", decode->records, records);
	if (records || bytes) {
		spe_text_str(text, " (");
		spe_text_count(text, bytes, "byte");
		for (unsigned i = 0; i < SPE_DROP_KINDS; i++) {
			if (!decode->drops[i] && !decode->drop_bytes[i])
				continue;
			spe_text_printf(text, "%s %" PRIu64 " %s", more ? "," : ":",
					decode->drops[i], spe_drop_name(i));
			more = true;
		}
		spe_text_char(text, ')');
	}
	if (decode->unknown_packets) {
		spe_text_str(text, ", ");
		spe_text_count(text, decode->unknown_packets, "unknown packet");
		spe_text_str(text, " stepped over");
	}
	if (stats->filtered) {
		spe_text_str(text, "; ");
		spe_text_count(text, stats->filtered, "sample");
		spe_text_str(text, " filtered out");
	}
	spe_text_char(text, '\n');
}

static void text_owners(struct spe_text *text, const struct spe_run_stats *stats, bool full)
{
	bool more = false;

	if (!full && stats->by_evidence[SPE_EVIDENCE_CONTEXT] == stats->samples)
		return;
	spe_text_str(text, "# Owners known by:");
	for (unsigned i = 1; i <= SPE_EVIDENCE_KINDS; i++) {
		unsigned evidence = i % SPE_EVIDENCE_KINDS; /* none comes last */
		uint64_t count = stats->by_evidence[evidence];

		if (!count && !(full && evidence == SPE_EVIDENCE_CONTEXT))
			continue;
		spe_text_printf(text, "%s %s %" PRIu64 " (", more ? "," : "",
				evidence ? spe_evidence_name(evidence) : "nothing", count);
		spe_text_percent(text, count, stats->samples);
		spe_text_char(text, ')');
		more = true;
	}
	spe_text_char(text, '\n');
}

/* Contexts of the host that count, zeros that do not, and those of guests alone. */
struct contexts {
	uint64_t records, written, zeros, guests;
};

static struct contexts contexts_sum(const struct spe_recording *recording)
{
	bool host_el2 = spe_recording_facts(recording)->host_el == SPE_HOST_EL2;
	struct contexts sum = { 0 };

	for (size_t i = 0; i < spe_recording_streams(recording); i++) {
		const struct spe_stream_info *info = spe_recording_stream(recording, i);
		uint64_t host = host_el2 ? info->with_el2_context : info->with_el1_context;

		sum.records += info->decode.records;
		sum.zeros += info->unwritten_zeros;
		sum.written += host > info->unwritten_zeros ? host - info->unwritten_zeros : 0;
		sum.guests += host_el2 ? info->with_el1_context : 0;
	}
	return sum;
}

/* Others answered for the contexts: why they had to, stat tells. */
static void text_others(struct spe_text *text, const struct contexts *contexts,
			const struct spe_run_stats *stats)
{
	const uint64_t *by = stats->by_evidence;

	if (!stats->samples || contexts->written || by[SPE_EVIDENCE_CONTEXT] ||
	    by[SPE_EVIDENCE_MAPPED] || by[SPE_EVIDENCE_OUTSIDE])
		return;
	spe_text_str(text, "# No record has a context");
	spe_text_str(text, contexts->zeros ? " but zeros that no kernel wrote" : "");
	spe_text_str(text, ": perf arm-spe stat says why that may be\n");
}

/* Why most samples are nobody's: the first thing one asks. */
static void text_why(struct spe_text *text, const struct spe_recording *recording,
		     const struct spe_run_stats *stats)
{
	const struct spe_recording_facts *facts = spe_recording_facts(recording);
	struct contexts contexts;

	contexts = contexts_sum(recording);
	if (stats->by_evidence[SPE_EVIDENCE_NONE] <= stats->samples / 2) {
		text_others(text, &contexts, stats);
		return;
	}
	spe_text_str(text, "# Not known because ");
	if (contexts.written)
		spe_text_printf(text, "only %" PRIu64 " of %" PRIu64 " records have a context",
				contexts.written, contexts.records);
	else
		spe_text_str(text, contexts.zeros    ? "contexts are zeros that no kernel wrote"
				   : contexts.guests ? "all contexts are of guests"
						     : "no record has a context");
	spe_text_str(text, facts->has_switches || facts->has_sched
				   ? ", and switch records leave the rest open"
				   : ", and there are no switch records");
	spe_text_str(text, ": run perf arm-spe check where it was recorded\n");
}

static void text_notes(struct spe_text *text, const struct spe_recording *recording,
		       const struct spe_run_stats *stats)
{
	const struct spe_recording_facts *facts = spe_recording_facts(recording);

	if (stats->unresolved) {
		spe_text_str(text, "# Process not known: ");
		spe_text_count(text, stats->unresolved, "sample");
		spe_text_str(text, " of threads whose process the file does not tell");
		if (stats->by_evidence[SPE_EVIDENCE_OUTSIDE])
			spe_text_printf(text, " (%" PRIu64 " of them outside its pid namespace)",
					stats->by_evidence[SPE_EVIDENCE_OUTSIDE]);
		spe_text_str(text, ", shown as process -1 and :TID\n");
	}
	if (stats->guest_samples) {
		spe_text_str(text, "# Guests: ");
		spe_text_count(text, stats->guest_samples, "sample");
		spe_text_str(text, " of guest code, or of user code that may be a guest's\n");
	}
	if (*facts->namespace_reason) {
		spe_text_str(text, "# Namespace: ");
		spe_text_name(text, facts->namespace_reason);
		spe_text_char(text, '\n');
	}
	if (facts->partial) {
		spe_text_str(text, "# Not the whole recording: ");
		spe_text_name(text, facts->partial_reason);
		spe_text_char(text, '\n');
	}
}

void spe_accounting_text(struct spe_text *text, const struct spe_recording *recording,
			 const struct spe_run_stats *stats, bool full)
{
	text_records(text, stats);
	text_owners(text, stats, full);
	text_why(text, recording, stats);
	text_notes(text, recording, stats);
	text_losses(text, recording);
}

int spe_accounting_print(const struct spe_recording *recording, const struct spe_run_stats *stats,
			 bool full, const struct spe_out *out)
{
	struct spe_text text;

	if (!recording || !stats || !out)
		return SPE_INVALID;
	spe_text_init(&text, out);
	spe_accounting_text(&text, recording, stats, full);
	return spe_text_flush(&text);
}

/* ---- JSON -------------------------------------------------------------- */

static void json_records(struct spe_json *json, const struct spe_decode_stats *decode)
{
	uint64_t records, bytes;

	drop_sums(decode, &records, &bytes);
	spe_json_u64(json, "records", decode->records);
	spe_json_u64(json, "record_bytes", decode->record_bytes);
	spe_json_u64(json, "padding_bytes", decode->padding_bytes);
	spe_json_u64(json, "unknown_packets", decode->unknown_packets);
	spe_json_u64(json, "dropped", records);
	spe_json_u64(json, "dropped_bytes", bytes);
	spe_json_object(json, "drops");
	for (unsigned i = 0; i < SPE_DROP_KINDS; i++) {
		if (!decode->drops[i] && !decode->drop_bytes[i])
			continue;
		spe_json_row(json, spe_drop_name(i));
		spe_json_u64(json, "records", decode->drops[i]);
		spe_json_u64(json, "bytes", decode->drop_bytes[i]);
		spe_json_object_end(json);
	}
	spe_json_object_end(json);
}

void spe_accounting_json(struct spe_json *json, const struct spe_recording *recording,
			 const struct spe_run_stats *stats)
{
	const struct spe_recording_facts *facts = spe_recording_facts(recording);

	spe_json_object(json, "accounting");
	json_records(json, &stats->decode);
	spe_json_u64(json, "samples", stats->samples);
	spe_json_u64(json, "filtered", stats->filtered);
	spe_json_row(json, "evidence");
	for (unsigned i = 0; i < SPE_EVIDENCE_KINDS; i++)
		spe_json_u64(json, spe_evidence_name(i), stats->by_evidence[i]);
	spe_json_object_end(json);
	spe_json_u64(json, "unresolved", stats->unresolved);
	spe_json_u64(json, "guest_samples", stats->guest_samples);
	spe_json_string(json, "namespace",
			*facts->namespace_reason ? facts->namespace_reason : NULL);
	spe_json_string(json, "partial", facts->partial ? facts->partial_reason : NULL);
	spe_json_array(json, "loss");
	for (size_t i = 0; i < spe_recording_streams(recording); i++) {
		const struct spe_stream_info *info = spe_recording_stream(recording, i);

		if (!spe_stream_lost(info))
			continue;
		spe_json_row(json, NULL);
		if (info->cpu >= 0)
			spe_json_i64(json, "cpu", info->cpu);
		if (info->tid >= 0)
			spe_json_i64(json, "tid", info->tid);
		spe_stream_loss_json(json, info);
		spe_json_object_end(json);
	}
	spe_json_array_end(json);
	spe_json_object_end(json);
}
