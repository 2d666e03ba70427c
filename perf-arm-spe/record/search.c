/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resynchronisation: from a damaged record to the next boundary.
 *
 * The tail of a damaged record must never pass for a record.  So a place is
 * taken for a boundary only if what stands before it can end a record (or it
 * is where records are aligned, or a long run of padding ends there), and what
 * follows is a whole record that looks like its elders: it parses with nothing
 * repeated or undefined, has a PC, begins with the same packet and ends with
 * the same packet as the last sound one did.  A tail lacks the beginning.
 *
 * Everything is decided from the bytes alone, never from how many were at
 * hand, so that the answer does not depend on how the stream was cut.
 */
#include <string.h>

#include <perf-arm-spe/limits.h>

#include "../packet/opcodes.h"
#include "decoder.h"

#define TIMESTAMP_BYTES 9
#define END_BYTES 1

/* More zeros than stand inside records: what the driver fills a buffer with. */
#define LONG_PADDING_BYTES 64

/* What is looked at behind a candidate; together with a timestamp packet before it, this
 * stays within what a caller must keep at hand. */
#define WINDOW_BYTES (SPE_LIMIT_RECORD_BYTES - TIMESTAMP_BYTES)

/* After so many bytes the last sound record no longer counts: it may not have been sound. */
#define KNOWN_REACH_BYTES (4 * SPE_LIMIT_RECORD_BYTES)

/* Ticks between two records that follow each other: 2^48 are days at 1 GHz. */
#define TIME_REACH_TICKS (UINT64_C(1) << 48)

enum verdict { NO, YES, UNDECIDED };

/* A place that may be a boundary, and the end packet before it, if that speaks for it. */
struct candidate {
	size_t at;
	uint8_t end; /* TIMESTAMP or END; PADDING: none */
	uint64_t timestamp;
};

void spe_search_begin(struct spe_decoder *d, enum spe_drop reason, bool at_start)
{
	d->search = (struct spe_search){
		.on = true,
		.at_start = at_start,
		.reason = (uint8_t)reason,
	};
}

/* Bytes passed by. */
static void pass(struct spe_decoder *d, struct spe_input *in, size_t bytes)
{
	struct spe_search *s = &d->search;

	if (!bytes)
		return;
	spe_drop(d, s->reason, !s->counted, bytes);
	s->counted = true;
	s->searched += bytes;
	in->pos += bytes;
}

static bool is_aligned(const struct spe_decoder *d, const struct spe_input *in, size_t at)
{
	return d->align_bytes <= 1 || !((in->aux_offset + at) & (d->align_bytes - 1));
}

static bool follows_in_time(const struct candidate *c, const struct spe_parsed *p)
{
	uint64_t ticks = p->record.timestamp - c->timestamp;

	return c->end != SPE_PACKET_TIMESTAMP || ticks < TIME_REACH_TICKS ||
	       -ticks < TIME_REACH_TICKS;
}

/* Is this record, found behind the candidate, like the others? */
static bool is_like_the_others(const struct spe_decoder *d, const struct candidate *c,
			       const struct spe_parsed *p)
{
	bool known = d->known.any && d->search.searched <= KNOWN_REACH_BYTES;

	if (!(p->record.present & SPE_HAS_PC) || !follows_in_time(c, p))
		return false;
	if (c->end != SPE_PACKET_PADDING && c->end != p->end)
		return false;
	if (known)
		return !memcmp(p->first, d->known.first, sizeof(p->first)) &&
		       p->end == d->known.end;
	if (p->record.present & SPE_HAS_OP)
		return true;
	return !d->search.at_start && p->first[0] == SPE_PACKET_ADDRESS &&
	       p->first[1] == SPE_ADDRESS_PC;
}

static bool may_be_alignment(uint8_t header)
{
	return (header & SPE_HDR_PREFIX_MASK) == SPE_HDR_PREFIX;
}

static enum verdict judge(const struct spe_decoder *d, const struct spe_input *in,
			  const struct candidate *c)
{
	size_t left = in->n - c->at, reach = WINDOW_BYTES + 1;
	size_t padding = spe_padding_bytes(in->bytes + c->at, left < reach ? left : reach);
	struct spe_parse_rules rules = { .limit = WINDOW_BYTES - padding, .clean = true };
	struct spe_parsed parsed;
	size_t at = c->at + padding;

	if (padding >= WINDOW_BYTES)
		return NO;
	if (padding == left)
		return in->last ? YES : UNDECIDED;
	if (padding == left - 1 && may_be_alignment(in->bytes[at]) && !in->last)
		return UNDECIDED; /* whether the padding goes on */
	if (!is_aligned(d, in, at))
		return NO;
	switch (spe_record_parse(in->bytes + at, in->n - at, in->aux_offset + at, &rules,
				 &parsed)) {
	case SPE_PARSE_RECORD:
		return is_like_the_others(d, c, &parsed) ? YES : NO;
	case SPE_PARSE_NEED_MORE:
		return in->last ? NO : UNDECIDED;
	default:
		return NO;
	}
}

/* The position itself: where a snapshot begins, where records are aligned, behind padding. */
static enum verdict judge_here(const struct spe_decoder *d, const struct spe_input *in)
{
	struct candidate c = { .at = in->pos, .end = SPE_PACKET_PADDING };

	if (!in->bytes[in->pos] && !d->search.at_start)
		return NO;
	if (d->align_bytes > 1 ? !is_aligned(d, in, in->pos)
			       : !d->search.at_start && d->search.zeros < LONG_PADDING_BYTES)
		return NO;
	return judge(d, in, &c);
}

/* Behind the end packet that may begin at the position. */
static enum verdict judge_behind(const struct spe_decoder *d, const struct spe_input *in,
				 struct candidate *c)
{
	uint8_t kind = spe_headers[in->bytes[in->pos]].kind;
	struct spe_packet packet;

	if (d->align_bytes > 1 || (kind != SPE_PACKET_TIMESTAMP && kind != SPE_PACKET_END))
		return NO;
	if (spe_packet_decode(in->bytes + in->pos, in->n - in->pos, 0, &packet))
		return in->last ? NO : UNDECIDED;
	*c = (struct candidate){
		.at = in->pos + packet.length_bytes,
		.end = packet.kind,
		.timestamp = packet.payload,
	};
	return judge(d, in, c);
}

static bool found(struct spe_decoder *d, struct spe_input *in, size_t at)
{
	pass(d, in, at - in->pos);
	d->search.on = false;
	return true;
}

bool spe_search_run(struct spe_decoder *d, struct spe_input *in)
{
	struct spe_search *s = &d->search;
	struct candidate behind;
	enum verdict verdict;

	while (in->pos < in->n) {
		verdict = judge_here(d, in);
		if (verdict == YES)
			return found(d, in, in->pos);
		if (verdict == NO)
			verdict = judge_behind(d, in, &behind);
		if (verdict == YES)
			return found(d, in, behind.at);
		if (verdict == UNDECIDED)
			return false;
		s->zeros = in->bytes[in->pos] ? 0 : s->zeros + 1;
		s->at_start = false;
		pass(d, in, 1);
	}
	return false;
}
