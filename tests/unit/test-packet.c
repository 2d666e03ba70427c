/* SPDX-License-Identifier: GPL-2.0-only */
/* Single packets: what each byte string means and what stock perf 7.3 calls it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/packet.h>

#define MIDR_NEOVERSE_N1 0x413fd0c1

static const struct example {
	int number;
	const char *hex;
	int status; /* of decoding just these bytes */
	unsigned kind, index;
	unsigned header_bytes, length_bytes;
	uint64_t payload;
	const char *text; /* NULL: the packet is not whole */
} examples[] = {
	{ 1, "00", SPE_OK, SPE_PACKET_PADDING, 0, 1, 1, 0, "PAD" },
	{ 2, "00 00 00 00 00", SPE_OK, SPE_PACKET_PADDING, 0, 1, 1, 0, "PAD" },
	{ 3, "01", SPE_OK, SPE_PACKET_END, 0, 1, 1, 0, "END" },
	{ 4, "71 2e 65 2f 6a 0a 00 00 00", SPE_OK, SPE_PACKET_TIMESTAMP, 0, 1, 9, 0xa6a2f652e,
	  "TS 44731163950" },
	{ 5, "71 00 00 00 00 00 00 00 00", SPE_OK, SPE_PACKET_TIMESTAMP, 0, 1, 9, 0, "TS 0" },
	{ 6, "20 00", SPE_OK, SPE_PACKET_ALIGNMENT, 0, 2, 2, 0, "PAD" },
	{ 7, "21 00 00 00", SPE_OK, SPE_PACKET_ALIGNMENT, 1, 2, 4, 0, "PAD" },
	{ 8, "22 00 00 00 00 00 00 00", SPE_OK, SPE_PACKET_ALIGNMENT, 2, 2, 8, 0, "PAD" },
	{ 9, "23 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", SPE_OK, SPE_PACKET_ALIGNMENT, 3, 2,
	  16, 0, "PAD" },
	{ 10, "24 00", SPE_NEED_MORE, SPE_PACKET_ALIGNMENT, 4, 2, 32, 0, "PAD" },
	{ 11, "b0 d0 c2 a1 ed 66 ba ff c0", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0xc0ffba66eda1c2d0,
	  "PC 0xffba66eda1c2d0 el2 ns=1" },
	{ 12, "b0 a8 04 40 00 00 00 00 80", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0x80000000004004a8,
	  "PC 0x4004a8 el0 ns=1" },
	{ 13, "b0 00 c4 15 08 00 80 ff a0", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0xa0ff80000815c400,
	  "PC 0xff80000815c400 el1 ns=1" },
	{ 14, "b0 00 c4 15 08 00 00 ff ff", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0xffff00000815c400,
	  "PC 0xff00000815c400 el3 ns=1" },
	{ 15, "b0 00 20 00 0e 00 00 00 60", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0x600000000e002000,
	  "PC 0xe002000 el3 ns=0" },
	{ 16, "b0 00 10 00 00 00 80 ff b0", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0xb0ff800000001000,
	  "PC 0xff800000001000 el1 ns=1" },
	{ 17, "b0 00 20 00 0e 00 00 00 70", SPE_OK, SPE_PACKET_ADDRESS, 0, 1, 9, 0x700000000e002000,
	  "PC 0xe002000 el3 ns=0" },
	{ 18, "b1 e4 b0 ef ed 66 ba ff c0", SPE_OK, SPE_PACKET_ADDRESS, 1, 1, 9, 0xc0ffba66edefb0e4,
	  "TGT 0xffba66edefb0e4 el2 ns=1" },
	{ 19, "b1 08 44 21 bf fd 7f 00 80", SPE_OK, SPE_PACKET_ADDRESS, 1, 1, 9, 0x80007ffdbf214408,
	  "TGT 0x7ffdbf214408 el0 ns=1" },
	{ 20, "b2 60 5e 1c ab aa aa 00 00", SPE_OK, SPE_PACKET_ADDRESS, 2, 1, 9, 0xaaaaab1c5e60,
	  "VA 0xaaaaab1c5e60" },
	{ 21, "b2 60 5e 1c ab aa aa 00 0b", SPE_OK, SPE_PACKET_ADDRESS, 2, 1, 9, 0xb00aaaaab1c5e60,
	  "VA 0xb00aaaaab1c5e60" },
	{ 22, "b2 28 6b 09 03 37 0e ff 00", SPE_OK, SPE_PACKET_ADDRESS, 2, 1, 9, 0xff0e3703096b28,
	  "VA 0xff0e3703096b28" },
	{ 23, "b2 c0 3b 29 0f 00 00 ff ff", SPE_OK, SPE_PACKET_ADDRESS, 2, 1, 9, 0xffff00000f293bc0,
	  "VA 0xffff00000f293bc0" },
	{ 24, "b2 00 00 00 00 00 00 f0 f0", SPE_OK, SPE_PACKET_ADDRESS, 2, 1, 9, 0xf0f0000000000000,
	  "VA 0xf0f0000000000000" },
	{ 25, "b3 c0 eb 24 fb 00 00 00 80", SPE_OK, SPE_PACKET_ADDRESS, 3, 1, 9, 0x80000000fb24ebc0,
	  "PA 0xfb24ebc0 ns=1 ch=0 pat=0" },
	{ 26, "b3 50 9e d7 71 3f 40 00 80", SPE_OK, SPE_PACKET_ADDRESS, 3, 1, 9, 0x8000403f71d79e50,
	  "PA 0x403f71d79e50 ns=1 ch=0 pat=0" },
	{ 27, "b3 00 10 00 80 00 00 00 c5", SPE_OK, SPE_PACKET_ADDRESS, 3, 1, 9, 0xc500000080001000,
	  "PA 0x80001000 ns=1 ch=1 pat=5" },
	{ 28, "b3 00 10 00 80 08 00 00 00", SPE_OK, SPE_PACKET_ADDRESS, 3, 1, 9, 0x880001000,
	  "PA 0x880001000 ns=0 ch=0 pat=0" },
	{ 29, "b4 e4 b0 ef ed 66 ba ff c0", SPE_OK, SPE_PACKET_ADDRESS, 4, 1, 9, 0xc0ffba66edefb0e4,
	  "PBT 0xffba66edefb0e4 el2 ns=1" },
	{ 30, "b5 11 22 33 44 55 66 77 08", SPE_OK, SPE_PACKET_ADDRESS, 5, 1, 9, 0x877665544332211,
	  "ADDR 0x877665544332211 (5)" },
	{ 31, "20 b0 a8 04 40 00 00 00 00 80", SPE_OK, SPE_PACKET_ADDRESS, 0, 2, 10,
	  0x80000000004004a8, "PC 0x4004a8 el0 ns=1" },
	{ 32, "21 b1 00 00 00 00 00 00 00 80", SPE_OK, SPE_PACKET_ADDRESS, 9, 2, 10,
	  0x8000000000000000, "ADDR 0x8000000000000000 (9)" },
	{ 33, "a0 34 12 00 00", SPE_OK, SPE_PACKET_UNKNOWN, 0, 1, 5, 0x1234,
	  "UNKNOWN 0xa0 value 0x1234" },
	{ 34, "64 d2 04 00 00", SPE_OK, SPE_PACKET_CONTEXT, 0, 1, 5, 0x4d2, "CONTEXT 0x4d2 el1" },
	{ 35, "65 80 5f 00 00", SPE_OK, SPE_PACKET_CONTEXT, 1, 1, 5, 0x5f80, "CONTEXT 0x5f80 el2" },
	{ 36, "65 0e 00 00 00", SPE_OK, SPE_PACKET_CONTEXT, 1, 1, 5, 0xe, "CONTEXT 0xe el2" },
	{ 37, "64 00 00 00 00", SPE_OK, SPE_PACKET_CONTEXT, 0, 1, 5, 0, "CONTEXT 0x0 el1" },
	{ 38, "65 ff ff ff ff", SPE_OK, SPE_PACKET_CONTEXT, 1, 1, 5, 0xffffffff,
	  "CONTEXT 0xffffffff el2" },
	{ 39, "66 01 00 00 00", SPE_OK, SPE_PACKET_CONTEXT, 2, 1, 5, 0x1, "CONTEXT 0x1 el3" },
	{ 40, "98 0c 00", SPE_OK, SPE_PACKET_COUNTER, 0, 1, 3, 0xc, "LAT 12 TOT" },
	{ 41, "99 04 00", SPE_OK, SPE_PACKET_COUNTER, 1, 1, 3, 0x4, "LAT 4 ISSUE" },
	{ 42, "9a 01 00", SPE_OK, SPE_PACKET_COUNTER, 2, 1, 3, 0x1, "LAT 1 XLAT" },
	{ 43, "98 f5 01", SPE_OK, SPE_PACKET_COUNTER, 0, 1, 3, 0x1f5, "LAT 501 TOT" },
	{ 44, "99 51 01", SPE_OK, SPE_PACKET_COUNTER, 1, 1, 3, 0x151, "LAT 337 ISSUE" },
	{ 45, "98 ff 0f", SPE_OK, SPE_PACKET_COUNTER, 0, 1, 3, 0xfff, "LAT 4095 TOT" },
	{ 46, "98 ff ff", SPE_OK, SPE_PACKET_COUNTER, 0, 1, 3, 0xffff, "LAT 65535 TOT" },
	{ 47, "9b 07 00", SPE_OK, SPE_PACKET_COUNTER, 3, 1, 3, 0x7, "LAT 7 " },
	{ 48, "9c 09 00", SPE_OK, SPE_PACKET_COUNTER, 4, 1, 3, 0x9, "LAT 9 " },
	{ 49, "20 99 04 00", SPE_OK, SPE_PACKET_COUNTER, 1, 2, 4, 0x4, "LAT 4 ISSUE" },
	{ 50, "21 98 05 00", SPE_OK, SPE_PACKET_COUNTER, 8, 2, 4, 0x5, "LAT 5 " },
	{ 51, "42 16", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 2, 0x16,
	  "EV RETIRED L1D-ACCESS TLB-ACCESS" },
	{ 52, "52 1e 03", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x31e,
	  "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS LLC-ACCESS LLC-REFILL" },
	{ 53, "52 16 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x16,
	  "EV RETIRED L1D-ACCESS TLB-ACCESS" },
	{ 54, "52 42 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x42, "EV RETIRED NOT-TAKEN" },
	{ 55, "52 82 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x82, "EV RETIRED MISPRED" },
	{ 56, "52 00 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0, "EV" },
	{ 57, "42 01", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 2, 0x1, "EV EXCEPTION-GEN" },
	{ 58, "52 1e 07", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x71e,
	  "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS LLC-ACCESS LLC-REFILL REMOTE-ACCESS" },
	{ 59, "52 3e 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x3e,
	  "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS TLB-REFILL" },
	{ 60, "52 16 08", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x816,
	  "EV RETIRED L1D-ACCESS TLB-ACCESS ALIGNMENT" },
	{ 61, "52 16 10", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 3, 0x1016,
	  "EV RETIRED L1D-ACCESS TLB-ACCESS IMPDEF:12" },
	{ 62, "62 02 00 01 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 5, 0x10002, "EV RETIRED TXN" },
	{ 63, "62 02 00 02 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 5, 0x20002,
	  "EV RETIRED SVE-PARTIAL-PRED" },
	{ 64, "62 02 00 06 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 5, 0x60002,
	  "EV RETIRED SVE-PARTIAL-PRED SVE-EMPTY-PRED" },
	{ 65, "62 16 00 e8 00", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 5, 0xe80016,
	  "EV RETIRED L1D-ACCESS TLB-ACCESS L2D-ACCESS HITM LFB SNOOPED" },
	{ 66, "62 0a 00 10 03", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 5, 0x310000a,
	  "EV RETIRED L1D-REFILL L2D-MISS STREAMING-SVE SMCU" },
	{ 67, "72 02 00 00 00 00 00 01 80", SPE_OK, SPE_PACKET_EVENTS, 0, 1, 9, 0x8001000000000002,
	  "EV RETIRED IMPDEF:48,63" },
	{ 68, "48 00", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0, "OTHER INSN-OTHER" },
	{ 69, "48 01", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x1, "OTHER COND-SELECT" },
	{ 70, "48 02", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x2, "OTHER FP INSN-OTHER" },
	{ 71, "48 06", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x6, "OTHER ASE FP INSN-OTHER" },
	{ 72, "48 08", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x8, "SVE-OTHER EVLEN 32" },
	{ 73, "48 2a", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x2a, "SVE-OTHER EVLEN 128 FP" },
	{ 74, "48 2c", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x2c, "SVE-OTHER EVLEN 128 PRED" },
	{ 75, "48 88", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x88, "SME-OTHER ETS 128" },
	{ 76, "48 ba", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0xba, "SME-OTHER ETS 8192 FP" },
	{ 77, "48 10", SPE_OK, SPE_PACKET_OPERATION, 0, 1, 2, 0x10, "" },
	{ 78, "49 00", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0, "LD GP-REG" },
	{ 79, "49 01", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x1, "ST GP-REG" },
	{ 80, "49 04", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x4, "LD SIMD-FP" },
	{ 81, "49 05", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x5, "ST SIMD-FP" },
	{ 82, "49 02", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x2, "LD" },
	{ 83, "49 07", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x7, "ST AT" },
	{ 84, "49 06", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x6, "LD AT" },
	{ 85, "49 0a", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0xa, "LD EXCL" },
	{ 86, "49 12", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x12, "LD AR" },
	{ 87, "49 13", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x13, "ST AR" },
	{ 88, "49 1f", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x1f, "ST AT EXCL AR" },
	{ 89, "49 16", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x16, "LD AT AR" },
	{ 90, "49 10", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x10, "LD UNSPEC-REG" },
	{ 91, "49 14", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x14, "LD MTE-TAG" },
	{ 92, "49 15", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x15, "ST MTE-TAG" },
	{ 93, "49 30", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x30, "LD NV-SYSREG" },
	{ 94, "49 31", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x31, "ST NV-SYSREG" },
	{ 95, "49 20", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x20, "LD MEMCPY" },
	{ 96, "49 21", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x21, "ST MEMCPY" },
	{ 97, "49 25", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x25, "ST MEMSET" },
	{ 98, "49 08", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x8, "LD SVE-SME-REG EVLEN 32" },
	{ 99, "49 2d", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x2d,
	  "ST SVE-SME-REG EVLEN 128 PRED" },
	{ 100, "49 a8", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0xa8,
	  "LD SVE-SME-REG EVLEN 128 SG" },
	{ 101, "49 40", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x40, "LD GCS" },
	{ 102, "49 45", SPE_OK, SPE_PACKET_OPERATION, 1, 1, 2, 0x45, "ST GCS COMM" },
	{ 103, "4a 00", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0, "B" },
	{ 104, "4a 01", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x1, "B COND" },
	{ 105, "4a 02", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x2, "B IND" },
	{ 106, "4a 08", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x8, "B CR-BL" },
	{ 107, "4a 0a", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0xa, "B IND CR-BL" },
	{ 108, "4a 12", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x12, "B IND CR-RET" },
	{ 109, "4a 16", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x16, "B IND GCS CR-RET" },
	{ 110, "4a 18", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x18, "B CR-NON-BL-RET" },
	{ 111, "4a 19", SPE_OK, SPE_PACKET_OPERATION, 2, 1, 2, 0x19, "B COND CR-NON-BL-RET" },
	{ 112, "4b 00", SPE_OK, SPE_PACKET_OPERATION, 3, 1, 2, 0, "OP-TYPE 0x0 (3)" },
	{ 113, "43 00", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 2, 0, "DATA-SOURCE 0" },
	{ 114, "43 0c", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 2, 0xc, "DATA-SOURCE 12" },
	{ 115, "43 08", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 2, 0x8, "DATA-SOURCE 8" },
	{ 116, "43 0e", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 2, 0xe, "DATA-SOURCE 14" },
	{ 117, "43 0d", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 2, 0xd, "DATA-SOURCE 13" },
	{ 118, "43 12", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 2, 0x12, "DATA-SOURCE 18" },
	{ 119, "53 0b 00", SPE_OK, SPE_PACKET_DATA_SOURCE, 0, 1, 3, 0xb, "DATA-SOURCE 11" },
	{ 120, "80", SPE_NEED_MORE, SPE_PACKET_UNKNOWN, 0, 1, 2, 0, "UNKNOWN 0x80 value 0x0" },
	{ 121, "b0 d0 c2", SPE_NEED_MORE, SPE_PACKET_ADDRESS, 0, 1, 9, 0, NULL },
	{ 122, "20", SPE_NEED_MORE, SPE_PACKET_UNKNOWN, 0, 2, 2, 0, NULL },
};

#define EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static size_t from_hex(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	char *end;

	for (; *hex; hex = end)
		bytes[n++] = (uint8_t)strtoul(hex, &end, 16);
	return n;
}

START_TEST(example_decodes)
{
	const struct example *e = &examples[_i];
	struct spe_packet p;
	uint8_t bytes[32];
	size_t n = from_hex(e->hex, bytes);

	ck_assert_int_eq(spe_packet_decode(bytes, n, 0x40, &p), e->status);
	ck_assert_uint_eq(p.kind, e->kind);
	ck_assert_uint_eq(p.index, e->index);
	ck_assert_uint_eq(p.header_bytes, e->header_bytes);
	ck_assert_uint_eq(p.length_bytes, e->length_bytes);
	if (e->status == SPE_OK) {
		ck_assert_uint_eq(p.payload, e->payload);
		ck_assert_mem_eq(p.header, bytes, p.header_bytes);
	}
}
END_TEST

START_TEST(example_is_described)
{
	const struct example *e = &examples[_i];
	struct spe_packet p;
	uint8_t bytes[32];
	char text[256];
	size_t n = from_hex(e->hex, bytes);

	if (!e->text)
		return;
	memset(bytes + n, 0, sizeof(bytes) - n);
	ck_assert_int_eq(spe_packet_decode(bytes, sizeof(bytes), 0, &p), SPE_OK);
	ck_assert_int_eq(spe_packet_describe(&p, 0, text, sizeof(text)), SPE_OK);
	ck_assert_str_eq(text, e->text);
}
END_TEST

START_TEST(example_encodes_back)
{
	const struct example *e = &examples[_i];
	struct spe_packet p;
	uint8_t bytes[32], again[32];
	size_t n = from_hex(e->hex, bytes), written;

	if (e->status != SPE_OK)
		return;
	ck_assert_int_eq(spe_packet_decode(bytes, n, 0x40, &p), SPE_OK);
	ck_assert_int_eq(spe_packet_encode(&p, 0x40, again, sizeof(again), &written), SPE_OK);
	ck_assert_uint_eq(written, p.length_bytes);
	ck_assert_mem_eq(again, bytes, written);
}
END_TEST

START_TEST(example_cut_anywhere_needs_more)
{
	const struct example *e = &examples[_i];
	struct spe_packet p;
	uint8_t bytes[32];

	from_hex(e->hex, bytes);
	for (size_t n = 0; n < e->length_bytes && e->status == SPE_OK; n++) {
		ck_assert_int_eq(spe_packet_decode(bytes, n, 0x40, &p), SPE_NEED_MORE);
		ck_assert_uint_gt(p.length_bytes, n);
		ck_assert_uint_le(p.length_bytes, e->length_bytes);
		if (n >= e->header_bytes)
			ck_assert_uint_eq(p.kind, e->kind);
	}
}
END_TEST

START_TEST(all_examples_are_here)
{
	ck_assert_uint_eq(EXAMPLES, 122);
	for (size_t i = 0; i < EXAMPLES; i++)
		ck_assert_int_eq(examples[i].number, (int)i + 1);
}
END_TEST

START_TEST(core_names_its_own_events)
{
	struct spe_packet p = { .kind = SPE_PACKET_EVENTS, .payload_bytes = 2, .payload = 0x1016 };
	char text[256];

	ck_assert_int_eq(spe_packet_describe(&p, MIDR_NEOVERSE_N1, text, sizeof(text)), SPE_OK);
	ck_assert_str_eq(text, "EV RETIRED L1D-ACCESS TLB-ACCESS LATE-PREFETCH");
	p.payload = 0x15000;
	ck_assert_int_eq(spe_packet_describe(&p, MIDR_NEOVERSE_N1, text, sizeof(text)), SPE_OK);
	ck_assert_str_eq(text, "EV TXN LATE-PREFETCH IMPDEF:14");
	ck_assert_str_eq(spe_event_name(12, MIDR_NEOVERSE_N1), "LATE-PREFETCH");
	ck_assert_str_eq(spe_event_name(12, 0x411fd0c0), "LATE-PREFETCH");
	ck_assert_ptr_null(spe_event_name(12, 0));
	ck_assert_ptr_null(spe_event_name(12, 0x410fd490));
	ck_assert_str_eq(spe_event_name(25, 0), "SMCU");
	ck_assert_ptr_null(spe_event_name(26, MIDR_NEOVERSE_N1));
	ck_assert_ptr_null(spe_event_name(64, MIDR_NEOVERSE_N1));
}
END_TEST

START_TEST(text_is_cut_to_size)
{
	static const char whole[] = "EV RETIRED IMPDEF:48,63";
	struct spe_packet p = { .kind = SPE_PACKET_EVENTS,
				.payload_bytes = 8,
				.payload = 0x8001000000000002 };
	char text[64];

	for (size_t size = 1; size <= sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		ck_assert_int_eq(spe_packet_describe(&p, 0, text, size), SPE_OK);
		ck_assert_uint_eq(strlen(text), size > strlen(whole) ? strlen(whole) : size - 1);
		ck_assert(!strncmp(text, whole, strlen(text)));
		if (size < sizeof(text))
			ck_assert_int_eq(text[size], '#');
	}
	ck_assert_int_eq(spe_packet_describe(&p, 0, text, 0), SPE_INVALID);
	p.kind = SPE_PACKET_KINDS;
	ck_assert_int_eq(spe_packet_describe(&p, 0, text, sizeof(text)), SPE_INVALID);
}
END_TEST

START_TEST(every_kind_has_a_name)
{
	for (unsigned i = 0; i < SPE_PACKET_KINDS; i++)
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(spe_packet_kind_name(i), spe_packet_kind_name(j));
	ck_assert_str_eq(spe_packet_kind_name(SPE_PACKET_TIMESTAMP), "TIMESTAMP");
	ck_assert_str_eq(spe_packet_kind_name(SPE_PACKET_KINDS), "?");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("packet");
	TCase *tc = tcase_create("examples");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, example_decodes, 0, EXAMPLES);
	tcase_add_loop_test(tc, example_is_described, 0, EXAMPLES);
	tcase_add_loop_test(tc, example_encodes_back, 0, EXAMPLES);
	tcase_add_loop_test(tc, example_cut_anywhere_needs_more, 0, EXAMPLES);
	tcase_add_test(tc, all_examples_are_here);
	tcase_add_test(tc, core_names_its_own_events);
	tcase_add_test(tc, text_is_cut_to_size);
	tcase_add_test(tc, every_kind_has_a_name);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
