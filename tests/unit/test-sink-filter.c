/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters: every name against a predicate written out, and arguments nobody should get away with.
 */
#include "../../perf-arm-spe/sink/filter.h"
#include "../../perf-arm-spe/sink/names.h"
#include "fake-recording.h"

#define SAMPLES 4000u
#define N1 0x413fd0c1u    /* Neoverse N1 */
#define HIP12 0x480fd060u /* numbers its sources in another way */

static const char *const comms[] = { "swapper", "spin", "sh", "a,b" };

static struct spe_recording *make(void)
{
	struct spe_sample *samples = calloc(SAMPLES, sizeof(*samples));
	struct spe_recording *r;
	uint32_t seed = 42;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct spe_sample *s = &samples[i];

		s->stream = i / 1000;
		s->cpu = (int32_t)(i / 1000) * 3; /* 0 3 6 9 */
		s->tid = (int32_t)(fake_random(&seed) % 6) - 1;
		s->pid = (int32_t)(fake_random(&seed) % 4) - 1;
		s->comm = fake_random(&seed) % 5;
		if (s->comm == 4)
			s->comm = SPE_COMM_NONE;
		s->evidence = (uint8_t)(fake_random(&seed) % SPE_EVIDENCE_KINDS);
		s->has_time = i % 1000 == 0 || i % 1000 == 999 || fake_random(&seed) % 4;
		s->time_ns = 1000000000u + i % 1000 * 1001001; /* 1 s to about 2 s */
		if (!s->has_time)
			s->time_ns = 0;
		s->record.present = fake_random(&seed) & SPE_HAS_ALL;
		s->record.events = (uint64_t)fake_random(&seed) << 20 ^ fake_random(&seed);
		s->record.events_bytes = (uint8_t)(1u << fake_random(&seed) % 4);
		if (s->record.events_bytes < 8)
			s->record.events &= (1ull << 8 * s->record.events_bytes) - 1;
		s->record.op_class = (uint8_t)(fake_random(&seed) % 4);
		s->record.op_payload = (uint8_t)fake_random(&seed);
		s->record.data_source = (uint16_t)(fake_random(&seed) % 16);
		s->record.el = (uint8_t)(fake_random(&seed) % 4);
		s->record.total_latency_cycles = (uint16_t)(fake_random(&seed) % 200);
	}
	r = fake_new(samples, SAMPLES, 4, 300, 1);
	r->comms = comms;
	r->comm_count = 4;
	for (unsigned i = 0; i < 4; i++)
		r->infos[i].midr = i < 2 ? N1 : HIP12;
	return r;
}

/* ---- what should pass -------------------------------------------------- */

#define HAS(bit) (s->record.present & SPE_HAS_##bit)
#define EVENT(n) (s->record.events >> (n)&1)
#define TELLS(n) (s->record.events_bytes * 8 > (n))
#define FLAGS (spe_op_decode(s->record.op_class, s->record.op_payload).flags)
#define IS(name, condition)                                                                        \
	static bool name(const struct spe_sample *s)                                               \
	{                                                                                          \
		return condition;                                                                  \
	}

IS(pid_1_2, s->pid == 1 || s->pid == 2)
IS(pid_none, s->pid == -1)
IS(tid_2_4, s->tid >= 2 && s->tid <= 4)
IS(comm_spin, s->comm == 1)
IS(comm_none_3, s->comm == 2 || (s->comm == SPE_COMM_NONE && s->tid == 3))
IS(cpus, s->cpu <= 3 || s->cpu == 9)
IS(branch_alone,
   HAS(OP) && strcmp(spe_op_name(s->record.op_class, s->record.op_payload), "branch") == 0)
IS(middle, s->has_time && s->time_ns >= 1500000000u && s->time_ns <= 1600000001u)
IS(from, s->has_time && s->time_ns >= 1500000000u)
IS(to, s->has_time && s->time_ns <= 1500000000u)
IS(two, (s->has_time && s->time_ns <= 1100000000u) || (s->has_time && s->time_ns >= 1900000000u))
IS(second_tenth,
   s->has_time && s->time_ns >= 1000000000u + 99999999u && s->time_ns < 1000000000u + 199999999u)
IS(last_half, s->has_time && s->time_ns >= 1000000000u + 499999999u)
IS(first_and_last,
   s->has_time && (s->time_ns < 1000000000u + 99999999u || s->time_ns >= 1000000000u + 899999999u))
IS(timed, s->has_time)
IS(loads, HAS(OP) && FLAGS & SPE_OP_F_LOAD)
IS(memory, HAS(OP) && s->record.op_class == 1)
IS(cond, HAS(OP) && s->record.op_class == 2 && s->record.op_payload & 1)
IS(load_sve, HAS(OP) && s->record.op_class == 1 && (s->record.op_payload & 0x8b) == 0x08)
IS(refill, HAS(EVENTS) && EVENT(3))
IS(refill_or_mispred, HAS(EVENTS) && (EVENT(3) || EVENT(7)))
IS(refill_and_mispred, HAS(EVENTS) && EVENT(3) && EVENT(7))
IS(refill_not_llc, HAS(EVENTS) && EVENT(3) && !EVENT(9) && TELLS(9))
IS(bit_13, HAS(EVENTS) && EVENT(13))
IS(late, HAS(EVENTS) && EVENT(12) && s->stream < 2)
IS(peer_core, HAS(DATA_SOURCE) && s->record.data_source == (s->stream < 2 ? 9 : 0))
IS(dram,
   HAS(DATA_SOURCE) && (s->stream < 2 ? s->record.data_source == 14
				      : s->record.data_source == 8 || s->record.data_source == 9))
IS(number, HAS(DATA_SOURCE) && s->record.data_source == 9)
IS(el_0_2, HAS(EL) && (s->record.el == 0 || s->record.el == 2))
IS(slow, HAS(TOTAL_LATENCY) && s->record.total_latency_cycles >= 100)
IS(evidence, s->evidence == SPE_EVIDENCE_CONTEXT || s->evidence == SPE_EVIDENCE_NONE)

static const struct {
	const char *name, *argument;
	bool (*passes)(const struct spe_sample *s);
} cases[] = {
	{ "pid", "1,2", pid_1_2 },
	{ "pid", "-1", pid_none },
	{ "tid", "2-4", tid_2_4 },
	{ "comm", "spin", comm_spin },
	{ "comm", "sh,:3,nobody", comm_none_3 },
	{ "cpu", "0-3,9", cpus },
	{ "time", "1.5,1.600000001", middle },
	{ "time", "1.5,1.6000000019", middle },
	{ "time", "1.5,", from },
	{ "time", ",1.5", to },
	{ "time", ",1.1 1.9,", two },
	{ "time", ",", timed },
	{ "time", "10%/2", second_tenth },
	{ "time", "10%-20%", second_tenth },
	{ "time", "50%-100%", last_half },
	{ "time", "50%/2", last_half },
	{ "time", "10%,10%/10", first_and_last },
	{ "time", "0%-10%,90%-100%", first_and_last },
	{ "time", "0%-100%", timed },
	{ "op", "load", loads },
	{ "op", "MEMORY", memory },
	{ "op", "load,store", memory },
	{ "op", "conditional", NULL },
	{ "op",
	  "branch-cond,branch-cond-ind,branch-cond-gcs,branch-cond-ind-gcs,branch-cond-call,"
	  "branch-cond-ind-call,branch-cond-call-gcs,branch-cond-ind-call-gcs,branch-cond-ret,"
	  "branch-cond-ind-ret,branch-cond-ret-gcs,branch-cond-ind-ret-gcs",
	  cond },
	{ "op", "load-sve", load_sve },
	{ "op", "=branch", branch_alone },
	{ "event", "l1d-refill", refill },
	{ "event", "L1D_REFILL", refill },
	{ "event", "3", refill },
	{ "event", "l1d-refill,mispred", refill_or_mispred },
	{ "event", "l1d-refill+mispred", refill_and_mispred },
	{ "event", "l1d-refill+!llc-refill", refill_not_llc },
	{ "event", "impdef:13", bit_13 },
	{ "event", "late-prefetch", late },
	{ "source", "peer-core", peer_core },
	{ "source", "dram", dram },
	{ "source", "0x9", number },
	{ "source", "9", number },
	{ "el", "0,el2", el_0_2 },
	{ "min-latency", "100", slow },
	{ "evidence", "context,none", evidence },
};

/* Which samples pass the filter, by their place. */
static void run(const struct spe_filter *filter, const struct spe_recording *r, bool *passed)
{
	struct spe_sample *copy = malloc(SAMPLES * sizeof(*copy));
	uint64_t *keys = malloc(SAMPLES * sizeof(*keys));
	struct spe_filter_bound *bound;
	struct spe_error error = { .text = "" };
	size_t kept;

	ck_assert_msg(spe_filter_bind(filter, r, &bound, &error) == SPE_OK, "%s", error.text);
	memcpy(copy, r->samples, SAMPLES * sizeof(*copy));
	for (size_t i = 0; i < SAMPLES; i++)
		keys[i] = i;
	kept = spe_filter_apply(bound, copy, keys, SAMPLES);
	memset(passed, 0, SAMPLES * sizeof(*passed));
	for (size_t i = 0; i < kept; i++) {
		must(!memcmp(&copy[i], &r->samples[keys[i]], sizeof(*copy)));
		must(i == 0 || keys[i] > keys[i - 1]);
		passed[keys[i]] = true;
	}
	spe_filter_unbind(bound);
	free(keys);
	free(copy);
}

START_TEST(each_name_does_what_it_says)
{
	struct spe_recording *r = make();
	bool *passed = malloc(SAMPLES * sizeof(*passed));
	struct spe_filter *filter;
	struct spe_error error;
	size_t some = 0;

	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	ck_assert_msg(spe_filter_add(filter, cases[_i].name, cases[_i].argument, &error) == SPE_OK,
		      "%s", error.text);
	run(filter, r, passed);
	for (size_t i = 0; i < SAMPLES && cases[_i].passes; i++)
		ck_assert_msg(passed[i] == cases[_i].passes(&r->samples[i]), "--%s %s: sample %zu",
			      cases[_i].name, cases[_i].argument, i);
	for (size_t i = 0; i < SAMPLES; i++)
		some += passed[i];
	ck_assert_uint_gt(some, 0);
	ck_assert_uint_lt(some, SAMPLES);
	spe_filter_free(filter);
	free(passed);
	fake_free(r);
}
END_TEST

START_TEST(names_are_anded_arguments_are_ored)
{
	struct spe_recording *r = make();
	bool *passed = malloc(SAMPLES * sizeof(*passed));
	struct spe_filter *filter;

	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	run(filter, r, passed);
	for (size_t i = 0; i < SAMPLES; i++)
		must(passed[i]);
	ck_assert_int_eq(spe_filter_add(filter, "pid", "1", NULL), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "pid", "2", NULL), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, "event", "l1d-refill", NULL), SPE_OK);
	run(filter, r, passed);
	for (size_t i = 0; i < SAMPLES; i++)
		must(passed[i] == (pid_1_2(&r->samples[i]) && refill(&r->samples[i])));
	spe_filter_free(filter);
	free(passed);
	fake_free(r);
}
END_TEST

static const struct {
	const char *name, *argument, *says;
} wrong[] = {
	{ "pid", "x", "--pid: 'x' is not" },
	{ "pid", "1,", "--pid: ''" },
	{ "pid", "", "--pid: ''" },
	{ "pid", "99999999999", "--pid: '99999999999'" },
	{ "pid", "1 2", "--pid: '1 2'" },
	{ "cpu", "3-1", "--cpu: '3-1'" },
	{ "cpu", "1-", "--cpu: '1-'" },
	{ "comm", "a,,b", "--comm: ''" },
	{ "time", "", "--time:" },
	{ "time", "1.5", "--time: '1.5'" },
	{ "time", "2,1", "--time: '2,1'" },
	{ "time", "1,2,3", "--time: '1,2,3'" },
	{ "time", "99999999999999999999,", "--time:" },
	{ "time", "20%-10%", "--time: '20%-10%'" },
	{ "time", "101%", "--time: '101%'" },
	{ "time", "10%/0", "--time: '10%/0'" },
	{ "time", "10%/11", "--time: '10%/11'" },
	{ "time", "0%", "--time: '0%'" },
	{ "op", "jump", "--op: there is no operation 'jump'; --op list shows all" },
	{ "op", "laod", "(did you mean 'load'?)" },
	{ "op", "=conditional", "'=conditional'" },
	{ "event", "l1d-refil", "'l1d-refil' (did you mean 'l1d-refill'?); --event list" },
	{ "event", "mispred+", "no event ''" },
	{ "event", "retired,!mispred+impdef:x", "'impdef:x'" },
	{ "event", "!", "no event ''" },
	{ "source", "l1d-cache", "no data source 'l1d-cache'; --source list" },
	{ "el", "4", "--el: '4'" },
	{ "el", "", "--el: ''" },
	{ "min-latency", "-1", "--min-latency" },
	{ "min-latency", "65536", "--min-latency" },
	{ "min-latency", "1,2", "--min-latency" },
	{ "evidence", "guess", "no evidence 'guess'; --evidence list" },
	{ "sock", "1", "no filter called 'sock'" },
};

START_TEST(bad_arguments_are_named)
{
	struct spe_filter *filter;
	struct spe_error error = { .text = "" };

	ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
	ck_assert_int_eq(spe_filter_add(filter, wrong[_i].name, wrong[_i].argument, &error),
			 SPE_INVALID);
	ck_assert_int_eq(error.status, SPE_INVALID);
	ck_assert_msg(strstr(error.text, wrong[_i].says) != NULL, "%s", error.text);
	spe_filter_free(filter);
}
END_TEST

/* What only the cores can tell is refused when the filter meets the recording. */
START_TEST(words_no_core_knows_are_named)
{
	static const char *const words[][2] = {
		{ "event", "64" },
		{ "source", "local-chip" },
		{ "source", "70000" },
	};
	struct spe_recording *r = make();

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct spe_filter_bound *bound;
		struct spe_filter *filter;
		struct spe_error error = { .text = "" };

		ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
		ck_assert_int_eq(spe_filter_add(filter, words[i][0], words[i][1], &error), SPE_OK);
		ck_assert_int_eq(spe_filter_bind(filter, r, &bound, &error), SPE_INVALID);
		ck_assert(strstr(error.text, words[i][1]) != NULL);
		ck_assert_ptr_null(bound);
		spe_filter_free(filter);
	}
	fake_free(r);
}
END_TEST

/* What is listed is taken. */
START_TEST(names_that_are_listed_are_taken)
{
	static const char *const filters[] = { "op", "event", "source", "evidence" };
	char value[48];
	const char *help;

	for (size_t f = 0; f < sizeof(filters) / sizeof(filters[0]); f++) {
		struct spe_filter *filter;
		unsigned n = 0;

		ck_assert_int_eq(spe_filter_new(&filter), SPE_OK);
		for (; !spe_filter_value(filters[f], n, value, sizeof(value), &help); n++) {
			ck_assert_ptr_nonnull(help);
			ck_assert_int_eq(spe_filter_add(filter, filters[f], value, NULL), SPE_OK);
		}
		ck_assert_uint_ge(n, 8);
		ck_assert_int_eq(spe_filter_value(filters[f], n, value, sizeof(value), &help),
				 SPE_END);
		spe_filter_free(filter);
	}
	ck_assert_int_eq(spe_filter_value("pid", 0, value, sizeof(value), &help), SPE_INVALID);
	ck_assert_int_eq(spe_filter_value("evidence", 1, value, 4, &help), SPE_OK);
	ck_assert_str_eq(value, "con");
}
END_TEST

#define LISTED(list, name) spe_names_have(&(list), name, strlen(name))

/* Whatever a core calls its sources and events, and each operation, is listed. */
START_TEST(names_of_all_cores_are_listed)
{
	static const unsigned implementers[] = { 0x41, 0x48, 0x4e, 0x6d, 0xc0 };
	static struct spe_names names, sources;

	ck_assert(spe_filter_names_of("op", &names));
	for (unsigned i = 0; i < 1024; i++)
		ck_assert(LISTED(names, spe_op_name(i / 256, i % 256)));
	ck_assert(spe_filter_names_of("event", &names));
	ck_assert(spe_filter_names_of("source", &sources));
	for (unsigned i = 0; i < 5 * 4096; i++) {
		uint64_t midr = (uint64_t)implementers[i / 4096] << 24 | i % 4096 << 4;

		if (!spe_midr_name(midr))
			continue;
		for (unsigned bit = 0; bit < 64; bit++)
			ck_assert(!spe_event_name(bit, midr) ||
				  LISTED(names, spe_event_name(bit, midr)));
		for (unsigned value = 0; value < 256; value++) {
			const struct spe_data_source *s = spe_data_source_lookup(midr, value);

			ck_assert(!s || LISTED(sources, s->name));
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink-filter");
	TCase *tc = tcase_create("filter");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, each_name_does_what_it_says, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tc, names_are_anded_arguments_are_ored);
	tcase_add_loop_test(tc, bad_arguments_are_named, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tc, words_no_core_knows_are_named);
	tcase_add_test(tc, names_that_are_listed_are_taken);
	tcase_add_test(tc, names_of_all_cores_are_listed);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
