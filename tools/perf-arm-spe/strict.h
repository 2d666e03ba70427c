/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef STRICT_H
#define STRICT_H

#include <perf-arm-spe/sink.h>

/* EXIT_OK if the recording is whole; else says what is missing and returns EXIT_FAILED. */
int strict_verdict(const struct spe_recording *recording, const struct spe_run_stats *stats);

#define STRICT_REASON 160 /* bytes of a reason */

/* What a stream lost first of all, in words; "" when nothing. */
void strict_stream_reason(const struct spe_stream_info *stream, char *text, size_t size);

#endif
