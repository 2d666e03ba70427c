/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standard output: the pager, colour, and readers that go away.  SIGPIPE is
 * ignored: perf prints FATAL when its child dies of a signal.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <perf-arm-spe/base.h>

/* Set up once, before anything is written: signals. */
void output_init(void);

/* No pager, whatever the environment says. */
void output_no_pager(void);

/* Start the pager if stdout is a terminal and one is wanted. */
void output_pager(void);

/* Where the library writes: standard output. */
struct spe_out output_stream(void);

/* Is the result for eyes: was stdout a terminal before the pager? */
bool output_is_terminal(void);

/* Is this an argument of --stdio-color?  NULL is: auto. */
bool output_colour_known(const char *mode);

/*
 * As output_stream(), percentages at the head of a line coloured as perf does
 * if mode (NULL: auto) says so.  Text must end with a newline.
 */
struct spe_out output_coloured(const char *mode);

/* Text of the last failed write of output_stream(); NULL: none failed. */
const char *output_error(void);

/* Write out what stdio holds.  False after it failed, and has said why: not for a reader that left.
 */
bool output_flush(void);

/* Wait for the pager to end. */
void output_finish(void);

/* From a signal handler: let the pager show what it has, and wait for it. */
void output_abandon(void);

/*
 * Run a program with signals and standard streams as they were given to us.
 * Does not return but with EXIT_FAILED when there is no such program.
 */
int output_exec(const char *const *argv);

#endif
