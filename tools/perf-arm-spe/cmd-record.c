/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe record: perf record, with what SPE wants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "command.h"
#include "options.h"
#include "program.h"
#include "record.h"
#include "talk.h"

#define WORDS_MAX 256

struct record_command {
	struct record_wishes wishes;
	const char *root, *perf;
	bool dry_run, quiet, verbose;
	const char *words[WORDS_MAX]; /* for perf record */
	size_t word_count;
	char *made[WORDS_MAX]; /* those of them that we made */
	size_t made_count;
};

/* ---- options of perf's that we hand on -------------------------------------------- */

static int add_word(struct record_command *command, const char *word)
{
	if (command->word_count == WORDS_MAX)
		return talk_failed("more than %d options for perf", WORDS_MAX);
	command->words[command->word_count++] = word;
	return 0;
}

/* --NAME, --NAME=ARGUMENT: one word, right for options whose argument may be left out too. */
static int pass(void *base, const struct option_def *def, const char *argument)
{
	struct record_command *command = base;
	size_t size = strlen(def->name) + (argument ? strlen(argument) : 0) + 4;
	char *word;

	if (command->made_count == WORDS_MAX)
		return talk_failed("more than %d options for perf", WORDS_MAX);
	word = malloc(size);
	if (!word)
		return talk_failed("out of memory");
	snprintf(word, size, "--%s%s%s", def->name, argument ? "=" : "", argument ? argument : "");
	command->made[command->made_count++] = word;
	return add_word(command, word);
}

static int pass_tasks(void *base, const struct option_def *def, const char *argument)
{
	struct record_command *command = base;

	command->wishes.tasks = true;
	return pass(base, def, argument);
}

static int pass_switches(void *base, const struct option_def *def, const char *argument)
{
	struct record_command *command = base;

	command->wishes.switches_said = true;
	return pass(base, def, argument);
}

static int pass_word(void *base, const struct option_def *def, const char *argument)
{
	(void)def;
	return add_word(base, argument);
}

#define WISH(letter, name, member, argument, help)                                                 \
	OPT_VALUE(STRING, letter, name, struct record_command, wishes.member, argument, help)
#define MAYBE(letter_, name_, argument_, help_)                                                    \
	{                                                                                          \
		.kind = OPTION_CALL, .letter = letter_, .name = name_, .argument = argument_,      \
		.help = help_, .call = pass, .optional = true                                      \
	}

static const struct option_def record_options[] = {
	OPT_FLAG('a', "all-cpus", struct record_command, wishes.all_cpus,
		 "all CPUs (where neither tasks nor a command are given)"),
	WISH('C', "cpu", cpus, "cpu[,cpu-cpu...]", "these CPUs"),
	OPT_CALL('p', "pid", "pid[,pid...]", "these processes", pass_tasks),
	OPT_CALL('t', "tid", "tid[,tid...]", "these threads", pass_tasks),
	OPT_CALL('u', "uid", "user", "processes of this user", pass_tasks),
	OPT_VALUE(FILE, 'o', "output", struct record_command, wishes.output, "file",
		  "output file (perf.data)"),
	WISH('e', "event", event, "event", "the event (arm_spe_0/ts_enable=1,jitter=1/)"),
	WISH('c', "count", period, "n",
	     "sample one of n operations (4096 for each CPU recorded, or more)"),
	WISH('m', "mmap-pages", pages, "size,size", "buffers of each CPU (,4M or what is allowed)"),
	OPT_CALL(0, "switch-events", NULL, "record switches, contexts or not", pass_switches),
	OPT_CALL(0, "no-switch-events", NULL, "record no switches, contexts or not", pass_switches),
	OPT_FLAG(0, "dry-run", struct record_command, dry_run, "print perf's command line only"),
	OPT_VALUE(STRING, 0, "perf", struct record_command, perf, "path", "perf (perf)"),
	OPT_VALUE(STRING, 0, "root", struct record_command, root, "dir",
		  "choose for the machine whose files lie in dir"),
	OPT_CALL('X', "perf-option", "word", "a word for perf record; any number of them",
		 pass_word),
	OPT_FLAG('q', "quiet", struct record_command, quiet, "say nothing but errors"),
	OPT_FLAG('v', "verbose", struct record_command, verbose, "let perf say more"),
	OPT_END,
};

static const struct option_def perf_options[] = {
	OPT_CALL('D', "delay", "ms", "begin so much later", pass),
	OPT_CALL('G', "cgroup", "name", "in this cgroup only", pass),
	OPT_CALL('k', "clockid", "clock", "clock of everything but the samples", pass),
	MAYBE('S', "snapshot", "opts", "write the last of it on SIGUSR2"),
	MAYBE('z', "compression-level", "n", "compress"),
	MAYBE(0, "threads", "spec", "write with several threads"),
	OPT_CALL(0, "per-thread", NULL, "a buffer for each thread, not for each CPU", pass),
	OPT_CALL(0, "all-user", NULL, "user space only", pass),
	OPT_CALL(0, "all-kernel", NULL, "the kernel only", pass),
	OPT_CALL(0, "namespaces", NULL, "record namespaces", pass),
	OPT_CALL(0, "all-cgroups", NULL, "record cgroups", pass),
	OPT_CALL(0, "max-size", "size", "stop at this size of the file", pass),
	OPT_END,
};

/* ---- the recording ------------------------------------------------------------------ */

static void explain(const struct record_command *command, const struct record_plan *plan,
		    const struct machine *machine)
{
	if (plan->contexts == ANSWER_YES)
		talk_note("samples will name their threads");
	else
		talk_warning("%s: %s", record_reason(machine),
			     plan->contexts == ANSWER_NO
				     ? "owners will come from switch records"
				     : "switch records are recorded too, as a second witness");
	if (plan->system_wide && machine_sees_cpus(machine) == ANSWER_NO)
		talk_warning("perf_event_paranoid is %d: perf will not be allowed to record all "
			     "CPUs; perf arm-spe check tells what to do",
			     machine->paranoid);
	if (!plan->aux_bytes && !command->wishes.pages)
		talk_warning("no memory may be locked for buffers of a useful size; perf arm-spe "
			     "check tells what to do");
}

/* Was the file written by this run? */
static bool is_new(const char *path, const struct timespec *since)
{
	struct stat st;

	return !stat(path, &st) &&
	       (st.st_mtim.tv_sec > since->tv_sec ||
		(st.st_mtim.tv_sec == since->tv_sec && st.st_mtim.tv_nsec >= since->tv_nsec));
}

static int record(const struct record_command *command, const struct record_plan *plan,
		  const struct machine *machine)
{
	const char *path = command->wishes.output ? command->wishes.output : "perf.data";
	struct timespec since;
	int code, looked = EXIT_OK;

	explain(command, plan, machine);
	if (!command->quiet)
		record_plan_print(plan, stderr);
	/* The clock files are stamped with, which is coarser than the real one. */
	clock_gettime(CLOCK_REALTIME_COARSE, &since);
	code = record_run(plan);
	if (strcmp(path, "-") && is_new(path, &since))
		looked = record_look(path, machine);
	else if (code == EXIT_OK && strcmp(path, "-"))
		looked = talk_failed("perf wrote no %s", path);
	return code ? code : looked;
}

static int record_main(struct record_command *command, struct machine *machine)
{
	char perf[4096];
	struct record_plan plan;
	bool found = program_find(command->perf ? command->perf : "perf", perf, sizeof(perf));
	int code;

	machine_read(machine, command->root ? command->root : "");
	if (found && !command->root)
		machine_add_program(machine, perf);
	if (!found && !command->dry_run)
		return talk_failed("there is no %s to run", command->perf ? command->perf : "perf");
	if (!machine->pmu_count && !command->wishes.event)
		return talk_failed("there is no SPE unit %s; perf arm-spe check tells why",
				   command->root ? "there"
				   : command->dry_run
					   ? "here (--root DIR chooses for another machine)"
					   : "here");
	command->wishes.perf = command->perf ? command->perf : "perf";
	command->wishes.words = command->words;
	command->wishes.word_count = command->word_count;
	if (record_plan_make(&plan, machine, &command->wishes))
		return talk_failed("out of memory");
	code = EXIT_OK;
	if (command->dry_run)
		record_plan_print(&plan, stdout);
	else
		code = record(command, &plan, machine);
	record_plan_free(&plan);
	return code;
}

static int with_machine(struct record_command *command)
{
	struct machine *machine = malloc(sizeof(*machine));
	struct stat st;
	int code;

	if (!machine)
		return talk_failed("out of memory");
	talk_volume(command->quiet, command->verbose);
	if (command->quiet)
		code = add_word(command, "-q");
	else
		code = command->verbose ? add_word(command, "-v") : EXIT_OK;
	if (command->root && (stat(command->root, &st) || !S_ISDIR(st.st_mode)))
		code = talk_failed("%s: no such folder", command->root);
	if (!code)
		code = record_main(command, machine);
	free(machine);
	return code;
}

int cmd_record(int argc, const char **argv)
{
	struct record_command command = { .dry_run = false };
	const struct option_set sets[] = {
		{ record_options, &command, NULL },
		{ perf_options, &command, "perf record's own" },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "record", "[<options>] [--] [<command>]", sets, argc,
					   argv };
	int operands;
	int code = options_parse_before_command(&line, &operands);

	if (code < 0 && command.root && !command.dry_run && !command.perf)
		code = options_usage_error(
			&line, "--root is for another machine, and perf would record this one: add "
			       "--dry-run, or --perf with a program that records there");
	if (code < 0) {
		command.wishes.workload = argv + operands;
		command.wishes.workload_count = (size_t)(argc - operands);
		code = with_machine(&command);
	}
	for (size_t i = 0; i < command.made_count; i++)
		free(command.made[i]);
	return code;
}
