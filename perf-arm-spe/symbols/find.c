/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers: from an address to what is known of it. */
#include "demangle.h"
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>

/* Readable names are cut here. */
#define NAME_BYTES 4096u
#define STUB "@plt"

/* ---- names --------------------------------------------------------------------------- */

/* Stubs are named after what they call. */
static bool readable_name(const char *name, char *to, size_t room)
{
	size_t n = strlen(name);
	size_t stub = strlen(STUB);
	char stem[1024];

	if (n <= stub || n - stub >= sizeof(stem) || strcmp(name + n - stub, STUB) != 0)
		return spe_demangle(name, to, room);
	memcpy(stem, name, n - stub);
	stem[n - stub] = '\0';
	if (!spe_demangle(stem, to, room - stub))
		return false;
	memcpy(to + strlen(to), STUB, stub + 1);
	return true;
}

spe_table_readable spe_symbols_readable(const struct spe_symbols *symbols)
{
	return symbols->mangled ? NULL : readable_name;
}

static char *make_name(const struct spe_dso *dso, size_t i)
{
	char text[NAME_BYTES];

	return spe_copy_text(
		readable_name(spe_table_name(&dso->table, i), text, sizeof(text)) ? text : "");
}

int spe_symbols_name(struct spe_symbols *symbols, struct spe_dso *dso, size_t i, const char **name)
{
	char *made;

	*name = spe_table_name(&dso->table, i);
	if (symbols->mangled || (*name)[0] != '_')
		return SPE_OK;
	made = atomic_load_explicit(&dso->readable[i], memory_order_acquire);
	if (!made) {
		pthread_mutex_lock(&symbols->lock);
		made = atomic_load_explicit(&dso->readable[i], memory_order_acquire);
		if (!made) {
			made = make_name(dso, i);
			atomic_store_explicit(&dso->readable[i], made, memory_order_release);
		}
		pthread_mutex_unlock(&symbols->lock);
	}
	if (!made)
		return SPE_NOMEM;
	if (*made)
		*name = made;
	return SPE_OK;
}

/* ---- one address ------------------------------------------------------------------------ */

static void set_unknown(struct spe_symbol *symbol, uint64_t address)
{
	*symbol = (struct spe_symbol){ .id = SPE_SYMBOL_NONE,
				       .dso_id = SPE_DSO_NONE,
				       .dso_name_id = SPE_DSO_NONE,
				       .dso_offset = address,
				       .dso_address = address };
}

static void set_dso(const struct spe_symbols *symbols, const struct spe_dso *dso,
		    struct spe_symbol *symbol)
{
	symbol->dso_id = dso->id;
	symbol->dso_name_id = dso->name_id;
	symbol->kernel = dso->kind >= SPE_DSO_KERNEL;
	symbol->dso = dso->path;
	symbol->dso_name = spe_strings_get(symbols->dsos.names, dso->name_id);
}

/* How far a file was moved in memory, by one of its mappings. */
static uint64_t bias_of(const struct spe_dso *dso, const struct spe_map *map)
{
	return map->start - spe_dso_address(dso, map->pgoff, map->exec);
}

/* Beyond the mapping, in another segment of its file. */
static void set_beyond(const struct spe_dso *dso, const struct spe_map *map, uint64_t address,
		       struct spe_symbol *symbol)
{
	symbol->dso_offset = symbol->dso_address = address - bias_of(dso, map);
	for (size_t i = 0; i < dso->segments.count; i++) {
		const struct spe_segment *s = &dso->segments.items[i];

		if (symbol->dso_address - s->address < s->memory_bytes)
			symbol->dso_offset = symbol->dso_address - s->address + s->offset;
	}
}

/* Both numberings of an address in a mapping. */
static void set_addresses(const struct spe_dso *dso, const struct spe_map *map, uint64_t address,
			  struct spe_symbol *symbol)
{
	if (address < map->start || address >= map->end) {
		set_beyond(dso, map, address, symbol);
		return;
	}
	switch (dso->numbering) {
	case SPE_DSO_BY_FILE:
		symbol->dso_offset = address - map->start + map->pgoff;
		symbol->dso_address = spe_dso_address(dso, symbol->dso_offset, map->exec);
		break;
	case SPE_DSO_BY_MAP:
		symbol->dso_offset = symbol->dso_address = address - map->start;
		break;
	default:
		symbol->dso_offset = address;
		symbol->dso_address = address - dso->slide;
	}
}

static int set_symbol(struct spe_symbols *symbols, struct spe_dso *dso, size_t i,
		      struct spe_symbol *symbol)
{
	symbol->id = (uint64_t)dso->id << 32 | (uint32_t)i;
	symbol->offset = symbol->dso_address - dso->table.symbols.items[i].start;
	return spe_symbols_name(symbols, dso, i, &symbol->name);
}

/* What is at an address of a mapping. SPE_OK, SPE_NOT_FOUND, SPE_NOMEM. */
static int resolve(struct spe_symbols *symbols, const struct spe_map *map, uint64_t address,
		   struct spe_symbol *symbol)
{
	struct spe_dso *dso;
	size_t i;
	int status;

	set_unknown(symbol, address);
	if (!map)
		return SPE_NOT_FOUND;
	dso = symbols->dsos.items.items[map->dso];
	status = spe_dso_need(symbols, dso);
	if (status)
		return status;
	set_dso(symbols, dso, symbol);
	set_addresses(dso, map, address, symbol);
	i = spe_table_find(&dso->table, symbol->dso_address);
	return i == SIZE_MAX ? SPE_NOT_FOUND : set_symbol(symbols, dso, i, symbol);
}

/* Nothing there that has a file: not recorded, or anonymous memory, as .bss is. */
static bool may_be_beyond(const struct spe_symbols *symbols, const struct spe_map *map)
{
	const struct spe_dso *dso = map ? symbols->dsos.items.items[map->dso] : NULL;

	return !dso || (dso->kind == SPE_DSO_MEMORY && strcmp(dso->path, "//anon") == 0);
}

/*
 * Mappings of data are recorded only with `perf record -d`, and never say whose
 * .bss they are.  But where a file's code is tells where its data must be.
 */
static int look_beyond(struct spe_symbols *symbols, const struct spe_symbol_query *query,
		       struct spe_place *place)
{
	const struct spe_map *code;
	struct spe_dso *dso;
	uint64_t bias;
	int status = spe_maps_code_below(symbols->maps, query->pid, query->time_ns, query->address,
					 place, &code);

	if (status || !code)
		return status;
	dso = symbols->dsos.items.items[code->dso];
	status = spe_dso_need(symbols, dso);
	bias = bias_of(dso, code);
	for (size_t i = 0; i < dso->segments.count && !status; i++) {
		const struct spe_segment *s = &dso->segments.items[i];
		uint64_t start = bias + s->address;
		uint64_t end = start + s->memory_bytes;

		if (query->address >= start && query->address < end)
			place->map = code;
		if (start > query->address ? start < place->hi
					   : end > query->address && end < place->hi)
			place->hi = start > query->address ? start : end;
		if (start <= query->address && (end > query->address ? start : end) > place->lo)
			place->lo = end > query->address ? start : end;
	}
	return status;
}

static int find_place(struct spe_symbols *symbols, const struct spe_symbol_query *query,
		      struct spe_place *place)
{
	int32_t pid = query->kernel ? SPE_MAPS_KERNEL : query->pid;
	int status;

	if (!query->kernel && pid < 0) {
		*place = (struct spe_place){ .hi = UINT64_MAX, .to_ns = UINT64_MAX };
		return SPE_OK;
	}
	status = spe_maps_find(symbols->maps, pid, query->has_time, query->time_ns, query->address,
			       place);
	if (!status && query->has_time && !query->kernel && may_be_beyond(symbols, place->map))
		status = look_beyond(symbols, query, place);
	return status;
}

int spe_symbols_find(struct spe_symbols *symbols, const struct spe_symbol_query *query,
		     struct spe_symbol *symbol)
{
	struct spe_place place;
	int status;

	set_unknown(symbol, query->address);
	if (!symbols->frozen)
		return SPE_INVALID;
	status = find_place(symbols, query, &place);
	return status ? status : resolve(symbols, place.map, query->address, symbol);
}

int spe_symbols_by_id(const struct spe_symbols *symbols, uint64_t id, struct spe_symbol *symbol)
{
	size_t number = id >> 32;
	size_t i = (uint32_t)id;
	struct spe_dso *dso;

	set_unknown(symbol, 0);
	if (number >= symbols->dsos.items.count)
		return SPE_NOT_FOUND;
	dso = symbols->dsos.items.items[number];
	if (!atomic_load_explicit(&dso->loaded, memory_order_acquire) ||
	    i >= dso->table.symbols.count)
		return SPE_NOT_FOUND;
	set_dso(symbols, dso, symbol);
	symbol->dso_address = symbol->dso_offset = dso->table.symbols.items[i].start;
	/* The lock and the kept name are no part of what the caller sees as constant. */
	return set_symbol((struct spe_symbols *)symbols, dso, i, symbol);
}

const char *spe_symbols_dso_name(const struct spe_symbols *symbols, uint32_t dso_name_id)
{
	return spe_strings_get(symbols->dsos.names, dso_name_id);
}

/* ---- the cache ---------------------------------------------------------------------------- */

#define PLACES 4096u
#define ANSWERS 4096u

/* A mapping, where and when it holds. */
struct known_place {
	struct spe_place place;
	int32_t pid;
	bool kernel, has_time, set;
};

struct known_answer {
	const struct spe_map *map; /* NULL: nothing kept here */
	uint64_t address;
	int status;
	struct spe_symbol symbol;
};

struct spe_symbol_cache {
	struct spe_symbols *symbols;
	struct spe_symbol unknown; /* of the last address that is mapped nowhere */
	struct known_place places[PLACES];
	struct known_answer answers[ANSWERS];
};

int spe_symbol_cache_new(struct spe_symbols *symbols, struct spe_symbol_cache **cache)
{
	*cache = calloc(1, sizeof(**cache));
	if (!*cache)
		return SPE_NOMEM;
	(*cache)->symbols = symbols;
	return SPE_OK;
}

void spe_symbol_cache_free(struct spe_symbol_cache *cache)
{
	free(cache);
}

/* Fibonacci hashing: the upper bits of a product. */
static size_t slot(uint64_t key, size_t count)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ull >> 32) % count;
}

static bool place_holds(const struct known_place *known, const struct spe_symbol_query *query)
{
	return known->set && known->kernel == query->kernel &&
	       (query->kernel || known->pid == query->pid) && query->address >= known->place.lo &&
	       query->address < known->place.hi && known->has_time == query->has_time &&
	       (!query->has_time ||
		(query->time_ns >= known->place.from_ns && query->time_ns < known->place.to_ns));
}

static int cached_place(struct spe_symbol_cache *cache, const struct spe_symbol_query *query,
			const struct spe_map **map)
{
	int32_t pid = query->kernel ? SPE_MAPS_KERNEL : query->pid;
	uint64_t key = query->address >> 16 ^ (uint64_t)(uint32_t)pid << 40;
	struct known_place *known = &cache->places[slot(key, PLACES)];
	int status = SPE_OK;

	if (!place_holds(known, query)) {
		known->set = false;
		status = find_place(cache->symbols, query, &known->place);
		known->set = !status;
		known->pid = query->pid;
		known->kernel = query->kernel;
		known->has_time = query->has_time;
	}
	*map = known->place.map;
	return status;
}

int spe_symbol_cache_find(struct spe_symbol_cache *cache, const struct spe_symbol_query *query,
			  const struct spe_symbol **symbol)
{
	struct known_answer *known;
	const struct spe_map *map;
	int status;

	*symbol = &cache->unknown;
	set_unknown(&cache->unknown, query->address);
	if (!cache->symbols->frozen)
		return SPE_INVALID;
	status = cached_place(cache, query, &map);
	if (status)
		return status;
	if (!map)
		return SPE_NOT_FOUND;
	known = &cache->answers[slot(query->address ^ (uint64_t)map->sequence << 48, ANSWERS)];
	*symbol = &known->symbol;
	if (known->map == map && known->address == query->address)
		return known->status;
	known->map = NULL;
	known->status = resolve(cache->symbols, map, query->address, &known->symbol);
	known->address = query->address;
	if (known->status == SPE_OK || known->status == SPE_NOT_FOUND)
		known->map = map;
	return known->status;
}
