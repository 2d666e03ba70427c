/* SPDX-License-Identifier: GPL-2.0-only */
#include <perf-arm-spe/attribution.h>

static const char *const names[SPE_EVIDENCE_KINDS] = {
	[SPE_EVIDENCE_NONE] = "none",     [SPE_EVIDENCE_CONTEXT] = "context",
	[SPE_EVIDENCE_ETM] = "etm",       [SPE_EVIDENCE_SWITCH] = "switch",
	[SPE_EVIDENCE_SCHED] = "sched",   [SPE_EVIDENCE_THREAD] = "thread",
	[SPE_EVIDENCE_MAPPED] = "mapped", [SPE_EVIDENCE_OUTSIDE] = "outside",
};

const char *spe_evidence_name(unsigned evidence)
{
	return evidence < SPE_EVIDENCE_KINDS ? names[evidence] : "?";
}
