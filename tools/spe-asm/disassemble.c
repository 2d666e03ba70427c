/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "disassemble.h"
#include "packets.h"

static void print_bytes(const uint8_t *bytes, size_t n, struct buffer *text)
{
	buffer_printf(text, "bytes");
	for (size_t i = 0; i < n; i++)
		buffer_printf(text, " %02x", bytes[i]);
	buffer_printf(text, "\n");
}

/* The others are told as bytes: an alignment has a bit that means nothing and may be set. */
static bool has_statement(const struct spe_packet *p, const uint8_t *bytes)
{
	struct spe_packet plain = *p;
	uint8_t header[2];
	size_t n;

	if (p->kind != SPE_PACKET_ALIGNMENT)
		return true;
	plain.header[0] = 0;
	plain.length_bytes = sizeof(header);
	return !spe_packet_encode(&plain, 0, header, sizeof(header), &n) && header[0] == bytes[0];
}

static size_t print_padding_run(const uint8_t *bytes, size_t n, struct buffer *text)
{
	size_t run = 0;

	while (run < n && !bytes[run])
		run++;
	buffer_printf(text, run > 1 ? "pad %zu\n" : "pad\n", run);
	return run;
}

/* One packet, or what is left where none is. Returns the bytes it took. */
static size_t print_next(const uint8_t *bytes, size_t n, uint64_t offset, struct buffer *text)
{
	struct spe_packet p;
	int status = spe_packet_decode(bytes, n, offset, &p);

	if (status == SPE_NEED_MORE)
		p.length_bytes = (uint32_t)n; /* cut: all that is left */
	if (status || !has_statement(&p, bytes)) {
		print_bytes(bytes, p.length_bytes, text);
		return p.length_bytes;
	}
	if (p.kind == SPE_PACKET_PADDING)
		return print_padding_run(bytes, n, text);
	packet_print(&p, text);
	buffer_printf(text, "\n");
	if (p.kind == SPE_PACKET_TIMESTAMP || p.kind == SPE_PACKET_END)
		buffer_printf(text, "\n");
	return p.length_bytes;
}

void disassemble(const uint8_t *bytes, size_t n, struct buffer *text)
{
	size_t at = 0;
	bool inside = false; /* a record */

	while (at < n) {
		if (!inside && bytes[at]) {
			buffer_printf(text, "# 0x%zx\n", at);
			inside = true;
		}
		/* a record ends where its blank line was put */
		at += print_next(bytes + at, n - at, at, text);
		if (text->n > 1 && !memcmp(text->bytes + text->n - 2, "\n\n", 2))
			inside = false;
	}
}
