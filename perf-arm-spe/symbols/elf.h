/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files, through libelf.  Any file may be hostile: only regular files are
 * opened, and what they say is held against limits.h.
 */
#ifndef SPE_SYMBOLS_ELF_H
#define SPE_SYMBOLS_ELF_H

#include "table.h"

#define SPE_BUILD_ID_BYTES 20u

struct spe_build_id {
	uint8_t bytes[SPE_BUILD_ID_BYTES];
	uint8_t n; /* 0: none */
};

bool spe_build_id_same(const struct spe_build_id *a, const struct spe_build_id *b);

/* A part of the file that is mapped. */
struct spe_segment {
	uint64_t offset, address, file_bytes, memory_bytes;
	bool exec;
};

typedef SPE_VEC(struct spe_segment) spe_segment_vec;

struct spe_elf;

/*
 * Open a regular file for reading: descriptor, or -1 with errno set (EINVAL: not a
 * regular file; EFBIG).
 */
int spe_file_open(const char *path, uint64_t bytes_max);

/* SPE_OK; SPE_NOT_FOUND (no file there that can be opened), SPE_CORRUPT (no ELF file),
 * SPE_UNSUPPORTED (no libelf), SPE_NOMEM. */
int spe_elf_open(const char *path, struct spe_elf **elf);
void spe_elf_close(struct spe_elf *elf);

/* The build-id note; n is 0 when there is none. */
void spe_elf_build_id(const struct spe_elf *elf, struct spe_build_id *id);
/* Segments that are loaded. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_elf_segments(const struct spe_elf *elf, spe_segment_vec *segments);
/* May it run on a machine of this architecture?  Yes for one that is not known. */
bool spe_elf_runs_on(const struct spe_elf *elf, const char *arch);
bool spe_elf_is_relocatable(const struct spe_elf *elf);
/* Is there a full symbol table, not just the one for linking? */
bool spe_elf_has_symtab(const struct spe_elf *elf);
/* Does it know source lines? */
bool spe_elf_has_lines(const struct spe_elf *elf);
/*
 * Add the symbols of the full table, or else of the one for linking.  Of a
 * relocatable file those of .text, from its start.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_elf_symbols(const struct spe_elf *elf, struct spe_table *table);
/* Add "name@plt" for each stub that calls a function elsewhere. SPE_OK, SPE_NOMEM, SPE_LIMIT. */
int spe_elf_stubs(const struct spe_elf *elf, struct spe_table *table);
/* Value of a symbol of the full table, by name. */
bool spe_elf_value(const struct spe_elf *elf, const char *name, uint64_t *value);
/* Name (in the file; NULL: none) and CRC of the separate debug file. */
const char *spe_elf_debuglink(const struct spe_elf *elf, uint32_t *crc);
/* CRC-32 of a whole file as debug links have it. SPE_OK, SPE_NOT_FOUND. */
int spe_file_crc(const char *path, uint32_t *crc);
/*
 * Does the text of its debug information end where its sections do?  libdw looks for the NUL
 * and does not stop at their end.  Compressed sections are unpacked, in memory, for good.
 */
bool spe_elf_debug_text_ends(struct spe_elf *elf);
/* libelf's own handle, for libdw. */
void *spe_elf_handle(struct spe_elf *elf);

#endif
