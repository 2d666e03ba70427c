/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that filters take. */
#include "filter-parts.h"
#include "names.h"

#include <stdio.h>

static const struct spe_filter_word op_words[] = {
	{ "memory", SPE_OP_F_LOAD | SPE_OP_F_STORE, "all loads and stores" },
	{ "load", SPE_OP_F_LOAD, "all loads" },
	{ "store", SPE_OP_F_STORE, "all stores" },
	{ "atomic", SPE_OP_F_ATOMIC, "all atomic ones" },
	{ "exclusive", SPE_OP_F_EXCLUSIVE, "all exclusive ones" },
	{ "acquire-release", SPE_OP_F_ACQUIRE_RELEASE, "all with acquire or release" },
	{ "simd", SPE_OP_F_SIMD_FP | SPE_OP_F_ASE, "all of SIMD and floating-point registers" },
	{ "fp", SPE_OP_F_FP, "all floating point data processing" },
	{ "mte", SPE_OP_F_MTE_TAG, "all of allocation tags" },
	{ "memcpy", SPE_OP_F_MEMCPY, "all parts of memory copies" },
	{ "memset", SPE_OP_F_MEMSET, "all parts of memory sets" },
	{ "sve", SPE_OP_F_SVE, "all of SVE" },
	{ "sme", SPE_OP_F_SME, "all of SME" },
	{ "gcs", SPE_OP_F_GCS, "all of the guarded control stack" },
	{ "branch", SPE_OP_F_BRANCH, "all branches" },
	{ "conditional", SPE_OP_F_CONDITIONAL, "all conditional ones" },
	{ "indirect", SPE_OP_F_INDIRECT, "all indirect branches" },
	{ "call", SPE_OP_F_CALL, "all branches with link" },
	{ "return", SPE_OP_F_RETURN, "all procedure returns" },
	{ "other", SPE_OP_F_OTHER, "all that are no load, store or branch" },
};

const struct spe_filter_word *spe_filter_op_word(const char *word)
{
	for (size_t i = 0; i < sizeof(op_words) / sizeof(op_words[0]); i++)
		if (spe_word_is(word, op_words[i].word))
			return &op_words[i];
	return NULL;
}

static void names_of_ops(struct spe_names *names)
{
	for (size_t i = 0; i < sizeof(op_words) / sizeof(op_words[0]); i++)
		spe_names_add(names, op_words[i].word, op_words[i].help);
	for (unsigned i = 0; i < 4 * 256; i++)
		spe_names_add(names, spe_op_name(i / 256, i % 256), NULL);
}

/* One core of each kind that has names of its own for events or sources. */
static const uint64_t cores[] = { 0x410fd0c0 /* Arm */, 0xc00fac40 /* AmpereOne */,
				  0x480fd060 /* HIP12 */ };

#define CORES (sizeof(cores) / sizeof(cores[0]))

static void names_of_events(struct spe_names *names)
{
	for (unsigned bit = 0; bit < 64; bit++)
		for (size_t i = 0; i < CORES; i++) {
			const char *name = spe_event_name(bit, cores[i]);

			if (name)
				spe_names_add(names, name, NULL);
		}
}

static const struct spe_filter_word source_words[] = {
	{ "l1", SPE_LEVEL_L1, "the level 1 data cache" },
	{ "l2", SPE_LEVEL_L2, "any level 2 cache" },
	{ "l3", SPE_LEVEL_L3, "any level 3 or system cache" },
	{ "dram", SPE_LEVEL_DRAM, "any memory" },
	{ "io", SPE_LEVEL_IO, "a device" },
};

const struct spe_filter_word *spe_filter_source_word(const char *word)
{
	for (size_t i = 0; i < sizeof(source_words) / sizeof(source_words[0]); i++)
		if (spe_word_is(word, source_words[i].word))
			return &source_words[i];
	return NULL;
}

static void names_of_sources(struct spe_names *names)
{
	for (size_t i = 0; i < sizeof(source_words) / sizeof(source_words[0]); i++)
		spe_names_add(names, source_words[i].word, source_words[i].help);
	spe_names_add(names, "remote", "anything on another socket or chip");
	spe_names_add(names, "peer", "the cache of another core or cluster");
	for (size_t i = 0; i < CORES; i++)
		for (unsigned value = 0; value < 256; value++) {
			const struct spe_data_source *source =
				spe_data_source_lookup(cores[i], value);

			if (source)
				spe_names_add(names, source->name, NULL);
		}
}

static void names_of_evidence(struct spe_names *names)
{
	static const char *const help[SPE_EVIDENCE_KINDS] = {
		[SPE_EVIDENCE_NONE] = "nothing: unattributed",
		[SPE_EVIDENCE_CONTEXT] = "the record's own context",
		[SPE_EVIDENCE_ETM] = "the CPU's CoreSight trace at that time",
		[SPE_EVIDENCE_SWITCH] = "the CPU's switch records around that time",
		[SPE_EVIDENCE_SCHED] = "sched:sched_switch samples around that time",
		[SPE_EVIDENCE_THREAD] = "the buffer, which belongs to one thread",
		[SPE_EVIDENCE_MAPPED] = "a context of another pid namespace, translated",
		[SPE_EVIDENCE_OUTSIDE] = "a context of no task in the recorder's pid namespace",
	};

	for (unsigned i = 0; i < SPE_EVIDENCE_KINDS; i++)
		spe_names_add(names, spe_evidence_name(i), help[i]);
}

bool spe_filter_names_of(const char *filter, struct spe_names *names)
{
	static const struct {
		const char *filter;
		void (*fill)(struct spe_names *names);
	} kinds[] = {
		{ "op", names_of_ops },
		{ "event", names_of_events },
		{ "source", names_of_sources },
		{ "evidence", names_of_evidence },
	};

	names->count = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].filter, filter)) {
			kinds[i].fill(names);
			return true;
		}
	return false;
}

int spe_filter_value(const char *filter, unsigned index, char *value, size_t room,
		     const char **help)
{
	struct spe_names names;

	if (!filter || !value || !help || !spe_filter_names_of(filter, &names))
		return SPE_INVALID;
	if (index >= names.count)
		return SPE_END;
	snprintf(value, room, "%s", names.items[index]);
	*help = names.help[index] ? names.help[index] : "";
	return SPE_OK;
}
