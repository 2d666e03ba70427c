/* SPDX-License-Identifier: GPL-2.0-only */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

static bool can_run(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool program_find(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, size, "%s", name) < (int)size && can_run(path);
	while (folders && *folders) {
		size_t n = strcspn(folders, ":");

		/* An empty entry is the current folder. */
		if (snprintf(path, size, "%.*s%s%s", (int)n, folders, n ? "/" : "./", name) <
			    (int)size &&
		    can_run(path))
			return true;
		folders += n + (folders[n] == ':');
	}
	return false;
}

static void be_program(const char *const *argv, const int ends[2])
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDERR_FILENO);
	dup2(ends[1], STDOUT_FILENO);
	_exit(output_exec(argv));
}

bool program_ask(const char *const *argv, char *text, size_t size)
{
	char rest[4096];
	size_t n = 0;
	ssize_t got = 1;
	int ends[2], status = 0;
	pid_t child;

	text[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return false;
	child = fork();
	if (child == 0)
		be_program(argv, ends);
	close(ends[1]);
	while (child > 0 && got) {
		bool full = n == size - 1;

		got = read(ends[0], full ? rest : text + n, full ? sizeof(rest) : size - 1 - n);
		if (got < 0 && errno != EINTR)
			break;
		if (got > 0 && !full)
			n += (size_t)got;
	}
	text[n] = '\0';
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
