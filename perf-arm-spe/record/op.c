/* SPDX-License-Identifier: GPL-2.0-only */
/* Operation types: Arm ARM, Operation Type packet, through FEAT_SPEv1p4. */
#include <perf-arm-spe/record.h>

#define F(name) SPE_OP_F_##name

enum vector_rule { VECTOR_NONE, VECTOR_SVE, VECTOR_SME };

/*
 * One sub-class of an operation class: the payload bits that select it, what
 * each other bit of the payload says there, and its names, indexed by the
 * payload bits in name_bits packed together.
 */
struct subclass {
	uint8_t mask;
	uint8_t value;
	uint8_t vector; /* enum vector_rule */
	uint8_t name_bits;
	const char *const *names;
	uint32_t flags;
	uint32_t bit_flags[8];
};

static const char *const other_names[] = {
	"other",      "other-cond",      "other-fp",      "other-fp-cond",
	"other-simd", "other-simd-cond", "other-simd-fp", "other-simd-fp-cond",
};
static const char *const other_sve_names[] = { "other-sve", "other-sve-fp" };
static const char *const other_sme_names[] = { "other-sme", "other-sme-fp" };
static const char *const other_undefined_names[] = { "other-undefined" };

static const char *const gp_names[] = { "load", "store" };
static const char *const simd_names[] = { "load-simd", "store-simd" };
static const char *const unspec_names[] = { "load-unspec", "store-unspec" };
static const char *const tag_names[] = { "load-tag", "store-tag" };
static const char *const memcpy_names[] = { "load-memcpy", "store-memcpy" };
static const char *const memset_names[] = { "store-memset" };
static const char *const sysreg_names[] = { "load-sysreg", "store-sysreg" };
static const char *const gcs_names[] = { "load-gcs", "store-gcs" };
static const char *const memory_undefined_names[] = { "load-undefined", "store-undefined" };
/* by store, gather/scatter */
static const char *const sve_names[] = { "load-sve", "store-sve", "load-sve-gather",
					 "store-sve-scatter" };
/* by store, atomic, exclusive, acquire/release */
static const char *const extended_names[] = {
	"load-extended",
	"store-extended",
	"load-atomic",
	"store-atomic",
	"load-exclusive",
	"store-exclusive",
	"load-atomic-exclusive",
	"store-atomic-exclusive",
	"load-acquire",
	"store-release",
	"load-atomic-acquire",
	"store-atomic-release",
	"load-exclusive-acquire",
	"store-exclusive-release",
	"load-atomic-exclusive-acquire",
	"store-atomic-exclusive-release",
};

/* by conditional, indirect, guarded control stack, call/return (two bits) */
#define BRANCH_NAMES(tail)                                                                         \
	"branch" tail, "branch-cond" tail, "branch-ind" tail, "branch-cond-ind" tail,              \
		"branch" tail "-gcs", "branch-cond" tail "-gcs", "branch-ind" tail "-gcs",         \
		"branch-cond-ind" tail "-gcs"
static const char *const branch_names[] = {
	BRANCH_NAMES(""),
	BRANCH_NAMES("-call"),
	BRANCH_NAMES("-ret"),
	BRANCH_NAMES(""),
};
static const char *const undefined_names[] = { "undefined" };

/* The last of each list matches everything: no payload is without an answer. */
static const struct subclass other_list[] = {
	{ 0xf8, 0x00, VECTOR_NONE, 0x07, other_names, F(OTHER), { F(CONDITIONAL), F(FP), F(ASE) } },
	{ 0x89,
	  0x08,
	  VECTOR_SVE,
	  0x02,
	  other_sve_names,
	  F(OTHER) | F(SVE),
	  { 0, F(FP), F(PREDICATED) } },
	{ 0x89, 0x88, VECTOR_SME, 0x02, other_sme_names, F(OTHER) | F(SME), { 0, F(FP) } },
	{ 0, 0, VECTOR_NONE, 0, other_undefined_names, F(OTHER) | F(UNDEFINED), { 0 } },
};

static const struct subclass memory_list[] = {
	{ 0xfe, 0x00, VECTOR_NONE, 0x01, gp_names, F(GP_REG), { 0 } },
	{ 0xfe, 0x04, VECTOR_NONE, 0x01, simd_names, F(SIMD_FP), { 0 } },
	{ 0xfe, 0x10, VECTOR_NONE, 0x01, unspec_names, F(UNSPEC_REG), { 0 } },
	{ 0xfe, 0x14, VECTOR_NONE, 0x01, tag_names, F(MTE_TAG), { 0 } },
	{ 0xfe, 0x20, VECTOR_NONE, 0x01, memcpy_names, F(MEMCPY), { 0 } },
	{ 0xff, 0x25, VECTOR_NONE, 0x00, memset_names, F(MEMSET), { 0 } },
	{ 0xfe, 0x30, VECTOR_NONE, 0x01, sysreg_names, F(NV_SYSREG), { 0 } },
	{ 0xe2,
	  0x02,
	  VECTOR_NONE,
	  0x1d,
	  extended_names,
	  0,
	  { 0, 0, F(ATOMIC), F(EXCLUSIVE), F(ACQUIRE_RELEASE) } },
	{ 0x0a,
	  0x08,
	  VECTOR_SVE,
	  0x81,
	  sve_names,
	  F(SVE),
	  { 0, 0, F(PREDICATED), 0, 0, 0, 0, F(GATHER_SCATTER) } },
	{ 0xfa, 0x40, VECTOR_NONE, 0x01, gcs_names, F(GCS), { 0, 0, F(GCS_COMMON) } },
	{ 0, 0, VECTOR_NONE, 0x01, memory_undefined_names, F(UNDEFINED), { 0 } },
};

static const struct subclass branch_list[] = {
	{ 0,
	  0,
	  VECTOR_NONE,
	  0x1f,
	  branch_names,
	  F(BRANCH),
	  { F(CONDITIONAL), F(INDIRECT), F(GCS) } },
};

static const struct subclass undefined_list[] = {
	{ 0, 0, VECTOR_NONE, 0, undefined_names, F(UNDEFINED), { 0 } },
};

static const struct subclass *const classes[] = {
	[SPE_OP_OTHER] = other_list,
	[SPE_OP_LOAD_STORE] = memory_list,
	[SPE_OP_BRANCH] = branch_list,
	[SPE_OP_UNDEFINED] = undefined_list,
};

static const struct subclass *find_subclass(unsigned op_class, unsigned payload)
{
	const struct subclass *s = op_class > SPE_OP_UNDEFINED ? undefined_list : classes[op_class];

	while ((payload & s->mask) != s->value)
		s++;
	return s;
}

static uint32_t vector_bits(const struct subclass *s, unsigned payload)
{
	unsigned length = payload >> 4 & 7;

	switch (s->vector) {
	case VECTOR_SVE:
		return 32u << length;
	case VECTOR_SME:
		return 128u << (length << 1 | (payload >> 2 & 1));
	default:
		return 0;
	}
}

struct spe_op spe_op_decode(unsigned op_class, unsigned payload)
{
	static const uint32_t call_flags[] = { 0, F(CALL), F(RETURN), F(NOT_CALL_RETURN) };
	const struct subclass *s = find_subclass(op_class, payload & 0xff);
	struct spe_op op = { .flags = s->flags, .vector_bits = vector_bits(s, payload) };

	for (unsigned bit = 0; bit < 8; bit++)
		if (payload & 1u << bit)
			op.flags |= s->bit_flags[bit];
	if (op_class == SPE_OP_LOAD_STORE)
		op.flags |= payload & 1 ? F(STORE) : F(LOAD);
	if (op_class == SPE_OP_BRANCH)
		op.flags |= call_flags[payload >> 3 & 3];
	return op;
}

bool spe_op_is_memory(unsigned op_class)
{
	return op_class == SPE_OP_LOAD_STORE;
}

const char *spe_op_name(unsigned op_class, unsigned payload)
{
	const struct subclass *s = find_subclass(op_class, payload & 0xff);
	unsigned index = 0, place = 0;

	for (unsigned bit = 0; bit < 8; bit++)
		if (s->name_bits & 1u << bit)
			index |= (payload >> bit & 1) << place++;
	return s->names[index];
}
