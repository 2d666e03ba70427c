/* SPDX-License-Identifier: GPL-2.0-only */
#include "failing.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

struct failing failing_memory, failing_reads, failing_writes;

void failing_reset(struct failing *f, long fail_at, bool from_then_on, int error)
{
	atomic_store(&f->calls, 0);
	f->fail_at = fail_at;
	f->from_then_on = from_then_on;
	f->error = error;
}

bool failing_reached(const struct failing *f)
{
	return f->fail_at && atomic_load(&((struct failing *)f)->calls) >= f->fail_at;
}

static bool fails(struct failing *f)
{
	long n = atomic_fetch_add(&f->calls, 1) + 1;

	return f->fail_at && (n == f->fail_at || (f->from_then_on && n > f->fail_at));
}

static bool memory_fails(void)
{
	if (!fails(&failing_memory))
		return false;
	errno = ENOMEM;
	return true;
}

/* The names the linker gives: __wrap_x is called for x, __real_x is x. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
int __real_posix_memalign(void **p, size_t alignment, size_t n);
char *__real_strdup(const char *s);
void *__real_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);
ssize_t __real_read(int fd, void *bytes, size_t n);
ssize_t __real_pread(int fd, void *bytes, size_t n, off_t offset);
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t offset);
ssize_t __real_writev(int fd, const struct iovec *pieces, int n);
ssize_t __wrap_writev(int fd, const struct iovec *pieces, int n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
int __wrap_posix_memalign(void **p, size_t alignment, size_t n);
char *__wrap_strdup(const char *s);
void *__wrap_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);
ssize_t __wrap_read(int fd, void *bytes, size_t n);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t offset);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t offset);

void *__wrap_malloc(size_t n)
{
	return memory_fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return memory_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return memory_fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
	return memory_fails() ? NULL : __real_aligned_alloc(alignment, n);
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t n)
{
	return memory_fails() ? ENOMEM : __real_posix_memalign(p, alignment, n);
}

char *__wrap_strdup(const char *s)
{
	return memory_fails() ? NULL : __real_strdup(s);
}

void *__wrap_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
	return memory_fails() ? MAP_FAILED : __real_mmap(addr, n, prot, flags, fd, offset);
}

/* How many bytes of n this call may move: n; 0 and errno for a failure. */
static size_t allowed(struct failing *f, size_t n)
{
	if (!fails(f))
		return n;
	if (f->error) {
		errno = f->error;
		return 0;
	}
	return n > 1 ? n / 2 : n; /* short */
}

ssize_t __wrap_read(int fd, void *bytes, size_t n)
{
	size_t some = allowed(&failing_reads, n);

	return n && !some ? -1 : __real_read(fd, bytes, some);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t offset)
{
	size_t some = allowed(&failing_reads, n);

	return n && !some ? -1 : __real_pread(fd, bytes, some, offset);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
	size_t some = allowed(&failing_writes, n);

	return n && !some ? -1 : __real_write(fd, bytes, some);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
	size_t some = allowed(&failing_writes, n);

	return n && !some ? -1 : __real_pwrite(fd, bytes, some, offset);
}

/* Short: the first piece only. */
ssize_t __wrap_writev(int fd, const struct iovec *pieces, int n)
{
	if (!fails(&failing_writes))
		return __real_writev(fd, pieces, n);
	if (failing_writes.error) {
		errno = failing_writes.error;
		return -1;
	}
	return __real_writev(fd, pieces, 1);
}
