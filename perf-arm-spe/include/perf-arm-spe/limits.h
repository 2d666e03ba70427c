/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every limit of the library, in one place; docs/limits.md explains each.
 * A length read from a file is hostile until it was held against one of these.
 */
#ifndef PERF_ARM_SPE_LIMITS_H
#define PERF_ARM_SPE_LIMITS_H

/* record */
#define SPE_LIMIT_RECORD_BYTES 2048u /* PMSIDR_EL1.MaxSize ends at 2 KiB */

/* perfdata */
#define SPE_LIMIT_ATTRS 65536u
#define SPE_LIMIT_IDS_PER_ATTR (1u << 24)
#define SPE_LIMIT_IDS (1u << 24) /* of all attrs together */
#define SPE_LIMIT_CPUS (1u << 20)
#define SPE_LIMIT_ATTR_BYTES 4096u
#define SPE_LIMIT_FEATURE_BYTES (256u << 20)
#define SPE_LIMIT_STRING_BYTES 65536u
#define SPE_LIMIT_DIR_FILES 65536u
#define SPE_LIMIT_DECOMPRESSED_BYTES (64u << 20) /* of one COMPRESSED record */
#define SPE_LIMIT_UNZIP_FREE_BYTES (64u << 20)   /* of all COMPRESSED records of a recording; */
#define SPE_LIMIT_UNZIP_RATIO 100u               /* beyond it so many bytes for one at most */
#define SPE_LIMIT_MENDS 16u                      /* trace of a wrong size, in one file */

/* attribution */
#define SPE_LIMIT_TASKS (32u << 20)   /* lives of tasks kept */
#define SPE_LIMIT_COMMS (16u << 20)   /* distinct names kept */
#define SPE_LIMIT_COMM_BYTES 256u     /* of one name; the kernel's are 16 */
#define SPE_LIMIT_SWITCHES (1u << 30) /* switch records kept */
#define SPE_LIMIT_STREAMS (1u << 20)  /* AUX streams (CPUs or threads) */
#define SPE_LIMIT_AUX_CHUNKS (64u << 20)
#define SPE_LIMIT_ZERO_RUNS (1u << 20) /* runs of unwritten zero contexts kept per stream */
#define SPE_LIMIT_ETM_LOOKS (1u << 28) /* searches for the buffer of an AUX record, in steps */
#define SPE_LIMIT_PID_MAP (4u << 20)   /* lines of --pid-map */

/* symbols */
#define SPE_LIMIT_MAPS (16u << 20) /* mappings kept, all processes */
#define SPE_LIMIT_FORK_DEPTH 1024u /* parents asked for what they had mapped */
#define SPE_LIMIT_MAP_LOOKS                                                                        \
	8192u /* mappings, or lives of a process, looked through for an address */
#define SPE_LIMIT_DSOS (1u << 18) /* distinct mapped files */
#define SPE_LIMIT_DSO_NAME_BYTES 4096u
#define SPE_LIMIT_ELF_BYTES (64ull << 30)          /* of a file that is opened */
#define SPE_LIMIT_ELF_SEGMENTS 65536u              /* of one file */
#define SPE_LIMIT_SYMBOLS (64u << 20)              /* of one file */
#define SPE_LIMIT_SYMBOL_NAMES (1u << 30)          /* bytes, of one file */
#define SPE_LIMIT_SYMBOL_TEXT_BYTES (512ull << 20) /* of kallsyms or perf-PID.map */

/* sink */
#define SPE_LIMIT_VERIFY_SPANS 10000u /* stretches shown one by one; all are counted */
#define SPE_LIMIT_SORT_KEYS 16u
#define SPE_LIMIT_REPORT_ROWS (64u << 20)
#define SPE_LIMIT_WORKERS 1024u
#define SPE_LIMIT_HTML_PROCESSES 40u     /* with a row of their own on the page */
#define SPE_LIMIT_HTML_LANES 128u        /* rows of CPUs; beyond it neighbours share one */
#define SPE_LIMIT_HTML_BINS 600u         /* steps of time */
#define SPE_LIMIT_HTML_CELLS (24u << 10) /* lanes times steps */
#define SPE_LIMIT_HTML_ROWS 2097151u     /* different lines, code addresses ... counted apart */

#endif
