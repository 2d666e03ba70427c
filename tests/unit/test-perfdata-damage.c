/* SPDX-License-Identifier: GPL-2.0-only */
/* perfdata: files cut at every byte and bent at every byte.  Worth most under sanitizers. */
#include "perfdata-records.h"

#include "perfdata-digest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static int fd = -1;
static char path[64], seed[64];
static uint8_t *bytes;
static size_t n;

static void files_make(void)
{
	fd = memfd_create("damaged", 0);
	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(seed, sizeof(seed), "/tmp/spe-test-damage-XXXXXX");
	close(mkstemp(seed));
	bytes = malloc(1 << 16);
}

static void files_drop(void)
{
	free(bytes);
	close(fd);
	unlink(seed);
}

static void seed_load(void)
{
	FILE *f = fopen(seed, "r");

	ck_assert_ptr_nonnull(f);
	n = fread(bytes, 1, 1 << 16, f);
	fclose(f);
}

#ifdef HAVE_ZSTD
/* The data section as one compressed record behind a plain one. */
static void seed_compress(void)
{
	uint64_t at, size;
	size_t first = 88, zipped; /* MMAP's size */
	uint8_t out[8192];
	uint16_t record;

	memcpy(&at, bytes + 40, 8);
	memcpy(&size, bytes + 48, 8);
	/* Up to the first AUXTRACE: those stay plain. */
	size = 0;
	while (bytes[at + size] != SPE_PERF_AUXTRACE) {
		memcpy(&record, bytes + at + size + 6, 2);
		size += record;
	}
	zipped = ZSTD_compress(out, sizeof(out), bytes + at + first, size - first, 1);
	ck_assert(!ZSTD_isError(zipped));
	record = (uint16_t)(8 + zipped);
	memset(bytes + at + first, 0, 8);
	bytes[at + first] = SPE_PERF_COMPRESSED;
	memcpy(bytes + at + first + 6, &record, 2);
	memcpy(bytes + at + first + 8, out, zipped);
	size = first + record;
	memcpy(bytes + 48, &size, 8);
	memset(bytes + 72, 0, 32);
	n = at + size;
}
#endif

/* Five files: both byte orders, both forms, and a compressed one. */
static void seed_make(int which)
{
	make_file(seed, which & 1, which & 2);
	seed_load();
#ifdef HAVE_ZSTD
	if (which == 4)
		seed_compress();
#endif
}

static struct digest read_bytes(const uint8_t *from, size_t count, struct spe_error *error)
{
	ck_assert_int_eq(ftruncate(fd, (off_t)count), 0);
	ck_assert_int_eq(pwrite(fd, from, count, 0), (ssize_t)count);
	*error = (struct spe_error){ 0 };
	return digest_path(path, error);
}

static void told(struct digest d, const struct spe_error *error, size_t at)
{
	switch (d.status) {
	case SPE_END:
		return;
	case SPE_CORRUPT:
	case SPE_NOT_PERFDATA:
	case SPE_UNSUPPORTED:
	case SPE_LIMIT:
		break;
	default:
		ck_abort_msg("at %zu: status %d: %s", at, d.status, error->text);
	}
	ck_assert_int_eq(error->status, d.status);
	ck_assert_msg(strstr(error->text, path) != NULL, "%s", error->text);
}

START_TEST(test_cut_at_every_byte)
{
	struct spe_error error;
	struct digest whole;
	uint64_t before = 0, at, size;

	seed_make(_i);
	whole = read_bytes(bytes, n, &error);
	ck_assert_int_eq(whole.status, SPE_END);
	memcpy(&at, bytes + 40, 8);
	memcpy(&size, bytes + 48, 8);
	if (_i & 2)
		at = __builtin_bswap64(at), size = __builtin_bswap64(size);
	for (size_t k = 0; k < n; k++) {
		struct digest d = read_bytes(bytes, k, &error);

		told(d, &error, k);
		/* A file says how long it is; a pipe's end may be its true one. */
		if (!(_i & 1) && k < at + size)
			ck_assert_int_ne(d.status, SPE_END);
		/* The longer the file, the more comes out of it. */
		ck_assert_uint_ge(d.records, before);
		ck_assert_uint_le(d.records, whole.records);
		before = d.records;
	}
}
END_TEST

START_TEST(test_bend_every_byte)
{
	static const uint8_t bends[] = { 0xff, 0x10 };
	struct spe_error error;

	seed_make(_i);
	for (size_t k = (size_t)_i % THINNED(3); k < n; k += THINNED(3)) {
		for (size_t b = 0; b < sizeof(bends); b++) {
			bytes[k] ^= bends[b];
			told(read_bytes(bytes, n, &error), &error, k);
			bytes[k] ^= bends[b];
		}
	}
}
END_TEST

/* Sizes and offsets at the edges of their types, at every place where one may stand. */
START_TEST(test_edge_values)
{
	static const uint64_t edges[] = { 0, 0xffffffff, INT64_MAX, UINT64_MAX - 7 };
	struct spe_error error;

	seed_make(_i);
	for (size_t k = 8; k + 8 <= n; k += 8) {
		for (size_t v = 0; v < sizeof(edges) / sizeof(edges[0]); v++) {
			uint8_t kept[8];

			memcpy(kept, bytes + k, 8);
			memcpy(bytes + k, &edges[v], 8);
			told(read_bytes(bytes, n, &error), &error, k);
			memcpy(bytes + k, kept, 8);
		}
	}
}
END_TEST

/* Somebody truncates the file after it was opened: a status, not a signal. */
START_TEST(test_file_that_shrinks)
{
	struct spe_perfdata_writer *w;
	struct spe_perf_attr attrs[2];
	struct rec *r = malloc(sizeof(*r));
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	struct spe_error error;
	int status;

	ck_assert_int_eq(spe_perfdata_writer_new(seed, NULL, &w, NULL), SPE_OK);
	make_attrs(attrs);
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attrs[0]), SPE_OK);
	make_sample(r);
	for (int i = 0; i < 3000; i++)
		write_ok(w, r);
	free(r);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, NULL), SPE_OK);
	ck_assert_int_eq(spe_perfdata_open(seed, NULL, &pd, NULL), SPE_OK);
	ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_OK);
	ck_assert_int_eq(truncate(seed, 200000), 0);
	do {
		status = spe_perfdata_next(pd, &e, &error);
	} while (status == SPE_OK);
	ck_assert_int_eq(status, SPE_IO);
	ck_assert(strstr(error.text, "shorter") && strstr(error.text, seed));
	ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_IO);
	spe_perfdata_close(pd);
}
END_TEST

/* Two events that share one list of ids, a thousand times over: no more is kept than is there. */
START_TEST(test_shared_id_lists_are_refused)
{
	struct spe_error error;
	uint64_t ids_at;

	seed_make(0);
	memcpy(&ids_at, bytes + 24, 8);
	/* Both id sections span the whole file. */
	for (int i = 0; i < 2; i++) {
		uint64_t section[2] = { 0, n & ~(size_t)7 };

		memcpy(bytes + ids_at + 112 + 128 * (size_t)i, section, 16);
	}
	ck_assert_int_eq(read_bytes(bytes, n, &error).status, SPE_CORRUPT);
	ck_assert(strstr(error.text, "ids"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perfdata-damage");
	TCase *tc = tcase_create("damage");
	SRunner *runner;
	int failed, seeds = 4;

#ifdef HAVE_ZSTD
	seeds = 5;
#endif
	tcase_set_timeout(tc, 300);
	tcase_add_checked_fixture(tc, files_make, files_drop);
	tcase_add_loop_test(tc, test_cut_at_every_byte, 0, seeds);
	tcase_add_loop_test(tc, test_bend_every_byte, 0, seeds);
	tcase_add_loop_test(tc, test_edge_values, 0, seeds);
	tcase_add_test(tc, test_file_that_shrinks);
	tcase_add_test(tc, test_shared_id_lists_are_refused);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
