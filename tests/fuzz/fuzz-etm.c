/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etm: any bytes are CoreSight trace; what is found stands inside of them, is
 * told of a known CPU in stream order, and is the same the second time.  The
 * first byte chooses the trace unit, the rest is trace.
 */
#include <string.h>

#include <perf-arm-spe/etm.h>

#include "property.h"

/* Registers of a Cortex-A57's ETMv4 and of an ETE, contexts and timestamps on. */
static struct spe_etm_source unit(unsigned number, uint8_t choice)
{
	struct spe_etm_source source = {
		.cpu = (int32_t)number,
		.trace_id = (uint8_t)(0x10 + 2 * number),
		.pid_format = choice & 2 ? SPE_ETM_PID_EL2 : SPE_ETM_PID_EL1,
		.supported = true,
		.traceidr = 0x10 + 2 * number,
		.configr = 1u << 6 | 1u << 7 | 1u << 11 | (choice & 2 ? 1u << 15 : 0),
		.idr0 = 0x28000ea1,
		.idr1 = 0x4100f403,
		.idr2 = choice & 8 ? 0x00001488 : 0x00000488
	};

	if (choice & 4) {
		source.ete = true;
		source.idr1 = 0x4100fff3;
		source.devarch = 0x47705a13;
	}
	return source;
}

static struct spe_etm *read_trace(const uint8_t *data, size_t size, uint8_t choice)
{
	struct spe_etm_source sources[] = { unit(0, choice), unit(1, choice) };
	struct spe_etm *etm = NULL;
	struct spe_error error = { 0 };
	int status = spe_etm_new_bare(sources, 2, choice & 1, data, size, &etm, &error);

	if (status)
		PROPERTY(status < 0 && !etm && error.text[0]);
	return etm;
}

static void check_contexts(const struct spe_etm *etm, size_t size)
{
	size_t count;
	const struct spe_etm_context *c = spe_etm_contexts(etm, &count);
	uint64_t contexts = 0;

	for (size_t i = 0; i < spe_etm_sources(etm); i++) {
		const struct spe_etm_stats *stats = spe_etm_stats(etm, i);

		PROPERTY(stats->bytes <= size);
		contexts += stats->contexts;
	}
	PROPERTY(count <= contexts);
	for (size_t i = 0; i < count; i++) {
		PROPERTY(c[i].cpu == 0 || c[i].cpu == 1);
		PROPERTY(c[i].aux_offset < size);
		PROPERTY(i == 0 || c[i].cpu > c[i - 1].cpu ||
			 (c[i].cpu == c[i - 1].cpu && c[i].aux_offset >= c[i - 1].aux_offset));
		PROPERTY(!c[i].has_tid || c[i].has_context || c[i].has_vmid);
	}
}

static void check_same(const struct spe_etm *a, const struct spe_etm *b)
{
	size_t count, again;
	const struct spe_etm_context *c = spe_etm_contexts(a, &count);
	const struct spe_etm_context *d = spe_etm_contexts(b, &again);

	PROPERTY(count == again);
	for (size_t i = 0; i < count; i++)
		PROPERTY(c[i].cpu == d[i].cpu && c[i].aux_offset == d[i].aux_offset &&
			 c[i].has_tid == d[i].has_tid && c[i].tid == d[i].tid &&
			 c[i].timestamp == d[i].timestamp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spe_etm *first, *second;

	if (!size)
		return 0;
	first = read_trace(data + 1, size - 1, data[0]);
	second = read_trace(data + 1, size - 1, data[0]);
	PROPERTY(!first == !second);
	if (first) {
		check_contexts(first, size);
		check_same(first, second);
	}
	spe_etm_free(first);
	spe_etm_free(second);
	return 0;
}
