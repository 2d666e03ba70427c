/* SPDX-License-Identifier: GPL-2.0-only */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "talk.h"

static int write_errno;
static bool pager_refused;
static pid_t pager_pid;

/* A stream that was closed must not become the next file that is opened. */
static void hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) /* the wrong way round: to use it fails as before */
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void output_init(void)
{
	hold_streams();
	signal(SIGPIPE, SIG_IGN);
}

void output_no_pager(void)
{
	pager_refused = true;
}

const char *output_error(void)
{
	return write_errno ? strerror(write_errno) : NULL;
}

bool output_flush(void)
{
	const char *why = "cannot be written";

	if (fflush(stdout)) {
		if (errno == EPIPE)
			return true;
		why = strerror(errno);
	} else if (!ferror(stdout)) {
		return true;
	}
	talk_failed("standard output: %s", why);
	return false;
}

int output_exec(const char *const *argv)
{
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
	return EXIT_FAILED;
}

/* ---- pager ---------------------------------------------------------------- */

bool output_is_terminal(void)
{
	return pager_pid || isatty(STDOUT_FILENO);
}

/* perf's order.  NULL: none wanted. */
static const char *pager_command(void)
{
	const char *pager = getenv("PERF_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	return !*pager || !strcmp(pager, "cat") ? NULL : pager;
}

static void run_pager(const char *pager, const int ends[2])
{
	const char *argv[] = { "sh", "-c", pager, NULL };

	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", "FRSX", 0);
	_exit(output_exec(argv));
}

void output_pager(void)
{
	const char *pager = pager_command();
	int ends[2];

	if (pager_refused || !pager || !isatty(STDOUT_FILENO) || pipe(ends))
		return;
	pager_pid = fork();
	if (pager_pid == 0)
		run_pager(pager, ends);
	if (pager_pid > 0)
		dup2(ends[1], STDOUT_FILENO);
	else
		pager_pid = 0;
	close(ends[0]);
	close(ends[1]);
}

void output_abandon(void)
{
	if (!pager_pid)
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}

void output_finish(void)
{
	output_abandon();
}

/* ---- writing --------------------------------------------------------------- */

static int write_all(void *priv, const char *bytes, size_t n)
{
	(void)priv;
	while (n) {
		ssize_t written = write(STDOUT_FILENO, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			write_errno = errno;
			return errno == EPIPE ? SPE_CLOSED : SPE_IO;
		}
		bytes += written;
		n -= (size_t)written;
	}
	return SPE_OK;
}

struct spe_out output_stream(void)
{
	return (struct spe_out){ .write = write_all };
}
