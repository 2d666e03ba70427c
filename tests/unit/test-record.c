/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets -> records: whole captured records, presence, what is wanted. */
#include "record-decode.h"

START_TEST(a_kernel_load_of_a_neoverse)
{
	const struct spe_record *r = found;

	put_hex(&trace,
		"b0 d0 c2 a1 ed 66 ba ff c0 00 00 00 00 00 65 80 5f 00 00 49 00 52 16 00 99 "
		"04 00 98 0c 00 b2 28 6b 09 03 37 0e ff 00 9a 01 00 00 00 00 00 00 00 00 00 "
		"00 43 00 00 00 71 2e 65 2f 6a 0a 00 00 00");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(r->length_bytes, 64);
	ck_assert_uint_eq(r->present, SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_CONTEXT_EL2 | SPE_HAS_OP |
					      SPE_HAS_EVENTS | SPE_HAS_ISSUE_LATENCY |
					      SPE_HAS_TOTAL_LATENCY | SPE_HAS_XLAT_LATENCY |
					      SPE_HAS_VA | SPE_HAS_DATA_SOURCE | SPE_HAS_TIMESTAMP);
	ck_assert_uint_eq(r->pc, 0xffffba66eda1c2d0);
	ck_assert_uint_eq(r->el, 2);
	ck_assert_uint_eq(r->security, SPE_NONSECURE);
	ck_assert_uint_eq(r->context[1], 24448);
	ck_assert_uint_eq(r->op_class, SPE_OP_LOAD_STORE);
	ck_assert_uint_eq(r->op_payload, 0);
	ck_assert_uint_eq(r->events, 0x16);
	ck_assert_uint_eq(r->events_bytes, 2);
	ck_assert_uint_eq(r->issue_latency_cycles, 4);
	ck_assert_uint_eq(r->total_latency_cycles, 12);
	ck_assert_uint_eq(r->xlat_latency_cycles, 1);
	ck_assert_uint_eq(r->va, 0xffff0e3703096b28);
	ck_assert_uint_eq(r->va_tag, 0);
	ck_assert_uint_eq(r->data_source, 0);
	ck_assert_uint_eq(r->timestamp, 44731163950);
	/* absent is zero as well */
	ck_assert_uint_eq(r->pa | r->target | r->prev_target | r->context[0], 0);
	ck_assert_uint_eq(r->pa_top | r->target_el, 0);
}
END_TEST

START_TEST(a_branch_not_taken)
{
	put_hex(&trace,
		"b0 e0 b0 ef ed 66 ba ff c0 00 00 00 00 00 65 0e 00 00 00 4a 01 52 42 00 99 "
		"10 00 98 11 00 b1 e4 b0 ef ed 66 ba ff c0 00 00 00 00 00 00 00 00 00 00 00 "
		"00 00 00 00 00 71 8d 65 2f 6a 0a 00 00 00");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].pc, 0xffffba66edefb0e0);
	ck_assert_uint_eq(found[0].target, 0xffffba66edefb0e4);
	ck_assert_uint_eq(found[0].target_el, 2);
	ck_assert_uint_eq(found[0].context[1], 14);
	ck_assert_uint_eq(found[0].events, 0x42);
	ck_assert_uint_eq(found[0].issue_latency_cycles, 16);
	ck_assert_uint_eq(found[0].total_latency_cycles, 17);
	ck_assert_uint_eq(found[0].op_class, SPE_OP_BRANCH);
	ck_assert_uint_eq(found[0].op_payload, 1);
	ck_assert_uint_eq(found[0].timestamp, 44731164045);
	ck_assert(!(found[0].present & (SPE_HAS_VA | SPE_HAS_DATA_SOURCE | SPE_HAS_XLAT_LATENCY)));
}
END_TEST

START_TEST(physical_address_and_peer_cluster)
{
	put_hex(&trace,
		"49 00 52 1e 03 99 51 01 98 f5 01 b2 50 9e d7 f1 3e 40 ff 00 9a 01 00 b3 50 "
		"9e d7 71 3f 40 00 80 43 0c 00 00 71 b3 9a e9 bd 3e 07 00 00");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert(!(found[0].present & (SPE_HAS_PC | SPE_HAS_EL)));
	ck_assert_uint_eq(found[0].va, 0xffff403ef1d79e50);
	ck_assert_uint_eq(found[0].pa, 0x403f71d79e50);
	ck_assert_uint_eq(found[0].pa_top, 0x80);
	ck_assert_uint_eq(found[0].data_source, 12);
	ck_assert_uint_eq(found[0].events, 0x31e);
	ck_assert_uint_eq(found[0].issue_latency_cycles, 337);
	ck_assert_uint_eq(found[0].total_latency_cycles, 501);
	ck_assert_uint_eq(found[0].timestamp, 7966055570099);
}
END_TEST

START_TEST(an_early_model)
{
	put_hex(&trace,
		"49 00 b2 c0 3b 29 0f 00 00 ff ff b3 c0 eb 24 fb 00 00 00 80 9a 00 00 42 16 "
		"b0 00 c4 15 08 00 00 ff ff 98 00 00 71 36 6c 21 2c 09 00 00 00");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].length_bytes, 46);
	ck_assert_uint_eq(found[0].pc, 0xffff00000815c400);
	ck_assert(!(found[0].present & SPE_HAS_EL)); /* the top byte is a sign, no level */
	ck_assert_uint_eq(found[0].el, 0);
	ck_assert_uint_eq(found[0].va, 0xffff00000f293bc0);
	ck_assert_uint_eq(found[0].va_tag, 0xff);
	ck_assert_uint_eq(found[0].pa, 0xfb24ebc0);
	ck_assert_uint_eq(found[0].events_bytes, 1);
	ck_assert_uint_eq(found[0].timestamp, 39395093558);
}
END_TEST

START_TEST(a_user_store_without_time)
{
	put_hex(&trace,
		"b0 a8 04 40 00 00 00 00 80 64 d2 04 00 00 49 01 52 16 00 99 02 00 98 0a 00 "
		"b2 60 5e 1c ab aa aa 00 00 9a 01 00 01");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].length_bytes, 38);
	ck_assert(!(found[0].present & SPE_HAS_TIMESTAMP));
	ck_assert_uint_eq(found[0].pc, 0x4004a8);
	ck_assert(found[0].present & SPE_HAS_EL);
	ck_assert_uint_eq(found[0].el, 0);
	ck_assert_uint_eq(found[0].context[0], 1234);
	ck_assert(!(found[0].present & SPE_HAS_CONTEXT_EL2));
	ck_assert_uint_eq(found[0].va, 0xaaaaab1c5e60);
}
END_TEST

START_TEST(both_contexts_are_kept)
{
	put_hex(&trace,
		"b0 00 10 00 00 00 80 ff a0 64 39 05 00 00 65 80 5f 00 00 48 00 52 02 00 99 "
		"01 00 98 05 00 01");
	put_hex(&trace,
		"b0 00 10 00 00 00 80 ff a0 65 80 5f 00 00 64 39 05 00 00 48 00 52 02 00 99 "
		"01 00 98 05 00 01");
	decode();
	ck_assert_uint_eq(found_count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(found[i].context[0], 1337);
		ck_assert_uint_eq(found[i].context[1], 24448);
		ck_assert_uint_eq(found[i].el, 1);
		ck_assert_uint_eq(found[i].pc, 0xffff800000001000);
	}
	ck_assert_uint_eq(found[1].aux_offset, 31);
}
END_TEST

START_TEST(a_call_with_previous_target)
{
	put_hex(&trace,
		"b0 a8 04 40 00 00 00 00 80 65 ff 07 00 00 4a 0a 62 02 00 00 00 99 03 00 98 "
		"09 00 b1 10 05 40 00 00 00 00 80 b4 a8 04 40 00 00 00 00 80 71 00 e4 0b 54 "
		"02 00 00 00");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].length_bytes, 54);
	ck_assert_uint_eq(found[0].target, 0x400510);
	ck_assert_uint_eq(found[0].prev_target, 0x4004a8);
	ck_assert_uint_eq(found[0].events_bytes, 4);
	ck_assert_uint_eq(found[0].timestamp, 10000000000);
}
END_TEST

/* raw PC packet -> address, exception level (9: none), security state */
static const struct {
	uint64_t raw, address;
	unsigned el, security;
} pcs[] = {
	{ 0x80000000004004a8, 0x4004a8, 0, SPE_NONSECURE },
	{ 0x80ff8000000004a8, 0x00ff8000000004a8, 0, SPE_NONSECURE },
	{ 0xa0ff80000815c400, 0xffff80000815c400, 1, SPE_NONSECURE },
	{ 0xa000000040080000, 0x40080000, 1, SPE_NONSECURE }, /* idmap: low half */
	{ 0xc0ffba66eda1c2d0, 0xffffba66eda1c2d0, 2, SPE_NONSECURE },
	{ 0x20ff800000001000, 0xffff800000001000, 1, SPE_SECURE },
	{ 0xb0ff800000001000, 0xffff800000001000, 1, SPE_REALM },
	{ 0x600000000e002000, 0xe002000, 3, SPE_SECURE },
	{ 0x700000000e002000, 0xe002000, 3, SPE_ROOT },
	{ 0xe0ff00000e002000, 0x00ff00000e002000, 3, SPE_NONSECURE },
	{ 0xffff00000815c400, 0xffff00000815c400, 9, 0 },
	{ 0xff7f00000815c400, 0x007f00000815c400, 3, SPE_REALM },
};

START_TEST(code_addresses_are_canonical)
{
	put_pc(&trace, pcs[_i].raw);
	put_target(&trace, pcs[_i].raw);
	put_packet(&trace, 0xb4, 8, pcs[_i].raw);
	put_end(&trace);
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].pc, pcs[_i].address);
	ck_assert_uint_eq(found[0].target, pcs[_i].address);
	ck_assert_uint_eq(found[0].prev_target, pcs[_i].address);
	ck_assert_uint_eq(found[0].security, pcs[_i].security);
	ck_assert_int_eq(!!(found[0].present & SPE_HAS_EL), pcs[_i].el != 9);
	ck_assert_uint_eq(found[0].el, pcs[_i].el == 9 ? 0 : pcs[_i].el);
	ck_assert_uint_eq(found[0].target_el, pcs[_i].el == 9 ? SPE_EL_UNKNOWN : pcs[_i].el);
}
END_TEST

static const struct {
	uint64_t raw, address;
	unsigned tag;
} vas[] = {
	{ 0x0000aaaaab1c5e60, 0xaaaaab1c5e60, 0 },
	{ 0x0b00aaaaab1c5e60, 0xaaaaab1c5e60, 0x0b },
	{ 0x00ff0e3703096b28, 0xffff0e3703096b28, 0 },
	{ 0xffff00000f293bc0, 0xffff00000f293bc0, 0xff },
	{ 0xf0f0000000000000, 0xfff0000000000000, 0xf0 },
	{ 0x00e0000000000000, 0x00e0000000000000, 0 },
};

START_TEST(data_addresses_are_canonical)
{
	put_va(&trace, vas[_i].raw);
	put_end(&trace);
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].va, vas[_i].address);
	ck_assert_uint_eq(found[0].va_tag, vas[_i].tag);
}
END_TEST

START_TEST(tagged_physical_address)
{
	put_pa(&trace, 0xc500000080001000);
	put_end(&trace);
	decode();
	ck_assert_uint_eq(found[0].pa, 0x80001000);
	ck_assert_uint_eq(found[0].pa_top, 0xc5);
}
END_TEST

START_TEST(events_of_every_size)
{
	put_packet(&trace, 0x42, 1, 0x16);
	put_end(&trace);
	put_packet(&trace, 0x52, 2, 0x1603);
	put_end(&trace);
	put_packet(&trace, 0x62, 4, 0x01000016);
	put_end(&trace);
	put_packet(&trace, 0x72, 8, 0x0100000000000016);
	put_end(&trace);
	decode();
	ck_assert_uint_eq(found_count, 4);
	ck_assert_uint_eq(found[0].events, 0x16);
	ck_assert_uint_eq(found[1].events, 0x1603);
	ck_assert_uint_eq(found[2].events, 0x01000016);
	ck_assert_uint_eq(found[3].events, 0x0100000000000016);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(found[i].events_bytes, 1u << i);
}
END_TEST

START_TEST(extended_headers)
{
	put_hex(&trace, "20 b0 a8 04 40 00 00 00 00 80 20 99 04 00 20 98 64 65 01");
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].present,
			  SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_ISSUE_LATENCY | SPE_HAS_TOTAL_LATENCY);
	ck_assert_uint_eq(found[0].pc, 0x4004a8);
	ck_assert_uint_eq(found[0].issue_latency_cycles, 4);
	ck_assert_uint_eq(found[0].total_latency_cycles, 0x6564);
}
END_TEST

/* Reserved indexes, undefined headers, sources that cannot be: known by length, kept apart. */
START_TEST(unknown_packets_are_stepped_over)
{
	put_pc(&trace, 0x80000000004004a8);
	put_hex(&trace, "b5 11 22 33 44 55 66 77 08");    /* address 5 */
	put_hex(&trace, "21 b1 00 00 00 00 00 00 00 80"); /* address 9 */
	put_hex(&trace, "66 01 00 00 00");                /* context 2 */
	put_hex(&trace, "9b 07 00 21 98 05 00");          /* counters 3, 8 */
	put_hex(&trace, "a0 34 12 00 00"); /* no packet; four bytes by its size field */
	put_hex(&trace, "63 00 00 01 00"); /* data source 65536 */
	put_op(&trace, 3, 0x77);
	put_timestamp(&trace, 99);
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(stats.unknown_packets, 7);
	ck_assert_uint_eq(drops(&stats), 0);
	ck_assert_uint_eq(found[0].present, SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_OP |
						    SPE_HAS_TIMESTAMP | SPE_HAS_UNKNOWN);
	ck_assert_uint_eq(found[0].op_class, SPE_OP_UNDEFINED);
	ck_assert_uint_eq(found[0].op_payload, 0x77);
	ck_assert_uint_eq(found[0].timestamp, 99);
}
END_TEST

START_TEST(the_last_of_two_packets_counts)
{
	put_pc(&trace, 0xffff00000815c400);
	put_pc(&trace, 0x80000000004004a8);
	put_context1(&trace, 1);
	put_context1(&trace, 2);
	put_packet(&trace, 0x72, 8, ~UINT64_C(0));
	put_events(&trace, 3);
	put_end(&trace);
	put_pc(&trace, 0x80000000004004a8);
	put_pc(&trace, 0xffff00000815c400);
	put_end(&trace);
	decode();
	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(found[0].present, SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_CONTEXT_EL1 |
						    SPE_HAS_EVENTS | SPE_HAS_DUPLICATE);
	ck_assert_uint_eq(found[0].pc, 0x4004a8);
	ck_assert_uint_eq(found[0].context[0], 2);
	ck_assert_uint_eq(found[0].events, 3);
	ck_assert_uint_eq(found[0].events_bytes, 2);
	ck_assert_uint_eq(found[1].present, SPE_HAS_PC | SPE_HAS_DUPLICATE);
	ck_assert_uint_eq(found[1].security, 0);
}
END_TEST

START_TEST(padding_makes_nothing)
{
	put_zeros(&trace, 77);
	put_hex(&trace, "23 00"); /* alignment */
	put_zeros(&trace, 30);
	put_pc(&trace, 0x80000000004004a8);
	put_hex(&trace, "00 00 3f 00 00"); /* alignment within */
	put_end(&trace);
	put_zeros(&trace, 100);
	decode();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(drops(&stats), 0);
	ck_assert_uint_eq(found[0].aux_offset, 109);
	ck_assert_uint_eq(found[0].length_bytes, 15);
	ck_assert_uint_eq(found[0].present, SPE_HAS_PC | SPE_HAS_EL);
	ck_assert_uint_eq(stats.padding_bytes, 209);
}
END_TEST

/* A record right behind the filler; and one behind an alignment without a filler. */
START_TEST(alignment_ends_where_the_trace_says)
{
	put_zeros(&trace, 11);
	put_hex(&trace, "23 00 00 00 00");
	put_pc(&trace, 0x80000000004004a8);
	put_timestamp(&trace, 5);
	put_hex(&trace, "23 00");
	put_pc(&trace, 0x80000000004004ac);
	put_timestamp(&trace, 6);
	decode();
	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(found[0].aux_offset, 16);
	ck_assert_uint_eq(found[0].pc, 0x4004a8);
	ck_assert_uint_eq(found[1].aux_offset, 36);
	ck_assert_uint_eq(found[1].pc, 0x4004ac);
	ck_assert_uint_eq(drops(&stats), 0);
}
END_TEST

START_TEST(only_what_is_wanted)
{
	struct spe_decoder_opts opts = {
		.size = sizeof(opts),
		.want = SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_TIMESTAMP | SPE_HAS_EL,
	};
	struct spe_record_array to = { found, sizeof(found[0]), ROOM, 0 };
	struct spe_decoder *d;
	size_t used;

	put_plain(0x400000, 1000);
	ck_assert_int_eq(spe_decoder_new(&opts, &d), SPE_OK);
	ck_assert_int_eq(spe_decoder_decode(d, trace.bytes, trace.n, 4096, true, &to, &used),
			 SPE_OK);
	ck_assert_uint_eq(found[0].present, SPE_HAS_CONTEXT_EL1 | SPE_HAS_TIMESTAMP | SPE_HAS_EL);
	ck_assert_uint_eq(found[0].context[0], 0x400000);
	ck_assert_uint_eq(found[0].timestamp, 1000);
	ck_assert_uint_eq(found[0].aux_offset, 4096);
	ck_assert_uint_eq(found[0].length_bytes, PLAIN_BYTES);
	ck_assert_uint_eq(found[0].pc | found[0].events | found[0].op_class, 0);
	spe_decoder_free(d);
}
END_TEST

START_TEST(arguments_are_checked)
{
	struct {
		struct spe_decoder_opts opts;
		uint64_t tail;
	} longer = { .opts = { .size = sizeof(longer) } };
	struct spe_decoder_opts opts = { .size = sizeof(opts), .align_bytes = 24 };
	struct spe_record_array to = { found, sizeof(found[0]), ROOM, 0 };
	struct spe_decoder *d;
	size_t used;

	ck_assert_int_eq(spe_decoder_new(&opts, &d), SPE_INVALID);
	opts = (struct spe_decoder_opts){ .size = sizeof(opts), .kind = 99 };
	ck_assert_int_eq(spe_decoder_new(&opts, &d), SPE_INVALID);
	opts = (struct spe_decoder_opts){ .size = 0 };
	ck_assert_int_eq(spe_decoder_new(&opts, &d), SPE_INVALID);
	ck_assert_int_eq(spe_decoder_new(NULL, NULL), SPE_INVALID);
	opts = (struct spe_decoder_opts){ .size = offsetof(struct spe_decoder_opts, kind) };
	ck_assert_int_eq(spe_decoder_new(&opts, &d), SPE_OK);
	spe_decoder_free(d);
	longer.tail = 1;
	ck_assert_int_eq(spe_decoder_new(&longer.opts, &d), SPE_INVALID);
	longer.tail = 0;
	ck_assert_int_eq(spe_decoder_new(&longer.opts, &d), SPE_OK);
	to.stride_bytes--;
	ck_assert_int_eq(spe_decoder_decode(d, trace.bytes, 0, 0, true, &to, &used), SPE_INVALID);
	to.stride_bytes++;
	ck_assert_int_eq(spe_decoder_decode(d, NULL, 1, 0, true, &to, &used), SPE_INVALID);
	ck_assert_int_eq(spe_decoder_decode(d, NULL, 0, 0, true, &to, &used), SPE_OK);
	spe_decoder_free(d);
	spe_decoder_free(NULL);
}
END_TEST

/* Captured bytes: file, records, of which bytes, time of the first and of the last. */
static const struct {
	const char *name;
	unsigned records, record_bytes, cut;
	uint64_t first_ticks, last_ticks;
} captures[] = {
	{ "branch-44-byte-records.bin", 16, 704, 0, 7969191665714, 7969191809760 },
	{ "branch-end-no-ts.bin", 1, 64, 0, 0, 0 },
	{ "context-el2-lines.bin", 0, 0, 1, 0, 0 },
	{ "el2-context-two-records.bin", 2, 128, 0, 44731163950, 44731164045 },
	{ "pc-after-op-record.bin", 1, 46, 0, 39395093558, 39395093558 },
};

START_TEST(captured_bytes)
{
	const char *shared = getenv("SPE_SHARED");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/data/bytes/%s", shared ? shared : "../shared",
		 captures[_i].name);
	file = fopen(path, "rb");
	if (!file)
		return; /* not on this machine */
	trace.n = fread(trace.bytes, 1, sizeof(trace.bytes), file);
	fclose(file);
	decode();
	ck_assert_uint_eq(found_count, captures[_i].records);
	ck_assert_uint_eq(stats.drops[SPE_DROP_CUT], captures[_i].cut);
	ck_assert_uint_eq(stats.record_bytes, captures[_i].record_bytes);
	if (!found_count)
		return;
	ck_assert_uint_eq(found[0].timestamp, captures[_i].first_ticks);
	ck_assert_uint_eq(found[found_count - 1].timestamp, captures[_i].last_ticks);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("record");
	TCase *whole = tcase_create("whole records");

	tcase_add_checked_fixture(whole, begin, NULL);
	tcase_add_test(whole, a_kernel_load_of_a_neoverse);
	tcase_add_test(whole, a_branch_not_taken);
	tcase_add_test(whole, physical_address_and_peer_cluster);
	tcase_add_test(whole, an_early_model);
	tcase_add_test(whole, a_user_store_without_time);
	tcase_add_test(whole, both_contexts_are_kept);
	tcase_add_test(whole, a_call_with_previous_target);
	tcase_add_loop_test(whole, code_addresses_are_canonical, 0, sizeof(pcs) / sizeof(pcs[0]));
	tcase_add_loop_test(whole, data_addresses_are_canonical, 0, sizeof(vas) / sizeof(vas[0]));
	tcase_add_test(whole, tagged_physical_address);
	tcase_add_test(whole, events_of_every_size);
	tcase_add_test(whole, extended_headers);
	tcase_add_test(whole, unknown_packets_are_stepped_over);
	tcase_add_test(whole, the_last_of_two_packets_counts);
	tcase_add_test(whole, padding_makes_nothing);
	tcase_add_test(whole, alignment_ends_where_the_trace_says);
	tcase_add_test(whole, only_what_is_wanted);
	tcase_add_test(whole, arguments_are_checked);
	tcase_add_loop_test(whole, captured_bytes, 0, sizeof(captures) / sizeof(captures[0]));
	suite_add_tcase(s, whole);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
