/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mapped: files, the kernel and its parts, memory without a file. */
#ifndef SPE_SYMBOLS_DSO_H
#define SPE_SYMBOLS_DSO_H

#include "elf.h"

#include "../base/strings.h"

#include <perf-arm-spe/symbols.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A copy on the heap, NULL without memory. */
static inline char *spe_copy_text(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

enum spe_dso_kind {
	SPE_DSO_FILE,
	SPE_DSO_VDSO,
	SPE_DSO_MEMORY, /* heap, stack, anonymous: no file, no symbols */
	SPE_DSO_JIT,    /* anonymous code: symbols in perf-PID.map */
	SPE_DSO_KERNEL, /* from here on: the kernel's */
	SPE_DSO_MODULE,
	SPE_DSO_BPF, /* one symbol, its name */
};

/* What the addresses of a table are. */
enum spe_dso_numbering {
	SPE_DSO_BY_FILE, /* as the file numbers itself: through pgoff and segments */
	SPE_DSO_BY_RUN,  /* where it ran, less the slide */
	SPE_DSO_BY_MAP,  /* from the beginning of the mapping */
};

struct spe_lines;

struct spe_dso {
	const char *path; /* as recorded */
	uint32_t id;
	uint32_t name_id;
	uint8_t kind; /* enum spe_dso_kind */
	struct spe_build_id build_id;

	/* Written once under the lock of the symbols, before `loaded`; read after it. */
	atomic_bool loaded;
	uint8_t numbering; /* enum spe_dso_numbering */
	struct spe_table table;
	spe_segment_vec segments;
	uint64_t slide;            /* the kernel was moved so far */
	char *source;              /* file with line numbers, NULL: none */
	_Atomic(char *) *readable; /* by symbol, made when first asked for; "": as it is */

	/* Under the lock: */
	struct spe_lines *lines;
	bool lines_tried;
};

struct spe_dsos {
	struct spe_strings *keys;  /* path, NUL, build-id: number = id of the dso */
	struct spe_strings *names; /* what reports show */
	SPE_VEC(struct spe_dso *) items;
};

/* SPE_OK, SPE_NOMEM. */
int spe_dsos_init(struct spe_dsos *dsos);
void spe_dsos_fini(struct spe_dsos *dsos);
/* The dso of a path and build-id (NULL or n 0: not known), made if new. SPE_OK, SPE_NOMEM,
 * SPE_LIMIT. */
int spe_dsos_get(struct spe_dsos *dsos, uint8_t kind, const char *path,
		 const struct spe_build_id *build_id, struct spe_dso **dso);

/*
 * From a place in the file to the file's own numbering: of the segments that
 * hold it the one that is code if the mapping is.
 */
uint64_t spe_dso_address(const struct spe_dso *dso, uint64_t offset, bool exec);

#endif
