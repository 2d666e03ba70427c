/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts out of ETM/ETE trace: crafted streams (raw and in CoreSight frames),
 * metadata of every version, damage, and public recordings where they are at hand.
 */
#include "../../perf-arm-spe/attribution/etm.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A trace unit whose registers a Cortex-A57 has, contexts and timestamps on. */
static const struct spe_etm_source unit = {
	.cpu = 3,
	.trace_id = 0x12,
	.pid_format = SPE_ETM_PID_EL1,
	.supported = true,
	.configr = 1u << 6 | 1u << 11,
	.traceidr = 0x12,
	.idr0 = 0x28000ea1,
	.idr1 = 0x4100f403,
	.idr2 = 0x00000488,
};

struct bytes {
	uint8_t at[65536];
	size_t n;
};

#ifdef HAVE_OPENCSD

static void put(struct bytes *b, const uint8_t *bytes, size_t n)
{
	ck_assert(b->n + n <= sizeof(b->at));
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

static void put_sync(struct bytes *b)
{
	static const uint8_t async[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 };
	static const uint8_t info[] = { 0x01, 0x01, 0x00 };

	put(b, async, sizeof(async));
	put(b, info, sizeof(info));
}

static void put_timestamp(struct bytes *b, uint64_t value)
{
	uint8_t packet[10] = { 0x02 };
	size_t n = 1;

	for (; n < 9 && value > 0x7f; value >>= 7)
		packet[n++] = (uint8_t)(value & 0x7f) | 0x80;
	packet[n++] = (uint8_t)value;
	put(b, packet, n);
}

/* Context packet: EL, NS, 64-bit, with a 4-byte context id; vmid too when asked. */
static void put_context(struct bytes *b, uint8_t el, bool vmid, uint32_t value)
{
	uint8_t packet[6] = { 0x81,
			      (uint8_t)(el | 1u << 4 | 1u << 5 | (vmid ? 1u << 6 : 1u << 7)) };

	memcpy(packet + 2, &value, 4);
	put(b, packet, sizeof(packet));
}

/* CoreSight frames of one trace id. */
static void put_frames(struct bytes *out, uint8_t id, const struct bytes *in)
{
	for (size_t at = 0; at < in->n || at == 0;) {
		uint8_t frame[16] = { 0 };

		frame[0] = (uint8_t)(id << 1 | 1);
		for (size_t i = 1; i < 15; i++) {
			/* past the end of the data: the null source */
			uint8_t byte = at < in->n ? in->at[at++] : 0;

			if (i % 2 == 0) {
				frame[15] |= (uint8_t)((byte & 1) << (i / 2));
				byte &= 0xfe;
			}
			frame[i] = byte;
		}
		put(out, frame, sizeof(frame));
	}
}

static struct spe_etm *read_bare(const struct spe_etm_source *source, bool formatted,
				 const struct bytes *b)
{
	struct spe_error error = { 0 };
	struct spe_etm *etm = NULL;

	ck_assert_msg(!spe_etm_new_bare(source, 1, formatted, b->at, b->n, &etm, &error), "%s",
		      error.text);
	return etm;
}

static void two_contexts(struct bytes *b)
{
	put_sync(b);
	put_timestamp(b, 0x123456789a);
	put_context(b, 0, false, 4242);
	put_timestamp(b, 0x12345678aa);
	put_context(b, 1, false, 4300);
}

static void check_two(struct spe_etm *etm)
{
	size_t n;
	const struct spe_etm_context *c = spe_etm_contexts(etm, &n);

	ck_assert_uint_eq(n, 2);
	ck_assert(c[0].has_tid && c[0].has_context && !c[0].has_vmid && c[0].has_el);
	ck_assert_uint_eq(c[0].tid, 4242);
	ck_assert_uint_eq(c[0].el, 0);
	ck_assert_uint_eq(c[0].security, 1);
	ck_assert(c[0].has_timestamp);
	ck_assert_uint_eq(c[0].timestamp, 0x123456789a);
	ck_assert_int_eq(c[0].cpu, 3);
	ck_assert(c[0].has_next_timestamp && !c[1].has_next_timestamp);
	ck_assert_uint_eq(c[0].next_timestamp, 0x12345678aa);
	ck_assert_uint_eq(c[1].tid, 4300);
	ck_assert_uint_eq(c[1].el, 1);
	ck_assert_uint_eq(c[1].timestamp, 0x12345678aa);
	ck_assert_uint_eq(spe_etm_stats(etm, 0)->contexts, 2);
	ck_assert_uint_eq(spe_etm_stats(etm, 0)->timestamps, 2);
	ck_assert_uint_eq(spe_etm_stats(etm, 0)->bad_packets, 0);
	spe_etm_free(etm);
}

START_TEST(raw_stream)
{
	struct bytes b = { .n = 0 };

	two_contexts(&b);
	check_two(read_bare(&unit, false, &b));
}
END_TEST

START_TEST(formatted_frames)
{
	struct bytes b = { .n = 0 }, frames = { .n = 0 };

	two_contexts(&b);
	put_frames(&frames, 0x12, &b);
	check_two(read_bare(&unit, true, &frames));
}
END_TEST

START_TEST(el2_host_has_its_thread_in_vmid)
{
	struct spe_etm_source s = unit;
	struct bytes b = { .n = 0 }, frames = { .n = 0 };
	const struct spe_etm_context *c;
	struct spe_etm *etm;
	size_t n;

	s.pid_format = SPE_ETM_PID_EL2;
	s.configr = 1u << 7 | 1u << 15;
	s.idr1 = 0x4100f413; /* ETMv4.1: the first with a VMID of 4 bytes */
	s.idr2 = 0x20001088;
	put_sync(&b);
	put_context(&b, 2, true, 777);
	put_frames(&frames, 0x12, &b);
	etm = read_bare(&s, true, &frames);
	c = spe_etm_contexts(etm, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert(c[0].has_vmid && c[0].has_tid);
	ck_assert_uint_eq(c[0].tid, 777);
	ck_assert_uint_eq(c[0].el, 2);
	ck_assert(!c[0].has_timestamp);
	spe_etm_free(etm);
}
END_TEST

START_TEST(bytes_before_the_first_sync_are_counted)
{
	struct bytes b = { .n = 0 };
	struct spe_etm *etm;
	size_t n;

	for (int i = 0; i < 37; i++)
		put(&b, (const uint8_t[]){ 0xf7 }, 1);
	two_contexts(&b);
	etm = read_bare(&unit, false, &b);
	spe_etm_contexts(etm, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(spe_etm_stats(etm, 0)->before_sync_bytes, 37);
	spe_etm_free(etm);
}
END_TEST

START_TEST(damage_is_counted_and_survived)
{
	uint64_t state = 7;

	for (int round = 0; round < 300; round++) {
		struct bytes b = { .n = 0 }, frames = { .n = 0 };
		struct spe_etm *etm;

		for (int i = 0; i < 20; i++)
			two_contexts(&b);
		for (int i = 0; i < 8; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			b.at[(state >> 33) % b.n] ^= (uint8_t)(state >> 20);
		}
		b.n -= (state >> 40) % 32;
		put_frames(&frames, 0x12, &b);
		frames.n -= (state >> 50) % 16;
		etm = read_bare(&unit, round & 1, round & 1 ? &frames : &b);
		spe_etm_free(etm);
	}
}
END_TEST

START_TEST(every_cut_gives_a_prefix)
{
	struct bytes b = { .n = 0 };
	size_t whole;

	two_contexts(&b);
	whole = b.n;
	for (b.n = 0; b.n < whole; b.n++) {
		struct spe_etm *etm = read_bare(&unit, false, &b);
		size_t n;
		const struct spe_etm_context *c = spe_etm_contexts(etm, &n);

		ck_assert(n <= 1);
		ck_assert(!n || c[0].tid == 4242);
		spe_etm_free(etm);
	}
}
END_TEST

/* ---- a file that says the same over and over ---------------------------------- */

static void write_words(struct spe_perfdata_writer *w, uint32_t type, const uint64_t *words,
			size_t count)
{
	uint64_t record[32] = { (uint64_t)(8 + 8 * count) << 48 | type };

	memcpy(record + 1, words, 8 * count);
	ck_assert_int_eq(spe_perfdata_writer_records(w, (const uint8_t *)record, 8 + 8 * count,
						     NULL),
			 SPE_OK);
}

static void write_repeated(const char *path, const struct bytes *trace, size_t times)
{
	const uint64_t info[] = { SPE_AUXTRACE_CS_ETM,
				  1,
				  9ull << 32 | 1,
				  0,
				  0x4040404040404040,
				  3,
				  7,
				  unit.configr,
				  unit.traceidr,
				  unit.idr0,
				  unit.idr1,
				  unit.idr2,
				  0,
				  0 };
	const uint64_t aux[] = { 0, trace->n, 0 };
	const uint64_t auxtrace[] = { 48ull << 48 | SPE_PERF_AUXTRACE, trace->n, 0, 0,
				      UINT64_C(0xffffffff) << 32,      3 };
	const struct spe_perf_attr attr = { .type = 9, .name = "cs_etm//" };
	struct spe_perfdata_writer *w;

	ck_assert_int_eq(spe_perfdata_writer_new(path, NULL, &w, NULL), SPE_OK);
	ck_assert_int_eq(spe_perfdata_writer_attr(w, &attr), SPE_OK);
	write_words(w, SPE_PERF_AUXTRACE_INFO, info, sizeof(info) / 8);
	for (size_t i = 0; i < times; i++)
		write_words(w, SPE_PERF_AUX, aux, 3);
	ck_assert_int_eq(spe_perfdata_writer_auxtrace(w, (const uint8_t *)auxtrace,
						      sizeof(auxtrace), trace->at, trace->n, NULL),
			 SPE_OK);
	ck_assert_int_eq(spe_perfdata_writer_finish(w, NULL), SPE_OK);
}

/* However many AUX records speak of them, bytes are decoded once. */
START_TEST(repeated_aux_records_cost_nothing)
{
	static struct bytes b, frames;
	char path[64];
	struct spe_perfdata *pd;
	struct spe_etm *etm;
	size_t n;

	b.n = frames.n = 0;
	two_contexts(&b);
	put_frames(&frames, unit.trace_id, &b);
	snprintf(path, sizeof(path), "/tmp/spe-etm-%d", (int)getpid());
	write_repeated(path, &frames, 50000);
	ck_assert_int_eq(spe_perfdata_open(path, NULL, &pd, NULL), SPE_OK);
	ck_assert_int_eq(spe_etm_new(pd, &etm, NULL), SPE_OK);
	spe_etm_contexts(etm, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(spe_etm_totals(etm)->aux_records, 50000);
	ck_assert_uint_eq(spe_etm_totals(etm)->missing_bytes, 0);
	spe_etm_free(etm);
	spe_perfdata_close(pd);
	unlink(path);
}
END_TEST

#else

START_TEST(without_opencsd_it_says_so)
{
	struct spe_error error = { 0 };
	struct spe_etm *etm;

	ck_assert_int_eq(spe_etm_new_bare(&unit, 1, false, (const uint8_t *)"", 0, &etm, &error),
			 SPE_UNSUPPORTED);
	ck_assert(strstr(error.text, "libopencsd"));
}
END_TEST

#endif

/* ---- metadata -------------------------------------------------------------- */

#define ETMV3 0x3030303030303030ull
#define ETMV4 0x4040404040404040ull
#define ETE 0x5050505050505050ull

static int metadata(const uint64_t *words, size_t n, struct spe_etm *etm)
{
	memset(etm, 0, sizeof(*etm));
	return etm_metadata_read(etm, words, n, 0, NULL);
}

START_TEST(metadata_versions)
{
	const uint64_t v0[] = { 0, 9ull << 32 | 2, 0, ETMV4, 0, 0x41, 0x10, 1, 2, 3, 4,
				5, ETMV3,          1, 0,     0, 0,    0 };
	const uint64_t v1[] = { 1, 9ull << 32 | 2, 0, ETMV4, 4,    7,    0x41, 0x10, 1, 2, 3, 4,
				5, ETMV4,          6, 8,     0x80, 0x11, 1,    2,    3, 4, 5, 1 };
	const uint64_t v2[] = { 2, 9ull << 32 | 2, 0,         ETE, 0, 9, 0x8080, 0x12, 1, 2, 3, 4,
				5, 0x47705a13,     3,         ETE, 1, 9, 0x40,   0x13, 1, 2, 3, 4,
				5, 0x47704a13,     UINT64_MAX };
	struct spe_etm etm;

	ck_assert_int_eq(metadata(v0, sizeof(v0) / 8, &etm), SPE_OK);
	ck_assert_uint_eq(etm.units.count, 2);
	ck_assert_int_eq(etm.units.items[0].source.pid_format, SPE_ETM_PID_EL1);
	ck_assert_uint_eq(etm.units.items[0].source.idr8, 4);
	ck_assert(!etm.units.items[1].source.supported);
	free(etm.units.items);
	ck_assert_int_eq(metadata(v1, sizeof(v1) / 8, &etm), SPE_OK);
	ck_assert_int_eq(etm.units.items[0].source.cpu, 4);
	ck_assert(!etm.units.items[0].source.has_ts_source);
	ck_assert_int_eq(etm.units.items[1].source.pid_format, SPE_ETM_PID_EL2);
	ck_assert_uint_eq(etm.units.items[1].source.ts_source, 1);
	free(etm.units.items);
	ck_assert_int_eq(metadata(v2, sizeof(v2) / 8, &etm), SPE_OK);
	ck_assert(etm.units.items[0].source.ete);  /* by the register ... */
	ck_assert(!etm.units.items[1].source.ete); /* ... not by the magic */
	ck_assert_uint_eq(etm.units.items[0].source.ts_source, 3);
	ck_assert(!etm.units.items[1].source.has_ts_source);
	free(etm.units.items);
}
END_TEST

START_TEST(metadata_is_held_against_its_size)
{
	uint64_t words[] = { 1, 9ull << 32 | 1, 0, ETMV4, 0, 7, 0x41, 0x10, 1, 2, 3, 4, 5 };
	size_t whole = sizeof(words) / 8;
	struct spe_etm etm;

	for (size_t n = 0; n < whole; n++) {
		ck_assert_int_eq(metadata(words, n, &etm), SPE_CORRUPT);
		free(etm.units.items);
	}
	words[5] = UINT64_MAX;
	ck_assert_int_eq(metadata(words, whole, &etm), SPE_CORRUPT);
	free(etm.units.items);
	words[5] = 7;
	words[1] = 0xffffffff;
	ck_assert_int_eq(metadata(words, whole, &etm), SPE_CORRUPT);
	free(etm.units.items);
	words[0] = 3;
	ck_assert_int_eq(metadata(words, whole, &etm), SPE_UNSUPPORTED);
}
END_TEST

/* ---- public recordings ------------------------------------------------------- */

static bool shared_path(char *path, size_t size, const char *name)
{
	const char *shared = getenv("SPE_SHARED");
	FILE *f;

	snprintf(path, size, "%s/data/etm/%s", shared ? shared : "../shared", name);
	f = fopen(path, "r");
	if (f)
		fclose(f);
	return f != NULL;
}

struct expected {
	const char *file;
	int cpu;
	uint64_t contexts, before_sync;
	uint32_t first_tid;
	size_t first_run; /* contexts of that thread before another's */
};

static const struct expected recordings[] = {
	{ "perf/android-perf.data", 5, 2, 0, 16049, 2 },
	{ "perf/android-perf_etm.data", 7, 2, 0, 17235, 2 },
	{ "perf/android-perf_kernel.data", 7, 47, 959, 16857, 47 },
	{ "perf/android-perf_with_recording_process.data", 6, 11, 373, 7973, 11 },
	{ "perf/android-perf_with_recording_process.data", 7, 45, 996, 7974, 1 },
	{ "perf/android-perf_with_unformatted_trace.data", 0, 2, 0, 319, 2 },
};

static void check_recording(const struct expected *e, const char *path)
{
	struct spe_perfdata_opts opts = { .size = sizeof(opts) };
	struct spe_error error = { 0 };
	const struct spe_etm_context *c;
	struct spe_perfdata *pd;
	struct spe_etm *etm;
	size_t n, i = 0, run = 0;

	ck_assert_msg(!spe_perfdata_open(path, &opts, &pd, &error), "%s", error.text);
	ck_assert_msg(!spe_etm_new(pd, &etm, &error), "%s", error.text);
	for (size_t k = 0; k < spe_etm_sources(etm); k++) {
		if (spe_etm_source(etm, k)->cpu != e->cpu)
			continue;
		ck_assert_uint_eq(spe_etm_stats(etm, k)->contexts, e->contexts);
		ck_assert_uint_eq(spe_etm_stats(etm, k)->before_sync_bytes, e->before_sync);
		ck_assert_uint_eq(spe_etm_stats(etm, k)->bad_packets, 0);
	}
	c = spe_etm_contexts(etm, &n);
	while (i < n && c[i].cpu != e->cpu)
		i++;
	for (; i < n && c[i].cpu == e->cpu && c[i].tid == e->first_tid; i++)
		run++;
	ck_assert_uint_eq(run, e->first_run);
	spe_etm_free(etm);
	spe_perfdata_close(pd);
}

START_TEST(public_recordings)
{
	char path[4096];

#ifndef HAVE_OPENCSD
	return;
#endif
	if (shared_path(path, sizeof(path), recordings[_i].file))
		check_recording(&recordings[_i], path);
}
END_TEST

START_TEST(missing_trace_is_said)
{
	const char *name = "perf/android-perf_with_missing_aux_data.data";
	struct spe_perfdata_opts opts = { .size = sizeof(opts) };
	struct spe_perfdata *pd;
	struct spe_etm *etm;
	char path[4096];
	size_t n;

	if (!shared_path(path, sizeof(path), name))
		return;
	ck_assert(!spe_perfdata_open(path, &opts, &pd, NULL));
	ck_assert(!spe_etm_new(pd, &etm, NULL));
	ck_assert_uint_eq(spe_etm_totals(etm)->promised_bytes, 1535344);
	ck_assert_uint_eq(spe_etm_totals(etm)->missing_bytes, 1535344);
	spe_etm_contexts(etm, &n);
	ck_assert_uint_eq(n, 0);
	spe_etm_free(etm);
	spe_perfdata_close(pd);
}
END_TEST

#ifdef HAVE_OPENCSD

static bool read_shared(struct bytes *b, const char *name)
{
	char path[4096];
	FILE *f;

	if (!shared_path(path, sizeof(path), name))
		return false;
	f = fopen(path, "r");
	b->n = fread(b->at, 1, sizeof(b->at), f);
	fclose(f);
	return true;
}

START_TEST(bare_snapshots)
{
	struct spe_etm_source ete = { .supported = true,
				      .ete = true,
				      .trace_id = 2,
				      .pid_format = SPE_ETM_PID_EL1,
				      .configr = 0xc1,
				      .traceidr = 2,
				      .devarch = 0x47705a13,
				      .idr0 = 0x2801cea1,
				      .idr1 = 0x4100fff0,
				      .idr2 = 0xd0001088 };
	struct spe_etm_source a57 = { .supported = true,
				      .trace_id = 0x10,
				      .configr = 1,
				      .traceidr = 0x10,
				      .idr0 = 0x08000ca1,
				      .idr1 = 0x4200f410,
				      .idr2 = 0x20001088,
				      .pid_format = SPE_ETM_PID_EL1 };
	const struct spe_etm_context *c;
	struct spe_etm *etm;
	struct bytes b;
	size_t n;

	if (!read_shared(&b, "opencsd/trace_file_cid_vmid/session1.bin"))
		return;
	etm = read_bare(&ete, false, &b);
	c = spe_etm_contexts(etm, &n);
	ck_assert_uint_eq(n, 52);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(c[i].tid, 0x4300);
	spe_etm_free(etm);
	ck_assert(read_shared(&b, "opencsd/a57_single_step/CSTMC_TRACE_FIFO.bin"));
	etm = read_bare(&a57, true, &b);
	c = spe_etm_contexts(etm, &n);
	ck_assert_uint_eq(n, 2);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(c[i].el, 2);
		ck_assert_uint_eq(c[i].security, 1);
		ck_assert_uint_eq(c[i].context_id, 0);
	}
	ck_assert(!c[1].has_timestamp && c[1].has_next_timestamp);
	ck_assert_uint_eq(c[1].next_timestamp, 0x2f150c0);
	spe_etm_free(etm);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("attribution-etm");
	TCase *tc = tcase_create("etm");
	SRunner *runner;
	int failed;

#ifdef HAVE_OPENCSD
	tcase_add_test(tc, raw_stream);
	tcase_add_test(tc, formatted_frames);
	tcase_add_test(tc, el2_host_has_its_thread_in_vmid);
	tcase_add_test(tc, bytes_before_the_first_sync_are_counted);
	tcase_add_test(tc, damage_is_counted_and_survived);
	tcase_add_test(tc, every_cut_gives_a_prefix);
	tcase_add_test(tc, repeated_aux_records_cost_nothing);
	tcase_add_test(tc, bare_snapshots);
#else
	tcase_add_test(tc, without_opencsd_it_says_so);
#endif
	tcase_add_test(tc, metadata_versions);
	tcase_add_test(tc, metadata_is_held_against_its_size);
	tcase_add_loop_test(tc, public_recordings, 0, sizeof(recordings) / sizeof(recordings[0]));
	tcase_add_test(tc, missing_trace_is_said);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
