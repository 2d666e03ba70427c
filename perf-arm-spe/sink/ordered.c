/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All streams as one, by time: a heap of the streams' next keys.  A stream is
 * opened only when its turn comes, so that ten thousand short-lived threads'
 * buffers do not all hold memory at once.
 */
#include "feed.h"

#include "../base/pool.h"

#include <stdlib.h>
#include <string.h>

struct next {
	uint64_t key;
	size_t stream;
};

struct source {
	struct spe_feed_block *block; /* NULL: not open */
	size_t at;
};

struct merge {
	struct spe_run *run;
	struct spe_feeds *feeds;
	struct next *heap;
	size_t count;
	struct source *sources; /* by stream */
	struct spe_sample *out;
	size_t out_count;
	void *partial;
};

static bool next_before(const struct next *a, const struct next *b)
{
	return a->key < b->key || (a->key == b->key && a->stream < b->stream);
}

static void heap_sink(struct merge *m, size_t at)
{
	struct next moving = m->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->count)
			break;
		if (child + 1 < m->count && next_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!next_before(&m->heap[child], &moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

/* The least of all but the top: how far the top may run. */
static struct next heap_second(const struct merge *m)
{
	struct next none = { UINT64_MAX, SIZE_MAX };

	if (m->count < 2)
		return none;
	if (m->count > 2 && next_before(&m->heap[2], &m->heap[1]))
		return m->heap[2];
	return m->heap[1];
}

static int merge_flush(struct merge *m)
{
	size_t count = m->out_count;

	m->out_count = 0;
	return count ? m->run->ops->batch(m->run->sink, m->partial, m->out, count) : SPE_OK;
}

static int merge_emit(struct merge *m, const struct spe_sample *samples, size_t count)
{
	while (count) {
		size_t room = m->run->batch - m->out_count;
		size_t part = count < room ? count : room;
		int status;

		memcpy(m->out + m->out_count, samples, part * sizeof(*samples));
		m->out_count += part;
		samples += part;
		count -= part;
		if (m->out_count < m->run->batch)
			continue;
		status = merge_flush(m);
		if (status < 0)
			return status;
	}
	return SPE_OK;
}

/* The top stream gets its next block, or leaves the heap. */
static int merge_refill(struct merge *m)
{
	struct next *top = &m->heap[0];
	struct source *source = &m->sources[top->stream];
	int status = spe_feeds_next(m->feeds, top->stream, &source->block);

	if (status < 0)
		return status;
	source->at = 0;
	if (status == SPE_END)
		*top = m->heap[--m->count];
	else
		top->key = source->block->keys[0];
	heap_sink(m, 0);
	return SPE_OK;
}

/* Hand out the top stream's samples up to where another stream comes first. */
static int merge_step(struct merge *m)
{
	struct next *top = &m->heap[0];
	struct source *source = &m->sources[top->stream];
	struct spe_feed_block *block = source->block;
	struct next second = heap_second(m), next = *top;
	size_t from = source->at, to = from;
	int status;

	if (!block)
		return merge_refill(m);
	while (to < block->count) {
		next.key = block->keys[to];
		if (next_before(&second, &next))
			break;
		to++;
	}
	source->at = to;
	status = merge_emit(m, block->samples + from, to - from);
	if (status < 0)
		return status;
	if (to == block->count)
		return merge_refill(m);
	top->key = next.key;
	heap_sink(m, 0);
	return SPE_OK;
}

static void merge_fini(struct merge *m)
{
	free(m->heap);
	free(m->sources);
	free(m->out);
}

static int merge_init(struct merge *m)
{
	size_t streams = spe_feeds_count(m->feeds);

	m->heap = malloc((streams + 1) * sizeof(*m->heap));
	m->sources = calloc(streams + 1, sizeof(*m->sources));
	m->out = malloc(m->run->batch * sizeof(*m->out));
	if (!m->heap || !m->sources || !m->out)
		return SPE_NOMEM;
	for (size_t i = 0; i < streams; i++) {
		struct next next = { .stream = i };

		if (spe_feeds_floor(m->feeds, i, &next.key) == SPE_OK)
			m->heap[m->count++] = next;
	}
	for (size_t i = m->count / 2; i-- > 0;)
		heap_sink(m, i);
	return SPE_OK;
}

static int merge_run(struct merge *m)
{
	int status = merge_init(m);

	while (status >= 0 && m->count)
		status = merge_step(m);
	if (status >= 0)
		status = merge_flush(m);
	merge_fini(m);
	return status;
}

/* Job 0 merges, the others decode for it. */
static int ordered_job(void *arg, unsigned worker, size_t job)
{
	struct merge *m = arg;
	int status;

	(void)worker;
	if (job) {
		spe_feeds_work(m->feeds);
		return SPE_OK;
	}
	status = merge_run(m);
	spe_feeds_stop(m->feeds);
	return status;
}

int spe_run_ordered(struct spe_run *run)
{
	struct merge m = { .run = run };
	int status = spe_feeds_new(run, &m.feeds);
	int merged = SPE_OK;

	if (status)
		return status;
	if (run->ops->begin)
		status = run->ops->begin(run->sink, 0, &m.partial);
	if (status >= 0) {
		status = spe_pool_run(run->workers, run->workers, ordered_job, &m);
		if (run->ops->merge)
			merged = run->ops->merge(run->sink, m.partial);
	}
	spe_feeds_free(m.feeds);
	return status < 0 ? status : merged;
}
