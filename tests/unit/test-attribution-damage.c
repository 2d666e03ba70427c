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

/* Which buffer is which CPU's. */
static void put_id_index(void)
{
	file_begin_record(file, SPE_PERF_ID_INDEX, 0);
	file_u64(file, 2);
	for (uint64_t cpu = 0; cpu < 2; cpu++) {
		file_u64(file, 11 + cpu); /* id */
		file_u64(file, cpu);      /* idx */
		file_u64(file, cpu);
		file_u64(file, UINT64_MAX); /* tid */
	}
	file_end_record(file);
}

/*
 * Thread 300 is a process of its own first and a thread of 200 later; that it
 * became one is written behind the trace that shows it, as perf does.
 */
static void make_file(bool id_index)
{
	struct trace first = { .n = 0 }, second = { .n = 0 };

	row_count = 0;
	file = file_new((struct file_kind){ .no_time = false });
	if (id_index)
		put_id_index();
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
	file_aux(file, 0, 5250000, 0, first.n, 0);
	file_switch(file, 1, 1000000, 0, 0, 200, 200);
	file_switch(file, 1, 5140000, 200, 200, 100, 100);
	put_row(&second, 1150000, 200, 200, true);
	put_row(&second, 1250000, 200, 200, false);
	put_row(&second, 5150000, 100, 100, true);
	file_aux(file, 1, 5160000, 0, second.n, 0);
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

	make_file(true);
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
	make_file(true);
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

/* No kernel gives such ids: who has one is nobody, and it is said that the record was skipped. */
START_TEST(test_impossible_ids)
{
	enum { LARGEST = 4194304, OWNERS = 4 };
	static const int tids[OWNERS] = { 100, LARGEST, LARGEST + 1, INT32_MAX };
	static const int pids[OWNERS] = { 100, LARGEST, -1, -1 };
	struct trace t = { .n = 0 };
	struct answers a;

	row_count = 0;
	file = file_new((struct file_kind){ .no_time = false });
	for (int i = 0; i < OWNERS; i++) {
		file_comm(file, tids[i], tids[i], "name", 0);
		put_row(&t, 1000000 + (uint64_t)i, pids[i], tids[i], true);
	}
	/* two records: who went, who came */
	file_switch(file, 0, 2000000, INT32_MAX, INT32_MAX, 100, 100);
	file_task(file, SPE_PERF_FORK, 100, INT32_MAX, 100, 100, 2000001);
	put_trace(0, &t);
	fd = memfd_create("impossible", 0);
	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file_write(file);
	a = ask(file->n);
	ck_assert_ptr_nonnull(a.recording);
	ck_assert_uint_eq(a.count, OWNERS);
	for (size_t i = 0; i < a.count; i++) {
		const struct row *row = row_at(a.samples[i].record.timestamp);

		ck_assert_int_eq(a.samples[i].pid, row->pid);
		ck_assert_int_eq(a.samples[i].tid, row->tid);
		ck_assert_int_eq(a.samples[i].comm == SPE_COMM_NONE, row->pid < 0);
	}
	ck_assert(spe_recording_facts(a.recording)->partial);
	ck_assert_ptr_nonnull(strstr(spe_recording_facts(a.recording)->partial_reason,
				     "ids no kernel has in 5 of its records"));
	answers_free(&a);
	free_file();
}
END_TEST

/* What a CPU that has not come to write yet would tell, nobody knows: here that 300 is a new one.
 */
START_TEST(test_cut_before_first_of_a_cpu)
{
	static const int tids[] = { 300, 300, 100 };

	for (unsigned whole = 0; whole < 2; whole++) {
		struct file *f = file_new((struct file_kind){ .unfinished = true });
		struct trace t = { .n = 0 };
		struct answers a;

		file = f;
		put_id_index();
		file_comm(f, 100, 100, "alpha", 0);
		file_comm(f, 200, 200, "beta", 0);
		file_comm(f, 300, 300, "gamma", 0);
		file_task(f, SPE_PERF_EXIT, 300, 300, 1, 1, 3000000);
		if (whole) {
			file_begin_record(f, SPE_PERF_FORK, 0);
			file_u32(f, 200);
			file_u32(f, 200);
			file_u32(f, 300);
			file_u32(f, 200);
			file_u64(f, 5000000);
			file_trailer(f, 200, 200, 5000000, 1, 1);
		}
		put_sample(&t, EL0_PC, 300, NO_CONTEXT, 2000000);
		put_sample(&t, EL0_PC, 300, NO_CONTEXT, 5100000);
		put_sample(&t, EL0_PC, 100, NO_CONTEXT, 5200000);
		file_aux(f, 0, 5300000, 0, t.n, 0);
		file_trace(f, 0, &t);
		a = ask_file(f);
		ck_assert_uint_eq(a.count, 3);
		for (size_t i = 0; i < a.count; i++)
			ck_assert_int_eq(a.samples[i].tid, tids[i]);
		ck_assert_int_eq(a.samples[1].pid, whole ? 200 : -1);
		ck_assert_int_eq(a.samples[2].pid, 100);
		answers_free(&a);
		file_free(f);
	}
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
	/* A longer packet in front, and the context is read out of other bytes. */
	if (!place)
		return true;
	/* pc, then maybe the context; the timestamp at the end */
	return (start[9] == 0x64 && place > 9 && place <= 13) || place > RECORD_BYTES - 9;
}

static bool in_trace(size_t at)
{
	return (at >= trace_at[0] && at < trace_at[0] + trace_bytes[0]) ||
	       (at >= trace_at[1] && at < trace_at[1] + trace_bytes[1]);
}

static void check_bent(size_t at)
{
	struct answers a = ask(file->n);

	if (in_trace(at) && !says_who_or_when(at))
		for (size_t i = 0; i < a.count; i++) {
			const struct row *row = row_at(a.samples[i].record.timestamp);

			if (row)
				check_owner(&a.samples[i], row, at);
		}
	answers_free(&a);
}

START_TEST(test_bend_every_byte)
{
	static const uint8_t bends[] = { 0xff, 0x01, 0x02, 0x10, 0x40, 0x80 };

	make_file(_i & 1);
	for (size_t at = (size_t)_i % THINNED(5); at < file->n; at += THINNED(5)) {
		file->bytes[at] ^= bends[_i / 2];
		check_bent(at);
		file->bytes[at] ^= bends[_i / 2];
	}
	free_file();
}
END_TEST

static void check_mended(struct answers *a, unsigned what)
{
	const struct spe_recording_facts *facts;

	ck_assert_ptr_nonnull(a->recording);
	facts = spe_recording_facts(a->recording);
	ck_assert_msg(a->count == row_count, "%u: %zu samples", what, a->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct row *row = row_at(a->samples[i].record.timestamp);

		ck_assert_ptr_nonnull(row);
		check_owner(&a->samples[i], row, what);
		ck_assert_int_eq(a->samples[i].tid, row->tid);
	}
	ck_assert(facts->partial);
	ck_assert(strstr(facts->partial_reason, "damaged") != NULL);
	answers_free(a);
}

/* Trace that claims more bytes than it has: what it swallowed is found again. */
START_TEST(test_too_long_is_mended)
{
	make_file(_i);
	for (unsigned bit = 3; bit < 40; bit++) {
		uint8_t *byte = file->bytes + trace_at[0] + 8 + bit / 8;
		struct answers a;

		if (*byte & 1u << bit % 8)
			continue; /* that bend makes it shorter */
		*byte ^= 1u << bit % 8;
		a = ask(file->n);
		check_mended(&a, bit);
		*byte ^= 1u << bit % 8;
	}
	free_file();
}
END_TEST

/* Trace that runs over whole records: what follows makes sense, but the AUX records know. */
START_TEST(test_whole_records_too_long)
{
	size_t next;
	uint64_t claim;

	make_file(true);
	next = trace_at[0] + trace_bytes[0];
	memcpy(&claim, file->bytes + trace_at[0] + 8, sizeof(claim));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t longer;
		uint16_t size;
		struct answers a;

		memcpy(&size, file->bytes + next + 6, sizeof(size));
		next += size;
		longer = claim + next - trace_at[0] - trace_bytes[0];
		memcpy(file->bytes + trace_at[0] + 8, &longer, sizeof(longer));
		a = ask(file->n);
		check_mended(&a, i);
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
	tcase_add_test(tcase, test_impossible_ids);
	tcase_add_loop_test(tcase, test_bend_every_byte, 0, 12);
	tcase_add_loop_test(tcase, test_too_long_is_mended, 0, 2);
	tcase_add_test(tcase, test_cut_before_first_of_a_cpu);
	tcase_add_test(tcase, test_whole_records_too_long);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
