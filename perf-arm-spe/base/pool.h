/* SPDX-License-Identifier: GPL-2.0-only */
/* Worker threads over numbered jobs. */
#ifndef SPE_BASE_POOL_H
#define SPE_BASE_POOL_H

#include <perf-arm-spe/base.h>

/* One job: returns SPE_OK or a negative status, which stops the rest. */
typedef int (*spe_pool_job)(void *arg, unsigned worker, size_t job);

/* How many workers `threads` (0: as many as CPUs) means for this many jobs: 1 .. SPE_LIMIT_WORKERS.
 */
unsigned spe_pool_workers(unsigned threads, size_t jobs);

/*
 * Run jobs 0 .. jobs-1 on `workers` workers, handed out in order; worker 0 is the caller's
 * own thread.  A thread that cannot be started is done without.  Returns SPE_OK or the
 * status of the failed job with the lowest number among those that ran.
 */
int spe_pool_run(unsigned workers, size_t jobs, spe_pool_job job, void *arg);

#endif
