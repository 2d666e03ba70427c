/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet -> the words stock perf has for it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "opcodes.h"

/* A text being written: what does not fit is cut. */
struct text {
	char *at;
	size_t left; /* room, terminating NUL included */
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->at, text->left, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n >= text->left)
		n = (int)text->left - 1;
	text->at += n;
	text->left -= (size_t)n;
}

/* ---- events ------------------------------------------------------------ */

static const char *const common_events[SPE_EVENT_BITS] = {
#define EVENT_ROW(bit, name) [bit] = name,
	SPE_COMMON_EVENTS(EVENT_ROW)
#undef EVENT_ROW
};

static const struct {
	uint32_t core;
	uint8_t bit;
	const char *name;
} core_events[] = {
	{ SPE_MIDR_CORE_NEOVERSE_N1, SPE_EVENT_N1_LATE_PREFETCH, "LATE-PREFETCH" },
};

static const char *core_event_name(unsigned bit, uint64_t midr)
{
	for (size_t i = 0; i < sizeof(core_events) / sizeof(core_events[0]); i++)
		if (core_events[i].bit == bit && core_events[i].core == (midr & SPE_MIDR_CORE_MASK))
			return core_events[i].name;
	return NULL;
}

const char *spe_event_name(unsigned bit, uint64_t midr)
{
	if (bit >= SPE_EVENT_BITS)
		return NULL;
	return common_events[bit] ? common_events[bit] : core_event_name(bit, midr);
}

/* perf's order: common events, then this core's own, then the numbers of the rest. */
static void describe_events(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	const char *lead = " IMPDEF:";

	add(text, "EV");
	for (unsigned bit = 0; bit < SPE_EVENT_BITS; bit++)
		if (packet->payload >> bit & 1 && common_events[bit])
			add(text, " %s", common_events[bit]);
	for (unsigned bit = 0; bit < SPE_EVENT_BITS; bit++)
		if (packet->payload >> bit & 1 && core_event_name(bit, midr))
			add(text, " %s", core_event_name(bit, midr));
	for (unsigned bit = 0; bit < SPE_EVENT_BITS; bit++) {
		if (!(packet->payload >> bit & 1) || spe_event_name(bit, midr))
			continue;
		add(text, "%s%u", lead, bit);
		lead = ",";
	}
}

/* ---- operations -------------------------------------------------------- */

enum number { NO_NUMBER, EVL, ETS };

/* " word" when (P & mask) == value; a number is printed after its word. */
struct op_word {
	uint8_t mask, value;
	const char *word;
	enum number number;
};

#define OP_WORDS 7
#define WORD(mask_, value_, word_)                                                                 \
	{                                                                                          \
		.mask = mask_, .value = value_, .word = word_                                      \
	}
#define ALWAYS(word) WORD(SPE_OP_ANY_MASK, SPE_OP_ANY_VALUE, word)
#define WHEN(bit, word) WORD(bit, bit, word)
#define UNLESS(bit, word) WORD(bit, 0, word)
#define CALL_RETURN(what, word) WORD(SPE_OP_BRANCH_CR_MASK, SPE_OP_BRANCH_CR_##what, word)
#define NUMBER(word_, number_)                                                                     \
	{                                                                                          \
		.word = word_, .number = number_                                                   \
	}
#define LD_OR_ST UNLESS(SPE_OP_LDST_STORE, "LD"), WHEN(SPE_OP_LDST_STORE, "ST")

#define OTHER(what) SPE_OP_OTHER, SPE_OP_OTHER_##what##_MASK, SPE_OP_OTHER_##what##_VALUE
#define LDST(what) SPE_OP_LOAD_STORE, SPE_OP_LDST_##what##_MASK, SPE_OP_LDST_##what##_VALUE
#define LDST_ONE(what) SPE_OP_LOAD_STORE, SPE_OP_LDST_SUBCLASS_MASK, SPE_OP_LDST_##what##_VALUE
#define ANY(op_class) op_class, SPE_OP_ANY_MASK, SPE_OP_ANY_VALUE

/* The first row that fits speaks; words in the order perf prints them. */
static const struct op_row {
	uint8_t op_class, mask, value;
	struct op_word words[OP_WORDS];
} op_rows[] = {
	/* clang-format off */
	{ OTHER(PLAIN), { ALWAYS("OTHER"), WHEN(SPE_OP_OTHER_ASE, "ASE"),
			  WHEN(SPE_OP_OTHER_FP, "FP"), WHEN(SPE_OP_OTHER_COND, "COND-SELECT"),
			  UNLESS(SPE_OP_OTHER_COND, "INSN-OTHER") } },
	{ OTHER(SVE), { ALWAYS("SVE-OTHER"), NUMBER("EVLEN", EVL), WHEN(SPE_OP_OTHER_FP, "FP"),
			WHEN(SPE_OP_OTHER_PRED, "PRED") } },
	{ OTHER(SME), { ALWAYS("SME-OTHER"), NUMBER("ETS", ETS), WHEN(SPE_OP_OTHER_FP, "FP") } },
	{ LDST_ONE(GP_REG), { LD_OR_ST, ALWAYS("GP-REG") } },
	{ LDST_ONE(SIMD_FP), { LD_OR_ST, ALWAYS("SIMD-FP") } },
	{ LDST_ONE(UNSPEC_REG), { LD_OR_ST, ALWAYS("UNSPEC-REG") } },
	{ LDST_ONE(MTE_TAG), { LD_OR_ST, ALWAYS("MTE-TAG") } },
	{ LDST_ONE(MEMCPY), { LD_OR_ST, ALWAYS("MEMCPY") } },
	{ LDST(MEMSET), { LD_OR_ST, ALWAYS("MEMSET") } },
	{ LDST_ONE(NV_SYSREG), { LD_OR_ST, ALWAYS("NV-SYSREG") } },
	{ LDST(EXTENDED), { LD_OR_ST, WHEN(SPE_OP_LDST_ATOMIC, "AT"),
			    WHEN(SPE_OP_LDST_EXCLUSIVE, "EXCL"),
			    WHEN(SPE_OP_LDST_ACQUIRE_RELEASE, "AR") } },
	{ LDST(SVE_SME), { LD_OR_ST, ALWAYS("SVE-SME-REG"), NUMBER("EVLEN", EVL),
			   WHEN(SPE_OP_LDST_PRED, "PRED"),
			   WHEN(SPE_OP_LDST_GATHER_SCATTER, "SG") } },
	{ LDST(GCS), { LD_OR_ST, ALWAYS("GCS"), WHEN(SPE_OP_LDST_GCS_COMMON, "COMM") } },
	{ ANY(SPE_OP_LOAD_STORE), { LD_OR_ST } },
	{ ANY(SPE_OP_BRANCH), { ALWAYS("B"), WHEN(SPE_OP_BRANCH_COND, "COND"),
				WHEN(SPE_OP_BRANCH_INDIRECT, "IND"),
				WHEN(SPE_OP_BRANCH_GCS, "GCS"), CALL_RETURN(CALL, "CR-BL"),
				CALL_RETURN(RETURN, "CR-RET"),
				CALL_RETURN(NEITHER, "CR-NON-BL-RET") } },
	/* clang-format on */
};

static void add_op_word(const struct op_word *word, unsigned payload, bool first, struct text *text)
{
	add(text, first ? "%s" : " %s", word->word);
	if (word->number == EVL)
		add(text, " %u", SPE_OP_EVL_BITS(payload));
	else if (word->number == ETS)
		add(text, " %u", SPE_OP_ETS_BITS(payload));
}

static void describe_operation(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	unsigned payload = (unsigned)packet->payload;
	bool first = true;

	(void)midr;
	if (packet->index >= SPE_OP_UNDEFINED) {
		add(text, "OP-TYPE 0x%x (%u)", payload, packet->index);
		return;
	}
	for (size_t i = 0; i < sizeof(op_rows) / sizeof(op_rows[0]); i++) {
		const struct op_row *row = &op_rows[i];

		if (row->op_class != packet->index || (payload & row->mask) != row->value)
			continue;
		for (const struct op_word *w = row->words; w < row->words + OP_WORDS && w->word;
		     w++) {
			if ((payload & w->mask) != w->value)
				continue;
			add_op_word(w, payload, first, text);
			first = false;
		}
		return;
	}
}

/* ---- the other kinds --------------------------------------------------- */

static void describe_address(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	uint64_t value = packet->payload;
	unsigned ns = (unsigned)(value >> SPE_ADDR_NS_SHIFT);
	static const char *const code[] = {
		[SPE_ADDRESS_PC] = "PC",
		[SPE_ADDRESS_TARGET] = "TGT",
		[SPE_ADDRESS_PREV_TARGET] = "PBT",
	};

	(void)midr;
	if (packet->index == SPE_ADDRESS_VA)
		add(text, "VA 0x%" PRIx64, value);
	else if (packet->index == SPE_ADDRESS_PA)
		add(text, "PA 0x%" PRIx64 " ns=%u ch=%u pat=%x", value & SPE_ADDR_MASK, ns,
		    (unsigned)(value >> SPE_ADDR_CH_SHIFT) & 1,
		    (unsigned)(value >> SPE_ADDR_PAT_SHIFT) & SPE_ADDR_PAT_MASK);
	else if (packet->index < sizeof(code) / sizeof(code[0]))
		add(text, "%s 0x%" PRIx64 " el%u ns=%u", code[packet->index], value & SPE_ADDR_MASK,
		    (unsigned)(value >> SPE_ADDR_EL_SHIFT) & SPE_ADDR_EL_MASK, ns);
	else
		add(text, "ADDR 0x%" PRIx64 " (%u)", value, packet->index);
}

static void describe_counter(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	static const char *const names[] = {
		[SPE_COUNTER_TOTAL] = "TOT",
		[SPE_COUNTER_ISSUE] = "ISSUE",
		[SPE_COUNTER_TRANSLATION] = "XLAT",
	};

	(void)midr;
	add(text, "LAT %" PRIu64 " %s", packet->payload,
	    packet->index < sizeof(names) / sizeof(names[0]) ? names[packet->index] : "");
}

static void describe_context(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	(void)midr;
	add(text, "CONTEXT 0x%" PRIx64 " el%u", packet->payload, packet->index + 1u);
}

static void describe_timestamp(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	(void)midr;
	add(text, "TS %" PRIu64, packet->payload);
}

static void describe_data_source(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	(void)midr;
	add(text, "DATA-SOURCE %" PRIu64, packet->payload);
}

static void describe_padding(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	(void)packet;
	(void)midr;
	add(text, "PAD");
}

static void describe_end(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	(void)packet;
	(void)midr;
	add(text, "END");
}

/* perf has no word for these but "Bad packet"; we do know their length. */
static void describe_unknown(const struct spe_packet *packet, uint64_t midr, struct text *text)
{
	(void)midr;
	add(text, "UNKNOWN 0x%02x", packet->header[0]);
	if (packet->header_bytes == SPE_HDR_EXTENDED_BYTES)
		add(text, " 0x%02x", packet->header[1]);
	if (packet->payload_bytes)
		add(text, " value 0x%" PRIx64, packet->payload);
}

static const struct {
	const char *name;
	void (*describe)(const struct spe_packet *packet, uint64_t midr, struct text *text);
} kinds[SPE_PACKET_KINDS] = {
	[SPE_PACKET_PADDING] = { "PADDING", describe_padding },
	[SPE_PACKET_END] = { "END", describe_end },
	[SPE_PACKET_TIMESTAMP] = { "TIMESTAMP", describe_timestamp },
	[SPE_PACKET_EVENTS] = { "EVENTS", describe_events },
	[SPE_PACKET_DATA_SOURCE] = { "DATA_SOURCE", describe_data_source },
	[SPE_PACKET_OPERATION] = { "OPERATION", describe_operation },
	[SPE_PACKET_CONTEXT] = { "CONTEXT", describe_context },
	[SPE_PACKET_COUNTER] = { "COUNTER", describe_counter },
	[SPE_PACKET_ADDRESS] = { "ADDRESS", describe_address },
	[SPE_PACKET_ALIGNMENT] = { "ALIGNMENT", describe_padding },
	[SPE_PACKET_UNKNOWN] = { "UNKNOWN", describe_unknown },
};

const char *spe_packet_kind_name(unsigned kind)
{
	return kind < SPE_PACKET_KINDS ? kinds[kind].name : "?";
}

int spe_packet_describe(const struct spe_packet *packet, uint64_t midr, char *text, size_t size)
{
	struct text out = { text, size };

	if (!size || packet->kind >= SPE_PACKET_KINDS)
		return SPE_INVALID;
	text[0] = '\0';
	kinds[packet->kind].describe(packet, midr, &out);
	return SPE_OK;
}
