/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside: symbols.c takes records, load.c finds and reads files,
 * kernel.c those of the kernel, find.c answers, lines.c knows source lines.
 */
#ifndef SPE_SYMBOLS_SYMBOLS_H
#define SPE_SYMBOLS_SYMBOLS_H

#include "dso.h"
#include "maps.h"

#include <pthread.h>

/* The address of a symbol of the kernel when it ran, to tell how far it was moved. */
struct spe_reference {
	char name[32]; /* "_text"; "": none */
	uint64_t address;
};

/* A build-id the file's header gives for a path. */
struct spe_recorded_id {
	char *path;
	struct spe_build_id id;
};

struct spe_symbols {
	struct spe_listener listener;
	char *symfs, *vmlinux, *kallsyms, *buildid_dir, *release;
	char arch[32]; /* "": not known */
	bool mangled;
	bool frozen;
	struct spe_maps *maps;
	struct spe_dsos dsos;
	SPE_VEC(struct spe_recorded_id) ids;
	struct spe_dso *kernel_dso; /* NULL: not recorded */
	bool kernel_assumed;        /* its mapping was not recorded, but the user named a file */
	struct spe_reference reference;
	pthread_mutex_t lock; /* around reading files and making names */
	unsigned notes;       /* under the lock: said so far */
};

/* load.c.  The dso with its symbols read; nothing found is no failure. SPE_OK, SPE_NOMEM,
 * SPE_LIMIT. */
int spe_dso_need(struct spe_symbols *symbols, struct spe_dso *dso);

/*
 * load.c, under the lock: use an ELF file for a dso if it is the one recorded.
 * *reason is set to why not, where there is such a file.  SPE_OK, SPE_NOT_FOUND (not used),
 * SPE_NOMEM, SPE_LIMIT.
 */
int spe_load_elf(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
		 const char **reason);
/* A path of perf's build-id cache ("elf", "kallsyms"); false: no build-id, or no room. */
bool spe_load_cache_path(const struct spe_symbols *symbols, const struct spe_build_id *id,
			 const char *file, char *to, size_t room);
/* Is it from the root, and never back up? */
bool spe_load_is_plain_path(const char *path);
/* A path below --symfs; false: no room. */
bool spe_load_symfs_path(const struct spe_symbols *symbols, const char *path, char *to,
			 size_t room);

/* load.c, under the lock: "WHAT PATH: REASON" to the listener, unless there were many already. */
void spe_load_note(struct spe_symbols *symbols, const char *what, const char *path,
		   const char *reason);

/* kernel.c, under the lock; *reason NULL: said already. SPE_OK, SPE_NOT_FOUND, SPE_NOMEM,
 * SPE_LIMIT. */
int spe_kernel_load(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason);
int spe_module_load(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason);

struct spe_kallsyms_marks;
/* fit.c: do these belong to the recorded kernel?  NULL, or why not. *checked: could it be told? */
const char *spe_kallsyms_misfit(const struct spe_symbols *symbols,
				const struct spe_kallsyms_marks *marks, bool *checked);
/* Drop the symbols of a kernel's table that lie, moved by slide, outside of its mappings. */
void spe_kallsyms_trim(const struct spe_symbols *symbols, struct spe_table *table, uint64_t slide);

/* text.c: symbols from text files. */
struct spe_kallsyms_opts {
	const char *module;    /* NULL: the kernel's own; "ext4": those of a module */
	const char *reference; /* a symbol whose value to tell, or NULL */
};
/* Symbols that tell which kernel it is; 0: not there, or not shown. */
struct spe_kallsyms_marks {
	uint64_t reference;
	uint64_t text;  /* _text, or else _stext */
	uint64_t etext; /* _etext */
	uint64_t last;  /* the highest of _etext, _edata, _end */
};
/* SPE_OK, SPE_NOT_FOUND (no such file), SPE_NOMEM, SPE_LIMIT. */
int spe_text_kallsyms(const char *path, const struct spe_kallsyms_opts *opts,
		      struct spe_table *table, struct spe_kallsyms_marks *marks);
/* The map file of a just-in-time compiler, as above. */
int spe_text_jit(const char *path, struct spe_table *table);

/* find.c: demangled if need be. SPE_OK, SPE_NOMEM. */
int spe_symbols_name(struct spe_symbols *symbols, struct spe_dso *dso, size_t i, const char **name);
/* How aliases are compared; NULL: as they stand in the file. */
spe_table_readable spe_symbols_readable(const struct spe_symbols *symbols);

/* lines.c */
struct spe_lines;
void spe_lines_free(struct spe_lines *lines);

#endif
