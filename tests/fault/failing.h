/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes calls of the library fail on purpose: linked with
 * -Wl,--wrap=malloc,... every call of ours comes here first.
 */
#ifndef TESTS_FAULT_FAILING_H
#define TESTS_FAULT_FAILING_H

#include <stdatomic.h>
#include <stdbool.h>

/* The call that shall fail, counted from 1; 0: none.  Later ones fail too with `from_then_on`. */
struct failing {
	atomic_long calls;
	long fail_at;
	bool from_then_on;
	int error; /* errno of a failed read or write; 0: a short or interrupted one */
};

extern struct failing failing_memory, failing_reads, failing_writes;

void failing_reset(struct failing *f, long fail_at, bool from_then_on, int error);
/* Did the call that was to fail happen? */
bool failing_reached(const struct failing *f);

#endif
