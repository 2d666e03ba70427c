/* SPDX-License-Identifier: GPL-2.0-only */
#include "pool.h"

#include <perf-arm-spe/limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct pool {
	atomic_size_t next;
	atomic_bool stop;
	size_t jobs;
	spe_pool_job job;
	void *arg;
	pthread_mutex_t lock;
	size_t failed_job; /* under lock */
	int status;        /* under lock */
};

struct worker {
	struct pool *pool;
	pthread_t thread;
	unsigned number;
};

unsigned spe_pool_workers(unsigned threads, size_t jobs)
{
	long cpus = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus < 1)
		cpus = 1;
	if (cpus > (long)SPE_LIMIT_WORKERS)
		cpus = SPE_LIMIT_WORKERS;
	if ((size_t)cpus > jobs)
		cpus = jobs ? (long)jobs : 1;
	return (unsigned)cpus;
}

static void pool_fail(struct pool *pool, size_t job, int status)
{
	pthread_mutex_lock(&pool->lock);
	if (!pool->status || job < pool->failed_job) {
		pool->status = status;
		pool->failed_job = job;
	}
	pthread_mutex_unlock(&pool->lock);
	atomic_store(&pool->stop, true);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct pool *pool = w->pool;

	while (!atomic_load(&pool->stop)) {
		size_t job = atomic_fetch_add(&pool->next, 1);
		int status;

		if (job >= pool->jobs)
			break;
		status = pool->job(pool->arg, w->number, job);
		if (status < 0)
			pool_fail(pool, job, status);
	}
	return NULL;
}

int spe_pool_run(unsigned workers, size_t jobs, spe_pool_job job, void *arg)
{
	struct pool pool = { .jobs = jobs, .job = job, .arg = arg };
	struct worker own = { .pool = &pool };
	struct worker *others = NULL;
	unsigned started = 0;

	pthread_mutex_init(&pool.lock, NULL);
	if (workers > 1)
		others = calloc(workers - 1, sizeof(*others));
	while (others && started < workers - 1) {
		struct worker *w = &others[started];

		*w = (struct worker){ .pool = &pool, .number = started + 1 };
		if (pthread_create(&w->thread, NULL, worker_main, w))
			break;
		started++;
	}
	worker_main(&own);
	for (unsigned i = 0; i < started; i++)
		pthread_join(others[i].thread, NULL);
	free(others);
	pthread_mutex_destroy(&pool.lock);
	return pool.status;
}
