/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory maps: collecting them, and parting them into images. */
#include "maps-private.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

int spe_maps_new(struct spe_maps **maps)
{
	*maps = calloc(1, sizeof(**maps));
	if (!*maps)
		return SPE_NOMEM;
	pthread_mutex_init(&(*maps)->lock, NULL);
	return SPE_OK;
}

void spe_maps_free(struct spe_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->images.count; i++)
		spe_index_free(atomic_load(&maps->images.items[i].index));
	free(maps->maps.items);
	free(maps->turns.items);
	free(maps->images.items);
	pthread_mutex_destroy(&maps->lock);
	free(maps);
}

int spe_maps_map(struct spe_maps *maps, const struct spe_map *map)
{
	if (map->start >= map->end)
		return SPE_OK;
	return spe_vec_push(&maps->maps, map, SPE_LIMIT_MAPS);
}

static int add_turn(struct spe_maps *maps, struct spe_turn turn)
{
	return spe_vec_push(&maps->turns, &turn, SPE_LIMIT_TASKS);
}

int spe_maps_fork(struct spe_maps *maps, uint64_t time_ns, int32_t pid, int32_t ppid)
{
	uint8_t kind = pid == ppid ? SPE_TURN_THREAD : SPE_TURN_FORK;

	if (pid < 0)
		return SPE_OK;
	return add_turn(maps, (struct spe_turn){ time_ns, pid, ppid, kind });
}

int spe_maps_exec(struct spe_maps *maps, uint64_t time_ns, int32_t pid)
{
	if (pid < 0 || !time_ns)
		return SPE_OK;
	return add_turn(maps, (struct spe_turn){ time_ns, pid, -1, SPE_TURN_EXEC });
}

int spe_maps_exit(struct spe_maps *maps, uint64_t time_ns, int32_t pid, int32_t tid)
{
	uint8_t kind = pid == tid ? SPE_TURN_EXIT_LEADER : SPE_TURN_EXIT;

	if (pid < 0 || !time_ns)
		return SPE_OK;
	return add_turn(maps, (struct spe_turn){ time_ns, pid, -1, kind });
}

/* ---- order ----------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * The last one that covers an address counts.  Of the kernel's maps of one time
 * the one that begins latest does, then the shortest: its text is said to reach
 * over modules.
 */
static int compare_maps(const void *a_, const void *b_)
{
	const struct spe_map *a = a_;
	const struct spe_map *b = b_;
	int order = (a->pid > b->pid) - (a->pid < b->pid);

	if (!order)
		order = compare_numbers(a->time_ns, b->time_ns);
	if (!order && a->pid == SPE_MAPS_KERNEL)
		order = a->start != b->start ? compare_numbers(a->start, b->start)
					     : compare_numbers(b->end, a->end);
	return order ? order : compare_numbers(a->sequence, b->sequence);
}

static int compare_turns(const void *a_, const void *b_)
{
	const struct spe_turn *a = a_;
	const struct spe_turn *b = b_;
	int order = (a->pid > b->pid) - (a->pid < b->pid);

	if (!order)
		order = compare_numbers(a->time_ns, b->time_ns);
	if (!order)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	return order ? order : (a->ppid > b->ppid) - (a->ppid < b->ppid);
}

/* ---- images ---------------------------------------------------------------- */

/* One process in the making. */
struct process {
	struct spe_maps *maps;
	int32_t pid;
	uint64_t threads; /* besides the leader, as far as is known */
	uint64_t exits;
	bool leader_gone;
	bool ended;
	size_t map; /* the next map */
};

static int add_image(struct process *process, const struct spe_image *like)
{
	struct spe_image image = *like;

	image.pid = process->pid;
	image.first = process->map;
	process->ended = image.ended;
	return spe_vec_push(&process->maps->images, &image, SPE_LIMIT_TASKS);
}

/* The id is free once all threads we know of have gone. */
static int take_exit(struct process *process, const struct spe_turn *turn)
{
	struct spe_image image = { .ended = true };

	if (turn->kind == SPE_TURN_EXIT_LEADER)
		process->leader_gone = true;
	else
		process->exits++;
	if (!process->leader_gone || process->exits < process->threads || process->ended ||
	    turn->time_ns == UINT64_MAX)
		return SPE_OK;
	image.from_ns = turn->time_ns + 1;
	return add_image(process, &image);
}

static int take_turn(struct process *process, const struct spe_turn *turn)
{
	struct spe_image image = { .from_ns = turn->time_ns, .ppid = turn->ppid };

	if (turn->kind == SPE_TURN_THREAD) {
		process->threads++;
		return SPE_OK;
	}
	if (turn->kind >= SPE_TURN_EXIT)
		return take_exit(process, turn);
	process->threads = process->exits = 0;
	process->leader_gone = false;
	image.forked = turn->kind == SPE_TURN_FORK;
	return add_image(process, &image);
}

/* Maps of an image that has none of its own yet, or of an id whose new owner nobody announced. */
static int take_map(struct process *process, uint64_t time_ns)
{
	struct spe_maps *maps = process->maps;
	struct spe_image image = { .from_ns = time_ns };
	int status = process->ended ? add_image(process, &image) : SPE_OK;

	if (!status) {
		maps->images.items[maps->images.count - 1].count++;
		process->map++;
	}
	return status;
}

/* All of one process; *turn is the next turn. */
static int build_process(struct process *process, size_t *turn)
{
	const struct spe_maps *maps = process->maps;
	const struct spe_image first = { .from_ns = 0 };
	int status = add_image(process, &first);

	while (!status) {
		const struct spe_map *m = spe_maps_at(maps, process->map);
		const struct spe_turn *t =
			*turn < maps->turns.count ? &maps->turns.items[*turn] : NULL;

		if (m && m->pid != process->pid)
			m = NULL;
		if (t && t->pid != process->pid)
			t = NULL;
		if (!m && !t)
			break;
		if (t && (!m || t->time_ns <= m->time_ns)) {
			status = take_turn(process, t);
			(*turn)++;
		} else {
			status = take_map(process, m->time_ns);
		}
	}
	return status;
}

static int build_images(struct spe_maps *maps)
{
	size_t map = 0;
	size_t turn = 0;
	int status = SPE_OK;

	while (!status && (map < maps->maps.count || turn < maps->turns.count)) {
		struct process process = { .maps = maps, .map = map, .pid = INT32_MAX };

		if (map < maps->maps.count)
			process.pid = maps->maps.items[map].pid;
		if (turn < maps->turns.count && maps->turns.items[turn].pid < process.pid)
			process.pid = maps->turns.items[turn].pid;
		status = build_process(&process, &turn);
		map = process.map;
	}
	return status;
}

int spe_maps_freeze(struct spe_maps *maps)
{
	if (maps->maps.count)
		qsort(maps->maps.items, maps->maps.count, sizeof(*maps->maps.items), compare_maps);
	if (maps->turns.count)
		qsort(maps->turns.items, maps->turns.count, sizeof(*maps->turns.items),
		      compare_turns);
	return build_images(maps);
}

const struct spe_map *spe_maps_at(const struct spe_maps *maps, size_t i)
{
	return i < maps->maps.count ? &maps->maps.items[i] : NULL;
}
