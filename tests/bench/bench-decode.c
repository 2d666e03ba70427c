/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench-decode [MiB]: what decoding a record costs beside copying its bytes.
 *
 * One run, one machine, one table: for streams of several layouts the time a
 * record takes with memcpy (to a window that stays in the cache), with the
 * general decoder and with the one that knows shapes, all fields or only what
 * a survey looks at.  Least of several runs after one that is thrown away.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/record-make.h"

#define RUNS 7
#define WINDOW_BYTES 16384
#define BATCH 256
#define STRIDE_BYTES 144 /* about a sample */

struct stream {
	const char *name;
	uint8_t *bytes;
	size_t n;
	size_t records;
};

static uint8_t window[WINDOW_BYTES];
static char batch[BATCH * STRIDE_BYTES] __attribute__((aligned(64)));
static volatile uint64_t sink;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void copy(const struct stream *s)
{
	for (size_t at = 0; at < s->n; at += WINDOW_BYTES) {
		size_t n = s->n - at < WINDOW_BYTES ? s->n - at : WINDOW_BYTES;

		memcpy(window, s->bytes + at, n);
		__asm__ volatile("" : : "r"(window) : "memory");
	}
}

static void decode(const struct stream *s, uint32_t kind, uint32_t want)
{
	struct spe_decoder_opts opts = { .size = sizeof(opts), .want = want, .kind = kind };
	struct spe_record_array to = { batch, STRIDE_BYTES, BATCH, 0 };
	struct spe_decoder *d;
	size_t at = 0, used;

	if (spe_decoder_new(&opts, &d))
		exit(1);
	while (at < s->n) {
		if (spe_decoder_decode(d, s->bytes + at, s->n - at, at, true, &to, &used))
			exit(1);
		at += used;
		sink += ((struct spe_record *)batch)->timestamp;
	}
	if (spe_decoder_stats(d)->records != s->records)
		fprintf(stderr, "%s: %llu records, not %zu\n", s->name,
			(unsigned long long)spe_decoder_stats(d)->records, s->records);
	spe_decoder_free(d);
}

enum { COPY, GENERAL, ALL, SURVEY, COLUMNS };

static void run(const struct stream *s, unsigned column)
{
	switch (column) {
	case COPY:
		copy(s);
		break;
	case GENERAL:
		decode(s, SPE_DECODER_GENERAL, 0);
		break;
	case ALL:
		decode(s, SPE_DECODER_AUTO, 0);
		break;
	default:
		decode(s, SPE_DECODER_AUTO,
		       SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_TIMESTAMP | SPE_HAS_EL);
	}
}

static void measure(const struct stream *s)
{
	double least[COLUMNS], begin, took;

	for (unsigned i = 0; i < RUNS + 1; i++) {
		for (unsigned column = 0; column < COLUMNS; column++) {
			begin = now_ns();
			run(s, column);
			took = (now_ns() - begin) / (double)s->records;
			if (i < 2 || took < least[column])
				least[column] = took;
		}
	}
	printf("%-26s %6.1f %6.1f", s->name, (double)s->n / (double)s->records, least[COPY]);
	for (unsigned column = COPY + 1; column < COLUMNS; column++)
		printf("  %7.1f %5.2fx", least[column], least[column] / least[COPY]);
	putchar('\n');
	fflush(stdout);
}

static void make_load(struct trace *t, uint64_t *random, unsigned n)
{
	static const struct make_style style = { .in_place = 64 };
	size_t begin = t->n;

	put_pc(t, make_address(random));
	put_zeros(t, 5);
	put_context2(t, 100 + make_below(random, 4000));
	put_op(t, SPE_OP_LOAD_STORE, make_below(random, 2));
	put_events(t, make_below(random, 4096));
	put_issue(t, make_below(random, 400));
	put_total(t, make_below(random, 4096));
	put_va(t, make_address(random) & UINT64_C(0x00ffffffffffffff));
	put_xlat(t, make_below(random, 40));
	put_zeros(t, 9);
	put_source(t, make_below(random, 15));
	put_zeros(t, style.in_place - 9 - (t->n - begin));
	put_timestamp(t, UINT64_C(7969191665714) + n * 1000);
}

static void make_unpadded(struct trace *t, uint64_t *random, unsigned n)
{
	put_pc(t, make_address(random));
	put_context2(t, 100 + make_below(random, 4000));
	put_op(t, SPE_OP_LOAD_STORE, make_below(random, 2));
	put_events(t, make_below(random, 4096));
	put_issue(t, make_below(random, 400));
	put_total(t, make_below(random, 4096));
	put_va(t, make_address(random) & UINT64_C(0x00ffffffffffffff));
	put_timestamp(t, UINT64_C(7969191665714) + n * 1000);
}

static void make_mixed(struct trace *t, uint64_t *random, unsigned n)
{
	put_record(t, random, &make_styles[0], n);
}

static void make_mixed_unpadded(struct trace *t, uint64_t *random, unsigned n)
{
	put_record(t, random, &make_styles[3], n);
}

static void make_aligned(struct trace *t, uint64_t *random, unsigned n)
{
	put_record(t, random, &make_styles[5], n);
}

static void make_model(struct trace *t, uint64_t *random, unsigned n)
{
	put_record(t, random, &make_styles[6], n);
}

static const struct {
	const char *name;
	void (*make)(struct trace *t, uint64_t *random, unsigned n);
} layouts[] = {
	{ "64 bytes, one shape", make_load },     { "64 bytes, mixed shapes", make_mixed },
	{ "unpadded, one shape", make_unpadded }, { "unpadded, mixed shapes", make_mixed_unpadded },
	{ "aligned to 8, mixed", make_aligned },  { "operation first, mixed", make_model },
};

/* Fill the stream with records, each made anew. */
static void fill(struct stream *s, size_t room, void (*make)(struct trace *, uint64_t *, unsigned))
{
	static struct trace t;
	uint64_t random = 0x9e3779b97f4a7c15;

	s->n = s->records = 0;
	for (;;) {
		t.n = 0;
		make(&t, &random, (unsigned)s->records);
		if (s->n + t.n > room)
			return;
		memcpy(s->bytes + s->n, t.bytes, t.n);
		s->n += t.n;
		s->records++;
	}
}

int main(int argc, char **argv)
{
	size_t room = (argc > 1 ? strtoul(argv[1], NULL, 10) : 128) << 20;
	struct stream s = { .bytes = malloc(room) };

	if (!s.bytes || !room) {
		fputs("usage: bench-decode [MiB]\n", stderr);
		return 1;
	}
	printf("%-26s %6s %6s  %14s  %14s  %14s\n", "ns a record, times memcpy", "bytes", "memcpy",
	       "general", "all fields", "survey");
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		s.name = layouts[i].name;
		fill(&s, room, layouts[i].make);
		measure(&s);
	}
	free(s.bytes);
	return 0;
}
