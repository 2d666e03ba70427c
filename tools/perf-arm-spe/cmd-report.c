/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe report: samples by process, thread, whatever is asked. */
#include <perf-arm-spe/sink.h>

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "output.h"
#include "session.h"
#include "talk.h"

struct report {
	struct session session;
	const char *sort, *fields, *separator, *weight, *colour;
	double percent_limit;
	const char *group_by, *html, *dsos, *symbol_names;
	bool show_nr_samples, json, csv, no_header, mem, hierarchy;
};

static const struct option_def report_options[] = {
	OPT_VALUE(STRING, 's', "sort", struct report, sort, "key[,key...]",
		  "rows by pid, tid, comm, sym, dso ... (pid); list shows all"),
	OPT_VALUE(STRING, 'F', "fields", struct report, fields, "name[,name...]",
		  "columns beside the overhead: samples, latency ...; list shows all"),
	OPT_FLAG('n', "show-nr-samples", struct report, show_nr_samples,
		 "a column with the number of samples"),
	OPT_VALUE(STRING, 0, "weight", struct report, weight, "what",
		  "percentages of samples (default) or of latency"),
	OPT_VALUE(STRING, 'd', "dsos", struct report, dsos, "file[,file...]",
		  "only code of these programs and libraries"),
	OPT_VALUE(STRING, 'S', "symbols", struct report, symbol_names, "name[,name...]",
		  "only code of these functions"),
	OPT_VALUE(STRING, 't', "field-separator", struct report, separator, "text",
		  "between columns, instead of aligning them"),
	OPT_VALUE(DOUBLE, 0, "percent-limit", struct report, percent_limit, "percent",
		  "leave smaller rows out"),
	OPT_FLAG(0, "mem-mode", struct report, mem,
		 "loads and stores only, by where their data came from"),
	OPT_FLAG(0, "hierarchy", struct report, hierarchy, "each sort key a level of a tree"),
	OPT_VALUE(STRING, 0, "group-by", struct report, group_by, "key[,key...]",
		  "a level with subtotals above the rows"),
	OPT_FLAG(0, "json", struct report, json, "JSON"),
	OPT_FLAG(0, "csv", struct report, csv, "comma separated values"),
	OPT_VALUE(FILE, 0, "html", struct report, html, "file",
		  "a page for the browser: over time, latencies, hot code and data"),
	OPT_FLAG(0, "no-header", struct report, no_header, "rows only, no comment lines"),
	OPT_VALUE(STRING, 0, "stdio-color", struct report, colour, "mode",
		  "always, never, or auto (on a terminal, unless NO_COLOR is set)"),
	OPT_END,
};

static int list(int (*entry)(unsigned index, const char **name, const char **help))
{
	const char *name;
	const char *help;

	for (unsigned i = 0; entry(i, &name, &help) == SPE_OK; i++)
		printf("%-18s %s\n", name, help);
	return EXIT_OK;
}

static int run_report(struct report *report, struct spe_report *sink)
{
	struct session *session = &report->session;
	struct spe_out out = output_stream();
	int status = session_run(session, spe_report_ops(sink), sink);

	if (status)
		return status;
	talk_progress_clear();
	output_pager();
	if (!report->json && !report->csv && !report->separator)
		out = output_coloured(report->colour);
	return spe_report_print(sink, &session->stats, &out);
}

static int print_report(struct report *report)
{
	struct spe_report_opts opts = { .size = sizeof(opts) };
	struct spe_report *sink = NULL;
	int status;

	opts.sort = report->sort;
	opts.fields = report->fields;
	opts.show_nr_samples = report->show_nr_samples;
	opts.separator = report->separator;
	opts.percent_limit = report->percent_limit;
	opts.weight = report->weight;
	opts.no_header = report->no_header;
	opts.mem = report->mem;
	opts.hierarchy = report->hierarchy;
	opts.group_by = report->group_by;
	opts.dsos = report->dsos;
	opts.symbol_names = report->symbol_names;
	opts.symbols = session_symbols(&report->session);
	opts.format = report->json  ? SPE_FORMAT_JSON
		      : report->csv ? SPE_FORMAT_CSV
				    : SPE_FORMAT_TEXT;
	status = spe_report_new(report->session.recording, &opts, &sink, &report->session.error);
	if (status)
		return status;
	status = run_report(report, sink);
	spe_report_free(sink);
	return status;
}

static int write_page(struct report *report)
{
	struct session *session = &report->session;
	struct spe_html_opts opts = { .size = sizeof(opts) };

	opts.filter = session->filter;
	opts.selection = session->selection;
	opts.symbols = session_symbols(session);
	opts.threads = session->threads;
	opts.listener = session->listener;
	return spe_html_write(session->recording, report->html, &opts, &session->stats,
			      &session->error);
}

/* The page has tables of its own. */
static bool says_how_to_print(const struct report *report)
{
	return report->sort || report->fields || report->separator || report->weight ||
	       report->group_by || report->show_nr_samples || report->json || report->csv ||
	       report->no_header || report->mem || report->hierarchy || report->percent_limit > 0;
}

/* Returns -1 to go on, else the exit code. */
static int check_options(const struct report *report, const struct command_line *line)
{
	if (report->html && says_how_to_print(report))
		return options_usage_error(line, "--html takes filters, but no other output "
						 "options: the page has them all");
	if (report->json && report->csv)
		return options_usage_error(line, "--json and --csv exclude each other");
	if (!output_colour_known(report->colour))
		return options_usage_error(line,
					   "--stdio-color wants always, never or auto, not '%s'",
					   report->colour);
	if ((report->sort && !strcmp(report->sort, "list")) ||
	    (report->group_by && !strcmp(report->group_by, "list")))
		return list(spe_report_key);
	if (report->fields && !strcmp(report->fields, "list"))
		return list(spe_report_column);
	return -1;
}

int cmd_report(int argc, const char **argv)
{
	struct report report = { .sort = NULL };
	const struct option_set sets[] = {
		{ report_options, &report, "Output" },
		{ filter_options, &report.session, "Only samples with" },
		{ symbol_options, &report.session, "Symbols" },
		{ input_options, &report.session.input, "General" },
		{ session_options, &report.session, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "report", "[<options>] [<file>]", sets, argc, argv };
	int operands;
	int code;

	session_init(&report.session);
	report.session.later = true;
	code = options_parse(&line, &operands);
	if (code < 0)
		code = input_operands(&report.session.input, &line, operands);
	if (code < 0)
		code = check_options(&report, &line);
	if (code < 0)
		code = session_open(&report.session);
	if (code < 0)
		code = session_done(&report.session,
				    report.html ? write_page(&report) : print_report(&report));
	session_fini(&report.session);
	return code;
}
