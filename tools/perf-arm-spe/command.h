/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sub-commands.  A new one is a file cmd-NAME.c with cmd_NAME() and one
 * line in the list below; docs/contributing.md walks through it.
 */
#ifndef COMMAND_H
#define COMMAND_H

/* X(function suffix, name on the command line, one line for `perf arm-spe -h`) */
#define COMMAND_LIST(X)                                                                            \
	X(report, "report", "Show samples by process, thread or anything else")                    \
	X(script, "script", "Print a line for each sample")                                        \
	X(stat, "stat", "Tell what a recording holds and what was lost")                           \
	X(dump, "dump", "Show the raw packets of a recording or of a bare SPE buffer")             \
	X(inject, "inject", "Write the recording again, with samples that any perf understands")   \
	X(verify, "verify", "Compare context packets with switch records")                         \
	X(timeline, "timeline", "Show who ran when, from any witness in the file")                 \
	X(overhead, "overhead", "Measure what something costs, with a verdict that holds")         \
	X(check, "check", "Tell what this machine lacks for recording")                            \
	X(record, "record", "Record with perf, and tell what came of it")

/* What main() returns; perf's numbers. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 129, /* -h, and a command line nobody can obey */
};

#define COMMAND_DECLARE(suffix, name, summary) int cmd_##suffix(int argc, const char **argv);
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

#endif
