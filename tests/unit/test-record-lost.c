/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that are cut, damaged or empty; finding the next boundary; snapshots; restarts. */
#include "record-decode.h"

START_TEST(empty_records_are_dropped)
{
	put_end(&trace);
	put_zeros(&trace, 5);
	put_timestamp(&trace, 0);
	put_pc(&trace, 0x80000000004004a8);
	put_end(&trace);
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(stats.drops[SPE_DROP_EMPTY], 2);
	ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_EMPTY], 10);
	ck_assert_uint_eq(stats.padding_bytes, 5);
}
END_TEST

START_TEST(a_cut_record_is_dropped_whole)
{
	put_plain(0x400000, 1000);
	put_plain(0x400004, 2000);
	for (size_t cut = 1; cut < PLAIN_BYTES; cut++) {
		decode_from(trace.bytes, PLAIN_BYTES + cut, 0, false);
		ck_assert_uint_eq(found_count, 1);
		ck_assert_uint_eq(found[0].pc, 0x400000);
		ck_assert_uint_eq(stats.drops[SPE_DROP_CUT], 1);
		ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_CUT], cut);
	}
}
END_TEST

/* An undefined header swallows eight bytes and ends in the middle of the next packet. */
START_TEST(a_damaged_record_costs_itself_alone)
{
	put_plain(0x400100, 1000);
	put_hex(&trace,
		"b0 bc 0a 40 00 00 00 00 80 ff 64 c9 00 00 00 49 00 52 16 00 71 d0 07 00 00 "
		"00 00 00 00");
	put_plain(0x400200, 3000);
	for (unsigned align = 0; align < 2; align++) {
		decode_from(trace.bytes, trace.n, align, false);
		ck_assert_uint_eq(found_count, 2);
		ck_assert_uint_eq(found[0].pc, 0x400100);
		ck_assert_uint_eq(found[1].pc, 0x400200);
		ck_assert_uint_eq(found[1].context[0], 0x400200);
		ck_assert_uint_eq(found[1].timestamp, 3000);
		ck_assert_uint_eq(stats.drops[SPE_DROP_CORRUPT], 1);
		ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_CORRUPT], 29);
		ck_assert_uint_eq(drops(&stats), 1);
	}
}
END_TEST

/* The end of one record is gone: two run together and neither may take a field of the other. */
START_TEST(records_that_run_together_are_dropped)
{
	put_plain(0x400000, 1000);
	put_plain(0x400004, 2000);
	put_plain(0x400008, 3000);
	put_plain(0x40000c, 4000);
	trace.bytes[PLAIN_BYTES + 19] = 0xf1;
	decode();
	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(found[0].pc, 0x400000);
	ck_assert_uint_eq(found[1].pc, 0x40000c);
	ck_assert_uint_eq(stats.drops[SPE_DROP_CORRUPT], 1);
	ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_CORRUPT], 2 * PLAIN_BYTES);
}
END_TEST

START_TEST(no_end_within_the_limit)
{
	put_plain(0x400000, 1000);
	put_pc(&trace, 0x8000000000400004);
	for (unsigned i = 0; i < 1000; i++)
		put_packet(&trace, 0x9b, 2, i);
	put_timestamp(&trace, 2000);
	put_plain(0x400008, 3000);
	decode();
	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(found[1].pc, 0x400008);
	ck_assert_uint_eq(stats.drops[SPE_DROP_TOO_LONG], 1);
	ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_TOO_LONG], 9 + 3000 + 9);
}
END_TEST

/* A broken record, then the padding of a driver that moved to the start of its buffer. */
START_TEST(a_record_that_breaks_off_into_padding)
{
	put_plain(0x400000, 1000);
	put_pc(&trace, 0x8000000000400004);
	put_zeros(&trace, 5000);
	put_plain(0x400008, 3000);
	put_plain(0x40000c, 4000);
	decode();
	ck_assert_uint_eq(found_count, 3);
	ck_assert_uint_eq(found[1].pc, 0x400008);
	ck_assert_uint_eq(stats.drops[SPE_DROP_TOO_LONG], 1);
}
END_TEST

START_TEST(alignment_tells_the_next_record)
{
	for (unsigned i = 0; i < 4; i++) {
		put_plain(0x400000 + i, 1000 * i);
		put_zeros(&trace, 64 - PLAIN_BYTES);
	}
	trace.bytes[64 + 19] = 0x1f; /* the timestamp's header: no end packet to go by */
	decode_from(trace.bytes, trace.n, 64, false);
	ck_assert_uint_eq(found_count, 3);
	ck_assert_uint_eq(found[1].pc, 0x400002);
	ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_CORRUPT], 64);
	trace.bytes[64 + 19] = 0x71;
	trace.bytes[0] = 0x02;
	decode_from(trace.bytes, trace.n, 64, false);
	ck_assert_uint_eq(found_count, 3);
	ck_assert_uint_eq(found[0].pc, 0x400001);
}
END_TEST

START_TEST(damage_up_to_the_end)
{
	put_plain(0x400000, 1000);
	put_pc(&trace, 0x8000000000400004);
	put_byte(&trace, 0x1f);
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(stats.drops[SPE_DROP_CORRUPT], 1);
	ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_CORRUPT], 10);
}
END_TEST

/* Behind padding too long to be looked over at once. */
START_TEST(damage_before_long_padding)
{
	put_plain(0x400000, 1000);
	put_plain(0x400004, 2000);
	trace.bytes[PLAIN_BYTES] = 0x1f;
	put_zeros(&trace, 5000);
	put_plain(0x400008, 3000);
	put_plain(0x40000c, 4000);
	decode();
	ck_assert_uint_eq(found_count, 3);
	ck_assert_uint_eq(found[1].pc, 0x400008);
	ck_assert_uint_eq(stats.drops[SPE_DROP_CORRUPT], 1);
}
END_TEST

/* In the first record of all, an event bit looks like an end packet, and a PC follows. */
START_TEST(a_payload_is_no_end)
{
	for (unsigned i = 0; i < 3; i++) {
		put_op(&trace, SPE_OP_LOAD_STORE, 0);
		put_packet(&trace, 0x42, 1, 0x01);
		put_pc(&trace, 0x8000000000400000 + i);
		put_total(&trace, 7);
		put_timestamp(&trace, 1000 + i);
	}
	trace.bytes[0] = 0x1f;
	decode();
	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(found[0].pc, 0x400001);
	ck_assert_uint_eq(found[0].present & SPE_HAS_OP, SPE_HAS_OP);
}
END_TEST

/* What the last sound record was like does not bind for ever: it may not have been one. */
START_TEST(an_odd_record_does_not_cost_the_stream)
{
	put_op(&trace, SPE_OP_OTHER, 0);
	put_end(&trace);
	put_byte(&trace, 0x1f);
	for (unsigned i = 0; i < 400; i++)
		put_plain(0x400000 + i, 1000 + i);
	decode();
	ck_assert_uint_gt(found_count, 70);
	ck_assert_uint_lt(found_count, 120);
	ck_assert_uint_eq(found[found_count - 1].pc, 0x400000 + 399);
	ck_assert_uint_eq(drops(&stats), 1);
}
END_TEST

/* Where records are aligned a snapshot's first is, too: what looks like one elsewhere is none. */
START_TEST(an_aligned_snapshot)
{
	put_zeros(&trace, 10);
	put_plain(0x400000, 1000);
	put_zeros(&trace, 64 - trace.n);
	put_plain(0x400004, 2000);
	decode_from(trace.bytes, trace.n, 64, true);
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].pc, 0x400004);
	ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_SKIPPED], 64);
	decode_from(trace.bytes, trace.n, 2, true);
	ck_assert_uint_eq(found_count, 2);
}
END_TEST

/* Inside the end packet of the first record (19 to 27) only zeros tell nothing of it. */
START_TEST(a_snapshot_begins_anywhere)
{
	size_t skipped;

	for (unsigned i = 0; i < 4; i++)
		put_plain(0x400000 + i, 1000 + i);
	for (size_t skip = 0; skip <= PLAIN_BYTES; skip++) {
		skipped = skip == 0 || skip >= 22 ? 0 : PLAIN_BYTES - skip;
		if (skip == 20 || skip == 21)
			skipped += PLAIN_BYTES;
		decode_from(trace.bytes + skip, trace.n - skip, 0, true);
		ck_assert_uint_eq(found_count, skip == 0 ? 4 : skipped > PLAIN_BYTES ? 2 : 3);
		ck_assert_uint_eq(found[found_count - 1].pc, 0x400003);
		ck_assert_uint_eq(stats.drops[SPE_DROP_SKIPPED], skipped ? 1 : 0);
		ck_assert_uint_eq(stats.drop_bytes[SPE_DROP_SKIPPED], skipped);
		ck_assert_uint_eq(drops(&stats), stats.drops[SPE_DROP_SKIPPED]);
	}
}
END_TEST

static size_t decode_more(struct spe_decoder *d)
{
	struct spe_record_array to = { found, sizeof(found[0]), ROOM, 0 };
	size_t used;

	ck_assert_int_eq(spe_decoder_decode(d, trace.bytes, trace.n, 0, true, &to, &used), SPE_OK);
	ck_assert_uint_eq(used, trace.n);
	return to.count;
}

/* Another core's records begin with the operation: what the first core's look like is forgotten. */
START_TEST(a_restart_forgets)
{
	struct spe_decoder *d;

	ck_assert_int_eq(spe_decoder_new(NULL, &d), SPE_OK);
	for (unsigned i = 0; i < 4; i++)
		put_plain(0x400000 + i, 1000 + i);
	ck_assert_uint_eq(decode_more(d), 4);
	spe_decoder_restart(d, 0, false);
	begin();
	for (unsigned i = 0; i < 3; i++) {
		put_op(&trace, SPE_OP_LOAD_STORE, i);
		put_pc(&trace, 0x8000000000400000 + i);
		put_end(&trace);
	}
	trace.bytes[2] = 0x1f;
	ck_assert_uint_eq(decode_more(d), 2);
	ck_assert_uint_eq(found[0].pc, 0x400001);
	ck_assert_uint_eq(spe_decoder_stats(d)->records, 6); /* but counts go on */
	ck_assert_uint_eq(spe_decoder_stats(d)->drops[SPE_DROP_CORRUPT], 1);
	spe_decoder_free(d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("record lost");
	TCase *lost = tcase_create("lost records");
	SRunner *runner = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(lost, begin, NULL);
	tcase_add_test(lost, empty_records_are_dropped);
	tcase_add_test(lost, a_cut_record_is_dropped_whole);
	tcase_add_test(lost, a_damaged_record_costs_itself_alone);
	tcase_add_test(lost, records_that_run_together_are_dropped);
	tcase_add_test(lost, no_end_within_the_limit);
	tcase_add_test(lost, a_record_that_breaks_off_into_padding);
	tcase_add_test(lost, alignment_tells_the_next_record);
	tcase_add_test(lost, damage_up_to_the_end);
	tcase_add_test(lost, damage_before_long_padding);
	tcase_add_test(lost, a_payload_is_no_end);
	tcase_add_test(lost, an_odd_record_does_not_cost_the_stream);
	tcase_add_test(lost, an_aligned_snapshot);
	tcase_add_test(lost, a_snapshot_begins_anywhere);
	tcase_add_test(lost, a_restart_forgets);
	suite_add_tcase(s, lost);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
