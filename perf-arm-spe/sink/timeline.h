/* SPDX-License-Identifier: GPL-2.0-only */
/* timeline, private parts: stretches, whoever the witness is. */
#ifndef SPE_SINK_TIMELINE_H
#define SPE_SINK_TIMELINE_H

#include "json.h"

#include <perf-arm-spe/etm.h>
#include <perf-arm-spe/sink.h>

enum timeline_source { TIMELINE_SPE, TIMELINE_ETM, TIMELINE_SWITCH, TIMELINE_SOURCES };

/* One thread on one CPU, without another between. */
struct timeline_stretch {
	uint8_t source; /* enum timeline_source */
	int32_t cpu, pid, tid;
	uint32_t comm;
	bool has_time;       /* from_ns and to_ns hold */
	bool bounds_only;    /* the stretch lies somewhere between them */
	bool no_from, no_to; /* it reaches beyond what the witness saw on that side */
	uint64_t from_ns, to_ns;
	uint64_t count; /* records, contexts; 0 for switches */
};

struct timeline {
	const struct spe_recording *recording;
	const struct spe_timeline_opts *opts;
	struct spe_text *text;
	struct spe_json json;
	struct timeline_stretch *open; /* by stream: the stretch that goes on */
	bool *is_open;
	uint64_t printed;
};

/* Print one stretch. SPE_OK or what the output says. */
int timeline_put(struct timeline *timeline, const struct timeline_stretch *stretch);
/* Each witness in turn. SPE_OK, SPE_NOMEM, or what the output says. */
int timeline_spe(struct timeline *timeline, struct spe_error *error);
int timeline_switch(struct timeline *timeline);
int timeline_etm(struct timeline *timeline, const struct spe_etm *etm);

#endif
