/* SPDX-License-Identifier: GPL-2.0-only */
/* perf as a child that signals reach. */
#include "record.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "output.h"
#include "talk.h"

/* Those that end a recording, or tell perf to write a snapshot. */
static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2 };
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

static volatile sig_atomic_t child_pid;

static void on_signal(int number)
{
	int saved = errno;

	if (child_pid > 0)
		kill((pid_t)child_pid, number);
	errno = saved;
}

static void watch(struct sigaction *old)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &action, &old[i]);
}

static void unwatch(const struct sigaction *old)
{
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &old[i], NULL);
}

static int exit_code(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* perf ends by the signal it was told to stop with, its file written. */
	if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP)
		return EXIT_OK;
	return talk_failed("perf died of signal %d (%s)", WTERMSIG(status),
			   strsignal(WTERMSIG(status)));
}

int record_run(const struct record_plan *plan)
{
	struct sigaction old[PASSED_ON];
	sigset_t all, before;
	int status = 0;
	pid_t child;

	/* No signal between fork() and child_pid gets lost. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		output_exec(plan->argv);
		talk_failed("%s: %s", plan->argv[0], strerror(errno));
		_exit(EXIT_FAILED);
	}
	child_pid = child;
	watch(old);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (child < 0)
		status = -1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child_pid = 0;
	unwatch(old);
	return child < 0 ? talk_failed("cannot start perf: %s", strerror(errno))
			 : exit_code(status);
}
