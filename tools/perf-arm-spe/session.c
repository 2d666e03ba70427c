/* SPDX-License-Identifier: GPL-2.0-only */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "output.h"
#include "strict.h"
#include "talk.h"

const struct option_def session_options[] = {
	OPT_VALUE(THREADS, 'j', "threads", struct session, threads, "n",
		  "use so many threads (as many as CPUs)"),
	OPT_VALUE(FILE, 0, "pid-map", struct session, pid_map, "file",
		  "ids of another pid namespace: lines of context-tid pid tid [comm]"),
	OPT_VALUE(U64, 0, "midr", struct session, midr, "value",
		  "take all CPUs to be of this model (MIDR_EL1)"),
	OPT_FLAG(0, "strict", struct session, strict,
		 "exit with 1 when trace was lost or the file is not whole"),
	OPT_END,
};

/* "--pid 1,2 --op load" */
static void add_selection(struct session *session, const char *name, const char *argument)
{
	size_t n = strlen(session->selection);

	snprintf(session->selection + n, sizeof(session->selection) - n, "%s--%s %s", n ? " " : "",
		 name, argument);
}

/* "--op list".  False: this filter takes no names of ours, and one may be called so. */
static bool list_values(const char *filter)
{
	char value[48];
	const char *help;
	unsigned i = 0;

	for (; !spe_filter_value(filter, i, value, sizeof(value), &help); i++)
		printf(*help ? "%-32s %s\n" : "%s\n", value, help);
	return i > 0;
}

static int add_filter(void *base, const struct option_def *def, const char *argument)
{
	struct session *session = base;
	/* perf's plural is another spelling of the same filter. */
	const char *name = strcmp(def->name, "comms") ? def->name : "comm";
	int status = session->filter ? SPE_OK : spe_filter_new(&session->filter);

	if (!strcmp(argument, "list") && list_values(name))
		return OPTION_ANSWERED;
	session->error.text[0] = '\0';
	add_selection(session, name, argument);
	if (!status)
		status = spe_filter_add(session->filter, name, argument, &session->error);
	return talk_status(status, &session->error);
}

#define FILTER(letter, name, argument, help) OPT_CALL(letter, name, argument, help, add_filter)

const struct option_def filter_options[] = {
	FILTER(0, "pid", "pid[,pid...]", "processes"),
	FILTER(0, "tid", "tid[,tid...]", "threads"),
	FILTER('c', "comm", "name[,name...]", "names of threads"),
	FILTER(0, "comms", "name[,name...]", NULL),
	FILTER('C', "cpu", "cpu[,cpu-cpu...]", "CPUs"),
	FILTER(0, "time", "start,stop", "seconds of the perf clock, or 10%-20%, 10%/2"),
	FILTER(0, "evidence", "name[,name...]",
	       "how the owner is known: context, switch, none ...; list shows all"),
	FILTER(0, "el", "el[,el...]", "exception levels, 0 to 3"),
	FILTER(0, "op", "name[,name...]",
	       "operations: load, store, branch ...; =name alone; list shows all"),
	FILTER(0, "event", "name[,name...]",
	       "events: l1d-refill ...; a+b both, !a not; list shows all"),
	FILTER(0, "source", "name[,name...]", "data sources: dram, peer-core ...; list shows all"),
	FILTER(0, "min-latency", "cycles", "total latency of so many cycles or more"),
	OPT_END,
};

const struct option_def symbol_options[] = {
	OPT_VALUE(STRING, 0, "symfs", struct session, symbols.symfs, "folder",
		  "look for programs and libraries below it"),
	OPT_VALUE(FILE, 'k', "vmlinux", struct session, symbols.vmlinux, "file",
		  "the recorded kernel"),
	OPT_VALUE(FILE, 0, "kallsyms", struct session, symbols.kallsyms, "file",
		  "the recorded kernel's /proc/kallsyms"),
	OPT_FLAG(0, "demangle", struct session, demangle,
		 "C++ and Rust names as people write them (on; --no-demangle: as in the file)"),
	OPT_END,
};

const struct spe_symbols_opts *session_symbols(struct session *session)
{
	session->symbols.size = sizeof(session->symbols);
	session->symbols.listener = session->listener;
	session->symbols.mangled = !session->demangle;
	return &session->symbols;
}

void session_init(struct session *session)
{
	*session = (struct session){ .demangle = true };
}

void session_fini(struct session *session)
{
	spe_filter_free(session->filter);
	spe_recording_close(session->recording);
}

/* PERF_ARM_SPE_DECODER, a debugging aid: both decoders must agree. */
static bool choose_decoder(uint32_t *kind)
{
	const char *name = getenv("PERF_ARM_SPE_DECODER");

	*kind = SPE_DECODER_AUTO;
	if (!name || !*name || !strcmp(name, "fast"))
		return true;
	*kind = SPE_DECODER_GENERAL;
	return !strcmp(name, "general");
}

/* 0, or the errno that says why nothing can be read there.  Devices are not opened to find out. */
static int why_not_named(const char *path, bool folder)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (folder && !S_ISDIR(st.st_mode))
		return ENOTDIR;
	if (!folder && S_ISDIR(st.st_mode))
		return EISDIR;
	if (!folder && !S_ISREG(st.st_mode))
		return EINVAL;
	return faccessat(AT_FDCWD, path, folder ? X_OK : R_OK, AT_EACCESS) ? errno : 0;
}

/* What the user names for symbols must be there: to go on without it would be no answer. */
static bool symbol_files_are_there(const struct session *session)
{
	const struct {
		const char *option, *path;
		bool folder;
	} named[] = {
		{ "symfs", session->symbols.symfs, true },
		{ "vmlinux", session->symbols.vmlinux, false },
		{ "kallsyms", session->symbols.kallsyms, false },
	};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		int why = named[i].path ? why_not_named(named[i].path, named[i].folder) : 0;

		if (!why)
			continue;
		talk_failed("--%s %s: %s", named[i].option, named[i].path,
			    why == EINVAL ? "not a regular file" : strerror(why));
		return false;
	}
	return true;
}

int session_open(struct session *session)
{
	struct spe_recording_opts opts = { .size = sizeof(opts) };
	int status;

	if (!symbol_files_are_there(session))
		return EXIT_FAILED;
	session->listener = input_listen(&session->input);
	if (!choose_decoder(&opts.decoder))
		return talk_failed("PERF_ARM_SPE_DECODER is neither 'general' nor 'fast'");
	opts.listener = session->listener;
	opts.threads = session->threads;
	opts.pid_map = session->pid_map;
	opts.midr = session->midr;
	opts.without_spe = session->without_spe;
	opts.later = session->later;
	status = spe_recording_open(input_path(&session->input), &opts, &session->recording,
				    &session->error);
	return status ? talk_status(status, &session->error) : -1;
}

int session_run(struct session *session, const struct spe_sink_ops *ops, void *sink)
{
	struct spe_run_opts opts = { .size = sizeof(opts) };

	opts.threads = session->threads;
	opts.filter = session->filter;
	opts.listener = session->listener;
	return spe_sink_run_first(session->recording, ops, sink, &opts, &session->stats,
				  &session->error);
}

void session_say_nothing_passed(const struct session *session)
{
	if (session->stats.filtered && session->stats.filtered == session->stats.samples)
		talk_note("no sample passes the filters: all %" PRIu64 " are filtered out",
			  session->stats.filtered);
}

int session_done(struct session *session, int status)
{
	int code = talk_status(status, &session->error);

	if (code == EXIT_OK && session->strict && session->recording)
		code = strict_verdict(session->recording, &session->stats);
	return code;
}
