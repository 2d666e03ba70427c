/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe verify: context packets against switch records. */
#include <perf-arm-spe/sink.h>

#include "command.h"
#include "output.h"
#include "session.h"
#include "talk.h"

/* The two witnesses part: as diff(1) and cmp(1) have a code of their own for it. */
#define EXIT_PART 2

struct verify {
	struct session session;
	bool json;
	bool part;
};

static const struct option_def verify_options[] = {
	{ OPTION_FLAG, 0, "json", offsetof(struct verify, json), NULL, "print JSON", NULL, false },
	{ .kind = OPTION_END },
};

static int compare_witnesses(struct verify *verify)
{
	struct spe_out out = output_stream();
	const struct spe_verify_result *result;
	struct spe_verify *sink;
	int status = spe_verify_new(verify->session.recording, &sink);

	if (status)
		return status;
	status = session_run(&verify->session, spe_verify_ops(sink), sink);
	result = spe_verify_result(sink);
	verify->part =
		result->belief != SPE_BELIEVE_EITHER || result->etm_agree < result->etm_compared;
	output_pager();
	if (!status)
		status = spe_verify_print(sink, verify->json ? SPE_FORMAT_JSON : SPE_FORMAT_TEXT,
					  &out);
	spe_verify_free(sink);
	return status;
}

int cmd_verify(int argc, const char **argv)
{
	struct verify verify = { .json = false };
	const struct option_set sets[] = {
		{ verify_options, &verify, "Output" },
		{ filter_options, &verify.session, "Only samples with" },
		{ input_options, &verify.session.input, "General" },
		{ session_options, &verify.session, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "verify", "[<options>] [<file>]", sets, argc, argv };
	int operands;
	int code;

	session_init(&verify.session);
	code = options_parse(&line, &operands);
	if (code < 0)
		code = input_operands(&verify.session.input, &line, operands);
	if (code < 0)
		code = session_open(&verify.session);
	if (code < 0) {
		code = session_done(&verify.session, compare_witnesses(&verify));
		if (code == EXIT_OK && verify.part)
			code = EXIT_PART;
	}
	session_fini(&verify.session);
	return code;
}
