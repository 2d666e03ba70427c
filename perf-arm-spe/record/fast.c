/* SPDX-License-Identifier: GPL-2.0-only */
#include "fast.h"

#include <endian.h>
#include <string.h>

#include "address.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Far enough for memory to answer, near enough to stay in the first cache. */
#define PREFETCH_BYTES 4096

/* A run may leave a record and what must be readable behind it. */
#define TAIL_BYTES (2 * SPE_SHAPE_BYTES)

#define ALWAYS static inline __attribute__((always_inline))

/*
 * One run of a loop, over records that end at `stop` or before.  As many bytes
 * as the longest shape has may be read from there, whatever they are.
 */
struct fast {
	struct spe_shapes *shapes;
	const uint8_t *at, *stop;
	uint64_t aux_offset; /* of *at, when the run begins */
	char *to, *to_end;
	size_t stride_bytes;
	const struct spe_shape *last; /* of the last record */
	uint64_t padding_bytes;
	uint64_t unknown_packets;
	uint32_t want;
};

ALWAYS uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

ALWAYS uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

ALWAYS uint16_t load16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

ALWAYS void fast_prefetch(const uint8_t *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + PREFETCH_BYTES));
}

/*
 * How far to the next record.  Where all shapes are of one length the step is
 * that constant, kept from the compiler's sight, so that the next record need
 * not wait until the shape of this one is known.
 */
ALWAYS size_t fast_step(const struct spe_shape_guess *guess, uint32_t fixed)
{
	if (fixed) {
		__asm__("" : "+r"(fixed));
		return fixed;
	}
	return guess->step_bytes;
}

ALWAYS const struct spe_shape *fast_shape(const struct spe_shapes *s,
					  const struct spe_shape_guess *guess)
{
	return (const struct spe_shape *)((const char *)s->list + guess->offset);
}

/* Zeros between records. */
static __attribute__((noinline)) const uint8_t *skip_padding(struct fast *f, const uint8_t *p)
{
	size_t bytes = 0, left = (size_t)(f->stop - p);
	uint64_t word;

	do {
		word = le64toh(load64(p + bytes));
		bytes += word ? (unsigned)__builtin_ctzll(word) / 8 : sizeof(word);
	} while (!word && bytes < left);
	bytes = bytes < left ? bytes : left;
	f->padding_bytes += bytes;
	return p + bytes;
}

/* Records that are not as most: by the general decoder. */
static __attribute__((noinline, cold)) void extract_slowly(const struct spe_shape *shape,
							   const uint8_t *p, struct spe_record *to,
							   uint64_t aux_offset, uint32_t want)
{
	struct spe_parse_rules rules = { .limit = SPE_SHAPE_BYTES };
	struct spe_parsed parsed;

	if (spe_record_parse(p, shape->fixed.length_bytes, aux_offset, &rules, &parsed) ==
	    SPE_PARSE_RECORD) {
		spe_record_restrict(&parsed.record, want);
		*to = parsed.record;
	}
}

/* Bits of an address' top byte that no exception level or security state has: such a top byte
 * may be no such thing at all, as early models wrote it. */
#define ODD_ADDRESS UINT64_C(0x0f00000000000000)

/* By the four bits NS, EL, NSE of an address. */
static const uint8_t levels[16] = { 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3 };

/* The same with the security state, as they stand in a record. */
static const uint8_t levels_and_securities[16][2] = {
	{ 0, 0 }, { 0, 2 }, { 1, 0 }, { 1, 2 }, { 2, 0 }, { 2, 2 }, { 3, 0 }, { 3, 2 },
	{ 0, 1 }, { 0, 3 }, { 1, 1 }, { 1, 3 }, { 2, 1 }, { 2, 3 }, { 3, 1 }, { 3, 3 },
};
_Static_assert(offsetof(struct spe_record, security) == offsetof(struct spe_record, el) + 1,
	       "the two are neighbours");

ALWAYS void put_level(struct spe_record *to, unsigned bits)
{
	memcpy((uint8_t *)to + offsetof(struct spe_record, el), levels_and_securities[bits], 2);
}

/* A record of what a survey looks at: loads of whole fields, on any machine. */
ALWAYS void extract_survey(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			   uint64_t aux_offset, uint32_t want)
{
	const struct spe_shape_survey *survey = &s->survey;
	unsigned top = load16(p + survey->top_at) & survey->top_mask;

	if (__builtin_expect(top & ODD_ADDRESS >> 48, 0)) {
		extract_slowly(s, p, to, aux_offset, want);
		return;
	}
	*to = s->fixed;
	to->aux_offset = aux_offset;
	to->timestamp = load64(p + survey->timestamp_at) & survey->timestamp_mask;
	to->context[0] = load32(p + survey->context_at[0]) & survey->context_mask[0];
	to->context[1] = load32(p + survey->context_at[1]) & survey->context_mask[1];
	put_level(to, top >> 12);
}

/* ---- any machine ---------------------------------------------------------- */

/* 64 bytes where they stand. */
struct block_plain {
	const uint8_t *bytes;
};

ALWAYS struct block_plain load_plain(const uint8_t *p)
{
	return (struct block_plain){ p };
}

/* Bit n of the result is set if byte n of the word is zero: one bit of each byte, gathered. */
ALWAYS uint64_t zero_bytes_of(uint64_t word)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t zero = ~(((word & low) + low) | word | low);

	return (zero >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

ALWAYS struct spe_shape_traits traits_plain(struct block_plain block, const uint8_t *telling)
{
	struct spe_shape_traits traits = { 0, 0 };

	for (unsigned i = 0; i < 64; i += 16) {
		traits.even += load64(block.bytes + i) & load64(telling + i);
		traits.odd += load64(block.bytes + i + 8) & load64(telling + i + 8);
	}
	return traits;
}

ALWAYS uint64_t like_plain(struct block_plain block, const uint8_t *other)
{
	uint64_t like = 0;

	for (unsigned i = 0; i < 64; i += 8)
		like |= zero_bytes_of(le64toh(load64(block.bytes + i) ^ load64(other + i))) << i;
	return like;
}

ALWAYS void put_right(struct spe_record *to, const struct spe_shape *s)
{
	uint8_t level = to->el, target_level = to->target_el;

	to->pc = spe_address_code(to->pc) & (s->keep[0] | s->extend[0]);
	to->target = spe_address_code(to->target);
	to->prev_target = spe_address_code(to->prev_target);
	to->va = spe_address_data(to->va);
	put_level(to, level >> 4);
	to->target_el = levels[target_level >> 4];
}

ALWAYS void extract_plain(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			  uint64_t aux_offset, uint32_t want)
{
	uint8_t *bytes = (uint8_t *)to;

	*to = s->fixed;
	for (size_t i = offsetof(struct spe_record, timestamp); i < sizeof(*to); i++)
		if (s->source[i] != SPE_SHAPE_NOWHERE)
			bytes[i] = p[s->source[i]];
	to->aux_offset = aux_offset;
	if (__builtin_expect((to->pc | to->target | to->prev_target) & ODD_ADDRESS, 0))
		extract_slowly(s, p, to, aux_offset, want);
	else
		put_right(to, s);
}

#define survey_plain extract_survey
#define FAST_WAY plain
#define FAST_TARGET
#define FAST_BLOCK struct block_plain
#define FAST_LOAD load_plain
#include "fast-loop.h"

#if defined(__x86_64__)

/* ---- 16 bytes: SSSE3 ------------------------------------------------------ */

#define SSSE3 __attribute__((target("ssse3")))

ALWAYS __m128i load128(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

struct block_wide {
	__m128i quarter[4];
};

ALWAYS struct block_wide load_wide(const uint8_t *p)
{
	return (struct block_wide){ { load128(p), load128(p + 16), load128(p + 32),
				      load128(p + 48) } };
}

ALWAYS uint64_t like_wide(struct block_wide block, const uint8_t *other)
{
	uint64_t like = 0;

	for (unsigned i = 0; i < 4; i++)
		like |= (uint64_t)(uint32_t)_mm_movemask_epi8(
				_mm_cmpeq_epi8(block.quarter[i], load128(other + 16 * i)))
			<< 16 * i;
	return like;
}

ALWAYS struct spe_shape_traits traits_wide(struct block_wide block, const uint8_t *telling)
{
	__m128i sum = _mm_setzero_si128();

	for (unsigned i = 0; i < 4; i++)
		sum = _mm_add_epi64(sum,
				    _mm_and_si128(block.quarter[i], load128(telling + 16 * i)));
	return (struct spe_shape_traits){ (uint64_t)_mm_cvtsi128_si64(sum),
					  (uint64_t)_mm_cvtsi128_si64(
						  _mm_unpackhi_epi64(sum, sum)) };
}

ALWAYS SSSE3 __m128i move16(const struct spe_shape *s, const uint8_t *p, size_t to, __m128i bytes)
{
	for (size_t i = 0; i < 4; i++)
		bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(load128(p + SPE_SHAPE_PIECE * i),
							     load128(s->move[i] + to)));
	for (size_t i = 4; SPE_SHAPE_PIECE * i < s->step_bytes; i++)
		bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(load128(p + SPE_SHAPE_PIECE * i),
							     load128(s->move[i] + to)));
	return bytes;
}

ALWAYS SSSE3 void extract_wide(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			       uint64_t aux_offset, uint32_t want)
{
	const uint8_t *fixed = (const uint8_t *)&s->fixed;

	for (size_t i = 0; i < sizeof(*to); i += 16)
		_mm_storeu_si128((__m128i *)((char *)to + i), move16(s, p, i, load128(fixed + i)));
	to->aux_offset = aux_offset;
	if (__builtin_expect((to->pc | to->target | to->prev_target) & ODD_ADDRESS, 0))
		extract_slowly(s, p, to, aux_offset, want);
	else
		put_right(to, s);
}

#define survey_wide extract_survey
#define FAST_WAY wide
#define FAST_TARGET SSSE3
#define FAST_BLOCK struct block_wide
#define FAST_LOAD load_wide
#include "fast-loop.h"

/* ---- 32 bytes: AVX2 ------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

ALWAYS AVX2 __m256i load256(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

struct block_avx2 {
	__m256i half[2];
};

ALWAYS AVX2 struct block_avx2 load_avx2(const uint8_t *p)
{
	return (struct block_avx2){ { load256(p), load256(p + 32) } };
}

ALWAYS AVX2 uint64_t like_avx2(struct block_avx2 block, const uint8_t *other)
{
	__m256i low = _mm256_cmpeq_epi8(block.half[0], load256(other));
	__m256i high = _mm256_cmpeq_epi8(block.half[1], load256(other + 32));

	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
							     << 32;
}

ALWAYS AVX2 struct spe_shape_traits traits_avx2(struct block_avx2 block, const uint8_t *telling)
{
	__m256i low = _mm256_and_si256(block.half[0], load256(telling));
	__m256i both =
		_mm256_add_epi64(low, _mm256_and_si256(block.half[1], load256(telling + 32)));
	__m128i sum =
		_mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));

	return (struct spe_shape_traits){ (uint64_t)_mm_cvtsi128_si64(sum),
					  (uint64_t)_mm_extract_epi64(sum, 1) };
}

/* The three thirds of a record. */
struct thirds {
	__m256i head, addresses, tail;
};

ALWAYS AVX2 __m256i load_piece(const uint8_t *p, size_t i)
{
	return _mm256_broadcastsi128_si256(load128(p + SPE_SHAPE_PIECE * i));
}

ALWAYS AVX2 __m256i move_head(__m256i head, const struct spe_shape *s, const uint8_t *p, size_t i)
{
	return _mm256_or_si256(head, _mm256_shuffle_epi8(load_piece(p, i), load256(s->move[i])));
}

/* One piece of the trace: to wherever its bytes go. */
ALWAYS AVX2 void move_piece(struct thirds *t, const struct spe_shape *s, const uint8_t *p, size_t i)
{
	__m256i piece = load_piece(p, i);
	const uint8_t *move = s->move[i];

	t->head = _mm256_or_si256(t->head, _mm256_shuffle_epi8(piece, load256(move)));
	t->addresses =
		_mm256_or_si256(t->addresses, _mm256_shuffle_epi8(piece, load256(move + 32)));
	t->tail = _mm256_or_si256(t->tail, _mm256_shuffle_epi8(piece, load256(move + 64)));
}

static const uint64_t kernel_bits[4] = { 0, 0, 0, UINT64_C(0x00f0000000000000) };
static const uint64_t odd_bits[4] = { ODD_ADDRESS, ODD_ADDRESS, ODD_ADDRESS, 0 };
static const uint64_t level_bytes[4] = { 0, 0, 0, UINT64_C(0xff0000ffff000000) };
static const uint64_t level_bits[4] = { 0, 0, 0, UINT64_C(0x0600000906000000) };
#define HALF_TABLE 0, 2, 1, 0, 2, 0, 3, 0, 1, 3, 0, 0, 0, 0, 0, 0
static const uint8_t level_table[32] = { HALF_TABLE, HALF_TABLE };

/* pc, target, prev_target: by level and bit 55; va: by bits 55:52. */
ALWAYS AVX2 __m256i right_addresses(__m256i raw, const struct spe_shape *s)
{
	__m256i level = _mm256_slli_epi64(_mm256_xor_si256(raw, _mm256_slli_epi64(raw, 1)), 1);
	__m256i sign = _mm256_and_si256(level, _mm256_slli_epi64(raw, 8));
	__m256i code = _mm256_cmpgt_epi64(_mm256_setzero_si256(), sign);
	__m256i kernel = load256(kernel_bits);
	__m256i data = _mm256_cmpeq_epi64(_mm256_and_si256(raw, kernel), kernel);
	__m256i top = _mm256_blend_epi32(code, data, 0xc0);

	return _mm256_or_si256(_mm256_and_si256(raw, load256(s->keep)),
			       _mm256_and_si256(top, load256(s->extend)));
}

/*
 * el and target_el are bits 6:5 of their bytes, security is bits 4 and 7.  Moved
 * down by four and masked no two of them ask for the same entry of one table.
 */
ALWAYS AVX2 __m256i right_levels(__m256i tail)
{
	__m256i index = _mm256_and_si256(_mm256_srli_epi64(tail, 4), load256(level_bits));

	return _mm256_or_si256(_mm256_andnot_si256(load256(level_bytes), tail),
			       _mm256_shuffle_epi8(load256(level_table), index));
}

ALWAYS AVX2 void extract_avx2(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			      uint64_t aux_offset, uint32_t want)
{
	const uint8_t *fixed = (const uint8_t *)&s->fixed;
	struct thirds t = { load256(fixed), _mm256_setzero_si256(), load256(fixed + 64) };
	__m256i *out = (__m256i *)to;

	move_piece(&t, s, p, 0);
	move_piece(&t, s, p, 1);
	move_piece(&t, s, p, 2);
	move_piece(&t, s, p, 3);
	for (size_t i = 4; SPE_SHAPE_PIECE * i < s->step_bytes; i++)
		move_piece(&t, s, p, i);
	if (__builtin_expect(!_mm256_testz_si256(t.addresses, load256(odd_bits)), 0)) {
		extract_slowly(s, p, to, aux_offset, want);
		return;
	}
	_mm256_storeu_si256(out, t.head);
	to->aux_offset = aux_offset;
	_mm256_storeu_si256(out + 1, right_addresses(t.addresses, s));
	_mm256_storeu_si256(out + 2, right_levels(t.tail));
}

/* As extract_survey(), with a third of its stores. */
ALWAYS AVX2 void survey_avx2(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			     uint64_t aux_offset, uint32_t want)
{
	const struct spe_shape_survey *survey = &s->survey;
	unsigned top = load16(p + survey->top_at) & survey->top_mask;
	__m256i head = load256(&s->fixed), *out = (__m256i *)to;

	if (__builtin_expect(top & ODD_ADDRESS >> 48, 0)) {
		extract_slowly(s, p, to, aux_offset, want);
		return;
	}
	head = move_head(head, s, p, 0);
	head = move_head(head, s, p, 1);
	head = move_head(head, s, p, 2);
	head = move_head(head, s, p, 3);
	for (size_t i = 4; SPE_SHAPE_PIECE * i < s->step_bytes; i++)
		head = move_head(head, s, p, i);
	_mm256_storeu_si256(out, head);
	to->aux_offset = aux_offset;
	_mm256_storeu_si256(out + 1, _mm256_setzero_si256());
	_mm256_storeu_si256(out + 2, _mm256_setzero_si256());
	put_level(to, top >> 12);
}

#define FAST_WAY avx2
#define FAST_TARGET AVX2
#define FAST_BLOCK struct block_avx2
#define FAST_LOAD load_avx2
#include "fast-loop.h"

#elif defined(__aarch64__)

/* ---- 16 bytes: NEON ------------------------------------------------------- */

ALWAYS uint8x16x4_t load512(const uint8_t *p)
{
	return (uint8x16x4_t){ { vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32),
				 vld1q_u8(p + 48) } };
}

/* Bits of equal bytes, added up by eights: 64 bytes to 64 bits. */
ALWAYS uint64_t like_wide(uint8x16x4_t block, const uint8_t *other)
{
	const uint8x16_t weight = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
	uint8x16_t bits[4];

	for (unsigned i = 0; i < 4; i++)
		bits[i] = vandq_u8(vceqq_u8(block.val[i], vld1q_u8(other + 16 * i)), weight);
	bits[0] = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(bits[0], bits[0])), 0);
}

ALWAYS struct spe_shape_traits traits_wide(uint8x16x4_t block, const uint8_t *telling)
{
	uint64x2_t sum = vdupq_n_u64(0);

	for (unsigned i = 0; i < 4; i++)
		sum = vaddq_u64(sum, vreinterpretq_u64_u8(
					     vandq_u8(block.val[i], vld1q_u8(telling + 16 * i))));
	return (struct spe_shape_traits){ vgetq_lane_u64(sum, 0), vgetq_lane_u64(sum, 1) };
}

/* A table look-up gives zero for an index beyond the table. */
ALWAYS void extract_wide(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			 uint64_t aux_offset, uint32_t want)
{
	const uint8_t *fixed = (const uint8_t *)&s->fixed;
	uint8x16x4_t low = load512(p);

	for (size_t i = 0; i < sizeof(*to); i += 16) {
		uint8x16_t source = vld1q_u8(s->source + i), bytes = vqtbl4q_u8(low, source);

		if (s->step_bytes > 64)
			bytes = vorrq_u8(bytes, vqtbl4q_u8(load512(p + 64),
							   vsubq_u8(source, vdupq_n_u8(64))));
		vst1q_u8((uint8_t *)to + i, vorrq_u8(bytes, vld1q_u8(fixed + i)));
	}
	to->aux_offset = aux_offset;
	if (__builtin_expect((to->pc | to->target | to->prev_target) & ODD_ADDRESS, 0))
		extract_slowly(s, p, to, aux_offset, want);
	else
		put_right(to, s);
}

#define survey_wide extract_survey
#define FAST_WAY wide
#define FAST_TARGET
#define FAST_BLOCK uint8x16x4_t
#define FAST_LOAD load512
#include "fast-loop.h"

#endif

/* ---- which way ------------------------------------------------------------ */

typedef void (*fast_loop)(struct fast *f);

/* For all fields, and for what a survey looks at. */
static const fast_loop loops[SPE_FAST_WAYS][2] = {
	[SPE_FAST_PLAIN] = { run_plain, run_plain_survey },
#if defined(__x86_64__) || defined(__aarch64__)
	[SPE_FAST_WIDE] = { run_wide, run_wide_survey },
#endif
#if defined(__x86_64__)
	[SPE_FAST_AVX2] = { run_avx2, run_avx2_survey },
#endif
};

static fast_loop loop_of(const struct spe_decoder *d)
{
	/* the survey loads whole fields, which are little-endian */
	bool survey = !(d->want & ~(uint32_t)SPE_SHAPE_SURVEY) &&
		      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return loops[d->way][survey];
}

bool spe_fast_has_way(enum spe_fast_way way)
{
	if (way >= SPE_FAST_WAYS || !loops[way][0])
		return false;
#if defined(__x86_64__)
	if (way == SPE_FAST_WIDE)
		return __builtin_cpu_supports("ssse3");
	if (way == SPE_FAST_AVX2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		       __builtin_cpu_supports("bmi2");
#endif
	return true;
}

enum spe_fast_way spe_fast_best_way(void)
{
	for (unsigned way = SPE_FAST_WAYS - 1; way > SPE_FAST_PLAIN; way--)
		if (spe_fast_has_way(way))
			return way;
	return SPE_FAST_PLAIN;
}

/* What a run did; its bytes stand at in->pos, wherever it read them. */
static void account(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to,
		    const struct fast *f, size_t passed)
{
	size_t records = (size_t)(f->to - (char *)to->first) / to->stride_bytes - to->count;

	in->pos += passed;
	to->count += records;
	d->stats.records += records;
	d->stats.record_bytes += passed - f->padding_bytes;
	d->stats.padding_bytes += f->padding_bytes;
	d->stats.unknown_packets += f->unknown_packets;
	if (!f->last)
		return;
	d->known.any = true;
	memcpy(d->known.first, f->last->first, sizeof(f->last->first));
	d->known.end = f->last->end;
}

/* In one run, that no sum overflows. */
#define RUN_RECORDS (1u << 20)

static void run(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to,
		const uint8_t *at, const uint8_t *stop)
{
	size_t room = to->room - to->count < RUN_RECORDS ? to->room - to->count : RUN_RECORDS;
	struct fast f = {
		.shapes = d->shapes,
		.at = at,
		.stop = stop,
		.aux_offset = in->aux_offset + in->pos,
		.to = (char *)to->first + to->count * to->stride_bytes,
		.to_end = (char *)to->first + (to->count + room) * to->stride_bytes,
		.stride_bytes = to->stride_bytes,
		.want = d->want,
	};

	loop_of(d)(&f);
	account(d, in, to, &f, (size_t)(f.at - at));
}

/* The last bytes, where whole loads would reach beyond: from a copy with room behind. */
static void run_tail(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to)
{
	uint8_t copy[TAIL_BYTES + SPE_SHAPE_BYTES];
	size_t n = in->n - in->pos;

	memcpy(copy, in->bytes + in->pos, n);
	memset(copy + n, 0, SPE_SHAPE_BYTES);
	run(d, in, to, copy, copy + n);
}

void spe_fast_run(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to)
{
	if (!d->shapes->count)
		return;
	if (in->n - in->pos > TAIL_BYTES)
		run(d, in, to, in->bytes + in->pos, in->bytes + in->n - SPE_SHAPE_BYTES);
	if (in->n - in->pos <= TAIL_BYTES && in->pos < in->n && to->count < to->room)
		run_tail(d, in, to);
}
