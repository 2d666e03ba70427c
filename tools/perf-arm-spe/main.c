/* SPDX-License-Identifier: GPL-2.0-only */
/* perf-arm-spe: the command.  perf runs it for `perf arm-spe`. */
#include <perf-arm-spe/base.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "output.h"
#include "talk.h"

/* Not perf-arm-spe: linux-perf has a page of that name. */
#define OVERVIEW_PAGE "perf-arm-spe-overview"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, const char **argv);
};

static const struct command commands[] = {
#define COMMAND_ENTRY(suffix, name, summary) { name, summary, cmd_##suffix },
	COMMAND_LIST(COMMAND_ENTRY)
#undef COMMAND_ENTRY
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void print_usage(FILE *to)
{
	fprintf(to,
		"\n Usage: perf arm-spe [--no-pager] <command> [<options>]\n"
		"    or: perf arm-spe --version | --list-cmds | help [<command>]\n\n"
		" Decodes Arm SPE recordings of perf and finds the process and thread of every\n"
		" sample from its CONTEXT packet.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "    %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\n See `perf arm-spe <command> -h`, or `perf arm-spe help <command>` for its "
		    "manual page.\n\n");
}

static int print_version(void)
{
	const char *name = "";
	bool present = false;

	printf("perf-arm-spe version %s\n", spe_version());
	for (unsigned i = 0; spe_feature(i, &name, &present) == SPE_OK; i++)
		printf("%20s: [ %-3s ]\n", name, present ? "on" : "OFF");
	return EXIT_OK;
}

static int list_commands(void)
{
	for (size_t i = 0; i < COMMANDS; i++)
		printf("%s\n", commands[i].name);
	return EXIT_OK;
}

static int list_opts(void)
{
	printf("--help --version --no-pager --list-cmds --list-opts\n");
	return EXIT_OK;
}

/* Pages that are not a command's. */
static const struct {
	const char *name, *page;
} pages[] = {
	{ "overview", OVERVIEW_PAGE },
	{ "dlfilter", "perf-arm-spe-dlfilter" },
};

#define PAGES (sizeof(pages) / sizeof(pages[0]))

/* What there is to know without the manual, we know of the overview only. */
static int show_page(const char *page)
{
	if (manual_show(page))
		return EXIT_OK;
	if (strcmp(page, OVERVIEW_PAGE))
		return talk_failed("the manual page %s(1) is not installed", page);
	print_usage(stdout);
	return EXIT_OK;
}

static int not_a_command(const char *name)
{
	talk_failed("'%s' is not a command of perf arm-spe; see perf arm-spe -h", name);
	return EXIT_USAGE;
}

static int show_help(const char *name)
{
	const struct command *command = name ? find_command(name) : NULL;
	const char *argv[] = { name, "--help", NULL };

	if (command)
		return command->run(2, argv);
	for (size_t i = 0; name && i < PAGES; i++)
		if (!strcmp(name, pages[i].name))
			return show_page(pages[i].page);
	if (name)
		return not_a_command(name);
	return show_page(OVERVIEW_PAGE);
}

/* What stands before the command.  Returns -1 to go on. */
static int top_option(const char *option, const char *next)
{
	if (!strcmp(option, "--no-pager")) {
		output_no_pager();
		return -1;
	}
	if (!strcmp(option, "--version") || !strcmp(option, "-v") || !strcmp(option, "version"))
		return print_version();
	if (!strcmp(option, "--list-cmds"))
		return list_commands();
	if (!strcmp(option, "--list-opts"))
		return list_opts();
	if (!strcmp(option, "--help") || !strcmp(option, "help"))
		return show_help(next);
	if (strcmp(option, "-h"))
		talk_failed("unknown option '%s'; try perf arm-spe -h", option);
	else
		print_usage(stderr);
	return EXIT_USAGE;
}

static int run(int argc, const char **argv)
{
	int code = -1;
	int at = 1;

	for (; code < 0 && at < argc; at++) {
		const struct command *command = find_command(argv[at]);

		if (command)
			return command->run(argc - at, argv + at);
		if (argv[at][0] != '-' && strcmp(argv[at], "help") && strcmp(argv[at], "version"))
			return not_a_command(argv[at]);
		code = top_option(argv[at], argv[at + 1]);
	}
	if (code < 0) {
		print_usage(stderr);
		code = EXIT_USAGE;
	}
	return code;
}

int main(int argc, char **argv)
{
	int code;

	output_init();
	code = run(argc, (const char **)argv);
	talk_progress_clear();
	if (!output_flush() && code == EXIT_OK)
		code = EXIT_FAILED;
	output_finish();
	return code;
}
