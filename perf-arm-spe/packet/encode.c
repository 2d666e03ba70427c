/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet -> bytes. */
#include <endian.h>
#include <string.h>

#include "opcodes.h"

struct rule {
	uint8_t value, mask, index_mask;
	bool sized;
};

static const struct rule rules[SPE_PACKET_KINDS] = {
#define RULE_ROW(arg, kind, value_, mask_, index, sized_)                                          \
	[SPE_PACKET_##kind] = { value_, mask_, index, sized_ },
	SPE_HEADER_RULES(RULE_ROW, )
#undef RULE_ROW
};

/* A packet is right when decoding its header gives back what was asked for. */
static bool is_same(const struct spe_packet *want, const uint8_t *header)
{
	uint8_t bytes[SPE_PACKET_MAX_VALUE_BYTES] = { header[0], header[1] };
	struct spe_packet got;

	return !spe_packet_decode(bytes, sizeof(bytes), 0, &got) && got.kind == want->kind &&
	       got.index == want->index && got.header_bytes == want->header_bytes &&
	       got.payload_bytes == want->payload_bytes;
}

static uint8_t size_field(unsigned payload_bytes)
{
	for (unsigned field = 0; field <= SPE_HDR_SIZE_MASK; field += 1u << SPE_HDR_SIZE_SHIFT)
		if (SPE_HDR_SIZE_BYTES(field) == payload_bytes)
			return (uint8_t)field;
	return 0;
}

static void make_header(const struct spe_packet *packet, uint8_t *header)
{
	const struct rule *rule = &rules[packet->kind];
	uint8_t *at = header;

	if (packet->header_bytes == SPE_HDR_EXTENDED_BYTES)
		*at++ = (uint8_t)(SPE_HDR_PREFIX | packet->index >> SPE_HDR_PREFIX_INDEX_SHIFT);
	*at = rule->value | (packet->index & rule->index_mask);
	if (rule->sized && (rule->mask & SPE_HDR_SIZE_MASK) == 0)
		*at |= size_field(packet->payload_bytes);
}

static int put(const uint8_t *header, size_t header_bytes, uint64_t payload, size_t payload_bytes,
	       uint8_t *bytes, size_t size)
{
	payload = htole64(payload);
	if (size < header_bytes + payload_bytes)
		return SPE_NEED_MORE;
	memcpy(bytes, header, header_bytes);
	memcpy(bytes + header_bytes, &payload, payload_bytes);
	return SPE_OK;
}

static int encode_alignment(const struct spe_packet *packet, uint64_t trace_offset, uint8_t *bytes,
			    size_t size, size_t *written)
{
	uint8_t header[SPE_HDR_EXTENDED_BYTES] = { SPE_HDR_PREFIX | packet->index,
						   SPE_HDR_ALIGN_SECOND };
	uint32_t boundary, length;

	if (packet->index > SPE_HDR_PREFIX_ALIGN_MASK || packet->payload_bytes ||
	    packet->header_bytes != SPE_HDR_EXTENDED_BYTES)
		return SPE_INVALID;
	/* byte 0 has a bit that means nothing: keep it, so that bytes come back the same */
	if ((packet->header[0] & (SPE_HDR_PREFIX_MASK | SPE_HDR_PREFIX_ALIGN_MASK)) == header[0])
		header[0] = packet->header[0];
	boundary = SPE_ALIGN_BOUNDARY(packet->index);
	length = boundary - (uint32_t)(trace_offset & (boundary - 1));
	if (packet->length_bytes == SPE_HDR_EXTENDED_BYTES || length < SPE_HDR_EXTENDED_BYTES)
		length = SPE_HDR_EXTENDED_BYTES;
	else if (packet->length_bytes && packet->length_bytes != length)
		return SPE_INVALID;
	*written = length;
	if (size < length)
		return SPE_NEED_MORE;
	memset(bytes, 0, length);
	return put(header, sizeof(header), 0, 0, bytes, size);
}

int spe_packet_encode(const struct spe_packet *packet, uint64_t trace_offset, uint8_t *bytes,
		      size_t size, size_t *written)
{
	uint8_t header[SPE_HDR_EXTENDED_BYTES] = { packet->header[0], packet->header[1] };
	unsigned payload_bits = packet->payload_bytes * 8u;

	*written = 0;
	if (packet->kind == SPE_PACKET_ALIGNMENT)
		return encode_alignment(packet, trace_offset, bytes, size, written);
	if (packet->kind >= SPE_PACKET_KINDS)
		return SPE_INVALID;
	if (packet->kind != SPE_PACKET_UNKNOWN)
		make_header(packet, header);
	if (!is_same(packet, header))
		return SPE_INVALID;
	if (payload_bits < 64 && packet->payload >> payload_bits)
		return SPE_INVALID;
	*written = (size_t)packet->header_bytes + packet->payload_bytes;
	return put(header, packet->header_bytes, packet->payload, packet->payload_bytes, bytes,
		   size);
}
