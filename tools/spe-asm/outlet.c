/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "outlet.h"

#define OUTLET_BUFFER_BYTES (1u << 20)
#define RECORD_HEADER_BYTES 8

#ifdef HAVE_ZSTD
struct outlet_zstd {
	ZSTD_CStream *stream;
};

static void begin_zstd(struct outlet *o)
{
	o->zstd = need(calloc(1, sizeof(*o->zstd)));
	o->zstd->stream = need(ZSTD_createCStream());
}

/* All payloads of a file are one stream: each record ends on a flush, never on a frame's end. */
static void compress_some(struct outlet *o, const uint8_t *bytes, size_t n, struct buffer *out)
{
	ZSTD_inBuffer in = { bytes, n, 0 };
	size_t left;

	do {
		size_t room = ZSTD_CStreamOutSize();
		ZSTD_outBuffer to = { buffer_room(out, room), room, 0 };

		left = ZSTD_compressStream2(o->zstd->stream, &to, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			die("zstd: %s", ZSTD_getErrorName(left));
		out->n += to.pos;
	} while (left || in.pos < in.size);
}

static void end_zstd(struct outlet *o)
{
	if (o->zstd)
		ZSTD_freeCStream(o->zstd->stream);
	free(o->zstd);
}
#else
struct outlet_zstd {
	char none;
};

static void begin_zstd(struct outlet *o)
{
	(void)o;
	die("this spe-asm was built without libzstd");
}

static void compress_some(struct outlet *o, const uint8_t *bytes, size_t n, struct buffer *out)
{
	(void)o;
	(void)bytes;
	(void)n;
	(void)out;
}

static void end_zstd(struct outlet *o)
{
	free(o->zstd);
}
#endif

static void write_out(struct outlet *o, const uint8_t *bytes, size_t n)
{
	struct spe_error error = { 0 };

	if (o->writer)
		die_on(spe_perfdata_writer_records(o->writer, bytes, n, &error), &error);
	else if (fwrite(bytes, 1, n, o->file) != n)
		die("%s: %s", o->path, strerror(errno));
}

static void write_waiting(struct outlet *o)
{
	if (o->records.n)
		write_out(o, o->records.bytes, o->records.n);
	o->records.n = 0;
}

static void append(struct outlet *o, const uint8_t *bytes, size_t n)
{
	buffer_put(&o->records, bytes, n);
	if (o->records.n >= OUTLET_BUFFER_BYTES)
		write_waiting(o);
}

/* One COMPRESSED or COMPRESSED2 record of the first n plain bytes. */
static void put_compressed(struct outlet *o, const uint8_t *plain, size_t n)
{
	bool second = o->compress == COMPRESS_ZSTD2;
	struct buffer body = { 0 }, record = { 0 };
	size_t size, padding;

	if (!o->zstd)
		begin_zstd(o);
	compress_some(o, plain, n, &body);
	size = RECORD_HEADER_BYTES + (second ? sizeof(uint64_t) : 0) + body.n;
	padding = second && size % 8 ? 8 - size % 8 : 0;
	buffer_u32(&record, second ? SPE_PERF_COMPRESSED2 : SPE_PERF_COMPRESSED);
	buffer_u16(&record, 0);
	buffer_u16(&record, (uint16_t)(size + padding));
	if (second)
		buffer_u64(&record, body.n);
	buffer_put(&record, body.bytes, body.n);
	buffer_zeros(&record, padding);
	append(o, record.bytes, record.n);
	buffer_free(&body);
	buffer_free(&record);
}

/* Records may go on in the next payload: cut where the bytes run out, not where a record ends. */
static void compress_waiting(struct outlet *o, bool all)
{
	size_t at = 0;

	while (o->plain.n - at >= OUTLET_PLAIN_BYTES || (all && at < o->plain.n)) {
		size_t n = o->plain.n - at;

		if (n > OUTLET_PLAIN_BYTES)
			n = OUTLET_PLAIN_BYTES;
		put_compressed(o, o->plain.bytes + at, n);
		at += n;
	}
	memmove(o->plain.bytes, o->plain.bytes + at, o->plain.n - at);
	o->plain.n -= at;
}

void outlet_compressible(struct outlet *o, const uint8_t *bytes, size_t n)
{
	if (o->compress == COMPRESS_NO) {
		outlet_records(o, bytes, n);
		return;
	}
	buffer_put(&o->plain, bytes, n);
	compress_waiting(o, false);
}

void outlet_records(struct outlet *o, const uint8_t *bytes, size_t n)
{
	if (o->plain.n)
		compress_waiting(o, true);
	append(o, bytes, n);
}

void outlet_flush(struct outlet *o)
{
	if (o->plain.n)
		compress_waiting(o, true);
	write_waiting(o);
}

void outlet_auxtrace(struct outlet *o, const uint8_t *record, size_t record_bytes,
		     const uint8_t *data, size_t data_bytes)
{
	struct spe_error error = { 0 };

	outlet_flush(o);
	if (o->writer && !o->no_index) {
		die_on(spe_perfdata_writer_auxtrace(o->writer, record, record_bytes, data,
						    data_bytes, &error),
		       &error);
		return;
	}
	write_out(o, record, record_bytes);
	write_out(o, data, data_bytes);
}

void outlet_close(struct outlet *o)
{
	outlet_flush(o);
	if (o->file && fclose(o->file))
		die("%s: %s", o->path, strerror(errno));
	end_zstd(o);
	buffer_free(&o->records);
	buffer_free(&o->plain);
	free(o->path);
	*o = (struct outlet){ 0 };
}
