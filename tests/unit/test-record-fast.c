/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decoder that knows shapes and the general one agree on every input:
 * records and counts to the byte, with every kind of instructions this machine
 * has, whatever is wanted, however the stream is cut.
 */
#include <check.h>

#include "../../perf-arm-spe/record/decoder.h"
#include "../../perf-arm-spe/record/fast.h"
#include "record-make.h"

#define RECORDS 8192
#define STRIDE (sizeof(struct spe_record) + 40)

struct answer {
	char records[RECORDS][STRIDE];
	size_t count;
	struct spe_decode_stats stats;
};

static struct trace trace;
static struct answer general, fast;

/* As ck_assert(), which writes to a file each time it is come by: too slow for these loops. */
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("%s", #condition);                                            \
	} while (0)

struct run {
	uint32_t kind, want, align_bytes;
	int way;
	bool in_record;
	uint64_t *random; /* NULL: all bytes at once */
};

static struct spe_decoder *start(const struct run *run)
{
	struct spe_decoder_opts opts = { .size = sizeof(opts),
					 .want = run->want,
					 .kind = run->kind };
	struct spe_decoder *d;

	must(spe_decoder_new(&opts, &d) == SPE_OK);
	must(!d->shapes == (run->kind == SPE_DECODER_GENERAL));
	d->way = (uint8_t)run->way;
	spe_decoder_restart(d, run->align_bytes, run->in_record);
	return d;
}

static void decode(const struct run *run, struct answer *a)
{
	struct spe_decoder *d = start(run);
	struct spe_record_array to = { .stride_bytes = STRIDE };
	size_t at = 0, have = 0, used, left;

	memset(a->records, 0xee, sizeof(a->records[0]) * (trace.n / 4 < RECORDS ? trace.n / 4 : 1));
	a->count = 0;
	while (at < trace.n) {
		left = trace.n - at - have;
		have += run->random && left > 5000 ? make_below(run->random, 5000) : left;
		to.first = a->records[a->count];
		to.room = RECORDS - a->count;
		if (run->random && to.room > 300)
			to.room = 1 + make_below(run->random, 300);
		must(to.room > 0);
		must(spe_decoder_decode(d, trace.bytes + at, have, at + 4096, at + have == trace.n,
					&to, &used) == SPE_OK);
		a->count += to.count;
		at += used;
		have -= used;
	}
	a->stats = *spe_decoder_stats(d);
	spe_decoder_free(d);
}

static void must_agree(void)
{
	must(fast.count == general.count);
	for (size_t i = 0; i < fast.count; i++)
		if (memcmp(fast.records[i], general.records[i], sizeof(struct spe_record)))
			ck_abort_msg("record %zu of %zu differs", i, fast.count);
	must(!memcmp(&fast.stats, &general.stats, sizeof(fast.stats)));
}

/* With each kind of instructions; what lies between records in the array is not touched. */
static void compare(uint64_t *random, uint32_t want, uint32_t align_bytes, bool in_record)
{
	struct run run = { SPE_DECODER_GENERAL, want, align_bytes, 0, in_record, NULL };

	decode(&run, &general);
	run.kind = SPE_DECODER_AUTO;
	for (run.way = 0; run.way < SPE_FAST_WAYS; run.way++) {
		if (!spe_fast_has_way(run.way))
			continue;
		run.random = NULL;
		decode(&run, &fast);
		must_agree();
		run.random = random;
		decode(&run, &fast);
		must_agree();
	}
	for (size_t i = 0; i < fast.count && trace.n / 4 < RECORDS; i++)
		must((uint8_t)fast.records[i][sizeof(struct spe_record)] == 0xee);
}

#define SURVEY (SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_TIMESTAMP | SPE_HAS_EL)

static uint32_t some_want(uint64_t *random)
{
	static const uint32_t wants[] = { 0, SURVEY, SPE_HAS_EL, SPE_HAS_PC,
					  SPE_HAS_TIMESTAMP | SPE_HAS_VA | SPE_HAS_OP };
	unsigned i = make_below(random, 2 * sizeof(wants) / sizeof(wants[0]));

	return i < sizeof(wants) / sizeof(wants[0]) ? wants[i]
						    : (uint32_t)make_random(random) & SPE_HAS_ALL;
}

/* ---- streams --------------------------------------------------------------- */

/* Packets of every kind; addresses of every kind, odd ones among them. */
static void put_any_packet(uint64_t *random, unsigned header)
{
	uint64_t payload = make_random(random) << 16 | make_random(random);

	if (header >= 0x98 && !make_below(random, 8))
		put_byte(&trace, 0x20);
	if (header >= 0xb0 && make_below(random, 3))
		payload |= UINT64_C(0xffff) << 48;
	if (header >= 0xb0 && make_below(random, 3))
		payload &= ~(UINT64_C(0xf) << 56);
	if ((header & 0xcf) == 0x43)
		payload &= 0xffff;
	put_packet(&trace, header, 1u << (header >> 4 & 3), payload);
	if (!make_below(random, 6))
		put_zeros(&trace, make_below(random, 12));
	if (!make_below(random, 60))
		put_hex(&trace, "23 00");
}

/* Most packets once, as cores do; some twice, some that nobody defined. */
static void put_any_packets(uint64_t *random)
{
	static const uint8_t headers[] = {
		0x42, 0x52, 0x62, 0x72, 0x43, 0x53, 0x63, 0x73, 0x48, 0x49, 0x4a, 0x4b, 0x64, 0x65,
		0x66, 0x98, 0x99, 0x9a, 0x9b, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0x80, 0xa5, 0xff,
	};
	bool twice = !make_below(random, 6), undefined = !twice && !make_below(random, 6);
	unsigned packets = make_below(random, 14), header, kind;
	bool seen[256] = { [0xb0 & 0xcf] = true };

	put_any_packet(random, 0xb0);
	while (packets--) {
		header = headers[make_below(random, sizeof(headers) - (undefined ? 0 : 3))];
		kind = (header & 0xfc) == 0x48 ? 0x48 : header & 0xcf;
		if (seen[kind] && !twice)
			continue;
		seen[kind] = true;
		put_any_packet(random, header);
	}
}

/* Other payloads in a record whose layout stays. */
static void change_payloads(uint64_t *random, size_t at)
{
	struct spe_packet packet;
	uint8_t *payload;

	for (; at < trace.n; at += packet.length_bytes) {
		must(!spe_packet_decode(trace.bytes + at, trace.n - at, 1, &packet));
		if (packet.kind == SPE_PACKET_ALIGNMENT)
			packet.length_bytes = 2;
		payload = trace.bytes + at + packet.header_bytes;
		for (unsigned i = 0; i < packet.payload_bytes; i++)
			if (packet.kind == SPE_PACKET_DATA_SOURCE ? i != 2 : i < 6)
				payload[i] ^= (uint8_t)make_random(random);
		if (packet.payload_bytes == 8)
			payload[7] ^=
				0x80 >> make_below(random, 16) | 0x0f * !make_below(random, 9);
		else if (packet.kind == SPE_PACKET_DATA_SOURCE && packet.payload_bytes == 4)
			memset(payload + 2, !make_below(random, 5), 2);
	}
}

/* A record of any packets; the same seed gives the same layout with other payloads. */
static void put_any_record(uint64_t layout, uint64_t *random)
{
	size_t begin = trace.n;

	put_any_packets(&layout);
	if (make_below(&layout, 4))
		put_timestamp(&trace, make_random(&layout));
	else
		put_end(&trace);
	if (make_below(random, 2))
		change_payloads(random, begin);
}

static void damage(uint64_t *random, unsigned times)
{
	while (times--) {
		size_t at = make_random(random) % trace.n, n = make_below(random, 30);

		if (make_below(random, 3)) {
			trace.bytes[at] ^= (uint8_t)(1u << make_below(random, 8));
		} else if (make_below(random, 2)) {
			trace.bytes[at] = (uint8_t)(2 + make_below(random, 30));
		} else {
			n = n < trace.n - at ? n : trace.n - at - 1;
			memmove(trace.bytes + at, trace.bytes + at + n, trace.n - at - n);
			trace.n -= n;
		}
	}
}

#define ROUNDS 60

START_TEST(streams_of_cores)
{
	uint64_t random = 0x9e3779b97f4a7c15 + (unsigned)_i;
	const struct make_style *style = &make_styles[_i];

	for (unsigned round = 0; round < ROUNDS; round++) {
		trace.n = 0;
		for (unsigned i = 0; i < 150; i++)
			put_record(&trace, &random, style, i);
		if (round & 1)
			damage(&random, make_below(&random, 10));
		compare(&random, some_want(&random), round & 2 ? 0 : style->align, round & 4);
	}
}
END_TEST

START_TEST(streams_of_any_shapes)
{
	uint64_t random = 0xd1b54a32d192ed03 + (unsigned)_i, layouts[100];
	unsigned shapes = 1 + (unsigned)_i * 7;

	for (unsigned i = 0; i < shapes; i++)
		layouts[i] = make_random(&random) | 1;
	for (unsigned round = 0; round < ROUNDS / 3; round++) {
		trace.n = 0;
		for (unsigned i = 0; i < 150; i++) {
			put_any_record(layouts[make_below(&random, shapes)], &random);
			if (!make_below(&random, 10))
				put_zeros(&trace, make_below(&random, 200));
		}
		if (round & 1)
			damage(&random, make_below(&random, 10));
		compare(&random, some_want(&random), 0, round & 4);
		must(round & 5 || general.count > 100);
	}
}
END_TEST

START_TEST(noise)
{
	uint64_t random = 0x2545f4914f6cdd1d + (unsigned)_i;

	trace.n = 0;
	while (trace.n < 10000)
		put_byte(&trace, make_below(&random, 4) ? (unsigned)make_random(&random) & 0xff
							: make_below(&random, 2));
	compare(&random, some_want(&random), 0, _i & 1);
}
END_TEST

/* The end of a stream at every byte of a record: loads must not reach beyond. */
START_TEST(the_last_bytes)
{
	uint64_t random = 0xa0761d6478bd642f;
	struct run run = { SPE_DECODER_GENERAL, 0, 0, 0, false, NULL };
	static struct trace all;
	uint8_t *exact;

	for (unsigned i = 0; i < 12; i++)
		put_record(&all, &random, &make_styles[_i], i);
	for (size_t n = all.n - 200; n <= all.n; n++) {
		memcpy(trace.bytes, all.bytes, n);
		trace.n = n;
		compare(&random, 0, 0, false);
		/* a block of its own, for tools that watch its ends */
		exact = malloc(n);
		memcpy(exact, all.bytes, n);
		for (run.way = 0; run.way < SPE_FAST_WAYS; run.way++) {
			struct spe_record_array to = { fast.records, STRIDE, RECORDS, 0 };
			size_t used;

			if (!spe_fast_has_way(run.way))
				continue;
			run.kind = SPE_DECODER_AUTO;
			struct spe_decoder *d = start(&run);

			must(!spe_decoder_decode(d, exact, n, 4096, true, &to, &used));
			must(to.count == general.count);
			spe_decoder_free(d);
		}
		free(exact);
	}
}
END_TEST

/* Else the other tests would show nothing: records of known shapes take the short way. */
START_TEST(shapes_are_used)
{
	uint64_t random = 0xe7037ed1a0b428db;
	struct run run = { .kind = SPE_DECODER_AUTO };
	struct spe_record_array to = { fast.records, STRIDE, RECORDS, 0 };
	struct spe_input in;
	struct spe_decoder *d;
	size_t used;

	trace.n = 0;
	for (unsigned i = 0; i < 300; i++)
		put_record(&trace, &random, &make_styles[_i], i);
	for (run.way = 0; run.way < SPE_FAST_WAYS; run.way++) {
		if (!spe_fast_has_way(run.way))
			continue;
		d = start(&run);
		must(!spe_decoder_decode(d, trace.bytes, trace.n, 0, true, &to, &used));
		ck_assert_uint_ge(d->shapes->count, 2);
		ck_assert_uint_le(d->shapes->count, 20);
		in = (struct spe_input){ .bytes = trace.bytes, .n = trace.n };
		to.count = 0;
		spe_fast_run(d, &in, &to);
		ck_assert_uint_eq(to.count, 300);
		spe_decoder_free(d);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("record fast");
	TCase *t = tcase_create("agreement");
	SRunner *runner = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, streams_of_cores, 0, MAKE_STYLES);
	tcase_add_loop_test(t, streams_of_any_shapes, 0, 14);
	tcase_add_loop_test(t, noise, 0, 30);
	tcase_add_loop_test(t, the_last_bytes, 0, MAKE_STYLES);
	tcase_add_loop_test(t, shapes_are_used, 0, MAKE_STYLES);
	suite_add_tcase(s, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
