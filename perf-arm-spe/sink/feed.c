/* SPDX-License-Identifier: GPL-2.0-only */
#include "feed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/*
 * Blocks of a stream: one being handed out, one held for sorting, and where
 * there is somebody to fill them ahead, two more.
 */
#define FEED_BLOCKS 4u
#define FEED_BLOCKS_ALONE 2u
#define FEED_BLOCK_MIN 128u
#define FEED_BLOCK_MAX 512u
/* All blocks together, while they can be made smaller: the second level cache of a core. */
#define FEED_BYTES (512u << 10)

struct feed {
	TAILQ_ENTRY(feed) link; /* on the list of wanted fills */
	struct spe_reader *reader;
	size_t piece, piece_end;
	bool in_piece;
	uint64_t last_key;
	struct spe_run_stats stats;
	struct spe_feed_block blocks[FEED_BLOCKS];
	unsigned head; /* the block handed out */
	bool handed;   /* ... there is one */
	/* under the lock of feeds */
	unsigned ready; /* filled blocks, from head on */
	bool wanted;    /* on the list */
	bool busy;      /* somebody fills a block */
	bool drained;   /* no more samples will come */
	int status;     /* of a fill that failed */
};

struct spe_feeds {
	struct spe_run *run;
	size_t count;
	size_t block_records;
	unsigned blocks;     /* of a stream */
	bool by_ticks;       /* no conversion: order by the counter itself */
	size_t *first_piece; /* count + 1 of them */
	uint64_t *floors;
	struct feed **feeds;         /* NULL: not open */
	struct spe_feed_block spare; /* the consumer's, for sorting */
	struct spe_reader
		*learnt; /* reads nothing: what all readers learn; NULL: each for itself */
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	TAILQ_HEAD(feed_list, feed) wanted;
	bool stop;
	uint64_t bytes_told;
};

/* ---- blocks ------------------------------------------------------------ */

static int block_init(struct spe_feed_block *block, size_t records)
{
	block->keys = malloc(records * sizeof(*block->keys));
	block->samples = malloc(records * sizeof(*block->samples));
	return block->keys && block->samples ? SPE_OK : SPE_NOMEM;
}

static void block_fini(struct spe_feed_block *block)
{
	free(block->keys);
	free(block->samples);
}

static bool block_is_sorted(const struct spe_feed_block *block)
{
	for (size_t i = 1; i < block->count; i++)
		if (block->keys[i] < block->keys[i - 1])
			return false;
	return true;
}

/* Insertion from behind: times that go back do so by little. */
static void block_sort(struct spe_feed_block *block)
{
	uint64_t *keys = block->keys;
	struct spe_sample *samples = block->samples;

	if (block_is_sorted(block))
		return;
	for (size_t i = 1; i < block->count; i++) {
		uint64_t key = keys[i];
		size_t to = i;
		struct spe_sample sample;

		while (to && keys[to - 1] > key)
			to--;
		if (to == i)
			continue;
		sample = samples[i];
		memmove(&keys[to + 1], &keys[to], (i - to) * sizeof(*keys));
		memmove(&samples[to + 1], &samples[to], (i - to) * sizeof(*samples));
		keys[to] = key;
		samples[to] = sample;
	}
}

/*
 * Sort two sorted blocks together: the low keys end in a, which is full, the
 * others in b.  Merged from behind through spare, so that only as much moves as
 * has to.
 */
static void blocks_merge(struct spe_feed_block *a, struct spe_feed_block *b,
			 struct spe_feed_block *spare)
{
	size_t at_a = a->count, at_b = b->count, to = b->count;
	size_t low = 0;

	if (!a->count || !b->count || a->keys[a->count - 1] <= b->keys[0])
		return;
	/* The high b->count of both go to spare, the rest of b moves up into a's gaps. */
	while (to) {
		bool from_a = at_a && (!at_b || a->keys[at_a - 1] > b->keys[at_b - 1]);

		to--;
		spare->keys[to] = from_a ? a->keys[--at_a] : b->keys[--at_b];
		spare->samples[to] = from_a ? a->samples[at_a] : b->samples[at_b];
	}
	/* at_b samples of b are low, and a has just as many gaps at its end. */
	for (low = a->count; at_b; low--) {
		bool from_a = at_a && a->keys[at_a - 1] > b->keys[at_b - 1];

		a->keys[low - 1] = from_a ? a->keys[at_a - 1] : b->keys[at_b - 1];
		a->samples[low - 1] = from_a ? a->samples[at_a - 1] : b->samples[at_b - 1];
		at_a -= from_a;
		at_b -= !from_a;
	}
	memcpy(b->keys, spare->keys, b->count * sizeof(*b->keys));
	memcpy(b->samples, spare->samples, b->count * sizeof(*b->samples));
}

/* ---- filling ----------------------------------------------------------- */

/* A sample without a time stays behind the one before it. */
static void feed_keys(const struct spe_feeds *feeds, struct feed *feed,
		      const struct spe_sample *samples, size_t count, uint64_t *keys)
{
	for (size_t i = 0; i < count; i++) {
		if (samples[i].has_time)
			feed->last_key = samples[i].time_ns;
		else if (feeds->by_ticks && samples[i].record.present & SPE_HAS_TIMESTAMP)
			feed->last_key = samples[i].record.timestamp;
		keys[i] = feed->last_key;
	}
}

/* The next samples of the stream, across pieces; SPE_END after the last. */
static int feed_read(struct spe_run *run, struct feed *feed, struct spe_sample *samples,
		     size_t room, size_t *count)
{
	for (;;) {
		int status;

		if (!feed->in_piece) {
			if (feed->piece == feed->piece_end)
				return SPE_END;
			status = spe_reader_start(feed->reader, feed->piece++);
			if (status)
				return status;
			feed->in_piece = true;
		}
		status = spe_reader_next(feed->reader, samples, room, count);
		if (status != SPE_END)
			return status;
		feed->in_piece = false;
		atomic_fetch_add(&run->bytes_done,
				 spe_recording_piece(run->recording, feed->piece - 1)->bytes);
	}
}

static int feed_fill(const struct spe_feeds *feeds, struct feed *feed, struct spe_feed_block *block)
{
	struct spe_run *run = feeds->run;
	int status = SPE_OK;

	block->count = 0;
	while (block->count < feeds->block_records) {
		size_t room = feeds->block_records - block->count;
		struct spe_sample *samples = block->samples + block->count;
		uint64_t *keys = block->keys + block->count;
		size_t count = 0, kept;

		status = feed_read(run, feed, samples, room < run->batch ? room : run->batch,
				   &count);
		if (status)
			break;
		spe_run_count(&feed->stats, samples, count);
		feed_keys(feeds, feed, samples, count, keys);
		kept = spe_filter_apply(run->filter, samples, keys, count);
		feed->stats.filtered += count - kept;
		block->count += kept;
	}
	block_sort(block);
	return status;
}

/* Put a stream on the list when it has a block to fill. Under the lock. */
static void feed_want(struct spe_feeds *feeds, struct feed *feed)
{
	if (feed->wanted || feed->busy || feed->drained || feed->ready == feeds->blocks)
		return;
	feed->wanted = true;
	TAILQ_INSERT_TAIL(&feeds->wanted, feed, link);
	if (feeds->run->workers > 1)
		pthread_cond_signal(&feeds->work);
}

/* Take a stream off the list and fill its next block. Called and left under the lock. */
static void feed_serve(struct spe_feeds *feeds, struct feed *feed)
{
	struct spe_feed_block *block = &feed->blocks[(feed->head + feed->ready) % feeds->blocks];
	int status;

	TAILQ_REMOVE(&feeds->wanted, feed, link);
	feed->wanted = false;
	feed->busy = true;
	pthread_mutex_unlock(&feeds->lock);
	status = feed_fill(feeds, feed, block);
	pthread_mutex_lock(&feeds->lock);
	feed->busy = false;
	feed->drained = status != SPE_OK;
	if (status < 0)
		feed->status = status;
	if (block->count)
		feed->ready++;
	feed_want(feeds, feed);
	pthread_cond_signal(&feeds->done);
}

void spe_feeds_work(struct spe_feeds *feeds)
{
	pthread_mutex_lock(&feeds->lock);
	while (!feeds->stop) {
		struct feed *feed = TAILQ_FIRST(&feeds->wanted);

		if (feed)
			feed_serve(feeds, feed);
		else
			pthread_cond_wait(&feeds->work, &feeds->lock);
	}
	pthread_mutex_unlock(&feeds->lock);
}

void spe_feeds_stop(struct spe_feeds *feeds)
{
	pthread_mutex_lock(&feeds->lock);
	feeds->stop = true;
	pthread_cond_broadcast(&feeds->work);
	pthread_mutex_unlock(&feeds->lock);
}

/* Wait, or work, until `ready` blocks are filled or no more will be. Under the lock. */
static void feed_await(struct spe_feeds *feeds, struct feed *feed, unsigned ready)
{
	while (feed->ready < ready && !feed->drained) {
		if (feed->wanted)
			feed_serve(feeds, feed);
		else
			pthread_cond_wait(&feeds->done, &feeds->lock);
	}
}

/* ---- streams ----------------------------------------------------------- */

static void feed_close(struct spe_feeds *feeds, size_t stream)
{
	struct feed *feed = feeds->feeds[stream];

	if (!feed)
		return;
	if (feed->reader)
		feed->stats.decode = *spe_reader_stats(feed->reader);
	spe_run_stats_add(feeds->run->stats, &feed->stats);
	spe_reader_free(feed->reader);
	for (unsigned i = 0; i < FEED_BLOCKS; i++)
		block_fini(&feed->blocks[i]);
	free(feed);
	feeds->feeds[stream] = NULL;
}

static int feed_open(struct spe_feeds *feeds, size_t stream, struct feed **opened)
{
	struct spe_reader_opts opts = feeds->run->reader_opts;
	struct feed *feed = calloc(1, sizeof(*feed));
	int status;

	if (!feed)
		return SPE_NOMEM;
	feeds->feeds[stream] = feed;
	feed->piece = feeds->first_piece[stream];
	feed->piece_end = feeds->first_piece[stream + 1];
	feed->last_key = feeds->floors[stream];
	opts.beside = feeds->learnt;
	status = spe_reader_new(feeds->run->recording, &opts, &feed->reader);
	for (unsigned i = 0; i < feeds->blocks && !status; i++)
		status = block_init(&feed->blocks[i], feeds->block_records);
	if (status) {
		feed_close(feeds, stream);
		return status;
	}
	pthread_mutex_lock(&feeds->lock);
	feed_want(feeds, feed);
	pthread_mutex_unlock(&feeds->lock);
	*opened = feed;
	return SPE_OK;
}

/* The consumer alone speaks. */
static void feeds_progress(struct spe_feeds *feeds)
{
	uint64_t done = atomic_load(&feeds->run->bytes_done);

	if (done == feeds->bytes_told)
		return;
	feeds->bytes_told = done;
	spe_progress(&feeds->run->listener, "decoding", done, feeds->run->bytes);
}

int spe_feeds_next(struct spe_feeds *feeds, size_t stream, struct spe_feed_block **block)
{
	struct feed *feed = feeds->feeds[stream];
	int status = SPE_OK;

	if (!feed)
		status = feed_open(feeds, stream, &feed);
	if (status)
		return status;
	pthread_mutex_lock(&feeds->lock);
	if (feed->handed) {
		feed->head = (feed->head + 1) % feeds->blocks;
		feed->ready--;
		feed_want(feeds, feed);
	}
	feed_await(feeds, feed, 2);
	feed->handed = feed->ready > 0;
	*block = &feed->blocks[feed->head];
	if (feed->ready > 1)
		blocks_merge(*block, &feed->blocks[(feed->head + 1) % feeds->blocks],
			     &feeds->spare);
	pthread_mutex_unlock(&feeds->lock);
	feeds_progress(feeds);
	if (feed->handed)
		return SPE_OK;
	status = feed->status; /* of the block after the last good one */
	feed_close(feeds, stream);
	return status ? status : SPE_END;
}

/* ---- all of them ------------------------------------------------------- */

/* Which pieces a stream has, and the earliest time in them. */
static void feeds_survey(struct spe_feeds *feeds)
{
	size_t pieces = spe_recording_pieces(feeds->run->recording);
	size_t piece = 0;

	for (size_t stream = 0; stream < feeds->count; stream++) {
		uint64_t floor = UINT64_MAX;

		feeds->first_piece[stream] = piece;
		for (; piece < pieces; piece++) {
			const struct spe_piece *p =
				spe_recording_piece(feeds->run->recording, piece);

			if (p->stream != stream)
				break;
			if (p->first_ns < floor && (p->first_ns || floor == UINT64_MAX))
				floor = p->first_ns;
		}
		feeds->floors[stream] = feeds->by_ticks ? 0 : floor;
	}
	feeds->first_piece[feeds->count] = piece;
}

/* Many streams, small blocks: memory stays bounded. */
static size_t feeds_block_records(size_t streams)
{
	size_t each = sizeof(struct spe_sample) + sizeof(uint64_t);
	size_t records = FEED_BYTES / (each * FEED_BLOCKS * (streams ? streams : 1));

	return records < FEED_BLOCK_MIN   ? FEED_BLOCK_MIN
	       : records > FEED_BLOCK_MAX ? FEED_BLOCK_MAX
					  : records;
}

int spe_feeds_new(struct spe_run *run, struct spe_feeds **made)
{
	const struct spe_recording_facts *facts = spe_recording_facts(run->recording);
	struct spe_feeds *feeds = calloc(1, sizeof(*feeds));
	int status;

	if (!feeds)
		return SPE_NOMEM;
	feeds->run = run;
	feeds->count = spe_recording_streams(run->recording);
	feeds->by_ticks = facts->has_timestamps && !facts->has_time;
	feeds->block_records = feeds_block_records(feeds->count);
	feeds->blocks = run->workers > 1 ? FEED_BLOCKS : FEED_BLOCKS_ALONE;
	feeds->first_piece = malloc((feeds->count + 1) * sizeof(*feeds->first_piece));
	feeds->floors = malloc((feeds->count + 1) * sizeof(*feeds->floors));
	feeds->feeds = calloc(feeds->count + 1, sizeof(*feeds->feeds));
	status = block_init(&feeds->spare, feeds->block_records);
	if (!status && run->workers <= 1) /* readers of one thread */
		status = spe_reader_new(run->recording, &run->reader_opts, &feeds->learnt);
	pthread_mutex_init(&feeds->lock, NULL);
	pthread_cond_init(&feeds->work, NULL);
	pthread_cond_init(&feeds->done, NULL);
	TAILQ_INIT(&feeds->wanted);
	if (!feeds->first_piece || !feeds->floors || !feeds->feeds || status) {
		spe_feeds_free(feeds);
		return SPE_NOMEM;
	}
	feeds_survey(feeds);
	*made = feeds;
	return SPE_OK;
}

void spe_feeds_free(struct spe_feeds *feeds)
{
	for (size_t i = 0; feeds->feeds && i < feeds->count; i++)
		feed_close(feeds, i);
	pthread_cond_destroy(&feeds->done);
	pthread_cond_destroy(&feeds->work);
	pthread_mutex_destroy(&feeds->lock);
	block_fini(&feeds->spare);
	spe_reader_free(feeds->learnt);
	free(feeds->feeds);
	free(feeds->floors);
	free(feeds->first_piece);
	free(feeds);
}

size_t spe_feeds_count(const struct spe_feeds *feeds)
{
	return feeds->count;
}

int spe_feeds_floor(const struct spe_feeds *feeds, size_t stream, uint64_t *key)
{
	*key = feeds->floors[stream];
	return feeds->first_piece[stream] < feeds->first_piece[stream + 1] ? SPE_OK : SPE_END;
}
