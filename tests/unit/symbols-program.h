/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs the tests of symbols build, and how the kernel would map them. */
#ifndef TESTS_UNIT_SYMBOLS_PROGRAM_H
#define TESTS_UNIT_SYMBOLS_PROGRAM_H

#include "symbols-make.h"

#include <elf.h>
#include <limits.h>
#include <unistd.h>

#define PROGRAM_BASE 0x555500000000ull
#define PROGRAM_PID 42

static char program_folder[PATH_MAX - 256];

/* A folder for the files of a test; set-up of each. */
static UNUSED void program_setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(program_folder, sizeof(program_folder), "%.200s/spe-symbols.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(program_folder));
}

static UNUSED int program_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A shell command inside the folder. */
static UNUSED int program_run(const char *format, ...)
{
	char command[8192];
	char whole[sizeof(command) + sizeof(program_folder) + 64];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "cd %s && { %s; } >log 2>&1", program_folder, command);
	return system(whole);
}

static UNUSED void program_teardown(void)
{
	char command[sizeof(program_folder) + 16];

	snprintf(command, sizeof(command), "rm -rf %s", program_folder);
	ck_assert_int_eq(system(command), 0);
}

static UNUSED const char *program_path(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", program_folder, name);
	return path;
}

static UNUSED void program_write(const char *name, const char *text)
{
	FILE *file = fopen(program_path(name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static UNUSED const char *program_cc(void)
{
	const char *cc = getenv("CC");

	return cc && *cc ? cc : "cc";
}

/* Lines a command prints, read by popen(). */
static UNUSED FILE *program_read(const char *format, ...) __attribute__((format(printf, 1, 2)));

static UNUSED FILE *program_read(const char *format, ...)
{
	char command[PATH_MAX * 2];
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	file = popen(command, "r");
	ck_assert_ptr_nonnull(file);
	return file;
}

/*
 * Feed the mappings of a file at a base (0 for a program that is not position
 * independent), a record a segment, as the kernel's loader makes them.
 */
static UNUSED void program_map_some(struct spe_symbols *symbols, const char *file,
				    const char *recorded, uint64_t base,
				    const struct spe_perf_event *like, bool code_only)
{
	FILE *f = fopen(file, "r");
	Elf64_Ehdr header;

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, f), 1);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		struct spe_perf_event map = *like;
		Elf64_Phdr segment;
		uint64_t slack;

		ck_assert_int_eq(fseek(f, (long)(header.e_phoff + i * sizeof(segment)), SEEK_SET),
				 0);
		ck_assert_uint_eq(fread(&segment, sizeof(segment), 1, f), 1);
		if (segment.p_type != PT_LOAD || (code_only && !(segment.p_flags & PF_X)))
			continue;
		slack = segment.p_vaddr & 0xfff;
		map.u.mmap.addr = base + segment.p_vaddr - slack;
		map.u.mmap.len = (segment.p_filesz + slack + 0xfff) & ~0xfffull;
		map.u.mmap.pgoff = segment.p_offset - slack;
		map.u.mmap.prot = (segment.p_flags & PF_X ? 4 : 0) |
				  (segment.p_flags & PF_W ? 2 : 0) |
				  (segment.p_flags & PF_R ? 1 : 0);
		map.u.mmap.filename = recorded;
		symbols_add(symbols, map);
	}
	fclose(f);
}

static UNUSED void program_map(struct spe_symbols *symbols, const char *file, const char *recorded,
			       uint64_t base, const struct spe_perf_event *like)
{
	program_map_some(symbols, file, recorded, base, like, false);
}

/* As without `perf record -d`. */
static UNUSED void program_map_code(struct spe_symbols *symbols, const char *file,
				    const char *recorded, uint64_t base,
				    const struct spe_perf_event *like)
{
	program_map_some(symbols, file, recorded, base, like, true);
}

static UNUSED bool program_is_fixed(const char *file)
{
	FILE *f = fopen(file, "r");
	Elf64_Ehdr header;

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, f), 1);
	fclose(f);
	return header.e_type == ET_EXEC;
}

/* Symbols of one program, mapped under its own path at PROGRAM_BASE. */
static UNUSED struct spe_symbols *program_symbols(const char *file, struct spe_symbols_opts opts,
						  struct heard *heard)
{
	struct spe_symbols *symbols = symbols_make(opts, heard);
	struct spe_perf_event like = symbols_mmap(1, PROGRAM_PID, 0, 0, NULL);

	program_map(symbols, file, file, program_is_fixed(file) ? 0 : PROGRAM_BASE, &like);
	symbols_freeze(symbols);
	return symbols;
}

#endif
