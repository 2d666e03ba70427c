/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One numbering for the names of the side-band and those of sched_switch hits:
 * the side-band's keep their numbers, the others get the number of the same
 * text or a new one.
 */
#ifndef SPE_ATTRIBUTION_NAMES_H
#define SPE_ATTRIBUTION_NAMES_H

#include "../base/strings.h"
#include "tasks.h"

struct spe_names {
	struct spe_strings *text; /* NULL: there are only the side-band's */
	uint32_t *of_sched;       /* number in sched's own table -> number here */
};

/* sched may be NULL. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_names_merge(struct spe_names *names, const struct spe_tasks *tasks,
		    const struct spe_tasks *sched);
void spe_names_clear(struct spe_names *names);

#endif
