/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every number of the packet format, once: header bytes, masks, sizes, and the
 * fields inside payloads.  Source: Arm ARM, "Statistical Profiling Extension
 * sample record specification".
 */
#ifndef SPE_PACKET_OPCODES_H
#define SPE_PACKET_OPCODES_H

#include <perf-arm-spe/packet.h>

/* ---- headers ----------------------------------------------------------- */

/* Header bits [5:4], SZ: the payload is 1 << SZ bytes. */
#define SPE_HDR_SIZE_SHIFT 4
#define SPE_HDR_SIZE_MASK 0x30
#define SPE_HDR_SIZE_BYTES(header) (1u << (((header)&SPE_HDR_SIZE_MASK) >> SPE_HDR_SIZE_SHIFT))

/* Bytes below this one are neither a packet (but for padding and end) nor have a size. */
#define SPE_HDR_SIZED_FIRST 0x20

/* First byte of an extended header: 001x xxxx; the second is then read as a short header. */
#define SPE_HDR_PREFIX 0x20
#define SPE_HDR_PREFIX_MASK 0xe0
#define SPE_HDR_PREFIX_INDEX_MASK 0x03  /* index bits [4:3] of the packet */
#define SPE_HDR_PREFIX_INDEX_SHIFT 3    /* where they go */
#define SPE_HDR_PREFIX_UNUSED_MASK 0x1c /* set: no address or counter anybody defined */
#define SPE_HDR_PREFIX_ALIGN_MASK 0x0f  /* alignment: exponent minus one */
#define SPE_HDR_ALIGN_SECOND 0x00       /* second byte that makes it an alignment */
#define SPE_ALIGN_BOUNDARY(exponent) (2u << (exponent))

#define SPE_HDR_SHORT_BYTES 1
#define SPE_HDR_EXTENDED_BYTES 2

/*
 * X(arg, kind, value, mask, index mask, sized): a header h is `kind` when
 * (h & mask) == value.  Bits of the index mask number it.  Sized: it has a
 * payload of as many bytes as SZ says, else none.  The rows do not overlap.
 */
#define SPE_HEADER_RULES(X, arg)                                                                   \
	X(arg, PADDING, 0x00, 0xff, 0x00, false)                                                   \
	X(arg, END, 0x01, 0xff, 0x00, false)                                                       \
	X(arg, TIMESTAMP, 0x71, 0xff, 0x00, true)                                                  \
	X(arg, EVENTS, 0x42, 0xcf, 0x00, true)                                                     \
	X(arg, DATA_SOURCE, 0x43, 0xcf, 0x00, true)                                                \
	X(arg, OPERATION, 0x48, 0xfc, 0x03, true)                                                  \
	X(arg, CONTEXT, 0x64, 0xfc, 0x03, true)                                                    \
	X(arg, COUNTER, 0x98, 0xf8, 0x07, true)                                                    \
	X(arg, ADDRESS, 0xb0, 0xf8, 0x07, true)

/* ---- payloads ---------------------------------------------------------- */

/* Address: bits 55:0 are the address, byte 7 is not. */
#define SPE_ADDR_MASK UINT64_C(0x00ffffffffffffff)
#define SPE_ADDR_NS_SHIFT 63
#define SPE_ADDR_EL_SHIFT 61
#define SPE_ADDR_EL_MASK 0x3
#define SPE_ADDR_NSE_SHIFT 60
#define SPE_ADDR_CH_SHIFT 62 /* physical: the access was tag-checked */
#define SPE_ADDR_PAT_SHIFT 56
#define SPE_ADDR_PAT_MASK 0xf /* physical address tag */
#define SPE_ADDR_TAG_SHIFT 56 /* virtual data address: top-byte tag */

/* Events: what perf names; bit 12 on Neoverse N1 only. */
#define SPE_EVENT_BITS 64
#define SPE_EVENT_N1_LATE_PREFETCH 12
#define SPE_COMMON_EVENTS(X)                                                                       \
	X(0, "EXCEPTION-GEN")                                                                      \
	X(1, "RETIRED")                                                                            \
	X(2, "L1D-ACCESS")                                                                         \
	X(3, "L1D-REFILL")                                                                         \
	X(4, "TLB-ACCESS")                                                                         \
	X(5, "TLB-REFILL")                                                                         \
	X(6, "NOT-TAKEN")                                                                          \
	X(7, "MISPRED")                                                                            \
	X(8, "LLC-ACCESS")                                                                         \
	X(9, "LLC-REFILL")                                                                         \
	X(10, "REMOTE-ACCESS")                                                                     \
	X(11, "ALIGNMENT")                                                                         \
	X(16, "TXN")                                                                               \
	X(17, "SVE-PARTIAL-PRED")                                                                  \
	X(18, "SVE-EMPTY-PRED")                                                                    \
	X(19, "L2D-ACCESS")                                                                        \
	X(20, "L2D-MISS")                                                                          \
	X(21, "HITM")                                                                              \
	X(22, "LFB")                                                                               \
	X(23, "SNOOPED")                                                                           \
	X(24, "STREAMING-SVE")                                                                     \
	X(25, "SMCU")

/* MIDR_EL1: implementer [31:24], part [15:4] say which core; variant and revision do not matter. */
#define SPE_MIDR_CORE_MASK 0xff00fff0u
#define SPE_MIDR_CORE_NEOVERSE_N1 0x4100d0c0u

/* Operation type: the classes' payload P.  A row applies when (P & MASK) == VALUE. */
#define SPE_OP_ANY_MASK 0x00 /* every P */
#define SPE_OP_ANY_VALUE 0x00

#define SPE_OP_OTHER_PLAIN_MASK 0xf8
#define SPE_OP_OTHER_PLAIN_VALUE 0x00
#define SPE_OP_OTHER_SVE_MASK 0x89
#define SPE_OP_OTHER_SVE_VALUE 0x08
#define SPE_OP_OTHER_SME_MASK 0x89
#define SPE_OP_OTHER_SME_VALUE 0x88
#define SPE_OP_OTHER_COND 0x01 /* plain: conditional select or compare */
#define SPE_OP_OTHER_FP 0x02   /* all three */
#define SPE_OP_OTHER_ASE 0x04  /* plain: Advanced SIMD */
#define SPE_OP_OTHER_PRED 0x04 /* SVE: predicated */

#define SPE_OP_LDST_STORE 0x01
#define SPE_OP_LDST_SUBCLASS_MASK 0xfe /* bits [7:1], where one value is one subclass */
#define SPE_OP_LDST_GP_REG_VALUE 0x00
#define SPE_OP_LDST_SIMD_FP_VALUE 0x04
#define SPE_OP_LDST_UNSPEC_REG_VALUE 0x10
#define SPE_OP_LDST_MTE_TAG_VALUE 0x14
#define SPE_OP_LDST_MEMCPY_VALUE 0x20
#define SPE_OP_LDST_MEMSET_MASK 0xff /* store only */
#define SPE_OP_LDST_MEMSET_VALUE 0x25
#define SPE_OP_LDST_NV_SYSREG_VALUE 0x30
#define SPE_OP_LDST_EXTENDED_MASK 0xe2
#define SPE_OP_LDST_EXTENDED_VALUE 0x02
#define SPE_OP_LDST_ATOMIC 0x04
#define SPE_OP_LDST_EXCLUSIVE 0x08
#define SPE_OP_LDST_ACQUIRE_RELEASE 0x10
#define SPE_OP_LDST_SVE_SME_MASK 0x0a
#define SPE_OP_LDST_SVE_SME_VALUE 0x08
#define SPE_OP_LDST_PRED 0x04
#define SPE_OP_LDST_GATHER_SCATTER 0x80
#define SPE_OP_LDST_GCS_MASK 0xfa
#define SPE_OP_LDST_GCS_VALUE 0x40
#define SPE_OP_LDST_GCS_COMMON 0x04

#define SPE_OP_BRANCH_COND 0x01
#define SPE_OP_BRANCH_INDIRECT 0x02
#define SPE_OP_BRANCH_GCS 0x04
#define SPE_OP_BRANCH_CR_MASK 0x18 /* call/return; 0: not known */
#define SPE_OP_BRANCH_CR_CALL 0x08
#define SPE_OP_BRANCH_CR_RETURN 0x10
#define SPE_OP_BRANCH_CR_NEITHER 0x18

/* Effective vector length of SVE, bits: 32 << P[6:4]. */
#define SPE_OP_LENGTH_SHIFT 4
#define SPE_OP_LENGTH_MASK 0x7
#define SPE_OP_EVL_BITS(p) (32u << (((p) >> SPE_OP_LENGTH_SHIFT) & SPE_OP_LENGTH_MASK))
/* Effective tile size of SME, bits: 128 << (P[6:4] << 1 | P[2]). */
#define SPE_OP_ETS_LOW_SHIFT 2
#define SPE_OP_ETS_LOW_MASK 0x1
#define SPE_OP_ETS_BITS(p)                                                                         \
	(128u << (((((p) >> SPE_OP_LENGTH_SHIFT) & SPE_OP_LENGTH_MASK) << 1) |                     \
		  (((p) >> SPE_OP_ETS_LOW_SHIFT) & SPE_OP_ETS_LOW_MASK)))

/* ---- the header table -------------------------------------------------- */

#define SPE_HEADERS 256

/* What a byte means as a short header, or as the second byte of an extended one. */
struct spe_header {
	uint8_t kind; /* enum spe_packet_kind; UNKNOWN when nobody defined it */
	uint8_t index;
	uint8_t payload_bytes;
};

extern const struct spe_header spe_headers[SPE_HEADERS];

#endif
