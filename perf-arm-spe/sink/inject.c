/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recording again, with samples in place of the trace: what stock perf and
 * every reader of perf.data can use.
 *
 * Everything is written in time order.  Samples without a time come last,
 * behind two ends of rounds: perf hands them on as it reads them, and by then
 * it knows all tasks.
 */
#include "inject.h"

#include "../base/temp.h"
#include "../perfdata/output.h"

#include <perf-arm-spe/limits.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* perf delivers what it queued when a round ends; it need not hold more than this. */
#define ROUND_RECORDS 16384u

#define LATE_COPY_BYTES 65536u

const struct spe_perf_attr *inject_spe_attr(const struct inject *inject)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);

	return spe_perfdata_attr(pd, spe_recording_stream_attr(inject->recording, 0));
}

/* ---- output ------------------------------------------------------------- */

static int flush(struct inject *inject)
{
	int status = SPE_OK;

	if (inject->filled)
		status = spe_perfdata_writer_records(inject->writer, inject->buffer, inject->filled,
						     inject->error);
	inject->filled = 0;
	return status;
}

int inject_put(struct inject *inject, const void *bytes, size_t n)
{
	if (inject->filled + n > INJECT_BUFFER_BYTES) {
		int status = flush(inject);

		if (status)
			return status;
	}
	memcpy(inject->buffer + inject->filled, bytes, n);
	inject->filled += n;
	inject->since_round++;
	return SPE_OK;
}

static int round_end(struct inject *inject)
{
	static const struct {
		uint32_t type;
		uint16_t misc, size;
	} record = { SPE_PERF_FINISHED_ROUND, 0, sizeof(record) };
	int status = inject_put(inject, &record, sizeof(record));

	inject->since_round = 0;
	return status;
}

/* ---- the sink -------------------------------------------------------------- */

static int on_begin(void *sink, unsigned worker, void **partial)
{
	(void)worker;
	*partial = sink;
	return SPE_OK;
}

/* One `instructions` every `period` records of a stream. */
static uint32_t events_of(struct inject *inject, const struct spe_sample *sample)
{
	uint32_t events = spe_itrace_select(&inject->itrace, &sample->record);
	uint32_t *left = &inject->countdown[sample->stream];

	if (events & (1u << SPE_SYNTH_INSTRUCTIONS)) {
		if (--*left)
			return events & ~(1u << SPE_SYNTH_INSTRUCTIONS);
		*left = inject->itrace.period;
	}
	return events;
}

int inject_put_late(struct inject *inject, const void *bytes, size_t n)
{
	int fd;

	if (!inject->late) {
		fd = spe_temp_open(NULL);
		inject->late = fd >= 0 ? fdopen(fd, "w+") : NULL;
		if (!inject->late && fd >= 0)
			close(fd);
	}
	if (!inject->late || fwrite(bytes, 1, n, inject->late) != n)
		return spe_error_set(inject->error, SPE_IO,
				     "%s: samples without a time cannot be kept here until the end "
				     "(set TMPDIR to a folder with room): %m",
				     spe_temp_folder(NULL));
	return SPE_OK;
}

/* Where the events of a sample are encoded: what the buffer holds leaves if there is no room. */
static int room_make(struct inject *inject, uint8_t **out)
{
	int status = SPE_OK;

	if (inject->filled + SPE_SYNTH_EVENTS * INJECT_SAMPLE_BYTES > INJECT_BUFFER_BYTES)
		status = flush(inject);
	*out = inject->buffer + inject->filled;
	return status;
}

static int put_sample(struct inject *inject, const struct spe_sample *sample, uint32_t events)
{
	struct inject_owner owner = inject_owner_choose(inject, sample);
	uint8_t *out;
	size_t n;
	int status = SPE_OK;

	if (sample->has_time && inject->since_round >= ROUND_RECORDS)
		status = round_end(inject);
	if (!status && sample->has_time)
		status = inject_side_write(inject, inject_time_ns(inject, sample));
	if (!status)
		status = inject_names_ensure(inject, sample, &owner);
	if (!status)
		status = room_make(inject, &out);
	if (status)
		return status;
	n = inject_sample_encode(inject, sample, &owner, events, out);
	if (!sample->has_time)
		return inject_put_late(inject, out, n);
	inject->filled += n;
	inject->since_round++;
	return SPE_OK;
}

static int on_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	struct inject *inject = sink;
	int status = SPE_OK;

	(void)partial;
	for (size_t i = 0; !status && i < count; i++) {
		uint32_t events = events_of(inject, &samples[i]);

		if (events)
			status = put_sample(inject, &samples[i], events);
	}
	return status;
}

static int on_merge(void *sink, void *partial)
{
	(void)sink;
	(void)partial;
	return SPE_OK;
}

static int late_write(struct inject *inject)
{
	uint8_t *copy = malloc(LATE_COPY_BYTES);
	int status = copy ? SPE_OK : SPE_NOMEM;
	size_t n = 1;

	if (!status)
		status = round_end(inject);
	if (!status)
		status = round_end(inject);
	rewind(inject->late);
	while (!status && n) {
		n = fread(copy, 1, LATE_COPY_BYTES, inject->late);
		status = inject_put(inject, copy, n);
	}
	if (!status && ferror(inject->late))
		status = spe_error_set(inject->error, SPE_IO, "cannot read a temporary file: %m");
	free(copy);
	return status;
}

static int on_end(void *sink, const struct spe_run_stats *stats)
{
	struct inject *inject = sink;
	int status = inject_side_write(inject, UINT64_MAX);

	(void)stats;
	if (!status && inject->late)
		status = late_write(inject);
	if (!status)
		status = round_end(inject);
	return status ? status : flush(inject);
}

static const struct spe_sink_ops inject_ops = {
	.name = "inject",
	.names = true,
	.ordered = true,
	.begin = on_begin,
	.batch = on_batch,
	.merge = on_merge,
	.end = on_end,
};

/* ---- the whole ------------------------------------------------------------- */

static int check_request(const struct inject *inject, const char *path)
{
	const struct spe_recording_facts *facts = spe_recording_facts(inject->recording);
	const char *input = spe_perfdata_info(spe_recording_perfdata(inject->recording))->path;

	if (spe_output_is_input(path, input))
		return spe_error_set(inject->error, SPE_INVALID,
				     "%s: output is the input; write to another file",
				     strcmp(path, "-") ? path : "standard output");
	if (!inject_spe_attr(inject))
		return spe_error_set(inject->error, SPE_UNSUPPORTED,
				     "%s describes no event that samples could belong to; "
				     "`perf arm-spe script` reads it",
				     input);
	if (inject_is_output(inject))
		return spe_error_set(inject->error, SPE_INVALID,
				     "%s: was written by inject: it holds samples in place of the "
				     "trace already, and any perf reads it",
				     input);
	if (facts->has_timestamps && !facts->has_time)
		return spe_error_set(
			inject->error, SPE_UNSUPPORTED,
			"%s has no TIME_CONV record: its timestamps cannot be put into "
			"perf's clock, and samples cannot be placed between the other "
			"records; `perf arm-spe script` reads it",
			input);
	return SPE_OK;
}

/* Trailers without an id, or with no IDENTIFIER: events could not be told apart. */
static void ids_look(struct inject *inject)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);

	for (size_t i = 0; i < spe_perfdata_attr_count(pd); i++) {
		const struct spe_perf_attr *attr = spe_perfdata_attr(pd, i);

		if (attr->id_count && !inject->default_id)
			inject->default_id = attr->ids[0];
		if (!(attr->sample_type & SPE_SAMPLE_IDENTIFIER))
			inject->add_identifier = true;
	}
	if (!inject->default_id)
		inject->default_id = 1;
}

static int prepare(struct inject *inject)
{
	const struct spe_recording_facts *facts = spe_recording_facts(inject->recording);
	size_t streams = spe_recording_streams(inject->recording);
	int status = spe_itrace_parse(inject->opts->itrace, &inject->itrace, inject->error);

	if (status)
		return status;
	inject->host_el = facts->host_el;
	inject->other_clock = facts->other_clock;
	inject->buffer = malloc(INJECT_BUFFER_BYTES);
	inject->countdown = calloc(streams + 1, sizeof(*inject->countdown));
	inject->midr = calloc(streams + 1, sizeof(*inject->midr));
	if (!inject->buffer || !inject->countdown || !inject->midr)
		return SPE_NOMEM;
	for (size_t i = 0; i < streams; i++) {
		inject->countdown[i] = inject->itrace.period;
		inject->midr[i] = spe_recording_stream(inject->recording, i)->midr;
	}
	ids_look(inject);
	inject_layout_choose(inject);
	status = inject_side_load(inject);
	return status ? status : inject_names_new(inject);
}

static int write_all(struct inject *inject, struct spe_run_stats *stats)
{
	struct spe_run_opts run = { .size = sizeof(run),
				    .threads = inject->opts->threads,
				    .filter = inject->opts->filter,
				    .listener = inject->opts->listener };
	int status = inject_header_write(inject);

	if (!status)
		status = inject_side_write(inject, 0);
	if (!status)
		status = spe_sink_run(inject->recording, &inject_ops, inject, &run, stats,
				      inject->error);
	return status;
}

static void inject_free(struct inject *inject)
{
	if (inject->late)
		fclose(inject->late);
	inject_side_free(&inject->side);
	free(inject->buffer);
	free(inject->countdown);
	free(inject->midr);
	inject_names_free(inject);
}

int spe_inject(const struct spe_recording *recording, const char *path,
	       const struct spe_inject_opts *opts, struct spe_run_stats *stats,
	       struct spe_error *error)
{
	struct spe_perfdata_writer_opts writer_opts = { .size = sizeof(writer_opts) };
	struct spe_run_stats unwanted;
	struct inject inject = { .recording = recording, .opts = opts, .error = error };
	int status = check_request(&inject, path);

	if (!status)
		status = prepare(&inject);
	if (!status)
		status = spe_perfdata_writer_new(path, &writer_opts, &inject.writer, error);
	if (!status) {
		status = write_all(&inject, stats ? stats : &unwanted);
		if (status)
			spe_perfdata_writer_abort(inject.writer);
		else
			status = spe_perfdata_writer_finish(inject.writer, error);
	}
	if (status == SPE_NOMEM)
		spe_error_set(error, status, "out of memory");
	inject_free(&inject);
	return status;
}
