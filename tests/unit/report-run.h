/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a report over a fake recording, its output kept in memory. */
#ifndef TESTS_UNIT_REPORT_RUN_H
#define TESTS_UNIT_REPORT_RUN_H

#include "fake-recording.h"

static char output[1 << 20];
static size_t output_bytes;

static inline int output_write(void *priv, const char *bytes, size_t n)
{
	(void)priv;
	must(n < sizeof(output) - output_bytes);
	memcpy(output + output_bytes, bytes, n);
	output_bytes += n;
	output[output_bytes] = '\0';
	return SPE_OK;
}

static const struct spe_out out = { .write = output_write };

/* Make, run, print; *output has the text. */
static inline struct spe_run_stats report(const struct spe_recording *r,
					  struct spe_report_opts opts, struct spe_run_opts run)
{
	struct spe_run_stats stats;
	struct spe_report *report;
	struct spe_error error = { .text = "" };

	opts.size = sizeof(opts);
	run.size = sizeof(run);
	output_bytes = 0;
	ck_assert_msg(spe_report_new(r, &opts, &report, &error) == SPE_OK, "%s", error.text);
	ck_assert_int_eq(spe_sink_run(r, spe_report_ops(report), report, &run, &stats, &error),
			 SPE_OK);
	ck_assert_int_eq(spe_report_print(report, &stats, &out), SPE_OK);
	spe_report_free(report);
	return stats;
}

#endif
