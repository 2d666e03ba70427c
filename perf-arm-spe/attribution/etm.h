/* SPDX-License-Identifier: GPL-2.0-only */
/* CoreSight trace, private parts: metadata, and the OpenCSD tree behind one buffer. */
#ifndef SPE_ATTRIBUTION_ETM_H
#define SPE_ATTRIBUTION_ETM_H

#include <perf-arm-spe/etm.h>

#include "../base/vec.h"

/* What the decoder keeps for one trace unit while bytes go through it. */
struct etm_unit {
	struct spe_etm *etm;
	struct spe_etm_source source;
	struct spe_etm_stats stats;
	bool has_context, has_vmid,
		has_timestamp; /* ours: OpenCSD leaves the fields uninitialised */
	bool has_el;
	uint32_t context_id, vmid;
	uint64_t timestamp;
	uint8_t el, security;
	size_t pending; /* contexts from here on wait for the unit's next timestamp */
	size_t current; /* index + 1 of the context in force, 0: none */
};

/* Where the bytes at hand stand. */
struct etm_place {
	uint64_t aux_offset; /* of the block's first byte */
	bool has_bounds;
	uint64_t after_ns, before_ns;
};

struct spe_etm {
	SPE_VEC(struct etm_unit) units;
	SPE_VEC(struct spe_etm_context) contexts;
	struct spe_etm_totals totals;
	uint32_t pmu_type; /* of the cs_etm event, 0: not known */
	struct etm_place place;
	int status; /* of a callback: SPE_NOMEM, SPE_LIMIT */
};

/*
 * Sources from AUXTRACE_INFO type 3 words (metadata version 0, 1, 2).
 * SPE_OK, SPE_CORRUPT, SPE_NOMEM, SPE_LIMIT with *error filled.
 */
int etm_metadata_read(struct spe_etm *etm, const uint64_t *words, size_t count,
		      uint64_t file_offset, struct spe_error *error);

/* Forget what the units knew: the next byte does not continue the last one. */
void etm_units_reset(struct spe_etm *etm);

/* ---- the OpenCSD tree (etm-tree.c; absent without OpenCSD) --------------- */

struct etm_tree;

/*
 * A tree for formatted frames with all units, or for the bare stream of one
 * unit.  SPE_OK, SPE_UNSUPPORTED, SPE_NOMEM, SPE_INVALID (no unit it could decode).
 */
int etm_tree_new(struct spe_etm *etm, bool formatted, size_t unit, struct etm_tree **tree);
void etm_tree_free(struct etm_tree *tree);
/* Start over, then decode these bytes, which stand at etm->place. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int etm_tree_decode(struct etm_tree *tree, const uint8_t *bytes, size_t n);

#endif
