/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole way from bytes to what is printed: counts add up, evidence and
 * owner agree with each other, nothing that is printed drives a terminal, and
 * threads, batch size and decoder change no sample and no byte of any output.
 */
#include <string.h>

#include "in-memory.h"
#include "outputs.h"

struct seen {
	uint64_t samples, sum;
	uint64_t owners; /* the same, wherever the samples stand */
	uint64_t by_evidence[SPE_EVIDENCE_KINDS];
};

static void see_owner(struct seen *seen, const struct spe_sample *s, uint64_t count)
{
	uint64_t owner = ((uint64_t)(uint32_t)s->tid << 32 ^ (uint32_t)s->pid) * 0x9e3779b97f4a7c15;

	owner ^= (uint64_t)s->comm << 32 ^ s->process;
	owner = owner * 0xd1b54a32d192ed03 ^ s->guest ^ (uint64_t)s->stream << 8;
	seen->samples += count;
	seen->by_evidence[s->evidence] += count;
	seen->owners += owner * 0x9e3779b97f4a7c15 * count;
}

static void see(struct seen *seen, const struct spe_sample *s)
{
	see_owner(seen, s, 1);
	seen->sum += ((uint64_t)(uint32_t)s->tid << 32 ^ (uint32_t)s->pid) *
		     (s->record.aux_offset + 1 + s->stream);
}

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
	if (s->evidence == SPE_EVIDENCE_CONTEXT)
		PROPERTY(s->record.present & (SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2));
}

static void read_piece(struct spe_reader *reader, size_t piece, struct seen *seen)
{
	static struct spe_sample samples[64];
	size_t count;

	PROPERTY(spe_reader_start(reader, piece) == SPE_OK);
	while (spe_reader_next(reader, samples, 64, &count) == SPE_OK) {
		PROPERTY(count > 0 && count <= 64);
		for (size_t i = 0; i < count; i++) {
			check_sample(&samples[i]);
			see(seen, &samples[i]);
		}
	}
}

static void read_samples(const struct spe_recording *r, struct seen *seen)
{
	struct spe_reader_opts opts = { .size = sizeof(opts), .names = true };
	struct spe_reader *reader;
	uint64_t records = 0;

	PROPERTY(spe_reader_new(r, &opts, &reader) == SPE_OK);
	for (size_t i = 0; i < spe_recording_pieces(r); i++)
		read_piece(reader, i, seen);
	for (size_t i = 0; i < spe_recording_streams(r); i++)
		records += spe_recording_stream(r, i)->decode.records;
	PROPERTY(spe_reader_stats(reader)->records == seen->samples);
	PROPERTY(records == seen->samples);
	spe_reader_free(reader);
}

/* By worker, as many as a way has. */
struct along {
	struct seen seen[3];
};

static int along_start(void *arg, unsigned workers)
{
	(void)arg;
	PROPERTY(workers && workers <= 3);
	return SPE_OK;
}

static int along_batch(void *arg, unsigned worker, struct spe_sample *samples, size_t count)
{
	struct along *along = arg;

	PROPERTY(count > 0);
	for (size_t i = 0; i < count; i++)
		see(&along->seen[worker], &samples[i]);
	return SPE_OK;
}

static int along_run(void *arg, unsigned worker, const struct spe_sample *sample, uint64_t count)
{
	struct along *along = arg;

	PROPERTY(count > 0);
	see_owner(&along->seen[worker], sample, count);
	return SPE_OK;
}

/* Samples taken along with the survey are those of readers, if they are kept; runs: as runs. */
static void finish_along(struct spe_recording *r, bool runs, struct spe_error *error,
			 struct seen *sum, bool *kept)
{
	struct along along = { 0 };
	struct spe_companion companion = { .size = sizeof(companion),
					   .names = true,
					   .arg = &along,
					   .start = along_start,
					   .batch = along_batch,
					   .run = runs ? along_run : NULL };

	memset(sum, 0, sizeof(*sum));
	PROPERTY(spe_recording_finish(r, &companion, kept, error) == SPE_OK);
	for (unsigned i = 0; i < 3; i++) {
		sum->samples += along.seen[i].samples;
		sum->sum += along.seen[i].sum;
		sum->owners += along.seen[i].owners;
		for (unsigned e = 0; e < SPE_EVIDENCE_KINDS; e++)
			sum->by_evidence[e] += along.seen[i].by_evidence[e];
	}
}

static void on_log(void *priv, enum spe_log_level level, const char *line)
{
	(void)priv;
	(void)level;
	check_printable(line, strlen(line));
}

static int recording(const char *path, const struct way *way, unsigned choice, struct seen *seen,
		     struct text *text)
{
	struct spe_recording_opts opts = { .size = sizeof(opts),
					   .listener = { .log = on_log },
					   .threads = way->threads,
					   .batch_records = way->batch_records,
					   .decoder = way->decoder,
					   .later = way->threads > 1 };
	struct spe_recording *r = NULL;
	struct spe_error error = { 0 };
	struct seen along;
	bool kept = false;
	int status = spe_recording_open(path, &opts, &r, &error);

	memset(seen, 0, sizeof(*seen));
	text->n = 0;
	if (status) {
		PROPERTY(!r);
		check_error(status, &error);
		return status;
	}
	if (opts.later)
		finish_along(r, choice & 1, &error, &along, &kept);
	read_samples(r, seen);
	if (choice & 1)
		along.sum = seen->sum; /* runs do not say where */
	PROPERTY(!kept || memcmp(&along, seen, sizeof(along)) == 0);
	print_one(r, way, choice, text);
	spe_recording_close(r);
	return SPE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text first, second;
	const struct way ways[] = {
		{ .threads = 1 },
		{ .threads = 3, .batch_records = 1 + size % 7, .decoder = SPE_DECODER_GENERAL }
	};
	const char *path = in_memory(data, size);
	unsigned choice = size ? data[size - 1] : 0;
	struct seen one, three;

	PROPERTY(recording(path, &ways[0], choice, &one, &first) ==
		 recording(path, &ways[1], choice, &three, &second));
	PROPERTY(memcmp(&one, &three, sizeof(one)) == 0);
	PROPERTY(first.n == second.n);
	PROPERTY(first.n == 0 || memcmp(first.bytes, second.bytes, first.n) == 0);
	check_printable(first.bytes, first.n);
	return 0;
}
