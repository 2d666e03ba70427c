/* SPDX-License-Identifier: GPL-2.0-only */
/* What inject writes, read back record by record. */
#include "recording-file.h"

#include <perf-arm-spe/sink.h>

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define WRITTEN_MAX 200
#define ALL_EVENTS 10u
#define FIRST_ID UINT64_C(1000000001) /* the SPE event's first id is 1 */

/* A record of the output. */
struct written {
	struct spe_perf_event event;
	char comm[16];
};

struct output {
	struct spe_perfdata *pd;
	struct written records[WRITTEN_MAX];
	size_t count, warnings;
	char path[64];
	int status;
	struct spe_error error;
};

static struct output out;

static void count_warning(void *priv, enum spe_log_level level, const char *text)
{
	(void)text;
	*(size_t *)priv += level == SPE_LOG_WARNING;
}

static void read_back(void)
{
	struct spe_perf_event event;
	int status;

	ck_assert_msg(!spe_perfdata_open(out.path, NULL, &out.pd, &out.error), "%s",
		      out.error.text);
	while (!(status = spe_perfdata_next(out.pd, &event, &out.error))) {
		struct written *w = &out.records[out.count++];

		ck_assert_uint_lt(out.count, WRITTEN_MAX);
		w->event = event;
		if (event.type == SPE_PERF_COMM)
			snprintf(w->comm, sizeof(w->comm), "%s", event.u.comm.comm);
	}
	ck_assert_int_eq(status, SPE_END);
}

/* Inject f into `out`; the status is out.status. */
static void inject(struct file *f, struct spe_inject_opts opts)
{
	struct spe_recording_opts recording = recording_opts();
	struct answers a = open_file(f, &recording);
	struct spe_run_stats stats;

	memset(&out, 0, sizeof(out));
	snprintf(out.path, sizeof(out.path), "/tmp/spe-injected-XXXXXX");
	close(mkstemp(out.path));
	opts.size = sizeof(opts);
	opts.listener = (struct spe_listener){ .log = count_warning, .log_priv = &out.warnings };
	out.status = spe_inject(a.recording, out.path, &opts, &stats, &out.error);
	if (!out.status)
		read_back();
	answers_free(&a);
	file_free(f);
}

static void output_free(void)
{
	spe_perfdata_close(out.pd);
	unlink(out.path);
}

static const struct spe_inject_opts one_each = { .itrace = "i1i" };

static size_t count_of(uint32_t type)
{
	size_t n = 0;

	for (size_t i = 0; i < out.count; i++)
		n += out.records[i].event.type == type;
	return n;
}

/* The n-th record of a type and where it stands. */
static const struct written *nth(uint32_t type, size_t n, size_t *at)
{
	for (size_t i = 0; i < out.count; i++) {
		if (out.records[i].event.type == type && !n--) {
			if (at)
				*at = i;
			return &out.records[i];
		}
	}
	ck_abort_msg("no such record");
	return NULL;
}

static const struct spe_perf_event *sample(size_t n)
{
	return &nth(SPE_PERF_SAMPLE, n, NULL)->event;
}

static void expect_owner(size_t n, int pid, int tid)
{
	ck_assert_int_eq(sample(n)->id.pid, pid);
	ck_assert_int_eq(sample(n)->id.tid, tid);
}

/* The name perf 7.3 has for the thread of the n-th sample: of the last COMM, gone with EXIT. */
static const char *name_at(size_t n)
{
	const char *name = NULL;
	int32_t tid = sample(n)->id.tid;
	size_t at;

	nth(SPE_PERF_SAMPLE, n, &at);
	for (size_t i = 0; i < at; i++) {
		const struct written *w = &out.records[i];

		if (w->event.type == SPE_PERF_COMM && w->event.u.comm.tid == tid)
			name = w->comm;
		else if (w->event.type == SPE_PERF_EXIT && w->event.u.task.tid == tid)
			name = NULL;
	}
	return name ? name : "";
}

/* alpha 100, beta 200 with thread 201; whatever happens before the trace. */
static struct file *usual(struct file_kind kind)
{
	struct file *f = file_new(kind);

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	file_comm(f, 200, 201, "beta-io", 0);
	return f;
}

static struct trace *fresh(void)
{
	static struct trace t;

	t.n = 0;
	return &t;
}

static void traced(struct file *f, int cpu, struct trace *t)
{
	file_trace(f, cpu, t);
	file_aux(f, cpu, 9 * S, 0, t->n, 0);
}

/* ---- events ------------------------------------------------------------------ */

START_TEST(test_events)
{
	static const char *const names[ALL_EVENTS] = { "l1d-miss",    "l1d-access",    "llc-miss",
						       "llc-access",  "tlb-miss",      "tlb-access",
						       "branch",      "remote-access", "memory",
						       "instructions" };
	const uint64_t fields = SPE_SAMPLE_IP | SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_ADDR |
				SPE_SAMPLE_CPU | SPE_SAMPLE_PERIOD | SPE_SAMPLE_IDENTIFIER |
				SPE_SAMPLE_DATA_SRC | SPE_SAMPLE_WEIGHT;
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();
	const uint8_t *bytes;
	size_t n;

	put_sample(t, EL0_PC, 100, NO_CONTEXT, S);
	traced(f, 0, t);
	inject(f, (struct spe_inject_opts){ .itrace = NULL });
	ck_assert_int_eq(out.status, SPE_OK);
	ck_assert_uint_eq(spe_perfdata_attr_count(out.pd), 2 + ALL_EVENTS);
	/* What was recorded promises what the new events have; trailers are laid out as before. */
	ck_assert_uint_eq(spe_perfdata_attr(out.pd, 0)->sample_type, fields);
	ck_assert_uint_eq(spe_perfdata_attr(out.pd, 1)->sample_type,
			  SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_CPU |
				  SPE_SAMPLE_IDENTIFIER);
	for (size_t i = 0; i < ALL_EVENTS; i++) {
		const struct spe_perf_attr *attr = spe_perfdata_attr(out.pd, 2 + i);

		ck_assert_str_eq(attr->name, names[i]);
		ck_assert_uint_eq(attr->type, 0);
		ck_assert_uint_eq(attr->attr_size, 112);
		ck_assert_uint_eq(attr->config, i == ALL_EVENTS - 1);
		ck_assert_uint_eq(attr->sample_period, 1);
		ck_assert_uint_eq(attr->sample_type, fields);
		ck_assert_uint_eq(attr->id_count, 1);
		ck_assert_uint_eq(attr->ids[0], FIRST_ID + i);
	}
	ck_assert_int_ne(spe_perfdata_feature(out.pd, SPE_FEAT_AUXTRACE, &bytes, &n), SPE_OK);
	output_free();
}
END_TEST

/* A load that missed everything is eight events, each with all that is known of it. */
START_TEST(test_sample)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	put_pc(t, EL0_PC);
	put_context1(t, 201);
	put_total(t, 120);
	put_issue(t, 7);
	put_xlat(t, 30);
	put_events(t, 0x73e);
	put_va(t, 0x7f0000001000);
	put_op(t, SPE_OP_LOAD_STORE, 0);
	put_timestamp(t, S + 5);
	traced(f, 1, t);
	inject(f, (struct spe_inject_opts){ .itrace = NULL });
	ck_assert_uint_eq(count_of(SPE_PERF_SAMPLE), 9);
	for (size_t i = 0; i < 9; i++) {
		const struct spe_perf_event *e = sample(i);

		ck_assert_int_eq(e->attr_index, (int)(2 + i + (i >= 6)));
		expect_owner(i, 200, 201);
		ck_assert_uint_eq(e->id.time_ns, S + 5);
		ck_assert_uint_eq(e->id.cpu, 1);
		ck_assert_uint_eq(e->u.sample.ip, 0x400000);
		ck_assert_uint_eq(e->u.sample.addr, 0x7f0000001000);
		ck_assert_uint_eq(e->u.sample.weight, 120);
		ck_assert_uint_eq(e->u.sample.period, 1);
		ck_assert_uint_eq(e->u.sample.data_src & 0x1f, 2); /* a load */
	}
	output_free();
}
END_TEST

START_TEST(test_weight_struct)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	put_pc(t, EL0_PC);
	put_context1(t, 100);
	put_total(t, 0xffff);
	put_issue(t, 7);
	put_xlat(t, 30);
	put_events(t, 2);
	put_op(t, SPE_OP_OTHER, 0);
	put_timestamp(t, S);
	traced(f, 0, t);
	inject(f, (struct spe_inject_opts){ .itrace = "i1i", .weight_struct = true });
	ck_assert_uint_eq(sample(0)->u.sample.weight,
			  UINT64_C(0xffff) | UINT64_C(7) << 32 | UINT64_C(30) << 48);
	ck_assert(spe_perfdata_attr(out.pd, 2)->sample_type & SPE_SAMPLE_WEIGHT_STRUCT);
	ck_assert(!(spe_perfdata_attr(out.pd, 2)->sample_type & SPE_SAMPLE_WEIGHT));
	output_free();
}
END_TEST

/* One of three records of a CPU, each standing for three. */
START_TEST(test_period)
{
	struct file *f = usual((struct file_kind){ 0 });

	for (int cpu = 0; cpu < 2; cpu++) {
		struct trace *t = fresh();

		for (uint64_t i = 0; i < 7; i++)
			put_sample(t, EL0_PC + 4 * i, 100, NO_CONTEXT, S + i * MS);
		traced(f, cpu, t);
	}
	inject(f, (struct spe_inject_opts){ .itrace = "i3i" });
	ck_assert_uint_eq(count_of(SPE_PERF_SAMPLE), 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(sample(i)->u.sample.ip, 0x400000 + (i < 2 ? 8 : 20));
		ck_assert_uint_eq(sample(i)->u.sample.period, 3);
	}
	output_free();
}
END_TEST

/* The mode is that of the exception level; EL1 is the host's only where the host is there. */
START_TEST(test_modes)
{
	static const struct {
		uint64_t pc, el1, el2;
		unsigned mode;
	} cases[] = {
		{ EL0_PC, NO_CONTEXT, 100, SPE_MISC_USER },
		{ EL2_PC, NO_CONTEXT, 100, SPE_MISC_KERNEL },
		{ EL1_PC, 200, 100, SPE_MISC_GUEST_KERNEL },
	};
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	for (size_t i = 0; i < 3; i++)
		put_sample(t, cases[i].pc, cases[i].el1, cases[i].el2, S + i);
	traced(f, 0, t);
	inject(f, one_each);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(sample(i)->misc & SPE_MISC_CPUMODE_MASK, cases[i].mode);
		expect_owner(i, 100, 100);
	}
	output_free();

	f = usual((struct file_kind){ 0 });
	t = fresh();
	put_sample(t, EL1_PC, 100, NO_CONTEXT, S);
	traced(f, 0, t);
	inject(f, one_each);
	ck_assert_uint_eq(sample(0)->misc & SPE_MISC_CPUMODE_MASK, SPE_MISC_KERNEL);
	output_free();
}
END_TEST

/* ---- order ----------------------------------------------------------------------- */

/* Side-band comes to stand before the samples that are not older; the trace is gone. */
START_TEST(test_order)
{
	struct file *f = usual((struct file_kind){ 0 });
	uint64_t last = 0;

	for (int cpu = 0; cpu < 2; cpu++) {
		struct trace *t = fresh();

		for (uint64_t i = 0; i < 10; i++)
			put_sample(t, EL0_PC, cpu ? 100 : 201, NO_CONTEXT, S + i * MS + 1);
		traced(f, cpu, t);
	}
	file_itrace_start(f, 0, 100, S);
	for (uint64_t i = 10; i-- > 0;) /* the last comes first */
		file_switch(f, 0, S + i * MS, 100, 100, 200, 201);
	inject(f, one_each);
	ck_assert_uint_eq(count_of(SPE_PERF_SAMPLE), 20);
	ck_assert_uint_eq(count_of(SPE_PERF_SWITCH_CPU_WIDE), 20);
	ck_assert_uint_eq(count_of(SPE_PERF_AUX) + count_of(SPE_PERF_AUXTRACE) +
				  count_of(SPE_PERF_AUXTRACE_INFO) +
				  count_of(SPE_PERF_ITRACE_START),
			  0);
	ck_assert_uint_eq(count_of(SPE_PERF_TIME_CONV), 1);
	for (size_t i = 0; i < out.count; i++) {
		const struct spe_perf_id *id = &out.records[i].event.id;

		if (!(id->present & SPE_SAMPLE_TIME))
			continue;
		ck_assert_uint_ge(id->time_ns, last);
		last = id->time_ns;
	}
	ck_assert_uint_eq(out.records[out.count - 1].event.type, SPE_PERF_FINISHED_ROUND);
	output_free();
}
END_TEST

START_TEST(test_strip)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	put_sample(t, EL0_PC, 100, NO_CONTEXT, S);
	traced(f, 0, t);
	file_switch(f, 0, S, 100, 100, 200, 201);
	inject(f, (struct spe_inject_opts){ .itrace = "i1i", .strip = true });
	ck_assert_uint_eq(count_of(SPE_PERF_SWITCH_CPU_WIDE), 0);
	ck_assert_uint_eq(count_of(SPE_PERF_COMM), 3);
	ck_assert_uint_eq(count_of(SPE_PERF_SAMPLE), 1);
	output_free();
}
END_TEST

/* Samples without a time come last, behind two ends of rounds: perf then knows all tasks. */
START_TEST(test_no_time)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();
	size_t first, round;

	for (uint64_t i = 0; i < 3; i++)
		put_sample(t, EL0_PC + 4 * i, 201, NO_CONTEXT, 0);
	traced(f, 0, t);
	file_comm(f, 200, 201, "late", 5 * S);
	inject(f, one_each);
	nth(SPE_PERF_SAMPLE, 0, &first);
	nth(SPE_PERF_FINISHED_ROUND, 1, &round);
	ck_assert_uint_eq(first, round + 1);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(sample(i)->u.sample.ip, 0x400000 + 4 * i);
		expect_owner(i, 200, 201);
	}
	ck_assert(!(spe_perfdata_attr(out.pd, 2)->sample_type & SPE_SAMPLE_TIME));
	output_free();
}
END_TEST

/* perf stops at a type it does not know. */
START_TEST(test_unknown_types)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_begin_record(f, 50, 0);
	file_trailer(f, 100, 100, S, 0, 1);
	file_begin_record(f, 200, 0);
	file_u64(f, 1);
	file_end_record(f);
	put_sample(t, EL0_PC, 100, NO_CONTEXT, S);
	traced(f, 0, t);
	inject(f, one_each);
	ck_assert_uint_eq(count_of(50) + count_of(200), 0);
	ck_assert_uint_eq(out.warnings, 1);
	output_free();
}
END_TEST

START_TEST(test_no_conversion)
{
	struct file *f = usual((struct file_kind){ .no_conv = true });
	struct trace *t = fresh();

	put_sample(t, EL0_PC, 100, NO_CONTEXT, S);
	traced(f, 0, t);
	inject(f, one_each);
	ck_assert_int_eq(out.status, SPE_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(out.error.text, "TIME_CONV"));
	output_free();
}
END_TEST

/* ---- owners ------------------------------------------------------------------------ */

/*
 * 777 is nobody's and stays; 300 is gone for sure by then, and nobody knows whose
 * it is now: perf would take it for the dead one.
 */
static struct file *unresolved(void)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_task(f, SPE_PERF_FORK, 200, 202, 200, 200, S);
	file_task(f, SPE_PERF_FORK, 300, 300, 100, 100, S);
	file_task(f, SPE_PERF_EXIT, 300, 300, 100, 100, S + MS);
	file_lost(f, 0, S + 2 * MS, 10);
	put_sample(t, EL0_PC, 201, NO_CONTEXT, S + 5 * MS);
	put_sample(t, EL0_PC, 777, NO_CONTEXT, S + 6 * MS);
	put_sample(t, EL0_PC, 300, NO_CONTEXT, S + 7 * MS);
	put_sample(t, EL0_PC, NO_CONTEXT, NO_CONTEXT, S + 8 * MS);
	put_sample(t, EL1_PC, 0, NO_CONTEXT, S + 9 * MS);
	traced(f, 0, t);
	return f;
}

START_TEST(test_owners)
{
	inject(unresolved(), one_each);
	expect_owner(0, 200, 201);
	expect_owner(1, -1, 777);
	expect_owner(2, -1, -1);
	expect_owner(3, -1, -1);
	expect_owner(4, 0, 0);
	output_free();
}
END_TEST

START_TEST(test_merged_threads)
{
	inject(unresolved(), (struct spe_inject_opts){ .itrace = "i1i", .merge_threads = true });
	expect_owner(0, 200, 200);
	for (size_t i = 1; i < 4; i++)
		expect_owner(i, -1, -1);
	expect_owner(4, 0, 0);
	output_free();
}
END_TEST

START_TEST(test_filter)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct spe_filter *filter;
	struct trace *t = fresh();

	put_sample(t, EL0_PC, 100, NO_CONTEXT, S);
	put_sample(t, EL0_PC + 4, 201, NO_CONTEXT, S + 1);
	traced(f, 0, t);
	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "pid", "200", NULL), SPE_OK);
	inject(f, (struct spe_inject_opts){ .itrace = "i1i", .filter = filter });
	ck_assert_uint_eq(count_of(SPE_PERF_SAMPLE), 1);
	expect_owner(0, 200, 201);
	spe_filter_free(filter);
	output_free();
}
END_TEST

/* ---- names --------------------------------------------------------------------------- */

/* perf forgets a thread at its EXIT, and its last samples come after it. */
START_TEST(test_name_after_exit)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_task(f, SPE_PERF_EXIT, 200, 201, 200, 200, S + MS);
	put_sample(t, EL0_PC, 201, NO_CONTEXT, S);
	put_sample(t, EL1_PC, 201, NO_CONTEXT, S + MS + 10);
	put_sample(t, EL1_PC, 201, NO_CONTEXT, S + MS + 20);
	traced(f, 0, t);
	inject(f, one_each);
	ck_assert_uint_eq(count_of(SPE_PERF_COMM), 4); /* one more, not two */
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(name_at(i), "beta-io");
	ck_assert_uint_eq(nth(SPE_PERF_COMM, 3, NULL)->event.id.time_ns, S + MS + 10);
	ck_assert_int_eq(nth(SPE_PERF_COMM, 3, NULL)->event.u.comm.pid, 200);
	output_free();
}
END_TEST

/* Its FORK and COMM were lost; EXIT tells the process, and nothing the name. */
START_TEST(test_name_not_known)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_task(f, SPE_PERF_FORK, 300, 300, 100, 100, S);
	file_comm(f, 300, 300, "old", S + 1);
	file_task(f, SPE_PERF_EXIT, 300, 300, 100, 100, S + MS);
	file_lost(f, 0, S + 2 * MS, 10);
	file_task(f, SPE_PERF_EXIT, 300, 300, 200, 200, S + 9 * MS);
	put_sample(t, EL0_PC, 300, NO_CONTEXT, S + 10);
	put_sample(t, EL0_PC, 300, NO_CONTEXT, S + 8 * MS);
	traced(f, 0, t);
	inject(f, one_each);
	expect_owner(0, 300, 300);
	ck_assert_str_eq(name_at(0), "old");
	/* perf 6.1 goes on with the old name after an EXIT: it must be told */
	expect_owner(1, 300, 300);
	ck_assert_str_eq(name_at(1), ":300");
	output_free();
}
END_TEST

/* A sample from before the record that names its thread. */
START_TEST(test_name_comes_later)
{
	struct file *f = file_new((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_comm(f, 400, 400, "gamma", 2 * S);
	put_sample(t, EL0_PC, 400, NO_CONTEXT, S);
	traced(f, 0, t);
	inject(f, one_each);
	expect_owner(0, 400, 400);
	ck_assert_str_eq(name_at(0), "gamma");
	output_free();
}
END_TEST

/* Of merged threads perf looks at the leader, whose EXIT may have been. */
START_TEST(test_name_of_merged)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace *t = fresh();

	file_task(f, SPE_PERF_EXIT, 200, 200, 100, 100, S);
	put_sample(t, EL0_PC, 201, NO_CONTEXT, S + MS);
	traced(f, 0, t);
	inject(f, (struct spe_inject_opts){ .itrace = "i1i", .merge_threads = true });
	expect_owner(0, 200, 200);
	ck_assert_str_eq(name_at(0), "beta");
	output_free();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inject");
	TCase *tc = tcase_create("inject");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, test_events);
	tcase_add_test(tc, test_sample);
	tcase_add_test(tc, test_weight_struct);
	tcase_add_test(tc, test_period);
	tcase_add_test(tc, test_modes);
	tcase_add_test(tc, test_order);
	tcase_add_test(tc, test_strip);
	tcase_add_test(tc, test_no_time);
	tcase_add_test(tc, test_unknown_types);
	tcase_add_test(tc, test_no_conversion);
	tcase_add_test(tc, test_owners);
	tcase_add_test(tc, test_merged_threads);
	tcase_add_test(tc, test_filter);
	tcase_add_test(tc, test_name_after_exit);
	tcase_add_test(tc, test_name_not_known);
	tcase_add_test(tc, test_name_comes_later);
	tcase_add_test(tc, test_name_of_merged);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
