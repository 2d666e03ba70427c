/* SPDX-License-Identifier: GPL-2.0-only */
#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static int write_errno;
static bool pager_refused;
static pid_t pager_pid;

void output_init(void)
{
	signal(SIGPIPE, SIG_IGN);
}

void output_no_pager(void)
{
	pager_refused = true;
}

const char *output_error(void)
{
	return strerror(write_errno);
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
