/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ceilings low enough to bump into: `make check` builds the library once more
 * with this in front of every file, for test-limits.c and test-sink-html.c.
 */
#ifndef TESTS_UNIT_LOW_LIMITS_H
#define TESTS_UNIT_LOW_LIMITS_H

#include <perf-arm-spe/limits.h>

#undef SPE_LIMIT_ATTRS
#undef SPE_LIMIT_IDS_PER_ATTR
#undef SPE_LIMIT_IDS
#undef SPE_LIMIT_CPUS
#undef SPE_LIMIT_DIR_FILES
#undef SPE_LIMIT_TASKS
#undef SPE_LIMIT_COMMS
#undef SPE_LIMIT_SWITCHES
#undef SPE_LIMIT_STREAMS
#undef SPE_LIMIT_AUX_CHUNKS
#undef SPE_LIMIT_ZERO_RUNS
#undef SPE_LIMIT_PID_MAP
#undef SPE_LIMIT_REPORT_ROWS
#undef SPE_LIMIT_HTML_ROWS
#define SPE_LIMIT_ATTRS 8u
#define SPE_LIMIT_IDS_PER_ATTR 16u
#define SPE_LIMIT_IDS 24u
#define SPE_LIMIT_CPUS 32u
#define SPE_LIMIT_DIR_FILES 6u
#define SPE_LIMIT_TASKS 64u
#define SPE_LIMIT_COMMS 16u
#define SPE_LIMIT_SWITCHES 128u
#define SPE_LIMIT_STREAMS 8u
#define SPE_LIMIT_AUX_CHUNKS 40u
#define SPE_LIMIT_ZERO_RUNS 4u
#define SPE_LIMIT_PID_MAP 5u
#define SPE_LIMIT_REPORT_ROWS 1024u
#define SPE_LIMIT_HTML_ROWS 511u

#endif
