/* SPDX-License-Identifier: GPL-2.0-only */
/* decode(encode(p)) == p over everything the format has room for, and no more. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/packet.h>

static const uint64_t values[] = { 0, 1, 0x80, 0x1234, 0x89abcdef, 0x8001020304050607, UINT64_MAX };

#define VALUES (sizeof(values) / sizeof(values[0]))

/* How many payload sizes and indexes a kind has room for, said once more and by hand. */
static bool has_room(unsigned kind, unsigned index, unsigned header_bytes, unsigned payload_bytes)
{
	bool extended = header_bytes == 2;

	if (header_bytes < 1 || header_bytes > 2)
		return false;
	switch (kind) {
	case SPE_PACKET_PADDING:
	case SPE_PACKET_END:
		return !extended && !index && !payload_bytes;
	case SPE_PACKET_TIMESTAMP:
		return !extended && !index && payload_bytes == 8;
	case SPE_PACKET_EVENTS:
	case SPE_PACKET_DATA_SOURCE:
		return !extended && !index &&
		       (payload_bytes == 1 || payload_bytes == 2 || payload_bytes == 4 ||
			payload_bytes == 8);
	case SPE_PACKET_OPERATION:
		return !extended && index < 4 && payload_bytes == 1;
	case SPE_PACKET_CONTEXT:
		return !extended && index < 4 && payload_bytes == 4;
	case SPE_PACKET_COUNTER:
		return index < (extended ? 32 : 8) && payload_bytes == 2;
	case SPE_PACKET_ADDRESS:
		return index < (extended ? 32 : 8) && payload_bytes == 8;
	default:
		return false;
	}
}

static void assert_same(const struct spe_packet *a, const struct spe_packet *b)
{
	ck_assert_uint_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->index, b->index);
	ck_assert_uint_eq(a->header_bytes, b->header_bytes);
	ck_assert_uint_eq(a->payload_bytes, b->payload_bytes);
	ck_assert_uint_eq(a->payload, b->payload);
}

static void check_one(unsigned kind, unsigned index, unsigned header_bytes, unsigned payload_bytes,
		      uint64_t value)
{
	struct spe_packet p = { .kind = (uint8_t)kind,
				.index = (uint8_t)index,
				.header_bytes = (uint8_t)header_bytes,
				.payload_bytes = (uint8_t)payload_bytes,
				.payload = value };
	bool fits = payload_bytes >= 8 || !(value >> (8 * payload_bytes));
	uint8_t bytes[SPE_PACKET_MAX_VALUE_BYTES + 1];
	struct spe_packet got;
	size_t written, n = header_bytes + payload_bytes;

	memset(bytes, 0xaa, sizeof(bytes));
	if (!has_room(kind, index, header_bytes, payload_bytes) || !fits) {
		ck_assert_int_eq(spe_packet_encode(&p, 0, bytes, sizeof(bytes), &written),
				 SPE_INVALID);
		ck_assert_uint_eq(bytes[0], 0xaa);
		return;
	}
	for (size_t size = 0; size < n; size++) {
		ck_assert_int_eq(spe_packet_encode(&p, 0, bytes, size, &written), SPE_NEED_MORE);
		ck_assert_uint_eq(written, n);
	}
	ck_assert_int_eq(spe_packet_encode(&p, 0, bytes, n, &written), SPE_OK);
	ck_assert_uint_eq(written, n);
	ck_assert_uint_eq(bytes[n], 0xaa);
	for (size_t cut = 0; cut < n; cut++)
		ck_assert_int_eq(spe_packet_decode(bytes, cut, 0, &got), SPE_NEED_MORE);
	ck_assert_int_eq(spe_packet_decode(bytes, sizeof(bytes), 0, &got), SPE_OK);
	assert_same(&got, &p);
	ck_assert_uint_eq(got.length_bytes, n);
	ck_assert_mem_eq(got.header, bytes, header_bytes);
}

START_TEST(every_packet_comes_back)
{
	unsigned kind = (unsigned)_i;

	for (unsigned index = 0; index < 256; index++)
		for (unsigned header_bytes = 0; header_bytes <= 3; header_bytes++)
			for (unsigned payload_bytes = 0; payload_bytes <= 9; payload_bytes++)
				for (size_t v = 0; v < VALUES; v++)
					if (kind != SPE_PACKET_UNKNOWN &&
					    kind != SPE_PACKET_ALIGNMENT)
						check_one(kind, index, header_bytes, payload_bytes,
							  values[v]);
}
END_TEST

/* Any bytes at all: what decodes encodes to the same bytes. */
START_TEST(all_headers_come_back)
{
	uint8_t bytes[64], again[64];
	struct spe_packet p;
	size_t written;

	for (unsigned pair = 0; pair < 65536; pair++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(i * 37 + 11);
		bytes[0] = (uint8_t)(pair >> 8);
		bytes[1] = (uint8_t)pair;
		if (bytes[0] > 0x01 && bytes[0] < 0x20) {
			ck_assert_int_eq(spe_packet_decode(bytes, sizeof(bytes), 0, &p),
					 SPE_CORRUPT);
			ck_assert_uint_eq(p.kind, SPE_PACKET_UNKNOWN);
			ck_assert_uint_eq(p.length_bytes, 1);
			continue;
		}
		ck_assert_int_eq(spe_packet_decode(bytes, sizeof(bytes), 0, &p), SPE_OK);
		ck_assert_uint_lt(p.kind, SPE_PACKET_KINDS);
		if (p.kind != SPE_PACKET_ALIGNMENT)
			ck_assert_uint_eq(p.length_bytes, p.header_bytes + p.payload_bytes);
		else
			ck_assert_uint_eq(p.length_bytes, 2);
		ck_assert_int_eq(spe_packet_encode(&p, 0, again, sizeof(again), &written), SPE_OK);
		ck_assert_uint_eq(written, p.length_bytes);
		ck_assert_mem_eq(again, bytes, written);
	}
}
END_TEST

/* Lengths of what nobody defined, from the size field alone. */
START_TEST(unknown_headers_have_a_length)
{
	static const uint8_t payload[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint8_t bytes[18];
	struct spe_packet p;
	unsigned unknown = 0;

	for (unsigned h = 0x40; h < 256; h++) {
		bytes[0] = (uint8_t)h;
		memcpy(bytes + 1, payload, sizeof(payload));
		ck_assert_int_eq(spe_packet_decode(bytes, sizeof(bytes), 0, &p), SPE_OK);
		ck_assert_uint_eq(p.payload_bytes, 1u << (h >> 4 & 3));
		unknown += p.kind == SPE_PACKET_UNKNOWN;
	}
	/* 192 bytes less 4 events, 4 sources, 4 operations, 4 contexts, 1 time, 8, 8 */
	ck_assert_uint_eq(unknown, 192 - 33);
	for (unsigned pair = 0x2001; pair < 0x4000; pair++) {
		bool defined = pair < 0x2400 && ((pair & 0xf8) == 0xb0 || (pair & 0xf8) == 0x98);

		if (!(pair & 0xff))
			continue;
		bytes[0] = (uint8_t)(pair >> 8);
		bytes[1] = (uint8_t)pair;
		memcpy(bytes + 2, payload, sizeof(payload));
		ck_assert_int_eq(spe_packet_decode(bytes, sizeof(bytes), 0, &p), SPE_OK);
		ck_assert_uint_eq(p.header_bytes, 2);
		ck_assert_uint_eq(p.payload_bytes, 1u << (pair >> 4 & 3));
		ck_assert_int_eq(p.kind != SPE_PACKET_UNKNOWN, defined);
		if (defined)
			ck_assert_uint_eq(p.index, (pair >> 8 & 3) * 8 + (pair & 7));
	}
}
END_TEST

static uint8_t field[65536 + 16];

/* An alignment depends on where it stands in the trace, and not on where in memory. */
START_TEST(alignment_runs_to_its_boundary)
{
	unsigned exponent = (unsigned)_i & 15;
	uint64_t boundary = 2u << exponent;
	uint8_t spare = (uint8_t)((unsigned)_i & 16);
	struct spe_packet p;
	static uint8_t again[sizeof(field)];
	size_t written;

	for (unsigned step = 0; step < 2 * boundary && step < 600; step++) {
		uint64_t at = (1ull << 40) + (step < 300 ? step : 2 * boundary - (step - 299));
		uint64_t want = boundary - at % boundary;

		if (want < 2)
			want = 2;
		memset(field, 0, sizeof(field));
		field[0] = 0x20 | spare | (uint8_t)exponent;
		field[want] = 0x71;
		ck_assert_int_eq(spe_packet_decode(field, sizeof(field), at, &p), SPE_OK);
		ck_assert_uint_eq(p.kind, SPE_PACKET_ALIGNMENT);
		ck_assert_uint_eq(p.index, exponent);
		ck_assert_uint_eq(p.length_bytes, want);
		ck_assert_uint_le(p.length_bytes, SPE_PACKET_MAX_BYTES);
		ck_assert_int_eq(spe_packet_encode(&p, at, again, want - 1, &written),
				 SPE_NEED_MORE);
		ck_assert_uint_eq(written, want);
		memset(again, 0xaa, want + 1);
		ck_assert_int_eq(spe_packet_encode(&p, at, again, sizeof(again), &written), SPE_OK);
		ck_assert_uint_eq(written, want);
		ck_assert_mem_eq(again, field, want);
		ck_assert_uint_eq(again[want], 0xaa);
		ck_assert_int_eq(spe_packet_decode(field, want - 1, at, &p), SPE_NEED_MORE);
		ck_assert_uint_eq(p.length_bytes, want);
		if (want > 2) {
			ck_assert_uint_eq(p.kind, SPE_PACKET_ALIGNMENT);
			field[want - 1] = 1; /* not filler any more */
			ck_assert_int_eq(spe_packet_decode(field, want, at, &p), SPE_OK);
			ck_assert_uint_eq(p.length_bytes, 2);
			ck_assert_int_eq(spe_packet_encode(&p, at, again, sizeof(again), &written),
					 SPE_OK);
			ck_assert_uint_eq(written, 2);
		}
	}
}
END_TEST

START_TEST(alignment_out_of_range_is_refused)
{
	struct spe_packet p = { .kind = SPE_PACKET_ALIGNMENT, .index = 3, .header_bytes = 2 };
	uint8_t bytes[64];
	size_t written;

	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_OK);
	ck_assert_uint_eq(written, 12);
	p.length_bytes = 11;
	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_INVALID);
	p.length_bytes = 0;
	p.index = 16;
	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_INVALID);
	p.index = 3;
	p.header_bytes = 1;
	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_INVALID);
	p.header_bytes = 2;
	p.payload_bytes = 1;
	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_INVALID);
	p.kind = SPE_PACKET_KINDS;
	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_INVALID);
	/* a header somebody did define is not unknown */
	p = (struct spe_packet){ .kind = SPE_PACKET_UNKNOWN,
				 .header_bytes = 1,
				 .payload_bytes = 8,
				 .header = { 0x71 } };
	ck_assert_int_eq(spe_packet_encode(&p, 4, bytes, sizeof(bytes), &written), SPE_INVALID);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("packet-roundtrip");
	TCase *tc = tcase_create("roundtrip");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, every_packet_comes_back, 0, SPE_PACKET_KINDS);
	tcase_add_test(tc, all_headers_come_back);
	tcase_add_test(tc, unknown_headers_have_a_length);
	tcase_add_loop_test(tc, alignment_runs_to_its_boundary, 0, 32);
	tcase_add_test(tc, alignment_out_of_range_is_refused);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
