/* SPDX-License-Identifier: GPL-2.0-only */
/* What operation types, data sources and core numbers mean. */
#include <check.h>
#include <string.h>

#include <perf-arm-spe/record.h>

#define F(name) SPE_OP_F_##name

static const struct {
	uint8_t class, payload;
	uint32_t flags, vector_bits;
	const char *name;
} ops[] = {
	{ 0, 0x00, F(OTHER), 0, "other" },
	{ 0, 0x01, F(OTHER) | F(CONDITIONAL), 0, "other-cond" },
	{ 0, 0x02, F(OTHER) | F(FP), 0, "other-fp" },
	{ 0, 0x06, F(OTHER) | F(FP) | F(ASE), 0, "other-simd-fp" },
	{ 0, 0x08, F(OTHER) | F(SVE), 32, "other-sve" },
	{ 0, 0x2a, F(OTHER) | F(SVE) | F(FP), 128, "other-sve-fp" },
	{ 0, 0x2c, F(OTHER) | F(SVE) | F(PREDICATED), 128, "other-sve" },
	{ 0, 0x88, F(OTHER) | F(SME), 128, "other-sme" },
	{ 0, 0xba, F(OTHER) | F(SME) | F(FP), 8192, "other-sme-fp" },
	{ 0, 0xbe, F(OTHER) | F(SME) | F(FP), 16384, "other-sme-fp" },
	{ 0, 0x10, F(OTHER) | F(UNDEFINED), 0, "other-undefined" },
	{ 0, 0x09, F(OTHER) | F(UNDEFINED), 0, "other-undefined" },
	{ 1, 0x00, F(LOAD) | F(GP_REG), 0, "load" },
	{ 1, 0x01, F(STORE) | F(GP_REG), 0, "store" },
	{ 1, 0x04, F(LOAD) | F(SIMD_FP), 0, "load-simd" },
	{ 1, 0x05, F(STORE) | F(SIMD_FP), 0, "store-simd" },
	{ 1, 0x02, F(LOAD), 0, "load-extended" },
	{ 1, 0x06, F(LOAD) | F(ATOMIC), 0, "load-atomic" },
	{ 1, 0x07, F(STORE) | F(ATOMIC), 0, "store-atomic" },
	{ 1, 0x0a, F(LOAD) | F(EXCLUSIVE), 0, "load-exclusive" },
	{ 1, 0x12, F(LOAD) | F(ACQUIRE_RELEASE), 0, "load-acquire" },
	{ 1, 0x13, F(STORE) | F(ACQUIRE_RELEASE), 0, "store-release" },
	{ 1, 0x16, F(LOAD) | F(ATOMIC) | F(ACQUIRE_RELEASE), 0, "load-atomic-acquire" },
	{ 1, 0x1f, F(STORE) | F(ATOMIC) | F(EXCLUSIVE) | F(ACQUIRE_RELEASE), 0,
	  "store-atomic-exclusive-release" },
	{ 1, 0x10, F(LOAD) | F(UNSPEC_REG), 0, "load-unspec" },
	{ 1, 0x14, F(LOAD) | F(MTE_TAG), 0, "load-tag" },
	{ 1, 0x15, F(STORE) | F(MTE_TAG), 0, "store-tag" },
	{ 1, 0x20, F(LOAD) | F(MEMCPY), 0, "load-memcpy" },
	{ 1, 0x21, F(STORE) | F(MEMCPY), 0, "store-memcpy" },
	{ 1, 0x25, F(STORE) | F(MEMSET), 0, "store-memset" },
	{ 1, 0x24, F(LOAD) | F(UNDEFINED), 0, "load-undefined" },
	{ 1, 0x30, F(LOAD) | F(NV_SYSREG), 0, "load-sysreg" },
	{ 1, 0x31, F(STORE) | F(NV_SYSREG), 0, "store-sysreg" },
	{ 1, 0x08, F(LOAD) | F(SVE), 32, "load-sve" },
	{ 1, 0x2d, F(STORE) | F(SVE) | F(PREDICATED), 128, "store-sve" },
	{ 1, 0xa8, F(LOAD) | F(SVE) | F(GATHER_SCATTER), 128, "load-sve-gather" },
	{ 1, 0xa9, F(STORE) | F(SVE) | F(GATHER_SCATTER), 128, "store-sve-scatter" },
	{ 1, 0x40, F(LOAD) | F(GCS), 0, "load-gcs" },
	{ 1, 0x45, F(STORE) | F(GCS) | F(GCS_COMMON), 0, "store-gcs" },
	{ 1, 0x81, F(STORE) | F(UNDEFINED), 0, "store-undefined" },
	{ 2, 0x00, F(BRANCH), 0, "branch" },
	{ 2, 0x01, F(BRANCH) | F(CONDITIONAL), 0, "branch-cond" },
	{ 2, 0x02, F(BRANCH) | F(INDIRECT), 0, "branch-ind" },
	{ 2, 0x08, F(BRANCH) | F(CALL), 0, "branch-call" },
	{ 2, 0x0a, F(BRANCH) | F(CALL) | F(INDIRECT), 0, "branch-ind-call" },
	{ 2, 0x12, F(BRANCH) | F(RETURN) | F(INDIRECT), 0, "branch-ind-ret" },
	{ 2, 0x16, F(BRANCH) | F(RETURN) | F(INDIRECT) | F(GCS), 0, "branch-ind-ret-gcs" },
	{ 2, 0x18, F(BRANCH) | F(NOT_CALL_RETURN), 0, "branch" },
	{ 2, 0x19, F(BRANCH) | F(NOT_CALL_RETURN) | F(CONDITIONAL), 0, "branch-cond" },
	{ 3, 0x00, F(UNDEFINED), 0, "undefined" },
	{ 9, 0xff, F(UNDEFINED), 0, "undefined" },
};

START_TEST(operations)
{
	struct spe_op op = spe_op_decode(ops[_i].class, ops[_i].payload);

	ck_assert_uint_eq(op.flags, ops[_i].flags);
	ck_assert_uint_eq(op.vector_bits, ops[_i].vector_bits);
	ck_assert_str_eq(spe_op_name(ops[_i].class, ops[_i].payload), ops[_i].name);
}
END_TEST

/* Every payload of every class has a name, and belongs to its own class alone. */
START_TEST(operations_are_total)
{
	static const uint32_t class_flags[] = { F(OTHER), F(LOAD) | F(STORE), F(BRANCH), 0 };
	uint32_t all = F(OTHER) | F(LOAD) | F(STORE) | F(BRANCH), flags;

	for (unsigned class = 0; class < 4; class ++) {
		ck_assert_int_eq(spe_op_is_memory(class), class == SPE_OP_LOAD_STORE);
		for (unsigned payload = 0; payload < 256; payload++) {
			flags = spe_op_decode(class, payload).flags;
			ck_assert_uint_eq(flags & all & ~class_flags[class], 0);
			ck_assert_int_eq(!(flags & all), !class_flags[class]);
			ck_assert_uint_ge(strlen(spe_op_name(class, payload)), 4);
			if (class == SPE_OP_LOAD_STORE)
				ck_assert_int_eq(!!(flags & F(STORE)), payload & 1);
		}
	}
}
END_TEST

#define N1 0x413fd0c1u
#define COBALT 0x6d0fd490u
#define AMPERE1 0xc00fac30u
#define AMPERE1A 0xc00fac40u
#define HIP08 0x480fd010u
#define HIP12 0x480fd060u

static const struct {
	uint32_t midr;
	unsigned value;
	const char *name; /* NULL: not known */
	unsigned level, snoop;
	bool remote, peer;
	/* perf's word in parts: level, level number, snoop, remote, extended snoop */
	unsigned lvl, lvl_num, mem_snoop, mem_remote, snoopx;
} sources[] = {
	{ N1, 0, "l1d", SPE_LEVEL_L1, SPE_SNOOP_NONE, 0, 0, 0x0a, 1, 2, 0, 0 },
	{ N1, 8, "l2", SPE_LEVEL_L2, SPE_SNOOP_NONE, 0, 0, 0x22, 2, 2, 0, 0 },
	{ N1, 9, "peer-core", SPE_LEVEL_L2, SPE_SNOOP_UNKNOWN, 0, 1, 0x22, 2, 0, 0, 2 },
	{ N1, 10, "local-cluster", SPE_LEVEL_L3, SPE_SNOOP_UNKNOWN, 0, 1, 0x42, 3, 0, 0, 2 },
	{ N1, 11, "system-cache", SPE_LEVEL_L3, SPE_SNOOP_HIT, 0, 0, 0x42, 3, 4, 0, 0 },
	{ N1, 12, "peer-cluster", SPE_LEVEL_L3, SPE_SNOOP_UNKNOWN, 0, 1, 0x42, 3, 0, 0, 2 },
	{ N1, 13, "remote", SPE_LEVEL_UNKNOWN, SPE_SNOOP_UNKNOWN, 1, 1, 0x01, 15, 0, 1, 2 },
	{ N1, 14, "dram", SPE_LEVEL_DRAM, SPE_SNOOP_NONE, 0, 0, 0x82, 13, 2, 0, 0 },
	{ N1, 1, .name = NULL },
	{ N1, 15, .name = NULL },
	{ N1, 65535, .name = NULL },
	{ COBALT, 14, "dram", SPE_LEVEL_DRAM, SPE_SNOOP_NONE, 0, 0, 0x82, 13, 2, 0, 0 },
	{ AMPERE1A, 0, "local-chip", SPE_LEVEL_L2, SPE_SNOOP_UNKNOWN, 0, 1, 0x22, 2, 0, 0, 2 },
	{ AMPERE1A, 3, "system-cache", SPE_LEVEL_L3, SPE_SNOOP_HIT, 0, 0, 0x42, 3, 4, 0, 0 },
	{ AMPERE1A, 5, "remote-chip", SPE_LEVEL_UNKNOWN, SPE_SNOOP_UNKNOWN, 1, 1, 1, 15, 0, 1, 2 },
	{ AMPERE1A, 7, "dram", SPE_LEVEL_DRAM, SPE_SNOOP_NONE, 0, 0, 0x82, 13, 2, 0, 0 },
	{ AMPERE1A, 8, "l1d", SPE_LEVEL_L1, SPE_SNOOP_NONE, 0, 0, 0x0a, 1, 2, 0, 0 },
	{ AMPERE1A, 9, "l2", SPE_LEVEL_L2, SPE_SNOOP_NONE, 0, 0, 0x22, 2, 2, 0, 0 },
	{ AMPERE1A, 14, .name = NULL },
	{ AMPERE1, 0, .name = NULL },
	{ HIP08, 0, .name = NULL },
	{ HIP12, 0, "peer-core", SPE_LEVEL_L2, SPE_SNOOP_UNKNOWN, 0, 1, 0x22, 2, 0, 0, 2 },
	{ HIP12, 1, "peer-core-hitm", SPE_LEVEL_L2, SPE_SNOOP_HITM, 0, 1, 0x22, 2, 16, 0, 2 },
	{ HIP12, 2, "l3", SPE_LEVEL_L3, SPE_SNOOP_HIT, 0, 0, 0x42, 3, 4, 0, 0 },
	{ HIP12, 3, "l3-hitm", SPE_LEVEL_L3, SPE_SNOOP_HITM, 0, 0, 0x42, 3, 16, 0, 0 },
	{ HIP12, 4, "peer-cluster", SPE_LEVEL_L3, SPE_SNOOP_UNKNOWN, 0, 1, 0x402, 3, 0, 0, 2 },
	{ HIP12, 5, "peer-cluster-hitm", SPE_LEVEL_L3, SPE_SNOOP_HITM, 0, 1, 0x402, 3, 16, 0, 2 },
	{ HIP12, 6, "remote-socket", SPE_LEVEL_ANY_CACHE, SPE_SNOOP_UNKNOWN, 1, 1, 0x800, 11, 0, 1,
	  2 },
	{ HIP12, 7, "remote-socket-hitm", SPE_LEVEL_ANY_CACHE, SPE_SNOOP_HITM, 1, 1, 0x800, 11, 16,
	  1, 2 },
	{ HIP12, 8, "dram", SPE_LEVEL_DRAM, SPE_SNOOP_NONE, 0, 0, 0x82, 13, 2, 0, 0 },
	{ HIP12, 9, "remote-dram", SPE_LEVEL_DRAM, SPE_SNOOP_UNKNOWN, 1, 0, 0x102, 13, 0, 1, 0 },
	{ HIP12, 13, "device", SPE_LEVEL_IO, SPE_SNOOP_NONE, 0, 0, 0x1002, 10, 2, 0, 0 },
	{ HIP12, 16, "l2", SPE_LEVEL_L2, SPE_SNOOP_NONE, 0, 0, 0x22, 2, 2, 0, 0 },
	{ HIP12, 17, "l2-hitm", SPE_LEVEL_L2, SPE_SNOOP_HITM, 0, 0, 0x22, 2, 16, 0, 0 },
	{ HIP12, 18, "l1d", SPE_LEVEL_L1, SPE_SNOOP_NONE, 0, 0, 0x0a, 1, 2, 0, 0 },
	{ HIP12, 19, .name = NULL },
	{ 0, 0, .name = NULL },
};

START_TEST(data_sources)
{
	const struct spe_data_source *s =
		spe_data_source_lookup(sources[_i].midr, sources[_i].value);

	ck_assert_int_eq(!!s, !!sources[_i].name);
	if (!s)
		return;
	ck_assert_str_eq(s->name, sources[_i].name);
	ck_assert_uint_eq(s->level, sources[_i].level);
	ck_assert_uint_eq(s->snoop, sources[_i].snoop);
	ck_assert_int_eq(s->remote, sources[_i].remote);
	ck_assert_int_eq(s->peer, sources[_i].peer);
	ck_assert_uint_eq(s->perf_data_src & 0x1f, 0);
	ck_assert_uint_eq(s->perf_data_src >> 5 & 0x3fff, sources[_i].lvl);
	ck_assert_uint_eq(s->perf_data_src >> 19 & 0x1f, sources[_i].mem_snoop);
	ck_assert_uint_eq(s->perf_data_src >> 24 & 0x1ff, 0);
	ck_assert_uint_eq(s->perf_data_src >> 33 & 0xf, sources[_i].lvl_num);
	ck_assert_uint_eq(s->perf_data_src >> 37 & 1, sources[_i].mem_remote);
	ck_assert_uint_eq(s->perf_data_src >> 38 & 3, sources[_i].snoopx);
	ck_assert_uint_eq(s->perf_data_src >> 40, 0);
}
END_TEST

/* Cores with Arm's encoding: implementer and part, whatever the revision. */
static const uint32_t arm_cores[] = {
	0x41d4d, 0x41d81, 0x41d89, 0x41d87, 0x41d4b, 0x41d44, 0x41d4c, 0x41d4e, 0x41d82,
	0x41d85, 0x41d0c, 0x41d49, 0x41d40, 0x41d4f, 0x41d84, 0x4e010, 0x6dd49,
};
static const uint32_t unencoded_cores[] = {
	0x41d8e, 0x41d83, 0x41d48, 0x41d47, 0x41d41, 0xc0ac3, 0x48d01, 0x48d02,
};

static uint64_t midr_of(uint32_t core, unsigned variant, unsigned revision)
{
	return (uint64_t)(core >> 12) << 24 | variant << 20 | 0xf0000 | (core & 0xfff) << 4 |
	       revision;
}

START_TEST(cores)
{
	for (size_t i = 0; i < sizeof(arm_cores) / sizeof(arm_cores[0]); i++) {
		ck_assert_ptr_nonnull(spe_midr_name(midr_of(arm_cores[i], 3, 1)));
		ck_assert_ptr_nonnull(spe_data_source_lookup(midr_of(arm_cores[i], 3, 1), 12));
	}
	for (size_t i = 0; i < sizeof(unencoded_cores) / sizeof(unencoded_cores[0]); i++) {
		ck_assert_ptr_nonnull(spe_midr_name(midr_of(unencoded_cores[i], 0, 0)));
		for (unsigned value = 0; value < 32; value++)
			ck_assert_ptr_null(
				spe_data_source_lookup(midr_of(unencoded_cores[i], 0, 0), value));
	}
	ck_assert_str_eq(spe_midr_name(N1), "Neoverse N1");
	ck_assert_str_eq(spe_midr_name(COBALT), "Azure Cobalt 100");
	ck_assert_ptr_null(spe_midr_name(0));
	ck_assert_ptr_null(spe_midr_name(0x410fffff));
}
END_TEST

START_TEST(drop_names)
{
	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(spe_drop_name(i), spe_drop_name(j));
	ck_assert_str_eq(spe_drop_name(SPE_DROP_CUT), "cut");
	ck_assert_str_eq(spe_drop_name(SPE_DROP_KINDS), "?");
}
END_TEST

START_TEST(stats_add_up)
{
	struct spe_decode_stats a = { 0 }, b = { 0 };
	uint64_t *from = (uint64_t *)&b;
	size_t words = sizeof(b) / sizeof(*from);

	for (size_t i = 0; i < words; i++)
		from[i] = i + 1;
	spe_decode_stats_add(&a, &b);
	spe_decode_stats_add(&a, &b);
	for (size_t i = 0; i < words; i++)
		ck_assert_uint_eq(((uint64_t *)&a)[i], 2 * (i + 1));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("record tables");
	TCase *t = tcase_create("tables");
	SRunner *runner = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, operations, 0, sizeof(ops) / sizeof(ops[0]));
	tcase_add_test(t, operations_are_total);
	tcase_add_loop_test(t, data_sources, 0, sizeof(sources) / sizeof(sources[0]));
	tcase_add_test(t, cores);
	tcase_add_test(t, drop_names);
	tcase_add_test(t, stats_add_up);
	suite_add_tcase(s, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
