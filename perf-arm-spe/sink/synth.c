/* SPDX-License-Identifier: GPL-2.0-only */
#include "synth.h"

#include "events.h"

static const struct {
	const char *name;
	uint32_t event_bit; /* of the Events packet; 0: decided by the operation */
} synth_table[SPE_SYNTH_EVENTS] = {
	[SPE_SYNTH_L1D_MISS] = { "l1d-miss", SPE_EV_L1D_REFILL },
	[SPE_SYNTH_L1D_ACCESS] = { "l1d-access", SPE_EV_L1D_ACCESS },
	[SPE_SYNTH_LLC_MISS] = { "llc-miss", SPE_EV_LLC_REFILL },
	[SPE_SYNTH_LLC_ACCESS] = { "llc-access", SPE_EV_LLC_ACCESS },
	[SPE_SYNTH_TLB_MISS] = { "tlb-miss", SPE_EV_TLB_REFILL },
	[SPE_SYNTH_TLB_ACCESS] = { "tlb-access", SPE_EV_TLB_ACCESS },
	[SPE_SYNTH_BRANCH] = { "branch", 0 },
	[SPE_SYNTH_REMOTE_ACCESS] = { "remote-access", SPE_EV_REMOTE },
	[SPE_SYNTH_MEMORY] = { "memory", 0 },
	[SPE_SYNTH_INSTRUCTIONS] = { "instructions", 0 },
};

const char *spe_synth_name(unsigned event)
{
	return event < SPE_SYNTH_EVENTS ? synth_table[event].name : "?";
}

static bool is_class(const struct spe_record *record, unsigned op_class)
{
	return record->present & SPE_HAS_OP && record->op_class == op_class;
}

uint32_t spe_synth_events(const struct spe_record *record)
{
	uint32_t mask = 1u << SPE_SYNTH_INSTRUCTIONS;

	for (unsigned i = 0; i < SPE_SYNTH_EVENTS; i++)
		if (record->events & synth_table[i].event_bit)
			mask |= 1u << i;
	if (is_class(record, SPE_OP_BRANCH))
		mask |= 1u << SPE_SYNTH_BRANCH;
	if (is_class(record, SPE_OP_LOAD_STORE))
		mask |= 1u << SPE_SYNTH_MEMORY;
	return mask;
}

bool spe_synth_addr(const struct spe_record *record, uint64_t *addr)
{
	if (is_class(record, SPE_OP_BRANCH)) {
		*addr = record->target;
		return record->present & SPE_HAS_TARGET;
	}
	*addr = record->va;
	return record->present & SPE_HAS_VA;
}

/* ---- data_src -------------------------------------------------------------- */

/* The word of PERF_SAMPLE_DATA_SRC (the kernel's union perf_mem_data_src). */
#define OP_LOAD 2ull
#define OP_STORE 4ull
#define LVL(bits) ((uint64_t)(bits) << 5)
#define LVL_MASK LVL(0x3fff)
#define LVL_NA 0x01
#define LVL_HIT 0x02
#define LVL_MISS 0x04
#define LVL_L1 0x08
#define LVL_LFB 0x10
#define LVL_L2 0x20
#define LVL_L3 0x40
#define SNOOP(bits) ((uint64_t)(bits) << 19)
#define SNOOP_MASK SNOOP(0x1f)
#define SNOOP_NA 0x01
#define SNOOP_HIT 0x04
#define SNOOP_HITM 0x10
#define DTLB_HIT (2ull << 26)
#define DTLB_MISS (4ull << 26)
#define DTLB_WALKER (0x20ull << 26)
#define LVL_NUM(n) ((uint64_t)(n) << 33)
#define LVL_NUM_LFB 12
#define LVL_NUM_NA 15
#define REMOTE (1ull << 37)

/* A cache level as the Events packet speaks of it. */
static const struct cache_level {
	uint32_t access, miss;
	uint8_t lvl, lvl_num;
} cache_levels[] = {
	{ SPE_EV_L1D_ACCESS, SPE_EV_L1D_REFILL, LVL_L1, 1 },
	{ SPE_EV_LFB, 0, LVL_LFB, LVL_NUM_LFB },
	{ SPE_EV_L2D_ACCESS, SPE_EV_L2D_MISS, LVL_L2, 2 },
	{ SPE_EV_LLC_ACCESS, SPE_EV_LLC_REFILL, LVL_L3, 3 },
};

#define CACHE_LEVELS (sizeof(cache_levels) / sizeof(cache_levels[0]))

static uint64_t level_word(const struct cache_level *level, bool miss)
{
	return LVL(level->lvl | (miss ? LVL_MISS : LVL_HIT)) | LVL_NUM(level->lvl_num);
}

/* A load: the nearest level that hit, else the farthest that missed. */
static uint64_t load_level(uint64_t events)
{
	for (size_t i = 0; i < CACHE_LEVELS; i++)
		if (events & cache_levels[i].access && !(events & cache_levels[i].miss))
			return level_word(&cache_levels[i], false);
	for (size_t i = CACHE_LEVELS; i-- > 0;)
		if (events & cache_levels[i].miss)
			return level_word(&cache_levels[i], true);
	return 0;
}

/* A store: the farthest level it reached; line fill buffers serve loads only. */
static uint64_t store_level(uint64_t events)
{
	for (size_t i = CACHE_LEVELS; i-- > 0;)
		if (cache_levels[i].miss &&
		    events & (cache_levels[i].access | cache_levels[i].miss))
			return level_word(&cache_levels[i], events & cache_levels[i].miss);
	return 0;
}

/* Value 8 is known in every table there is: so the core has one. */
#define KNOWN_SOURCE 8u

/* What the Data Source packet says; a core with a table says nothing of stores. */
static uint64_t packet_source(const struct spe_record *record, uint64_t midr, bool store)
{
	const struct spe_data_source *source;

	if (store)
		return spe_data_source_lookup(midr, KNOWN_SOURCE)
			       ? LVL(LVL_NA) | LVL_NUM(LVL_NUM_NA) | SNOOP(SNOOP_NA)
			       : 0;
	if (!(record->present & SPE_HAS_DATA_SOURCE))
		return 0;
	source = spe_data_source_lookup(midr, record->data_source);
	return source ? source->perf_data_src : 0;
}

static uint64_t snoop_word(uint64_t events)
{
	if (!(events & SPE_EV_SNOOPED))
		return SNOOP(SNOOP_NA);
	return SNOOP(events & SPE_EV_HITM ? SNOOP_HITM : SNOOP_HIT);
}

uint64_t spe_synth_data_src(const struct spe_record *record, uint64_t midr)
{
	uint64_t events = record->events;
	uint64_t word;
	bool store;

	if (!is_class(record, SPE_OP_LOAD_STORE))
		return 0;
	store = spe_op_decode(record->op_class, record->op_payload).flags & SPE_OP_F_STORE;
	word = packet_source(record, midr, store);
	if (!(word & LVL_MASK))
		word |= store ? store_level(events) : load_level(events);
	if (!(word & LVL_MASK))
		word |= LVL(LVL_NA) | LVL_NUM(LVL_NUM_NA);
	if (!(word & SNOOP_MASK))
		word |= snoop_word(events);
	if (events & SPE_EV_REMOTE)
		word |= REMOTE;
	if (events & (SPE_EV_TLB_ACCESS | SPE_EV_TLB_REFILL))
		word |= DTLB_WALKER | (events & SPE_EV_TLB_REFILL ? DTLB_MISS : DTLB_HIT);
	return word | (store ? OP_STORE : OP_LOAD);
}

/* ---- branches -------------------------------------------------------------- */

uint32_t spe_synth_branch_flags(const struct spe_record *record)
{
	static const struct {
		uint32_t op_flag, flag;
	} by_op[] = {
		{ SPE_OP_F_CONDITIONAL, SPE_BRANCH_CONDITIONAL },
		{ SPE_OP_F_CALL, SPE_BRANCH_CALL },
		{ SPE_OP_F_RETURN, SPE_BRANCH_RETURN },
	};
	static const struct {
		uint32_t event, flag;
	} by_event[] = {
		{ SPE_EV_MISPRED, SPE_BRANCH_MISS },
		{ SPE_EV_NOT_TAKEN, SPE_BRANCH_NOT_TAKEN },
		{ SPE_EV_TXN, SPE_BRANCH_IN_TX },
	};
	uint32_t flags = SPE_BRANCH_ANY;
	uint32_t op;

	if (!is_class(record, SPE_OP_BRANCH))
		return 0;
	op = spe_op_decode(record->op_class, record->op_payload).flags;
	for (size_t i = 0; i < sizeof(by_op) / sizeof(by_op[0]); i++)
		flags |= op & by_op[i].op_flag ? by_op[i].flag : 0;
	for (size_t i = 0; i < sizeof(by_event) / sizeof(by_event[0]); i++)
		flags |= record->events & by_event[i].event ? by_event[i].flag : 0;
	return flags;
}

static enum spe_branch_type branch_type(uint32_t op)
{
	bool conditional = op & SPE_OP_F_CONDITIONAL;

	if (op & SPE_OP_F_CALL)
		return conditional ? SPE_BR_COND_CALL : SPE_BR_CALL;
	if (op & SPE_OP_F_RETURN)
		return conditional ? SPE_BR_COND_RET : SPE_BR_RET;
	if (conditional)
		return SPE_BR_COND;
	if (op & SPE_OP_F_INDIRECT)
		return SPE_BR_IND;
	return op & SPE_OP_F_NOT_CALL_RETURN ? SPE_BR_UNCOND : SPE_BR_UNKNOWN;
}

unsigned spe_synth_branch_stack(const struct spe_record *record,
				struct spe_branch_entry entries[SPE_SYNTH_BRANCHES])
{
	unsigned count = 0;

	if (is_class(record, SPE_OP_BRANCH)) {
		uint32_t op = spe_op_decode(record->op_class, record->op_payload).flags;

		entries[count++] = (struct spe_branch_entry){
			.from = record->pc,
			.to = record->target,
			.cycles = record->total_latency_cycles,
			.type = (uint8_t)branch_type(op),
			.mispredicted = record->events & SPE_EV_MISPRED,
			.predicted = !(record->events & SPE_EV_MISPRED),
			.not_taken = record->events & SPE_EV_NOT_TAKEN,
			.in_tx = record->events & SPE_EV_TXN,
		};
	}
	if (record->present & SPE_HAS_PREV_TARGET)
		entries[count++] = (struct spe_branch_entry){ .to = record->prev_target };
	return count;
}

uint64_t spe_synth_branch_word(const struct spe_branch_entry *entry)
{
	return (uint64_t)entry->mispredicted | (uint64_t)entry->predicted << 1 |
	       (uint64_t)entry->in_tx << 2 | (uint64_t)entry->cycles << 4 |
	       (uint64_t)entry->type << 20 | (uint64_t)entry->not_taken << 33;
}

/* ---- cpu mode --------------------------------------------------------------- */

uint16_t spe_synth_cpumode(const struct spe_sample *sample, enum spe_host_el host_el)
{
	const struct spe_record *record = &sample->record;

	if (sample->guest == SPE_GUEST_KERNEL)
		return SPE_MISC_GUEST_KERNEL;
	if (!(record->present & SPE_HAS_EL))
		return record->pc >> 63 ? SPE_MISC_KERNEL : SPE_MISC_USER;
	switch (record->el) {
	case 0: /* a guest's user code cannot be told from the host's: stock perf hides guest modes
		 */
		return SPE_MISC_USER;
	case 1:
		return SPE_MISC_KERNEL;
	case 2:
		return host_el == SPE_HOST_EL1 ? SPE_MISC_HYPERVISOR : SPE_MISC_KERNEL;
	default:
		return SPE_MISC_HYPERVISOR;
	}
}
