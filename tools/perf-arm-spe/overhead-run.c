/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the arms of an experiment: blocks in which every arm runs once, in shuffled order. */
#include "overhead.h"
#include "talk.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The end of a command's output, where benchmarks print their result. */
#define OUTPUT_BYTES_MAX 65536

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double time_s(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static bool pin_parse(const char *list, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last >= CPU_SETSIZE || first > last || (*end && *end != ','))
			return false;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		list = *end ? end + 1 : end;
	}
	return CPU_COUNT(set) > 0;
}

static void child(const char *command, int output, const char *pin)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	cpu_set_t set;

	if (pin && pin_parse(pin, &set))
		sched_setaffinity(0, sizeof(set), &set);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* The tail of what the command printed, NUL-terminated. */
static void output_read(int fd, char *text)
{
	off_t end = lseek(fd, 0, SEEK_END);
	off_t from = end > OUTPUT_BYTES_MAX - 1 ? end - (OUTPUT_BYTES_MAX - 1) : 0;
	ssize_t got = pread(fd, text, OUTPUT_BYTES_MAX - 1, from);

	text[got > 0 ? got : 0] = '\0';
}

static bool command_succeeded(int status, const char *command, const char *output)
{
	const char *last = output;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	for (const char *p = output; *p; p++)
		if (*p == '\n' && p[1])
			last = p + 1;
	talk_failed("'%s' %s %d%s%.*s", command,
		    WIFEXITED(status) ? "exited with" : "was killed by signal",
		    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		    *last ? "; it said last: " : "", (int)strcspn(last, "\n"), last);
	return false;
}

/* One execution; the output's tail goes to text. 0, or 1 after it said why not. */
static int execute(const char *command, const char *pin, struct overhead_run *run, char *text)
{
	int output = memfd_create("output", MFD_CLOEXEC);
	struct rusage use;
	double start;
	pid_t pid;
	int status;

	if (output < 0)
		return talk_failed("no memory for the output: %s", strerror(errno));
	start = now_s();
	pid = fork();
	if (!pid)
		child(command, output, pin);
	while (pid > 0 && wait4(pid, &status, 0, &use) < 0 && errno == EINTR)
		;
	run->wall_s = now_s() - start;
	output_read(output, text);
	close(output);
	if (pid < 0)
		return talk_failed("cannot start '%s': %s", command, strerror(errno));
	run->user_s = time_s(use.ru_utime);
	run->system_s = time_s(use.ru_stime);
	run->maxrss_kib = (double)use.ru_maxrss;
	run->switches = (double)(use.ru_nvcsw + use.ru_nivcsw);
	return command_succeeded(status, command, text) ? 0 : 1;
}

/* The number of the last match's first group. */
static bool regex_value(const regex_t *regex, const char *text, double *value)
{
	regmatch_t m[2];
	bool found = false;

	while (!regexec(regex, text, 2, m, 0) && m[0].rm_eo > 0) {
		if (m[1].rm_so >= 0) {
			*value = strtod(text + m[1].rm_so, NULL);
			found = true;
		}
		text += m[0].rm_eo;
	}
	return found;
}

static int measure(const struct overhead_plan *plan, const regex_t *regex, const char *text,
		   struct overhead_run *run)
{
	struct stat st;

	run->file_bytes = plan->file && !stat(plan->file, &st) ? (double)st.st_size : -1;
	run->samples =
		run->file_bytes >= 0 && plan->count_samples ? plan->count_samples(plan->file) : -1;
	switch (plan->metric) {
	case METRIC_WALL:
		run->value = run->wall_s;
		break;
	case METRIC_USER:
		run->value = run->user_s;
		break;
	case METRIC_SYSTEM:
		run->value = run->system_s;
		break;
	case METRIC_CPU:
		run->value = run->user_s + run->system_s;
		break;
	case METRIC_MAXRSS:
		run->value = run->maxrss_kib;
		break;
	case METRIC_FILE:
		run->value = run->file_bytes;
		break;
	case METRIC_REGEX:
		if (!regex_value(regex, text, &run->value))
			return talk_failed("the output has nothing that '%s' matches", plan->regex);
	}
	if (!(run->value > 0))
		return talk_failed("a run measured %g; the metric must be above zero", run->value);
	return 0;
}

static void shuffle(size_t *order, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t k = overhead_random_below(seed, i), t = order[k];

		order[k] = order[i - 1];
		order[i - 1] = t;
	}
}

struct progress {
	double start_s;
	unsigned done, total;
};

static void progress_say(const struct progress *p, const struct overhead_arm *arm)
{
	struct spe_listener listener = talk_listener();
	char what[160];
	double left = p->done ? (now_s() - p->start_s) / p->done * (p->total - p->done) : -1;

	if (left < 0)
		snprintf(what, sizeof(what), "running %s", arm->name);
	else
		snprintf(what, sizeof(what), "running %s, about %.0f s left", arm->name, left);
	spe_progress(&listener, what, p->done, p->total);
}

static int run_one(struct overhead_experiment *e, const struct overhead_plan *plan,
		   const regex_t *regex, struct overhead_arm *arm, struct overhead_run *run,
		   bool keep)
{
	const char *command = arm->again ? e->arms[e->baseline].command : arm->command;
	char *text = malloc(OUTPUT_BYTES_MAX);
	int failed;

	if (!text)
		return talk_failed("out of memory");
	if (plan->own_file)
		unlink(plan->file);
	failed = execute(command, plan->pin, run, text) || measure(plan, regex, text, run);
	if (!failed && e->per_switch) {
		if (run->switches > 0)
			run->value /= run->switches;
		else
			failed = talk_failed("'%s' made no context switch to divide by", command);
	}
	if (!failed && keep && overhead_run_add(arm, run))
		failed = talk_failed("too many runs");
	free(text);
	return failed;
}

static int run_blocks(struct overhead_experiment *e, const struct overhead_plan *plan,
		      const regex_t *regex)
{
	struct progress p = { .start_s = now_s() };
	uint64_t seed = e->seed;
	size_t order[OVERHEAD_ARMS_MAX];
	int failed = 0;

	p.total = (plan->warmup + plan->runs) * (unsigned)e->arm_count;
	for (unsigned b = 0; !failed && b < plan->warmup + plan->runs; b++) {
		shuffle(order, e->arm_count, &seed);
		for (size_t i = 0; !failed && i < e->arm_count; i++) {
			struct overhead_arm *arm = &e->arms[order[i]];
			struct overhead_run run = { .order = (unsigned)i };

			run.block = b < plan->warmup ? 0 : b - plan->warmup;
			progress_say(&p, arm);
			failed = run_one(e, plan, regex, arm, &run, b >= plan->warmup);
			p.done++;
		}
	}
	talk_progress_clear();
	return failed;
}

int overhead_run_all(struct overhead_experiment *e, const struct overhead_plan *plan)
{
	regex_t regex;
	cpu_set_t set;
	int failed;

	if (plan->pin && !pin_parse(plan->pin, &set))
		return talk_failed("'%s' is no list of CPUs, such as 0-3,6", plan->pin);
	if (plan->metric != METRIC_REGEX)
		return run_blocks(e, plan, NULL);
	failed = regcomp(&regex, plan->regex, REG_EXTENDED | REG_NEWLINE);
	if (!failed && !regex.re_nsub) {
		regfree(&regex);
		failed = 1;
	}
	if (failed)
		return talk_failed("'%s' is no extended regular expression with a group ()",
				   plan->regex);
	failed = run_blocks(e, plan, &regex);
	regfree(&regex);
	return failed;
}
