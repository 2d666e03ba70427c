/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands print of a recording, kept in memory; nothing of it drives a terminal. */
#ifndef TESTS_FUZZ_OUTPUTS_H
#define TESTS_FUZZ_OUTPUTS_H

#include <string.h>

#include <perf-arm-spe/sink.h>

#include "../../perf-arm-spe/sink/html.h"
#include "property.h"

struct text {
	char *bytes;
	size_t n, room;
};

static inline int text_write(void *priv, const char *bytes, size_t n)
{
	struct text *text = priv;

	if (text->room - text->n < n) {
		text->room = 2 * (text->n + n);
		text->bytes = realloc(text->bytes, text->room);
		PROPERTY(text->bytes);
	}
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
	return SPE_OK;
}

/* No control character but newline and tab; C1 ones in UTF-8 begin with 0xc2. */
static inline UNWATCHED void check_printable(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t c = (uint8_t)bytes[i];

		PROPERTY((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t');
		PROPERTY(c != 0xc2 || (i + 1 < n && (uint8_t)bytes[i + 1] >= 0xa0));
	}
}

static inline void check_error(int status, const struct spe_error *error)
{
	PROPERTY(status < 0 && error->status == status && error->text[0]);
	check_printable(error->text, strlen(error->text));
	PROPERTY(!strchr(error->text, '\n'));
}

/* How the recording is gone through; no answer may depend on it. */
struct way {
	unsigned threads;
	size_t batch_records;
	uint32_t decoder;
};

static inline void check_stats(const struct spe_run_stats *stats)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SPE_EVIDENCE_KINDS; i++)
		sum += stats->by_evidence[i];
	PROPERTY(sum == stats->samples);
	PROPERTY(stats->decode.records == stats->samples);
	PROPERTY(stats->filtered <= stats->samples);
	PROPERTY(stats->unresolved <= stats->samples);
}

/* No file of this machine, whatever paths the input names. */
static const struct spe_symbols_opts no_files = { .size = sizeof(no_files),
						  .symfs = "/nonexistent",
						  .buildid_dir = "/nonexistent" };

/* Every run must succeed: what can fail failed when the recording was opened. */
static inline struct spe_run_stats run_sink(const struct spe_recording *r, const struct way *way,
					    const struct spe_sink_ops *ops, void *sink)
{
	struct spe_run_opts opts = { .size = sizeof(opts),
				     .threads = way->threads,
				     .batch_records = way->batch_records };
	struct spe_run_stats stats;
	struct spe_error error = { 0 };

	PROPERTY(spe_sink_run(r, ops, sink, &opts, &stats, &error) == SPE_OK);
	check_stats(&stats);
	return stats;
}

static inline struct spe_run_stats print_report(const struct spe_recording *r,
						const struct way *way,
						const struct spe_report_opts *opts,
						struct text *text)
{
	struct spe_out out = { text_write, text };
	struct spe_report *report = NULL;
	struct spe_run_stats stats;
	struct spe_error error = { 0 };

	PROPERTY(spe_report_new(r, opts, &report, &error) == SPE_OK);
	stats = run_sink(r, way, spe_report_ops(report), report);
	PROPERTY(spe_report_print(report, &stats, &out) == SPE_OK);
	spe_report_free(report);
	return stats;
}

static inline void print_script(const struct spe_recording *r, const struct way *way,
				const char *fields, uint32_t format, struct text *text)
{
	struct spe_script_opts opts = { .size = sizeof(opts),
					.fields = fields,
					.format = format,
					.ns = true,
					.symbols = &no_files,
					.out = { text_write, text } };
	struct spe_script *script = NULL;
	struct spe_error error = { 0 };

	PROPERTY(spe_script_new(r, &opts, &script, &error) == SPE_OK);
	run_sink(r, way, spe_script_ops(script), script);
	spe_script_free(script);
}

static inline void print_verify(const struct spe_recording *r, const struct way *way,
				struct text *text)
{
	struct spe_out out = { text_write, text };
	struct spe_verify *verify = NULL;
	const struct spe_verify_result *result;

	PROPERTY(spe_verify_new(r, &verify) == SPE_OK);
	run_sink(r, way, spe_verify_ops(verify), verify);
	result = spe_verify_result(verify);
	PROPERTY(result->agree + result->part == result->compared);
	PROPERTY(spe_verify_print(verify, SPE_FORMAT_TEXT, &out) == SPE_OK);
	spe_verify_free(verify);
}

/* The data of the page of report --html: every sample in one slot, and in the timeline if it has a
 * time. */
static inline void print_page(struct spe_recording *r, const struct way *way, struct text *text)
{
	struct spe_html_opts opts = { .size = sizeof(opts),
				      .threads = way->threads,
				      .batch_records = way->batch_records };
	static struct html html;
	static struct spe_text json;
	struct spe_out out = { text_write, text };
	struct spe_run_stats stats;
	struct spe_error error = { 0 };
	uint64_t samples = 0, cells = 0;

	PROPERTY(html_init(&html, r, &opts, &error) == SPE_OK);
	PROPERTY(html_collect(&html, &stats) == SPE_OK);
	for (size_t i = 0; i < html.counts.processes.count; i++)
		samples += spe_rows_at(&html.counts.processes, i)->samples;
	for (size_t i = 0; i < (size_t)html_slots(&html) * html.lane_count * html.bins; i++)
		cells += html.counts.cells[i];
	PROPERTY(samples == stats.samples && html.survey.samples == stats.samples);
	PROPERTY(cells + html.counts.timeless == stats.samples);
	spe_text_init(&json, &out);
	PROPERTY(html_json(&html, &stats, &json) == SPE_OK);
	PROPERTY(spe_text_flush(&json) == SPE_OK);
	html_fini(&html);
}

typedef int (*list_fn)(unsigned index, const char **name, const char **help);

/* Two names of a list, or all of them for choice 0: "pid,comm". */
static inline const char *choose_names(list_fn list, unsigned choice, char *text, size_t size)
{
	const char *name, *help;
	unsigned count = 0;
	size_t n = 0;

	while (list(count, &name, &help) == SPE_OK)
		count++;
	for (unsigned i = 0; i < (choice ? 2 : count); i++) {
		unsigned pick = !choice ? i : i ? choice / count % count : choice % count;

		PROPERTY(list(pick, &name, &help) == SPE_OK);
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? "," : "", name);
		PROPERTY(n < size);
	}
	return text;
}

/* One of report with stat, script, verify, the page and dump, by choice. */
static inline void print_one(struct spe_recording *r, const struct way *way, unsigned choice,
			     struct text *text)
{
	char names[1024];
	struct spe_report_opts report = { .size = sizeof(report),
					  .format = choice / 4 % 3,
					  .hierarchy = choice & 32,
					  .symbols = &no_files };
	struct spe_dump_opts dump = { .size = sizeof(dump), .cpu = -1 };
	struct spe_out out = { text_write, text };
	struct spe_error error = { 0 };
	struct spe_run_stats stats;
	int status;

	switch (choice % 4) {
	case 0:
		report.sort = choose_names(spe_report_key, 1 + choice / 4, names, sizeof(names));
		stats = print_report(r, way, &report, text);
		PROPERTY(spe_stat_print(r, &stats, report.format, &out) == SPE_OK);
		break;
	case 1:
		print_script(r, way,
			     choice & 64 ? NULL
					 : choose_names(spe_script_field, choice / 4 & 15, names,
							sizeof(names)),
			     choice / 4 % 3, text);
		break;
	case 2:
		if (choice & 16)
			print_page(r, way, text);
		else
			print_verify(r, way, text);
		break;
	default:
		status = spe_dump_perfdata(spe_recording_perfdata(r), &dump, &out, &error);
		if (status)
			check_error(status, &error);
	}
}

#endif
