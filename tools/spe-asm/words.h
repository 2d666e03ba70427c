/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of the text format: a keyword, then words and key=value pairs.
 * A parser takes what it knows; words_done() complains about the rest.
 */
#ifndef SPE_ASM_WORDS_H
#define SPE_ASM_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "die.h"

struct word {
	char *key;  /* NULL: not key=value */
	char *text; /* the word, or the value */
	bool used;
};

struct words {
	struct place place;
	struct word *items;
	size_t count;
	char *storage;
	const char *keyword; /* the first word */
};

/* A process and a thread, "100/101"; "100" is 100/100. */
struct task {
	int32_t pid, tid;
};

/*
 * Split a line.  false: there is nothing in it but blanks and a comment.
 * Dies on an unclosed quote or a bad escape.
 */
bool words_split(struct words *words, const struct place *place, const char *line, size_t n);
void words_free(struct words *words);
/* Look at the words again from the start. */
void words_again(struct words *words);

/* The next word that is no key=value and was not taken; dies if there is none. */
const char *words_take(struct words *words, const char *what);
/* The same, or NULL. */
const char *words_maybe(struct words *words);
/* Takes this very word if it is there. */
bool words_flag(struct words *words, const char *flag);
/* The value of a key, or NULL. */
const char *words_key(struct words *words, const char *key);
/* Dies if a word was not taken. */
void words_done(const struct words *words);

/* Numbers: decimal, 0x hexadecimal, 0 octal never; negative ones wrap. Dies on anything else. */
uint64_t words_to_number(const struct words *words, const char *text);
/* The same, held to 8 or 32 bits (32 bits may be negative). */
uint8_t words_to_byte(const struct words *words, const char *text);
uint32_t words_to_u32(const struct words *words, const char *text);
uint64_t words_number(struct words *words, const char *what);
uint64_t words_key_number(struct words *words, const char *key, uint64_t otherwise);
bool words_key_bool(struct words *words, const char *key, bool otherwise);
struct task words_to_task(const struct words *words, const char *text);
struct task words_task(struct words *words, const char *what);
/* Which of the names a text is (NULL closes the list); dies, naming them all. */
unsigned words_choice(const struct words *words, const char *text, const char *const *names);

#endif
