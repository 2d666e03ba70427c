/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet statements: "pc 0x4004a8 el0", "events retired,l1d-access", "ts 1000". */
#ifndef SPE_ASM_PACKETS_H
#define SPE_ASM_PACKETS_H

#include <perf-arm-spe/packet.h>

#include "buffer.h"
#include "words.h"

/* Payload sizes a statement means when it does not say. */
#define PACKET_EVENTS_BYTES 2
#define PACKET_SOURCE_BYTES 1

/* Fields of an address payload above bit 55. */
#define PACKET_TOP_SHIFT 56
#define PACKET_TOP_NS 0x80
#define PACKET_TOP_CH 0x40 /* physical */
#define PACKET_TOP_NSE 0x10
#define PACKET_TOP_EL(el) ((el) << 5)
#define PACKET_TOP_EL_OF(top) ((top) >> 5 & 3)
#define PACKET_TOP_PAT_MASK 0x0f /* physical */
#define PACKET_ADDRESS_MASK ((UINT64_C(1) << PACKET_TOP_SHIFT) - 1)

/*
 * One packet from its statement.  false: the keyword is none of a packet.
 * kernel_el is the exception level a kernel address has when the statement does
 * not say.  Dies on anything that cannot be said in a packet.
 */
bool packet_parse(struct words *words, unsigned kernel_el, struct spe_packet *packet);

/* The statement that packet_parse() makes this packet of, without newline. */
void packet_print(const struct spe_packet *packet, struct buffer *text);

/* Append a packet that stands at trace_offset; dies if it cannot be encoded. */
void packet_put(const struct place *place, const struct spe_packet *packet, uint64_t trace_offset,
		struct buffer *out);

/* Pieces, for the record statement too. */
uint64_t packet_code_address(const struct words *words, uint64_t address, unsigned el,
			     unsigned security_top);
unsigned packet_default_el(uint64_t address, unsigned kernel_el);
uint64_t packet_events(const struct words *words, const char *text);
/* Class and payload from words such as "LD GP-REG" (case does not matter) or "load". */
bool packet_operation(const char *text, uint8_t *op_class, uint8_t *payload);

#endif
