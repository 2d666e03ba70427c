/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds: one line a fact, one table line a CPU. */
#include "accounting.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct stat_view {
	const struct spe_recording *recording;
	const struct spe_recording_facts *facts;
	const struct spe_run_stats *stats; /* NULL: nothing was attributed */
	struct spe_stream_info sum;        /* of all streams: counts only */
	size_t streams;
};

/* ---- sums -------------------------------------------------------------- */

static void sum_add(struct spe_stream_info *sum, const struct spe_stream_info *info)
{
	sum->chunks += info->chunks;
	sum->bytes += info->bytes;
	sum->with_el1_context += info->with_el1_context;
	sum->with_el2_context += info->with_el2_context;
	sum->with_both_contexts += info->with_both_contexts;
	sum->without_context += info->without_context;
	sum->zero_contexts += info->zero_contexts;
	sum->unwritten_zeros += info->unwritten_zeros;
	for (unsigned el = 0; el < 4; el++)
		sum->at_el[el] += info->at_el[el];
	if (info->first_ns && (!sum->first_ns || info->first_ns < sum->first_ns))
		sum->first_ns = info->first_ns;
	if (info->last_ns > sum->last_ns)
		sum->last_ns = info->last_ns;
	spe_decode_stats_add(&sum->decode, &info->decode);
}

static struct stat_view view_of(const struct spe_recording *recording,
				const struct spe_run_stats *stats)
{
	struct stat_view view = {
		.recording = recording,
		.facts = spe_recording_facts(recording),
		.stats = stats,
		.sum = { .cpu = -1, .tid = -1 },
		.streams = spe_recording_streams(recording),
	};

	for (size_t i = 0; i < view.streams; i++)
		sum_add(&view.sum, spe_recording_stream(recording, i));
	return view;
}

static uint64_t stream_dropped(const struct spe_stream_info *info)
{
	uint64_t records = 0;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		records += info->decode.drops[i];
	return records;
}

/* ---- the table: a column a line ---------------------------------------- */

#define AT(field) offsetof(struct spe_stream_info, field)
#define DROPPED SIZE_MAX /* no one field */

static const struct column {
	const char *header, *field;
	size_t offset; /* of a uint64_t */
	bool always;   /* shown even if all of it is zero */
} columns[] = {
	{ "Chunks", "chunks", AT(chunks), true },
	{ "Bytes", "bytes", AT(bytes), true },
	{ "Records", "records", AT(decode.records), true },
	{ "Dropped", "dropped", DROPPED, true },
	{ "Ctx EL1", "with_el1_context", AT(with_el1_context), true },
	{ "Ctx EL2", "with_el2_context", AT(with_el2_context), true },
	{ "Both", "with_both_contexts", AT(with_both_contexts), false },
	{ "No ctx", "without_context", AT(without_context), true },
	{ "Zero", "zero_contexts", AT(zero_contexts), false },
	{ "Unwritten", "unwritten_zeros", AT(unwritten_zeros), false },
	{ "At EL0", "at_el0", AT(at_el[0]), true },
	{ "At EL1", "at_el1", AT(at_el[1]), true },
	{ "At EL2", "at_el2", AT(at_el[2]), true },
	{ "At EL3", "at_el3", AT(at_el[3]), false },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static uint64_t column_value(const struct column *column, const struct spe_stream_info *info)
{
	uint64_t value;

	if (column->offset == DROPPED)
		return stream_dropped(info);
	memcpy(&value, (const char *)info + column->offset, sizeof(value));
	return value;
}

static bool column_shown(const struct stat_view *view, const struct column *column)
{
	return column->always || column_value(column, &view->sum);
}

static unsigned column_width(const struct stat_view *view, const struct column *column)
{
	unsigned digits = spe_dec_digits(column_value(column, &view->sum));
	unsigned header = (unsigned)strlen(column->header);

	return digits > header ? digits : header;
}

static const char *core_name(const struct spe_stream_info *info, char *text, size_t room)
{
	const char *name = spe_midr_name(info->midr);

	if (name)
		return name;
	if (!info->midr)
		return "not known";
	snprintf(text, room, "MIDR 0x%" PRIx64, info->midr);
	return text;
}

static size_t core_width(const struct stat_view *view)
{
	char text[32];
	size_t width = strlen("Core");

	for (size_t i = 0; i < view->streams; i++) {
		size_t n = strlen(
			core_name(spe_recording_stream(view->recording, i), text, sizeof(text)));

		width = n > width ? n : width;
	}
	return width;
}

static void text_table(struct spe_text *text, const struct stat_view *view)
{
	int core = (int)core_width(view);
	bool threads = view->facts->per_thread;
	char name[32];

	spe_text_printf(text, "\n%7s  %-*s", threads ? "Thread" : "CPU", core, "Core");
	for (size_t c = 0; c < COLUMNS; c++)
		if (column_shown(view, &columns[c]))
			spe_text_printf(text, "  %*s", (int)column_width(view, &columns[c]),
					columns[c].header);
	spe_text_char(text, '\n');
	for (size_t i = 0; i < view->streams; i++) {
		const struct spe_stream_info *info = spe_recording_stream(view->recording, i);

		spe_text_printf(text, "%7d  %-*s", info->cpu >= 0 ? info->cpu : info->tid, core,
				core_name(info, name, sizeof(name)));
		for (size_t c = 0; c < COLUMNS; c++)
			if (column_shown(view, &columns[c]))
				spe_text_printf(text, "  %*" PRIu64,
						(int)column_width(view, &columns[c]),
						column_value(&columns[c], info));
		spe_text_char(text, '\n');
	}
}

/* ---- lines ------------------------------------------------------------- */

static void label(struct spe_text *text, const char *name)
{
	spe_text_printf(text, "%-12s", name);
}

static void text_file(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_perfdata_info *info =
		spe_perfdata_info(spe_recording_perfdata(view->recording));

	label(text, "File");
	spe_text_name(text, info->path);
	spe_text_printf(text, ", %" PRIu64 " bytes%s%s%s%s%s\n", info->file_bytes,
			info->pipe ? ", pipe form" : "", info->directory ? ", directory" : "",
			info->compressed ? ", compressed" : "",
			info->big_endian ? ", big-endian" : "",
			info->unfinished ? ", the recorder did not finish" : "");
	label(text, "Recorded");
	spe_text_str(text, "by perf ");
	spe_text_name(text, *info->version ? info->version : "(version not in the file)");
	if (*info->hostname) {
		spe_text_str(text, " on ");
		spe_text_name(text, info->hostname);
	}
	if (*info->osrelease) {
		spe_text_str(text, ", Linux ");
		spe_text_name(text, info->osrelease);
	}
	if (*info->arch) {
		spe_text_str(text, ", ");
		spe_text_name(text, info->arch);
	}
	if (*info->cmdline) {
		spe_text_char(text, '\n');
		label(text, "Command");
		spe_text_name(text, info->cmdline);
	}
	spe_text_char(text, '\n');
}

static void text_event(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_recording_facts *facts = view->facts;

	label(text, "Event");
	spe_event_names_put(text, view->recording);
	spe_text_str(text, facts->per_thread ? ", per thread" : ", per CPU");
	spe_text_str(text, facts->snapshots ? ", snapshots" : "");
	spe_text_str(text, facts->has_timestamps ? ", with timestamps" : ", without timestamps");
	if (facts->other_auxtrace) {
		spe_text_str(text, "; beside it ");
		spe_text_count(text, facts->other_auxtrace, "buffer");
		spe_text_str(text, " of other trace");
	}
	spe_text_char(text, '\n');
}

static void text_span(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_stream_info *sum = &view->sum;
	char *at;

	label(text, "Time");
	if (!sum->last_ns) {
		spe_text_str(text, "not known\n");
		return;
	}
	at = spe_text_room(text, 4 * SPE_PUT_BYTES);
	at = spe_put_time_us(at, sum->first_ns);
	at = spe_put_bytes(at, " to ", 4);
	spe_text_done(text, spe_put_time_us(at, sum->last_ns));
	spe_text_str(text, " s, that is ");
	at = spe_text_room(text, 2 * SPE_PUT_BYTES);
	spe_text_done(text, spe_put_time_us(at, sum->last_ns - sum->first_ns));
	spe_text_str(text, " s\n");
}

static void text_clock(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_recording_facts *facts = view->facts;

	label(text, "Clock");
	if (!facts->has_timestamps)
		spe_text_str(text,
			     "the records have no timestamps: order is known per buffer only");
	else if (!facts->has_time)
		spe_text_str(text, "timestamps cannot be converted: the file has no TIME_CONV");
	else if (!facts->other_clock)
		spe_text_str(text, "timestamps convert to the side-band's clock");
	else if (facts->clock_offset_known)
		spe_text_printf(text, "side-band in another clock (-k), %" PRId64 " ns off",
				facts->clock_offset_ns);
	else
		spe_text_str(text, "side-band in another clock (-k) of unknown offset: switches "
				   "and times of tasks cannot be used");
	spe_text_char(text, '\n');
}

/* Records whose context somebody wrote. */
static uint64_t contexts_written(const struct stat_view *view)
{
	const struct spe_stream_info *sum = &view->sum;

	return sum->decode.records - sum->without_context - sum->unwritten_zeros;
}

static void text_kernel(struct spe_text *text, const struct stat_view *view)
{
	static const char *const kernels[][2] = {
		[SPE_HOST_EL_UNKNOWN] = { "not seen", "" },
		[SPE_HOST_EL1] = { "at EL1", ": CONTEXTIDR_EL1 (index 0) names the owner" },
		[SPE_HOST_EL2] = { "at EL2 (VHE)", ": CONTEXTIDR_EL2 (index 1) names the owner" },
	};
	const char *const *kernel = kernels[view->facts->host_el];

	label(text, "Kernel");
	spe_text_str(text, kernel[0]);
	spe_text_str(text, contexts_written(view) ? kernel[1] : "");
	spe_text_char(text, '\n');
}

static void text_contexts(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_stream_info *sum = &view->sum;
	uint64_t records = sum->decode.records, written = contexts_written(view);

	label(text, "Contexts");
	spe_text_printf(text, "%" PRIu64 " of ", written);
	spe_text_count(text, records, "record");
	spe_text_str(text, " (");
	spe_text_percent(text, written, records);
	spe_text_str(text, ")");
	if (sum->unwritten_zeros) {
		spe_text_str(text, ", and ");
		spe_text_count(text, sum->unwritten_zeros, "zero");
		spe_text_str(text, " that no kernel wrote (taken as absent)");
	}
	if (!written)
		spe_text_str(text, ": a kernel without CONFIG_PID_IN_CONTEXTIDR");
	if (!written && !sum->unwritten_zeros)
		spe_text_str(text, ", or a recorder without the right to see the kernel");
	spe_text_str(text, written ? "\n" : "; perf arm-spe check tells\n");
}

static const char *namespace_text(const struct stat_view *view)
{
	if (view->facts->namespace_state != SPE_NS_SAME)
		return view->facts->namespace_reason;
	return contexts_written(view) ? "contexts and side-band number tasks alike"
				      : "no contexts to hold against the side-band";
}

static void text_side_band(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_recording_facts *facts = view->facts;

	label(text, "Side-band");
	spe_text_count(text, facts->tasks, "task");
	spe_text_str(text, ", ");
	spe_text_count(text, facts->comms, "name");
	spe_text_str(text, ", ");
	if (facts->switches)
		spe_text_count(text, facts->switches, "switch record");
	else
		spe_text_str(text, "no switch records");
	spe_text_str(text, facts->has_sched ? ", sched_switch samples" : "");
	spe_text_str(text, facts->has_etm ? ", CoreSight trace with contexts" : "");
	if (facts->side_band_lost) {
		spe_text_str(text, "; ");
		spe_text_count(text, facts->side_band_lost, "event");
		spe_text_str(text, " lost");
	}
	spe_text_char(text, '\n');
	label(text, "Namespaces");
	spe_text_name(text, namespace_text(view));
	spe_text_char(text, '\n');
}

static void text_loss(struct spe_text *text, const struct stat_view *view)
{
	bool any = false;

	for (size_t i = 0; i < view->streams; i++) {
		const struct spe_stream_info *info = spe_recording_stream(view->recording, i);

		if (!spe_stream_lost(info))
			continue;
		label(text, any ? "" : "Loss");
		spe_stream_name(text, info);
		spe_text_str(text, ": ");
		spe_stream_loss_text(text, info);
		spe_text_char(text, '\n');
		any = true;
	}
	if (!any) {
		label(text, "Loss");
		spe_text_str(text, "none reported\n");
	}
	if (view->facts->partial) {
		label(text, "Damage");
		spe_text_name(text, view->facts->partial_reason);
		spe_text_char(text, '\n');
	}
}

static void text_records(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_decode_stats *decode = &view->sum.decode;
	bool more = false;

	label(text, "Records");
	spe_text_printf(text, "%" PRIu64 " decoded, %" PRIu64 " dropped", decode->records,
			stream_dropped(&view->sum));
	for (unsigned i = 0; i < SPE_DROP_KINDS; i++) {
		if (!decode->drops[i] && !decode->drop_bytes[i])
			continue;
		spe_text_printf(text, "%s %" PRIu64 " %s (", more ? "," : ":", decode->drops[i],
				spe_drop_name(i));
		spe_text_count(text, decode->drop_bytes[i], "byte");
		spe_text_char(text, ')');
		more = true;
	}
	spe_text_printf(text, "; %" PRIu64 " bytes of records, %" PRIu64 " of padding\n",
			decode->record_bytes, decode->padding_bytes);
}

static void text_owners(struct spe_text *text, const struct stat_view *view)
{
	const struct spe_run_stats *stats = view->stats;
	bool more = false;

	if (!stats)
		return;
	label(text, "Owners");
	for (unsigned i = 1; i <= SPE_EVIDENCE_KINDS; i++) {
		unsigned evidence = i % SPE_EVIDENCE_KINDS;
		uint64_t count = stats->by_evidence[evidence];

		if (!count)
			continue;
		spe_text_printf(text, "%s%" PRIu64 " by %s (", more ? ", " : "", count,
				evidence ? spe_evidence_name(evidence) : "nothing");
		spe_text_percent(text, count, stats->samples);
		spe_text_char(text, ')');
		more = true;
	}
	if (stats->unresolved)
		spe_text_printf(text, "; process not known of %" PRIu64, stats->unresolved);
	if (stats->guest_samples)
		spe_text_printf(text, "; guest code %" PRIu64, stats->guest_samples);
	spe_text_str(text, more ? "\n" : "no samples\n");
}

static void print_text(struct spe_text *text, const struct stat_view *view)
{
	text_file(text, view);
	text_event(text, view);
	text_span(text, view);
	text_clock(text, view);
	text_records(text, view);
	text_kernel(text, view);
	text_contexts(text, view);
	text_owners(text, view);
	text_side_band(text, view);
	text_loss(text, view);
	text_table(text, view);
}

/* ---- JSON -------------------------------------------------------------- */

static void json_file(struct spe_json *json, const struct stat_view *view)
{
	const struct spe_perfdata_info *info =
		spe_perfdata_info(spe_recording_perfdata(view->recording));

	spe_json_object(json, "file");
	spe_json_string(json, "path", info->path);
	spe_json_u64(json, "bytes", info->file_bytes);
	spe_json_bool(json, "pipe", info->pipe);
	spe_json_bool(json, "directory", info->directory);
	spe_json_bool(json, "compressed", info->compressed);
	spe_json_bool(json, "big_endian", info->big_endian);
	spe_json_bool(json, "unfinished", info->unfinished);
	spe_json_string(json, "perf_version", info->version);
	spe_json_string(json, "hostname", info->hostname);
	spe_json_string(json, "osrelease", info->osrelease);
	spe_json_string(json, "arch", info->arch);
	spe_json_string(json, "cmdline", info->cmdline);
	spe_json_object_end(json);
}

static void json_facts(struct spe_json *json, const struct spe_recording_facts *facts)
{
	static const char *const namespaces[] = { "same", "foreign", "mapped" };

	spe_json_object(json, "facts");
	if (facts->host_el == SPE_HOST_EL_UNKNOWN)
		spe_json_null(json, "kernel_el");
	else
		spe_json_u64(json, "kernel_el", facts->host_el == SPE_HOST_EL1 ? 1 : 2);
	spe_json_string(json, "namespace_state", namespaces[facts->namespace_state]);
	spe_json_bool(json, "timestamps", facts->has_timestamps);
	spe_json_bool(json, "time", facts->has_time);
	spe_json_bool(json, "other_clock", facts->other_clock);
	if (facts->clock_offset_known)
		spe_json_i64(json, "clock_offset_ns", facts->clock_offset_ns);
	else
		spe_json_null(json, "clock_offset_ns");
	spe_json_bool(json, "per_thread", facts->per_thread);
	spe_json_bool(json, "snapshots", facts->snapshots);
	spe_json_bool(json, "sched_switch", facts->has_sched);
	spe_json_bool(json, "etm_contexts", facts->has_etm);
	spe_json_u64(json, "tasks", facts->tasks);
	spe_json_u64(json, "names", facts->comms);
	spe_json_u64(json, "switches", facts->switches);
	spe_json_u64(json, "side_band_lost", facts->side_band_lost);
	spe_json_u64(json, "other_auxtrace", facts->other_auxtrace);
	spe_json_object_end(json);
}

static void json_stream(struct spe_json *json, const struct spe_stream_info *info)
{
	spe_json_row(json, NULL);
	if (info->cpu >= 0)
		spe_json_i64(json, "cpu", info->cpu);
	if (info->tid >= 0)
		spe_json_i64(json, "tid", info->tid);
	if (info->midr)
		spe_json_hex(json, "midr", info->midr);
	else
		spe_json_null(json, "midr");
	spe_json_string(json, "core", spe_midr_name(info->midr));
	for (size_t c = 0; c < COLUMNS; c++)
		spe_json_u64(json, columns[c].field, column_value(&columns[c], info));
	if (info->last_ns) {
		spe_json_u64(json, "first_ns", info->first_ns);
		spe_json_u64(json, "last_ns", info->last_ns);
	}
	spe_stream_loss_json(json, info);
	spe_json_object_end(json);
}

static void print_json(struct spe_text *text, const struct stat_view *view)
{
	struct spe_run_stats survey = { .samples = view->sum.decode.records,
					.decode = view->sum.decode };
	struct spe_json json;

	spe_json_init(&json, text, true);
	spe_json_object(&json, NULL);
	json_file(&json, view);
	json_facts(&json, view->facts);
	spe_json_array(&json, "streams");
	for (size_t i = 0; i < view->streams; i++)
		json_stream(&json, spe_recording_stream(view->recording, i));
	spe_json_array_end(&json);
	spe_accounting_json(&json, view->recording, view->stats ? view->stats : &survey);
	spe_json_object_end(&json);
	spe_json_end(&json);
}

/* ---- CSV: the table ---------------------------------------------------- */

static void print_csv(struct spe_text *text, const struct stat_view *view)
{
	spe_text_str(text, "cpu,tid,midr,core");
	for (size_t c = 0; c < COLUMNS; c++)
		spe_text_printf(text, ",%s", columns[c].field);
	spe_text_char(text, '\n');
	for (size_t i = 0; i < view->streams; i++) {
		const struct spe_stream_info *info = spe_recording_stream(view->recording, i);
		const char *core = spe_midr_name(info->midr);

		spe_text_printf(text, "%d,%d,0x%" PRIx64 ",", info->cpu, info->tid, info->midr);
		spe_text_csv(text, core ? core : "");
		for (size_t c = 0; c < COLUMNS; c++)
			spe_text_printf(text, ",%" PRIu64, column_value(&columns[c], info));
		spe_text_char(text, '\n');
	}
}

int spe_stat_print(const struct spe_recording *recording, const struct spe_run_stats *stats,
		   uint32_t format, const struct spe_out *out)
{
	static void (*const printers[])(struct spe_text *, const struct stat_view *) = {
		[SPE_FORMAT_TEXT] = print_text,
		[SPE_FORMAT_JSON] = print_json,
		[SPE_FORMAT_CSV] = print_csv,
	};
	struct stat_view view;
	struct spe_text *text;
	int status;

	if (!recording || !out || format > SPE_FORMAT_CSV)
		return SPE_INVALID;
	text = malloc(sizeof(*text));
	if (!text)
		return SPE_NOMEM;
	view = view_of(recording, stats);
	spe_text_init(text, out);
	printers[format](text, &view);
	status = spe_text_flush(text);
	free(text);
	return status;
}
