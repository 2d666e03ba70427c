/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump: every packet with its place and its bytes, in the look of
 * `perf script -D`.  The record decoder runs beside it, one record at a time,
 * to show what of the trace it could not use.
 */
#include <perf-arm-spe/sink.h>

#include <stdlib.h>

#include "../base/opts.h"
#include "dump.h"
#include "format.h"

/* A run of padding is shown in lines of up to so many bytes. */
#define PAD_RUN 16u
/* Bytes shown of a packet whose filler is longer. */
#define BYTES_SHOWN 16u
#define DESCRIPTION_BYTES 512u

struct dump {
	struct spe_text text;
	const uint8_t *bytes;
	size_t n;
	uint64_t aux_offset; /* of bytes[0] */
	uint64_t midr;
};

/* ".  00000040:  b0 d0 c2                 what" */
static void put_line(struct dump *dump, size_t pos, size_t n, const char *what)
{
	char *at = spe_text_room(&dump->text, 256 + DESCRIPTION_BYTES);

	at = spe_put_bytes(at, ".  ", 3);
	at = spe_put_hex_pad(at, pos, 8, '0');
	at = spe_put_bytes(at, ": ", 2);
	for (size_t i = 0; i < BYTES_SHOWN; i++) {
		*at++ = ' ';
		at = i < n ? spe_put_hex_pad(at, dump->bytes[pos + i], 2, '0')
			   : spe_put_bytes(at, "  ", 2);
	}
	*at++ = ' ';
	at = spe_put_bytes(at, what, strlen(what));
	*at++ = '\n';
	spe_text_done(&dump->text, at);
}

/* Zero bytes from pos, at most PAD_RUN of them. */
static size_t pad_run(const struct dump *dump, size_t pos, size_t end)
{
	size_t n = 0;

	while (n < PAD_RUN && pos + n < end && !dump->bytes[pos + n])
		n++;
	return n;
}

/* One line: a packet, a run of padding, or a byte that is none. Returns its bytes. */
static size_t put_packet(struct dump *dump, size_t pos, size_t end)
{
	char what[DESCRIPTION_BYTES];
	struct spe_packet packet;
	size_t n = pad_run(dump, pos, end);

	if (n) {
		put_line(dump, pos, n, "PAD");
		return n;
	}
	if (spe_packet_decode(dump->bytes + pos, end - pos, dump->aux_offset + pos, &packet) ||
	    spe_packet_describe(&packet, dump->midr, what, sizeof(what))) {
		put_line(dump, pos, 1, "Bad packet!");
		return 1;
	}
	put_line(dump, pos, packet.length_bytes, what);
	return packet.length_bytes;
}

static void put_packets(struct dump *dump, size_t pos, size_t end)
{
	while (pos < end)
		pos += put_packet(dump, pos, end);
}

/* ---- what the record decoder left out -------------------------------------------- */

/* Names of the drops that are new in `now`, into text. */
static void name_drops(const struct spe_decode_stats *before, const struct spe_decode_stats *now,
		       char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < SPE_DROP_KINDS; i++) {
		const char *name = spe_drop_name(i);
		size_t n = strlen(name);

		if (now->drops[i] == before->drops[i] || used + n + 3 > size)
			continue;
		if (used)
			used = (size_t)(spe_put_bytes(text + used, ", ", 2) - text);
		memcpy(text + used, name, n + 1);
		used += n;
	}
}

static uint64_t dropped_bytes(const struct spe_decode_stats *stats)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		sum += stats->drop_bytes[i];
	return sum;
}

/* Bytes between records: padding, and what was dropped, announced where it begins. */
static void put_gap(struct dump *dump, size_t pos, size_t end,
		    const struct spe_decode_stats *before, const struct spe_decode_stats *now)
{
	char reasons[128];

	while (pos < end && !dump->bytes[pos])
		pos += put_packet(dump, pos, end);
	if (now && dropped_bytes(now) != dropped_bytes(before)) {
		name_drops(before, now, reasons, sizeof(reasons));
		spe_text_printf(&dump->text, ".  -------- %llu bytes are no whole record: %s\n",
				(unsigned long long)(dropped_bytes(now) - dropped_bytes(before)),
				reasons);
	}
	if (pos == end)
		return;
	put_packets(dump, pos, end);
	if (end < dump->n)
		spe_text_printf(&dump->text, ".  -------- records go on at %08llx\n",
				(unsigned long long)end);
}

static int put_records(struct dump *dump, struct spe_decoder *decoder)
{
	size_t pos = 0; /* shown so far */
	size_t decoded = 0;

	while (decoded < dump->n && !dump->text.status) {
		struct spe_decode_stats before = *spe_decoder_stats(decoder);
		struct spe_record record;
		struct spe_record_array one = { &record, sizeof(record), 1, 0 };
		size_t used = 0;
		int status = spe_decoder_decode(decoder, dump->bytes + decoded, dump->n - decoded,
						dump->aux_offset + decoded, true, &one, &used);
		size_t start;

		if (status)
			return status;
		decoded += used;
		start = one.count ? (size_t)(record.aux_offset - dump->aux_offset) : decoded;
		put_gap(dump, pos, start, &before, spe_decoder_stats(decoder));
		pos = start;
		if (one.count) {
			put_packets(dump, start, start + record.length_bytes);
			pos += record.length_bytes;
		}
		if (!used)
			break;
	}
	put_gap(dump, pos, dump->n, NULL, NULL);
	return SPE_OK;
}

int spe_dump_bytes(const uint8_t *bytes, size_t n, uint64_t aux_offset,
		   const struct spe_dump_opts *opts, const struct spe_out *out)
{
	struct spe_decoder_opts decoder_opts = { .size = sizeof(decoder_opts) };
	struct spe_decoder *decoder = NULL;
	struct spe_dump_opts o;
	struct dump *dump;
	int status;

	if (spe_opts_take(&o, opts) || !out || (!bytes && n))
		return SPE_INVALID;
	status = spe_decoder_new(&decoder_opts, &decoder);
	if (status)
		return status;
	dump = malloc(sizeof(*dump));
	if (!dump) {
		spe_decoder_free(decoder);
		return SPE_NOMEM;
	}
	spe_text_init(&dump->text, out);
	dump->bytes = bytes;
	dump->n = n;
	dump->aux_offset = aux_offset;
	dump->midr = o.midr;
	spe_text_printf(&dump->text, ".\n. ... ARM SPE data: size 0x%zx bytes\n", n);
	status = put_records(dump, decoder);
	if (!status)
		status = spe_text_flush(&dump->text);
	free(dump);
	spe_decoder_free(decoder);
	return status;
}
