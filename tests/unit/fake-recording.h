/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording made of samples a test wrote down, behind the functions of
 * attribution.h: the sinks' tests say what the owners are and never depend on
 * how they are found.  One program includes this once.
 */
#ifndef TESTS_UNIT_FAKE_RECORDING_H
#define TESTS_UNIT_FAKE_RECORDING_H

#include <perf-arm-spe/sink.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * For callbacks and loops: check's own asserts allocate and write to a pipe,
 * which neither fault injection nor a million samples go well with.
 */
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct spe_recording {
	struct spe_recording_facts facts;
	struct spe_stream_info *infos;
	size_t streams;
	struct spe_sample *samples; /* by (stream, aux_offset) */
	size_t count;
	struct spe_piece *pieces; /* first_chunk, chunk_count: into samples */
	size_t piece_count;
	const char *const *comms;
	size_t comm_count;
	const struct fake_task {
		int32_t tid, pid;
		uint32_t comm, process_comm;
	} * tasks;
	size_t task_count;
	const struct spe_perf_event *events; /* what the file's cursor gives */
	size_t event_count;
	size_t event_at;
	size_t fail_at;    /* reading this sample fails with SPE_IO; SIZE_MAX: never */
	unsigned max_step; /* at most so many samples a call; 0: as asked */
};

struct spe_reader {
	const struct spe_recording *recording;
	size_t at, end;
	struct spe_decode_stats stats;
	unsigned calls;
};

const struct spe_recording_facts *spe_recording_facts(const struct spe_recording *recording)
{
	return &recording->facts;
}

size_t spe_recording_streams(const struct spe_recording *recording)
{
	return recording->streams;
}

const struct spe_stream_info *spe_recording_stream(const struct spe_recording *recording, size_t i)
{
	return i < recording->streams ? &recording->infos[i] : NULL;
}

size_t spe_recording_stream_attr(const struct spe_recording *recording, size_t i)
{
	(void)recording;
	(void)i;
	return 0;
}

const char *spe_recording_comm(const struct spe_recording *recording, uint32_t comm)
{
	return comm < recording->comm_count ? recording->comms[comm] : NULL;
}

size_t spe_recording_comms(const struct spe_recording *recording)
{
	return recording->comm_count;
}

int spe_recording_task(const struct spe_recording *recording, int32_t tid, bool has_time,
		       uint64_t time_ns, struct spe_task *task)
{
	(void)has_time;
	(void)time_ns;
	for (size_t i = 0; i < recording->task_count; i++) {
		const struct fake_task *t = &recording->tasks[i];

		if (t->tid != tid)
			continue;
		*task = (struct spe_task){ t->pid, t->comm, t->process_comm, 0, UINT64_MAX, 0 };
		return SPE_OK;
	}
	return SPE_NOT_FOUND;
}

uint64_t spe_recording_side_ns(const struct spe_recording *recording, uint64_t time_ns)
{
	return time_ns + (uint64_t)recording->facts.clock_offset_ns;
}

/* Only ever handed to the functions below. */
struct spe_perfdata *spe_recording_perfdata(const struct spe_recording *recording)
{
	return (struct spe_perfdata *)(uintptr_t)recording;
}

const struct spe_perf_attr *spe_perfdata_attr(const struct spe_perfdata *pd, size_t i)
{
	static const struct spe_perf_attr attr = { .name = "arm_spe_0/ts_enable=1/" };

	return pd && i == 0 ? &attr : NULL;
}

const struct spe_perfdata_info *spe_perfdata_info(const struct spe_perfdata *pd)
{
	static const struct spe_perfdata_info info = { .path = "some.data",
						       .file_bytes = 12345,
						       .hostname = "",
						       .osrelease = "6.1.0",
						       .version = "6.12",
						       .arch = "aarch64",
						       .cpudesc = "",
						       .cpuid = "",
						       .cmdline = "perf record -a" };

	return pd ? &info : NULL;
}

int spe_perfdata_rewind(struct spe_perfdata *pd)
{
	((struct spe_recording *)pd)->event_at = 0;
	return SPE_OK;
}

int spe_perfdata_next(struct spe_perfdata *pd, struct spe_perf_event *event,
		      struct spe_error *error)
{
	struct spe_recording *recording = (struct spe_recording *)pd;

	(void)error;
	if (recording->event_at == recording->event_count)
		return SPE_END;
	*event = recording->events[recording->event_at++];
	return SPE_OK;
}

int spe_perfdata_feature(const struct spe_perfdata *pd, unsigned feature, const uint8_t **bytes,
			 size_t *n)
{
	(void)pd;
	(void)feature;
	(void)bytes;
	(void)n;
	return SPE_NOT_FOUND;
}

size_t spe_recording_pieces(const struct spe_recording *recording)
{
	return recording->piece_count;
}

const struct spe_piece *spe_recording_piece(const struct spe_recording *recording, size_t i)
{
	return i < recording->piece_count ? &recording->pieces[i] : NULL;
}

int spe_reader_new(const struct spe_recording *recording, const struct spe_reader_opts *opts,
		   struct spe_reader **reader)
{
	must(opts->size == sizeof(*opts));
	*reader = calloc(1, sizeof(**reader));
	if (!*reader)
		return SPE_NOMEM;
	(*reader)->recording = recording;
	return SPE_OK;
}

void spe_reader_free(struct spe_reader *reader)
{
	free(reader);
}

int spe_reader_start(struct spe_reader *reader, size_t piece)
{
	const struct spe_piece *p = spe_recording_piece(reader->recording, piece);

	if (!p)
		return SPE_INVALID;
	reader->at = p->first_chunk;
	reader->end = p->first_chunk + p->chunk_count;
	return SPE_OK;
}

int spe_reader_next(struct spe_reader *reader, struct spe_sample *samples, size_t room,
		    size_t *count)
{
	size_t n = reader->end - reader->at;
	unsigned step = reader->recording->max_step;

	must(room > 0);
	if (!n)
		return SPE_END;
	if (step)
		step = 1 + reader->calls++ * 7919u % step;
	if (step && n > step)
		n = step;
	if (n > room)
		n = room;
	for (size_t i = 0; i < n; i++)
		if (reader->at + i == reader->recording->fail_at)
			return SPE_IO;
	memcpy(samples, &reader->recording->samples[reader->at], n * sizeof(*samples));
	reader->at += n;
	reader->stats.records += n;
	reader->stats.record_bytes += 64 * n;
	*count = n;
	return SPE_OK;
}

const struct spe_decode_stats *spe_reader_stats(const struct spe_reader *reader)
{
	return &reader->stats;
}

const char *spe_evidence_name(unsigned evidence)
{
	static const char *const names[] = { "none",  "context", "etm",    "switch",
					     "sched", "thread",  "mapped", "outside" };

	return evidence < SPE_EVIDENCE_KINDS ? names[evidence] : "?";
}

/* ---- making one -------------------------------------------------------- */

static inline uint32_t fake_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Samples must come by stream; streams are 0 .. streams - 1. Pieces of up to piece_samples. */
static inline struct spe_recording *fake_new(struct spe_sample *samples, size_t count,
					     size_t streams, size_t piece_samples, uint32_t seed)
{
	struct spe_recording *r = calloc(1, sizeof(*r));

	r->samples = samples;
	r->count = count;
	r->streams = streams;
	r->infos = calloc(streams + 1, sizeof(*r->infos));
	r->pieces = calloc(count + 1, sizeof(*r->pieces));
	r->fail_at = SIZE_MAX;
	r->facts.has_time = r->facts.has_timestamps = true;
	r->facts.namespace_reason = r->facts.partial_reason = "";
	for (size_t i = 0; i < streams; i++)
		r->infos[i] = (struct spe_stream_info){ .cpu = (int32_t)i, .tid = -1 };
	for (size_t at = 0; at < count;) {
		struct spe_piece *p = &r->pieces[r->piece_count++];
		size_t want = 1 + fake_random(&seed) % piece_samples;

		*p = (struct spe_piece){ .stream = samples[at].stream, .first_chunk = at };
		for (; at < count && samples[at].stream == p->stream && p->chunk_count < want;
		     at++) {
			struct spe_stream_info *info = &r->infos[p->stream];
			uint64_t t = samples[at].time_ns;

			p->chunk_count++;
			p->bytes += 64;
			info->decode.records++;
			info->bytes += 64;
			if (!samples[at].has_time)
				continue;
			if (!p->first_ns || t < p->first_ns)
				p->first_ns = t;
			if (!info->first_ns || t < info->first_ns)
				info->first_ns = t;
			if (t > info->last_ns)
				info->last_ns = t;
		}
	}
	return r;
}

static inline void fake_free(struct spe_recording *r)
{
	free(r->infos);
	free(r->pieces);
	free(r->samples);
	free(r);
}

#endif
