/* SPDX-License-Identifier: GPL-2.0-only */
#include "elf.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#ifdef HAVE_LIBDW
#include <errno.h>
#include <gelf.h>
#include <unistd.h>

struct spe_elf {
	int fd;
	Elf *handle;
	GElf_Ehdr header;
};

int spe_elf_open(const char *path, struct spe_elf **made)
{
	struct spe_elf *elf;
	int fd = spe_file_open(path, SPE_LIMIT_ELF_BYTES);
	int status = SPE_OK;

	if (fd < 0)
		return SPE_NOT_FOUND;
	elf = calloc(1, sizeof(*elf));
	if (!elf) {
		close(fd);
		return SPE_NOMEM;
	}
	elf->fd = fd;
	elf_version(EV_CURRENT);
	elf->handle = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf->handle)
		status = errno == ENOMEM ? SPE_NOMEM : SPE_CORRUPT;
	else if (elf_kind(elf->handle) != ELF_K_ELF || !gelf_getehdr(elf->handle, &elf->header))
		status = SPE_CORRUPT;
	if (status) {
		spe_elf_close(elf);
		return status;
	}
	*made = elf;
	return SPE_OK;
}

void spe_elf_close(struct spe_elf *elf)
{
	if (!elf)
		return;
	elf_end(elf->handle);
	close(elf->fd);
	free(elf);
}

void *spe_elf_handle(struct spe_elf *elf)
{
	return elf->handle;
}

bool spe_elf_is_relocatable(const struct spe_elf *elf)
{
	return elf->header.e_type == ET_REL;
}

bool spe_elf_runs_on(const struct spe_elf *elf, const char *arch)
{
	static const struct {
		const char *arch;
		GElf_Half machines[2]; /* a 64-bit kernel runs programs of its 32-bit kin */
	} known[] = {
		{ "aarch64", { EM_AARCH64, EM_ARM } }, { "arm64", { EM_AARCH64, EM_ARM } },
		{ "armv7l", { EM_ARM, EM_ARM } },      { "armv8l", { EM_ARM, EM_ARM } },
		{ "x86_64", { EM_X86_64, EM_386 } },   { "i686", { EM_386, EM_386 } },
		{ "riscv64", { EM_RISCV, EM_RISCV } }, { "ppc64le", { EM_PPC64, EM_PPC64 } },
	};
	GElf_Half machine = elf->header.e_machine;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].arch, arch) == 0)
			return known[i].machines[0] == machine || known[i].machines[1] == machine;
	return true;
}

/* ---- sections --------------------------------------------------------------- */

static const char *section_name(const struct spe_elf *elf, const GElf_Shdr *header)
{
	size_t strings;
	const char *name = NULL;

	if (!elf_getshdrstrndx(elf->handle, &strings))
		name = elf_strptr(elf->handle, strings, header->sh_name);
	return name ? name : "";
}

/* The first section of a type (and name, unless NULL); *header gets its header. */
static Elf_Scn *find_section(const struct spe_elf *elf, uint32_t type, const char *name,
			     GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf->handle, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type &&
		    (!name || strcmp(section_name(elf, header), name) == 0))
			return section;
	return NULL;
}

bool spe_elf_has_symtab(const struct spe_elf *elf)
{
	GElf_Shdr header;

	return find_section(elf, SHT_SYMTAB, NULL, &header) != NULL;
}

bool spe_elf_has_lines(const struct spe_elf *elf)
{
	GElf_Shdr header;

	return find_section(elf, SHT_PROGBITS, ".debug_line", &header) != NULL;
}

/* ---- notes ------------------------------------------------------------------- */

static bool take_notes(Elf_Data *data, struct spe_build_id *id)
{
	size_t at = 0;
	GElf_Nhdr note;
	size_t name;
	size_t text;

	while (data && data->d_buf && (at = gelf_getnote(data, at, &note, &name, &text))) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 || !note.n_descsz)
			continue;
		id->n = note.n_descsz < SPE_BUILD_ID_BYTES ? (uint8_t)note.n_descsz
							   : SPE_BUILD_ID_BYTES;
		memcpy(id->bytes, bytes + text, id->n);
		return true;
	}
	return false;
}

void spe_elf_build_id(const struct spe_elf *elf, struct spe_build_id *id)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Phdr segment;
	size_t count = 0;

	memset(id, 0, sizeof(*id));
	while ((section = elf_nextscn(elf->handle, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		    take_notes(elf_getdata(section, NULL), id))
			return;
	/* Sections may have been taken away. */
	if (elf_getphdrnum(elf->handle, &count))
		return;
	for (size_t i = 0; i < count && i < SPE_LIMIT_ELF_SEGMENTS; i++)
		if (gelf_getphdr(elf->handle, (int)i, &segment) && segment.p_type == PT_NOTE &&
		    take_notes(elf_getdata_rawchunk(elf->handle, (int64_t)segment.p_offset,
						    segment.p_filesz, ELF_T_NHDR),
			       id))
			return;
}

int spe_elf_segments(const struct spe_elf *elf, spe_segment_vec *segments)
{
	GElf_Phdr header;
	size_t count = 0;
	int status = SPE_OK;

	if (elf_getphdrnum(elf->handle, &count))
		return SPE_OK;
	for (size_t i = 0; i < count && i < SPE_LIMIT_ELF_SEGMENTS && !status; i++) {
		struct spe_segment segment;

		if (!gelf_getphdr(elf->handle, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		segment = (struct spe_segment){ header.p_offset, header.p_vaddr, header.p_filesz,
						header.p_memsz, (header.p_flags & PF_X) != 0 };
		status = spe_vec_push(segments, &segment, SPE_LIMIT_ELF_SEGMENTS);
	}
	return status;
}

/* ---- symbols ------------------------------------------------------------------ */

struct reading {
	const struct spe_elf *elf;
	struct spe_table *table;
	Elf_Data *symbols, *sections; /* sections: indexes beyond 16 bits, or NULL */
	size_t count, strings;
	size_t text; /* of a relocatable file: the section that counts; 0: all */
};

static bool start_reading(struct reading *r, const struct spe_elf *elf, uint32_t type)
{
	GElf_Shdr header;
	GElf_Shdr other;
	Elf_Scn *section = find_section(elf, type, NULL, &header);
	Elf_Scn *indexes = find_section(elf, SHT_SYMTAB_SHNDX, NULL, &other);

	if (!section || !header.sh_entsize)
		return false;
	*r = (struct reading){ .elf = elf, .strings = header.sh_link };
	r->symbols = elf_getdata(section, NULL);
	if (indexes && other.sh_link == elf_ndxscn(section))
		r->sections = elf_getdata(indexes, NULL);
	if (!r->symbols)
		return false;
	r->count = r->symbols->d_size / gelf_fsize(elf->handle, ELF_T_SYM, 1, EV_CURRENT);
	return true;
}

/* Symbol i and the number of its section. */
static bool read_symbol(const struct reading *r, size_t i, GElf_Sym *symbol, size_t *section)
{
	Elf32_Word index = 0;

	if (i > INT32_MAX || !gelf_getsymshndx(r->symbols, r->sections, (int)i, symbol, &index))
		return false;
	*section = symbol->st_shndx == SHN_XINDEX ? index : symbol->st_shndx;
	return symbol->st_shndx == SHN_XINDEX || symbol->st_shndx < SHN_LORESERVE;
}

/* $x, $d.17: where code and data begin, for disassemblers. */
static bool is_mapping_symbol(const struct spe_elf *elf, const char *name)
{
	return (elf->header.e_machine == EM_AARCH64 || elf->header.e_machine == EM_ARM) &&
	       name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/* Labels count where code or data of the program stands. */
static bool label_counts(const struct spe_elf *elf, const GElf_Sym *symbol,
			 const GElf_Shdr *section)
{
	unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);
	const char *name = section_name(elf, section);

	return visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
	       (strstr(name, ".text") || strstr(name, ".data"));
}

static bool type_counts(const struct spe_elf *elf, const GElf_Sym *symbol, const GElf_Shdr *section)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return label_counts(elf, symbol, section);
	default:
		return false;
	}
}

static uint32_t symbol_flags(const GElf_Sym *symbol)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);

	return (binding == STB_WEAK ? SPE_TABLE_WEAK : 0u) |
	       (binding == STB_GLOBAL || binding == STB_GNU_UNIQUE ? SPE_TABLE_GLOBAL : 0u) |
	       (symbol->st_size ? SPE_TABLE_SIZED : 0u);
}

static int take_symbol(const struct reading *r, const GElf_Sym *symbol, size_t number)
{
	const char *name = elf_strptr(r->elf->handle, r->strings, symbol->st_name);
	Elf_Scn *section = elf_getscn(r->elf->handle, number);
	uint64_t start = symbol->st_value;
	uint64_t end;
	GElf_Shdr header;

	if (!name || !*name || !section || !gelf_getshdr(section, &header) ||
	    !(header.sh_flags & SHF_ALLOC) || is_mapping_symbol(r->elf, name) ||
	    !type_counts(r->elf, symbol, &header))
		return SPE_OK;
	if (r->elf->header.e_machine == EM_ARM && GELF_ST_TYPE(symbol->st_info) == STT_FUNC)
		start &= ~1ull; /* Thumb */
	end = header.sh_size + (r->text ? 0 : header.sh_addr);
	if (symbol->st_size)
		end = start + symbol->st_size;
	return spe_table_add(r->table, start, end, name, strnlen(name, SPE_LIMIT_STRING_BYTES),
			     symbol_flags(symbol));
}

static int read_symbols(const struct reading *r)
{
	int status = SPE_OK;

	for (size_t i = 1; i < r->count && !status; i++) {
		GElf_Sym symbol;
		size_t section;

		if (!read_symbol(r, i, &symbol, &section) || section == SHN_UNDEF ||
		    (r->text && section != r->text))
			continue;
		status = take_symbol(r, &symbol, section);
	}
	return status;
}

int spe_elf_symbols(const struct spe_elf *elf, struct spe_table *table)
{
	GElf_Shdr header;
	struct reading r;
	Elf_Scn *text;

	if (!start_reading(&r, elf, SHT_SYMTAB) && !start_reading(&r, elf, SHT_DYNSYM))
		return SPE_OK;
	r.table = table;
	if (spe_elf_is_relocatable(elf)) {
		text = find_section(elf, SHT_PROGBITS, ".text", &header);
		if (!text)
			return SPE_OK;
		r.text = elf_ndxscn(text);
	}
	return read_symbols(&r);
}

bool spe_elf_value(const struct spe_elf *elf, const char *name, uint64_t *value)
{
	struct reading r;

	if (!start_reading(&r, elf, SHT_SYMTAB))
		return false;
	for (size_t i = 1; i < r.count; i++) {
		GElf_Sym symbol;
		size_t section;
		const char *text;

		if (!read_symbol(&r, i, &symbol, &section) || section == SHN_UNDEF)
			continue;
		text = elf_strptr(elf->handle, r.strings, symbol.st_name);
		if (!text || strcmp(text, name) != 0)
			continue;
		*value = symbol.st_value;
		return true;
	}
	return false;
}

/* ---- stubs ---------------------------------------------------------------------- */

/* Bytes before the first stub, and of each. */
static void stub_shape(const struct spe_elf *elf, const GElf_Shdr *plt, uint64_t *first,
		       uint64_t *each)
{
	*each = plt->sh_entsize;
	*first = plt->sh_entsize;
	if (elf->header.e_machine == EM_AARCH64) {
		*first = 32;
		*each = 16;
	}
}

static int add_stub(const struct reading *r, const GElf_Rel *reloc, uint64_t at, uint64_t bytes)
{
	char text[1024];
	GElf_Sym symbol;
	const char *name;
	size_t n;

	if (GELF_R_SYM(reloc->r_info) > INT32_MAX ||
	    !gelf_getsym(r->symbols, (int)GELF_R_SYM(reloc->r_info), &symbol))
		return SPE_OK;
	name = elf_strptr(r->elf->handle, r->strings, symbol.st_name);
	if (!name || !*name)
		return SPE_OK;
	n = strnlen(name, sizeof(text) - sizeof("@plt"));
	memcpy(text, name, n);
	memcpy(text + n, "@plt", sizeof("@plt"));
	return spe_table_add(r->table, at, at + bytes, text, n + strlen("@plt"),
			     SPE_TABLE_GLOBAL | SPE_TABLE_SIZED);
}

/* The stubs stand in the order of their relocations. */
int spe_elf_stubs(const struct spe_elf *elf, struct spe_table *table)
{
	uint64_t first;
	uint64_t each;
	GElf_Shdr plt;
	GElf_Shdr header;
	struct reading r;
	Elf_Data *relocs;
	Elf_Scn *section = find_section(elf, SHT_RELA, ".rela.plt", &header);
	int status = SPE_OK;

	if (!section || !find_section(elf, SHT_PROGBITS, ".plt", &plt) ||
	    !start_reading(&r, elf, SHT_DYNSYM))
		return SPE_OK;
	r.table = table;
	relocs = elf_getdata(section, NULL);
	stub_shape(elf, &plt, &first, &each);
	for (int i = 0; relocs && each && !status; i++) {
		GElf_Rela reloc;
		GElf_Rel plain;
		uint64_t at = first + (uint64_t)i * each;

		if (at + each > plt.sh_size || !gelf_getrela(relocs, i, &reloc))
			break;
		plain = (GElf_Rel){ reloc.r_offset, reloc.r_info };
		status = add_stub(&r, &plain, plt.sh_addr + at, each);
	}
	return status;
}

/* ---- the separate debug file ----------------------------------------------------- */

const char *spe_elf_debuglink(const struct spe_elf *elf, uint32_t *crc)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, SHT_PROGBITS, ".gnu_debuglink", &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;
	size_t n;

	if (!name)
		return NULL;
	n = strnlen(name, data->d_size);
	if (!n || data->d_size < 4 || n > data->d_size - 4 || strchr(name, '/'))
		return NULL;
	n = (n + 4) & ~(size_t)3; /* with its NUL, up to the next word */
	if (n > data->d_size - 4)
		return NULL;
	memcpy(crc, name + n, 4);
	if ((elf->header.e_ident[EI_DATA] == ELFDATA2MSB) !=
	    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		*crc = __builtin_bswap32(*crc);
	return name;
}

/* ---- text libdw reads --------------------------------------------------------------- */

static bool name_ends(const char *name, size_t n, const char *tail)
{
	size_t t = strlen(tail);

	return n >= t && memcmp(name + n - t, tail, t) == 0;
}

/* ".debug_str", and what toolchains make of it: ".zdebug_str", ".debug_line_str.dwo" ... */
static bool is_debug_text(const char *name)
{
	size_t n = strlen(name);

	if (name_ends(name, n, ".dwo"))
		n -= strlen(".dwo");
	return name_ends(name, n, "debug_str") || name_ends(name, n, "debug_line_str");
}

static bool text_ends(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	const Elf_Data *data;

	if (header->sh_flags & SHF_COMPRESSED) {
		if (elf_compress(section, 0, 0) < 0)
			return false;
	} else if (strncmp(name, ".zdebug", strlen(".zdebug")) == 0 &&
		   elf_compress_gnu(section, 0, 0) < 0) {
		return false;
	}
	data = elf_getdata(section, NULL);
	return !data || !data->d_buf || !data->d_size ||
	       !((const char *)data->d_buf)[data->d_size - 1];
}

bool spe_elf_debug_text_ends(struct spe_elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf->handle, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = section_name(elf, &header);
		if (is_debug_text(name) && !text_ends(section, &header, name))
			return false;
	}
	return true;
}

#else

int spe_elf_open(const char *path, struct spe_elf **elf)
{
	(void)path;
	(void)elf;
	return SPE_UNSUPPORTED;
}

void spe_elf_close(struct spe_elf *elf)
{
	(void)elf;
}

#endif
