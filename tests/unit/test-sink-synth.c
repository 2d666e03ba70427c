/* SPDX-License-Identifier: GPL-2.0-only */
/* --itrace letters, and what they make of a record. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-arm-spe/sink/itrace.h"

#define EV(name) (1u << SPE_SYNTH_##name)
#define ALL ((1u << SPE_SYNTH_EVENTS) - 1)
#define MIDR_N1 0x413fd0c1u
#define MIDR_UNKNOWN 0x000f0510u

/* ---- letters ------------------------------------------------------------------- */

static const struct {
	const char *letters;
	uint32_t events, period, last_branch, branch_flags;
} good[] = {
	{ "", ALL, 1, 0, 0 },
	{ "i", EV(INSTRUCTIONS), 1, 0, 0 },
	{ "i1i", EV(INSTRUCTIONS), 1, 0, 0 },
	{ "i1000i", EV(INSTRUCTIONS), 1000, 0, 0 },
	{ "i0i", EV(INSTRUCTIONS), 1, 0, 0 },
	{ "i1073741824i", EV(INSTRUCTIONS), SPE_ITRACE_PERIOD_MAX, 0, 0 },
	{ "i100", EV(INSTRUCTIONS), 100, 0, 0 },
	{ "f", EV(L1D_MISS) | EV(L1D_ACCESS), 1, 0, 0 },
	{ "m", EV(LLC_MISS) | EV(LLC_ACCESS), 1, 0, 0 },
	{ "t", EV(TLB_MISS) | EV(TLB_ACCESS), 1, 0, 0 },
	{ "a", EV(REMOTE_ACCESS), 1, 0, 0 },
	{ "M", EV(MEMORY), 1, 0, 0 },
	{ "b", EV(BRANCH), 1, 0, 0 },
	{ "c", EV(BRANCH), 1, 0, SPE_BRANCH_CALL },
	{ "cr", EV(BRANCH), 1, 0, SPE_BRANCH_CALL | SPE_BRANCH_RETURN },
	{ "cb", EV(BRANCH), 1, 0, 0 },
	{ "bl", EV(BRANCH), 1, 2, 0 },
	{ "bl1", EV(BRANCH), 1, 1, 0 },
	{ "bL64", EV(BRANCH), 1, 2, 0 },
	/* perf's own default for SPE, other traces' letters and all */
	{ "bxofmtMai100i", ALL, 100, 0, 0 },
	{ "b,g16 i2i", EV(BRANCH) | EV(INSTRUCTIONS), 2, 0, 0 },
	{ "e+o-ld+a-cs10qqAZTyM", EV(MEMORY), 1, 0, 0 },
};

START_TEST(test_letters)
{
	struct spe_itrace itrace;

	ck_assert_int_eq(spe_itrace_parse(good[_i].letters, &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(itrace.events, good[_i].events);
	ck_assert_uint_eq(itrace.period, good[_i].period);
	ck_assert_uint_eq(itrace.last_branch, good[_i].last_branch);
	ck_assert_uint_eq(itrace.branch_flags, good[_i].branch_flags);
}
END_TEST

START_TEST(test_no_letters)
{
	struct spe_itrace itrace;

	ck_assert_int_eq(spe_itrace_parse(NULL, &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(itrace.events, ALL);
}
END_TEST

static const char *const bad[] = {
	"z",      "i10us",   "i10ms", "i10ns",        "i5t",
	"bi1ix?", "\x1b[2J", "9",     "i1073741825i", "i99999999999999999999i"
};

START_TEST(test_bad_letters)
{
	struct spe_itrace itrace;
	struct spe_error error = { .status = 0 };

	ck_assert_int_eq(spe_itrace_parse(bad[_i], &itrace, &error), SPE_INVALID);
	ck_assert_int_eq(error.status, SPE_INVALID);
	ck_assert_msg(error.text[0] && !strchr(error.text, 0x1b), "%s", error.text);
}
END_TEST

/* ---- events of a record ---------------------------------------------------------- */

static struct spe_record record_of(unsigned op_class, unsigned payload, uint64_t events)
{
	return (struct spe_record){
		.present = SPE_HAS_OP | SPE_HAS_EVENTS | SPE_HAS_PC,
		.op_class = (uint8_t)op_class,
		.op_payload = (uint8_t)payload,
		.events = events,
		.pc = 0x400100,
	};
}

static const struct {
	unsigned op_class, payload;
	uint64_t events;
	uint32_t want;
} records[] = {
	{ SPE_OP_OTHER, 0, 0x2, 0 },
	{ SPE_OP_LOAD_STORE, 0, 0x2, EV(MEMORY) },
	{ SPE_OP_LOAD_STORE, 1, 0x16, EV(MEMORY) | EV(L1D_ACCESS) | EV(TLB_ACCESS) },
	{ SPE_OP_LOAD_STORE, 0, 0x73e,
	  EV(MEMORY) | EV(L1D_ACCESS) | EV(L1D_MISS) | EV(TLB_ACCESS) | EV(TLB_MISS) |
		  EV(LLC_ACCESS) | EV(LLC_MISS) | EV(REMOTE_ACCESS) },
	/* BL, RET and SVE arithmetic: perf 7.3 makes "memory" of them, they are none */
	{ SPE_OP_BRANCH, 0x08, 0x2, EV(BRANCH) },
	{ SPE_OP_BRANCH, 0x12, 0x2, EV(BRANCH) },
	{ SPE_OP_OTHER, 0x2a, 0x2, 0 },
	/* bits of other events */
	{ SPE_OP_OTHER, 0, ~0x73cull, 0 },
};

START_TEST(test_events)
{
	struct spe_record record =
		record_of(records[_i].op_class, records[_i].payload, records[_i].events);
	struct spe_itrace itrace;

	ck_assert_uint_eq(spe_synth_events(&record), records[_i].want | EV(INSTRUCTIONS));
	ck_assert_int_eq(spe_itrace_parse("", &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &record), records[_i].want | EV(INSTRUCTIONS));
	ck_assert_int_eq(spe_itrace_parse("ft", &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &record),
			  records[_i].want &
				  (EV(L1D_MISS) | EV(L1D_ACCESS) | EV(TLB_MISS) | EV(TLB_ACCESS)));
}
END_TEST

START_TEST(test_absent_op)
{
	struct spe_record record = { .op_class = SPE_OP_LOAD_STORE };
	uint64_t addr;

	ck_assert_uint_eq(spe_synth_events(&record), EV(INSTRUCTIONS));
	ck_assert_uint_eq(spe_synth_data_src(&record, MIDR_N1), 0);
	ck_assert_uint_eq(spe_synth_branch_flags(&record), 0);
	ck_assert(!spe_synth_addr(&record, &addr));
}
END_TEST

START_TEST(test_branch_letters)
{
	struct spe_record call = record_of(SPE_OP_BRANCH, 0x08, 2);
	struct spe_record ret = record_of(SPE_OP_BRANCH, 0x12, 2);
	struct spe_record jump = record_of(SPE_OP_BRANCH, 0x02, 2);
	struct spe_itrace itrace;

	ck_assert_int_eq(spe_itrace_parse("c", &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &call), EV(BRANCH));
	ck_assert_uint_eq(spe_itrace_select(&itrace, &ret), 0);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &jump), 0);
	ck_assert_int_eq(spe_itrace_parse("r", &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &call), 0);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &ret), EV(BRANCH));
	ck_assert_int_eq(spe_itrace_parse("b", &itrace, NULL), SPE_OK);
	ck_assert_uint_eq(spe_itrace_select(&itrace, &jump), EV(BRANCH));
}
END_TEST

START_TEST(test_names)
{
	ck_assert_str_eq(spe_synth_name(SPE_SYNTH_L1D_MISS), "l1d-miss");
	ck_assert_str_eq(spe_synth_name(SPE_SYNTH_REMOTE_ACCESS), "remote-access");
	ck_assert_str_eq(spe_synth_name(SPE_SYNTH_INSTRUCTIONS), "instructions");
	ck_assert_str_eq(spe_synth_name(SPE_SYNTH_EVENTS), "?");
}
END_TEST

START_TEST(test_addr)
{
	struct spe_record load = record_of(SPE_OP_LOAD_STORE, 0, 2);
	struct spe_record branch = record_of(SPE_OP_BRANCH, 0, 2);
	uint64_t addr;

	ck_assert(!spe_synth_addr(&load, &addr));
	load.present |= SPE_HAS_VA | SPE_HAS_TARGET;
	load.va = 0xfffffc34c500;
	load.target = 0x1234;
	ck_assert(spe_synth_addr(&load, &addr));
	ck_assert_uint_eq(addr, 0xfffffc34c500);
	ck_assert(!spe_synth_addr(&branch, &addr));
	branch.present |= SPE_HAS_VA | SPE_HAS_TARGET;
	branch.va = 0x1234;
	branch.target = 0x400900;
	ck_assert(spe_synth_addr(&branch, &addr));
	ck_assert_uint_eq(addr, 0x400900);
}
END_TEST

/* ---- data_src ------------------------------------------------------------------------ */

/* The words perf 7.3 gives, but for the absent source on a known core (line "L1 hit from"). */
static const struct {
	uint32_t midr;
	unsigned payload; /* of a load or store */
	uint64_t events;
	int source; /* -1: no packet */
	uint64_t want;
} data_srcs[] = {
	/* a core without a table: events alone */
	{ MIDR_UNKNOWN, 0, 0x2, -1, 0x1e00080022 }, /* nothing known */
	{ MIDR_UNKNOWN, 1, 0x2, -1, 0x1e00080024 }, /* the same, stored */
	{ MIDR_UNKNOWN, 0, 0x16, -1, 0x288080142 }, /* L1 hit */
	{ MIDR_UNKNOWN, 1, 0x16, -1, 0x288080144 },
	{ MIDR_UNKNOWN, 0, 0x1e, -1, 0x288080182 }, /* L1 miss */
	{ MIDR_UNKNOWN, 1, 0x1e, -1, 0x288080184 },
	{ MIDR_UNKNOWN, 0, 0x31e, -1, 0x688080882 }, /* L3 miss */
	{ MIDR_UNKNOWN, 1, 0x31e, -1, 0x688080884 },
	{ MIDR_UNKNOWN, 0, 0x71e, -1, 0x2688080882 },    /* L3 miss, remote */
	{ MIDR_UNKNOWN, 0, 0x3e, -1, 0x290080182 },      /* TLB walk */
	{ MIDR_UNKNOWN, 0, 0x880016, -1, 0x288200142 },  /* snooped; nearest hit for a load */
	{ MIDR_UNKNOWN, 1, 0x880016, -1, 0x488200444 },  /* farthest level for a store */
	{ MIDR_UNKNOWN, 0, 0xa00016, -1, 0x288800142 },  /* hit-modified */
	{ MIDR_UNKNOWN, 1, 0x180016, -1, 0x488080484 },  /* L2 miss */
	{ MIDR_UNKNOWN, 0, 0x8011e, -1, 0x488080442 },   /* L2 hit */
	{ MIDR_UNKNOWN, 1, 0x8011e, -1, 0x688080844 },   /* L3 hit */
	{ MIDR_UNKNOWN, 0, 0x40000a, -1, 0x1800080242 }, /* line fill buffer */
	{ MIDR_UNKNOWN, 1, 0x40000a, -1, 0x200080184 },  /* which serves no store */
	{ MIDR_UNKNOWN, 0, 0x302, -1, 0x600080882 },
	{ MIDR_UNKNOWN, 0, 0x16, 8, 0x288080142 }, /* a source nobody can read */
	/* Neoverse N1: the packet, where there is one */
	{ MIDR_N1, 0, 0x16, 0, 0x288100142 },
	{ MIDR_N1, 0, 0x16, 8, 0x488100442 },
	{ MIDR_N1, 0, 0x16, 9, 0x8488080442 },
	{ MIDR_N1, 0, 0x16, 10, 0x8688080842 },
	{ MIDR_N1, 0, 0x16, 11, 0x688200842 },
	{ MIDR_N1, 0, 0x16, 12, 0x8688080842 },
	{ MIDR_N1, 0, 0x16, 13, 0xbe88080022 },
	{ MIDR_N1, 0, 0x16, 14, 0x1a88101042 },
	{ MIDR_N1, 0, 0x16, 3, 0x288080142 },   /* not in the table */
	{ MIDR_N1, 0, 0x31e, -1, 0x688080882 }, /* perf: L1 hit from an absent packet */
	{ MIDR_N1, 1, 0x16, -1, 0x1e88080024 }, /* stores: the table says nothing */
	{ MIDR_N1, 1, 0x71e, -1, 0x3e88080024 },
};

START_TEST(test_data_src)
{
	struct spe_record record =
		record_of(SPE_OP_LOAD_STORE, data_srcs[_i].payload, data_srcs[_i].events);

	if (data_srcs[_i].source >= 0) {
		record.present |= SPE_HAS_DATA_SOURCE;
		record.data_source = (uint16_t)data_srcs[_i].source;
	}
	ck_assert_msg(spe_synth_data_src(&record, data_srcs[_i].midr) == data_srcs[_i].want,
		      "line %d: %llx, expected %llx", _i,
		      (unsigned long long)spe_synth_data_src(&record, data_srcs[_i].midr),
		      (unsigned long long)data_srcs[_i].want);
}
END_TEST

/* ---- branches -------------------------------------------------------------------------- */

static const struct {
	unsigned payload;
	uint64_t events;
	uint32_t flags;
	enum spe_branch_type type;
} branches[] = {
	{ 0x00, 0x2, 0, SPE_BR_UNKNOWN },
	{ 0x01, 0x2, SPE_BRANCH_CONDITIONAL, SPE_BR_COND },
	{ 0x02, 0x2, 0, SPE_BR_IND }, /* BR: perf takes it for a return */
	{ 0x08, 0x2, SPE_BRANCH_CALL, SPE_BR_CALL },
	{ 0x0a, 0x2, SPE_BRANCH_CALL, SPE_BR_CALL },
	{ 0x12, 0x2, SPE_BRANCH_RETURN, SPE_BR_RET },
	{ 0x18, 0x2, 0, SPE_BR_UNCOND },
	{ 0x19, 0x2, SPE_BRANCH_CONDITIONAL, SPE_BR_COND },
	{ 0x1a, 0x2, 0, SPE_BR_IND },
	{ 0x09, 0x2, SPE_BRANCH_CONDITIONAL | SPE_BRANCH_CALL, SPE_BR_COND_CALL },
	{ 0x01, 0x42, SPE_BRANCH_CONDITIONAL | SPE_BRANCH_NOT_TAKEN, SPE_BR_COND },
	{ 0x01, 0x82, SPE_BRANCH_CONDITIONAL | SPE_BRANCH_MISS, SPE_BR_COND },
	{ 0x01, 0x10002, SPE_BRANCH_CONDITIONAL | SPE_BRANCH_IN_TX, SPE_BR_COND },
};

START_TEST(test_branches)
{
	struct spe_record record =
		record_of(SPE_OP_BRANCH, branches[_i].payload, branches[_i].events);
	struct spe_branch_entry entries[SPE_SYNTH_BRANCHES];

	record.present |= SPE_HAS_TARGET | SPE_HAS_TOTAL_LATENCY;
	record.target = 0x400900;
	record.total_latency_cycles = 20;
	ck_assert_uint_eq(spe_synth_branch_flags(&record), branches[_i].flags | SPE_BRANCH_ANY);
	ck_assert_uint_eq(spe_synth_branch_stack(&record, entries), 1);
	ck_assert_uint_eq(entries[0].from, 0x400100);
	ck_assert_uint_eq(entries[0].to, 0x400900);
	ck_assert_uint_eq(entries[0].cycles, 20);
	ck_assert_uint_eq(entries[0].type, branches[_i].type);
	ck_assert_uint_eq(entries[0].mispredicted, (branches[_i].events & 0x80) != 0);
	ck_assert_uint_eq(entries[0].predicted, (branches[_i].events & 0x80) == 0);
	ck_assert_uint_eq(entries[0].not_taken, (branches[_i].events & 0x40) != 0);
	ck_assert_uint_eq(entries[0].in_tx, (branches[_i].events & 0x10000) != 0);
}
END_TEST

START_TEST(test_branch_stack)
{
	struct spe_record load = record_of(SPE_OP_LOAD_STORE, 0, 2);
	struct spe_record branch = record_of(SPE_OP_BRANCH, 0x19, 0xc2);
	struct spe_branch_entry entries[SPE_SYNTH_BRANCHES];

	ck_assert_uint_eq(spe_synth_branch_stack(&load, entries), 0);
	branch.present |= SPE_HAS_PREV_TARGET | SPE_HAS_TARGET;
	branch.prev_target = 0x400700;
	ck_assert_uint_eq(spe_synth_branch_stack(&branch, entries), 2);
	ck_assert_uint_eq(entries[1].from, 0);
	ck_assert_uint_eq(entries[1].to, 0x400700);
	/* mispredicted, no cycles, COND at 20, not taken at 33 */
	ck_assert_uint_eq(spe_synth_branch_word(&entries[0]), 0x200100001);
	ck_assert_uint_eq(spe_synth_branch_word(&entries[1]), 0);
	entries[0] =
		(struct spe_branch_entry){ .cycles = 0xffff, .predicted = true, .in_tx = true };
	ck_assert_uint_eq(spe_synth_branch_word(&entries[0]), 0xffff6);
}
END_TEST

/* ---- cpu mode ---------------------------------------------------------------------------- */

static const struct {
	int el; /* -1: the record does not say */
	uint64_t pc;
	enum spe_guest guest;
	enum spe_host_el host;
	uint16_t want;
} modes[] = {
	{ 0, 0x400100, SPE_GUEST_NO, SPE_HOST_EL1, SPE_MISC_USER },
	{ 1, 0xffff800000001000, SPE_GUEST_NO, SPE_HOST_EL1, SPE_MISC_KERNEL },
	{ 1, 0x1000, SPE_GUEST_NO, SPE_HOST_EL1, SPE_MISC_KERNEL },
	{ 2, 0xffff800000001000, SPE_GUEST_NO, SPE_HOST_EL2, SPE_MISC_KERNEL },
	{ 2, 0x1000, SPE_GUEST_NO, SPE_HOST_EL1, SPE_MISC_HYPERVISOR },
	{ 3, 0x1000, SPE_GUEST_NO, SPE_HOST_EL2, SPE_MISC_HYPERVISOR },
	{ 1, 0xffff800000001000, SPE_GUEST_KERNEL, SPE_HOST_EL2, SPE_MISC_GUEST_KERNEL },
	{ 0, 0x400100, SPE_GUEST_MAYBE, SPE_HOST_EL2, SPE_MISC_USER },
	{ -1, 0xffff80000815c400, SPE_GUEST_NO, SPE_HOST_EL1, SPE_MISC_KERNEL },
	{ -1, 0x400100, SPE_GUEST_NO, SPE_HOST_EL1, SPE_MISC_USER },
};

START_TEST(test_cpumode)
{
	struct spe_sample sample = { .guest = (uint8_t)modes[_i].guest };

	sample.record.present = SPE_HAS_PC | (modes[_i].el >= 0 ? SPE_HAS_EL : 0);
	sample.record.el = (uint8_t)(modes[_i].el < 0 ? 0 : modes[_i].el);
	sample.record.pc = modes[_i].pc;
	ck_assert_uint_eq(spe_synth_cpumode(&sample, modes[_i].host), modes[_i].want);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("sink-synth");
	TCase *tc = tcase_create("synth");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_letters, 0, COUNT(good));
	tcase_add_test(tc, test_no_letters);
	tcase_add_loop_test(tc, test_bad_letters, 0, COUNT(bad));
	tcase_add_loop_test(tc, test_events, 0, COUNT(records));
	tcase_add_test(tc, test_absent_op);
	tcase_add_test(tc, test_branch_letters);
	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_addr);
	tcase_add_loop_test(tc, test_data_src, 0, COUNT(data_srcs));
	tcase_add_loop_test(tc, test_branches, 0, COUNT(branches));
	tcase_add_test(tc, test_branch_stack);
	tcase_add_loop_test(tc, test_cpumode, 0, COUNT(modes));
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
