/* SPDX-License-Identifier: GPL-2.0-only */
/* From records to maps and dsos. */
#include "symbols.h"

#include "../base/cursor.h"
#include "../base/opts.h"

#include <perf-arm-spe/limits.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNEL_NAME "[kernel.kallsyms]"
/* Where an address of the kernel cannot be below, on any 64-bit machine. */
#define KERNEL_HALF (1ull << 63)

/* ---- life ---------------------------------------------------------------------------- */

static char *copy_of(const char *text, int *status)
{
	char *copy = text ? spe_copy_text(text) : NULL;

	if (text && !copy)
		*status = SPE_NOMEM;
	return copy;
}

static char *default_cache(int *status)
{
	const char *named = getenv("PERF_BUILDID_DIR");
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	if (named && *named)
		return copy_of(named, status);
	if (!home || strlen(home) > sizeof(path) - sizeof("/.debug"))
		return NULL;
	snprintf(path, sizeof(path), "%s/.debug", home);
	return copy_of(path, status);
}

static int take_opts(struct spe_symbols *symbols, const struct spe_symbols_opts *opts)
{
	int status = SPE_OK;

	symbols->listener = opts->listener;
	symbols->mangled = opts->mangled;
	symbols->symfs = copy_of(opts->symfs && *opts->symfs ? opts->symfs : NULL, &status);
	symbols->vmlinux = copy_of(opts->vmlinux, &status);
	symbols->kallsyms = copy_of(opts->kallsyms, &status);
	symbols->buildid_dir =
		opts->buildid_dir ? copy_of(opts->buildid_dir, &status) : default_cache(&status);
	return status;
}

int spe_symbols_new(const struct spe_symbols_opts *opts, struct spe_symbols **made)
{
	struct spe_symbols_opts taken;
	struct spe_symbols *symbols;
	int status;

	if (spe_opts_take(&taken, opts))
		return SPE_INVALID;
	symbols = calloc(1, sizeof(*symbols));
	if (!symbols)
		return SPE_NOMEM;
	pthread_mutex_init(&symbols->lock, NULL);
	status = take_opts(symbols, &taken);
	if (!status)
		status = spe_maps_new(&symbols->maps);
	if (!status)
		status = spe_dsos_init(&symbols->dsos);
	if (status) {
		spe_symbols_free(symbols);
		return status;
	}
	*made = symbols;
	return SPE_OK;
}

void spe_symbols_free(struct spe_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->ids.count; i++)
		free(symbols->ids.items[i].path);
	free(symbols->ids.items);
	for (size_t i = 0; i < symbols->dsos.items.count; i++)
		spe_lines_free(symbols->dsos.items.items[i]->lines);
	spe_dsos_fini(&symbols->dsos);
	spe_maps_free(symbols->maps);
	free(symbols->symfs);
	free(symbols->vmlinux);
	free(symbols->kallsyms);
	free(symbols->buildid_dir);
	free(symbols->release);
	pthread_mutex_destroy(&symbols->lock);
	free(symbols);
}

int spe_symbols_machine(struct spe_symbols *symbols, const char *release, const char *arch)
{
	int status = SPE_OK;

	if (symbols->frozen)
		return SPE_INVALID;
	free(symbols->release);
	symbols->release = copy_of(*release ? release : NULL, &status);
	snprintf(symbols->arch, sizeof(symbols->arch), "%s", arch);
	return status;
}

/* ---- maps ------------------------------------------------------------------------------ */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Memory that is no file, whatever its name looks like. */
static bool is_memory(const char *name)
{
	static const char *const names[] = { "//", "/dev/zero", "/anon_hugepage", "/SYSV",
					     "/memfd:" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts(name, names[i]))
			return true;
	return name[0] != '/';
}

static bool is_exec(const struct spe_perf_event *event)
{
	return event->type == SPE_PERF_MMAP2 ? (event->u.mmap.prot & 4) != 0
					     : !(event->misc & SPE_MISC_MMAP_DATA);
}

static uint64_t time_of(const struct spe_perf_event *event)
{
	return event->id.present & SPE_SAMPLE_TIME ? event->id.time_ns : 0;
}

static struct spe_map map_of(const struct spe_perf_event *event)
{
	struct spe_map map = { .start = event->u.mmap.addr,
			       .end = event->u.mmap.addr + event->u.mmap.len,
			       .pgoff = event->u.mmap.pgoff,
			       .time_ns = time_of(event),
			       .sequence = event->sequence,
			       .pid = event->u.mmap.pid,
			       .exec = is_exec(event) };

	if (map.end < map.start)
		map.end = UINT64_MAX;
	return map;
}

static struct spe_build_id build_id_of(const struct spe_perf_event *event)
{
	struct spe_build_id id = { .n = event->u.mmap.build_id_bytes };

	if (id.n > SPE_BUILD_ID_BYTES)
		id.n = SPE_BUILD_ID_BYTES;
	memcpy(id.bytes, event->u.mmap.build_id, id.n);
	return id;
}

static int add_map(struct spe_symbols *symbols, struct spe_map *map, uint8_t kind, const char *path,
		   const struct spe_build_id *id)
{
	struct spe_dso *dso;
	int status = spe_dsos_get(&symbols->dsos, kind, path, id, &dso);

	if (status)
		return status;
	map->dso = dso->id;
	map->file = kind == SPE_DSO_FILE;
	if (kind == SPE_DSO_KERNEL && !symbols->kernel_dso)
		symbols->kernel_dso = dso;
	return spe_maps_map(symbols->maps, map);
}

static int take_user_map(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	struct spe_map map = map_of(event);
	struct spe_build_id id = build_id_of(event);
	const char *name = event->u.mmap.filename;
	char jit[64];

	if (map.pid < 0)
		return SPE_OK;
	if (strcmp(name, "[vdso]") == 0)
		return add_map(symbols, &map, SPE_DSO_VDSO, name, &id);
	if (!is_memory(name))
		return add_map(symbols, &map, SPE_DSO_FILE, name, &id);
	if (!map.exec || starts(name, "[v")) /* [vsyscall], [vvar] */
		return add_map(symbols, &map, SPE_DSO_MEMORY, name, NULL);
	snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", map.pid);
	return add_map(symbols, &map, SPE_DSO_JIT, jit, NULL);
}

/* "[kernel.kallsyms]_text": pgoff is where that symbol lay. */
static void take_reference(struct spe_symbols *symbols, const char *name, uint64_t address)
{
	struct spe_reference *reference = &symbols->reference;

	if (address && *name && !*reference->name) {
		snprintf(reference->name, sizeof(reference->name), "%s", name);
		reference->address = address;
	}
}

static int take_kernel_map(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	struct spe_map map = map_of(event);
	struct spe_build_id id = build_id_of(event);
	const char *name = event->u.mmap.filename;

	map.pid = SPE_MAPS_KERNEL;
	map.exec = true;
	if (starts(name, "[guest."))
		return SPE_OK;
	if (!starts(name, KERNEL_NAME))
		return add_map(symbols, &map, SPE_DSO_MODULE, name, &id);
	take_reference(symbols, name + strlen(KERNEL_NAME), map.pgoff);
	return add_map(symbols, &map, SPE_DSO_KERNEL, KERNEL_NAME, &id);
}

/* Maps of guests are of no use: guest code is never looked up. */
static int take_mmap(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	switch (event->misc & SPE_MISC_CPUMODE_MASK) {
	case SPE_MISC_KERNEL:
		return take_kernel_map(symbols, event);
	case SPE_MISC_USER:
		return take_user_map(symbols, event);
	default:
		return SPE_OK;
	}
}

/* ---- tasks ------------------------------------------------------------------------------- */

/*
 * Time 0 with a time in the trailer: made by perf for what ran before, which has
 * its own maps in the file.  Without times the file's order is all there is.
 */
static int take_fork(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	bool timed = (event->id.present & SPE_SAMPLE_TIME) != 0;
	int32_t pid = event->u.task.pid;
	int32_t ppid = event->u.task.ppid;

	if (timed && !event->id.time_ns && pid != ppid)
		return SPE_OK;
	return spe_maps_fork(symbols->maps, time_of(event), pid, ppid);
}

static int take_exit(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	return spe_maps_exit(symbols->maps, time_of(event), event->u.task.pid, event->u.task.tid);
}

static int take_comm(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	if (!(event->misc & SPE_MISC_COMM_EXEC))
		return SPE_OK;
	return spe_maps_exec(symbols->maps, time_of(event), event->u.comm.pid);
}

/* KSYMBOL: code the kernel made, or took away again. */
static int take_ksymbol(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	struct spe_cursor c = spe_cursor_over(event->raw, event->raw ? event->size : 0, false);
	struct spe_map map = { .time_ns = time_of(event),
			       .sequence = event->sequence,
			       .pid = SPE_MAPS_KERNEL,
			       .dso = SPE_DSO_NONE,
			       .exec = true };
	char name[256];
	const char *text;
	uint16_t flags;
	size_t n;

	spe_cursor_u64(&c); /* header */
	map.start = spe_cursor_u64(&c);
	map.end = map.start + spe_cursor_u32(&c);
	spe_cursor_u16(&c); /* kind of code */
	flags = spe_cursor_u16(&c);
	n = c.failed ? 0 : spe_cursor_left(&c);
	text = n ? (const char *)spe_cursor_take(&c, n) : NULL;
	if (!text)
		return SPE_OK;
	if (flags & 1) /* unregistered */
		return spe_maps_map(symbols->maps, &map);
	snprintf(name, sizeof(name), "%.*s", (int)strnlen(text, n < 255 ? n : 255), text);
	return add_map(symbols, &map, SPE_DSO_BPF, name, NULL);
}

/* ---- build-ids ---------------------------------------------------------------------------- */

static int add_build_id(struct spe_symbols *symbols, const char *path, const uint8_t *bytes,
			size_t n)
{
	struct spe_recorded_id recorded = { .path = spe_copy_text(path) };
	int status;

	if (!recorded.path)
		return SPE_NOMEM;
	recorded.id.n = n < SPE_BUILD_ID_BYTES ? (uint8_t)n : SPE_BUILD_ID_BYTES;
	memcpy(recorded.id.bytes, bytes, recorded.id.n);
	status = spe_vec_push(&symbols->ids, &recorded, SPE_LIMIT_DSOS);
	if (status)
		free(recorded.path);
	return status;
}

static int take_build_id(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	return add_build_id(symbols, event->u.build_id.filename, event->u.build_id.build_id,
			    event->u.build_id.build_id_bytes);
}

int spe_symbols_build_ids(struct spe_symbols *symbols, const uint8_t *bytes, size_t n,
			  bool big_endian)
{
	bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct spe_cursor c = spe_cursor_over(bytes, n, swap);
	int status = symbols->frozen ? SPE_INVALID : SPE_OK;

	/* {type, misc, size}, pid, 20 bytes and their number, path */
	while (!status && spe_cursor_left(&c) > 36) {
		size_t start = c.pos;
		const uint8_t *id;
		const char *path;
		uint16_t misc;
		uint16_t size;

		spe_cursor_u32(&c);
		misc = spe_cursor_u16(&c);
		size = spe_cursor_u16(&c);
		spe_cursor_u32(&c);
		id = spe_cursor_take(&c, 24);
		if (size <= 36 || size > n - start)
			break;
		path = (const char *)spe_cursor_take(&c, size - 36u);
		if (!path || !memchr(path, '\0', size - 36u))
			break;
		status = add_build_id(symbols, path, id,
				      misc & SPE_MISC_BUILD_ID_SIZE ? id[20] : SPE_BUILD_ID_BYTES);
	}
	return status;
}

static int compare_ids(const void *a_, const void *b_)
{
	const struct spe_recorded_id *a = a_;
	const struct spe_recorded_id *b = b_;

	return strcmp(a->path, b->path);
}

/* What MMAP2 did not say. */
static void assign_build_ids(struct spe_symbols *symbols)
{
	if (symbols->ids.count)
		qsort(symbols->ids.items, symbols->ids.count, sizeof(*symbols->ids.items),
		      compare_ids);
	for (size_t i = 0; i < symbols->dsos.items.count; i++) {
		struct spe_dso *dso = symbols->dsos.items.items[i];
		struct spe_recorded_id wanted = { .path = (char *)dso->path };
		const struct spe_recorded_id *found;

		if (dso->build_id.n || !symbols->ids.count)
			continue;
		found = bsearch(&wanted, symbols->ids.items, symbols->ids.count,
				sizeof(*symbols->ids.items), compare_ids);
		if (found)
			dso->build_id = found->id;
	}
}

/* ---- the whole ------------------------------------------------------------------------------ */

int spe_symbols_add(struct spe_symbols *symbols, const struct spe_perf_event *event)
{
	static int (*const takers[])(struct spe_symbols *, const struct spe_perf_event *) = {
		[SPE_PERF_MMAP] = take_mmap,         [SPE_PERF_MMAP2] = take_mmap,
		[SPE_PERF_FORK] = take_fork,         [SPE_PERF_EXIT] = take_exit,
		[SPE_PERF_COMM] = take_comm,         [SPE_PERF_KSYMBOL] = take_ksymbol,
		[SPE_PERF_BUILD_ID] = take_build_id,
	};

	if (symbols->frozen)
		return SPE_INVALID;
	if (event->type >= sizeof(takers) / sizeof(takers[0]) || !takers[event->type])
		return SPE_OK;
	return takers[event->type](symbols, event);
}

/* A user who names the kernel's file wants it used, also where its mapping was not recorded. */
static int assume_kernel(struct spe_symbols *symbols)
{
	struct spe_map map = {
		.start = KERNEL_HALF, .end = UINT64_MAX, .pid = SPE_MAPS_KERNEL, .exec = true
	};

	if (symbols->kernel_dso || (!symbols->vmlinux && !symbols->kallsyms))
		return SPE_OK;
	symbols->kernel_assumed = true;
	return add_map(symbols, &map, SPE_DSO_KERNEL, KERNEL_NAME, NULL);
}

int spe_symbols_freeze(struct spe_symbols *symbols)
{
	int status = assume_kernel(symbols);

	if (!status)
		status = spe_maps_freeze(symbols->maps);
	if (status)
		return status;
	assign_build_ids(symbols);
	symbols->frozen = true;
	return SPE_OK;
}

static int add_header(struct spe_symbols *symbols, const struct spe_perfdata *pd)
{
	const struct spe_perfdata_info *info = spe_perfdata_info(pd);
	const uint8_t *bytes;
	size_t n;
	int status = spe_symbols_machine(symbols, info->osrelease, info->arch);

	if (status || spe_perfdata_feature(pd, SPE_FEAT_BUILD_ID, &bytes, &n))
		return status;
	return spe_symbols_build_ids(symbols, bytes, n, info->big_endian);
}

static int add_all(struct spe_symbols *symbols, struct spe_perfdata *pd)
{
	struct spe_perf_event event;
	int status = spe_perfdata_rewind(pd);

	while (!status) {
		status = spe_perfdata_next(pd, &event, NULL);
		if (!status)
			status = spe_symbols_add(symbols, &event);
	}
	/* What stands before damage is used; who opened the file has told of it. */
	if (status == SPE_END || status == SPE_CORRUPT || status == SPE_UNSUPPORTED)
		status = SPE_OK;
	/* In pipe form the header is complete now. */
	return status ? status : add_header(symbols, pd);
}

int spe_symbols_open(struct spe_perfdata *pd, const struct spe_symbols_opts *opts,
		     struct spe_symbols **made)
{
	struct spe_symbols *symbols;
	int status = spe_symbols_new(opts, &symbols);

	if (status)
		return status;
	status = add_all(symbols, pd);
	if (!status)
		status = spe_symbols_freeze(symbols);
	if (status) {
		spe_symbols_free(symbols);
		return status;
	}
	*made = symbols;
	return SPE_OK;
}
