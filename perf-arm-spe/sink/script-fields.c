/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields perf script has, in its columns; and the table of all of them. */
#include "script-fields.h"

/* ---- who and when ----------------------------------------------------------- */

static const struct script_name *comm_of(const struct script_line *line)
{
	uint32_t comm = line->sample->comm;

	if (comm < line->script->comm_count)
		return &line->script->comms[comm];
	/* The idle task has no COMM record; everybody knows its name. */
	return line->sample->tid == 0 ? &line->script->idle : NULL;
}

static char *value_comm(char *at, const struct script_line *line)
{
	const struct script_name *name = comm_of(line);

	return name ? spe_put_bytes(at, line->script->names + name->offset, name->bytes) : at;
}

/* Where a sample has no name: perf's ":TID". */
static char *put_nameless(char *at, int32_t tid)
{
	char text[SPE_PUT_BYTES];
	size_t n = (size_t)(spe_put_signed(text, tid) - text) + 1;

	while (n++ < SCRIPT_COMM_COLUMNS)
		*at++ = ' ';
	*at++ = ':';
	return spe_put_signed(at, tid);
}

static char *column_comm(char *at, const struct script_line *line)
{
	char *end = value_comm(at, line);

	if (end == at)
		end = put_nameless(at, line->sample->tid);
	*end++ = ' ';
	return end;
}

static char *value_pid(char *at, const struct script_line *line)
{
	return line->sample->pid < 0 ? at : spe_put_signed(at, line->sample->pid);
}

static char *value_tid(char *at, const struct script_line *line)
{
	return line->sample->tid < 0 ? at : spe_put_signed(at, line->sample->tid);
}

static char *column_pid(char *at, const struct script_line *line)
{
	at = spe_put_signed_pad(at, line->sample->pid, 7);
	*at++ = ' ';
	return at;
}

static char *column_tid(char *at, const struct script_line *line)
{
	at = spe_put_signed_pad(at, line->sample->tid, 7);
	*at++ = ' ';
	return at;
}

char *spe_script_column_pid_tid(char *at, const struct script_line *line)
{
	char *tid;

	at = spe_put_signed_pad(at, line->sample->pid, 7);
	*at++ = '/';
	tid = at;
	at = spe_put_signed(at, line->sample->tid);
	while (at < tid + 7)
		*at++ = ' ';
	*at++ = ' ';
	return at;
}

static char *value_cpu(char *at, const struct script_line *line)
{
	return line->sample->cpu < 0 ? at : spe_put_dec(at, (uint64_t)line->sample->cpu);
}

static char *column_cpu(char *at, const struct script_line *line)
{
	if (line->sample->cpu < 0)
		return at;
	*at++ = '[';
	at = spe_put_dec_pad(at, (uint64_t)line->sample->cpu, 3, '0');
	*at++ = ']';
	*at++ = ' ';
	return at;
}

static char *value_time(char *at, const struct script_line *line)
{
	return line->sample->has_time ? spe_put_dec(at, line->sample->time_ns) : at;
}

/* Seconds take five columns or more, "-" stands where the whole would end. */
static char *put_time(char *at, const struct script_line *line, unsigned digits)
{
	uint64_t ns = line->sample->time_ns;

	if (!line->sample->has_time) {
		memset(at, ' ', 5 + digits);
		at += 5 + digits;
		*at++ = '-';
	} else {
		at = spe_put_dec_pad(at, ns / 1000000000u, 5, ' ');
		*at++ = '.';
		at = spe_put_dec9(at, (uint32_t)(ns % 1000000000u)) - (9 - digits);
	}
	*at++ = ':';
	*at++ = ' ';
	return at;
}

char *spe_script_column_time_us(char *at, const struct script_line *line)
{
	return put_time(at, line, 6);
}

char *spe_script_column_time_ns(char *at, const struct script_line *line)
{
	return put_time(at, line, 9);
}

static uint64_t period_of(const struct script_line *line)
{
	return line->event == SPE_SYNTH_INSTRUCTIONS ? line->script->itrace.period : 1;
}

static char *value_period(char *at, const struct script_line *line)
{
	return spe_put_dec(at, period_of(line));
}

static char *column_period(char *at, const struct script_line *line)
{
	at = spe_put_dec_pad(at, period_of(line), 10, ' ');
	*at++ = ' ';
	return at;
}

static char *value_event(char *at, const struct script_line *line)
{
	return spe_script_put_word(at, spe_synth_name(line->event));
}

static char *column_event(char *at, const struct script_line *line)
{
	const char *name = spe_synth_name(line->event);
	size_t n = strlen(name);

	for (size_t i = n; i < line->script->event_columns; i++)
		*at++ = ' ';
	at = spe_put_bytes(at, name, n);
	*at++ = ':';
	*at++ = ' ';
	return at;
}

/* ---- where --------------------------------------------------------------------- */

static char *value_ip(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_PC, line->sample->record.pc);
}

static char *column_ip(char *at, const struct script_line *line)
{
	*at++ = ' ';
	return spe_script_put_hex16(at, line->sample->record.pc);
}

static char *value_addr(char *at, const struct script_line *line)
{
	uint64_t addr;

	return spe_synth_addr(&line->sample->record, &addr) ? spe_script_put_hex(at, addr) : at;
}

static char *column_addr(char *at, const struct script_line *line)
{
	uint64_t addr;

	(void)spe_synth_addr(&line->sample->record, &addr);
	return spe_script_put_hex16(at, addr);
}

static char *value_phys_addr(char *at, const struct script_line *line)
{
	return spe_script_put_address(at, line, SPE_HAS_PA, line->sample->record.pa);
}

static char *column_phys_addr(char *at, const struct script_line *line)
{
	return spe_script_put_hex16(at, line->sample->record.pa);
}

/* ---- what it was ------------------------------------------------------------------ */

static char *value_weight(char *at, const struct script_line *line)
{
	const struct spe_record *record = &line->sample->record;

	return record->present & SPE_HAS_TOTAL_LATENCY
		       ? spe_put_dec(at, record->total_latency_cycles)
		       : at;
}

static char *column_weight(char *at, const struct script_line *line)
{
	return spe_put_dec_pad(at, line->sample->record.total_latency_cycles, 16, ' ');
}

static char *value_data_src(char *at, const struct script_line *line)
{
	uint64_t word = spe_synth_data_src(&line->sample->record, line->midr);

	return word ? spe_script_put_hex(at, word) : at;
}

/* perf pads the words to the longest it has met so far; here they have a width. */
#define DATA_SRC_COLUMNS 68

static char *column_data_src(char *at, const struct script_line *line)
{
	uint64_t word = spe_synth_data_src(&line->sample->record, line->midr);
	char *words;

	at = spe_script_put_hex16(at, word);
	*at++ = ' ';
	words = at;
	at = spe_script_data_src_text(at, word);
	while (at < words + DATA_SRC_COLUMNS)
		*at++ = ' ';
	return at;
}

static char *value_misc(char *at, const struct script_line *line)
{
	static const char letters[] = {
		[SPE_MISC_KERNEL] = 'K',     [SPE_MISC_USER] = 'U',
		[SPE_MISC_HYPERVISOR] = 'H', [SPE_MISC_GUEST_KERNEL] = 'G',
		[SPE_MISC_GUEST_USER] = 'g',
	};

	*at++ = letters[spe_synth_cpumode(line->sample, line->script->host_el)];
	return at;
}

static char *column_misc(char *at, const struct script_line *line)
{
	at = value_misc(at, line);
	memset(at, ' ', 5);
	return at + 5;
}

/* The first line all of whose flags are set names the branch. */
static const struct {
	uint32_t flags;
	const char *name;
} branch_names[] = {
	{ SPE_BRANCH_CONDITIONAL | SPE_BRANCH_CALL, "bco" },
	{ SPE_BRANCH_CONDITIONAL | SPE_BRANCH_RETURN, "bro" },
	{ SPE_BRANCH_CONDITIONAL, "jcc" },
	{ SPE_BRANCH_CALL, "call" },
	{ SPE_BRANCH_RETURN, "return" },
	{ SPE_BRANCH_ANY, "jmp" },
};

/* "jcc/miss,not_taken/", as perf writes it; a transaction as "jcc (x)". */
static char *value_flags(char *at, const struct script_line *line)
{
	uint32_t flags = spe_synth_branch_flags(&line->sample->record);

	for (size_t i = 0; i < sizeof(branch_names) / sizeof(branch_names[0]); i++)
		if ((flags & branch_names[i].flags) == branch_names[i].flags) {
			at = spe_script_put_word(at, branch_names[i].name);
			break;
		}
	if (flags & (SPE_BRANCH_MISS | SPE_BRANCH_NOT_TAKEN)) {
		*at++ = '/';
		if (flags & SPE_BRANCH_MISS)
			at = spe_script_put_word(at, "miss");
		if (flags & SPE_BRANCH_MISS && flags & SPE_BRANCH_NOT_TAKEN)
			*at++ = ',';
		if (flags & SPE_BRANCH_NOT_TAKEN)
			at = spe_script_put_word(at, "not_taken");
		*at++ = '/';
	}
	return flags & SPE_BRANCH_IN_TX ? spe_script_put_word(at, " (x)") : at;
}

static char *column_flags(char *at, const struct script_line *line)
{
	char *word;

	*at++ = ' ';
	*at++ = ' ';
	word = at;
	at = value_flags(at, line);
	while (at < word + 21)
		*at++ = ' ';
	*at++ = ' ';
	return at;
}

/* ---- branch stack --------------------------------------------------------------- */

static const char *const branch_types[] = {
	[SPE_BR_UNKNOWN] = "", [SPE_BR_COND] = "COND",           [SPE_BR_UNCOND] = "UNCOND",
	[SPE_BR_IND] = "IND",  [SPE_BR_CALL] = "CALL",           [SPE_BR_IND_CALL] = "IND_CALL",
	[SPE_BR_RET] = "RET",  [SPE_BR_COND_CALL] = "COND_CALL", [SPE_BR_COND_RET] = "COND_RET",
};

/* from/to/prediction/transaction/abort/cycles/type/speculation */
static char *put_branch(char *at, const struct spe_branch_entry *entry)
{
	at = spe_script_put_hex(at, entry->from);
	*at++ = '/';
	at = spe_script_put_hex(at, entry->to);
	*at++ = '/';
	*at++ = entry->mispredicted ? 'M' : entry->predicted ? 'P' : '-';
	if (entry->not_taken)
		*at++ = 'N';
	at = spe_script_put_word(at, entry->in_tx ? "/X/-/" : "/-/-/");
	at = spe_put_dec(at, entry->cycles);
	*at++ = '/';
	at = spe_script_put_word(at, branch_types[entry->type]);
	*at++ = '/';
	*at++ = '-';
	return at;
}

static unsigned branch_stack(const struct script_line *line,
			     struct spe_branch_entry entries[SPE_SYNTH_BRANCHES])
{
	unsigned count = spe_synth_branch_stack(&line->sample->record, entries);

	return count < line->script->itrace.last_branch ? count : line->script->itrace.last_branch;
}

static char *value_brstack(char *at, const struct script_line *line)
{
	struct spe_branch_entry entries[SPE_SYNTH_BRANCHES];
	unsigned count = branch_stack(line, entries);

	for (unsigned i = 0; i < count; i++) {
		if (i)
			*at++ = ',';
		at = put_branch(at, &entries[i]);
	}
	return at;
}

static char *column_brstack(char *at, const struct script_line *line)
{
	struct spe_branch_entry entries[SPE_SYNTH_BRANCHES];
	unsigned count = branch_stack(line, entries);

	for (unsigned i = 0; i < count; i++) {
		*at++ = ' ';
		at = put_branch(at, &entries[i]);
		*at++ = ' ';
	}
	return at;
}

/* ---- the table -------------------------------------------------------------------- */

/* Names are at most SPE_LIMIT_COMM_BYTES, each byte of which may become six. */
#define COMM_ROOM (6 * SPE_LIMIT_COMM_BYTES + 16)

const struct script_field spe_script_fields[] = {
	{ .name = "comm",
	  .depends = SCRIPT_ON_OWNER,
	  .help = "name of the thread at that time",
	  .kind = SCRIPT_READY,
	  .names = true,
	  .standard = true,
	  .room = COMM_ROOM,
	  .value = value_comm,
	  .column = column_comm },
	{ .name = "pid",
	  .depends = SCRIPT_ON_OWNER,
	  .help = "process; in text -1 when not known",
	  .kind = SCRIPT_NUMBER,
	  .room = 24,
	  .value = value_pid,
	  .column = column_pid },
	{ .name = "tid",
	  .depends = SCRIPT_ON_OWNER,
	  .help = "thread; in text -1 when not known",
	  .kind = SCRIPT_NUMBER,
	  .standard = true,
	  .room = 24,
	  .value = value_tid,
	  .column = column_tid },
	{ .name = "cpu",
	  .depends = SCRIPT_ON_OWNER,
	  .help = "CPU; left out where the trace does not say",
	  .kind = SCRIPT_NUMBER,
	  .standard = true,
	  .room = 24,
	  .value = value_cpu,
	  .column = column_cpu },
	{ .name = "misc",
	  .help = "K kernel, U user, H hypervisor, G guest kernel, g guest user",
	  .want = SPE_HAS_PC | SPE_HAS_EL,
	  .kind = SCRIPT_WORD,
	  .room = 8,
	  .value = value_misc,
	  .column = column_misc },
	{ .name = "time",
	  .help = "perf clock: seconds in text, nanoseconds in JSON and CSV",
	  .want = SPE_HAS_TIMESTAMP,
	  .kind = SCRIPT_NUMBER,
	  .standard = true,
	  .room = 40,
	  .value = value_time,
	  .column = spe_script_column_time_us },
	{ .name = "period",
	  .depends = SCRIPT_ON_EVENT,
	  .help = "records the event stands for",
	  .kind = SCRIPT_NUMBER,
	  .standard = true,
	  .room = 24,
	  .value = value_period,
	  .column = column_period },
	{ .name = "event",
	  .depends = SCRIPT_ON_EVENT,
	  .help = "synthesized event, see --itrace",
	  .kind = SCRIPT_WORD,
	  .standard = true,
	  .room = 32,
	  .value = value_event,
	  .column = column_event },
	{ .name = "flags",
	  .help = "kind of branch: jmp jcc call return, miss, not_taken",
	  .want = SPE_HAS_OP | SPE_HAS_EVENTS,
	  .kind = SCRIPT_WORD,
	  .room = 48,
	  .value = value_flags,
	  .column = column_flags },
	{ .name = "addr",
	  .help = "target of a branch, data address of other operations",
	  .want = SPE_SYNTH_ADDR_WANT,
	  .kind = SCRIPT_WORD,
	  .room = 24,
	  .value = value_addr,
	  .column = column_addr },
	{ .name = "data_src",
	  .help = "PERF_SAMPLE_DATA_SRC of a load or store",
	  .want = SPE_SYNTH_DATA_SRC_WANT,
	  .kind = SCRIPT_WORD,
	  .room = 24 + SCRIPT_DATA_SRC_ROOM,
	  .value = value_data_src,
	  .column = column_data_src },
	{ .name = "weight",
	  .help = "total latency, cycles",
	  .want = SPE_HAS_TOTAL_LATENCY,
	  .kind = SCRIPT_NUMBER,
	  .room = 24,
	  .value = value_weight,
	  .column = column_weight },
	{ .name = "ip",
	  .help = "address of the operation",
	  .want = SPE_HAS_PC,
	  .kind = SCRIPT_WORD,
	  .standard = true,
	  .room = 24,
	  .value = value_ip,
	  .column = column_ip },
	{ .name = "sym",
	  .help = "function the operation is in",
	  .want = SPE_HAS_PC | SPE_HAS_EL,
	  .kind = SCRIPT_READY,
	  .symbols = true,
	  .standard = true,
	  .room = 6 * SPE_SCRIPT_SYM_BYTES + 16,
	  .value = spe_script_value_sym,
	  .column = spe_script_column_sym },
	{ .name = "symoff",
	  .help = "how far from the function's start",
	  .want = SPE_HAS_PC | SPE_HAS_EL,
	  .kind = SCRIPT_NUMBER,
	  .symbols = true,
	  .standard = true,
	  .room = 24,
	  .value = spe_script_value_symoff,
	  .column = spe_script_column_symoff },
	{ .name = "dso",
	  .help = "program or library the operation is in",
	  .want = SPE_HAS_PC | SPE_HAS_EL,
	  .kind = SCRIPT_READY,
	  .symbols = true,
	  .standard = true,
	  .room = 6 * SPE_SCRIPT_DSO_BYTES + 16,
	  .value = spe_script_value_dso,
	  .column = spe_script_column_dso },
	{ .name = "srcline",
	  .help = "source line; in text on a line of its own",
	  .want = SPE_HAS_PC | SPE_HAS_EL,
	  .kind = SCRIPT_READY,
	  .symbols = true,
	  .room = 6 * SPE_SCRIPT_SYM_BYTES + 48,
	  .value = spe_script_value_srcline,
	  .column = spe_script_column_srcline },
	{ .name = "brstack",
	  .help = "the branch and the one before; wants --itrace with l",
	  .want = SPE_SYNTH_BRANCH_WANT,
	  .kind = SCRIPT_LIST,
	  .room = SPE_SYNTH_BRANCHES * 80,
	  .value = value_brstack,
	  .column = column_brstack },
	{ .name = "phys_addr",
	  .help = "physical address of the data",
	  .want = SPE_HAS_PA,
	  .kind = SCRIPT_WORD,
	  .room = 24,
	  .value = value_phys_addr,
	  .column = column_phys_addr },
	SPE_SCRIPT_OWN_FIELDS
};

const size_t spe_script_field_count = sizeof(spe_script_fields) / sizeof(spe_script_fields[0]);
