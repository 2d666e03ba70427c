/* SPDX-License-Identifier: GPL-2.0-only */
/* What pass 1 keeps while it runs. */
#ifndef SPE_ATTRIBUTION_COLLECT_H
#define SPE_ATTRIBUTION_COLLECT_H

#include "recording.h"

struct spe_stream_entry;

struct spe_collect {
	struct spe_recording *recording;
	struct spe_stream_entry *by_key; /* streams by (cpu, tid, idx) */
	SPE_VEC(struct spe_aux_range) ranges;
	SPE_VEC(struct spe_lost) lost;
	SPE_VEC(struct spe_start) starts;
	SPE_VEC(struct spe_id_entry) ids;
	SPE_VEC(uint8_t) seen;   /* by CPU: has it written side-band? */
	uint64_t newest_ns;      /* of the side-band so far */
	uint64_t round_ns;       /* when perf had last gone round all rings */
	uint64_t complete_ns;    /* and the time before: of then nothing is missing */
	struct spe_sched *sched; /* format of sched_switch, NULL when there is none */
	uint64_t impossible;     /* records of tasks no kernel can have written, skipped */
	bool sched_tried;
	bool timed; /* some side-band record has a time */
	bool kind_known;
	bool again;    /* sizes of trace were found to be wrong: all is to be read once more */
	uint32_t kind; /* auxtrace type of the last AUXTRACE_INFO */
};

/* The stream an AUXTRACE record belongs to, made if new. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_collect_stream(struct spe_collect *collect, const struct spe_perf_event *event,
		       struct spe_stream **stream);
/*
 * Index of the first SPE event of this PMU type (UINT32_MAX: of any), SIZE_MAX
 * when there is none.
 */
size_t spe_collect_spe_attr(const struct spe_recording *recording, uint32_t pmu_type);
/* Is the side-band in a clock the user chose (-k)? */
bool spe_collect_other_clock(const struct spe_recording *recording);
/*
 * The stream of a CPU (-1: of a thread), with this mmap index unless that is -1;
 * NULL: none.  Once the streams were handed over.
 */
struct spe_stream *spe_collect_find(const struct spe_recording *recording, int32_t cpu, int32_t tid,
				    int64_t idx);
/*
 * Hold sizes and owners of trace against other records; collect->again if all
 * must be read again.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_collect_vouch(struct spe_collect *collect);
/* All records were read: order the streams and give them their AUX records. */
int spe_collect_finish(struct spe_collect *collect, struct spe_error *error);
void spe_collect_clear(struct spe_collect *collect);

#endif
