/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owners: count the samples of each process of a recording.
 *
 *	cc owners.c $(pkg-config --cflags --libs perf-arm-spe) -o owners
 *	./owners perf.data
 */
#include <stdio.h>
#include <stdlib.h>

#include <perf-arm-spe/attribution.h>

static struct process {
	int32_t pid;
	unsigned long samples;
} * processes;
static size_t count, room;

static int add(int32_t pid)
{
	size_t i = 0;

	while (i < count && processes[i].pid != pid)
		i++;
	if (i == room) {
		size_t more = room ? 2 * room : 64;
		struct process *larger = realloc(processes, more * sizeof(*larger));

		if (!larger)
			return SPE_NOMEM;
		processes = larger;
		room = more;
	}
	if (i == count)
		processes[count++] = (struct process){ .pid = pid };
	processes[i].samples++;
	return SPE_OK;
}

static int read_piece(struct spe_reader *reader, size_t piece)
{
	struct spe_sample samples[256];
	size_t n;
	int status = spe_reader_start(reader, piece);

	while (!status) {
		status = spe_reader_next(reader, samples, 256, &n);
		for (size_t i = 0; !status && i < n; i++)
			status = add(samples[i].pid); /* -1: nobody knows */
	}
	return status == SPE_END ? SPE_OK : status;
}

/* A recording is read in pieces; each could have a reader and a thread of its own. */
static int read_pieces(const struct spe_recording *recording)
{
	struct spe_reader_opts opts = { .size = sizeof(opts), .want = SPE_HAS_PC };
	struct spe_reader *reader;
	int status = spe_reader_new(recording, &opts, &reader);

	if (status)
		return status;
	for (size_t piece = 0; !status && piece < spe_recording_pieces(recording); piece++)
		status = read_piece(reader, piece);
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
	if (status)
		fprintf(stderr, "owners: counts are not whole: %s\n", spe_status_text(status));
	free(processes);
	spe_recording_close(recording);
	return status != SPE_OK;
}
