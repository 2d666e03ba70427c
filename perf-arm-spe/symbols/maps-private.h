/* SPDX-License-Identifier: GPL-2.0-only */
/* What maps.c, which builds, and maps-find.c, which asks, share. */
#ifndef SPE_SYMBOLS_MAPS_PRIVATE_H
#define SPE_SYMBOLS_MAPS_PRIVATE_H

#include "index.h"
#include "maps.h"

#include "../base/vec.h"

#include <pthread.h>
#include <stdatomic.h>

/* What makes or ends an image; in the order in which they count at the same time. */
enum spe_turn_kind {
	SPE_TURN_FORK,
	SPE_TURN_THREAD, /* a thread more */
	SPE_TURN_EXEC,
	SPE_TURN_EXIT,
	SPE_TURN_EXIT_LEADER,
};

struct spe_turn {
	uint64_t time_ns;
	int32_t pid;
	int32_t ppid; /* of a fork */
	uint8_t kind; /* enum spe_turn_kind */
};

struct spe_image {
	uint64_t from_ns;
	int32_t pid;
	int32_t ppid; /* with forked */
	bool forked;  /* what is not mapped here is the parent's, as it was at from_ns */
	bool ended;   /* nobody runs under this id */
	size_t first; /* maps of this image, in order of time */
	size_t count;
	_Atomic(struct spe_index *) index; /* made when first asked for */
};

struct spe_maps {
	SPE_VEC(struct spe_map) maps;     /* in order of (pid, time, start or sequence) */
	SPE_VEC(struct spe_turn) turns;   /* in order of (pid, time, kind) */
	SPE_VEC(struct spe_image) images; /* in order of (pid, time) */
	pthread_mutex_t lock;             /* around the making of an index */
};

#endif
