/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs as the kernel writes them: "0-3,8". */
#ifndef CPULIST_H
#define CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_LIST_MAX 4096 /* CPUs of one machine; arm64 kernels stop at 4096 too */

struct cpu_list {
	uint64_t bits[CPU_LIST_MAX / 64];
};

/* Add the CPUs of a text to the set.  False if it is no such list; what was read so far stays. */
bool cpu_list_add(struct cpu_list *list, const char *text);

void cpu_list_set(struct cpu_list *list, unsigned cpu);
bool cpu_list_has(const struct cpu_list *list, unsigned cpu);
unsigned cpu_list_count(const struct cpu_list *list);

/* Those of a that are not in b. */
void cpu_list_minus(struct cpu_list *result, const struct cpu_list *a, const struct cpu_list *b);

/* "0-3,8"; ends in "..." where it does not fit. */
void cpu_list_print(const struct cpu_list *list, char *text, size_t size);

/* "CPU 8", "CPUs 0-3,8"; ends in "..." where it does not fit. */
void cpu_list_name(const struct cpu_list *list, char *text, size_t size);

#endif
