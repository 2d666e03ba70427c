/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUXTRACE_INFO of Arm SPE.  Version 1 is exactly two words; version 2 is a
 * header and a block per CPU, each saying how many parameters it has.
 */
#include "recording.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define CPU_BLOCK_MAGIC 0x1010101010101010ull

/* Words of version 1. */
enum { V1_PMU_TYPE, V1_PER_CPU_MMAPS, V1_WORDS };
/* Words of the version 2 header; it says itself how long it is. */
enum { V2_VERSION, V2_HEADER_WORDS, V2_PMU_TYPE, V2_CPUS, V2_LEAST_WORDS };
/* Words of a CPU block; parameters follow the first three. */
enum { CPU_MAGIC, CPU_NUMBER, CPU_PARAMETERS, CPU_MIDR, CPU_PMU_TYPE };

#define CPU_FIXED_WORDS 3u
#define CPU_LEAST_PARAMETERS 2u

static int read_block(struct spe_auxtrace_info *info, const uint64_t *words)
{
	struct spe_auxtrace_cpu cpu = { .cpu = (int32_t)words[CPU_NUMBER],
					.midr = words[CPU_MIDR],
					.pmu_type = (uint32_t)words[CPU_PMU_TYPE] };

	return spe_vec_push(&info->cpus, &cpu, SPE_LIMIT_CPUS);
}

static int cpu_order(const void *a, const void *b)
{
	const struct spe_auxtrace_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int read_blocks(struct spe_auxtrace_info *info, const uint64_t *priv, size_t count)
{
	uint64_t at = priv[V2_HEADER_WORDS];

	for (uint64_t i = 0; i < priv[V2_CPUS]; i++) {
		uint64_t parameters;
		int status;

		if (at > count || count - at < CPU_FIXED_WORDS)
			return SPE_CORRUPT;
		parameters = priv[at + CPU_PARAMETERS];
		if (priv[at + CPU_MAGIC] != CPU_BLOCK_MAGIC || parameters < CPU_LEAST_PARAMETERS ||
		    parameters > count - at - CPU_FIXED_WORDS)
			return SPE_CORRUPT;
		status = read_block(info, priv + at);
		if (status)
			return status;
		at += CPU_FIXED_WORDS + parameters;
	}
	return SPE_OK;
}

int spe_auxtrace_info_read(struct spe_auxtrace_info *info, const uint64_t *priv, size_t count)
{
	int status;

	info->version = 0;
	info->cpus.count = 0;
	if (count == V1_WORDS) {
		info->version = 1;
		info->pmu_type = (uint32_t)priv[V1_PMU_TYPE];
		return SPE_OK;
	}
	if (count < V2_LEAST_WORDS || priv[V2_HEADER_WORDS] < V2_LEAST_WORDS)
		return SPE_CORRUPT;
	info->version = 2; /* later ones keep this header, or they would not be told apart */
	info->pmu_type = (uint32_t)priv[V2_PMU_TYPE];
	status = read_blocks(info, priv, count);
	if (info->cpus.count)
		qsort(info->cpus.items, info->cpus.count, sizeof(*info->cpus.items), cpu_order);
	return status;
}

static const struct spe_auxtrace_cpu *find_cpu(const struct spe_auxtrace_info *info, int32_t cpu)
{
	struct spe_auxtrace_cpu key = { .cpu = cpu };

	if (!info->cpus.count)
		return NULL;
	return bsearch(&key, info->cpus.items, info->cpus.count, sizeof(key), cpu_order);
}

/* The model all CPUs share, or 0. */
static uint64_t common_midr(const struct spe_auxtrace_info *info)
{
	for (size_t i = 1; i < info->cpus.count; i++) {
		if (info->cpus.items[i].midr != info->cpus.items[0].midr)
			return 0;
	}
	return info->cpus.count ? info->cpus.items[0].midr : 0;
}

/* arm64 perf writes CPUID as sysfs prints MIDR_EL1: "0x00000000413fd0c1". */
static uint64_t midr_from_cpuid(const char *cpuid)
{
	char *end;
	uint64_t midr;

	if (strncmp(cpuid, "0x", 2) != 0)
		return 0;
	midr = strtoull(cpuid, &end, 16);
	return *end && *end != ',' ? 0 : midr;
}

uint64_t spe_auxtrace_info_midr(const struct spe_auxtrace_info *info, int32_t cpu,
				const char *cpuid)
{
	const struct spe_auxtrace_cpu *found;

	if (!info->cpus.count)
		return midr_from_cpuid(cpuid);
	if (cpu < 0)
		return common_midr(info);
	found = find_cpu(info, cpu);
	return found ? found->midr : 0;
}

uint32_t spe_auxtrace_info_pmu(const struct spe_auxtrace_info *info, int32_t cpu)
{
	const struct spe_auxtrace_cpu *found = find_cpu(info, cpu);

	return found && found->pmu_type != UINT32_MAX ? found->pmu_type : info->pmu_type;
}
