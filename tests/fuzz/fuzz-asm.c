/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spe-asm: any text assembles or is refused; any bytes have a text that
 * assembles to the same bytes; what a text assembles to does so again through
 * its disassembly.  Texts that ask for much work or memory are cut short here:
 * spe-asm does what its user says, a fuzzer has other things to do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/spe-asm/die.h"
#include "../../tools/spe-asm/disassemble.h"
#include "../../tools/spe-asm/program.h"
#include "property.h"

#define STATEMENTS_MAX 5000u
#define MEMORY_MAX (16u << 20)

void *__real_malloc(size_t n);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
char *__wrap_realpath(const char *path, char *resolved);
int __wrap_asprintf(char **text, const char *format, ...);
void __wrap_free(void *p);
void __real_words_again(struct words *words);
void __wrap_words_again(struct words *words);

/* ---- memory, which giving up leaves behind ---------------------------------- */

struct block {
	struct block *next, *previous;
	size_t n, tag;
};

#define BLOCK_TAG 0xb10cb10cb10cb10cull

static struct block blocks = { &blocks, &blocks, 0, 0 };
static size_t live_bytes;
static bool counting;

void *__wrap_malloc(size_t n)
{
	struct block *b;

	if (!counting || n > MEMORY_MAX || live_bytes + n > MEMORY_MAX)
		return counting ? NULL : __real_malloc(n);
	b = __real_malloc(sizeof(*b) + n);
	PROPERTY(b);
	*b = (struct block){ blocks.next, &blocks, n, BLOCK_TAG };
	b->next->previous = b;
	blocks.next = b;
	live_bytes += n;
	return b + 1;
}

void __wrap_free(void *p)
{
	struct block *b;

	if (!p || !counting) {
		__real_free(p);
		return;
	}
	b = (struct block *)p - 1;
	PROPERTY(b->tag == BLOCK_TAG);
	b->next->previous = b->previous;
	b->previous->next = b->next;
	live_bytes -= b->n;
	__real_free(b);
}

void *__wrap_calloc(size_t count, size_t n)
{
	void *p = n && count > SIZE_MAX / n ? NULL : __wrap_malloc(count * n);

	return p ? memset(p, 0, count * n) : NULL;
}

void *__wrap_realloc(void *p, size_t n)
{
	void *grown;

	if (!counting)
		return __real_realloc(p, n);
	grown = __wrap_malloc(n);
	if (grown && p) {
		size_t old = ((struct block *)p - 1)->n;

		memcpy(grown, p, old < n ? old : n);
		__wrap_free(p);
	}
	return grown;
}

char *__wrap_strndup(const char *text, size_t size)
{
	size_t n = strnlen(text, size);
	char *copy = __wrap_malloc(n + 1);

	if (!copy)
		return NULL;
	copy[n] = '\0';
	return memcpy(copy, text, n);
}

char *__wrap_strdup(const char *text)
{
	return __wrap_strndup(text, SIZE_MAX);
}

/* Only paths of our own come here. */
char *__wrap_realpath(const char *path, char *resolved)
{
	PROPERTY(!resolved);
	return __wrap_strdup(path);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	char room[4096];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(room, sizeof(room), format, args);
	va_end(args);
	PROPERTY(n >= 0 && n < (int)sizeof(room));
	*text = __wrap_strdup(room);
	return *text ? n : -1;
}

/* ---- giving up --------------------------------------------------------------- */

#define CLEANUPS_MAX 4

static struct {
	void (*run)(void *arg);
	void *arg;
} cleanups[CLEANUPS_MAX];

static jmp_buf given_up;
static unsigned statements;

void die_cleanup(void (*run)(void *arg), void *arg)
{
	for (size_t i = 0; i < CLEANUPS_MAX; i++)
		if (!cleanups[i].run) {
			cleanups[i].run = run;
			cleanups[i].arg = arg;
			return;
		}
}

void die_cleanup_done(void *arg)
{
	for (size_t i = 0; i < CLEANUPS_MAX; i++)
		if (cleanups[i].arg == arg)
			cleanups[i].run = NULL;
}

static _Noreturn void give_up(const char *format, va_list args)
{
	char text[4096];

	PROPERTY(vsnprintf(text, sizeof(text), format, args) > 0);
	for (size_t i = CLEANUPS_MAX; i-- > 0;) {
		void (*run)(void *arg) = cleanups[i].run;

		cleanups[i].run = NULL;
		if (run)
			run(cleanups[i].arg);
	}
	longjmp(given_up, 1);
}

_Noreturn void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	give_up(format, args);
}

_Noreturn void die_at(const struct place *place, const char *format, ...)
{
	va_list args;

	PROPERTY(place->file);
	va_start(args, format);
	give_up(format, args);
}

void die_on(int status, const struct spe_error *error)
{
	if (status < 0)
		die("%s", error && error->text[0] ? error->text : spe_status_text(status));
}

void *need(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}

void remove_half_written(const char *path)
{
	unlink(path);
}

void __wrap_words_again(struct words *words)
{
	if (++statements > STATEMENTS_MAX)
		die("too many statements");
	__real_words_again(words);
}

/* ---- the properties ---------------------------------------------------------- */

static void begin(void)
{
	counting = true;
	statements = 0;
	live_bytes = 0;
}

/* Everything is given back; what giving up left behind is, here. */
static void end(bool whole)
{
	PROPERTY(!whole || blocks.next == &blocks);
	while (blocks.next != &blocks)
		__wrap_free(blocks.next + 1);
	counting = false;
}

/* Bytes of a text, which live outside of the count; NULL: refused. */
static uint8_t *bytes_of(const char *text, size_t size, size_t *n)
{
	static struct buffer out;
	static uint8_t *copy;
	struct assembly a = { .name = "text", .text = text, .n = size, .out = &out, .cpu = -1 };

	copy = NULL;
	begin();
	out = (struct buffer){ 0 };
	if (setjmp(given_up)) {
		end(false);
		return NULL;
	}
	assemble(&a);
	*n = out.n;
	copy = __real_malloc(out.n + 1);
	PROPERTY(copy);
	if (out.n)
		memcpy(copy, out.bytes, out.n);
	buffer_free(&out);
	end(true);
	return copy;
}

/* A perf.data of a text. */
static void file_of(const char *text, size_t size)
{
	static char path[64];
	struct assembly a = { .name = "text",
			      .text = text,
			      .n = size,
			      .settings = "form=file compress=no",
			      .path = path,
			      .cpu = -1 };

	snprintf(path, sizeof(path), "%s/spe-fuzz-asm.%ld",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
	begin();
	if (setjmp(given_up)) {
		end(false);
		return;
	}
	assemble(&a);
	end(true);
	PROPERTY(unlink(path) == 0);
}

static void through_text(const uint8_t *bytes, size_t size)
{
	static struct buffer text;
	uint8_t *again;
	size_t n = 0;

	text = (struct buffer){ 0 };
	disassemble(bytes, size, &text);
	again = bytes_of((const char *)text.bytes, text.n, &n);
	PROPERTY(again && n == size && (!n || memcmp(again, bytes, n) == 0));
	__real_free(again);
	buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes;
	size_t n = 0;

	if (size < 512)
		through_text(data, size);
	bytes = bytes_of((const char *)data, size, &n);
	if (bytes && n < 512)
		through_text(bytes, n);
	__real_free(bytes);
	file_of((const char *)data, size);
	return 0;
}
