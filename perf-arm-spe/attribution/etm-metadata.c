/* SPDX-License-Identifier: GPL-2.0-only */
/* AUXTRACE_INFO of cs_etm: which trace units there are and how they were set up. */
#include "etm.h"

#include <perf-arm-spe/limits.h>

/* Words of the header, all versions. */
enum { WORD_VERSION, WORD_TYPE_CPUS, WORD_SNAPSHOT, WORDS_HEADER };

/* Words of a block up to its parameters; version 0 has no count of them. */
enum { BLOCK_MAGIC, BLOCK_CPU, BLOCK_COUNT };

#define MAGIC_ETMV3 0x3030303030303030ull
#define MAGIC_ETMV4 0x4040404040404040ull
#define MAGIC_ETE 0x5050505050505050ull

/* Parameters of ETMv4 and ETE, in order. */
enum {
	PARAM_CONFIGR,
	PARAM_TRACEIDR,
	PARAM_IDR0,
	PARAM_IDR1,
	PARAM_IDR2,
	PARAM_IDR8,
	PARAM_AUTHSTATUS,
	PARAM_ETMV4_TS_SOURCE,
	PARAM_ETE_DEVARCH = PARAM_ETMV4_TS_SOURCE,
	PARAM_ETE_TS_SOURCE,
};
#define PARAMS_ETMV4_V0 7u /* version 0 says no number */
#define PARAMS_ETMV3_V0 4u
#define PARAMS_MAX 64u

/* TRCDEVARCH: architecture part of an ETE; an ETMv4 has 0x4a13. */
#define DEVARCH_MASK 0xffffu
#define DEVARCH_ETE 0x5a13u

/* TRCCONFIGR */
#define CONFIGR_CID (1u << 6)
#define CONFIGR_VMID (1u << 7)
#define CONFIGR_VMIDOPT (1u << 15)

/* TRCTRACEIDR holds the id until AUX_OUTPUT_HW_ID says otherwise; bit 7 up are not part of it. */
#define TRACE_ID_MASK 0x7fu

static uint8_t pid_format(uint32_t configr)
{
	if (configr & (CONFIGR_VMID | CONFIGR_VMIDOPT))
		return SPE_ETM_PID_EL2;
	return configr & CONFIGR_CID ? SPE_ETM_PID_EL1 : SPE_ETM_PID_NONE;
}

static uint64_t param(const uint64_t *params, uint64_t count, unsigned index)
{
	return index < count ? params[index] : 0;
}

static void source_read(struct spe_etm_source *s, uint64_t magic, const uint64_t *p, uint64_t n)
{
	unsigned ts = magic == MAGIC_ETE ? PARAM_ETE_TS_SOURCE : PARAM_ETMV4_TS_SOURCE;

	s->supported = magic == MAGIC_ETMV4 || magic == MAGIC_ETE;
	if (!s->supported)
		return;
	s->configr = (uint32_t)param(p, n, PARAM_CONFIGR);
	s->traceidr = (uint32_t)param(p, n, PARAM_TRACEIDR);
	s->idr0 = (uint32_t)param(p, n, PARAM_IDR0);
	s->idr1 = (uint32_t)param(p, n, PARAM_IDR1);
	s->idr2 = (uint32_t)param(p, n, PARAM_IDR2);
	s->idr8 = (uint32_t)param(p, n, PARAM_IDR8);
	if (magic == MAGIC_ETE)
		s->devarch = (uint32_t)param(p, n, PARAM_ETE_DEVARCH);
	/* perf wrote ETE's magic for any unit behind system registers: the register tells. */
	s->ete = (s->devarch & DEVARCH_MASK) == DEVARCH_ETE;
	s->has_ts_source = n > ts && p[ts] != UINT64_MAX;
	s->ts_source = s->has_ts_source ? p[ts] : 0;
	s->trace_id = s->traceidr & TRACE_ID_MASK;
	s->pid_format = pid_format(s->configr);
}

/* One block at words[*at]. */
static int block_read(struct spe_etm *etm, const uint64_t *words, size_t count, size_t *at,
		      uint64_t version)
{
	size_t head = version ? BLOCK_COUNT + 1 : BLOCK_COUNT;
	struct etm_unit unit = { .etm = etm };
	uint64_t params, magic;

	if (count - *at < head)
		return SPE_CORRUPT;
	magic = words[*at + BLOCK_MAGIC];
	params = version ? words[*at + BLOCK_COUNT]
			 : (magic == MAGIC_ETMV3 ? PARAMS_ETMV3_V0 : PARAMS_ETMV4_V0);
	if (params > PARAMS_MAX || params > count - *at - head ||
	    words[*at + BLOCK_CPU] >= SPE_LIMIT_CPUS)
		return SPE_CORRUPT;
	unit.source.cpu = (int32_t)words[*at + BLOCK_CPU];
	source_read(&unit.source, magic, words + *at + head, params);
	*at += head + params;
	return spe_vec_push(&etm->units, &unit, SPE_LIMIT_CPUS);
}

int etm_metadata_read(struct spe_etm *etm, const uint64_t *words, size_t count,
		      uint64_t file_offset, struct spe_error *error)
{
	size_t at = WORDS_HEADER;
	uint64_t version, cpus;
	int status = SPE_OK;

	if (count < WORDS_HEADER)
		return spe_error_set_at(
			error, SPE_CORRUPT, file_offset,
			"the cs_etm metadata has %zu words, its header alone has %d", count,
			WORDS_HEADER);
	version = words[WORD_VERSION];
	cpus = words[WORD_TYPE_CPUS] & 0xffffffffu;
	etm->pmu_type = (uint32_t)(words[WORD_TYPE_CPUS] >> 32);
	if (version > 2)
		return spe_error_set_at(error, SPE_UNSUPPORTED, file_offset,
					"cs_etm metadata of version %llu; 0, 1 and 2 are known",
					(unsigned long long)version);
	for (uint64_t i = 0; !status && i < cpus; i++)
		status = block_read(etm, words, count, &at, version);
	if (status == SPE_CORRUPT)
		return spe_error_set_at(error, status, file_offset,
					"the cs_etm metadata is cut or damaged at word %zu of %zu "
					"(CPU block %zu of %llu)",
					at, count, etm->units.count, (unsigned long long)cpus);
	return status;
}
