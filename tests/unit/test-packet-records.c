/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole records, as captured on hardware or built, packet by packet; and captured files. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/packet.h>

/* Bytes of a record and, in its order, what each packet is but for padding. */
static const struct {
	const char *name, *hex, *text;
} records[] = {
	{ "N1-class core, VHE, kernel load",
	  "b0 d0 c2 a1 ed 66 ba ff c0 00 00 00 00 00 65 80 5f 00 00 49 00 52 16 00 99 04 00 98 0c "
	  "00 b2 28 6b 09 03 37 0e ff 00 9a 01 00 00 00 00 00 00 00 00 00 00 43 00 00 00 71 2e 65 "
	  "2f 6a 0a 00 00 00",
	  "PC 0xffba66eda1c2d0 el2 ns=1|CONTEXT 0x5f80 el2|LD GP-REG|EV RETIRED L1D-ACCESS "
	  "TLB-ACCESS|LAT 4 ISSUE|LAT 12 TOT|VA 0xff0e3703096b28|LAT 1 XLAT|DATA-SOURCE 0|"
	  "TS 44731163950|" },
	{ "the same core, branch not taken",
	  "b0 e0 b0 ef ed 66 ba ff c0 00 00 00 00 00 65 0e 00 00 00 4a 01 52 42 00 99 10 00 98 11 "
	  "00 b1 e4 b0 ef ed 66 ba ff c0 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 71 8d 65 "
	  "2f 6a 0a 00 00 00",
	  "PC 0xffba66edefb0e0 el2 ns=1|CONTEXT 0xe el2|B COND|EV RETIRED NOT-TAKEN|LAT 16 ISSUE|"
	  "LAT 17 TOT|TGT 0xffba66edefb0e4 el2 ns=1|TS 44731164045|" },
	{ "Altra, no context, physical address, without its head",
	  "49 00 52 1e 03 99 51 01 98 f5 01 b2 50 9e d7 f1 3e 40 ff 00 9a 01 00 b3 50 9e d7 71 3f "
	  "40 00 80 43 0c 00 00 71 b3 9a e9 bd 3e 07 00 00",
	  "LD GP-REG|EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS LLC-ACCESS LLC-REFILL|"
	  "LAT 337 ISSUE|LAT 501 TOT|VA 0xff403ef1d79e50|LAT 1 XLAT|"
	  "PA 0x403f71d79e50 ns=1 ch=0 pat=0|DATA-SOURCE 12|TS 7966055570099|" },
	{ "Arm model, 46 bytes, another order",
	  "49 00 b2 c0 3b 29 0f 00 00 ff ff b3 c0 eb 24 fb 00 00 00 80 9a 00 00 42 16 b0 00 c4 15 "
	  "08 00 00 ff ff 98 00 00 71 36 6c 21 2c 09 00 00 00",
	  "LD GP-REG|VA 0xffff00000f293bc0|PA 0xfb24ebc0 ns=1 ch=0 pat=0|LAT 0 XLAT|"
	  "EV RETIRED L1D-ACCESS TLB-ACCESS|PC 0xff00000815c400 el3 ns=1|LAT 0 TOT|"
	  "TS 39395093558|" },
	{ "user store without timestamp",
	  "b0 a8 04 40 00 00 00 00 80 64 d2 04 00 00 49 01 52 16 00 99 02 00 98 0a 00 b2 60 5e 1c "
	  "ab aa aa 00 00 9a 01 00 01",
	  "PC 0x4004a8 el0 ns=1|CONTEXT 0x4d2 el1|ST GP-REG|EV RETIRED L1D-ACCESS TLB-ACCESS|"
	  "LAT 2 ISSUE|LAT 10 TOT|VA 0xaaaaab1c5e60|LAT 1 XLAT|END|" },
	{ "both contexts",
	  "b0 00 10 00 00 00 80 ff a0 64 39 05 00 00 65 80 5f 00 00 48 00 52 02 00 99 01 00 98 05 "
	  "00 01",
	  "PC 0xff800000001000 el1 ns=1|CONTEXT 0x539 el1|CONTEXT 0x5f80 el2|OTHER INSN-OTHER|"
	  "EV RETIRED|LAT 1 ISSUE|LAT 5 TOT|END|" },
	{ "call with previous branch target and long events",
	  "b0 a8 04 40 00 00 00 00 80 65 ff 07 00 00 4a 0a 62 02 00 00 00 99 03 00 98 09 00 b1 10 "
	  "05 40 00 00 00 00 80 b4 a8 04 40 00 00 00 00 80 71 00 e4 0b 54 02 00 00 00",
	  "PC 0x4004a8 el0 ns=1|CONTEXT 0x7ff el2|B IND CR-BL|EV RETIRED|LAT 3 ISSUE|LAT 9 TOT|"
	  "TGT 0x400510 el0 ns=1|PBT 0x4004a8 el0 ns=1|TS 10000000000|" },
};

#define RECORDS (sizeof(records) / sizeof(records[0]))

static size_t from_hex(const char *hex, uint8_t *bytes, size_t room)
{
	size_t n = 0;
	char *end;

	for (;; hex = end) {
		unsigned long v = strtoul(hex, &end, 16);

		if (end == hex || n == room)
			return n;
		bytes[n++] = (uint8_t)v;
	}
}

/* The words of all packets in bytes but padding, each closed by '|'. Returns bytes used. */
static size_t describe_all(const uint8_t *bytes, size_t n, char *text, size_t size)
{
	size_t at = 0, length = 0;
	struct spe_packet p;

	text[0] = '\0';
	while (at < n && spe_packet_decode(bytes + at, n - at, at, &p) == SPE_OK) {
		at += p.length_bytes;
		if (p.kind == SPE_PACKET_PADDING)
			continue;
		ck_assert_int_eq(spe_packet_describe(&p, 0, text + length, size - length), SPE_OK);
		length += strlen(text + length);
		ck_assert_uint_lt(length + 2, size);
		text[length++] = '|';
		text[length] = '\0';
	}
	return at;
}

START_TEST(record_reads_as_its_packets)
{
	uint8_t bytes[128];
	char text[1024];
	size_t n = from_hex(records[_i].hex, bytes, sizeof(bytes));

	ck_assert_uint_eq(describe_all(bytes, n, text, sizeof(text)), n);
	ck_assert_str_eq(text, records[_i].text);
}
END_TEST

/* Encode what was decoded, packet after packet: the record comes out. */
START_TEST(record_encodes_back)
{
	uint8_t bytes[128], again[128];
	size_t n = from_hex(records[_i].hex, bytes, sizeof(bytes)), at = 0, written;
	struct spe_packet p;

	while (at < n) {
		ck_assert_int_eq(spe_packet_decode(bytes + at, n - at, at, &p), SPE_OK);
		ck_assert_int_eq(spe_packet_encode(&p, at, again + at, n - at, &written), SPE_OK);
		at += written;
	}
	ck_assert_mem_eq(again, bytes, n);
}
END_TEST

/* Cut anywhere: the packets before the cut stand, the one it falls into needs more. */
START_TEST(record_cut_anywhere)
{
	uint8_t bytes[128];
	char text[1024], whole[1024];
	size_t n = from_hex(records[_i].hex, bytes, sizeof(bytes));
	struct spe_packet p;

	describe_all(bytes, n, whole, sizeof(whole));
	for (size_t cut = 0; cut < n; cut++) {
		size_t used = describe_all(bytes, cut, text, sizeof(text));

		ck_assert_uint_le(used, cut);
		ck_assert(!strncmp(whole, text, strlen(text)));
		ck_assert_int_eq(spe_packet_decode(bytes + used, cut - used, used, &p),
				 SPE_NEED_MORE);
	}
}
END_TEST

/* ---- captured files, where they are at hand ------------------------------ */

static char *read_file(const char *folder, const char *name, size_t *n)
{
	char path[512];
	char *bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/data/bytes/%s", folder, name);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	bytes = calloc(1, 65536);
	ck_assert_ptr_nonnull(bytes);
	*n = fread(bytes, 1, 65535, f);
	fclose(f);
	return bytes;
}

/* The next "string" of a JSON text, copied out; NULL at the end or before the stop character. */
static const char *next_string(const char *at, char stop, char *out, size_t size)
{
	size_t n = 0;

	for (; *at != '"'; at++)
		if (!*at || *at == stop)
			return NULL;
	for (at++; *at && *at != '"' && n + 1 < size; at++)
		out[n++] = *at;
	out[n] = '\0';
	return *at ? at + 1 : NULL;
}

/* One text is of 2018, when perf said less of some packets: "LD" for "LD GP-REG". */
static bool is_said(const char *text, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(text, want, n) && (!text[n] || text[n] == ' ');
}

/* Packets as perf's dump groups them: zeros in a row are one PAD. */
static const char *check_file(const char *at, const uint8_t *bytes, size_t n)
{
	char hex[256], want[256], text[256];
	uint8_t expected[64];
	struct spe_packet p;
	const char *next;
	size_t pos = 0;

	while ((next = next_string(at, ']', hex, sizeof(hex)))) {
		size_t length = from_hex(hex, expected, sizeof(expected));
		size_t end = pos + length;

		at = next_string(next, ']', want, sizeof(want));
		ck_assert_ptr_nonnull(at);
		at = strchr(at, ']') + 1;
		ck_assert_uint_le(end, n);
		ck_assert_mem_eq(bytes + pos, expected, length);
		do {
			ck_assert_int_eq(spe_packet_decode(bytes + pos, n - pos, pos, &p), SPE_OK);
			ck_assert_int_eq(spe_packet_describe(&p, 0, text, sizeof(text)), SPE_OK);
			ck_assert_msg(is_said(text, want), "%s: %s", text, want);
			pos += p.length_bytes;
		} while (pos < end);
		ck_assert_uint_eq(pos, end);
	}
	return at;
}

START_TEST(captured_files_read_as_perf_reads_them)
{
	const char *folder = getenv("SPE_SHARED") ? getenv("SPE_SHARED") : "../shared";
	char name[128], file[256];
	size_t n, files = 0;
	char *json = read_file(folder, "expected-packets.json", &n);
	const char *at = json;

	if (!json) {
		printf("skipped: no captured files in %s\n", folder);
		return;
	}
	while (at && (at = next_string(at, '}', name, sizeof(name)))) {
		char *bytes;

		snprintf(file, sizeof(file), "%s.bin", name);
		bytes = read_file(folder, file, &n);
		ck_assert_msg(bytes, "%s", file);
		at = check_file(at, (uint8_t *)bytes, n);
		free(bytes);
		files++;
	}
	ck_assert_uint_ge(files, 4);
	free(json);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("packet-records");
	TCase *tc = tcase_create("records");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, record_reads_as_its_packets, 0, RECORDS);
	tcase_add_loop_test(tc, record_encodes_back, 0, RECORDS);
	tcase_add_loop_test(tc, record_cut_anywhere, 0, RECORDS);
	tcase_add_test(tc, captured_files_read_as_perf_reads_them);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
