/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening and closing. */
#include "reader.h"

#include "record.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_error(const char *path, int errnum, struct spe_error *error)
{
	return spe_system_error(error, errnum, "%.300s: cannot be opened", path);
}

static int stream_map(struct spe_stream *s, uint64_t bytes, struct spe_error *error)
{
	void *map;

	s->map_bytes = bytes;
	if (!bytes)
		return SPE_OK;
	map = bytes > SIZE_MAX ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (map == MAP_FAILED)
		return open_error(s->name, bytes > SIZE_MAX ? EFBIG : errno, error);
	s->map = map;
	return SPE_OK;
}

static void stream_close(struct spe_stream *s)
{
	if (s->map)
		munmap((void *)(uintptr_t)s->map, s->map_bytes);
	if (s->fd >= 0)
		close(s->fd);
}

/* Add a file that is open; fd is ours from here on, whatever comes back. */
static int stream_add(struct spe_perfdata *pd, const char *name, int fd, uint64_t bytes,
		      struct spe_error *error)
{
	struct spe_stream s = { .fd = fd };
	int status;

	s.name = spe_arena_string(&pd->arena, name, strlen(name));
	status = s.name ? spe_vec_push(&pd->streams, &s, SPE_LIMIT_DIR_FILES) : SPE_NOMEM;
	if (status) {
		close(fd);
		return spe_error_set(error, status, "%.300s: %s", name, spe_status_text(status));
	}
	return stream_map(&pd->streams.items[pd->streams.count - 1], bytes, error);
}

static int path_open(struct spe_perfdata *pd, const char *path, struct spe_error *error)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int status;

	if (fd < 0)
		return open_error(is_stdin ? "standard input" : path, errno, error);
	if (fstat(fd, &st)) {
		status = open_error(path, errno, error);
		close(fd);
		return status;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return spe_error_set(error, SPE_UNSUPPORTED, "%.300s: not a regular file", path);
	}
	status =
		stream_add(pd, is_stdin ? "standard input" : path, fd, (uint64_t)st.st_size, error);
	pd->info.file_bytes = (uint64_t)st.st_size;
	return status;
}

static struct spe_perfdata *perfdata_new(const char *path, const struct spe_perfdata_opts *opts)
{
	struct spe_perfdata *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	if (opts)
		pd->listener = opts->listener;
	spe_attrs_init(&pd->attrs, &pd->arena);
	pd->info.hostname = pd->info.osrelease = pd->info.version = pd->info.arch = "";
	pd->info.cpudesc = pd->info.cpuid = pd->info.cmdline = "";
	pd->info.path = spe_arena_string(&pd->arena, path, strlen(path));
	pd->scratch = malloc(SPE_RECORD_BYTES_MAX + 1);
	pd->spare = malloc(SPE_RECORD_BYTES_MAX + 1);
	if (!pd->info.path || !pd->scratch || !pd->spare) {
		spe_perfdata_close(pd);
		return NULL;
	}
	return pd;
}

int spe_perfdata_open(const char *path, const struct spe_perfdata_opts *opts,
		      struct spe_perfdata **result, struct spe_error *error)
{
	struct spe_perfdata *pd = perfdata_new(path, opts);
	int status;

	*result = NULL;
	if (!pd)
		return spe_error_set(error, SPE_NOMEM, "%.300s: out of memory", path);
	status = path_open(pd, path, error);
	if (!status)
		status = spe_header_read(pd, error);
	if (status) {
		spe_perfdata_close(pd);
		return status;
	}
	*result = pd;
	return SPE_OK;
}

void spe_perfdata_close(struct spe_perfdata *pd)
{
	if (!pd)
		return;
	for (size_t i = 0; i < pd->streams.count; i++)
		stream_close(&pd->streams.items[i]);
	free(pd->streams.items);
	free(pd->pmus.items);
	free(pd->scratch);
	free(pd->spare);
	spe_attrs_fini(&pd->attrs);
	spe_arena_free(&pd->arena);
	free(pd);
}

const struct spe_perfdata_info *spe_perfdata_info(const struct spe_perfdata *pd)
{
	return &pd->info;
}

size_t spe_perfdata_attr_count(const struct spe_perfdata *pd)
{
	return pd->attrs.list.count;
}

const struct spe_perf_attr *spe_perfdata_attr(const struct spe_perfdata *pd, size_t i)
{
	return i < pd->attrs.list.count ? &pd->attrs.list.items[i]->pub : NULL;
}
