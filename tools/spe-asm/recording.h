/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf.data file in the making: what perf record would have written, and
 * what it never would.  The text format and the generator both stand on this.
 */
#ifndef SPE_ASM_RECORDING_H
#define SPE_ASM_RECORDING_H

#include <perf-arm-spe/perfdata.h>

#include "buffer.h"
#include "words.h"

enum form { FORM_FILE, FORM_PIPE, FORM_DIRECTORY };
enum compress { COMPRESS_NO, COMPRESS_ZSTD, COMPRESS_ZSTD2 };
enum index { INDEX_NO, INDEX_YES, INDEX_EMPTY };
/* Which word of a record tells its event. */
enum ids { IDS_NO, IDS_ID, IDS_IDENTIFIER };
enum clock_place { CLOCK_FIRST, CLOCK_LAST, CLOCK_NONE };

/* One CPU as AUXTRACE_INFO version 2 tells of it. */
struct core {
	uint64_t midr;
	uint64_t min_interval;
	uint64_t event_filter;
	bool no_spe;
};

/* An AUX buffer: of a CPU (tid -1) or of a thread (cpu -1). */
struct aux_buffer {
	int32_t cpu, tid;
};

#define RECORDING_STRINGS(X)                                                                       \
	X(hostname, SPE_FEAT_HOSTNAME, "example")                                                  \
	X(osrelease, SPE_FEAT_OSRELEASE, "6.1.0-example-arm64")                                    \
	X(version, SPE_FEAT_VERSION, "6.1")                                                        \
	X(arch, SPE_FEAT_ARCH, "aarch64")                                                          \
	X(cpudesc, SPE_FEAT_CPUDESC, NULL)                                                         \
	X(cpuid, SPE_FEAT_CPUID, "0x00000000413fd0c1")

enum recording_string {
#define X(name, feature, value) STRING_##name,
	RECORDING_STRINGS(X)
#undef X
		STRINGS
};

struct recording_opts {
	unsigned form, compress, index, ids, clock_place; /* enums of these names */
	uint32_t attr_bytes;
	unsigned info_version; /* of AUXTRACE_INFO; 0: no such record */
	unsigned info_parameters;
	bool big_endian, no_trailers, has_time, time_said, no_dummy, no_id_index, no_finished_init;
	bool switches;     /* 'run' writes switch records */
	bool sched_switch; /* there is a sched:sched_switch event */
	unsigned kernel_el;
	uint32_t pmu_type;
	uint64_t event_config;
	int32_t clockid;    /* -1: perf's own clock */
	uint64_t aux_bytes; /* the most of one AUXTRACE record; 0: no limit */
	struct spe_time_conv clock;
	struct core *cores; /* one a CPU */
	unsigned cpus;
	struct aux_buffer *buffers; /* all there are; a buffer's number is its mmap index */
	size_t buffer_count;
	const char *strings[STRINGS]; /* NULL: the file does not say */
	const char *cmdline;
	struct {
		unsigned feature;
		struct buffer body;
	} * features; /* others, as they shall stand */
	size_t feature_count;
};

/* What perf record -e arm_spe// -a of one CPU gives, in the form perf 6.1 opens. */
void recording_defaults(struct recording_opts *opts);

/* Who, when and where: the identity at the end of a record. */
struct trailer {
	struct task task;
	uint64_t time_ns;
	size_t buffer; /* number of the AUX buffer whose ring the record came from */
	bool zero;     /* as in records that perf itself makes up */
	bool has_id;   /* id stands instead of the event's own */
	bool of_spe;   /* the record belongs to the SPE event (AUX) */
	int32_t cpu;
	uint64_t id;
};

struct recording;

/* Begin. path "-" is standard output. */
struct recording *recording_new(const char *path, const struct recording_opts *opts);
/* Append a record: body without header and trailer; trailer NULL where the type has none. */
void recording_record(struct recording *r, uint32_t type, uint16_t misc, const struct buffer *body,
		      const struct trailer *trailer);
/* Append a record whose bytes all stand as given, header included. */
void recording_raw(struct recording *r, const uint8_t *bytes, size_t n);
/* Append AUX data of a buffer that stands at `offset` of its stream, in one AUXTRACE record. */
void recording_auxtrace(struct recording *r, size_t buffer, uint64_t offset, const uint8_t *bytes,
			size_t n);
/* A sched_switch tracepoint sample. */
void recording_sched_switch(struct recording *r, const struct trailer *trailer,
			    const char *prev_comm, struct task prev, uint64_t prev_state,
			    const char *next_comm, struct task next);
/* TIME_CONV as the options have it. */
void recording_time_conv(struct recording *r);
/* Close the file; r is gone. */
void recording_finish(struct recording *r);

/* Options as "key=value" pairs ('file' statement, --set); takes the keys it knows. */
void recording_set(struct recording_opts *opts, struct words *words);

#endif
