/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench-attribute FILE: what it costs to make samples of a recording, every field
 * decoded and every owner found, beside copying the file's bytes to a window that
 * stays in the cache.  One core, nanoseconds of its time, the least of several runs
 * after one that is thrown away and brings all pages in.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perf-arm-spe/attribution.h>

#define RUNS 5
#define WINDOW_BYTES 16384
#define BATCH 256

struct bench {
	const char *path;
	struct spe_recording *recording;
	const uint8_t *bytes;
	size_t n;
};

static uint8_t window[WINDOW_BYTES];
static struct spe_sample samples[BATCH];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int fail(const char *what)
{
	fprintf(stderr, "bench-attribute: %s\n", what);
	return 1;
}

static void copy(const struct bench *b)
{
	for (size_t at = 0; at < b->n; at += WINDOW_BYTES) {
		size_t n = b->n - at < WINDOW_BYTES ? b->n - at : WINDOW_BYTES;

		memcpy(window, b->bytes + at, n);
		__asm__ volatile("" : : "r"(window) : "memory");
	}
}

/* All samples; how many. */
static uint64_t attribute(const struct bench *b)
{
	const struct spe_reader_opts opts = { .size = sizeof(opts), .names = true };
	struct spe_reader *reader;
	uint64_t sum = 0;
	size_t count;

	if (spe_reader_new(b->recording, &opts, &reader))
		exit(fail("no memory"));
	for (size_t piece = 0; piece < spe_recording_pieces(b->recording); piece++) {
		if (spe_reader_start(reader, piece))
			exit(fail("cannot read"));
		while (!spe_reader_next(reader, samples, BATCH, &count))
			sum += count;
	}
	spe_reader_free(reader);
	return sum;
}

static int open_file(struct bench *b)
{
	const struct spe_recording_opts opts = { .size = sizeof(opts), .threads = 1 };
	struct spe_error error = { .text = "" };
	int fd = open(b->path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fail("cannot open the file");
	b->n = (size_t)st.st_size;
	b->bytes = mmap(NULL, b->n, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (b->bytes == MAP_FAILED)
		return fail("cannot map the file");
	if (spe_recording_open(b->path, &opts, &b->recording, &error))
		return fail(error.text);
	return 0;
}

static double least(double a, double b)
{
	return a > 0 && a < b ? a : b;
}

int main(int argc, char **argv)
{
	struct bench b = { .path = argc > 1 ? argv[1] : "" };
	double copied = 0, made = 0;
	uint64_t records = 0;

	if (argc != 2) {
		fputs("usage: bench-attribute FILE\n", stderr);
		return 129;
	}
	if (open_file(&b))
		return 1;
	for (int i = 0; i <= RUNS; i++) {
		double begin = now_ns(), between;

		copy(&b);
		between = now_ns();
		records = attribute(&b);
		if (i) {
			copied = least(copied, between - begin);
			made = least(made, now_ns() - between);
		}
	}
	if (!records)
		return fail("no records");
	printf("memcpy %.1f ns a record, samples %.1f: %.2fx\n", copied / (double)records,
	       made / (double)records, made / copied);
	spe_recording_close(b.recording);
	munmap((void *)(uintptr_t)b.bytes, b.n);
	return 0;
}
