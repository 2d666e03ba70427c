/* SPDX-License-Identifier: GPL-2.0-only */
/* `perf arm-spe record`: the command line for perf, and what came of it. */
#ifndef RECORD_H
#define RECORD_H

#include <stdio.h>

#include "machine.h"

#define RECORD_WORD 64 /* bytes of a word we make ourselves */

/* What the user said.  NULL and false: nothing. */
struct record_wishes {
	const char *perf;         /* path of perf */
	const char *event;        /* -e */
	const char *period;       /* -c */
	const char *pages;        /* -m */
	const char *output;       /* -o */
	const char *cpus;         /* -C */
	bool all_cpus;            /* -a */
	bool tasks;               /* -p, -t and the like are among the words */
	bool switches_said;       /* so is --switch-events, or its opposite */
	const char *const *words; /* for perf record, as they are */
	size_t word_count;
	const char *const *workload; /* the command to record */
	size_t workload_count;
};

/* perf's command line. */
struct record_plan {
	const char **argv; /* ends with NULL */
	size_t argc;
	bool system_wide;
	enum answer contexts; /* will there be any? */
	uint64_t aux_bytes;   /* of each CPU; 0: left to perf */
	char event[RECORD_WORD + 64], period[RECORD_WORD], pages[RECORD_WORD];
};

/* Make the plan; record_plan_free() it.  0, or 1 when memory ran out. */
int record_plan_make(struct record_plan *plan, const struct machine *machine,
		     const struct record_wishes *wishes);
void record_plan_free(struct record_plan *plan);

/* The command line as one would type it, and a newline. */
void record_plan_print(const struct record_plan *plan, FILE *out);

/* Why will there be no contexts (or: may there be none)?  A clause. Never NULL. */
const char *record_reason(const struct machine *machine);

/*
 * Run it and wait.  Signals meant to end a recording reach perf.  Returns the
 * exit code of perf; 0 where one of those signals ended it.
 */
int record_run(const struct record_plan *plan);

/* Say on stderr what the file holds and what was lost.  Exit code. */
int record_look(const char *path, const struct machine *machine);

#endif
