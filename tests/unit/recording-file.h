/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making small perf.data files for the tests of attribution/: an SPE event and
 * a dummy event that tracks, records with trailers, AUX trace.  The timer
 * ticks once a nanosecond, so that a record's timestamp is its time.
 */
#ifndef TESTS_UNIT_RECORDING_FILE_H
#define TESTS_UNIT_RECORDING_FILE_H

#include "record-make.h"

#include <check.h>
#include <fcntl.h>
#include <perf-arm-spe/attribution.h>
#include <unistd.h>

#define FILE_ROOM (16u << 20)
#define SPE_PMU 8u
#define EL0_PC UINT64_C(0x8000000000400000)
#define EL1_PC UINT64_C(0xa0ff800008000000)
#define EL2_PC UINT64_C(0xc0ff800008000000)
#define NO_CONTEXT UINT64_MAX

/* What kind of recording. */
struct file_kind {
	bool no_time;     /* no TIME in sample_type */
	bool per_thread;  /* no CPU either */
	bool other_clock; /* -k */
	bool no_info;     /* no AUXTRACE_INFO */
	bool no_conv;     /* no TIME_CONV */
	bool unfinished;  /* the recorder was killed: size of the data 0 */
};

struct file {
	struct file_kind kind;
	uint64_t sample_type;
	size_t n, record; /* bytes; where the record being made begins */
	uint8_t *bytes;
	char path[64];
};

/* ---- bytes ------------------------------------------------------------------ */

static inline void file_put(struct file *f, const void *bytes, size_t n)
{
	ck_assert_uint_le(f->n + n, FILE_ROOM);
	memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

static inline void file_u32(struct file *f, uint32_t v)
{
	file_put(f, &v, sizeof(v));
}

static inline void file_u64(struct file *f, uint64_t v)
{
	file_put(f, &v, sizeof(v));
}

static inline void file_text(struct file *f, const char *text)
{
	static const uint8_t zeros[8];
	size_t n = strlen(text) + 1;

	file_put(f, text, n);
	file_put(f, zeros, (8 - n % 8) % 8);
}

static inline void file_begin_record(struct file *f, uint32_t type, uint16_t misc)
{
	f->record = f->n;
	file_u32(f, type);
	file_put(f, &misc, sizeof(misc));
	file_put(f, &misc, sizeof(misc)); /* the size, filled in at the end */
}

static inline void file_end_record(struct file *f)
{
	uint16_t size = (uint16_t)(f->n - f->record);

	memcpy(f->bytes + f->record + 6, &size, sizeof(size));
}

/* The trailer ends a kernel record; attr 0 is SPE, 1 the dummy. */
static inline void file_trailer(struct file *f, int pid, int tid, uint64_t time, int cpu, int attr)
{
	if (f->sample_type & SPE_SAMPLE_TID) {
		file_u32(f, (uint32_t)pid);
		file_u32(f, (uint32_t)tid);
	}
	if (f->sample_type & SPE_SAMPLE_TIME)
		file_u64(f, time);
	if (f->sample_type & SPE_SAMPLE_CPU) {
		file_u32(f, (uint32_t)cpu);
		file_u32(f, 0);
	}
	file_u64(f, time || attr == 0 ? 1 + (uint64_t)attr : 0); /* IDENTIFIER */
	file_end_record(f);
}

/* ---- the file ------------------------------------------------------------------ */

enum { HEADER_BYTES = 104, ATTR_BYTES = 112, ENTRY_BYTES = ATTR_BYTES + 16, ATTRS = 2 };

static inline void file_attr(struct file *f, uint32_t type, uint64_t config, uint64_t ids)
{
	uint64_t flags = 1ull << SPE_ATTR_SAMPLE_ID_ALL | (uint64_t)f->kind.other_clock
								  << SPE_ATTR_USE_CLOCKID;
	size_t start = f->n;

	file_u32(f, type);
	file_u32(f, ATTR_BYTES);
	file_u64(f, config);
	file_u64(f, 1024);
	file_u64(f, f->sample_type);
	file_u64(f, 0);
	file_u64(f, flags);
	while (f->n < start + 92)
		file_u32(f, 0);
	file_u32(f, 1); /* CLOCK_MONOTONIC */
	while (f->n < start + ATTR_BYTES)
		file_u32(f, 0);
	file_u64(f, ids);
	file_u64(f, sizeof(uint64_t));
}

static inline void file_time_conv(struct file *f)
{
	file_begin_record(f, SPE_PERF_TIME_CONV, 0);
	file_u64(f, 0); /* shift */
	file_u64(f, 1); /* mult */
	file_u64(f, 0); /* zero */
	file_end_record(f);
}

static inline void file_info(struct file *f, const uint64_t *words, size_t count)
{
	file_begin_record(f, SPE_PERF_AUXTRACE_INFO, 0);
	file_u32(f, SPE_AUXTRACE_ARM_SPE);
	file_u32(f, 0);
	file_put(f, words, count * sizeof(*words));
	file_end_record(f);
}

static inline struct file *file_new(struct file_kind kind)
{
	struct file *f = calloc(1, sizeof(*f));
	const uint64_t v1[] = { SPE_PMU, 1 };
	uint64_t header[HEADER_BYTES / 8] = { 0 };

	ck_assert_ptr_nonnull(f);
	f->bytes = malloc(FILE_ROOM);
	ck_assert_ptr_nonnull(f->bytes);
	f->kind = kind;
	f->sample_type = SPE_SAMPLE_TID | SPE_SAMPLE_IDENTIFIER;
	f->sample_type |= kind.no_time ? 0 : SPE_SAMPLE_TIME;
	f->sample_type |= kind.per_thread ? 0 : SPE_SAMPLE_CPU;
	file_put(f, header, sizeof(header));
	file_attr(f, SPE_PMU, 1, HEADER_BYTES + ATTRS * ENTRY_BYTES);
	file_attr(f, 1, 9, HEADER_BYTES + ATTRS * ENTRY_BYTES + 8);
	file_u64(f, 1);
	file_u64(f, 2);
	if (!kind.no_conv)
		file_time_conv(f);
	if (!kind.no_info)
		file_info(f, v1, 2);
	return f;
}

/* Write it to a temporary file. */
static inline const char *file_write(struct file *f)
{
	uint64_t data = HEADER_BYTES + ATTRS * ENTRY_BYTES + 16;
	uint64_t header[HEADER_BYTES / 8] = { UINT64_C(0x32454c4946524550),
					      HEADER_BYTES,
					      ENTRY_BYTES,
					      HEADER_BYTES,
					      ATTRS * ENTRY_BYTES,
					      data,
					      f->kind.unfinished ? 0 : f->n - data };
	int fd;

	memcpy(f->bytes, header, sizeof(header));
	snprintf(f->path, sizeof(f->path), "/tmp/spe-recording-XXXXXX");
	fd = mkstemp(f->path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, f->bytes, f->n), (ssize_t)f->n);
	close(fd);
	return f->path;
}

static inline void file_free(struct file *f)
{
	if (f->path[0])
		unlink(f->path);
	free(f->bytes);
	free(f);
}

/* ---- side-band -------------------------------------------------------------------- */

static inline void file_comm(struct file *f, int pid, int tid, const char *name, uint64_t time)
{
	file_begin_record(f, SPE_PERF_COMM, 0);
	file_u32(f, (uint32_t)pid);
	file_u32(f, (uint32_t)tid);
	file_text(f, name);
	file_trailer(f, time ? pid : 0, time ? tid : 0, time, 0, 1);
}

static inline void file_exec(struct file *f, int pid, const char *name, uint64_t time)
{
	file_begin_record(f, SPE_PERF_COMM, SPE_MISC_COMM_EXEC);
	file_u32(f, (uint32_t)pid);
	file_u32(f, (uint32_t)pid);
	file_text(f, name);
	file_trailer(f, pid, pid, time, 0, 1);
}

static inline void file_task(struct file *f, uint32_t type, int pid, int tid, int ppid, int ptid,
			     uint64_t time)
{
	bool fork = type == SPE_PERF_FORK;

	file_begin_record(f, type, 0);
	file_u32(f, (uint32_t)pid);
	file_u32(f, (uint32_t)ppid);
	file_u32(f, (uint32_t)tid);
	file_u32(f, (uint32_t)ptid);
	file_u64(f, time);
	file_trailer(f, fork ? ppid : pid, fork ? ptid : tid, time, 0, 1);
}

/* At `time` the CPU goes from one thread to the next: out, then in 10 ns later. */
static inline void file_switch(struct file *f, int cpu, uint64_t time, int from_pid, int from,
			       int to_pid, int to)
{
	file_begin_record(f, SPE_PERF_SWITCH_CPU_WIDE, SPE_MISC_SWITCH_OUT);
	file_u32(f, (uint32_t)to_pid);
	file_u32(f, (uint32_t)to);
	file_trailer(f, from_pid, from, time, cpu, 1);
	file_begin_record(f, SPE_PERF_SWITCH_CPU_WIDE, 0);
	file_u32(f, (uint32_t)from_pid);
	file_u32(f, (uint32_t)from);
	file_trailer(f, to_pid, to, time + 10, cpu, 1);
}

static inline void file_lost(struct file *f, int cpu, uint64_t time, uint64_t events)
{
	file_begin_record(f, SPE_PERF_LOST, 0);
	file_u64(f, 2);
	file_u64(f, events);
	file_trailer(f, 1, 1, time, cpu, 1);
}

static inline void file_namespaces(struct file *f, int pid, uint64_t pid_inode, uint64_t time)
{
	file_begin_record(f, SPE_PERF_NAMESPACES, 0);
	file_u32(f, (uint32_t)pid);
	file_u32(f, (uint32_t)pid);
	file_u64(f, 7);
	for (int i = 0; i < 7; i++) {
		file_u64(f, 3);
		file_u64(f, i == 3 ? pid_inode : UINT64_C(0xeffffff0));
	}
	file_trailer(f, pid, pid, time, 0, 1);
}

static inline void file_itrace_start(struct file *f, int cpu, int tid, uint64_t time)
{
	file_begin_record(f, SPE_PERF_ITRACE_START, 0);
	file_u32(f, (uint32_t)tid);
	file_u32(f, (uint32_t)tid);
	file_trailer(f, tid, tid, time, cpu, 0);
}

/* ---- trace ---------------------------------------------------------------------------- */

static inline void file_aux(struct file *f, int cpu, uint64_t time, uint64_t offset, uint64_t size,
			    uint64_t flags)
{
	file_begin_record(f, SPE_PERF_AUX, 0);
	file_u64(f, offset);
	file_u64(f, size);
	file_u64(f, flags);
	file_trailer(f, 9, 9, time, cpu, 0); /* whoever ran when it was written: owns nothing */
}

/* The payload is rounded up to 8 with zero bytes, as perf does. */
static inline void file_auxtrace(struct file *f, int cpu, int tid, uint64_t offset,
				 const uint8_t *bytes, size_t n)
{
	static const uint8_t zeros[8];
	size_t pad = (8 - n % 8) % 8;

	file_begin_record(f, SPE_PERF_AUXTRACE, 0);
	file_u64(f, n + pad);
	file_u64(f, offset);
	file_u64(f, 0);
	file_u32(f, cpu < 0 ? 0 : (uint32_t)cpu);
	file_u32(f, (uint32_t)tid);
	file_u32(f, (uint32_t)cpu);
	file_u32(f, 0);
	file_end_record(f);
	file_put(f, bytes, n);
	file_put(f, zeros, pad);
}

static inline void file_trace(struct file *f, int cpu, const struct trace *t)
{
	file_auxtrace(f, cpu, -1, 0, t->bytes, t->n);
}

/* One 64-byte record; a context may be NO_CONTEXT, time 0 ends with END. */
static inline void put_sample(struct trace *t, uint64_t pc, uint64_t el1, uint64_t el2,
			      uint64_t time)
{
	size_t start = t->n;

	put_pc(t, pc);
	if (el1 != NO_CONTEXT)
		put_context1(t, el1);
	if (el2 != NO_CONTEXT)
		put_context2(t, el2);
	put_op(t, SPE_OP_OTHER, 0);
	put_events(t, 2);
	put_zeros(t, start + 64 - (time ? 9 : 1) - t->n);
	if (time)
		put_timestamp(t, time);
	else
		put_end(t);
}

/* ---- reading it back --------------------------------------------------------------------- */

struct answers {
	struct spe_recording *recording;
	size_t count;
	struct spe_sample *samples; /* in stream order */
	struct spe_decode_stats stats;
};

static inline struct spe_recording_opts recording_opts(void)
{
	return (struct spe_recording_opts){ .size = sizeof(struct spe_recording_opts),
					    .threads = 1 };
}

/* All samples, `room` at a time; and the counts of survey and reader are the same. */
static inline void read_answers(struct answers *a, size_t room)
{
	struct spe_reader_opts opts = { .size = sizeof(opts), .names = true };
	struct spe_decode_stats survey = { 0 };
	struct spe_reader *reader;
	size_t held = 0, count;

	ck_assert_int_eq(spe_reader_new(a->recording, &opts, &reader), SPE_OK);
	for (size_t piece = 0; piece < spe_recording_pieces(a->recording); piece++) {
		int status;

		ck_assert_int_eq(spe_reader_start(reader, piece), SPE_OK);
		for (;;) {
			if (held < a->count + room) {
				held = 2 * (a->count + room);
				a->samples = realloc(a->samples, held * sizeof(*a->samples));
				ck_assert_ptr_nonnull(a->samples);
				/* so that whole samples can be compared */
				memset(a->samples + a->count, 0,
				       (held - a->count) * sizeof(*a->samples));
			}
			status = spe_reader_next(reader, a->samples + a->count, room, &count);
			if (status)
				break;
			ck_assert_uint_gt(count, 0);
			ck_assert_uint_le(count, room);
			a->count += count;
		}
		ck_assert_int_eq(status, SPE_END);
	}
	for (size_t i = 0; i < spe_recording_streams(a->recording); i++)
		spe_decode_stats_add(&survey, &spe_recording_stream(a->recording, i)->decode);
	a->stats = *spe_reader_stats(reader);
	ck_assert_mem_eq(&survey, &a->stats, sizeof(survey));
	ck_assert_uint_eq(a->stats.records, a->count);
	spe_reader_free(reader);
}

/* Two readers that share what they learn, in turns: each gives what one alone did. */
static inline void read_beside(const struct answers *a)
{
	struct spe_reader_opts opts = { .size = sizeof(opts), .names = true };
	struct spe_reader *readers[2];
	static struct spe_sample samples[9];
	size_t at[2] = { 0, 0 }, count;

	ck_assert_int_eq(spe_reader_new(a->recording, &opts, &readers[0]), SPE_OK);
	opts.beside = readers[0];
	ck_assert_int_eq(spe_reader_new(a->recording, &opts, &readers[1]), SPE_OK);
	for (size_t piece = 0; piece < spe_recording_pieces(a->recording); piece++) {
		int status[2] = { SPE_OK, SPE_OK };

		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(spe_reader_start(readers[i], piece), SPE_OK);
		for (int i = 0; status[0] == SPE_OK || status[1] == SPE_OK; i = !i) {
			if (status[i])
				continue;
			status[i] = spe_reader_next(readers[i], samples, i ? 9 : 4, &count);
			if (status[i])
				continue;
			if (at[i] + count > a->count ||
			    memcmp(samples, a->samples + at[i], count * sizeof(*samples)))
				ck_abort_msg("reader %d differs at %zu", i, at[i]);
			at[i] += count;
		}
	}
	ck_assert_uint_eq(at[0], a->count);
	ck_assert_uint_eq(at[1], a->count);
	ck_assert_mem_eq(spe_reader_stats(readers[0]), &a->stats, sizeof(a->stats));
	ck_assert_mem_eq(spe_reader_stats(readers[1]), &a->stats, sizeof(a->stats));
	spe_reader_free(readers[1]);
	spe_reader_free(readers[0]);
}

static inline struct answers open_file(struct file *f, const struct spe_recording_opts *opts)
{
	struct answers a = { 0 };
	struct spe_error error = { 0 };

	ck_assert_msg(!spe_recording_open(f->path[0] ? f->path : file_write(f), opts, &a.recording,
					  &error),
		      "%s", error.text);
	return a;
}

static inline void answers_free(struct answers *a)
{
	free(a->samples);
	spe_recording_close(a->recording);
}

/* ---- samples along with the survey --------------------------------------------------------- */

#define ALONG_WORKERS 3

struct along {
	unsigned workers; /* 0: there was nothing */
	struct answers by_worker[ALONG_WORKERS];
};

static inline int along_start(void *arg, unsigned workers)
{
	struct along *along = arg;

	ck_assert_uint_eq(along->workers, 0);
	ck_assert_uint_ge(workers, 1);
	ck_assert_uint_le(workers, ALONG_WORKERS);
	along->workers = workers;
	return SPE_OK;
}

static inline int along_batch(void *arg, unsigned worker, struct spe_sample *samples, size_t count)
{
	struct along *along = arg;
	struct answers *a = &along->by_worker[worker];

	if (worker >= along->workers || !count)
		abort();
	a->samples = realloc(a->samples, (a->count + count) * sizeof(*samples));
	if (!a->samples)
		abort();
	memcpy(a->samples + a->count, samples, count * sizeof(*samples));
	memset(samples, 0xa5, count * sizeof(*samples)); /* they are ours until we return */
	a->count += count;
	return SPE_OK;
}

static inline int along_order(const void *a, const void *b)
{
	const struct spe_sample *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->record.aux_offset < y->record.aux_offset ? -1 : 1;
}

static inline void same_recordings(const struct spe_recording *x, const struct spe_recording *y)
{
	struct spe_recording_facts fx = *spe_recording_facts(x), fy = *spe_recording_facts(y);

	ck_assert_str_eq(fx.namespace_reason, fy.namespace_reason);
	ck_assert_str_eq(fx.partial_reason, fy.partial_reason);
	fx.namespace_reason = fx.partial_reason = fy.namespace_reason = fy.partial_reason = NULL;
	ck_assert_mem_eq(&fx, &fy, sizeof(fx));
	ck_assert_uint_eq(spe_recording_streams(x), spe_recording_streams(y));
	for (size_t i = 0; i < spe_recording_streams(x); i++)
		ck_assert_mem_eq(spe_recording_stream(x, i), spe_recording_stream(y, i),
				 sizeof(struct spe_stream_info));
	ck_assert_uint_eq(spe_recording_pieces(x), spe_recording_pieces(y));
	for (size_t i = 0; i < spe_recording_pieces(x); i++) {
		const struct spe_piece *px = spe_recording_piece(x, i);
		const struct spe_piece *py = spe_recording_piece(y, i);

		ck_assert(px->stream == py->stream && px->first_chunk == py->first_chunk &&
			  px->chunk_count == py->chunk_count && px->bytes == py->bytes &&
			  px->first_ns == py->first_ns && px->last_ns == py->last_ns);
	}
}

/*
 * Open the file once more and take samples along with the survey: if they are kept
 * they are those of the readers, and all that is known of the recording is the same.
 * Returns whether they were kept.
 */
static inline bool go_along(const struct file *f, struct spe_recording_opts opts,
			    const struct answers *a)
{
	struct along along = { 0 };
	struct spe_companion companion = { .size = sizeof(companion),
					   .names = true,
					   .arg = &along,
					   .start = along_start,
					   .batch = along_batch };
	struct answers all = { 0 };
	struct spe_error error;
	bool kept = true;

	opts.later = true;
	ck_assert_int_eq(spe_recording_open(f->path, &opts, &all.recording, &error), SPE_OK);
	ck_assert_uint_eq(spe_recording_pieces(all.recording), 0);
	ck_assert_int_eq(spe_recording_finish(all.recording, &companion, &kept, &error), SPE_OK);
	same_recordings(all.recording, a->recording);
	for (unsigned i = 0; i < along.workers; i++) {
		struct answers *w = &along.by_worker[i];

		if (w->count) {
			all.samples =
				realloc(all.samples, (all.count + w->count) * sizeof(*all.samples));
			ck_assert_ptr_nonnull(all.samples);
			memcpy(all.samples + all.count, w->samples, w->count * sizeof(*w->samples));
			all.count += w->count;
		}
		free(w->samples);
	}
	if (kept) {
		ck_assert_uint_eq(all.count, a->count);
		if (all.count) {
			qsort(all.samples, all.count, sizeof(*all.samples), along_order);
			ck_assert(
				!memcmp(all.samples, a->samples, all.count * sizeof(*all.samples)));
		}
	}
	answers_free(&all);
	return kept;
}

/* What is left of samples when only owners matter: how many of each, and the latest. */
struct owned {
	struct spe_sample as; /* without its record; the time is that of the latest */
	uint64_t count;
};

#define OWNED_MOST 4096

struct owned_list {
	size_t count;
	struct owned items[OWNED_MOST];
	uint64_t runs; /* that came as one */
};

static inline void owned_add(struct owned_list *list, const struct spe_sample *sample,
			     uint64_t count)
{
	struct spe_sample as = *sample;
	size_t i = 0;

	memset(&as.record, 0, sizeof(as.record));
	as.time_ns = 0;
	for (; i < list->count; i++) {
		struct spe_sample other = list->items[i].as;

		other.time_ns = 0;
		if (!memcmp(&other, &as, sizeof(as)))
			break;
	}
	if (i == OWNED_MOST)
		abort();
	if (i == list->count) {
		list->count++;
		list->items[i] = (struct owned){ .as = as };
	}
	list->items[i].count += count;
	if (sample->time_ns > list->items[i].as.time_ns)
		list->items[i].as.time_ns = sample->time_ns;
}

static inline int owned_start(void *arg, unsigned workers)
{
	(void)arg;
	return workers == 1 ? SPE_OK : SPE_INTERNAL;
}

static inline int owned_batch(void *arg, unsigned worker, struct spe_sample *samples, size_t count)
{
	(void)worker;
	for (size_t i = 0; i < count; i++)
		owned_add(arg, &samples[i], 1);
	memset(samples, 0xa5, count * sizeof(*samples));
	return SPE_OK;
}

static inline int owned_run(void *arg, unsigned worker, const struct spe_sample *sample,
			    uint64_t count)
{
	struct owned_list *list = arg;

	(void)worker;
	owned_add(list, sample, count);
	list->runs++;
	return SPE_OK;
}

static inline int owned_order(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return memcmp(&x->as, &y->as, sizeof(x->as));
}

/* The same for who looks at owners alone. Returns how many runs came as one. */
static inline uint64_t go_along_for_owners(const struct file *f, struct spe_recording_opts opts,
					   const struct answers *a)
{
	struct owned_list *have = calloc(1, sizeof(*have)), *want = calloc(1, sizeof(*want));
	struct spe_companion companion = { .size = sizeof(companion),
					   .want = SPE_HAS_TIMESTAMP,
					   .names = true,
					   .arg = have,
					   .start = owned_start,
					   .batch = owned_batch,
					   .run = owned_run };
	struct spe_recording *recording;
	struct spe_error error;
	uint64_t runs;
	bool kept;

	ck_assert(have && want);
	opts.later = true;
	ck_assert_int_eq(spe_recording_open(f->path, &opts, &recording, &error), SPE_OK);
	ck_assert_int_eq(spe_recording_finish(recording, &companion, &kept, &error), SPE_OK);
	same_recordings(recording, a->recording);
	for (size_t i = 0; kept && i < a->count; i++)
		owned_add(want, &a->samples[i], 1);
	if (kept) {
		ck_assert_uint_eq(have->count, want->count);
		qsort(have->items, have->count, sizeof(*have->items), owned_order);
		qsort(want->items, want->count, sizeof(*want->items), owned_order);
		ck_assert(!memcmp(have->items, want->items, have->count * sizeof(*have->items)));
	}
	runs = have->runs;
	spe_recording_close(recording);
	free(have);
	free(want);
	return runs;
}

static inline struct answers ask_file_as(struct file *f, struct spe_recording_opts opts, bool *kept)
{
	struct answers a = open_file(f, &opts);

	read_answers(&a, 100);
	read_beside(&a);
	*kept = go_along(f, opts, &a);
	go_along_for_owners(f, opts, &a);
	opts.threads = ALONG_WORKERS;
	ck_assert_int_eq(go_along(f, opts, &a), *kept);
	return a;
}

static inline struct answers ask_file(struct file *f)
{
	bool kept;

	return ask_file_as(f, recording_opts(), &kept);
}

#define expect(a, i, want_pid, want_tid, want_evidence)                                            \
	do {                                                                                       \
		ck_assert_uint_lt((i), (a)->count);                                                \
		ck_assert_msg((a)->samples[i].pid == (want_pid) &&                                 \
				      (a)->samples[i].tid == (want_tid) &&                         \
				      (a)->samples[i].evidence == SPE_EVIDENCE_##want_evidence,    \
			      "sample %d is %d/%d by %s, not %d/%d by " #want_evidence, (int)(i),  \
			      (a)->samples[i].pid, (a)->samples[i].tid,                            \
			      spe_evidence_name((a)->samples[i].evidence), (int)(want_pid),        \
			      (int)(want_tid));                                                    \
	} while (0)

#endif
