/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data sources and names of cores by MIDR_EL1.
 *
 * What a data source value means is IMPLEMENTATION DEFINED.  Three encodings
 * are known: the one Arm's Technical Reference Manuals give for their cores,
 * AmpereOne's and HiSilicon's HIP12.  A core is in a family only where its
 * manual or the maker's kernel patch says so, or where it is that core under
 * another implementer's code (Azure Cobalt 100 is a Neoverse N2).
 */
#include <perf-arm-spe/record.h>

/* Fields of perf's data_src word (linux/perf_event.h, union perf_mem_data_src). */
#define LVL(bits) ((uint64_t)(bits) << 5)
#define LVL_NA LVL(0x01)
#define LVL_HIT 0x02
#define LVL_L1 0x08
#define LVL_L2 0x20
#define LVL_L3 0x40
#define LVL_LOCAL_RAM 0x80
#define LVL_REMOTE_RAM1 0x100
#define LVL_REMOTE_CACHE1 0x400
#define LVL_REMOTE_CACHE2 0x800
#define LVL_IO 0x1000
#define HIT(level) LVL(LVL_HIT | (level))
#define SNOOP_NONE ((uint64_t)0x02 << 19)
#define SNOOP_HIT ((uint64_t)0x04 << 19)
#define SNOOP_HITM ((uint64_t)0x10 << 19)
#define NUM(n) ((uint64_t)(n) << 33)
#define NUM_IO NUM(10)
#define NUM_ANY_CACHE NUM(11)
#define NUM_RAM NUM(13)
#define NUM_NA NUM(15)
#define REMOTE ((uint64_t)1 << 37)
#define PEER ((uint64_t)2 << 38)

#define SOURCE(name_, level_, snoop_, remote_, peer_, perf_)                                       \
	{                                                                                          \
		.name = (name_), .level = SPE_LEVEL_##level_, .snoop = SPE_SNOOP_##snoop_,         \
		.remote = (remote_), .peer = (peer_), .perf_data_src = (perf_),                    \
	}

static const struct spe_data_source arm_sources[] = {
	[0] = SOURCE("l1d", L1, NONE, false, false, HIT(LVL_L1) | NUM(1) | SNOOP_NONE),
	[8] = SOURCE("l2", L2, NONE, false, false, HIT(LVL_L2) | NUM(2) | SNOOP_NONE),
	[9] = SOURCE("peer-core", L2, UNKNOWN, false, true, HIT(LVL_L2) | NUM(2) | PEER),
	[10] = SOURCE("local-cluster", L3, UNKNOWN, false, true, HIT(LVL_L3) | NUM(3) | PEER),
	[11] = SOURCE("system-cache", L3, HIT, false, false, HIT(LVL_L3) | NUM(3) | SNOOP_HIT),
	[12] = SOURCE("peer-cluster", L3, UNKNOWN, false, true, HIT(LVL_L3) | NUM(3) | PEER),
	[13] = SOURCE("remote", UNKNOWN, UNKNOWN, true, true, LVL_NA | NUM_NA | REMOTE | PEER),
	[14] = SOURCE("dram", DRAM, NONE, false, false, HIT(LVL_LOCAL_RAM) | NUM_RAM | SNOOP_NONE),
};

static const struct spe_data_source ampere_sources[] = {
	[0] = SOURCE("local-chip", L2, UNKNOWN, false, true, HIT(LVL_L2) | NUM(2) | PEER),
	[3] = SOURCE("system-cache", L3, HIT, false, false, HIT(LVL_L3) | NUM(3) | SNOOP_HIT),
	[5] = SOURCE("remote-chip", UNKNOWN, UNKNOWN, true, true, LVL_NA | NUM_NA | REMOTE | PEER),
	[7] = SOURCE("dram", DRAM, NONE, false, false, HIT(LVL_LOCAL_RAM) | NUM_RAM | SNOOP_NONE),
	[8] = SOURCE("l1d", L1, NONE, false, false, HIT(LVL_L1) | NUM(1) | SNOOP_NONE),
	[9] = SOURCE("l2", L2, NONE, false, false, HIT(LVL_L2) | NUM(2) | SNOOP_NONE),
};

static const struct spe_data_source hip12_sources[] = {
	[0] = SOURCE("peer-core", L2, UNKNOWN, false, true, HIT(LVL_L2) | NUM(2) | PEER),
	[1] = SOURCE("peer-core-hitm", L2, HITM, false, true,
		     HIT(LVL_L2) | NUM(2) | SNOOP_HITM | PEER),
	[2] = SOURCE("l3", L3, HIT, false, false, HIT(LVL_L3) | NUM(3) | SNOOP_HIT),
	[3] = SOURCE("l3-hitm", L3, HITM, false, false, HIT(LVL_L3) | NUM(3) | SNOOP_HITM),
	[4] = SOURCE("peer-cluster", L3, UNKNOWN, false, true,
		     HIT(LVL_REMOTE_CACHE1) | NUM(3) | PEER),
	[5] = SOURCE("peer-cluster-hitm", L3, HITM, false, true,
		     HIT(LVL_REMOTE_CACHE1) | NUM(3) | SNOOP_HITM | PEER),
	[6] = SOURCE("remote-socket", ANY_CACHE, UNKNOWN, true, true,
		     LVL(LVL_REMOTE_CACHE2) | NUM_ANY_CACHE | REMOTE | PEER),
	[7] = SOURCE("remote-socket-hitm", ANY_CACHE, HITM, true, true,
		     LVL(LVL_REMOTE_CACHE2) | NUM_ANY_CACHE | SNOOP_HITM | REMOTE | PEER),
	[8] = SOURCE("dram", DRAM, NONE, false, false, HIT(LVL_LOCAL_RAM) | NUM_RAM | SNOOP_NONE),
	[9] = SOURCE("remote-dram", DRAM, UNKNOWN, true, false,
		     HIT(LVL_REMOTE_RAM1) | NUM_RAM | REMOTE),
	[13] = SOURCE("device", IO, NONE, false, false, HIT(LVL_IO) | NUM_IO | SNOOP_NONE),
	[16] = SOURCE("l2", L2, NONE, false, false, HIT(LVL_L2) | NUM(2) | SNOOP_NONE),
	[17] = SOURCE("l2-hitm", L2, HITM, false, false, HIT(LVL_L2) | NUM(2) | SNOOP_HITM),
	[18] = SOURCE("l1d", L1, NONE, false, false, HIT(LVL_L1) | NUM(1) | SNOOP_NONE),
};

enum family { FAMILY_NONE, FAMILY_ARM, FAMILY_AMPERE, FAMILY_HIP12, FAMILIES };

static const struct {
	const struct spe_data_source *sources;
	unsigned count;
} families[FAMILIES] = {
	[FAMILY_ARM] = { arm_sources, sizeof(arm_sources) / sizeof(arm_sources[0]) },
	[FAMILY_AMPERE] = { ampere_sources, sizeof(ampere_sources) / sizeof(ampere_sources[0]) },
	[FAMILY_HIP12] = { hip12_sources, sizeof(hip12_sources) / sizeof(hip12_sources[0]) },
};

static const struct core {
	uint8_t implementer;
	uint16_t part;
	uint8_t family;
	const char *name;
} cores[] = {
	{ 0x41, 0xd0c, FAMILY_ARM, "Neoverse N1" },
	{ 0x41, 0xd49, FAMILY_ARM, "Neoverse N2" },
	{ 0x41, 0xd8e, FAMILY_NONE, "Neoverse N3" },
	{ 0x41, 0xd40, FAMILY_ARM, "Neoverse V1" },
	{ 0x41, 0xd4f, FAMILY_ARM, "Neoverse V2" },
	{ 0x41, 0xd84, FAMILY_ARM, "Neoverse V3" },
	{ 0x41, 0xd83, FAMILY_NONE, "Neoverse V3AE" },
	{ 0x41, 0xd41, FAMILY_NONE, "Cortex-A78" },
	{ 0x41, 0xd4b, FAMILY_ARM, "Cortex-A78C" },
	{ 0x41, 0xd47, FAMILY_NONE, "Cortex-A710" },
	{ 0x41, 0xd4d, FAMILY_ARM, "Cortex-A715" },
	{ 0x41, 0xd81, FAMILY_ARM, "Cortex-A720" },
	{ 0x41, 0xd89, FAMILY_ARM, "Cortex-A720AE" },
	{ 0x41, 0xd87, FAMILY_ARM, "Cortex-A725" },
	{ 0x41, 0xd44, FAMILY_ARM, "Cortex-X1" },
	{ 0x41, 0xd4c, FAMILY_ARM, "Cortex-X1C" },
	{ 0x41, 0xd48, FAMILY_NONE, "Cortex-X2" },
	{ 0x41, 0xd4e, FAMILY_ARM, "Cortex-X3" },
	{ 0x41, 0xd82, FAMILY_ARM, "Cortex-X4" },
	{ 0x41, 0xd85, FAMILY_ARM, "Cortex-X925" },
	{ 0x48, 0xd01, FAMILY_NONE, "HiSilicon HIP08" },
	{ 0x48, 0xd02, FAMILY_NONE, "HiSilicon HIP09" },
	{ 0x48, 0xd06, FAMILY_HIP12, "HiSilicon HIP12" },
	{ 0x4e, 0x010, FAMILY_ARM, "NVIDIA Olympus" },
	{ 0x6d, 0xd49, FAMILY_ARM, "Azure Cobalt 100" },
	{ 0xc0, 0xac3, FAMILY_NONE, "Ampere-1" },
	{ 0xc0, 0xac4, FAMILY_AMPERE, "Ampere-1a" },
};

/* Variant and revision do not matter. */
static const struct core *find_core(uint64_t midr)
{
	unsigned implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;

	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (cores[i].implementer == implementer && cores[i].part == part)
			return &cores[i];
	return NULL;
}

const struct spe_data_source *spe_data_source_lookup(uint64_t midr, unsigned value)
{
	const struct core *core = find_core(midr);
	const struct spe_data_source *source;

	if (!core || value >= families[core->family].count)
		return NULL;
	source = &families[core->family].sources[value];
	return source->name ? source : NULL;
}

const char *spe_midr_name(uint64_t midr)
{
	const struct core *core = find_core(midr);

	return core ? core->name : NULL;
}
