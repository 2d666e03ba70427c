/* SPDX-License-Identifier: GPL-2.0-only */
/* Options every command has: what is read, and how much is said. */
#ifndef INPUT_H
#define INPUT_H

#include <perf-arm-spe/base.h>

#include "options.h"

struct input {
	const char *path; /* NULL: perf.data, or "-" when standard input is a pipe */
	bool quiet, verbose;
	bool ignored; /* -f, --stdio: perf's, and nothing to do here */
};

/* -i -v -q -f: base is a struct input. */
extern const struct option_def input_options[];

/* The input by name: what -i says, else perf's default. */
const char *input_path(const struct input *input);

/*
 * Take the first operand as the input if there is one; more are too many.
 * Returns -1 to go on, else the exit code.
 */
int input_operands(struct input *input, const struct command_line *line, int operands);

/* Sets the volume, guards the file against shrinking, and gives the library's listener. */
struct spe_listener input_listen(const struct input *input);

#endif
