/* SPDX-License-Identifier: GPL-2.0-only */
#include "attrs.h"

#include "bytes.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>
#include <sys/auxv.h>

#define FLAGS_AT 40u

void spe_attrs_init(struct spe_attrs *attrs, struct spe_arena *arena)
{
	const uint8_t *random = (const uint8_t *)(uintptr_t)getauxval(AT_RANDOM);

	*attrs = (struct spe_attrs){ .arena = arena, .alike = true };
	/* Odd and not guessable: nobody can write a file whose ids all collide. */
	attrs->seed = (random ? spe_get64(random) : 0x9e3779b97f4a7c15u) | 1;
}

void spe_attrs_fini(struct spe_attrs *attrs)
{
	free(attrs->list.items);
	free(attrs->slots);
	*attrs = (struct spe_attrs){ 0 };
}

/* ---- ids ----------------------------------------------------------------- */

static size_t slot_of(const struct spe_attrs *attrs, uint64_t id)
{
	size_t mask = attrs->slot_count - 1;
	size_t at = (size_t)((id * attrs->seed) >> 32) & mask;

	while (attrs->slots[at].id && attrs->slots[at].id != id)
		at = (at + 1) & mask;
	return at;
}

int32_t spe_attrs_find(const struct spe_attrs *attrs, uint64_t id)
{
	size_t at;

	if (!id || !attrs->slot_count)
		return -1;
	at = slot_of(attrs, id);
	return attrs->slots[at].id ? (int32_t)attrs->slots[at].index : -1;
}

static int slots_grow(struct spe_attrs *attrs, size_t ids)
{
	struct spe_attrs grown = *attrs;

	if (ids > SPE_LIMIT_IDS)
		return SPE_LIMIT;
	if (ids <= attrs->slot_count / 2)
		return SPE_OK;
	grown.slot_count = attrs->slot_count ? attrs->slot_count : 64;
	while (grown.slot_count / 2 < ids)
		grown.slot_count *= 2;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots)
		return SPE_NOMEM;
	for (size_t i = 0; i < attrs->slot_count; i++)
		if (attrs->slots[i].id)
			grown.slots[slot_of(&grown, attrs->slots[i].id)] = attrs->slots[i];
	free(attrs->slots);
	*attrs = grown;
	return SPE_OK;
}

static int ids_add(struct spe_attrs *attrs, struct spe_attr *attr, const uint8_t *ids,
		   size_t id_count, bool swap)
{
	uint32_t index = (uint32_t)attrs->list.count;
	uint64_t *copy;
	int status;

	if (id_count > SPE_LIMIT_IDS_PER_ATTR)
		return SPE_LIMIT;
	status = slots_grow(attrs, attrs->id_count + id_count);
	if (status)
		return status;
	copy = spe_arena_alloc(attrs->arena, id_count * sizeof(*copy));
	if (!copy)
		return SPE_NOMEM;
	if (id_count)
		memcpy(copy, ids, id_count * sizeof(*copy));
	for (size_t i = 0; i < id_count; i++) {
		size_t at;

		if (swap)
			copy[i] = __builtin_bswap64(copy[i]);
		if (!copy[i])
			continue; /* an id of zero names nobody */
		at = slot_of(attrs, copy[i]);
		if (!attrs->slots[at].id) {
			attrs->slots[at] = (struct spe_attr_id){ copy[i], index };
			attrs->id_count++;
		}
	}
	attr->pub.ids = copy;
	attr->pub.id_count = id_count;
	return SPE_OK;
}

/* ---- the attr itself ----------------------------------------------------- */

static uint8_t byte_mirror(uint8_t b)
{
	uint8_t m = 0;

	for (int i = 0; i < 8; i++)
		if (b & 1u << i)
			m |= (uint8_t)(0x80u >> i);
	return m;
}

uint64_t spe_attr_flags_get(const uint8_t *bytes, bool big_endian)
{
	uint64_t flags = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint8_t b = bytes[FLAGS_AT + i];

		/* Compilers fill bit fields from the top on big-endian machines. */
		flags |= (uint64_t)(big_endian ? byte_mirror(b) : b) << (8 * i);
	}
	return flags;
}

void spe_attr_flags_put(uint8_t *bytes, uint64_t flags, bool big_endian)
{
	for (unsigned i = 0; i < 8; i++) {
		uint8_t b = (uint8_t)(flags >> (8 * i));

		bytes[FLAGS_AT + i] = big_endian ? byte_mirror(b) : b;
	}
}

/* Offsets of what is not a 64-bit word. */
static const uint8_t words32[] = { 0, 4, 48, 52, 88, 92, 104, 112, 116 };
static const uint8_t words16[] = { 108, 110 };

void spe_attr_swap(uint8_t *bytes, size_t n)
{
	uint8_t flags[8];
	size_t words = n & ~(size_t)7;

	if (words < SPE_ATTR_SIZE_MIN)
		return;
	for (unsigned i = 0; i < 8; i++)
		flags[i] = byte_mirror(bytes[FLAGS_AT + i]);
	for (size_t i = 0; i < sizeof(words32); i++)
		if (words32[i] + 4u <= words)
			spe_swap32(bytes + words32[i]);
	for (size_t i = 0; i < sizeof(words16); i++)
		if (words16[i] + 2u <= words)
			spe_swap16(bytes + words16[i]);
	for (size_t at = 8; at + 8 <= words; at += 8)
		if (at != 48 && at != 88 && at != 104 && at != 112)
			spe_swap64(bytes + at);
	memcpy(bytes + FLAGS_AT, flags, sizeof(flags));
}

static uint64_t attr_word(const struct spe_perf_attr *a, size_t at)
{
	return at + 8 <= a->raw_bytes ? spe_get64(a->raw + at) : 0;
}

static void attr_fields(struct spe_attr *attr, const uint8_t *raw, size_t n)
{
	struct spe_perf_attr *a = &attr->pub;

	a->raw = raw;
	a->raw_bytes = n;
	a->name = "";
	a->type = spe_get32(raw);
	a->attr_size = spe_get32(raw + 4);
	a->config = attr_word(a, 8);
	a->sample_period = attr_word(a, 16);
	a->sample_type = attr_word(a, 24);
	a->read_format = attr_word(a, 32);
	a->flags = spe_attr_flags_get(raw, spe_host_big_endian());
	a->config1 = attr_word(a, 56);
	a->config2 = attr_word(a, 64);
	a->branch_sample_type = attr_word(a, 72);
	attr->regs_user = attr_word(a, 80);
	a->clockid = n >= 96 ? (int32_t)spe_get32(raw + 92) : 0;
	attr->regs_intr = attr_word(a, 96);
	a->config3 = attr_word(a, 128);
	a->config4 = attr_word(a, 136);
}

static void attr_layout(struct spe_attr *attr)
{
	uint64_t st = attr->pub.sample_type;

	attr->id_all = attr->pub.flags >> SPE_ATTR_SAMPLE_ID_ALL & 1;
	attr->trailer_bytes = 0;
	if (attr->id_all)
		attr->trailer_bytes = (uint8_t)(8 * __builtin_popcountll(st & SPE_TRAILER_BITS));
	attr->sample_id = -1;
	attr->trailer_id = 0;
	if (st & SPE_SAMPLE_IDENTIFIER) {
		attr->sample_id = 0;
		attr->trailer_id = 8;
	} else if (st & SPE_SAMPLE_ID) {
		uint64_t before =
			SPE_SAMPLE_IP | SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_ADDR;
		uint64_t after = SPE_SAMPLE_STREAM_ID | SPE_SAMPLE_CPU;

		attr->sample_id = (int16_t)(8 * __builtin_popcountll(st & before));
		attr->trailer_id = (uint8_t)(8 + 8 * __builtin_popcountll(st & after));
	}
	if (!attr->id_all)
		attr->trailer_id = 0;
}

int spe_attrs_add(struct spe_attrs *attrs, const uint8_t *bytes, size_t n, bool big_endian,
		  const uint8_t *ids, size_t id_count)
{
	struct spe_attr *attr;
	bool swap = big_endian != spe_host_big_endian();
	uint8_t *raw;
	int status;

	if (n < SPE_ATTR_SIZE_MIN)
		return SPE_CORRUPT;
	if (n > SPE_LIMIT_ATTR_BYTES || attrs->list.count >= SPE_LIMIT_ATTRS)
		return SPE_LIMIT;
	attr = spe_arena_alloc(attrs->arena, sizeof(*attr));
	raw = spe_arena_alloc(attrs->arena, n);
	if (!attr || !raw)
		return SPE_NOMEM;
	memcpy(raw, bytes, n);
	if (swap)
		spe_attr_swap(raw, n);
	attr_fields(attr, raw, n);
	attr_layout(attr);
	status = spe_vec_reserve(&attrs->list, attrs->list.count + 1, SPE_LIMIT_ATTRS);
	if (!status)
		status = ids_add(attrs, attr, ids, id_count, swap);
	if (status)
		return status;
	attrs->list.items[attrs->list.count++] = attr;
	if (attr->pub.sample_type != attrs->list.items[0]->pub.sample_type ||
	    attr->id_all != attrs->list.items[0]->id_all)
		attrs->alike = false;
	return SPE_OK;
}

/* ---- which event a record belongs to ------------------------------------- */

/* The id word of a record, found as the first event has it: all must agree on the place. */
static bool record_id(const struct spe_attr *first, uint32_t type, const uint8_t *raw, size_t n,
		      bool swap, uint64_t *id)
{
	size_t at;

	if (type == SPE_PERF_SAMPLE) {
		if (first->sample_id < 0)
			return false;
		at = 8 + (size_t)first->sample_id;
	} else {
		if (!first->trailer_id || n < 8u + first->trailer_id)
			return false;
		at = n - first->trailer_id;
	}
	if (at + 8 > n)
		return false;
	*id = spe_get64(raw + at);
	if (swap)
		*id = __builtin_bswap64(*id);
	return true;
}

int32_t spe_attrs_of_record(const struct spe_attrs *attrs, uint32_t type, const uint8_t *raw,
			    size_t n, bool swap, const struct spe_attr **layout)
{
	const struct spe_attr *first;
	uint64_t id;
	int32_t index;

	*layout = NULL;
	if (!attrs->list.count || type >= SPE_PERF_HEADER_ATTR)
		return -1;
	first = attrs->list.items[0];
	*layout = first;
	if (attrs->list.count == 1)
		return 0;
	if (!record_id(first, type, raw, n, swap, &id)) {
		if (!attrs->alike)
			*layout = NULL;
		return -1;
	}
	if (!id) /* what perf itself wrote: counted for the first event, as perf does */
		return 0;
	index = spe_attrs_find(attrs, id);
	if (index >= 0)
		*layout = attrs->list.items[index];
	else if (!attrs->alike)
		*layout = NULL;
	return index;
}
