/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties of the decoder over random streams, sound and damaged: answers
 * and counts do not depend on how a stream is cut into calls nor on where it
 * lies in memory, counts add up, and a damaged record costs itself alone.
 */
#include <check.h>

#include "record-make.h"

#define RECORDS 4096

struct answer {
	struct spe_record records[RECORDS];
	size_t count;
	struct spe_decode_stats stats;
};

static struct trace trace;
static struct answer whole, cut;
static uint8_t shifted[MAKE_ROOM + 64];

/* As ck_assert(), which writes to a file each time it is come by: too slow for these loops. */
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("%s", #condition);                                            \
	} while (0)

static void check_counts(const struct spe_decode_stats *s, size_t n, size_t records)
{
	uint64_t bytes = s->record_bytes + s->padding_bytes;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		bytes += s->drop_bytes[i];
	must(bytes == n);
	must(s->records == records);
}

struct cuts {
	uint64_t *random; /* NULL: all at once */
	size_t max_bytes;
	size_t max_room;
	uint32_t align_bytes;
	bool in_record;
};

/* As a caller does: what was not used comes again, with more behind it. */
static void decode(const uint8_t *bytes, size_t n, const struct cuts *c, struct answer *a)
{
	struct spe_decoder *d;
	struct spe_record_array to = { .stride_bytes = sizeof(struct spe_record) };
	size_t at = 0, have = 0, used, left;

	a->count = 0;
	memset(a->records, 0xee, (n / 9 < RECORDS ? n / 9 : RECORDS) * sizeof(a->records[0]));
	ck_assert_int_eq(spe_decoder_new(NULL, &d), SPE_OK);
	spe_decoder_restart(d, c->align_bytes, c->in_record);
	do {
		left = n - at - have;
		have += c->random ? make_random(c->random) %
					    (left < c->max_bytes ? left + 1 : c->max_bytes + 1)
				  : left;
		to.first = a->records + a->count;
		to.room = c->random ? 1 + make_random(c->random) % c->max_room : RECORDS;
		if (to.room > RECORDS - a->count)
			to.room = RECORDS - a->count;
		must(to.room > 0);
		must(spe_decoder_decode(d, bytes + at, have, at, at + have == n, &to, &used) ==
		     SPE_OK);
		must(used <= have);
		must(to.count <= to.room);
		a->count += to.count;
		at += used;
		have -= used;
		if (to.count < to.room)
			must(have <= 2048 + SPE_PACKET_MAX_VALUE_BYTES);
	} while (at < n);
	a->stats = *spe_decoder_stats(d);
	spe_decoder_free(d);
	check_counts(&a->stats, n, a->count);
}

static void check_same(const struct answer *a, const struct answer *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_mem_eq(a->records, b->records, a->count * sizeof(a->records[0]));
	ck_assert_mem_eq(&a->stats, &b->stats, sizeof(a->stats));
}

/* Whole, cut at random, and shifted in memory. */
static void check_cuts(uint64_t *random, uint32_t align_bytes, bool in_record)
{
	static const size_t max_bytes[] = { 3, 50, 700, 9000 };
	struct cuts c = { .align_bytes = align_bytes, .in_record = in_record };
	unsigned shift = 1 + make_below(random, 63);

	decode(trace.bytes, trace.n, &c, &whole);
	memcpy(shifted + shift, trace.bytes, trace.n);
	decode(shifted + shift, trace.n, &c, &cut);
	check_same(&whole, &cut);
	c.random = random;
	c.max_bytes = max_bytes[make_below(random, 4)];
	c.max_room = 1 + make_below(random, 40);
	decode(trace.bytes, trace.n, &c, &cut);
	check_same(&whole, &cut);
}

static void put_stream(uint64_t *random, const struct make_style *style, unsigned records)
{
	trace.n = 0;
	for (unsigned i = 0; i < records; i++) {
		put_record(&trace, random, style, i);
		if (!style->align && !style->in_place && !make_below(random, 30))
			put_zeros(&trace, make_below(random, make_below(random, 4) ? 300 : 5000));
	}
}

static void damage(uint64_t *random, unsigned times)
{
	while (times--) {
		size_t at = make_random(random) % trace.n, n = make_below(random, 40);

		switch (make_below(random, 5)) {
		case 0: /* a byte that is no header */
			trace.bytes[at] = (uint8_t)(2 + make_below(random, 30));
			break;
		case 1: /* any byte */
			trace.bytes[at] = (uint8_t)make_random(random);
			break;
		case 2: /* bytes lost */
			n = n < trace.n - at ? n : trace.n - at - 1;
			memmove(trace.bytes + at, trace.bytes + at + n, trace.n - at - n);
			trace.n -= n;
			break;
		case 3: /* bytes zeroed */
			memset(trace.bytes + at, 0, n < trace.n - at ? n : trace.n - at);
			break;
		default: /* one bit */
			trace.bytes[at] ^= (uint8_t)(1u << make_below(random, 8));
		}
	}
}

#define ROUNDS (300 / THINNED(3))

START_TEST(sound_streams)
{
	uint64_t random = 0x9e3779b97f4a7c15 + (unsigned)_i;

	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		put_stream(&random, &make_styles[_i], 200);
		check_cuts(&random, 0, false);
		ck_assert_uint_eq(whole.count, 200);
		for (size_t i = 0; i < whole.count; i++)
			must(!(whole.records[i].present & (SPE_HAS_UNKNOWN | SPE_HAS_DUPLICATE)));
	}
}
END_TEST

START_TEST(damaged_streams)
{
	uint64_t random = 0xd1b54a32d192ed03 + (unsigned)_i;
	const struct make_style *style = &make_styles[_i];

	for (unsigned round = 0; round < ROUNDS; round++) {
		put_stream(&random, style, 60);
		damage(&random, 1 + make_below(&random, 12));
		check_cuts(&random,
			   round & 1               ? 0
			   : style->in_place == 64 ? 64
						   : style->align,
			   round & 2);
	}
}
END_TEST

START_TEST(noise)
{
	uint64_t random = 0x2545f4914f6cdd1d + (unsigned)_i;
	static const uint8_t likely[] = { 0x00, 0x01, 0x71, 0xb0, 0x49, 0x42, 0x98, 0x20, 0x9b };

	trace.n = 0;
	while (trace.n < 6000)
		put_byte(&trace, _i % 3 && make_below(&random, 3)
					 ? likely[make_below(&random, sizeof(likely))]
					 : (unsigned)make_random(&random) & 0xff);
	check_cuts(&random, _i % 4 ? 0 : 1u << make_below(&random, 8), _i & 1);
}
END_TEST

/* Streams made to be slow to look at must not be. */
START_TEST(hostile_streams_take_linear_time)
{
	static const char *const patterns[] = { "01 00 00 00", "01 49 00", "71 71 71", "9b 01 01",
						"01 9b 01 01", "b0 49 42", "00" };
	struct cuts c = { .in_record = true };

	size_t n;

	trace.n = 0;
	put_hex(&trace, patterns[_i]);
	for (n = trace.n; trace.n < MAKE_ROOM; put_byte(&trace, trace.bytes[trace.n - n]))
		;
	decode(trace.bytes, trace.n, &c, &whole);
}
END_TEST

/* Where each record of the stream begins, and where its packets do. */
static size_t starts[64];

static void put_marked(uint64_t *random, const struct make_style *style, unsigned records)
{
	trace.n = 0;
	for (unsigned i = 0; i < records; i++) {
		starts[i] = trace.n;
		put_record(&trace, random, style, i);
	}
	starts[records] = trace.n;
}

static bool same_record(const struct spe_record *a, const struct spe_record *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/*
 * One header byte of one record is broken.  Everything else must come out as
 * before; if it was the header of the end packet and nothing tells where the
 * next record begins, that one may be lost too.
 */
static void check_one_damage(const struct make_style *style, unsigned victim, size_t at,
			     bool is_end, uint32_t align_bytes)
{
	struct cuts c = { .align_bytes = align_bytes };
	unsigned expected = 8 - 1 - (is_end && align_bytes <= 1 && victim < 7);
	size_t lost = 0;

	decode(trace.bytes, trace.n, &c, &cut);
	if (cut.count != expected)
		ck_abort_msg("%s: record %u broken at byte %zu: %zu left, not %u", style->name,
			     victim, at, cut.count, expected);
	for (size_t i = 0; i < cut.count; i++) {
		while (!same_record(&cut.records[i], &whole.records[i + lost]))
			if (++lost + i >= whole.count)
				ck_abort_msg("%s: record %u broken at byte %zu"
					     ": a record that never was, at %llu",
					     style->name, victim, at,
					     (unsigned long long)cut.records[i].aux_offset);
	}
	must(cut.stats.drops[SPE_DROP_CORRUPT] == 1);
}

START_TEST(a_damaged_record_costs_itself_alone)
{
	static const uint8_t bad[] = { 0x02, 0x0f, 0x1f };
	const struct make_style *style = &make_styles[_i];
	uint64_t random = 0xa0761d6478bd642f + (unsigned)_i;
	uint32_t align = style->in_place == 64 ? 64 : style->align;
	struct spe_packet packet;
	struct cuts c = { 0 };
	uint8_t good;

	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		unsigned victim = make_below(&random, 8);

		put_marked(&random, style, 8);
		decode(trace.bytes, trace.n, &c, &whole);
		ck_assert_uint_eq(whole.count, 8);
		for (size_t at = starts[victim]; at < starts[victim + 1];
		     at += packet.length_bytes) {
			must(spe_packet_decode(trace.bytes + at, trace.n - at, 0, &packet) ==
			     SPE_OK);
			if (packet.kind == SPE_PACKET_PADDING)
				continue;
			good = trace.bytes[at];
			trace.bytes[at] = bad[make_below(&random, 3)];
			check_one_damage(style, victim, at, packet.kind <= SPE_PACKET_TIMESTAMP, 0);
			if (align)
				check_one_damage(style, victim, at,
						 packet.kind <= SPE_PACKET_TIMESTAMP, align);
			trace.bytes[at] = good;
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("record cuts");
	TCase *t = tcase_create("properties");
	SRunner *runner = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, sound_streams, 0, MAKE_STYLES);
	tcase_add_loop_test(t, damaged_streams, 0, MAKE_STYLES);
	tcase_add_loop_test(t, noise, 0, 40);
	tcase_add_loop_test(t, hostile_streams_take_linear_time, 0, 7);
	tcase_add_loop_test(t, a_damaged_record_costs_itself_alone, 0, MAKE_STYLES);
	suite_add_tcase(s, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
