/* SPDX-License-Identifier: GPL-2.0-only */
/* What `perf arm-spe check` finds out, each with what to do about it. */
#ifndef CHECK_MACHINE_H
#define CHECK_MACHINE_H /* CHECK_H is that of the unit tests' library */

#include "machine.h"

enum check_state {
	CHECK_OK,
	CHECK_WARN, /* something is worse than it could be, or not known */
	CHECK_FAIL, /* no samples, or none with a context */
};

#define CHECK_TEXT 512
#define CHECK_FINDINGS_MAX 64

struct check_finding {
	enum check_state state;
	const char *name; /* what was looked at: "pmu" */
	char text[CHECK_TEXT];
	char remedy[CHECK_TEXT]; /* "" where there is nothing to do */
};

struct check_findings {
	struct check_finding list[CHECK_FINDINGS_MAX];
	size_t count;
};

/* Add a finding; check_remedy() then says what to do about it. */
void check_add(struct check_findings *findings, enum check_state state, const char *name,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
void check_remedy(struct check_findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Everything.  perf is a path or a name to be found in PATH; NULL: "perf" of
 * this machine, and nothing to look at where the machine is a captured tree.
 */
void check_machine(struct check_findings *findings, const struct machine *machine,
		   const char *perf);

/* The driver and its PMUs (check-pmu.c). */
void check_driver(struct check_findings *findings, const struct machine *machine);
void check_pmus(struct check_findings *findings, const struct machine *machine);

/* perf itself (check-perf.c). */
void check_perf(struct check_findings *findings, const struct machine *machine, const char *perf);

/* Open an event on each PMU, to see whether it can be (check-open.c); this machine only. */
void check_open(struct check_findings *findings, const struct machine *machine);

#endif
