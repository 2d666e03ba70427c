/* SPDX-License-Identifier: GPL-2.0-only */
/* Records for the tests of symbols, and questions to them. */
#ifndef TESTS_UNIT_SYMBOLS_MAKE_H
#define TESTS_UNIT_SYMBOLS_MAKE_H

#include <check.h>
#include <perf-arm-spe/symbols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

/* What a listener heard. */
struct heard {
	unsigned lines;
	char last[1024];
};

static UNUSED void hear(void *priv, enum spe_log_level level, const char *text)
{
	struct heard *heard = priv;

	(void)level;
	heard->lines++;
	snprintf(heard->last, sizeof(heard->last), "%s", text);
}

static UNUSED struct spe_symbols *symbols_make(struct spe_symbols_opts opts, struct heard *heard)
{
	struct spe_symbols *symbols = NULL;

	opts.size = sizeof(opts);
	if (heard) {
		*heard = (struct heard){ .lines = 0 };
		opts.listener.log = hear;
		opts.listener.log_priv = heard;
	}
	if (!opts.buildid_dir)
		opts.buildid_dir = "/nonexistent";
	ck_assert_int_eq(spe_symbols_new(&opts, &symbols), SPE_OK);
	return symbols;
}

static UNUSED struct spe_perf_event symbols_event(uint32_t type, uint64_t time_ns)
{
	static uint64_t sequence;
	struct spe_perf_event event = { .type = type,
					.misc = SPE_MISC_USER,
					.sequence = sequence++ };

	event.id.present = SPE_SAMPLE_TIME | SPE_SAMPLE_TID;
	event.id.time_ns = time_ns;
	return event;
}

static UNUSED struct spe_perf_event symbols_mmap(uint64_t time_ns, int32_t pid, uint64_t start,
						 uint64_t bytes, const char *path)
{
	struct spe_perf_event event = symbols_event(SPE_PERF_MMAP2, time_ns);

	event.u.mmap.pid = event.u.mmap.tid = pid;
	event.u.mmap.addr = start;
	event.u.mmap.len = bytes;
	event.u.mmap.prot = 5;
	event.u.mmap.filename = path;
	return event;
}

static UNUSED struct spe_perf_event symbols_task(uint32_t type, uint64_t time_ns, int32_t pid,
						 int32_t tid, int32_t ppid)
{
	struct spe_perf_event event = symbols_event(type, time_ns);

	event.u.task.pid = pid;
	event.u.task.tid = tid;
	event.u.task.ppid = event.u.task.ptid = ppid;
	event.u.task.time_ns = time_ns;
	return event;
}

static UNUSED struct spe_perf_event symbols_exec(uint64_t time_ns, int32_t pid)
{
	struct spe_perf_event event = symbols_event(SPE_PERF_COMM, time_ns);

	event.misc |= SPE_MISC_COMM_EXEC;
	event.u.comm.pid = event.u.comm.tid = pid;
	event.u.comm.comm = "program";
	return event;
}

static UNUSED void symbols_add(struct spe_symbols *symbols, struct spe_perf_event event)
{
	ck_assert_int_eq(spe_symbols_add(symbols, &event), SPE_OK);
}

static UNUSED void symbols_freeze(struct spe_symbols *symbols)
{
	ck_assert_int_eq(spe_symbols_freeze(symbols), SPE_OK);
}

static UNUSED struct spe_symbol symbols_ask(struct spe_symbols *symbols, int32_t pid,
					    uint64_t time_ns, uint64_t address)
{
	struct spe_symbol_query query = {
		.pid = pid, .has_time = true, .time_ns = time_ns, .address = address
	};
	struct spe_symbol symbol;
	int status = spe_symbols_find(symbols, &query, &symbol);

	ck_assert_int_eq(status, symbol.name ? SPE_OK : SPE_NOT_FOUND);
	return symbol;
}

static UNUSED struct spe_symbol symbols_ask_kernel(struct spe_symbols *symbols, uint64_t time_ns,
						   uint64_t address)
{
	struct spe_symbol_query query = {
		.pid = 1, .kernel = true, .has_time = true, .time_ns = time_ns, .address = address
	};
	struct spe_symbol symbol;

	spe_symbols_find(symbols, &query, &symbol);
	return symbol;
}

#endif
