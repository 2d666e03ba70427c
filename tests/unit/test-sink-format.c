/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and JSON writers: numbers against printf, names against a terminal. */
#include "../../perf-arm-spe/sink/json.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Collects output; fails after `room` bytes. */
struct collect {
	char bytes[200000];
	size_t n, room;
	unsigned writes;
};

static int collect_write(void *priv, const char *bytes, size_t n)
{
	struct collect *c = priv;

	c->writes++;
	if (n > c->room - c->n)
		return SPE_CLOSED;
	memcpy(c->bytes + c->n, bytes, n);
	c->n += n;
	c->bytes[c->n] = '\0';
	return SPE_OK;
}

static struct collect got;
static struct spe_text text;
static const struct spe_out out = { .write = collect_write, .priv = &got };

static void begin(void)
{
	memset(&got, 0, sizeof(got));
	got.room = sizeof(got.bytes) - 1;
	spe_text_init(&text, &out);
}

static const char *result(void)
{
	ck_assert_int_eq(spe_text_flush(&text), SPE_OK);
	return got.bytes;
}

/* One number in every form, against the C library. */
static void check_number(uint64_t v)
{
	char want[64], is[64];

	snprintf(want, sizeof(want), "%" PRIu64, v);
	*spe_put_dec(is, v) = '\0';
	ck_assert_str_eq(is, want);
	ck_assert_uint_eq(spe_dec_digits(v), strlen(want));
	snprintf(want, sizeof(want), "%" PRIx64, v);
	*spe_put_hex(is, v) = '\0';
	ck_assert_str_eq(is, want);
	snprintf(want, sizeof(want), "%016" PRIx64, v);
	*spe_put_hex_pad(is, v, 16, '0') = '\0';
	ck_assert_str_eq(is, want);
	snprintf(want, sizeof(want), "%7" PRIu64, v);
	*spe_put_dec_pad(is, v, 7, ' ') = '\0';
	ck_assert_str_eq(is, want);
	snprintf(want, sizeof(want), "%" PRId64, (int64_t)v);
	*spe_put_signed(is, (int64_t)v) = '\0';
	ck_assert_str_eq(is, want);
	snprintf(want, sizeof(want), "%7" PRId64, (int64_t)v);
	*spe_put_signed_pad(is, (int64_t)v, 7) = '\0';
	ck_assert_str_eq(is, want);
	snprintf(want, sizeof(want), "%" PRIu64 ".%09" PRIu64, v / 1000000000, v % 1000000000);
	*spe_put_time_ns(is, v) = '\0';
	ck_assert_str_eq(is, want);
	want[strlen(want) - 3] = '\0';
	*spe_put_time_us(is, v) = '\0';
	ck_assert_str_eq(is, want);
}

START_TEST(numbers_are_printfs)
{
	uint64_t x = 88172645463325252u;

	for (unsigned bit = 0; bit < 64; bit++)
		for (int d = -2; d <= 2; d++)
			check_number((1ull << bit) + (uint64_t)d);
	for (uint64_t p = 1, i = 0; i < 20; i++, p *= 10) {
		check_number(p - 1);
		check_number(p);
		check_number(p + 1);
	}
	for (unsigned i = 0; i < 20000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		check_number(x >> (i % 64));
	}
}
END_TEST

START_TEST(text_passes_the_buffer_edge)
{
	char line[300];

	begin();
	for (unsigned i = 0; i < 600; i++) {
		memset(line, 'a' + (int)(i % 26), sizeof(line));
		spe_text_put(&text, line, i % sizeof(line));
		spe_text_char(&text, '\n');
	}
	(void)result();
	ck_assert_uint_gt(got.writes, 1);
	for (size_t i = 0, at = 0; i < 600; i++) {
		for (size_t k = 0; k < i % sizeof(line); k++, at++)
			ck_assert_int_eq(got.bytes[at], 'a' + (int)(i % 26));
		ck_assert_int_eq(got.bytes[at++], '\n');
	}
	begin();
	spe_text_fill(&text, '=', 100000);
	(void)result();
	ck_assert_uint_eq(got.n, 100000);
}
END_TEST

START_TEST(first_failure_is_kept)
{
	begin();
	got.room = 10;
	spe_text_str(&text, "12345678");
	ck_assert_int_eq(spe_text_flush(&text), SPE_OK);
	spe_text_str(&text, "12345678");
	ck_assert_int_eq(spe_text_flush(&text), SPE_CLOSED);
	got.room = 1000;
	spe_text_str(&text, "x");
	ck_assert_int_eq(spe_text_flush(&text), SPE_CLOSED);
	ck_assert_uint_eq(got.n, 8);
	ck_assert_uint_eq(got.writes, 2);
}
END_TEST

static const struct {
	const char *in, *safe;
} names[] = {
	{ "spin", "spin" },
	{ "", "" },
	{ "a b~!", "a b~!" },
	{ "\x1b[31mred", "\\x1b[31mred" },
	{ "tab\there\n\r", "tab\\x09here\\x0a\\x0d" },
	{ "del\x7f", "del\\x7f" },
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "\xe6\xbc\xa2\xf0\x9f\x90\xa7", "\xe6\xbc\xa2\xf0\x9f\x90\xa7" },
	{ "c1\xc2\x9b"
	  "31m",
	  "c1\\xc2\\x9b31m" },
	{ "raw\x9b"
	  "31m",
	  "raw\\x9b31m" },
	{ "cut\xe6\xbc", "cut\\xe6\\xbc" },
	{ "long\xc0\xaf\xe0\x80\xaf", "long\\xc0\\xaf\\xe0\\x80\\xaf" },
	{ "sur\xed\xa0\x80", "sur\\xed\\xa0\\x80" },
	{ "big\xf4\x90\x80\x80", "big\\xf4\\x90\\x80\\x80" },
	{ "rtl\xe2\x80\xaexe", "rtl\\xe2\\x80\\xaexe" },
};

START_TEST(names_are_safe)
{
	char safe[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = spe_name_escape(safe, sizeof(safe), names[i].in);

		ck_assert_str_eq(safe, names[i].safe);
		ck_assert_uint_eq(n, strlen(safe));
		begin();
		spe_text_name(&text, names[i].in);
		ck_assert_str_eq(result(), names[i].safe);
	}
	ck_assert_uint_eq(spe_name_columns("caf\xc3\xa9"), 4);
}
END_TEST

/* Whatever the bytes and the room: bounded, and no control byte gets out. */
START_TEST(escape_holds_its_room)
{
	char in[20], safe[80];
	uint32_t x = 1;

	for (unsigned run = 0; run < 20000; run++) {
		size_t n = run % sizeof(in), room = run % 70, used;

		for (size_t i = 0; i < n; i++) {
			x = x * 1664525u + 1013904223u;
			in[i] = (char)(x >> 24 ? x >> 24 : 1);
		}
		in[n] = '\0';
		memset(safe, '#', sizeof(safe));
		used = spe_name_escape(safe, room, in);
		ck_assert(safe[room] == '#');
		ck_assert(!room || (used < room && safe[used] == '\0'));
		for (size_t i = 0; i < used; i++)
			ck_assert((unsigned char)safe[i] >= 0x20 && safe[i] != 0x7f);
	}
}
END_TEST

START_TEST(csv_quotes_what_must_be)
{
	begin();
	spe_text_csv(&text, "plain");
	spe_text_char(&text, ' ');
	spe_text_csv(&text, "a,\"b\"");
	spe_text_char(&text, ' ');
	spe_text_csv(&text, "a,\x1b\n");
	ck_assert_str_eq(result(), "plain \"a,\"\"b\"\"\" \"a,\\x1b\\x0a\"");
}
END_TEST

static void document(bool lines)
{
	struct spe_json json;

	begin();
	spe_json_init(&json, &text, lines);
	spe_json_object(&json, NULL);
	spe_json_string(&json, "name", "a\"\\\n\x1b\xff\xc3\xa9\x7f");
	spe_json_array(&json, "rows");
	spe_json_row(&json, NULL);
	spe_json_u64(&json, "n", UINT64_MAX);
	spe_json_i64(&json, "i", INT64_MIN);
	spe_json_object_end(&json);
	spe_json_row(&json, NULL);
	spe_json_double(&json, "d", 1.005, 2);
	spe_json_double(&json, "inf", INFINITY, 2);
	spe_json_object_end(&json);
	spe_json_array_end(&json);
	spe_json_array(&json, "none");
	spe_json_array_end(&json);
	spe_json_bool(&json, "yes", true);
	spe_json_hex(&json, "at", 0xffff000012345678u);
	spe_json_object_end(&json);
	spe_json_end(&json);
}

START_TEST(json_is_exact)
{
	document(false);
	ck_assert_str_eq(result(),
			 "{\"name\":\"a\\\"\\\\\\u000a\\u001b\xef\xbf\xbd\xc3\xa9\\u007f\","
			 "\"rows\":[{\"n\":18446744073709551615,\"i\":-9223372036854775808},"
			 "{\"d\":1.00,\"inf\":null}],\"none\":[],\"yes\":true,"
			 "\"at\":\"0xffff000012345678\"}\n");
	document(true);
	ck_assert_str_eq(result(),
			 "{\n"
			 "  \"name\": \"a\\\"\\\\\\u000a\\u001b\xef\xbf\xbd\xc3\xa9\\u007f\",\n"
			 "  \"rows\": [\n"
			 "    {\"n\": 18446744073709551615, \"i\": -9223372036854775808},\n"
			 "    {\"d\": 1.00, \"inf\": null}\n"
			 "  ],\n"
			 "  \"none\": [],\n"
			 "  \"yes\": true,\n"
			 "  \"at\": \"0xffff000012345678\"\n"
			 "}\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink-format");
	TCase *tc = tcase_create("format");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, numbers_are_printfs);
	tcase_add_test(tc, text_passes_the_buffer_edge);
	tcase_add_test(tc, first_failure_is_kept);
	tcase_add_test(tc, names_are_safe);
	tcase_add_test(tc, escape_holds_its_room);
	tcase_add_test(tc, csv_quotes_what_must_be);
	tcase_add_test(tc, json_is_exact);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
