/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Works on the bytes of the file, not through the library's reader and writer:
 * but for the records taken out and the offsets that move, nothing changes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/perfdata.h>

#include "buffer.h"
#include "die.h"
#include "strip.h"

#define FILE_HEADER_BYTES 104u
#define PIPE_HEADER_BYTES 16u
#define RECORD_HEADER_BYTES 8u
#define FEATURE_WORDS 4
/* Offsets in the header of a file. */
#define AT_HEADER_SIZE 8
#define AT_ATTR_SIZE 16
#define AT_ATTRS 24
#define AT_DATA 40
#define AT_FEATURES 72

static const struct {
	const char *name;
	uint8_t types[2];
} type_names[] = {
	{ "mmap", { SPE_PERF_MMAP, SPE_PERF_MMAP2 } },
	{ "lost", { SPE_PERF_LOST } },
	{ "comm", { SPE_PERF_COMM } },
	{ "exit", { SPE_PERF_EXIT } },
	{ "throttle", { SPE_PERF_THROTTLE, SPE_PERF_UNTHROTTLE } },
	{ "fork", { SPE_PERF_FORK } },
	{ "sample", { SPE_PERF_SAMPLE } },
	{ "aux", { SPE_PERF_AUX } },
	{ "itrace-start", { SPE_PERF_ITRACE_START } },
	{ "lost-samples", { SPE_PERF_LOST_SAMPLES } },
	{ "switch", { SPE_PERF_SWITCH, SPE_PERF_SWITCH_CPU_WIDE } },
	{ "namespaces", { SPE_PERF_NAMESPACES } },
	{ "ksymbol", { SPE_PERF_KSYMBOL } },
	{ "bpf", { SPE_PERF_BPF_EVENT } },
	{ "cgroup", { SPE_PERF_CGROUP } },
	{ "round", { SPE_PERF_FINISHED_ROUND } },
	{ "id-index", { SPE_PERF_ID_INDEX } },
	{ "auxtrace-info", { SPE_PERF_AUXTRACE_INFO } },
	{ "auxtrace", { SPE_PERF_AUXTRACE } },
	{ "thread-map", { SPE_PERF_THREAD_MAP } },
	{ "time-conv", { SPE_PERF_TIME_CONV } },
	{ "finished-init", { SPE_PERF_FINISHED_INIT } },
};

#define TYPE_NAMES (sizeof(type_names) / sizeof(type_names[0]))

struct stripper {
	const char *path;
	uint8_t *bytes;
	size_t n;
	bool swap;
	bool drop[SPE_PERF_RECORD_MAX];
	uint64_t data, data_end; /* the data section in the old file */
	struct buffer kept;      /* what stays of it */
	struct buffer moves;     /* old and new offset of each AUXTRACE record: u64 pairs */
};

static uint64_t get(const struct stripper *s, uint64_t at, size_t bytes)
{
	uint64_t v = 0;

	if (at > s->n || s->n - at < bytes)
		die("%s: ends at %zu, inside what should be at %llu", s->path, s->n,
		    (unsigned long long)at);
	for (size_t i = 0; i < bytes; i++)
		v |= (uint64_t)s->bytes[at + (s->swap ? bytes - 1 - i : i)] << (8 * i);
	return v;
}

static void set64(const struct stripper *s, uint8_t *at, uint64_t v)
{
	for (size_t i = 0; i < sizeof(v); i++)
		at[s->swap ? sizeof(v) - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

static void take_types(struct stripper *s, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ","), i = 0;
		char *end;
		unsigned long type = strtoul(list, &end, 10);

		while (i < TYPE_NAMES && (strlen(type_names[i].name) != n ||
					  strncmp(type_names[i].name, list, n) != 0))
			i++;
		if (i < TYPE_NAMES) {
			s->drop[type_names[i].types[0]] = true;
			s->drop[type_names[i].types[1]] = true;
		} else if (n && end == list + n && type < SPE_PERF_RECORD_MAX) {
			s->drop[type] = true;
		} else {
			die("--strip: there is no record type '%.*s'", (int)n, list);
		}
		list += n + (list[n] == ',');
	}
	s->drop[0] = false;
}

/* Bytes of the record at `at`, with what follows it outside its size. */
static uint64_t record_bytes(const struct stripper *s, uint64_t at, uint32_t type)
{
	uint64_t size = get(s, at + 6, 2), more = 0;

	if (size < RECORD_HEADER_BYTES)
		die("%s: a record at %llu of %llu bytes", s->path, (unsigned long long)at,
		    (unsigned long long)size);
	if (type == SPE_PERF_AUXTRACE)
		more = get(s, at + RECORD_HEADER_BYTES, 8);
	else if (type == SPE_PERF_TRACING_DATA)
		more = (get(s, at + RECORD_HEADER_BYTES, 4) + 7) / 8 * 8;
	if (more > s->data_end - at || size > s->data_end - at - more)
		return s->data_end - at; /* the file is cut here, and stays so */
	return size + more;
}

static void filter(struct stripper *s)
{
	uint64_t at = s->data;

	while (at < s->data_end && s->data_end - at >= RECORD_HEADER_BYTES) {
		uint32_t type = (uint32_t)get(s, at, 4);
		uint64_t n = record_bytes(s, at, type);
		uint64_t move[2] = { at, s->data + s->kept.n };

		if (type == SPE_PERF_COMPRESSED || type == SPE_PERF_COMPRESSED2)
			die("%s: is compressed; records inside are not taken out", s->path);
		if (type >= SPE_PERF_RECORD_MAX || !s->drop[type]) {
			if (type == SPE_PERF_AUXTRACE)
				buffer_put(&s->moves, move, sizeof(move));
			buffer_put(&s->kept, s->bytes + at, n);
		}
		at += n;
	}
	buffer_put(&s->kept, s->bytes + at, s->data_end - at);
}

/* Where what stood at an old offset outside the data stands now. */
static uint64_t moved(const struct stripper *s, uint64_t offset)
{
	return offset >= s->data_end ? offset - (s->data_end - s->data - s->kept.n) : offset;
}

static void move_at(const struct stripper *s, uint64_t at)
{
	uint64_t offset = get(s, at, 8);

	set64(s, s->bytes + at, moved(s, offset));
}

/* Attrs entries end with the section of their ids. */
static void move_attrs(const struct stripper *s)
{
	uint64_t stride = get(s, AT_ATTR_SIZE, 8);
	uint64_t at = get(s, AT_ATTRS, 8), end = at + get(s, AT_ATTRS + 8, 8);

	if (stride < 16 || end < at)
		die("%s: damaged header", s->path);
	for (; at < end; at += stride)
		move_at(s, at + stride - 16);
	move_at(s, AT_ATTRS);
}

/* Feature AUXTRACE: u64 n, then u64 offset and size of each AUXTRACE record. */
static void move_index(const struct stripper *s, uint64_t at)
{
	const uint64_t *moves = (const uint64_t *)(const void *)s->moves.bytes;
	uint64_t n = get(s, at, 8);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t entry = at + 8 + 16 * i, offset = get(s, entry, 8);

		for (size_t m = 0; m < s->moves.n / 16; m++)
			if (moves[2 * m] == offset)
				set64(s, s->bytes + entry, moves[2 * m + 1]);
	}
}

static void move_features(const struct stripper *s)
{
	uint64_t at = s->data_end;

	for (unsigned bit = 0; bit < 64 * FEATURE_WORDS; bit++) {
		if (!(get(s, AT_FEATURES + bit / 64 * 8, 8) >> bit % 64 & 1))
			continue;
		if (bit == SPE_FEAT_AUXTRACE && get(s, at + 8, 8))
			move_index(s, get(s, at, 8));
		move_at(s, at);
		at += 16;
	}
}

static void find_data(struct stripper *s)
{
	static const char magic[] = "PERFILE2", swapped[] = "2ELIFREP";

	if (s->n < PIPE_HEADER_BYTES ||
	    (memcmp(s->bytes, magic, 8) != 0 && memcmp(s->bytes, swapped, 8) != 0))
		die("%s: is no perf.data file", s->path);
	s->swap = !memcmp(s->bytes, swapped, 8);
	s->data = PIPE_HEADER_BYTES;
	s->data_end = s->n;
	if (get(s, AT_HEADER_SIZE, 8) == PIPE_HEADER_BYTES)
		return;
	s->data = get(s, AT_DATA, 8);
	if (get(s, AT_DATA + 8, 8))
		s->data_end = s->data + get(s, AT_DATA + 8, 8);
	if (s->data < FILE_HEADER_BYTES || s->data > s->data_end || s->data_end > s->n)
		die("%s: the data section is not inside the file", s->path);
}

static void fix_header(const struct stripper *s)
{
	if (s->data == PIPE_HEADER_BYTES)
		return;
	move_attrs(s);
	if (!get(s, AT_DATA + 8, 8))
		return; /* the recorder did not finish: no features */
	move_features(s);
	set64(s, s->bytes + AT_DATA + 8, s->kept.n);
}

static void read_file(struct stripper *s)
{
	struct buffer b = { 0 };
	FILE *f = fopen(s->path, "rb");
	size_t n;

	if (!f)
		die("%s: %s", s->path, strerror(errno));
	do {
		n = fread(buffer_room(&b, 1 << 20), 1, 1 << 20, f);
		b.n += n;
	} while (n);
	if (ferror(f))
		die("%s: %s", s->path, strerror(errno));
	fclose(f);
	s->bytes = b.bytes;
	s->n = b.n;
}

static _Noreturn void die_half(const char *path)
{
	int why = errno;

	remove_half_written(path);
	die("%s: %s", path, strerror(why));
}

void strip(const char *types, const char *from, const char *to)
{
	struct stripper s = { .path = from };
	FILE *f;

	take_types(&s, types);
	read_file(&s);
	find_data(&s);
	filter(&s);
	fix_header(&s);
	f = fopen(to, "wb");
	if (!f)
		die("%s: %s", to, strerror(errno));
	if (fwrite(s.bytes, 1, s.data, f) != s.data ||
	    fwrite(s.kept.bytes, 1, s.kept.n, f) != s.kept.n ||
	    fwrite(s.bytes + s.data_end, 1, s.n - s.data_end, f) != s.n - s.data_end || fclose(f))
		die_half(to);
	free(s.bytes);
	buffer_free(&s.kept);
	buffer_free(&s.moves);
}
