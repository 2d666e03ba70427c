/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe script: one line an event. */
#include <perf-arm-spe/sink.h>

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "output.h"
#include "session.h"
#include "talk.h"

struct script {
	struct session session;
	const char *fields;
	const char *itrace;
	bool ns, unordered, json, csv;
};

static int take_itrace(void *base, const struct option_def *def, const char *argument)
{
	struct script *script = base;

	(void)def;
	/* Without letters: perf's default set. */
	script->itrace = argument ? argument : "";
	return 0;
}

static const struct option_def script_options[] = {
	OPT_VALUE(STRING, 'F', "fields", struct script, fields, "name[,name...]",
		  "what a line shows; +name and -name change the default, list shows all"),
	{ .kind = OPTION_CALL,
	  .name = "itrace",
	  .argument = "letters",
	  .optional = true,
	  .help = "events to make: i b c r f m t a M l, periods as i100i (one line a record)",
	  .call = take_itrace },
	OPT_FLAG(0, "ns", struct script, ns, "time in nanoseconds"),
	OPT_FLAG(0, "unordered", struct script, unordered, "lines in no order of time: faster"),
	OPT_FLAG(0, "json", struct script, json, "one JSON object a line"),
	OPT_FLAG(0, "csv", struct script, csv, "comma separated values under a line of names"),
	OPT_END,
};

static int list_fields(void)
{
	const char *name;
	const char *help;

	for (unsigned i = 0; spe_script_field(i, &name, &help) == SPE_OK; i++)
		printf("%-12s %s\n", name, help);
	return EXIT_OK;
}

static int print_script(struct script *script)
{
	struct spe_script_opts opts = { .size = sizeof(opts) };
	struct spe_script *sink = NULL;
	int status;

	opts.fields = script->fields;
	opts.itrace = script->itrace;
	opts.ns = script->ns;
	opts.unordered = script->unordered;
	opts.format = script->json  ? SPE_FORMAT_JSON
		      : script->csv ? SPE_FORMAT_CSV
				    : SPE_FORMAT_TEXT;
	opts.out = output_stream();
	opts.symbols = session_symbols(&script->session);
	status = spe_script_new(script->session.recording, &opts, &sink, &script->session.error);
	if (status)
		return status;
	output_pager();
	status = session_run(&script->session, spe_script_ops(sink), sink);
	spe_script_free(sink);
	if (!status)
		session_say_nothing_passed(&script->session);
	return status;
}

int cmd_script(int argc, const char **argv)
{
	struct script script = { .fields = NULL };
	const struct option_set sets[] = {
		{ script_options, &script, "Output" },
		{ filter_options, &script.session, "Only samples with" },
		{ symbol_options, &script.session, "Symbols" },
		{ input_options, &script.session.input, "General" },
		{ session_options, &script.session, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "script", "[<options>] [<file>]", sets, argc, argv };
	int operands;
	int code;

	session_init(&script.session);
	code = options_parse(&line, &operands);
	if (code < 0)
		code = input_operands(&script.session.input, &line, operands);
	if (code < 0 && script.json && script.csv)
		code = options_usage_error(&line, "--json and --csv exclude each other");
	if (code < 0 && script.fields && !strcmp(script.fields, "list"))
		code = list_fields();
	if (code < 0)
		code = session_open(&script.session);
	if (code < 0)
		code = session_done(&script.session, print_script(&script));
	session_fini(&script.session);
	return code;
}
