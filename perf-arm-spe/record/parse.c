/* SPDX-License-Identifier: GPL-2.0-only */
#include "parse.h"

#include <endian.h>
#include <string.h>

#include "address.h"

/* The last byte that may begin padding, an end packet, an extended header or nothing. */
#define SPE_HDR_PREFIX_LAST (SPE_HDR_PREFIX | (uint8_t)~SPE_HDR_PREFIX_MASK)

/* More reserved packets than any sound record has. */
#define CLEAN_UNKNOWN_MAX 8

static void mark(struct spe_record *r, uint32_t bit)
{
	if (r->present & bit)
		r->present |= SPE_HAS_DUPLICATE;
	r->present |= bit;
}

static void take_unknown(struct spe_parsed *p, const struct spe_packet *packet)
{
	p->record.present |= SPE_HAS_UNKNOWN;
	p->unknown_packets++;
	p->undefined_packets += packet->kind == SPE_PACKET_UNKNOWN;
}

static void take_end(struct spe_parsed *p, const struct spe_packet *packet)
{
	(void)p;
	(void)packet;
}

static void take_timestamp(struct spe_parsed *p, const struct spe_packet *packet)
{
	mark(&p->record, SPE_HAS_TIMESTAMP);
	p->record.timestamp = packet->payload;
}

static void take_events(struct spe_parsed *p, const struct spe_packet *packet)
{
	mark(&p->record, SPE_HAS_EVENTS);
	p->record.events = packet->payload;
	p->record.events_bytes = packet->payload_bytes;
}

static void take_data_source(struct spe_parsed *p, const struct spe_packet *packet)
{
	if (packet->payload > UINT16_MAX) { /* no such source: the format ends at 16 bits */
		take_unknown(p, packet);
		return;
	}
	mark(&p->record, SPE_HAS_DATA_SOURCE);
	p->record.data_source = (uint16_t)packet->payload;
}

static void take_operation(struct spe_parsed *p, const struct spe_packet *packet)
{
	mark(&p->record, SPE_HAS_OP);
	p->record.op_class = packet->index;
	p->record.op_payload = (uint8_t)packet->payload;
}

static void take_context(struct spe_parsed *p, const struct spe_packet *packet)
{
	if (packet->index > 1) {
		take_unknown(p, packet);
		return;
	}
	mark(&p->record, SPE_HAS_CONTEXT_EL1 << packet->index);
	p->record.context[packet->index] = (uint32_t)packet->payload;
}

static void take_counter(struct spe_parsed *p, const struct spe_packet *packet)
{
	struct spe_record *r = &p->record;
	uint16_t *const counters[] = {
		[SPE_COUNTER_TOTAL] = &r->total_latency_cycles,
		[SPE_COUNTER_ISSUE] = &r->issue_latency_cycles,
		[SPE_COUNTER_TRANSLATION] = &r->xlat_latency_cycles,
	};

	if (packet->index > SPE_COUNTER_TRANSLATION) {
		take_unknown(p, packet);
		return;
	}
	mark(r, SPE_HAS_TOTAL_LATENCY << packet->index);
	*counters[packet->index] = (uint16_t)packet->payload;
}

static uint64_t code_address(uint64_t raw)
{
	return spe_address_has_el(raw) ? spe_address_code(raw) : raw;
}

static void take_pc(struct spe_record *r, uint64_t raw)
{
	mark(r, SPE_HAS_PC);
	r->pc = code_address(raw);
	r->present &= ~(uint32_t)SPE_HAS_EL;
	r->el = r->security = 0;
	if (!spe_address_has_el(raw))
		return;
	r->present |= SPE_HAS_EL;
	r->el = (uint8_t)spe_address_el(raw);
	r->security = (uint8_t)spe_address_security(raw);
}

static void take_target(struct spe_record *r, uint64_t raw)
{
	mark(r, SPE_HAS_TARGET);
	r->target = code_address(raw);
	r->target_el = spe_address_has_el(raw) ? (uint8_t)spe_address_el(raw) : SPE_EL_UNKNOWN;
}

static void take_va(struct spe_record *r, uint64_t raw)
{
	mark(r, SPE_HAS_VA);
	r->va = spe_address_data(raw);
	r->va_tag = (uint8_t)(raw >> SPE_ADDR_TAG_SHIFT);
}

static void take_pa(struct spe_record *r, uint64_t raw)
{
	mark(r, SPE_HAS_PA);
	r->pa = raw & SPE_ADDR_MASK;
	r->pa_top = (uint8_t)(raw >> SPE_ADDR_TAG_SHIFT);
}

static void take_prev_target(struct spe_record *r, uint64_t raw)
{
	mark(r, SPE_HAS_PREV_TARGET);
	r->prev_target = code_address(raw);
}

static void take_address(struct spe_parsed *p, const struct spe_packet *packet)
{
	static void (*const take[])(struct spe_record *, uint64_t) = {
		[SPE_ADDRESS_PC] = take_pc,
		[SPE_ADDRESS_TARGET] = take_target,
		[SPE_ADDRESS_VA] = take_va,
		[SPE_ADDRESS_PA] = take_pa,
		[SPE_ADDRESS_PREV_TARGET] = take_prev_target,
	};

	if (packet->index < sizeof(take) / sizeof(take[0]))
		take[packet->index](&p->record, packet->payload);
	else
		take_unknown(p, packet);
}

/* Padding and alignment never come here: spe_padding_bytes() takes them. */
static void (*const take_packet[SPE_PACKET_KINDS])(struct spe_parsed *,
						   const struct spe_packet *) = {
	[SPE_PACKET_PADDING] = take_unknown,         [SPE_PACKET_END] = take_end,
	[SPE_PACKET_TIMESTAMP] = take_timestamp,     [SPE_PACKET_EVENTS] = take_events,
	[SPE_PACKET_DATA_SOURCE] = take_data_source, [SPE_PACKET_OPERATION] = take_operation,
	[SPE_PACKET_CONTEXT] = take_context,         [SPE_PACKET_COUNTER] = take_counter,
	[SPE_PACKET_ADDRESS] = take_address,         [SPE_PACKET_ALIGNMENT] = take_unknown,
	[SPE_PACKET_UNKNOWN] = take_unknown,
};

static size_t zero_bytes(const uint8_t *bytes, size_t n)
{
	size_t i = 0;
	uint64_t word;

	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		if (word)
			break;
	}
	while (i < n && !bytes[i])
		i++;
	return i;
}

/*
 * An alignment packet counts as its two header bytes: where its filler is zero
 * the zeros behind it are padding anyhow, and where it is not there is none.
 */
size_t spe_padding_bytes(const uint8_t *bytes, size_t n)
{
	size_t at = zero_bytes(bytes, n);

	while (at + 1 < n && (bytes[at] & SPE_HDR_PREFIX_MASK) == SPE_HDR_PREFIX &&
	       bytes[at + 1] == SPE_HDR_ALIGN_SECOND) {
		at += SPE_HDR_EXTENDED_BYTES;
		at += zero_bytes(bytes + at, n - at);
	}
	return at;
}

/* Two records run together: nothing sound repeats itself around a header nobody defined. */
static bool run_together(const struct spe_parsed *p)
{
	return p->undefined_packets && p->record.present & SPE_HAS_DUPLICATE;
}

static bool unclean(const struct spe_parsed *p)
{
	return p->undefined_packets || p->unknown_packets > CLEAN_UNKNOWN_MAX ||
	       p->record.present & SPE_HAS_DUPLICATE;
}

static enum spe_parse finish(struct spe_parsed *p, const struct spe_packet *end, size_t at)
{
	p->end = end->kind;
	p->record.length_bytes = (uint32_t)(at + end->length_bytes);
	if (!at)
		return SPE_PARSE_EMPTY;
	return run_together(p) ? SPE_PARSE_CORRUPT : SPE_PARSE_RECORD;
}

/* No further than a record can reach: a long run of zeros is looked at once, not from every
 * record that might begin before it. */
static size_t padding_within(const uint8_t *bytes, size_t n, size_t at, size_t limit)
{
	size_t end = limit + 1 < n ? limit + 1 : n;

	if (at >= end || bytes[at] > SPE_HDR_PREFIX_LAST)
		return 0;
	return spe_padding_bytes(bytes + at, end - at);
}

/* As spe_packet_decode(), quicker for what most packets are: a short header, eight bytes at hand.
 */
static int next_packet(const uint8_t *bytes, size_t n, uint64_t trace_offset,
		       struct spe_packet *packet)
{
	const struct spe_header *header;
	uint64_t payload;

	if (n <= sizeof(payload) || bytes[0] <= SPE_HDR_PREFIX_LAST)
		return spe_packet_decode(bytes, n, trace_offset, packet);
	header = &spe_headers[bytes[0]];
	memcpy(&payload, bytes + SPE_HDR_SHORT_BYTES, sizeof(payload));
	packet->kind = header->kind;
	packet->index = header->index;
	packet->header_bytes = SPE_HDR_SHORT_BYTES;
	packet->payload_bytes = header->payload_bytes;
	packet->length_bytes = SPE_HDR_SHORT_BYTES + header->payload_bytes;
	packet->payload = le64toh(payload) & UINT64_MAX >> (64 - 8 * header->payload_bytes);
	return SPE_OK;
}

enum spe_parse spe_record_parse(const uint8_t *bytes, size_t n, uint64_t aux_offset,
				const struct spe_parse_rules *rules, struct spe_parsed *parsed)
{
	struct spe_packet packet;
	size_t at = 0;
	int status;

	memset(parsed, 0, sizeof(*parsed));
	parsed->record.aux_offset = aux_offset;
	while (at < rules->limit) {
		status = next_packet(bytes + at, n - at, aux_offset + at, &packet);
		if (status)
			return status == SPE_NEED_MORE ? SPE_PARSE_NEED_MORE : SPE_PARSE_CORRUPT;
		if (!at) {
			parsed->first[0] = packet.kind;
			parsed->first[1] = packet.kind == SPE_PACKET_OPERATION ? 0 : packet.index;
		}
		take_packet[packet.kind](parsed, &packet);
		if (packet.kind == SPE_PACKET_END || packet.kind == SPE_PACKET_TIMESTAMP)
			return finish(parsed, &packet, at);
		if (rules->clean && unclean(parsed))
			return SPE_PARSE_CORRUPT;
		at += packet.length_bytes;
		at += padding_within(bytes, n, at, rules->limit);
	}
	return SPE_PARSE_TOO_LONG;
}

static const struct field {
	uint32_t bit;
	uint16_t offset;
	uint16_t bytes;
} fields[] = {
#define FIELD(bit, name)                                                                           \
	{                                                                                          \
		bit, offsetof(struct spe_record, name), sizeof(((struct spe_record *)0)->name)     \
	}
	FIELD(SPE_HAS_PC, pc),
	FIELD(SPE_HAS_TARGET, target),
	FIELD(SPE_HAS_TARGET, target_el),
	FIELD(SPE_HAS_VA, va),
	FIELD(SPE_HAS_VA, va_tag),
	FIELD(SPE_HAS_PA, pa),
	FIELD(SPE_HAS_PA, pa_top),
	FIELD(SPE_HAS_PREV_TARGET, prev_target),
	FIELD(SPE_HAS_CONTEXT_EL1, context[0]),
	FIELD(SPE_HAS_CONTEXT_EL2, context[1]),
	FIELD(SPE_HAS_TOTAL_LATENCY, total_latency_cycles),
	FIELD(SPE_HAS_ISSUE_LATENCY, issue_latency_cycles),
	FIELD(SPE_HAS_XLAT_LATENCY, xlat_latency_cycles),
	FIELD(SPE_HAS_EVENTS, events),
	FIELD(SPE_HAS_EVENTS, events_bytes),
	FIELD(SPE_HAS_OP, op_class),
	FIELD(SPE_HAS_OP, op_payload),
	FIELD(SPE_HAS_DATA_SOURCE, data_source),
	FIELD(SPE_HAS_TIMESTAMP, timestamp),
	FIELD(SPE_HAS_EL, el),
	FIELD(SPE_HAS_EL, security),
#undef FIELD
};

void spe_record_restrict(struct spe_record *record, uint32_t want)
{
	record->present &= want;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!(want & fields[i].bit))
			memset((char *)record + fields[i].offset, 0, fields[i].bytes);
}
