/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault FOLDER FILE...: everything the library does with a recording, over and
 * over, with the n-th allocation, read or write failing, for each n.
 *
 * The answer must be the right one or a failure that says what happened;
 * nothing may be leaked, and no half-written file may stay behind.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perf-arm-spe/sink.h>

#include "failing.h"

#define POINTS 30 /* calls made to fail for one operation and file, at most */

int __lsan_do_recoverable_leak_check(void);
#pragma weak __lsan_do_recoverable_leak_check

static const char *folder;
static unsigned long cases, failures, faults;

/* ---- operations: a status, and a sum over what they put out --------------- */

struct result {
	int status;
	uint64_t sum;
	struct spe_error error;
};

static int add_up(void *priv, const char *bytes, size_t n)
{
	struct result *r = priv;

	for (size_t i = 0; i < n; i++)
		r->sum = r->sum * 1099511628211u + (unsigned char)bytes[i];
	return SPE_OK;
}

static int with_report(const struct spe_recording *recording, unsigned threads, struct result *r)
{
	struct spe_report_opts opts = { .size = sizeof(opts), .sort = "pid,comm,op" };
	struct spe_run_opts run = { .size = sizeof(run), .threads = threads };
	struct spe_out out = { add_up, r };
	struct spe_report *report;
	struct spe_run_stats stats;
	int status = spe_report_new(recording, &opts, &report, &r->error);

	if (status)
		return status;
	status = spe_sink_run(recording, spe_report_ops(report), report, &run, &stats, &r->error);
	if (!status)
		status = spe_report_print(report, &stats, &out);
	spe_report_free(report);
	return status;
}

static int with_script(const struct spe_recording *recording, unsigned threads, struct result *r)
{
	struct spe_script_opts opts = { .size = sizeof(opts), .out = { add_up, r } };
	struct spe_run_opts run = { .size = sizeof(run), .threads = threads };
	struct spe_script *script;
	struct spe_run_stats stats;
	int status = spe_script_new(recording, &opts, &script, &r->error);

	if (status)
		return status;
	status = spe_sink_run(recording, spe_script_ops(script), script, &run, &stats, &r->error);
	spe_script_free(script);
	return status;
}

static int with_stat(const struct spe_recording *recording, unsigned threads, struct result *r)
{
	struct spe_out out = { add_up, r };

	(void)threads;
	return spe_stat_print(recording, NULL, SPE_FORMAT_JSON, &out);
}

static int with_inject(const struct spe_recording *recording, unsigned threads, struct result *r)
{
	struct spe_inject_opts opts = { .size = sizeof(opts), .threads = threads };
	struct spe_run_stats stats;
	char path[4096];
	int status;
	FILE *made;

	snprintf(path, sizeof(path), "%s/injected", folder);
	unlink(path);
	status = spe_inject(recording, path, &opts, &stats, &r->error);
	made = fopen(path, "rb");
	if (made) {
		for (int c = getc(made); c != EOF; c = getc(made))
			add_up(r, &(char){ (char)c }, 1);
		fclose(made);
	}
	if (status && made)
		r->sum = 1; /* a failed one leaves no file */
	return status;
}

static const struct operation {
	const char *name;
	int (*run)(const struct spe_recording *recording, unsigned threads, struct result *r);
	unsigned threads;
} operations[] = {
	{ "report", with_report, 1 }, { "report -j3", with_report, 3 },
	{ "script", with_script, 1 }, { "stat", with_stat, 1 },
	{ "inject", with_inject, 1 },
};

static struct result perform(const struct operation *op, const char *path)
{
	struct spe_recording_opts opts = { .size = sizeof(opts), .threads = op->threads };
	struct spe_recording *recording = NULL;
	struct result r = { 0 };

	r.status = spe_recording_open(path, &opts, &recording, &r.error);
	if (!r.status)
		r.status = op->run(recording, op->threads, &r);
	spe_recording_close(recording);
	return r;
}

/* ---- faults ---------------------------------------------------------------- */

struct fault {
	const char *name;
	struct failing *calls;
	bool from_then_on;
	int error;
	bool harmless; /* the answer must be right all the same */
};

static const struct fault kinds[] = {
	{ "no memory", &failing_memory, false, 0, false },
	{ "no memory from then on", &failing_memory, true, 0, false },
	{ "read error", &failing_reads, true, EIO, false },
	{ "short read", &failing_reads, false, 0, true },
	{ "interrupted read", &failing_reads, false, EINTR, true },
	{ "disk full", &failing_writes, true, ENOSPC, false },
	{ "short write", &failing_writes, false, 0, true },
	{ "interrupted write", &failing_writes, false, EINTR, true },
};

static void complain(const struct operation *op, const char *path, const struct fault *f, long n,
		     const char *what, const struct result *r)
{
	faults++;
	printf("not ok fault: %s %s: %s at call %ld: %s (status %d, %s)\n", op->name,
	       strrchr(path, '/') + 1, f->name, n, what, r->status, r->error.text);
}

/* True if the call number n was reached, so that a larger one may be as well. */
static bool try_at(const struct operation *op, const char *path, const struct fault *f, long n,
		   const struct result *right)
{
	struct result r;
	bool reached;

	failing_reset(f->calls, n, f->from_then_on, f->error);
	r = perform(op, path);
	reached = failing_reached(f->calls);
	failing_reset(f->calls, 0, false, 0);
	cases++;
	failures += r.status < 0;
	if (!r.status && r.sum != right->sum)
		complain(op, path, f, n, "another answer", &r);
	if (r.status > 0)
		complain(op, path, f, n, "neither success nor failure", &r);
	if (r.status && (f->harmless || !reached))
		complain(op, path, f, n, "failed", &r);
	if (r.status < 0 && op->run == with_inject && r.sum)
		complain(op, path, f, n, "half a file stays behind", &r);
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		complain(op, path, f, n, "leak", &r);
	return reached;
}

static void try_all(const struct operation *op, const char *path, const struct fault *f)
{
	struct result right;
	long calls, step;

	failing_reset(f->calls, 0, false, 0);
	right = perform(op, path);
	if (right.status) {
		complain(op, path, f, 0, "fails without a fault", &right);
		return;
	}
	calls = atomic_load(&f->calls->calls);
	step = calls / POINTS + 1;
	for (long n = 1; n <= calls; n += step)
		if (!try_at(op, path, f, n, &right) && op->threads == 1)
			complain(op, path, f, n, "this run made fewer calls", &right);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	folder = argv[1];
	for (int i = 2; i < argc; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			for (size_t o = 0; o < sizeof(operations) / sizeof(operations[0]); o++)
				try_all(&operations[o], argv[i], &kinds[k]);
	printf("%s fault: %lu runs, %lu refused, %lu faults\n",
	       faults || !failures ? "not ok" : "ok", cases, failures, faults);
	return faults || !failures;
}
