/* SPDX-License-Identifier: GPL-2.0-only */
#include "options.h"

#include <perf-arm-spe/limits.h>

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "talk.h"

/* Options every command has; --help and the completion's questions. */
enum own_option { OWN_HELP = 1, OWN_LIST_OPTS = 2, OWN_SHORT_HELP = 3, OWN_COUNT = 4 };

#define OPTIONS_MAX 96      /* of one command, own ones and --no-NAME included */
#define HELP_COLUMN 30u     /* where -h puts the explanation */
#define NEGATION_BIT 0x8000 /* in getopt's val: the --no-NAME form */

struct parser {
	const struct command_line *line;
	const struct option_def *defs[OPTIONS_MAX];
	void *bases[OPTIONS_MAX];
	size_t count;
	struct option longs[2 * OPTIONS_MAX + OWN_COUNT];
	size_t long_count;
	char shorts[3 * OPTIONS_MAX + 4];
	char negated[OPTIONS_MAX][40];
	size_t negated_count;
};

/* ---- usage -------------------------------------------------------------- */

static void print_option(FILE *to, const struct option_def *def)
{
	char left[80];
	int n = 0;

	n += snprintf(left, sizeof(left), "    ");
	if (def->letter)
		n += snprintf(left + n, sizeof(left) - (size_t)n, "-%c%s", def->letter,
			      def->name ? ", " : "");
	if (def->name)
		n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s", def->name);
	if (def->argument)
		n += snprintf(left + n, sizeof(left) - (size_t)n,
			      def->optional ? "[=<%s>]" : " <%s>", def->argument);
	if ((unsigned)n + 2 > HELP_COLUMN)
		fprintf(to, "%s\n%*s%s\n", left, (int)HELP_COLUMN, "", def->help);
	else
		fprintf(to, "%-*s%s\n", (int)HELP_COLUMN, left, def->help);
}

static void print_usage(FILE *to, const struct command_line *line)
{
	fprintf(to, "\n Usage: perf arm-spe %s %s\n", line->command, line->synopsis);
	for (const struct option_set *set = line->sets; set->defs; set++) {
		if (set->title)
			fprintf(to, "\n  %s\n", set->title);
		else if (set == line->sets)
			fprintf(to, "\n");
		for (const struct option_def *def = set->defs; def->kind != OPTION_END; def++)
			if (def->help)
				print_option(to, def);
	}
	fprintf(to, "\n");
}

int options_usage_error(const struct command_line *line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "perf-arm-spe %s: ", line->command);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; try perf arm-spe %s -h\n", line->command);
	return EXIT_USAGE;
}

static int list_opts(const struct parser *parser)
{
	for (size_t i = 0; i < parser->count; i++)
		if (parser->defs[i]->name && parser->defs[i]->help)
			printf("--%s ", parser->defs[i]->name);
	printf("--help\n");
	return EXIT_OK;
}

static int show_help(const struct command_line *line)
{
	char page[64];

	snprintf(page, sizeof(page), "perf-arm-spe-%s", line->command);
	if (!manual_show(page))
		print_usage(stdout, line);
	return EXIT_OK;
}

/* ---- getopt's tables from ours ------------------------------------------ */

static void add_long(struct parser *parser, const char *name, int has_arg, int val)
{
	parser->longs[parser->long_count++] =
		(struct option){ .name = name, .has_arg = has_arg, .val = val };
}

static void add_negation(struct parser *parser, const char *name, int val)
{
	char *text = parser->negated[parser->negated_count++];

	snprintf(text, sizeof(parser->negated[0]), "no-%s", name);
	add_long(parser, text, no_argument, val | NEGATION_BIT);
}

static void add_def(struct parser *parser, const struct option_def *def, void *base)
{
	int val = OWN_COUNT + (int)parser->count;
	int has_arg = !def->argument  ? no_argument
		      : def->optional ? optional_argument
				      : required_argument;
	size_t n = strlen(parser->shorts);

	parser->defs[parser->count] = def;
	parser->bases[parser->count++] = base;
	if (def->name)
		add_long(parser, def->name, has_arg, val);
	if (def->name && def->kind == OPTION_FLAG)
		add_negation(parser, def->name, val);
	if (def->letter) {
		parser->shorts[n++] = def->letter;
		for (int i = 0; i < has_arg; i++)
			parser->shorts[n++] = ':';
	}
}

static void build(struct parser *parser, bool permute)
{
	/* ':' first: a missing argument is told apart from an unknown option. */
	snprintf(parser->shorts, sizeof(parser->shorts), "%s:h", permute ? "" : "+");
	add_long(parser, "help", no_argument, OWN_HELP);
	add_long(parser, "list-opts", no_argument, OWN_LIST_OPTS);
	for (const struct option_set *set = parser->line->sets; set->defs; set++)
		for (const struct option_def *def = set->defs;
		     def->kind != OPTION_END && parser->count < OPTIONS_MAX; def++)
			add_def(parser, def, set->base);
}

/* ---- values -------------------------------------------------------------- */

static bool take_number(const char *text, int base, uint64_t max, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return !*end && !errno && *value <= max;
}

static bool take_double(const char *text, double *value)
{
	char *end;

	if ((*text < '0' || *text > '9') && *text != '.')
		return false;
	errno = 0;
	*value = strtod(text, &end);
	return !*end && !errno;
}

/* What an argument of this kind has to be, for the message. */
static const char *const kind_wants[] = {
	[OPTION_FILE] = "the name of a file",
	[OPTION_THREADS] = "a number from 0 to 1024",
	[OPTION_UNSIGNED] = "a number",
	[OPTION_INT] = "a number",
	[OPTION_U64] = "a number",
	[OPTION_DOUBLE] = "a number that is not negative",
};

_Static_assert(SPE_LIMIT_WORKERS == 1024, "stands in kind_wants");

static bool store(const struct option_def *def, void *at, const char *argument)
{
	uint64_t number = 0;
	bool ok = true;

	switch (def->kind) {
	case OPTION_STRING:
		*(const char **)at = argument;
		break;
	case OPTION_FILE:
		ok = *argument;
		*(const char **)at = argument;
		break;
	case OPTION_THREADS:
		ok = take_number(argument, 10, SPE_LIMIT_WORKERS, &number);
		*(unsigned *)at = (unsigned)number;
		break;
	case OPTION_UNSIGNED:
		ok = take_number(argument, 10, UINT32_MAX, &number);
		*(unsigned *)at = (unsigned)number;
		break;
	case OPTION_INT:
		ok = take_number(argument, 10, INT32_MAX, &number);
		*(int32_t *)at = (int32_t)number;
		break;
	case OPTION_U64:
		ok = take_number(argument, 0, UINT64_MAX, at);
		break;
	case OPTION_DOUBLE:
		ok = take_double(argument, at);
		break;
	default:
		break;
	}
	return ok;
}

static int apply_call(const struct option_def *def, void *base, const char *argument)
{
	int said = def->call(base, def, argument);

	return said == OPTION_ANSWERED ? EXIT_OK : said ? EXIT_USAGE : -1;
}

/* Returns -1 to go on, else the exit code. */
static int apply(const struct parser *parser, int val, const char *argument)
{
	size_t i = (size_t)((val & ~NEGATION_BIT) - OWN_COUNT);
	const struct option_def *def = parser->defs[i];
	void *at = (char *)parser->bases[i] + def->offset;

	if (def->kind == OPTION_CALL)
		return apply_call(def, parser->bases[i], argument);
	if (def->kind == OPTION_FLAG)
		*(bool *)at = !(val & NEGATION_BIT);
	else if (!store(def, at, argument))
		return options_usage_error(parser->line, "--%s wants %s, not '%s'", def->name,
					   kind_wants[def->kind], argument);
	return -1;
}

/* getopt said '?' or ':'. */
static int complain(const struct parser *parser, int what, const char *given)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *name = strncmp(given, "--", 2) ? letter : given;

	if (what == ':')
		return options_usage_error(parser->line, "%s needs an argument", name);
	if (!strncmp(given, "--", 2) && optopt)
		return options_usage_error(parser->line, "%s takes no argument", name);
	return options_usage_error(parser->line, "unknown option '%s'", name);
}

static int find_letter(const struct parser *parser, int letter)
{
	for (size_t i = 0; i < parser->count; i++)
		if (parser->defs[i]->letter == letter)
			return OWN_COUNT + (int)i;
	return OWN_SHORT_HELP; /* 'h' is the only letter without a table line */
}

static int parse(struct parser *parser)
{
	const struct command_line *line = parser->line;

	opterr = 0;
	optind = 1;
	for (;;) {
		int at = optind ? optind : 1;
		int is_long = -1;
		int val = getopt_long(line->argc, (char **)line->argv, parser->shorts,
				      parser->longs, &is_long);
		int code;

		if (val == -1)
			return -1;
		if (val == '?' || val == ':')
			return complain(parser, val, line->argv[optind > at ? optind - 1 : at]);
		if (is_long < 0)
			val = find_letter(parser, val);
		if (val == OWN_SHORT_HELP) {
			print_usage(stderr, line);
			return EXIT_USAGE;
		}
		if (val == OWN_HELP)
			return show_help(line);
		if (val == OWN_LIST_OPTS)
			return list_opts(parser);
		code = apply(parser, val, optarg);
		if (code >= 0)
			return code;
	}
}

static int build_and_parse(const struct command_line *line, bool permute, int *operands)
{
	struct parser *parser = calloc(1, sizeof(*parser));
	int code;

	if (!parser)
		return talk_failed("out of memory");
	parser->line = line;
	build(parser, permute);
	code = parse(parser);
	free(parser);
	*operands = optind;
	return code;
}

int options_parse(const struct command_line *line, int *operands)
{
	return build_and_parse(line, true, operands);
}

int options_parse_before_command(const struct command_line *line, int *operands)
{
	return build_and_parse(line, false, operands);
}
