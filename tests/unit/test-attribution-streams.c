/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUX streams: seams, rounding, snapshots, breaks, gaps; and that owners and
 * counts depend on none of: chunks, batches, pieces, threads.
 */
#include "recording-file.h"

#define S 1000000000ull
#define US 1000ull
#define RING 4096u

static const struct spe_stream_info *stream_of(const struct answers *a)
{
	return spe_recording_stream(a->recording, 0);
}

static uint64_t bytes_in(const struct spe_decode_stats *stats)
{
	uint64_t sum = stats->record_bytes + stats->padding_bytes;

	for (int i = 0; i < SPE_DROP_KINDS; i++)
		sum += stats->drop_bytes[i];
	return sum;
}

static struct file *plain(void)
{
	struct file *f = file_new((struct file_kind){ 0 });

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	return f;
}

/* Records of odd length, without padding, of alpha and beta in turn, now and then nobody. */
static void put_odd_records(struct trace *t, int count)
{
	for (int i = 0; i < count; i++) {
		put_pc(t, EL0_PC + (uint64_t)i);
		if (i % 7)
			put_context1(t, i % 2 ? 100 : 200);
		put_op(t, SPE_OP_OTHER, 0);
		if (i % 3)
			put_events(t, 2);
		put_timestamp(t, S + (uint64_t)i * US);
	}
}

static void check_odd_records(const struct answers *a, int count)
{
	ck_assert_uint_eq(a->count, count);
	for (int i = 0; i < count; i++) {
		int pid = i % 2 ? 100 : 200;

		if (i % 7)
			expect(a, i, pid, pid, CONTEXT);
		else
			expect(a, i, -1, -1, NONE);
		ck_assert_uint_eq(a->samples[i].record.pc, 0x400000 + (uint64_t)i);
		ck_assert_uint_eq(a->samples[i].time_ns, S + (uint64_t)i * US);
	}
	ck_assert_uint_eq(bytes_in(&a->stats), stream_of(a)->bytes);
}

/* ---- seams ------------------------------------------------------------------------- */

/* However the stream was read out, the records are the same; sizes are rounded up to 8. */
START_TEST(chunks_are_joined_by_offset)
{
	static const size_t cuts[] = { 1, 2, 3, 5, 8, 31, 64, 333, 100000 };
	struct trace t = { 0 };
	struct spe_decode_stats first = { 0 };

	put_odd_records(&t, 300);
	for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
		struct file *f = plain();
		struct answers a;

		/* zeros at the end of a chunk that are trace must not be taken for rounding */
		for (size_t at = 0; at < t.n; at += cuts[c])
			file_auxtrace(f, 0, -1, at, t.bytes + at,
				      at + cuts[c] < t.n ? cuts[c] : t.n - at);
		a = ask_file(f);
		check_odd_records(&a, 300);
		ck_assert_uint_eq(stream_of(&a)->gaps, 0);
		a.stats.padding_bytes = 0; /* the last rounding depends on the cut */
		if (!c)
			first = a.stats;
		ck_assert_mem_eq(&first, &a.stats, sizeof(first));
		answers_free(&a);
		file_free(f);
	}
}
END_TEST

/* Records come in order of the stream, not of the file. */
START_TEST(chunks_are_ordered_by_offset)
{
	struct file *f = plain();
	struct trace t = { 0 };
	struct answers a;

	put_odd_records(&t, 40);
	ck_assert_uint_gt(t.n, 512);
	file_aux(f, 0, S, 0, t.n, 0);
	file_auxtrace(f, 0, -1, 504, t.bytes + 504, t.n - 504);
	file_auxtrace(f, 1, -1, 0, t.bytes, t.n);
	file_auxtrace(f, 0, -1, 0, t.bytes, 504);
	a = ask_file(f);
	ck_assert_uint_eq(spe_recording_streams(a.recording), 2);
	ck_assert_uint_eq(a.count, 80);
	for (size_t i = 0; i < 80; i++) {
		ck_assert_uint_eq(a.samples[i].record.pc, 0x400000 + i % 40);
		ck_assert_uint_eq(a.samples[i].stream, i / 40);
		ck_assert_int_eq(a.samples[i].cpu, (int)(i / 40));
	}
	answers_free(&a);
	file_free(f);
}
END_TEST

/* A record cut off at the end of a buffer never lends its context to the next one. */
START_TEST(cut_records_are_dropped)
{
	for (int truncated = 0; truncated < 2; truncated++) {
		struct file *f = plain();
		struct trace one = { 0 }, two = { 0 };
		struct answers a;

		put_pc(&one, EL0_PC + 0xabc);
		put_context1(&one, 200);
		put_zeros(&one, (8 - one.n % 8) % 8);
		put_pc(&two, EL0_PC + 0x200);
		put_op(&two, SPE_OP_OTHER, 0);
		put_timestamp(&two, S);
		file_aux(f, 0, S, 0, one.n, truncated ? SPE_AUX_TRUNCATED : 0);
		file_auxtrace(f, 0, -1, 0, one.bytes, one.n);
		file_auxtrace(f, 0, -1, truncated ? one.n : 4096, two.bytes, two.n);
		a = ask_file(f);
		ck_assert_uint_eq(a.count, 1);
		expect(&a, 0, -1, -1, NONE);
		ck_assert_uint_eq(a.samples[0].record.pc, 0x400200);
		ck_assert_uint_eq(a.stats.drops[SPE_DROP_CUT], 1);
		ck_assert_uint_eq(stream_of(&a)->truncated, truncated);
		answers_free(&a);
		file_free(f);
	}
}
END_TEST

/* TRUNCATED in the middle of a chunk breaks it there. */
START_TEST(truncated_breaks_a_chunk)
{
	struct file *f = plain();
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, S);
	put_pc(&t, EL0_PC + 1);
	put_context1(&t, 200);
	put_zeros(&t, 128 - t.n);
	put_sample(&t, EL0_PC + 2, NO_CONTEXT, NO_CONTEXT, S + 2 * US);
	file_aux(f, 0, S + US, 0, 128, SPE_AUX_TRUNCATED | SPE_AUX_COLLISION);
	file_aux(f, 0, S + 2 * US, 128, 0, SPE_AUX_TRUNCATED);
	file_aux(f, 0, S + 3 * US, 128, 64, SPE_AUX_PARTIAL);
	file_auxtrace(f, 0, -1, 0, t.bytes, t.n);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 2);
	expect(&a, 0, 100, 100, CONTEXT);
	expect(&a, 1, -1, -1, NONE);
	ck_assert_uint_eq(stream_of(&a)->aux_records, 3);
	ck_assert_uint_eq(stream_of(&a)->truncated, 2);
	ck_assert_uint_eq(stream_of(&a)->partial, 1);
	ck_assert_uint_eq(stream_of(&a)->collisions, 1);
	ck_assert_uint_eq(stream_of(&a)->loss_first_ns, S + US);
	ck_assert_uint_eq(stream_of(&a)->loss_last_ns, S + 3 * US);
	ck_assert_uint_eq(bytes_in(&a.stats), t.n);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* What AUX records promise and the file does not hold. */
START_TEST(missing_bytes_are_counted)
{
	struct file *f = plain();
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, S);
	put_sample(&t, EL0_PC, 200, NO_CONTEXT, S + US);
	file_aux(f, 0, S, 0, 256, 0);
	file_aux(f, 0, S, 256, 64, 0);
	file_aux(f, 0, S, 1024, 64, 0); /* between lies what the driver skipped */
	file_auxtrace(f, 0, -1, 0, t.bytes, 64);
	file_auxtrace(f, 0, -1, 192, t.bytes + 64 + 24, 40);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 1); /* the second begins inside a range, and inside a record */
	ck_assert_uint_eq(a.stats.drops[SPE_DROP_SKIPPED], 1);
	ck_assert_uint_eq(stream_of(&a)->gaps, 3); /* the second spans two ranges */
	ck_assert_uint_eq(stream_of(&a)->gap_bytes, 128 + 24 + 64 + 64);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- snapshots ---------------------------------------------------------------------------- */

/* What stands in the ring when `written` bytes of t went into it, oldest first. */
static void file_snapshot(struct file *f, const struct trace *t, size_t written)
{
	uint64_t head = written % RING;

	file_aux(f, 0, S, head, head, SPE_AUX_OVERWRITE);
	if (written < RING)
		file_auxtrace(f, 0, -1, 0, t->bytes, written);
	else
		file_auxtrace(f, 0, -1, head, t->bytes + written - RING, RING);
}

static void put_padded_records(struct trace *t, int count)
{
	for (int i = 0; i < count; i++)
		put_sample(t, EL0_PC + (uint64_t)i, i % 2 ? 100 : 200, NO_CONTEXT,
			   S + (uint64_t)i * US);
}

/* Each record once, though snapshots overlap, and whole laps may lie between them. */
START_TEST(snapshots_are_merged)
{
	static const struct {
		size_t written[3];
		size_t records, repeated;
	} cases[] = {
		{ { 2048, 5120, 6400 }, 100, 16 + 44 },
		{ { 4096, 4096, 4096 }, 64, 128 },
		{ { 5120, 5120 + 3 * 4096, 5120 + 3 * 4096 + 64 }, 64 + 64 + 1, 63 },
		{ { 5120, 5120 + 4096, 5120 + 4096 }, 128, 64 },
	};
	static struct trace t;

	t.n = 0;
	put_padded_records(&t, 400);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct file *f = plain();
		uint64_t before = 0;
		struct answers a;

		for (size_t i = 0; i < 3; i++)
			file_snapshot(f, &t, cases[c].written[i]);
		a = ask_file(f);
		ck_assert_uint_eq(a.count, cases[c].records);
		ck_assert_uint_eq(a.stats.drops[SPE_DROP_DUPLICATE], cases[c].repeated);
		ck_assert_uint_eq(a.stats.drop_bytes[SPE_DROP_DUPLICATE], cases[c].repeated * 64);
		ck_assert_uint_eq(bytes_in(&a.stats),
				  stream_of(&a)->bytes + cases[c].repeated * 64);
		for (size_t i = 0; i < a.count; i++) {
			ck_assert_uint_gt(a.samples[i].time_ns, before);
			before = a.samples[i].time_ns;
		}
		ck_assert_uint_eq(before, S + (cases[c].written[2] / 64 - 1) * US);
		ck_assert(spe_recording_facts(a.recording)->snapshots);
		answers_free(&a);
		file_free(f);
	}
}
END_TEST

/* Records without alignment: the ring begins inside one, which is skipped and counted. */
START_TEST(a_snapshot_may_begin_inside_a_record)
{
	struct file *f = plain();
	static struct trace t;
	struct answers a;
	size_t count = 0;

	t.n = 0;
	put_odd_records(&t, 400);
	ck_assert_uint_gt(t.n, RING);
	file_snapshot(f, &t, t.n);
	a = ask_file(f);
	count = a.count;
	ck_assert_uint_gt(count, 100);
	ck_assert_uint_eq(a.stats.drops[SPE_DROP_SKIPPED], 1);
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(a.samples[i].record.pc, 0x400000 + 400 - count + i);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- independence -----------------------------------------------------------------------------
 */

/* Enough for several pieces; damage in places; two CPUs. */
static struct file *big(size_t chunk)
{
	static struct trace t;
	struct file *f = plain();
	size_t at = 0;

	t.n = 0;
	put_odd_records(&t, 6000);
	memset(t.bytes + 50000, 0x1f, 12); /* decodes to nothing */
	for (int cpu = 0; cpu < 2; cpu++) {
		uint64_t offset = 0;

		for (int round = 0; round < 7; round++) {
			for (at = 0; at < t.n; at += chunk) {
				size_t n = at + chunk < t.n ? chunk : t.n - at;

				file_auxtrace(f, cpu, -1, offset + at, t.bytes + at, n);
			}
			offset += t.n;
		}
	}
	for (int i = 0; i < 100; i++)
		file_switch(f, i % 2, S + (uint64_t)i * 60 * US, 100 + i % 4 / 2 * 100,
			    100 + i % 4 / 2 * 100, 200 - i % 4 / 2 * 100, 200 - i % 4 / 2 * 100);
	return f;
}

static void check_equal(const struct answers *a, const struct answers *b)
{
	ck_assert_uint_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++)
		ck_assert_mem_eq(&a->samples[i], &b->samples[i], sizeof(a->samples[i]));
	for (size_t i = 0; i < spe_recording_streams(a->recording); i++) {
		struct spe_stream_info x = *spe_recording_stream(a->recording, i);
		struct spe_stream_info y = *spe_recording_stream(b->recording, i);

		x.chunks = y.chunks = 0;
		ck_assert_mem_eq(&x.decode, &y.decode, sizeof(x.decode));
		ck_assert_mem_eq(&x.with_el1_context, &y.with_el1_context,
				 sizeof(x) - offsetof(struct spe_stream_info, with_el1_context));
	}
}

START_TEST(nothing_depends_on_how_it_is_read)
{
	static const struct {
		size_t chunk, room, batch;
		unsigned threads;
	} ways[] = { { 1 << 16, 1, 0, 1 },
		     { 1 << 16, 1000, 3, 2 },
		     { 1 << 16, 100000, 100000, 7 },
		     { 30000, 100, 0, 2 },
		     { 40, 77, 0, 1 } };
	struct file *f = big(1 << 16);
	struct answers usual = ask_file(f);

	ck_assert_uint_ge(spe_recording_pieces(usual.recording), 4);
	ck_assert_uint_ge(usual.stats.drops[SPE_DROP_CORRUPT], 10);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i += THINNED(2)) {
		struct file *g = big(ways[i].chunk);
		struct spe_recording_opts opts = recording_opts();
		struct answers a;

		opts.threads = ways[i].threads;
		opts.batch_records = ways[i].batch;
		a = open_file(g, &opts);
		read_answers(&a, ways[i].room);
		check_equal(&usual, &a);
		answers_free(&a);
		file_free(g);
	}
	answers_free(&usual);
	file_free(f);
}
END_TEST

/* Pieces come by (stream, offset), hold all bytes, and their times bound their records. */
START_TEST(pieces_tile_the_streams)
{
	struct file *f = big(1 << 16);
	struct answers a = ask_file(f);
	uint64_t bytes = 0, whole = 0;
	uint32_t stream = 0;

	for (size_t i = 0; i < spe_recording_pieces(a.recording); i++) {
		const struct spe_piece *piece = spe_recording_piece(a.recording, i);

		ck_assert_uint_ge(piece->stream, stream);
		stream = piece->stream;
		bytes += piece->bytes;
		ck_assert_uint_ge(piece->first_ns, S);
		ck_assert_uint_le(piece->last_ns, S + 5999 * US);
	}
	for (size_t i = 0; i < spe_recording_streams(a.recording); i++)
		whole += spe_recording_stream(a.recording, i)->bytes;
	ck_assert_uint_eq(bytes, whole);
	ck_assert_ptr_null(spe_recording_piece(a.recording, spe_recording_pieces(a.recording)));
	ck_assert_ptr_null(spe_recording_stream(a.recording, 2));
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- alignment, models, AUXTRACE_INFO
 * -------------------------------------------------------------- */

START_TEST(alignment_is_inferred)
{
	struct file *f = plain();
	static struct trace t;
	struct answers a;

	t.n = 0;
	put_padded_records(&t, 20);
	file_trace(f, 0, &t);
	t.n = 0;
	put_padded_records(&t, 3);
	file_trace(f, 1, &t);
	t.n = 0;
	put_odd_records(&t, 40);
	file_trace(f, 2, &t);
	a = ask_file(f);
	ck_assert_uint_eq(spe_recording_stream(a.recording, 0)->align_bytes, 64);
	ck_assert_uint_eq(spe_recording_stream(a.recording, 1)->align_bytes, 0); /* too few */
	ck_assert_uint_eq(spe_recording_stream(a.recording, 2)->align_bytes, 1);
	answers_free(&a);
	file_free(f);
}
END_TEST

#define BLOCK 0x1010101010101010ull
#define N1 0x413fd0c1ull
#define V1 0x411fd401ull

/* Version 2: three parameters a CPU or four, or more than anybody knows. */
START_TEST(models_come_from_the_metadata)
{
	static const uint64_t info[] = { 2,   4,     SPE_PMU, 3,          BLOCK, 1, 3, N1, SPE_PMU,
					 256, BLOCK, 0,       4,          V1,    9, 0, 0,  BLOCK,
					 7,   5,     N1,      UINT32_MAX, 0,     0, 0 };
	struct trace t = { 0 };
	uint64_t force[] = { 0, 0x12345 };

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, S);
	for (int i = 0; i < 2; i++) {
		struct file *f = file_new((struct file_kind){ .no_info = true });
		struct spe_recording_opts opts = recording_opts();
		struct answers a;

		file_info(f, info, sizeof(info) / sizeof(info[0]));
		file_trace(f, 0, &t);
		file_trace(f, 1, &t);
		file_trace(f, 2, &t);
		opts.midr = force[i];
		a = open_file(f, &opts);
		ck_assert_uint_eq(spe_recording_stream(a.recording, 0)->midr, i ? force[1] : V1);
		ck_assert_uint_eq(spe_recording_stream(a.recording, 1)->midr, i ? force[1] : N1);
		ck_assert_uint_eq(spe_recording_stream(a.recording, 2)->midr, i ? force[1] : 0);
		ck_assert_uint_eq(spe_recording_stream_attr(a.recording, 1), 0);
		answers_free(&a);
		file_free(f);
	}
}
END_TEST

/* Blocks that lie about their length: the trace is read all the same. */
START_TEST(damaged_metadata_is_survived)
{
	static const uint64_t infos[][8] = {
		{ 2, 4, SPE_PMU, 1, BLOCK, 0, 4, N1 },
		{ 2, 4, SPE_PMU, 9, BLOCK, 0, UINT64_MAX, N1 },
		{ 2, UINT64_MAX, SPE_PMU, 1, BLOCK, 0, 4, N1 },
		{ 2, 4, SPE_PMU, 1, 77, 0, 1, N1 },
	};
	struct trace t = { 0 };

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, S);
	for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
		for (size_t words = 3; words <= 8; words++) {
			struct file *f = file_new((struct file_kind){ .no_info = true });
			struct answers a;

			file_comm(f, 100, 100, "alpha", 0);
			file_info(f, infos[i], words);
			file_trace(f, 0, &t);
			a = ask_file(f);
			expect(&a, 0, 100, 100, CONTEXT);
			ck_assert_uint_eq(stream_of(&a)->midr, 0);
			answers_free(&a);
			file_free(f);
		}
	}
}
END_TEST

/* Offsets that no file can have. */
START_TEST(impossible_offsets_are_left_out)
{
	struct file *f = plain();
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, S);
	file_aux(f, 0, S, UINT64_MAX - 8, 64, 0);
	file_aux(f, 0, S, 8, UINT64_MAX, SPE_AUX_TRUNCATED);
	file_auxtrace(f, 0, -1, UINT64_MAX - 16, t.bytes, t.n);
	file_auxtrace(f, 0, -1, 64, t.bytes, t.n);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 1);
	ck_assert_uint_eq(a.samples[0].record.aux_offset, 64);
	answers_free(&a);
	file_free(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("streams");
	TCase *tc = tcase_create("streams");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, chunks_are_joined_by_offset);
	tcase_add_test(tc, chunks_are_ordered_by_offset);
	tcase_add_test(tc, cut_records_are_dropped);
	tcase_add_test(tc, truncated_breaks_a_chunk);
	tcase_add_test(tc, missing_bytes_are_counted);
	tcase_add_test(tc, snapshots_are_merged);
	tcase_add_test(tc, a_snapshot_may_begin_inside_a_record);
	tcase_add_test(tc, nothing_depends_on_how_it_is_read);
	tcase_add_test(tc, pieces_tile_the_streams);
	tcase_add_test(tc, alignment_is_inferred);
	tcase_add_test(tc, models_come_from_the_metadata);
	tcase_add_test(tc, damaged_metadata_is_survived);
	tcase_add_test(tc, impossible_offsets_are_left_out);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
