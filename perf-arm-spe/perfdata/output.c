/* SPDX-License-Identifier: GPL-2.0-only */
#include "output.h"

#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 20)
#define DIRECT_BYTES (256u << 10) /* at or over this, bytes are not copied first */
#define FILE_MODE 0600            /* a recording may tell secrets: as perf's own */
#define NAME_TRIES 100

/* ---- where it goes ------------------------------------------------------- */

/* Length of the folder part of a path, its last slash included. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* "FOLDER/.BASE.SUFFIX" on the heap, NULL without memory. */
static char *hidden_name(const char *path, const char *suffix)
{
	size_t folder = folder_length(path);
	char *name;

	if (asprintf(&name, "%.*s.%s.%s", (int)folder, path, path + folder, suffix) < 0)
		return NULL;
	return name;
}

/* A file without a name in the folder of path: gone by itself if we are killed. */
static int nameless_open(const char *path)
{
	size_t folder = folder_length(path);
	char *name;
	int fd;

	if (access("/proc/self/fd", X_OK)) /* needed to name it later */
		return -1;
	name = folder ? strndup(path, folder) : strdup(".");
	if (!name)
		return -1;
	fd = open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, FILE_MODE);
	free(name);
	return fd;
}

static int regular_open(struct spe_output *o)
{
	o->fd = nameless_open(o->path);
	if (o->fd >= 0)
		return 0;
	o->temp = hidden_name(o->path, "XXXXXX");
	if (!o->temp)
		return ENOMEM;
	o->fd = mkostemp(o->temp, O_CLOEXEC);
	if (o->fd >= 0)
		return 0;
	free(o->temp);
	o->temp = NULL;
	return errno;
}

/* Returns an errno, 0 for success. */
static int path_open(struct spe_output *o, const char *path)
{
	struct stat st;
	bool exists = !stat(path, &st);

	if (exists && S_ISDIR(st.st_mode))
		return EISDIR;
	if (exists && !S_ISREG(st.st_mode)) {
		o->stream = true;
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
		return o->fd < 0 ? errno : 0;
	}
	/* A symbolic link stays one: what it points at is replaced. */
	o->path = exists ? realpath(path, NULL) : strdup(path);
	return o->path ? regular_open(o) : errno;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A recording may be a folder: its files are the input. */
static bool folder_has(const char *folder, const struct stat *file)
{
	DIR *dir = opendir(folder);
	bool found = false;
	struct dirent *entry;
	struct stat st;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = !fstatat(dirfd(dir), entry->d_name, &st, 0) && same_file(&st, file);
	closedir(dir);
	return found;
}

bool spe_output_is_input(const char *path, const char *input)
{
	bool to_stdout = !strcmp(path, "-");
	bool from_stdin = !strcmp(input, "-");
	struct stat out, in;

	if (to_stdout ? fstat(STDOUT_FILENO, &out) : stat(path, &out))
		return false;
	if (from_stdin ? fstat(STDIN_FILENO, &in) : stat(input, &in))
		return false;
	if (S_ISDIR(in.st_mode))
		return S_ISREG(out.st_mode) && folder_has(from_stdin ? "/dev/stdin" : input, &out);
	if (!same_file(&in, &out))
		return false;
	/* A stream's two ends may well be one terminal, or one socket. */
	return S_ISREG(out.st_mode) || !(to_stdout || from_stdin);
}

static void output_free(struct spe_output *o)
{
	free(o->path);
	free(o->temp);
	free(o->name);
	free(o->buffer);
	o->path = o->temp = o->name = NULL;
	o->buffer = NULL;
	o->fd = -1;
}

int spe_output_open(struct spe_output *o, const char *path, uint64_t reserve_bytes,
		    struct spe_error *error)
{
	bool to_stdout = !strcmp(path, "-");
	int errnum = ENOMEM;

	*o = (struct spe_output){ .fd = -1 };
	o->name = strdup(to_stdout ? "standard output" : path);
	o->buffer = malloc(BUFFER_BYTES);
	if (o->name && o->buffer) {
		errnum = 0;
		if (to_stdout) {
			o->stream = true;
			o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
			if (o->fd < 0)
				errnum = errno;
		} else {
			errnum = path_open(o, path);
		}
	}
	if (errnum) {
		output_free(o);
		return spe_system_error(error, errnum, "%.300s: cannot be written", path);
	}
	/* A hint: fewer extents.  A guess that is too high must not fail. */
	if (reserve_bytes && !o->stream && reserve_bytes <= INT64_MAX)
		(void)!fallocate(o->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)reserve_bytes);
	return SPE_OK;
}

/* ---- bytes --------------------------------------------------------------- */

static int output_fail(struct spe_output *o, int errnum, struct spe_error *error)
{
	if (!o->status) {
		o->status =
			spe_system_error(&o->error, errnum, "%.300s: cannot be written", o->name);
		if (errnum == EPIPE)
			o->status = o->error.status = SPE_CLOSED;
	}
	if (error)
		*error = o->error;
	return o->status;
}

/* Everything in the two pieces, whatever the system takes at a time. */
static int write_all(struct spe_output *o, struct iovec *piece, int pieces, struct spe_error *error)
{
	while (pieces) {
		ssize_t n = writev(o->fd, piece, pieces);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return output_fail(o, errno, error);
		while (pieces && (size_t)n >= piece->iov_len) {
			n -= (ssize_t)piece->iov_len;
			piece++;
			pieces--;
		}
		if (pieces) {
			piece->iov_base = (char *)piece->iov_base + n;
			piece->iov_len -= (size_t)n;
		}
	}
	return SPE_OK;
}

static int output_flush(struct spe_output *o, const void *more, size_t n, struct spe_error *error)
{
	struct iovec pieces[2] = {
		{ .iov_base = o->buffer, .iov_len = o->used },
		{ .iov_base = (void *)(uintptr_t)more, .iov_len = n },
	};

	o->used = 0;
	return write_all(o, pieces, 2, error);
}

int spe_output_write(struct spe_output *o, const void *bytes, size_t n, struct spe_error *error)
{
	if (o->status) {
		if (error)
			*error = o->error;
		return o->status;
	}
	o->offset += n;
	if (n >= DIRECT_BYTES)
		return output_flush(o, bytes, n, error);
	if (n > BUFFER_BYTES - o->used) {
		int status = output_flush(o, NULL, 0, error);

		if (status)
			return status;
	}
	if (n)
		memcpy(o->buffer + o->used, bytes, n);
	o->used += n;
	return SPE_OK;
}

int spe_output_patch(struct spe_output *o, uint64_t offset, const void *bytes, size_t n,
		     struct spe_error *error)
{
	int status = output_flush(o, NULL, 0, error);

	while (!status && n) {
		ssize_t done = pwrite(o->fd, bytes, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return output_fail(o, done ? errno : EIO, error);
		bytes = (const char *)bytes + done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return status;
}

/* ---- the end ------------------------------------------------------------- */

/* Give a nameless file a hidden name, so that it can be renamed over what is there. */
static int name_temp(struct spe_output *o)
{
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", o->fd);
	for (int i = 0; i < NAME_TRIES; i++) {
		char suffix[32];

		snprintf(suffix, sizeof(suffix), "%d-%d", (int)getpid(), i);
		o->temp = hidden_name(o->path, suffix);
		if (!o->temp)
			return ENOMEM;
		if (!linkat(AT_FDCWD, from, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW))
			return 0;
		free(o->temp);
		o->temp = NULL;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* Some file systems tell only when it is closed that the disk is full. */
static int output_close(struct spe_output *o)
{
	int failed = close(o->fd);

	o->fd = -1;
	return failed && errno != EINTR ? errno : 0;
}

static int output_publish(struct spe_output *o)
{
	if (!o->temp)
		return 0;
	if (rename(o->temp, o->path))
		return errno;
	free(o->temp);
	o->temp = NULL;
	return 0;
}

/* A name that others see is the last thing a file gets. */
int spe_output_finish(struct spe_output *o, struct spe_error *error)
{
	int status = o->status, errnum = 0;

	if (status)
		output_fail(o, 0, error);
	else
		status = output_flush(o, NULL, 0, error);
	if (!status) {
		errnum = o->path && !o->temp ? name_temp(o) : 0;
		if (!errnum)
			errnum = output_close(o);
		if (!errnum)
			errnum = output_publish(o);
		if (errnum)
			status = output_fail(o, errnum, error);
	}
	spe_output_abort(o);
	return status;
}

void spe_output_abort(struct spe_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->temp)
		unlink(o->temp);
	output_free(o);
}
