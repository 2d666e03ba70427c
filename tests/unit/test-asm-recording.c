/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole perf.data files that spe-asm makes, read back by the library in every form. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perf-arm-spe/perfdata.h>

#include "../../tools/spe-asm/generate.h"
#include "../../tools/spe-asm/program.h"
#include "../../tools/spe-asm/strip.h"

static char folder[64], path[128], other_path[128];

static const char text[] = "file cpus=2 switches=yes\n"
			   "core 0 midr=0x410fd490\n"
			   "core 1 midr=0x411fd0c0 spe=no\n"
			   "clock shift=10 mult=40960 zero=1000\n"
			   "process 100 alpha\n"
			   "mmap2 100 0x400000 0x1000 /bin/alpha ino=77\n"
			   "mmap -1/0 0xffff800008000000 0x1000 [kernel] kernel\n"
			   "thread 100/101 \"a b\"\n"
			   "time 1ms\n"
			   "cpu 1\n"
			   "run 100/101\n"
			   "record pc=0x400100 count=3 every=1us\n"
			   "comm 100 beta exec\n"
			   "namespaces 100 pid=0x1234\n"
			   "lost 5\n"
			   "itrace-start 100/101\n"
			   "flush flags=truncated,partial\n"
			   "gap 4096\n"
			   "record pc=0x400200\n"
			   "exit 100/101 time=2ms\n"
			   "round\n";

static void make(const char *source, const char *settings)
{
	assemble(&(struct assembly){ .name = "test",
				     .text = source,
				     .n = strlen(source),
				     .settings = settings,
				     .path = path,
				     .cpu = -1 });
}

/* What a file says, one line a record, as far as it must not depend on the form. */
static void tell(const char *file, struct buffer *out)
{
	struct spe_perfdata_opts opts = { .size = sizeof(opts) };
	struct spe_error error = { 0 };
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	int status;

	status = spe_perfdata_open(file, &opts, &pd, &error);
	ck_assert_msg(status == SPE_OK, "%s", error.text);
	while ((status = spe_perfdata_next(pd, &e, &error)) == SPE_OK) {
		if (e.type >= SPE_PERF_HEADER_ATTR && e.type != SPE_PERF_AUXTRACE)
			continue;
		buffer_printf(out, "%u misc %x %d/%d at %llu on %u:", e.type, e.misc, e.id.pid,
			      e.id.tid, (unsigned long long)e.id.time_ns, e.id.cpu);
		if (e.type == SPE_PERF_COMM)
			buffer_printf(out, " %d/%d %s", e.u.comm.pid, e.u.comm.tid, e.u.comm.comm);
		if (e.type == SPE_PERF_FORK || e.type == SPE_PERF_EXIT)
			buffer_printf(out, " %d/%d of %d/%d", e.u.task.pid, e.u.task.tid,
				      e.u.task.ppid, e.u.task.ptid);
		if (e.type == SPE_PERF_MMAP || e.type == SPE_PERF_MMAP2)
			buffer_printf(out, " %llx+%llx %llu %s", (unsigned long long)e.u.mmap.addr,
				      (unsigned long long)e.u.mmap.len,
				      (unsigned long long)e.u.mmap.ino, e.u.mmap.filename);
		if (e.type == SPE_PERF_SWITCH_CPU_WIDE)
			buffer_printf(out, " %s %d/%d", e.u.sw.out ? "to" : "from",
				      e.u.sw.next_prev_pid, e.u.sw.next_prev_tid);
		if (e.type == SPE_PERF_LOST)
			buffer_printf(out, " %llu", (unsigned long long)e.u.lost.lost);
		if (e.type == SPE_PERF_AUX)
			buffer_printf(out, " %llu+%llu %llu", (unsigned long long)e.u.aux.offset,
				      (unsigned long long)e.u.aux.size,
				      (unsigned long long)e.u.aux.flags);
		if (e.type == SPE_PERF_AUXTRACE) {
			buffer_printf(out, " %llu+%llu cpu %d tid %d",
				      (unsigned long long)e.u.auxtrace.offset,
				      (unsigned long long)e.u.auxtrace.size, e.u.auxtrace.cpu,
				      e.u.auxtrace.tid);
			for (size_t i = 0; i < e.u.auxtrace.size; i++)
				buffer_printf(out, " %02x", e.u.auxtrace.data[i]);
		}
		buffer_printf(out, "\n");
	}
	ck_assert_msg(status == SPE_END, "%s", error.text);
	spe_perfdata_close(pd);
	buffer_u8(out, 0);
}

static const char expected_head[] = "7 misc 0 0/0 at 0 on 0: 100/100 of 1/1\n"
				    "3 misc 0 0/0 at 0 on 0: 100/100 alpha\n"
				    "10 misc 2 0/0 at 0 on 0: 400000+1000 77 /bin/alpha\n"
				    "1 misc 1 0/0 at 0 on 0: ffff800008000000+1000 0 [kernel]\n"
				    "7 misc 0 0/0 at 0 on 0: 100/101 of 100/100\n"
				    "3 misc 0 0/0 at 0 on 0: 100/101 a b\n"
				    "15 misc 2000 0/0 at 1000000 on 1: to 100/101\n"
				    "15 misc 0 100/101 at 1000000 on 1: from 0/0\n"
				    "3 misc 2000 100/100 at 1003000 on 1: 100/100 beta\n"
				    "16 misc 0 100/100 at 1003000 on 1:\n"
				    "2 misc 0 100/101 at 1003000 on 1: 5\n"
				    "12 misc 0 100/101 at 1003000 on 1:\n"
				    "11 misc 0 100/101 at 1003000 on 1: 0+192 5\n"
				    "71 misc 0 0/0 at 0 on 0: 0+192 cpu 1 tid -1 b0 00 01 40 ";

static const char expected_tail_exit[] =
	"4 misc 0 100/101 at 2000000 on 1: 100/101 of 100/100\n"
	"11 misc 0 100/101 at 2000000 on 1: 4288+64 0\n"
	"71 misc 0 0/0 at 0 on 0: 4288+64 cpu 1 tid -1 b0 00 02 40 ";

START_TEST(records_are_as_written)
{
	struct buffer got = { 0 };

	make(text, NULL);
	tell(path, &got);
	ck_assert_msg(!strncmp((char *)got.bytes, expected_head, strlen(expected_head)), "%s",
		      (char *)got.bytes);
	ck_assert_msg(strstr((char *)got.bytes, expected_tail_exit), "%s", (char *)got.bytes);
	buffer_free(&got);
}
END_TEST

static const char *const forms[] = {
	"form=pipe",
	"order=big",
	"order=big form=pipe",
	"index=no",
	"index=empty",
	"id-index=no finished-init=no",
	"attr-size=136",
	"ids=id",
	"ids=no dummy=no",
	"auxtrace-info=2 parameters=3",
	"form=directory",
#ifdef HAVE_ZSTD
	"form=directory compress=zstd",
	"compress=zstd",
	"compress=zstd2",
	"compress=zstd2 form=pipe",
#endif
};

/* The form of the file does not change what it says. */
START_TEST(every_form_says_the_same)
{
	struct buffer plain = { 0 }, got = { 0 };

	make(text, NULL);
	tell(path, &plain);
	unlink(path);
	make(text, forms[_i]);
	tell(path, &got);
	ck_assert_str_eq((char *)got.bytes, (char *)plain.bytes);
	buffer_free(&plain);
	buffer_free(&got);
}
END_TEST

/* The first record of a type. */
static struct spe_perf_event first_of(struct spe_perfdata *pd, uint32_t type)
{
	struct spe_error error = { 0 };
	struct spe_perf_event e;

	while (spe_perfdata_next(pd, &e, &error) == SPE_OK)
		if (e.type == type)
			return e;
	ck_abort_msg("no record of type %u", type);
}

static struct spe_perfdata *open_made(void)
{
	struct spe_error error = { 0 };
	struct spe_perfdata *pd;
	int status = spe_perfdata_open(path, NULL, &pd, &error);

	ck_assert_msg(status == SPE_OK, "%s", error.text);
	return pd;
}

START_TEST(header_says_what_the_text_says)
{
	static const char more[] = "header hostname=here cpuid=none cmdline=\"perf record\"\n"
				   "clock-data 1 5s 1ms\nfeature 34 40 00 00 00\n"
				   "file cpus=3 attr-size=136 pmu-type=11 clockid=1";
	const struct spe_perfdata_info *info;
	const uint8_t *body;
	struct spe_perfdata *pd;
	size_t n;

	make(more, NULL);
	pd = open_made();
	info = spe_perfdata_info(pd);
	ck_assert_str_eq(info->hostname, "here");
	ck_assert_str_eq(info->cpuid, "");
	ck_assert_str_eq(info->arch, "aarch64");
	ck_assert_uint_eq(info->cpus_online, 3);
	ck_assert(info->has_clock_data);
	ck_assert_uint_eq(info->clock_data_wall_ns, 5000000000u);
	ck_assert_uint_eq(info->clock_data_clock_ns, 1000000);
	ck_assert_uint_eq(spe_perfdata_attr_count(pd), 2);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 0)->attr_size, 136);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 0)->type, 11);
	ck_assert_uint_eq(spe_perfdata_attr(pd, 0)->id_count, 3);
	ck_assert_int_eq(spe_perfdata_attr(pd, 1)->clockid, 1);
	ck_assert_str_eq(spe_perfdata_pmu_name(pd, 11), "arm_spe_0");
	ck_assert_int_eq(spe_perfdata_feature(pd, 34, &body, &n), SPE_OK);
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(body[0], 0x40);
	spe_perfdata_close(pd);
}
END_TEST

START_TEST(metadata_version_2_names_cores)
{
	static const uint64_t magic = UINT64_C(0x1010101010101010);
	struct spe_perf_event e;
	struct spe_perfdata *pd;

	make(text, "auxtrace-info=2");
	pd = open_made();
	e = first_of(pd, SPE_PERF_AUXTRACE_INFO);
	ck_assert_uint_eq(e.u.auxtrace_info.type, SPE_AUXTRACE_ARM_SPE);
	ck_assert_uint_eq(e.u.auxtrace_info.priv_count, 4 + 2 * 7);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[0], 2);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[3], 2);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[4], magic);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[6], 4);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[7], 0x410fd490);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[11], magic);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[14], 0x411fd0c0);
	ck_assert_uint_eq(e.u.auxtrace_info.priv[15], UINT64_MAX);
	spe_perfdata_close(pd);
	make(text, "auxtrace-info=2 parameters=3");
	pd = open_made();
	e = first_of(pd, SPE_PERF_AUXTRACE_INFO);
	ck_assert_uint_eq(e.u.auxtrace_info.priv_count, 4 + 2 * 6);
	spe_perfdata_close(pd);
}
END_TEST

static size_t count_of(const char *file, uint32_t type)
{
	struct spe_error error = { 0 };
	struct spe_perfdata *pd;
	struct spe_perf_event e;
	size_t n = 0;
	int status = spe_perfdata_open(file, NULL, &pd, &error);

	ck_assert_msg(status == SPE_OK, "%s", error.text);
	while ((status = spe_perfdata_next(pd, &e, &error)) == SPE_OK)
		n += e.type == type;
	ck_assert_msg(status == SPE_END, "%s", error.text);
	spe_perfdata_close(pd);
	return n;
}

START_TEST(clock_can_be_absent_or_late)
{
	struct spe_perf_event e;
	struct spe_perfdata *pd;

	make("clock none\ntime 5\nrecord pc=1\n", NULL);
	ck_assert_uint_eq(count_of(path, SPE_PERF_TIME_CONV), 0);
	make("clock place=last shift=8 mult=2560 cycles=0xf0 mask=0xffffff short\ntime 5\n"
	     "record pc=1\n",
	     NULL);
	pd = open_made();
	first_of(pd, SPE_PERF_AUXTRACE);
	e = first_of(pd, SPE_PERF_TIME_CONV); /* after the data */
	ck_assert_uint_eq(e.size, 56);
	spe_perfdata_close(pd);
}
END_TEST

/* Buffers are cut where they are told to be, and join again. */
START_TEST(buffers_are_cut_anywhere)
{
	struct buffer whole = { 0 };
	struct spe_error error = { 0 };
	struct spe_perf_event e;
	struct spe_perfdata *pd;
	size_t at = 0, parts = 0;

	assemble(&(struct assembly){
		.name = "test", .text = text, .n = strlen(text), .out = &whole, .cpu = 1 });
	make(text, "aux-bytes=37");
	pd = open_made();
	while (spe_perfdata_next(pd, &e, &error) == SPE_OK) {
		uint64_t n;

		if (e.type != SPE_PERF_AUXTRACE)
			continue;
		n = e.u.auxtrace.size < 37 ? e.u.auxtrace.size : 37;
		ck_assert_uint_eq(e.u.auxtrace.size % 8, 0);
		if (at + n > whole.n)
			n = whole.n - at;
		if (e.u.auxtrace.offset == 192 / 37 * 37)
			n = 192 % 37;
		ck_assert_mem_eq(e.u.auxtrace.data, whole.bytes + at, n);
		at += n;
		parts++;
	}
	ck_assert_uint_eq(at, 256);
	ck_assert_uint_eq(parts, 192 / 37 + 1 + 64 / 37 + 1);
	spe_perfdata_close(pd);
	buffer_free(&whole);
}
END_TEST

START_TEST(threads_have_buffers)
{
	struct spe_perf_event e;
	struct spe_perfdata *pd;

	make("process 7 seven\nthread 7/8\ntime 5\nthread-buffer 8\nrecord pc=1\n", NULL);
	pd = open_made();
	ck_assert(!(spe_perfdata_attr(pd, 0)->sample_type & (SPE_SAMPLE_CPU | SPE_SAMPLE_TIME)));
	e = first_of(pd, SPE_PERF_AUX);
	ck_assert_int_eq(e.id.pid, 7);
	ck_assert_int_eq(e.id.tid, 8);
	e = first_of(pd, SPE_PERF_AUXTRACE);
	ck_assert_int_eq(e.u.auxtrace.tid, 8);
	ck_assert_int_eq(e.u.auxtrace.cpu, -1);
	spe_perfdata_close(pd);
}
END_TEST

/* The lines of a text that do not begin with one of two records' types. */
static void without(const struct buffer *told, const char *a, const char *b, struct buffer *out)
{
	const char *at = (char *)told->bytes;

	while (*at) {
		size_t n = strcspn(at, "\n") + 1;

		if (strncmp(at, a, strlen(a)) != 0 && strncmp(at, b, strlen(b)) != 0)
			buffer_put(out, at, n);
		at += n;
	}
	buffer_u8(out, 0);
}

START_TEST(strip_takes_out_just_these)
{
	static const char *const settings[] = { NULL, "order=big", "form=pipe", "index=no" };
	struct buffer before = { 0 }, wanted = { 0 }, after = { 0 };

	make(text, settings[_i]);
	tell(path, &before);
	strip("switch,4", path, other_path);
	tell(other_path, &after);
	without(&before, "15 ", "4 ", &wanted);
	ck_assert_uint_lt(wanted.n, before.n);
	ck_assert_str_eq((char *)after.bytes, (char *)wanted.bytes);
	buffer_free(&before);
	buffer_free(&wanted);
	buffer_free(&after);
}
END_TEST

START_TEST(generated_files_have_all_their_records)
{
	static const struct {
		const char *spec;
		unsigned switches;
	} specs[] = {
		{ "records=1001,cpus=3,shape=64,seed=5", false },
		{ "records=1001,cpus=1,shape=43,switches,processes=2", true },
		{ "records=1001,shape=mixed,contexts=el2,lives=2,switches,slice=10", true },
		{ "records=1001,contexts=none,threads=3,idle=50", false },
	};
	char truth[160], line[512];
	size_t rows = 0;
	FILE *f;

	snprintf(truth, sizeof(truth), "%s/truth.csv", folder);
	generate(specs[_i].spec, NULL, path, truth);
	ck_assert_uint_gt(count_of(path, SPE_PERF_AUXTRACE), 0);
	ck_assert_int_eq(count_of(path, SPE_PERF_SWITCH_CPU_WIDE) > 0, specs[_i].switches);
	f = fopen(truth, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		rows++;
	fclose(f);
	ck_assert_uint_eq(rows, 1 + 1001);
	unlink(truth);
}
END_TEST

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void set_up(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test-asm-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/made", folder);
	snprintf(other_path, sizeof(other_path), "%s/other", folder);
}

int main(void)
{
	Suite *s = suite_create("asm-recording");
	TCase *tc = tcase_create("recording");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, set_up, clean);
	tcase_add_test(tc, records_are_as_written);
	tcase_add_loop_test(tc, every_form_says_the_same, 0, sizeof(forms) / sizeof(forms[0]));
	tcase_add_test(tc, header_says_what_the_text_says);
	tcase_add_test(tc, metadata_version_2_names_cores);
	tcase_add_test(tc, clock_can_be_absent_or_late);
	tcase_add_test(tc, buffers_are_cut_anywhere);
	tcase_add_test(tc, threads_have_buffers);
	tcase_add_loop_test(tc, strip_takes_out_just_these, 0, 4);
	tcase_add_loop_test(tc, generated_files_have_all_their_records, 0, 4);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
