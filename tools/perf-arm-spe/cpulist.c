/* SPDX-License-Identifier: GPL-2.0-only */
#include "cpulist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpu_list_set(struct cpu_list *list, unsigned cpu)
{
	if (cpu < CPU_LIST_MAX)
		list->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

bool cpu_list_has(const struct cpu_list *list, unsigned cpu)
{
	return cpu < CPU_LIST_MAX && list->bits[cpu / 64] >> cpu % 64 & 1;
}

unsigned cpu_list_count(const struct cpu_list *list)
{
	unsigned count = 0;

	for (size_t i = 0; i < CPU_LIST_MAX / 64; i++)
		count += (unsigned)__builtin_popcountll(list->bits[i]);
	return count;
}

void cpu_list_minus(struct cpu_list *result, const struct cpu_list *a, const struct cpu_list *b)
{
	for (size_t i = 0; i < CPU_LIST_MAX / 64; i++)
		result->bits[i] = a->bits[i] & ~b->bits[i];
}

/* A number below CPU_LIST_MAX; moves text behind it. */
static bool take_cpu(const char **text, unsigned *cpu)
{
	char *end;
	unsigned long value;

	if (**text < '0' || **text > '9')
		return false;
	value = strtoul(*text, &end, 10);
	*text = end;
	*cpu = (unsigned)value;
	return value < CPU_LIST_MAX;
}

bool cpu_list_add(struct cpu_list *list, const char *text)
{
	while (*text && *text != '\n') {
		unsigned first, last;

		if (!take_cpu(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_cpu(&text, &last) || last < first)
				return false;
		}
		for (; first <= last; first++)
			cpu_list_set(list, first);
		if (*text == ',' && text[1])
			text++;
		else if (*text && *text != '\n')
			return false;
	}
	return true;
}

void cpu_list_print(const struct cpu_list *list, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (unsigned cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		unsigned first = cpu;

		if (!cpu_list_has(list, cpu))
			continue;
		while (cpu_list_has(list, cpu + 1))
			cpu++;
		if (size - n < 20) {
			snprintf(text + n, size - n, "...");
			return;
		}
		n += (size_t)snprintf(text + n, size - n, "%s%u", n ? "," : "", first);
		if (cpu > first)
			n += (size_t)snprintf(text + n, size - n, "-%u", cpu);
	}
}

void cpu_list_name(const struct cpu_list *list, char *text, size_t size)
{
	int n = snprintf(text, size, cpu_list_count(list) == 1 ? "CPU " : "CPUs ");

	cpu_list_print(list, text + n, size - (size_t)n);
}
