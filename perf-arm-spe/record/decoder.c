/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include <perf-arm-spe/limits.h>

#include "decoder.h"
#include "fast.h"
#include "shape.h"

/* Options of an older or newer caller: what is missing is zero, what we do not know must be. */
static int read_opts(const struct spe_decoder_opts *from, struct spe_decoder_opts *opts)
{
	const uint8_t *bytes = (const uint8_t *)from;

	*opts = (struct spe_decoder_opts){ .size = sizeof(*opts) };
	if (!from)
		return SPE_OK;
	if (from->size < sizeof(from->size))
		return SPE_INVALID;
	for (size_t i = sizeof(*opts); i < from->size; i++)
		if (bytes[i])
			return SPE_INVALID;
	memcpy(opts, from, from->size < sizeof(*opts) ? from->size : sizeof(*opts));
	return SPE_OK;
}

static bool is_alignment(uint32_t align_bytes)
{
	return !(align_bytes & (align_bytes - 1));
}

static int take_shapes(struct spe_decoder *d, const struct spe_decoder *other)
{
	if (d->kind != SPE_DECODER_AUTO)
		return SPE_OK;
	if (!other || !other->shapes || other->want != d->want)
		return spe_shapes_new(d->want, &d->shapes);
	d->shapes = other->shapes;
	d->borrowed = true;
	return SPE_OK;
}

int spe_decoder_new_beside(const struct spe_decoder_opts *opts, const struct spe_decoder *other,
			   struct spe_decoder **decoder)
{
	struct spe_decoder_opts mine;
	struct spe_decoder *d;

	if (!decoder)
		return SPE_INVALID;
	*decoder = NULL;
	if (read_opts(opts, &mine) || mine.kind > SPE_DECODER_GENERAL ||
	    !is_alignment(mine.align_bytes))
		return SPE_INVALID;
	d = calloc(1, sizeof(*d));
	if (!d)
		return SPE_NOMEM;
	d->want = mine.want ? mine.want : SPE_HAS_ALL;
	d->kind = mine.kind;
	d->align_bytes = mine.align_bytes;
	d->way = (uint8_t)spe_fast_best_way();
	if (take_shapes(d, other)) {
		free(d);
		return SPE_NOMEM;
	}
	*decoder = d;
	return SPE_OK;
}

int spe_decoder_new(const struct spe_decoder_opts *opts, struct spe_decoder **decoder)
{
	return spe_decoder_new_beside(opts, NULL, decoder);
}

void spe_decoder_free(struct spe_decoder *decoder)
{
	if (!decoder)
		return;
	if (!decoder->borrowed)
		spe_shapes_free(decoder->shapes);
	free(decoder);
}

void spe_decoder_restart(struct spe_decoder *decoder, uint32_t align_bytes, bool in_record)
{
	decoder->align_bytes = is_alignment(align_bytes) ? align_bytes : 0;
	decoder->known = (struct spe_known){ 0 };
	decoder->search = (struct spe_search){ 0 };
	if (in_record)
		spe_search_begin(decoder, SPE_DROP_SKIPPED, true);
}

void spe_decoder_forget_counts(struct spe_decoder *d)
{
	memset(&d->stats, 0, sizeof(d->stats));
}

static void remember(struct spe_decoder *d, const struct spe_parsed *p)
{
	d->known.any = true;
	memcpy(d->known.first, p->first, sizeof(p->first));
	d->known.end = p->end;
}

static void put_record(struct spe_decoder *d, struct spe_parsed *p, struct spe_record_array *to)
{
	struct spe_record *record =
		(struct spe_record *)((char *)to->first + to->count * to->stride_bytes);

	d->stats.records++;
	d->stats.record_bytes += p->record.length_bytes;
	d->stats.unknown_packets += p->unknown_packets;
	remember(d, p);
	if (d->want != SPE_HAS_ALL)
		spe_record_restrict(&p->record, d->want);
	*record = p->record;
	to->count++;
}

/* A damaged record: its first byte is gone whatever the rest turns out to be. */
static void drop_damaged(struct spe_decoder *d, struct spe_input *in, enum spe_drop reason)
{
	spe_search_begin(d, reason, false);
	spe_drop(d, reason, 1, 1);
	d->search.counted = true;
	d->search.searched = 1;
	in->pos++;
}

/* Padding, then one record.  False when the bytes are used up or more are needed. */
static bool step(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to)
{
	static const struct spe_parse_rules rules = { .limit = SPE_LIMIT_RECORD_BYTES };
	size_t padding = spe_padding_bytes(in->bytes + in->pos, in->n - in->pos);
	struct spe_parsed parsed;

	in->pos += padding;
	d->stats.padding_bytes += padding;
	if (in->pos == in->n)
		return false;
	switch (spe_record_parse(in->bytes + in->pos, in->n - in->pos, in->aux_offset + in->pos,
				 &rules, &parsed)) {
	case SPE_PARSE_RECORD:
		if (d->shapes)
			spe_shapes_learn(d->shapes, in->bytes + in->pos, in->n - in->pos, &parsed);
		put_record(d, &parsed, to);
		in->pos += parsed.record.length_bytes;
		return true;
	case SPE_PARSE_EMPTY:
		spe_drop(d, SPE_DROP_EMPTY, 1, parsed.record.length_bytes);
		in->pos += parsed.record.length_bytes;
		return true;
	case SPE_PARSE_CORRUPT:
		drop_damaged(d, in, SPE_DROP_CORRUPT);
		return true;
	case SPE_PARSE_TOO_LONG:
		drop_damaged(d, in, SPE_DROP_TOO_LONG);
		return true;
	case SPE_PARSE_NEED_MORE:
		break;
	}
	if (in->last) {
		spe_drop(d, SPE_DROP_CUT, 1, in->n - in->pos);
		in->pos = in->n;
	}
	return false;
}

/* On to the next boundary, or over some records. */
static bool advance(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to)
{
	if (d->search.on)
		return spe_search_run(d, in);
	if (d->shapes) {
		spe_fast_run(d, in, to);
		if (to->count == to->room)
			return true;
	}
	return step(d, in, to);
}

static bool is_array(const struct spe_record_array *a)
{
	return (a->first || !a->room) && a->stride_bytes >= sizeof(struct spe_record) &&
	       !(a->stride_bytes % _Alignof(struct spe_record));
}

int spe_decoder_decode(struct spe_decoder *decoder, const uint8_t *bytes, size_t n,
		       uint64_t aux_offset, bool last, struct spe_record_array *records,
		       size_t *used)
{
	struct spe_input in = { .bytes = bytes, .n = n, .aux_offset = aux_offset, .last = last };
	bool going = true;

	if (!decoder || (n && !bytes) || !records || !used || !is_array(records))
		return SPE_INVALID;
	records->count = 0;
	while (going && in.pos < n && records->count < records->room)
		going = advance(decoder, &in, records);
	if (last && in.pos == n)
		decoder->search.on = false;
	*used = in.pos;
	return SPE_OK;
}

const struct spe_decode_stats *spe_decoder_stats(const struct spe_decoder *decoder)
{
	return &decoder->stats;
}
