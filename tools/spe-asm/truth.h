/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of each record, as CSV: one line a record, whoever decodes it later. */
#ifndef SPE_ASM_TRUTH_H
#define SPE_ASM_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "words.h"

struct truth_row {
	int32_t cpu; /* -1: a thread's buffer */
	uint64_t timestamp;
	uint64_t pc;
	struct task task; /* who ran */
	const char *comm;
	uint64_t time_ns;
	bool has_time;
	uint32_t context; /* what the register held */
	unsigned el;
	const char *kind;  /* load, branch ... */
	uint64_t start_ns; /* of the task */
	uint32_t guest;
};

struct truth;

struct truth *truth_new(const char *path);
void truth_add(struct truth *t, const struct truth_row *row);
void truth_finish(struct truth *t);

#endif
