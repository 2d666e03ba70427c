/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the task timeline is kept.  While records come in: facts (what a record
 * was written to say) and sightings (what it shows by the way).  Frozen: for
 * each thread id its lives, in order of time, and for each life its names.
 */
#ifndef SPE_ATTRIBUTION_TASKS_PRIVATE_H
#define SPE_ATTRIBUTION_TASKS_PRIVATE_H

#include "tasks.h"
#include "../base/strings.h"
#include "holes.h"
#include "sightings.h"

#define SPE_NEVER UINT64_MAX

enum spe_fact_kind {
	SPE_FACT_FORK, /* arg: thread id of the parent */
	SPE_FACT_COMM, /* arg: name */
	SPE_FACT_EXEC, /* arg: name */
	SPE_FACT_EXIT,
	SPE_FACT_LISTED, /* in a thread map; arg: name */
};

struct spe_fact {
	uint64_t time_ns; /* 0: before the recording */
	uint64_t sequence;
	int32_t tid; /* > 0 */
	int32_t pid; /* > 0, or -1 */
	uint32_t arg;
	uint8_t kind; /* enum spe_fact_kind */
	bool untimed; /* the record had no time at all */
};

enum spe_life_flag {
	SPE_LIFE_FORKED = 1,  /* its start is known */
	SPE_LIFE_INHERIT = 2, /* .comm is the parent's thread id: not looked up yet */
	SPE_LIFE_EXITED = 4,
	SPE_LIFE_UNSURE = 8, /* not a life: a span in which one of two may have lived */
};

/* One task that had a thread id. */
struct spe_life {
	uint64_t from_ns;    /* answers begin here (0 for the first of an id) */
	uint64_t start_ns;   /* FORK, or first sight */
	uint64_t end_ns;     /* EXIT, or last sight */
	uint64_t alias_ns;   /* from here on the id means the process's leader; SPE_NEVER */
	uint64_t gone_ns;    /* from here on it may long be somebody else; SPE_NEVER */
	int32_t pid;         /* -1 when not known */
	uint32_t comm;       /* name at first, SPE_COMM_NONE when not known */
	uint32_t name_first; /* its names: up to the next life's */
	uint32_t flags;      /* enum spe_life_flag */
};

#define SPE_NAME_EXEC 0x80000000u

struct spe_name {
	uint64_t time_ns;
	uint32_t comm; /* | SPE_NAME_EXEC */
};

/* A slot of the index by thread id; tid 0: empty. */
struct spe_tid {
	int32_t tid;
	uint32_t first, count; /* its lives */
	int32_t pid;           /* what all lives agree on, -1 */
	uint32_t comm;         /* SPE_COMM_NONE */
};

struct spe_exec {
	int32_t pid;
	uint64_t time_ns;
};

struct spe_tasks {
	struct spe_strings *names_text;
	/* while records come in */
	SPE_VEC(struct spe_fact) facts;
	struct spe_sightings sightings;
	struct spe_holes holes;
	bool cut; /* records break off */
	/* frozen */
	SPE_VEC(struct spe_life) lives;
	SPE_VEC(struct spe_name) names;
	SPE_VEC(struct spe_exec) execs; /* by pid, time */
	struct spe_tid *index;
	size_t index_mask;
	size_t tids;
};

/* The slot of a thread id, or NULL. */
const struct spe_tid *spe_tasks_slot(const struct spe_tasks *tasks, int32_t tid);
/* The life of an id at a time: number of it; slot is not NULL. */
uint32_t spe_tasks_life(const struct spe_tasks *tasks, const struct spe_tid *slot,
			uint64_t time_ns);
/* Name of a life at a time and where that holds (the span is narrowed); SPE_COMM_NONE. */
uint32_t spe_tasks_life_comm(const struct spe_tasks *tasks, uint32_t life, uint64_t time_ns,
			     uint64_t *from_ns, uint64_t *to_ns);
/* Name of the process at a time, by its leader; whatever was lost. The span is narrowed. */
uint32_t spe_tasks_leader_comm(const struct spe_tasks *tasks, int32_t pid, uint64_t time_ns,
			       uint64_t *from_ns, uint64_t *to_ns);

/* Facts and sightings to lives, in tasks-lives.c. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_tasks_build_lives(struct spe_tasks *tasks);
/* Index by thread id, inherited names and execs, in tasks-freeze.c. SPE_OK or SPE_NOMEM. */
int spe_tasks_index_add(struct spe_tasks *tasks, int32_t tid, uint32_t first, uint32_t count);

#endif
