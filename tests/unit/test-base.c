/* SPDX-License-Identifier: GPL-2.0-only */
/* base: status codes, errors, cursor, vectors, strings, worker pool. */
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <perf-arm-spe/base.h>
#include <perf-arm-spe/limits.h>

#include "../../perf-arm-spe/base/cursor.h"
#include "../../perf-arm-spe/base/pool.h"
#include "../../perf-arm-spe/base/strings.h"
#include "../../perf-arm-spe/base/vec.h"

START_TEST(every_status_has_its_own_text)
{
#define TEXT_OF(name, value, text) text,
	static const char *const texts[] = { SPE_STATUS_LIST(TEXT_OF) };
#undef TEXT_OF

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(texts[i], texts[j]);
	ck_assert_str_eq(spe_status_text(SPE_CORRUPT), "the bytes are damaged");
	ck_assert_str_eq(spe_status_text(-1000), "unknown status");
}
END_TEST

START_TEST(status_numbers_are_fixed)
{
	ck_assert_int_eq(SPE_OK, 0);
	ck_assert_int_eq(SPE_END, 1);
	ck_assert_int_eq(SPE_NEED_MORE, -1);
	ck_assert_int_eq(SPE_NOT_PERFDATA, -9);
	ck_assert_int_eq(SPE_CANCELLED, -13);
}
END_TEST

START_TEST(error_keeps_text_and_offset)
{
	struct spe_error err = { .sys_errno = 5 };

	ck_assert_int_eq(spe_error_set_at(&err, SPE_CORRUPT, 4096, "%s: bad", "x"), SPE_CORRUPT);
	ck_assert_int_eq(err.status, SPE_CORRUPT);
	ck_assert(err.has_offset);
	ck_assert_uint_eq(err.offset, 4096);
	ck_assert_str_eq(err.text, "x: bad");
	ck_assert_int_eq(spe_error_set(&err, SPE_IO, "again"), SPE_IO);
	ck_assert(!err.has_offset);
	ck_assert_int_eq(err.sys_errno, 0);
	ck_assert_int_eq(spe_error_set(NULL, SPE_NOMEM, "nobody listens"), SPE_NOMEM);
}
END_TEST

START_TEST(error_text_is_cut_not_overrun)
{
	struct spe_error err;
	char text[2 * SPE_ERROR_TEXT];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	spe_error_set(&err, SPE_IO, "%s", text);
	ck_assert_uint_eq(strlen(err.text), SPE_ERROR_TEXT - 1);
}
END_TEST

struct heard {
	char text[64];
	int level;
	uint64_t done;
};

static void hear(void *priv, enum spe_log_level level, const char *text)
{
	struct heard *heard = priv;

	snprintf(heard->text, sizeof(heard->text), "%s", text);
	heard->level = (int)level;
}

static void see(void *priv, const char *what, uint64_t done, uint64_t total)
{
	struct heard *heard = priv;

	snprintf(heard->text, sizeof(heard->text), "%s of %u", what, (unsigned)total);
	heard->done = done;
}

START_TEST(listener_hears)
{
	struct heard heard = { .level = -1 };
	struct spe_listener silent = { 0 };
	struct spe_listener both = {
		.log = hear, .log_priv = &heard, .progress = see, .progress_priv = &heard
	};

	spe_log(&silent, SPE_LOG_NOTE, "x");
	spe_log(NULL, SPE_LOG_NOTE, "x");
	spe_progress(&silent, "x", 1, 2);
	spe_progress(NULL, "x", 1, 2);
	ck_assert_int_eq(heard.level, -1);
	spe_log(&both, SPE_LOG_NOTE, "%d gaps", 3);
	ck_assert_str_eq(heard.text, "3 gaps");
	ck_assert_int_eq(heard.level, SPE_LOG_NOTE);
	spe_progress(&both, "survey", 7, 9);
	ck_assert_str_eq(heard.text, "survey of 9");
	ck_assert_uint_eq(heard.done, 7);
}
END_TEST

START_TEST(features_end)
{
	const char *name;
	bool present;
	unsigned n = 0;

	while (spe_feature(n, &name, &present) == SPE_OK) {
		ck_assert_ptr_nonnull(name);
		n++;
		ck_assert_uint_lt(n, 100);
	}
	ck_assert_uint_gt(n, 3);
	ck_assert_int_eq(spe_feature(n, &name, &present), SPE_END);
	ck_assert_uint_gt(strlen(spe_version()), 4);
}
END_TEST

static const uint8_t digits[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

START_TEST(cursor_takes_in_order)
{
	struct spe_cursor c = spe_cursor_over(digits, sizeof(digits), false);

	ck_assert_uint_eq(spe_cursor_u8(&c), 1);
	ck_assert_uint_eq(spe_cursor_u16(&c), 0x0302);
	ck_assert_uint_eq(spe_cursor_u32(&c), 0x07060504);
	ck_assert_uint_eq(spe_cursor_u64(&c), 0x0f0e0d0c0b0a0908u);
	ck_assert_uint_eq(spe_cursor_left(&c), 0);
	ck_assert(!c.failed);
}
END_TEST

START_TEST(cursor_swaps)
{
	struct spe_cursor c = spe_cursor_over(digits, sizeof(digits), true);

	ck_assert_uint_eq(spe_cursor_u8(&c), 1);
	ck_assert_uint_eq(spe_cursor_u16(&c), 0x0203);
	ck_assert_uint_eq(spe_cursor_u32(&c), 0x04050607);
	ck_assert_uint_eq(spe_cursor_u64(&c), 0x08090a0b0c0d0e0fu);
}
END_TEST

START_TEST(cursor_stays_failed)
{
	struct spe_cursor c = spe_cursor_over(digits, 3, false);

	ck_assert_uint_eq(spe_cursor_u32(&c), 0);
	ck_assert(c.failed);
	ck_assert_uint_eq(c.pos, 0);
	ck_assert_uint_eq(spe_cursor_u8(&c), 0); /* one is there, but who would know which */
	ck_assert_ptr_null(spe_cursor_take(&c, 0));
	c = spe_cursor_over(digits, 3, false);
	ck_assert_ptr_null(spe_cursor_take(&c, SIZE_MAX));
	ck_assert(c.failed);
}
END_TEST

START_TEST(vec_grows_to_its_ceiling)
{
	SPE_VEC(int) numbers = { 0 };

	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(spe_vec_push(&numbers, &i, 1000), SPE_OK);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(numbers.items[i], i);
	ck_assert_int_eq(spe_vec_push(&numbers, &(int){ 0 }, 1000), SPE_LIMIT);
	ck_assert_uint_eq(numbers.count, 1000);
	ck_assert_uint_le(numbers.room, 1000);
	ck_assert_int_eq(spe_vec_reserve(&numbers, 2000, SIZE_MAX), SPE_LIMIT);
	free(numbers.items);
}
END_TEST

START_TEST(strings_number_in_order_of_arrival)
{
	struct spe_strings *s;
	uint32_t number = 9;

	ck_assert_int_eq(spe_strings_new(100, &s), SPE_OK);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 100; i++) {
			char text[16];
			int n = snprintf(text, sizeof(text), "name%u", i);

			ck_assert_int_eq(spe_strings_add(s, text, (size_t)n, &number), SPE_OK);
			ck_assert_uint_eq(number, i);
			ck_assert_str_eq(spe_strings_get(s, i), text);
		}
	ck_assert_uint_eq(spe_strings_count(s), 100);
	ck_assert_int_eq(spe_strings_add(s, "more", 4, &number), SPE_LIMIT);
	ck_assert_ptr_null(spe_strings_get(s, 100));
	spe_strings_free(s);
	spe_strings_free(NULL);
}
END_TEST

START_TEST(strings_go_by_length)
{
	struct spe_strings *s;
	uint32_t a, b, empty;

	ck_assert_int_eq(spe_strings_new(10, &s), SPE_OK);
	ck_assert_int_eq(spe_strings_add(s, "abc", 2, &a), SPE_OK);
	ck_assert_int_eq(spe_strings_add(s, "abc", 3, &b), SPE_OK);
	ck_assert_int_eq(spe_strings_add(s, "", 0, &empty), SPE_OK);
	ck_assert_uint_ne(a, b);
	ck_assert_str_eq(spe_strings_get(s, a), "ab");
	ck_assert_str_eq(spe_strings_get(s, empty), "");
	spe_strings_free(s);
}
END_TEST

#define JOBS 500

struct work {
	atomic_uint runs[JOBS];
	atomic_uint total;
	size_t fail_from;
	unsigned workers;
};

static int work_job(void *arg, unsigned worker, size_t job)
{
	struct work *work = arg;

	atomic_fetch_add(&work->runs[job], 1);
	atomic_fetch_add(&work->total, 1);
	if (worker >= work->workers)
		return SPE_INTERNAL;
	return job >= work->fail_from ? SPE_CORRUPT - (int)(job - work->fail_from) : SPE_OK;
}

START_TEST(pool_runs_each_job_once)
{
	static const unsigned workers[] = { 1, 2, 7 };
	struct work work = { .fail_from = JOBS, .workers = workers[_i] };

	ck_assert_int_eq(spe_pool_run(workers[_i], JOBS, work_job, &work), SPE_OK);
	for (size_t i = 0; i < JOBS; i++)
		ck_assert_uint_eq(atomic_load(&work.runs[i]), 1);
}
END_TEST

START_TEST(pool_stops_at_a_failure)
{
	struct work work = { .fail_from = 10, .workers = 1 };

	ck_assert_int_eq(spe_pool_run(1, JOBS, work_job, &work), SPE_CORRUPT);
	ck_assert_uint_eq(atomic_load(&work.total), 11);
	work = (struct work){ .fail_from = 10, .workers = 4 };
	ck_assert_int_eq(spe_pool_run(4, JOBS, work_job, &work), SPE_CORRUPT);
}
END_TEST

START_TEST(pool_workers_are_bounded)
{
	ck_assert_uint_eq(spe_pool_workers(4, 100), 4);
	ck_assert_uint_eq(spe_pool_workers(4, 3), 3);
	ck_assert_uint_eq(spe_pool_workers(4, 0), 1);
	ck_assert_uint_eq(spe_pool_workers(1u << 31, SIZE_MAX), SPE_LIMIT_WORKERS);
	ck_assert_uint_ge(spe_pool_workers(0, 1000), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base");
	TCase *tc = tcase_create("base");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, every_status_has_its_own_text);
	tcase_add_test(tc, status_numbers_are_fixed);
	tcase_add_test(tc, error_keeps_text_and_offset);
	tcase_add_test(tc, error_text_is_cut_not_overrun);
	tcase_add_test(tc, listener_hears);
	tcase_add_test(tc, features_end);
	tcase_add_test(tc, cursor_takes_in_order);
	tcase_add_test(tc, cursor_swaps);
	tcase_add_test(tc, cursor_stays_failed);
	tcase_add_test(tc, vec_grows_to_its_ceiling);
	tcase_add_test(tc, strings_number_in_order_of_arrival);
	tcase_add_test(tc, strings_go_by_length);
	tcase_add_loop_test(tc, pool_runs_each_job_once, 0, 3);
	tcase_add_test(tc, pool_stops_at_a_failure);
	tcase_add_test(tc, pool_workers_are_bounded);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
