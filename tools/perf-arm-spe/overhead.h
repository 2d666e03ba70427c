/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An experiment: arms, what is measured of a run, every run kept.  Shared by
 * the parts of `overhead`: running, reading and writing tables, printing.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include "overhead-stats.h"

#include <stdio.h>

/* Ceilings: a table that is larger is refused, not cut. */
#define OVERHEAD_ARMS_MAX 64
#define OVERHEAD_RUNS_MAX 10000
#define OVERHEAD_NAME_BYTES 64
#define OVERHEAD_LINE_BYTES 65536

enum overhead_metric {
	METRIC_WALL,   /* seconds from start to exit */
	METRIC_USER,   /* rusage: user seconds, children included */
	METRIC_SYSTEM, /* rusage: system seconds */
	METRIC_CPU,    /* user + system */
	METRIC_MAXRSS, /* rusage: KiB */
	METRIC_REGEX,  /* number the first group of a regular expression matches in the
			  output */
	METRIC_FILE,   /* bytes of a file the command leaves */
};

/* One run, everything measured. */
struct overhead_run {
	unsigned block; /* 0, 1, ...; runs of one block stand next to each other in time */
	unsigned order; /* place in the block */
	double value;   /* the metric */
	double wall_s, user_s, system_s;
	double maxrss_kib;
	double switches;   /* context switches of the command and its children */
	double file_bytes; /* -1: no file watched */
	double samples;    /* samples in that file, -1: not counted */
};

struct overhead_arm {
	char name[OVERHEAD_NAME_BYTES];
	const char *command; /* for the shell; NULL: read from a table */
	bool again;          /* the baseline once more: A/A */
	struct overhead_run *runs;
	size_t count, room;
};

struct overhead_experiment {
	struct overhead_arm arms[OVERHEAD_ARMS_MAX];
	size_t arm_count;
	size_t baseline; /* index */
	bool higher_is_better;
	bool per_switch;         /* values are divided by context switches */
	bool paired;             /* blocks hold: all arms ran here, in shuffled blocks */
	const char *metric_name; /* "wall time, s" */
	char metric_read[128];   /* the same, out of a table */
	uint64_t seed;
	char system[512]; /* kernel, CONTEXTIDR state: "Linux 6.1.0-18-arm64;
			     CONTEXTIDR written: yes" */
};

/* Name of the arm that runs the baseline once more. */
#define OVERHEAD_AGAIN "A/A"

void overhead_free(struct overhead_experiment *e);
/* The arm of that name, or NULL. */
struct overhead_arm *overhead_arm_find(struct overhead_experiment *e, const char *name);
/* A new arm; NULL after it said why not (too many, name taken, name too long).
 */
struct overhead_arm *overhead_arm_add(struct overhead_experiment *e, const char *name);
/* Keep a run. 0, or -1 when out of memory or over the ceiling. */
int overhead_run_add(struct overhead_arm *arm, const struct overhead_run *run);

/* ---- tables (overhead-table.c) ----------------------------------------- */

/*
 * Read a CSV that this command wrote, or a table typed in by hand: a line of
 * arm names, then a line of numbers per run; columns apart by blanks, tabs,
 * commas or `|`; `#` begins a comment.  Arms of several files are joined.
 * Returns 0, or 1 after it said file, line and what is wrong.
 */
int overhead_table_read(struct overhead_experiment *e, const char *path);
/* Write every run. 0, or 1 after it said why not. */
int overhead_table_write(const struct overhead_experiment *e, const char *path);

/* ---- running (overhead-run.c) ------------------------------------------ */

struct overhead_plan {
	enum overhead_metric metric;
	const char *regex; /* METRIC_REGEX */
	const char *file;  /* METRIC_FILE, or a file to watch besides; NULL: none */
	unsigned runs, warmup;
	bool own_file;   /* the file is ours: taken away before each run */
	const char *pin; /* CPU list, NULL: none */
	/* how many samples the watched file holds; NULL: not counted */
	double (*count_samples)(const char *file);
};

/* Run all arms in shuffled blocks. 0, or 1 after it said why not. */
int overhead_run_all(struct overhead_experiment *e, const struct overhead_plan *plan);

/* ---- printing (overhead-print.c) --------------------------------------- */

/* The table as in the mails, then a verdict per arm. 0, or 1 when out of memory
 * or not writable. */
int overhead_print(struct overhead_experiment *e, double margin_percent, bool json, FILE *out);

#endif
