/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols: address -> symbol, source line and data object, through libelf and
 * libdw.  Knows memory maps per process and time; knows nothing of SPE.
 */
#ifndef PERF_ARM_SPE_SYMBOLS_H
#define PERF_ARM_SPE_SYMBOLS_H

#include <perf-arm-spe/perfdata.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spe_symbols;

struct spe_symbols_opts {
	size_t size;
	struct spe_listener listener;
	const char *symfs;       /**< look for files below this folder first */
	const char *vmlinux;     /**< kernel image, or NULL */
	const char *kallsyms;    /**< kallsyms file, or NULL */
	const char *buildid_dir; /**< NULL: $PERF_BUILDID_DIR, else ~/.debug */
};

/** What is known of an address. Strings live as long as the symbols object. */
struct spe_symbol {
	const char *name;    /**< demangled; NULL when not known */
	uint64_t offset;     /**< from the symbol's start */
	const char *dso;     /**< path or "[kernel.kallsyms]"; NULL when not mapped */
	uint64_t dso_offset; /**< address inside the file's own numbering */
	uint32_t id;         /**< equal ids: same symbol of same dso */
	uint32_t dso_id;
};

/** Make one; caller frees. SPE_OK, SPE_NOMEM. */
SPE_API SPE_MUST_CHECK int spe_symbols_new(const struct spe_symbols_opts *opts,
					   struct spe_symbols **symbols);
/** Free the symbols; NULL is allowed. */
SPE_API void spe_symbols_free(struct spe_symbols *symbols);
/** Feed MMAP, MMAP2, FORK, COMM(exec), EXIT, KSYMBOL records (any order; times decide). SPE_OK,
 * SPE_NOMEM, SPE_LIMIT. */
SPE_API SPE_MUST_CHECK int spe_symbols_add(struct spe_symbols *symbols,
					   const struct spe_perf_event *event);
/** Build-ids of the file header (feature BUILD_ID body). */
SPE_API SPE_MUST_CHECK int spe_symbols_build_ids(struct spe_symbols *symbols, const uint8_t *bytes,
						 size_t n);
/** No more records: sort. After this the maps never change. */
SPE_API SPE_MUST_CHECK int spe_symbols_freeze(struct spe_symbols *symbols);
/** kernel: the address is a kernel one. Looks in pid's maps at time_ns. Cached; thread-safe. SPE_OK
 * or SPE_NOT_FOUND (dso may be set). */
SPE_API int spe_symbols_find(struct spe_symbols *symbols, int32_t pid, bool kernel,
			     uint64_t time_ns, uint64_t address, struct spe_symbol *symbol);
/** "file.c:123" for an address in that dso; SPE_NOT_FOUND without debug info. */
SPE_API int spe_symbols_srcline(struct spe_symbols *symbols, const struct spe_symbol *symbol,
				char *text, size_t size);
/** Build features of this room: demangling, libdw. */

#ifdef __cplusplus
}
#endif
#endif
