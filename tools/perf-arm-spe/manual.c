/* SPDX-License-Identifier: GPL-2.0-only */
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "output.h"

bool manual_show(const char *page)
{
	const char *argv[] = { "man", page, NULL };
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		close(STDERR_FILENO); /* "No manual entry": the caller has something better */
		_exit(output_exec(argv));
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
