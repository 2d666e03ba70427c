/* SPDX-License-Identifier: GPL-2.0-only */
/* `perf arm-spe overhead`: what something costs, with a verdict that holds. */
#include "command.h"
#include "kernel-config.h"
#include "options.h"
#include "overhead.h"
#include "record.h"
#include "talk.h"

#include <perf-arm-spe/attribution.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define FROM_MAX 64

struct overhead_args {
	struct overhead_experiment experiment;
	struct overhead_plan plan;
	char *commands[OVERHEAD_ARMS_MAX]; /* owned: made by the presets */
	size_t command_count;
	const char *from[FROM_MAX];
	size_t from_count;
	const char *baseline, *metric, *match, *preset, *csv, *recording, *event, *collect;
	uint64_t seed;
	double margin_percent;
	bool json, higher, per_switch, quiet;
};

struct metric_name {
	const char *name;
	enum overhead_metric metric;
	const char *title;
	const char *regex; /* presets: what to look for in the output */
};

static const struct metric_name metrics[] = {
	{ "wall", METRIC_WALL, "wall time, s", NULL },
	{ "user", METRIC_USER, "user time, s", NULL },
	{ "system", METRIC_SYSTEM, "system time, s", NULL },
	{ "cpu", METRIC_CPU, "user and system time, s", NULL },
	{ "maxrss", METRIC_MAXRSS, "largest resident set, KiB", NULL },
};

/* What benchmarks print of themselves. */
static const struct metric_name presets[] = {
	{ "sched-messaging", METRIC_REGEX, "perf bench sched messaging, total time, s",
	  "Total time: *([0-9.]+)" },
	{ "sched-pipe", METRIC_REGEX, "perf bench sched pipe, total time, s",
	  "Total time: *([0-9.]+)" },
	{ "rseq", METRIC_WALL, "param_test_benchmark, wall time, s", NULL },
};

static const struct metric_name *name_find(const struct metric_name *names, size_t n,
					   const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	return NULL;
}

static int add_arm(void *base, const struct option_def *def, const char *argument)
{
	struct overhead_args *args = base;
	const char *equals = strchr(argument, '=');
	char name[OVERHEAD_NAME_BYTES];
	struct overhead_arm *arm;

	(void)def;
	if (!equals || !equals[1] || equals == argument ||
	    (size_t)(equals - argument) >= sizeof(name))
		return talk_failed("--arm wants NAME=COMMAND, not '%s'", argument);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - argument), argument);
	arm = overhead_arm_add(&args->experiment, name);
	if (!arm)
		return EXIT_FAILED;
	arm->command = equals + 1;
	return 0;
}

static int add_from(void *base, const struct option_def *def, const char *argument)
{
	struct overhead_args *args = base;

	(void)def;
	if (args->from_count == FROM_MAX)
		return talk_failed("more than %d files", FROM_MAX);
	args->from[args->from_count++] = argument;
	return 0;
}

#define AT(member) offsetof(struct overhead_args, member)
static const struct option_def defs[] = {
	{ OPTION_CALL, 'a', "arm", 0, "NAME=COMMAND",
	  "an arm: a command for the shell; any number of them", add_arm, false },
	{ OPTION_STRING, 'b', "baseline", AT(baseline), "NAME",
	  "the arm the others are compared with (the first one)", NULL, false },
	{ OPTION_UNSIGNED, 'r', "runs", AT(plan.runs), "N", "runs of each arm (12)", NULL, false },
	{ OPTION_UNSIGNED, 'w', "warmup", AT(plan.warmup), "N",
	  "runs of each arm before those that count (1)", NULL, false },
	{ OPTION_STRING, 'm', "metric", AT(metric), "NAME",
	  "wall, user, system, cpu or maxrss (wall)", NULL, false },
	{ OPTION_STRING, 0, "match", AT(match), "REGEX",
	  "the metric is the number the group () of this expression finds in the output", NULL,
	  false },
	{ OPTION_STRING, 0, "measure-file", AT(plan.file), "FILE",
	  "the metric is the size of this file after the run", NULL, false },
	{ OPTION_STRING, 0, "preset", AT(preset), "NAME",
	  "metric of a benchmark: sched-messaging, sched-pipe or rseq", NULL, false },
	{ OPTION_FLAG, 0, "per-switch", AT(per_switch), NULL,
	  "divide by the context switches of the run", NULL, false },
	{ OPTION_FLAG, 0, "higher-is-better", AT(higher), NULL, "a larger metric is better", NULL,
	  false },
	{ OPTION_STRING, 0, "recording", AT(recording), "COMMAND",
	  "arms: the workload alone, recorded, and recorded without switch events", NULL, false },
	{ OPTION_STRING, 'e', "event", AT(event), "EVENT",
	  "event of --recording (what record would choose)", NULL, false },
	{ OPTION_STRING, 0, "collect", AT(collect), "NAME=COMMAND",
	  "run one arm on this kernel and keep it with --csv, to be joined by --from", NULL,
	  false },
	{ OPTION_FILE, 'o', "csv", AT(csv), "FILE", "keep every run in this file", NULL, false },
	{ OPTION_CALL, 'f', "from", 0, "FILE",
	  "analyse the runs of this file (kept by --csv, or typed in); several are joined",
	  add_from, false },
	{ OPTION_STRING, 0, "pin", AT(plan.pin), "CPUS", "run on these CPUs only", NULL, false },
	{ OPTION_U64, 0, "seed", AT(seed), "N", "order of the runs (from the clock)", NULL, false },
	{ OPTION_DOUBLE, 0, "margin", AT(margin_percent), "PERCENT",
	  "a bound up to this is worth a `no difference` (1)", NULL, false },
	{ OPTION_FLAG, 0, "json", AT(json), NULL, "print JSON", NULL, false },
	{ OPTION_FLAG, 'q', "quiet", AT(quiet), NULL, "no progress", NULL, false },
	{ OPTION_END, 0, NULL, 0, NULL, NULL, NULL, false },
};
#undef AT

/* ---- the kernel this runs on ---------------------------------------------- */

static const char *contextidr_state(const char *release)
{
	static const char *const states[] = {
		[KERNEL_OPTION_UNKNOWN] = "not known",
		[KERNEL_OPTION_NO] = "no",
		[KERNEL_OPTION_MODULE] = "no",
		[KERNEL_OPTION_YES] = "yes",
	};
	struct kernel_config config;

	kernel_config_read(&config, "", release);
	return states[config.contextidr];
}

static void system_describe(struct overhead_experiment *e)
{
	struct utsname u;

	if (uname(&u))
		return;
	snprintf(e->system, sizeof(e->system), "%s %s %s; kernel writes CONTEXTIDR: %s", u.sysname,
		 u.release, u.machine, contextidr_state(u.release));
}

/* ---- presets ------------------------------------------------------------------ */

/* The plan as a line for the shell; caller frees. */
static char *plan_line(const struct record_plan *plan)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	record_plan_print(plan, out);
	if (!fclose(out))
		return line;
	free(line);
	return NULL;
}

/* What `perf arm-spe record -a` would run; of another event only the event is said. */
static char *recording_line(const struct overhead_args *args, const struct machine *machine,
			    const char *option)
{
	bool spe = !args->event || strstr(args->event, "arm_spe");
	bool say_switches = spe || !strcmp(option, "--no-switch-events");
	const char *const words[] = { option, "-q" };
	const char *const workload[] = { "sh", "-c", args->recording };
	const struct record_wishes wishes = {
		.perf = "perf",
		.event = args->event,
		.period = spe ? NULL : "",
		.pages = spe ? NULL : "",
		.output = args->plan.file,
		.all_cpus = true,
		.switches_said = true,
		.words = say_switches ? words : words + 1,
		.word_count = say_switches ? 2 : 1,
		.workload = workload,
		.workload_count = 3,
	};
	struct record_plan plan;
	char *line;

	if (record_plan_make(&plan, machine, &wishes))
		return NULL;
	line = plan_line(&plan);
	record_plan_free(&plan);
	return line;
}

static int recording_arm(struct overhead_args *args, const struct machine *machine,
			 const char *name, const char *option)
{
	struct overhead_arm *arm = overhead_arm_add(&args->experiment, name);
	char *line = recording_line(args, machine, option);

	if (!arm || !line) {
		free(line);
		return arm ? talk_failed("out of memory") : EXIT_FAILED;
	}
	args->commands[args->command_count++] = line;
	arm->command = line;
	return 0;
}

static int recording_arms(struct overhead_args *args)
{
	struct machine *machine = malloc(sizeof(*machine));
	int failed;

	if (!machine)
		return talk_failed("out of memory");
	machine_read(machine, "");
	failed = recording_arm(args, machine, "recorded", "--switch-events") ||
		 recording_arm(args, machine, "no-switch", "--no-switch-events");
	free(machine);
	return failed;
}

/* Samples a perf.data holds: SPE records, else PERF_RECORD_SAMPLE. -1 when it cannot be read. */
static double samples_count(const char *path)
{
	struct spe_recording_opts opts = { .size = sizeof(opts) };
	struct spe_perfdata_opts file_opts = { .size = sizeof(file_opts) };
	struct spe_recording *recording;
	struct spe_perf_event event;
	struct spe_perfdata *pd;
	double samples = 0;

	if (!spe_recording_open(path, &opts, &recording, NULL)) {
		for (size_t i = 0; i < spe_recording_streams(recording); i++)
			samples += (double)spe_recording_stream(recording, i)->decode.records;
		spe_recording_close(recording);
		return samples;
	}
	if (spe_perfdata_open(path, &file_opts, &pd, NULL))
		return -1;
	while (!spe_perfdata_next(pd, &event, NULL))
		;
	samples = (double)spe_perfdata_count(pd, SPE_PERF_SAMPLE);
	spe_perfdata_close(pd);
	return samples;
}

static int recording_prepare(struct overhead_args *args, char *folder)
{
	static char path[64]; /* lives as long as the plan that points to it */
	struct overhead_arm *alone;

	if (!mkdtemp(folder))
		return talk_failed("no temporary folder %s: %s", folder, strerror(errno));
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	args->plan.file = path;
	args->plan.own_file = true;
	args->plan.count_samples = samples_count;
	alone = overhead_arm_add(&args->experiment, "alone");
	if (!alone)
		return EXIT_FAILED;
	alone->command = args->recording;
	return recording_arms(args);
}

/* ---- the command ----------------------------------------------------------------- */

static int metric_choose(struct overhead_args *args)
{
	const struct metric_name *chosen = &metrics[0];

	if (args->metric)
		chosen = name_find(metrics, sizeof(metrics) / sizeof(metrics[0]), args->metric);
	else if (args->preset)
		chosen = name_find(presets, sizeof(presets) / sizeof(presets[0]), args->preset);
	if (!chosen)
		return talk_failed("there is no %s '%s'", args->metric ? "metric" : "preset",
				   args->metric ? args->metric : args->preset);
	args->plan.metric = chosen->metric;
	args->plan.regex = chosen->regex;
	args->experiment.metric_name = chosen->title;
	if (args->match) {
		args->plan.metric = METRIC_REGEX;
		args->plan.regex = args->match;
		args->experiment.metric_name = args->match;
	} else if (args->plan.file && !args->plan.own_file && !args->metric && !args->preset) {
		args->plan.metric = METRIC_FILE;
		args->experiment.metric_name = "bytes of the file";
	}
	args->experiment.higher_is_better = args->higher;
	args->experiment.per_switch = args->per_switch;
	return 0;
}

static int baseline_choose(struct overhead_args *args)
{
	struct overhead_experiment *e = &args->experiment;
	struct overhead_arm *arm = &e->arms[0];

	if (args->baseline)
		arm = overhead_arm_find(e, args->baseline);
	if (!arm || arm->again)
		return talk_failed("no arm is called '%s'", args->baseline ? args->baseline : "");
	e->baseline = (size_t)(arm - e->arms);
	return 0;
}

static int experiment_run(struct overhead_args *args)
{
	struct overhead_experiment *e = &args->experiment;
	struct overhead_arm *again;
	int failed;

	e->seed = args->seed ? args->seed : (uint64_t)time(NULL) * 2654435761u + (uint64_t)getpid();
	system_describe(e);
	e->paired = true;
	if (!args->collect) {
		again = overhead_arm_add(e, OVERHEAD_AGAIN);
		if (!again)
			return EXIT_FAILED;
		again->again = true;
	}
	failed = overhead_run_all(e, &args->plan);
	if (args->csv && overhead_table_write(e, args->csv))
		failed = EXIT_FAILED;
	return failed;
}

static int experiment_read(struct overhead_args *args)
{
	for (size_t i = 0; i < args->from_count; i++)
		if (overhead_table_read(&args->experiment, args->from[i]))
			return EXIT_FAILED;
	if (!args->experiment.metric_name)
		args->experiment.metric_name = "as measured";
	return 0;
}

static int overhead_do(struct overhead_args *args)
{
	struct overhead_experiment *e = &args->experiment;
	int failed = metric_choose(args);

	talk_volume(args->quiet, false);
	if (args->from_count) {
		e->metric_name = NULL;
		failed = failed || experiment_read(args) || baseline_choose(args);
	} else {
		failed = failed || baseline_choose(args) || experiment_run(args);
	}
	if (failed)
		return EXIT_FAILED;
	if (args->collect && !args->json) {
		printf("%s: %zu runs kept in %s\n# %s\n", e->arms[0].name, e->arms[0].count,
		       args->csv, e->system);
		return EXIT_OK;
	}
	return overhead_print(e, args->margin_percent, args->json, stdout);
}

/* What does not go together. 0, or the exit code after it said so. */
static int args_check(const struct command_line *line, struct overhead_args *args)
{
	size_t arms = args->experiment.arm_count;

	if (args->collect && !args->csv)
		return options_usage_error(line, "--collect needs --csv FILE to keep the runs in");
	if (args->from_count && (arms || args->recording || args->collect))
		return options_usage_error(line,
					   "--from analyses runs that were made; it runs none");
	if (args->recording && (arms || args->collect))
		return options_usage_error(line, "--recording makes its own arms");
	if (!args->from_count && !args->recording && !args->collect && arms < 1)
		return options_usage_error(line, "nothing to run: give --arm NAME=COMMAND");
	if (!args->plan.runs || args->plan.runs > OVERHEAD_RUNS_MAX)
		return options_usage_error(line, "--runs must be 1 to %d", OVERHEAD_RUNS_MAX);
	return 0;
}

static int overhead_main(struct overhead_args *args)
{
	char folder[] = "/tmp/perf-arm-spe-overhead-XXXXXX";
	int failed = 0;

	if (!overhead_available)
		failed = talk_failed("overhead was left out of this build: it needs r-mathlib "
				     "(apt-get install r-mathlib, then build again)");
	if (!failed && args->collect)
		failed = add_arm(args, NULL, args->collect);
	if (!failed && args->recording)
		failed = recording_prepare(args, folder);
	if (!failed)
		failed = overhead_do(args);
	if (args->plan.own_file) {
		unlink(args->plan.file);
		rmdir(folder);
	}
	for (size_t i = 0; i < args->command_count; i++)
		free(args->commands[i]);
	overhead_free(&args->experiment);
	return failed ? EXIT_FAILED : EXIT_OK;
}

int cmd_overhead(int argc, const char **argv)
{
	struct overhead_args *args = calloc(1, sizeof(*args));
	const struct option_set sets[] = { { defs, args, NULL }, { NULL, NULL, NULL } };
	struct command_line line = { "overhead", "[<options>]", sets, argc, argv };
	int operands, code;

	if (!args)
		return talk_failed("out of memory");
	args->plan.runs = 12;
	args->plan.warmup = 1;
	args->margin_percent = 1;
	code = options_parse(&line, &operands);
	if (code < 0 && operands < argc)
		code = options_usage_error(&line, "'%s' is not an option", argv[operands]);
	if (code < 0)
		code = args_check(&line, args) ?: overhead_main(args);
	free(args);
	return code;
}
