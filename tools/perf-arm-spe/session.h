/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What most commands begin and end with: the options they share, opening the
 * recording, and the exit code.
 *
 *	struct session session;
 *
 *	session_init(&session);
 *	... options_parse() with input_options, session_options, filter_options ...
 *	code = session_open(&session);
 *	if (code < 0)
 *		code = session_done(&session, do_the_work(&session));
 *	session_fini(&session);
 */
#ifndef SESSION_H
#define SESSION_H

#include <perf-arm-spe/sink.h>

#include "input.h"

struct session {
	/* options */
	struct input input;
	unsigned threads;
	bool strict;
	const char *pid_map;
	uint64_t midr;
	struct spe_symbols_opts symbols; /* ask session_symbols() */
	bool demangle;
	bool without_spe; /* set by commands that have use for a file without SPE */
	bool later;       /* ... that look at the recording only after session_run() */
	/* what comes of them */
	struct spe_filter *filter; /* NULL: none */
	char selection[1024];      /* the filter as it was asked for; cut if it is longer */
	struct spe_recording *recording;
	struct spe_run_stats stats;
	struct spe_error error;
	struct spe_listener listener;
};

/* -j --strict ... : base is a struct session. */
extern const struct option_def session_options[];
/* --pid --comm --time ... : base is a struct session. */
extern const struct option_def filter_options[];

/* --symfs --vmlinux ... : base is a struct session. */
extern const struct option_def symbol_options[];
/* How to look addresses up; valid as long as the session. */
const struct spe_symbols_opts *session_symbols(struct session *session);

void session_init(struct session *session);
void session_fini(struct session *session);

/* Open the recording.  Returns -1 to go on, else the exit code, and has said why. */
int session_open(struct session *session);

/* Run a sink; its status goes to session_done(). */
int session_run(struct session *session, const struct spe_sink_ops *ops, void *sink);

/* After the run of a command that prints nothing then. */
void session_say_nothing_passed(const struct session *session);

/* Exit code of a status.  With --strict also looks at what was lost. */
int session_done(struct session *session, int status);

#endif
