/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe inject: the recording again, with samples any perf understands. */
#include <perf-arm-spe/sink.h>

#include "command.h"
#include "session.h"
#include "talk.h"

#include <stdio.h>

struct inject {
	struct session session;
	const char *output;
	const char *itrace;
	bool merge_threads, weight_struct, strip;
};

static int take_itrace(void *base, const struct option_def *def, const char *argument)
{
	struct inject *inject = base;

	(void)def;
	inject->itrace = argument;
	return 0;
}

static const struct option_def inject_options[] = {
	{ OPTION_FILE, 'o', "output", offsetof(struct inject, output), "file",
	  "the file to write; - writes a pipe to standard output", NULL, false },
	{ OPTION_CALL, 0, "itrace", 0, "letters",
	  "events to make: i b f m t a M l, periods as i100i (all events, every record)",
	  take_itrace, true },
	{ OPTION_FLAG, 0, "merge-threads", offsetof(struct inject, merge_threads), NULL,
	  "write the process id as thread id, so that perf's `pid` key groups by process", NULL,
	  false },
	{ OPTION_FLAG, 0, "weight-struct", offsetof(struct inject, weight_struct), NULL,
	  "total, issue and translation latency as PERF_SAMPLE_WEIGHT_STRUCT", NULL, false },
	{ OPTION_FLAG, 0, "strip", offsetof(struct inject, strip), NULL,
	  "leave out the original samples and the switch records", NULL, false },
	{ .kind = OPTION_END },
};

static int write_output(struct inject *inject)
{
	struct session *session = &inject->session;
	struct spe_inject_opts opts = { .size = sizeof(opts) };

	opts.itrace = inject->itrace;
	opts.merge_threads = inject->merge_threads;
	opts.weight_struct = inject->weight_struct;
	opts.strip = inject->strip;
	opts.filter = session->filter;
	opts.threads = session->threads;
	opts.listener = session->listener;
	return spe_inject(session->recording, inject->output, &opts, &session->stats,
			  &session->error);
}

static int stderr_write(void *priv, const char *bytes, size_t n)
{
	(void)priv;
	return fwrite(bytes, 1, n, stderr) == n ? SPE_OK : SPE_IO;
}

/* What was decoded, dropped and lost: the file itself cannot tell any more. */
static void account(const struct inject *inject)
{
	const struct spe_out out = { .write = stderr_write };

	if (inject->session.input.quiet)
		return;
	talk_progress_clear();
	(void)!spe_accounting_print(inject->session.recording, &inject->session.stats, false, &out);
}

int cmd_inject(int argc, const char **argv)
{
	struct inject inject = { .output = NULL };
	const struct option_set sets[] = {
		{ inject_options, &inject, "Output" },
		{ filter_options, &inject.session, "Only samples with" },
		{ input_options, &inject.session.input, "General" },
		{ session_options, &inject.session, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "inject", "[<options>] -o <file> [<input>]", sets, argc,
					   argv };
	int operands;
	int code;

	session_init(&inject.session);
	code = options_parse(&line, &operands);
	if (code < 0)
		code = input_operands(&inject.session.input, &line, operands);
	if (code < 0 && !inject.output)
		code = options_usage_error(&line,
					   "say where to write: -o FILE, or -o - for a pipe");
	if (code < 0)
		code = session_open(&inject.session);
	if (code < 0) {
		int status = write_output(&inject);

		code = session_done(&inject.session, status);
		if (status == SPE_OK)
			account(&inject);
	}
	session_fini(&inject.session);
	return code;
}
