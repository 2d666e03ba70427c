/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines, through libdw.  Units are found by the addresses they say they
 * have, not through libdwfl: that one would ask servers for debug files.
 */
#include "symbols.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <sys/stat.h>

/* Units inside units are looked through no further back than this. */
#define NESTED_MAX 256u

/* Addresses of a unit. */
struct unit_range {
	Dwarf_Addr start, end;
	Dwarf_Off unit;
};

struct spe_lines {
	struct spe_elf *elf;
	Dwarf *dwarf;
	SPE_VEC(struct unit_range) ranges; /* ascending */
};

void spe_lines_free(struct spe_lines *lines)
{
	if (!lines)
		return;
	dwarf_end(lines->dwarf);
	spe_elf_close(lines->elf);
	free(lines->ranges.items);
	free(lines);
}

static int add_unit(struct spe_lines *lines, Dwarf_Off unit)
{
	Dwarf_Die die;
	Dwarf_Addr base;
	ptrdiff_t at = 0;
	int status = SPE_OK;

	if (!dwarf_offdie(lines->dwarf, unit, &die))
		return SPE_OK;
	while (!status) {
		struct unit_range range = { .unit = unit };

		at = dwarf_ranges(&die, at, &base, &range.start, &range.end);
		if (at <= 0)
			break;
		if (range.start < range.end)
			status = spe_vec_push(&lines->ranges, &range, SPE_LIMIT_SYMBOLS);
	}
	return status;
}

static int compare_ranges(const void *a_, const void *b_)
{
	const struct unit_range *a = a_;
	const struct unit_range *b = b_;

	SPE_ORDER(a->start, b->start);
	SPE_ORDER(a->unit, b->unit);
	return 0;
}

static int add_units(struct spe_lines *lines)
{
	Dwarf_Off at = 0;
	Dwarf_Off next;
	size_t header;
	int status = SPE_OK;

	while (!status && dwarf_nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		status = add_unit(lines, at + header);
		if (next <= at)
			break;
		at = next;
	}
	if (lines->ranges.count)
		qsort(lines->ranges.items, lines->ranges.count, sizeof(*lines->ranges.items),
		      compare_ranges);
	return status;
}

/*
 * Text that several files share may lie in another one (dwz).  libdw opens what
 * the link names, whatever it is: a device, or a FIFO that nobody writes to.
 */
static bool alt_is_harmless(Dwarf *dwarf, const char *path)
{
	char folder[PATH_MAX];
	char alt[2 * PATH_MAX];
	const char *name;
	const void *id;
	struct stat st;
	char *slash;

	if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0)
		return true;
	if (!realpath(path, folder))
		return false;
	slash = strrchr(folder, '/');
	if (slash)
		slash[1] = '\0';
	if (strlen(name) >= PATH_MAX)
		return true; /* no such path can be opened */
	snprintf(alt, sizeof(alt), "%s%s", name[0] == '/' ? "" : folder, name);
	return stat(alt, &st) || S_ISREG(st.st_mode);
}

static int lines_open(const char *path, struct spe_lines **made)
{
	struct spe_lines *lines = calloc(1, sizeof(*lines));
	int status = lines ? spe_elf_open(path, &lines->elf) : SPE_NOMEM;

	if (status == SPE_CORRUPT) /* it has become another file */
		status = SPE_NOT_FOUND;
	/* Of a module not linked yet addresses mean nothing. */
	if (!status && spe_elf_is_relocatable(lines->elf))
		status = SPE_NOT_FOUND;
	if (!status && !spe_elf_debug_text_ends(lines->elf))
		status = SPE_CORRUPT;
	if (!status) {
		lines->dwarf = dwarf_begin_elf(spe_elf_handle(lines->elf), DWARF_C_READ, NULL);
		status = lines->dwarf ? SPE_OK : SPE_NOT_FOUND;
	}
	if (!status)
		status = alt_is_harmless(lines->dwarf, path) ? add_units(lines) : SPE_UNSUPPORTED;
	if (status) {
		spe_lines_free(lines);
		return status;
	}
	*made = lines;
	return SPE_OK;
}

/* The line of an address in one unit. */
static bool unit_line(const struct spe_lines *lines, Dwarf_Off unit, uint64_t address,
		      const char **file, int *number)
{
	Dwarf_Die die;
	Dwarf_Line *line;

	if (!dwarf_offdie(lines->dwarf, unit, &die))
		return false;
	line = dwarf_getsrc_die(&die, address);
	*file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	return *file && dwarf_lineno(line, number) == 0 && *number > 0;
}

static bool find_line(const struct spe_lines *lines, uint64_t address, const char **file,
		      int *number)
{
	const struct unit_range *items = lines->ranges.items;
	size_t low = 0;
	size_t high = lines->ranges.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (items[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t step = 0; low-- && step < NESTED_MAX; step++)
		if (address < items[low].end &&
		    unit_line(lines, items[low].unit, address, file, number))
			return true;
	return false;
}

static int find_srcline(struct spe_symbols *symbols, struct spe_dso *dso, uint64_t address,
			bool full_path, char *text, size_t size)
{
	const char *file;
	const char *slash;
	int number;
	int status = SPE_OK;

	if (!dso->lines_tried && dso->source)
		status = lines_open(dso->source, &dso->lines);
	if (status == SPE_NOMEM)
		return status;
	if (status == SPE_CORRUPT)
		spe_load_note(symbols, "no source lines of", dso->source,
			      "text of its debug information has no end");
	if (status == SPE_UNSUPPORTED)
		spe_load_note(symbols, "no source lines of", dso->source,
			      "what it shares debug information with is no regular file");
	dso->lines_tried = true;
	if (!dso->lines || !find_line(dso->lines, address, &file, &number))
		return SPE_NOT_FOUND;
	slash = strrchr(file, '/');
	snprintf(text, size, "%s:%d", slash && !full_path ? slash + 1 : file, number);
	return SPE_OK;
}

int spe_symbols_srcline(struct spe_symbols *symbols, const struct spe_symbol *symbol,
			bool full_path, char *text, size_t size)
{
	struct spe_dso *dso;
	int status;

	if (symbol->dso_id >= symbols->dsos.items.count)
		return SPE_NOT_FOUND;
	dso = symbols->dsos.items.items[symbol->dso_id];
	status = spe_dso_need(symbols, dso);
	if (status)
		return status;
	pthread_mutex_lock(&symbols->lock);
	status = find_srcline(symbols, dso, symbol->dso_address, full_path, text, size);
	pthread_mutex_unlock(&symbols->lock);
	return status;
}

#else

void spe_lines_free(struct spe_lines *lines)
{
	(void)lines;
}

int spe_symbols_srcline(struct spe_symbols *symbols, const struct spe_symbol *symbol,
			bool full_path, char *text, size_t size)
{
	(void)symbols;
	(void)symbol;
	(void)full_path;
	(void)text;
	(void)size;
	return SPE_UNSUPPORTED;
}

#endif
