/* SPDX-License-Identifier: GPL-2.0-only */
#include "dso.h"

#include <perf-arm-spe/limits.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE_BYTES 4096u

int spe_dsos_init(struct spe_dsos *dsos)
{
	int status = spe_strings_new(SPE_LIMIT_DSOS, &dsos->keys);

	return status ? status : spe_strings_new(SPE_LIMIT_DSOS, &dsos->names);
}

static void dso_free(struct spe_dso *dso)
{
	for (size_t i = 0; dso->readable && i < dso->table.symbols.count; i++)
		free(atomic_load(&dso->readable[i]));
	free(dso->readable);
	spe_table_clear(&dso->table);
	free(dso->segments.items);
	free(dso->source);
	free(dso);
}

void spe_dsos_fini(struct spe_dsos *dsos)
{
	for (size_t i = 0; i < dsos->items.count; i++)
		dso_free(dsos->items.items[i]);
	free(dsos->items.items);
	spe_strings_free(dsos->keys);
	spe_strings_free(dsos->names);
}

/* "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" is "[ext4]"; dashes are underscores there. */
static void module_name(const char *base, char *to, size_t room)
{
	size_t n = strcspn(base, ".");

	snprintf(to, room, base[0] == '[' ? "%.*s" : "[%.*s]",
		 base[0] == '[' ? (int)strlen(base) : (int)n, base);
	for (char *c = to; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* What reports call it, as perf's do. */
static void dso_name(uint8_t kind, const char *path, char *to, size_t room)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash && slash[1] ? slash + 1 : path;
	int pid;

	if (kind == SPE_DSO_MODULE)
		module_name(base, to, room);
	else if (kind == SPE_DSO_JIT && sscanf(base, "perf-%d.map", &pid) == 1)
		snprintf(to, room, "[JIT] tid %d", pid);
	else
		snprintf(to, room, "%s", base);
}

static int dso_new(struct spe_dsos *dsos, uint8_t kind, uint32_t id,
		   const struct spe_build_id *build_id, struct spe_dso **made)
{
	char name[SPE_LIMIT_DSO_NAME_BYTES];
	struct spe_dso *dso = calloc(1, sizeof(*dso));
	int status;

	if (!dso)
		return SPE_NOMEM;
	dso->path = spe_strings_get(dsos->keys, id);
	dso->id = id;
	dso->kind = kind;
	if (build_id)
		dso->build_id = *build_id;
	dso_name(kind, dso->path, name, sizeof(name));
	status = spe_strings_add(dsos->names, name, strlen(name), &dso->name_id);
	if (!status)
		status = spe_vec_push(&dsos->items, &dso, SPE_LIMIT_DSOS);
	if (status) {
		free(dso);
		return status;
	}
	*made = dso;
	return SPE_OK;
}

int spe_dsos_get(struct spe_dsos *dsos, uint8_t kind, const char *path,
		 const struct spe_build_id *build_id, struct spe_dso **dso)
{
	char key[SPE_LIMIT_DSO_NAME_BYTES + 2 + SPE_BUILD_ID_BYTES];
	size_t n = strnlen(path, SPE_LIMIT_DSO_NAME_BYTES);
	uint32_t number;
	int status;

	memcpy(key, path, n);
	key[n++] = '\0';
	key[n++] = (char)('0' + kind);
	if (build_id && build_id->n) {
		memcpy(key + n, build_id->bytes, build_id->n);
		n += build_id->n;
	}
	status = spe_strings_add(dsos->keys, key, n, &number);
	if (status)
		return status;
	if (number < dsos->items.count) {
		*dso = dsos->items.items[number];
		return SPE_OK;
	}
	if (number > dsos->items.count) /* an earlier one found no memory */
		return SPE_NOMEM;
	return dso_new(dsos, kind, number, build_id, dso);
}

/* ---- addresses -------------------------------------------------------------- */

static bool holds(const struct spe_segment *segment, uint64_t offset, uint64_t slack)
{
	uint64_t first = segment->offset - segment->offset % slack;
	uint64_t last = segment->offset + segment->file_bytes;

	last += slack - 1 - (last + slack - 1) % slack;
	return offset >= first && offset < last;
}

uint64_t spe_dso_address(const struct spe_dso *dso, uint64_t offset, bool exec)
{
	/* Exactly in a segment of the kind; in any; in a page that one shares. */
	for (unsigned attempt = 0; attempt < 4; attempt++)
		for (size_t i = 0; i < dso->segments.count; i++) {
			const struct spe_segment *s = &dso->segments.items[i];

			if ((attempt % 2 == 0 && s->exec != exec) ||
			    !holds(s, offset, attempt < 2 ? 1 : PAGE_BYTES))
				continue;
			return offset - s->offset + s->address;
		}
	return offset;
}
