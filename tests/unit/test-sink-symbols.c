/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose maps a sample is looked up in, and when not at all; what report and
 * script make of it.  Names come from perf-PID.map files: no compiler is needed.
 */
#include "faults.h"
#include "report-run.h"

#include <limits.h>
#include <sys/stat.h>

#define CODE 0x7f0000001000ull
#define KERNEL 0xffff800008000000ull

static char root[PATH_MAX - 64];

static void put_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void setup(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];

	snprintf(root, sizeof(root), "%.100s/spe-sink-symbols.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/tmp", root);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	put_file("tmp/perf-100.map", "7f0000001000 100 first\n7f0000001100 80 sec,\"ond\n"
				     "7f0000001180 10 third\x1b[2J\n");
	put_file("tmp/perf-200.map", "7f0000001000 100 other\n");
	put_file("kallsyms", "ffff800008000000 T _text\nffff800008000100 T do_work\n");
}

static void teardown(void)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

/* ---- the side-band ---------------------------------------------------------------- */

static struct spe_perf_event events[8];

static struct spe_perf_event *add_event(struct spe_recording *r, uint32_t type, uint64_t time_ns)
{
	struct spe_perf_event *event = &events[r->event_count];

	*event = (struct spe_perf_event){ .type = type,
					  .misc = SPE_MISC_USER,
					  .sequence = r->event_count++ };
	event->id.present = SPE_SAMPLE_TIME;
	event->id.time_ns = time_ns;
	r->events = events;
	return event;
}

static void add_map(struct spe_recording *r, uint64_t time_ns, int32_t pid, const char *name)
{
	struct spe_perf_event *event = add_event(r, SPE_PERF_MMAP2, time_ns);

	event->u.mmap.pid = event->u.mmap.tid = pid;
	event->u.mmap.addr = pid < 0 ? KERNEL : CODE;
	event->u.mmap.len = pid < 0 ? 0x10000000 : 0x1000;
	event->u.mmap.pgoff = pid < 0 ? KERNEL : 0;
	event->u.mmap.prot = 7;
	event->u.mmap.filename = name;
	if (pid < 0)
		event->misc = SPE_MISC_KERNEL;
}

/* ---- samples ------------------------------------------------------------------------ */

struct line {
	int32_t pid;
	uint64_t ms;
	uint64_t pc;
	uint8_t el, guest;
	uint64_t va;
};

static const struct line lines[] = {
	{ 100, 1, CODE + 0x10, 0, SPE_GUEST_NO, CODE + 0x104 },
	{ 100, 1, CODE + 0x104, 0, SPE_GUEST_NO, KERNEL + 0x108 },
	{ 100, 1, CODE + 0x180, 0, SPE_GUEST_NO, 0 },
	{ 200, 1, CODE + 0x10, 0, SPE_GUEST_NO, 0 },
	{ 100, 9, CODE + 0x10, 0, SPE_GUEST_NO, 0 },    /* something else is mapped by then */
	{ -1, 1, CODE + 0x10, 0, SPE_GUEST_NO, 0 },     /* nobody's */
	{ 100, 1, CODE + 0x10, 0, SPE_GUEST_MAYBE, 0 }, /* a guest's, or not */
	{ 100, 1, KERNEL + 0x104, 1, SPE_GUEST_KERNEL, 0 },
	{ 100, 1, KERNEL + 0x104, 2, SPE_GUEST_NO, 0 },
	{ 100, 1, CODE + 0x10, 2, SPE_GUEST_NO, 0 }, /* of the kernel, not of the process */
};
#define LINES (sizeof(lines) / sizeof(lines[0]))

static struct spe_recording *make(void)
{
	struct spe_sample *samples = calloc(LINES, sizeof(*samples));
	struct spe_recording *r;

	for (size_t i = 0; i < LINES; i++) {
		const struct line *l = &lines[i];
		struct spe_sample *s = &samples[i];

		s->pid = s->tid = l->pid;
		s->comm = SPE_COMM_NONE;
		s->has_time = true;
		s->time_ns = l->ms * 1000000;
		s->guest = l->guest;
		s->record.present = SPE_HAS_PC | SPE_HAS_EL | (l->va ? SPE_HAS_VA : 0);
		s->record.pc = l->pc;
		s->record.el = l->el;
		s->record.va = l->va;
	}
	r = fake_new(samples, LINES, 1, 3, 1);
	add_map(r, 0, 100, "//anon");
	add_map(r, 0, 200, "//anon");
	add_map(r, 5000000, 100, "/gone/lib,\x1b.so");
	add_map(r, 0, -1, "[kernel.kallsyms]_text");
	return r;
}

static struct spe_symbols_opts symbols_opts(void)
{
	static char kallsyms[PATH_MAX];
	struct spe_symbols_opts opts = { .size = sizeof(opts),
					 .symfs = root,
					 .kallsyms = kallsyms,
					 .buildid_dir = "/nonexistent" };

	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", root);
	return opts;
}

static const struct {
	const char *sort, *dsos, *symbols, *text;
} goldens[] = {
	{ "sym", NULL, NULL,
	  "    10.00%  [k] do_work\n"
	  "    10.00%  [.] first\n"
	  "    10.00%  [.] other\n"
	  "    10.00%  [.] sec,\"ond\n"
	  "    10.00%  [.] third\\x1b[2J\n"
	  "    10.00%  [.] 0x00007f0000001010\n"
	  "    10.00%  [.] 0x0000000000000010\n"
	  "    10.00%  [k] 0x00007f0000001010\n"
	  "    10.00%  [g] 0xffff800008000104\n"
	  "    10.00%  [u] 0x00007f0000001010\n" },
	{ "dso", NULL, NULL,
	  "    30.00%  [JIT] tid 100\n"
	  "    20.00%  [unknown]\n"
	  "    10.00%  [JIT] tid 200\n"
	  "    10.00%  [guest or host]\n"
	  "    10.00%  [guest.kernel]\n"
	  "    10.00%  [kernel.kallsyms]\n"
	  "    10.00%  lib,\\x1b.so\n" },
	{ "symbol_daddr,dso_daddr", NULL, NULL,
	  "    80.00%  N/A           N/A\n"
	  "    10.00%  [k] do_work   [kernel.kallsyms]\n"
	  "    10.00%  [.] sec,\"ond  [JIT] tid 100\n" },
	{ "sym", "[kernel.kallsyms],[JIT] tid 200", NULL,
	  "    50.00%  [k] do_work\n"
	  "    50.00%  [.] other\n" },
	{ "pid", NULL, "first,other", "    50.00%      100::100\n    50.00%      200::200\n" },
	{ "pid", "[JIT] tid 100", "other", "" },
};
#define GOLDENS (sizeof(goldens) / sizeof(goldens[0]))

START_TEST(report_looks_up)
{
	struct spe_symbols_opts symbols = symbols_opts();
	struct spe_recording *r = make();
	struct spe_report_opts opts = { .sort = goldens[_i].sort,
					.dsos = goldens[_i].dsos,
					.symbol_names = goldens[_i].symbols,
					.no_header = true,
					.symbols = &symbols };

	for (unsigned threads = 1; threads < 4; threads++) {
		report(r, opts, (struct spe_run_opts){ .threads = threads });
		ck_assert_str_eq(output, goldens[_i].text);
	}
	fake_free(r);
}
END_TEST

/* The side-band's clock is ahead: what is mapped is decided by that one. */
START_TEST(other_clock)
{
	struct spe_symbols_opts symbols = symbols_opts();
	struct spe_recording *r = make();
	struct spe_report_opts opts = { .sort = "dso", .no_header = true, .symbols = &symbols };

	r->facts.other_clock = r->facts.clock_offset_known = true;
	r->facts.clock_offset_ns = 4500000;
	report(r, opts, (struct spe_run_opts){ .threads = 1 });
	ck_assert_ptr_nonnull(strstr(output, "40.00%  lib"));
	ck_assert_ptr_null(strstr(output, "[JIT] tid 100"));
	/* Not known how far: only what was always the same. */
	r->facts.clock_offset_known = false;
	report(r, opts, (struct spe_run_opts){ .threads = 1 });
	ck_assert_ptr_null(strstr(output, "lib,"));
	ck_assert_ptr_null(strstr(output, "[JIT] tid 100"));
	ck_assert_ptr_nonnull(strstr(output, "[JIT] tid 200"));
	fake_free(r);
}
END_TEST

static int script_status(const struct spe_recording *r, uint32_t format, const char *fields)
{
	struct spe_symbols_opts symbols = symbols_opts();
	struct spe_script_opts opts = { .size = sizeof(opts),
					.fields = fields,
					.format = format,
					.out = out,
					.symbols = &symbols };
	struct spe_run_opts run = { .size = sizeof(run), .threads = 1 };
	struct spe_script *script;
	struct spe_run_stats stats;
	int status = spe_script_new(r, &opts, &script, NULL);

	output_bytes = 0;
	if (status)
		return status;
	status = spe_sink_run(r, spe_script_ops(script), script, &run, &stats, NULL);
	spe_script_free(script);
	return status;
}

START_TEST(script_in_each_format)
{
	static const char *const texts[] = {
		[SPE_FORMAT_TEXT] = " first+0x10 (/tmp/perf-100.map)\n"
				    " sec,\"ond+0x4 (/tmp/perf-100.map)\n"
				    " third\\x1b[2J+0x0 (/tmp/perf-100.map)\n"
				    " other+0x10 (/tmp/perf-200.map)\n"
				    " [unknown] ([unknown])\n"
				    " [unknown] ([unknown])\n"
				    " [unknown] ([unknown])\n"
				    " do_work+0x4 ([kernel.kallsyms])\n"
				    " [unknown] ([unknown])\n"
				    " [unknown] (/gone/lib,\\x1b.so)\n",
		[SPE_FORMAT_JSON] =
			"{\"sym\":\"first\",\"symoff\":16,\"dso\":\"/tmp/perf-100.map\"}\n"
			"{\"sym\":\"sec,\\\"ond\",\"symoff\":4,\"dso\":\"/tmp/perf-100.map\"}\n"
			"{\"sym\":\"third\\u001b[2J\",\"symoff\":0,\"dso\":\"/tmp/perf-100.map\"}\n"
			"{\"sym\":\"other\",\"symoff\":16,\"dso\":\"/tmp/perf-200.map\"}\n"
			"{}\n{}\n{}\n"
			"{\"sym\":\"do_work\",\"symoff\":4,\"dso\":\"[kernel.kallsyms]\"}\n"
			"{}\n"
			"{\"dso\":\"/gone/lib,\\u001b.so\"}\n",
		[SPE_FORMAT_CSV] = "sym,symoff,dso\n"
				   "first,16,/tmp/perf-100.map\n"
				   "\"sec,\"\"ond\",4,/tmp/perf-100.map\n"
				   "third\\x1b[2J,0,/tmp/perf-100.map\n"
				   "other,16,/tmp/perf-200.map\n"
				   ",,\n,,\n,,\n"
				   "do_work,4,[kernel.kallsyms]\n"
				   ",,\n"
				   ",,\"/gone/lib,\\x1b.so\"\n",
	};
	struct spe_recording *r = make();

	ck_assert_int_eq(script_status(r, (uint32_t)_i, "sym,symoff,dso"), SPE_OK);
	ck_assert_str_eq(output, texts[_i]);
	fake_free(r);
}
END_TEST

#ifdef FAULTS
/* No line and no row may say [unknown] for want of memory. */
START_TEST(no_memory_is_a_status)
{
	struct spe_recording *r = make();
	int status = SPE_NOMEM;
	char *whole;
	long n;

	ck_assert_int_eq(script_status(r, SPE_FORMAT_TEXT, "sym,dso,srcline"), SPE_OK);
	whole = calloc(1, output_bytes + 1);
	memcpy(whole, output, output_bytes);
	for (n = 0; status == SPE_NOMEM; n++) {
		long live = atomic_load(&fault_live);

		output[0] = '\0';
		atomic_store(&fault_in, n);
		status = script_status(r, SPE_FORMAT_TEXT, "sym,dso,srcline");
		if (atomic_exchange(&fault_in, -1) >= 0)
			must(status == SPE_OK); /* nothing failed */
		must(atomic_load(&fault_live) == live);
		must(strncmp(output, whole, output_bytes) == 0);
	}
	ck_assert_int_eq(status, SPE_OK);
	ck_assert_int_gt(n, 20);
	free(whole);
	fake_free(r);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("sink-symbols");
	TCase *t = tcase_create("symbols");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, t);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, report_looks_up, 0, (int)GOLDENS);
	tcase_add_test(t, other_clock);
	tcase_add_loop_test(t, script_in_each_format, SPE_FORMAT_TEXT, SPE_FORMAT_CSV + 1);
#ifdef FAULTS
	tcase_add_test(t, no_memory_is_a_status);
#endif
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
