/* SPDX-License-Identifier: GPL-2.0-only */
#include "input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "talk.h"

const struct option_def input_options[] = {
	OPT_VALUE(FILE, 'i', "input", struct input, path, "file",
		  "input file, - for standard input (perf.data)"),
	OPT_FLAG('v', "verbose", struct input, verbose, "say more"),
	OPT_FLAG('q', "quiet", struct input, quiet, "no warnings, no progress"),
	OPT_FLAG('f', "force", struct input, ignored, NULL),
	OPT_FLAG(0, "stdio", struct input, ignored, NULL),
	OPT_END,
};

const char *input_path(const struct input *input)
{
	struct stat st;

	if (input->path)
		return input->path;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

int input_operands(struct input *input, const struct command_line *line, int operands)
{
	if (operands < line->argc && !*line->argv[operands])
		return options_usage_error(line, "the name of a file is empty");
	if (operands < line->argc && !input->path)
		input->path = line->argv[operands++];
	if (operands < line->argc)
		return options_usage_error(line, "'%s' is one argument too many",
					   line->argv[operands]);
	return -1;
}

struct spe_listener input_listen(const struct input *input)
{
	const char *path = input_path(input);

	talk_volume(input->quiet, input->verbose);
	talk_guard_file(strcmp(path, "-") ? path : "standard input");
	return talk_listener();
}
