/* SPDX-License-Identifier: GPL-2.0-only */
#include <perf-arm-spe/record.h>

const char *spe_drop_name(unsigned reason)
{
	static const char *const names[SPE_DROP_KINDS] = {
		[SPE_DROP_CUT] = "cut",           [SPE_DROP_CORRUPT] = "corrupt",
		[SPE_DROP_TOO_LONG] = "too-long", [SPE_DROP_EMPTY] = "empty",
		[SPE_DROP_SKIPPED] = "skipped",   [SPE_DROP_DUPLICATE] = "duplicate",
	};

	return reason < SPE_DROP_KINDS ? names[reason] : "?";
}

void spe_decode_stats_add(struct spe_decode_stats *into, const struct spe_decode_stats *from)
{
	into->records += from->records;
	into->record_bytes += from->record_bytes;
	into->padding_bytes += from->padding_bytes;
	into->unknown_packets += from->unknown_packets;
	for (unsigned i = 0; i < SPE_DROP_KINDS; i++) {
		into->drops[i] += from->drops[i];
		into->drop_bytes[i] += from->drop_bytes[i];
	}
}
