/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command line options.  One table per group of options makes the parser, the
 * text of -h and what completion is told.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_END,      /* ends a table */
	OPTION_FLAG,     /* bool; --no-NAME clears it again */
	OPTION_STRING,   /* const char * */
	OPTION_FILE,     /* const char *, not empty */
	OPTION_THREADS,  /* unsigned, up to SPE_LIMIT_WORKERS */
	OPTION_UNSIGNED, /* unsigned, decimal */
	OPTION_INT,      /* int32_t, decimal, not negative */
	OPTION_U64,      /* uint64_t, decimal or 0x */
	OPTION_DOUBLE,   /* double, not negative */
	OPTION_CALL,     /* call() takes the argument */
};

struct option_def;

/*
 * base is that of the set.  argument is NULL where an optional one is missing.
 * Returns 0, OPTION_ANSWERED where the option was a question and nothing is left to do, or 1
 * after it has said what is wrong.
 */
#define OPTION_ANSWERED (-1)
typedef int (*option_call)(void *base, const struct option_def *def, const char *argument);

struct option_def {
	enum option_kind kind;
	char letter;          /* short form, 0: none */
	const char *name;     /* long form, NULL: none */
	size_t offset;        /* of the value in the set's base */
	const char *argument; /* what -h calls the argument; NULL for flags */
	const char *help;     /* NULL: accepted, not shown */
	option_call call;
	bool optional; /* the argument may be left out; then it needs `=` */
};

/* Lines of a table.  letter_ 0: no short form; help_ NULL: accepted, not shown. */
#define OPT_FLAG(letter_, name_, type, member, help_)                                              \
	{                                                                                          \
		.kind = OPTION_FLAG, .letter = letter_, .name = name_,                             \
		.offset = offsetof(type, member), .help = help_                                    \
	}
#define OPT_VALUE(kind_, letter_, name_, type, member, argument_, help_)                           \
	{                                                                                          \
		.kind = OPTION_##kind_, .letter = letter_, .name = name_,                          \
		.offset = offsetof(type, member), .argument = argument_, .help = help_             \
	}
#define OPT_CALL(letter_, name_, argument_, help_, call_)                                          \
	{                                                                                          \
		.kind = OPTION_CALL, .letter = letter_, .name = name_, .argument = argument_,      \
		.help = help_, .call = call_                                                       \
	}
#define OPT_END                                                                                    \
	{                                                                                          \
		.kind = OPTION_END                                                                 \
	}

struct option_set {
	const struct option_def *defs; /* ends with OPTION_END; NULL ends a list of sets */
	void *base;
	const char *title; /* heading in -h, NULL: none */
};

struct command_line {
	const char *command;           /* "report" */
	const char *synopsis;          /* what follows it: "[<options>]" */
	const struct option_set *sets; /* ends with a NULL table */
	int argc;
	const char **argv; /* argv[0] is the command's name */
};

/*
 * Parse.  Returns -1 to go on, with *operands the index of the first argument
 * that is no option (options may stand after it; argv is permuted); else the
 * exit code: usage, completion and --help have been dealt with.
 */
int options_parse(const struct command_line *line, int *operands);

/* As options_parse(), but options end at the first operand: the rest is another command. */
int options_parse_before_command(const struct command_line *line, int *operands);

/* "perf-arm-spe CMD: ...; try perf arm-spe CMD -h", on stderr. Returns EXIT_USAGE. */
int options_usage_error(const struct command_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Show a manual page; returns false if there is none, or no man. */
bool manual_show(const char *page);

#endif
