/* SPDX-License-Identifier: GPL-2.0-only */
/* Files as such: opening them with care, and their checksum. */
#include "elf.h"

#include <perf-arm-spe/limits.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool spe_build_id_same(const struct spe_build_id *a, const struct spe_build_id *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static int why_not(const struct stat *st, uint64_t bytes_max)
{
	if (!S_ISREG(st->st_mode))
		return EINVAL;
	return st->st_size < 0 || (uint64_t)st->st_size > bytes_max ? EFBIG : 0;
}

int spe_file_open(const char *path, uint64_t bytes_max)
{
	struct stat before;
	struct stat st;
	int reason;
	int fd;

	/* To open a device may be to set it off: it is looked at first. */
	if (fstatat(AT_FDCWD, path, &before, 0))
		return -1;
	reason = why_not(&before, bytes_max);
	if (reason) {
		errno = reason;
		return -1;
	}
	/* Without waiting: another file may have come in its place. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		reason = errno;
	else if (st.st_dev != before.st_dev || st.st_ino != before.st_ino)
		reason = ESTALE;
	else
		reason = why_not(&st, bytes_max);
	if (!reason)
		return fd;
	close(fd);
	errno = reason;
	return -1;
}

/* Polynomial 0xedb88320, as gdb's documentation of .gnu_debuglink gives it. */
static uint32_t crc_step(uint32_t crc, const uint32_t *table, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
	return crc;
}

static void crc_table(uint32_t *table)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (unsigned bit = 0; bit < 8; bit++)
			v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
		table[i] = v;
	}
}

int spe_file_crc(const char *path, uint32_t *crc)
{
	uint32_t table[256];
	uint8_t bytes[16384];
	uint32_t sum = UINT32_MAX;
	ssize_t n;
	int fd = spe_file_open(path, SPE_LIMIT_ELF_BYTES);

	if (fd < 0)
		return SPE_NOT_FOUND;
	crc_table(table);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		sum = crc_step(sum, table, bytes, (size_t)n);
	close(fd);
	*crc = ~sum;
	return n ? SPE_NOT_FOUND : SPE_OK;
}
