/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CoreSight trace of a file: AUX records say which bytes hardware wrote and
 * in which form, AUXTRACE records hold them.  Each AUX record begins anew for
 * the decoder: what came before it may be lost.
 */
#include "etm.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>

#include <stdlib.h>

/* AUX record flags, PMU format: raw trace of one source (TRBE), else CoreSight frames. */
#define AUX_FORMAT_RAW 0x0100u

/* AUX_OUTPUT_HW_ID for CoreSight. */
#define HW_ID_TRACE_ID_MASK 0x7fu
#define HW_ID_MAJOR(hw_id) ((hw_id) >> 60)

struct etm_buffer {
	uint64_t offset, size;
	uint64_t done; /* up to this offset it was decoded */
	const uint8_t *data;
	uint32_t idx;
	int32_t cpu;
};

struct etm_aux {
	uint64_t offset, size, flags, time_ns;
	int32_t cpu; /* -1: a per-thread buffer */
	bool has_time;
};

/* The first pass over the records. */
struct etm_scan {
	struct spe_etm *etm;
	SPE_VEC(struct etm_buffer) buffers;
	SPE_VEC(struct etm_aux) auxes;
	bool has_info;
	bool foreign; /* the AUXTRACE records that come are of another kind of trace */
	size_t hint;  /* the buffer that was found last */
	uint64_t looks;
	const struct spe_perfdata *pd;
};

static void hw_id_take(struct spe_etm *etm, const struct spe_perf_event *event)
{
	if (!(event->id.present & SPE_SAMPLE_CPU) || HW_ID_MAJOR(event->u.hw_id.hw_id))
		return;
	for (size_t i = 0; i < etm->units.count; i++)
		if (etm->units.items[i].source.cpu == (int32_t)event->id.cpu)
			etm->units.items[i].source.trace_id =
				event->u.hw_id.hw_id & HW_ID_TRACE_ID_MASK;
}

static int buffer_take(struct etm_scan *scan, const struct spe_perf_event *event)
{
	struct etm_buffer b = { .offset = event->u.auxtrace.offset,
				.size = event->u.auxtrace.data_bytes,
				.data = event->u.auxtrace.data,
				.idx = event->u.auxtrace.idx,
				.cpu = event->u.auxtrace.cpu };

	scan->etm->totals.buffers++;
	scan->etm->totals.buffer_bytes += b.size;
	return spe_vec_push(&scan->buffers, &b, SPE_LIMIT_AUX_CHUNKS);
}

static int aux_take(struct etm_scan *scan, const struct spe_perf_event *event)
{
	struct etm_aux a = { .offset = event->u.aux.offset,
			     .size = event->u.aux.size,
			     .flags = event->u.aux.flags,
			     .cpu = -1 };

	if (event->id.present & SPE_SAMPLE_CPU)
		a.cpu = (int32_t)event->id.cpu;
	a.has_time = (event->id.present & SPE_SAMPLE_TIME) && event->id.time_ns;
	a.time_ns = event->id.time_ns;
	scan->etm->totals.aux_records++;
	scan->etm->totals.promised_bytes += a.size;
	scan->etm->totals.truncated += !!(a.flags & SPE_AUX_TRUNCATED);
	return spe_vec_push(&scan->auxes, &a, SPE_LIMIT_AUX_CHUNKS);
}

/* Of an event of another PMU? Where the file does not say, it is taken for ours. */
static bool aux_is_ours(const struct etm_scan *scan, const struct spe_perf_event *event)
{
	const struct spe_perf_attr *attr;

	if (event->attr_index < 0 || !scan->etm->pmu_type)
		return true;
	attr = spe_perfdata_attr(scan->pd, (size_t)event->attr_index);
	return !attr || attr->type == scan->etm->pmu_type;
}

static int scan_event(struct etm_scan *scan, const struct spe_perf_event *event,
		      struct spe_error *error)
{
	switch (event->type) {
	case SPE_PERF_AUXTRACE_INFO:
		scan->foreign = event->u.auxtrace_info.type != SPE_AUXTRACE_CS_ETM;
		if (event->u.auxtrace_info.type != SPE_AUXTRACE_CS_ETM || scan->has_info)
			return SPE_OK;
		scan->has_info = true;
		return etm_metadata_read(scan->etm, event->u.auxtrace_info.priv,
					 event->u.auxtrace_info.priv_count, event->file_offset,
					 error);
	case SPE_PERF_AUX_OUTPUT_HW_ID:
		hw_id_take(scan->etm, event);
		return SPE_OK;
	case SPE_PERF_AUXTRACE:
		return scan->foreign ? SPE_OK : buffer_take(scan, event);
	case SPE_PERF_AUX:
		return aux_is_ours(scan, event) ? aux_take(scan, event) : SPE_OK;
	}
	return SPE_OK;
}

/*
 * The block of an AUX record, or of a whole buffer.  Raw trace is of the one
 * unit whose CPU it came from; frames name their units themselves.
 */
static int block_decode(struct spe_etm *etm, const struct etm_buffer *buffer, uint64_t from,
			uint64_t size, bool raw, int32_t cpu)
{
	struct etm_tree *tree;
	size_t unit = 0;
	int status;

	while (raw && unit < etm->units.count && etm->units.items[unit].source.cpu != cpu)
		unit++;
	if (raw && unit == etm->units.count)
		return SPE_OK; /* a CPU the metadata does not name: counted as undecoded bytes */
	status = etm_tree_new(etm, !raw, unit, &tree);
	if (status)
		return status == SPE_INVALID ? SPE_OK : status;
	for (size_t i = 0; i < etm->units.count; i++)
		if (raw ? i == unit : etm->units.items[i].source.cpu == cpu || cpu < 0)
			etm->units.items[i].stats.bytes += size;
	etm->place.aux_offset = from;
	status = etm_tree_decode(tree, buffer->data + (from - buffer->offset), size);
	etm_tree_free(tree);
	return status;
}

static bool holds(const struct etm_buffer *b, const struct etm_aux *aux)
{
	return (b->cpu == aux->cpu || b->cpu < 0 || aux->cpu < 0) && aux->offset >= b->offset &&
	       aux->offset - b->offset < b->size;
}

/* The buffer that holds the AUX record's first byte; they mostly come in the same order. */
static struct etm_buffer *buffer_of(struct etm_scan *scan, const struct etm_aux *aux)
{
	size_t n = scan->buffers.count, from = aux->cpu < 0 ? 0 : scan->hint;

	for (size_t i = 0; i < n && scan->looks < SPE_LIMIT_ETM_LOOKS; i++, scan->looks++) {
		size_t at = from + i < n ? from + i : from + i - n;

		if (holds(&scan->buffers.items[at], aux)) {
			scan->hint = at;
			return &scan->buffers.items[at];
		}
	}
	return NULL;
}

/* The AUX record of the same CPU before this one gives the other bound. */
static void place_bounds(struct etm_scan *scan, size_t at)
{
	const struct etm_aux *a = &scan->auxes.items[at];
	struct etm_place *place = &scan->etm->place;

	*place = (struct etm_place){ .has_bounds = a->has_time, .before_ns = a->time_ns };
	for (size_t i = at; i-- > 0 && a->has_time && scan->looks < SPE_LIMIT_ETM_LOOKS;
	     scan->looks++) {
		if (scan->auxes.items[i].cpu == a->cpu && scan->auxes.items[i].has_time) {
			place->after_ns = scan->auxes.items[i].time_ns;
			return;
		}
	}
}

/* No byte is decoded twice, however many AUX records speak of it. */
static int aux_decode(struct etm_scan *scan, size_t at)
{
	const struct etm_aux *a = &scan->auxes.items[at];
	struct etm_buffer *b = buffer_of(scan, a);
	uint64_t left = b ? b->size - (a->offset - b->offset) : 0;
	uint64_t size = a->size < left ? a->size : left, from = a->offset;

	scan->etm->totals.missing_bytes += a->size - size;
	if (!size || from + size <= b->done)
		return SPE_OK;
	if (from < b->done) {
		size -= b->done - from;
		from = b->done;
	}
	b->done = from + size;
	place_bounds(scan, at);
	return block_decode(scan->etm, b, from, size, a->flags & AUX_FORMAT_RAW,
			    b->cpu >= 0 ? b->cpu : a->cpu);
}

static int auxes_decode(struct etm_scan *scan)
{
	int status = SPE_OK;

	for (size_t i = 0; !status && i < scan->auxes.count; i++)
		status = aux_decode(scan, i);
	return status;
}

/* Buffers that no AUX record speaks of are read whole, as frames. */
static int buffers_decode(struct etm_scan *scan)
{
	int status = SPE_OK;

	for (size_t i = 0; !status && !scan->auxes.count && i < scan->buffers.count; i++) {
		const struct etm_buffer *b = &scan->buffers.items[i];

		scan->etm->place = (struct etm_place){ 0 };
		if (b->size)
			status = block_decode(scan->etm, b, b->offset, b->size, false, b->cpu);
	}
	return status;
}

static int compare_contexts(const void *a, const void *b)
{
	const struct spe_etm_context *x = a, *y = b;

	SPE_ORDER(x->cpu, y->cpu);
	return (x->aux_offset > y->aux_offset) - (x->aux_offset < y->aux_offset);
}

static int scan_file(struct etm_scan *scan, struct spe_perfdata *pd, struct spe_error *error)
{
	struct spe_perf_event event;
	int status = spe_perfdata_rewind(pd);

	while (!status) {
		status = spe_perfdata_next(pd, &event, error);
		if (!status)
			status = scan_event(scan, &event, error);
	}
	/* A damaged tail takes nothing from what came before it. */
	if (status == SPE_END || (status == SPE_CORRUPT && scan->etm->units.count))
		status = SPE_OK;
	if (!status && !scan->has_info)
		status = SPE_NOT_FOUND;
	return status;
}

static void contexts_sort(struct spe_etm *etm)
{
	if (etm->contexts.count)
		qsort(etm->contexts.items, etm->contexts.count, sizeof(*etm->contexts.items),
		      compare_contexts);
}

int spe_etm_new(struct spe_perfdata *pd, struct spe_etm **out, struct spe_error *error)
{
	struct etm_scan scan = { .etm = calloc(1, sizeof(struct spe_etm)), .pd = pd };
	int status, rewound;

	*out = NULL;
	if (!scan.etm)
		return SPE_NOMEM;
	status = scan_file(&scan, pd, error);
	if (!status)
		status = auxes_decode(&scan);
	if (!status)
		status = buffers_decode(&scan);
	if (status == SPE_UNSUPPORTED)
		spe_error_set(error, status,
			      "CoreSight trace needs libopencsd, which was left out "
			      "of this build");
	free(scan.buffers.items);
	free(scan.auxes.items);
	rewound = spe_perfdata_rewind(pd);
	if (!status)
		status = rewound;
	if (status) {
		spe_etm_free(scan.etm);
		return status;
	}
	contexts_sort(scan.etm);
	*out = scan.etm;
	return SPE_OK;
}

int spe_etm_new_bare(const struct spe_etm_source *sources, size_t count, bool formatted,
		     const uint8_t *bytes, size_t n, struct spe_etm **out, struct spe_error *error)
{
	struct spe_etm *etm = calloc(1, sizeof(*etm));
	struct etm_buffer buffer = { .size = n, .data = bytes, .cpu = -1 };
	int status = etm ? SPE_OK : SPE_NOMEM;

	*out = NULL;
	for (size_t i = 0; !status && i < count; i++) {
		struct etm_unit unit = { .etm = etm, .source = sources[i] };

		status = spe_vec_push(&etm->units, &unit, SPE_LIMIT_CPUS);
	}
	if (!status)
		status = block_decode(etm, &buffer, 0, n, !formatted, count ? sources[0].cpu : -1);
	if (status == SPE_UNSUPPORTED)
		spe_error_set(error, status,
			      "CoreSight trace needs libopencsd, which was left out "
			      "of this build");
	if (status) {
		spe_etm_free(etm);
		return status;
	}
	contexts_sort(etm);
	*out = etm;
	return SPE_OK;
}

void spe_etm_free(struct spe_etm *etm)
{
	if (!etm)
		return;
	free(etm->units.items);
	free(etm->contexts.items);
	free(etm);
}

size_t spe_etm_sources(const struct spe_etm *etm)
{
	return etm->units.count;
}

const struct spe_etm_source *spe_etm_source(const struct spe_etm *etm, size_t i)
{
	return i < etm->units.count ? &etm->units.items[i].source : NULL;
}

const struct spe_etm_stats *spe_etm_stats(const struct spe_etm *etm, size_t i)
{
	return i < etm->units.count ? &etm->units.items[i].stats : NULL;
}

const struct spe_etm_totals *spe_etm_totals(const struct spe_etm *etm)
{
	return &etm->totals;
}

const struct spe_etm_context *spe_etm_contexts(const struct spe_etm *etm, size_t *count)
{
	*count = etm->contexts.count;
	return etm->contexts.items;
}
