/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of real files equal what nm says, lines what addr2line says. */
#include "symbols-program.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#ifdef __aarch64__
#define OWN_ARCH "aarch64"
#else
#define OWN_ARCH "x86_64"
#endif

/* Neither waits for a FIFO nor opens what is no regular file: that alone may set a device off. */
START_TEST(only_regular_files)
{
	static const char *const paths[] = { "/dev/zero0", "/dev/null", "/proc/self", NULL };
	struct spe_symbols *s = symbols_make((struct spe_symbols_opts){ 0 }, NULL);
	char *fifo = strdup(program_path("fifo"));
	int watch = inotify_init1(IN_NONBLOCK);
	char seen[4096];
	int fd;

	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_ge(inotify_add_watch(watch, fifo, IN_OPEN), 0);
	symbols_add(s, symbols_mmap(1, 1, 0x1000, 0x1000, fifo));
	for (unsigned i = 0; paths[i]; i++)
		symbols_add(s, symbols_mmap(1, 1, 0x2000 + i * 0x1000, 0x1000, paths[i]));
	symbols_freeze(s);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_ptr_null(symbols_ask(s, 1, 1, 0x1000 + i * 0x1000).name);
	ck_assert_int_lt(read(watch, seen, sizeof(seen)), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK); /* the watch does see */
	ck_assert_int_gt(read(watch, seen, sizeof(seen)), 0);
	close(fd);
	close(watch);
	spe_symbols_free(s);
	free(fifo);
}
END_TEST

#ifdef HAVE_LIBDW
static const char c_source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"int counter = 3;\n"
	"const char words[32] = \"some text\";\n"
	"static int hidden_table[64] = { 1, 2, 3 };\n"
	"int zeroes[20000];\n"
	"static __attribute__((noinline)) int helper(int x)\n"
	"{\n"
	"\treturn x * hidden_table[x & 63];\n"
	"}\n"
	"__attribute__((noinline)) int visible(int x)\n"
	"{\n"
	"\tcounter += helper(x);\n"
	"\treturn counter;\n"
	"}\n"
	"int same_place(int) __attribute__((alias(\"visible\")));\n"
	"int __under(int) __attribute__((alias(\"visible\")));\n"
	"int weak_name_that_is_longer(int) __attribute__((weak, alias(\"visible\")));\n"
	"__asm__(\".text\\n.globl unsized\\n.type unsized,%function\\nunsized:\\n.skip 24\\n\");\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"\tprintf(\"%d %s\\n\", visible(argc), words);\n"
	"\treturn atoi(argv[0]);\n"
	"}\n";

static const char cc_source[] =
	"#include <string>\n"
	"#include <vector>\n"
	"namespace shop {\n"
	"template <typename T> struct Cart {\n"
	"\tstd::vector<T> items;\n"
	"\t__attribute__((noinline)) void put(const T &item) { items.push_back(item); }\n"
	"\t__attribute__((noinline)) ~Cart() { items.clear(); }\n"
	"};\n"
	"__attribute__((noinline)) int total(const Cart<int> &cart)\n"
	"{\n"
	"\tint sum = 0;\n"
	"\tfor (int v : cart.items)\n"
	"\t\tsum += v;\n"
	"\treturn sum;\n"
	"}\n"
	"}\n"
	"int main(int argc, char **)\n"
	"{\n"
	"\tshop::Cart<int> cart;\n"
	"\tshop::Cart<std::string> names;\n"
	"\tcart.put(argc);\n"
	"\tnames.put(\"x\");\n"
	"\treturn shop::total(cart) + (int)names.items.size();\n"
	"}\n";

#define MODES 6
/* What is built: compiler, options, source, and the prefix of the tools. */
static const struct mode {
	const char *name, *compiler, *options, *tools;
	bool cc;
} modes[MODES] = {
	{ "pie", NULL, "-g -O2 -pie -fPIE", "", false },
	{ "fixed", NULL, "-g -O1 -no-pie", "", false },
	{ "library", NULL, "-g -O2 -shared -fPIC", "", false },
	{ "separate", NULL, "-g -O2 -pie -fPIE -Wl,-z,noseparate-code -gdwarf-4", "", false },
	{ "c++", "g++", "-g -O1", "", true },
	{ "arm64", "aarch64-linux-gnu-gcc", "-g -O2", "aarch64-linux-gnu-", false },
};

/* false: that compiler is not here. */
static bool build(const struct mode *mode)
{
	if (mode->compiler && program_run("command -v %s", mode->compiler))
		return false;
	program_write("source.c", c_source);
	program_write("source.cc", cc_source);
	ck_assert_int_eq(program_run("%s %s -Wl,--build-id -o program source.%s",
				     mode->compiler ? mode->compiler : program_cc(), mode->options,
				     mode->cc ? "cc" : "c"),
			 0);
	return true;
}

static uint64_t base_of(const char *file)
{
	return program_is_fixed(file) ? 0 : PROGRAM_BASE;
}

/* ---- nm ---------------------------------------------------------------------------- */

struct nm_line {
	uint64_t address, size;
	char type;
	char name[256];
};

/* The next symbol of nm -S that stands in memory: "address [size] type name", 16 digits each. */
static bool nm_next(FILE *nm, struct nm_line *line)
{
	char text[4096];

	while (fgets(text, sizeof(text), nm)) {
		bool sized = strlen(text) > 34 && text[33] == ' ' && text[35] == ' ';

		line->size = sized ? strtoull(text + 17, NULL, 16) : 0;
		if (text[0] != ' ' &&
		    sscanf(text + (sized ? 34 : 17), "%c %255s", &line->type, line->name) == 2) {
			line->address = strtoull(text, NULL, 16);
			return true;
		}
	}
	return false;
}

/* Does nm give this name to this address? */
static bool nm_has(const char *tools, const char *options, const char *file, uint64_t address,
		   const char *name)
{
	FILE *nm = program_read("%snm %s -S %s", tools, options, file);
	struct nm_line line;
	bool found = false;

	while (nm_next(nm, &line))
		found |= line.address == address && strcmp(line.name, name) == 0;
	pclose(nm);
	return found;
}

static bool is_local_label(const struct nm_line *line)
{
	return line->name[0] == '$' || line->type == 'a' || line->type == 'A' ||
	       line->type == 'N' || line->type == 'n';
}

/* Each function and each object of nm, at its first and its last byte. */
static unsigned compare_with_nm(const struct mode *mode, const char *file)
{
	struct spe_symbols *s =
		program_symbols(file, (struct spe_symbols_opts){ .mangled = true }, NULL);
	FILE *nm = program_read("%snm --defined-only -S %s", mode->tools, file);
	unsigned compared = 0;
	struct nm_line line;

	while (nm_next(nm, &line)) {
		uint64_t base = base_of(file);
		struct spe_symbol symbol;

		if (is_local_label(&line) || !line.size)
			continue;
		symbol = symbols_ask(s, PROGRAM_PID, 1, base + line.address);
		ck_assert_msg(symbol.name != NULL, "%s: %s", mode->name, line.name);
		ck_assert_uint_eq(symbol.dso_address, line.address);
		ck_assert_uint_eq(symbol.offset, 0);
		if (strcmp(symbol.name, line.name) != 0)
			ck_assert_msg(nm_has(mode->tools, "", file, line.address, symbol.name),
				      "%s: %s is not at %s", mode->name, symbol.name, line.name);
		ck_assert_uint_eq(
			symbols_ask(s, PROGRAM_PID, 1, base + line.address + line.size - 1).id,
			symbol.id);
		compared++;
	}
	pclose(nm);
	spe_symbols_free(s);
	return compared;
}

START_TEST(equals_nm)
{
	if (!build(&modes[_i]))
		return;
	ck_assert_uint_gt(compare_with_nm(&modes[_i], program_path("program")), 5);
}
END_TEST

START_TEST(names_are_readable)
{
#ifdef HAVE_DEMANGLE
	const char *expected = "shop::total";
#else
	const char *expected = NULL;
#endif
	const char *file = program_path("program");
	struct spe_symbols *s;
	struct nm_line line;
	unsigned compared = 0;
	FILE *nm;

	if (!build(&modes[4]))
		return;
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, NULL);
	nm = program_read("nm --defined-only -S %s", file);
	while (nm_next(nm, &line)) {
		struct spe_symbol symbol;

		if (line.type != 'T' || strncmp(line.name, "_ZN4shop5total", 14) != 0)
			continue;
		symbol = symbols_ask(s, PROGRAM_PID, 1, base_of(file) + line.address);
		ck_assert_str_eq(symbol.name, expected ? expected : line.name);
		compared++;
	}
	pclose(nm);
	spe_symbols_free(s);
	ck_assert_uint_eq(compared, 1);
}
END_TEST

static uint64_t nm_address(const char *file, const char *name)
{
	FILE *nm = program_read("nm --defined-only %s", file);
	uint64_t address = 0;
	struct nm_line line;

	while (nm_next(nm, &line))
		if (strcmp(line.name, name) == 0)
			address = line.address;
	pclose(nm);
	ck_assert_uint_ne(address, 0);
	return address;
}

static struct spe_symbol ask_name(struct spe_symbols *s, const char *file, const char *name)
{
	return symbols_ask(s, PROGRAM_PID, 1, base_of(file) + nm_address(file, name));
}

/* Not the weak one, not the one with underscores; the longer one of two. */
START_TEST(aliases)
{
	const char *file = program_path("program");
	struct spe_symbols *s;

	ck_assert(build(&modes[0]));
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, NULL);
	ck_assert_str_eq(ask_name(s, file, "visible").name, "same_place");
	ck_assert_str_eq(ask_name(s, file, "unsized").name, "unsized");
	ck_assert_uint_eq(
		symbols_ask(s, PROGRAM_PID, 1, PROGRAM_BASE + nm_address(file, "unsized") + 23).id,
		ask_name(s, file, "unsized").id);
	spe_symbols_free(s);
}
END_TEST

/* Where the code of a file is tells where its data is, also if nobody recorded that. */
START_TEST(data_without_mappings)
{
	const char *file = program_path("program");
	struct spe_perf_event like = symbols_mmap(1, PROGRAM_PID, 0, 0, NULL);
	struct spe_symbol_cache *cache;
	struct spe_symbols *s;
	uint64_t zeroes;

	ck_assert(build(&modes[_i]));
	zeroes = base_of(file) + nm_address(file, "zeroes");
	s = symbols_make((struct spe_symbols_opts){ 0 }, NULL);
	program_map_code(s, file, file, base_of(file), &like);
	like = symbols_mmap(5, PROGRAM_PID, (zeroes + 0x2000) & ~0xfffull, 0x1000, "//anon");
	like.u.mmap.prot = 3;
	symbols_add(s, like);
	like.id.time_ns = 9; /* from then on it is something else */
	like.u.mmap.filename = "[heap]";
	symbols_add(s, like);
	symbols_add(s, symbols_task(SPE_PERF_FORK, 4, 77, 77, PROGRAM_PID));
	symbols_freeze(s);
	ck_assert_int_eq(spe_symbol_cache_new(s, &cache), SPE_OK);
	for (uint64_t at = 0; at < 80000; at += 1000)
		for (uint64_t t = 1; t < 12; t += 2) {
			struct spe_symbol_query query = { .pid = t == 7 ? 77 : PROGRAM_PID,
							  .has_time = true,
							  .time_ns = t,
							  .address = zeroes + at };
			const struct spe_symbol *cached;
			struct spe_symbol symbol = symbols_ask(s, query.pid, t, zeroes + at);
			bool heap = t > 8 && zeroes + at >= like.u.mmap.addr &&
				    zeroes + at < like.u.mmap.addr + 0x1000;

			ck_assert_pstr_eq(symbol.name, heap ? NULL : "zeroes");
			ck_assert(heap || symbol.offset == at);
			spe_symbol_cache_find(cache, &query, &cached);
			ck_assert_uint_eq(cached->id, symbol.id);
		}
	ck_assert_str_eq(ask_name(s, file, "counter").name, "counter");
	ck_assert_ptr_null(symbols_ask(s, PROGRAM_PID, 1, zeroes + 0x100000).name);
	ck_assert_ptr_null(symbols_ask(s, PROGRAM_PID, 1, zeroes + 0x100000).dso);
	spe_symbol_cache_free(cache);
	spe_symbols_free(s);
}
END_TEST

START_TEST(ids_name_symbols)
{
	const char *file = program_path("program");
	struct spe_symbol found;
	struct spe_symbol again;
	struct spe_symbols *s;

	ck_assert(build(&modes[0]));
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, NULL);
	found = ask_name(s, file, "main");
	ck_assert_int_eq(spe_symbols_by_id(s, found.id, &again), SPE_OK);
	ck_assert_str_eq(again.name, "main");
	ck_assert_uint_eq(again.dso_address, nm_address(file, "main"));
	ck_assert_uint_eq(again.dso_id, found.dso_id);
	ck_assert_int_eq(spe_symbols_by_id(s, SPE_SYMBOL_NONE, &again), SPE_NOT_FOUND);
	ck_assert_int_eq(spe_symbols_by_id(s, found.id | 0xffffff, &again), SPE_NOT_FOUND);
	spe_symbols_free(s);
}
END_TEST

/* ---- addr2line ------------------------------------------------------------------------ */

/* addr2line for a row of addresses, a line each. */
static FILE *addr2line_start(const char *tools, const char *file, uint64_t first, uint64_t bytes)
{
	return program_read("i=0; while [ $i -lt %" PRIu64 " ]; do printf '0x%%x\\n' "
			    "$((%" PRIu64 " + i)); i=$((i + 4)); done | %saddr2line -e %s",
			    bytes, first, tools, file);
}

/* "source.c:12" of the next one; "" when not known. */
static void addr2line_next(FILE *f, char *text, size_t size)
{
	char line[4096];
	char *end;
	char *slash;

	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	end = strpbrk(line, " \n");
	if (end)
		*end = '\0';
	slash = strrchr(line, '/');
	snprintf(text, size, "%.200s", line[0] == '?' ? "" : slash ? slash + 1 : line);
}

static void addr2line(const char *tools, const char *file, uint64_t address, char *text,
		      size_t size)
{
	FILE *f = addr2line_start(tools, file, address, 1);

	addr2line_next(f, text, size);
	pclose(f);
}

static void compare_lines(struct spe_symbols *s, const char *tools, const char *file,
			  const struct nm_line *line)
{
	FILE *f = addr2line_start(tools, file, line->address, line->size);

	for (uint64_t at = 0; at < line->size; at += 4) {
		struct spe_symbol symbol =
			symbols_ask(s, PROGRAM_PID, 1, base_of(file) + line->address + at);
		char expected[256];
		char text[256] = "";

		addr2line_next(f, expected, sizeof(expected));
		spe_symbols_srcline(s, &symbol, false, text, sizeof(text));
		ck_assert_str_eq(text, expected);
	}
	pclose(f);
}

START_TEST(equals_addr2line)
{
	const char *file = program_path("program");
	const struct mode *mode = &modes[_i];
	struct spe_symbols *s;
	struct nm_line line;
	unsigned known = 0;
	FILE *nm;

	if (!build(mode))
		return;
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, NULL);
	nm = program_read("%snm --defined-only -S %s", mode->tools, file);
	while (nm_next(nm, &line)) {
		if (strcmp(line.name, "main") && strcmp(line.name, "visible") &&
		    strcmp(line.name, "helper") && strcmp(line.name, "_start") &&
		    !strstr(line.name, "total"))
			continue;
		compare_lines(s, mode->tools, file, &line);
		known++;
	}
	pclose(nm);
	spe_symbols_free(s);
	ck_assert_uint_ge(known, 3);
}
END_TEST

/* ---- where files are found ---------------------------------------------------------------- */

static const char *name_in(struct spe_symbols *s, uint64_t address)
{
	return symbols_ask(s, PROGRAM_PID, 1, PROGRAM_BASE + address).name;
}

/* Stripped: the debug file has the names. */
START_TEST(debug_files)
{
	const char *file = program_path("program");
	uint64_t helper;
	struct heard heard;
	struct spe_symbols *s;
	char expected[64];
	char line[PATH_MAX];
	struct spe_symbol symbol;

	ck_assert(build(&modes[0]));
	helper = nm_address(file, "helper");
	addr2line("", file, helper, expected, sizeof(expected));
	ck_assert_int_eq(
		program_run("objcopy --only-keep-debug program program.debug && strip program"), 0);
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	spe_symbols_free(s);
	ck_assert_int_eq(program_run("objcopy --add-gnu-debuglink=program.debug program"), 0);
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_str_eq(name_in(s, helper), "helper");
	symbol = symbols_ask(s, PROGRAM_PID, 1, PROGRAM_BASE + helper);
	ck_assert_int_eq(spe_symbols_srcline(s, &symbol, false, line, sizeof(line)), SPE_OK);
	ck_assert_str_eq(line, expected);
	ck_assert_int_eq(spe_symbols_srcline(s, &symbol, true, line, sizeof(line)), SPE_OK);
	ck_assert_int_eq(line[0], '/');
	ck_assert_str_eq(strrchr(line, '/') + 1, expected);
	spe_symbols_free(s);
	ck_assert_int_eq(program_run("mkdir .debug && mv program.debug .debug/"), 0);
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_str_eq(name_in(s, helper), "helper");
	spe_symbols_free(s);
	/* Not the file that was linked. */
	ck_assert_int_eq(program_run("echo >>.debug/program.debug"), 0);
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	spe_symbols_free(s);
}
END_TEST

/* The 20 bytes of a build-id, from readelf. */
static void read_build_id(const char *file, uint8_t *id)
{
	FILE *f = program_read("readelf -n %s | sed -n 's/.*Build ID: //p'", file);

	for (unsigned i = 0; i < 20; i++) {
		unsigned byte;

		ck_assert_int_eq(fscanf(f, "%2x", &byte), 1);
		id[i] = (uint8_t)byte;
	}
	pclose(f);
}

static struct spe_symbols *recorded_as(const char *file, const char *path, const uint8_t *id,
				       struct spe_symbols_opts opts, struct heard *heard)
{
	struct spe_symbols *s = symbols_make(opts, heard);
	struct spe_perf_event like = symbols_mmap(1, PROGRAM_PID, 0, 0, NULL);

	if (id) {
		like.u.mmap.build_id_bytes = 20;
		memcpy(like.u.mmap.build_id, id, 20);
	}
	program_map(s, file, path, PROGRAM_BASE, &like);
	symbols_freeze(s);
	return s;
}

START_TEST(build_id_decides)
{
	const char *file = program_path("program");
	struct spe_symbols *s;
	struct heard heard;
	uint64_t helper;
	uint8_t id[20];

	ck_assert(build(&modes[0]));
	helper = nm_address(file, "helper");
	read_build_id(file, id);
	s = recorded_as(file, file, id, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_str_eq(name_in(s, helper), "helper");
	ck_assert_uint_eq(heard.lines, 0);
	spe_symbols_free(s);
	id[7] ^= 1;
	s = recorded_as(file, file, id, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	ck_assert_ptr_null(name_in(s, helper + 1));
	ck_assert_uint_eq(heard.lines, 1);
	ck_assert_ptr_nonnull(strstr(heard.last, "another build"));
	spe_symbols_free(s);
}
END_TEST

/* A container's path means nothing here: the cache has the file under its build-id. */
START_TEST(build_id_cache)
{
	const char *file = program_path("program");
	struct spe_symbols_opts opts = { 0 };
	char *cache = strdup(program_path("cache"));
	struct spe_symbols *s;
	struct heard heard;
	uint64_t helper;
	uint8_t id[20];

	ck_assert(build(&modes[0]));
	helper = nm_address(file, "helper");
	read_build_id(file, id);
	ck_assert_int_eq(program_run("id=$(readelf -n program | sed -n 's/.*Build ID: //p') && "
				     "rest=${id#??} && d=cache/.build-id/${id%%%%$rest}/$rest && "
				     "mkdir -p $d && cp program $d/elf"),
			 0);
	opts.buildid_dir = cache;
	s = recorded_as(file, "/app/bin/program", id, opts, &heard);
	ck_assert_str_eq(name_in(s, helper), "helper");
	ck_assert_str_eq(symbols_ask(s, PROGRAM_PID, 1, PROGRAM_BASE + helper).dso,
			 "/app/bin/program");
	spe_symbols_free(s);
	/* Without a build-id there is nothing to look for. */
	s = recorded_as(file, "/app/bin/program", NULL, opts, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	ck_assert_uint_eq(heard.lines, 1);
	spe_symbols_free(s);
	free(cache);
}
END_TEST

/* Build-ids of the header, in either order of bytes. */
START_TEST(build_ids_of_the_header)
{
	const char *file = program_path("program");
	uint8_t body[36 + 64] = { 0 };
	struct spe_symbols *s;
	struct heard heard;
	uint8_t wrong[20];
	uint16_t size = sizeof(body);

	ck_assert(build(&modes[0]));
	read_build_id(file, wrong);
	wrong[0] ^= 1;
	if (_i)
		size = __builtin_bswap16(size);
	memcpy(body + 6, &size, 2);
	memcpy(body + 12, wrong, 20);
	snprintf((char *)body + 36, 64, "/p/program");
	s = symbols_make((struct spe_symbols_opts){ 0 }, &heard);
	struct spe_perf_event like = symbols_mmap(1, PROGRAM_PID, 0, 0, NULL);

	program_map(s, file, file, PROGRAM_BASE, &like);
	program_map(s, file, "/p/program", 2 * PROGRAM_BASE, &like);
	for (size_t cut = 0; cut < sizeof(body); cut++) /* damaged: nothing of it */
		ck_assert_int_eq(spe_symbols_build_ids(s, body, cut, _i != 0), SPE_OK);
	ck_assert_int_eq(spe_symbols_build_ids(s, body, sizeof(body), _i != 0), SPE_OK);
	symbols_freeze(s);
	ck_assert_str_eq(name_in(s, nm_address(file, "helper")), "helper");
	ck_assert_ptr_null(symbols_ask(s, PROGRAM_PID, 1, 2 * PROGRAM_BASE).name);
	spe_symbols_free(s);
}
END_TEST

/* A recording of a server, read on a laptop: the same path, another machine. */
START_TEST(another_machine)
{
	static const char *const archs[] = { "", "aarch64", "riscv64", "ppc64le", "sparc64" };
	const char *file = program_path("program");
	const char *own = OWN_ARCH;
	struct spe_perf_event like = symbols_mmap(1, PROGRAM_PID, 0, 0, NULL);
	struct heard heard;
	uint64_t helper;

	ck_assert(build(&modes[0]));
	helper = nm_address(file, "helper");
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
		struct spe_symbols *s = symbols_make((struct spe_symbols_opts){ 0 }, &heard);
		bool known = i && i < 4 && strcmp(archs[i], own) != 0;

		ck_assert_int_eq(spe_symbols_machine(s, "", archs[i]), SPE_OK);
		program_map(s, file, file, PROGRAM_BASE, &like);
		symbols_freeze(s);
		ck_assert_pstr_eq(name_in(s, helper), known ? NULL : "helper");
		ck_assert_uint_eq(heard.lines, known);
		spe_symbols_free(s);
	}
}
END_TEST

START_TEST(symfs)
{
	const char *file = program_path("program");
	struct spe_symbols_opts opts = { 0 };
	char *root = strdup(program_path("root"));
	struct spe_symbols *s;
	struct heard heard;
	uint64_t helper;

	ck_assert(build(&modes[0]));
	helper = nm_address(file, "helper");
	ck_assert_int_eq(program_run("mkdir -p root/usr/bin && cp program root/usr/bin/tool"), 0);
	opts.symfs = root;
	s = recorded_as(file, "/usr/bin/tool", NULL, opts, &heard);
	ck_assert_str_eq(name_in(s, helper), "helper");
	spe_symbols_free(s);
	/* Not out of that folder again. */
	s = recorded_as(file, "/usr/../../program", NULL, opts, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	spe_symbols_free(s);
	/* This machine's own file may be anything. */
	s = recorded_as(file, file, NULL, opts, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	spe_symbols_free(s);
	free(root);
}
END_TEST

START_TEST(deleted_files)
{
	const char *file = program_path("program");
	char recorded[PATH_MAX + 16];
	struct spe_symbols *s;
	struct heard heard;
	uint64_t helper;
	uint8_t id[20];

	ck_assert(build(&modes[0]));
	helper = nm_address(file, "helper");
	read_build_id(file, id);
	snprintf(recorded, sizeof(recorded), "%s (deleted)", file);
	s = recorded_as(file, recorded, id, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_str_eq(name_in(s, helper), "helper");
	spe_symbols_free(s);
	s = recorded_as(file, recorded, NULL, (struct spe_symbols_opts){ 0 }, &heard);
	ck_assert_ptr_null(name_in(s, helper));
	spe_symbols_free(s);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("symbols-elf");
	TCase *t = tcase_create("elf");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, t);
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, program_setup, program_teardown);
	tcase_add_test(t, only_regular_files);
#ifdef HAVE_LIBDW
	tcase_add_loop_test(t, equals_nm, 0, MODES);
	tcase_add_test(t, names_are_readable);
	tcase_add_test(t, aliases);
	tcase_add_test(t, ids_name_symbols);
	tcase_add_loop_test(t, data_without_mappings, 0, 2);
	tcase_add_loop_test(t, equals_addr2line, 0, MODES);
	tcase_add_test(t, debug_files);
	tcase_add_test(t, build_id_decides);
	tcase_add_test(t, build_id_cache);
	tcase_add_loop_test(t, build_ids_of_the_header, 0, 2);
	tcase_add_test(t, another_machine);
	tcase_add_test(t, symfs);
	tcase_add_test(t, deleted_files);
#endif
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
