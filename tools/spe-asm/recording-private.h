/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the recording share. */
#ifndef SPE_ASM_RECORDING_PRIVATE_H
#define SPE_ASM_RECORDING_PRIVATE_H

#include "outlet.h"
#include "recording.h"

/* Events of a file, in their order. */
enum recording_event { EVENT_SPE, EVENT_DUMMY, EVENT_SCHED_SWITCH, EVENTS };

struct recording {
	struct recording_opts opts;
	struct spe_perfdata_writer *writer;
	struct outlet *outlets; /* the file, then data.0, data.1 ... of a directory */
	size_t outlet_count;
	struct buffer scratch;
	bool begun;      /* FINISHED_INIT was written */
	bool per_thread; /* buffers of threads, no CPU in the records */
};

/* Fields of the trailer and of samples: sample_type of the dummy event. */
uint64_t recording_sample_type(const struct recording *r);
bool recording_has_event(const struct recording *r, enum recording_event event);
/* Id of an event on a buffer. */
uint64_t recording_id(const struct recording *r, enum recording_event event, size_t buffer);

/* Attrs and features of the header. */
void recording_header(struct recording *r);
/* The records that stand first. */
void recording_first_records(struct recording *r);

/* Body of feature TRACING_DATA: the format of sched:sched_switch. */
void tracing_data(struct buffer *out, bool big_endian);
#define TRACING_SCHED_SWITCH_ID 314

#endif
