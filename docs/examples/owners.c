/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owners: count the samples of each process of a recording.
 *
 *	cc owners.c $(pkg-config --cflags --libs perf-arm-spe) -o owners
 *	./owners perf.data
 */
#include <stdio.h>

#include <perf-arm-spe/attribution.h>

#define MAX_PROCESSES 4096

static struct {
	int32_t pid;
	unsigned long samples;
} processes[MAX_PROCESSES];
static size_t count;

static void add(int32_t pid)
{
	size_t i = 0;

	while (i < count && processes[i].pid != pid)
		i++;
	if (i == MAX_PROCESSES)
		return;
	if (i == count)
		processes[count++].pid = pid;
	processes[i].samples++;
}

/* A recording is read in pieces; each could have a reader and a thread of its own. */
static int read_pieces(const struct spe_recording *recording)
{
	struct spe_reader_opts opts = { .size = sizeof(opts), .want = SPE_HAS_PC };
	struct spe_sample samples[256];
	struct spe_reader *reader;
	size_t n;
	int status = spe_reader_new(recording, &opts, &reader);

	for (size_t piece = 0; !status && piece < spe_recording_pieces(recording); piece++) {
		status = spe_reader_start(reader, piece);
		while (!status && spe_reader_next(reader, samples, 256, &n) == SPE_OK)
			for (size_t i = 0; i < n; i++)
				add(samples[i].pid); /* -1: nobody knows */
	}
	spe_reader_free(reader);
	return status;
}

int main(int argc, char **argv)
{
	struct spe_recording_opts opts = { .size = sizeof(opts) };
	struct spe_recording *recording;
	struct spe_error error;
	int status;

	if (spe_recording_open(argc > 1 ? argv[1] : "perf.data", &opts, &recording, &error)) {
		fprintf(stderr, "owners: %s\n", error.text);
		return 1;
	}
	status = read_pieces(recording);
	for (size_t i = 0; i < count; i++)
		printf("%d %lu\n", processes[i].pid, processes[i].samples);
	spe_recording_close(recording);
	return status != SPE_OK;
}
