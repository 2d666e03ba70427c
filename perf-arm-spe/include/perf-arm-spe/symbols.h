/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols: address -> mapped file, symbol and source line, through libelf and
 * libdw.  Knows memory maps per process and time; knows nothing of SPE.
 *
 * Three steps: feed the records (in any order: times decide), freeze, ask.
 * Files are opened when the first address in them is asked for, never before,
 * and never from the network.  A file counts only if its build-id is the one
 * recorded; where none is, if it is for the recorded kind of machine.  Without libelf (see
 * spe_feature()) only mapped files are known, and the symbols of kallsyms and perf-PID.map files.
 *
 * Facts: the records as include/uapi/linux/perf_event.h has them; the kernel's
 * map and its reference symbol, build-ids and their cache as perf keeps them
 * (Documentation/perf.data-file-format.txt, perf-buildid-cache.txt); ELF: gABI
 * chapters 4 and 5, the AArch64 supplement for mapping symbols.
 */
#ifndef PERF_ARM_SPE_SYMBOLS_H
#define PERF_ARM_SPE_SYMBOLS_H

#include <perf-arm-spe/perfdata.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spe_symbols;

struct spe_symbols_opts {
	size_t size;                  /**< sizeof(struct spe_symbols_opts) */
	struct spe_listener listener; /**< hears of every file that is of no use, once */
	const char *symfs;            /**< look for files below this folder, not below / */
	const char *vmlinux;          /**< kernel image, or NULL */
	const char *kallsyms;         /**< file like /proc/kallsyms, or NULL; not used if its kernel
					   begins or ends elsewhere than the recorded one */
	const char *buildid_dir;      /**< NULL: $PERF_BUILDID_DIR, else ~/.debug */
	bool mangled;                 /**< C++ and Rust names as they stand in the file */
};

/** Make one; strings of opts are copied.  Caller frees. SPE_OK, SPE_NOMEM, SPE_INVALID (opts). */
SPE_API SPE_MUST_CHECK int spe_symbols_new(const struct spe_symbols_opts *opts,
					   struct spe_symbols **symbols);
/** Free the symbols and all strings got from them; NULL is allowed. */
SPE_API void spe_symbols_free(struct spe_symbols *symbols);

/**
 * Feed one record.  MMAP, MMAP2, FORK, COMM (exec), EXIT, KSYMBOL and BUILD_ID
 * count, others are stepped over.  SPE_OK, SPE_NOMEM, SPE_LIMIT; SPE_INVALID
 * after the freeze.
 */
SPE_API SPE_MUST_CHECK int spe_symbols_add(struct spe_symbols *symbols,
					   const struct spe_perf_event *event);
/** Build-ids of the file header: body of feature BUILD_ID, in the order of bytes of the file. A
 * damaged end is left out.  SPE_OK, SPE_NOMEM, SPE_LIMIT, SPE_INVALID after the freeze. */
SPE_API SPE_MUST_CHECK int spe_symbols_build_ids(struct spe_symbols *symbols, const uint8_t *bytes,
						 size_t n, bool big_endian);
/** The recorded machine: release of its kernel ("6.1.0-13-arm64"), which names the files that may
 * be found in, and architecture as uname has it ("aarch64"): a file for another one is of no use.
 * "" for what is not known.  SPE_OK, SPE_NOMEM, SPE_INVALID after the freeze. */
SPE_API SPE_MUST_CHECK int spe_symbols_machine(struct spe_symbols *symbols, const char *release,
					       const char *arch);
/** No more records: sort.  After this the maps never change. SPE_OK, SPE_NOMEM. */
SPE_API SPE_MUST_CHECK int spe_symbols_freeze(struct spe_symbols *symbols);
/**
 * All of the above from a file: rewinds its cursor, reads it to the end,
 * freezes.  What comes before damage is used.  SPE_OK, SPE_NOMEM, SPE_LIMIT,
 * SPE_INVALID (opts), SPE_IO.
 */
SPE_API SPE_MUST_CHECK int spe_symbols_open(struct spe_perfdata *pd,
					    const struct spe_symbols_opts *opts,
					    struct spe_symbols **symbols);

/** Where to look an address up. */
struct spe_symbol_query {
	int32_t pid;      /**< whose maps; any for kernel addresses */
	bool kernel;      /**< among the kernel's maps */
	bool has_time;    /**< without: only what was mapped there at all times alike */
	uint64_t time_ns; /**< clock of the side-band */
	uint64_t address;
};

/** No such symbol; no such mapping. */
#define SPE_SYMBOL_NONE UINT64_MAX
#define SPE_DSO_NONE UINT32_MAX

/** What is known of an address. Strings live as long as the symbols object. */
struct spe_symbol {
	uint64_t id;          /**< equal ids, same symbol of same file; SPE_SYMBOL_NONE */
	uint32_t dso_id;      /**< equal ids, same file; SPE_DSO_NONE when not mapped */
	uint32_t dso_name_id; /**< equal ids, same dso_name; SPE_DSO_NONE */
	bool kernel;          /**< the file is the kernel, or a part of it */
	const char *name;     /**< of the symbol, readable; NULL when not known */
	const char *dso;      /**< path as recorded, "[kernel.kallsyms]", "[heap]"; NULL when not
				   mapped */
	const char *dso_name; /**< as reports show it: the last part of the path, "[module]" */
	uint64_t offset;      /**< from the symbol's start; meaningful with name */
	uint64_t dso_offset;  /**< in the file as it was mapped (perf's); the address itself
				   where there is no file */
	uint64_t dso_address; /**< as nm and addr2line number it; = dso_offset when not known */
};

/**
 * Look an address up.  Thread-safe, with a lock only where a file has to be
 * read.  SPE_OK; SPE_NOT_FOUND (no symbol; the dso may be known); SPE_NOMEM;
 * SPE_INVALID before the freeze.  *symbol is filled in any case.
 */
SPE_API int spe_symbols_find(struct spe_symbols *symbols, const struct spe_symbol_query *query,
			     struct spe_symbol *symbol);

/** The symbol behind an id; offset, dso_offset and dso_address are those of its start. Thread-safe.
 * SPE_OK, SPE_NOT_FOUND (no such id). */
SPE_API int spe_symbols_by_id(const struct spe_symbols *symbols, uint64_t id,
			      struct spe_symbol *symbol);
/** dso_name behind a dso_name_id, NULL when there is none. Thread-safe. */
SPE_API const char *spe_symbols_dso_name(const struct spe_symbols *symbols, uint32_t dso_name_id);

/**
 * "file.c:123" of what spe_symbols_find() found: the last part of the path
 * unless full_path.  Thread-safe, slow the first time a file is asked.  SPE_OK,
 * SPE_NOT_FOUND (no debug information there), SPE_UNSUPPORTED (built without
 * libdw), SPE_NOMEM.
 */
SPE_API int spe_symbols_srcline(struct spe_symbols *symbols, const struct spe_symbol *symbol,
				bool full_path, char *text, size_t size);

/* ---- a thread's own memory of answers ----------------------------------- */

struct spe_symbol_cache;

/** A cache over symbols; one per thread.  Caller frees, before the symbols. SPE_OK, SPE_NOMEM. */
SPE_API SPE_MUST_CHECK int spe_symbol_cache_new(struct spe_symbols *symbols,
						struct spe_symbol_cache **cache);
/** Free; NULL is allowed. */
SPE_API void spe_symbol_cache_free(struct spe_symbol_cache *cache);
/** As spe_symbols_find(), and quick where it was asked before. *symbol is valid until the next call
 * with this cache. */
SPE_API int spe_symbol_cache_find(struct spe_symbol_cache *cache,
				  const struct spe_symbol_query *query,
				  const struct spe_symbol **symbol);

#ifdef __cplusplus
}
#endif
#endif
