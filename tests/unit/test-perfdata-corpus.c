/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata: recordings of real programs, where they are (SPE_SHARED, default
 * ../shared beside the repository): read to their end, counts as stock perf
 * counts them, and hostile files within a second and 64 MB.
 */
#include <perf-arm-spe/perfdata.h>

#include <check.h>

#include "perfdata-digest.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static glob_t found;

static size_t find(const char *pattern)
{
	const char *shared = getenv("SPE_SHARED");
	char where[512];

	globfree(&found);
	snprintf(where, sizeof(where), "%s/data/%s", shared ? shared : "../shared", pattern);
	if (glob(where, 0, NULL, &found))
		found.gl_pathc = 0;
	return found.gl_pathc;
}

static const char *const folders[] = { "perfdata/*.data", "lab/*.data", "truth/*.data",
				       "cases/*.data", "etm/perf/*.data" };

START_TEST(test_read_to_the_end)
{
	size_t count = find(folders[_i]);

	for (size_t i = 0; i < count; i++) {
		struct spe_error error = { 0 };
		struct spe_perfdata *pd;
		struct digest d;

		ck_assert_msg(spe_perfdata_open(found.gl_pathv[i], NULL, &pd, &error) == SPE_OK,
			      "%s", error.text);
		d = digest_file(pd, &error);
		ck_assert_msg(d.status == SPE_END, "%s", error.text);
		ck_assert_uint_gt(d.records, 0);
		ck_assert_msg(spe_perfdata_info(pd)->records_skipped == 0, "%s", found.gl_pathv[i]);
		spe_perfdata_close(pd);
	}
}
END_TEST

/* ---- beside stock perf -------------------------------------------------------- */

static uint32_t type_named(const char *name)
{
	for (uint32_t type = 1; type < SPE_PERF_RECORD_MAX; type++)
		if (spe_perf_record_name(type) && !strcmp(name, spe_perf_record_name(type)))
			return type;
	ck_abort_msg("perf counts %s, we have no such name", name);
	return 0;
}

/* perf's counts per type; false when it cannot read the file. */
static bool perf_counts(const char *path, uint64_t counts[SPE_PERF_RECORD_MAX])
{
	char command[700], line[512], name[64];
	bool total = false;
	uint64_t n;
	FILE *f;

	snprintf(command, sizeof(command), "perf report --stats -i '%s' 2>/dev/null", path);
	memset(counts, 0, SPE_PERF_RECORD_MAX * sizeof(counts[0]));
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, " stats:") && total)
			break; /* what follows is counted per event */
		if (sscanf(line, " %63s events: %lu", name, &n) != 2)
			continue;
		if (!strcmp(name, "TOTAL"))
			total = true;
		else
			counts[type_named(name)] = n;
	}
	while (fgets(line, sizeof(line), f))
		;
	return pclose(f) == 0 && total;
}

/* false: perf cannot read the file. */
static bool same_counts(const char *path)
{
	uint64_t counts[SPE_PERF_RECORD_MAX];
	struct spe_perf_event e;
	struct spe_perfdata *pd;

	if (!perf_counts(path, counts))
		return false;
	ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, NULL), SPE_OK);
	while (spe_perfdata_next(pd, &e, NULL) == SPE_OK)
		;
	for (uint32_t type = 0; type < SPE_PERF_RECORD_MAX; type++)
		ck_assert_msg(counts[type] == spe_perfdata_count(pd, type),
			      "%s: type %u: perf counts %lu, we %lu", path, type, counts[type],
			      spe_perfdata_count(pd, type));
	spe_perfdata_close(pd);
	return true;
}

START_TEST(test_counts_as_perf_does)
{
	size_t count = find(folders[_i]), compared = 0;

	if (system("perf --version >/dev/null 2>&1"))
		return; /* not installed */
	for (size_t i = 0; i < count; i++)
		compared += same_counts(found.gl_pathv[i]);
	/* Any perf reads the first folder's plain files. */
	ck_assert(_i || compared > 3);
}
END_TEST

/* ---- hostile files --------------------------------------------------------------- */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

START_TEST(test_hostile)
{
	size_t count = find("perfdata/hostile/*.data");

	for (size_t i = 0; i < count; i++) {
		double begun = seconds();
		struct rusage usage;
		int status;
		pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (!child) {
			struct spe_error error;
			struct digest d = digest_path(found.gl_pathv[i], &error);

			_exit(d.status == SPE_IO || d.status == SPE_NOMEM ||
			      d.status == SPE_INTERNAL);
		}
		ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %x",
			      found.gl_pathv[i], status);
#ifndef __SANITIZE_ADDRESS__
		ck_assert_int_lt(usage.ru_maxrss, 64 << 10);
#endif
		ck_assert(seconds() - begun < 1.0);
	}
}
END_TEST

int main(void)
{
	SRunner *runner;
	Suite *suite;
	TCase *tc;
	int failed;

	if (!find("perfdata/*.data")) {
		puts("skip perfdata-corpus: no recordings (set SPE_SHARED)");
		globfree(&found);
		return 77;
	}
	/* only a runner frees a suite */
	suite = suite_create("perfdata-corpus");
	tc = tcase_create("corpus");
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, test_read_to_the_end, 0, 5);
	tcase_add_loop_test(tc, test_counts_as_perf_does, 0, 5);
	tcase_add_test(tc, test_hostile);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	globfree(&found);
	return failed != 0;
}
