/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sched_switch samples say: where the fields stand, by the format text in
 * the file's own tracing data.  The walk through that blob is ours (layout: perf's
 * trace-event-info.c), the text is libtraceevent's to read.  As some texts end
 * the process there, it sees no word of the file's but four plain fields.
 */
#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBTRACEEVENT

#include "../base/cursor.h"

#include <traceevent/event-parse.h>

struct field {
	size_t offset, bytes;
};

struct spe_sched {
	uint64_t id;
	bool swap;
	struct field prev_pid, next_pid, prev_comm, next_comm;
};

/* ---- the blob ---------------------------------------------------------------- */

struct blob {
	bool big_endian;
	uint8_t long_bytes;
	uint32_t page_bytes;
	const uint8_t *format; /* text of sched:sched_switch, NULL: none */
	size_t format_bytes;
};

/* A NUL-terminated string in place; NULL when it does not end. */
static const char *take_string(struct spe_cursor *c)
{
	const uint8_t *at = c->bytes + c->pos;
	const uint8_t *end = c->failed ? NULL : memchr(at, '\0', spe_cursor_left(c));

	if (!end) {
		c->failed = true;
		return NULL;
	}
	return (const char *)spe_cursor_take(c, (size_t)(end - at) + 1);
}

/* A u64 length and that many bytes. */
static const uint8_t *take_block(struct spe_cursor *c, size_t *n)
{
	uint64_t bytes = spe_cursor_u64(c);

	if (bytes > spe_cursor_left(c))
		c->failed = true;
	*n = c->failed ? 0 : (size_t)bytes;
	return spe_cursor_take(c, *n);
}

static void take_header(struct spe_cursor *c, struct blob *blob)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *at = spe_cursor_take(c, sizeof(magic));
	size_t n;

	if (!at || memcmp(at, magic, sizeof(magic)) != 0) {
		c->failed = true;
		return;
	}
	take_string(c); /* version: what is read here has not changed since 0.4 */
	blob->big_endian = spe_cursor_u8(c);
	blob->long_bytes = spe_cursor_u8(c);
	c->swap = blob->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	blob->page_bytes = spe_cursor_u32(c);
	take_string(c); /* header_page: the ring buffer's, not perf's */
	take_block(c, &n);
	take_string(c); /* header_event */
	take_block(c, &n);
}

static bool is_sched_switch(const uint8_t *text, size_t n)
{
	static const char name[] = "name: sched_switch\n";

	return text && n >= sizeof(name) - 1 && !memcmp(text, name, sizeof(name) - 1);
}

/* Formats of one system (NULL: ftrace's own, which has no name). */
static void take_formats(struct spe_cursor *c, const char *system, struct blob *blob)
{
	uint32_t count = spe_cursor_u32(c);

	for (uint32_t i = 0; i < count && !c->failed; i++) {
		size_t n;
		const uint8_t *text = take_block(c, &n);

		if (system && !strcmp(system, "sched") && is_sched_switch(text, n)) {
			blob->format = text;
			blob->format_bytes = n;
		}
	}
}

static int blob_walk(const uint8_t *bytes, size_t n, struct blob *blob)
{
	struct spe_cursor c = spe_cursor_over(bytes, n, false);
	uint32_t systems;

	*blob = (struct blob){ 0 };
	take_header(&c, blob);
	take_formats(&c, NULL, blob);
	systems = spe_cursor_u32(&c);
	for (uint32_t i = 0; i < systems && !c.failed && !blob->format; i++)
		take_formats(&c, take_string(&c), blob);
	if (c.failed)
		return SPE_CORRUPT;
	return blob->format ? SPE_OK : SPE_NOT_FOUND;
}

/* ---- the format ------------------------------------------------------------- */

/* What the kernel writes for an event is a page at most. */
#define FORMAT_BYTES_MOST 65536u
#define CLEAN_BYTES 1024u
#define CLEAN_HEAD                                                                                 \
	"name: sched_switch\nID: %u\nformat:\n"                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"

static const char *const wanted[] = { "prev_comm", "prev_pid", "next_comm", "next_pid" };

/* "TYPE NAME" or "TYPE NAME[N]" of a field we ask for. */
static bool is_wanted(const char *declaration)
{
	const char *name = strrchr(declaration, ' ');
	unsigned length;
	int end = 0;
	size_t n;

	if (!name || name == declaration || name[-1] == ' ' || declaration[0] == ' ')
		return false;
	name++;
	n = strcspn(name, "[");
	if (strcspn(declaration, "[") != (size_t)(name - declaration) + n)
		return false;
	if (name[n] && (sscanf(name + n, "[%3u]%n", &length, &end) != 1 || !end || name[n + end]))
		return false;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (strlen(wanted[i]) == n && !memcmp(wanted[i], name, n))
			return true;
	return false;
}

/* The line at *text, ended there; NULL: no more. */
static char *take_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

/* The id and the fields we ask for out of a format, as a format without anything else. */
static size_t format_clean(char *text, char clean[CLEAN_BYTES])
{
	unsigned id = 0, offset, size, is_signed;
	size_t fields = 0, n;
	char declaration[64], *line;

	while ((line = take_line(&text)) && sscanf(line, "ID: %9u", &id) != 1)
		continue;
	n = (size_t)snprintf(clean, CLEAN_BYTES, CLEAN_HEAD, id);
	while (fields < sizeof(wanted) / sizeof(wanted[0]) && (line = take_line(&text))) {
		if (sscanf(line, "\tfield:%63[][A-Za-z0-9_ ];\toffset:%5u;\tsize:%3u;\tsigned:%1u",
			   declaration, &offset, &size, &is_signed) != 4 ||
		    !is_wanted(declaration))
			continue;
		n += (size_t)snprintf(clean + n, CLEAN_BYTES - n,
				      "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
				      declaration, offset, size, is_signed);
		fields++;
	}
	return n + (size_t)snprintf(clean + n, CLEAN_BYTES - n,
				    "\nprint fmt: \"%%d\", REC->prev_pid\n");
}

static bool field_of(struct tep_event *event, const char *name, size_t least, size_t most,
		     struct field *field)
{
	const struct tep_format_field *f = tep_find_field(event, name);

	if (!f || f->offset < 0 || f->size < (int)least || f->size > (int)most)
		return false;
	field->offset = (size_t)f->offset;
	field->bytes = (size_t)f->size;
	return true;
}

static int format_read(struct tep_handle *tep, const struct blob *blob, struct spe_sched *sched)
{
	char clean[CLEAN_BYTES], *text = NULL;
	struct tep_event *event;
	enum tep_errno failed;
	size_t n;

	if (blob->format_bytes > FORMAT_BYTES_MOST)
		return SPE_CORRUPT;
	text = strndup((const char *)blob->format, blob->format_bytes);
	if (!text)
		return SPE_NOMEM;
	n = format_clean(text, clean);
	free(text);
	tep_set_file_bigendian(tep, blob->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, blob->long_bytes);
	tep_set_page_size(tep, (int)(blob->page_bytes & INT32_MAX));
	failed = tep_parse_event(tep, clean, n, "sched");
	if (failed == TEP_ERRNO__MEM_ALLOC_FAILED)
		return SPE_NOMEM;
	event = failed ? NULL : tep_find_event_by_name(tep, "sched", "sched_switch");
	if (!event || !field_of(event, "prev_pid", 4, 4, &sched->prev_pid) ||
	    !field_of(event, "next_pid", 4, 4, &sched->next_pid) ||
	    !field_of(event, "prev_comm", 1, 256, &sched->prev_comm) ||
	    !field_of(event, "next_comm", 1, 256, &sched->next_comm))
		return SPE_CORRUPT;
	sched->id = (uint32_t)event->id;
	return SPE_OK;
}

int spe_sched_new(const uint8_t *bytes, size_t n, struct spe_sched **sched)
{
	struct blob blob;
	struct tep_handle *tep;
	struct spe_sched *made;
	int status = blob_walk(bytes, n, &blob);

	if (status)
		return status;
	tep = tep_alloc();
	made = calloc(1, sizeof(*made));
	status = tep && made ? format_read(tep, &blob, made) : SPE_NOMEM;
	tep_free(tep);
	if (status) {
		free(made);
		return status;
	}
	made->swap = blob.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	*sched = made;
	return SPE_OK;
}

void spe_sched_free(struct spe_sched *sched)
{
	free(sched);
}

uint64_t spe_sched_id(const struct spe_sched *sched)
{
	return sched->id;
}

/* ---- samples ------------------------------------------------------------------ */

static bool read_tid(const struct spe_sched *sched, const struct field *field, const uint8_t *raw,
		     size_t n, int32_t *tid)
{
	struct spe_cursor c = spe_cursor_over(raw, n, sched->swap);

	spe_cursor_take(&c, field->offset);
	*tid = (int32_t)spe_cursor_u32(&c);
	return !c.failed;
}

static bool read_comm(const struct field *field, const uint8_t *raw, size_t n, char comm[17])
{
	struct spe_cursor c = spe_cursor_over(raw, n, false);
	const uint8_t *at;

	spe_cursor_take(&c, field->offset);
	at = spe_cursor_take(&c, field->bytes);
	if (!at)
		return false;
	memset(comm, 0, 17);
	memcpy(comm, at, strnlen((const char *)at, field->bytes < 16 ? field->bytes : 16));
	return true;
}

int spe_sched_read(const struct spe_sched *sched, const uint8_t *raw, size_t n,
		   struct spe_sched_switch *out)
{
	if (read_tid(sched, &sched->prev_pid, raw, n, &out->prev_tid) &&
	    read_tid(sched, &sched->next_pid, raw, n, &out->next_tid) &&
	    read_comm(&sched->prev_comm, raw, n, out->prev_comm) &&
	    read_comm(&sched->next_comm, raw, n, out->next_comm))
		return SPE_OK;
	return SPE_CORRUPT;
}

#else /* !HAVE_LIBTRACEEVENT: there never is one */

int spe_sched_new(const uint8_t *bytes, size_t n, struct spe_sched **sched)
{
	(void)bytes;
	(void)n;
	*sched = NULL;
	return SPE_UNSUPPORTED;
}

void spe_sched_free(struct spe_sched *sched)
{
	(void)sched;
}

uint64_t spe_sched_id(const struct spe_sched *sched)
{
	(void)sched;
	return UINT64_MAX;
}

int spe_sched_read(const struct spe_sched *sched, const uint8_t *raw, size_t n,
		   struct spe_sched_switch *out)
{
	(void)sched;
	(void)raw;
	(void)n;
	*out = (struct spe_sched_switch){ .prev_tid = -1, .next_tid = -1 };
	return SPE_CORRUPT;
}

#endif
