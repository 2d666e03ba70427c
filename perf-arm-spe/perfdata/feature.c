/* SPDX-License-Identifier: GPL-2.0-only */
/* Feature sections: the table in the file, and the bodies whose contents we use. */
#include "reader.h"

#include "../base/cursor.h"
#include "bytes.h"

#include <stdio.h>

/* A damaged feature costs what it would have told, never the recording. */
static void feature_warn(struct spe_perfdata *pd, unsigned feature, const char *what)
{
	pd->info.sections_left_out++;
	spe_log(&pd->listener, SPE_LOG_WARNING, "%.160s: header section %u %s: left out",
		pd->info.path, feature, what);
}

const char *spe_feature_string(struct spe_perfdata *pd, struct spe_cursor *c)
{
	uint32_t n = spe_cursor_u32(c);
	const uint8_t *text = spe_cursor_take(c, n);

	if (!text || n > SPE_LIMIT_STRING_BYTES) {
		c->failed = true;
		return NULL;
	}
	return spe_arena_string(&pd->arena, text, strnlen((const char *)text, n));
}

/* ---- one function per body ----------------------------------------------- */

static bool take_cpus(struct spe_perfdata *pd, struct spe_cursor *c)
{
	pd->info.cpus_available = spe_cursor_u32(c);
	pd->info.cpus_online = spe_cursor_u32(c);
	return !c->failed;
}

/* n strings, shown with a space between them. */
static bool take_cmdline(struct spe_perfdata *pd, struct spe_cursor *c)
{
	uint32_t count = spe_cursor_u32(c);
	size_t room = spe_cursor_left(c), used = 0;
	char *line;

	if (c->failed || room > SPE_LIMIT_FEATURE_BYTES)
		return false;
	line = spe_arena_alloc(&pd->arena, room + 1);
	if (!line)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t n = spe_cursor_u32(c);
		const uint8_t *text = spe_cursor_take(c, n);

		if (!text)
			return false;
		n = (uint32_t)strnlen((const char *)text, n);
		if (i)
			line[used++] = ' '; /* its length word made room */
		memcpy(line + used, text, n);
		used += n;
	}
	pd->info.cmdline = line;
	return true;
}

static bool take_event_desc(struct spe_perfdata *pd, struct spe_cursor *c)
{
	uint32_t count = spe_cursor_u32(c), attr_bytes = spe_cursor_u32(c);

	for (uint32_t i = 0; i < count && !c->failed; i++) {
		const uint8_t *first_id;
		const char *name;
		int32_t index = -1;
		uint32_t ids;

		spe_cursor_take(c, attr_bytes);
		ids = spe_cursor_u32(c);
		name = spe_feature_string(pd, c);
		first_id = spe_cursor_take(c, (size_t)ids * 8);
		if (c->failed || !name)
			return false;
		if (ids) {
			uint64_t id = spe_get64(first_id);

			index = spe_attrs_find(&pd->attrs, pd->swap ? __builtin_bswap64(id) : id);
		}
		if (index < 0 && i < pd->attrs.list.count)
			index = (int32_t)i; /* by position, as perf does */
		if (index >= 0 && *name)
			pd->attrs.list.items[index]->pub.name = name;
	}
	return !c->failed;
}

static bool take_pmus(struct spe_perfdata *pd, struct spe_cursor *c)
{
	uint32_t count = spe_cursor_u32(c);

	for (uint32_t i = 0; i < count && !c->failed; i++) {
		struct spe_pmu pmu = { .type = spe_cursor_u32(c) };
		int status;

		pmu.name = spe_feature_string(pd, c);
		status = pmu.name ? spe_vec_push(&pd->pmus, &pmu, SPE_LIMIT_ATTRS) : SPE_CORRUPT;
		if (status == SPE_NOMEM)
			pd->arena.failed = true;
		if (status)
			return false;
	}
	for (size_t i = 0; i < pd->attrs.list.count; i++) {
		struct spe_perf_attr *attr = &pd->attrs.list.items[i]->pub;
		const char *pmu = spe_perfdata_pmu_name(pd, attr->type);
		char name[128];

		if (*attr->name || !pmu)
			continue;
		snprintf(name, sizeof(name), "%.120s//", pmu);
		attr->name = spe_arena_string(&pd->arena, name, strlen(name));
		if (!attr->name) {
			attr->name = "";
			return false;
		}
	}
	return !c->failed;
}

static bool take_sample_time(struct spe_perfdata *pd, struct spe_cursor *c)
{
	pd->info.first_sample_ns = spe_cursor_u64(c);
	pd->info.last_sample_ns = spe_cursor_u64(c);
	return !c->failed;
}

static bool take_compressed(struct spe_perfdata *pd, struct spe_cursor *c)
{
	spe_cursor_take(c, 16); /* version, type, level, ratio */
	pd->compressed_len = spe_cursor_u32(c);
	pd->info.compressed = true;
	return !c->failed;
}

static bool take_clock_data(struct spe_perfdata *pd, struct spe_cursor *c)
{
	spe_cursor_u32(c); /* version */
	pd->info.clock_data_clockid = spe_cursor_u32(c);
	pd->info.clock_data_wall_ns = spe_cursor_u64(c);
	pd->info.clock_data_clock_ns = spe_cursor_u64(c);
	pd->info.has_clock_data = !c->failed;
	return !c->failed;
}

static const struct {
	unsigned feature;
	bool (*take)(struct spe_perfdata *pd, struct spe_cursor *c);
} bodies[] = {
	{ SPE_FEAT_NRCPUS, take_cpus },
	{ SPE_FEAT_CMDLINE, take_cmdline },
	{ SPE_FEAT_EVENT_DESC, take_event_desc },
	{ SPE_FEAT_PMU_MAPPINGS, take_pmus },
	{ SPE_FEAT_SAMPLE_TIME, take_sample_time },
	{ SPE_FEAT_COMPRESSED, take_compressed },
	{ SPE_FEAT_CLOCK_DATA, take_clock_data },
};

/* Bodies that are one string, and where it goes. */
static const struct {
	unsigned feature;
	size_t to;
} strings[] = {
	{ SPE_FEAT_HOSTNAME, offsetof(struct spe_perfdata_info, hostname) },
	{ SPE_FEAT_OSRELEASE, offsetof(struct spe_perfdata_info, osrelease) },
	{ SPE_FEAT_VERSION, offsetof(struct spe_perfdata_info, version) },
	{ SPE_FEAT_ARCH, offsetof(struct spe_perfdata_info, arch) },
	{ SPE_FEAT_CPUDESC, offsetof(struct spe_perfdata_info, cpudesc) },
	{ SPE_FEAT_CPUID, offsetof(struct spe_perfdata_info, cpuid) },
};

/* ---- entry points -------------------------------------------------------- */

void spe_feature_set(struct spe_perfdata *pd, unsigned feature, const uint8_t *bytes, size_t n)
{
	struct spe_cursor c = spe_cursor_over(bytes, n, pd->swap);
	bool good = true;

	pd->features[feature] = (struct spe_feature_body){ bytes, n, true };
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		if (bodies[i].feature == feature)
			good = bodies[i].take(pd, &c);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		const char *text;

		if (strings[i].feature != feature)
			continue;
		text = spe_feature_string(pd, &c);
		good = text != NULL;
		if (good)
			memcpy((char *)&pd->info + strings[i].to, &text, sizeof(text));
	}
	/* Lack of memory is not the file's fault: whoever opened it is told. */
	if (!good && !pd->arena.failed)
		feature_warn(pd, feature, "is damaged");
}

void spe_feature_table_read(struct spe_perfdata *pd, const uint64_t bitmap[4], uint64_t table_at)
{
	const struct spe_stream *s = &pd->streams.items[0];
	struct spe_cursor c;

	if (table_at > s->map_bytes) { /* the file is cut: spe_perfdata_next() will say so */
		pd->info.sections_left_out++;
		return;
	}
	c = spe_cursor_over(s->map, s->map_bytes, pd->swap);
	c.pos = table_at;
	for (unsigned f = 0; f < SPE_FEAT_MAX; f++) {
		uint64_t offset, size;

		if (!(bitmap[f / 64] >> f % 64 & 1))
			continue;
		offset = spe_cursor_u64(&c);
		size = spe_cursor_u64(&c);
		if (c.failed || offset > s->map_bytes || size > s->map_bytes - offset ||
		    size > SPE_LIMIT_FEATURE_BYTES) {
			feature_warn(pd, f, "lies outside the file");
			continue;
		}
		spe_feature_set(pd, f, s->map + offset, size);
	}
}

int spe_perfdata_feature(const struct spe_perfdata *pd, unsigned feature, const uint8_t **bytes,
			 size_t *n)
{
	if (feature >= SPE_FEAT_MAX || !pd->features[feature].present)
		return SPE_NOT_FOUND;
	*bytes = pd->features[feature].bytes;
	*n = pd->features[feature].n;
	return SPE_OK;
}

const char *spe_perfdata_pmu_name(const struct spe_perfdata *pd, uint32_t type)
{
	for (size_t i = 0; i < pd->pmus.count; i++)
		if (pd->pmus.items[i].type == type)
			return pd->pmus.items[i].name;
	return NULL;
}
