/* SPDX-License-Identifier: GPL-2.0-only */
/* perfdata: what the writer wrote is what the reader reads, in every form. */
#include "perfdata-records.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

static char folder[64], path[96];

static void folder_make(void)
{
	snprintf(folder, sizeof(folder), "/tmp/spe-test-writer-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf.data", folder);
}

static void folder_drop(void)
{
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0); /* so nothing else is left in it */
}

static struct spe_perfdata *open_ok(const char *name)
{
	struct spe_perfdata *pd = NULL;
	struct spe_error error = { 0 };

	ck_assert_msg(spe_perfdata_open(name, NULL, &pd, &error) == SPE_OK, "%s", error.text);
	return pd;
}

/* ---- round trips --------------------------------------------------------- */

static const struct {
	bool pipe, big_endian;
} forms[] = { { false, false }, { true, false }, { false, true }, { true, true } };

static bool describes_the_file(uint32_t type)
{
	return type == SPE_PERF_HEADER_ATTR || type == SPE_PERF_HEADER_FEATURE ||
	       type == SPE_PERF_EVENT_UPDATE;
}

/* The next record that was written as one, not as part of a pipe's header. */
static int next_written(struct spe_perfdata *pd, struct spe_perf_event *event,
			struct spe_error *error)
{
	int status;

	do {
		status = spe_perfdata_next(pd, event, error);
	} while (!status && describes_the_file(event->type));
	return status;
}

static void next_is(struct spe_perfdata *pd, const struct rec *r, struct spe_perf_event *e)
{
	struct spe_error error = { 0 };

	ck_assert_msg(next_written(pd, e, &error) == SPE_OK, "%s", error.text);
	ck_assert_uint_eq(e->size, r->n);
	ck_assert_uint_eq((uintptr_t)e->raw & 7, 0);
	for (size_t i = 0; i < r->n; i++)
		ck_assert_msg(e->raw[i] == r->at[i], "type %u, byte %zu", e->type, i);
}

static void check_trailer(const struct spe_perf_event *e, uint32_t number)
{
	ck_assert_uint_eq(e->id.present, SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_CPU |
						 SPE_SAMPLE_ID | SPE_SAMPLE_STREAM_ID);
	ck_assert_int_eq(e->id.pid, 1000 + (int)number);
	ck_assert_int_eq(e->id.tid, 2000 + (int)number);
	ck_assert_uint_eq(e->id.time_ns, 0x1122334455660000 + number);
	ck_assert_uint_eq(e->id.stream_id, 500 + number);
	ck_assert_uint_eq(e->id.cpu, number);
}

static void check_sample(const struct spe_perf_event *e)
{
	ck_assert_int_eq(e->attr_index, 0);
	ck_assert_uint_eq(e->id.id, make_ids[0][1]);
	ck_assert_int_eq(e->id.pid, 31);
	ck_assert_int_eq(e->id.tid, 32);
	ck_assert_uint_eq(e->id.time_ns, 33333);
	ck_assert_uint_eq(e->id.cpu, 35);
	ck_assert_uint_eq(e->u.sample.ip, 0xffff800010101010);
	ck_assert_uint_eq(e->u.sample.addr, 0xaaaabbbb);
	ck_assert_uint_eq(e->u.sample.period, 36);
	ck_assert_uint_eq(e->u.sample.raw_bytes, 12);
	ck_assert_int_eq(memcmp(e->u.sample.raw_data, "twelve bytes", 12), 0);
	ck_assert_uint_eq(e->u.sample.weight, 0x0001000200000003);
	ck_assert_uint_eq(e->u.sample.data_src, 0x68100142);
	ck_assert_uint_eq(e->u.sample.phys_addr, 0x777000);
}

static void check_mmap2(const struct spe_perf_event *e, bool build_id)
{
	ck_assert_int_eq(e->u.mmap.pid, 100);
	ck_assert_int_eq(e->u.mmap.tid, 101);
	ck_assert_uint_eq(e->u.mmap.addr, 0x400000);
	ck_assert_uint_eq(e->u.mmap.len, 0x1000);
	ck_assert_uint_eq(e->u.mmap.pgoff, 0x2000);
	ck_assert_uint_eq(e->u.mmap.prot, 5);
	ck_assert_uint_eq(e->u.mmap.flags, 2);
	ck_assert_str_eq(e->u.mmap.filename, "/bin/al");
	if (build_id) {
		ck_assert_uint_eq(e->u.mmap.build_id_bytes, 20);
		ck_assert_int_eq(memcmp(e->u.mmap.build_id, "twenty bytes here!!!", 20), 0);
	} else {
		ck_assert_uint_eq(e->u.mmap.build_id_bytes, 0);
		ck_assert_uint_eq(e->u.mmap.maj, 8);
		ck_assert_uint_eq(e->u.mmap.ino, 1234567);
		ck_assert_uint_eq(e->u.mmap.ino_generation, 89);
	}
}

static void check_shaped(struct spe_perfdata *pd, struct rec *r)
{
	struct spe_perf_event e;

	make_namespaces(r);
	next_is(pd, r, &e);
	ck_assert_uint_eq(e.u.namespaces.count, 7);
	ck_assert_uint_eq(e.u.namespaces.dev_ino[7], 0xf0000007);
	check_trailer(&e, 40);
	make_ksymbol(r);
	next_is(pd, r, &e);
	make_thread_map(r);
	next_is(pd, r, &e);
	ck_assert_uint_eq(e.u.thread_map.count, 2);
	ck_assert_str_eq((const char *)e.u.thread_map.entries + 24 + 8, "name-of-301");
	make_id_index(r);
	next_is(pd, r, &e);
	ck_assert_uint_eq(e.u.id_index.entries[7], 0x1007);
	make_build_id(r);
	next_is(pd, r, &e);
	ck_assert_int_eq(e.u.build_id.pid, -1);
	ck_assert_uint_eq(e.u.build_id.build_id_bytes, 16);
	ck_assert_str_eq(e.u.build_id.filename, "/lib/x.so");
	for (uint16_t kind = 0; kind < 4; kind++) {
		make_cpu_map(r, kind);
		next_is(pd, r, &e);
	}
	make_auxtrace_error(r);
	next_is(pd, r, &e);
	make_stat(r);
	next_is(pd, r, &e);
}

static void check_all(struct spe_perfdata *pd)
{
	struct rec *r = malloc(sizeof(*r));
	struct spe_perf_event e;
	struct spe_error error;
	uint32_t number = 0;

	ck_assert_ptr_nonnull(r);
	for (size_t i = 0; i < sizeof(made_plain) / sizeof(made_plain[0]); i++, number++) {
		make_plain(r, &made_plain[i], number);
		next_is(pd, r, &e);
		if (!made_plain[i].kernel)
			continue;
		check_trailer(&e, number);
		ck_assert_int_eq(e.attr_index, (int)number % 2);
	}
	make_auxtrace(r, sizeof(make_trace));
	next_is(pd, r, &e);
	ck_assert_uint_eq(e.u.auxtrace.data_bytes, sizeof(make_trace));
	ck_assert_int_eq(memcmp(e.u.auxtrace.data, make_trace, sizeof(make_trace)), 0);
	make_sample(r);
	next_is(pd, r, &e);
	check_sample(&e);
	for (int build_id = 0; build_id < 2; build_id++) {
		make_mmap2(r, build_id, number);
		next_is(pd, r, &e);
		check_mmap2(&e, build_id);
		check_trailer(&e, number++);
	}
	check_shaped(pd, r);
	make_auxtrace(r, 0);
	next_is(pd, r, &e);
	ck_assert_int_eq(next_written(pd, &e, &error), SPE_END);
	free(r);
}

static void check_attrs(struct spe_perfdata *pd)
{
	struct spe_perf_attr made[2];

	make_attrs(made);
	ck_assert_uint_eq(spe_perfdata_attr_count(pd), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct spe_perf_attr *a = spe_perfdata_attr(pd, i);

		ck_assert_uint_eq(a->type, made[i].type);
		ck_assert_uint_eq(a->attr_size, 112);
		ck_assert_uint_eq(a->config, made[i].config);
		ck_assert_uint_eq(a->config1, made[i].config1);
		ck_assert_uint_eq(a->config2, made[i].config2);
		ck_assert_uint_eq(a->sample_period, made[i].sample_period);
		ck_assert_uint_eq(a->sample_type, made[i].sample_type);
		ck_assert_uint_eq(a->read_format, made[i].read_format);
		ck_assert_uint_eq(a->flags, made[i].flags);
		ck_assert_uint_eq(a->branch_sample_type, made[i].branch_sample_type);
		ck_assert_int_eq(a->clockid, made[i].clockid);
		ck_assert_str_eq(a->name, made[i].name);
		ck_assert_uint_eq(a->id_count, 3);
		ck_assert_int_eq(memcmp(a->ids, make_ids[i], sizeof(make_ids[i])), 0);
		if (made[i].raw) /* what has no field of its own came through */
			ck_assert_int_eq(memcmp(a->raw + 96, made[i].raw + 96, 16), 0);
	}
}

START_TEST(test_round_trip)
{
	struct spe_perfdata *pd;

	make_file(path, forms[_i].pipe, forms[_i].big_endian);
	pd = open_ok(path);
	ck_assert_int_eq(spe_perfdata_info(pd)->pipe, forms[_i].pipe);
	ck_assert_int_eq(spe_perfdata_info(pd)->big_endian, forms[_i].big_endian);
	check_attrs(pd);
	check_all(pd);
	ck_assert_int_eq(spe_perfdata_rewind(pd), SPE_OK);
	check_all(pd);
	ck_assert_uint_eq(spe_perfdata_attr_count(pd), 2);
	ck_assert_uint_eq(spe_perfdata_info(pd)->records_skipped, 0);
	spe_perfdata_close(pd);
}
END_TEST

/* ---- the bytes themselves ------------------------------------------------- */

static size_t slurp(uint8_t *bytes, size_t room)
{
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(bytes, 1, room, f);
	fclose(f);
	return n;
}

/* Big-endian files by their bytes, so that two wrongs cannot make a right. */
START_TEST(test_big_endian_bytes)
{
	struct spe_perfdata_writer_opts opts = { .size = sizeof(opts), .big_endian = true };
	struct spe_perfdata_writer *w;
	struct spe_perf_attr attrs[2];
	struct rec *r = malloc(sizeof(*r));
	uint8_t b[2048];
	const uint8_t *data;

	ck_assert_int_eq(spe_perfdata_writer_new(path, &opts, &w, NULL), SPE_OK);
	make_attrs(attrs);
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attrs[0]), SPE_OK);
	rec_begin(r, SPE_PERF_COMM, 0x2001);
	rec32(r, 0x01020304);
	rec32(r, 0x05060708);
	rec_bytes(r, "abcdefg\0", 8);
	rec_trailer(r, 1, 101);
	write_ok(w, r);
	make_cpu_map(r, 1);
	write_ok(w, r);
	make_cpu_map(r, 3);
	write_ok(w, r);
	make_auxtrace_error(r);
	write_ok(w, r);
	free(r);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, NULL), SPE_OK);
	ck_assert_uint_ge(slurp(b, sizeof(b)), 104 + 24 + 128 + 64);
	ck_assert_int_eq(memcmp(b, "2ELIFREP\0\0\0\0\0\0\0\x68\0\0\0\0\0\0\0\x80", 24), 0);
	ck_assert_int_eq(memcmp(b + 104, "\0\0\0\0\0\0\0\x65", 8), 0); /* id 101 */
	/* The attr: type, size, config; the flags by bit from the top of each byte. */
	ck_assert_int_eq(memcmp(b + 128, "\0\0\0\x09\0\0\0\x70\0\0\0\3\0\0\0\1", 16), 0);
	ck_assert_int_eq(memcmp(b + 168, "\x04\0\x20\x40\x20\0\0\0", 8), 0);
	data = b + 104 + 24 + 128;
	ck_assert_int_eq(memcmp(data,
				"\0\0\0\3\x20\1\0\x40\1\2\3\4\5\6\7\x08"
				"abcdefg\0\0\0\x03\xe9\0\0\x07\xd1",
				32),
			 0);
	data += 64;
	ck_assert_int_eq(memcmp(data + 8, "\0\1\0\1\0\x08\0\0\0\0\1\2\3\4\5\6\7\x08", 18), 0);
	data += 32;
	ck_assert_int_eq(memcmp(data + 8, "\0\1\0\2\0\4\1\2\3\4\5\6\7\x08", 14), 0);
	data += 24;
	ck_assert_int_eq(memcmp(data + 24, "\0\0\0\5\0\0\0\2\0\0\0\0\0\x40\1\x23", 16), 0);
	ck_assert_int_eq(memcmp(data + 48, "a message", 9), 0);
	ck_assert_int_eq(memcmp(data + 112, "\0\0\0\7\0\0\0\x08", 8), 0);
}
END_TEST

/* Attrs of different sizes become one size: some readers step by the header's, some by each. */
START_TEST(test_attrs_share_the_largest_size)
{
	struct spe_perfdata_writer *w;
	struct spe_perf_attr attr = { .type = 1, .attr_size = 64, .config3 = 7 };
	struct spe_perfdata *pd;

	ck_assert_int_eq(spe_perfdata_writer_new(path, NULL, &w, NULL), SPE_OK);
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attr), SPE_OK);
	attr.attr_size = 136;
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attr), SPE_OK);
	attr.attr_size = 60;
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attr), SPE_INVALID);
	attr.attr_size = 0; /* what every perf reads */
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attr), SPE_OK);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, NULL), SPE_OK);
	pd = open_ok(path);
	ck_assert_uint_eq(spe_perfdata_attr_count(pd), 3);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 0)->attr_size, 136);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 0)->config3, 0);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 1)->config3, 7);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 2)->attr_size, 136);
	spe_perfdata_close(pd);
}
END_TEST

static void feature_string(struct rec *r, const char *text)
{
	char padded[64] = { 0 };

	snprintf(padded, sizeof(padded), "%s", text);
	rec32(r, sizeof(padded));
	rec_bytes(r, padded, sizeof(padded));
}

START_TEST(test_features)
{
	struct spe_perfdata_writer_opts opts = { .size = sizeof(opts), .pipe = _i };
	struct spe_perfdata_writer *w;
	struct rec *r = malloc(sizeof(*r));
	const struct spe_perfdata_info *info;
	struct spe_perfdata *pd;
	const uint8_t *bytes;
	size_t n;

	ck_assert_int_eq(spe_perfdata_writer_new(path, &opts, &w, NULL), SPE_OK);
	r->n = 0;
	feature_string(r, "a-host");
	ck_assert_int_eq(spe_perfdata_writer_feature(w, SPE_FEAT_HOSTNAME, r->at, r->n), SPE_OK);
	r->n = 0;
	rec32(r, 3);
	feature_string(r, "perf");
	feature_string(r, "record");
	feature_string(r, "-a");
	ck_assert_int_eq(spe_perfdata_writer_feature(w, SPE_FEAT_CMDLINE, r->at, r->n), SPE_OK);
	r->n = 0;
	rec32(r, 4);
	rec32(r, 2);
	ck_assert_int_eq(spe_perfdata_writer_feature(w, SPE_FEAT_NRCPUS, r->at, r->n), SPE_OK);
	r->n = 0;
	rec32(r, 2);
	rec32(r, 1);
	feature_string(r, "software");
	rec32(r, 9);
	feature_string(r, "arm_spe_0");
	ck_assert_int_eq(spe_perfdata_writer_feature(w, SPE_FEAT_PMU_MAPPINGS, r->at, r->n),
			 SPE_OK);
	ck_assert_int_eq(spe_perfdata_writer_feature(w, 0, r->at, r->n), SPE_INVALID);
	ck_assert_int_eq(spe_perfdata_writer_feature(w, 256, r->at, r->n), SPE_INVALID);
	ck_assert_int_eq(spe_perfdata_writer_feature(w, 31, (const uint8_t *)"odd", 3), SPE_OK);
	rec_begin(r, SPE_PERF_FINISHED_ROUND, 0);
	rec_end(r);
	write_ok(w, r);
	free(r);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, NULL), SPE_OK);
	pd = open_ok(path);
	info = spe_perfdata_info(pd);
	ck_assert_str_eq(info->hostname, "a-host");
	ck_assert_str_eq(info->cmdline, "perf record -a");
	ck_assert_str_eq(info->arch, "");
	ck_assert_uint_eq(info->cpus_available, 4);
	ck_assert_uint_eq(info->cpus_online, 2);
	ck_assert_str_eq(spe_perfdata_pmu_name(pd, 9), "arm_spe_0");
	ck_assert_ptr_null(spe_perfdata_pmu_name(pd, 2));
	ck_assert_int_eq(spe_perfdata_feature(pd, 31, &bytes, &n), SPE_OK);
	ck_assert_uint_eq(n, 3); /* in a pipe too: perf takes what follows for more of it */
	ck_assert_int_eq(memcmp(bytes, "odd", 3), 0);
	ck_assert_int_eq(spe_perfdata_feature(pd, 30, &bytes, &n), SPE_NOT_FOUND);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(test_auxtrace_index)
{
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	const uint8_t *bytes;
	uint64_t words[5];
	int found = 0;
	size_t n;

	make_file(path, false, false);
	pd = open_ok(path);
	ck_assert_int_eq(spe_perfdata_feature(pd, SPE_FEAT_AUXTRACE, &bytes, &n), SPE_OK);
	ck_assert_uint_eq(n, sizeof(words));
	memcpy(words, bytes, sizeof(words));
	ck_assert_uint_eq(words[0], 2);
	while (spe_perfdata_next(pd, &e, NULL) == SPE_OK) {
		if (e.type != SPE_PERF_AUXTRACE)
			continue;
		ck_assert_uint_eq(words[1 + 2 * found], e.file_offset);
		ck_assert_uint_eq(words[2 + 2 * found], 48);
		found++;
	}
	ck_assert_int_eq(found, 2);
	spe_perfdata_close(pd);
}
END_TEST

/* ---- files ---------------------------------------------------------------- */

static int names_in_folder(void)
{
	DIR *d = opendir(folder);
	int count = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count - 2;
}

START_TEST(test_appears_only_when_finished)
{
	struct spe_perfdata_writer *w;
	struct stat st;
	FILE *f = fopen(path, "w");

	fputs("what was here before", f);
	fclose(f);
	chmod(path, 0644);
	ck_assert_int_eq(spe_perfdata_writer_new(path, NULL, &w, NULL), SPE_OK);
	make_all(w);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 20);
	spe_perfdata_writer_abort(w);
	ck_assert_int_eq(names_in_folder(), 1);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 20);
	make_file(path, false, false);
	ck_assert_int_eq(names_in_folder(), 1);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_gt(st.st_size, 1000);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(test_follows_a_link_to_the_file)
{
	char link_path[96];
	struct stat st;

	make_file(path, false, false);
	ck_assert_int_eq(truncate(path, 10), 0);
	snprintf(link_path, sizeof(link_path), "%s/link", folder);
	ck_assert_int_eq(symlink("perf.data", link_path), 0);
	make_file(link_path, false, false);
	ck_assert_int_eq(lstat(link_path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert_int_gt(st.st_size, 1000);
	unlink(link_path);
}
END_TEST

START_TEST(test_refuses_bad_places)
{
	struct spe_perfdata_writer *w = (void *)1;
	struct spe_error error;

	ck_assert_int_eq(spe_perfdata_writer_new("/nonexistent/x/y", NULL, &w, &error), SPE_IO);
	ck_assert_ptr_null(w);
	ck_assert(strstr(error.text, "/nonexistent/x/y"));
	ck_assert_int_eq(spe_perfdata_writer_new(folder, NULL, &w, &error), SPE_IO);
	ck_assert(strstr(error.text, "irectory"));
}
END_TEST

START_TEST(test_full_disk_says_so)
{
	struct spe_perfdata_writer *w;
	struct spe_error error;

	if (access("/dev/full", W_OK))
		return;
	ck_assert_int_eq(spe_perfdata_writer_new("/dev/full", NULL, &w, &error), SPE_OK);
	make_all(w);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, &error), SPE_IO);
	ck_assert(strstr(error.text, "No space left"));
	ck_assert(strstr(error.text, "/dev/full"));
}
END_TEST

START_TEST(test_reader_that_went_away)
{
	struct spe_perfdata_writer *w;
	struct rec *r = malloc(sizeof(*r));
	struct spe_error error;
	int ends[2], status, saved = dup(STDOUT_FILENO);

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
	close(ends[1]);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	status = spe_perfdata_writer_new("-", NULL, &w, &error);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	ck_assert_int_eq(status, SPE_OK);
	make_sample(r);
	for (int i = 0; i < 100000 && status == SPE_OK; i++)
		status = spe_perfdata_writer_records(w, r->at, r->n, &error);
	free(r);
	ck_assert_int_eq(status, SPE_CLOSED);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, &error), SPE_CLOSED);
}
END_TEST

START_TEST(test_a_caller_s_mistakes)
{
	struct spe_perfdata_writer *w;
	struct spe_perf_attr attrs[2];
	struct rec *r = malloc(sizeof(*r));
	struct spe_error error;

	make_attrs(attrs);
	ck_assert_int_eq(spe_perfdata_writer_new(path, NULL, &w, NULL), SPE_OK);
	make_auxtrace(r, 16);
	ck_assert_int_eq(spe_perfdata_writer_auxtrace(w, r->at, r->n, make_trace, 8, &error),
			 SPE_INVALID);
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attrs[0]), SPE_INVALID); /* too late */
	spe_perfdata_writer_abort(w);
	spe_perfdata_writer_abort(NULL);
	free(r);
}
END_TEST

/* ---- stock perf ------------------------------------------------------------ */

/* Only what any perf knows: it gives up at the first thing it does not. */
static void make_for_perf(bool pipe, bool big_endian)
{
	struct spe_perfdata_writer_opts opts = { .size = sizeof(opts),
						 .pipe = pipe,
						 .big_endian = big_endian };
	struct spe_perfdata_writer *w;
	struct spe_perf_attr attrs[2];
	struct rec *r = malloc(sizeof(*r));
	uint32_t number = 0;

	ck_assert_int_eq(spe_perfdata_writer_new(path, &opts, &w, NULL), SPE_OK);
	make_attrs(attrs);
	for (int i = 0; i < 2; i++) {
		attrs[i].attr_size = 128;
		attrs[i].sample_type = MAKE_TRAILER_TYPE;
		attrs[i].read_format = 0;
		ck_assert_int_eq(spe_perfdata_writer_attr(w, &attrs[i]), SPE_OK);
	}
	for (size_t i = 0; i < sizeof(made_plain) / sizeof(made_plain[0]); i++) {
		if (made_plain[i].type != SPE_PERF_FORK && made_plain[i].type != SPE_PERF_COMM &&
		    made_plain[i].type != SPE_PERF_SWITCH)
			continue;
		make_plain(r, &made_plain[i], number++);
		write_ok(w, r);
	}
	for (int build_id = 0; build_id < 2; build_id++) {
		make_mmap2(r, build_id, number++);
		write_ok(w, r);
	}
	free(r);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, NULL), SPE_OK);
}

START_TEST(test_stock_perf_reads_it)
{
	static const char *const lines[] = {
		"PERF_RECORD_COMM exec: a-name:16909056/168496128",
		"PERF_RECORD_FORK(16909057:16909057):(168496128:168496129)",
		"PERF_RECORD_SWITCH OUT",
		"PERF_RECORD_MMAP2 100/101: [0x400000(0x1000) @ 0x2000 08:01 1234567 89]: ",
		"PERF_RECORD_MMAP2 100/101: [0x400000(0x1000) @ 0x2000 "
		"<7477656e74792062797465732068657265212121>]: ",
	};
	unsigned seen = 0;
	char command[256], line[1024];
	FILE *f;

	if (system("perf --version >/dev/null 2>&1"))
		return; /* not installed */
	if (forms[_i].pipe && forms[_i].big_endian)
		return; /* perf 6.1 does not swap the number of a feature */
	make_for_perf(forms[_i].pipe, forms[_i].big_endian);
	snprintf(command, sizeof(command), "cat %s | perf report -D -i %s 2>&1", path,
		 forms[_i].pipe ? "-" : path);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		if (getenv("SPE_TEST_SHOW"))
			fputs(line, stderr);
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if (strstr(line, lines[i]))
				seen |= 1u << i;
	}
	pclose(f);
	ck_assert_uint_eq(seen, 0x1f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perfdata-writer");
	TCase *tc = tcase_create("writer");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, folder_make, folder_drop);
	tcase_add_loop_test(tc, test_round_trip, 0, 4);
	tcase_add_test(tc, test_big_endian_bytes);
	tcase_add_test(tc, test_attrs_share_the_largest_size);
	tcase_add_loop_test(tc, test_features, 0, 2);
	tcase_add_test(tc, test_auxtrace_index);
	tcase_add_test(tc, test_appears_only_when_finished);
	tcase_add_test(tc, test_follows_a_link_to_the_file);
	tcase_add_test(tc, test_refuses_bad_places);
	tcase_add_test(tc, test_full_disk_says_so);
	tcase_add_test(tc, test_reader_that_went_away);
	tcase_add_test(tc, test_a_caller_s_mistakes);
	tcase_add_loop_test(tc, test_stock_perf_reads_it, 0, 4);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
