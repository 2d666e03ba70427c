/* SPDX-License-Identifier: GPL-2.0-only */
#include "names.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>
#include <string.h>

static int add(struct spe_names *names, const char *text, uint32_t *number)
{
	return spe_strings_add(names->text, text, strlen(text), number);
}

int spe_names_merge(struct spe_names *names, const struct spe_tasks *tasks,
		    const struct spe_tasks *sched)
{
	size_t own = spe_tasks_comms(tasks), others = sched ? spe_tasks_comms(sched) : 0;
	uint32_t number;
	int status;

	if (!others)
		return SPE_OK;
	names->of_sched = calloc(others, sizeof(*names->of_sched));
	if (!names->of_sched)
		return SPE_NOMEM;
	status = spe_strings_new(SPE_LIMIT_COMMS, &names->text);
	for (size_t i = 0; i < own && !status; i++)
		status = add(names, spe_tasks_comm(tasks, (uint32_t)i), &number);
	for (size_t i = 0; i < others && !status; i++)
		status = add(names, spe_tasks_comm(sched, (uint32_t)i), &names->of_sched[i]);
	return status;
}

void spe_names_clear(struct spe_names *names)
{
	spe_strings_free(names->text);
	free(names->of_sched);
}
