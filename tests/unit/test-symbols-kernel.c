/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel, its modules, and code made at run time. */
#include "symbols-program.h"

#define TEXT 0xffff800008000000ull
#define MOVED 0xffffb5c2a3e00000ull
#define MODULE 0xffffb5c27a000000ull

static struct spe_perf_event kernel_mmap(uint64_t start, uint64_t bytes, uint64_t pgoff,
					 const char *name)
{
	struct spe_perf_event event = symbols_mmap(0, -1, start, bytes, name);

	event.type = SPE_PERF_MMAP;
	event.misc = SPE_MISC_KERNEL;
	event.u.mmap.pgoff = pgoff;
	return event;
}

/* A kernel that was moved by MOVED - TEXT, and a module above it. */
static struct spe_symbols *kernel_symbols(struct spe_symbols_opts opts, struct heard *heard)
{
	struct spe_symbols *s = symbols_make(opts, heard);

	symbols_add(s, kernel_mmap(MODULE, 0x8000, 0, "/lib/modules/6.1/kernel/fs/my-fs.ko"));
	symbols_add(s, kernel_mmap(MODULE, 0x100000000ull, MOVED, "[kernel.kallsyms]_text"));
	symbols_freeze(s);
	return s;
}

static const char *kernel_name(struct spe_symbols *s, uint64_t address)
{
	return symbols_ask_kernel(s, 5, address).name;
}

/* kallsyms of a kernel whose _text is at `text`. */
static const char *write_kallsyms(uint64_t text, uint64_t module)
{
	static char lines[2048];

	snprintf(lines, sizeof(lines),
		 "%016llx T _text\n"
		 "%016llx t $x.1\n"
		 "%016llx t $x\n"
		 "%016llx T first_function\n"
		 "%016llx t __alias\n"
		 "%016llx W alias\n"
		 "%016llx A absolute\n"
		 "0000000000000100 a some_offset\n"
		 "%016llx D jiffies\n"
		 "%016llx T last_function\n"
		 "%016llx T _etext\n"
		 "%016llx t read_page\t[my_fs]\n"
		 "%016llx t write_page\t[my_fs]\n"
		 "%016llx t other\t[other]\n"
		 "garbage\n"
		 "ffff T\n"
		 "zzzz T nothing\n",
		 (unsigned long long)text, (unsigned long long)text + 0x100,
		 (unsigned long long)text + 0x100, (unsigned long long)text + 0x100,
		 (unsigned long long)text + 0x200, (unsigned long long)text + 0x200,
		 (unsigned long long)text + 0x280, (unsigned long long)text + 0x300,
		 (unsigned long long)text + 0x400, (unsigned long long)text + 0x500,
		 (unsigned long long)module, (unsigned long long)module + 0x40,
		 (unsigned long long)module + 0x80);
	program_write("kallsyms", lines);
	return program_path("kallsyms");
}

START_TEST(kallsyms_in_place)
{
	struct spe_symbols_opts opts = { .kallsyms = write_kallsyms(MOVED, MODULE) };
	struct heard heard;
	struct spe_symbols *s = kernel_symbols(opts, &heard);
	struct spe_symbol symbol = symbols_ask_kernel(s, 5, MOVED + 0x104);

	ck_assert_str_eq(symbol.name, "first_function");
	ck_assert_uint_eq(symbol.offset, 4);
	ck_assert_str_eq(symbol.dso, "[kernel.kallsyms]");
	ck_assert_str_eq(symbol.dso_name, "[kernel.kallsyms]");
	ck_assert_uint_eq(symbol.dso_offset, MOVED + 0x104);
	ck_assert_str_eq(kernel_name(s, MOVED + 0x1ff), "first_function");
	ck_assert_str_eq(kernel_name(s, MOVED + 0x200), "__alias"); /* not the weak one */
	ck_assert_str_eq(kernel_name(s, MOVED + 0x2ff), "__alias");
	ck_assert_str_eq(kernel_name(s, MOVED + 0x300), "jiffies");
	ck_assert_str_eq(kernel_name(s, MOVED + 0x400), "last_function");
	ck_assert_ptr_null(kernel_name(s, MOVED + 0x4000));
	/* Modules have their own. */
	symbol = symbols_ask_kernel(s, 5, MODULE + 0x41);
	ck_assert_str_eq(symbol.name, "write_page");
	ck_assert_str_eq(symbol.dso_name, "[my_fs]");
	ck_assert_str_eq(kernel_name(s, MODULE), "read_page");
	/* A low address is none of the kernel's. */
	ck_assert_ptr_null(symbols_ask_kernel(s, 5, 0x1000).dso);
	ck_assert_uint_eq(heard.lines, 0);
	spe_symbols_free(s);
}
END_TEST

/* Of another boot: the kernel moved as a whole, its modules each for itself. */
START_TEST(kallsyms_of_another_boot)
{
	struct spe_symbols_opts opts = { .kallsyms = write_kallsyms(TEXT, MODULE) };
	struct heard heard;
	struct spe_symbols *s = kernel_symbols(opts, &heard);

	ck_assert_str_eq(kernel_name(s, MOVED + 0x150), "first_function");
	ck_assert_uint_eq(heard.lines, 1); /* the mapping goes far beyond this kernel */
	ck_assert_ptr_nonnull(strstr(heard.last, "could not be checked"));
	ck_assert_uint_eq(symbols_ask_kernel(s, 5, MOVED + 0x150).dso_address, TEXT + 0x150);
	ck_assert_str_eq(symbols_ask_kernel(s, 5, MODULE + 0x41).dso_name, "[my_fs]");
	ck_assert_ptr_null(kernel_name(s, MODULE + 0x41));
	ck_assert_uint_eq(heard.lines, 2);
	spe_symbols_free(s);
}
END_TEST

START_TEST(kallsyms_without_addresses)
{
	struct spe_symbols_opts opts = { .kallsyms = program_path("kallsyms") };
	struct heard heard;
	struct spe_symbols *s;

	program_write("kallsyms", "0000000000000000 T _text\n0000000000000000 T first\n");
	s = kernel_symbols(opts, &heard);
	ck_assert_ptr_null(kernel_name(s, MOVED + 0x150));
	ck_assert_uint_eq(heard.lines, 1);
	ck_assert_ptr_nonnull(strstr(heard.last, "kptr_restrict"));
	spe_symbols_free(s);
}
END_TEST

START_TEST(no_kernel_file)
{
	struct heard heard;
	struct spe_symbols *s = kernel_symbols((struct spe_symbols_opts){ 0 }, &heard);

	for (unsigned i = 0; i < 100; i++)
		ck_assert_str_eq(symbols_ask_kernel(s, 5, MOVED + i).dso, "[kernel.kallsyms]");
	ck_assert_ptr_null(kernel_name(s, MOVED + 0x150));
	ck_assert_uint_eq(heard.lines, 1);
	spe_symbols_free(s);
}
END_TEST

/* A kallsyms of other kernels is refused, by its name. */
START_TEST(kallsyms_of_another_kernel)
{
	static const struct {
		uint64_t text, etext; /* of the kallsyms; etext 0: not in it */
		const char *heard;    /* NULL: used, without a word */
	} ways[] = {
		{ MOVED, 0x1000000, NULL },
		{ TEXT, 0x1000000, NULL },
		{ TEXT, 0xf00000, NULL },
		{ 0xffffffff81000000ull, 0x1000000, "another machine's" },
		{ TEXT + 0x10, 0x1000000, "part of a page" },
		{ TEXT, 0x1100000, "ends beyond" },
		{ MOVED, 0x1100000, "ends beyond" },
		{ TEXT, 0x3000, "far shorter" },
		{ MOVED, 0, "could not be checked" },
	};
	struct spe_symbols_opts opts = { .kallsyms = program_path("kallsyms") };
	unsigned long long text = ways[_i].text;
	bool used = !ways[_i].heard || strstr(ways[_i].heard, "checked");
	struct heard heard;
	struct spe_symbols *s;
	char lines[512];

	snprintf(lines, sizeof(lines),
		 "%016llx T before\n%016llx T _text\n%016llx T first\n%016llx T %s\n"
		 "%016llx T beyond\n",
		 text - 0x100000, text, text + 0x100,
		 text + (ways[_i].etext ? ways[_i].etext : 0x200),
		 ways[_i].etext ? "_etext" : "second", text + 0x2000000);
	program_write("kallsyms", lines);
	s = symbols_make(opts, &heard);
	symbols_add(s, kernel_mmap(MOVED, 0x1000000, MOVED, "[kernel.kallsyms]_text"));
	symbols_freeze(s);
	ck_assert_str_eq(symbols_ask_kernel(s, 5, MOVED + 0x110).dso, "[kernel.kallsyms]");
	ck_assert(!kernel_name(s, MOVED + 0x110) == !used);
	ck_assert(!used || !strcmp(kernel_name(s, MOVED + 0x110), "first"));
	ck_assert_uint_eq(heard.lines, ways[_i].heard ? 1 : 0);
	ck_assert(!ways[_i].heard ||
		  (strstr(heard.last, ways[_i].heard) && strstr(heard.last, opts.kallsyms)));
	spe_symbols_free(s);
}
END_TEST

/* No reference was recorded: _text must lie in the mapping. */
START_TEST(kallsyms_without_reference)
{
	struct spe_symbols_opts opts = { .kallsyms = write_kallsyms(_i ? TEXT : MOVED, MODULE) };
	struct heard heard;
	struct spe_symbols *s = symbols_make(opts, &heard);

	symbols_add(s, kernel_mmap(MOVED, 0x1000000, 0, "[kernel.kallsyms]_text"));
	symbols_freeze(s);
	ck_assert(!kernel_name(s, MOVED + 0x150) == (_i == 1));
	ck_assert_uint_eq(heard.lines, (unsigned)_i);
	spe_symbols_free(s);
}
END_TEST

/* A kernel nobody recorded the mapping of, but the user names its symbols. */
START_TEST(kernel_without_a_map)
{
	struct spe_symbols_opts opts = { .kallsyms = write_kallsyms(MOVED, MODULE) };
	struct heard heard;
	struct spe_symbols *s = symbols_make(opts, &heard);

	symbols_freeze(s);
	ck_assert_str_eq(kernel_name(s, MOVED + 0x150), "first_function");
	ck_assert_uint_eq(heard.lines, 1);
	ck_assert_ptr_nonnull(strstr(heard.last, "could not be checked"));
	ck_assert_ptr_null(symbols_ask(s, 1, 5, 0x1000).dso);
	spe_symbols_free(s);
}
END_TEST

#ifdef HAVE_LIBDW
static const char vmlinux_source[] =
	".text\n.globl _text\n.type _text,%function\n_text:\n"
	".skip 0x100\n"
	".globl do_work\n.type do_work,%function\ndo_work:\n.skip 0x40\n"
	".size do_work,0x40\n.skip 0x100\n";

static const char *build_vmlinux(void)
{
	program_write("vmlinux.S", vmlinux_source);
	ck_assert_int_eq(program_run("%s -nostdlib -static -Wl,--build-id -Wl,-e,0 "
				     "-Wl,-Ttext=0x%llx -o vmlinux vmlinux.S",
				     program_cc(), 0xffffffff81000000ull),
			 0);
	return program_path("vmlinux");
}

START_TEST(vmlinux_is_moved)
{
	struct spe_symbols_opts opts = { .vmlinux = build_vmlinux() };
	struct heard heard;
	struct spe_symbols *s = kernel_symbols(opts, &heard);
	struct spe_symbol symbol = symbols_ask_kernel(s, 5, MOVED + 0x10a);

	ck_assert_str_eq(symbol.name, "do_work");
	ck_assert_uint_eq(symbol.offset, 10);
	ck_assert_uint_eq(symbol.dso_address, 0xffffffff8100010aull);
	ck_assert_str_eq(symbol.dso, "[kernel.kallsyms]");
	ck_assert_ptr_null(kernel_name(s, MOVED + 0x140 + 0x100000));
	spe_symbols_free(s);
}
END_TEST

/* Without the reference symbol nobody knows how far. */
START_TEST(vmlinux_without_reference)
{
	struct spe_symbols_opts opts = { .vmlinux = build_vmlinux() };
	struct heard heard;
	struct spe_symbols *s;

	ck_assert_int_eq(program_run("objcopy -N _text vmlinux"), 0);
	s = kernel_symbols(opts, &heard);
	ck_assert_ptr_null(kernel_name(s, MOVED + 0x10a));
	ck_assert_uint_eq(heard.lines, 1);
	ck_assert_ptr_nonnull(strstr(heard.last, "reference symbol"));
	spe_symbols_free(s);
}
END_TEST

START_TEST(vmlinux_of_another_build)
{
	struct spe_symbols_opts opts = { .vmlinux = build_vmlinux() };
	struct spe_perf_event id = symbols_event(SPE_PERF_BUILD_ID, 0);
	struct heard heard;
	struct spe_symbols *s = symbols_make(opts, &heard);

	id.u.build_id.filename = "[kernel.kallsyms]";
	id.u.build_id.build_id_bytes = 20;
	memset(id.u.build_id.build_id, 7, 20);
	symbols_add(s, id);
	symbols_add(s, kernel_mmap(MODULE, 0x100000000ull, MOVED, "[kernel.kallsyms]_text"));
	symbols_freeze(s);
	ck_assert_ptr_null(kernel_name(s, MOVED + 0x10a));
	ck_assert_uint_eq(heard.lines, 1);
	spe_symbols_free(s);
}
END_TEST

/* A module's file is not linked: its .text is where the module was put. */
START_TEST(module_file)
{
	struct spe_symbols_opts opts = { .symfs = program_folder };
	struct heard heard;
	struct spe_symbols *s;

	program_write("module.c",
		      "int init(void) { return 1; }\n"
		      "int work(int x) { return x * 3; }\n"
		      "int data = 5;\n"
		      "__attribute__((section(\".init.text\"))) int early(void) { return 2; }\n");
	ck_assert_int_eq(program_run("mkdir -p lib/modules/6.1/kernel/fs && %s -O1 -c -o "
				     "lib/modules/6.1/kernel/fs/my-fs.ko module.c",
				     program_cc()),
			 0);
	s = kernel_symbols(opts, &heard);
	ck_assert_str_eq(kernel_name(s, MODULE), "init");
	FILE *nm = program_read("nm %s/lib/modules/6.1/kernel/fs/my-fs.ko | sed -n 's/ T work//p'",
				program_folder);
	unsigned long long work;

	ck_assert_int_eq(fscanf(nm, "%llx", &work), 1);
	pclose(nm);
	ck_assert_uint_gt(work, 0);
	ck_assert_str_eq(kernel_name(s, MODULE + work), "work");
	ck_assert_str_eq(symbols_ask_kernel(s, 5, MODULE).dso_name, "[my_fs]");
	spe_symbols_free(s);
}
END_TEST
#endif

/* ---- code made at run time --------------------------------------------------------------- */

static struct spe_perf_event ksymbol(uint64_t time_ns, uint64_t start, uint32_t bytes,
				     uint16_t flags, const char *name, uint8_t *raw)
{
	struct spe_perf_event event = symbols_event(SPE_PERF_KSYMBOL, time_ns);
	uint16_t kind = 1;

	memset(raw, 0, 64);
	memcpy(raw + 8, &start, 8);
	memcpy(raw + 16, &bytes, 4);
	memcpy(raw + 20, &kind, 2);
	memcpy(raw + 22, &flags, 2);
	snprintf((char *)raw + 24, 40, "%s", name);
	event.raw = raw;
	event.size = 64;
	return event;
}

START_TEST(bpf_programs_come_and_go)
{
	struct spe_symbols_opts opts = { .kallsyms = write_kallsyms(MOVED, MODULE) };
	struct spe_symbols *s = symbols_make(opts, NULL);
	struct spe_perf_event event;
	uint8_t raw[64];

	symbols_add(s, kernel_mmap(MODULE, 0x100000000ull, MOVED, "[kernel.kallsyms]_text"));
	symbols_add(s, ksymbol(30, MODULE + 0x900, 0x80, 1, "bpf_prog_1_one", raw));
	symbols_add(s, ksymbol(10, MODULE + 0x900, 0x80, 0, "bpf_prog_1_one", raw));
	symbols_add(s, ksymbol(50, MODULE + 0x940, 0x80, 0, "bpf_prog_2_two", raw));
	for (unsigned cut = 0; cut < 24; cut++) { /* damaged */
		event = ksymbol(60, MODULE + 0x900, 0x80, 0, "x", raw);
		event.size = cut;
		symbols_add(s, event);
	}
	symbols_freeze(s);
	ck_assert_str_eq(symbols_ask_kernel(s, 5, MODULE + 0x950).dso, "[kernel.kallsyms]");
	ck_assert_str_eq(symbols_ask_kernel(s, 10, MODULE + 0x950).name, "bpf_prog_1_one");
	ck_assert_str_eq(symbols_ask_kernel(s, 29, MODULE + 0x97f).name, "bpf_prog_1_one");
	ck_assert_uint_eq(symbols_ask_kernel(s, 29, MODULE + 0x97f).offset, 0x7f);
	ck_assert_ptr_null(symbols_ask_kernel(s, 40, MODULE + 0x950).dso);
	ck_assert_str_eq(symbols_ask_kernel(s, 50, MODULE + 0x950).name, "bpf_prog_2_two");
	ck_assert_str_eq(symbols_ask_kernel(s, 99, MODULE + 0x950).name, "bpf_prog_2_two");
	spe_symbols_free(s);
}
END_TEST

START_TEST(just_in_time_code)
{
	struct spe_symbols_opts opts = { .symfs = program_folder };
	struct spe_symbols *s = symbols_make(opts, NULL);

	ck_assert_int_eq(program_run("mkdir tmp"), 0);
	program_write("tmp/perf-7.map", "7f0000001000 20 LazyCompile:run file.js:1\n"
					"0x7f0000001020 10 with prefix\n"
					"7f0000001040 10 Builtin:Add\n"
					"nonsense\n"
					"7f0000001080 ffffffffffffffff wraps\n");
	symbols_add(s, symbols_mmap(1, 7, 0x7f0000001000ull, 0x1000, "//anon"));
	symbols_freeze(s);
	ck_assert_str_eq(symbols_ask(s, 7, 1, 0x7f0000001004ull).name, "LazyCompile:run file.js:1");
	ck_assert_uint_eq(symbols_ask(s, 7, 1, 0x7f0000001004ull).offset, 4);
	ck_assert_str_eq(symbols_ask(s, 7, 1, 0x7f0000001041ull).name, "Builtin:Add");
	ck_assert_ptr_null(symbols_ask(s, 7, 1, 0x7f0000001030ull).name);
	ck_assert_ptr_null(symbols_ask(s, 7, 1, 0x7f0000001090ull).name);
	spe_symbols_free(s);
}
END_TEST

START_TEST(guests_are_not_mapped)
{
	struct spe_symbols *s = symbols_make((struct spe_symbols_opts){ 0 }, NULL);
	struct spe_perf_event user = symbols_mmap(1, 7, 0x4000, 0x1000, "/guest");
	struct spe_perf_event kernel =
		kernel_mmap(TEXT, 0x10000, TEXT, "[guest.kernel.kallsyms]_text");

	user.misc = SPE_MISC_GUEST_USER;
	symbols_add(s, user);
	symbols_add(s, kernel);
	kernel.misc = SPE_MISC_GUEST_KERNEL;
	symbols_add(s, kernel);
	symbols_freeze(s);
	ck_assert_ptr_null(symbols_ask(s, 7, 1, 0x4000).dso);
	ck_assert_ptr_null(symbols_ask_kernel(s, 1, TEXT).dso);
	spe_symbols_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbols-kernel");
	TCase *t = tcase_create("kernel");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, t);
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, program_setup, program_teardown);
	tcase_add_test(t, kallsyms_in_place);
	tcase_add_test(t, kallsyms_of_another_boot);
	tcase_add_test(t, kallsyms_without_addresses);
	tcase_add_test(t, no_kernel_file);
	tcase_add_loop_test(t, kallsyms_of_another_kernel, 0, 9);
	tcase_add_loop_test(t, kallsyms_without_reference, 0, 2);
	tcase_add_test(t, kernel_without_a_map);
#ifdef HAVE_LIBDW
	tcase_add_test(t, vmlinux_is_moved);
	tcase_add_test(t, vmlinux_without_reference);
	tcase_add_test(t, vmlinux_of_another_build);
	tcase_add_test(t, module_file);
#endif
	tcase_add_test(t, bpf_programs_come_and_go);
	tcase_add_test(t, just_in_time_code);
	tcase_add_test(t, guests_are_not_mapped);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
