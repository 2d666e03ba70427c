/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for threads where perf would have none, or another's.
 *
 * perf learns a name from COMM, a child inherits its parent's at the FORK, and
 * since 6.5 perf forgets a thread at its EXIT, while the end of do_exit() is
 * sampled after it.  Where side-band was lost, perf goes on with the name of a
 * task whose id is used again.  What perf knows is followed here, record by
 * record as they are written; before a sample of a thread that perf would name
 * otherwise, a COMM record is written.
 */
#include "inject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of threads are below this in every Linux (PID_MAX_LIMIT). */
#define TIDS (1u << 22)

#define COMM_BYTES_MAX 256u

/* In place of a name's hash.  After EXIT some perfs have the name, some have none. */
#define NO_NAME 0u
#define EXITED 1u

static uint32_t hash_name(const char *name, size_t n)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < n && name[i]; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	return hash > EXITED ? hash : hash + 2;
}

/* What a record tells perf of names. */
static void note(uint32_t *names, const uint8_t *record, size_t bytes)
{
	uint32_t type, word[4]; /* COMM: pid tid name; FORK, EXIT: pid ppid tid ptid */

	if (bytes < 8 + sizeof(word))
		return;
	memcpy(&type, record, sizeof(type));
	memcpy(word, record + 8, sizeof(word));
	if (type == SPE_PERF_COMM && word[1] < TIDS)
		names[word[1]] = hash_name((const char *)record + 16, bytes - 16);
	else if (type == SPE_PERF_FORK && word[2] < TIDS)
		names[word[2]] = word[3] < TIDS ? names[word[3]] : NO_NAME;
	else if (type == SPE_PERF_EXIT && word[2] < TIDS)
		names[word[2]] = EXITED;
}

int inject_names_new(struct inject *inject)
{
	const struct inject_side *side = &inject->side;
	size_t comms = spe_recording_comms(inject->recording);

	/* Only the pages of ids in use are ever touched. */
	inject->names = calloc(TIDS, sizeof(*inject->names));
	inject->names_at_end = calloc(TIDS, sizeof(*inject->names_at_end));
	inject->comm_hashes = calloc(comms + 1, sizeof(*inject->comm_hashes));
	if (!inject->names || !inject->names_at_end || !inject->comm_hashes)
		return SPE_NOMEM;
	for (size_t i = 0; i < comms; i++) {
		const char *name = spe_recording_comm(inject->recording, (uint32_t)i);

		inject->comm_hashes[i] = name ? hash_name(name, SIZE_MAX) : NO_NAME;
	}
	for (size_t i = 0; i < side->records.count; i++)
		note(inject->names_at_end, side->bytes.items + side->records.items[i].at,
		     side->records.items[i].bytes);
	return SPE_OK;
}

void inject_names_free(struct inject *inject)
{
	free(inject->names);
	free(inject->names_at_end);
	free(inject->comm_hashes);
}

void inject_names_note(struct inject *inject, const uint8_t *record, size_t bytes)
{
	note(inject->names, record, bytes);
}

struct comm_record {
	struct {
		uint32_t type;
		uint16_t misc, size;
		int32_t pid, tid;
	} head;
	uint8_t rest[COMM_BYTES_MAX + 8 + INJECT_TRAILER_BYTES];
};

/* A COMM with the trailer a sample of that owner would have; no name: as perf shows that. */
static int comm_write(struct inject *inject, const struct spe_sample *sample,
		      const struct inject_owner *owner, const char *name)
{
	struct comm_record r = {
		.head = { .type = SPE_PERF_COMM, .pid = owner->pid, .tid = owner->tid }
	};
	char unknown[16];
	size_t n;

	if (!name) {
		snprintf(unknown, sizeof(unknown), ":%d", owner->tid);
		name = unknown;
	}
	n = strnlen(name, COMM_BYTES_MAX);
	memcpy(r.rest, name, n);
	n = (n + 8) & ~(size_t)7;
	n += inject_trailer_make(inject, sample, owner, r.rest + n);
	r.head.size = (uint16_t)(sizeof(r.head) + n);
	return sample->has_time ? inject_put(inject, &r, r.head.size)
				: inject_put_late(inject, &r, r.head.size);
}

static uint32_t *names_then(const struct inject *inject, const struct spe_sample *sample)
{
	return sample->has_time ? inject->names : inject->names_at_end;
}

/* The thread of the sample. */
static int thread_name(struct inject *inject, const struct spe_sample *sample,
		       const struct inject_owner *owner)
{
	uint32_t *known = &names_then(inject, sample)[owner->tid], comm = sample->comm;
	uint32_t want = comm == SPE_COMM_NONE ? NO_NAME : inject->comm_hashes[comm];

	if (*known == want)
		return SPE_OK;
	*known = want;
	return comm_write(inject, sample, owner, spe_recording_comm(inject->recording, comm));
}

/* Another thread that perf will look at for the sample: its process, by its leader. */
static int leader_name(struct inject *inject, const struct spe_sample *sample, int32_t pid)
{
	uint32_t *known = &names_then(inject, sample)[pid];
	const struct inject_owner leader = { pid, pid };
	struct spe_task task;
	const char *name = NULL;

	if (*known > EXITED)
		return SPE_OK;
	if (!spe_recording_task(inject->recording, pid, sample->has_time, sample->time_ns, &task))
		name = spe_recording_comm(inject->recording, task.comm);
	*known = hash_name(name ? name : "", SIZE_MAX);
	return name ? comm_write(inject, sample, &leader, name) : SPE_OK;
}

int inject_names_ensure(struct inject *inject, const struct spe_sample *sample,
			const struct inject_owner *owner)
{
	int status = SPE_OK;

	/* The idle task needs no name; what nobody owns, or cannot be, has none. */
	if (owner->pid > 0 && owner->pid < (int32_t)TIDS && owner->pid != sample->tid)
		status = leader_name(inject, sample, owner->pid);
	if (!status && owner->pid > 0 && owner->tid == sample->tid && owner->tid > 0 &&
	    owner->tid < (int32_t)TIDS)
		status = thread_name(inject, sample, owner);
	return status;
}
