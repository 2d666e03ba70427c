/* SPDX-License-Identifier: GPL-2.0-only */
/* No memory, and files that are not what they seem. */
#include "faults.h"
#include "symbols-program.h"

#ifdef HAVE_LIBDW
static const char source[] =
	"struct pair { int a, b; };\n"
	"int table[9] = { 1 };\n"
	"int first(int x) { return table[x] + 1; }\n"
	"int second(struct pair *p) { return first(p->a) * p->b; }\n"
	"int main(int argc, char **argv) { (void)argv; return first(argc); }\n";

/* A small program; fixed, so that its addresses are the same with each compiler. */
static void build(const char *options)
{
	program_write("source.c", source);
	ck_assert_int_eq(program_run("%s -g -no-pie %s -Wl,--build-id -o program source.c",
				     program_cc(), options),
			 0);
}

/* All of it, once: SPE_OK, or the failure that came up. */
static int whole(const char *file, const char *kallsyms, uint64_t address)
{
	struct spe_symbols_opts opts = { .size = sizeof(opts),
					 .kallsyms = kallsyms,
					 .symfs = "/",
					 .buildid_dir = "/nonexistent" };
	struct spe_perf_event like = symbols_mmap(1, PROGRAM_PID, 0, 0, NULL);
	struct spe_symbol_query query = {
		.pid = PROGRAM_PID, .has_time = true, .time_ns = 5, .address = address
	};
	struct spe_symbol_cache *cache = NULL;
	const struct spe_symbol *cached;
	struct spe_symbols *symbols = NULL;
	struct spe_symbol symbol;
	char line[64];
	int status = spe_symbols_new(&opts, &symbols);

	like.u.mmap.addr = address & ~0xfffull;
	like.u.mmap.len = 0x1000;
	like.u.mmap.pgoff = 0x1000;
	like.u.mmap.filename = file;
	if (!status)
		status = spe_symbols_add(symbols, &like);
	like = symbols_task(SPE_PERF_FORK, 2, PROGRAM_PID + 1, PROGRAM_PID + 1, PROGRAM_PID);
	if (!status)
		status = spe_symbols_add(symbols, &like);
	if (!status)
		status = spe_symbols_freeze(symbols);
	if (!status)
		status = spe_symbols_find(symbols, &query, &symbol);
	if (!status)
		status = spe_symbols_srcline(symbols, &symbol, false, line, sizeof(line));
	query.pid++;
	if (!status)
		status = spe_symbol_cache_new(symbols, &cache);
	if (!status)
		status = spe_symbol_cache_find(cache, &query, &cached);
	query.kernel = true;
	query.address = 0xffff800008000010ull;
	if (!status)
		status = spe_symbols_find(symbols, &query, &symbol);
	spe_symbol_cache_free(cache);
	spe_symbols_free(symbols);
	return status;
}

static uint64_t address_of(const char *file, const char *name)
{
	FILE *nm = program_read("nm %s | sed -n 's/ T %s$//p'", file, name);
	unsigned long long address;

	ck_assert_int_eq(fscanf(nm, "%llx", &address), 1);
	pclose(nm);
	return address;
}

#ifdef FAULTS
/* Every allocation of ours may fail: SPE_NOMEM, and nothing is left behind. */
START_TEST(every_allocation_may_fail)
{
	const char *file = program_path("program");
	char *kallsyms = strdup(program_path("kallsyms"));
	uint64_t address;
	unsigned failures = 0;
	int status;

	program_write("kallsyms", "ffff800008000000 T _text\nffff800008000010 T _Z4workv\n");
	build("");
	address = address_of(file, "second");
	ck_assert_int_eq(whole(file, kallsyms, address), SPE_OK);
	for (long nth = 0;; nth++) {
		long before = atomic_load(&fault_live);

		atomic_store(&fault_in, nth);
		status = whole(file, kallsyms, address);
		if (atomic_exchange(&fault_in, -1) >= 0)
			break; /* not reached */
		/* libelf and libdw do not always say that it was memory they lacked. */
		ck_assert_msg(status == SPE_NOMEM || status == SPE_NOT_FOUND || status == SPE_OK,
			      "%ld: %d", nth, status);
		ck_assert_msg(atomic_load(&fault_live) == before, "%ld leaves memory behind", nth);
		failures += status == SPE_NOMEM;
	}
	ck_assert_int_eq(status, SPE_OK);
	ck_assert_uint_gt(failures, 20);
	free(kallsyms);
}
END_TEST
#endif

/* ---- bent files ---------------------------------------------------------------------- */

static uint64_t rng_state;

static unsigned rng(unsigned below)
{
	rng_state = rng_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((rng_state >> 33) % below);
}

struct bytes {
	uint8_t *at;
	size_t n;
};

static struct bytes slurp(const char *file)
{
	FILE *f = fopen(file, "r");
	struct bytes bytes = { malloc(1 << 20), 0 };

	ck_assert_ptr_nonnull(f);
	bytes.n = fread(bytes.at, 1, 1 << 20, f);
	fclose(f);
	ck_assert_uint_gt(bytes.n, 1000);
	return bytes;
}

static void spill(const char *file, const uint8_t *at, size_t n)
{
	FILE *f = fopen(file, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(at, 1, n, f), n);
	fclose(f);
}

/* Headers, tables and lines: where a number does most harm. */
static void bend(struct bytes bytes)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	const Elf64_Ehdr *header = (const void *)bytes.at;
	size_t sections = header->e_shoff;
	unsigned n = 1 + rng(6);

	while (n--) {
		size_t place = rng((unsigned)bytes.n);

		switch (rng(4)) {
		case 0:
			place = 16 + rng(sizeof(*header) - 16);
			break;
		case 1:
			place = sizeof(*header) + rng(13 * sizeof(Elf64_Phdr));
			break;
		case 2:
			if (sections < bytes.n)
				place = sections + rng((unsigned)(bytes.n - sections));
			break;
		default:
			break;
		}
		bytes.at[place] = rng(3) ? values[rng(sizeof(values))] : (uint8_t)rng(256);
	}
}

/* Any answer will do, but there must be one. */
START_TEST(bent_files)
{
	char *bent = strdup(program_path("bent"));
	uint64_t address;
	struct bytes good;
	struct bytes copy;
	unsigned found = 0;

	build(_i ? "-O1 -gdwarf-4" : "-O2");
	address = address_of(program_path("program"), "second");
	good = slurp(program_path("program"));
	copy = (struct bytes){ malloc(good.n), good.n };
	rng_state = (uint64_t)_i + 7;
	for (unsigned i = 0; i < 400; i++) {
		memcpy(copy.at, good.at, good.n);
		bend(copy);
		copy.n = rng(4) ? good.n : 1 + rng((unsigned)good.n);
		spill(bent, copy.at, copy.n);
		copy.n = good.n;
		found += whole(bent, NULL, address) == SPE_OK;
	}
	ck_assert_uint_lt(found, 400);
	free(copy.at);
	free(good.at);
	free(bent);
}
END_TEST

/* libdw looks for the end of a text beyond its section: such a file gives no lines. */
START_TEST(text_without_end)
{
	static const struct {
		const char *section;
		bool packed;
	} ways[] = {
		{ ".debug_str", false },
		{ ".debug_line_str", false },
		{ ".debug_str", true },
		{ ".debug_line_str", true },
	};
	const char *file = program_path("program");
	const char *section = ways[_i].section;
	struct spe_symbols *s;
	struct spe_symbol symbol;
	struct heard heard;
	uint64_t address;
	char line[64];

	build("-gdwarf-5");
	/* Long and dull, or nobody would pack it. */
	if (program_run("objcopy -O binary --only-section=%s --set-section-flags %s=alloc program "
			"text && test -s text && head -c 4096 /dev/zero | tr '\\0' a >>text && "
			"cp text bent && printf '\\0' >>text",
			section, section))
		return; /* this compiler makes none */
	address = address_of(file, "second");
	for (unsigned bent = 0; bent < 2; bent++) {
		ck_assert_int_eq(program_run("objcopy --decompress-debug-sections program && "
					     "objcopy --update-section %s=%s program",
					     section, bent ? "bent" : "text"),
				 0);
		if (ways[_i].packed)
			ck_assert_int_eq(program_run("objcopy --compress-debug-sections program && "
						     "readelf -t program | grep -A6 '%s$' | "
						     "grep -q COMPRESSED",
						     section),
					 0);
		s = program_symbols(file, (struct spe_symbols_opts){ 0 }, &heard);
		symbol = symbols_ask(s, PROGRAM_PID, 1, address);
		ck_assert_str_eq(symbol.name, "second");
		for (unsigned again = 0; again < 2; again++)
			ck_assert_int_eq(spe_symbols_srcline(s, &symbol, false, line, sizeof(line)),
					 bent ? SPE_NOT_FOUND : SPE_OK);
		ck_assert_uint_eq(heard.lines, bent);
		ck_assert(!bent || strstr(heard.last, "no source lines"));
		spe_symbols_free(s);
	}
}
END_TEST

/* A file may say that another one has its text: a FIFO or device is not opened for that. */
START_TEST(text_in_a_fifo)
{
	static const char *const names[] = { "fifo", "/fifo", "/dev/null", "none" };
	const char *file = program_path("program");
	bool used = _i == 3; /* not there: nothing to open */
	char name[PATH_MAX];
	struct spe_symbols *s;
	struct spe_symbol symbol;
	struct heard heard;
	char line[64];

	build("");
	snprintf(name, sizeof(name), "%s%s", _i == 1 ? program_folder : "", names[_i]);
	ck_assert_int_eq(program_run("mkfifo fifo && printf '%s\\0abcdefghijklmnopqrst' >link && "
				     "objcopy --add-section .gnu_debugaltlink=link program",
				     name),
			 0);
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, &heard);
	symbol = symbols_ask(s, PROGRAM_PID, 1, address_of(file, "second"));
	ck_assert_str_eq(symbol.name, "second");
	ck_assert_int_eq(spe_symbols_srcline(s, &symbol, false, line, sizeof(line)),
			 used ? SPE_OK : SPE_NOT_FOUND);
	ck_assert_uint_eq(heard.lines, used ? 0 : 1);
	ck_assert(used || strstr(heard.last, "no regular file"));
	spe_symbols_free(s);
}
END_TEST

/* A name that stands for more text than there is memory. */
START_TEST(name_without_end)
{
	const char *file = program_path("program");
	struct spe_symbols *s;
	char name[1024] = "_Z1fISt4pairIiiE";
	char text[4096];
	uint64_t address;

	/* Each argument is a pair of the one before with itself: 2^32 words. */
	for (unsigned i = 0; i < 32; i++) {
		char before = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];
		size_t n = strlen(name);

		snprintf(name + n, sizeof(name) - n, "S0_IS%c_S%c_E", before, before);
	}
	snprintf(text, sizeof(text), ".text\n.globl main,%sEvv\nmain: .skip 4\n%sEvv: .skip 4\n",
		 name, name);
	program_write("source.S", text);
	ck_assert_int_eq(program_run("%s -no-pie -o program source.S", program_cc()), 0);
	address = address_of(file, "main") + 4;
	s = program_symbols(file, (struct spe_symbols_opts){ 0 }, NULL);
	ck_assert_ptr_nonnull(symbols_ask(s, PROGRAM_PID, 1, address).name);
	spe_symbols_free(s);
}
END_TEST
#endif

/* Text files: any bytes. */
START_TEST(bent_kallsyms)
{
	struct spe_symbols_opts opts = { .kallsyms = program_path("kallsyms") };
	static char text[40000];

	memset(text, 'a', sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(text) - 1; i += (size_t)_i * 777 + 1)
		text[i] = " \n\tT0f[]"[i % 8];
	program_write("kallsyms", text);
	struct spe_symbols *s = symbols_make(opts, NULL);

	symbols_freeze(s);
	symbols_ask_kernel(s, 1, 0xffff800008000000ull);
	spe_symbols_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbols-damage");
	TCase *t = tcase_create("damage");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, t);
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, program_setup, program_teardown);
	tcase_add_loop_test(t, bent_kallsyms, 0, 8);
#ifdef HAVE_LIBDW
#ifdef FAULTS
	tcase_add_test(t, every_allocation_may_fail);
#endif
	tcase_add_loop_test(t, bent_files, 0, 2);
	tcase_add_loop_test(t, text_without_end, 0, 4);
	tcase_add_loop_test(t, text_in_a_fifo, 0, 4);
	tcase_add_test(t, name_without_end);
#endif
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
