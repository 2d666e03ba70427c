/* SPDX-License-Identifier: GPL-2.0-only */
/* perfdata: one content in every form (pipe, compressed, directory, both byte orders). */
#include "perfdata-records.h"

#include "perfdata-digest.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static char folder[64], path[96], plain[96];

static void folder_make(void)
{
	snprintf(folder, sizeof(folder), "/tmp/spe-test-forms-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	snprintf(plain, sizeof(plain), "%s/plain.data", folder);
}

static void folder_drop(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static struct digest digest_ok(const char *name)
{
	struct spe_error error = { 0 };
	struct digest d = digest_path(name, &error);

	ck_assert_msg(d.status == SPE_END, "%s: %s", name, error.text);
	return d;
}

static void same_as_plain(struct digest d)
{
	struct digest p = digest_ok(plain);

	ck_assert_uint_eq(d.records, p.records);
	ck_assert_uint_eq(d.payload, p.payload);
	ck_assert_uint_eq(d.hash, p.hash);
}

START_TEST(test_every_form_is_the_same)
{
	make_file(plain, false, false);
	make_file(path, _i & 1, _i & 2);
	same_as_plain(digest_ok(path));
	ck_assert_uint_eq(digest_ok(plain).records, MADE_COUNT);
}
END_TEST

/* ---- pipes ---------------------------------------------------------------- */

/* Read `name` through a pipe on standard input, written so many bytes at a time. */
static struct digest digest_piped(const char *name, size_t piece, struct spe_error *error)
{
	int ends[2], saved = dup(STDIN_FILENO), status;
	struct digest d;
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (!child) {
		int fd = open(name, O_RDONLY);
		uint8_t bytes[4096];
		ssize_t n;

		close(ends[0]);
		while ((n = read(fd, bytes, piece)) > 0)
			if (write(ends[1], bytes, (size_t)n) != n)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	d = digest_path("-", error);
	dup2(saved, STDIN_FILENO);
	close(saved);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return d;
}

START_TEST(test_through_a_pipe)
{
	static const size_t pieces[] = { 1, 7, 4096 };
	struct spe_error error = { 0 };
	struct digest d;

	make_file(plain, false, false);
	make_file(path, true, _i % 2);
	d = digest_piped(path, pieces[_i / 2], &error);
	ck_assert_msg(d.status == SPE_END, "%s", error.text);
	same_as_plain(d);
	/* perf cannot take a file's form from a pipe; here it is kept, so it can be read. */
	d = digest_piped(plain, 4096, &error);
	ck_assert_msg(d.status == SPE_END, "%s", error.text);
	same_as_plain(d);
}
END_TEST

START_TEST(test_pipe_that_is_none)
{
	struct spe_error error = { 0 };
	FILE *f = fopen(path, "w");

	fputs("some other program's output", f);
	fclose(f);
	ck_assert_int_eq(digest_piped(path, 100, &error).status, SPE_NOT_PERFDATA);
	ck_assert(strstr(error.text, "standard input"));
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(digest_piped(path, 100, &error).status, SPE_NOT_PERFDATA);
	ck_assert(strstr(error.text, "empty"));
}
END_TEST

START_TEST(test_endless_device_is_refused)
{
	struct spe_perfdata *pd;
	struct spe_error error = { 0 };

	ck_assert_int_eq(spe_perfdata_open("/dev/zero", NULL, &pd, &error), SPE_NOT_PERFDATA);
}
END_TEST

START_TEST(test_standard_input_from_a_file)
{
	int saved = dup(STDIN_FILENO), fd;
	struct spe_error error = { 0 };
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	struct digest d;

	make_file(plain, false, false);
	fd = open(plain, O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	ck_assert_int_eq(spe_perfdata_open("-", NULL, &pd, &error), SPE_OK);
	/* It is mapped, not spooled: payload stands at its place in the file. */
	do {
		ck_assert_int_eq(spe_perfdata_next(pd, &e, &error), SPE_OK);
	} while (e.type != SPE_PERF_AUXTRACE);
	ck_assert_uint_eq(e.u.auxtrace.data_offset, e.file_offset + 48);
	ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
	d = digest_file(pd, &error);
	spe_perfdata_close(pd);
	dup2(saved, STDIN_FILENO);
	close(saved);
	same_as_plain(d);
}
END_TEST

START_TEST(test_pipe_payload_outlives_the_reading)
{
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	const uint8_t *data = NULL;

	make_file(path, true, false);
	ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, NULL), SPE_OK);
	while (spe_perfdata_next(pd, &e, NULL) == SPE_OK)
		if (e.type == SPE_PERF_AUXTRACE && e.u.auxtrace.size)
			data = e.u.auxtrace.data;
	ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(memcmp(data, make_trace, sizeof(make_trace)), 0);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_spool_folder)
{
	struct spe_perfdata_opts opts = { .size = sizeof(opts), .tmpdir = "/nonexistent/tmp" };
	int ends[2], saved = dup(STDIN_FILENO);
	struct spe_perfdata *pd;
	struct spe_error error;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "PERFILE2", 8), 8);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	ck_assert_int_eq(spe_perfdata_open("-", &opts, &pd, &error), SPE_IO);
	dup2(saved, STDIN_FILENO);
	close(saved);
	ck_assert(strstr(error.text, "/nonexistent/tmp") && strstr(error.text, "TMPDIR"));
}
END_TEST

/* A pipe learns its events on the way; reading it again must not learn them twice. */
START_TEST(test_pipe_header)
{
	struct spe_perfdata *pd;
	struct spe_perf_event e;

	make_file(path, true, _i);
	ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, NULL), SPE_OK);
	ck_assert(spe_perfdata_info(pd)->pipe);
	/* Known before anything is read: the header was looked at ahead. */
	ck_assert_uint_eq(spe_perfdata_attr_count(pd), 2);
	ck_assert_str_eq(spe_perfdata_attr(pd, 0)->name, "arm_spe_0/ts_enable=1/");
	for (int i = 0; i < 3; i++) {
		while (spe_perfdata_next(pd, &e, NULL) == SPE_OK)
			;
		ck_assert_uint_eq(spe_perfdata_attr_count(pd), 2);
		ck_assert_uint_eq(spe_perfdata_count(pd, SPE_PERF_HEADER_ATTR), 2);
		ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
	}
	spe_perfdata_close(pd);
}
END_TEST

/* ---- files of our own making ----------------------------------------------- */

/* The bytes of a whole file on the heap. */
static uint8_t *slurp(const char *name, size_t *n)
{
	uint8_t *bytes = malloc(1 << 20);
	FILE *f = fopen(name, "r");

	ck_assert(bytes && f);
	*n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static void spit(const char *name, const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static uint64_t word_at(const uint8_t *bytes, size_t at)
{
	uint64_t v;

	memcpy(&v, bytes + at, sizeof(v));
	return v;
}

static void word_set(uint8_t *bytes, size_t at, uint64_t v)
{
	memcpy(bytes + at, &v, sizeof(v));
}

/* A whole little-endian file without features, its data section to be replaced. */
struct parts {
	uint8_t *bytes;
	size_t n, data_at, data_bytes;
};

static struct parts parts_of(const char *name)
{
	struct parts p;

	p.bytes = slurp(name, &p.n);
	p.data_at = word_at(p.bytes, 40);
	p.data_bytes = word_at(p.bytes, 48);
	for (size_t at = 72; at < 104; at += 8)
		word_set(p.bytes, at, 0);
	return p;
}

static void write_with_data(const char *name, struct parts *p, const uint8_t *data, size_t n)
{
	uint8_t *whole = malloc(p->data_at + n + 1);

	word_set(p->bytes, 48, n);
	memcpy(whole, p->bytes, p->data_at);
	if (n)
		memcpy(whole + p->data_at, data, n);
	spit(name, whole, p->data_at + n);
	free(whole);
}

/* ---- compression ------------------------------------------------------------ */

#ifdef HAVE_ZSTD

struct packer {
	ZSTD_CStream *stream;
	uint8_t *out;
	size_t n;
	bool two; /* COMPRESSED2 */
};

static void packer_begin(struct packer *k, bool two)
{
	*k = (struct packer){ .stream = ZSTD_createCStream(), .out = malloc(1 << 21), .two = two };
	ck_assert(k->stream && k->out);
	ZSTD_initCStream(k->stream, 1);
}

static void packer_header(struct packer *k, uint32_t type, size_t size)
{
	uint16_t misc = 0, size16 = (uint16_t)size;

	ck_assert_uint_le(size, 65535);
	memcpy(k->out + k->n, &type, 4);
	memcpy(k->out + k->n + 4, &misc, 2);
	memcpy(k->out + k->n + 6, &size16, 2);
	k->n += 8;
}

/* One compressed record holding n bytes, ended by a flush as perf does. */
static void pack(struct packer *k, const uint8_t *bytes, size_t n)
{
	static uint8_t zipped[60000];
	ZSTD_inBuffer in = { bytes, n, 0 };
	ZSTD_outBuffer out = { zipped, sizeof(zipped), 0 };

	while (in.pos < in.size)
		ck_assert(!ZSTD_isError(ZSTD_compressStream(k->stream, &out, &in)));
	ck_assert_uint_eq(ZSTD_flushStream(k->stream, &out), 0);
	if (k->two) {
		size_t padded = (out.pos + 7) & ~(size_t)7;

		packer_header(k, SPE_PERF_COMPRESSED2, 16 + padded);
		word_set(k->out, k->n, out.pos);
		memset(k->out + k->n + 8 + out.pos, 0xee, padded - out.pos);
		k->n += 8;
		memcpy(k->out + k->n, zipped, out.pos);
		k->n += padded;
	} else {
		packer_header(k, SPE_PERF_COMPRESSED, 8 + out.pos);
		memcpy(k->out + k->n, zipped, out.pos);
		k->n += out.pos;
	}
}

static void packer_plain(struct packer *k, const uint8_t *bytes, size_t n)
{
	memcpy(k->out + k->n, bytes, n);
	k->n += n;
}

static void packer_end(struct packer *k)
{
	ZSTD_freeCStream(k->stream);
	free(k->out);
}

/*
 * All records of the data section, packed `piece` bytes at a time wherever that cuts;
 * AUXTRACE with its payload stays plain, as perf leaves it.
 */
static void pack_all(struct packer *k, const uint8_t *data, size_t n, size_t piece)
{
	size_t at = 0, from = 0;

	while (at < n) {
		uint32_t type;
		uint16_t size;
		size_t whole;

		memcpy(&type, data + at, 4);
		memcpy(&size, data + at + 6, 2);
		whole = size;
		if (type == SPE_PERF_AUXTRACE)
			whole += word_at(data, at + 8);
		if (type == SPE_PERF_AUXTRACE) {
			for (; from < at; from += piece)
				pack(k, data + from, piece < at - from ? piece : at - from);
			packer_plain(k, data + at, whole);
			from = at + whole;
		}
		at += whole;
	}
	for (; from < n; from += piece)
		pack(k, data + from, piece < n - from ? piece : n - from);
}

START_TEST(test_compressed)
{
	static const size_t pieces[] = { 1, 5, 8, 100, 1000, 100000 };
	struct packer k;
	struct parts p;

	make_file(plain, false, false);
	p = parts_of(plain);
	packer_begin(&k, _i / 6);
	pack_all(&k, p.bytes + p.data_at, p.data_bytes, pieces[_i % 6]);
	write_with_data(path, &p, k.out, k.n);
	same_as_plain(digest_ok(path));
	packer_end(&k);
	free(p.bytes);
}
END_TEST

START_TEST(test_compressed_places)
{
	struct packer k;
	struct parts p;
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	uint64_t last = 0;

	make_file(plain, false, false);
	p = parts_of(plain);
	packer_begin(&k, true);
	pack_all(&k, p.bytes + p.data_at, p.data_bytes, 256);
	write_with_data(path, &p, k.out, k.n);
	ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, NULL), SPE_OK);
	while (spe_perfdata_next(pd, &e, NULL) == SPE_OK) {
		ck_assert_uint_eq((uintptr_t)e.raw & 7, 0);
		ck_assert_uint_ge(e.file_offset, last);
		ck_assert_uint_ne(e.type, SPE_PERF_COMPRESSED2);
		last = e.file_offset;
	}
	ck_assert(spe_perfdata_info(pd)->compressed);
	ck_assert_uint_gt(spe_perfdata_count(pd, SPE_PERF_COMPRESSED2), 3);
	spe_perfdata_close(pd);
	packer_end(&k);
	free(p.bytes);
}
END_TEST

/* What is inside decides: damage there is told with the place of what holds it. */
static void compressed_ends(const uint8_t *inside, size_t n, int status, const char *says)
{
	struct spe_error error = { 0 };
	struct packer k;
	struct parts p = parts_of(plain);
	struct digest d;

	packer_begin(&k, false);
	pack(&k, p.bytes + p.data_at, 88); /* MMAP, whole */
	pack(&k, inside, n);
	write_with_data(path, &p, k.out, k.n);
	d = digest_path(path, &error);
	ck_assert_msg(d.status == status, "%d: %s", d.status, error.text);
	ck_assert_msg(strstr(error.text, says), "%s", error.text);
	ck_assert_uint_ge(error.offset, p.data_at);
	packer_end(&k);
	free(p.bytes);
}

START_TEST(test_compressed_damage)
{
	struct rec *r = malloc(sizeof(*r));
	uint8_t zeros[16] = { 0 };

	make_file(plain, false, false);
	compressed_ends(zeros, sizeof(zeros), SPE_CORRUPT, "damaged");
	make_auxtrace(r, 8);
	compressed_ends(r->at, r->n, SPE_UNSUPPORTED, "inside a compressed");
	rec_begin(r, SPE_PERF_COMPRESSED, 0);
	rec_end(r);
	compressed_ends(r->at, r->n, SPE_UNSUPPORTED, "inside a compressed");
	make_sample(r);
	compressed_ends(r->at, r->n - 8, SPE_CORRUPT, "end inside a record");
	compressed_ends(r->at, 3, SPE_CORRUPT, "end inside a record");
	free(r);
}
END_TEST

START_TEST(test_not_zstd_at_all)
{
	struct spe_error error = { 0 };
	struct packer k = { .out = calloc(1, 4096) };
	struct parts p;

	make_file(plain, false, false);
	p = parts_of(plain);
	packer_header(&k, SPE_PERF_COMPRESSED, 40);
	memset(k.out + 8, 'x', 32);
	k.n = 40;
	write_with_data(path, &p, k.out, 40);
	ck_assert_int_eq(digest_path(path, &error).status, SPE_CORRUPT);
	ck_assert(strstr(error.text, "unpacked"));
	packer_header(&k, SPE_PERF_COMPRESSED2, 24);
	word_set(k.out, 40 + 8, 1000); /* more than it has */
	write_with_data(path, &p, k.out + 40, 24);
	ck_assert_int_eq(digest_path(path, &error).status, SPE_CORRUPT);
	ck_assert(strstr(error.text, "states more"));
	packer_end(&k);
	free(p.bytes);
}
END_TEST

/* A few bytes that unpack to hundreds of megabytes of small, valid records. */
START_TEST(test_bomb_is_defused)
{
	size_t chunk = 1 << 20, chunks = 200 / THINNED(2);
	uint8_t *rounds = calloc(1, chunk), *zipped = malloc(1 << 20);
	struct spe_error error = { 0 };
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_outBuffer out = { zipped, 60000, 0 };
	struct packer k;
	struct parts p;
	struct digest d;

	for (size_t at = 0; at < chunk; at += 8)
		memcpy(rounds + at, "\x44\0\0\0\0\0\x08\0", 8);
	ZSTD_initCStream(stream, 19);
	for (size_t i = 0; i < chunks; i++) {
		ZSTD_inBuffer in = { rounds, chunk, 0 };

		while (in.pos < in.size)
			ck_assert(!ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
	}
	ck_assert_uint_eq(ZSTD_flushStream(stream, &out), 0);
	make_file(plain, false, false);
	p = parts_of(plain);
	packer_begin(&k, false);
	packer_header(&k, SPE_PERF_COMPRESSED, 8 + out.pos);
	packer_plain(&k, zipped, out.pos);
	write_with_data(path, &p, k.out, k.n);
	d = digest_path(path, &error);
	ck_assert_int_eq(d.status, SPE_LIMIT);
	ck_assert(strstr(error.text, "unpacks to more"));
	packer_end(&k);
	ZSTD_freeCStream(stream);
	free(p.bytes);
	free(rounds);
	free(zipped);
}
END_TEST

/* Lengthens what was packed by a skippable frame. */
static size_t pad_frame(uint8_t *bytes, size_t n, size_t to)
{
	uint32_t head[2] = { 0x184d2a50, (uint32_t)(to - n - 8) };

	memcpy(bytes + n, head, sizeof(head));
	memset(bytes + n + 8, 0, to - n - 8);
	return to;
}

/* Records of 4 MiB each: many small ones are as good as a large one. */
START_TEST(test_many_small_bombs)
{
	static const struct {
		unsigned records;
		bool padded; /* to the size that recordings have */
		int status;
	} ways[] = { { 15, false, SPE_END }, { 20, false, SPE_CORRUPT }, { 20, true, SPE_END } };
	size_t chunk = 32 << 10, chunks = 128;
	uint8_t *rounds = calloc(1, chunk), *zipped = malloc(1 << 16);
	struct spe_error error = { 0 };
	ZSTD_CStream *stream = ZSTD_createCStream();
	struct packer k;
	struct parts p;
	struct digest d;

	for (size_t at = 0; at < chunk; at += 8)
		memcpy(rounds + at, "\x44\0\0\0\0\0\x08\0", 8);
	make_file(plain, false, false);
	p = parts_of(plain);
	packer_begin(&k, false);
	for (unsigned i = 0; i < ways[_i].records; i++) {
		ZSTD_outBuffer out = { zipped, 60000, 0 };

		/* Each on its own: a frame of the stream. */
		ZSTD_initCStream(stream, 1);
		for (size_t j = 0; j < chunks; j++) {
			ZSTD_inBuffer in = { rounds, chunk, 0 };

			while (in.pos < in.size)
				ck_assert(!ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
		}
		ck_assert_uint_eq(ZSTD_endStream(stream, &out), 0);
		if (ways[_i].padded)
			out.pos = pad_frame(zipped, out.pos, 9000);
		packer_header(&k, SPE_PERF_COMPRESSED, 8 + out.pos);
		packer_plain(&k, zipped, out.pos);
	}
	write_with_data(path, &p, k.out, k.n);
	d = digest_path(path, &error);
	ck_assert_int_eq(d.status, ways[_i].status);
	ck_assert(!strstr(error.text, "unpacked to more") == (d.status == SPE_END));
	packer_end(&k);
	ZSTD_freeCStream(stream);
	free(p.bytes);
	free(rounds);
	free(zipped);
}
END_TEST

#else

START_TEST(test_without_libzstd)
{
	static const uint8_t zipped[16] = { SPE_PERF_COMPRESSED, 0, 0, 0, 0, 0, 16, 0 };
	struct spe_error error = { 0 };
	struct parts p;

	make_file(plain, false, false);
	p = parts_of(plain);
	write_with_data(path, &p, zipped, sizeof(zipped));
	ck_assert_int_eq(digest_path(path, &error).status, SPE_UNSUPPORTED);
	ck_assert(strstr(error.text, "libzstd"));
	free(p.bytes);
}
END_TEST

#endif

/* ---- directories -------------------------------------------------------------- */

/* Offset of the n-th record from `at` on, payloads stepped over. */
static size_t record_at(const uint8_t *data, size_t bytes, size_t at, size_t n)
{
	while (n-- && at < bytes) {
		uint32_t type;
		uint16_t size;

		memcpy(&type, data + at, 4);
		memcpy(&size, data + at + 6, 2);
		if (type == SPE_PERF_AUXTRACE)
			at += word_at(data, at + 8);
		at += size;
	}
	return at;
}

static void member(char *name, size_t room, const char *what)
{
	snprintf(name, room, "%s/rec/%s", folder, what);
}

/* The records dealt out in order to data, data.0, data.2, data.10. */
static void make_directory(bool zipped)
{
	static const char *const names[] = { "data.0", "data.2", "data.10" };
	struct parts p = parts_of(plain);
	uint8_t *data = p.bytes + p.data_at;
	size_t n = p.data_bytes, at = record_at(data, n, 0, 9);
	char name[128];

	snprintf(name, sizeof(name), "%s/rec", folder);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	for (size_t i = 0; i < 3; i++) {
		size_t to = i < 2 ? record_at(data, n, at, 10) : n;

		member(name, sizeof(name), names[i]);
#ifdef HAVE_ZSTD
		if (zipped) {
			struct packer k;

			packer_begin(&k, false);
			pack_all(&k, data + at, to - at, 50);
			spit(name, k.out, k.n);
			packer_end(&k);
		} else
#endif
			spit(name, data + at, to - at);
		(void)zipped;
		at = to;
	}
	member(name, sizeof(name), "data");
	write_with_data(name, &p, data, record_at(data, n, 0, 9));
	member(name, sizeof(name), "data.old"); /* not ours */
	spit(name, (const uint8_t *)"x", 1);
	free(p.bytes);
}

START_TEST(test_directory)
{
	static const uint32_t index_of[] = { 0, 1, 3, 11 };
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	char name[128];
	size_t turn = 0;

	make_file(plain, false, false);
	make_directory(_i);
	snprintf(name, sizeof(name), "%s/rec/", folder);
	same_as_plain(digest_ok(name));
	ck_assert_int_eq(spe_perfdata_open(name, NULL, &pd, NULL), SPE_OK);
	ck_assert(spe_perfdata_info(pd)->directory);
	while (spe_perfdata_next(pd, &e, NULL) == SPE_OK) {
		while (e.file_index != index_of[turn])
			ck_assert_uint_lt(++turn, 4);
		if (e.type == SPE_PERF_AUXTRACE && !_i)
			ck_assert_uint_eq(e.u.auxtrace.data_offset, e.file_offset + 48);
	}
	ck_assert_uint_eq(turn, 3);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_directory_damage)
{
	struct spe_error error = { 0 };
	struct digest d;
	char name[128];

	make_file(plain, false, false);
	make_directory(false);
	member(name, sizeof(name), "data.2");
	ck_assert_int_eq(truncate(name, 20), 0);
	snprintf(name, sizeof(name), "%s/rec", folder);
	d = digest_path(name, &error);
	ck_assert_int_eq(d.status, SPE_CORRUPT);
	ck_assert(strstr(error.text, "data.2"));
	ck_assert_uint_eq(d.records, 19);
	member(name, sizeof(name), "data.7");
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	snprintf(name, sizeof(name), "%s/rec", folder);
	ck_assert_int_eq(digest_path(name, &error).status, SPE_NOT_PERFDATA);
	ck_assert(strstr(error.text, "data.7"));
	ck_assert_int_eq(digest_path("/tmp", &error).status, SPE_NOT_PERFDATA);
	ck_assert(strstr(error.text, "directory"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perfdata-forms");
	TCase *tc = tcase_create("forms");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, folder_make, folder_drop);
	tcase_add_loop_test(tc, test_every_form_is_the_same, 0, 4);
	tcase_add_loop_test(tc, test_through_a_pipe, 0, 6);
	tcase_add_test(tc, test_pipe_that_is_none);
	tcase_add_test(tc, test_endless_device_is_refused);
	tcase_add_test(tc, test_standard_input_from_a_file);
	tcase_add_test(tc, test_pipe_payload_outlives_the_reading);
	tcase_add_test(tc, test_spool_folder);
	tcase_add_loop_test(tc, test_pipe_header, 0, 2);
#ifdef HAVE_ZSTD
	tcase_add_loop_test(tc, test_compressed, 0, 12);
	tcase_add_test(tc, test_compressed_places);
	tcase_add_test(tc, test_compressed_damage);
	tcase_add_test(tc, test_not_zstd_at_all);
	tcase_add_test(tc, test_bomb_is_defused);
	tcase_add_loop_test(tc, test_many_small_bombs, 0, 3);
	tcase_add_loop_test(tc, test_directory, 0, 2);
#else
	tcase_add_test(tc, test_without_libzstd);
	tcase_add_test(tc, test_directory);
#endif
	tcase_add_test(tc, test_directory_damage);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
