/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory maps: what lies at an address at a time. */
#include "maps-private.h"

#include <perf-arm-spe/limits.h>

static struct spe_span map_span(const void *arg, size_t i)
{
	const struct spe_map *maps = arg;

	return (struct spe_span){ maps[i].start, maps[i].end };
}

static const struct spe_map *image_maps(const struct spe_maps *maps, const struct spe_image *image)
{
	return maps->maps.items ? maps->maps.items + image->first : NULL;
}

/* The index of an image, made if it is the first time. SPE_OK, SPE_NOMEM. */
static int image_index(struct spe_maps *maps, struct spe_image *image, struct spe_index **index)
{
	int status = SPE_OK;

	*index = atomic_load_explicit(&image->index, memory_order_acquire);
	if (*index)
		return SPE_OK;
	pthread_mutex_lock(&maps->lock);
	*index = atomic_load_explicit(&image->index, memory_order_acquire);
	if (!*index) {
		status = spe_index_new(map_span, image_maps(maps, image), image->count, index);
		if (!status)
			atomic_store_explicit(&image->index, *index, memory_order_release);
	}
	pthread_mutex_unlock(&maps->lock);
	return status;
}

/* How many images come before (pid, time], that is: the number of the next one. */
static size_t images_before(const struct spe_maps *maps, int32_t pid, uint64_t time_ns)
{
	size_t low = 0;
	size_t high = maps->images.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct spe_image *image = &maps->images.items[mid];

		if (image->pid < pid || (image->pid == pid && image->from_ns <= time_ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many maps of an image there are up to a time. */
static size_t maps_until(const struct spe_map *maps, size_t count, uint64_t time_ns)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (maps[mid].time_ns <= time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void narrow(struct spe_place *place, uint64_t lo, uint64_t hi)
{
	if (lo > place->lo)
		place->lo = lo;
	if (hi < place->hi)
		place->hi = hi;
}

static void narrow_time(struct spe_place *place, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns > place->from_ns)
		place->from_ns = from_ns;
	if (to_ns < place->to_ns)
		place->to_ns = to_ns;
}

/* Look into one image.  own: its times bound those of the answer. */
static int look(struct spe_maps *maps, struct spe_image *image, uint64_t time_ns, uint64_t address,
		bool own, struct spe_place *place)
{
	const struct spe_map *items = image_maps(maps, image);
	struct spe_index_answer answer;
	struct spe_index *index;
	int status = image_index(maps, image, &index);

	if (status)
		return status;
	answer = spe_index_find(index, address, maps_until(items, image->count, time_ns));
	narrow(place, answer.lo, answer.hi);
	if (own && answer.next != SPE_INDEX_NONE)
		narrow_time(place, 0, items[answer.next].time_ns);
	if (answer.last == SPE_INDEX_NONE)
		return SPE_OK;
	place->map = &items[answer.last];
	if (own)
		narrow_time(place, place->map->time_ns, UINT64_MAX);
	return SPE_OK;
}

/* The image of a process at a time, NULL when there is none; *to_ns: until when. */
static struct spe_image *image_at(const struct spe_maps *maps, int32_t pid, uint64_t time_ns,
				  uint64_t *to_ns)
{
	size_t next = images_before(maps, pid, time_ns);
	struct spe_image *image = next ? &maps->images.items[next - 1] : NULL;

	*to_ns = UINT64_MAX;
	if (next < maps->images.count && maps->images.items[next].pid == pid)
		*to_ns = maps->images.items[next].from_ns;
	return image && image->pid == pid ? image : NULL;
}

/* What is not mapped in a forked image is what the parent had there when it forked. */
static int find_at(struct spe_maps *maps, int32_t pid, uint64_t time_ns, uint64_t address,
		   struct spe_place *place)
{
	for (unsigned depth = 0; depth < SPE_LIMIT_FORK_DEPTH; depth++) {
		uint64_t to_ns;
		struct spe_image *image = image_at(maps, pid, time_ns, &to_ns);
		int status;

		if (!depth)
			narrow_time(place, image ? image->from_ns : 0, to_ns);
		if (!image)
			return SPE_OK;
		status = look(maps, image, time_ns, address, depth == 0, place);
		if (status || place->map || !image->forked)
			return status;
		pid = image->ppid;
		time_ns = image->from_ns;
	}
	return SPE_OK;
}

/* ---- the code below ------------------------------------------------------------ */

/* A file's parts are no further apart. */
#define FILE_SPAN_MAX (1ull << 32)

struct below {
	struct spe_maps *maps;
	int32_t pid;
	uint64_t time_ns, address;
	struct spe_place *place;
	const struct spe_map *best;
	size_t looks;
};

/* Is it nearer than what was found so far, and still mapped? */
static int take_below(struct below *below, const struct spe_map *map)
{
	struct spe_place there = { .hi = UINT64_MAX, .to_ns = UINT64_MAX };
	int status;

	if (!map->exec || !map->file)
		return SPE_OK;
	if (map->start > below->address) {
		narrow(below->place, 0, map->start);
		return SPE_OK;
	}
	if (below->address - map->start > FILE_SPAN_MAX ||
	    (below->best && map->start <= below->best->start))
		return SPE_OK;
	status = find_at(below->maps, below->pid, below->time_ns, map->start, &there);
	if (!status && there.map == map)
		below->best = map;
	return status;
}

/* All maps of an image up to a time; of the asked process's own, the answer holds until the next.
 */
static int look_below(struct below *below, const struct spe_image *image, uint64_t time_ns,
		      bool own)
{
	const struct spe_map *items = image_maps(below->maps, image);
	size_t until = maps_until(items, image->count, time_ns);
	int status = SPE_OK;

	if (own && until)
		narrow_time(below->place, items[until - 1].time_ns, UINT64_MAX);
	if (own && until < image->count)
		narrow_time(below->place, 0, items[until].time_ns);
	for (size_t i = until; i-- && !status && below->looks++ < SPE_LIMIT_MAP_LOOKS;)
		status = take_below(below, &items[i]);
	return status;
}

int spe_maps_code_below(struct spe_maps *maps, int32_t pid, uint64_t time_ns, uint64_t address,
			struct spe_place *place, const struct spe_map **map)
{
	struct below below = { maps, pid, time_ns, address, place, NULL, 0 };
	int status = SPE_OK;

	for (unsigned depth = 0; depth < SPE_LIMIT_FORK_DEPTH && !status; depth++) {
		uint64_t to_ns;
		const struct spe_image *image = image_at(maps, pid, time_ns, &to_ns);

		if (!image)
			break;
		status = look_below(&below, image, time_ns, depth == 0);
		if (!image->forked)
			break;
		pid = image->ppid;
		time_ns = image->from_ns;
	}
	*map = below.best;
	if (below.best)
		narrow(place, below.best->start, UINT64_MAX);
	return status;
}

/* ---- without a time ---------------------------------------------------------- */

struct agreement {
	const struct spe_map *maps; /* of the image that is looked into */
	const struct spe_map *map;  /* what all so far agree on */
	size_t looks;
	bool differ; /* or there are too many to say */
};

static bool same_file(const struct spe_map *a, const struct spe_map *b)
{
	return a->dso == b->dso && a->pgoff - a->start == b->pgoff - b->start;
}

static void look_once(struct agreement *agreement)
{
	if (agreement->looks++ >= SPE_LIMIT_MAP_LOOKS)
		agreement->differ = true;
}

static bool agree(struct agreement *agreement, const struct spe_map *map)
{
	look_once(agreement);
	if (!agreement->map)
		agreement->map = map;
	else if (!same_file(agreement->map, map))
		agreement->differ = true;
	return !agreement->differ;
}

static bool visit_map(void *arg, size_t i)
{
	struct agreement *agreement = arg;

	return agree(agreement, &agreement->maps[i]);
}

static int agree_image(struct spe_maps *maps, struct spe_image *image, uint64_t address,
		       struct agreement *agreement, struct spe_place *place)
{
	const struct spe_map *before = agreement->map;
	struct spe_place parent = { .hi = UINT64_MAX, .to_ns = UINT64_MAX };
	struct spe_index_answer answer;
	struct spe_index *index;
	int status = image_index(maps, image, &index);

	if (status)
		return status;
	answer = spe_index_find(index, address, 0);
	narrow(place, answer.lo, answer.hi);
	agreement->maps = image_maps(maps, image);
	agreement->map = NULL;
	spe_index_visit(index, address, visit_map, agreement);
	if (!agreement->map && image->forked) {
		status = find_at(maps, image->ppid, image->from_ns, address, &parent);
		narrow(place, parent.lo, parent.hi);
		agreement->map = parent.map;
	}
	if (!agreement->map)
		agreement->map = before;
	else if (before)
		agree(agreement, before);
	return status;
}

static int find_always(struct spe_maps *maps, int32_t pid, uint64_t address,
		       struct spe_place *place)
{
	struct agreement agreement = { .map = NULL };
	size_t i = images_before(maps, pid, UINT64_MAX);
	int status = SPE_OK;

	while (!status && i-- && maps->images.items[i].pid == pid && !agreement.differ) {
		status = agree_image(maps, &maps->images.items[i], address, &agreement, place);
		look_once(&agreement);
	}
	place->map = agreement.differ ? NULL : agreement.map;
	return status;
}

int spe_maps_find(struct spe_maps *maps, int32_t pid, bool has_time, uint64_t time_ns,
		  uint64_t address, struct spe_place *place)
{
	int status;

	*place = (struct spe_place){ .hi = UINT64_MAX, .to_ns = UINT64_MAX };
	status = has_time ? find_at(maps, pid, time_ns, address, place)
			  : find_always(maps, pid, address, place);
	if (place->map && place->map->dso == UINT32_MAX)
		place->map = NULL;
	return status;
}
