/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the two files of script's fields: small writers, and our own fields. */
#ifndef SPE_SINK_SCRIPT_FIELDS_H
#define SPE_SINK_SCRIPT_FIELDS_H

#include "script.h"

static inline char *spe_script_put_word(char *at, const char *word)
{
	return spe_put_bytes(at, word, strlen(word));
}

static inline char *spe_script_put_hex(char *at, uint64_t value)
{
	*at++ = '0';
	*at++ = 'x';
	return spe_put_hex(at, value);
}

/* Eight hexadecimal digits in a word, the first one in its lowest byte. */
static inline uint64_t spe_script_hex8(uint32_t v)
{
	uint64_t x = v;

	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	/* A nibble above 9 carries into bit 4 when 6 is added: a letter. */
	x += 0x3030303030303030 + ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * 0x27;
	return __builtin_bswap64(x);
}

/* Hexadecimal in 16 columns, spaces in front: two words instead of a loop over digits. */
static inline char *spe_script_put_hex16(char *at, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t spaces = 0x2020202020202020;
	unsigned blanks = 16 - spe_hex_digits(v);
	uint64_t word[2] = { spe_script_hex8((uint32_t)(v >> 32)), spe_script_hex8((uint32_t)v) };
	uint64_t blank = (1ull << 8 * (blanks & 7)) - 1;

	if (blanks >= 8) {
		word[0] = spaces;
		word[1] = (word[1] & ~blank) | (spaces & blank);
	} else {
		word[0] = (word[0] & ~blank) | (spaces & blank);
	}
	memcpy(at, word, sizeof(word));
	return at + sizeof(word);
#else
	return spe_put_hex_pad(at, v, 16, ' ');
#endif
}

/* An address the record may not have. */
static inline char *spe_script_put_address(char *at, const struct script_line *line, uint32_t has,
					   uint64_t value)
{
	return line->sample->record.present & has ? spe_script_put_hex(at, value) : at;
}

/* Names of symbols and files are cut here: in text, CSV and JSON alike. */
#define SPE_SCRIPT_SYM_BYTES 1024u
#define SPE_SCRIPT_DSO_BYTES 4096u

#define SPE_SCRIPT_SYMBOL_LIST(X) X(sym) X(symoff) X(dso) X(srcline)
#define SPE_SCRIPT_DECLARE(name)                                                                   \
	char *spe_script_value_##name(char *at, const struct script_line *line);                   \
	char *spe_script_column_##name(char *at, const struct script_line *line);
SPE_SCRIPT_SYMBOL_LIST(SPE_SCRIPT_DECLARE)
#undef SPE_SCRIPT_DECLARE

/* X(name, kind, room, want, help): value_NAME() is in script-spe-fields.c. */
#define SPE_SCRIPT_OWN_LIST(X)                                                                     \
	X(evidence, WORD, 16, 0, "how the owner is known: context, switch, none ...")              \
	X(el, NUMBER, 8, SPE_HAS_PC | SPE_HAS_EL, "exception level of the operation, 0 to 3")      \
	X(ns, NUMBER, 8, SPE_HAS_PC | SPE_HAS_EL, "1 in Non-secure and Realm state, else 0")       \
	X(security, WORD, 16, SPE_HAS_PC | SPE_HAS_EL, "secure, nonsecure, root or realm")         \
	X(mode, WORD, 16, SPE_HAS_PC | SPE_HAS_EL,                                                 \
	  "user, kernel, hypervisor, guest-kernel or guest-user")                                  \
	X(op, WORD, 48, SPE_HAS_OP, "kind of operation: load, store, branch-cond ...")             \
	X(events, LIST, 2048, SPE_HAS_EVENTS, "what happened to it: retired,l1d-access ...")       \
	X(source, WORD, 40, SPE_HAS_DATA_SOURCE,                                                   \
	  "where the data came from; a number where the core's encoding is not known")             \
	X(total_lat, NUMBER, 8, SPE_HAS_TOTAL_LATENCY, "total latency, cycles")                    \
	X(issue_lat, NUMBER, 8, SPE_HAS_ISSUE_LATENCY, "issue latency, cycles")                    \
	X(xlat_lat, NUMBER, 8, SPE_HAS_XLAT_LATENCY, "translation latency, cycles")                \
	X(va, WORD, 24, SPE_HAS_VA, "virtual address of the data, tag taken out")                  \
	X(tag, WORD, 8, SPE_HAS_VA, "top byte of that address")                                    \
	X(pa, WORD, 24, SPE_HAS_PA, "physical address of the data")                                \
	X(tgt, WORD, 24, SPE_HAS_TARGET, "branch target")                                          \
	X(pbt, WORD, 24, SPE_HAS_PREV_TARGET, "target of the branch taken before")                 \
	X(context_el1, NUMBER, 16, SPE_HAS_CONTEXT_EL1, "CONTEXTIDR_EL1, context packet 0")        \
	X(context_el2, NUMBER, 16, SPE_HAS_CONTEXT_EL2, "CONTEXTIDR_EL2, context packet 1")        \
	X(contexts, LIST, 48, SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2,                           \
	  "both of them: el1:N,el2:N")                                                             \
	X(guest, NUMBER, 16, SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2,                            \
	  "CONTEXTIDR_EL1 of a guest")                                                             \
	X(offset, WORD, 24, 0, "where the record begins in the AUX stream")                        \
	X(length, NUMBER, 8, 0, "bytes of the record")                                             \
	X(ticks, NUMBER, 24, SPE_HAS_TIMESTAMP, "timestamp as the timer counted it")

#define SPE_SCRIPT_DECLARE(name, kind, room, want, help)                                           \
	char *spe_script_value_##name(char *at, const struct script_line *line);
SPE_SCRIPT_OWN_LIST(SPE_SCRIPT_DECLARE)
#undef SPE_SCRIPT_DECLARE

#define SPE_SCRIPT_OWN_ENTRY(name_, kind_, room_, want_, help_)                                    \
	{ .name = #name_,                                                                          \
	  .help = help_,                                                                           \
	  .want = want_,                                                                           \
	  .kind = SCRIPT_##kind_,                                                                  \
	  .room = room_,                                                                           \
	  .value = spe_script_value_##name_ },
#define SPE_SCRIPT_OWN_FIELDS SPE_SCRIPT_OWN_LIST(SPE_SCRIPT_OWN_ENTRY)

#endif
