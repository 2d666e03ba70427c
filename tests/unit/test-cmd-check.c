/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU lists, and what opening an event tells, which no captured tree can. */
#include "../../tools/perf-arm-spe/check.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a list is read as; NULL: refused. */
static const struct {
	const char *text, *printed;
	unsigned count;
} lists[] = {
	{ "0-3,8\n", "0-3,8", 5 },
	{ "5", "5", 1 },
	{ "", "", 0 },
	{ "4095", "4095", 1 },
	{ "63-64,65,67", "63-65,67", 4 },
	{ "4096", NULL, 0 },
	{ "3-1", NULL, 0 },
	{ "1-", NULL, 0 },
	{ "x", NULL, 0 },
	{ "1,,2", NULL, 0 },
	{ "99999999999999999999", NULL, 0 },
};

START_TEST(lists_are_read_and_printed)
{
	struct cpu_list list = { { 0 } };
	char text[64];
	bool good = cpu_list_add(&list, lists[_i].text);

	ck_assert(good == (lists[_i].printed != NULL));
	if (!good)
		return;
	cpu_list_print(&list, text, sizeof(text));
	ck_assert_str_eq(text, lists[_i].printed);
	ck_assert_uint_eq(cpu_list_count(&list), lists[_i].count);
}
END_TEST

START_TEST(a_list_too_long_ends_in_dots)
{
	struct cpu_list list = { { 0 } }, none = { { 0 } }, rest;
	char text[64];

	for (unsigned cpu = 0; cpu < CPU_LIST_MAX; cpu += 2)
		cpu_list_set(&list, cpu);
	cpu_list_print(&list, text, sizeof(text));
	ck_assert_uint_lt(strlen(text), sizeof(text));
	ck_assert_str_eq(text + strlen(text) - 3, "...");
	cpu_list_minus(&rest, &list, &none);
	ck_assert_uint_eq(cpu_list_count(&rest), CPU_LIST_MAX / 2);
	cpu_list_minus(&rest, &list, &list);
	ck_assert_uint_eq(cpu_list_count(&rest), 0);
}
END_TEST

#ifdef HAVE_LIBPERF
/* A PMU of this machine's kernel in the place of an SPE unit. */
static struct check_findings *open_one(int64_t type, const char *cpus)
{
	struct check_findings *findings = calloc(1, sizeof(*findings));
	struct machine *machine = calloc(1, sizeof(*machine));

	ck_assert(findings && machine);
	machine->root = "";
	machine->pmu_count = 1;
	snprintf(machine->pmus[0].name, sizeof(machine->pmus[0].name), "arm_spe_0");
	machine->pmus[0].type = type;
	machine->pmus[0].has_cpus = cpus != NULL;
	machine->has_paranoid = cpus != NULL; /* 0: all CPUs are open to us */
	if (cpus)
		ck_assert(cpu_list_add(&machine->pmus[0].cpus, cpus));
	check_open(findings, machine);
	free(machine);
	ck_assert_uint_eq(findings->count, 1);
	return findings;
}

START_TEST(an_event_of_this_thread_opens)
{
	struct check_findings *findings = open_one(1 /* PERF_TYPE_SOFTWARE: task-clock */, NULL);

	/* Some sandboxes forbid perf_event_open altogether; that is told as what it is. */
	if (findings->list[0].state != CHECK_OK)
		ck_assert(strstr(findings->list[0].text, "perm") ||
			  strstr(findings->list[0].text, "perf_event_open"));
	else
		ck_assert_str_eq(findings->list[0].text, "an event of arm_spe_0 opens");
	free(findings);
}
END_TEST

START_TEST(what_is_not_there_fails)
{
	/* No such type, and no such CPU. */
	struct check_findings *findings = open_one(9999, NULL);

	ck_assert_int_eq(findings->list[0].state, CHECK_FAIL);
	ck_assert_str_ne(findings->list[0].remedy, "");
	free(findings);
	findings = open_one(1, "1999");
	ck_assert_int_eq(findings->list[0].state, CHECK_FAIL);
	ck_assert_str_ne(findings->list[0].remedy, "");
	free(findings);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("check");
	TCase *tests = tcase_create("check");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tests);
	tcase_add_loop_test(tests, lists_are_read_and_printed, 0,
			    (int)(sizeof(lists) / sizeof(lists[0])));
	tcase_add_test(tests, a_list_too_long_ends_in_dots);
#ifdef HAVE_LIBPERF
	tcase_add_test(tests, an_event_of_this_thread_opens);
	tcase_add_test(tests, what_is_not_there_fails);
#endif
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
