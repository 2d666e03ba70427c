/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packet: decoding stays inside the bytes and its enums, a packet that was
 * decoded encodes to the bytes it came from, descriptions end where they must.
 */
#include <string.h>

#include <perf-arm-spe/packet.h>

#include "property.h"

static void check_encode(const struct spe_packet *packet, const uint8_t *bytes, size_t offset)
{
	static uint8_t room[SPE_PACKET_MAX_BYTES];
	struct spe_packet again;
	size_t written = 0;

	PROPERTY(spe_packet_encode(packet, offset, room, sizeof(room), &written) == SPE_OK);
	PROPERTY(written == packet->length_bytes);
	PROPERTY(memcmp(room, bytes, written) == 0);
	/* An alignment over something else than zeros is two bytes; alone they would want more. */
	if (packet->kind == SPE_PACKET_ALIGNMENT && written == 2)
		return;
	PROPERTY(spe_packet_decode(room, written, offset, &again) == SPE_OK);
	PROPERTY(memcmp(&again, packet, sizeof(again)) == 0);
	if (written > 1)
		PROPERTY(spe_packet_encode(packet, offset, room, written - 1, &written) ==
			 SPE_NEED_MORE);
}

static void check_describe(const struct spe_packet *packet)
{
	char text[64];

	for (size_t room = 1; room <= sizeof(text); room *= 2) {
		memset(text, 'x', sizeof(text));
		PROPERTY(spe_packet_describe(packet, packet->payload, text, room) == SPE_OK);
		PROPERTY(memchr(text, '\0', room) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 0;

	while (at < size) {
		struct spe_packet packet;
		int status;

		memset(&packet, 0, sizeof(packet));
		status = spe_packet_decode(data + at, size - at, at, &packet);
		PROPERTY(status == SPE_OK || status == SPE_CORRUPT || status == SPE_NEED_MORE);
		if (status == SPE_NEED_MORE)
			break;
		if (status == SPE_CORRUPT) {
			PROPERTY(data[at] >= 0x02 && data[at] <= 0x3f);
			at++;
			continue;
		}
		PROPERTY(packet.kind < SPE_PACKET_KINDS);
		PROPERTY(packet.length_bytes >= 1 && packet.length_bytes <= size - at);
		PROPERTY(packet.length_bytes >= packet.header_bytes + packet.payload_bytes);
		check_encode(&packet, data + at, at);
		check_describe(&packet);
		at += packet.length_bytes;
	}
	return 0;
}
