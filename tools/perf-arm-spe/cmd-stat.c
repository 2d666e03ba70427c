/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe stat: what a recording holds. */
#include <perf-arm-spe/sink.h>

#include "command.h"
#include "output.h"
#include "session.h"

struct stat_command {
	struct session session;
	bool json;
};

static const struct option_def stat_options[] = {
	OPT_FLAG(0, "json", struct stat_command, json, "JSON"),
	OPT_END,
};

/* The run itself counts; nobody looks at the samples. */
static int nothing_begin(void *sink, unsigned worker, void **partial)
{
	(void)sink;
	(void)worker;
	*partial = NULL;
	return SPE_OK;
}

static int nothing_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	(void)sink;
	(void)partial;
	(void)samples;
	(void)count;
	return SPE_OK;
}

static int nothing_merge(void *sink, void *partial)
{
	(void)sink;
	(void)partial;
	return SPE_OK;
}

static int nothing_end(void *sink, const struct spe_run_stats *stats)
{
	(void)sink;
	(void)stats;
	return SPE_OK;
}

static int print_stat(struct stat_command *stat)
{
	static const struct spe_sink_ops count_only = {
		.name = "stat",
		.want = SPE_HAS_TIMESTAMP,
		.begin = nothing_begin,
		.batch = nothing_batch,
		.merge = nothing_merge,
		.end = nothing_end,
	};
	struct session *session = &stat->session;
	struct spe_out out = output_stream();
	int status = session_run(session, &count_only, NULL);

	if (status)
		return status;
	output_pager();
	return spe_stat_print(session->recording, &session->stats,
			      stat->json ? SPE_FORMAT_JSON : SPE_FORMAT_TEXT, &out);
}

int cmd_stat(int argc, const char **argv)
{
	struct stat_command stat = { .json = false };
	const struct option_set sets[] = {
		{ stat_options, &stat, NULL },
		{ input_options, &stat.session.input, NULL },
		{ session_options, &stat.session, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "stat", "[<options>] [<file>]", sets, argc, argv };
	int operands;
	int code;

	session_init(&stat.session);
	code = options_parse(&line, &operands);
	if (code < 0)
		code = input_operands(&stat.session.input, &line, operands);
	if (code < 0)
		code = session_open(&stat.session);
	if (code < 0)
		code = session_done(&stat.session, print_stat(&stat));
	session_fini(&stat.session);
	return code;
}
