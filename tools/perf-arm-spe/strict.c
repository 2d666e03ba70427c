/* SPDX-License-Identifier: GPL-2.0-only */
/* --strict: is anything missing from what was measured? */
#include "strict.h"

#include <stdio.h>

#include "command.h"
#include "talk.h"

static uint64_t records_dropped(const struct spe_decode_stats *stats)
{
	/* Not lost: what overlapping snapshots hold twice, and the head of one cut by design. */
	uint64_t sum = 0;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		if (i != SPE_DROP_DUPLICATE && i != SPE_DROP_SKIPPED)
			sum += stats->drops[i];
	return sum;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void strict_stream_reason(const struct spe_stream_info *stream, char *text, size_t size)
{
	const struct {
		uint64_t count;
		const char *before, *after; /* around the plural's s */
	} losses[] = {
		{ stream->truncated, "truncated AUX buffer", "" },
		{ stream->partial, "AUX buffer", " with a part of a record" },
		{ stream->collisions, "AUX buffer", " with collisions" },
		{ stream->gaps, "gap", " in the trace" },
		{ stream->lost_records, "report", " of lost side-band" },
	};

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (losses[i].count) {
			snprintf(text, size, "%llu %s%s%s", (unsigned long long)losses[i].count,
				 losses[i].before, plural(losses[i].count), losses[i].after);
			return;
		}
}

static int fail_stream(const struct spe_stream_info *stream, const char *reason)
{
	if (stream->cpu >= 0)
		return talk_failed("strict: CPU %d: %s", stream->cpu, reason);
	return talk_failed("strict: thread %d: %s", stream->tid, reason);
}

int strict_verdict(const struct spe_recording *recording, const struct spe_run_stats *stats)
{
	const struct spe_recording_facts *facts = spe_recording_facts(recording);
	uint64_t dropped = records_dropped(&stats->decode);
	char reason[STRICT_REASON];

	if (facts->partial)
		return talk_failed("strict: %s", facts->partial_reason);
	if (dropped)
		return talk_failed("strict: %llu record%s could not be decoded",
				   (unsigned long long)dropped, plural(dropped));
	for (size_t i = 0; i < spe_recording_streams(recording); i++) {
		const struct spe_stream_info *stream = spe_recording_stream(recording, i);

		strict_stream_reason(stream, reason, sizeof(reason));
		if (reason[0])
			return fail_stream(stream, reason);
	}
	if (facts->side_band_lost)
		return talk_failed("strict: %llu side-band event%s lost",
				   (unsigned long long)facts->side_band_lost,
				   plural(facts->side_band_lost));
	return EXIT_OK;
}
