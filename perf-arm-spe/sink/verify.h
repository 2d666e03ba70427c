/* SPDX-License-Identifier: GPL-2.0-only */
/* verify, private parts: what is counted, and its printing. */
#ifndef SPE_SINK_VERIFY_H
#define SPE_SINK_VERIFY_H

#include <perf-arm-spe/sink.h>

#include "../base/vec.h"

/* Must come last: it would tell other headers a different story. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct verify_cpu {
	uint64_t compared, agree, in_window, no_switch, no_context, untranslated;
	struct spe_switch_answer answer; /* the last one, good for [from, to) */
	bool has_answer;
	uint64_t etm_compared, etm_agree;
	int32_t etm_tid; /* the last answer of ETM trace, good for [etm_from_ns, etm_to_ns) */
	uint64_t etm_from_ns, etm_to_ns;
	bool parted;      /* the sample before was one on which the two part */
	size_t open_span; /* index + 1 of the span that goes on, 0: none, or one too many to keep */
};

struct verify_process {
	UT_hash_handle hh;
	int32_t pid;
	uint32_t comm;
	uint64_t compared, agree;
};

/* Samples of one CPU, one after the other, in which the two part. */
struct verify_span {
	int32_t cpu;
	uint64_t first_ns, last_ns, samples;
	int32_t context_tid, switch_tid; /* of its first sample */
};

struct spe_verify {
	const struct spe_recording *recording;
	struct spe_sink_ops ops;
	bool has_etm, host_el2;
	bool foreign; /* contexts and switches number tasks differently */
	/* Of samples both speak of: how many, the first context and thread, and those of others. */
	uint64_t seen, other_contexts, other_threads;
	uint32_t context;
	int32_t thread;
	struct spe_verify_result result;
	struct verify_cpu *cpus; /* by stream */
	struct verify_process *processes;
	SPE_VEC(struct verify_span) spans;
};

#endif
