/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an AUXTRACE record says of itself, its size and whose buffer it is, is
 * held against what other records say: a file that is damaged there must not
 * make one CPU's trace another's.
 */
#include "collect.h"
#include "../base/order.h"
#include "../perfdata/mend.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

/* perf rounds sizes up to words. */
#define WORD_BYTES 8u

/* ---- sizes ---------------------------------------------------------------------- */

static int range_order(const void *a, const void *b)
{
	const struct spe_aux_range *x = a, *y = b;

	SPE_ORDER(x->offset, y->offset);
	return 0;
}

static int chunk_in_file(const void *a, const void *b)
{
	const struct spe_chunk *x = a, *y = b;

	SPE_ORDER(x->sequence, y->sequence);
	return 0;
}

/* Where the AUX records that cover a position, in order, leave off; the position: none does. */
static uint64_t covered_to(const struct spe_stream *stream, uint64_t position)
{
	const struct spe_aux_range *ranges = stream->ranges.items;
	size_t low = 0, high = stream->ranges.count;

	while (low < high) { /* first that begins after the position */
		size_t mid = low + (high - low) / 2;

		if (ranges[mid].offset > position)
			high = mid;
		else
			low = mid + 1;
	}
	for (low = low ? low - 1 : 0; low < stream->ranges.count; low++) {
		if (ranges[low].offset > position)
			break;
		if (ranges[low].offset + ranges[low].size > position)
			position = ranges[low].offset + ranges[low].size;
	}
	return position;
}

/* Should the data of a chunk end at this position?  It does if a record begins there. */
static int try_end(struct spe_collect *collect, const struct spe_chunk *chunk, uint64_t end)
{
	uint64_t bytes = end - chunk->position;
	int status;

	if (end <= chunk->position || bytes >= chunk->bytes || chunk->bytes - bytes < WORD_BYTES)
		return SPE_NOT_FOUND;
	bytes = (bytes + WORD_BYTES - 1) & ~(uint64_t)(WORD_BYTES - 1);
	status = spe_perfdata_mend(collect->recording->pd, chunk->file_index, chunk->file_offset,
				   bytes);
	if (!status)
		collect->again = true;
	return status;
}

static int check_sizes(struct spe_collect *collect, struct spe_stream *stream)
{
	size_t n = stream->chunks.count;

	for (size_t i = 0; i < stream->ranges.count; i++)
		if (stream->ranges.items[i].flags & SPE_AUX_OVERWRITE)
			return SPE_OK; /* snapshots: offsets are no places in the stream */
	if (stream->ranges.count)
		qsort(stream->ranges.items, stream->ranges.count, sizeof(*stream->ranges.items),
		      range_order);
	if (n)
		qsort(stream->chunks.items, n, sizeof(*stream->chunks.items), chunk_in_file);
	for (size_t i = 0; i < n; i++) {
		const struct spe_chunk *chunk = &stream->chunks.items[i];
		int status = try_end(collect, chunk, covered_to(stream, chunk->position));

		if (status == SPE_NOT_FOUND && i + 1 < n)
			status = try_end(collect, chunk, chunk[1].position);
		if (status == SPE_LIMIT)
			stream->wrong_size = true;
		else if (status && status != SPE_NOT_FOUND)
			return status;
	}
	return SPE_OK;
}

/* ---- whose buffer ------------------------------------------------------------------- */

static int by_idx(const void *a, const void *b)
{
	const struct spe_stream *x = *(struct spe_stream *const *)a;
	const struct spe_stream *y = *(struct spe_stream *const *)b;

	SPE_ORDER(x->info.idx, y->info.idx);
	return 0;
}

/* Without ID_INDEX, buffers that have their number or their CPU in common cannot both be right. */
static int doubt_doubles(struct spe_recording *recording)
{
	size_t n = recording->stream_count;
	struct spe_stream **sorted;

	if (!n)
		return SPE_OK;
	for (size_t i = 1; i < n; i++) {
		struct spe_stream *a = recording->streams[i - 1], *b = recording->streams[i];

		if (a->info.cpu >= 0 && a->info.cpu == b->info.cpu)
			a->doubtful = b->doubtful = true;
	}
	sorted = malloc(n * sizeof(struct spe_stream *));
	if (!sorted)
		return SPE_NOMEM;
	memcpy(sorted, recording->streams, n * sizeof(struct spe_stream *));
	qsort(sorted, n, sizeof(struct spe_stream *), by_idx);
	for (size_t i = 1; i < n; i++)
		if (sorted[i]->info.idx == sorted[i - 1]->info.idx)
			sorted[i]->doubtful = sorted[i - 1]->doubtful = true;
	free(sorted);
	return SPE_OK;
}

/* ID_INDEX says which buffer is whose. */
static void doubt_unlisted(struct spe_collect *collect)
{
	struct spe_recording *recording = collect->recording;

	for (size_t i = 0; i < recording->stream_count; i++)
		recording->streams[i]->doubtful = true;
	for (size_t i = 0; i < collect->ids.count; i++) {
		const struct spe_id_entry *entry = &collect->ids.items[i];
		struct spe_stream *stream = spe_collect_find(
			recording, entry->cpu < 0 ? -1 : entry->cpu, entry->tid, entry->idx);

		if (stream)
			stream->doubtful = false;
	}
}

static void tell_doubt(struct spe_recording *recording)
{
	for (size_t i = 0; i < recording->stream_count; i++) {
		struct spe_stream *stream = recording->streams[i];
		const struct spe_stream_info *info = &stream->info;

		stream->doubtful |= stream->wrong_size;
		if (!stream->doubtful || recording->facts.partial)
			continue;
		recording->facts.partial = true;
		snprintf(recording->partial_reason, sizeof(recording->partial_reason),
			 "%.160s: the file is damaged: trace that says it is of %s %d comes from "
			 "another buffer than that one's: only its contexts are believed",
			 spe_perfdata_info(recording->pd)->path, info->cpu < 0 ? "thread" : "CPU",
			 info->cpu < 0 ? info->tid : info->cpu);
	}
}

static void tell_damage(struct spe_recording *recording, const struct spe_perfdata_info *info)
{
	char *reason = recording->partial_reason;
	size_t room = sizeof(recording->partial_reason);

	if (info->sizes_mended) /* what was taken for trace may have been more than what was found
				 */
		recording->broken_off = true;
	if (recording->facts.partial || (!info->sizes_mended && !info->sections_left_out))
		return;
	recording->facts.partial = true;
	if (info->sizes_mended)
		snprintf(reason, room,
			 "%.160s: the file is damaged: trace of a wrong size, %llu in all, was "
			 "taken "
			 "to end where other records begin",
			 info->path, (unsigned long long)info->sizes_mended);
	else
		snprintf(
			reason, room,
			"%.160s: the file is cut or damaged: all records are there, but not all "
			"that its header should tell: copy the file again or do with what is there",
			info->path);
}

static void tell_impossible(struct spe_recording *recording, uint64_t count)
{
	if (recording->facts.partial || !count)
		return;
	recording->facts.partial = true;
	snprintf(recording->partial_reason, sizeof(recording->partial_reason),
		 "%.160s: the file is damaged: ids no kernel has in %llu of its records of tasks, "
		 "which were skipped",
		 spe_perfdata_info(recording->pd)->path, (unsigned long long)count);
}

int spe_collect_vouch(struct spe_collect *collect)
{
	struct spe_recording *recording = collect->recording;
	const struct spe_perfdata_info *info = spe_perfdata_info(recording->pd);
	int status = SPE_OK;

	for (size_t i = 0; i < recording->stream_count && !status; i++)
		status = check_sizes(collect, recording->streams[i]);
	if (status || collect->again)
		return status;
	tell_damage(recording, info);
	tell_impossible(recording, collect->impossible);
	if (collect->ids.count)
		doubt_unlisted(collect);
	else
		status = doubt_doubles(recording);
	tell_doubt(recording);
	return status;
}
