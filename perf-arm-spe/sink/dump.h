/* SPDX-License-Identifier: GPL-2.0-only */
/* Core models as a perf.data names them, for dump. */
#ifndef SPE_SINK_DUMP_H
#define SPE_SINK_DUMP_H

#include <perf-arm-spe/perfdata.h>

/* MIDR_EL1 of a CPU (-1: not said) by an AUXTRACE_INFO of SPE; 0 when it does not say. */
uint64_t spe_dump_midr(const uint64_t *priv, size_t priv_count, int32_t cpu);

#endif
