/* SPDX-License-Identifier: GPL-2.0-only */
/* For the tests of perfdata: records of every type, built in memory, and a file of them. */
#ifndef TESTS_PERFDATA_RECORDS_H
#define TESTS_PERFDATA_RECORDS_H

#include <perf-arm-spe/perfdata.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rec {
	uint8_t at[65536] __attribute__((aligned(8)));
	size_t n;
};

static void rec_bytes(struct rec *r, const void *from, size_t n)
{
	ck_assert(r->n + n <= sizeof(r->at));
	memcpy(r->at + r->n, from, n);
	r->n += n;
}

static void rec16(struct rec *r, uint16_t v)
{
	rec_bytes(r, &v, sizeof(v));
}

static void rec32(struct rec *r, uint32_t v)
{
	rec_bytes(r, &v, sizeof(v));
}

static void rec64(struct rec *r, uint64_t v)
{
	rec_bytes(r, &v, sizeof(v));
}

static void rec_begin(struct rec *r, uint32_t type, uint16_t misc)
{
	r->n = 0;
	rec32(r, type);
	rec16(r, misc);
	rec16(r, 0);
}

static void rec_end(struct rec *r)
{
	uint16_t size = (uint16_t)r->n;

	memcpy(r->at + 6, &size, sizeof(size));
}

/* The trailer of MAKE_SAMPLE_TYPE; number makes every one different. */
static void rec_trailer(struct rec *r, uint32_t number, uint64_t id)
{
	rec32(r, 1000 + number);
	rec32(r, 2000 + number);
	rec64(r, 0x1122334455660000 + number);
	rec64(r, 500 + number); /* stream id */
	rec32(r, number);
	rec32(r, 0);
	rec64(r, id);
	rec_end(r);
}

static const uint64_t make_ids[2][3] = { { 101, 102, 103 }, { 0x8000000000000201, 202, 203 } };

/* Everything a SAMPLE can hold; the second event has less. */
#define MAKE_TRAILER_TYPE                                                                          \
	(SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_STREAM_ID | SPE_SAMPLE_CPU |                \
	 SPE_SAMPLE_IDENTIFIER)
#define MAKE_SAMPLE_TYPE ((uint64_t)0x1ffffff & ~(uint64_t)(SPE_SAMPLE_ID | SPE_SAMPLE_WEIGHT))

static const uint8_t make_trace[64] = { 0xb0, 1, 2, 3, 4, 5, 6, 7, 0x71, 9, 10, 11, 0, 0, 0, 99 };

static void make_attrs(struct spe_perf_attr attrs[2])
{
	static const uint64_t raw_words[14] = { [10] = 0x7, [12] = 0x1f, [13] = 0x123400000200 };

	attrs[0] = (struct spe_perf_attr){
		.type = 9,
		.attr_size = 112,
		.config = 0x300000001,
		.config1 = 0x1122334455667788,
		.config2 = 0x99,
		.sample_period = 4096,
		.sample_type = MAKE_SAMPLE_TYPE,
		.read_format = 31, /* group, id, lost, both times */
		.flags = UINT64_C(1) << SPE_ATTR_SAMPLE_ID_ALL |
			 UINT64_C(1) << SPE_ATTR_EXCLUDE_KERNEL |
			 UINT64_C(1) << SPE_ATTR_USE_CLOCKID | UINT64_C(1) << 34,
		.branch_sample_type = 1u << 17, /* hardware index */
		.clockid = 4,
		.name = "arm_spe_0/ts_enable=1/",
		.ids = make_ids[0],
		.id_count = 3,
		.raw = (const uint8_t *)raw_words,
		.raw_bytes = sizeof(raw_words),
	};
	attrs[1] = (struct spe_perf_attr){
		.type = 1,
		.attr_size = 112,
		.config = 9,
		.sample_type = MAKE_TRAILER_TYPE,
		.flags = UINT64_C(1) << SPE_ATTR_SAMPLE_ID_ALL,
		.name = "dummy:u",
		.ids = make_ids[1],
		.id_count = 3,
	};
}

static void make_sample(struct rec *r)
{
	static const char raw[12] = "twelve bytes";

	rec_begin(r, SPE_PERF_SAMPLE, SPE_MISC_USER);
	rec64(r, make_ids[0][1]);
	rec64(r, 0xffff800010101010); /* ip */
	rec32(r, 31);
	rec32(r, 32);
	rec64(r, 33333);      /* time */
	rec64(r, 0xaaaabbbb); /* addr */
	rec64(r, 34);         /* stream id */
	rec32(r, 35);         /* cpu */
	rec32(r, 0);
	rec64(r, 36); /* period */
	rec64(r, 2);  /* read: a group of two */
	for (uint64_t v = 0; v < 2 + 2 * 3; v++)
		rec64(r, 0x100 + v);
	rec64(r, 3); /* callchain */
	for (uint64_t v = 0; v < 3; v++)
		rec64(r, 0x200 + v);
	rec32(r, sizeof(raw));
	rec_bytes(r, raw, sizeof(raw));
	rec64(r, 1); /* branches, behind the hardware index */
	rec64(r, UINT64_MAX);
	for (uint64_t v = 0; v < 3; v++)
		rec64(r, 0x300 + v);
	rec64(r, 2); /* user registers: three of them */
	for (uint64_t v = 0; v < 3; v++)
		rec64(r, 0x400 + v);
	rec64(r, 16); /* stack */
	rec_bytes(r, "0123456789abcdef", 16);
	rec64(r, 8);
	rec64(r, 0x0001000200000003); /* weights */
	rec64(r, 0x68100142);         /* data source */
	rec64(r, 0x500);              /* transaction */
	rec64(r, 2);                  /* five registers of the interrupt */
	for (uint64_t v = 0; v < 5; v++)
		rec64(r, 0x600 + v);
	rec64(r, 0x777000); /* physical address */
	rec64(r, 0x700);    /* cgroup */
	rec64(r, 4096);
	rec64(r, 65536);
	rec64(r, 8); /* aux */
	rec_bytes(r, "auxbytes", 8);
	rec_end(r);
}

static void make_mmap2(struct rec *r, bool build_id, uint32_t number)
{
	rec_begin(r, SPE_PERF_MMAP2, build_id ? SPE_MISC_MMAP_BUILD_ID : 0);
	rec32(r, 100);
	rec32(r, 101);
	rec64(r, 0x400000);
	rec64(r, 0x1000);
	rec64(r, 0x2000);
	if (build_id) {
		rec_bytes(r, "\x14\0\0\0", 4);
		rec_bytes(r, "twenty bytes here!!!", 20);
	} else {
		rec32(r, 8);
		rec32(r, 1);
		rec64(r, 1234567);
		rec64(r, 89);
	}
	rec32(r, 5);
	rec32(r, 2);
	rec_bytes(r, "/bin/al\0", 8);
	rec_trailer(r, number, make_ids[1][0]);
}

struct made {
	uint32_t type;
	uint16_t misc;
	uint8_t text_at; /* where a string of 8 bytes follows the words; 0: none */
	uint8_t words;   /* u64 words of payload */
	uint8_t pairs;   /* how many of them, from the first, are two u32 */
	bool kernel;     /* has a trailer */
};

/* Types whose fields are pairs of u32, then u64s, then perhaps a string. */
static const struct made made_plain[] = {
	{ SPE_PERF_MMAP, 0, 1, 4, 1, true },
	{ SPE_PERF_LOST, 0, 0, 2, 0, true },
	{ SPE_PERF_COMM, SPE_MISC_COMM_EXEC, 1, 1, 1, true },
	{ SPE_PERF_EXIT, 0, 0, 3, 2, true },
	{ SPE_PERF_THROTTLE, 0, 0, 3, 0, true },
	{ SPE_PERF_UNTHROTTLE, 0, 0, 3, 0, true },
	{ SPE_PERF_FORK, 0, 0, 3, 2, true },
	{ SPE_PERF_READ, 0, 0, 4, 1, true },
	{ SPE_PERF_AUX, 0, 0, 3, 0, true },
	{ SPE_PERF_ITRACE_START, 0, 0, 1, 1, true },
	{ SPE_PERF_LOST_SAMPLES, 0, 0, 1, 0, true },
	{ SPE_PERF_SWITCH, SPE_MISC_SWITCH_OUT, 0, 0, 0, true },
	{ SPE_PERF_SWITCH_CPU_WIDE, 0, 0, 1, 1, true },
	{ SPE_PERF_CGROUP, 0, 1, 1, 0, true },
	{ SPE_PERF_AUX_OUTPUT_HW_ID, 0, 0, 1, 0, true },
	{ SPE_PERF_CALLCHAIN_DEFERRED, 0, 0, 5, 0, true },
	{ SPE_PERF_FINISHED_ROUND, 0, 0, 0, 0, false },
	{ SPE_PERF_FINISHED_INIT, 0, 0, 0, 0, false },
	{ SPE_PERF_AUXTRACE_INFO, 0, 0, 5, 1, false },
	{ SPE_PERF_TIME_CONV, 0, 0, 3, 0, false },
	{ SPE_PERF_STAT_ROUND, 0, 0, 2, 0, false },
};

static void make_plain(struct rec *r, const struct made *m, uint32_t number)
{
	rec_begin(r, m->type, m->misc);
	for (uint32_t w = 0; w < m->words; w++) {
		if (w < m->pairs) {
			rec32(r, 0x01020300 + number);
			rec32(r, 0x0a0b0c00 + w);
		} else {
			rec64(r, 0x0102030405060700 + number + w);
		}
	}
	if (m->text_at)
		rec_bytes(r, "a-name\0", 8);
	rec_end(r);
	if (m->kernel)
		rec_trailer(r, number, make_ids[number % 2][number % 3]);
}

/* Types with a shape of their own. */
static void make_namespaces(struct rec *r)
{
	rec_begin(r, SPE_PERF_NAMESPACES, 0);
	rec32(r, 7);
	rec32(r, 8);
	rec64(r, 7);
	for (uint64_t i = 0; i < 14; i++)
		rec64(r, 0xf0000000 + i);
	rec_trailer(r, 40, make_ids[1][1]);
}

static void make_ksymbol(struct rec *r)
{
	rec_begin(r, SPE_PERF_KSYMBOL, 0);
	rec64(r, 0xffff800000001000);
	rec32(r, 64);
	rec16(r, 1);
	rec16(r, 2);
	rec_bytes(r, "bpf_pro\0", 8);
	rec_trailer(r, 41, make_ids[1][1]);
}

static void make_thread_map(struct rec *r)
{
	rec_begin(r, SPE_PERF_THREAD_MAP, 0);
	rec64(r, 2);
	rec64(r, 300);
	rec_bytes(r, "name-of-300\0\0\0\0\0", 16);
	rec64(r, 301);
	rec_bytes(r, "name-of-301\0\0\0\0\0", 16);
	rec_end(r);
}

static void make_id_index(struct rec *r)
{
	rec_begin(r, SPE_PERF_ID_INDEX, 0);
	rec64(r, 2);
	for (uint64_t i = 0; i < 8; i++)
		rec64(r, 0x1000 + i);
	rec_end(r);
}

static void make_build_id(struct rec *r)
{
	rec_begin(r, SPE_PERF_BUILD_ID, SPE_MISC_BUILD_ID_SIZE);
	rec32(r, UINT32_MAX);
	rec_bytes(r, "sixteen bytes!!!\0\0\0\0", 20);
	rec_bytes(r, "\x10\0\0\0", 4);
	rec_bytes(r, "/lib/x.so\0\0\0", 12);
	rec_end(r);
}

static void make_cpu_map(struct rec *r, uint16_t kind)
{
	rec_begin(r, SPE_PERF_CPU_MAP, 0);
	rec16(r, kind);
	if (kind == 2) {
		rec16(r, 0); /* two bytes */
		rec16(r, 3);
		rec16(r, 258);
	} else if (kind == 1) {
		rec16(r, 1);
		rec16(r, 8);
		rec32(r, 0);
		rec64(r, 0x0102030405060708);
	} else if (kind == 3) { /* a mask again, in smaller words */
		r->n -= 2;
		rec16(r, 1);
		rec16(r, 2);
		rec16(r, 4);
		rec32(r, 0x01020304);
		rec32(r, 0x05060708);
	} else {
		rec16(r, 2);
		rec16(r, 0x102);
		rec16(r, 0x304);
	}
	while (r->n % 8)
		rec_bytes(r, "", 1);
	rec_end(r);
}

static void make_auxtrace_error(struct rec *r)
{
	rec_begin(r, SPE_PERF_AUXTRACE_ERROR, 0);
	for (uint32_t i = 1; i < 6; i++)
		rec32(r, i);
	rec32(r, 2); /* the form with time and machine */
	rec64(r, 0x400123);
	rec64(r, 987654321);
	rec_bytes(r,
		  "a message of sixty-four bytes, padded with NULs.\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		  64);
	rec32(r, 7);
	rec32(r, 8);
	rec_end(r);
}

static void make_stat(struct rec *r)
{
	rec_begin(r, SPE_PERF_STAT, 0);
	rec64(r, 101);
	rec32(r, 1);
	rec32(r, 2);
	for (uint64_t i = 0; i < 3; i++)
		rec64(r, 0x0102030405060700 + i);
	rec_end(r);
}

static void make_auxtrace(struct rec *r, uint64_t bytes)
{
	rec_begin(r, SPE_PERF_AUXTRACE, 0);
	rec64(r, bytes);
	rec64(r, 0x10000);
	rec64(r, 42);
	rec32(r, 2);
	rec32(r, UINT32_MAX);
	rec32(r, 3);
	rec32(r, 0);
	rec_end(r);
}

static void write_ok(struct spe_perfdata_writer *w, const struct rec *r)
{
	struct spe_error error = { 0 };
	int status = spe_perfdata_writer_records(w, r->at, r->n, &error);

	ck_assert_msg(status == SPE_OK, "%s", error.text);
}

/* How many records make_all() writes. */
#define MADE_COUNT (sizeof(made_plain) / sizeof(made_plain[0]) + 16)

/* One record of every type, AUXTRACE data in the middle. */
static void make_all(struct spe_perfdata_writer *w)
{
	struct rec *r = malloc(sizeof(*r));
	struct spe_error error = { 0 };
	uint32_t number = 0;

	ck_assert_ptr_nonnull(r);
	for (size_t i = 0; i < sizeof(made_plain) / sizeof(made_plain[0]); i++) {
		make_plain(r, &made_plain[i], number++);
		write_ok(w, r);
	}
	make_auxtrace(r, sizeof(make_trace));
	ck_assert_msg(spe_perfdata_writer_auxtrace(w, r->at, r->n, make_trace, sizeof(make_trace),
						   &error) == SPE_OK,
		      "%s", error.text);
	make_sample(r);
	write_ok(w, r);
	for (int build_id = 0; build_id < 2; build_id++) {
		make_mmap2(r, build_id, number++);
		write_ok(w, r);
	}
	make_namespaces(r);
	write_ok(w, r);
	make_ksymbol(r);
	write_ok(w, r);
	make_thread_map(r);
	write_ok(w, r);
	make_id_index(r);
	write_ok(w, r);
	make_build_id(r);
	write_ok(w, r);
	for (uint16_t kind = 0; kind < 4; kind++) {
		make_cpu_map(r, kind);
		write_ok(w, r);
	}
	make_auxtrace_error(r);
	write_ok(w, r);
	make_stat(r);
	write_ok(w, r);
	make_auxtrace(r, 0);
	ck_assert_int_eq(spe_perfdata_writer_auxtrace(w, r->at, r->n, NULL, 0, &error), SPE_OK);
	free(r);
}

/* A whole file of them. */
static void make_file(const char *path, bool pipe, bool big_endian)
{
	struct spe_perfdata_writer_opts opts = { .size = sizeof(opts),
						 .pipe = pipe,
						 .big_endian = big_endian };
	struct spe_perfdata_writer *w = NULL;
	struct spe_perf_attr attrs[2];
	struct spe_error error = { 0 };

	ck_assert_msg(spe_perfdata_writer_new(path, &opts, &w, &error) == SPE_OK, "%s", error.text);
	make_attrs(attrs);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(spe_perfdata_writer_attr(w, &attrs[i]), SPE_OK);
	make_all(w);
	ck_assert_msg(spe_perfdata_writer_finish(w, &error) == SPE_OK, "%s", error.text);
}

#endif
