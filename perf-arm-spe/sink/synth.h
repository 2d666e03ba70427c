/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events a record stands for, as perf synthesizes them: shared by script
 * and inject.
 *
 * Names and meaning are those of perf 7.3, without its faults: a branch or SVE
 * arithmetic is no memory operation, an absent data source is not an L1 hit, an
 * indirect branch without link is not a return, and a load keeps its address.
 */
#ifndef SPE_SINK_SYNTH_H
#define SPE_SINK_SYNTH_H

#include <perf-arm-spe/attribution.h>

/* In the order perf writes the events of one record. */
enum spe_synth_event {
	SPE_SYNTH_L1D_MISS,
	SPE_SYNTH_L1D_ACCESS,
	SPE_SYNTH_LLC_MISS,
	SPE_SYNTH_LLC_ACCESS,
	SPE_SYNTH_TLB_MISS,
	SPE_SYNTH_TLB_ACCESS,
	SPE_SYNTH_BRANCH,
	SPE_SYNTH_REMOTE_ACCESS,
	SPE_SYNTH_MEMORY,
	SPE_SYNTH_INSTRUCTIONS,
	SPE_SYNTH_EVENTS
};

/* "l1d-miss"; "?" out of range. Never NULL. */
const char *spe_synth_name(unsigned event);

/* Bits 1 << enum spe_synth_event of the events this record is; INSTRUCTIONS always is. */
uint32_t spe_synth_events(const struct spe_record *record);

/* SPE_HAS_* that the answers below depend on. */
#define SPE_SYNTH_WANT (SPE_HAS_EVENTS | SPE_HAS_OP)

/*
 * The address perf puts into ADDR: branch target of a branch, data address of
 * everything else.  false when the record has none.
 */
bool spe_synth_addr(const struct spe_record *record, uint64_t *addr);
#define SPE_SYNTH_ADDR_WANT (SPE_HAS_OP | SPE_HAS_TARGET | SPE_HAS_VA)

/* PERF_SAMPLE_DATA_SRC of a record of a core with this MIDR; 0 when it is no load or store. */
uint64_t spe_synth_data_src(const struct spe_record *record, uint64_t midr);
#define SPE_SYNTH_DATA_SRC_WANT (SPE_HAS_OP | SPE_HAS_EVENTS | SPE_HAS_DATA_SOURCE)

/* perf's PERF_IP_FLAG_* of a branch. */
enum spe_branch_flag {
	SPE_BRANCH_ANY = 1u << 0,
	SPE_BRANCH_CALL = 1u << 1,
	SPE_BRANCH_RETURN = 1u << 2,
	SPE_BRANCH_CONDITIONAL = 1u << 3,
	SPE_BRANCH_IN_TX = 1u << 10,
	SPE_BRANCH_MISS = 1u << 15,
	SPE_BRANCH_NOT_TAKEN = 1u << 16,
};

/* SPE_BRANCH_* of a record, 0 when it is no branch. */
uint32_t spe_synth_branch_flags(const struct spe_record *record);

/* Branch types as in perf's branch stack entries (PERF_BR_*). */
enum spe_branch_type {
	SPE_BR_UNKNOWN,
	SPE_BR_COND,
	SPE_BR_UNCOND,
	SPE_BR_IND,
	SPE_BR_CALL,
	SPE_BR_IND_CALL,
	SPE_BR_RET,
	SPE_BR_COND_CALL = 9,
	SPE_BR_COND_RET = 10,
};

/* One entry of a branch stack. */
struct spe_branch_entry {
	uint64_t from, to;
	uint16_t cycles;
	uint8_t type; /* enum spe_branch_type */
	bool predicted, mispredicted, not_taken, in_tx;
};

/* Entries a record can give: its own branch, and the one taken before (from unknown: 0). */
#define SPE_SYNTH_BRANCHES 2u

/* Fill entries, newest first; returns how many. */
unsigned spe_synth_branch_stack(const struct spe_record *record,
				struct spe_branch_entry entries[SPE_SYNTH_BRANCHES]);
#define SPE_SYNTH_BRANCH_WANT                                                                      \
	(SPE_HAS_OP | SPE_HAS_EVENTS | SPE_HAS_PC | SPE_HAS_TARGET | SPE_HAS_PREV_TARGET |         \
	 SPE_HAS_TOTAL_LATENCY)

/* The flags word of a branch stack entry as PERF_SAMPLE_BRANCH_STACK has it. */
uint64_t spe_synth_branch_word(const struct spe_branch_entry *entry);

/* SPE_MISC_* cpu mode of a sample: from its exception level; a guest's are guest modes. */
uint16_t spe_synth_cpumode(const struct spe_sample *sample, enum spe_host_el host_el);

#endif
