/* SPDX-License-Identifier: GPL-2.0-only */
/* script: perf's line, its fields and ours, in text, CSV and JSON. */
#include "fake-recording.h"

#define TEXT_BYTES 65536

/* ---- where the lines go ----------------------------------------------------------- */

struct page {
	char text[TEXT_BYTES];
	size_t n;
	int fail; /* status every write returns instead, 0: none */
};

static int page_write(void *priv, const char *bytes, size_t n)
{
	struct page *page = priv;

	if (page->fail)
		return page->fail;
	ck_assert_uint_lt(page->n + n, sizeof(page->text));
	memcpy(page->text + page->n, bytes, n);
	page->n += n;
	page->text[page->n] = '\0';
	return SPE_OK;
}

/* ---- four samples of two CPUs, times crosswise -------------------------------------- */

#define MIDR_N1 0x413fd0c1u

static const char *const comms[] = { "spin", "a \"b\",c\x1b[2J", "kworker/0:1-ev" };

static const struct spe_sample four[] = {
	{ .record = { .present = SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_OP | SPE_HAS_EVENTS |
				 SPE_HAS_VA | SPE_HAS_PA | SPE_HAS_TOTAL_LATENCY |
				 SPE_HAS_ISSUE_LATENCY | SPE_HAS_XLAT_LATENCY |
				 SPE_HAS_DATA_SOURCE | SPE_HAS_CONTEXT_EL1 | SPE_HAS_TIMESTAMP,
		      .pc = 0x4007a8,
		      .op_class = SPE_OP_LOAD_STORE,
		      .events = 0x16,
		      .events_bytes = 2,
		      .va = 0xfffffc34c500,
		      .va_tag = 0x0b,
		      .pa = 0x40001000,
		      .total_latency_cycles = 20,
		      .issue_latency_cycles = 5,
		      .xlat_latency_cycles = 3,
		      .data_source = 8,
		      .security = SPE_NONSECURE,
		      .context = { 106, 0 },
		      .timestamp = 301881598,
		      .length_bytes = 64 },
	  .time_ns = 4504234720,
	  .has_time = true,
	  .pid = 106,
	  .tid = 107,
	  .evidence = SPE_EVIDENCE_CONTEXT },
	{ .record = { .present = SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_OP | SPE_HAS_EVENTS |
				 SPE_HAS_TARGET | SPE_HAS_PREV_TARGET | SPE_HAS_TOTAL_LATENCY |
				 SPE_HAS_TIMESTAMP | SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2,
		      .pc = 0xffffa074fdf5f364,
		      .el = 2,
		      .security = SPE_NONSECURE,
		      .op_class = SPE_OP_BRANCH,
		      .op_payload = 1,
		      .events = 0xc2,
		      .events_bytes = 1,
		      .target = 0x400900,
		      .prev_target = 0x400700,
		      .total_latency_cycles = 17,
		      .context = { 1337, 14 },
		      .aux_offset = 0x40,
		      .length_bytes = 54 },
	  .time_ns = 4504234722,
	  .has_time = true,
	  .pid = 14,
	  .tid = 14,
	  .comm = 2,
	  .guest_context = 1337,
	  .has_guest_context = true,
	  .evidence = SPE_EVIDENCE_CONTEXT },
	{ .record = { .present = SPE_HAS_PC, .pc = 0x400400 },
	  .time_ns = 4504234721,
	  .has_time = true,
	  .stream = 1,
	  .cpu = 1,
	  .pid = -1,
	  .tid = 999,
	  .comm = SPE_COMM_NONE,
	  .evidence = SPE_EVIDENCE_CONTEXT },
	{ .record = { .present = SPE_HAS_OP | SPE_HAS_EVENTS,
		      .op_class = SPE_OP_OTHER,
		      .events = 0x1000,
		      .events_bytes = 2,
		      .aux_offset = 0x40 },
	  .stream = 1,
	  .cpu = -1,
	  .pid = -1,
	  .tid = -1,
	  .comm = 1 },
};

static struct spe_recording *make(void)
{
	struct spe_sample *copy = malloc(sizeof(four));
	struct spe_recording *recording;

	memcpy(copy, four, sizeof(four));
	recording = fake_new(copy, 4, 2, 2, 1);
	recording->comms = comms;
	recording->comm_count = 3;
	recording->infos[0].midr = MIDR_N1;
	recording->facts.host_el = SPE_HOST_EL2;
	return recording;
}

static int run_with(struct spe_script_opts opts, struct page *page, unsigned threads,
		    struct spe_error *error)
{
	struct spe_run_opts run_opts = { .size = sizeof(run_opts), .threads = threads };
	struct spe_recording *recording = make();
	struct spe_script *script = NULL;
	struct spe_run_stats stats;
	int status;

	opts.size = sizeof(opts);
	opts.out = (struct spe_out){ .write = page_write, .priv = page };
	page->n = 0;
	page->text[0] = '\0';
	status = spe_script_new(recording, &opts, &script, error);
	if (!status)
		status = spe_sink_run(recording, spe_script_ops(script), script, &run_opts, &stats,
				      error);
	spe_script_free(script);
	fake_free(recording);
	return status;
}

static void check_text(struct spe_script_opts opts, const char *want)
{
	struct page page = { .n = 0 };

	ck_assert_int_eq(run_with(opts, &page, 2, NULL), SPE_OK);
	ck_assert_str_eq(page.text, want);
}

/* ---- text ------------------------------------------------------------------------------ */

START_TEST(test_plain)
{
	/* What score-truth and many a script read; a lone "-" where time is missing. */
	check_text((struct spe_script_opts){ .fields = "pid,tid,cpu,time,ip",
					     .itrace = "i1i",
					     .ns = true },
		   "    106/107     [000]     4.504234720:            4007a8\n"
		   "     -1/999     [001]     4.504234721:            400400\n"
		   "     -1/-1                    -:                 0\n"
		   "     14/14      [000]     4.504234722:  ffffa074fdf5f364\n");
}
END_TEST

START_TEST(test_default)
{
	check_text((struct spe_script_opts){ .fields = NULL },
		   "            spin     107 [000]     4.504234:          1 instructions: "
		   "           4007a8 [unknown] ([unknown])\n"
		   "            :999     999 [001]     4.504234:          1 instructions: "
		   "           400400 [unknown] ([unknown])\n"
		   "  a \"b\",c\\x1b[2J      -1            -:          1 instructions: "
		   "                0 [unknown] ([unknown])\n"
		   "  kworker/0:1-ev      14 [000]     4.504234:          1 instructions: "
		   " ffffa074fdf5f364 [unknown] ([unknown])\n");
}
END_TEST

START_TEST(test_edit)
{
	check_text(
		(struct spe_script_opts){
			.fields = "-comm,-period,-event,-cpu,+el,+evidence,-ip,-sym,-symoff,-dso" },
		"    107     4.504234:  evidence=context el=0\n"
		"    999     4.504234:  evidence=context el=-\n"
		"     -1            -:  evidence=none el=-\n"
		"     14     4.504234:  evidence=context el=2\n");
}
END_TEST

START_TEST(test_events)
{
	check_text((struct spe_script_opts){ .fields = "tid,event,addr,weight,ip,phys_addr",
					     .itrace = "bM" },
		   "    107 memory:     fffffc34c500              20           4007a8        "
		   "40001000\n"
		   "     14 branch:           400900              17 ffffa074fdf5f364           "
		   "    0\n");
	check_text((struct spe_script_opts){ .fields = "tid,event", .itrace = "" },
		   "    107    l1d-access: \n"
		   "    107    tlb-access: \n"
		   "    107        memory: \n"
		   "    107  instructions: \n"
		   "    999  instructions: \n"
		   "     -1  instructions: \n"
		   "     14        branch: \n"
		   "     14  instructions: \n");
}
END_TEST

START_TEST(test_branch_fields)
{
	/* The text perf 7.3 prints of the same bytes. */
	check_text((struct spe_script_opts){ .fields = "pid,brstack", .itrace = "bl" },
		   "     14  0xffffa074fdf5f364/0x400900/MN/-/-/17/COND/-  "
		   "0x0/0x400700/-/-/-/0//- \n");
	check_text((struct spe_script_opts){ .fields = "pid,brstack", .itrace = "bl1" },
		   "     14  0xffffa074fdf5f364/0x400900/MN/-/-/17/COND/- \n");
	check_text((struct spe_script_opts){ .fields = "event,flags,addr", .itrace = "b" },
		   "branch:   jcc/miss,not_taken/             400900\n");
}
END_TEST

START_TEST(test_data_src)
{
	check_text((struct spe_script_opts){ .fields = "data_src,ip", .itrace = "M" },
		   "       488100442 |OP LOAD|LVL L2 hit|SNP None|TLB Walker hit|LCK No|BLK  N/A"
		   "                    4007a8\n");
}
END_TEST

START_TEST(test_own_fields)
{
	check_text(
		(struct spe_script_opts){
			.fields = "security,ns,mode,op,events,source,total_lat,issue_lat,"
				  "xlat_lat,va,tag,pa,tgt,pbt,context_el1,context_el2,contexts,"
				  "guest,offset,length,ticks,misc" },
		"U      ns=1 security=nonsecure mode=user op=load "
		"events=retired,l1d-access,tlb-access source=l2 total_lat=20 issue_lat=5 "
		"xlat_lat=3 va=0xfffffc34c500 tag=0xb pa=0x40001000 tgt=- pbt=- "
		"context_el1=106 context_el2=- contexts=el1:106 guest=- offset=0x0 length=64 "
		"ticks=301881598\n"
		"U      ns=- security=- mode=user op=- events=- source=- total_lat=- "
		"issue_lat=- xlat_lat=- va=- tag=- pa=- tgt=- pbt=- context_el1=- "
		"context_el2=- contexts=- guest=- offset=0x0 length=0 ticks=-\n"
		"U      ns=- security=- mode=user op=other events=impdef:12 source=- "
		"total_lat=- issue_lat=- xlat_lat=- va=- tag=- pa=- tgt=- pbt=- context_el1=- "
		"context_el2=- contexts=- guest=- offset=0x40 length=0 ticks=-\n"
		"K      ns=1 security=nonsecure mode=kernel op=branch-cond "
		"events=retired,not-taken,mispred source=- total_lat=17 issue_lat=- xlat_lat=- "
		"va=- tag=- pa=- tgt=0x400900 pbt=0x400700 context_el1=1337 context_el2=14 "
		"contexts=el1:1337,el2:14 guest=1337 offset=0x40 length=54 ticks=0\n");
}
END_TEST

/* ---- tables ------------------------------------------------------------------------------ */

START_TEST(test_csv)
{
	check_text((struct spe_script_opts){ .fields = "cpu,comm,time,pid,ip,events,tgt",
					     .format = SPE_FORMAT_CSV },
		   "cpu,comm,time,pid,ip,events,tgt\n"
		   "0,spin,4504234720,106,0x4007a8,\"retired,l1d-access,tlb-access\",\n"
		   "1,,4504234721,,0x400400,,\n"
		   ",\"a \"\"b\"\",c\\x1b[2J\",,,,impdef:12,\n"
		   "0,kworker/0:1-ev,4504234722,14,0xffffa074fdf5f364,"
		   "\"retired,not-taken,mispred\",0x400900\n");
}
END_TEST

START_TEST(test_csv_default)
{
	struct page page = { .n = 0 };

	ck_assert_int_eq(run_with((struct spe_script_opts){ .format = SPE_FORMAT_CSV }, &page, 1,
				  NULL),
			 SPE_OK);
	ck_assert_ptr_eq(strstr(page.text,
				"comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso,evidence\n"),
			 page.text);
}
END_TEST

START_TEST(test_csv_empty)
{
	/* No line passes, the names still stand there; one write only, whatever the workers. */
	check_text((struct spe_script_opts){ .fields = "pid",
					     .itrace = "a",
					     .format = SPE_FORMAT_CSV,
					     .unordered = true },
		   "pid\n");
}
END_TEST

START_TEST(test_json)
{
	check_text((struct spe_script_opts){ .fields = "comm,tid,time,ip,events,brstack,evidence",
					     .itrace = "i1il",
					     .format = SPE_FORMAT_JSON },
		   "{\"comm\":\"spin\",\"tid\":107,\"time\":4504234720,\"ip\":\"0x4007a8\","
		   "\"events\":[\"retired\",\"l1d-access\",\"tlb-access\"],"
		   "\"evidence\":\"context\"}\n"
		   "{\"tid\":999,\"time\":4504234721,\"ip\":\"0x400400\","
		   "\"evidence\":\"context\"}\n"
		   "{\"comm\":\"a \\\"b\\\",c\\u001b[2J\",\"events\":[\"impdef:12\"],"
		   "\"evidence\":\"none\"}\n"
		   "{\"comm\":\"kworker/0:1-ev\",\"tid\":14,\"time\":4504234722,"
		   "\"ip\":\"0xffffa074fdf5f364\",\"events\":[\"retired\",\"not-taken\","
		   "\"mispred\"],\"brstack\":[\"0xffffa074fdf5f364/0x400900/MN/-/-/17/COND/-\","
		   "\"0x0/0x400700/-/-/-/0//-\"],\"evidence\":\"context\"}\n");
	check_text((struct spe_script_opts){ .fields = "tgt", .format = SPE_FORMAT_JSON },
		   "{}\n{}\n{}\n{\"tgt\":\"0x400900\"}\n");
}
END_TEST

/* ---- choices that cannot be made ----------------------------------------------------------- */

static const struct {
	const char *fields, *itrace, *says;
} bad[] = {
	{ "pid,callindent", NULL, "callindent" },
	{ "+pid,tid", NULL, "mixes" },
	{ "pid,-tid", NULL, "mixes" },
	{ "-comm,-tid,-cpu,-time,-period,-event,-ip,-sym,-symoff,-dso", NULL, "none" },
	{ "", NULL, "none" },
	{ "pid", "i1us", "itrace" },
	{ "+", NULL, "no field" },
};

START_TEST(test_bad)
{
	struct spe_error error = { .status = 0 };
	struct page page = { .n = 0 };

	ck_assert_int_eq(run_with((struct spe_script_opts){ .fields = bad[_i].fields,
							    .itrace = bad[_i].itrace },
				  &page, 1, &error),
			 SPE_INVALID);
	ck_assert_msg(strstr(error.text, bad[_i].says), "%s", error.text);
	ck_assert_uint_eq(page.n, 0);
}
END_TEST

START_TEST(test_closed)
{
	static const uint32_t formats[] = { SPE_FORMAT_TEXT, SPE_FORMAT_JSON, SPE_FORMAT_CSV };

	for (size_t i = 0; i < 6; i++) {
		struct page page = { .fail = i % 2 ? SPE_CLOSED : SPE_IO };

		ck_assert_int_eq(run_with((struct spe_script_opts){ .format = formats[i / 2] },
					  &page, 2, NULL),
				 page.fail);
	}
}
END_TEST

START_TEST(test_field_list)
{
	const char *name = NULL, *help = NULL;
	unsigned n = 0;

	while (spe_script_field(n, &name, &help) == SPE_OK) {
		struct page page = { .n = 0 };

		ck_assert(name && *name && help && *help);
		/* Each one alone makes four lines. */
		for (uint32_t format = SPE_FORMAT_TEXT; format <= SPE_FORMAT_CSV; format++) {
			unsigned lines = 0;

			ck_assert_int_eq(run_with((struct spe_script_opts){ .fields = name,
									    .itrace = "i1il",
									    .format = format },
						  &page, 1, NULL),
					 SPE_OK);
			for (const char *at = page.text; (at = strchr(at, '\n')); at++)
				lines++;
			ck_assert_uint_eq(lines, format == SPE_FORMAT_CSV ? 5 : 4);
		}
		n++;
	}
	ck_assert_uint_gt(n, 30);
}
END_TEST

/* ---- periods and order ------------------------------------------------------------------------
 */

#define MANY 1000u

static struct spe_recording *make_many(void)
{
	struct spe_sample *samples = calloc(2 * MANY, sizeof(*samples));

	for (size_t i = 0; i < 2 * MANY; i++) {
		samples[i].stream = (uint32_t)(i / MANY);
		samples[i].cpu = (int32_t)(i / MANY);
		samples[i].tid = (int32_t)(i % MANY);
		samples[i].has_time = true;
		samples[i].time_ns = 1000 + 2 * (i % MANY) + i / MANY;
		samples[i].record.present = SPE_HAS_PC;
		samples[i].record.pc = i;
		samples[i].comm = SPE_COMM_NONE;
	}
	return fake_new(samples, 2 * MANY, 2, 64, 7);
}

static void run_many(struct spe_script_opts opts, unsigned threads, struct page *page)
{
	struct spe_run_opts run_opts = { .size = sizeof(run_opts),
					 .threads = threads,
					 .batch_records = 1 + threads * 3 };
	struct spe_recording *recording = make_many();
	struct spe_script *script = NULL;
	struct spe_run_stats stats;

	opts.size = sizeof(opts);
	opts.out = (struct spe_out){ .write = page_write, .priv = page };
	page->n = 0;
	ck_assert_int_eq(spe_script_new(recording, &opts, &script, NULL), SPE_OK);
	ck_assert_int_eq(spe_sink_run(recording, spe_script_ops(script), script, &run_opts, &stats,
				      NULL),
			 SPE_OK);
	spe_script_free(script);
	fake_free(recording);
}

START_TEST(test_period)
{
	/* The 300th, 600th and 900th record of each CPU, in time order, at any number of threads.
	 */
	static const char want[] = "    299 [000]        300 \n    299 [001]        300 \n"
				   "    599 [000]        300 \n    599 [001]        300 \n"
				   "    899 [000]        300 \n    899 [001]        300 \n";
	struct page page = { .n = 0 };

	for (unsigned threads = 1; threads <= 3; threads++) {
		run_many((struct spe_script_opts){ .fields = "tid,cpu,period",
						   .itrace = "i300i",
						   .unordered = threads == 2 },
			 threads, &page);
		ck_assert_str_eq(page.text, want);
	}
}
END_TEST

START_TEST(test_unordered)
{
	struct page page = { .n = 0 };
	uint64_t sum = 0;
	unsigned lines = 0;

	/* In any order, but every record once and no line torn. */
	run_many((struct spe_script_opts){ .fields = "ip", .unordered = true }, 3, &page);
	for (char *at = page.text; *at; at = strchr(at, '\n') + 1, lines++) {
		ck_assert_ptr_eq(strchr(at, '\n'), at + 17);
		sum += strtoul(at, NULL, 16);
	}
	ck_assert_uint_eq(lines, 2 * MANY);
	ck_assert_uint_eq(sum, (2 * MANY - 1) * MANY);
}
END_TEST

START_TEST(test_ordered)
{
	struct page page = { .n = 0 };
	double last = 0;

	run_many((struct spe_script_opts){ .fields = "time", .ns = true }, 2, &page);
	for (char *at = page.text; *at; at = strchr(at, '\n') + 1) {
		double now = strtod(at, NULL);

		ck_assert(now > last);
		last = now;
	}
}
END_TEST

START_TEST(test_opts)
{
	struct spe_script_opts opts = { .size = sizeof(opts) };
	struct spe_recording *recording = make();
	struct spe_script *script = NULL;
	struct spe_error error;

	ck_assert_int_eq(spe_script_new(recording, &opts, &script, &error), SPE_INVALID);
	opts.out.write = page_write;
	opts.format = 9;
	ck_assert_int_eq(spe_script_new(recording, &opts, &script, &error), SPE_INVALID);
	ck_assert_ptr_null(script);
	spe_script_free(NULL);
	fake_free(recording);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink-script");
	TCase *tc = tcase_create("script");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_plain);
	tcase_add_test(tc, test_default);
	tcase_add_test(tc, test_edit);
	tcase_add_test(tc, test_events);
	tcase_add_test(tc, test_branch_fields);
	tcase_add_test(tc, test_data_src);
	tcase_add_test(tc, test_own_fields);
	tcase_add_test(tc, test_csv);
	tcase_add_test(tc, test_csv_default);
	tcase_add_test(tc, test_csv_empty);
	tcase_add_test(tc, test_json);
	tcase_add_loop_test(tc, test_bad, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, test_closed);
	tcase_add_test(tc, test_field_list);
	tcase_add_test(tc, test_period);
	tcase_add_test(tc, test_unordered);
	tcase_add_test(tc, test_ordered);
	tcase_add_test(tc, test_opts);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
