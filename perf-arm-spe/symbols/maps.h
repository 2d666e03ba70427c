/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory maps per process and time.  A process is a row of images: the first
 * one, one a fork (which sees what its parent had mapped then), one an exec
 * (which sees nothing of before).  The kernel is the process SPE_MAPS_KERNEL.
 */
#ifndef SPE_SYMBOLS_MAPS_H
#define SPE_SYMBOLS_MAPS_H

#include <perf-arm-spe/base.h>

#define SPE_MAPS_KERNEL (-1)

struct spe_map {
	uint64_t start, end; /* start < end */
	uint64_t pgoff;
	uint64_t time_ns; /* 0: from before the recording, or not known */
	uint64_t sequence;
	int32_t pid;
	uint32_t dso; /* SPE_DSO_NONE: from here on nothing is mapped there */
	bool exec;
	bool file; /* of an ELF file */
};

struct spe_maps;

/* What lies at an address of a process. */
struct spe_place {
	const struct spe_map *map; /* NULL: nothing known */
	/* The answer is the same for all addresses of [lo, hi) and times of [from, to). */
	uint64_t lo, hi, from_ns, to_ns;
};

/* SPE_OK, SPE_NOMEM. */
int spe_maps_new(struct spe_maps **maps);
void spe_maps_free(struct spe_maps *maps);

/* Each: SPE_OK, SPE_NOMEM, SPE_LIMIT.  Exec and exit count only with a time. */
int spe_maps_map(struct spe_maps *maps, const struct spe_map *map);
int spe_maps_fork(struct spe_maps *maps, uint64_t time_ns, int32_t pid, int32_t ppid);
int spe_maps_exec(struct spe_maps *maps, uint64_t time_ns, int32_t pid);
int spe_maps_exit(struct spe_maps *maps, uint64_t time_ns, int32_t pid, int32_t tid);

/* Sort; nothing is added afterwards. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_maps_freeze(struct spe_maps *maps);

/* Look an address up; thread-safe. Without has_time: what all times agree on. SPE_OK, SPE_NOMEM. */
int spe_maps_find(struct spe_maps *maps, int32_t pid, bool has_time, uint64_t time_ns,
		  uint64_t address, struct spe_place *place);

/*
 * The nearest mapping of a file's code that begins below an address of a process.
 * *place is narrowed to where that is the answer.  SPE_OK (*map NULL: there is none), SPE_NOMEM.
 */
int spe_maps_code_below(struct spe_maps *maps, int32_t pid, uint64_t time_ns, uint64_t address,
			struct spe_place *place, const struct spe_map **map);

/* Map i in the frozen order, NULL after the last. */
const struct spe_map *spe_maps_at(const struct spe_maps *maps, size_t i);

#endif
