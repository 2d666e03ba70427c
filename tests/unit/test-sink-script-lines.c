/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script against a plain second writer: printf.  Kept texts, hand-made digits
 * and periods show here if they go wrong; and memory that runs out.
 */
#include "faults.h"

#include "fake-recording.h"

#include <inttypes.h>
#include <stdio.h>

#define SAMPLES 4000u
#define STREAMS 300u /* more than places to keep an owner in */
#define TEXT_BYTES (1u << 21)
#define LINE_BYTES 256u

struct page {
	char *text;
	size_t n;
};

static int page_write(void *priv, const char *bytes, size_t n)
{
	struct page *page = priv;

	if (page->n + n >= TEXT_BYTES) /* libcheck's assertions allocate: not where faults are */
		return SPE_LIMIT;
	memcpy(page->text + page->n, bytes, n);
	page->n += n;
	page->text[page->n] = '\0';
	return SPE_OK;
}

static const char *const comms[] = {
	"a",
	"swapper/0",
	"sixteen-letters.",
	"a name far beyond the sixteen letters of a kernel",
	"",
	"and one so long that no line with it is ever kept, but written anew each time",
};

#define COMMS (sizeof(comms) / sizeof(comms[0]))

static uint64_t any_width(uint32_t *seed)
{
	uint64_t wide = (uint64_t)fake_random(seed) << 40 ^ (uint64_t)fake_random(seed) << 20 ^
			fake_random(seed);

	return wide >> fake_random(seed) % 64;
}

/* Owners last for a few samples; times jump about a second's border, and far. */
static void make_sample(struct spe_sample *s, const struct spe_sample *before, uint32_t *seed)
{
	*s = *before;
	s->stream = before->stream + (fake_random(seed) % 8 == 0 && before->stream < STREAMS - 1);
	if (fake_random(seed) % 3 == 0) {
		s->pid = (int32_t)(any_width(seed) & INT32_MAX) - (fake_random(seed) % 4 == 0);
		s->tid = fake_random(seed) % 2 ? s->pid : (int32_t)(fake_random(seed) % 5) - 1;
		s->comm = fake_random(seed) % 5 ? fake_random(seed) % COMMS : SPE_COMM_NONE;
		s->cpu = (int32_t)(any_width(seed) & 0xfff) - (fake_random(seed) % 9 == 0);
	}
	s->time_ns = before->time_ns + fake_random(seed) % 1000000000u;
	if (fake_random(seed) % 50 == 0)
		s->time_ns = any_width(seed) >> 2;
	s->has_time = fake_random(seed) % 20 != 0;
	s->record.present = SPE_HAS_PC;
	s->record.pc = any_width(seed);
	s->record.aux_offset = before->record.aux_offset + 64;
}

static struct spe_recording *make(uint32_t seed)
{
	struct spe_sample *samples = calloc(SAMPLES, sizeof(*samples));
	struct spe_sample before = { .time_ns = 998000000, .comm = 1 };
	struct spe_recording *recording;

	for (size_t i = 0; i < SAMPLES; i++) {
		make_sample(&samples[i], &before, &seed);
		before = samples[i];
	}
	recording = fake_new(samples, SAMPLES, STREAMS, 97, seed);
	recording->comms = comms;
	recording->comm_count = COMMS;
	return recording;
}

/* ---- the second writer ------------------------------------------------------------- */

static int put_name(char *to, const struct spe_sample *s)
{
	char nameless[16];

	snprintf(nameless, sizeof(nameless), ":%d", s->tid);
	return snprintf(to, LINE_BYTES, "%16s ",
			s->comm != SPE_COMM_NONE ? comms[s->comm]
			: s->tid == 0            ? "swapper"
						 : nameless);
}

static int put_time(char *to, const struct spe_sample *s, bool ns)
{
	uint64_t second = s->time_ns / 1000000000u, rest = s->time_ns % 1000000000u;

	if (!s->has_time)
		return snprintf(to, LINE_BYTES, "%*s: ", ns ? 15 : 12, "-");
	if (ns)
		return snprintf(to, LINE_BYTES, "%5" PRIu64 ".%09" PRIu64 ": ", second, rest);
	return snprintf(to, LINE_BYTES, "%5" PRIu64 ".%06" PRIu64 ": ", second, rest / 1000);
}

/* comm, pid/tid or tid, cpu, time, period, event, ip, sym, dso as perf's printf formats have them.
 */
static void put_line(char *to, const struct spe_sample *s, bool pid, bool ns)
{
	to += put_name(to, s);
	to += pid ? snprintf(to, LINE_BYTES, "%7d/%-7d ", s->pid, s->tid)
		  : snprintf(to, LINE_BYTES, "%7d ", s->tid);
	if (s->cpu >= 0)
		to += snprintf(to, LINE_BYTES, "[%03d] ", s->cpu);
	to += put_time(to, s, ns);
	snprintf(to, LINE_BYTES, "%10d %s:  %16" PRIx64 " [unknown] ([unknown])\n", 1,
		 "instructions", s->record.pc);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in order, as one text. */
static char *sorted(char *text)
{
	char **lines = calloc(SAMPLES, sizeof(*lines));
	char *joined = calloc(1, TEXT_BYTES + LINE_BYTES);
	size_t n = 0;
	char *at = joined;

	for (char *save = text; *save; n++) {
		ck_assert_uint_lt(n, SAMPLES);
		lines[n] = save;
		save = strchr(save, '\n');
		*save++ = '\0';
	}
	qsort(lines, n, sizeof(*lines), compare_strings);
	for (size_t i = 0; i < n; i++)
		at += snprintf(at, LINE_BYTES, "%s\n", lines[i]);
	free(lines);
	return joined;
}

static char *expected(const struct spe_recording *recording, bool pid, bool ns)
{
	char *text = calloc(1, TEXT_BYTES + LINE_BYTES), *joined;
	char *at = text;

	for (size_t i = 0; i < SAMPLES; i++) {
		put_line(at, &recording->samples[i], pid, ns);
		at += strlen(at);
	}
	joined = sorted(text);
	free(text);
	return joined;
}

START_TEST(test_lines)
{
	bool pid = _i & 1, ns = _i & 2, unordered = _i & 4;
	struct spe_recording *recording = make((uint32_t)_i + 1);
	struct page page = { .text = calloc(1, TEXT_BYTES) };
	struct spe_run_opts run_opts = { .size = sizeof(run_opts), .threads = unordered ? 3 : 1 };
	struct spe_script_opts opts = {
		.size = sizeof(opts),
		.fields = pid ? "+pid" : NULL,
		.ns = ns,
		.unordered = unordered,
		.out = { .write = page_write, .priv = &page },
	};
	struct spe_script *script = NULL;
	struct spe_run_stats stats;
	char *want = expected(recording, pid, ns);
	char *got;

	ck_assert_int_eq(spe_script_new(recording, &opts, &script, NULL), SPE_OK);
	ck_assert_int_eq(spe_sink_run(recording, spe_script_ops(script), script, &run_opts, &stats,
				      NULL),
			 SPE_OK);
	got = sorted(page.text);
	ck_assert_str_eq(got, want);
	free(got);
	free(want);
	free(page.text);
	spe_script_free(script);
	fake_free(recording);
}
END_TEST

/* ---- memory runs out ------------------------------------------------------------------ */

#ifdef FAULTS
static int try_run(const struct spe_recording *recording, uint32_t format, struct page *page)
{
	struct spe_run_opts run_opts = { .size = sizeof(run_opts), .threads = 1 };
	struct spe_script_opts opts = {
		.size = sizeof(opts),
		.fields = "comm,events,ip,sym,dso",
		.format = format,
		.unordered = true,
		.out = { .write = page_write, .priv = page },
	};
	struct spe_script *script = NULL;
	struct spe_run_stats stats;
	int status = spe_script_new(recording, &opts, &script, NULL);

	if (!status)
		status = spe_sink_run(recording, spe_script_ops(script), script, &run_opts, &stats,
				      NULL);
	spe_script_free(script);
	return status;
}

START_TEST(test_faults)
{
	struct spe_recording *recording = make(9);
	struct page page = { .text = calloc(1, TEXT_BYTES) };
	int status = SPE_NOMEM;
	long n = 0;

	while (status) {
		long live, left;

		ck_assert_int_eq(status, SPE_NOMEM);
		ck_assert_int_lt(n, 1000);
		page.n = 0;
		live = atomic_load(&fault_live);
		atomic_store(&fault_in, n++);
		status = try_run(recording, (uint32_t)_i, &page);
		atomic_store(&fault_in, -1);
		left = atomic_load(&fault_live);
		ck_assert_int_eq(left, live);
	}
	ck_assert_int_gt(n, 5);
	free(page.text);
	fake_free(recording);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("sink-script-lines");
	TCase *tc = tcase_create("lines");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_lines, 0, 8);
#ifdef FAULTS
	tcase_add_loop_test(tc, test_faults, SPE_FORMAT_TEXT, SPE_FORMAT_CSV + 1);
#endif
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
