/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes -> packet. */
#include <endian.h>
#include <string.h>

#include "opcodes.h"

static uint64_t load_le(const uint8_t *bytes, size_t n)
{
	uint64_t value = 0;

	memcpy(&value, bytes, n);
	return le64toh(value);
}

/* The rest of a packet whose header is known. */
static int take_payload(const uint8_t *bytes, size_t n, struct spe_packet *packet)
{
	packet->length_bytes = packet->header_bytes + packet->payload_bytes;
	if (n < packet->length_bytes)
		return SPE_NEED_MORE;
	packet->payload = load_le(bytes + packet->header_bytes, packet->payload_bytes);
	return SPE_OK;
}

static int decode_alignment(const uint8_t *bytes, size_t n, uint64_t trace_offset,
			    struct spe_packet *packet)
{
	uint32_t boundary, to_boundary;

	packet->kind = SPE_PACKET_ALIGNMENT;
	packet->index = bytes[0] & SPE_HDR_PREFIX_ALIGN_MASK;
	packet->length_bytes = SPE_HDR_EXTENDED_BYTES;
	boundary = SPE_ALIGN_BOUNDARY(packet->index);
	to_boundary = boundary - (uint32_t)(trace_offset & (boundary - 1));
	for (size_t i = SPE_HDR_EXTENDED_BYTES; i < to_boundary && i < n; i++)
		if (bytes[i])
			return SPE_OK; /* not filler: the header stands alone */
	if (to_boundary > SPE_HDR_EXTENDED_BYTES)
		packet->length_bytes = to_boundary;
	return n < packet->length_bytes ? SPE_NEED_MORE : SPE_OK;
}

static int decode_extended(const uint8_t *bytes, size_t n, uint64_t trace_offset,
			   struct spe_packet *packet)
{
	const struct spe_header *header;

	packet->header_bytes = packet->length_bytes = SPE_HDR_EXTENDED_BYTES;
	if (n < SPE_HDR_EXTENDED_BYTES)
		return SPE_NEED_MORE;
	packet->header[1] = bytes[1];
	if (bytes[1] == SPE_HDR_ALIGN_SECOND)
		return decode_alignment(bytes, n, trace_offset, packet);
	header = &spe_headers[bytes[1]];
	packet->payload_bytes = SPE_HDR_SIZE_BYTES(bytes[1]);
	if ((header->kind == SPE_PACKET_ADDRESS || header->kind == SPE_PACKET_COUNTER) &&
	    !(bytes[0] & SPE_HDR_PREFIX_UNUSED_MASK)) {
		packet->kind = header->kind;
		packet->index = (uint8_t)((bytes[0] & SPE_HDR_PREFIX_INDEX_MASK)
						  << SPE_HDR_PREFIX_INDEX_SHIFT |
					  header->index);
	}
	return take_payload(bytes, n, packet);
}

int spe_packet_decode(const uint8_t *bytes, size_t n, uint64_t trace_offset,
		      struct spe_packet *packet)
{
	const struct spe_header *header;

	*packet = (struct spe_packet){
		.kind = SPE_PACKET_UNKNOWN,
		.header_bytes = SPE_HDR_SHORT_BYTES,
		.length_bytes = SPE_HDR_SHORT_BYTES,
	};
	if (!n)
		return SPE_NEED_MORE;
	packet->header[0] = bytes[0];
	if ((bytes[0] & SPE_HDR_PREFIX_MASK) == SPE_HDR_PREFIX)
		return decode_extended(bytes, n, trace_offset, packet);
	header = &spe_headers[bytes[0]];
	if (header->kind == SPE_PACKET_UNKNOWN && bytes[0] < SPE_HDR_SIZED_FIRST)
		return SPE_CORRUPT;
	packet->kind = header->kind;
	packet->index = header->index;
	packet->payload_bytes = header->payload_bytes;
	return take_payload(bytes, n, packet);
}
