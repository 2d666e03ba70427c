/* SPDX-License-Identifier: GPL-2.0-only */
#include "talk.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "output.h"

static bool quiet, verbose;
static bool progress_shown;

void talk_volume(bool be_quiet, bool be_verbose)
{
	quiet = be_quiet;
	verbose = be_verbose;
}

void talk_progress_clear(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

static void say(const char *prefix, const char *format, va_list args)
{
	talk_progress_clear();
	fprintf(stderr, "perf-arm-spe: %s", prefix);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int talk_failed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
	return EXIT_FAILED;
}

void talk_warning(const char *format, ...)
{
	va_list args;

	if (quiet)
		return;
	va_start(args, format);
	say("warning: ", format, args);
	va_end(args);
}

void talk_note(const char *format, ...)
{
	va_list args;

	if (quiet)
		return;
	va_start(args, format);
	say("", format, args);
	va_end(args);
}

int talk_status(int status, const struct spe_error *error)
{
	talk_progress_clear();
	if (status >= 0 || status == SPE_CLOSED)
		return EXIT_OK;
	if (status == SPE_IO && output_error())
		return talk_failed("standard output: %s", output_error());
	if (error && error->text[0]) {
		talk_failed("%s", error->text);
		/* What the library does not like about an option begins with its name. */
		return status == SPE_INVALID && !strncmp(error->text, "--", 2) ? EXIT_USAGE
									       : EXIT_FAILED;
	}
	return talk_failed("%s", spe_status_text(status));
}

/* ---- the library's callbacks -------------------------------------------- */

static void on_log(void *priv, enum spe_log_level level, const char *text)
{
	(void)priv;
	if (level == SPE_LOG_DEBUG ? !verbose : quiet)
		return;
	talk_progress_clear();
	fprintf(stderr, "perf-arm-spe: %s%s\n", level == SPE_LOG_WARNING ? "warning: " : "", text);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Nothing for the first second of work, then ten times a second. */
static void on_progress(void *priv, const char *what, uint64_t done, uint64_t total)
{
	static uint64_t first_ms, last_ms;
	uint64_t now = now_ms();

	(void)priv;
	if (!first_ms)
		first_ms = now;
	if (now - first_ms < 1000 || now - last_ms < 100)
		return;
	last_ms = now;
	if (total)
		fprintf(stderr, "\rperf-arm-spe: %s %u%%\033[K", what,
			(unsigned)((double)done * 100 / (double)total));
	else
		fprintf(stderr, "\rperf-arm-spe: %s %llu MB\033[K", what,
			(unsigned long long)(done >> 20));
	progress_shown = true;
}

struct spe_listener talk_listener(void)
{
	struct spe_listener listener = { .log = on_log };

	if (!quiet && isatty(STDERR_FILENO))
		listener.progress = on_progress;
	return listener;
}

/* ---- a file that shrinks while it is mapped ------------------------------ */

static char guarded_text[SPE_ERROR_TEXT];
static size_t guarded_bytes;

static void on_bus_error(int signal_number)
{
	ssize_t written = write(STDERR_FILENO, guarded_text, guarded_bytes);

	(void)signal_number;
	(void)written;
	output_abandon();
	_exit(EXIT_FAILED);
}

void talk_guard_file(const char *path)
{
	struct sigaction action = { .sa_handler = on_bus_error };
	int n = snprintf(guarded_text, sizeof(guarded_text),
			 "perf-arm-spe: %s: the file became shorter while it was read\n", path);

	guarded_bytes = n < (int)sizeof(guarded_text) ? (size_t)n : sizeof(guarded_text) - 1;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
