/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe check: what this machine lacks for SPE with contexts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "program.h"
#include "talk.h"

#define NAME_COLUMN 11

struct check_command {
	const char *root, *perf;
	bool json;
};

static const struct option_def check_options[] = {
	OPT_VALUE(STRING, 0, "root", struct check_command, root, "dir",
		  "look at a tree captured elsewhere, not at this machine"),
	OPT_VALUE(STRING, 0, "perf", struct check_command, perf, "path",
		  "the perf that is to record (perf)"),
	OPT_FLAG(0, "json", struct check_command, json, "JSON"),
	OPT_END,
};

static size_t count_of(const struct check_findings *findings, enum check_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->list[i].state == state;
	return count;
}

static void print_text(const struct check_findings *findings)
{
	static const char *const states[] = { "ok", "warn", "FAIL" };
	size_t fails = count_of(findings, CHECK_FAIL), warns = count_of(findings, CHECK_WARN);

	for (size_t i = 0; i < findings->count; i++) {
		const struct check_finding *f = &findings->list[i];

		printf("%-5s %-*s %s\n", states[f->state], NAME_COLUMN, f->name, f->text);
		if (f->remedy[0])
			printf("%-5s %-*s -> %s\n", "", NAME_COLUMN, "", f->remedy);
	}
	if (fails)
		printf("Not ready: %zu thing%s to be remedied.\n", fails, fails == 1 ? "" : "s");
	else if (warns)
		printf("Ready, as far as can be seen, with %zu warning%s.\n", warns,
		       warns == 1 ? "" : "s");
	else
		printf("Ready: perf arm-spe record -a -- sleep 10\n");
}

static void print_json(const struct check_findings *findings)
{
	static const char *const states[] = { "ok", "warn", "fail" };

	printf("{\"ready\": %s, \"findings\": [",
	       count_of(findings, CHECK_FAIL) ? "false" : "true");
	for (size_t i = 0; i < findings->count; i++) {
		const struct check_finding *f = &findings->list[i];

		printf("%s\n  {\"name\": ", i ? "," : "");
		json_string(f->name, stdout);
		printf(", \"state\": \"%s\", \"text\": ", states[f->state]);
		json_string(f->text, stdout);
		printf(", \"remedy\": ");
		if (f->remedy[0])
			json_string(f->remedy, stdout);
		else
			printf("null");
		printf("}");
	}
	printf("\n]}\n");
}

static int check(const struct check_command *args)
{
	struct check_findings *findings = calloc(1, sizeof(*findings));
	struct machine *machine = calloc(1, sizeof(*machine));
	char perf[4096];
	int code = EXIT_FAILED;

	if (!findings || !machine) {
		talk_failed("out of memory");
	} else {
		machine_read(machine, args->root ? args->root : "");
		if (!args->root &&
		    program_find(args->perf ? args->perf : "perf", perf, sizeof(perf)))
			machine_add_program(machine, perf);
		check_machine(findings, machine, args->perf);
		(args->json ? print_json : print_text)(findings);
		code = count_of(findings, CHECK_FAIL) ? EXIT_FAILED : EXIT_OK;
	}
	free(findings);
	free(machine);
	return code;
}

int cmd_check(int argc, const char **argv)
{
	struct check_command args = { .json = false };
	const struct option_set sets[] = {
		{ check_options, &args, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "check", "[<options>]", sets, argc, argv };
	struct stat st;
	int operands;
	int code = options_parse(&line, &operands);

	if (code < 0 && operands < argc)
		return options_usage_error(&line, "'%s' is one argument too many", argv[operands]);
	if (code >= 0)
		return code;
	if (args.root && (stat(args.root, &st) || !S_ISDIR(st.st_mode)))
		return talk_failed("%s: no such folder", args.root);
	return check(&args);
}
