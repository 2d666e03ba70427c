/* SPDX-License-Identifier: GPL-2.0-only */
/* What the top byte of an address packet says, and the address without it. */
#ifndef SPE_RECORD_ADDRESS_H
#define SPE_RECORD_ADDRESS_H

#include "../packet/opcodes.h"

#define SPE_ADDR_TOP UINT64_C(0xff00000000000000)

/* Early models wrote a plain sign-extended address where NS, EL and NSE belong. */
static inline bool spe_address_has_el(uint64_t raw)
{
	return raw >> 48 != 0xffff;
}

static inline unsigned spe_address_el(uint64_t raw)
{
	return (unsigned)(raw >> SPE_ADDR_EL_SHIFT) & SPE_ADDR_EL_MASK;
}

/* enum spe_security */
static inline unsigned spe_address_security(uint64_t raw)
{
	return (unsigned)(raw >> SPE_ADDR_NSE_SHIFT & 1) << 1 |
	       (unsigned)(raw >> SPE_ADDR_NS_SHIFT);
}

/*
 * PC, branch target, previous target: sign-extended from bit 55 at EL1 and EL2.
 * Without a branch, because code at EL0 and EL1 alternates as it likes.
 */
static inline uint64_t spe_address_code(uint64_t raw)
{
	uint64_t translated = -((raw >> SPE_ADDR_EL_SHIFT ^ raw >> (SPE_ADDR_EL_SHIFT + 1)) & 1);
	uint64_t negative = -(raw >> 55 & 1);

	return (raw & SPE_ADDR_MASK) | (SPE_ADDR_TOP & translated & negative);
}

/* Data address: sign-extended when bits 55:52 are all ones; the tag goes elsewhere. */
static inline uint64_t spe_address_data(uint64_t raw)
{
	uint64_t kernel = -(uint64_t)((raw >> 52 & 0xf) == 0xf);

	return (raw & SPE_ADDR_MASK) | (SPE_ADDR_TOP & kernel);
}

#endif
