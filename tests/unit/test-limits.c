/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every ceiling of limits.h, with what just fits and what does not.  Most are
 * out of reach of a small file: those are tested where low-limits.h lowered
 * them, on a library built with it (see the Makefile).
 */
#include "recording-file.h"

#include <perf-arm-spe/limits.h>
#include <perf-arm-spe/perfdata.h>
#include <perf-arm-spe/sink.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Is a ceiling low enough to be reached here? */
#define REACHABLE(limit, most)                                                                     \
	do {                                                                                       \
		if ((limit) > (most))                                                              \
			return;                                                                    \
	} while (0)

/* ---- events ---------------------------------------------------------------------- */

enum { HEAD = 104 };

static char path[64];

/* A file of `attrs` events of `attr_bytes` each, with `ids` ids. */
static void write_events(uint64_t attrs, uint32_t attr_bytes, uint64_t ids)
{
	uint64_t stride = attr_bytes + 16, data = HEAD + attrs * stride + attrs * ids * 8;
	const uint8_t round[8] = { SPE_PERF_FINISHED_INIT, [6] = 8 };
	uint64_t header[HEAD / 8] = { UINT64_C(0x32454c4946524550), HEAD, stride, HEAD,
				      attrs * stride };
	uint8_t *bytes = calloc(1, data + sizeof(round));
	int fd;

	ck_assert_ptr_nonnull(bytes);
	header[5] = data;
	header[6] = sizeof(round);
	memcpy(bytes + data, round, sizeof(round));
	memcpy(bytes, header, sizeof(header));
	for (uint64_t i = 0; i < attrs; i++) {
		uint8_t *at = bytes + HEAD + i * stride;
		uint64_t list[2] = { HEAD + attrs * stride + i * ids * 8, ids * 8 };

		at[0] = 8;
		memcpy(at + 4, &attr_bytes, 4);
		memcpy(at + attr_bytes, list, sizeof(list));
		for (uint64_t k = 0; k < ids; k++) {
			uint64_t id = 1 + i * ids + k;

			memcpy(bytes + list[0] + 8 * k, &id, 8);
		}
	}
	snprintf(path, sizeof(path), "/tmp/spe-limits-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, data + 8), (ssize_t)data + 8);
	close(fd);
	free(bytes);
}

static int open_events(uint64_t attrs, uint32_t attr_bytes, uint64_t ids)
{
	struct spe_perfdata *pd = NULL;
	struct spe_error error = { 0 };
	int status;

	write_events(attrs, attr_bytes, ids);
	status = spe_perfdata_open(path, NULL, &pd, &error);
	if (!status)
		ck_assert_uint_eq(spe_perfdata_attr_count(pd), attrs);
	else
		ck_assert_msg(strstr(error.text, path) != NULL, "%s", error.text);
	spe_perfdata_close(pd);
	unlink(path);
	return status;
}

START_TEST(test_attrs)
{
	REACHABLE(SPE_LIMIT_ATTRS, 100000u);
	ck_assert_int_eq(open_events(SPE_LIMIT_ATTRS, 64, 0), SPE_OK);
	ck_assert_int_eq(open_events(SPE_LIMIT_ATTRS + 1, 64, 0), SPE_LIMIT);
}
END_TEST

START_TEST(test_attr_bytes)
{
	ck_assert_int_eq(open_events(1, SPE_LIMIT_ATTR_BYTES, 0), SPE_OK);
	ck_assert_int_eq(open_events(1, SPE_LIMIT_ATTR_BYTES + 8, 0), SPE_LIMIT);
}
END_TEST

START_TEST(test_ids)
{
	REACHABLE(SPE_LIMIT_IDS, 1000u);
	ck_assert_int_eq(open_events(1, 64, SPE_LIMIT_IDS_PER_ATTR), SPE_OK);
	ck_assert_int_eq(open_events(1, 64, SPE_LIMIT_IDS_PER_ATTR + 1), SPE_LIMIT);
	ck_assert_int_eq(open_events(4, 64, SPE_LIMIT_IDS / 4), SPE_OK);
	ck_assert_int_eq(open_events(4, 64, SPE_LIMIT_IDS / 4 + 1), SPE_LIMIT);
}
END_TEST

/* ---- sections of the header --------------------------------------------------------- */

/* The file of one event with one section of this size, most of it a hole in the file. */
static struct spe_perfdata *open_section(unsigned feature, uint64_t bytes, const void *head,
					 size_t head_bytes)
{
	uint64_t bit = 1ull << feature, table[2] = { 0, bytes };
	struct spe_perfdata *pd = NULL;
	struct spe_error error = { 0 };
	struct stat st;
	int fd;

	write_events(1, 64, 0);
	fd = open(path, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	table[0] = (uint64_t)st.st_size + sizeof(table);
	ck_assert_int_eq(pwrite(fd, &bit, sizeof(bit), 72), sizeof(bit));
	ck_assert_int_eq(pwrite(fd, table, sizeof(table), st.st_size), sizeof(table));
	ck_assert_int_eq(pwrite(fd, head, head_bytes, (off_t)table[0]), (ssize_t)head_bytes);
	ck_assert_int_eq(ftruncate(fd, (off_t)(table[0] + bytes)), 0);
	close(fd);
	ck_assert_msg(!spe_perfdata_open(path, NULL, &pd, &error), "%s", error.text);
	unlink(path);
	return pd;
}

START_TEST(test_section_bytes)
{
	for (unsigned over = 0; over < 2; over++) {
		struct spe_perfdata *pd =
			open_section(SPE_FEAT_TRACING_DATA, SPE_LIMIT_FEATURE_BYTES + over, "x", 1);
		const uint8_t *bytes;
		size_t n;

		ck_assert_int_eq(spe_perfdata_feature(pd, SPE_FEAT_TRACING_DATA, &bytes, &n),
				 over ? SPE_NOT_FOUND : SPE_OK);
		ck_assert_uint_eq(spe_perfdata_info(pd)->sections_left_out, over);
		spe_perfdata_close(pd);
	}
}
END_TEST

START_TEST(test_string_bytes)
{
	for (uint32_t over = 0; over < 2; over++) {
		uint32_t n = SPE_LIMIT_STRING_BYTES + over;
		uint8_t *text = calloc(1, 4 + n);
		struct spe_perfdata *pd;

		ck_assert_ptr_nonnull(text);
		memcpy(text, &n, 4);
		memset(text + 4, 'h', n - 1);
		pd = open_section(SPE_FEAT_HOSTNAME, 4 + n, text, 4 + n);
		ck_assert_uint_eq(strlen(spe_perfdata_info(pd)->hostname), over ? 0 : n - 1);
		ck_assert_uint_eq(spe_perfdata_info(pd)->sections_left_out, over);
		spe_perfdata_close(pd);
		free(text);
	}
}
END_TEST

/* ---- a directory ------------------------------------------------------------------------ */

static int open_folder(unsigned files)
{
	char folder[] = "/tmp/spe-limits-XXXXXX", name[64], data[48];
	struct spe_perfdata *pd = NULL;
	struct spe_error error = { 0 };
	int status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	write_events(1, 64, 0);
	snprintf(data, sizeof(data), "%s/data", folder);
	ck_assert_int_eq(rename(path, data), 0);
	for (unsigned i = 0; i + 1 < files; i++) {
		snprintf(name, sizeof(name), "%s.%u", data, i);
		close(open(name, O_CREAT | O_WRONLY, 0600));
	}
	status = spe_perfdata_open(folder, NULL, &pd, &error);
	if (status)
		ck_assert(strstr(error.text, folder) != NULL);
	spe_perfdata_close(pd);
	for (unsigned i = 0; i + 1 < files; i++) {
		snprintf(name, sizeof(name), "%s.%u", data, i);
		unlink(name);
	}
	unlink(data);
	rmdir(folder);
	return status;
}

START_TEST(test_folder)
{
	REACHABLE(SPE_LIMIT_DIR_FILES, 1000u);
	ck_assert_int_eq(open_folder(SPE_LIMIT_DIR_FILES), SPE_OK);
	ck_assert_int_eq(open_folder(SPE_LIMIT_DIR_FILES + 1), SPE_LIMIT);
}
END_TEST

/* ---- recordings ------------------------------------------------------------------------- */

static struct file *small(void)
{
	return file_new((struct file_kind){ .no_time = false });
}

/* A record of thread 100 at 5 s, as the trace of this CPU. */
static void add_trace(struct file *f, int cpu, uint64_t offset)
{
	struct trace t = { .n = 0 };

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, UINT64_C(5000000000));
	file_auxtrace(f, cpu, -1, offset, t.bytes, t.n);
}

/* What opening says; of a success the samples. */
static int try_open(struct file *f, struct answers *a)
{
	struct spe_recording_opts opts = recording_opts();
	struct spe_error error = { 0 };
	int status;

	*a = (struct answers){ 0 };
	status = spe_recording_open(file_write(f), &opts, &a->recording, &error);
	if (!status)
		read_answers(a, 100);
	else
		ck_assert_msg(strstr(error.text, f->path) != NULL &&
				      (strstr(error.text, "too many") ||
				       strstr(error.text, "limit")),
			      "%s", error.text);
	file_free(f);
	return status;
}

static void expect_open(struct file *f, int want)
{
	struct answers a;
	int status = try_open(f, &a);

	ck_assert_msg(status == want, "status %d, not %d", status, want);
	answers_free(&a);
}

static struct file *with_names(unsigned names, unsigned tasks)
{
	struct file *f = small();

	for (unsigned i = 0; i < tasks; i++) {
		char name[16];

		snprintf(name, sizeof(name), "name-%u", i % names);
		file_comm(f, 100 + (int)i, 100 + (int)i, name, 0);
	}
	add_trace(f, 0, 0);
	return f;
}

START_TEST(test_names)
{
	REACHABLE(SPE_LIMIT_COMMS, 1000u);
	/* "swapper" is one */
	expect_open(with_names(SPE_LIMIT_COMMS - 1, SPE_LIMIT_COMMS - 1), SPE_OK);
	expect_open(with_names(SPE_LIMIT_COMMS, SPE_LIMIT_COMMS), SPE_LIMIT);
}
END_TEST

START_TEST(test_tasks)
{
	REACHABLE(SPE_LIMIT_TASKS, 1000u);
	expect_open(with_names(3, SPE_LIMIT_TASKS), SPE_OK);
	expect_open(with_names(3, SPE_LIMIT_TASKS + 1), SPE_LIMIT);
}
END_TEST

START_TEST(test_name_bytes)
{
	char longer[SPE_LIMIT_COMM_BYTES + 50];
	struct file *f = small();
	struct answers a;
	const char *name;

	memset(longer, 'n', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	file_comm(f, 100, 100, longer, 0);
	add_trace(f, 0, 0);
	ck_assert_int_eq(try_open(f, &a), SPE_OK);
	ck_assert_uint_eq(a.count, 1);
	name = spe_recording_comm(a.recording, a.samples[0].comm);
	ck_assert_ptr_nonnull(name);
	ck_assert_uint_eq(strlen(name), SPE_LIMIT_COMM_BYTES);
	answers_free(&a);
}
END_TEST

static struct file *with_switches(unsigned records)
{
	struct file *f = small();

	for (unsigned i = 0; i < records / 2; i++)
		file_switch(f, 0, 1000 * (i + 1), 0, 0, 100, 100);
	add_trace(f, 0, 0);
	return f;
}

START_TEST(test_switches)
{
	REACHABLE(SPE_LIMIT_SWITCHES, 1000u);
	expect_open(with_switches(SPE_LIMIT_SWITCHES), SPE_OK);
	expect_open(with_switches(SPE_LIMIT_SWITCHES + 2), SPE_LIMIT);
}
END_TEST

/* A CPU number that is none costs its own record. */
START_TEST(test_cpus)
{
	struct file *f = small();
	struct answers a;

	file_comm(f, 100, 100, "alpha", 0);
	file_switch(f, 0, 1000, 0, 0, 100, 100);
	file_switch(f, (int)SPE_LIMIT_CPUS - 1, 1000, 0, 0, 100, 100);
	file_switch(f, (int)SPE_LIMIT_CPUS, 2000, 0, 0, 100, 100);
	add_trace(f, 0, 0);
	ck_assert_int_eq(try_open(f, &a), SPE_OK);
	ck_assert_uint_eq(spe_recording_facts(a.recording)->switches, 4);
	expect(&a, 0, 100, 100, CONTEXT);
	answers_free(&a);
}
END_TEST

static struct file *with_streams(unsigned streams, unsigned chunks)
{
	struct file *f = small();

	for (unsigned i = 0; i < streams; i++)
		for (unsigned k = 0; k < chunks; k++)
			add_trace(f, (int)i, 64 * k);
	return f;
}

START_TEST(test_streams)
{
	REACHABLE(SPE_LIMIT_STREAMS, 1000u);
	expect_open(with_streams(SPE_LIMIT_STREAMS, 1), SPE_OK);
	expect_open(with_streams(SPE_LIMIT_STREAMS + 1, 1), SPE_LIMIT);
}
END_TEST

START_TEST(test_chunks)
{
	REACHABLE(SPE_LIMIT_AUX_CHUNKS, 1000u);
	expect_open(with_streams(1, SPE_LIMIT_AUX_CHUNKS), SPE_OK);
	expect_open(with_streams(1, SPE_LIMIT_AUX_CHUNKS + 1), SPE_LIMIT);
}
END_TEST

/* So many AUXTRACE records of a size that runs eight bytes into the next record. */
static struct file *with_wrong_sizes(unsigned wrong)
{
	struct file *f = small();

	file_comm(f, 100, 100, "alpha", 0);
	for (unsigned i = 0; i < wrong; i++) {
		size_t at = f->n;
		uint64_t size;

		add_trace(f, 0, 64 * i);
		memcpy(&size, f->bytes + at + 8, sizeof(size));
		size += 8;
		memcpy(f->bytes + at + 8, &size, sizeof(size));
		for (unsigned k = 0; k < 4; k++)
			file_comm(f, 200, 200, "beta", 0);
	}
	return f;
}

START_TEST(test_wrong_sizes)
{
	for (unsigned over = 0; over < 2; over++) {
		struct answers a;
		const struct spe_recording_facts *facts;

		ck_assert_int_eq(try_open(with_wrong_sizes(SPE_LIMIT_MENDS + over), &a), SPE_OK);
		facts = spe_recording_facts(a.recording);
		ck_assert_uint_eq(a.count, SPE_LIMIT_MENDS);
		ck_assert(facts->partial);
		ck_assert_msg(!strstr(facts->partial_reason, "more wrong sizes") == !over, "%s",
			      facts->partial_reason);
		for (size_t i = 0; i < a.count; i++)
			expect(&a, i, 100, 100, CONTEXT);
		answers_free(&a);
	}
}
END_TEST

/* Zeros at EL0 are nobody's; past the ceiling some of idle are not told from them, none is wrong.
 */
START_TEST(test_zero_runs)
{
	unsigned runs = SPE_LIMIT_ZERO_RUNS + 3, idle = 0;
	struct trace t = { .n = 0 };
	struct answers a;
	struct file *f;

	REACHABLE(SPE_LIMIT_ZERO_RUNS, 100u);
	f = small();
	file_comm(f, 100, 100, "alpha", 0);
	for (unsigned i = 0; i < runs; i++) {
		uint64_t time = 1000 * (uint64_t)(i + 1);

		put_sample(&t, EL0_PC, 0, NO_CONTEXT, time);
		put_sample(&t, EL0_PC, 100, NO_CONTEXT, time + 100);
		put_sample(&t, EL1_PC, 0, NO_CONTEXT, time + 200);
		put_sample(&t, EL0_PC, 100, NO_CONTEXT, time + 300);
	}
	file_trace(f, 0, &t);
	ck_assert_int_eq(try_open(f, &a), SPE_OK);
	ck_assert_uint_eq(a.count, 4 * runs);
	for (size_t i = 0; i < a.count; i += 4) {
		expect(&a, i, -1, -1, NONE);
		expect(&a, i + 1, 100, 100, CONTEXT);
		expect(&a, i + 3, 100, 100, CONTEXT);
		ck_assert(a.samples[i + 2].pid == 0 || a.samples[i + 2].pid == -1);
		idle += a.samples[i + 2].pid == 0;
	}
	ck_assert_uint_ge(idle, SPE_LIMIT_ZERO_RUNS - 1);
	answers_free(&a);
}
END_TEST

static int open_with_map(unsigned lines)
{
	struct spe_recording_opts opts = recording_opts();
	struct spe_recording *recording = NULL;
	struct spe_error error = { 0 };
	char map[] = "/tmp/spe-limits-XXXXXX";
	struct file *f = with_streams(1, 1);
	int fd = mkstemp(map), status;

	ck_assert_int_ge(fd, 0);
	for (unsigned i = 0; i < lines; i++)
		dprintf(fd, "%u 7 %u\n", 1000 + i, 7 + i);
	close(fd);
	opts.pid_map = map;
	status = spe_recording_open(file_write(f), &opts, &recording, &error);
	if (status)
		ck_assert_msg(strstr(error.text, map) != NULL, "%s", error.text);
	spe_recording_close(recording);
	unlink(map);
	file_free(f);
	return status;
}

START_TEST(test_pid_map)
{
	REACHABLE(SPE_LIMIT_PID_MAP, 1000u);
	ck_assert_int_eq(open_with_map(SPE_LIMIT_PID_MAP), SPE_OK);
	ck_assert_int_eq(open_with_map(SPE_LIMIT_PID_MAP + 1), SPE_LIMIT);
}
END_TEST

/* ---- sinks ---------------------------------------------------------------------------------- */

static int report(const struct spe_recording *recording, const char *sort, struct spe_error *error)
{
	struct spe_report_opts opts = { .size = sizeof(opts), .sort = sort };
	struct spe_run_opts run = { .size = sizeof(run), .threads = 1 };
	struct spe_run_stats stats;
	struct spe_report *made;
	int status = spe_report_new(recording, &opts, &made, error);

	if (status)
		return status;
	status = spe_sink_run(recording, spe_report_ops(made), made, &run, &stats, error);
	spe_report_free(made);
	return status;
}

START_TEST(test_sort_keys)
{
	char sort[1024] = "";
	struct spe_error error = { 0 };
	const char *name, *help;
	int status = SPE_OK;
	struct answers a;

	ck_assert_int_eq(try_open(with_streams(1, 1), &a), SPE_OK);
	/* some are other names of the same key, which counts once */
	for (unsigned i = 0; !status; i++) {
		ck_assert_int_eq(spe_report_key(i, &name, &help), SPE_OK);
		snprintf(sort + strlen(sort), sizeof(sort) - strlen(sort), "%s%s", i ? "," : "",
			 name);
		status = report(a.recording, sort, &error);
		ck_assert(status == SPE_OK || i >= SPE_LIMIT_SORT_KEYS);
	}
	ck_assert_int_eq(status, SPE_INVALID);
	ck_assert_msg(strstr(error.text, "more than") != NULL, "%s", error.text);
	answers_free(&a);
}
END_TEST

static int report_rows(unsigned rows)
{
	struct file *f = small();
	struct trace *t = calloc(1, sizeof(*t));
	struct spe_error error = { 0 };
	struct answers a;
	uint64_t offset = 0;
	int status;

	ck_assert_ptr_nonnull(t);
	for (unsigned i = 0; i < rows; i++) {
		if (i % 64 == 0) {
			if (t->n)
				file_auxtrace(f, 0, -1, offset, t->bytes, t->n);
			offset += t->n;
			t->n = 0;
		}
		put_sample(t, EL0_PC + 4 * (uint64_t)i, 100 + i, NO_CONTEXT, 1000 + i);
	}
	file_auxtrace(f, 0, -1, offset, t->bytes, t->n);
	free(t);
	ck_assert_int_eq(try_open(f, &a), SPE_OK);
	ck_assert_uint_eq(a.count, rows);
	status = report(a.recording, "tid", &error);
	answers_free(&a);
	return status;
}

START_TEST(test_report_rows)
{
	REACHABLE(SPE_LIMIT_REPORT_ROWS, 100000u);
	ck_assert_int_eq(report_rows(SPE_LIMIT_REPORT_ROWS / 2), SPE_OK);
	ck_assert_int_eq(report_rows(SPE_LIMIT_REPORT_ROWS), SPE_OK);
	ck_assert_int_eq(report_rows(SPE_LIMIT_REPORT_ROWS + 1), SPE_LIMIT);
}
END_TEST

/* ---- bytes of one record ------------------------------------------------------------------------
 */

/* The last packet of a record begins within the ceiling, or the record is dropped. */
START_TEST(test_record_bytes)
{
	for (unsigned over = 0; over < 2; over++) {
		struct file *f = small();
		struct trace t = { .n = 0 };
		struct answers a;

		put_pc(&t, EL0_PC);
		put_context1(&t, 100);
		while (t.n + 2 < SPE_LIMIT_RECORD_BYTES)
			put_op(&t, SPE_OP_OTHER, 0);
		put_zeros(&t, SPE_LIMIT_RECORD_BYTES - 1 + over - t.n);
		put_timestamp(&t, 1000);
		put_sample(&t, EL0_PC, 100, NO_CONTEXT, 2000);
		file_trace(f, 0, &t);
		ck_assert_int_eq(try_open(f, &a), SPE_OK);
		ck_assert_uint_eq(a.stats.drops[SPE_DROP_TOO_LONG], over);
		ck_assert_uint_eq(a.count, 2 - over);
		ck_assert_uint_eq(a.samples[a.count - 1].record.timestamp, 2000);
		answers_free(&a);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("limits");
	TCase *tc = tcase_create("ceilings");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_attrs);
	tcase_add_test(tc, test_attr_bytes);
	tcase_add_test(tc, test_ids);
	tcase_add_test(tc, test_section_bytes);
	tcase_add_test(tc, test_string_bytes);
	tcase_add_test(tc, test_folder);
	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_tasks);
	tcase_add_test(tc, test_name_bytes);
	tcase_add_test(tc, test_switches);
	tcase_add_test(tc, test_cpus);
	tcase_add_test(tc, test_streams);
	tcase_add_test(tc, test_chunks);
	tcase_add_test(tc, test_wrong_sizes);
	tcase_add_test(tc, test_zero_runs);
	tcase_add_test(tc, test_pid_map);
	tcase_add_test(tc, test_sort_keys);
	tcase_add_test(tc, test_report_rows);
	tcase_add_test(tc, test_record_bytes);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
