/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is said on stderr: errors, warnings, progress.  stdout carries results
 * only.
 */
#ifndef TALK_H
#define TALK_H

#include <perf-arm-spe/base.h>

/* How much is said: -q and -v. */
void talk_volume(bool quiet, bool verbose);

/* One line, "perf-arm-spe: ...".  Returns EXIT_FAILED, so that `return talk_failed()` reads well.
 */
int talk_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As above, not with -q: "perf-arm-spe: warning: ...". */
void talk_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As above, without "warning: ": what may be of interest. */
void talk_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Exit code of a status: EXIT_OK for success and for a reader that went away
 * (SPE_CLOSED); otherwise says why, from *error where it has a text, and EXIT_FAILED, or
 * EXIT_USAGE where it is an option's value that is not valid.
 */
int talk_status(int status, const struct spe_error *error);

/* Log and progress of the library: warnings and notes, progress on a terminal only. */
struct spe_listener talk_listener(void);

/* Takes the progress line away before something else is said. */
void talk_progress_clear(void);

/*
 * From now on a bus error means that this file became shorter while it was
 * mapped: it is said, and the program ends with EXIT_FAILED.
 */
void talk_guard_file(const char *path);

#endif
