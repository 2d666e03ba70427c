/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mapped where and when: the files need not be there for that. */
#include "symbols-make.h"

#include <inttypes.h>

#define PAGE 0x1000ull

static struct heard heard;

static struct spe_symbols *make(void)
{
	return symbols_make((struct spe_symbols_opts){ 0 }, &heard);
}

static void expect(struct spe_symbols *symbols, int32_t pid, uint64_t time_ns, uint64_t address,
		   const char *dso)
{
	struct spe_symbol symbol = symbols_ask(symbols, pid, time_ns, address);

	ck_assert_pstr_eq(symbol.dso, dso);
}

START_TEST(latest_mapping_wins)
{
	struct spe_symbols *s = make();

	/* In no order of the file. */
	symbols_add(s, symbols_mmap(30, 1, 0x5000, PAGE, "/c"));
	symbols_add(s, symbols_mmap(10, 1, 0x4000, 4 * PAGE, "/a"));
	symbols_add(s, symbols_mmap(20, 1, 0x5000, 2 * PAGE, "/b"));
	symbols_freeze(s);
	expect(s, 1, 9, 0x4000, NULL);
	expect(s, 1, 10, 0x4000, "/a");
	expect(s, 1, 19, 0x5fff, "/a");
	expect(s, 1, 20, 0x5000, "/b");
	expect(s, 1, 20, 0x6fff, "/b");
	expect(s, 1, 20, 0x7000, "/a");
	expect(s, 1, 30, 0x5000, "/c");
	expect(s, 1, 30, 0x6000, "/b");
	expect(s, 1, 30, 0x3fff, NULL);
	expect(s, 1, 30, 0x8000, NULL);
	expect(s, 2, 30, 0x5000, NULL);
	spe_symbols_free(s);
}
END_TEST

START_TEST(dso_offset_is_of_the_file)
{
	struct spe_symbols *s = make();
	struct spe_perf_event map = symbols_mmap(1, 1, 0x40000, 4 * PAGE, "/lib/libx.so.1");
	struct spe_symbol symbol;

	map.u.mmap.pgoff = 0x7000;
	symbols_add(s, map);
	symbols_freeze(s);
	symbol = symbols_ask(s, 1, 1, 0x41234);
	ck_assert_uint_eq(symbol.dso_offset, 0x8234);
	ck_assert_str_eq(symbol.dso_name, "libx.so.1");
	ck_assert_str_eq(spe_symbols_dso_name(s, symbol.dso_name_id), "libx.so.1");
	ck_assert_ptr_null(spe_symbols_dso_name(s, 99));
	ck_assert_uint_eq(symbol.id, SPE_SYMBOL_NONE);
	spe_symbols_free(s);
}
END_TEST

START_TEST(exec_replaces)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(0, 1, 0x4000, PAGE, "/shell"));
	symbols_add(s, symbols_mmap(0, 1, 0x9000, PAGE, "/libold"));
	symbols_add(s, symbols_mmap(50, 1, 0x4000, PAGE, "/tool"));
	symbols_add(s, symbols_exec(50, 1));
	symbols_freeze(s);
	expect(s, 1, 49, 0x4000, "/shell");
	expect(s, 1, 49, 0x9000, "/libold");
	expect(s, 1, 50, 0x4000, "/tool");
	expect(s, 1, 50, 0x9000, NULL);
	spe_symbols_free(s);
}
END_TEST

START_TEST(comm_without_exec_is_a_name_only)
{
	struct spe_symbols *s = make();
	struct spe_perf_event comm = symbols_exec(20, 1);

	comm.misc = SPE_MISC_USER;
	symbols_add(s, symbols_mmap(0, 1, 0x4000, PAGE, "/a"));
	symbols_add(s, comm);
	symbols_freeze(s);
	expect(s, 1, 30, 0x4000, "/a");
	spe_symbols_free(s);
}
END_TEST

START_TEST(fork_copies_what_the_parent_had_then)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(0, 1, 0x4000, PAGE, "/program"));
	symbols_add(s, symbols_mmap(20, 1, 0x8000, PAGE, "/before"));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 30, 2, 2, 1));
	symbols_add(s, symbols_mmap(40, 1, 0x8000, PAGE, "/after"));
	symbols_add(s, symbols_mmap(50, 2, 0x4000, PAGE, "/own"));
	symbols_add(s, symbols_exec(60, 1)); /* the parent's, not the child's */
	symbols_add(s, symbols_task(SPE_PERF_FORK, 70, 3, 3, 2));
	symbols_freeze(s);
	expect(s, 2, 29, 0x4000, NULL);
	expect(s, 2, 30, 0x4000, "/program");
	expect(s, 2, 90, 0x8000, "/before");
	expect(s, 1, 45, 0x8000, "/after");
	expect(s, 1, 90, 0x8000, NULL);
	expect(s, 2, 49, 0x4000, "/program");
	expect(s, 2, 50, 0x4000, "/own");
	expect(s, 3, 70, 0x4000, "/own");
	expect(s, 3, 70, 0x8000, "/before");
	spe_symbols_free(s);
}
END_TEST

START_TEST(threads_share_maps)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(10, 1, 0x4000, PAGE, "/a"));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 20, 1, 7, 1));
	symbols_freeze(s);
	expect(s, 1, 30, 0x4000, "/a");
	spe_symbols_free(s);
}
END_TEST

START_TEST(fork_of_before_takes_nothing_away)
{
	struct spe_symbols *s = make();

	/* perf's own, all of time 0, in any order. */
	symbols_add(s, symbols_mmap(0, 2, 0x4000, PAGE, "/child"));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 0, 2, 2, 1));
	symbols_add(s, symbols_mmap(0, 1, 0x4000, PAGE, "/parent"));
	symbols_add(s, symbols_mmap(0, 1, 0x8000, PAGE, "/parent"));
	symbols_freeze(s);
	expect(s, 2, 1, 0x4000, "/child");
	expect(s, 2, 1, 0x8000, NULL);
	spe_symbols_free(s);
}
END_TEST

START_TEST(ids_are_used_again)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(0, 1, 0x4000, PAGE, "/init"));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 10, 5, 5, 1));
	symbols_add(s, symbols_exec(11, 5));
	symbols_add(s, symbols_mmap(12, 5, 0x4000, PAGE, "/first"));
	symbols_add(s, symbols_mmap(12, 5, 0x6000, PAGE, "/first"));
	symbols_add(s, symbols_task(SPE_PERF_EXIT, 20, 5, 5, 1));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 30, 5, 5, 1));
	symbols_add(s, symbols_mmap(32, 5, 0x8000, PAGE, "/second"));
	symbols_freeze(s);
	expect(s, 5, 15, 0x4000, "/first");
	expect(s, 5, 20, 0x4000, "/first");
	expect(s, 5, 25, 0x4000, NULL);
	expect(s, 5, 30, 0x4000, "/init");
	expect(s, 5, 33, 0x6000, NULL);
	expect(s, 5, 33, 0x8000, "/second");
	spe_symbols_free(s);
}
END_TEST

START_TEST(leader_may_go_before_its_threads)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(0, 1, 0x4000, PAGE, "/a"));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 5, 1, 2, 1));
	symbols_add(s, symbols_task(SPE_PERF_EXIT, 10, 1, 1, 1));
	symbols_add(s, symbols_task(SPE_PERF_EXIT, 20, 1, 2, 1));
	symbols_freeze(s);
	expect(s, 1, 15, 0x4000, "/a");
	expect(s, 1, 21, 0x4000, NULL);
	spe_symbols_free(s);
}
END_TEST

/* The FORK of the next owner was lost: its maps are not mixed with those of the one before. */
START_TEST(lost_fork_starts_anew)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(1, 5, 0x4000, PAGE, "/first"));
	symbols_add(s, symbols_task(SPE_PERF_EXIT, 20, 5, 5, 1));
	symbols_add(s, symbols_mmap(30, 5, 0x8000, PAGE, "/second"));
	symbols_freeze(s);
	expect(s, 5, 31, 0x8000, "/second");
	expect(s, 5, 31, 0x4000, NULL);
	spe_symbols_free(s);
}
END_TEST

START_TEST(without_times_the_file_has_one_set)
{
	struct spe_symbols *s = make();
	struct spe_perf_event events[] = {
		symbols_mmap(0, 1, 0x4000, PAGE, "/parent"),
		symbols_task(SPE_PERF_FORK, 0, 2, 2, 1),
		symbols_mmap(0, 2, 0x8000, PAGE, "/child"),
	};

	for (size_t i = 0; i < 3; i++) {
		events[i].id.present = SPE_SAMPLE_TID;
		symbols_add(s, events[i]);
	}
	symbols_freeze(s);
	expect(s, 2, 77, 0x4000, "/parent");
	expect(s, 2, 77, 0x8000, "/child");
	expect(s, 1, 77, 0x8000, NULL);
	spe_symbols_free(s);
}
END_TEST

/* A sample without a time: what was there at all times alike, or nothing. */
START_TEST(sample_without_time)
{
	struct spe_symbols *s = make();
	struct spe_symbol_query query = { .pid = 1, .address = 0x4000 };
	struct spe_symbol symbol;

	symbols_add(s, symbols_mmap(10, 1, 0x4000, PAGE, "/same"));
	symbols_add(s, symbols_mmap(20, 1, 0x4000, 2 * PAGE, "/same"));
	symbols_add(s, symbols_mmap(30, 1, 0x8000, PAGE, "/one"));
	symbols_add(s, symbols_mmap(40, 1, 0x8000, PAGE, "/other"));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 50, 2, 2, 1));
	symbols_freeze(s);
	spe_symbols_find(s, &query, &symbol);
	ck_assert_str_eq(symbol.dso, "/same");
	query.address = 0x8000;
	spe_symbols_find(s, &query, &symbol);
	ck_assert_ptr_null(symbol.dso);
	query.pid = 2;
	spe_symbols_find(s, &query, &symbol);
	ck_assert_str_eq(symbol.dso, "/other"); /* all the child ever had there */
	spe_symbols_free(s);
}
END_TEST

START_TEST(memory_without_a_file)
{
	struct spe_symbols *s = make();
	struct spe_perf_event heap = symbols_mmap(1, 1, 0x4000, PAGE, "[heap]");
	struct spe_perf_event data = symbols_mmap(1, 1, 0x6000, PAGE, "//anon");

	heap.u.mmap.prot = data.u.mmap.prot = 3;
	symbols_add(s, heap);
	symbols_add(s, data);
	symbols_add(s, symbols_mmap(1, 1, 0x8000, PAGE, "//anon"));
	symbols_freeze(s);
	expect(s, 1, 1, 0x4000, "[heap]");
	expect(s, 1, 1, 0x6000, "//anon");
	ck_assert_uint_eq(symbols_ask(s, 1, 1, 0x4010).dso_offset, 0x4010);
	ck_assert_uint_eq(heard.lines, 0);
	ck_assert_str_eq(symbols_ask(s, 1, 1, 0x8000).dso_name, "[JIT] tid 1");
	spe_symbols_free(s);
}
END_TEST

START_TEST(missing_file_is_one_note)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(1, 1, 0x4000, 9 * PAGE, "/nowhere/at-all"));
	symbols_add(s, symbols_mmap(1, 2, 0x4000, 9 * PAGE, "/nowhere/at-all"));
	symbols_freeze(s);
	ck_assert_uint_eq(heard.lines, 0);
	for (uint64_t i = 0; i < 100; i++)
		symbols_ask(s, 1 + i % 2, 1, 0x4000 + 16 * i);
	ck_assert_uint_eq(heard.lines, 1);
	ck_assert_ptr_nonnull(strstr(heard.last, "/nowhere/at-all"));
	spe_symbols_free(s);
}
END_TEST

START_TEST(many_missing_files_are_few_notes)
{
	struct spe_symbols *s = make();
	char paths[100][32];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/nowhere/%u", i);
		symbols_add(s, symbols_mmap(1, 1, 0x100000 + i * PAGE, PAGE, paths[i]));
	}
	symbols_freeze(s);
	for (unsigned i = 0; i < 100; i++)
		symbols_ask(s, 1, 1, 0x100000 + i * PAGE);
	ck_assert_uint_le(heard.lines, 10);
	spe_symbols_free(s);
}
END_TEST

START_TEST(frozen_is_frozen)
{
	struct spe_symbols *s = make();
	struct spe_perf_event map = symbols_mmap(1, 1, 0x4000, PAGE, "/a");
	struct spe_symbol_query query = { .pid = 1 };
	struct spe_symbol symbol;

	ck_assert_int_eq(spe_symbols_find(s, &query, &symbol), SPE_INVALID);
	symbols_freeze(s);
	ck_assert_int_eq(spe_symbols_add(s, &map), SPE_INVALID);
	ck_assert_int_eq(spe_symbols_machine(s, "6.1", "aarch64"), SPE_INVALID);
	ck_assert_int_eq(spe_symbols_build_ids(s, (const uint8_t *)"", 0, false), SPE_INVALID);
	spe_symbols_free(s);
}
END_TEST

START_TEST(hostile_numbers)
{
	struct spe_symbols *s = make();

	symbols_add(s, symbols_mmap(1, 1, UINT64_MAX - 5, UINT64_MAX, "/top"));
	symbols_add(s, symbols_mmap(1, 1, 0, 0, "/empty"));
	symbols_add(s, symbols_mmap(1, -1, 0, UINT64_MAX, "/nobody"));
	symbols_add(s, symbols_mmap(UINT64_MAX, 3, 0, UINT64_MAX, "/late"));
	symbols_add(s, symbols_task(SPE_PERF_EXIT, UINT64_MAX, 3, 3, 1));
	/* Each the other's child. */
	symbols_add(s, symbols_task(SPE_PERF_FORK, 5, 8, 8, 9));
	symbols_add(s, symbols_task(SPE_PERF_FORK, 5, 9, 9, 8));
	symbols_freeze(s);
	expect(s, 1, 1, UINT64_MAX - 3, "/top");
	expect(s, 1, 1, 0, NULL);
	expect(s, -1, 1, 0x1000, NULL);
	expect(s, 3, UINT64_MAX, 0x1000, "/late");
	expect(s, 8, 6, 0x1000, NULL);
	spe_symbols_free(s);
}
END_TEST

/* A look at each of a million maps for each of a million samples would take a day. */
START_TEST(hostile_numbers_of_maps)
{
	struct spe_symbols *s = make();
	struct spe_symbol_query query = { .pid = 1 };
	struct spe_symbol symbol;

	for (uint64_t i = 0; i < 100000; i++)
		symbols_add(s, symbols_mmap(i, 1, 0x4000, PAGE, "/same"));
	symbols_freeze(s);
	for (uint64_t i = 0; i < 20000; i += THINNED(7)) {
		query.address = 0x4000 + i % PAGE;
		ck_assert_int_eq(spe_symbols_find(s, &query, &symbol), SPE_NOT_FOUND);
		ck_assert_ptr_null(symbol.dso); /* too many to say whether they agree */
		expect(s, 1, i, 0x100000 + (i << 16), NULL);
		expect(s, 1, i, 0x4000, "/same");
	}
	spe_symbols_free(s);
}
END_TEST

/* ---- against a plain replay ------------------------------------------------------------ */

#define PIDS 6
#define PAGES 24
#define STEPS 60
#define NAMES 5

static const char *const names[NAMES] = { "/n0", "/n1", "/n2", "/n3", "/n4" };

struct world {
	const char *at[PIDS][PAGES];
};

static uint64_t rng_state;

static unsigned rng(unsigned below)
{
	rng_state = rng_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((rng_state >> 33) % below);
}

/* One thing that happens, to the world and as a record. */
static struct spe_perf_event step(struct world *world, uint64_t time_ns)
{
	int32_t pid = (int32_t)rng(PIDS);
	unsigned what = rng(10);
	int32_t other = (int32_t)rng(PIDS);

	if (what == 0) {
		memset(world->at[pid], 0, sizeof(world->at[pid]));
		return symbols_exec(time_ns, pid);
	}
	if (what < 3 && other != pid) {
		memcpy(world->at[pid], world->at[other], sizeof(world->at[pid]));
		return symbols_task(SPE_PERF_FORK, time_ns, pid, pid, other);
	}
	unsigned first = rng(PAGES);
	unsigned count = 1 + rng(PAGES - first);
	const char *name = names[rng(NAMES)];

	for (unsigned p = first; p < first + count; p++)
		world->at[pid][p] = name;
	return symbols_mmap(time_ns, pid, (1 + first) * PAGE, count * PAGE, name);
}

static void compare(struct spe_symbols *s, struct spe_symbol_cache *cache,
		    const struct world *world, uint64_t time_ns)
{
	for (int32_t pid = 0; pid < PIDS; pid++)
		for (unsigned p = 0; p < PAGES; p++) {
			struct spe_symbol_query query = { .pid = pid,
							  .has_time = true,
							  .time_ns = time_ns,
							  .address = (1 + p) * PAGE + rng(PAGE) };
			const struct spe_symbol *cached;

			expect(s, pid, time_ns, query.address, world->at[pid][p]);
			spe_symbol_cache_find(cache, &query, &cached);
			ck_assert_pstr_eq(cached->dso, world->at[pid][p]);
		}
}

START_TEST(equals_a_replay)
{
	struct spe_perf_event events[STEPS];
	struct world *worlds = calloc(STEPS + 1, sizeof(*worlds));
	struct spe_symbol_cache *cache;
	struct spe_symbols *s = make();

	rng_state = (uint64_t)_i;
	for (unsigned i = 0; i < STEPS; i++) {
		worlds[i + 1] = worlds[i];
		events[i] = step(&worlds[i + 1], 10 * (i + 1));
	}
	for (unsigned i = STEPS; i--;) { /* shuffled */
		unsigned other = rng(i + 1);
		struct spe_perf_event kept = events[other];

		events[other] = events[i];
		symbols_add(s, kept);
	}
	symbols_freeze(s);
	ck_assert_int_eq(spe_symbol_cache_new(s, &cache), SPE_OK);
	for (unsigned round = 0; round < 2; round++) /* forwards, then at random */
		for (unsigned i = 0; i <= STEPS; i++) {
			unsigned w = round ? rng(STEPS + 1) : i;

			compare(s, cache, &worlds[w], 10 * w + rng(10));
		}
	spe_symbol_cache_free(cache);
	spe_symbols_free(s);
	free(worlds);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbols-maps");
	TCase *t = tcase_create("maps");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, t);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, latest_mapping_wins);
	tcase_add_test(t, dso_offset_is_of_the_file);
	tcase_add_test(t, exec_replaces);
	tcase_add_test(t, comm_without_exec_is_a_name_only);
	tcase_add_test(t, fork_copies_what_the_parent_had_then);
	tcase_add_test(t, threads_share_maps);
	tcase_add_test(t, fork_of_before_takes_nothing_away);
	tcase_add_test(t, ids_are_used_again);
	tcase_add_test(t, leader_may_go_before_its_threads);
	tcase_add_test(t, lost_fork_starts_anew);
	tcase_add_test(t, without_times_the_file_has_one_set);
	tcase_add_test(t, sample_without_time);
	tcase_add_test(t, memory_without_a_file);
	tcase_add_test(t, missing_file_is_one_note);
	tcase_add_test(t, many_missing_files_are_few_notes);
	tcase_add_test(t, frozen_is_frozen);
	tcase_add_test(t, hostile_numbers);
	tcase_add_test(t, hostile_numbers_of_maps);
	tcase_add_loop_test(t, equals_a_replay, 0, 40);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
