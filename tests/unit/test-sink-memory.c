/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory view: its keys, its columns against a plain recomputation, its trees. */
#include "../../perf-arm-spe/sink/events.h"
#include "../../perf-arm-spe/sink/histogram.h"
#include "report-run.h"

#define N1 0x413fd0c1u

/* ---- the histogram ----------------------------------------------------- */

static int number_compare(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The least of sorted values that `percent` of them do not exceed. */
static uint16_t plain_quantile(const uint16_t *sorted, size_t count, unsigned percent)
{
	size_t i = 0;

	while ((i + 1) * 100 < count * percent)
		i++;
	return sorted[i];
}

START_TEST(histograms_are_exact)
{
	static const unsigned spreads[] = { 1, 2, 30, 4096, 65536 };
	uint16_t *values = malloc(50000 * sizeof(*values));
	uint32_t seed = 5;

	for (size_t count = 1; count < 50000; count = count * 7 / 2 + 1) {
		unsigned spread = spreads[count % 5];
		struct spe_histogram h = { 0 }, half = { 0 };
		uint64_t sum = 0;
		uint16_t got;

		for (size_t i = 0; i < count; i++) {
			values[i] = (uint16_t)(fake_random(&seed) % spread);
			sum += values[i];
			must(spe_histogram_add(i % 2 ? &h : &half, values[i], 1) == SPE_OK);
		}
		ck_assert_int_eq(spe_histogram_merge(&h, &half), SPE_OK);
		spe_histogram_fini(&half);
		spe_histogram_freeze(&h);
		qsort(values, count, sizeof(*values), number_compare);
		ck_assert_uint_eq(h.samples, count);
		ck_assert_uint_eq(h.sum, sum);
		for (unsigned percent = 1; percent <= 100; percent++) {
			ck_assert(spe_histogram_quantile(&h, percent, &got));
			ck_assert_uint_eq(got, plain_quantile(values, count, percent));
		}
		spe_histogram_fini(&h);
	}
	free(values);
}
END_TEST

START_TEST(an_empty_histogram_has_no_quantile)
{
	struct spe_histogram h = { 0 };
	uint16_t value;

	spe_histogram_freeze(&h);
	ck_assert(!spe_histogram_quantile(&h, 50, &value));
	spe_histogram_fini(&h);
}
END_TEST

/* ---- keys -------------------------------------------------------------- */

#define MEM SPE_HAS_OP | SPE_HAS_EVENTS
#define ALL SPE_HAS_ALL
#define L1D SPE_EV_L1D_ACCESS
#define L1M SPE_EV_L1D_ACCESS | SPE_EV_L1D_REFILL
#define LLC SPE_EV_LLC_ACCESS
#define LLM SPE_EV_LLC_ACCESS | SPE_EV_LLC_REFILL

/* One sample and what each key says of it. */
static const struct {
	uint32_t present;
	uint8_t op_class;
	uint32_t events;
	uint16_t source;
	const char *level, *snoop, *remote, *miss, *tlb, *alignment;
} met[] = {
	{ ALL, 1, L1D | SPE_EV_TLB_ACCESS, 0, "L1", "none", "local", "none", "hit", "aligned" },
	{ ALL, 1, L1M, 8, "L2", "none", "local", "l1d", "N/A", "aligned" },
	{ ALL, 1, L1M | LLC, 9, "L2", "peer", "local", "l1d", "N/A", "aligned" },
	{ ALL, 1, L1M | LLC, 11, "L3", "hit", "local", "l1d", "N/A", "aligned" },
	{ ALL, 1, LLM, 14, "DRAM", "none", "local", "llc", "N/A", "aligned" },
	{ ALL, 1, LLM, 13, "LLC miss", "peer", "remote", "llc", "N/A", "aligned" },
	{ ALL, 1, L1M | SPE_EV_HITM, 9, "L2", "hitm", "local", "l1d", "N/A", "aligned" },
	{ MEM, 1, L1D, 0, "L1", "N/A", "local", "none", "N/A", "aligned" },
	{ MEM, 1, L1M, 0, "L1 miss", "N/A", "local", "l1d", "N/A", "aligned" },
	{ MEM, 1, L1M | SPE_EV_L2D_ACCESS, 0, "L2", "N/A", "local", "l1d", "N/A", "aligned" },
	{ MEM, 1, L1M | LLC | SPE_EV_L2D_ACCESS | SPE_EV_L2D_MISS, 0, "L3", "N/A", "local", "l2d",
	  "N/A", "aligned" },
	{ MEM, 1, LLM | SPE_EV_REMOTE, 0, "LLC miss", "N/A", "remote", "llc", "N/A", "aligned" },
	{ MEM, 1, L1D | SPE_EV_SNOOPED, 0, "L1", "hit", "local", "none", "N/A", "aligned" },
	{ MEM, 1, SPE_EV_TLB_ACCESS | SPE_EV_TLB_REFILL | SPE_EV_MISALIGNED, 0, "N/A", "N/A",
	  "local", "N/A", "walk", "misaligned" },
	{ MEM, 2, L1M | LLM | SPE_EV_MISALIGNED | SPE_EV_TLB_REFILL, 0, "N/A", "N/A", "N/A", "N/A",
	  "N/A", "N/A" },
	{ SPE_HAS_OP, 1, 0, 0, "N/A", "N/A", "N/A", "N/A", "N/A", "N/A" },
	{ 0, 1, 0, 0, "N/A", "N/A", "N/A", "N/A", "N/A", "N/A" },
	{ ALL, 1, L1D, 77, "L1", "N/A", "local", "none", "N/A", "aligned" },
};

static struct spe_recording *one(struct spe_sample sample)
{
	struct spe_sample *samples = malloc(sizeof(*samples));
	struct spe_recording *r;

	samples[0] = sample;
	r = fake_new(samples, 1, 1, 1, 1);
	r->infos[0].midr = N1;
	return r;
}

static void says(const struct spe_recording *r, const char *key, const char *want)
{
	char line[100];

	(void)report(r, (struct spe_report_opts){ .sort = key, .no_header = true },
		     (struct spe_run_opts){ .threads = 1 });
	snprintf(line, sizeof(line), "   100.00%%  %s\n", want);
	ck_assert_msg(strcmp(output, line) == 0, "case %d, %s: '%s', not '%s'", 0, key, output,
		      line);
}

START_TEST(keys_tell_what_an_access_met)
{
	struct spe_sample s = { .pid = 1, .tid = 1 };
	struct spe_recording *r;

	s.record.present = met[_i].present;
	s.record.op_class = met[_i].op_class;
	s.record.events = met[_i].events;
	s.record.events_bytes = 4;
	s.record.data_source = met[_i].source;
	r = one(s);
	says(r, "level", met[_i].level);
	says(r, "snoop", met[_i].snoop);
	says(r, "remote", met[_i].remote);
	says(r, "miss", met[_i].miss);
	says(r, "tlb", met[_i].tlb);
	says(r, "alignment", met[_i].alignment);
	fake_free(r);
}
END_TEST

START_TEST(addresses_fall_into_lines_and_pages)
{
	struct spe_sample s = { .pid = 1, .tid = 1 };
	struct spe_recording *r;

	s.record.present = SPE_HAS_PC | SPE_HAS_VA | SPE_HAS_PA;
	s.record.pc = 0xffff800010001234u;
	s.record.va = 0xffff0000deadbeefu;
	s.record.pa = 0x00812345678fffu;
	r = one(s);
	says(r, "ip", "0xffff800010001234");
	says(r, "daddr", "0xffff0000deadbeef");
	says(r, "dcacheline", "0xffff0000deadbec0");
	says(r, "phys_daddr", "0x812345678fff");
	says(r, "phys_line", "0x812345678fc0");
	says(r, "phys_page", "0x812345678000");
	fake_free(r);
	s.record.present = 0;
	r = one(s);
	says(r, "ip", "N/A");
	says(r, "phys_page", "N/A");
	fake_free(r);
}
END_TEST

START_TEST(latencies_fall_into_powers_of_two)
{
	static const struct {
		uint16_t cycles;
		const char *row;
	} cases[] = {
		{ 0, "0" },   { 1, "1" },        { 2, "2-3" },       { 3, "2-3" },
		{ 4, "4-7" }, { 127, "64-127" }, { 128, "128-255" }, { 65535, "32768-65535" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spe_sample s = { .pid = 1, .tid = 1 };
		struct spe_recording *r;

		s.record.present = SPE_HAS_TOTAL_LATENCY | SPE_HAS_XLAT_LATENCY;
		s.record.total_latency_cycles = s.record.xlat_latency_cycles = cases[i].cycles;
		r = one(s);
		says(r, "latency", cases[i].row);
		says(r, "xlat_lat", cases[i].row);
		says(r, "issue_lat", "N/A");
		fake_free(r);
	}
}
END_TEST

/* ---- columns ----------------------------------------------------------- */

#define SAMPLES 30000u
#define PIDS 5u

static struct spe_recording *many(void)
{
	struct spe_sample *samples = calloc(SAMPLES, sizeof(*samples));
	struct spe_recording *r;
	uint32_t seed = 77;

	for (size_t i = 0; i < SAMPLES; i++) {
		struct spe_sample *s = &samples[i];

		s->stream = (uint32_t)(i * 3 / SAMPLES);
		s->cpu = (int32_t)s->stream;
		s->pid = s->tid = (int32_t)(fake_random(&seed) % PIDS);
		s->record.present = SPE_HAS_OP | SPE_HAS_EVENTS | SPE_HAS_TOTAL_LATENCY |
				    SPE_HAS_ISSUE_LATENCY | SPE_HAS_XLAT_LATENCY;
		if (fake_random(&seed) % 4 == 0 || s->pid == 4)
			s->record.present &= ~(uint32_t)SPE_HAS_XLAT_LATENCY;
		s->record.op_class = (uint8_t)(fake_random(&seed) % 3);
		s->record.events = fake_random(&seed) % 2048;
		s->record.events_bytes = 2;
		s->record.total_latency_cycles =
			(uint16_t)(fake_random(&seed) % (100u << 2 * s->pid));
		s->record.issue_latency_cycles = (uint16_t)(fake_random(&seed) % 7);
		if (s->record.present & SPE_HAS_XLAT_LATENCY)
			s->record.xlat_latency_cycles = (uint16_t)(fake_random(&seed));
	}
	r = fake_new(samples, SAMPLES, 3, 500, 1);
	return r;
}

enum { TOTAL, ISSUE, XLAT };

static bool latency_of(const struct spe_record *r, int which, uint16_t *cycles)
{
	*cycles = which == TOTAL   ? r->total_latency_cycles
		  : which == ISSUE ? r->issue_latency_cycles
				   : r->xlat_latency_cycles;
	return r->present & (which == TOTAL   ? SPE_HAS_TOTAL_LATENCY
			     : which == ISSUE ? SPE_HAS_ISSUE_LATENCY
					      : SPE_HAS_XLAT_LATENCY);
}

/* ",avg,p50,p99,max" of a process, worked out the long way. */
static void plain_latency(const struct spe_recording *r, int pid, int which, bool memory, char *to)
{
	uint16_t *values = malloc(SAMPLES * sizeof(*values));
	size_t count = 0;
	double sum = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct spe_sample *s = &r->samples[i];

		if (s->pid != pid || (memory && s->record.op_class != 1) ||
		    !latency_of(&s->record, which, &values[count]))
			continue;
		sum += values[count++];
	}
	qsort(values, count, sizeof(*values), number_compare);
	if (count)
		snprintf(to, 100, ",%.1f,%u,%u,%u", sum / (double)count,
			 plain_quantile(values, count, 50), plain_quantile(values, count, 99),
			 values[count - 1]);
	else
		snprintf(to, 100, ",,,,");
	free(values);
}

/* The line of a process in the CSV: it ends in ",PID,NAME". */
static const char *csv_line(int pid, char *to, size_t room)
{
	for (char *line = strchr(output, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		size_t n = (size_t)(strchr(line, '\n') - line);
		char *at;

		must(n < room);
		memcpy(to, line, n);
		to[n] = '\0';
		for (at = strrchr(to, ',') - 1; *at != ',';)
			at--;
		if (strtol(at + 1, NULL, 10) == pid)
			return to;
	}
	ck_abort_msg("no line of pid %d", pid);
	return NULL;
}

static void check_pid(const struct spe_recording *r, int pid, bool memory)
{
	uint64_t samples = 0, l1d = 0, llc = 0, walk = 0, remote = 0, misaligned = 0;
	char line[500], want[500], part[3][100];

	for (size_t i = 0; i < r->count; i++) {
		const struct spe_record *s = &r->samples[i].record;

		if (r->samples[i].pid != pid || (memory && s->op_class != 1))
			continue;
		samples++;
		l1d += s->events >> 3 & 1;
		llc += s->events >> 9 & 1;
		walk += s->events >> 5 & 1;
		remote += s->events >> 10 & 1;
		misaligned += s->events >> 11 & 1;
	}
	for (int which = TOTAL; which <= XLAT; which++)
		plain_latency(r, pid, which, memory, part[which]);
	csv_line(pid, line, sizeof(line));
	snprintf(want, sizeof(want), "%lu%s%s%s,%lu,%lu,%lu,%lu,%lu,", samples, part[0], part[1],
		 part[2], l1d, llc, walk, remote, misaligned);
	ck_assert_msg(strncmp(strchr(line, ',') + 1, want, strlen(want)) == 0, "'%s' has not '%s'",
		      line, want);
}

START_TEST(columns_equal_a_plain_recomputation)
{
	static const char fields[] = "latency,issue-latency,xlat-latency,l1d-miss,llc-miss,"
				     "tlb-walk,remote,misaligned";
	struct spe_recording *r = many();

	for (unsigned i = 0; i < 4; i++) {
		struct spe_report_opts opts = {
			.sort = "pid", .fields = fields, .format = SPE_FORMAT_CSV, .mem = i % 2
		};

		r->max_step = i > 1 ? 77 : 0;
		(void)report(r, opts, (struct spe_run_opts){ .threads = 1 + i });
		ck_assert_ptr_nonnull(strstr(output, "overhead,samples,latency_avg,latency_p50,"
						     "latency_p99,latency_max,issue_latency_avg"));
		for (int pid = 0; pid < (int)PIDS; pid++)
			check_pid(r, pid, i % 2);
	}
	fake_free(r);
}
END_TEST

START_TEST(weight_adds_latencies)
{
	struct spe_recording *r = many();
	uint64_t sums[PIDS] = { 0 }, total = 0;
	char line[200], want[200];

	for (size_t i = 0; i < r->count; i++) {
		sums[r->samples[i].pid] += r->samples[i].record.total_latency_cycles;
		total += r->samples[i].record.total_latency_cycles;
	}
	(void)report(r,
		     (struct spe_report_opts){
			     .sort = "pid", .weight = "latency", .format = SPE_FORMAT_CSV },
		     (struct spe_run_opts){ .threads = 2 });
	for (int pid = 0; pid < (int)PIDS; pid++) {
		csv_line(pid, line, sizeof(line));
		snprintf(want, sizeof(want), "%.2f,", 100.0 * (double)sums[pid] / (double)total);
		ck_assert_int_eq(strncmp(line, want, strlen(want)), 0);
		snprintf(want, sizeof(want), ",%lu,%d,", sums[pid], pid);
		ck_assert_ptr_nonnull(strstr(line, want));
	}
	fake_free(r);
}
END_TEST

/* ---- trees ------------------------------------------------------------- */

static const char *const comms[] = { "alpha", "beta", "worker" };
static const struct fake_task tasks[] = { { 10, 10, 0, 0 }, { 20, 20, 1, 1 }, { 21, 20, 2, 1 } };

static struct spe_recording *family(void)
{
	static const struct {
		int32_t cpu, pid, tid;
		uint32_t comm;
		uint16_t latency;
		uint8_t op_class;
	} lines[] = {
		{ 0, 10, 10, 0, 4, 1 },  { 0, 20, 20, 1, 6, 1 },  { 0, 20, 21, 2, 8, 1 },
		{ 0, 20, 21, 2, 10, 2 }, { 1, 20, 21, 2, 30, 1 }, { 1, 10, 10, 0, 2, 0 },
	};
	size_t n = sizeof(lines) / sizeof(lines[0]);
	struct spe_sample *samples = calloc(n, sizeof(*samples));
	struct spe_recording *r;

	for (size_t i = 0; i < n; i++) {
		samples[i].stream = (uint32_t)lines[i].cpu;
		samples[i].cpu = lines[i].cpu;
		samples[i].pid = lines[i].pid;
		samples[i].tid = lines[i].tid;
		samples[i].comm = lines[i].comm;
		samples[i].evidence = SPE_EVIDENCE_CONTEXT;
		samples[i].record.present = SPE_HAS_OP | SPE_HAS_TOTAL_LATENCY;
		samples[i].record.total_latency_cycles = lines[i].latency;
		samples[i].record.op_class = lines[i].op_class;
	}
	r = fake_new(samples, n, 2, 10, 1);
	r->comms = comms;
	r->comm_count = 3;
	r->tasks = tasks;
	r->task_count = 3;
	return r;
}

static const struct {
	struct spe_report_opts opts;
	const char *text;
} trees[] = {
	{ { .sort = "pid,tid,cpu", .hierarchy = true, .fields = "samples,latency-avg,latency-max" },
	  "#\n"
	  "# Samples: 6  of event 'arm_spe_0/ts_enable=1/'\n"
	  "# Event count (approx.): 6\n"
	  "#\n"
	  "#       Overhead       Samples     Lat avg    Lat max  Pid:Command / Tid:Command / CPU\n"
	  "# ..............  ............  ..........  .........  ...............................\n"
	  "#\n"
	  "    66.67%                   4        13.5         30  20:beta\n"
	  "       50.00%                3        16.0         30    21:worker\n"
	  "          33.33%             2         9.0         10      000\n"
	  "          16.67%             1        30.0         30      001\n"
	  "       16.67%                1         6.0          6    20:beta\n"
	  "          16.67%             1         6.0          6      000\n"
	  "    33.33%                   2         3.0          4  10:alpha\n"
	  "       33.33%                2         3.0          4    10:alpha\n"
	  "          16.67%             1         4.0          4      000\n"
	  "          16.67%             1         2.0          2      001\n"
	  "#\n"
	  "# Records: 6 decoded, 0 dropped\n" },
	{ { .sort = "pid,op", .group_by = "cpu", .no_header = true, .percent_limit = 20 },
	  "    66.67%     000\n"
	  "       33.33%         20:beta     load\n"
	  "    33.33%     001\n" },
	{ { .sort = "pid,tid", .group_by = "cpu", .hierarchy = true, .separator = ";" },
	  "#\n"
	  "# Samples: 6  of event 'arm_spe_0/ts_enable=1/'\n"
	  "# Event count (approx.): 6\n"
	  "#\n"
	  "# Overhead;CPU;Pid:Command;Tid:Command\n"
	  "33.33%;000;20:beta;21:worker\n"
	  "16.67%;000;20:beta;20:beta\n"
	  "16.67%;000;10:alpha;10:alpha\n"
	  "16.67%;001;10:alpha;10:alpha\n"
	  "16.67%;001;20:beta;21:worker\n"
	  "#\n"
	  "# Records: 6 decoded, 0 dropped\n" },
	{ { .mem = true },
	  "#\n"
	  "# Samples: 4  of event 'arm_spe_0/ts_enable=1/' (loads and stores; 2 others left out)\n"
	  "# Event count (approx.): 4\n"
	  "#\n"
	  "# Overhead       Samples     Lat avg    Lat p50    Lat p99    Lat max  L1D miss  LLC "
	  "miss"
	  "  TLB walk    Remote      Pid:Command  Level\n"
	  "# ........  ............  ..........  .........  .........  .........  ........  "
	  "........"
	  "  ........  ........  ...............  .....\n"
	  "#\n"
	  "    75.00%             3        14.7          8         30         30     0.00%     "
	  "0.00%"
	  "     0.00%     0.00%       20:beta     N/A\n"
	  "    25.00%             1         4.0          4          4          4     0.00%     "
	  "0.00%"
	  "     0.00%     0.00%       10:alpha    N/A\n"
	  "#\n"
	  "# Records: 6 decoded, 0 dropped\n" },
};

START_TEST(trees_to_the_letter)
{
	struct spe_recording *r = family();

	for (unsigned i = 1; i < 4; i++) {
		(void)report(r, trees[_i].opts, (struct spe_run_opts){ .threads = i });
		ck_assert_str_eq(output, trees[_i].text);
	}
	fake_free(r);
}
END_TEST

START_TEST(a_tree_in_json_nests)
{
	struct spe_recording *r = family();
	char *end;

	(void)report(r,
		     (struct spe_report_opts){ .sort = "cpu,pid,tid",
					       .hierarchy = true,
					       .percent_limit = 30,
					       .format = SPE_FORMAT_JSON },
		     (struct spe_run_opts){ .threads = 1 });
	end = strstr(output, "  \"accounting\"");
	ck_assert_ptr_nonnull(end);
	*end = '\0';
	ck_assert_str_eq(
		output,
		"{\n"
		"  \"sort\": \"cpu,pid,tid\",\n"
		"  \"weight\": \"samples\",\n"
		"  \"samples\": 6,\n"
		"  \"total\": 6,\n"
		"  \"rows\": [\n"
		"    {\n"
		"      \"overhead\": 66.67,\n"
		"      \"samples\": 4,\n"
		"      \"cpu\": 0,\n"
		"      \"rows\": [\n"
		"        {\n"
		"          \"overhead\": 50.00,\n"
		"          \"samples\": 3,\n"
		"          \"pid\": 20,\n"
		"          \"process\": \"beta\",\n"
		"          \"rows\": [\n"
		"            {\"overhead\": 33.33, \"samples\": 2, \"tid\": 21, \"thread\": "
		"\"worker\"}\n"
		"          ]\n"
		"        }\n"
		"      ]\n"
		"    },\n"
		"    {\n"
		"      \"overhead\": 33.33,\n"
		"      \"samples\": 2,\n"
		"      \"cpu\": 1,\n"
		"      \"rows\": []\n"
		"    }\n"
		"  ],\n"
		"  \"hidden_rows\": 4,\n"
		"  \"hidden_samples\": 4,\n");
	fake_free(r);
}
END_TEST

START_TEST(columns_are_listed)
{
	struct spe_recording *r = family();
	const char *name, *help;
	unsigned n = 0;

	for (; spe_report_column(n, &name, &help) == SPE_OK; n++) {
		ck_assert_uint_gt(strlen(help), 0);
		(void)report(r, (struct spe_report_opts){ .fields = name },
			     (struct spe_run_opts){ 0 });
	}
	ck_assert_uint_ge(n, 18);
	fake_free(r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink-memory");
	TCase *tc = tcase_create("memory");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, histograms_are_exact);
	tcase_add_test(tc, an_empty_histogram_has_no_quantile);
	tcase_add_loop_test(tc, keys_tell_what_an_access_met, 0, sizeof(met) / sizeof(met[0]));
	tcase_add_test(tc, addresses_fall_into_lines_and_pages);
	tcase_add_test(tc, latencies_fall_into_powers_of_two);
	tcase_add_test(tc, columns_equal_a_plain_recomputation);
	tcase_add_test(tc, weight_adds_latencies);
	tcase_add_loop_test(tc, trees_to_the_letter, 0, sizeof(trees) / sizeof(trees[0]));
	tcase_add_test(tc, a_tree_in_json_nests);
	tcase_add_test(tc, columns_are_listed);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
