/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attribution, CoreSight: what ETM/ETE trace in the same perf.data says of who
 * runs on a CPU.
 *
 * CONTEXTIDR is the same register whichever trace unit reports it.  The trace
 * is read through OpenCSD at packet level: no program image is needed.  Facts:
 * perf's cs-etm metadata (AUXTRACE_INFO type 3), Arm's ETMv4 and ETE
 * architecture as OpenCSD implements it.
 */
#ifndef PERF_ARM_SPE_ETM_H
#define PERF_ARM_SPE_ETM_H

#include <perf-arm-spe/perfdata.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a source was told to put the thread id (TRCCONFIGR). */
enum spe_etm_pid_format {
	SPE_ETM_PID_NONE, /**< contexts were not traced */
	SPE_ETM_PID_EL1,  /**< CONTEXTIDR_EL1, as context id (CID, bit 6) */
	SPE_ETM_PID_EL2,  /**< CONTEXTIDR_EL2, as context id or VMID (VMID bit 7, VMIDOPT bit 15) */
};

/** One trace unit, from the metadata. */
struct spe_etm_source {
	int32_t cpu;
	uint8_t trace_id;   /**< CoreSight trace id, 1-0x6f; 0 when not known */
	uint8_t pid_format; /**< enum spe_etm_pid_format */
	bool ete;           /**< by TRCDEVARCH, not by the block's magic */
	bool supported;     /**< ETMv3 and PTM are not */
	bool has_ts_source; /**< the metadata says which clock timestamps are of */
	uint64_t ts_source; /**< TRFCR.TS: 1 virtual, 2 guest physical, 3 physical counter */
	uint32_t configr, traceidr, idr0, idr1, idr2, idr8, devarch;
};

/** One packet that said something about the context of a CPU. */
struct spe_etm_context {
	int32_t cpu;
	uint64_t aux_offset; /**< where the packet stands in its AUX stream (of the buffer's index)
			      */
	bool has_context;    /**< context_id was traced since the last reset */
	bool has_vmid;       /**< vmid was traced since the last reset */
	bool has_el;         /**< el and security hold */
	bool has_timestamp;  /**< a timestamp packet came since the last reset */
	bool has_next_timestamp; /**< a timestamp packet came after it */
	bool has_bounds;         /**< the AUX record's times bound the packet */
	uint32_t context_id;     /**< CONTEXTIDR_EL1 */
	uint32_t vmid;           /**< with SPE_ETM_PID_EL2: CONTEXTIDR_EL2 */
	uint8_t el;              /**< exception level */
	uint8_t security;        /**< enum spe_security: NSE:NS */
	bool has_tid;            /**< tid is the value the pid format names */
	uint32_t tid;            /**< thread id of the initial namespace */
	uint64_t timestamp;      /**< last timestamp before the packet */
	uint64_t next_timestamp; /**< first timestamp after it: the context began between the two */
	uint64_t until_timestamp; /**< last timestamp at which it still held; with
				     has_next_timestamp */
	uint64_t after_ns,
		before_ns; /**< has_bounds: AUX record before, and this one, perf clock */
};

/** What was read, per CPU trace unit. */
struct spe_etm_stats {
	uint64_t bytes;             /**< given to the decoder */
	uint64_t before_sync_bytes; /**< before the first synchronisation after each reset */
	uint64_t packets;
	uint64_t bad_packets; /**< malformed or reserved */
	uint64_t contexts, timestamps;
	uint64_t overflows; /**< the trace unit's own buffer overflowed */
};

/** What was read in all. */
struct spe_etm_totals {
	uint64_t buffers, buffer_bytes;       /**< AUXTRACE records and their payload in the file */
	uint64_t aux_records, promised_bytes; /**< AUX records and the sizes they name */
	uint64_t missing_bytes;               /**< promised, and not in the file */
	uint64_t truncated;                   /**< AUX records flagged TRUNCATED */
	uint64_t fatal_errors;                /**< OpenCSD gave up; reset and resumed */
};

struct spe_etm;

/**
 * Read the CoreSight trace of a file: all AUXTRACE payload through OpenCSD.
 * Uses the file's event cursor from the start, and rewinds it.  Caller frees.
 * Returns SPE_OK; SPE_NOT_FOUND when the file has no cs_etm metadata;
 * SPE_UNSUPPORTED without OpenCSD in this build; SPE_CORRUPT (metadata),
 * SPE_LIMIT, SPE_NOMEM, SPE_IO with *error filled.
 */
SPE_API SPE_MUST_CHECK int spe_etm_new(struct spe_perfdata *pd, struct spe_etm **etm,
				       struct spe_error *error);
/** Free; NULL is allowed. */
SPE_API void spe_etm_free(struct spe_etm *etm);

/** Number of trace units the metadata names. */
SPE_API size_t spe_etm_sources(const struct spe_etm *etm);
/** Unit i, or NULL when out of range. */
SPE_API const struct spe_etm_source *spe_etm_source(const struct spe_etm *etm, size_t i);
/** What was read of unit i, or NULL when out of range. */
SPE_API const struct spe_etm_stats *spe_etm_stats(const struct spe_etm *etm, size_t i);
/** What was read in all. Never NULL. */
SPE_API const struct spe_etm_totals *spe_etm_totals(const struct spe_etm *etm);
/** The contexts, sorted by CPU, in stream order within a CPU. *count gets their number. */
SPE_API const struct spe_etm_context *spe_etm_contexts(const struct spe_etm *etm, size_t *count);

/**
 * Read a bare trace buffer of known sources (no perf.data): formatted is 16-byte
 * CoreSight frames, else the stream of sources[0].  Results as above.
 */
SPE_API SPE_MUST_CHECK int spe_etm_new_bare(const struct spe_etm_source *sources, size_t count,
					    bool formatted, const uint8_t *bytes, size_t n,
					    struct spe_etm **etm, struct spe_error *error);

#ifdef __cplusplus
}
#endif
#endif
