/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preloaded into a program, runs its main() again and again, each time in a
 * child in which the n-th call of one kind goes wrong, and judges what comes
 * of it: the true result with exit 0, or exit 1 with one clear line and, of
 * the result, nothing but true lines; never a signal, a hang or a sanitizer's
 * report.
 *
 *	NTH_CALL=malloc|read|write|...	which call (table below); the n-th fails
 *	NTH_ERRNO=ENOSPC		how; EINTR and "short" must change nothing
 *	NTH_ON=1			all calls from the n-th on
 *	NTH_RUNS=N			at most so many runs, spread out (0: all)
 *	NTH_FILE=FILE			a file the program makes: whole, or not there
 *
 * Prints a line for what went wrong; exit 0 if nothing did.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX 30
#define FAULTS_NONE (-1)
#define TEXT_MAX (1u << 22)

/* What parent and child share. */
struct shared {
	atomic_long left; /* calls that still go well; negative: all, or the fault is behind us */
	atomic_bool fired;
	atomic_long calls;
};

static struct shared *shared;
static int fault_errno;
static bool fault_short, fault_on, in_child;
static const char *fault_call;

/* In a library that does not survive this itself: libtraceevent writes through the NULL it got. */
static _Thread_local bool elsewhere;

/* ---- the calls -------------------------------------------------------------- */

static bool fault(const char *call)
{
	long left;

	if (!in_child || elsewhere || strcmp(call, fault_call))
		return false;
	atomic_fetch_add(&shared->calls, 1);
	left = atomic_load(&shared->left);
	if (left == FAULTS_NONE)
		return false;
	if (fault_on && left == 0) {
		atomic_store(&shared->fired, true);
		return true;
	}
	if (atomic_fetch_sub(&shared->left, 1) != 0)
		return false;
	atomic_store(&shared->fired, true);
	return true;
}

#define FAIL_WITH(call, result)                                                                    \
	do {                                                                                       \
		if (fault(call)) {                                                                 \
			errno = fault_errno;                                                       \
			return result;                                                             \
		}                                                                                  \
	} while (0)

#define REAL(type, name, ...)                                                                      \
	static type (*real)(__VA_ARGS__);                                                          \
	if (!real)                                                                                 \
	real = (type(*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, #name)

void *malloc(size_t n)
{
	REAL(void *, malloc, size_t);
	FAIL_WITH("malloc", NULL);
	return real(n);
}

void *calloc(size_t count, size_t n)
{
	REAL(void *, calloc, size_t, size_t);
	FAIL_WITH("malloc", NULL);
	return real(count, n);
}

void *realloc(void *p, size_t n)
{
	REAL(void *, realloc, void *, size_t);
	FAIL_WITH("malloc", NULL);
	return real(p, n);
}

ssize_t read(int fd, void *to, size_t n)
{
	REAL(ssize_t, read, int, void *, size_t);
	if (fault("read")) {
		if (!fault_short) {
			errno = fault_errno;
			return -1;
		}
		n = n > 3 ? 3 : n;
	}
	return real(fd, to, n);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	REAL(ssize_t, pread, int, void *, size_t, off_t);
	if (fault("read")) {
		if (!fault_short) {
			errno = fault_errno;
			return -1;
		}
		n = n > 3 ? 3 : n;
	}
	return real(fd, to, n, at);
}

/* What the program says about it must get through. */
ssize_t write(int fd, const void *from, size_t n)
{
	REAL(ssize_t, write, int, const void *, size_t);
	if (fd != STDERR_FILENO && fault("write")) {
		if (!fault_short) {
			errno = fault_errno;
			return -1;
		}
		n = n > 3 ? 3 : n;
	}
	return real(fd, from, n);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
	REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
	if (fault("write")) {
		if (!fault_short) {
			errno = fault_errno;
			return -1;
		}
		n = n > 3 ? 3 : n;
	}
	return real(fd, from, n, at);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	REAL(void *, mmap, void *, size_t, int, int, int, off_t);
	FAIL_WITH("mmap", MAP_FAILED);
	return real(at, n, protection, flags, fd, offset);
}

int open(const char *path, int flags, ...)
{
	REAL(int, open, const char *, int, mode_t);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	FAIL_WITH("open", -1);
	return real(path, flags, mode);
}

int fstat(int fd, struct stat *st)
{
	REAL(int, fstat, int, struct stat *);
	FAIL_WITH("fstat", -1);
	return real(fd, st);
}

int rename(const char *from, const char *to)
{
	REAL(int, rename, const char *, const char *);
	FAIL_WITH("rename", -1);
	return real(from, to);
}

int close(int fd)
{
	REAL(int, close, int);
	if (fault("close")) {
		real(fd);
		errno = fault_errno;
		return -1;
	}
	return real(fd);
}

int tep_parse_event(void *tep, const char *bytes, unsigned long n, const char *system);
int tep_parse_event(void *tep, const char *bytes, unsigned long n, const char *system)
{
	REAL(int, tep_parse_event, void *, const char *, unsigned long, const char *);
	int result;

	elsewhere = true;
	result = real(tep, bytes, n, system);
	elsewhere = false;
	return result;
}

void *tep_alloc(void);
void *tep_alloc(void)
{
	REAL(void *, tep_alloc, void);
	void *result;

	elsewhere = true;
	result = real();
	elsewhere = false;
	return result;
}

/* ---- one run --------------------------------------------------------------- */

struct text {
	char *bytes;
	size_t n;
};

/* How a run ended. */
struct run {
	int status;
	struct text out, err, file;
	bool has_file;
	long calls;
	bool fired;
};

static const char *made_file;
static int out_fd, err_fd;

static struct text text_of(int fd)
{
	struct text text = { malloc(TEXT_MAX + 1), 0 };
	ssize_t got = text.bytes ? pread(fd, text.bytes, TEXT_MAX, 0) : -1;

	if (got < 0)
		abort();
	text.n = (size_t)got;
	text.bytes[text.n] = '\0';
	return text;
}

static void run_free(struct run *run)
{
	free(run->out.bytes);
	free(run->err.bytes);
	free(run->file.bytes);
}

typedef int (*main_fn)(int, char **, char **);

static struct run run_with(main_fn program, int argc, char **argv, char **envp, long n)
{
	struct run run = { 0 };
	int fd;
	pid_t pid;

	if (ftruncate(out_fd, 0) || ftruncate(err_fd, 0))
		abort();
	lseek(out_fd, 0, SEEK_SET);
	lseek(err_fd, 0, SEEK_SET);
	if (made_file)
		unlink(made_file);
	*shared = (struct shared){ .left = n };
	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (lseek(STDIN_FILENO, 0, SEEK_SET) == 0)
			errno = 0;
		dup2(out_fd, STDOUT_FILENO);
		dup2(err_fd, STDERR_FILENO);
		alarm(SECONDS_MAX);
		in_child = true;
		exit(program(argc, argv, envp));
	}
	if (pid < 0 || waitpid(pid, &run.status, 0) != pid)
		abort();
	run.out = text_of(out_fd);
	run.err = text_of(err_fd);
	run.calls = atomic_load(&shared->calls);
	run.fired = atomic_load(&shared->fired);
	fd = made_file ? open(made_file, O_RDONLY) : -1;
	if (fd >= 0) {
		run.has_file = true;
		run.file = text_of(fd);
		close(fd);
	}
	return run;
}

/* ---- judging ---------------------------------------------------------------- */

static bool same(const struct text *a, const struct text *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->bytes, b->bytes, a->n));
}

static bool is_line_of(const char *line, size_t n, const struct text *text)
{
	for (const char *at = text->bytes;
	     (at = memmem(at, text->n - (size_t)(at - text->bytes), line, n)); at++)
		if (at == text->bytes || at[-1] == '\n')
			return true;
	return false;
}

/* Every line of a is one of b (the last may be cut); binary output is a beginning of b. */
static bool lines_within(const struct text *a, const struct text *b)
{
	const char *at = a->bytes, *end = a->bytes + a->n;

	if (memchr(b->bytes, '\0', b->n))
		return a->n <= b->n && !memcmp(a->bytes, b->bytes, a->n);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);

		if (!is_line_of(at, n, b))
			return false;
		at += n;
	}
	return true;
}

static bool same_file(const struct run *a, const struct run *b)
{
	return a->has_file == b->has_file && (!a->has_file || same(&a->file, &b->file));
}

/* What is wrong with a run, or NULL. */
static const char *verdict(const struct run *run, const struct run *truth)
{
	bool harmless = fault_short || fault_errno == EINTR;
	int code;

	if (WIFSIGNALED(run->status))
		return WTERMSIG(run->status) == SIGALRM ? "does not end" : "dies of a signal";
	code = WEXITSTATUS(run->status);
	if (strstr(run->err.bytes, "Sanitizer") || strstr(run->err.bytes, "runtime error"))
		return "a sanitizer reports";
	if (code == WEXITSTATUS(truth->status) && same(&run->out, &truth->out))
		return same_file(run, truth) || (!run->has_file && fault_errno == EPIPE)
			       ? NULL
			       : "another file, exit 0";
	if (harmless)
		return "another result, though nothing failed";
	if (code == 0 && fault_errno != EPIPE)
		return "another result, exit 0";
	if (code > 1)
		return "an exit code that means something else";
	if (!lines_within(&run->out, &truth->out))
		return "prints what is not true";
	if (run->has_file)
		return "leaves a file behind";
	if (code == 1 && !strchr(run->err.bytes, '\n'))
		return "says nothing";
	return NULL;
}

static void tell(long n, const struct run *run, const char *why)
{
	const char *more = strstr(run->err.bytes, "ERROR: ");

	printf("%s %ld (%s%s): %s\n%.1500s\n", fault_call, n,
	       fault_short ? "short" : strerror(fault_errno), fault_on ? ", and all after" : "",
	       why, more ? more : run->err.bytes);
	if (getenv("NTH_SHOW"))
		printf("---- stdout\n%.*s\n", (int)run->out.n, run->out.bytes);
}

static main_fn real_main;

static int many(int argc, char **argv, char **envp)
{
	struct run truth = run_with(real_main, argc, argv, envp, FAULTS_NONE);
	long calls = truth.calls,
	     most = getenv("NTH_RUNS") ? strtol(getenv("NTH_RUNS"), NULL, 10) : 0;
	long stride = most && calls > most ? (calls + most - 1) / most : 1, done = 0, bad = 0;

	if (!WIFEXITED(truth.status) || WEXITSTATUS(truth.status) > 1) {
		tell(-1, &truth, "fails by itself");
		return 1;
	}
	for (long n = 0; n < calls && bad < 5; n += stride) {
		struct run run = run_with(real_main, argc, argv, envp, n);
		const char *why = verdict(&run, &truth);

		done++;
		if (why) {
			tell(n, &run, why);
			bad++;
		}
		run_free(&run);
	}
	run_free(&truth);
	if (made_file)
		unlink(made_file);
	fprintf(stderr, "%ld of %ld\n", done, calls);
	return bad ? 1 : 0;
}

/* ---- taking main's place ------------------------------------------------------ */

static int errno_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} names[] = { { "EIO", EIO },      { "EINTR", EINTR },   { "ENOSPC", ENOSPC },
		      { "EPIPE", EPIPE },  { "ENOMEM", ENOMEM }, { "EMFILE", EMFILE },
		      { "EACCES", EACCES } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].name))
			return names[i].number;
	return 0;
}

static int take_place(int argc, char **argv, char **envp)
{
	const char *how = getenv("NTH_ERRNO");

	fault_call = getenv("NTH_CALL");
	if (!fault_call)
		return real_main(argc, argv, envp);
	fault_short = how && !strcmp(how, "short");
	fault_errno = how ? errno_of(how) : ENOMEM;
	fault_on = getenv("NTH_ON");
	made_file = getenv("NTH_FILE");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	out_fd = memfd_create("out", MFD_CLOEXEC);
	err_fd = memfd_create("err", MFD_CLOEXEC);
	if (shared == MAP_FAILED || out_fd < 0 || err_fd < 0)
		return 2;
	return many(argc, argv, envp);
}

int __libc_start_main(main_fn program, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_fn program, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	REAL(int, __libc_start_main, main_fn, int, char **, void (*)(void), void (*)(void),
	     void (*)(void), void *);
	real_main = program;
	return real(take_place, argc, argv, init, fini, rtld_fini, stack_end);
}
