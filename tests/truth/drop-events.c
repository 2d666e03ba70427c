/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * drop-events TYPE,... IN OUT: copy a seekable little-endian perf.data without
 * the records of these types, as if they had never been recorded.  The index of
 * AUX buffers is emptied, because its file offsets no longer hold.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEATURE_AUXTRACE 18
#define TYPE_AUXTRACE 71

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct {
		uint64_t offset, size;
	} attrs, data, event_types;
	uint64_t features[4];
};

struct section {
	uint64_t offset, size;
};

static uint8_t *bytes;
static size_t total;

static void fail(const char *what)
{
	fprintf(stderr, "drop-events: %s\n", what);
	exit(1);
}

static void read_all(const char *path)
{
	FILE *in = fopen(path, "rb");
	long size;

	if (!in || fseek(in, 0, SEEK_END) || (size = ftell(in)) < (long)sizeof(struct header))
		fail("cannot read the input");
	rewind(in);
	total = (size_t)size;
	bytes = malloc(total);
	if (!bytes || fread(bytes, 1, total, in) != total)
		fail("cannot read the input");
	fclose(in);
}

/* Moves what is kept to the front of the data section; returns its new size. */
static uint64_t squeeze(const struct header *h, const uint8_t *drop)
{
	uint8_t *from = bytes + h->data.offset, *end = from + h->data.size, *to = from;

	while (end - from >= 8) {
		uint32_t type;
		uint16_t size;
		uint64_t length, payload = 0;

		memcpy(&type, from, sizeof(type));
		memcpy(&size, from + 6, sizeof(size));
		if (type == TYPE_AUXTRACE && size >= 16)
			memcpy(&payload, from + 8, sizeof(payload));
		length = size + payload;
		if (size < 8 || length > (uint64_t)(end - from))
			fail("a record does not fit");
		if (type >= 256 || !drop[type]) {
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	return (uint64_t)(to - (bytes + h->data.offset));
}

static void move_features(struct header *h, uint64_t gone)
{
	struct section *sections = (struct section *)(bytes + h->data.offset + h->data.size);
	size_t n = 0;

	for (unsigned bit = 0; bit < 256; bit++) {
		if (!(h->features[bit / 64] >> bit % 64 & 1))
			continue;
		sections[n].offset -= gone;
		if (bit == FEATURE_AUXTRACE)
			sections[n].size = 0;
		n++;
	}
}

int main(int argc, char **argv)
{
	struct header *h;
	uint8_t drop[256] = { 0 };
	uint64_t kept, tail;
	FILE *out;

	if (argc != 4)
		fail("usage: drop-events TYPE,... IN OUT");
	for (char *type = argv[1]; *type; type += *type == ',')
		drop[strtoul(type, &type, 10) % 256] = 1;
	read_all(argv[2]);
	h = (struct header *)bytes;
	if (memcmp(h->magic, "PERFILE2", 8) || h->data.offset + h->data.size > total)
		fail("not a whole perf.data");
	kept = squeeze(h, drop);
	tail = h->data.offset + h->data.size;
	move_features(h, h->data.size - kept);
	h->data.size = kept;
	out = fopen(argv[3], "wb");
	if (!out || fwrite(bytes, 1, h->data.offset + kept, out) != h->data.offset + kept ||
	    fwrite(bytes + tail, 1, total - tail, out) != total - tail || fclose(out))
		fail("cannot write the output");
	free(bytes);
	return 0;
}
