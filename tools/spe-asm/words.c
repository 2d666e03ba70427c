/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "words.h"

/* What a line is cut into so far: offsets, since the text may move while it grows. */
struct cutter {
	const struct place *place;
	const char *at, *end;
	struct buffer text;
	struct buffer starts; /* size_t pairs: key (or NO_KEY), text */
};

#define NO_KEY SIZE_MAX

static int hex_digit(const struct cutter *c, char digit)
{
	if (!isxdigit((unsigned char)digit))
		die_at(c->place, "\\x needs two hexadecimal digits");
	return isdigit((unsigned char)digit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

static char escaped(struct cutter *c)
{
	char code = c->at < c->end ? *c->at++ : '\0';
	int value;

	switch (code) {
	case '"':
	case '\\':
		return code;
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x':
		if (c->end - c->at < 2)
			die_at(c->place, "\\x needs two hexadecimal digits");
		value = hex_digit(c, c->at[0]) * 16 + hex_digit(c, c->at[1]);
		c->at += 2;
		if (!value)
			die_at(c->place, "a name cannot hold \\x00; write the record with 'raw'");
		return (char)value;
	default:
		die_at(c->place, "unknown escape in quotes: \\%c", code);
	}
}

static void cut_quoted(struct cutter *c)
{
	for (c->at++; c->at < c->end && *c->at != '"';) {
		char letter = *c->at++;

		buffer_u8(&c->text, (uint8_t)(letter == '\\' ? escaped(c) : letter));
	}
	if (c->at == c->end)
		die_at(c->place, "a quote is not closed");
	c->at++;
}

static void cut_word(struct cutter *c)
{
	size_t pair[2] = { NO_KEY, c->text.n };
	bool keyed = *c->at == '"';

	while (c->at < c->end && !isspace((unsigned char)*c->at)) {
		if (*c->at == '"') {
			cut_quoted(c);
		} else if (*c->at == '=' && !keyed) {
			pair[0] = pair[1];
			buffer_u8(&c->text, 0);
			pair[1] = c->text.n;
			keyed = true;
			c->at++;
		} else {
			buffer_u8(&c->text, (uint8_t)*c->at++);
		}
	}
	buffer_u8(&c->text, 0);
	buffer_put(&c->starts, pair, sizeof(pair));
}

bool words_split(struct words *words, const struct place *place, const char *line, size_t n)
{
	struct cutter c = { .place = place, .at = line, .end = line + n };
	const size_t *starts;

	*words = (struct words){ .place = *place };
	for (;;) {
		while (c.at < c.end && isspace((unsigned char)*c.at))
			c.at++;
		if (c.at == c.end || *c.at == '#')
			break;
		cut_word(&c);
	}
	if (!c.starts.n)
		return false;
	starts = (const size_t *)(const void *)c.starts.bytes;
	words->count = c.starts.n / sizeof(size_t[2]);
	words->items = need(calloc(words->count, sizeof(*words->items)));
	words->storage = (char *)c.text.bytes;
	for (size_t i = 0; i < words->count; i++) {
		if (starts[2 * i] != NO_KEY)
			words->items[i].key = words->storage + starts[2 * i];
		words->items[i].text = words->storage + starts[2 * i + 1];
	}
	buffer_free(&c.starts);
	if (words->items[0].key)
		die_at(place,
		       "a statement begins with a keyword, not with %s=", words->items[0].key);
	words->keyword = words->items[0].text;
	words->items[0].used = true;
	return true;
}

void words_free(struct words *words)
{
	free(words->items);
	free(words->storage);
	*words = (struct words){ 0 };
}

void words_again(struct words *words)
{
	for (size_t i = 1; i < words->count; i++)
		words->items[i].used = false;
}

const char *words_maybe(struct words *words)
{
	for (size_t i = 1; i < words->count; i++) {
		struct word *w = &words->items[i];

		if (w->used || w->key)
			continue;
		w->used = true;
		return w->text;
	}
	return NULL;
}

const char *words_take(struct words *words, const char *what)
{
	const char *text = words_maybe(words);

	if (!text)
		die_at(&words->place, "%s: %s is missing", words->keyword, what);
	return text;
}

bool words_flag(struct words *words, const char *flag)
{
	for (size_t i = 1; i < words->count; i++) {
		struct word *w = &words->items[i];

		if (w->used || w->key || strcmp(w->text, flag) != 0)
			continue;
		w->used = true;
		return true;
	}
	return false;
}

const char *words_key(struct words *words, const char *key)
{
	const char *value = NULL;

	for (size_t i = 1; i < words->count; i++) {
		struct word *w = &words->items[i];

		if (!w->key || strcmp(w->key, key) != 0)
			continue;
		if (value)
			die_at(&words->place, "%s: %s= stands here twice", words->keyword, key);
		w->used = true;
		value = w->text;
	}
	return value;
}

void words_done(const struct words *words)
{
	for (size_t i = 1; i < words->count; i++) {
		const struct word *w = &words->items[i];

		if (!w->used)
			die_at(&words->place, "%s: do not know what to do with '%s%s%s'",
			       words->keyword, w->key ? w->key : "", w->key ? "=" : "", w->text);
	}
}

uint64_t words_to_number(const struct words *words, const char *text)
{
	const char *digits = text + (*text == '-');
	int base = digits[0] == '0' && (digits[1] | 0x20) == 'x' ? 16 : 10;
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(digits, &end, base);
	if (!isdigit((unsigned char)*digits) || *end || errno)
		die_at(&words->place, "%s: not a number: '%s'", words->keyword, text);
	return *text == '-' ? 0 - (uint64_t)value : value;
}

uint8_t words_to_byte(const struct words *words, const char *text)
{
	uint64_t value = words_to_number(words, text);

	if (value > UINT8_MAX)
		die_at(&words->place, "%s: %s does not fit 8 bits", words->keyword, text);
	return (uint8_t)value;
}

uint32_t words_to_u32(const struct words *words, const char *text)
{
	uint64_t value = words_to_number(words, text);

	if (value > UINT32_MAX && value < (uint64_t)INT32_MIN)
		die_at(&words->place, "%s: %s does not fit 32 bits", words->keyword, text);
	return (uint32_t)value;
}

uint64_t words_number(struct words *words, const char *what)
{
	return words_to_number(words, words_take(words, what));
}

uint64_t words_key_number(struct words *words, const char *key, uint64_t otherwise)
{
	const char *text = words_key(words, key);

	return text ? words_to_number(words, text) : otherwise;
}

unsigned words_choice(const struct words *words, const char *text, const char *const *names)
{
	char list[256] = "";
	size_t n = 0;

	for (unsigned i = 0; names[i]; i++) {
		size_t length = strlen(names[i]);

		if (!strcmp(text, names[i]))
			return i;
		if (n + length + 3 < sizeof(list)) {
			memcpy(list + n, ", ", 2);
			memcpy(list + n + 2, names[i], length + 1);
			n += length + 2;
		}
	}
	die_at(&words->place, "%s: '%s' is none of %s", words->keyword, text, list + 2);
}

bool words_key_bool(struct words *words, const char *key, bool otherwise)
{
	static const char *const names[] = { "no", "yes", NULL };
	const char *text = words_key(words, key);

	return text ? words_choice(words, text, names) != 0 : otherwise;
}

struct task words_to_task(const struct words *words, const char *text)
{
	char part[32];
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	struct task task;

	if (n >= sizeof(part))
		die_at(&words->place, "%s: not a task: '%s'", words->keyword, text);
	memcpy(part, text, n);
	part[n] = '\0';
	task.pid = (int32_t)words_to_u32(words, part);
	task.tid = slash ? (int32_t)words_to_u32(words, slash + 1) : task.pid;
	return task;
}

struct task words_task(struct words *words, const char *what)
{
	return words_to_task(words, words_take(words, what));
}
