/* SPDX-License-Identifier: GPL-2.0-only */
/* dump: the AUXTRACE records of a perf.data, one after the other. */
#include <perf-arm-spe/sink.h>

#include <stdlib.h>
#include <string.h>

#include "../base/opts.h"
#include "dump.h"
#include "format.h"

/* AUXTRACE_INFO of SPE, version 2: a header, then blocks of a CPU each. */
enum {
	INFO_VERSION,
	INFO_HEADER_WORDS,
	INFO_PMU_TYPE,
	INFO_CPUS,
	INFO_HEADER_MIN,
};
enum {
	BLOCK_MAGIC,
	BLOCK_CPU,
	BLOCK_PARAMETERS, /* how many words follow this one */
	BLOCK_MIDR,       /* the first of them */
};
#define MAGIC 0x1010101010101010ull
#define VERSION_1_WORDS 2u

uint64_t spe_dump_midr(const uint64_t *priv, size_t priv_count, int32_t cpu)
{
	size_t at;

	if (priv_count < INFO_HEADER_MIN || priv_count == VERSION_1_WORDS ||
	    priv[INFO_HEADER_WORDS] > priv_count || cpu < 0)
		return 0;
	at = priv[INFO_HEADER_WORDS];
	while (priv_count - at > BLOCK_MIDR && priv[at + BLOCK_MAGIC] == MAGIC) {
		uint64_t parameters = priv[at + BLOCK_PARAMETERS];

		if (priv[at + BLOCK_CPU] == (uint64_t)cpu)
			return parameters ? priv[at + BLOCK_MIDR] : 0;
		if (parameters > priv_count - at - BLOCK_MIDR)
			return 0;
		at += BLOCK_MIDR + parameters;
	}
	return 0;
}

/* The file being dumped. */
struct file {
	struct spe_dump_opts opts;
	const struct spe_out *out;
	struct spe_text *text;
	uint64_t *priv; /* of AUXTRACE_INFO, kept: the record goes away */
	size_t priv_count;
	uint64_t file_midr; /* version 1: one for all, by the CPUID feature */
	bool is_spe;
	uint64_t shown; /* AUXTRACE records */
};

static int take_info(struct file *file, const struct spe_perf_event *event)
{
	size_t n = event->u.auxtrace_info.priv_count;
	uint64_t *priv;

	if (event->u.auxtrace_info.type != SPE_AUXTRACE_ARM_SPE)
		return SPE_OK;
	priv = malloc((n ? n : 1) * sizeof(*priv));
	if (!priv)
		return SPE_NOMEM;
	if (n)
		memcpy(priv, event->u.auxtrace_info.priv, n * sizeof(*priv));
	free(file->priv);
	file->priv = priv;
	file->priv_count = n;
	file->is_spe = true;
	return SPE_OK;
}

static uint64_t choose_midr(const struct file *file, int32_t cpu)
{
	uint64_t midr = file->opts.midr;

	if (!midr)
		midr = spe_dump_midr(file->priv, file->priv_count, cpu);
	return midr ? midr : file->file_midr;
}

static int show_buffer(struct file *file, const struct spe_perf_event *event)
{
	struct spe_dump_opts opts = file->opts;

	if (!file->is_spe || (opts.cpu >= 0 && event->u.auxtrace.cpu != opts.cpu))
		return SPE_OK;
	file->shown++;
	opts.midr = choose_midr(file, event->u.auxtrace.cpu);
	spe_text_printf(file->text,
			"\n0x%llx [0x%x]: PERF_RECORD_AUXTRACE size: 0x%llx  offset: 0x%llx  "
			"ref: 0x%llx  idx: %u  tid: %d  cpu: %d\n",
			(unsigned long long)event->file_offset, event->size,
			(unsigned long long)event->u.auxtrace.size,
			(unsigned long long)event->u.auxtrace.offset,
			(unsigned long long)event->u.auxtrace.reference, event->u.auxtrace.idx,
			event->u.auxtrace.tid, event->u.auxtrace.cpu);
	if (event->u.auxtrace.data_bytes < event->u.auxtrace.size)
		spe_text_printf(file->text, ".  -------- the file ends after 0x%llx of them\n",
				(unsigned long long)event->u.auxtrace.data_bytes);
	if (spe_text_flush(file->text))
		return file->text->status;
	return spe_dump_bytes(event->u.auxtrace.data, event->u.auxtrace.data_bytes,
			      event->u.auxtrace.offset, &opts, file->out);
}

static int take_event(struct file *file, const struct spe_perf_event *event)
{
	switch (event->type) {
	case SPE_PERF_AUXTRACE_INFO:
		return take_info(file, event);
	case SPE_PERF_AUXTRACE:
		return show_buffer(file, event);
	default:
		return SPE_OK;
	}
}

static int show_file(struct file *file, struct spe_perfdata *pd, struct spe_error *error)
{
	struct spe_perf_event event;
	int status = SPE_OK;

	while (!status) {
		status = spe_perfdata_next(pd, &event, error);
		if (!status)
			status = take_event(file, &event);
	}
	if (status != SPE_END)
		return status;
	if (!file->is_spe)
		return spe_error_set(error, SPE_NO_SPE, "%s: no Arm SPE data in this file",
				     spe_perfdata_info(pd)->path);
	if (!file->shown && file->opts.cpu >= 0)
		return spe_error_set(error, SPE_NOT_FOUND, "%s: no trace of CPU %d in this file",
				     spe_perfdata_info(pd)->path, file->opts.cpu);
	return SPE_OK;
}

int spe_dump_perfdata(struct spe_perfdata *pd, const struct spe_dump_opts *opts,
		      const struct spe_out *out, struct spe_error *error)
{
	struct file file = { .out = out };
	int status;

	if (spe_opts_take(&file.opts, opts) || !out)
		return spe_error_set(error, SPE_INVALID, "dump: options are not valid");
	if (!opts)
		file.opts.cpu = -1;
	status = spe_perfdata_rewind(pd);
	if (status)
		return spe_error_set(error, status, "%s: cannot be read again",
				     spe_perfdata_info(pd)->path);
	file.text = malloc(sizeof(*file.text));
	if (!file.text)
		return spe_error_set(error, SPE_NOMEM, "dump: out of memory");
	spe_text_init(file.text, out);
	file.file_midr = strtoull(spe_perfdata_info(pd)->cpuid, NULL, 16);
	status = show_file(&file, pd, error);
	free(file.priv);
	free(file.text);
	return status;
}
