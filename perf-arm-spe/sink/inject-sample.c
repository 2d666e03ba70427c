/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributed samples as PERF_RECORD_SAMPLE; field order as in the kernel's perf_event.h. */
#include "inject.h"

#include <string.h>

/* Fields every synthesized event has, and those it takes from the SPE event. */
#define FIELDS_ALWAYS                                                                              \
	(SPE_SAMPLE_IP | SPE_SAMPLE_TID | SPE_SAMPLE_PERIOD | SPE_SAMPLE_DATA_SRC |                \
	 SPE_SAMPLE_ADDR | SPE_SAMPLE_IDENTIFIER)
#define FIELDS_KEPT                                                                                \
	(SPE_SAMPLE_TIME | SPE_SAMPLE_ID | SPE_SAMPLE_STREAM_ID | SPE_SAMPLE_CPU |                 \
	 SPE_SAMPLE_PHYS_ADDR)

#define MISC_EXACT_IP (1u << 14)
#define HW_INDEX_NONE UINT64_MAX

/* perf numbers synthesized events from here, counted from the SPE event's first id. */
#define ID_OFFSET 1000000000ull
/* Where else, and how often, to look for ids that no event has. */
#define ID_STRIDE 0x9e3779b97f4a7c15ull
#define ID_TRIES 64u

/* Ids of the file that stand in the way of SPE_SYNTH_EVENTS ids from `first` on. */
static bool ids_taken(const struct spe_perfdata *pd, uint64_t first, uint64_t *highest)
{
	bool taken = false;

	*highest = 0;
	for (size_t i = 0; i < spe_perfdata_attr_count(pd); i++) {
		const struct spe_perf_attr *attr = spe_perfdata_attr(pd, i);

		for (size_t k = 0; k < attr->id_count; k++) {
			taken |= attr->ids[k] - first < SPE_SYNTH_EVENTS;
			*highest = attr->ids[k] > *highest ? attr->ids[k] : *highest;
		}
	}
	return taken;
}

/*
 * perf's choice, unless an event of the file has one of these ids; then those
 * after the highest, or where a damaged file has the highest number there is,
 * any that are free.
 */
static uint64_t id_choose(const struct inject *inject, bool *taken)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);
	const struct spe_perf_attr *spe = inject_spe_attr(inject);
	uint64_t first = (spe->id_count ? spe->ids[0] : 0) + ID_OFFSET, highest, again;

	*taken = ids_taken(pd, first, &highest);
	if (*taken && highest < UINT64_MAX - SPE_SYNTH_EVENTS)
		return highest + 1;
	for (unsigned i = 1; *taken && i <= ID_TRIES && ids_taken(pd, first, &again); i++)
		first = i * ID_STRIDE;
	return first && first < UINT64_MAX - SPE_SYNTH_EVENTS ? first : 1;
}

bool inject_is_output(const struct inject *inject)
{
	bool taken;

	id_choose(inject, &taken);
	return taken && !spe_recording_streams(inject->recording);
}

void inject_layout_choose(struct inject *inject)
{
	const struct spe_recording_facts *facts = spe_recording_facts(inject->recording);
	const struct spe_perf_attr *attr = inject_spe_attr(inject);
	struct inject_layout *l = &inject->layout;
	bool taken;
	uint64_t id;

	l->sample_type = FIELDS_ALWAYS | (attr->sample_type & FIELDS_KEPT);
	l->sample_type |=
		inject->opts->weight_struct ? SPE_SAMPLE_WEIGHT_STRUCT : SPE_SAMPLE_WEIGHT;
	if (facts->has_time)
		l->sample_type |= SPE_SAMPLE_TIME;
	else
		l->sample_type &= ~(uint64_t)SPE_SAMPLE_TIME;
	l->branch_stack = inject->itrace.last_branch > 0;
	l->branch_entries = inject->itrace.last_branch < SPE_SYNTH_BRANCHES
				    ? inject->itrace.last_branch
				    : SPE_SYNTH_BRANCHES;
	if (l->branch_stack)
		l->sample_type |= SPE_SAMPLE_BRANCH_STACK;
	l->first_id = id_choose(inject, &taken);
	id = l->first_id;
	for (unsigned i = 0; i < SPE_SYNTH_EVENTS; i++)
		if (inject->itrace.events & (1u << i))
			l->ids[i] = id++;
}

static uint8_t *put_u64(uint8_t *out, uint64_t value)
{
	memcpy(out, &value, sizeof(value));
	return out + sizeof(value);
}

static uint8_t *put_pair(uint8_t *out, uint32_t first, uint32_t second)
{
	memcpy(out, &first, sizeof(first));
	memcpy(out + sizeof(first), &second, sizeof(second));
	return out + 2 * sizeof(first);
}

/*
 * What is written for an owner that is not known must not be adopted by stock
 * perf, which looks threads up by their id alone.
 */
struct inject_owner inject_owner_choose(const struct inject *inject,
					const struct spe_sample *sample)
{
	struct inject_owner owner = { sample->pid, sample->tid };

	if (sample->pid < 0) {
		if (inject->opts->merge_threads ||
		    (sample->tid >= 0 && spe_recording_knows_tid(inject->recording, sample->tid)))
			owner.tid = -1;
	} else if (inject->opts->merge_threads) {
		owner.tid = sample->pid;
	}
	return owner;
}

static uint64_t weight_written(const struct inject *inject, const struct spe_record *r)
{
	/* An absent latency is zero in its field: absent fields of a record always are. */
	uint64_t weight = r->total_latency_cycles;

	if (inject->opts->weight_struct)
		weight |= (uint64_t)r->issue_latency_cycles << 32 | (uint64_t)r->xlat_latency_cycles
									    << 48;
	return weight;
}

static uint8_t *put_branches(const struct inject *inject, const struct spe_record *r, uint8_t *out)
{
	struct spe_branch_entry entries[SPE_SYNTH_BRANCHES];
	unsigned n = spe_synth_branch_stack(r, entries);

	if (n > inject->layout.branch_entries)
		n = inject->layout.branch_entries;
	out = put_u64(out, n);
	out = put_u64(out, HW_INDEX_NONE);
	for (unsigned i = 0; i < n; i++) {
		out = put_u64(out, entries[i].from);
		out = put_u64(out, entries[i].to);
		out = put_u64(out, spe_synth_branch_word(&entries[i]));
	}
	return out;
}

/* All fields in their order; the id words are filled in per event. */
static size_t template_make(const struct inject *inject, const struct spe_sample *sample,
			    const struct inject_owner *owner, uint8_t *start)
{
	const struct spe_record *r = &sample->record;
	uint64_t type = inject->layout.sample_type, addr = 0;
	uint8_t *out = start + 2 * sizeof(uint64_t); /* header, IDENTIFIER */

	spe_synth_addr(r, &addr);
	out = put_u64(out, r->pc);
	out = put_pair(out, (uint32_t)owner->pid, (uint32_t)owner->tid);
	if (type & SPE_SAMPLE_TIME)
		out = put_u64(out, sample->has_time ? inject_time_ns(inject, sample) : 0);
	out = put_u64(out, addr);
	if (type & SPE_SAMPLE_ID)
		out = put_u64(out, 0);
	if (type & SPE_SAMPLE_STREAM_ID)
		out = put_u64(out, 0);
	if (type & SPE_SAMPLE_CPU)
		out = put_pair(out, (uint32_t)sample->cpu, 0);
	out = put_u64(out, inject->itrace.period);
	if (inject->layout.branch_stack)
		out = put_branches(inject, r, out);
	out = put_u64(out, weight_written(inject, r));
	out = put_u64(out, spe_synth_data_src(r, inject->midr[sample->stream]));
	if (type & SPE_SAMPLE_PHYS_ADDR)
		out = put_u64(out, r->pa);
	return (size_t)(out - start);
}

static void id_set(const struct inject_layout *layout, uint8_t *record, uint64_t id)
{
	size_t at = 4 * sizeof(uint64_t); /* header, IDENTIFIER, IP, TID */

	put_u64(record + sizeof(uint64_t), id);
	if (layout->sample_type & SPE_SAMPLE_TIME)
		at += sizeof(uint64_t);
	at += sizeof(uint64_t); /* ADDR */
	if (layout->sample_type & SPE_SAMPLE_ID) {
		put_u64(record + at, id);
		at += sizeof(uint64_t);
	}
	if (layout->sample_type & SPE_SAMPLE_STREAM_ID)
		put_u64(record + at, id);
}

size_t inject_sample_encode(struct inject *inject, const struct spe_sample *sample,
			    const struct inject_owner *owner, uint32_t events, uint8_t *out)
{
	size_t size = template_make(inject, sample, owner, out), used = 0;
	uint16_t misc = (uint16_t)(spe_synth_cpumode(sample, inject->host_el) | MISC_EXACT_IP);
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header = { SPE_PERF_SAMPLE, misc, (uint16_t)size };

	memcpy(out, &header, sizeof(header));
	for (; events; events &= events - 1) {
		uint8_t *record = out + used;

		if (used)
			memcpy(record, out, size);
		id_set(&inject->layout, record, inject->layout.ids[__builtin_ctz(events)]);
		used += size;
	}
	return used;
}

size_t inject_trailer_make(const struct inject *inject, const struct spe_sample *sample,
			   const struct inject_owner *owner, uint8_t *start)
{
	const struct inject_layout *l = &inject->layout;
	uint8_t *out = start;

	if (!(inject_spe_attr(inject)->flags & 1ull << SPE_ATTR_SAMPLE_ID_ALL))
		return 0;
	out = put_pair(out, (uint32_t)owner->pid, (uint32_t)owner->tid);
	if (l->sample_type & SPE_SAMPLE_TIME)
		out = put_u64(out, sample->has_time ? inject_time_ns(inject, sample) : 0);
	if (l->sample_type & SPE_SAMPLE_ID)
		out = put_u64(out, l->first_id);
	if (l->sample_type & SPE_SAMPLE_STREAM_ID)
		out = put_u64(out, l->first_id);
	if (l->sample_type & SPE_SAMPLE_CPU)
		out = put_pair(out, (uint32_t)sample->cpu, 0);
	out = put_u64(out, l->first_id);
	return (size_t)(out - start);
}
