/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which side-band id a context means when perf ran in a child pid namespace:
 * as the user says (--pid-map), or as contexts and switches agreed in time.
 */
#ifndef SPE_ATTRIBUTION_IDMAP_H
#define SPE_ATTRIBUTION_IDMAP_H

#include "tasks.h"

struct spe_idmap;

/* From first to last this context and this side-band id were the same thread. */
struct spe_idmap_sight {
	uint32_t context;
	int32_t pid, tid;           /* of the side-band; tid 0: a task outside the namespace */
	uint64_t first_ns, last_ns; /* side-band time, both included */
};

struct spe_idmap_answer {
	int32_t pid, tid;        /* pid -1 when not told */
	bool outside;            /* a task outside the recorder's namespace */
	uint64_t from_ns, to_ns; /* the same answer (or none) for [from, to), side-band time */
};

/* SPE_OK or SPE_NOMEM. */
int spe_idmap_new(struct spe_idmap **map);
void spe_idmap_free(struct spe_idmap *map);
/*
 * Read lines "context-tid pid tid [comm]"; '#' begins a comment.  Names go to
 * the tasks.  SPE_OK, SPE_IO, SPE_INVALID (the error names file and line),
 * SPE_NOMEM, SPE_LIMIT.
 */
int spe_idmap_read(struct spe_idmap *map, const char *path, struct spe_tasks *tasks,
		   struct spe_error *error);
/* Add what was seen; sights of one context may come in any order. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_idmap_add(struct spe_idmap *map, const struct spe_idmap_sight *sight);
/* No more sights: sort, join, and drop those that contradict. */
void spe_idmap_finish(struct spe_idmap *map, const struct spe_tasks *tasks);
/* How many contexts have a meaning, and how many sights were dropped for contradicting. */
size_t spe_idmap_contexts(const struct spe_idmap *map);
size_t spe_idmap_contradictions(const struct spe_idmap *map);
/*
 * What a context means.  true: *answer is complete.  false: not known; its span
 * is where that holds.
 */
bool spe_idmap_find(const struct spe_idmap *map, uint32_t context, bool timed, uint64_t side_ns,
		    const struct spe_tasks *tasks, struct spe_idmap_answer *answer);

#endif
