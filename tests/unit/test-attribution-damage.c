/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small recording cut at every byte and with every byte bent: what is still
 * told is true or is told to be unknown, and what is missing is said.
 */
#include <sys/mman.h>

#include "recording-file.h"

#define ROWS_MAX 32
#define RECORD_BYTES 64
#define PAYLOAD_AT 48 /* of an AUXTRACE record */

/* Who really ran at a record; its time is its name. */
struct row {
	uint64_t time;
	int pid, tid;
};

static struct row rows[ROWS_MAX];
static size_t row_count;
static size_t trace_at[2], trace_bytes[2]; /* AUXTRACE records in the file */
static struct file *file;
static char path[64];
static int fd;

static void put_row(struct trace *t, uint64_t time, int pid, int tid, bool context)
{
	rows[row_count++] = (struct row){ time, pid, tid };
	put_sample(t, 0x400000 + time, context ? (uint64_t)tid : NO_CONTEXT, NO_CONTEXT, time);
}

static void put_trace(int cpu, const struct trace *t)
{
	trace_at[cpu] = file->n;
	file_trace(file, cpu, t);
	trace_bytes[cpu] = file->n - trace_at[cpu];
}

/*
 * Thread 300 is a process of its own first and a thread of 200 later; that it
 * became one is written behind the trace that shows it, as perf does.
 */
static void make_file(void)
{
	struct trace first = { .n = 0 }, second = { .n = 0 };

	row_count = 0;
	file = file_new((struct file_kind){ .no_time = false });
	file_comm(file, 100, 100, "alpha", 0);
	file_comm(file, 200, 200, "beta", 0);
	file_comm(file, 300, 300, "gamma", 0);
	file_task(file, SPE_PERF_FORK, 200, 201, 200, 200, 900000); /* there are threads here */
	file_switch(file, 0, 1000000, 0, 0, 100, 100);
	file_switch(file, 0, 2000000, 100, 100, 300, 300);
	file_task(file, SPE_PERF_EXIT, 300, 300, 1, 1, 3000000);
	file_switch(file, 0, 3500000, 300, 300, 0, 0);
	put_row(&first, 1100000, 100, 100, true);
	put_row(&first, 1200000, 100, 100, false);
	put_row(&first, 2100000, 300, 300, true);
	put_row(&first, 2200000, 300, 300, true);
	put_row(&first, 5100000, 200, 300, true);
	put_row(&first, 5200000, 200, 300, true);
	put_trace(0, &first);
	file_task(file, SPE_PERF_FORK, 200, 300, 200, 200, 5000000);
	file_comm(file, 200, 300, "beta-t", 5050000);
	file_switch(file, 0, 5060000, 0, 0, 200, 300);
	file_switch(file, 1, 1000000, 0, 0, 200, 200);
	file_switch(file, 1, 5140000, 200, 200, 100, 100);
	put_row(&second, 1150000, 200, 200, true);
	put_row(&second, 1250000, 200, 200, false);
	put_row(&second, 5150000, 100, 100, true);
	put_trace(1, &second);
	file_write(file);
	fd = memfd_create("damage", 0);
	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
}

static void free_file(void)
{
	close(fd);
	file_free(file);
}

/* What is left of the first n bytes; recording NULL: nothing, and said so. */
static struct answers ask(size_t n)
{
	struct spe_recording_opts opts = recording_opts();
	struct spe_error error = { 0 };
	struct answers a = { 0 };
	int status;

	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(pwrite(fd, file->bytes, n, 0), (ssize_t)n);
	status = spe_recording_open(path, &opts, &a.recording, &error);
	if (!status)
		read_answers(&a, 100);
	else if (status >= 0 || a.recording || !error.text[0])
		ck_abort_msg("status %d, '%s'", status, error.text);
	return a;
}

static const struct row *row_at(uint64_t time)
{
	for (size_t i = 0; i < row_count; i++)
		if (rows[i].time == time)
			return &rows[i];
	return NULL;
}

/* No wrong owner. */
static void check_owner(const struct spe_sample *s, const struct row *row, size_t at)
{
	if ((s->pid != row->pid && s->pid != -1) || (s->tid != row->tid && s->tid != -1))
		ck_abort_msg("byte %zu: %d/%d by %s at %llu, not %d/%d", at, s->pid, s->tid,
			     spe_evidence_name(s->evidence), (unsigned long long)row->time,
			     row->pid, row->tid);
}

START_TEST(test_whole)
{
	struct answers a;

	make_file();
	a = ask(file->n);
	ck_assert_ptr_nonnull(a.recording);
	ck_assert_uint_eq(a.count, row_count);
	ck_assert(!spe_recording_facts(a.recording)->partial);
	for (size_t i = 0; i < a.count; i++) {
		const struct row *row = row_at(a.samples[i].record.timestamp);

		ck_assert_ptr_nonnull(row);
		ck_assert_int_eq(a.samples[i].pid, row->pid);
		ck_assert_int_eq(a.samples[i].tid, row->tid);
	}
	answers_free(&a);
	free_file();
}
END_TEST

START_TEST(test_cut_at_every_byte)
{
	make_file();
	for (size_t n = 0; n < file->n; n++) {
		struct answers a = ask(n);

		for (size_t i = 0; i < a.count; i++) {
			const struct row *row = row_at(a.samples[i].record.timestamp);

			ck_assert_ptr_nonnull(row);
			check_owner(&a.samples[i], row, n);
		}
		if (a.recording && a.count < row_count)
			ck_assert_msg(spe_recording_facts(a.recording)->partial,
				      "cut at %zu: %zu samples, and nothing said", n, a.count);
		answers_free(&a);
	}
	free_file();
}
END_TEST

/* Which CPU's payload a byte of the file is in, -1: none. */
static int payload_of(size_t at, size_t *offset)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		if (at < trace_at[cpu] + PAYLOAD_AT || at >= trace_at[cpu] + trace_bytes[cpu])
			continue;
		*offset = at - trace_at[cpu] - PAYLOAD_AT;
		return cpu;
	}
	return -1;
}

/* Bytes of a record that say who or when: with another value there is another truth. */
static bool says_who_or_when(size_t at)
{
	const uint8_t *start;
	size_t offset, place;
	int cpu = payload_of(at, &offset);

	if (cpu < 0)
		return false;
	place = offset % RECORD_BYTES;
	start = file->bytes + at - place;
	/* pc, then maybe the context; the timestamp at the end */
	return (start[9] == 0x64 && place > 9 && place <= 13) || place > RECORD_BYTES - 9;
}

static bool in_trace(size_t at)
{
	return (at >= trace_at[0] && at < trace_at[0] + trace_bytes[0]) ||
	       (at >= trace_at[1] && at < trace_at[1] + trace_bytes[1]);
}

/*
 * The sizes of an AUXTRACE record: one that is too long takes another CPU's
 * trace for its own, and what has no context is then asked of the wrong switches.
 */
static bool is_size(size_t at)
{
	for (int cpu = 0; cpu < 2; cpu++)
		if (at >= trace_at[cpu] + 6 && at < trace_at[cpu] + 16)
			return true;
	return false;
}

static void check_bent(size_t at)
{
	struct answers a = ask(file->n);

	if (in_trace(at) && !says_who_or_when(at) && !is_size(at))
		for (size_t i = 0; i < a.count; i++) {
			const struct row *row = row_at(a.samples[i].record.timestamp);

			if (row)
				check_owner(&a.samples[i], row, at);
		}
	answers_free(&a);
}

START_TEST(test_bend_every_byte)
{
	static const uint8_t bends[] = { 0xff, 0x10, 0x02 };

	make_file();
	for (size_t at = 0; at < file->n; at++) {
		file->bytes[at] ^= bends[_i];
		check_bent(at);
		file->bytes[at] ^= bends[_i];
	}
	free_file();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("attribution-damage");
	TCase *tcase = tcase_create("damage");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, test_whole);
	tcase_add_test(tcase, test_cut_at_every_byte);
	tcase_add_loop_test(tcase, test_bend_every_byte, 0, 3);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
