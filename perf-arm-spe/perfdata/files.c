/* SPDX-License-Identifier: GPL-2.0-only */
#include "files.h"

#include "inner.h"
#include "spool.h"
#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
	if (bytes > SIZE_MAX)
		return open_error(s->name, EFBIG, error);
	map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (map == MAP_FAILED) {
		s->map_bytes = 0;
		return open_error(s->name, errno, error);
	}
	s->map = map;
	return SPE_OK;
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
	pd->info.file_bytes += bytes;
	return stream_map(&pd->streams.items[pd->streams.count - 1], bytes, error);
}

/* ---- pipes ---------------------------------------------------------------- */

static int pipe_add(struct spe_perfdata *pd, const char *name, int fd, const char *tmpdir,
		    struct spe_error *error)
{
	struct spe_stream *s;
	uint64_t bytes;
	int spool, status;

	status = spe_spool(fd, name, tmpdir, &pd->listener, &spool, &bytes, error);
	close(fd);
	if (status)
		return status;
	status = stream_add(pd, name, spool, bytes, error);
	if (status)
		return status;
	s = &pd->streams.items[0];
	s->spooled = true;
	/* Nobody else can shorten it: the mapping is enough. */
	close(s->fd);
	s->fd = -1;
	return SPE_OK;
}

/* ---- directories ---------------------------------------------------------- */

/* Add a file of a directory: never a device or a pipe that somebody put there. */
static int member_add(struct spe_perfdata *pd, const char *name, struct spe_error *error)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return open_error(name, errno, error);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return stream_add(pd, name, fd, (uint64_t)st.st_size, error);
	close(fd);
	return spe_error_set(error, SPE_NOT_PERFDATA, "%.300s: not a regular file", name);
}

static int directory_add(struct spe_perfdata *pd, const char *path, struct spe_error *error)
{
	size_t n = strlen(path);
	char *name;
	int status;

	while (n > 1 && path[n - 1] == '/')
		n--;
	pd->info.directory = true;
	pd->info.path = spe_arena_string(&pd->arena, path, n);
	if (!pd->info.path || asprintf(&name, "%s/data", pd->info.path) < 0)
		return open_error(path, ENOMEM, error);
	if (access(name, F_OK) && errno == ENOENT)
		status = spe_error_set(error, SPE_NOT_PERFDATA,
				       "%.300s: a directory without a file `data' in it: name a "
				       "perf.data file, or a directory made by perf record "
				       "--threads",
				       path);
	else
		status = member_add(pd, name, error);
	free(name);
	return status;
}

/* N of "data.N", -1 when it is something else. */
static int64_t member_number(const char *name)
{
	uint64_t n = 0;

	if (strncmp(name, "data.", 5) || !name[5] || (name[5] == '0' && name[6]))
		return -1;
	for (const char *c = name + 5; *c; c++) {
		if (*c < '0' || *c > '9' || n > UINT32_MAX / 10 - 1)
			return -1;
		n = n * 10 + (uint64_t)(*c - '0');
	}
	return (int64_t)n;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

typedef SPE_VEC(uint32_t) numbers_t;

static int members_list(const char *path, numbers_t *numbers, struct spe_error *error)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int status = SPE_OK;

	if (!dir)
		return open_error(path, errno, error);
	while (!status && (entry = readdir(dir))) {
		int64_t n = member_number(entry->d_name);
		uint32_t number = (uint32_t)n;

		if (n >= 0)
			status = spe_vec_push(numbers, &number, SPE_LIMIT_DIR_FILES - 1);
	}
	closedir(dir);
	if (status)
		return spe_error_set(error, status, "%.300s: %s", path, spe_status_text(status));
	if (numbers->count)
		qsort(numbers->items, numbers->count, sizeof(*numbers->items), compare_numbers);
	return SPE_OK;
}

/* data.N: records from its first byte to its last, no header. */
static int numbered_add(struct spe_perfdata *pd, uint32_t number, struct spe_error *error)
{
	struct spe_stream *s;
	char *name;
	int status;

	if (asprintf(&name, "%s/data.%u", pd->info.path, number) < 0)
		return open_error(pd->info.path, ENOMEM, error);
	status = member_add(pd, name, error);
	free(name);
	if (status)
		return status;
	s = &pd->streams.items[pd->streams.count - 1];
	s->end = s->map_bytes;
	s->index = number + 1;
	/* A thousand CPUs are more files than a process may have open. */
	close(s->fd);
	s->fd = -1;
	return SPE_OK;
}

int spe_files_open_rest(struct spe_perfdata *pd, struct spe_error *error)
{
	numbers_t numbers = { 0 };
	int status = SPE_OK;

	if (!pd->info.directory)
		return SPE_OK;
	status = members_list(pd->info.path, &numbers, error);
	for (size_t i = 0; i < numbers.count && !status; i++)
		status = numbered_add(pd, numbers.items[i], error);
	free(numbers.items);
	return status;
}

/* ---- whatever path names -------------------------------------------------- */

static int kind_add(struct spe_perfdata *pd, const char *path, int fd, const char *tmpdir,
		    struct spe_error *error)
{
	struct stat st;
	int status;

	if (fstat(fd, &st)) {
		status = open_error(path, errno, error);
		close(fd);
		return status;
	}
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return directory_add(pd, path, error);
	}
	/* Standard input from a file is that file, unless somebody read from it before us. */
	if (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0)
		return stream_add(pd, path, fd, (uint64_t)st.st_size, error);
	return pipe_add(pd, path, fd, tmpdir, error);
}

int spe_files_open(struct spe_perfdata *pd, const char *path, const char *tmpdir,
		   struct spe_error *error)
{
	int fd;

	if (strcmp(path, "-")) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	} else {
		path = "standard input";
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	}
	if (fd < 0)
		return open_error(path, errno, error);
	return kind_add(pd, path, fd, tmpdir, error);
}

void spe_files_close(struct spe_perfdata *pd)
{
	for (size_t i = 0; i < pd->streams.count; i++) {
		struct spe_stream *s = &pd->streams.items[i];

		spe_inner_free(s);
		if (s->map)
			munmap((void *)(uintptr_t)s->map, s->map_bytes);
		if (s->fd >= 0)
			close(s->fd);
	}
	free(pd->streams.items);
}
