/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench-time RUNS COMMAND [ARGUMENT...]: prints the least wall time and the least
 * CPU time (user and system) of RUNS runs, in seconds, and the most anonymous
 * memory any of them held, in KiB.  One run before them is thrown away, so is
 * what the command prints.  On a machine with other work CPU time is the number
 * to look at.
 *
 * Anonymous memory (RssAnon) is read while the command runs, each millisecond:
 * a peak that is shorter may be missed, pages of mapped files are not counted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 1000000

struct result {
	double wall, cpu; /* s */
	long anon_kib;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* RssAnon of a process; 0 when it is gone. */
static long anon_kib(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "RssAnon:", 8))
			kib = strtol(line + 8, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static void exec_quietly(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	execvp(argv[0], argv);
	_exit(127);
}

/* Returns the exit status, 128 and more for a signal. */
static int run(char **argv, struct result *r)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	double begin = now();
	struct rusage usage;
	pid_t pid = fork(), done;
	int status;
	long kib;

	if (pid < 0)
		return 128;
	if (!pid)
		exec_quietly(argv);
	r->anon_kib = 0;
	do {
		kib = anon_kib(pid);
		if (kib > r->anon_kib)
			r->anon_kib = kib;
		nanosleep(&look, NULL);
		done = wait4(pid, &status, WNOHANG, &usage);
	} while (!done);
	if (done < 0)
		return 128;
	r->wall = now() - begin;
	r->cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;
	struct result least = { 0 }, r = { 0 };

	if (runs < 1) {
		fputs("usage: bench-time RUNS COMMAND [ARGUMENT...]\n", stderr);
		return 129;
	}
	for (int i = 0; i <= runs; i++) {
		int status = run(argv + 2, &r);

		if (status) {
			fprintf(stderr, "bench-time: %s: exit %d\n", argv[2], status);
			return 1;
		}
		if (i < 2 || r.wall < least.wall)
			least.wall = r.wall;
		if (i < 2 || r.cpu < least.cpu)
			least.cpu = r.cpu;
		if (r.anon_kib > least.anon_kib)
			least.anon_kib = r.anon_kib;
	}
	printf("%.4f %.4f %ld\n", least.wall, least.cpu, least.anon_kib);
	return 0;
}
