/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe timeline: who ran when, from any witness. */
#include <perf-arm-spe/sink.h>

#include "command.h"
#include "output.h"
#include "session.h"
#include "talk.h"

struct timeline {
	struct session session;
	const char *source;
	int32_t cpu;
	bool json;
};

static const struct option_def timeline_options[] = {
	{ OPTION_STRING, 0, "source", offsetof(struct timeline, source), "witness",
	  "spe, etm or switch (every one the file has)", NULL, false },
	{ OPTION_INT, 'C', "cpu", offsetof(struct timeline, cpu), "cpu", "only this CPU", NULL,
	  false },
	{ OPTION_FLAG, 0, "json", offsetof(struct timeline, json), NULL, "print JSON", NULL,
	  false },
	{ .kind = OPTION_END },
};

static int print_timeline(struct timeline *timeline)
{
	struct session *session = &timeline->session;
	struct spe_timeline_opts opts = { .size = sizeof(opts) };
	struct spe_out out = output_stream();

	opts.source = timeline->source;
	opts.cpu = timeline->cpu;
	opts.format = timeline->json ? SPE_FORMAT_JSON : SPE_FORMAT_TEXT;
	opts.threads = session->threads;
	opts.listener = session->listener;
	output_pager();
	return spe_timeline_print(session->recording, &opts, &out, &session->error);
}

int cmd_timeline(int argc, const char **argv)
{
	struct timeline timeline = { .cpu = -1 };
	const struct option_set sets[] = {
		{ timeline_options, &timeline, "Output" },
		{ input_options, &timeline.session.input, "General" },
		{ session_options, &timeline.session, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "timeline", "[<options>] [<file>]", sets, argc, argv };
	int operands;
	int code;

	session_init(&timeline.session);
	timeline.session.without_spe = true;
	code = options_parse(&line, &operands);
	if (code < 0)
		code = input_operands(&timeline.session.input, &line, operands);
	if (code < 0)
		code = session_open(&timeline.session);
	if (code < 0)
		code = session_done(&timeline.session, print_timeline(&timeline));
	session_fini(&timeline.session);
	return code;
}
