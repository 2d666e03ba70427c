/* SPDX-License-Identifier: GPL-2.0-only */
/* The original side-band, written again between the samples. */
#include "inject.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Types below this are the kernel's and carry a trailer; above are perf's own. */
#define FIRST_USER_TYPE 64u
#define TRAILER_IDENTIFIER_BYTES 8u
/* All record sizes are 16 bits. */
#define RECORD_BYTES_MAX 65528u

enum fate {
	FATE_UNKNOWN, /* perf stops reading at a type it does not know: left out, and said */
	FATE_KEPT,
	FATE_STRIPPED, /* kept unless --strip */
	FATE_DROPPED,
};

/*
 * What is not written again: the trace and what describes it, the pipe form's
 * header records (the writer makes those), ids of events (they are in the
 * attrs), and the ends of rounds, which sorting makes anew.
 */
static const uint8_t fates[SPE_PERF_RECORD_MAX] = {
	[SPE_PERF_MMAP] = FATE_KEPT,
	[SPE_PERF_LOST] = FATE_KEPT,
	[SPE_PERF_COMM] = FATE_KEPT,
	[SPE_PERF_EXIT] = FATE_KEPT,
	[SPE_PERF_THROTTLE] = FATE_KEPT,
	[SPE_PERF_UNTHROTTLE] = FATE_KEPT,
	[SPE_PERF_FORK] = FATE_KEPT,
	[SPE_PERF_READ] = FATE_KEPT,
	[SPE_PERF_SAMPLE] = FATE_STRIPPED,
	[SPE_PERF_MMAP2] = FATE_KEPT,
	[SPE_PERF_AUX] = FATE_DROPPED,
	[SPE_PERF_ITRACE_START] = FATE_DROPPED,
	[SPE_PERF_LOST_SAMPLES] = FATE_KEPT,
	[SPE_PERF_SWITCH] = FATE_STRIPPED,
	[SPE_PERF_SWITCH_CPU_WIDE] = FATE_STRIPPED,
	[SPE_PERF_NAMESPACES] = FATE_KEPT,
	[SPE_PERF_KSYMBOL] = FATE_KEPT,
	[SPE_PERF_BPF_EVENT] = FATE_KEPT,
	[SPE_PERF_CGROUP] = FATE_KEPT,
	[SPE_PERF_TEXT_POKE] = FATE_KEPT,
	[SPE_PERF_AUX_OUTPUT_HW_ID] = FATE_DROPPED,
	[SPE_PERF_CALLCHAIN_DEFERRED] = FATE_KEPT,
	[SPE_PERF_HEADER_ATTR] = FATE_DROPPED,
	[SPE_PERF_HEADER_EVENT_TYPE] = FATE_DROPPED,
	[SPE_PERF_TRACING_DATA] = FATE_DROPPED,
	[SPE_PERF_BUILD_ID] = FATE_KEPT,
	[SPE_PERF_FINISHED_ROUND] = FATE_DROPPED,
	[SPE_PERF_ID_INDEX] = FATE_DROPPED,
	[SPE_PERF_AUXTRACE_INFO] = FATE_DROPPED,
	[SPE_PERF_AUXTRACE] = FATE_DROPPED,
	[SPE_PERF_AUXTRACE_ERROR] = FATE_KEPT,
	[SPE_PERF_THREAD_MAP] = FATE_KEPT,
	[SPE_PERF_CPU_MAP] = FATE_KEPT,
	[SPE_PERF_STAT_CONFIG] = FATE_KEPT,
	[SPE_PERF_STAT] = FATE_KEPT,
	[SPE_PERF_STAT_ROUND] = FATE_KEPT,
	[SPE_PERF_EVENT_UPDATE] = FATE_KEPT,
	[SPE_PERF_TIME_CONV] = FATE_KEPT,
	[SPE_PERF_HEADER_FEATURE] = FATE_DROPPED,
	[SPE_PERF_COMPRESSED] = FATE_DROPPED,
	[SPE_PERF_FINISHED_INIT] = FATE_KEPT,
	[SPE_PERF_COMPRESSED2] = FATE_DROPPED,
};

static bool dropped(struct inject *inject, const struct spe_perf_event *event)
{
	unsigned fate = event->type < SPE_PERF_RECORD_MAX ? fates[event->type] : FATE_UNKNOWN;

	inject->side.unknown += fate == FATE_UNKNOWN;
	return fate != FATE_KEPT && (fate != FATE_STRIPPED || inject->opts->strip);
}

/*
 * Records of an event whose samples carry no IDENTIFIER get one: with more than
 * one event in the file, perf finds a record's event by it.
 */
static bool lacks_identifier(const struct inject *inject, const struct spe_perf_event *event)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);
	const struct spe_perf_attr *attr =
		spe_perfdata_attr(pd, event->attr_index > 0 ? (size_t)event->attr_index : 0);

	if (!inject->add_identifier || event->type >= FIRST_USER_TYPE || !attr ||
	    attr->sample_type & SPE_SAMPLE_IDENTIFIER)
		return false;
	return event->type == SPE_PERF_SAMPLE || attr->flags & 1ull << SPE_ATTR_SAMPLE_ID_ALL;
}

/* Where the IDENTIFIER goes in a record that has none: samples begin with it, trailers end so. */
static size_t identifier_place(const struct spe_perf_event *event)
{
	return event->type == SPE_PERF_SAMPLE ? 8 : event->size;
}

static int record_keep(struct inject *inject, const struct spe_perf_event *event)
{
	struct inject_side *side = &inject->side;
	bool add = lacks_identifier(inject, event);
	size_t bytes = event->size + (add ? TRAILER_IDENTIFIER_BYTES : 0);
	size_t padded = (bytes + 7) & ~(size_t)7, split = add ? identifier_place(event) : bytes;
	struct inject_record record = { .at = side->bytes.count, .bytes = (uint32_t)padded };
	uint16_t size = (uint16_t)padded;
	uint8_t *out;
	int status;

	if (event->type == SPE_PERF_SAMPLE && event->attr_index >= 0 &&
	    inject_is_traced(inject, (size_t)event->attr_index))
		inject->traced_samples = true;
	if (event->id.present & SPE_SAMPLE_CPU && event->id.cpu < SPE_LIMIT_STREAMS &&
	    event->id.cpu >= side->cpus)
		side->cpus = event->id.cpu + 1;
	if (padded > RECORD_BYTES_MAX)
		return SPE_OK; /* cannot be told to perf any more; never seen for side-band */
	if (event->id.present & SPE_SAMPLE_TIME)
		record.time_ns = event->id.time_ns;
	status = spe_vec_reserve(&side->bytes, side->bytes.count + padded, SIZE_MAX);
	if (status)
		return status;
	out = side->bytes.items + side->bytes.count;
	memset(out, 0, padded);
	memcpy(out, event->raw, split);
	if (add) {
		memcpy(out + split, &inject->default_id, TRAILER_IDENTIFIER_BYTES);
		memcpy(out + split + TRAILER_IDENTIFIER_BYTES, event->raw + split,
		       event->size - split);
	}
	memcpy(out + 6, &size, sizeof(size));
	side->bytes.count += padded;
	return spe_vec_push(&side->records, &record, SPE_LIMIT_SWITCHES);
}

/* By time; what has none keeps its place before all others.  Equal times keep file order. */
static int compare_records(const void *a, const void *b)
{
	const struct inject_record *x = a, *y = b;

	SPE_ORDER(x->time_ns, y->time_ns);
	return (x->at > y->at) - (x->at < y->at);
}

int inject_side_load(struct inject *inject)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);
	struct inject_side *side = &inject->side;
	struct spe_perf_event event;
	int status = spe_perfdata_rewind(pd), rewound;

	while (!status) {
		status = spe_perfdata_next(pd, &event, inject->error);
		if (!status && !dropped(inject, &event))
			status = record_keep(inject, &event);
	}
	/* A damaged tail was said when the recording was opened; what came before stands. */
	if (status == SPE_END ||
	    (status == SPE_CORRUPT && spe_recording_facts(inject->recording)->partial))
		status = SPE_OK;
	if (side->records.count)
		qsort(side->records.items, side->records.count, sizeof(*side->records.items),
		      compare_records);
	if (side->unknown)
		spe_log(&inject->opts->listener, SPE_LOG_WARNING,
			"%" PRIu64 " records of types that are not known here are left out: perf "
			"would stop reading at them",
			side->unknown);
	rewound = spe_perfdata_rewind(pd);
	return status ? status : rewound;
}

void inject_side_free(struct inject_side *side)
{
	free(side->records.items);
	free(side->bytes.items);
}

int inject_side_write(struct inject *inject, uint64_t time_ns)
{
	struct inject_side *side = &inject->side;
	int status = SPE_OK;

	while (!status && side->next < side->records.count &&
	       side->records.items[side->next].time_ns <= time_ns) {
		const struct inject_record *r = &side->records.items[side->next++];
		const uint8_t *record = side->bytes.items + r->at;

		inject_names_note(inject, record, r->bytes);
		status = inject_put(inject, record, r->bytes);
	}
	return status;
}
