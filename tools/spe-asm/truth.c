/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "truth.h"

#define TRUTH_BUFFER_BYTES (1u << 20)
#define TRUTH_ROW_BYTES 512u /* room for the numbers of a row; the name comes on top */

struct truth {
	FILE *file;
	const char *path;
	struct buffer text;
};

/* By hand: these are millions of lines. */
static char *put_number(char *at, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*at++ = digits[--n];
	*at++ = ',';
	return at;
}

static char *put_signed(char *at, int64_t v)
{
	if (v < 0)
		*at++ = '-';
	return put_number(at, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static char *put_hex(char *at, uint64_t v)
{
	int shift = v ? (63 - __builtin_clzll(v)) / 4 * 4 : 0;

	*at++ = '0';
	*at++ = 'x';
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[v >> shift & 15];
	*at++ = ',';
	return at;
}

/* A name that would break a line of CSV loses what does. */
static char *put_text(char *at, const char *text)
{
	for (; *text; text++)
		*at++ = (char)(*text == ',' || *text == '\n' || *text == '"' ? '_' : *text);
	*at++ = ',';
	return at;
}

static void write_out(struct truth *t)
{
	if (fwrite(t->text.bytes, 1, t->text.n, t->file) != t->text.n)
		die("%s: %s", t->path, strerror(errno));
	t->text.n = 0;
}

static void remove_half(void *arg)
{
	const struct truth *t = arg;

	remove_half_written(t->path);
}

struct truth *truth_new(const char *path)
{
	struct truth *t = need(calloc(1, sizeof(*t)));

	t->path = path;
	t->file = fopen(path, "w");
	if (!t->file)
		die("%s: %s", path, strerror(errno));
	die_cleanup(remove_half, t);
	buffer_printf(&t->text,
		      "cpu,timestamp,pc,tid,tgid,comm,perf_time,evtid,evtgid,nstid,nstgid,"
		      "contextidr,el,kind,why,task_start,ctxmode,guestctx\n");
	return t;
}

void truth_add(struct truth *t, const struct truth_row *row)
{
	char *start = (char *)buffer_room(&t->text, TRUTH_ROW_BYTES + strlen(row->comm));
	char *at = start;

	at = put_signed(at, row->cpu);
	at = put_number(at, row->timestamp);
	at = put_hex(at, row->pc);
	at = put_signed(at, row->task.tid);
	at = put_signed(at, row->task.pid);
	at = put_text(at, row->comm);
	if (row->has_time)
		at = put_number(at, row->time_ns);
	else
		*at++ = ',';
	for (int twice = 0; twice < 2;
	     twice++) { /* as perf's namespace and as their own see them */
		at = put_signed(at, row->task.tid);
		at = put_signed(at, row->task.pid);
	}
	at = put_number(at, row->context);
	at = put_number(at, row->el);
	at = put_text(at, row->kind);
	at = put_number(at, 0); /* not made inside the switch path */
	at = put_number(at, row->start_ns);
	at = put_number(at, 1);
	at = put_number(at, row->guest);
	at[-1] = '\n';
	t->text.n += (size_t)(at - start);
	if (t->text.n >= TRUTH_BUFFER_BYTES)
		write_out(t);
}

void truth_finish(struct truth *t)
{
	write_out(t);
	if (fclose(t->file))
		die("%s: %s", t->path, strerror(errno));
	die_cleanup_done(t);
	buffer_free(&t->text);
	free(t);
}
