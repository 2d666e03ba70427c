/* SPDX-License-Identifier: GPL-2.0-only */
/* perfdata: files put together byte by byte here, so that nothing rests on our own writer. */
#include <perf-arm-spe/perfdata.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bytes {
	uint8_t at[8192];
	size_t n;
};

static void put(struct bytes *b, const void *from, size_t n)
{
	ck_assert(b->n + n <= sizeof(b->at));
	memcpy(b->at + b->n, from, n);
	b->n += n;
}

static void put32(struct bytes *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put64(struct bytes *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_header(struct bytes *b, uint32_t type, uint16_t misc, uint16_t size)
{
	put32(b, type);
	put(b, &misc, sizeof(misc));
	put(b, &size, sizeof(size));
}

/* TID, TIME, CPU, IDENTIFIER. */
static void put_trailer(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time, uint32_t cpu,
			uint64_t id)
{
	put32(b, pid);
	put32(b, tid);
	put64(b, time);
	put64(b, cpu);
	put64(b, id);
}

#define SAMPLE_TYPE (SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_CPU | SPE_SAMPLE_IDENTIFIER)

static void put_attr(struct bytes *b, uint32_t type, uint32_t bytes, uint64_t ids_at)
{
	uint8_t attr[256] = { 0 };
	uint64_t sample_type = SAMPLE_TYPE, flags = UINT64_C(1) << SPE_ATTR_SAMPLE_ID_ALL;

	memcpy(attr, &type, 4);
	memcpy(attr + 4, &bytes, 4);
	memcpy(attr + 24, &sample_type, 8);
	memcpy(attr + 40, &flags, 8);
	put(b, attr, bytes ? bytes : 64);
	put64(b, ids_at);
	put64(b, 16);
}

/* Header, ids at 104, two attrs at 136, data behind them; features none. */
static void file_with(struct bytes *b, const struct bytes *records, uint32_t attr_bytes)
{
	size_t entry = (attr_bytes ? attr_bytes : 64) + 16;

	b->n = 0;
	put(b, "PERFILE2", 8);
	put64(b, 104);
	put64(b, entry);
	put64(b, 136);
	put64(b, 2 * entry);
	put64(b, 136 + 2 * entry);
	put64(b, records->n);
	for (int i = 0; i < 6; i++)
		put64(b, 0);
	for (uint64_t id = 11; id <= 14; id++)
		put64(b, id);
	put_attr(b, 9, attr_bytes, 104);
	put_attr(b, 1, attr_bytes, 120);
	put(b, records->at, records->n);
}

static char path[64];

static void path_make(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/spe-test-perfdata-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void path_drop(void)
{
	unlink(path);
}

static void file_write(const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static struct spe_perfdata *file_open(const struct bytes *b)
{
	struct spe_perfdata *pd = NULL;
	struct spe_error error = { 0 };

	file_write(b->at, b->n);
	ck_assert_msg(spe_perfdata_open(path, NULL, &pd, &error) == SPE_OK, "%s", error.text);
	return pd;
}

static void some_records(struct bytes *r)
{
	static const uint8_t trace[16] = { 0x71, 1, 2, 3 };

	r->n = 0;
	put_header(r, SPE_PERF_COMM, SPE_MISC_COMM_EXEC, 16 + 8 + 32);
	put32(r, 100);
	put32(r, 101);
	put(r, "alpha\0\0", 8);
	put_trailer(r, 100, 101, 5000, 3, 13);
	put_header(r, SPE_PERF_SWITCH_CPU_WIDE, SPE_MISC_SWITCH_OUT, 16 + 32);
	put32(r, 7);
	put32(r, 8);
	put_trailer(r, 100, 101, 6000, 2, 14);
	put_header(r, SPE_PERF_AUXTRACE, 0, 48);
	put64(r, sizeof(trace));
	put64(r, 4096);
	put64(r, 77);
	put32(r, 1);
	put32(r, UINT32_MAX);
	put32(r, 2);
	put32(r, 0);
	put(r, trace, sizeof(trace));
	put_header(r, SPE_PERF_AUX, 0, 32 + 32);
	put64(r, 4096);
	put64(r, 10);
	put64(r, SPE_AUX_TRUNCATED);
	put_trailer(r, 100, 101, 7000, 2, 11);
}

static void next_ok(struct spe_perfdata *pd, struct spe_perf_event *event)
{
	struct spe_error error = { 0 };

	ck_assert_msg(spe_perfdata_next(pd, event, &error) == SPE_OK, "%s", error.text);
}

static void read_some_records(struct spe_perfdata *pd, uint64_t data_at)
{
	struct spe_perf_event e;
	struct spe_error error;

	next_ok(pd, &e);
	ck_assert_uint_eq(e.type, SPE_PERF_COMM);
	ck_assert_uint_eq(e.misc, SPE_MISC_COMM_EXEC);
	ck_assert_uint_eq(e.file_offset, data_at);
	ck_assert_int_eq(e.attr_index, 1);
	ck_assert_str_eq(e.u.comm.comm, "alpha");
	ck_assert_int_eq(e.u.comm.tid, 101);
	ck_assert_uint_eq(e.id.present,
			  SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_CPU | SPE_SAMPLE_ID);
	ck_assert_uint_eq(e.id.time_ns, 5000);
	ck_assert_uint_eq(e.id.cpu, 3);
	ck_assert_uint_eq(e.id.id, 13);
	next_ok(pd, &e);
	ck_assert(e.u.sw.out && e.u.sw.cpu_wide);
	ck_assert_int_eq(e.u.sw.next_prev_pid, 7);
	ck_assert_int_eq(e.u.sw.next_prev_tid, 8);
	ck_assert_uint_eq(e.sequence, 1);
	next_ok(pd, &e);
	ck_assert_uint_eq(e.u.auxtrace.size, 16);
	ck_assert_uint_eq(e.u.auxtrace.data_bytes, 16);
	ck_assert_uint_eq(e.u.auxtrace.data_offset, e.file_offset + 48);
	ck_assert_uint_eq(e.u.auxtrace.data[0], 0x71);
	ck_assert_uint_eq(e.u.auxtrace.offset, 4096);
	ck_assert_int_eq(e.u.auxtrace.tid, -1);
	ck_assert_int_eq(e.u.auxtrace.cpu, 2);
	next_ok(pd, &e);
	ck_assert_uint_eq(e.type, SPE_PERF_AUX);
	ck_assert_uint_eq(e.u.aux.flags, SPE_AUX_TRUNCATED);
	ck_assert_uint_eq(e.id.time_ns, 7000);
	ck_assert_int_eq(e.attr_index, 0);
	ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_END);
	ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_END);
}

START_TEST(test_reads_attrs_of_any_size)
{
	static const uint32_t sizes[] = { 0, 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152 };
	uint32_t bytes = sizes[_i];
	struct bytes records, file;
	struct spe_perfdata *pd;

	some_records(&records);
	file_with(&file, &records, bytes);
	pd = file_open(&file);
	ck_assert_uint_eq(spe_perfdata_attr_count(pd), 2);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 0)->type, 9);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 1)->raw_bytes, bytes ? bytes : 64);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 1)->ids[1], 14);
	ck_assert_ptr_null(spe_perfdata_attr(pd, 2));
	read_some_records(pd, 136 + 2 * ((bytes ? bytes : 64) + 16));
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
		read_some_records(pd, 136 + 2 * ((bytes ? bytes : 64) + 16));
	}
	ck_assert_uint_eq(spe_perfdata_count(pd, SPE_PERF_COMM), 1);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_refuses_what_is_not_perfdata)
{
	static const struct {
		const char *text;
		int status;
		const char *says;
	} cases[] = {
		{ "", SPE_NOT_PERFDATA, "empty" },
		{ "hello world, this is text", SPE_NOT_PERFDATA, "not a perf.data" },
		{ "PERFFILE and so on and so on", SPE_UNSUPPORTED, "PERFFILE" },
		{ "PERF", SPE_CORRUPT, "cut" },
		{ "PERFILE2", SPE_CORRUPT, "cut" },
		{ "PERFILE2\1\1\1\1\1\1\1\1", SPE_CORRUPT, "cut" },
	};
	struct spe_perfdata *pd = (void *)1;
	struct spe_error error;

	file_write((const uint8_t *)cases[_i].text, strlen(cases[_i].text));
	ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, &error), cases[_i].status);
	ck_assert_ptr_null(pd);
	ck_assert_int_eq(error.status, cases[_i].status);
	ck_assert_msg(strstr(error.text, cases[_i].says) != NULL, "%s", error.text);
	ck_assert_msg(strstr(error.text, path) != NULL, "%s", error.text);
}
END_TEST

/* A newer program's options: zero is fine, anything else is not understood. */
START_TEST(test_options_of_other_sizes)
{
	struct {
		struct spe_perfdata_opts known;
		uint64_t newer;
	} opts = { .known = { .size = sizeof(opts) } };
	struct bytes records, file;
	struct spe_perfdata *pd;
	struct spe_error error;

	some_records(&records);
	file_with(&file, &records, 112);
	file_write(file.at, file.n);
	ck_assert_int_eq(spe_perfdata_open(path, &opts.known, &pd, &error), SPE_OK);
	spe_perfdata_close(pd);
	opts.newer = 1;
	ck_assert_int_eq(spe_perfdata_open(path, &opts.known, &pd, &error), SPE_INVALID);
	ck_assert_ptr_null(pd);
	opts.known.size = sizeof(size_t);
	ck_assert_int_eq(spe_perfdata_open(path, &opts.known, &pd, &error), SPE_OK);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_reports_a_missing_file)
{
	struct spe_perfdata *pd;
	struct spe_error error;

	ck_assert_int_eq(spe_perfdata_open("/nonexistent/x", NULL, &pd, &error), SPE_IO);
	ck_assert_ptr_null(pd);
	ck_assert(strstr(error.text, "/nonexistent/x"));
	ck_assert_int_ne(error.sys_errno, 0);
}
END_TEST

/* The file ends after n bytes: what is whole is given, then the damage named, for ever. */
START_TEST(test_cut_gives_what_is_whole)
{
	struct bytes records, file;
	size_t data_at = 136 + 2 * 128;

	some_records(&records);
	file_with(&file, &records, 112);
	for (size_t n = data_at; n < file.n; n++) {
		static const uint64_t ends[] = { 56, 104, 168, 232 };
		struct spe_perf_event e;
		struct spe_perfdata *pd;
		struct spe_error error;
		int given = 0, status;

		file_write(file.at, n);
		ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, &error), SPE_OK);
		while ((status = spe_perfdata_next(pd, &e, &error)) == SPE_OK) {
			bool whole = data_at + ends[given] <= n;

			/* An AUXTRACE record may lack payload, nothing else may lack a byte. */
			ck_assert(whole || (e.type == SPE_PERF_AUXTRACE &&
					    e.u.auxtrace.data_bytes < e.u.auxtrace.size));
			given++;
		}
		ck_assert_int_eq(status, SPE_CORRUPT);
		ck_assert(error.has_offset && error.offset <= n);
		ck_assert(strstr(error.text, "cut"));
		ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_CORRUPT);
		spe_perfdata_close(pd);
	}
}
END_TEST

START_TEST(test_unfinished_is_read_to_its_end)
{
	struct bytes records, file;
	struct spe_perfdata *pd;

	some_records(&records);
	file_with(&file, &records, 112);
	memset(file.at + 48, 0, 8);
	pd = file_open(&file);
	ck_assert(spe_perfdata_info(pd)->unfinished);
	read_some_records(pd, 136 + 2 * 128);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_odd_sizes_keep_raw_aligned)
{
	struct bytes records = { .n = 0 }, file;
	struct spe_perfdata *pd;
	struct spe_perf_event e;

	put_header(&records, SPE_PERF_HEADER_EVENT_TYPE, 0, 13);
	put(&records, "12345", 5);
	put_header(&records, SPE_PERF_COMM, 0, 16 + 8 + 32);
	put32(&records, 5);
	put32(&records, 6);
	put(&records, "eightchr", 8); /* no NUL */
	put_trailer(&records, 5, 6, 1, 0, 11);
	file_with(&file, &records, 112);
	pd = file_open(&file);
	next_ok(pd, &e);
	next_ok(pd, &e);
	ck_assert_uint_eq((uintptr_t)e.raw & 7, 0);
	ck_assert_str_eq(e.u.comm.comm, "eightchr");
	ck_assert_uint_eq(e.id.time_ns, 1);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_skips_and_counts_what_does_not_add_up)
{
	struct bytes records = { .n = 0 }, file;
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	struct spe_error error;

	put_header(&records, SPE_PERF_FORK, 0, 16); /* too short */
	put64(&records, 0);
	put_header(&records, SPE_PERF_THREAD_MAP, 0, 16); /* more entries than bytes */
	put64(&records, 1000);
	put_header(&records, 95, 0, 16); /* nobody knows it: stepped over, given */
	put64(&records, 1);
	put_header(&records, SPE_PERF_COMM, 0, 4); /* no record at all */
	file_with(&file, &records, 112);
	pd = file_open(&file);
	next_ok(pd, &e);
	ck_assert_uint_eq(e.type, 95);
	ck_assert_uint_eq(spe_perfdata_info(pd)->records_skipped, 2);
	ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_CORRUPT);
	ck_assert_uint_eq(error.offset, 136 + 2 * 128 + 48);
	spe_perfdata_close(pd);
}
END_TEST

/* A pipe of one event, and another described after a record: both readings know one. */
START_TEST(test_late_events_are_left_out)
{
	struct bytes pipe_bytes = { .n = 0 };
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	struct spe_error error;

	put(&pipe_bytes, "PERFILE2", 8);
	put64(&pipe_bytes, 16);
	for (int i = 0; i < 2; i++) {
		put_header(&pipe_bytes, SPE_PERF_HEADER_ATTR, 0, 8 + 64 + 16);
		put_attr(&pipe_bytes, 9, 64, 0); /* whose section makes two ids */
		if (i)
			break;
		put_header(&pipe_bytes, SPE_PERF_ITRACE_START, 0, 16 + 32);
		put32(&pipe_bytes, 1);
		put32(&pipe_bytes, 2);
		put_trailer(&pipe_bytes, 3, 4, 5, 6, 7);
	}
	pd = file_open(&pipe_bytes);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(spe_perfdata_attr_count(pd), 1);
		next_ok(pd, &e);
		next_ok(pd, &e);
		ck_assert_int_eq(e.attr_index, 0);
		ck_assert_int_eq(e.id.pid, 3);
		next_ok(pd, &e);
		ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_END);
		ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
	}
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_time_conversion)
{
	static const struct {
		struct spe_time_conv conv;
		uint64_t ticks, time_ns;
	} cases[] = {
		{ { .present = true, .shift = 8, .mult = 2560 }, 44731163950, 447311639500 },
		{ { .present = true, .shift = 24, .mult = 671088640 }, 44731163950, 1789246558000 },
		{ { .present = true, .shift = 10, .mult = 40960, .zero = 1000 },
		  25000000,
		  1000001000 },
	};
	struct spe_time_conv brief = { .present = true,
				       .shift = 8,
				       .mult = 2560,
				       .cap_short = true,
				       .cycles = 0x00fffffffffffff0,
				       .mask = (UINT64_C(1) << 56) - 1 };
	struct spe_time_conv none = { .present = true };
	uint64_t got;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert(spe_time_from_ticks(&cases[i].conv, cases[i].ticks, &got));
		ck_assert_uint_eq(got, cases[i].time_ns);
		ck_assert(spe_time_to_ticks(&cases[i].conv, cases[i].time_ns, &got));
		ck_assert_uint_eq(got, cases[i].ticks);
	}
	ck_assert(spe_time_from_ticks(&brief, 0x10, &got));
	ck_assert_uint_eq(got, 720575940379279520);
	ck_assert(!spe_time_from_ticks(&none, 1, &got));
	ck_assert(!spe_time_to_ticks(&none, 1, &got));
}
END_TEST

START_TEST(test_time_conv_record)
{
	struct bytes records = { .n = 0 }, file;
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	static const uint64_t shifts[] = { 10, 64, 10 }, mults[] = { 40960, 5, 0 };

	for (int i = 0; i < 3; i++) {
		put_header(&records, SPE_PERF_TIME_CONV, 0, i ? 32 : 56);
		put64(&records, shifts[i]);
		put64(&records, mults[i]);
		put64(&records, 1000);
		if (!i) {
			put64(&records, 17);
			put64(&records, 0xff);
			put(&records, "\1\1\0\0\0\0\0\0", 8);
		}
	}
	file_with(&file, &records, 112);
	pd = file_open(&file);
	next_ok(pd, &e);
	ck_assert(e.u.time_conv.present && e.u.time_conv.cap_short);
	ck_assert_uint_eq(e.u.time_conv.shift, 10);
	ck_assert_uint_eq(e.u.time_conv.mult, 40960);
	ck_assert_uint_eq(e.u.time_conv.cycles, 17);
	ck_assert_uint_eq(e.u.time_conv.mask, 0xff);
	for (int i = 0; i < 2; i++) {
		next_ok(pd, &e);
		ck_assert(!e.u.time_conv.present);
	}
	spe_perfdata_close(pd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perfdata");
	TCase *tc = tcase_create("file");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, path_make, path_drop);
	tcase_add_loop_test(tc, test_reads_attrs_of_any_size, 0, 12);
	tcase_add_loop_test(tc, test_refuses_what_is_not_perfdata, 0, 6);
	tcase_add_test(tc, test_options_of_other_sizes);
	tcase_add_test(tc, test_reports_a_missing_file);
	tcase_add_test(tc, test_cut_gives_what_is_whole);
	tcase_add_test(tc, test_unfinished_is_read_to_its_end);
	tcase_add_test(tc, test_odd_sizes_keep_raw_aligned);
	tcase_add_test(tc, test_skips_and_counts_what_does_not_add_up);
	tcase_add_test(tc, test_late_events_are_left_out);
	tcase_add_test(tc, test_time_conversion);
	tcase_add_test(tc, test_time_conv_record);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
