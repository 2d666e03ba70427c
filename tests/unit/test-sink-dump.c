/* SPDX-License-Identifier: GPL-2.0-only */
/* dump: packets with place and bytes, and what became no record. */
#include <check.h>
#include <perf-arm-spe/sink.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-arm-spe/sink/dump.h"

struct page {
	char text[16384];
	size_t n;
	int fail;
};

static int page_write(void *priv, const char *bytes, size_t n)
{
	struct page *page = priv;

	if (page->fail)
		return page->fail;
	ck_assert_uint_lt(page->n + n, sizeof(page->text));
	memcpy(page->text + page->n, bytes, n);
	page->n += n;
	page->text[page->n] = '\0';
	return SPE_OK;
}

/* Runs of spaces become one: columns are looked at by themselves. */
static char *squeeze(const char *text, char *to)
{
	char *start = to;

	for (; *text; text++)
		if (*text != ' ' || to == start || to[-1] != ' ')
			*to++ = *text;
	*to = '\0';
	return start;
}

/* Every line with bytes has its words at the same place. */
static void check_columns(const char *text)
{
	for (; *text; text = strchr(text, '\n') + 1)
		if (!strncmp(text, ".  0", 4))
			ck_assert_msg(text[61] == ' ' && text[62] >= 'A', "%.80s", text);
}

/* lines ends with NULL; runs of spaces are written as one. */
static void check_dump(const uint8_t *bytes, size_t n, uint64_t aux_offset, uint64_t midr,
		       const char *const *lines)
{
	struct spe_dump_opts opts = { .size = sizeof(opts), .midr = midr, .cpu = -1 };
	struct page page = { .n = 0 };
	struct spe_out out = { .write = page_write, .priv = &page };
	char got[sizeof(page.text)];
	char *at = got;

	ck_assert_int_eq(spe_dump_bytes(bytes, n, aux_offset, &opts, &out), SPE_OK);
	check_columns(page.text);
	squeeze(page.text, got);
	for (; *lines; lines++) {
		ck_assert_msg(!strncmp(at, *lines, strlen(*lines)), "expected %s, got %s", *lines,
			      at);
		at += strlen(*lines);
	}
	ck_assert_str_eq(at, "");
}

#define PC 0xb0, 0xa8, 0x04, 0x40, 0, 0, 0, 0, 0x80
#define PC_LINE(at) ". " at ": b0 a8 04 40 00 00 00 00 80 PC 0x4004a8 el0 ns=1\n"
#define TS 0x71, 0x10, 0, 0, 0, 0, 0, 0, 0
#define TS_LINE(at) ". " at ": 71 10 00 00 00 00 00 00 00 TS 16\n"
#define HEAD(size) ".\n. ... ARM SPE data: size " size " bytes\n"

START_TEST(test_packets)
{
	/* A late prefetch has a name on Neoverse N1 only; 20 zeros are 16 and 4. */
	static const uint8_t bytes[] = { PC, 0x52, 0x16, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					 0,  0,    0,    0,    0, 0, 0, 0, 0, 0, 0, TS };
	const char *lines[] = {
		HEAD("0x29"),
		PC_LINE("00000000"),
		". 00000009: 52 16 10 EV RETIRED L1D-ACCESS TLB-ACCESS IMPDEF:12\n",
		". 0000000c: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 PAD\n",
		". 0000001c: 00 00 00 00 PAD\n",
		TS_LINE("00000020"),
		NULL,
	};

	check_dump(bytes, sizeof(bytes), 0, 0, lines);
	lines[2] = ". 00000009: 52 16 10 EV RETIRED L1D-ACCESS TLB-ACCESS LATE-PREFETCH\n";
	check_dump(bytes, sizeof(bytes), 0, 0x413fd0c1, lines);
}
END_TEST

START_TEST(test_corrupt)
{
	static const uint8_t bytes[] = { PC, TS, 0, PC, 0x05, TS, PC, TS };
	static const char *const lines[] = {
		HEAD("0x38"),
		PC_LINE("00000000"),
		TS_LINE("00000009"),
		". 00000012: 00 PAD\n",
		". -------- 19 bytes are no whole record: corrupt\n",
		PC_LINE("00000013"),
		". 0000001c: 05 Bad packet!\n",
		TS_LINE("0000001d"),
		". -------- records go on at 00000026\n",
		PC_LINE("00000026"),
		TS_LINE("0000002f"),
		NULL,
	};

	check_dump(bytes, sizeof(bytes), 0, 0, lines);
}
END_TEST

START_TEST(test_cut)
{
	static const uint8_t bytes[] = { PC, TS, PC, 0x71, 0x10 };
	static const char *const lines[] = {
		HEAD("0x1d"),
		PC_LINE("00000000"),
		TS_LINE("00000009"),
		". -------- 11 bytes are no whole record: cut\n",
		PC_LINE("00000012"),
		". 0000001b: 71 Bad packet!\n",
		". 0000001c: 10 Bad packet!\n",
		NULL,
	};

	check_dump(bytes, sizeof(bytes), 0, 0, lines);
}
END_TEST

START_TEST(test_alignment)
{
	/* To the next multiple of 16 of the trace: 7 bytes here, 4 where bytes[0] is at 3. */
	static const uint8_t bytes[] = { PC, 0x23, 0, 0, 0, 0, 0, 0, TS };
	static const char *const here[] = {
		HEAD("0x19"),
		PC_LINE("00000000"),
		". 00000009: 23 00 00 00 00 00 00 PAD\n",
		TS_LINE("00000010"),
		NULL,
	};
	static const char *const shifted[] = {
		HEAD("0x19"),
		PC_LINE("00000000"),
		". 00000009: 23 00 00 00 PAD\n",
		". 0000000d: 00 00 00 PAD\n",
		TS_LINE("00000010"),
		NULL,
	};

	check_dump(bytes, sizeof(bytes), 0, 0, here);
	check_dump(bytes, sizeof(bytes), 4096, 0, here);
	check_dump(bytes, sizeof(bytes), 3, 0, shifted);
}
END_TEST

START_TEST(test_nothing)
{
	struct spe_dump_opts opts = { .size = 2 };
	struct page page = { .n = 0 };
	struct spe_out out = { .write = page_write, .priv = &page };
	static const uint8_t zeros[3];
	static const char *const empty[] = { HEAD("0x0"), NULL };
	static const char *const padding[] = { HEAD("0x3"), ". 00000000: 00 00 00 PAD\n", NULL };

	check_dump(NULL, 0, 0, 0, empty);
	check_dump(zeros, 3, 0, 0, padding);
	ck_assert_int_eq(spe_dump_bytes(NULL, 1, 0, NULL, &out), SPE_INVALID);
	ck_assert_int_eq(spe_dump_bytes(zeros, 1, 0, &opts, &out), SPE_INVALID);
	ck_assert_int_eq(spe_dump_bytes(zeros, 1, 0, NULL, NULL), SPE_INVALID);
	page.fail = SPE_CLOSED;
	ck_assert_int_eq(spe_dump_bytes(zeros, 1, 0, NULL, &out), SPE_CLOSED);
}
END_TEST

/* Any bytes at all: every one of them is shown, once. */
START_TEST(test_any_bytes)
{
	uint32_t seed = (uint32_t)_i * 2654435761u + 1;
	uint8_t bytes[200];
	struct page page = { .n = 0 };
	struct spe_out out = { .write = page_write, .priv = &page };
	size_t next = 0;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		static const uint8_t likely[] = { 0, 0, 0x01, 0xb0, 0x71, 0x42, 0x64, 0x49, 0x20 };

		seed = seed * 1664525u + 1013904223u;
		bytes[i] = seed >> 31 ? (uint8_t)(seed >> 16) : likely[(seed >> 16) % 9];
	}
	ck_assert_int_eq(spe_dump_bytes(bytes, sizeof(bytes), 0, NULL, &out), SPE_OK);
	for (char *at = strstr(page.text, ".  0"); at; at = strchr(at, '\n')) {
		char *place = at[0] == '\n' ? at + 1 : at;
		size_t pos, n = 0;

		if (*place == '\0')
			break;
		at = place;
		if (place[3] == '-')
			continue;
		pos = strtoul(place + 3, &place, 16);
		ck_assert_uint_eq(pos, next);
		for (place += 2; n < 16 && place[1] != ' '; place += 3, n++)
			ck_assert_uint_eq(strtoul(place, NULL, 16), bytes[pos + n]);
		next = pos + n;
		if (n == 16) /* an alignment is shown by its first bytes */
			while (next < sizeof(bytes) && !bytes[next] &&
			       strstr(place, "PAD") == place && bytes[pos])
				next++;
	}
	ck_assert_uint_eq(next, sizeof(bytes));
}
END_TEST

START_TEST(test_midr)
{
	static const uint64_t version1[] = { 8, 1 };
	static const uint64_t version2[] = {
		2,
		4,
		8,
		2,
		0x1010101010101010,
		0,
		3,
		0x413fd0c1,
		8,
		1024,
		0x1010101010101010,
		5,
		4,
		0x410fd490,
		8,
		1024,
		0xff,
	};
	static const uint64_t wild[] = { 2, 4, 8, 2, 0x1010101010101010, 0, UINT64_MAX, 1 };
	static const uint64_t header[] = { 2, UINT64_MAX, 8, 2, 0x1010101010101010, 0, 1, 1 };

	ck_assert_uint_eq(spe_dump_midr(version1, 2, 0), 0);
	ck_assert_uint_eq(spe_dump_midr(version2, 17, 0), 0x413fd0c1);
	ck_assert_uint_eq(spe_dump_midr(version2, 17, 5), 0x410fd490);
	ck_assert_uint_eq(spe_dump_midr(version2, 17, 1), 0);
	ck_assert_uint_eq(spe_dump_midr(version2, 17, -1), 0);
	/* cut short: never read past the end */
	for (size_t n = 0; n < 14; n++)
		ck_assert_uint_eq(spe_dump_midr(version2, n, 5), 0);
	ck_assert_uint_eq(spe_dump_midr(wild, 8, 1), 0);
	ck_assert_uint_eq(spe_dump_midr(header, 8, 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink-dump");
	TCase *tc = tcase_create("dump");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_packets);
	tcase_add_test(tc, test_corrupt);
	tcase_add_test(tc, test_cut);
	tcase_add_test(tc, test_alignment);
	tcase_add_test(tc, test_nothing);
	tcase_add_loop_test(tc, test_any_bytes, 0, 50);
	tcase_add_test(tc, test_midr);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
