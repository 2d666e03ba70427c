/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packets: print the packets of a bare SPE buffer, one a line.
 *
 *	cc packets.c $(pkg-config --cflags --libs perf-arm-spe) -o packets
 *	./packets <buffer
 */
#include <stdio.h>

#include <perf-arm-spe/packet.h>

static int print_packets(const uint8_t *bytes, size_t n)
{
	size_t at = 0;

	while (at < n) {
		struct spe_packet packet;
		char text[128];
		int status = spe_packet_decode(bytes + at, n - at, at, &packet);

		if (status == SPE_CORRUPT) { /* no rule gives this byte a length */
			printf("%08zx  bad byte %02x\n", at, bytes[at]);
			at++;
			continue;
		}
		if (status) {
			fprintf(stderr, "packets: at offset %zu: %s\n", at,
				spe_status_text(status));
			return 1;
		}
		if (spe_packet_describe(&packet, 0, text, sizeof(text)) == SPE_OK)
			printf("%08zx  %s\n", at, text);
		at += packet.length_bytes;
	}
	return 0;
}

int main(void)
{
	static uint8_t buffer[1 << 20];
	size_t n = fread(buffer, 1, sizeof(buffer), stdin);

	return print_packets(buffer, n);
}
