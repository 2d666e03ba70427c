/* SPDX-License-Identifier: GPL-2.0-only */
/* The command quotes texts for JSON as the library does. */
#include "../../perf-arm-spe/sink/json.h"
#include "../../tools/perf-arm-spe/json.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char ours[256], theirs[256];

static int keep(void *priv, const char *bytes, size_t n)
{
	size_t had = strlen(theirs);

	(void)priv;
	ck_assert_uint_lt(had + n, sizeof(theirs));
	memcpy(theirs + had, bytes, n);
	theirs[had + n] = '\0';
	return SPE_OK;
}

/* `name` as both quote it. */
static void quote(const char *name)
{
	const struct spe_out to = { .write = keep };
	struct spe_text *text = malloc(sizeof(*text));
	FILE *out = fmemopen(ours, sizeof(ours), "w");

	ck_assert(text && out);
	json_string(name, out);
	fclose(out);
	*theirs = '\0';
	spe_text_init(text, &to);
	spe_json_quote(text, name);
	ck_assert_int_eq(spe_text_flush(text), SPE_OK);
	free(text);
}

static const struct {
	const char *name, *quoted;
} cases[] = {
	{ "", "\"\"" },
	{ "plain", "\"plain\"" },
	{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "tab\tend\x1b", "\"tab\\u0009end\\u001b\"" },
	{ "\x7f\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u007f\\u0080\\u009f\xc2\xa0\"" },
	{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
	  "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7\"" },
	{ "\xff|\x80|\xc3|\xe2\x82",
	  "\"\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\"" },
	/* what turns text around, or ends a line, and its neighbours that do not */
	{ "a\xe2\x80\xae"
	  "b\xe2\x81\xa6\xe2\x81\xa9",
	  "\"a\\u202eb\\u2066\\u2069\"" },
	{ "\xe2\x80\x8e\xe2\x80\xa8\xe2\x80\xaa\xd8\x9c", "\"\\u200e\\u2028\\u202a\\u061c\"" },
	{ "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	  "\"\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa\"" },
	/* overlong, a surrogate, too large */
	{ "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
};

START_TEST(names_are_quoted)
{
	quote(cases[_i].name);
	ck_assert_str_eq(ours, cases[_i].quoted);
	ck_assert_str_eq(theirs, cases[_i].quoted);
}
END_TEST

START_TEST(any_bytes_are_quoted_alike)
{
	/* lead bytes, continuations and what is none of them, in any order */
	static const char some[] =
		"a\"\\\x01\x7f\x80\xbf\xc0\xc2\xc3\xe0\xe2\x81\xa6\xa8\xae\xed\xa0\xf0\x90\xf4\xff";
	char name[13];

	srand(3);
	for (unsigned i = 0; i < 50000; i++) {
		for (unsigned k = 0; k < sizeof(name) - 1; k++)
			name[k] = some[(unsigned)rand() % (sizeof(some) - 1)];
		name[(unsigned)rand() % sizeof(name)] = '\0';
		name[sizeof(name) - 1] = '\0';
		quote(name);
		ck_assert_str_eq(ours, theirs);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cmd-json");
	TCase *tc = tcase_create("json");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, names_are_quoted, 0, sizeof(cases) / sizeof(*cases));
	tcase_add_test(tc, any_bytes_are_quoted_alike);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
