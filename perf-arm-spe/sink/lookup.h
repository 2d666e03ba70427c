/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of samples looked up: whose maps, at which time, and when not.
 * Code of a guest never is: its addresses mean nothing in the host's maps.
 */
#ifndef SPE_SINK_LOOKUP_H
#define SPE_SINK_LOOKUP_H

#include <perf-arm-spe/attribution.h>
#include <perf-arm-spe/symbols.h>

/* One a worker. */
struct spe_lookup {
	const struct spe_recording *recording;
	const struct spe_recording_facts *facts;
	struct spe_symbol_cache *cache;
	struct spe_symbol unknown;
	int status; /* the first failure: SPE_OK, SPE_NOMEM */
};

/* SPE_OK, SPE_NOMEM. */
int spe_lookup_init(struct spe_lookup *lookup, const struct spe_recording *recording,
		    struct spe_symbols *symbols);
void spe_lookup_fini(struct spe_lookup *lookup);

/* What is at the sample's PC (VA).  Never NULL; valid until the next call. */
const struct spe_symbol *spe_lookup_code(struct spe_lookup *lookup,
					 const struct spe_sample *sample);
const struct spe_symbol *spe_lookup_data(struct spe_lookup *lookup,
					 const struct spe_sample *sample);

/* Is it an address of the kernel's half? */
static inline bool spe_is_kernel_address(uint64_t address)
{
	return address >> 55 & 1;
}

#endif
