/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole way from bytes to attributed samples: counts add up, evidence and
 * owner agree with each other, and one worker and three give the same samples.
 */
#include <string.h>

#include <perf-arm-spe/attribution.h>

#include "in-memory.h"

struct seen {
	uint64_t samples, sum;
	uint64_t by_evidence[SPE_EVIDENCE_KINDS];
};

static void check_sample(const struct spe_sample *s)
{
	PROPERTY(s->evidence < SPE_EVIDENCE_KINDS);
	PROPERTY(s->guest <= SPE_GUEST_MAYBE);
	PROPERTY(s->tid >= -1 && s->pid >= -1);
	if (s->evidence == SPE_EVIDENCE_NONE)
		PROPERTY(s->pid == -1 && s->tid == -1);
	if (s->evidence == SPE_EVIDENCE_OUTSIDE)
		PROPERTY(s->pid == -1);
	if (s->tid == -1)
		PROPERTY(s->pid == -1);
}

static void read_piece(struct spe_reader *reader, size_t piece, struct seen *seen)
{
	static struct spe_sample samples[64];
	size_t count;

	PROPERTY(spe_reader_start(reader, piece) == SPE_OK);
	while (spe_reader_next(reader, samples, 64, &count) == SPE_OK) {
		PROPERTY(count > 0 && count <= 64);
		for (size_t i = 0; i < count; i++) {
			const struct spe_sample *s = &samples[i];

			check_sample(s);
			seen->samples++;
			seen->by_evidence[s->evidence]++;
			seen->sum += ((uint64_t)(uint32_t)s->tid << 32 ^ (uint32_t)s->pid) *
				     (s->record.aux_offset + 1 + s->stream);
		}
	}
}

static int recording(const char *path, unsigned threads, struct seen *seen)
{
	struct spe_recording_opts opts = { .size = sizeof(opts), .threads = threads };
	struct spe_reader_opts reader_opts = { .size = sizeof(reader_opts), .names = true };
	struct spe_recording *r = NULL;
	struct spe_reader *reader;
	struct spe_error error = { 0 };
	uint64_t records = 0;
	int status = spe_recording_open(path, &opts, &r, &error);

	memset(seen, 0, sizeof(*seen));
	if (status) {
		PROPERTY(status < 0 && !r && error.text[0]);
		return status;
	}
	PROPERTY(spe_reader_new(r, &reader_opts, &reader) == SPE_OK);
	for (size_t i = 0; i < spe_recording_pieces(r); i++)
		read_piece(reader, i, seen);
	for (size_t i = 0; i < spe_recording_streams(r); i++)
		records += spe_recording_stream(r, i)->decode.records;
	PROPERTY(spe_reader_stats(reader)->records == seen->samples);
	PROPERTY(records == seen->samples);
	spe_reader_free(reader);
	spe_recording_close(r);
	return SPE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = in_memory(data, size);
	struct seen one, three;

	PROPERTY(recording(path, 1, &one) == recording(path, 3, &three));
	PROPERTY(memcmp(&one, &three, sizeof(one)) == 0);
	return 0;
}
