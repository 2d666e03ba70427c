/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys: what a memory access met on its way.
 *
 * Where the core says where data came from (a data source whose numbering is
 * known), that is the answer; else what the events tell.  Nothing is guessed:
 * an access that says neither is N/A.
 */
#include "events.h"
#include "keys-private.h"

#include <stdio.h>

#define LINE_BYTES 64u /* of a data cache line: so on every core that has SPE */
#define PAGE_BYTES 4096u

/* Events of a load or store; 0 for other operations and where there is no Events packet. */
static uint64_t memory_events(const struct spe_sample *s)
{
	return HAS(OP) && spe_op_is_memory(s->record.op_class) ? s->record.events : 0;
}

/* ---- level ------------------------------------------------------------- */

/* Beyond enum spe_mem_level: what a miss alone tells. */
enum { LEVEL_BEYOND_L1 = SPE_LEVEL_IO + 1, LEVEL_BEYOND_LLC };

/* From the outermost in: the first that was accessed decides. */
static uint64_t events_level(uint64_t events)
{
	static const struct {
		uint32_t access, miss;
		uint8_t hit_level, miss_level;
	} rungs[] = {
		{ SPE_EV_LLC_ACCESS, SPE_EV_LLC_REFILL, SPE_LEVEL_L3, LEVEL_BEYOND_LLC },
		{ SPE_EV_L2D_ACCESS, SPE_EV_L2D_MISS, SPE_LEVEL_L2, LEVEL_BEYOND_L1 },
		{ SPE_EV_L1D_ACCESS, SPE_EV_L1D_REFILL, SPE_LEVEL_L1, LEVEL_BEYOND_L1 },
	};

	for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++)
		if (events & (rungs[i].access | rungs[i].miss))
			return events & rungs[i].miss ? rungs[i].miss_level : rungs[i].hit_level;
	return ABSENT;
}

static uint64_t level_value(const struct spe_key_context *c, const struct spe_sample *s)
{
	const struct spe_data_source *source = spe_source_of(c, s);

	return source && source->level != SPE_LEVEL_UNKNOWN ? source->level
							    : events_level(memory_events(s));
}

static void level_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = {
		[SPE_LEVEL_UNKNOWN] = "N/A",     [SPE_LEVEL_L1] = "L1",
		[SPE_LEVEL_L2] = "L2",           [SPE_LEVEL_L3] = "L3",
		[SPE_LEVEL_ANY_CACHE] = "cache", [SPE_LEVEL_DRAM] = "DRAM",
		[SPE_LEVEL_IO] = "I/O",          [LEVEL_BEYOND_L1] = "L1 miss",
		[LEVEL_BEYOND_LLC] = "LLC miss",
	};

	CELL_NAMED(cell, v->value, names);
}

/* ---- snoop, remote ----------------------------------------------------- */

enum { SNOOP_NO, SNOOP_CLEAN, SNOOP_PEER, SNOOP_MODIFIED };

static uint64_t snoop_value(const struct spe_key_context *c, const struct spe_sample *s)
{
	const struct spe_data_source *source = spe_source_of(c, s);
	uint64_t events = memory_events(s);

	if ((source && source->snoop == SPE_SNOOP_HITM) || events & SPE_EV_HITM)
		return SNOOP_MODIFIED;
	if (source && source->peer)
		return SNOOP_PEER;
	if ((source && source->snoop == SPE_SNOOP_HIT) || events & SPE_EV_SNOOPED)
		return SNOOP_CLEAN;
	return source && source->snoop == SPE_SNOOP_NONE ? SNOOP_NO : ABSENT;
}

static void snoop_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { [SNOOP_NO] = "none",
					     [SNOOP_CLEAN] = "hit",
					     [SNOOP_PEER] = "peer",
					     [SNOOP_MODIFIED] = "hitm" };

	CELL_NAMED(cell, v->value, names);
}

static uint64_t remote_value(const struct spe_key_context *c, const struct spe_sample *s)
{
	const struct spe_data_source *source = spe_source_of(c, s);
	uint64_t events = memory_events(s);

	if (!source && !events)
		return ABSENT;
	return (source && source->remote) || events & SPE_EV_REMOTE;
}

static void remote_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { "local", "remote" };

	CELL_NAMED(cell, v->value, names);
}

/* ---- what the events say ----------------------------------------------- */

enum { MISS_NO, MISS_L1D, MISS_L2D, MISS_LLC };

static uint64_t miss_value(uint64_t events)
{
	return events & SPE_EV_LLC_REFILL   ? MISS_LLC
	       : events & SPE_EV_L2D_MISS   ? MISS_L2D
	       : events & SPE_EV_L1D_REFILL ? MISS_L1D
	       : events & SPE_EV_L1D_ACCESS ? MISS_NO
					    : ABSENT;
}

static void miss_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = {
		[MISS_NO] = "none", [MISS_L1D] = "l1d", [MISS_L2D] = "l2d", [MISS_LLC] = "llc"
	};

	CELL_NAMED(cell, v->value, names);
}

static uint64_t tlb_value(uint64_t events)
{
	return events & SPE_EV_TLB_REFILL ? 1 : events & SPE_EV_TLB_ACCESS ? 0 : ABSENT;
}

static void tlb_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { "hit", "walk" };

	CELL_NAMED(cell, v->value, names);
}

/* The bit is reported only where the packet reaches it. */
static uint64_t alignment_value(const struct spe_sample *s)
{
	uint64_t events = memory_events(s);

	return events && s->record.events_bytes > 1 ? (events & SPE_EV_MISALIGNED) != 0 : ABSENT;
}

static void alignment_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { "aligned", "misaligned" };

	CELL_NAMED(cell, v->value, names);
}

/* ---- addresses --------------------------------------------------------- */

static void address_cell(const struct spe_value *v, struct spe_cell *cell)
{
	v->value == NO_ADDRESS ? spe_cell_none(cell) : spe_cell_hex(cell, v->value);
}

/* ---- latency ----------------------------------------------------------- */

/* Row n holds the latencies of n bits: 0, 1, 2-3, 4-7 ... */
static uint64_t latency_value(uint16_t cycles)
{
	return cycles ? 32u - (unsigned)__builtin_clz(cycles) : 0;
}

static void latency_cell(const struct spe_value *v, struct spe_cell *cell)
{
	unsigned least;

	if (v->value == ABSENT) {
		spe_cell_none(cell);
		return;
	}
	least = v->value ? 1u << (v->value - 1) : 0;
	cell->kind = SPE_CELL_TEXT;
	if (least < 2)
		snprintf(cell->text, sizeof(cell->text), "%u", least);
	else
		snprintf(cell->text, sizeof(cell->text), "%u-%u", least, 2 * least - 1);
}

/* ---- the table --------------------------------------------------------- */

FILL(level, level_value(c, s))
FILL(snoop, snoop_value(c, s))
FILL(remote, remote_value(c, s))
FILL(miss, miss_value(memory_events(s)))
FILL(tlb, tlb_value(memory_events(s)))
FILL(alignment, alignment_value(s))
FILL(ip, HAS(PC) ? s->record.pc : NO_ADDRESS)
FILL(daddr, HAS(VA) ? s->record.va : NO_ADDRESS)
FILL(dcacheline, HAS(VA) ? s->record.va & ~(uint64_t)(LINE_BYTES - 1) : NO_ADDRESS)
FILL(phys_daddr, HAS(PA) ? s->record.pa : NO_ADDRESS)
FILL(phys_line, HAS(PA) ? s->record.pa & ~(uint64_t)(LINE_BYTES - 1) : NO_ADDRESS)
FILL(phys_page, HAS(PA) ? s->record.pa & ~(uint64_t)(PAGE_BYTES - 1) : NO_ADDRESS)
FILL(latency, HAS(TOTAL_LATENCY) ? latency_value(s->record.total_latency_cycles) : ABSENT)
FILL(issue_lat, HAS(ISSUE_LATENCY) ? latency_value(s->record.issue_latency_cycles) : ABSENT)
FILL(xlat_lat, HAS(XLAT_LATENCY) ? latency_value(s->record.xlat_latency_cycles) : ABSENT)

#define WANT_EVENTS (SPE_HAS_OP | SPE_HAS_EVENTS)
#define WANT_SOURCE (WANT_EVENTS | SPE_HAS_DATA_SOURCE)
#define KEY(name_, header_, want_, cell_, help_)                                                   \
	{                                                                                          \
		.name = #name_, .header = header_, .help = help_, .field = #name_, .want = want_,  \
		.fill = name_##_fill, .cell = cell_##_cell                                         \
	}

const struct spe_key spe_keys_memory[] = {
	KEY(level, "Level", WANT_SOURCE, level,
	    "memory level that served the access: L1, L2, L3, DRAM, or what missed"),
	KEY(snoop, "Snoop", WANT_SOURCE, snoop, "none, hit, peer (another core's cache), hitm"),
	KEY(remote, "Remote", WANT_SOURCE, remote, "local or remote (another socket)"),
	KEY(miss, "Miss", WANT_EVENTS, miss, "outermost cache missed: none, l1d, l2d, llc"),
	KEY(tlb, "TLB", WANT_EVENTS, tlb, "hit, or walk of the translation tables"),
	KEY(alignment, "Alignment", WANT_EVENTS, alignment, "aligned or misaligned"),
	KEY(ip, "Code address", SPE_HAS_PC, address, "address of the instruction"),
	KEY(daddr, "Data address", SPE_HAS_VA, address, "virtual address of the data"),
	KEY(dcacheline, "Data cacheline", SPE_HAS_VA, address,
	    "virtual address of the 64-byte line"),
	KEY(phys_daddr, "Physical address", SPE_HAS_PA, address, "physical address of the data"),
	KEY(phys_line, "Physical line", SPE_HAS_PA, address,
	    "physical address of the 64-byte line"),
	KEY(phys_page, "Physical page", SPE_HAS_PA, address, "physical address of the 4 KiB page"),
	KEY(latency, "Latency", SPE_HAS_TOTAL_LATENCY, latency,
	    "total latency in cycles, by powers of two"),
	KEY(issue_lat, "Issue", SPE_HAS_ISSUE_LATENCY, latency,
	    "issue latency in cycles, by powers of two"),
	KEY(xlat_lat, "Translation", SPE_HAS_XLAT_LATENCY, latency,
	    "translation latency in cycles, by powers of two"),
	{ .name = NULL },
};
