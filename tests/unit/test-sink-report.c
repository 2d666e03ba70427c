/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports to the letter, the accounting below them, and stat. */
#include "faults.h"
#include "report-run.h"

#define N1 0x413fd0c1u

static int output_closed(void *priv, const char *bytes, size_t n)
{
	(void)priv;
	(void)bytes;
	(void)n;
	return SPE_CLOSED;
}

/* ---- ten samples everybody can count ----------------------------------- */

enum { SWAPPER, SPIN, SH, WORKER, ESC };
static const char *const comms[] = { "swapper", "spin", "sh", "worker", "bad\x1b[2J,\"x" };
static const struct fake_task tasks[] = {
	{ 0, 0, SWAPPER, SWAPPER }, { 100, 100, SPIN, SPIN }, { 200, 200, SH, SH },
	{ 201, 200, WORKER, SH },   { 300, 300, ESC, ESC },
};

struct line {
	int32_t cpu, pid, tid;
	uint32_t comm;
	uint8_t evidence;
	uint8_t op_class, op_payload;
	uint64_t events;
	int source; /* -1: none */
	uint8_t el;
	uint16_t latency;
};

static const struct line lines[] = {
	{ 0, 100, 100, SPIN, SPE_EVIDENCE_CONTEXT, 1, 0x00, 0x16, 0, 0, 10 },
	{ 0, 100, 100, SPIN, SPE_EVIDENCE_CONTEXT, 1, 0x00, 0x1e, 8, 0, 20 },
	{ 0, 200, 201, WORKER, SPE_EVIDENCE_CONTEXT, 1, 0x01, 0x16, -1, 0, 5 },
	{ 0, 200, 200, SH, SPE_EVIDENCE_CONTEXT, 2, 0x01, 0x42, -1, 1, 7 },
	{ 0, 200, 201, WORKER, SPE_EVIDENCE_CONTEXT, 2, 0x09, 0x02, -1, 1, 1 },
	{ 1, 100, 100, SPIN, SPE_EVIDENCE_SWITCH, 0, 0x00, 0x02, -1, 1, 100 },
	{ 1, -1, 999, SPE_COMM_NONE, SPE_EVIDENCE_CONTEXT, 1, 0x00, 0x16, 0, 0, 30 },
	{ 1, -1, -1, SPE_COMM_NONE, SPE_EVIDENCE_NONE, 1, 0x00, 0x16, 14, 1, 400 },
	{ 1, 0, 0, SWAPPER, SPE_EVIDENCE_CONTEXT, 0, 0x00, 0x02, -1, 1, 0 },
	{ 1, 300, 300, ESC, SPE_EVIDENCE_CONTEXT, 1, 0x00, 0x1016, 77, 0, 2 },
};
#define LINES (sizeof(lines) / sizeof(lines[0]))

/* The lines, `times` over. */
static struct spe_recording *make(unsigned times)
{
	struct spe_sample *samples = calloc(LINES * times, sizeof(*samples));
	struct spe_recording *r;

	for (size_t i = 0; i < LINES * times; i++) {
		const struct line *l = &lines[i % (LINES / 2) + (i < LINES / 2 * times ? 0 : 5)];
		struct spe_sample *s = &samples[i];

		s->stream = (uint32_t)l->cpu;
		s->cpu = l->cpu;
		s->pid = l->pid;
		s->tid = l->tid;
		s->comm = l->comm;
		s->evidence = l->evidence;
		s->has_time = true;
		s->time_ns = 1000000000u + i * 1000000;
		s->record.present =
			SPE_HAS_OP | SPE_HAS_EVENTS | SPE_HAS_EL | SPE_HAS_TOTAL_LATENCY;
		if (l->source >= 0)
			s->record.present |= SPE_HAS_DATA_SOURCE;
		s->record.data_source = (uint16_t)l->source;
		s->record.op_class = l->op_class;
		s->record.op_payload = l->op_payload;
		s->record.events = l->events;
		s->record.events_bytes = 2;
		s->record.el = l->el;
		s->record.total_latency_cycles = l->latency;
	}
	r = fake_new(samples, LINES * times, 2, 50, 1);
	r->comms = comms;
	r->comm_count = 5;
	r->tasks = tasks;
	r->task_count = sizeof(tasks) / sizeof(tasks[0]);
	r->infos[0].midr = r->infos[1].midr = N1;
	r->facts.host_el = SPE_HOST_EL1;
	r->facts.tasks = 5;
	r->facts.comms = 5;
	return r;
}

/* ---- text -------------------------------------------------------------- */

static const struct {
	struct spe_report_opts opts;
	const char *text;
} goldens[] = {
	{ { .sort = NULL },
	  "#\n"
	  "# Samples: 10  of event 'arm_spe_0/ts_enable=1/'\n"
	  "# Event count (approx.): 10\n"
	  "#\n"
	  "# Overhead      Pid:Command\n"
	  "# ........  ......................\n"
	  "#\n"
	  "    30.00%      100:spin\n"
	  "    30.00%      200:sh\n"
	  "    10.00%        0:swapper\n"
	  "    10.00%      300:bad\\x1b[2J,\"x\n"
	  "    10.00%       -1::999\n"
	  "    10.00%       -1:[unattributed]\n"
	  "#\n"
	  "# Records: 10 decoded, 0 dropped\n"
	  "# Owners known by: context 8 (80.00%), switch 1 (10.00%), nothing 1 (10.00%)\n"
	  "# Process not known: 1 sample of threads whose process the file does not tell, shown as "
	  "process -1 and :TID\n" },
	{ { .sort = "tid", .show_nr_samples = true, .no_header = true, .percent_limit = 20 },
	  "    30.00%             3      100:spin\n"
	  "    20.00%             2      201:worker\n" },
	{ { .sort = "comm,cpu", .no_header = true },
	  "    20.00%  spin            000\n"
	  "    20.00%  worker          000\n"
	  "    10.00%  swapper         001\n"
	  "    10.00%  spin            001\n"
	  "    10.00%  sh              000\n"
	  "    10.00%  bad\\x1b[2J,\"x   001\n"
	  "    10.00%  :999            001\n"
	  "    10.00%  [unattributed]  001\n" },
	{ { .sort = "pid,comm", .no_header = true, .separator = "," },
	  "30.00%,100:spin,spin\n"
	  "20.00%,200:sh,worker\n"
	  "10.00%,0:swapper,swapper\n"
	  "10.00%,200:sh,sh\n"
	  "10.00%,300:bad\\x1b[2J.\"x,bad\\x1b[2J.\"x\n"
	  "10.00%,-1::999,:999\n"
	  "10.00%,-1:[unattributed],[unattributed]\n" },
	{ { .sort = "evidence,el,guest", .fields = "samples", .no_header = true },
	  "    50.00%             5  context   EL0  host\n"
	  "    30.00%             3  context   EL1  host\n"
	  "    10.00%             1  none      EL1  host\n"
	  "    10.00%             1  switch    EL1  host\n" },
	{ { .sort = "op", .no_header = true },
	  "    50.00%  load\n"
	  "    20.00%  other\n"
	  "    10.00%  store\n"
	  "    10.00%  branch-cond\n"
	  "    10.00%  branch-cond-call\n" },
	{ { .sort = "event", .no_header = true },
	  "    40.00%  retired+l1d-access+tlb-access\n"
	  "    30.00%  retired\n"
	  "    10.00%  retired+l1d-access+l1d-refill+tlb-access\n"
	  "    10.00%  retired+not-taken\n"
	  "    10.00%  retired+l1d-access+tlb-access+late-prefetch\n" },
	{ { .sort = "source", .no_header = true },
	  "    50.00%  N/A\n"
	  "    20.00%  l1d\n"
	  "    10.00%  l2\n"
	  "    10.00%  dram\n"
	  "    10.00%  0x4d\n" },
	{ { .sort = "pid", .weight = "latency", .no_header = true },
	  "    69.57%       -1:[unattributed]\n"
	  "    22.61%      100:spin\n"
	  "     5.22%       -1::999\n"
	  "     2.26%      200:sh\n"
	  "     0.35%      300:bad\\x1b[2J,\"x\n"
	  "     0.00%        0:swapper\n" },
	{ { .sort = "pid,tgid,pid,cpu", .separator = "\t", .percent_limit = 15 },
	  "#\n"
	  "# Samples: 10  of event 'arm_spe_0/ts_enable=1/'\n"
	  "# Event count (approx.): 10\n"
	  "#\n"
	  "# Overhead\tPid:Command\tCPU\n"
	  "30.00%\t200:sh\t000\n"
	  "20.00%\t100:spin\t000\n"
	  "#\n"
	  "# Below 15.00%: 5 rows, 5 samples\n"
	  "# Records: 10 decoded, 0 dropped\n"
	  "# Owners known by: context 8 (80.00%), switch 1 (10.00%), nothing 1 (10.00%)\n"
	  "# Process not known: 1 sample of threads whose process the file does not tell, shown as "
	  "process -1 and :TID\n" },
	{ { .sort = "pid,cpu", .format = SPE_FORMAT_CSV },
	  "overhead,samples,pid,process,cpu\n"
	  "30.00,3,200,sh,0\n"
	  "20.00,2,100,spin,0\n"
	  "10.00,1,0,swapper,1\n"
	  "10.00,1,100,spin,1\n"
	  "10.00,1,300,\"bad\\x1b[2J,\"\"x\",1\n"
	  "10.00,1,,:999,1\n"
	  "10.00,1,,[unattributed],1\n" },
	{ { .sort = "source,tid", .format = SPE_FORMAT_JSON, .percent_limit = 15 },
	  "{\n"
	  "  \"sort\": \"source,tid\",\n"
	  "  \"weight\": \"samples\",\n"
	  "  \"samples\": 10,\n"
	  "  \"total\": 10,\n"
	  "  \"rows\": [\n"
	  "    {\"overhead\": 20.00, \"samples\": 2, \"source\": null, \"tid\": 201, \"thread\": "
	  "\"worker\"}\n"
	  "  ],\n"
	  "  \"hidden_rows\": 8,\n"
	  "  \"hidden_samples\": 8,\n"
	  "  \"accounting\": {\n"
	  "    \"records\": 10,\n"
	  "    \"record_bytes\": 640,\n"
	  "    \"padding_bytes\": 0,\n"
	  "    \"unknown_packets\": 0,\n"
	  "    \"dropped\": 0,\n"
	  "    \"dropped_bytes\": 0,\n"
	  "    \"drops\": {},\n"
	  "    \"samples\": 10,\n"
	  "    \"filtered\": 0,\n"
	  "    \"evidence\": {\"none\": 1, \"context\": 8, \"etm\": 0, \"switch\": 1, \"sched\": "
	  "0, "
	  "\"thread\": 0, \"mapped\": 0, \"outside\": 0},\n"
	  "    \"unresolved\": 1,\n"
	  "    \"guest_samples\": 0,\n"
	  "    \"namespace\": null,\n"
	  "    \"partial\": null,\n"
	  "    \"loss\": []\n"
	  "  }\n"
	  "}\n" },
};

START_TEST(reports_to_the_letter)
{
	struct spe_recording *r = make(1);

	(void)report(r, goldens[_i].opts, (struct spe_run_opts){ .threads = 1 });
	ck_assert_str_eq(output, goldens[_i].text);
	fake_free(r);
}
END_TEST

/* Any threads, any batches, any step of the reader: not one byte changes. */
START_TEST(reports_do_not_depend_on_threads)
{
	static const char *const sorts[] = { "pid", "tid,cpu,op", "comm,event,source,el,evidence" };
	struct spe_recording *r = make(997);
	char *first = NULL;

	for (unsigned i = 0; i < 3 * 9; i++) {
		struct spe_report_opts opts = { .sort = sorts[i / 9], .show_nr_samples = true };
		struct spe_run_opts run = { .threads = (unsigned[]){ 1, 2, 7 }[i % 3],
					    .batch_records = (size_t[]){ 1, 100, 0 }[i / 3 % 3] };
		struct spe_run_stats stats;

		r->max_step = i % 5 * 40;
		stats = report(r, opts, run);
		ck_assert_uint_eq(stats.samples, LINES * 997);
		if (i % 9 == 0) {
			free(first);
			first = strdup(output);
		}
		ck_assert_str_eq(output, first);
	}
	free(first);
	fake_free(r);
}
END_TEST

/* A pid that two processes had in turn is two rows, each with its own name. */
START_TEST(a_reused_pid_is_two_rows)
{
	struct spe_recording *r = make(1);

	for (size_t i = 0; i < r->count; i++)
		r->samples[i].process = i < 2 ? 1 : 2;
	(void)report(r,
		     (struct spe_report_opts){ .sort = "pid,tid",
					       .hierarchy = true,
					       .percent_limit = 15,
					       .no_header = true },
		     (struct spe_run_opts){ .threads = 2 });
	ck_assert_str_eq(output, "    30.00%     200:sh\n"
				 "       20.00%    201:worker\n"
				 "    20.00%     100:spin\n"
				 "       20.00%    100:spin\n");
	(void)report(r, (struct spe_report_opts){ .no_header = true, .percent_limit = 15 },
		     (struct spe_run_opts){ .threads = 2 });
	ck_assert_str_eq(output, "    30.00%      200:sh\n"
				 "    20.00%      100:spin\n");
	fake_free(r);
}
END_TEST

START_TEST(filtered_samples_are_said)
{
	struct spe_recording *r = make(1);
	struct spe_filter *filter;

	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "comm", "spin,worker", NULL), SPE_OK);
	(void)report(r, (struct spe_report_opts){ .sort = "pid", .show_nr_samples = true },
		     (struct spe_run_opts){ .filter = filter });
	ck_assert_str_eq(
		output,
		"#\n"
		"# Samples: 5  of event 'arm_spe_0/ts_enable=1/' (5 filtered out)\n"
		"# Event count (approx.): 5\n"
		"#\n"
		"# Overhead       Samples      Pid:Command\n"
		"# ........  ............  ...............\n"
		"#\n"
		"    60.00%             3      100:spin\n"
		"    40.00%             2      200:sh\n"
		"#\n"
		"# Records: 10 decoded, 0 dropped; 5 samples filtered out\n"
		"# Owners known by: context 8 (80.00%), switch 1 (10.00%), nothing 1 (10.00%)\n"
		"# Process not known: 1 sample of threads whose process the file does not tell, "
		"shown as process -1 and :TID\n");
	spe_filter_free(filter);
	fake_free(r);
}
END_TEST

START_TEST(an_empty_recording_has_an_empty_table)
{
	struct spe_recording *r = fake_new(calloc(1, sizeof(struct spe_sample)), 0, 1, 10, 1);

	(void)report(r, (struct spe_report_opts){ .sort = "pid" }, (struct spe_run_opts){ 0 });
	ck_assert_str_eq(output, "#\n"
				 "# Samples: 0  of event 'arm_spe_0/ts_enable=1/'\n"
				 "# Event count (approx.): 0\n"
				 "#\n"
				 "# Overhead      Pid:Command\n"
				 "# ........  ...............\n"
				 "#\n"
				 "#\n"
				 "# Records: 0 decoded, 0 dropped\n");
	fake_free(r);
}
END_TEST

START_TEST(bad_options_are_named)
{
	static const struct {
		struct spe_report_opts opts;
		const char *says;
	} wrong[] = {
		{ { .sort = "pid,color" }, "'color'" },
		{ { .sort = "" }, "''" },
		{ { .sort = "pid," }, "''" },
		{ { .fields = "bananas" }, "'bananas'" },
		{ { .weight = "gold" }, "'gold'" },
		{ { .separator = "" }, "--field-separator" },
		{ { .percent_limit = -1 }, "bad options" },
		{ { .format = 9 }, "bad options" },
	};
	struct spe_recording *r = make(1);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct spe_report_opts opts = wrong[i].opts;
		struct spe_report *report;
		struct spe_error error = { .text = "" };

		opts.size = sizeof(opts);
		ck_assert_int_eq(spe_report_new(r, &opts, &report, &error), SPE_INVALID);
		ck_assert_msg(strstr(error.text, wrong[i].says) != NULL, "%s", error.text);
	}
	fake_free(r);
}
END_TEST

START_TEST(keys_are_listed)
{
	const char *name, *help;
	unsigned n = 0;

	while (spe_report_key(n, &name, &help) == SPE_OK) {
		struct spe_recording *r = make(1);

		ck_assert_uint_gt(strlen(help), 0);
		(void)report(r, (struct spe_report_opts){ .sort = name },
			     (struct spe_run_opts){ 0 });
		n++;
		fake_free(r);
	}
	ck_assert_uint_ge(n, 11);
}
END_TEST

START_TEST(a_closed_reader_comes_back)
{
	struct spe_recording *r = make(1);
	struct spe_out closed = { .write = output_closed };
	struct spe_report_opts opts = { .size = sizeof(opts) };
	struct spe_run_stats stats = { 0 };
	struct spe_report *report;

	ck_assert_int_eq(spe_report_new(r, &opts, &report, NULL), SPE_OK);
	ck_assert_int_eq(spe_report_print(report, &stats, &closed), SPE_CLOSED);
	ck_assert_int_eq(spe_accounting_print(r, &stats, true, &closed), SPE_CLOSED);
	ck_assert_int_eq(spe_stat_print(r, &stats, SPE_FORMAT_TEXT, &closed), SPE_CLOSED);
	spe_report_free(report);
	fake_free(r);
}
END_TEST

#ifdef FAULTS
/* Options, run and output, each allocation failing once. */
static int report_status(const struct spe_recording *r, const struct spe_report_opts *opts,
			 const struct spe_run_opts *run)
{
	struct spe_run_stats stats;
	struct spe_report *report;
	struct spe_error error = { .text = "" };
	int status = spe_report_new(r, opts, &report, &error);

	if (status) {
		must(error.status == status);
		return status;
	}
	status = spe_sink_run(r, spe_report_ops(report), report, run, &stats, &error);
	if (!status)
		status = spe_report_print(report, &stats, &out);
	spe_report_free(report);
	return status;
}

START_TEST(no_memory_is_a_status)
{
	static const char *const sorts[] = { "tid,op,el,latency",      "pid",
					     "sym,dso,srcline",        "pid",
					     "symbol_daddr,dso_daddr", "pid" };
	struct spe_recording *r = make(30);

	for (unsigned i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
		struct spe_report_opts opts = { .size = sizeof(opts),
						.sort = sorts[i],
						.symbol_names = i == 5 ? "main" : NULL,
						.fields = "latency,llc-miss",
						.separator = i % 2 ? NULL : ";",
						.hierarchy = i > 1,
						.format = i % 3 };
		struct spe_run_opts run = { .size = sizeof(run), .threads = 1 + i % 2 };
		int status = SPE_NOMEM;
		long n;

		for (n = 0; status == SPE_NOMEM; n++) {
			long live = atomic_load(&fault_live);

			output_bytes = 0;
			atomic_store(&fault_in, n);
			status = report_status(r, &opts, &run);
			if (atomic_exchange(&fault_in, -1) >= 0)
				must(status == SPE_OK); /* nothing failed */
			if (run.threads == 1)           /* threads leave things in libc's caches */
				must(atomic_load(&fault_live) == live);
		}
		ck_assert_int_eq(status, SPE_OK);
		ck_assert_int_gt(n, 10);
	}
	fake_free(r);
}
END_TEST
#endif

/* ---- accounting and stat ----------------------------------------------- */

static struct spe_recording *lossy(struct spe_run_stats *stats)
{
	struct spe_recording *r = make(1);

	*stats = (struct spe_run_stats){
		.samples = 10,
		.filtered = 1,
		.by_evidence = { [SPE_EVIDENCE_NONE] = 2, [SPE_EVIDENCE_CONTEXT] = 8 },
		.guest_samples = 1,
		.decode = { .records = 10,
			    .record_bytes = 640,
			    .padding_bytes = 5,
			    .unknown_packets = 2,
			    .drops = { [SPE_DROP_CUT] = 1, [SPE_DROP_CORRUPT] = 2 },
			    .drop_bytes = { [SPE_DROP_CUT] = 30, [SPE_DROP_CORRUPT] = 100 } },
	};
	r->infos[1].truncated = 3;
	r->infos[1].collisions = 1;
	r->infos[1].gaps = 1;
	r->infos[1].gap_bytes = 4096;
	r->infos[1].loss_first_ns = 1500000000;
	r->infos[1].loss_last_ns = 2500000000;
	r->infos[0].lost_records = 2;
	r->infos[0].lost_events = 55;
	r->infos[0].with_el1_context = 4;
	r->infos[0].without_context = 1;
	r->infos[1].without_context = 5;
	r->infos[0].at_el[0] = 3;
	r->infos[0].at_el[1] = 2;
	r->infos[0].chunks = r->infos[1].chunks = 1;
	r->infos[1].decode.drops[SPE_DROP_CUT] = 1;
	r->infos[1].decode.drop_bytes[SPE_DROP_CUT] = 30;
	r->facts.namespace_state = SPE_NS_FOREIGN;
	r->facts.namespace_reason = "perf ran in a child pid namespace";
	r->facts.partial = true;
	r->facts.partial_reason = "cut at 0x100";
	return r;
}

START_TEST(accounting_tells_all)
{
	struct spe_run_stats stats;
	struct spe_recording *r = lossy(&stats);

	output_bytes = 0;
	ck_assert_int_eq(spe_accounting_print(r, &stats, false, &out), SPE_OK);
	ck_assert_str_eq(
		output,
		"# Records: 10 decoded, 3 dropped (130 bytes: 1 cut, 2 corrupt), 2 unknown packets "
		"stepped over; 1 sample filtered out\n"
		"# Owners known by: context 8 (80.00%), nothing 2 (20.00%)\n"
		"# Guests: 1 sample of guest code, or of user code that may be a guest's\n"
		"# Namespace: perf ran in a child pid namespace\n"
		"# Not the whole recording: cut at 0x100\n"
		"# Loss: CPU 0: 2 reports of lost side-band, 55 lost side-band events\n"
		"# Loss: CPU 1: 3 truncated buffers, 1 buffer with collisions, 1 gap, 4096 missing "
		"bytes, from 1.500000 to 2.500000 s\n");
	fake_free(r);
}
END_TEST

START_TEST(owners_are_told_only_when_they_surprise)
{
	struct spe_run_stats stats = { .samples = 3,
				       .by_evidence = { [SPE_EVIDENCE_CONTEXT] = 3 } };
	struct spe_recording *r = make(1);

	output_bytes = 0;
	ck_assert_int_eq(spe_accounting_print(r, &stats, false, &out), SPE_OK);
	ck_assert_ptr_null(strstr(output, "Owners"));
	ck_assert_int_eq(spe_accounting_print(r, &stats, true, &out), SPE_OK);
	ck_assert_ptr_nonnull(strstr(output, "# Owners known by: context 3 (100.00%)\n"));
	fake_free(r);
}
END_TEST

START_TEST(stat_to_the_letter)
{
	struct spe_run_stats stats;
	struct spe_recording *r = lossy(&stats);

	output_bytes = 0;
	ck_assert_int_eq(spe_stat_print(r, &stats, SPE_FORMAT_TEXT, &out), SPE_OK);
	ck_assert_str_eq(
		output,
		"File        some.data, 12345 bytes\n"
		"Recorded    by perf 6.12, Linux 6.1.0, aarch64\n"
		"Command     perf record -a\n"
		"Event       arm_spe_0/ts_enable=1/, per CPU, with timestamps\n"
		"Time        1.000000 to 1.009000 s, that is 0.009000 s\n"
		"Clock       timestamps convert to the side-band's clock\n"
		"Records     10 decoded, 1 dropped: 1 cut (30 bytes); 0 bytes of records, 0 of "
		"padding\n"
		"Kernel      at EL1: CONTEXTIDR_EL1 (index 0) names the owner\n"
		"Contexts    4 of 10 records (40.00%)\n"
		"Owners      8 by context (80.00%), 2 by nothing (20.00%); guest code 1\n"
		"Side-band   5 tasks, 5 names, no switch records\n"
		"Namespaces  perf ran in a child pid namespace\n"
		"Loss        CPU 0: 2 reports of lost side-band, 55 lost side-band events\n"
		"            CPU 1: 3 truncated buffers, 1 buffer with collisions, 1 gap, 4096 "
		"missing "
		"bytes, from 1.500000 to 2.500000 s\n"
		"Damage      cut at 0x100\n"
		"\n"
		"    CPU  Core         Chunks  Bytes  Records  Dropped  Ctx EL1  Ctx EL2  No ctx  "
		"At "
		"EL0  At EL1  At EL2\n"
		"      0  Neoverse N1       1    320        5        0        4        0       1  "
		"     "
		"3       2       0\n"
		"      1  Neoverse N1       1    320        5        1        0        0       5  "
		"     "
		"0       0       0\n");
	fake_free(r);
}
END_TEST

START_TEST(stat_speaks_json_and_csv)
{
	struct spe_run_stats stats;
	struct spe_recording *r = lossy(&stats);

	output_bytes = 0;
	ck_assert_int_eq(spe_stat_print(r, NULL, SPE_FORMAT_JSON, &out), SPE_OK);
	ck_assert_ptr_nonnull(strstr(output, "\"kernel_el\": 1"));
	ck_assert_ptr_nonnull(strstr(output, "{\"cpu\": 1, \"midr\": \"0x413fd0c1\", \"core\": "
					     "\"Neoverse N1\", \"chunks\": 1, \"bytes\": 320, "
					     "\"records\": 5, \"dropped\": 1, "));
	ck_assert_ptr_nonnull(strstr(output, "\"gap_bytes\": 4096"));
	output_bytes = 0;
	ck_assert_int_eq(spe_stat_print(r, NULL, SPE_FORMAT_CSV, &out), SPE_OK);
	ck_assert_str_eq(output,
			 "cpu,tid,midr,core,chunks,bytes,records,dropped,with_el1_context,"
			 "with_el2_context,with_both_contexts,without_context,zero_contexts,"
			 "unwritten_zeros,at_el0,at_el1,at_el2,at_el3\n"
			 "0,-1,0x413fd0c1,Neoverse N1,1,320,5,0,4,0,0,1,0,0,3,2,0,0\n"
			 "1,-1,0x413fd0c1,Neoverse N1,1,320,5,1,0,0,0,5,0,0,0,0,0,0\n");
	fake_free(r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink-report");
	TCase *tc = tcase_create("report");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, reports_to_the_letter, 0, sizeof(goldens) / sizeof(goldens[0]));
	tcase_add_test(tc, reports_do_not_depend_on_threads);
	tcase_add_test(tc, a_reused_pid_is_two_rows);
	tcase_add_test(tc, filtered_samples_are_said);
	tcase_add_test(tc, an_empty_recording_has_an_empty_table);
	tcase_add_test(tc, bad_options_are_named);
	tcase_add_test(tc, keys_are_listed);
	tcase_add_test(tc, a_closed_reader_comes_back);
#ifdef FAULTS
	tcase_add_test(tc, no_memory_is_a_status);
#endif
	tcase_add_test(tc, accounting_tells_all);
	tcase_add_test(tc, owners_are_told_only_when_they_surprise);
	tcase_add_test(tc, stat_to_the_letter);
	tcase_add_test(tc, stat_speaks_json_and_csv);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
