/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata against libperf: a file written through the structs of libperf's
 * perf/event.h is read by ours, field for field, and every constant the two
 * share has the same value.
 */
#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perf-arm-spe/perfdata.h>

#ifdef HAVE_LIBPERF
#include <perf/event.h>

#define SAME(ours, theirs)                                                                         \
	_Static_assert((unsigned)(ours) == (unsigned)(theirs), #ours " is not " #theirs)

SAME(SPE_PERF_MMAP, PERF_RECORD_MMAP);
SAME(SPE_PERF_LOST, PERF_RECORD_LOST);
SAME(SPE_PERF_COMM, PERF_RECORD_COMM);
SAME(SPE_PERF_EXIT, PERF_RECORD_EXIT);
SAME(SPE_PERF_THROTTLE, PERF_RECORD_THROTTLE);
SAME(SPE_PERF_UNTHROTTLE, PERF_RECORD_UNTHROTTLE);
SAME(SPE_PERF_FORK, PERF_RECORD_FORK);
SAME(SPE_PERF_SAMPLE, PERF_RECORD_SAMPLE);
SAME(SPE_PERF_MMAP2, PERF_RECORD_MMAP2);
SAME(SPE_PERF_AUX, PERF_RECORD_AUX);
SAME(SPE_PERF_ITRACE_START, PERF_RECORD_ITRACE_START);
SAME(SPE_PERF_LOST_SAMPLES, PERF_RECORD_LOST_SAMPLES);
SAME(SPE_PERF_SWITCH, PERF_RECORD_SWITCH);
SAME(SPE_PERF_SWITCH_CPU_WIDE, PERF_RECORD_SWITCH_CPU_WIDE);
SAME(SPE_PERF_NAMESPACES, PERF_RECORD_NAMESPACES);
SAME(SPE_PERF_KSYMBOL, PERF_RECORD_KSYMBOL);
SAME(SPE_PERF_HEADER_ATTR, PERF_RECORD_HEADER_ATTR);
SAME(SPE_PERF_TRACING_DATA, PERF_RECORD_HEADER_TRACING_DATA);
SAME(SPE_PERF_BUILD_ID, PERF_RECORD_HEADER_BUILD_ID);
SAME(SPE_PERF_FINISHED_ROUND, PERF_RECORD_FINISHED_ROUND);
SAME(SPE_PERF_ID_INDEX, PERF_RECORD_ID_INDEX);
SAME(SPE_PERF_AUXTRACE_INFO, PERF_RECORD_AUXTRACE_INFO);
SAME(SPE_PERF_AUXTRACE, PERF_RECORD_AUXTRACE);
SAME(SPE_PERF_AUXTRACE_ERROR, PERF_RECORD_AUXTRACE_ERROR);
SAME(SPE_PERF_THREAD_MAP, PERF_RECORD_THREAD_MAP);
SAME(SPE_PERF_EVENT_UPDATE, PERF_RECORD_EVENT_UPDATE);
SAME(SPE_PERF_TIME_CONV, PERF_RECORD_TIME_CONV);
SAME(SPE_PERF_HEADER_FEATURE, PERF_RECORD_HEADER_FEATURE);
SAME(SPE_PERF_COMPRESSED, PERF_RECORD_COMPRESSED);
SAME(SPE_SAMPLE_TID, PERF_SAMPLE_TID);
SAME(SPE_SAMPLE_TIME, PERF_SAMPLE_TIME);
SAME(SPE_SAMPLE_CPU, PERF_SAMPLE_CPU);
SAME(SPE_SAMPLE_IDENTIFIER, PERF_SAMPLE_IDENTIFIER);
SAME(SPE_SAMPLE_DATA_SRC, PERF_SAMPLE_DATA_SRC);
SAME(SPE_SAMPLE_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR);
SAME(SPE_MISC_KERNEL, PERF_RECORD_MISC_KERNEL);
SAME(SPE_MISC_GUEST_USER, PERF_RECORD_MISC_GUEST_USER);
SAME(SPE_MISC_COMM_EXEC, PERF_RECORD_MISC_COMM_EXEC);
SAME(SPE_MISC_SWITCH_OUT, PERF_RECORD_MISC_SWITCH_OUT);
SAME(SPE_MISC_MMAP_BUILD_ID, PERF_RECORD_MISC_MMAP_BUILD_ID);
SAME(SPE_AUX_TRUNCATED, PERF_AUX_FLAG_TRUNCATED);
SAME(SPE_AUX_PARTIAL, PERF_AUX_FLAG_PARTIAL);
SAME(SPE_AUX_COLLISION, PERF_AUX_FLAG_COLLISION);

/* What precedes the records in a perf.data: header, one attr, its one id. */
struct preamble {
	char magic[8];
	__u64 size, attr_entry;
	__u64 attrs[2], data[2], types[2], features[4];
	struct perf_event_attr attr;
	__u64 ids[2], id;
};

static uint8_t records[65536];
static size_t filled;
static const uint8_t trace[16] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void add(void *record, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header *header = record;

	*header = (struct perf_event_header){ .type = type, .misc = misc, .size = (__u16)size };
	memcpy(records + filled, record, size);
	filled += size;
}

/* Appends the trailer that sample_type TID|TIME|ID|CPU|IDENTIFIER gives a record. */
static size_t with_trailer(void *record, size_t size, uint64_t time)
{
	uint64_t trailer[5] = { 21u | (uint64_t)22 << 32, time, 99, 3, 99 };

	memcpy((uint8_t *)record + size, trailer, sizeof(trailer));
	return size + sizeof(trailer);
}

#define ADD(member, type_, misc_, bytes, time)                                                     \
	add(&e, type_, misc_, (time) ? with_trailer(&e, bytes, time) : (bytes));

static void write_task_records(void)
{
	union perf_event e = { 0 };

	e.comm = (struct perf_record_comm){ .pid = 21, .tid = 22, .comm = "worker" };
	ADD(comm, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(e.comm), 1000);
	memset(&e, 0, sizeof(e));
	e.fork = (struct perf_record_fork){ .pid = 1, .ppid = 2, .tid = 3, .ptid = 4, .time = 5 };
	ADD(fork, PERF_RECORD_FORK, 0, sizeof(e.fork), 1001);
	ADD(fork, PERF_RECORD_EXIT, 0, sizeof(e.fork), 1002);
	memset(&e, 0, sizeof(e));
	e.context_switch = (struct perf_record_switch){ .next_prev_pid = 7, .next_prev_tid = 8 };
	ADD(context_switch, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT,
	    sizeof(e.context_switch), 1003);
	memset(&e, 0, sizeof(e));
	e.itrace_start = (struct perf_record_itrace_start){ .pid = 31, .tid = 32 };
	ADD(itrace_start, PERF_RECORD_ITRACE_START, 0, sizeof(e.itrace_start), 1004);
}

static void write_map_records(void)
{
	static union perf_event e;
	size_t bytes = offsetof(struct perf_record_mmap2, filename) + 8;

	memset(&e, 0, sizeof(e));
	e.mmap2 = (struct perf_record_mmap2){ .pid = 21,
					      .tid = 22,
					      .start = 0x400000,
					      .len = 0x1000,
					      .pgoff = 0x200,
					      .prot = 5,
					      .flags = 2 };
	e.mmap2.maj = 8;
	e.mmap2.min = 1;
	e.mmap2.ino = 77;
	e.mmap2.ino_generation = 78;
	memcpy(e.mmap2.filename, "/bin/x", 7);
	ADD(mmap2, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, bytes, 1010);
	e.mmap2.build_id_size = 20;
	memset(e.mmap2.build_id, 0xab, 20);
	ADD(mmap2, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, bytes, 1011);
}

static void write_trace_records(void)
{
	union perf_event e = { 0 };

	e.aux = (struct perf_record_aux){ .aux_offset = 64, .aux_size = 16, .flags = 9 };
	ADD(aux, PERF_RECORD_AUX, 0, sizeof(e.aux), 1020);
	memset(&e, 0, sizeof(e));
	e.lost = (struct perf_record_lost){ .id = 99, .lost = 12 };
	ADD(lost, PERF_RECORD_LOST, 0, sizeof(e.lost), 1021);
	memset(&e, 0, sizeof(e));
	e.time_conv = (struct perf_record_time_conv){ .time_shift = 21,
						      .time_mult = 5,
						      .time_zero = 6,
						      .time_cycles = 7,
						      .time_mask = 8,
						      .cap_user_time_zero = 1,
						      .cap_user_time_short = 1 };
	ADD(time_conv, PERF_RECORD_TIME_CONV, 0, sizeof(e.time_conv), 0);
	memset(&e, 0, sizeof(e));
	e.auxtrace = (struct perf_record_auxtrace){
		.size = sizeof(trace), .offset = 64, .reference = 55, .idx = 2, .tid = -1u, .cpu = 3
	};
	ADD(auxtrace, PERF_RECORD_AUXTRACE, 0, sizeof(e.auxtrace), 0);
	memcpy(records + filled, trace, sizeof(trace));
	filled += sizeof(trace);
}

static struct spe_perfdata *opened(void)
{
	static const struct spe_perfdata_opts opts = { .size = sizeof(opts) };
	char path[] = "/tmp/test-perfdata-libperf-XXXXXX";
	struct preamble p = {
		.magic = "PERFILE2",
		.size = offsetof(struct preamble, attr),
		.attr_entry = sizeof(p.attr) + 16,
		.attrs = { offsetof(struct preamble, attr), sizeof(p.attr) + 16 },
		.data = { sizeof(p), 0 },
		.attr = { .size = sizeof(p.attr),
			  .type = 8,
			  .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
					 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
			  .sample_id_all = 1 },
		.ids = { offsetof(struct preamble, id), 8 },
		.id = 99,
	};
	struct spe_perfdata *pd = NULL;
	struct spe_error error = { 0 };
	FILE *out;
	int fd = mkstemp(path);

	filled = 0;
	write_task_records();
	write_map_records();
	write_trace_records();
	p.data[1] = filled;
	out = fdopen(fd, "wb");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(&p, sizeof(p), 1, out), 1);
	ck_assert_uint_eq(fwrite(records, filled, 1, out), 1);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_msg(spe_perfdata_open(path, &opts, &pd, &error) == SPE_OK, "%s", error.text);
	unlink(path);
	return pd;
}

/* The next record must be of this type. */
static struct spe_perf_event *next(struct spe_perfdata *pd, uint32_t type, uint64_t time)
{
	static struct spe_perf_event event;
	struct spe_error error = { 0 };
	int status = spe_perfdata_next(pd, &event, &error);

	ck_assert_msg(status == SPE_OK, "%s", error.text);
	ck_assert_uint_eq(event.type, type);
	if (time) {
		ck_assert_uint_eq(event.id.time_ns, time);
		ck_assert_int_eq(event.id.pid, 21);
		ck_assert_int_eq(event.id.tid, 22);
		ck_assert_uint_eq(event.id.cpu, 3);
		ck_assert_uint_eq(event.id.id, 99);
		ck_assert_int_eq(event.attr_index, 0);
	}
	return &event;
}

static void check_tasks(struct spe_perfdata *pd)
{
	struct spe_perf_event *e = next(pd, PERF_RECORD_COMM, 1000);

	ck_assert_int_eq(e->u.comm.pid, 21);
	ck_assert_int_eq(e->u.comm.tid, 22);
	ck_assert_str_eq(e->u.comm.comm, "worker");
	ck_assert_uint_eq(e->misc, SPE_MISC_COMM_EXEC);
	for (unsigned i = 0; i < 2; i++) {
		e = next(pd, i ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 1001 + i);
		ck_assert_int_eq(e->u.task.pid, 1);
		ck_assert_int_eq(e->u.task.ppid, 2);
		ck_assert_int_eq(e->u.task.tid, 3);
		ck_assert_int_eq(e->u.task.ptid, 4);
		ck_assert_uint_eq(e->u.task.time_ns, 5);
	}
	e = next(pd, PERF_RECORD_SWITCH_CPU_WIDE, 1003);
	ck_assert_int_eq(e->u.sw.next_prev_pid, 7);
	ck_assert_int_eq(e->u.sw.next_prev_tid, 8);
	ck_assert(e->u.sw.out && e->u.sw.cpu_wide);
	e = next(pd, PERF_RECORD_ITRACE_START, 1004);
	ck_assert_int_eq(e->u.itrace_start.pid, 31);
	ck_assert_int_eq(e->u.itrace_start.tid, 32);
}

static void check_maps(struct spe_perfdata *pd)
{
	struct spe_perf_event *e = next(pd, PERF_RECORD_MMAP2, 1010);

	ck_assert_uint_eq(e->u.mmap.addr, 0x400000);
	ck_assert_uint_eq(e->u.mmap.len, 0x1000);
	ck_assert_uint_eq(e->u.mmap.pgoff, 0x200);
	ck_assert_uint_eq(e->u.mmap.maj, 8);
	ck_assert_uint_eq(e->u.mmap.min, 1);
	ck_assert_uint_eq(e->u.mmap.ino, 77);
	ck_assert_uint_eq(e->u.mmap.ino_generation, 78);
	ck_assert_uint_eq(e->u.mmap.prot, 5);
	ck_assert_uint_eq(e->u.mmap.flags, 2);
	ck_assert_uint_eq(e->u.mmap.build_id_bytes, 0);
	ck_assert_str_eq(e->u.mmap.filename, "/bin/x");
	e = next(pd, PERF_RECORD_MMAP2, 1011);
	ck_assert_uint_eq(e->u.mmap.build_id_bytes, 20);
	ck_assert_uint_eq(e->u.mmap.build_id[0], 0xab);
	ck_assert_uint_eq(e->u.mmap.build_id[19], 0xab);
	ck_assert_str_eq(e->u.mmap.filename, "/bin/x");
}

static void check_trace(struct spe_perfdata *pd)
{
	struct spe_perf_event *e = next(pd, PERF_RECORD_AUX, 1020);

	ck_assert_uint_eq(e->u.aux.offset, 64);
	ck_assert_uint_eq(e->u.aux.size, 16);
	ck_assert_uint_eq(e->u.aux.flags, SPE_AUX_TRUNCATED | SPE_AUX_COLLISION);
	e = next(pd, PERF_RECORD_LOST, 1021);
	ck_assert_uint_eq(e->u.lost.id, 99);
	ck_assert_uint_eq(e->u.lost.lost, 12);
	e = next(pd, PERF_RECORD_TIME_CONV, 0);
	ck_assert_uint_eq(e->u.time_conv.shift, 21);
	ck_assert_uint_eq(e->u.time_conv.mult, 5);
	ck_assert_uint_eq(e->u.time_conv.zero, 6);
	ck_assert_uint_eq(e->u.time_conv.cycles, 7);
	ck_assert_uint_eq(e->u.time_conv.mask, 8);
	ck_assert(e->u.time_conv.cap_short);
	e = next(pd, PERF_RECORD_AUXTRACE, 0);
	ck_assert_uint_eq(e->u.auxtrace.size, sizeof(trace));
	ck_assert_uint_eq(e->u.auxtrace.data_bytes, sizeof(trace));
	ck_assert_uint_eq(e->u.auxtrace.offset, 64);
	ck_assert_uint_eq(e->u.auxtrace.reference, 55);
	ck_assert_uint_eq(e->u.auxtrace.idx, 2);
	ck_assert_int_eq(e->u.auxtrace.tid, -1);
	ck_assert_int_eq(e->u.auxtrace.cpu, 3);
	ck_assert_mem_eq(e->u.auxtrace.data, trace, sizeof(trace));
}

START_TEST(records_of_libperf_are_read)
{
	struct spe_perfdata *pd = opened();
	struct spe_perf_event event;
	struct spe_error error;

	check_tasks(pd);
	check_maps(pd);
	check_trace(pd);
	ck_assert_int_eq(spe_perfdata_next(pd, &event, &error), SPE_END);
	spe_perfdata_close(pd);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("perfdata-libperf");
	TCase *tc = tcase_create("records");
	SRunner *runner;
	int failed;

#ifdef HAVE_LIBPERF
	tcase_add_test(tc, records_of_libperf_are_read);
#else
	puts("skip perfdata-libperf: built without libperf");
#endif
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
