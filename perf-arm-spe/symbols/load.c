/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding and reading the file of a dso. */
#include "symbols.h"

#include <perf-arm-spe/limits.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Files we say something of one by one; the rest in one line. */
#define NOTES_MAX 8u
#define DELETED " (deleted)"

/* ---- paths ------------------------------------------------------------------------ */

static bool put_path(char *to, size_t room, const char *a, const char *b)
{
	int n = snprintf(to, room, "%s%s", a, b);

	return n > 0 && (size_t)n < room;
}

bool spe_load_symfs_path(const struct spe_symbols *symbols, const char *path, char *to, size_t room)
{
	return put_path(to, room, symbols->symfs ? symbols->symfs : "", path);
}

static void put_hex(char *to, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
}

/* "FOLDER/.build-id/12/3456...TAIL" */
static bool build_id_path(const char *folder, const struct spe_build_id *id, const char *tail,
			  char *to, size_t room)
{
	char hex[2 * SPE_BUILD_ID_BYTES + 1];
	int n;

	if (id->n < 2)
		return false;
	put_hex(hex, id->bytes, id->n);
	n = snprintf(to, room, "%s/.build-id/%.2s/%s%s", folder, hex, hex + 2, tail);
	return n > 0 && (size_t)n < room;
}

bool spe_load_cache_path(const struct spe_symbols *symbols, const struct spe_build_id *id,
			 const char *file, char *to, size_t room)
{
	char tail[32];

	if (!symbols->buildid_dir)
		return false;
	snprintf(tail, sizeof(tail), "%s%s", *file ? "/" : "", file);
	return build_id_path(symbols->buildid_dir, id, tail, to, room);
}

#ifdef HAVE_LIBDW
/* ---- separate debug files ------------------------------------------------------------ */

struct debug_search {
	struct spe_symbols *symbols;
	const char *path; /* of the file itself */
	struct spe_build_id id;
	const char *link; /* .gnu_debuglink, or NULL */
	uint32_t crc;
};

static int open_by_id(const struct debug_search *search, char *path, size_t room,
		      struct spe_elf **debug)
{
	char folder[PATH_MAX];
	struct spe_build_id id;
	int status;

	if (!spe_load_symfs_path(search->symbols, "/usr/lib/debug", folder, sizeof(folder)) ||
	    !build_id_path(folder, &search->id, ".debug", path, room))
		return SPE_NOT_FOUND;
	status = spe_elf_open(path, debug);
	if (status)
		return status == SPE_NOMEM ? status : SPE_NOT_FOUND;
	spe_elf_build_id(*debug, &id);
	if (spe_build_id_same(&id, &search->id))
		return SPE_OK;
	spe_elf_close(*debug);
	return SPE_NOT_FOUND;
}

static int open_by_link(const struct debug_search *search, const char *before, const char *between,
			char *path, size_t room, struct spe_elf **debug)
{
	const char *slash = strrchr(search->path, '/');
	uint32_t crc;
	int status;
	int n;

	if (!search->link || !slash)
		return SPE_NOT_FOUND;
	n = snprintf(path, room, "%s%.*s%s%s", before, (int)(slash - search->path) + 1,
		     search->path, between, search->link);
	if (n < 0 || (size_t)n >= room || spe_file_crc(path, &crc) || crc != search->crc)
		return SPE_NOT_FOUND;
	status = spe_elf_open(path, debug);
	return status == SPE_NOMEM ? status : status ? SPE_NOT_FOUND : SPE_OK;
}

/* The debug file of a file, where gdb looks for it. SPE_OK, SPE_NOT_FOUND, SPE_NOMEM. */
static int open_debug(const struct debug_search *search, char *path, size_t room,
		      struct spe_elf **debug)
{
	int status = open_by_id(search, path, room, debug);

	if (status == SPE_NOT_FOUND)
		status = open_by_link(search, "", "", path, room, debug);
	if (status == SPE_NOT_FOUND)
		status = open_by_link(search, "", ".debug/", path, room, debug);
	if (status == SPE_NOT_FOUND)
		status = open_by_link(search, "/usr/lib/debug", "", path, room, debug);
	return status;
}

/* ---- one file ------------------------------------------------------------------------- */

static int set_source(struct spe_dso *dso, const char *path)
{
	free(dso->source);
	dso->source = spe_copy_text(path);
	return dso->source ? SPE_OK : SPE_NOMEM;
}

/* Symbols of the file, or of its debug file where it has none of its own. */
static int read_file(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
		     struct spe_elf *elf)
{
	struct debug_search search = { .symbols = symbols, .path = path };
	char debug_path[PATH_MAX];
	struct spe_elf *debug = NULL;
	const struct spe_elf *from = elf;
	int status;

	spe_elf_build_id(elf, &search.id);
	search.link = spe_elf_debuglink(elf, &search.crc);
	status = set_source(dso, path);
	if (!status && (!spe_elf_has_symtab(elf) || !spe_elf_has_lines(elf)))
		status = open_debug(&search, debug_path, sizeof(debug_path), &debug);
	if (!status && debug) {
		status = set_source(dso, debug_path);
		if (!spe_elf_has_symtab(elf) && spe_elf_has_symtab(debug))
			from = debug;
	}
	if (status == SPE_NOT_FOUND)
		status = SPE_OK;
	if (!status)
		status = spe_elf_symbols(from, &dso->table);
	if (!status)
		status = spe_elf_stubs(elf, &dso->table);
	spe_elf_close(debug);
	return status;
}

static int use_elf(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
		   struct spe_elf *elf, const char **reason)
{
	struct spe_build_id id;
	int status;

	spe_elf_build_id(elf, &id);
	if (dso->build_id.n && !spe_build_id_same(&id, &dso->build_id)) {
		*reason = "the file here is another build than the recorded one";
		return SPE_NOT_FOUND;
	}
	if (!dso->build_id.n && !spe_elf_runs_on(elf, symbols->arch)) {
		*reason = "the file here is for another kind of machine";
		return SPE_NOT_FOUND;
	}
	dso->numbering = spe_elf_is_relocatable(elf) ? SPE_DSO_BY_MAP : SPE_DSO_BY_FILE;
	status = spe_elf_segments(elf, &dso->segments);
	if (!status)
		status = read_file(symbols, dso, path, elf);
	return status;
}

int spe_load_elf(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
		 const char **reason)
{
	struct spe_elf *elf;
	int status = spe_elf_open(path, &elf);

	if (status == SPE_NOT_FOUND && errno != ENOENT && errno != ENOTDIR)
		*reason = errno == EACCES ? "no permission to read the file here"
					  : "the file here cannot be opened, or is no regular file";
	if (status == SPE_CORRUPT) {
		*reason = "the file here is no ELF file";
		status = SPE_NOT_FOUND;
	}
	if (status)
		return status;
	status = use_elf(symbols, dso, path, elf, reason);
	spe_elf_close(elf);
	return status;
}

#else

int spe_load_elf(struct spe_symbols *symbols, struct spe_dso *dso, const char *path,
		 const char **reason)
{
	(void)symbols;
	(void)dso;
	(void)path;
	*reason = "this perf-arm-spe was built without libelf";
	return SPE_NOT_FOUND;
}

#endif

/* ---- where files are looked for ---------------------------------------------------------- */

/* From the root, and not back up: the kernel writes no other. */
bool spe_load_is_plain_path(const char *path)
{
	return path[0] == '/' && !strstr(path, "/../");
}

/* The ways to a file, in the order in which they are tried. */
static bool by_symfs(const struct spe_symbols *symbols, const struct spe_dso *dso, char *to,
		     size_t room)
{
	return symbols->symfs && spe_load_is_plain_path(dso->path) &&
	       spe_load_symfs_path(symbols, dso->path, to, room);
}

static bool by_cache(const struct spe_symbols *symbols, const struct spe_dso *dso, char *to,
		     size_t room)
{
	const char *file = dso->kind == SPE_DSO_VDSO ? "vdso" : "elf";

	return spe_load_cache_path(symbols, &dso->build_id, file, to, room);
}

/* Old caches have a link to the file itself. */
static bool by_old_cache(const struct spe_symbols *symbols, const struct spe_dso *dso, char *to,
			 size_t room)
{
	return spe_load_cache_path(symbols, &dso->build_id, "", to, room);
}

/* With --symfs this machine's files count only if they are surely the same. */
static bool by_path(const struct spe_symbols *symbols, const struct spe_dso *dso, char *to,
		    size_t room)
{
	return spe_load_is_plain_path(dso->path) && (!symbols->symfs || dso->build_id.n) &&
	       put_path(to, room, "", dso->path);
}

/* What was deleted may be there again, or still. */
static bool by_deleted_path(const struct spe_symbols *symbols, const struct spe_dso *dso, char *to,
			    size_t room)
{
	size_t n = strlen(dso->path);
	size_t tail = strlen(DELETED);

	if (n <= tail || strcmp(dso->path + n - tail, DELETED) != 0 || !dso->build_id.n ||
	    !by_path(symbols, dso, to, room))
		return false;
	to[n - tail] = '\0';
	return true;
}

static int load_file(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason)
{
	static bool (*const ways[])(const struct spe_symbols *, const struct spe_dso *, char *,
				    size_t) = { by_symfs, by_cache, by_old_cache, by_path,
						by_deleted_path };
	char path[PATH_MAX];
	int status = SPE_NOT_FOUND;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && status == SPE_NOT_FOUND; i++)
		if (ways[i](symbols, dso, path, sizeof(path)))
			status = spe_load_elf(symbols, dso, path, reason);
	return status;
}

static int load_jit(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason)
{
	char path[PATH_MAX];

	dso->numbering = SPE_DSO_BY_RUN;
	*reason = "code made at run time, and no such map file of the reader's";
	return spe_load_symfs_path(symbols, dso->path, path, sizeof(path))
		       ? spe_text_jit(path, &dso->table)
		       : SPE_NOT_FOUND;
}

static int load_bpf(struct spe_dso *dso)
{
	dso->numbering = SPE_DSO_BY_MAP;
	return spe_table_add(&dso->table, 0, UINT64_MAX, dso->path, strlen(dso->path),
			     SPE_TABLE_SIZED);
}

static int load_kind(struct spe_symbols *symbols, struct spe_dso *dso, const char **reason)
{
	switch (dso->kind) {
	case SPE_DSO_KERNEL:
		return spe_kernel_load(symbols, dso, reason);
	case SPE_DSO_MODULE:
		return spe_module_load(symbols, dso, reason);
	case SPE_DSO_JIT:
		return load_jit(symbols, dso, reason);
	case SPE_DSO_BPF:
		return load_bpf(dso);
	case SPE_DSO_MEMORY:
		dso->numbering = SPE_DSO_BY_RUN;
		return SPE_OK;
	default:
		return load_file(symbols, dso, reason);
	}
}

/* ---- once -------------------------------------------------------------------------------- */

/* A path is the recording's: nothing in it may steer a terminal. */
static void printable(const char *path, char *to, size_t room)
{
	size_t n = 0;

	for (; path[n] && n + 1 < room; n++) {
		unsigned char c = (unsigned char)path[n];

		to[n] = c < 0x20 || c >= 0x7f ? '?' : path[n];
	}
	to[n] = '\0';
}

void spe_load_note(struct spe_symbols *symbols, const char *what, const char *path,
		   const char *reason)
{
	unsigned said = symbols->notes++;
	char shown[256];

	printable(path, shown, sizeof(shown));
	if (said < NOTES_MAX)
		spe_log(&symbols->listener, SPE_LOG_NOTE, "%s %s: %s", what, shown, reason);
	else if (said == NOTES_MAX)
		spe_log(&symbols->listener, SPE_LOG_NOTE,
			"no symbols of more files: not listed one by one");
}

static int load(struct spe_symbols *symbols, struct spe_dso *dso)
{
	const char *reason = "no such file here (--symfs looks elsewhere), nor its build-id in "
			     "perf's cache";
	int status = load_kind(symbols, dso, &reason);

	if (status == SPE_NOT_FOUND) {
		if (reason && dso->kind != SPE_DSO_VDSO) /* nobody has that one as a file */
			spe_load_note(symbols, "no symbols of", dso->path, reason);
		status = SPE_OK;
	}
	if (!status)
		status = spe_table_finish(&dso->table, spe_symbols_readable(symbols));
	if (!status) {
		dso->readable = calloc(dso->table.symbols.count + 1, sizeof(*dso->readable));
		status = dso->readable ? SPE_OK : SPE_NOMEM;
	}
	if (status) { /* the next one who asks tries again */
		spe_table_clear(&dso->table);
		dso->segments.count = 0;
	}
	return status;
}

int spe_dso_need(struct spe_symbols *symbols, struct spe_dso *dso)
{
	int status = SPE_OK;

	if (atomic_load_explicit(&dso->loaded, memory_order_acquire))
		return SPE_OK;
	pthread_mutex_lock(&symbols->lock);
	if (!atomic_load_explicit(&dso->loaded, memory_order_relaxed)) {
		status = load(symbols, dso);
		if (!status)
			atomic_store_explicit(&dso->loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&symbols->lock);
	return status;
}
