/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening and closing. */
#include "reader.h"

#include "files.h"
#include "record.h"

#include "../base/opts.h"

#include <stdlib.h>
#include <string.h>

static struct spe_perfdata *perfdata_new(const char *path, const struct spe_listener *listener)
{
	struct spe_perfdata *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->listener = *listener;
	spe_attrs_init(&pd->attrs, &pd->arena);
	pd->info.hostname = pd->info.osrelease = pd->info.version = pd->info.arch = "";
	pd->info.cpudesc = pd->info.cpuid = pd->info.cmdline = "";
	pd->info.path = spe_arena_string(&pd->arena, path, strlen(path));
	pd->scratch = malloc(SPE_RECORD_BYTES_MAX + 1);
	pd->spare = malloc(SPE_RECORD_BYTES_MAX + 1);
	if (!pd->info.path || !pd->scratch || !pd->spare) {
		spe_perfdata_close(pd);
		return NULL;
	}
	return pd;
}

int spe_perfdata_open(const char *path, const struct spe_perfdata_opts *user_opts,
		      struct spe_perfdata **result, struct spe_error *error)
{
	struct spe_perfdata_opts opts;
	struct spe_perfdata *pd;
	int status;

	*result = NULL;
	if (spe_opts_take(&opts, user_opts))
		return spe_error_set(error, SPE_INVALID,
				     "%.300s: options that this library does not know", path);
	pd = perfdata_new(path, &opts.listener);
	if (!pd)
		return spe_error_set(error, SPE_NOMEM, "%.300s: out of memory", path);
	status = spe_files_open(pd, path, opts.tmpdir, error);
	if (!status)
		status = spe_header_read(pd, error);
	if (!status)
		status = spe_files_open_rest(pd, error);
	if (!status && pd->arena.failed)
		status = spe_error_set(error, SPE_NOMEM, "%.300s: out of memory", path);
	if (status) {
		spe_perfdata_close(pd);
		return status;
	}
	*result = pd;
	return SPE_OK;
}

void spe_perfdata_close(struct spe_perfdata *pd)
{
	if (!pd)
		return;
	spe_files_close(pd);
	free(pd->pmus.items);
	free(pd->mends.items);
	free(pd->scratch);
	free(pd->spare);
	spe_attrs_fini(&pd->attrs);
	spe_arena_free(&pd->arena);
	free(pd);
}

const struct spe_perfdata_info *spe_perfdata_info(const struct spe_perfdata *pd)
{
	return &pd->info;
}

size_t spe_perfdata_attr_count(const struct spe_perfdata *pd)
{
	return pd->attrs.list.count;
}

const struct spe_perf_attr *spe_perfdata_attr(const struct spe_perfdata *pd, size_t i)
{
	return i < pd->attrs.list.count ? &pd->attrs.list.items[i]->pub : NULL;
}
