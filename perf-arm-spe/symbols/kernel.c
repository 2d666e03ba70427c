/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's symbols.  The kernel may run elsewhere than it was linked to
 * (KASLR): its mapping was recorded with the address of a reference symbol, and
 * how far that one was moved, so far was all.
 */
#include "symbols.h"

#include <perf-arm-spe/limits.h>
#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PROC_KALLSYMS "/proc/kallsyms"
#define NO_REFERENCE "it does not say where the reference symbol is, to tell how far it was moved"

/* ---- is the recorded kernel the one that runs here? ---------------------------------- */

/* The build-id of the running kernel: /sys/kernel/notes is a row of ELF notes. */
static void running_build_id(struct spe_build_id *id)
{
	uint8_t notes[4096];
	int fd = spe_file_open("/sys/kernel/notes", SPE_LIMIT_SYMBOL_TEXT_BYTES);
	ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));
	size_t at = 0;

	memset(id, 0, sizeof(*id));
	if (fd >= 0)
		close(fd);
	while (n > 0 && at + 12 <= (size_t)n) {
		uint32_t head[3]; /* bytes of the name, bytes of the text, type */
		size_t text;

		memcpy(head, notes + at, sizeof(head));
		if (head[0] > sizeof(notes) || head[1] > sizeof(notes))
			break;
		text = at + 12 + ((head[0] + 3) & ~3u);
		if (text + head[1] > (size_t)n)
			break;
		if (head[2] == 3 && head[0] == 4 && memcmp(notes + at + 12, "GNU", 4) == 0 &&
		    head[1] <= SPE_BUILD_ID_BYTES) {
			id->n = (uint8_t)head[1];
			memcpy(id->bytes, notes + text, head[1]);
			return;
		}
		at = text + ((head[1] + 3) & ~3u);
	}
}

static bool runs_here(const struct spe_symbols *symbols)
{
	const struct spe_dso *kernel = symbols->kernel_dso;
	struct spe_build_id id;
	struct utsname name;

	if (kernel && kernel->build_id.n) {
		running_build_id(&id);
		return spe_build_id_same(&id, &kernel->build_id);
	}
	return symbols->release && !uname(&name) && strcmp(name.release, symbols->release) == 0;
}

/* ---- kallsyms -------------------------------------------------------------------------- */

/* Candidate i, false after the last; *sure: it is the recorded kernel's, moved or not. */
static bool kallsyms_path(const struct spe_symbols *symbols, unsigned i, char *to, size_t room,
			  bool *sure)
{
	const struct spe_dso *kernel = symbols->kernel_dso;

	*to = '\0';
	*sure = true;
	if (i == 0 && symbols->kallsyms)
		snprintf(to, room, "%s", symbols->kallsyms);
	if (i == 1 && kernel &&
	    !spe_load_cache_path(symbols, &kernel->build_id, "kallsyms", to, room))
		*to = '\0';
	if (i == 2 && runs_here(symbols)) {
		snprintf(to, room, "%s", PROC_KALLSYMS);
		*sure = kernel && kernel->build_id.n;
	}
	return i < 3;
}

/* What the user named and is of no use is told of at once, by its own name. */
static int refuse_kallsyms(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
			   bool named, const char *why, const char **reason)
{
	spe_table_clear(&dso->table);
	*reason = why;
	if (named) {
		spe_load_note(symbols, "no kernel symbols from", path, why);
		*reason = NULL;
	}
	return SPE_NOT_FOUND;
}

static int use_kallsyms(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
			bool named, bool sure, const char **reason)
{
	bool moves = *symbols->reference.name != '\0';
	struct spe_kallsyms_opts opts = { .reference = symbols->reference.name };
	struct spe_kallsyms_marks marks;
	const char *why;
	bool checked;
	int status = spe_text_kallsyms(path, &opts, &dso->table, &marks);

	if (status)
		return status;
	if (moves ? !marks.reference : !dso->table.symbols.count)
		return refuse_kallsyms(symbols, dso, path, named,
				       "it shows no addresses to this user (kptr_restrict), or no "
				       "reference symbol",
				       reason);
	why = spe_kallsyms_misfit(symbols, &marks, &checked);
	if (moves && !sure && marks.reference != symbols->reference.address)
		why = "it is of another boot, perhaps of another kernel";
	if (why)
		return refuse_kallsyms(symbols, dso, path, named, why, reason);
	if (named && !checked)
		spe_load_note(symbols, "kernel symbols from", path,
			      "whether they are the recorded kernel's could not be checked");
	dso->numbering = SPE_DSO_BY_RUN;
	dso->slide = moves ? symbols->reference.address - marks.reference : 0;
	spe_kallsyms_trim(symbols, &dso->table, dso->slide);
	return SPE_OK;
}

static int kernel_from_kallsyms(struct spe_symbols *symbols, struct spe_dso *dso, unsigned i,
				const char **reason)
{
	char path[PATH_MAX];
	bool sure;

	kallsyms_path(symbols, i, path, sizeof(path), &sure);
	return *path ? use_kallsyms(symbols, dso, path, i == 0, sure, reason) : SPE_NOT_FOUND;
}

/* ---- vmlinux ----------------------------------------------------------------------------- */

#ifdef HAVE_LIBDW
/* How far the recorded kernel was moved from where a file puts it. */
static int file_slide(const struct spe_symbols *symbols, const char *path, uint64_t *slide)
{
	struct spe_elf *elf;
	uint64_t value;
	bool found;
	int status;

	*slide = 0;
	if (!*symbols->reference.name)
		return SPE_OK;
	status = spe_elf_open(path, &elf);
	if (status)
		return status;
	found = spe_elf_value(elf, symbols->reference.name, &value);
	spe_elf_close(elf);
	*slide = symbols->reference.address - value;
	return found ? SPE_OK : SPE_NOT_FOUND;
}
#else
static int file_slide(const struct spe_symbols *symbols, const char *path, uint64_t *slide)
{
	(void)symbols;
	(void)path;
	(void)slide;
	return SPE_NOT_FOUND;
}
#endif

static int use_vmlinux(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
		       const char **reason)
{
	uint64_t slide = 0;
	int status = spe_load_elf(symbols, dso, path, reason);

	if (status)
		return status;
	/* A stripped one's debug file has the reference. */
	status = file_slide(symbols, path, &slide);
	if (status == SPE_NOT_FOUND && dso->source)
		status = file_slide(symbols, dso->source, &slide);
	if (status == SPE_NOT_FOUND) {
		*reason = NO_REFERENCE;
		spe_table_clear(&dso->table);
	}
	dso->numbering = SPE_DSO_BY_RUN;
	dso->slide = slide;
	return status;
}

/* Where distributions put it. */
static int kernel_from_release(struct spe_symbols *symbols, struct spe_dso *dso,
			       const char **reason)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};
	char place[PATH_MAX];
	char path[PATH_MAX];
	int status = SPE_NOT_FOUND;

	if (!symbols->release || strchr(symbols->release, '/'))
		return SPE_NOT_FOUND;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && status == SPE_NOT_FOUND; i++) {
		snprintf(place, sizeof(place), places[i], symbols->release);
		if (spe_load_symfs_path(symbols, place, path, sizeof(path)))
			status = use_vmlinux(symbols, dso, path, reason);
	}
	return status;
}

static int kernel_from_cache(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason)
{
	static const char *const names[] = { "elf", "vmlinux" };
	char path[PATH_MAX];
	int status = SPE_NOT_FOUND;

	for (size_t i = 0; i < 2 && status == SPE_NOT_FOUND; i++)
		if (spe_load_cache_path(symbols, &dso->build_id, names[i], path, sizeof(path)))
			status = use_vmlinux(symbols, dso, path, reason);
	return status;
}

/* What the user named comes first, then what is surely the same, then what may be. */
int spe_kernel_load(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason)
{
	int status = SPE_NOT_FOUND;

	*reason = "neither a vmlinux nor kallsyms of the recorded kernel here (--vmlinux, "
		  "--kallsyms)";
	if (symbols->vmlinux)
		status = use_vmlinux(symbols, dso, symbols->vmlinux, reason);
	if (status == SPE_NOT_FOUND)
		status = kernel_from_kallsyms(symbols, dso, 0, reason);
	if (status == SPE_NOT_FOUND)
		status = kernel_from_cache(symbols, dso, reason);
	if (status == SPE_NOT_FOUND)
		status = kernel_from_kallsyms(symbols, dso, 1, reason);
	if (status == SPE_NOT_FOUND)
		status = kernel_from_release(symbols, dso, reason);
	if (status == SPE_NOT_FOUND)
		status = kernel_from_kallsyms(symbols, dso, 2, reason);
	return status;
}

/* ---- modules ------------------------------------------------------------------------------- */

/* kallsyms knows where modules lay in one run of the kernel: that must be the recorded one. */
static int module_from_kallsyms(struct spe_symbols *symbols, struct spe_dso *dso, const char *name)
{
	struct spe_kallsyms_opts opts = { name, symbols->reference.name };
	char path[PATH_MAX];
	bool sure;

	for (unsigned i = 0; kallsyms_path(symbols, i, path, sizeof(path), &sure); i++) {
		struct spe_kallsyms_marks marks;
		bool checked;
		int status =
			*path ? spe_text_kallsyms(path, &opts, &dso->table, &marks) : SPE_NOT_FOUND;

		if (!status && dso->table.symbols.count && marks.reference &&
		    marks.reference == symbols->reference.address &&
		    !spe_kallsyms_misfit(symbols, &marks, &checked))
			return SPE_OK;
		spe_table_clear(&dso->table);
		if (status && status != SPE_NOT_FOUND)
			return status;
	}
	return SPE_NOT_FOUND;
}

int spe_module_load(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason)
{
	const char *shown = spe_strings_get(symbols->dsos.names, dso->name_id);
	char name[SPE_LIMIT_DSO_NAME_BYTES];
	char path[PATH_MAX];
	int status;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(shown + 1, "]"), shown + 1);
	dso->numbering = SPE_DSO_BY_RUN;
	status = module_from_kallsyms(symbols, dso, name);
	if (status != SPE_NOT_FOUND)
		return status;
	if (spe_load_cache_path(symbols, &dso->build_id, "elf", path, sizeof(path)))
		status = spe_load_elf(symbols, dso, path, reason);
	if (status == SPE_NOT_FOUND && spe_load_is_plain_path(dso->path) &&
	    (dso->build_id.n || runs_here(symbols) || symbols->symfs) &&
	    spe_load_symfs_path(symbols, dso->path, path, sizeof(path)))
		status = spe_load_elf(symbols, dso, path, reason);
	return status;
}
