/* SPDX-License-Identifier: GPL-2.0-only */
/* measure MS MB PROGRAM...: as the program, but 99 if it took more processor time or memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage used;
	unsigned long ms, mb;
	int status;
	pid_t pid;

	if (argc < 4)
		return 2;
	pid = fork();
	if (!pid) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return 2;
	ms = (unsigned long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
	     (unsigned long)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
	mb = (unsigned long)used.ru_maxrss / 1024;
	if (ms > strtoul(argv[1], NULL, 10) || mb > strtoul(argv[2], NULL, 10)) {
		fprintf(stderr, "%lu ms, %lu MB\n", ms, mb);
		return 99;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
