/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recording: what the two passes found, immutable once it is open.
 */
#ifndef SPE_ATTRIBUTION_RECORDING_H
#define SPE_ATTRIBUTION_RECORDING_H

#include "clock.h"
#include "etm-timeline.h"
#include "idmap.h"
#include "names.h"
#include "streams.h"
#include "switches.h"
#include "tasks.h"

/* One CPU as AUXTRACE_INFO version 2 describes it. */
struct spe_auxtrace_cpu {
	int32_t cpu;
	uint32_t pmu_type;
	uint64_t midr;
};

/* What AUXTRACE_INFO says. */
struct spe_auxtrace_info {
	bool present;
	uint32_t kind;     /* enum spe_auxtrace_type */
	uint32_t version;  /* 1 or 2; 0 when the body makes no sense */
	uint32_t pmu_type; /* with version != 0 */
	SPE_VEC(struct spe_auxtrace_cpu) cpus;
};

/* Take an AUXTRACE_INFO record of kind SPE. SPE_OK, SPE_CORRUPT, SPE_NOMEM, SPE_LIMIT. */
int spe_auxtrace_info_read(struct spe_auxtrace_info *info, const uint64_t *priv, size_t count);
/* MIDR_EL1 of a CPU (-1: of all, if they are alike); 0 when not known. */
uint64_t spe_auxtrace_info_midr(const struct spe_auxtrace_info *info, int32_t cpu,
				const char *cpuid);
/* PMU type of the SPE that sits on a CPU. */
uint32_t spe_auxtrace_info_pmu(const struct spe_auxtrace_info *info, int32_t cpu);

/* One line of ID_INDEX. */
struct spe_id_entry {
	uint64_t id;
	uint32_t idx;
	int32_t cpu, tid;
};

/* PERF_RECORD_LOST on a CPU. */
struct spe_lost {
	int32_t cpu;
	uint64_t time_ns, events;
};

/* ITRACE_START of a CPU. */
struct spe_start {
	int32_t cpu;
	uint64_t time_ns;
};

/* What NAMESPACES records say of the recorder's pid namespace. */
struct spe_namespaces {
	bool any;     /* some task is in another pid namespace than the initial one */
	bool initial; /* some task of the side-band is in the initial one */
};

/*
 * Records at EL0 whose context says nothing, for which the switches answer
 * certainly: how many, and how many of them fall to id 0.  Idle never runs there.
 */
struct spe_survey_el0 {
	uint64_t asked, at_zero;
};

/* What the survey counts of the contexts of one index. */
struct spe_survey_contexts {
	uint64_t zero, nonzero;
	uint64_t unknown;                   /* of nonzero: no task carries the id */
	uint64_t agree, disagree;           /* of nonzero: with the switches, outside windows */
	uint64_t zero_agree, zero_disagree; /* of zero */
	struct spe_survey_el0 zero_el0;     /* of zero */
};

/* A context value that is none. */
#define SPE_CONTEXT_NONE UINT32_MAX

/* A piece, and where its bytes are. */
struct spe_piece_extent {
	struct spe_piece piece; /* first */
	size_t span;            /* of the stream, where it begins */
	uint64_t start, end;    /* positions */
	bool carries_repeats;   /* its counts include the stream's repeats */
};

typedef SPE_VEC(struct spe_piece_extent) spe_piece_vec;

struct spe_recording {
	bool finished; /* the survey is made too, all that follows is complete */
	struct spe_perfdata *pd;
	struct spe_recording_opts opts; /* strings in it are not kept */
	struct spe_recording_facts facts;
	struct spe_clock clock;
	bool threads_forked; /* a FORK during the recording made a thread, not a process */
	bool broken_off; /* the file is cut or unfinished: side-band may be missing at its end */
	bool unseen_cpu; /* a CPU has no side-band at all; of what is before complete_ns, all is
			    here */
	uint64_t complete_ns;
	bool side_band_timed; /* some side-band record has a time */
	struct spe_tasks *tasks;
	struct spe_tasks *sched_tasks; /* names in sched_switch hits, initial ids; NULL: no hits */
	struct spe_names names;
	struct spe_switches *switches;
	struct spe_etm_timeline *etm; /* NULL: no CoreSight trace that tells */
	struct spe_idmap *idmap;      /* context ids -> the side-band's; NULL when there is none */
	unsigned owner_index;         /* of the context packet that names the owner */
	struct spe_survey_contexts contexts; /* of that index, all streams */
	bool zero_runs_at_el0; /* tasks ran under id 0 of the switches: it is not idle alone */
	struct spe_auxtrace_info info;
	struct spe_namespaces namespaces;
	bool foreign;                /* contexts and side-band number tasks differently */
	struct spe_stream **streams; /* in order of (cpu, tid, idx) */
	size_t stream_count;
	spe_piece_vec pieces;
	char namespace_reason[256];
	char partial_reason[SPE_ERROR_TEXT];
};

/*
 * Pass 1 (collect.c): read all events into tasks, switches and streams.
 * *again: it must be done once more, from the beginning, with nothing kept.
 */
int spe_recording_collect(struct spe_recording *recording, bool *again, struct spe_error *error);
/*
 * Pass 1b (settle.c): what only the trace itself tells.  With a companion *kept is set if
 * it got samples, and they are what readers would make of them (namespaces apart, those
 * are judged later).
 */
int spe_recording_survey(struct spe_recording *recording, const struct spe_companion *companion,
			 bool *kept);
/* Do the ids of contexts and side-band mean the same? (namespace.c) */
int spe_recording_judge_namespace(struct spe_recording *recording);
/* Why they do not, a part of a sentence; NULL when nothing speaks against the ids. */
const char *spe_recording_foreign_reason(const struct spe_recording *recording);
/* Line the side-band's clock up with the perf clock (link.c). */
int spe_recording_link_clocks(struct spe_recording *recording);

#endif
