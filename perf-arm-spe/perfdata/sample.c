/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SAMPLE records: one walk over the items that sample_type names, in the order
 * of the kernel's perf_event.h, used both to read and to swap byte order.
 */
#include "bytes.h"
#include "record.h"

#define SAMPLE_BRANCH_HW_INDEX (UINT64_C(1) << 17) /* of branch_sample_type */
#define SAMPLE_BRANCH_COUNTERS (UINT64_C(1) << 19)

enum read_bit {
	READ_TOTAL_TIME_ENABLED = 1,
	READ_TOTAL_TIME_RUNNING = 2,
	READ_ID = 4,
	READ_GROUP = 8,
	READ_LOST = 16,
};

enum swap_way { SWAP_NONE, SWAP_TO_HOST, SWAP_TO_FILE };

struct walk {
	const struct spe_attr *layout;
	uint8_t *raw; /* written to only when way is not SWAP_NONE */
	size_t n, pos;
	enum swap_way way;
	bool failed;
	struct spe_perf_event *event; /* NULL while swapping */
};

static bool walk_has(struct walk *w, uint64_t bytes)
{
	if (w->failed || bytes > w->n - w->pos)
		w->failed = true;
	return !w->failed;
}

static uint64_t walk_word(struct walk *w)
{
	uint8_t *at = w->raw + w->pos;
	uint64_t v;

	if (!walk_has(w, 8))
		return 0;
	w->pos += 8;
	if (w->way == SWAP_TO_HOST)
		spe_swap64(at);
	v = spe_get64(at);
	if (w->way == SWAP_TO_FILE)
		spe_swap64(at);
	return v;
}

static uint32_t walk_half(struct walk *w)
{
	uint8_t *at = w->raw + w->pos;
	uint32_t v;

	if (!walk_has(w, 4))
		return 0;
	w->pos += 4;
	if (w->way == SWAP_TO_HOST)
		spe_swap32(at);
	v = spe_get32(at);
	if (w->way == SWAP_TO_FILE)
		spe_swap32(at);
	return v;
}

static void walk_words(struct walk *w, uint64_t count)
{
	if (count > (w->n - w->pos) / 8)
		w->failed = true;
	if (w->failed)
		return;
	if (w->way != SWAP_NONE)
		spe_swap64s(w->raw + w->pos, count * 8);
	w->pos += count * 8;
}

/* Bytes that are nobody's words. */
static const uint8_t *walk_bytes(struct walk *w, uint64_t bytes)
{
	const uint8_t *at = w->raw + w->pos;

	if (!walk_has(w, bytes))
		return NULL;
	w->pos += bytes;
	return at;
}

static void walk_read_values(struct walk *w, uint64_t format)
{
	unsigned totals =
		!!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING);
	unsigned each = 1 + !!(format & READ_ID) + !!(format & READ_LOST);
	uint64_t count;

	if (!(format & READ_GROUP)) {
		walk_words(w, totals + each);
		return;
	}
	count = walk_word(w);
	walk_words(w, totals);
	if (count > w->n)
		w->failed = true;
	walk_words(w, count * each);
}

/* ---- one function per item ----------------------------------------------- */

typedef void (*item_fn)(struct walk *w);

static void item_identifier(struct walk *w)
{
	uint64_t id = walk_word(w);

	if (w->event) {
		w->event->id.id = id;
		w->event->id.present |= SPE_SAMPLE_ID;
	}
}

static void item_ip(struct walk *w)
{
	uint64_t ip = walk_word(w);

	if (w->event)
		w->event->u.sample.ip = ip;
}

static void item_tid(struct walk *w)
{
	uint32_t pid = walk_half(w), tid = walk_half(w);

	if (w->event) {
		w->event->id.pid = (int32_t)pid;
		w->event->id.tid = (int32_t)tid;
		w->event->id.present |= SPE_SAMPLE_TID;
	}
}

static void item_time(struct walk *w)
{
	uint64_t time_ns = walk_word(w);

	if (w->event) {
		w->event->id.time_ns = time_ns;
		w->event->id.present |= SPE_SAMPLE_TIME;
	}
}

static void item_addr(struct walk *w)
{
	uint64_t addr = walk_word(w);

	if (w->event)
		w->event->u.sample.addr = addr;
}

static void item_stream_id(struct walk *w)
{
	uint64_t id = walk_word(w);

	if (w->event) {
		w->event->id.stream_id = id;
		w->event->id.present |= SPE_SAMPLE_STREAM_ID;
	}
}

static void item_cpu(struct walk *w)
{
	uint32_t cpu = walk_half(w);

	walk_half(w);
	if (w->event) {
		w->event->id.cpu = cpu;
		w->event->id.present |= SPE_SAMPLE_CPU;
	}
}

static void item_period(struct walk *w)
{
	uint64_t period = walk_word(w);

	if (w->event)
		w->event->u.sample.period = period;
}

static void item_read(struct walk *w)
{
	walk_read_values(w, w->layout->pub.read_format);
}

static void item_callchain(struct walk *w)
{
	walk_words(w, walk_word(w));
}

static void item_raw(struct walk *w)
{
	uint32_t bytes = walk_half(w);
	const uint8_t *data = walk_bytes(w, bytes);

	if (w->event && data) {
		w->event->u.sample.raw_data = data;
		w->event->u.sample.raw_bytes = bytes;
	}
}

static void item_branch_stack(struct walk *w)
{
	uint64_t count = walk_word(w);
	uint64_t kind = w->layout->pub.branch_sample_type;

	if (kind & SAMPLE_BRANCH_HW_INDEX)
		walk_word(w);
	if (count > w->n)
		w->failed = true;
	walk_words(w, count * 3);
	if (kind & SAMPLE_BRANCH_COUNTERS)
		walk_words(w, count);
}

static void walk_regs(struct walk *w, uint64_t mask)
{
	if (walk_word(w)) /* the ABI; 0: no registers */
		walk_words(w, (uint64_t)__builtin_popcountll(mask));
}

static void item_regs_user(struct walk *w)
{
	walk_regs(w, w->layout->regs_user);
}

static void item_regs_intr(struct walk *w)
{
	walk_regs(w, w->layout->regs_intr);
}

static void item_stack_user(struct walk *w)
{
	uint64_t bytes = walk_word(w);

	if (!bytes)
		return;
	walk_bytes(w, bytes);
	walk_word(w); /* how much of it was used */
}

static void item_weight(struct walk *w)
{
	uint64_t weight = walk_word(w);

	if (w->event)
		w->event->u.sample.weight = weight;
}

static void item_data_src(struct walk *w)
{
	uint64_t data_src = walk_word(w);

	if (w->event)
		w->event->u.sample.data_src = data_src;
}

static void item_phys_addr(struct walk *w)
{
	uint64_t phys_addr = walk_word(w);

	if (w->event)
		w->event->u.sample.phys_addr = phys_addr;
}

static void item_other(struct walk *w)
{
	walk_word(w);
}

static void item_aux(struct walk *w)
{
	walk_bytes(w, walk_word(w));
}

/* In the order they are written, which is not that of the bits. */
static const struct {
	uint8_t bit;
	item_fn take;
} items[] = {
	{ 16, item_identifier },   { 0, item_ip },
	{ 1, item_tid },           { 2, item_time },
	{ 3, item_addr },          { 6, item_identifier }, /* the id again */
	{ 9, item_stream_id },     { 7, item_cpu },
	{ 8, item_period },        { 4, item_read },
	{ 5, item_callchain },     { 10, item_raw },
	{ 11, item_branch_stack }, { 12, item_regs_user },
	{ 13, item_stack_user },   { 14, item_weight },
	{ 24, item_weight },                           /* in three parts */
	{ 15, item_data_src },     { 17, item_other }, /* transaction */
	{ 18, item_regs_intr },    { 19, item_phys_addr },
	{ 21, item_other }, /* cgroup */
	{ 22, item_other }, /* size of the data's page */
	{ 23, item_other }, /* size of the code's page */
	{ 20, item_aux },
};

static bool sample_walk(struct walk *w)
{
	uint64_t left = w->layout->pub.sample_type;

	for (size_t i = 0; left && i < sizeof(items) / sizeof(items[0]) && !w->failed; i++) {
		if (!(left >> items[i].bit & 1))
			continue;
		items[i].take(w);
		left &= ~(UINT64_C(1) << items[i].bit);
	}
	return !w->failed;
}

bool spe_sample_decode(const struct spe_attr *layout, const uint8_t *raw, size_t n,
		       struct spe_perf_event *event)
{
	struct walk w = {
		.layout = layout,
		.raw = (uint8_t *)(uintptr_t)raw,
		.n = n,
		.pos = SPE_RECORD_HEADER_BYTES,
		.event = event,
	};

	return sample_walk(&w);
}

void spe_sample_swap(const struct spe_attr *layout, uint8_t *raw, size_t n, bool to_host)
{
	struct walk w = {
		.layout = layout,
		.raw = raw,
		.n = n,
		.pos = SPE_RECORD_HEADER_BYTES,
		.way = to_host ? SWAP_TO_HOST : SWAP_TO_FILE,
	};

	sample_walk(&w);
}
