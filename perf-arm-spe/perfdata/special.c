/* SPDX-License-Identifier: GPL-2.0-only */
/* Byte order of records whose layout depends on what they say. */
#include "bytes.h"
#include "record.h"

enum cpu_map_kind { CPU_MAP_LIST = 0, CPU_MAP_MASK = 1, CPU_MAP_RANGE = 2 };
enum event_update_kind {
	EVENT_UPDATE_UNIT = 0,
	EVENT_UPDATE_SCALE = 1,
	EVENT_UPDATE_NAME = 2,
	EVENT_UPDATE_CPUS = 3,
};

/* A 16-bit value before or after it is swapped: what it means either way. */
static uint16_t take16(uint8_t *at, bool to_host)
{
	uint16_t before = spe_get16(at);

	spe_swap16(at);
	return to_host ? spe_get16(at) : before;
}

static void swap16s(uint8_t *at, size_t n)
{
	for (; n >= 2; at += 2, n -= 2)
		spe_swap16(at);
}

/* u16 kind, then: u16 n, u16 cpus[n] | u16 n, u16 word bytes, words | u8, u8, u16, u16. */
static void cpu_map_swap(uint8_t *raw, size_t at, size_t n, bool to_host)
{
	uint16_t kind, word_bytes;

	if (at + 6 > n)
		return;
	kind = take16(raw + at, to_host);
	if (kind == CPU_MAP_RANGE) {
		swap16s(raw + at + 4, n - at - 4 < 4 ? n - at - 4 : 4);
		return;
	}
	spe_swap16(raw + at + 2);
	if (kind == CPU_MAP_LIST)
		swap16s(raw + at + 4, n - at - 4);
	if (kind != CPU_MAP_MASK)
		return;
	word_bytes = take16(raw + at + 4, to_host);
	if (word_bytes == 8 && at + 10 <= n)
		spe_swap64s(raw + at + 10, n - at - 10);
	else if (word_bytes == 4)
		spe_swap32s(raw + at + 6, n - at - 6);
}

/* The kind of EVENT_UPDATE is swapped with the other fields, after this. */
static void event_update_swap(uint8_t *raw, size_t n, bool to_host)
{
	uint64_t kind = spe_get64(raw + 8);

	if (to_host)
		kind = __builtin_bswap64(kind);
	if (kind == EVENT_UPDATE_SCALE && n >= 32)
		spe_swap64(raw + 24);
	else if (kind == EVENT_UPDATE_CPUS)
		cpu_map_swap(raw, 24, n, to_host);
}

static void header_attr_swap(uint8_t *raw, size_t n, bool to_host)
{
	uint32_t bytes = spe_get32(raw + 12);

	if (to_host)
		bytes = __builtin_bswap32(bytes);
	if (!bytes)
		bytes = SPE_ATTR_SIZE_MIN;
	if (bytes > n - 8)
		bytes = (uint32_t)(n - 8);
	spe_attr_swap(raw + 8, bytes);
	spe_swap64s(raw + 8 + bytes, n - 8 - bytes);
}

/* After the instruction pointer: [time], a message of 64 bytes, [machine pid, vcpu]. */
static void auxtrace_error_swap(uint8_t *raw, size_t n, bool to_host)
{
	uint32_t format = spe_get32(raw + 28);

	if (to_host)
		format = __builtin_bswap32(format);
	if (format >= 1 && n >= 48)
		spe_swap64(raw + 40);
	if (format >= 2 && n >= 120)
		spe_swap32s(raw + 112, 8);
}

static void stat_swap(uint8_t *raw, size_t n)
{
	spe_swap64(raw + 8);
	spe_swap32s(raw + 16, 8);
	spe_swap64s(raw + 24, n - 24);
}

void spe_special_swap(uint32_t type, uint8_t *raw, size_t n, bool to_host)
{
	if (n < spe_shape_of(type, 0)->min_bytes)
		return;
	if (type == SPE_PERF_HEADER_ATTR)
		header_attr_swap(raw, n, to_host);
	else if (type == SPE_PERF_CPU_MAP)
		cpu_map_swap(raw, 8, n, to_host);
	else if (type == SPE_PERF_EVENT_UPDATE)
		event_update_swap(raw, n, to_host);
	else if (type == SPE_PERF_AUXTRACE_ERROR)
		auxtrace_error_swap(raw, n, to_host);
	else if (type == SPE_PERF_STAT)
		stat_swap(raw, n);
}
