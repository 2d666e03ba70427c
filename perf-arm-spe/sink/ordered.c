/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All streams as one, by time: a tree of losers over the streams' next keys,
 * replayed without a branch that could be guessed wrong.  A stream is opened
 * only when its turn comes, so that ten thousand short-lived threads' buffers
 * do not all hold memory at once.
 */
#include "feed.h"

#include "../base/pool.h"

#include <stdlib.h>

/* What plays: the key first, then the stream's number. */
struct player {
	uint64_t key;
	uint64_t stream; /* + ENDED */
};

/* With it goes the last of all keys: loses against every sample. */
#define ENDED (1ull << 63)

#define CACHE_LINE 64u

/* Where a stream stands in its block. */
struct source {
	const struct spe_sample *sample;
	const uint64_t *key, *end; /* key == end: a block is due, the first one also */
};

struct merge {
	struct spe_run *run;
	struct spe_feeds *feeds;
	size_t streams;
	size_t live;         /* streams that have not ended */
	struct player *tree; /* [0] the winner, [1 .. streams - 1] the losers */
	struct source *sources;
	struct spe_sample *out;
	size_t out_count;
	void *partial;
};

static inline bool plays_before(struct player a, struct player b)
{
	return ((unsigned __int128)a.key << 64 | a.stream) <
	       ((unsigned __int128)b.key << 64 | b.stream);
}

/* The player of a stream has changed: who wins now? */
static inline void tree_replay(struct merge *m, struct player player)
{
	struct player *tree = m->tree;

	for (size_t at = ((player.stream & ~ENDED) + m->streams) / 2; at; at /= 2) {
		struct player other = tree[at];
		uint64_t loses = 0 - (uint64_t)plays_before(other, player);
		uint64_t key = (player.key ^ other.key) & loses;
		uint64_t stream = (player.stream ^ other.stream) & loses;

		/* swapped by arithmetic: which stream is next is a coin toss */
		tree[at] = (struct player){ other.key ^ key, other.stream ^ stream };
		player.key ^= key;
		player.stream ^= stream;
	}
	tree[0] = player;
}

/*
 * Everybody plays once, from the last leaf on: a player waits at the first
 * empty place on its way, the second one to come plays it.
 */
static void tree_build(struct merge *m, struct player *leaves)
{
	const struct player nobody = { 0, UINT64_MAX };

	for (size_t i = 0; i < m->streams; i++)
		m->tree[i] = nobody;
	for (size_t i = m->streams; i-- > 0;) {
		struct player player = leaves[i];
		size_t at = (i + m->streams) / 2;

		for (; at && m->tree[at].stream != UINT64_MAX; at /= 2) {
			if (plays_before(m->tree[at], player)) {
				struct player winner = m->tree[at];

				m->tree[at] = player;
				player = winner;
			}
		}
		m->tree[at] = player;
	}
}

static int merge_flush(struct merge *m)
{
	size_t count = m->out_count;

	m->out_count = 0;
	return count ? m->run->ops->batch(m->run->sink, m->partial, m->out, count) : SPE_OK;
}

/* The winner gets its next block, or has ended. */
static int merge_refill(struct merge *m)
{
	struct player player = m->tree[0];
	struct source *source = &m->sources[player.stream];
	struct spe_feed_block *block;
	int status = spe_feeds_next(m->feeds, player.stream, &block);

	if (status < 0)
		return status;
	if (status == SPE_END) {
		player = (struct player){ UINT64_MAX, player.stream | ENDED };
		m->live--;
	} else {
		source->sample = block->samples;
		source->key = block->keys;
		source->end = block->keys + block->count;
		player.key = *source->key;
	}
	tree_replay(m, player);
	return SPE_OK;
}

/* With many streams the next of this one is wanted long after, and by then out of the cache. */
static inline void prefetch_next(const struct source *source)
{
	for (size_t at = 0; at < sizeof(*source->sample); at += CACHE_LINE)
		__builtin_prefetch((const char *)source->sample + at);
	__builtin_prefetch(source->key + CACHE_LINE / sizeof(*source->key));
}

/* Samples in order, until the batch is full or the winner's block used up. */
static void merge_samples(struct merge *m)
{
	size_t room = m->run->batch;
	size_t count = m->out_count;

	while (count < room) {
		struct player player = m->tree[0];
		struct source *source = &m->sources[player.stream];

		if (source->key == source->end)
			break;
		m->out[count++] = *source->sample++;
		prefetch_next(source);
		if (++source->key == source->end)
			break;
		player.key = *source->key;
		tree_replay(m, player);
	}
	m->out_count = count;
}

static int merge_step(struct merge *m)
{
	const struct source *source = &m->sources[m->tree[0].stream];
	int status = SPE_OK;

	if (source->key == source->end)
		return merge_refill(m);
	merge_samples(m);
	if (m->out_count == m->run->batch)
		status = merge_flush(m);
	return status;
}

static void merge_fini(struct merge *m)
{
	free(m->tree);
	free(m->sources);
	free(m->out);
}

static int merge_init(struct merge *m)
{
	struct player *leaves;

	m->streams = spe_feeds_count(m->feeds);
	leaves = malloc((m->streams + 1) * sizeof(*leaves));
	m->tree = malloc((m->streams + 1) * sizeof(*m->tree));
	m->sources = calloc(m->streams + 1, sizeof(*m->sources));
	m->out = malloc(m->run->batch * sizeof(*m->out));
	if (!leaves || !m->tree || !m->sources || !m->out) {
		free(leaves);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < m->streams; i++) {
		bool empty = spe_feeds_floor(m->feeds, i, &leaves[i].key) == SPE_END;

		if (empty)
			leaves[i] = (struct player){ UINT64_MAX, i | ENDED };
		else
			leaves[i].stream = i;
		m->live += !empty;
	}
	tree_build(m, leaves);
	free(leaves);
	return SPE_OK;
}

static int merge_run(struct merge *m)
{
	int status = merge_init(m);

	while (status >= 0 && m->live)
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
