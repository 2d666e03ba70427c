/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's --itrace letters: shared by script and inject. */
#ifndef SPE_SINK_ITRACE_H
#define SPE_SINK_ITRACE_H

#include "synth.h"

/* The largest period and branch stack that mean something. */
#define SPE_ITRACE_PERIOD_MAX (1u << 30)

struct spe_itrace {
	uint32_t events;       /* bits 1 << enum spe_synth_event */
	uint32_t period;       /* one INSTRUCTIONS event every so many records of a stream; >= 1 */
	uint32_t last_branch;  /* entries of branch stacks asked for, 0: none */
	uint32_t branch_flags; /* 0: all branches; else those with one of these SPE_BRANCH_* */
};

/*
 * Read the letters.  NULL or "" is perf's default set: every event, period 1.
 * Letters perf has for other traces (x o w p I e d g G s q A Z T y) are
 * accepted with their arguments and mean nothing here.  SPE_OK; SPE_INVALID
 * with *error saying which letter, or that only instruction periods exist.
 */
int spe_itrace_parse(const char *letters, struct spe_itrace *itrace, struct spe_error *error);

/* The events to make of a record: those asked for that it is. */
static inline uint32_t spe_itrace_select(const struct spe_itrace *itrace,
					 const struct spe_record *record)
{
	uint32_t events = itrace->events;

	/* What every record is need not be found out. */
	if (events & ~(1u << SPE_SYNTH_INSTRUCTIONS))
		events &= spe_synth_events(record);
	if (events & (1u << SPE_SYNTH_BRANCH) && itrace->branch_flags &&
	    !(spe_synth_branch_flags(record) & itrace->branch_flags))
		events &= ~(1u << SPE_SYNTH_BRANCH);
	return events;
}

#endif
