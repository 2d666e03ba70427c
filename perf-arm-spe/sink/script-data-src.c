/* SPDX-License-Identifier: GPL-2.0-only */
/* PERF_SAMPLE_DATA_SRC in perf's words. */
#include "script-fields.h"

/* Fields of the word: where they begin and how wide they are. */
#define FIELD(word, at, bits) ((unsigned)((word) >> (at)) & ((1u << (bits)) - 1))
#define OP(word) FIELD(word, 0, 5)
#define LVL(word) FIELD(word, 5, 14)
#define SNOOP(word) FIELD(word, 19, 5)
#define DTLB(word) FIELD(word, 26, 7)
#define LVL_NUM(word) FIELD(word, 33, 4)
#define REMOTE(word) FIELD(word, 37, 1)
#define SNOOPX(word) FIELD(word, 38, 2)

struct bit_name {
	unsigned bit;
	const char *name;
};

/* The first bit that is set names the whole; the last line of a table has bit 0. */
static const char *name_of(const struct bit_name *table, unsigned bits)
{
	while (table->bit && !(bits & table->bit))
		table++;
	return table->name;
}

static const struct bit_name op_names[] = {
	{ 0x02, "LOAD" }, { 0x04, "STORE" }, { 0x01, "N/A" }, { 0, "No" }
};
static const struct bit_name snoop_names[] = {
	{ 0x02, "None" }, { 0x04, "Hit" }, { 0x08, "Miss" }, { 0x10, "HitM" }, { 0, "N/A" }
};
static const struct bit_name dtlb_names[] = { { 0x02, "Walker hit" },
					      { 0x04, "Walker miss" },
					      { 0, "N/A" } };
static const struct bit_name hit_names[] = { { 0x02, " hit" }, { 0x04, " miss" }, { 0, "" } };

static const char *const level_names[16] = {
	[1] = "L1",       [2] = "L2",   [3] = "L3",    [4] = "L4",
	[8] = "Uncached", [9] = "CXL",  [10] = "I/O",  [11] = "Any cache",
	[12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM",
};

static char *put_level(char *at, uint64_t word)
{
	const char *name = level_names[LVL_NUM(word)];

	if (!name)
		return spe_script_put_word(at, "N/A");
	if (REMOTE(word))
		at = spe_script_put_word(at, "Remote ");
	at = spe_script_put_word(at, name);
	return spe_script_put_word(at, name_of(hit_names, LVL(word)));
}

char *spe_script_data_src_text(char *at, uint64_t word)
{
	at = spe_script_put_word(at, "|OP ");
	at = spe_script_put_word(at, name_of(op_names, OP(word)));
	at = spe_script_put_word(at, "|LVL ");
	at = put_level(at, word);
	at = spe_script_put_word(at, "|SNP ");
	at = spe_script_put_word(at, name_of(snoop_names, SNOOP(word)));
	at = spe_script_put_word(at, SNOOPX(word) & 2 ? " or Peer" : "");
	at = spe_script_put_word(at, "|TLB ");
	at = spe_script_put_word(at, name_of(dtlb_names, DTLB(word)));
	/* SPE tells of neither locks nor blocked accesses. */
	return spe_script_put_word(at, "|LCK No|BLK  N/A");
}
