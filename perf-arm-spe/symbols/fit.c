/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a kallsyms the recorded kernel's?  It has no build-id.  What it says of
 * where the kernel begins and ends is held against the recorded mapping, whose
 * end is that of the kernel's text or data, or the next module, or nothing.
 */
#include "index.h"
#include "symbols.h"

/* x86 and RISC-V have their kernels in the topmost 2 GiB, AArch64 never. */
#define TOP_2G 0xffffffff80000000ull
/* A kernel is moved by whole pages, and perf rounds its end to some. */
#define PAGE 4096u
#define SLACK (64u << 10)
/* A longer mapping reaches beyond the kernel, to whatever comes next. */
#define TIGHT_BYTES (256u << 20)
/* The text is some part of what is mapped, and not a small one. */
#define TEXT_SHARE 4u

/* From the kernel's first mapping to its last; false: not recorded, or as all there is. */
static bool kernel_extent(const struct spe_symbols *symbols, struct spe_span *kernel)
{
	const struct spe_map *map;

	*kernel = (struct spe_span){ UINT64_MAX, 0 };
	if (symbols->kernel_assumed || !symbols->kernel_dso)
		return false;
	for (size_t i = 0; (map = spe_maps_at(symbols->maps, i)); i++) {
		if (map->pid != SPE_MAPS_KERNEL || map->dso != symbols->kernel_dso->id)
			continue;
		if (map->start < kernel->start)
			kernel->start = map->start;
		if (map->end > kernel->end)
			kernel->end = map->end;
	}
	return kernel->start >= SLACK && kernel->start < kernel->end;
}

/* Does the mapping end where the kernel does?  Not if a module is what ends it. */
static bool is_tight(const struct spe_symbols *symbols, const struct spe_span *kernel)
{
	const struct spe_map *map;

	if (kernel->end - kernel->start > TIGHT_BYTES)
		return false;
	for (size_t i = 0; (map = spe_maps_at(symbols->maps, i)); i++)
		if (map->pid == SPE_MAPS_KERNEL && map->start >= kernel->end &&
		    map->start - kernel->end < SLACK)
			return false;
	return true;
}

/* No reference was recorded: it did not move, or nobody can tell. */
static const char *misfit_unmoved(const struct spe_span *kernel, bool known,
				  const struct spe_kallsyms_marks *marks, bool *checked)
{
	*checked = known && marks->text;
	if (*checked && (marks->text < kernel->start - SLACK || marks->text >= kernel->end))
		return "its _text lies outside of the recorded kernel: it is another kernel's, or "
		       "of another boot";
	return NULL;
}

/* From the reference on the mapping has `room` for the kernel of these marks. */
static const char *misfit_length(const struct spe_kallsyms_marks *marks, uint64_t room, bool tight)
{
	uint64_t text = marks->etext ? marks->etext - marks->reference : 0;

	/* Wraps, too, where the end comes first. */
	if (text > SLACK && text - SLACK > room)
		return "its kernel ends beyond the recorded one: it is another kernel's";
	if (tight && marks->last && marks->last - marks->reference < room / TEXT_SHARE)
		return "its kernel is far shorter than the recorded one: it is another kernel's";
	return NULL;
}

const char *spe_kallsyms_misfit(const struct spe_symbols *symbols,
				const struct spe_kallsyms_marks *marks, bool *checked)
{
	struct spe_span kernel;
	bool known = kernel_extent(symbols, &kernel);
	bool tight = known && is_tight(symbols, &kernel);
	uint64_t start = symbols->reference.address;
	uint64_t slide = start - marks->reference;

	if (!*symbols->reference.name)
		return misfit_unmoved(&kernel, known, marks, checked);
	*checked = known && marks->last && (!slide || tight);
	if ((start >= TOP_2G) != (marks->reference >= TOP_2G))
		return "its kernel begins where the recorded machine has none: it is another "
		       "machine's";
	if (slide % PAGE)
		return "its kernel is not the recorded one: it would have been moved by a part of "
		       "a page";
	if (!known || start >= kernel.end)
		return NULL;
	return misfit_length(marks, kernel.end - start, tight);
}

void spe_kallsyms_trim(const struct spe_symbols *symbols, struct spe_table *table, uint64_t slide)
{
	struct spe_span kernel;
	size_t kept = 0;

	if (!kernel_extent(symbols, &kernel))
		return;
	for (size_t i = 0; i < table->symbols.count; i++) {
		uint64_t at = table->symbols.items[i].start + slide;

		/* The first one beyond says where the last one ends. */
		if (at >= kernel.start - SLACK && (at < kernel.end || at - kernel.end < SLACK))
			table->symbols.items[kept++] = table->symbols.items[i];
	}
	table->symbols.count = kept;
}
