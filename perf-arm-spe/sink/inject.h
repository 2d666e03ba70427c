/* SPDX-License-Identifier: GPL-2.0-only */
/* inject, private parts: what one file being written needs. */
#ifndef SPE_SINK_INJECT_H
#define SPE_SINK_INJECT_H

#include "itrace.h"

#include <perf-arm-spe/sink.h>

#include "../base/vec.h"

/* One record of the original side-band that will be written again. */
struct inject_record {
	uint64_t time_ns; /* 0: no time, stands before all others */
	size_t at;        /* in the byte arena */
	uint32_t bytes;
};

/* The side-band, in the order it is written. */
struct inject_side {
	SPE_VEC(struct inject_record) records;
	SPE_VEC(uint8_t) bytes;
	size_t next;
	uint64_t unknown; /* records left out, for perf does not know their type */
	uint32_t cpus;    /* one more than the highest CPU in a trailer */
};

/* How samples are laid out: all synthesized events alike. */
struct inject_layout {
	uint64_t sample_type;
	uint64_t first_id;              /* of the synthesized events, in order of their attrs */
	uint64_t ids[SPE_SYNTH_EVENTS]; /* 0: event not asked for */
	bool branch_stack;
	unsigned branch_entries;
};

/* The owner as it is written, which may be less than what is known. */
struct inject_owner {
	int32_t pid, tid;
};

#define INJECT_BUFFER_BYTES (1u << 20)
/* The longest sample: every field, two branches. */
#define INJECT_SAMPLE_BYTES 256u
/* The longest trailer: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER. */
#define INJECT_TRAILER_BYTES 48u

struct inject {
	const struct spe_recording *recording;
	const struct spe_inject_opts *opts;
	struct spe_itrace itrace;
	struct inject_layout layout;
	struct inject_side side;
	struct spe_perfdata_writer *writer;
	struct spe_error *error;
	uint8_t *buffer; /* INJECT_BUFFER_BYTES */
	size_t filled;
	uint64_t since_round; /* records since the last FINISHED_ROUND */
	uint32_t *countdown;  /* per stream: records to the next `instructions` */
	uint64_t *midr;       /* per stream */
	void *late;           /* FILE of samples without a time, which come last; NULL: none */
	/* By thread id, hashes of the names perf has: by now, and when all side-band is read. */
	uint32_t *names, *names_at_end;
	uint32_t *comm_hashes; /* by number of the name */
	enum spe_host_el host_el;
	bool other_clock;    /* of the side-band */
	bool traced_samples; /* SAMPLE records of an SPE event: never seen, but then its layout
				holds */
	bool add_identifier; /* the file's records have no IDENTIFIER: they get one */
	uint64_t default_id; /* the one they get */
};

/* ---- inject-side.c ---------------------------------------------------- */

/* Read all side-band that is kept, sorted. SPE_OK, SPE_NOMEM, SPE_LIMIT, SPE_IO. */
int inject_side_load(struct inject *inject);
void inject_side_free(struct inject_side *side);
/* Write side-band up to and with time_ns. SPE_OK or what the writer says. */
int inject_side_write(struct inject *inject, uint64_t time_ns);

/* ---- inject-header.c ---------------------------------------------------- */

/* Attrs and features: the original ones, then the synthesized. SPE_OK or what the writer says. */
int inject_header_write(struct inject *inject);
/* Is this attr, by its index, one of the events whose trace becomes samples? */
bool inject_is_traced(const struct inject *inject, size_t attr);

/* ---- inject-sample.c ---------------------------------------------------- */

/* The layout the file's SPE event calls for. */
void inject_layout_choose(struct inject *inject);
/* Is the file one that inject, or perf inject, has written? */
bool inject_is_output(const struct inject *inject);
/* Whom perf is told of. */
struct inject_owner inject_owner_choose(const struct inject *inject,
					const struct spe_sample *sample);
/* Append the events of a sample to out; returns the bytes, at most INJECT_SAMPLE_BYTES an event. */
size_t inject_sample_encode(struct inject *inject, const struct spe_sample *sample,
			    const struct inject_owner *owner, uint32_t events, uint8_t *out);
/*
 * The trailer of a record that belongs to the first synthesized event and to
 * the moment of a sample; returns its bytes, at most INJECT_TRAILER_BYTES.
 */
size_t inject_trailer_make(const struct inject *inject, const struct spe_sample *sample,
			   const struct inject_owner *owner, uint8_t *out);

/* ---- inject-names.c ----------------------------------------------------- */

/* After inject_side_load(). SPE_OK or SPE_NOMEM. */
int inject_names_new(struct inject *inject);
void inject_names_free(struct inject *inject);
/* A record of the side-band that was written: what it tells perf of names. */
void inject_names_note(struct inject *inject, const uint8_t *record, size_t bytes);
/* Write COMM records that perf needs to name this owner. SPE_OK or what the writer says. */
int inject_names_ensure(struct inject *inject, const struct spe_sample *sample,
			const struct inject_owner *owner);

/* ---- inject.c ------------------------------------------------------------- */

/* Append bytes to the output. SPE_OK or what the writer says. */
int inject_put(struct inject *inject, const void *bytes, size_t n);
/* The same, behind all that has a time. SPE_OK, SPE_IO. */
int inject_put_late(struct inject *inject, const void *bytes, size_t n);
/* The time a sample gets: of the side-band's clock. */
static inline uint64_t inject_time_ns(const struct inject *inject, const struct spe_sample *sample)
{
	return inject->other_clock ? spe_recording_side_ns(inject->recording, sample->time_ns)
				   : sample->time_ns;
}
/* The SPE event the samples stand for. */
const struct spe_perf_attr *inject_spe_attr(const struct inject *inject);

#endif
