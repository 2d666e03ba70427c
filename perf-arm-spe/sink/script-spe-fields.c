/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields perf does not have: what an SPE record says, and how its owner is known. */
#include "script-fields.h"

#define RECORD(line) (&(line)->sample->record)
#define HAS(line, field) (RECORD(line)->present & SPE_HAS_##field)

/* A decimal number the record may not have. */
static char *put_number(char *at, uint32_t has, uint64_t value)
{
	return has ? spe_put_dec(at, value) : at;
}

char *spe_script_value_evidence(char *at, const struct script_line *line)
{
	return spe_script_put_word(at, spe_evidence_name(line->sample->evidence));
}

char *spe_script_value_el(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, EL), RECORD(line)->el);
}

char *spe_script_value_ns(char *at, const struct script_line *line)
{
	/* NS is bit 0 of NSE:NS. */
	return put_number(at, HAS(line, EL), RECORD(line)->security & 1);
}

char *spe_script_value_security(char *at, const struct script_line *line)
{
	static const char *const names[] = {
		[SPE_SECURE] = "secure",
		[SPE_NONSECURE] = "nonsecure",
		[SPE_ROOT] = "root",
		[SPE_REALM] = "realm",
	};

	return HAS(line, EL) ? spe_script_put_word(at, names[RECORD(line)->security & 3]) : at;
}

char *spe_script_value_mode(char *at, const struct script_line *line)
{
	static const char *const names[] = {
		[SPE_MISC_KERNEL] = "kernel",         [SPE_MISC_USER] = "user",
		[SPE_MISC_HYPERVISOR] = "hypervisor", [SPE_MISC_GUEST_KERNEL] = "guest-kernel",
		[SPE_MISC_GUEST_USER] = "guest-user",
	};

	return spe_script_put_word(at,
				   names[spe_synth_cpumode(line->sample, line->script->host_el)]);
}

char *spe_script_value_op(char *at, const struct script_line *line)
{
	const struct spe_record *record = RECORD(line);

	return HAS(line, OP)
		       ? spe_script_put_word(at, spe_op_name(record->op_class, record->op_payload))
		       : at;
}

/* An event's name in lower case; "impdef:N" for those without. */
static char *put_event(char *at, unsigned bit, uint64_t midr)
{
	const char *name = spe_event_name(bit, midr);

	if (!name)
		return spe_put_dec(spe_script_put_word(at, "impdef:"), bit);
	for (; *name; name++)
		*at++ = (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name);
	return at;
}

char *spe_script_value_events(char *at, const struct script_line *line)
{
	uint64_t events = RECORD(line)->events;

	for (bool first = true; events; events &= events - 1, first = false) {
		if (!first)
			*at++ = ',';
		at = put_event(at, (unsigned)__builtin_ctzll(events), line->midr);
	}
	return at;
}

char *spe_script_value_source(char *at, const struct script_line *line)
{
	const struct spe_data_source *source;

	if (!HAS(line, DATA_SOURCE))
		return at;
	source = spe_data_source_lookup(line->midr, RECORD(line)->data_source);
	return source ? spe_script_put_word(at, source->name)
		      : spe_put_dec(at, RECORD(line)->data_source);
}

char *spe_script_value_total_lat(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, TOTAL_LATENCY), RECORD(line)->total_latency_cycles);
}

char *spe_script_value_issue_lat(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, ISSUE_LATENCY), RECORD(line)->issue_latency_cycles);
}

char *spe_script_value_xlat_lat(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, XLAT_LATENCY), RECORD(line)->xlat_latency_cycles);
}

char *spe_script_value_va(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_VA, RECORD(line)->va);
}

char *spe_script_value_tag(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_VA, RECORD(line)->va_tag);
}

char *spe_script_value_pa(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_PA, RECORD(line)->pa);
}

char *spe_script_value_tgt(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_TARGET, RECORD(line)->target);
}

char *spe_script_value_pbt(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_PREV_TARGET, RECORD(line)->prev_target);
}

char *spe_script_value_context_el1(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, CONTEXT_EL1), RECORD(line)->context[0]);
}

char *spe_script_value_context_el2(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, CONTEXT_EL2), RECORD(line)->context[1]);
}

char *spe_script_value_contexts(char *at, const struct script_line *line)
{
	const char *separator = "";

	for (unsigned i = 0; i < 2; i++) {
		if (!(RECORD(line)->present & (SPE_HAS_CONTEXT_EL1 << i)))
			continue;
		at = spe_script_put_word(at, separator);
		at = spe_script_put_word(at, i ? "el2:" : "el1:");
		at = spe_put_dec(at, RECORD(line)->context[i]);
		separator = ",";
	}
	return at;
}

char *spe_script_value_guest(char *at, const struct script_line *line)
{
	return put_number(at, line->sample->has_guest_context, line->sample->guest_context);
}

char *spe_script_value_offset(char *at, const struct script_line *line)
{
	return spe_script_put_hex(at, RECORD(line)->aux_offset);
}

char *spe_script_value_length(char *at, const struct script_line *line)
{
	return spe_put_dec(at, RECORD(line)->length_bytes);
}

char *spe_script_value_ticks(char *at, const struct script_line *line)
{
	return put_number(at, HAS(line, TIMESTAMP), RECORD(line)->timestamp);
}
