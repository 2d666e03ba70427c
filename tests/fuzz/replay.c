/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a fuzz target without a fuzzer: over each file named, over each file
 * of each folder named, and over N variants of each, made by a fixed
 * pseudo-random sequence (bytes flipped, pieces cut, repeated, put elsewhere),
 * so that every `make check` walks the same ground.  A *.hex file is text:
 * hexadecimal digits, blanks and #-comments.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BIGGEST_INPUT (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	uint8_t *bytes;
	size_t size;
};

static unsigned long inputs, runs;
static unsigned variants = 100;
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t pick(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (uint32_t)(state >> 32) % below : 0;
}

/* The target gets a copy of exactly this size, so that any overrun is seen. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(2);
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static void flip_bytes(struct input *in)
{
	for (uint32_t n = 1 + pick(4); n && in->size; n--) {
		uint8_t *byte = &in->bytes[pick((uint32_t)in->size)];

		*byte = pick(2) ? (uint8_t)pick(256) : (uint8_t)(*byte ^ 1u << pick(8));
	}
}

static void cut(struct input *in)
{
	size_t at = pick((uint32_t)in->size + 1), n = pick(64);

	if (pick(4) == 0 || n > in->size - at) {
		in->size = at;
		return;
	}
	memmove(in->bytes + at, in->bytes + at + n, in->size - at - n);
	in->size -= n;
}

static void repeat(struct input *in)
{
	size_t at = pick((uint32_t)in->size + 1), n = pick(64);

	if (n > in->size - at)
		n = in->size - at;
	if (in->size + n > BIGGEST_INPUT)
		return;
	memmove(in->bytes + at + n, in->bytes + at, in->size - at);
	in->size += n;
}

static void overwrite(struct input *in)
{
	size_t from = pick((uint32_t)in->size + 1), to = pick((uint32_t)in->size + 1);
	size_t longest = in->size - (from > to ? from : to), n = pick(32);

	memmove(in->bytes + to, in->bytes + from, n < longest ? n : longest);
}

static void set_number(struct input *in)
{
	static const uint64_t edges[] = {
		0, 1, 0x7f, 0x80, 0xffff, 0x7fffffff, 0xffffffffu, UINT64_MAX, INT64_MAX, 1u << 20
	};
	size_t width = (size_t)1 << pick(4);
	uint64_t value = edges[pick(sizeof(edges) / sizeof(edges[0]))];

	if (in->size >= width)
		memcpy(in->bytes + pick((uint32_t)(in->size - width + 1)), &value, width);
}

static void (*const mutate[])(struct input *) = { flip_bytes, flip_bytes, cut,
						  repeat,     overwrite,  set_number };

static void run_with_variants(const struct input *seed, struct input *room)
{
	run(seed->bytes, seed->size);
	inputs++;
	for (unsigned i = 0; i < variants; i++) {
		memcpy(room->bytes, seed->bytes, seed->size);
		room->size = seed->size;
		for (uint32_t n = 1 + pick(3); n; n--)
			mutate[pick(sizeof(mutate) / sizeof(mutate[0]))](room);
		run(room->bytes, room->size);
	}
}

static int digit(int c)
{
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

static void decode_hex(struct input *in)
{
	size_t out = 0;
	int high = -1;

	for (size_t i = 0; i < in->size; i++) {
		int c = in->bytes[i];

		if (c == '#')
			while (i + 1 < in->size && in->bytes[i + 1] != '\n')
				i++;
		else if (isxdigit(c) && high < 0)
			high = digit(c);
		else if (isxdigit(c)) {
			in->bytes[out++] = (uint8_t)(high << 4 | digit(c));
			high = -1;
		}
	}
	in->size = out;
}

static void replay_file(const char *path, struct input *seed, struct input *room)
{
	size_t length = strlen(path);
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(2);
	}
	seed->size = fread(seed->bytes, 1, BIGGEST_INPUT, file);
	fclose(file);
	if (length > 4 && strcmp(path + length - 4, ".hex") == 0)
		decode_hex(seed);
	run_with_variants(seed, room);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void replay(const char *path, struct input *seed, struct input *room)
{
	struct dirent **names;
	struct stat st;
	int n;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		replay_file(path, seed, room);
		return;
	}
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *inner = NULL;

		if (names[i]->d_name[0] != '.' &&
		    asprintf(&inner, "%s/%s", path, names[i]->d_name) > 0)
			replay(inner, seed, room);
		free(inner);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	struct input seed = { malloc(BIGGEST_INPUT), 0 }, room = { malloc(BIGGEST_INPUT), 0 };

	if (!seed.bytes || !room.bytes)
		return 2;
	if (getenv("REPLAY_VARIANTS"))
		variants = (unsigned)strtoul(getenv("REPLAY_VARIANTS"), NULL, 10);
	run((const uint8_t *)"", 0);
	qsort(argv + 1, (size_t)argc - 1, sizeof(*argv), by_name);
	for (int i = 1; i < argc; i++)
		replay(argv[i], &seed, &room);
	printf("ok %s: %lu inputs, %lu runs\n", argv[0], inputs, runs);
	free(seed.bytes);
	free(room.bytes);
	return inputs ? 0 : 1;
}
