/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject: what was written reads back without damage, with the samples that
 * the sinks see: same CPU, time, process, thread and address, each once.
 */
#include <string.h>
#include <sys/stat.h>

#include "in-memory.h"
#include "outputs.h"

struct row {
	uint64_t time_ns, ip;
	uint32_t cpu;
	int32_t pid, tid;
	uint32_t zero; /* rows are compared as bytes: no padding */
};

struct rows {
	struct row *at;
	size_t n, room;
	const struct spe_recording *recording;
	int64_t clock_offset_ns;
};

static void row_add(struct rows *rows, const struct row *row)
{
	if (rows->n == rows->room) {
		rows->room = 2 * rows->room + 64;
		rows->at = realloc(rows->at, rows->room * sizeof(*rows->at));
		PROPERTY(rows->at);
	}
	rows->at[rows->n++] = *row;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct row));
}

/* A thread that is known without its process is not named if a task carries its id. */
static int on_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	struct rows *rows = sink;

	(void)partial;
	for (size_t i = 0; i < count; i++) {
		const struct spe_sample *s = &samples[i];
		struct row row = {
			.ip = s->record.pc, .cpu = (uint32_t)s->cpu, .pid = s->pid, .tid = s->tid
		};

		if (s->has_time)
			row.time_ns = s->time_ns + (uint64_t)rows->clock_offset_ns;
		if (s->pid < 0 && s->tid >= 0 && spe_recording_knows_tid(rows->recording, s->tid))
			row.tid = -1;
		row_add(rows, &row);
	}
	return SPE_OK;
}

/* The event of the synthesized samples is the last. */
static void read_back(const char *path, struct rows *rows)
{
	struct spe_perfdata *pd = NULL;
	struct spe_perf_event e;
	struct spe_error error = { 0 };
	int status;

	PROPERTY(spe_perfdata_open(path, NULL, &pd, &error) == SPE_OK);
	while ((status = spe_perfdata_next(pd, &e, &error)) == SPE_OK) {
		struct row row = { .ip = 0 };

		PROPERTY(e.type != SPE_PERF_AUXTRACE && e.type != SPE_PERF_AUX);
		if (e.type != SPE_PERF_SAMPLE ||
		    e.attr_index != (int32_t)spe_perfdata_attr_count(pd) - 1)
			continue;
		row.ip = e.u.sample.ip;
		row.pid = e.id.pid;
		row.tid = e.id.tid;
		row.time_ns = e.id.present & SPE_SAMPLE_TIME ? e.id.time_ns : 0;
		row.cpu = e.id.present & SPE_SAMPLE_CPU ? e.id.cpu : UINT32_MAX;
		row_add(rows, &row);
	}
	PROPERTY(status == SPE_END);
	spe_perfdata_close(pd);
}

/* A CPU that the recording's samples do not carry is not written. */
static void forget_cpus(struct rows *a, const struct rows *b)
{
	bool any = false;

	for (size_t i = 0; i < b->n; i++)
		any |= b->at[i].cpu != UINT32_MAX;
	for (size_t i = 0; !any && i < a->n; i++)
		a->at[i].cpu = UINT32_MAX;
}

static const char *output_path(void)
{
	static char path[256];

	if (!path[0]) {
		const char *folder = getenv("TMPDIR");

		snprintf(path, sizeof(path), "%s/spe-fuzz-inject.%ld",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm"
			 : folder                      ? folder
						       : "/tmp",
			 (long)getpid());
	}
	return path;
}

static void check_inject(const struct spe_recording *r, struct rows *truth, struct rows *written)
{
	static const struct spe_sink_ops ops = { .name = "rows",
						 .batch = on_batch,
						 .ordered = true };
	const struct spe_recording_facts *facts = spe_recording_facts(r);
	struct spe_inject_opts opts = { .size = sizeof(opts), .itrace = "i1i", .threads = 1 };
	struct way way = { .threads = 1 };
	struct spe_error error = { 0 };
	struct stat st;
	int status = spe_inject(r, output_path(), &opts, NULL, &error);

	if (status) {
		check_error(status, &error);
		PROPERTY(stat(output_path(), &st) != 0);
		return;
	}
	PROPERTY(stat(output_path(), &st) == 0 && (st.st_mode & 0777) == 0600);
	*truth = (struct rows){ .at = truth->at, .room = truth->room, .recording = r };
	if (facts->other_clock && facts->clock_offset_known)
		truth->clock_offset_ns = facts->clock_offset_ns;
	run_sink(r, &way, &ops, truth);
	written->n = 0;
	read_back(output_path(), written);
	PROPERTY(unlink(output_path()) == 0);
	forget_cpus(truth, written);
	PROPERTY(truth->n == written->n);
	if (!truth->n)
		return;
	qsort(truth->at, truth->n, sizeof(*truth->at), by_bytes);
	qsort(written->at, written->n, sizeof(*written->at), by_bytes);
	PROPERTY(memcmp(truth->at, written->at, truth->n * sizeof(*truth->at)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rows truth, written;
	struct spe_recording_opts opts = { .size = sizeof(opts), .threads = 1 };
	struct spe_recording *r = NULL;
	struct spe_error error = { 0 };

	if (spe_recording_open(in_memory(data, size), &opts, &r, &error))
		return 0;
	check_inject(r, &truth, &written);
	spe_recording_close(r);
	return 0;
}
