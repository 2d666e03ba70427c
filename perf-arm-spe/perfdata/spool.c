/* SPDX-License-Identifier: GPL-2.0-only */
#include "spool.h"

#include "../base/temp.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (1u << 20)
#define HEAD_BYTES 8u /* the magic */

static int spool_open(const char *tmpdir, struct spe_error *error)
{
	int fd = spe_temp_open(tmpdir);

	if (fd < 0)
		spe_system_error(error, errno,
				 "%.300s: no file for what comes through the pipe can be made "
				 "here (set TMPDIR)",
				 tmpdir);
	return fd;
}

static int write_error(const char *tmpdir, struct spe_error *error)
{
	return spe_system_error(error, errno,
				"%.300s: what comes through the pipe cannot be kept (set TMPDIR "
				"to a folder with room)",
				tmpdir);
}

static int write_all(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Up to n bytes; fewer only at the end.  -1 on failure. */
static ssize_t read_full(int fd, uint8_t *bytes, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t more = read(fd, bytes + got, n - got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -1;
		if (!more)
			break;
		got += (size_t)more;
	}
	return (ssize_t)got;
}

/* What is copied from where to where, and how much of it so far. */
struct spooling {
	int from, to;
	const char *name, *tmpdir;
	const struct spe_listener *listener;
	uint64_t done;
};

/* How long it takes is the writer's affair: one who waits wants to see it. */
static void spooled(struct spooling *spooling, size_t n)
{
	spooling->done += n;
	spe_progress(spooling->listener, "reading", spooling->done, 0);
}

static int copy_by_hand(struct spooling *spooling, struct spe_error *error)
{
	uint8_t *piece = malloc(PIECE_BYTES);
	ssize_t n = 1;
	int status = SPE_OK;

	if (!piece)
		return spe_system_error(error, ENOMEM, "%.300s", spooling->name);
	while (!status && n > 0) {
		n = read_full(spooling->from, piece, PIECE_BYTES);
		if (n < 0)
			status = spe_system_error(error, errno, "%.300s: cannot be read",
						  spooling->name);
		else if (write_all(spooling->to, piece, (size_t)n))
			status = write_error(spooling->tmpdir, error);
		else
			spooled(spooling, (size_t)n);
	}
	free(piece);
	return status;
}

/* Pages go from the pipe to the file without passing through us, where the kernel can do it. */
static int copy_rest(struct spooling *spooling, struct spe_error *error)
{
	for (;;) {
		ssize_t n = splice(spooling->from, NULL, spooling->to, NULL, PIECE_BYTES, 0);

		if (n == 0)
			return SPE_OK;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
			return write_error(spooling->tmpdir, error);
		if (n < 0) /* not a pipe, or something read() will name */
			return copy_by_hand(spooling, error);
		spooled(spooling, (size_t)n);
	}
}

static bool may_be_perfdata(const uint8_t *head, size_t n)
{
	return !memcmp(head, "PERFILE2", n) || !memcmp(head, "2ELIFREP", n);
}

static int spool_fill(struct spooling *spooling, struct spe_error *error)
{
	uint8_t head[HEAD_BYTES];
	ssize_t n = read_full(spooling->from, head, sizeof(head));

	if (n < 0)
		return spe_system_error(error, errno, "%.300s: cannot be read", spooling->name);
	if (write_all(spooling->to, head, (size_t)n))
		return write_error(spooling->tmpdir, error);
	/* An endless device must not fill the disk before it is refused. */
	if (!may_be_perfdata(head, (size_t)n))
		return SPE_OK;
	spooled(spooling, (size_t)n);
	fcntl(spooling->from, F_SETPIPE_SZ, PIECE_BYTES); /* fewer wake-ups; may well fail */
	return copy_rest(spooling, error);
}

int spe_spool(int fd, const char *name, const char *tmpdir, const struct spe_listener *listener,
	      int *spool, uint64_t *bytes, struct spe_error *error)
{
	struct spooling spooling = { .from = fd, .name = name, .listener = listener };
	off_t end;
	int status;

	spooling.tmpdir = tmpdir = spe_temp_folder(tmpdir);
	*spool = spooling.to = spool_open(tmpdir, error);
	if (*spool < 0)
		return SPE_IO;
	status = spool_fill(&spooling, error);
	end = lseek(*spool, 0, SEEK_END);
	if (!status && end < 0)
		status = write_error(tmpdir, error);
	if (status) {
		close(*spool);
		*spool = -1;
		return status;
	}
	*bytes = (uint64_t)end;
	return SPE_OK;
}
