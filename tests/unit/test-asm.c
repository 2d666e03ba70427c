/* SPDX-License-Identifier: GPL-2.0-only */
/* spe-asm's text format: bytes to text and back, and what statements mean. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/spe-asm/disassemble.h"
#include "../../tools/spe-asm/program.h"

static void assemble_text(const char *text, size_t n, int32_t cpu, struct buffer *out)
{
	assemble(
		&(struct assembly){ .name = "test", .text = text, .n = n, .out = out, .cpu = cpu });
}

static void assert_assembles(const char *text, const char *hex)
{
	struct buffer out = { 0 }, got = { 0 };

	assemble_text(text, strlen(text), -1, &out);
	for (size_t i = 0; i < out.n; i++)
		buffer_printf(&got, "%s%02x", i ? " " : "", out.bytes[i]);
	buffer_u8(&got, 0);
	ck_assert_str_eq((char *)got.bytes, hex);
	buffer_free(&out);
	buffer_free(&got);
}

static void assert_comes_back(const uint8_t *bytes, size_t n)
{
	struct buffer text = { 0 }, out = { 0 };

	disassemble(bytes, n, &text);
	assemble_text((char *)text.bytes, text.n, -1, &out);
	ck_assert_uint_eq(out.n, n);
	if (n)
		ck_assert_mem_eq(out.bytes, bytes, n);
	buffer_free(&text);
	buffer_free(&out);
}

static const struct {
	const char *text, *hex;
} packets[] = {
	{ "pad", "00" },
	{ "pad 5", "00 00 00 00 00" },
	{ "end", "01" },
	{ "ts 44731163950", "71 2e 65 2f 6a 0a 00 00 00" },
	{ "pc 0xffffba66eda1c2d0 el2", "b0 d0 c2 a1 ed 66 ba ff c0" },
	{ "pc 0xffba66eda1c2d0 el2", "b0 d0 c2 a1 ed 66 ba ff c0" },
	{ "pc 0x4004a8", "b0 a8 04 40 00 00 00 00 80" },
	{ "pc 0xffff80000815c400", "b0 00 c4 15 08 00 80 ff a0" },
	{ "file kernel=el2\npc 0xffff80000815c400", "b0 00 c4 15 08 00 80 ff c0" },
	{ "pc 0xffff80000815c400\nfile kernel=el2", "b0 00 c4 15 08 00 80 ff c0" },
	{ "pc 0xff00000815c400 top=0xff", "b0 00 c4 15 08 00 00 ff ff" },
	{ "pc 0xe002000 el3 secure", "b0 00 20 00 0e 00 00 00 60" },
	{ "pc 0xff800000001000 el1 realm", "b0 00 10 00 00 00 80 ff b0" },
	{ "pc 0xe002000 el3 root", "b0 00 20 00 0e 00 00 00 70" },
	{ "tgt 0x7ffdbf214408 el0", "b1 08 44 21 bf fd 7f 00 80" },
	{ "va 0xaaaaab1c5e60 tag=0x0b", "b2 60 5e 1c ab aa aa 00 0b" },
	{ "va 0xff0e3703096b28", "b2 28 6b 09 03 37 0e ff 00" },
	{ "va 0xffff00000f293bc0", "b2 c0 3b 29 0f 00 00 ff ff" },
	{ "pa 0x80001000 ch pat=5", "b3 00 10 00 80 00 00 00 c5" },
	{ "pa 0x880001000 secure", "b3 00 10 00 80 08 00 00 00" },
	{ "pbt 0xffba66edefb0e4 el2", "b4 e4 b0 ef ed 66 ba ff c0" },
	{ "address 5 0x877665544332211", "b5 11 22 33 44 55 66 77 08" },
	{ "pc 0x4004a8 extended", "20 b0 a8 04 40 00 00 00 00 80" },
	{ "address 9 0x8000000000000000 extended", "21 b1 00 00 00 00 00 00 00 80" },
	{ "unknown 0xa0 value=0x1234", "a0 34 12 00 00" },
	{ "context 1234 el1", "64 d2 04 00 00" },
	{ "context 24448 el2", "65 80 5f 00 00" },
	{ "context -1 el2", "65 ff ff ff ff" },
	{ "lat 12 total", "98 0c 00" },
	{ "lat 4 issue", "99 04 00" },
	{ "lat 1 xlat", "9a 01 00" },
	{ "lat 7 index=3", "9b 07 00" },
	{ "lat 5 index=8 extended", "21 98 05 00" },
	{ "events retired,l1d-access,tlb-access bytes=1", "42 16" },
	{ "events retired,not-taken", "52 42 00" },
	{ "events none", "52 00 00" },
	{ "events 0x1016", "52 16 10" },
	{ "events retired,12", "52 02 10" },
	{ "events retired,txn bytes=4", "62 02 00 01 00" },
	{ "events retired,48,63 bytes=8", "72 02 00 00 00 00 00 01 80" },
	{ "op ld gp-reg", "49 00" },
	{ "op LD GP-REG", "49 00" },
	{ "op load", "49 00" },
	{ "op store", "49 01" },
	{ "op sve-other evlen 128 fp", "48 2a" },
	{ "op st at excl ar", "49 1f" },
	{ "op b ind gcs cr-ret", "4a 16" },
	{ "op class=3 payload=0", "4b 00" },
	{ "data-source 12", "43 0c" },
	{ "data-source 11 bytes=2", "53 0b 00" },
	{ "align 2", "20 00" },
	{ "pad 4\nalign 16", "00 00 00 00 23 00 00 00 00 00 00 00 00 00 00 00" },
	{ "align 16 bare\nend", "23 00 01" },
	{ "bytes 80 b0 d0 # not a comment's b1\n# bytes 01", "80 b0 d0" },
	{ "repeat 2\nrepeat 2\nend\nagain\npad\nagain", "01 01 00 01 01 00" },
	{ "end\nts 1\nchop 8", "01 71" },
};

START_TEST(statement_means_bytes)
{
	assert_assembles(packets[_i].text, packets[_i].hex);
}
END_TEST

/* All headers, short and extended, one after the other, after 0 to 3 bytes of padding. */
START_TEST(every_header_comes_back)
{
	struct buffer bytes = { 0 };

	buffer_zeros(&bytes, (size_t)_i);
	for (unsigned first = 0; first < 256; first++)
		for (unsigned second = 0; second < 256;
		     second += THINNED(5) * (first & 0xe0 ? 1 : 32)) {
			buffer_u8(&bytes, first);
			if ((first & 0xe0) == 0x20)
				buffer_u8(&bytes, second);
			for (unsigned i = 0; i < 9; i++)
				buffer_u8(&bytes, (second + i) * 29 + 3);
		}
	assert_comes_back(bytes.bytes, bytes.n);
	buffer_free(&bytes);
}
END_TEST

START_TEST(any_bytes_come_back)
{
	uint64_t state = 88172645463325252u;
	uint8_t bytes[300];

	for (unsigned round = 0; round < 2000; round++) {
		size_t n = round % sizeof(bytes);

		for (size_t i = 0; i < n; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			/* more zeros than chance has */
			bytes[i] = state >> 60 < 4 ? 0 : (uint8_t)(state >> 40);
		}
		assert_comes_back(bytes, n);
	}
}
END_TEST

static const struct {
	const char *text, *hex;
} records[] = {
	/* as captured on a Neoverse N1 */
	{ "file kernel=el2\n"
	  "record pc=0xffffba66eda1c2d0 context=24448 events=retired,l1d-access,tlb-access issue=4 "
	  "total=12 va=0xff0e3703096b28 xlat=1 source=0 ts=44731163950",
	  "b0 d0 c2 a1 ed 66 ba ff c0 00 00 00 00 00 65 80 5f 00 00 49 00 52 16 00 99 04 00 98 0c "
	  "00 b2 28 6b 09 03 37 0e ff 00 9a 01 00 00 00 00 00 00 00 00 00 00 43 00 00 00 71 2e 65 "
	  "2f 6a 0a 00 00 00" },
	{ "file kernel=el2\n"
	  "record pc=0xffffba66edefb0e0 context=14 op=\"b cond\" events=retired,not-taken issue=16 "
	  "total=17 target=0xffffba66edefb0e4 ts=44731164045",
	  "b0 e0 b0 ef ed 66 ba ff c0 00 00 00 00 00 65 0e 00 00 00 4a 01 52 42 00 99 10 00 98 11 "
	  "00 b1 e4 b0 ef ed 66 ba ff c0 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 71 8d 65 "
	  "2f 6a 0a 00 00 00" },
	/* unpadded, with a time in ns through the clock, twice */
	{ "clock shift=10 mult=40960 zero=1000\nshape packed\ntime 1000001000\nrun 7/8\n"
	  "record pc=0x400000 every=40 count=2",
	  "b0 00 00 40 00 00 00 00 80 64 08 00 00 00 49 00 52 02 00 71 40 78 7d 01 00 00 00 00 "
	  "b0 04 00 40 00 00 00 00 80 64 08 00 00 00 49 00 52 02 00 71 41 78 7d 01 00 00 00 00" },
	/* host and guest, no time, a size of its own */
	{ "file kernel=el2\nshape 32\nrun 9\nrecord pc=0x10 el=0 guest=1 end",
	  "b0 10 00 00 00 00 00 00 80 64 01 00 00 00 65 09 00 00 00 49 00 52 02 00 00 00 00 00 00 "
	  "00 00 01" },
	{ "shape packed\nrun 9\ncontexts none\nrecord end\ncontexts el2\nrecord context=none end\n"
	  "record end",
	  "49 00 52 02 00 01 49 00 52 02 00 01 65 09 00 00 00 49 00 52 02 00 01" },
};

START_TEST(record_means_bytes)
{
	assert_assembles(records[_i].text, records[_i].hex);
}
END_TEST

START_TEST(cpus_have_their_own_bytes)
{
	static const char text[] = "cpu 1\nend\ncpu 0\npad 2\ncpu 1\nend\n";
	struct buffer out = { 0 };

	assemble_text(text, strlen(text), 1, &out);
	ck_assert_uint_eq(out.n, 2);
	ck_assert_mem_eq(out.bytes, "\1\1", 2);
	out.n = 0;
	assemble_text(text, strlen(text), 0, &out);
	ck_assert_uint_eq(out.n, 2);
	ck_assert_mem_eq(out.bytes, "\0\0", 2);
	buffer_free(&out);
}
END_TEST

static const char *const faults[] = {
	"nonsense",
	"pc",
	"pc 0x12 0x13",
	"pc twelve",
	"pc 0x1200000000000000",
	"pc 99999999999999999999999",
	"key=value",
	"context 5 el5",
	"context 0x100000000 el1",
	"lat 70000 total",
	"address 32 0",
	"address 300 0",
	"events retired,unheard-of",
	"events 64",
	"events 0x10000",
	"op fly",
	"op class=1 payload=0x100",
	"data-source 256",
	"align 3",
	"align 131072",
	"unknown 0x71 value=0",
	"bytes",
	"bytes 1",
	"bytes 123",
	"chop 1",
	"repeat 2\nend",
	"again",
	"record pc=1 pc=2",
	"record pc=1 target=2 va=3",
	"record guest=1 context=2",
	"shape 20\nrecord pc=1",
	"record events=0x1ffffffff",
	"time 1.5",
	"time 1.5555us",
	"time +x",
	"comm 1 \"open",
	"comm 1 \"\\q\"",
	"comm 1 \"\\x00\"",
	"comm 1/2/3 x",
	"fork 1 2",
	"switch sideways 1",
	"file colour=red",
	"file attr-size=large",
	"file form=tape",
	"cpu 4097",
};

/* Each of these ends the program with a line that names the place. */
START_TEST(fault_is_refused)
{
	struct buffer out = { 0 };

	assemble_text(faults[_i], strlen(faults[_i]), -1, &out);
	exit(0);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

int main(void)
{
	Suite *s = suite_create("asm");
	TCase *good = tcase_create("good"), *bad = tcase_create("bad");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(good, statement_means_bytes, 0, COUNT(packets));
	tcase_add_loop_test(good, every_header_comes_back, 0, 4);
	tcase_add_test(good, any_bytes_come_back);
	tcase_add_loop_test(good, record_means_bytes, 0, COUNT(records));
	tcase_add_test(good, cpus_have_their_own_bytes);
	tcase_add_loop_exit_test(bad, fault_is_refused, 1, 0, COUNT(faults));
	tcase_set_timeout(good, 60);
	suite_add_tcase(s, good);
	suite_add_tcase(s, bad);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
