/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record: packets -> one sampled operation.
 *
 * A record is the run of packets up to and including Timestamp or End.  A
 * record that is cut, or holds a byte that decodes to nothing, is dropped
 * whole, counted with its bytes, and decoding resumes at the next record
 * boundary: it never becomes a sample and lends no field to its neighbour.
 * Every field has a presence bit: absent is not zero.
 */
#ifndef PERF_ARM_SPE_RECORD_H
#define PERF_ARM_SPE_RECORD_H

#include <perf-arm-spe/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Presence bits of struct spe_record; also what a decoder is asked for. */
enum spe_has {
	SPE_HAS_PC = 1u << 0,
	SPE_HAS_TARGET = 1u << 1,
	SPE_HAS_VA = 1u << 2,
	SPE_HAS_PA = 1u << 3,
	SPE_HAS_PREV_TARGET = 1u << 4,
	SPE_HAS_CONTEXT_EL1 = 1u << 5, /**< index 0 */
	SPE_HAS_CONTEXT_EL2 = 1u << 6, /**< index 1 */
	SPE_HAS_TOTAL_LATENCY = 1u << 7,
	SPE_HAS_ISSUE_LATENCY = 1u << 8,
	SPE_HAS_XLAT_LATENCY = 1u << 9,
	SPE_HAS_EVENTS = 1u << 10,
	SPE_HAS_OP = 1u << 11,
	SPE_HAS_DATA_SOURCE = 1u << 12,
	SPE_HAS_TIMESTAMP = 1u << 13,
	SPE_HAS_EL = 1u << 14, /**< el, security: from the PC; not when the PC's top byte is no EL
				    (0xff with bits 55:48 all ones, as early models wrote it) */
	SPE_HAS_UNKNOWN = 1u << 15,   /**< unknown packets were stepped over: undefined headers,
					   indexes without a meaning, a data source over 16 bits */
	SPE_HAS_DUPLICATE = 1u << 16, /**< some packet came twice; the last one counts */
	SPE_HAS_ALL = 0x1ffff,
};

/** Security state of an address, from NSE:NS. */
enum spe_security {
	SPE_SECURE = 0,    /**< NSE 0 NS 0 */
	SPE_NONSECURE = 1, /**< NSE 0 NS 1 */
	SPE_ROOT = 2,      /**< NSE 1 NS 0 */
	SPE_REALM = 3,     /**< NSE 1 NS 1 */
};

/**
 * One sampled operation.  Plain values; a field is meaningful only if its bit
 * in `present` is set, and zero otherwise.
 *
 * Addresses are canonical: PC, target and previous target are sign-extended
 * from bit 55 at EL1 and EL2 (zero-extended at EL0 and EL3); va has its tag
 * taken out (va_tag) and is sign-extended from bit 55 when bits 55:52 are all ones.
 */
struct spe_record {
	uint32_t present;      /**< SPE_HAS_* */
	uint32_t length_bytes; /**< from its first packet to its last; padding around it not counted
				*/
	uint64_t aux_offset;   /**< where it begins in the AUX stream */
	uint64_t timestamp;    /**< generic timer ticks */
	uint32_t context[2];   /**< [0] CONTEXTIDR_EL1, [1] CONTEXTIDR_EL2 */
	uint64_t pc;
	uint64_t target;      /**< branch target */
	uint64_t prev_target; /**< target of the branch taken before */
	uint64_t va;
	uint64_t pa;     /**< bits 55:0 */
	uint64_t events; /**< bit n: event n; see events_bytes */
	uint16_t total_latency_cycles;
	uint16_t issue_latency_cycles;
	uint16_t xlat_latency_cycles;
	uint16_t data_source; /**< IMPLEMENTATION DEFINED; see spe_data_source_lookup() */
	uint8_t events_bytes; /**< payload size: bits beyond 8 times this were not reported */
	uint8_t op_class;     /**< enum spe_op_class */
	uint8_t op_payload;
	uint8_t el;        /**< exception level of the PC, 0-3 */
	uint8_t security;  /**< enum spe_security of the PC */
	uint8_t va_tag;    /**< top byte of the data address */
	uint8_t pa_top;    /**< top byte of the PA packet: [7] NS [6] CH [4] NSE [3:0] PAT */
	uint8_t target_el; /**< exception level of the target address, or SPE_EL_UNKNOWN */
};

/** The top byte of an address is no exception level (see SPE_HAS_EL). */
#define SPE_EL_UNKNOWN 0xff

/** Why bytes did not become records. */
enum spe_drop {
	SPE_DROP_CUT,       /**< the stream ended, or broke off, inside a record */
	SPE_DROP_CORRUPT,   /**< a byte that decodes to nothing; or two records run together:
				 packets that come twice around a header nobody defined */
	SPE_DROP_TOO_LONG,  /**< no Timestamp or End begins within SPE_LIMIT_RECORD_BYTES */
	SPE_DROP_EMPTY,     /**< a Timestamp or End with no other packet before it */
	SPE_DROP_SKIPPED,   /**< the head of a stream that begins inside a record (snapshot mode) */
	SPE_DROP_DUPLICATE, /**< the same AUX bytes were seen before (overlapping snapshots) */
	SPE_DROP_KINDS
};

/** Name of a drop reason, "cut"; "?" when out of range. Never NULL. */
SPE_API const char *spe_drop_name(unsigned reason);

/**
 * Counts.  They always add up: records + sum of drops = records seen, and
 * record_bytes + padding_bytes + sum of drop_bytes = bytes in.
 */
struct spe_decode_stats {
	uint64_t records;
	uint64_t record_bytes;
	uint64_t padding_bytes;         /**< zero bytes and alignment outside records */
	uint64_t unknown_packets;       /**< in the records that were kept */
	uint64_t drops[SPE_DROP_KINDS]; /**< records (CORRUPT: one per damaged stretch) */
	uint64_t drop_bytes[SPE_DROP_KINDS];
};

/** Add the counts of `from` to `into`. */
SPE_API void spe_decode_stats_add(struct spe_decode_stats *into,
				  const struct spe_decode_stats *from);

enum spe_decoder_kind {
	SPE_DECODER_AUTO,    /**< learned shapes where they fit, the general decoder elsewhere */
	SPE_DECODER_GENERAL, /**< one packet after the other, always */
};

struct spe_decoder_opts {
	size_t size;          /**< sizeof(struct spe_decoder_opts) */
	uint32_t want;        /**< SPE_HAS_* the caller will look at; 0 means all.  Fields not
				   wanted may be left absent; framing and counts never change */
	uint32_t kind;        /**< enum spe_decoder_kind */
	uint32_t align_bytes; /**< every record begins at a multiple of this (power of two), for
				   resynchronisation; 0 or 1: not known */
};

struct spe_decoder;

/**
 * A decoder for one stream at a time.  Not shared between threads; caller
 * frees it.  Returns SPE_OK, SPE_NOMEM, SPE_INVALID.
 */
SPE_API SPE_MUST_CHECK int spe_decoder_new(const struct spe_decoder_opts *opts,
					   struct spe_decoder **decoder);
/** Free a decoder; NULL is allowed. */
SPE_API void spe_decoder_free(struct spe_decoder *decoder);

/**
 * Forget the position and what earlier records looked like: what comes next does
 * not continue what came before.
 * align_bytes as in the options.  With in_record, the bytes to come may begin
 * inside a record (a snapshot): everything before the first boundary is counted
 * as SPE_DROP_SKIPPED.  Counts are kept.
 */
SPE_API void spe_decoder_restart(struct spe_decoder *decoder, uint32_t align_bytes, bool in_record);

/** Where the records go. */
struct spe_record_array {
	void *first;         /**< the first struct spe_record */
	size_t stride_bytes; /**< from one record to the next: >= sizeof(struct spe_record), and a
				  multiple of its alignment */
	size_t room;         /**< records it can hold */
	size_t count;        /**< out: records written */
};

/**
 * Decode records from bytes[0..n), which stand at aux_offset of the stream.
 *
 * Stops when `records` is full or the bytes are used up.  *used says how many
 * bytes were consumed; a record that is not whole at the end of the bytes is
 * left unconsumed unless `last`, in which case it is dropped as cut.  The
 * caller comes again with the unconsumed bytes in front of the new ones (a
 * discontinuity: `last`, then spe_decoder_restart()).  The records found, their
 * values and the counts do not depend on how the stream was cut into calls.
 * At most SPE_LIMIT_RECORD_BYTES + SPE_PACKET_MAX_VALUE_BYTES are ever left
 * unconsumed when there is room in `records`.
 *
 * Returns SPE_OK (also when records were dropped: see the counts) or
 * SPE_INVALID.
 */
SPE_API SPE_MUST_CHECK int spe_decoder_decode(struct spe_decoder *decoder, const uint8_t *bytes,
					      size_t n, uint64_t aux_offset, bool last,
					      struct spe_record_array *records, size_t *used);

/** The counts since the decoder was made. Valid until it is freed. Never NULL. */
SPE_API const struct spe_decode_stats *spe_decoder_stats(const struct spe_decoder *decoder);

/* ---- what the fields mean: tables ------------------------------------- */

/** Sub-classes of an operation; no bit means two things in two classes. */
enum spe_op_flag {
	SPE_OP_F_LOAD = 1u << 0,
	SPE_OP_F_STORE = 1u << 1,
	SPE_OP_F_BRANCH = 1u << 2,
	SPE_OP_F_OTHER = 1u << 3,
	SPE_OP_F_ATOMIC = 1u << 4,
	SPE_OP_F_EXCLUSIVE = 1u << 5,
	SPE_OP_F_ACQUIRE_RELEASE = 1u << 6,
	SPE_OP_F_GP_REG = 1u << 7,
	SPE_OP_F_SIMD_FP = 1u << 8, /**< load/store of SIMD&FP registers */
	SPE_OP_F_UNSPEC_REG = 1u << 9,
	SPE_OP_F_MTE_TAG = 1u << 10,
	SPE_OP_F_MEMCPY = 1u << 11,
	SPE_OP_F_MEMSET = 1u << 12,
	SPE_OP_F_NV_SYSREG = 1u << 13,
	SPE_OP_F_SVE = 1u << 14,
	SPE_OP_F_SME = 1u << 15,
	SPE_OP_F_PREDICATED = 1u << 16,
	SPE_OP_F_GATHER_SCATTER = 1u << 17,
	SPE_OP_F_GCS = 1u << 18,
	SPE_OP_F_GCS_COMMON = 1u << 19,
	SPE_OP_F_CONDITIONAL = 1u << 20, /**< branch or select */
	SPE_OP_F_INDIRECT = 1u << 21,
	SPE_OP_F_CALL = 1u << 22, /**< branch with link */
	SPE_OP_F_RETURN = 1u << 23,
	SPE_OP_F_NOT_CALL_RETURN = 1u << 24,
	SPE_OP_F_FP = 1u << 25,        /**< floating point data processing */
	SPE_OP_F_ASE = 1u << 26,       /**< Advanced SIMD data processing */
	SPE_OP_F_UNDEFINED = 1u << 27, /**< class or sub-class nobody defined; raw payload kept */
};

struct spe_op {
	uint32_t flags;       /**< SPE_OP_F_* */
	uint32_t vector_bits; /**< SVE effective vector length or SME tile size; 0 when none */
};

/** Decode an Operation Type packet. Total: never fails. */
SPE_API struct spe_op spe_op_decode(unsigned op_class, unsigned payload);

/** True if the operation reads or writes memory at a data address (load or store class). */
SPE_API bool spe_op_is_memory(unsigned op_class);

/**
 * A short stable name of an operation for reports and text output:
 * "load", "store", "load-atomic", "branch-cond", "other-sve" ...
 * Returns a static string. Never NULL. docs list all of them.
 */
SPE_API const char *spe_op_name(unsigned op_class, unsigned payload);

/** Memory level of a data source. */
enum spe_mem_level {
	SPE_LEVEL_UNKNOWN,
	SPE_LEVEL_L1,
	SPE_LEVEL_L2,
	SPE_LEVEL_L3,        /**< system or last-level cache */
	SPE_LEVEL_ANY_CACHE, /**< some cache, which one is not said */
	SPE_LEVEL_DRAM,
	SPE_LEVEL_IO,
};

enum spe_mem_snoop {
	SPE_SNOOP_UNKNOWN,
	SPE_SNOOP_NONE,
	SPE_SNOOP_HIT,
	SPE_SNOOP_HITM,
};

/** What a data source value means on one family of cores. */
struct spe_data_source {
	const char *name;       /**< "peer-cluster" */
	uint8_t level;          /**< enum spe_mem_level */
	uint8_t snoop;          /**< enum spe_mem_snoop */
	bool remote;            /**< on another socket or chip */
	bool peer;              /**< from a peer core's or cluster's cache */
	uint64_t perf_data_src; /**< PERF_MEM_* bits as perf 7.3 gives them for a load:
				     lvl, lvl_num, snoop, remote (not op, not dtlb) */
};

/**
 * Look a data source up for the core with this MIDR_EL1 (0: not known).
 * Returns NULL when the core or the value has no known encoding: print the
 * number then.  Facts: Arm TRMs as perf's tables have them.
 */
SPE_API const struct spe_data_source *spe_data_source_lookup(uint64_t midr, unsigned value);

/** Name of a core by MIDR_EL1, "Neoverse N1"; NULL when not known. */
SPE_API const char *spe_midr_name(uint64_t midr);

#ifdef __cplusplus
}
#endif
#endif
