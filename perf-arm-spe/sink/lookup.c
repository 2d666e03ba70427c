/* SPDX-License-Identifier: GPL-2.0-only */
#include "lookup.h"

#include <string.h>

int spe_lookup_init(struct spe_lookup *lookup, const struct spe_recording *recording,
		    struct spe_symbols *symbols)
{
	memset(lookup, 0, sizeof(*lookup));
	lookup->recording = recording;
	lookup->facts = spe_recording_facts(recording);
	return spe_symbol_cache_new(symbols, &lookup->cache);
}

void spe_lookup_fini(struct spe_lookup *lookup)
{
	spe_symbol_cache_free(lookup->cache);
	lookup->cache = NULL;
}

static const struct spe_symbol *nothing(struct spe_lookup *lookup, uint64_t address)
{
	lookup->unknown = (struct spe_symbol){ .id = SPE_SYMBOL_NONE,
					       .dso_id = SPE_DSO_NONE,
					       .dso_name_id = SPE_DSO_NONE,
					       .dso_offset = address,
					       .dso_address = address };
	return &lookup->unknown;
}

static const struct spe_symbol *look_up(struct spe_lookup *lookup, const struct spe_sample *sample,
					bool kernel, uint64_t address)
{
	const struct spe_recording_facts *facts = lookup->facts;
	struct spe_symbol_query query = {
		.pid = sample->pid,
		.kernel = kernel,
		.has_time = sample->has_time && (!facts->other_clock || facts->clock_offset_known),
		.time_ns = sample->time_ns,
		.address = address
	};
	const struct spe_symbol *symbol;
	int status;

	if (sample->guest != SPE_GUEST_NO || (!kernel && sample->pid < 0))
		return nothing(lookup, address);
	if (facts->other_clock && query.has_time)
		query.time_ns = spe_recording_side_ns(lookup->recording, query.time_ns);
	status = spe_symbol_cache_find(lookup->cache, &query, &symbol);
	if (status < 0 && status != SPE_NOT_FOUND && !lookup->status)
		lookup->status = status;
	return symbol;
}

const struct spe_symbol *spe_lookup_code(struct spe_lookup *lookup, const struct spe_sample *sample)
{
	const struct spe_record *record = &sample->record;
	bool kernel =
		record->present & SPE_HAS_EL ? record->el != 0 : spe_is_kernel_address(record->pc);

	return record->present & SPE_HAS_PC ? look_up(lookup, sample, kernel, record->pc)
					    : nothing(lookup, 0);
}

const struct spe_symbol *spe_lookup_data(struct spe_lookup *lookup, const struct spe_sample *sample)
{
	const struct spe_record *record = &sample->record;

	return record->present & SPE_HAS_VA
		       ? look_up(lookup, sample, spe_is_kernel_address(record->va), record->va)
		       : nothing(lookup, 0);
}
