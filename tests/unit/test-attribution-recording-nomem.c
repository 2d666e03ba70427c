/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opening and reading a recording when memory runs out: whichever allocation
 * is refused, SPE_NOMEM comes back and nothing is left behind.  The allocator is
 * replaced for the whole program; sanitizers bring their own, so there this
 * only runs without refusals.
 */
#include "recording-file.h"

#include <errno.h>

#define S 1000000000ull
#define US 1000ull
#define MOST_ALLOCATIONS 3000

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACED false
static long fail_at = -1, live;
#else
#define REPLACED true

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static long fail_at = -1; /* how many succeed until one fails; -1: none fails */
static long live;

static bool refuse(void)
{
	return fail_at >= 0 && fail_at-- == 0;
}

void *malloc(size_t n)
{
	void *p = refuse() ? NULL : __libc_malloc(n);

	live += p != NULL;
	return p;
}

void *calloc(size_t count, size_t n)
{
	void *p = refuse() ? NULL : __libc_calloc(count, n);

	live += p != NULL;
	return p;
}

void *realloc(void *old, size_t n)
{
	void *p = refuse() ? NULL : __libc_realloc(old, n);

	live += p && !old;
	return p;
}

int posix_memalign(void **p, size_t align, size_t n)
{
	*p = refuse() ? NULL : __libc_memalign(align, n);
	live += *p != NULL;
	return *p ? 0 : ENOMEM;
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}
#endif

static int take_start(void *arg, unsigned workers)
{
	void **held = arg;

	(void)workers;
	*held = malloc(1);
	return *held ? SPE_OK : SPE_NOMEM;
}

static int take_batch(void *arg, unsigned worker, struct spe_sample *samples, size_t count)
{
	(void)arg, (void)worker, (void)samples, (void)count;
	return SPE_OK;
}

/* Pass 1, then the survey with somebody who takes samples on the way. */
static int open_in_two(const char *path, struct spe_recording_opts *opts,
		       struct spe_recording **recording, struct spe_error *error)
{
	void *held = NULL;
	struct spe_companion companion = {
		.size = sizeof(companion), .arg = &held, .start = take_start, .batch = take_batch
	};
	bool kept;
	int status;

	opts->later = true;
	status = spe_recording_open(path, opts, recording, error);
	if (status)
		return status;
	status = spe_recording_finish(*recording, &companion, &kept, error);
	if (status)
		spe_recording_close(*recording);
	free(held);
	return status;
}

/* Open and read all of it; everything is given back. */
static int open_and_read(const struct file *f, const char *map)
{
	struct spe_recording_opts opts = recording_opts();
	struct spe_recording *recording;
	struct spe_reader *reader = NULL;
	struct spe_sample samples[16];
	struct spe_error error;
	size_t count;
	int status;

	opts.pid_map = map;
	status = open_in_two(f->path, &opts, &recording, &error);
	if (status)
		return status;
	status = spe_reader_new(recording, NULL, &reader);
	for (size_t piece = 0; !status && piece < spe_recording_pieces(recording); piece++) {
		status = spe_reader_start(reader, piece);
		while (!status)
			status = spe_reader_next(reader, samples, 16, &count);
		if (status == SPE_END)
			status = SPE_OK;
	}
	spe_reader_free(reader);
	spe_recording_close(recording);
	return status;
}

static void refuse_each(struct file *f, const char *map)
{
	long before, left, n = 0;
	int status;

	file_write(f);
	ck_assert_int_eq(open_and_read(f, map),
			 SPE_OK); /* whatever libraries keep, they keep now */
	do {
		before = live;
		fail_at = REPLACED ? n++ : -1;
		status = open_and_read(f, map);
		left = live - before; /* libcheck allocates, too */
		if (fail_at >= 0 || !REPLACED)
			n = 0; /* none was left to refuse: that was a whole run */
		fail_at = -1;
		ck_assert_msg(!status || status == SPE_NOMEM, "allocation %ld: %s", n,
			      spe_status_text(status));
		ck_assert_msg(!left, "allocation %ld: %ld left", n, left);
		ck_assert_int_lt(n, MOST_ALLOCATIONS);
	} while (n);
	ck_assert_int_eq(status, SPE_OK);
	file_free(f);
}

static void put_some(struct trace *t, int count, unsigned id)
{
	for (int i = 0; i < count; i++)
		put_sample(t, EL0_PC, i % 3 ? id : id + 1, NO_CONTEXT, S + (uint64_t)i * US);
}

START_TEST(contexts_switches_zeros_and_breaks)
{
	struct file *f = file_new((struct file_kind){ 0 });
	struct trace t = { 0 };

	file_comm(f, 100, 100, "alpha", 0);
	file_task(f, SPE_PERF_FORK, 100, 101, 100, 100, S);
	file_lost(f, 1, S, 3);
	for (int i = 0; i < 10; i++)
		file_switch(f, i % 2, S + (uint64_t)i * 9 * US, 100, 100, 100, 101);
	put_some(&t, 30, 100);
	put_sample(&t, EL0_PC, 0, NO_CONTEXT, S + 40 * US);
	put_some(&t, 2, 100);
	file_trace(f, 0, &t);
	file_aux(f, 1, S, 0, 128, SPE_AUX_TRUNCATED);
	file_auxtrace(f, 1, -1, 0, t.bytes, 1000);
	file_auxtrace(f, 1, -1, 1000, t.bytes + 1000, t.n - 1000);
	refuse_each(f, NULL);
}
END_TEST

START_TEST(foreign_namespace)
{
	struct file *f = file_new((struct file_kind){ 0 });
	struct trace t = { 0 };

	file_comm(f, 7, 7, "one", 0);
	for (int i = 0; i < 10; i++)
		file_switch(f, 0, S + (uint64_t)i * 5 * US, i % 2 ? 7 : 8, i % 2 ? 7 : 8,
			    i % 2 ? 8 : 7, i % 2 ? 8 : 7);
	put_some(&t, 30, 40007);
	file_trace(f, 0, &t);
	refuse_each(f, NULL);
}
END_TEST

START_TEST(pid_map)
{
	static const char text[] = "41007 7 7 one\n41008 8 8 two\n";
	struct file *f = file_new((struct file_kind){ 0 });
	struct trace t = { 0 };
	char path[] = "/tmp/spe-pid-map-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	put_some(&t, 5, 41007);
	file_trace(f, 0, &t);
	refuse_each(f, path);
	unlink(path);
}
END_TEST

START_TEST(other_clock_and_snapshots)
{
	struct file *f = file_new((struct file_kind){ .other_clock = true });
	struct trace t = { 0 };

	file_comm(f, 100, 100, "alpha", 0);
	put_some(&t, 64, 100);
	file_itrace_start(f, 0, 100, 5 * S);
	file_aux(f, 0, 5 * S + 70 * US, 0, t.n, 0);
	file_trace(f, 0, &t);
	file_aux(f, 1, 5 * S, 64, 64, SPE_AUX_OVERWRITE);
	file_auxtrace(f, 1, -1, 0, t.bytes, 4096);
	file_auxtrace(f, 1, -1, 0, t.bytes, 4096);
	refuse_each(f, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recording without memory");
	TCase *tc = tcase_create("nomem");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, contexts_switches_zeros_and_breaks);
	tcase_add_test(tc, foreign_namespace);
	tcase_add_test(tc, pid_map);
	tcase_add_test(tc, other_clock_and_snapshots);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
