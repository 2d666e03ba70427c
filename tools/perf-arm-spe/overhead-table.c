/* SPDX-License-Identifier: GPL-2.0-only */
/* Experiments in and out of text: our CSV, and tables typed in by hand. */
#include "overhead.h"
#include "talk.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CSV_COLUMNS                                                                                \
	"arm,block,order,value,wall_s,user_s,system_s,maxrss_kib,switches,file_bytes,samples"
#define FIELDS_MAX (OVERHEAD_ARMS_MAX + 1)

void overhead_free(struct overhead_experiment *e)
{
	for (size_t i = 0; i < e->arm_count; i++)
		free(e->arms[i].runs);
	e->arm_count = 0;
}

struct overhead_arm *overhead_arm_find(struct overhead_experiment *e, const char *name)
{
	for (size_t i = 0; i < e->arm_count; i++)
		if (!strcmp(e->arms[i].name, name))
			return &e->arms[i];
	return NULL;
}

struct overhead_arm *overhead_arm_add(struct overhead_experiment *e, const char *name)
{
	struct overhead_arm *arm = &e->arms[e->arm_count];
	size_t length = strlen(name);

	if (e->arm_count == OVERHEAD_ARMS_MAX) {
		talk_failed("more than %d arms", OVERHEAD_ARMS_MAX);
		return NULL;
	}
	if (!length || length >= sizeof(arm->name) || strpbrk(name, ",\n\"")) {
		talk_failed("'%s' is no name for an arm: 1 to %zu characters, no comma", name,
			    sizeof(arm->name) - 1);
		return NULL;
	}
	if (overhead_arm_find(e, name)) {
		talk_failed("two arms are called '%s'", name);
		return NULL;
	}
	memset(arm, 0, sizeof(*arm));
	memcpy(arm->name, name, length + 1);
	e->arm_count++;
	return arm;
}

int overhead_run_add(struct overhead_arm *arm, const struct overhead_run *run)
{
	if (arm->count == OVERHEAD_RUNS_MAX)
		return -1;
	if (arm->count == arm->room) {
		size_t room = arm->room ? arm->room * 2 : 16;
		void *grown = realloc(arm->runs, room * sizeof(*arm->runs));

		if (!grown)
			return -1;
		arm->runs = grown;
		arm->room = room;
	}
	arm->runs[arm->count++] = *run;
	return 0;
}

/* ---- reading ------------------------------------------------------------- */

struct table {
	struct overhead_experiment *e;
	const char *path;
	unsigned line;
	bool csv;
	struct overhead_arm *columns[OVERHEAD_ARMS_MAX]; /* of a table by hand */
	size_t column_count;
	size_t first_row; /* runs already there when this file began */
};

static int table_wrong(const struct table *t, const char *what, const char *text)
{
	talk_failed("%s:%u: %s: '%s'", t->path, t->line, what, text);
	return 1;
}

static size_t split(char *line, bool csv, char **fields, size_t max)
{
	const char *apart = csv ? "," : " \t,|";
	size_t n = 0;

	for (char *f = line + strspn(line, apart); *f && n < max; f += strspn(f, apart)) {
		fields[n++] = f;
		f += strcspn(f, apart);
		if (*f)
			*f++ = '\0';
	}
	return n;
}

static bool number(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return end != text && (!*end || *end == 's') && !errno && isfinite(*value);
}

static int csv_row(struct table *t, char **f, size_t n)
{
	struct overhead_run run = { 0 };
	double block, order;
	double *const values[] = { &block,          &order,        &run.value,      &run.wall_s,
				   &run.user_s,     &run.system_s, &run.maxrss_kib, &run.switches,
				   &run.file_bytes, &run.samples };
	struct overhead_arm *arm;

	if (n != 1 + sizeof(values) / sizeof(values[0]))
		return table_wrong(t, "a run has 11 columns", f[0]);
	for (size_t i = 1; i < n; i++)
		if (!number(f[i], values[i - 1]))
			return table_wrong(t, "not a number", f[i]);
	if (!(run.value > 0))
		return table_wrong(t, "a measurement must be above zero", f[3]);
	run.block = (unsigned)block;
	run.order = (unsigned)order;
	arm = overhead_arm_find(t->e, f[0]);
	if (!arm)
		arm = overhead_arm_add(t->e, f[0]);
	if (!arm)
		return 1;
	arm->again = !strcmp(arm->name, OVERHEAD_AGAIN);
	return overhead_run_add(arm, &run) ? table_wrong(t, "too many runs", f[0]) : 0;
}

static int hand_head(struct table *t, char **f, size_t n)
{
	/* A first column for the number of the run has no arm. */
	size_t skip = n > 1 && (!strcasecmp(f[0], "run") || !strcasecmp(f[0], "runs"));

	for (size_t i = skip; i < n; i++) {
		struct overhead_arm *arm = overhead_arm_add(t->e, f[i]);

		if (!arm)
			return table_wrong(t, "in this line of arm names", f[i]);
		t->columns[t->column_count++] = arm;
	}
	return t->column_count ? 0 : table_wrong(t, "no arm names", f[0]);
}

/* Averages and deltas at the foot of a mail's table are worked out again, not read. */
static bool is_summary(const char *label)
{
	static const char *const labels[] = { "avg", "average", "mean", "delta", "diff", "stdev" };

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (!strncasecmp(label, labels[i], strlen(labels[i])))
			return true;
	return false;
}

static int hand_row(struct table *t, char **f, size_t n)
{
	size_t skip = n > t->column_count ? n - t->column_count : 0;

	if (is_summary(f[0]))
		return 0;
	if (skip > 1 || n < t->column_count)
		return table_wrong(t, "this line has not as many numbers as there are arms", f[0]);
	for (size_t i = skip; i < n; i++) {
		struct overhead_arm *arm = t->columns[i - skip];
		struct overhead_run run = { .file_bytes = -1, .samples = -1 };

		run.block = (unsigned)arm->count;
		if (!number(f[i], &run.value) || !(run.value > 0))
			return table_wrong(t, "not a number above zero", f[i]);
		if (overhead_run_add(arm, &run))
			return table_wrong(t, "too many runs", f[i]);
	}
	return 0;
}

/* What the line says after "# key: "; NULL if it is not of that key. */
static const char *note_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) ? NULL : line + n;
}

/* Kernels of several files are all named. */
static void note_system(struct overhead_experiment *e, const char *system)
{
	size_t n = strlen(e->system);

	if (*system && !strstr(e->system, system))
		snprintf(e->system + n, sizeof(e->system) - n, "%s%s", n ? " | " : "", system);
}

/* "# key: value" lines of our CSV. */
static void csv_note(struct table *t, const char *text)
{
	struct overhead_experiment *e = t->e;
	const char *value;
	unsigned long long seed;

	if (sscanf(text, "# seed: %llu", &seed) == 1)
		e->seed = seed;
	if (note_value(text, "# blocks: shuffled") && !e->arm_count)
		e->paired = true;
	if (note_value(text, "# higher is better"))
		e->higher_is_better = true;
	value = note_value(text, "# system: ");
	if (value)
		note_system(e, value);
	value = note_value(text, "# metric: ");
	if (value && !e->metric_name) {
		snprintf(e->metric_read, sizeof(e->metric_read), "%s", value);
		e->metric_name = e->metric_read;
	}
}

static int table_line(struct table *t, char *line)
{
	char *f[FIELDS_MAX];
	size_t n;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *c = line; *c; c++) /* what a terminal would obey */
		if (iscntrl((unsigned char)*c) && *c != '\t')
			*c = '?';
	if (line[0] == '#') {
		csv_note(t, line);
		return 0;
	}
	if (!strcmp(line, CSV_COLUMNS)) {
		t->csv = true;
		return 0;
	}
	n = split(line, t->csv, f, FIELDS_MAX);
	if (!n)
		return 0;
	if (t->csv)
		return csv_row(t, f, n);
	return t->column_count ? hand_row(t, f, n) : hand_head(t, f, n);
}

int overhead_table_read(struct overhead_experiment *e, const char *path)
{
	struct table t = { .e = e, .path = path };
	char *line = malloc(OVERHEAD_LINE_BYTES);
	FILE *in = strcmp(path, "-") ? fopen(path, "r") : stdin;
	size_t before = e->arm_count;
	int failed = 0;

	if (!in || !line) {
		free(line);
		if (in && in != stdin)
			fclose(in);
		return talk_failed("cannot read %s: %s", path, strerror(errno));
	}
	if (before)
		e->paired = false; /* files of several boots: their blocks are not each other's */
	while (!failed && fgets(line, OVERHEAD_LINE_BYTES, in)) {
		t.line++;
		failed = table_line(&t, line);
	}
	if (!failed && e->arm_count == before)
		failed = talk_failed("%s holds no runs", path);
	if (in != stdin)
		fclose(in);
	free(line);
	return failed;
}

/* ---- writing ------------------------------------------------------------- */

int overhead_table_write(const struct overhead_experiment *e, const char *path)
{
	FILE *out = fopen(path, "we");
	bool failed;

	if (!out)
		return talk_failed("cannot write %s: %s", path, strerror(errno));
	fprintf(out,
		"# perf-arm-spe overhead: every run\n# metric: %s\n# system: %s\n# seed: %llu\n",
		e->metric_name, e->system, (unsigned long long)e->seed);
	if (e->paired)
		fprintf(out, "# blocks: shuffled\n");
	if (e->higher_is_better)
		fprintf(out, "# higher is better\n");
	fprintf(out, "%s\n", CSV_COLUMNS);
	for (size_t i = 0; i < e->arm_count; i++)
		for (size_t k = 0; k < e->arms[i].count; k++) {
			const struct overhead_run *r = &e->arms[i].runs[k];

			fprintf(out, "%s,%u,%u,%.9g,%.9g,%.6f,%.6f,%.0f,%.0f,%.0f,%.0f\n",
				e->arms[i].name, r->block, r->order, r->value, r->wall_s, r->user_s,
				r->system_s, r->maxrss_kib, r->switches, r->file_bytes, r->samples);
		}
	failed = ferror(out);
	failed |= fclose(out) != 0;
	if (failed)
		return talk_failed("cannot write %s: %s", path, strerror(errno));
	return 0;
}
