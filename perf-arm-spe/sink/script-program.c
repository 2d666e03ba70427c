/* SPDX-License-Identifier: GPL-2.0-only */
/* From the fields asked for to the steps that write a line. */
#include "names.h"
#include "script.h"

#include <stdio.h>

typedef char *(*step_emit)(char *at, const struct script_line *line,
			   const struct script_step *step);

/* ---- how a step writes ---------------------------------------------------------- */

static char *emit_column(char *at, const struct script_line *line, const struct script_step *step)
{
	return step->value(at, line);
}

static char *put_prefix(char *at, const struct script_step *step)
{
	return spe_put_bytes(at, step->prefix_text, step->prefix_bytes);
}

/* " name=value", and "-" for what is not there. */
static char *emit_named(char *at, const struct script_line *line, const struct script_step *step)
{
	char *value = put_prefix(at, step);

	at = step->value(value, line);
	if (at == value)
		*at++ = '-';
	return at;
}

/* CSV: nothing for what is not there, quotes where a comma would part the value. */
static char *emit_csv(char *at, const struct script_line *line, const struct script_step *step)
{
	char *value = put_prefix(at, step);
	size_t n;

	at = step->value(value, line);
	n = (size_t)(at - value);
	if (step->kind == SCRIPT_READY || step->kind == SCRIPT_NUMBER || !memchr(value, ',', n))
		return at;
	memmove(value + 1, value, n);
	value[0] = '"';
	value[n + 1] = '"';
	return at + 2;
}

/* JSON: a key with its value, or neither. */
static char *emit_json(char *at, const struct script_line *line, const struct script_step *step)
{
	char *value = put_prefix(at, step);
	char *end = step->value(value, line);

	return end == value ? at : end;
}

static char *emit_json_word(char *at, const struct script_line *line,
			    const struct script_step *step)
{
	char *value = put_prefix(at, step);
	char *end;

	*value++ = '"';
	end = step->value(value, line);
	if (end == value)
		return at;
	*end++ = '"';
	return end;
}

/* a,b -> ["a","b"]; written behind its place first, to know how many quotes there are. */
static char *emit_json_list(char *at, const struct script_line *line,
			    const struct script_step *step)
{
	char *to = put_prefix(at, step);
	char *from = to + step->room;
	char *end = step->value(from, line);

	if (end == from)
		return at;
	*to++ = '[';
	*to++ = '"';
	for (; from < end; from++) {
		if (*from == ',') {
			memcpy(to, "\",\"", 3);
			to += 3;
		} else {
			*to++ = *from;
		}
	}
	*to++ = '"';
	*to++ = ']';
	return to;
}

static step_emit emit_for(const struct spe_script *script, const struct script_field *field)
{
	static const step_emit json[] = {
		[SCRIPT_NUMBER] = emit_json,
		[SCRIPT_WORD] = emit_json_word,
		[SCRIPT_LIST] = emit_json_list,
		[SCRIPT_READY] = emit_json,
	};

	if (script->format == SPE_FORMAT_JSON)
		return json[field->kind];
	if (script->format == SPE_FORMAT_CSV)
		return emit_csv;
	return field->column ? emit_column : emit_named;
}

/* ---- the choice ------------------------------------------------------------------ */

/* Fields by number, in the order in which they are shown. */
struct choice {
	uint8_t fields[SCRIPT_FIELDS_MAX];
	size_t count;
};

static size_t choice_find(const struct choice *choice, size_t field)
{
	size_t i = 0;

	while (i < choice->count && choice->fields[i] != field)
		i++;
	return i;
}

static void choice_add(struct choice *choice, size_t field)
{
	if (choice_find(choice, field) == choice->count && choice->count < SCRIPT_FIELDS_MAX)
		choice->fields[choice->count++] = (uint8_t)field;
}

static void choice_remove(struct choice *choice, size_t field)
{
	size_t i = choice_find(choice, field);

	if (i == choice->count)
		return;
	choice->count--;
	memmove(choice->fields + i, choice->fields + i + 1, choice->count - i);
}

static void choose_standard(const struct spe_script *script, struct choice *choice)
{
	for (size_t i = 0; i < spe_script_field_count; i++) {
		const char *name = spe_script_fields[i].name;
		bool table = script->format != SPE_FORMAT_TEXT;

		/* Tables are read by programs, which want the process and the evidence too. */
		if (spe_script_fields[i].standard ||
		    (table && (!strcmp(name, "pid") || !strcmp(name, "evidence"))))
			choice_add(choice, i);
	}
}

static int find_field(const char *name, size_t n, size_t *field, struct spe_error *error)
{
	struct spe_names names = { .count = 0 };

	for (size_t i = 0; i < spe_script_field_count; i++)
		if (strlen(spe_script_fields[i].name) == n &&
		    !memcmp(spe_script_fields[i].name, name, n)) {
			*field = i;
			return SPE_OK;
		}
	for (size_t i = 0; i < spe_script_field_count; i++)
		spe_names_add(&names, spe_script_fields[i].name, NULL);
	return spe_names_refuse(&names, "fields", "field", name, n, error);
}

/* One of "name", "+name", "-name". */
static int choose_one(const char *name, size_t n, struct choice *choice, struct spe_error *error)
{
	bool sign = n && (*name == '+' || *name == '-');
	size_t field = 0;
	int status = find_field(name + sign, n - sign, &field, error);

	if (status)
		return status;
	if (sign && *name == '-')
		choice_remove(choice, field);
	else
		choice_add(choice, field);
	return SPE_OK;
}

static int choose(const struct spe_script *script, const char *fields, struct choice *choice,
		  struct spe_error *error)
{
	bool edit = !fields || *fields == '+' || *fields == '-';
	int status = SPE_OK;

	if (edit)
		choose_standard(script, choice);
	while (fields && *fields && !status) {
		size_t n = strcspn(fields, ",");

		if (n && (*fields == '+' || *fields == '-') != edit)
			return spe_error_set(
				error, SPE_INVALID,
				"--fields: '%s' mixes +name and -name with plain names", fields);
		if (n)
			status = choose_one(fields, n, choice, error);
		fields += n + (fields[n] == ',');
	}
	if (!status && !choice->count)
		status = spe_error_set(error, SPE_INVALID, "--fields: none is left");
	return status;
}

/* Text keeps perf's order of columns, tables that of the user. */
static void sort_choice(struct choice *choice)
{
	for (size_t i = 1; i < choice->count; i++) {
		uint8_t field = choice->fields[i];
		size_t at = i;

		for (; at && choice->fields[at - 1] > field; at--)
			choice->fields[at] = choice->fields[at - 1];
		choice->fields[at] = field;
	}
}

/* ---- the steps -------------------------------------------------------------------- */

static void set_prefix(const struct spe_script *script, const char *name, struct script_step *step)
{
	static const char *const shapes[] = {
		[SPE_FORMAT_TEXT] = " %s=",
		[SPE_FORMAT_JSON] = ",\"%s\":",
	};

	if (script->format == SPE_FORMAT_CSV)
		step->prefix_bytes = script->step_count ? 1 : 0;
	else
		step->prefix_bytes = (uint16_t)snprintf(
			step->prefix_text, sizeof(step->prefix_text), shapes[script->format], name);
	if (script->format == SPE_FORMAT_CSV)
		step->prefix_text[0] = ',';
}

static void add_step(struct spe_script *script, const struct script_field *field)
{
	struct script_step *step = &script->steps[script->step_count];

	step->name = field->name;
	step->emit = emit_for(script, field);
	step->is_column = step->emit == emit_column;
	step->value = step->is_column ? field->column : field->value;
	step->kind = field->kind;
	step->depends = field->depends;
	step->room = field->room;
	set_prefix(script, field->name, step);
	script->step_count++;
	/* A list in JSON is written twice, with quotes the second time. */
	script->line_room += sizeof(step->prefix_text) + 4u * field->room;
	script->ops.want |= field->want;
	script->ops.names |= field->names;
	script->wants_symbols |= field->symbols;
}

static bool is_field(const struct choice *choice, size_t i, const char *name)
{
	return i < choice->count && !strcmp(spe_script_fields[choice->fields[i]].name, name);
}

/* pid and tid share a column in text; time takes three digits more with ns. */
static void adapt_text(struct spe_script *script, const struct choice *choice)
{
	size_t to = 0;

	for (size_t i = 0; i < choice->count; i++) {
		struct script_step *step = &script->steps[to];

		if (is_field(choice, i, "tid") && i && is_field(choice, i - 1, "pid")) {
			script->steps[to - 1].value = spe_script_column_pid_tid;
			continue;
		}
		*step = script->steps[i];
		if (script->ns && is_field(choice, i, "time"))
			step->value = spe_script_column_time_ns;
		to++;
	}
	script->step_count = to;
}

int spe_script_program(struct spe_script *script, const char *fields, struct spe_error *error)
{
	struct choice choice = { .count = 0 };
	int status = choose(script, fields, &choice, error);

	if (status)
		return status;
	if (script->format == SPE_FORMAT_TEXT)
		sort_choice(&choice);
	script->line_room = 64;
	for (size_t i = 0; i < choice.count; i++)
		add_step(script, &spe_script_fields[choice.fields[i]]);
	if (script->format == SPE_FORMAT_TEXT)
		adapt_text(script, &choice);
	return SPE_OK;
}

size_t spe_script_header(const struct spe_script *script, char *text)
{
	char *at = text;

	for (size_t i = 0; i < script->step_count; i++) {
		if (i)
			*at++ = ',';
		at = spe_put_bytes(at, script->steps[i].name, strlen(script->steps[i].name));
	}
	*at++ = '\n';
	return (size_t)(at - text);
}

int spe_script_field(unsigned index, const char **name, const char **help)
{
	if (index >= spe_script_field_count)
		return SPE_END;
	*name = spe_script_fields[index].name;
	*help = spe_script_fields[index].help;
	return SPE_OK;
}
