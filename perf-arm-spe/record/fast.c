/* SPDX-License-Identifier: GPL-2.0-only */
#include "fast.h"

#include <string.h>

#include "address.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Far enough for memory to answer, near enough to stay in the first cache. */
#define PREFETCH_BYTES 4096

#define ALWAYS static inline __attribute__((always_inline))
#define FAST_PASTE(a, b) a##b
#define FAST_NAME(a, b) FAST_PASTE(a, b)

/* One run of a loop. */
struct fast {
	struct spe_shapes *shapes;
	const uint8_t *bytes;
	size_t n;        /* bytes of the stream */
	size_t readable; /* bytes that may be read: n or more */
	size_t pos;
	uint64_t aux_offset; /* of bytes[0] */
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

ALWAYS void fast_prefetch(const uint8_t *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + PREFETCH_BYTES));
}

/* What of the shapes does not change while a loop runs. */
struct fast_places {
	const struct spe_shapes *shapes;
	unsigned count;
	uint8_t place[SPE_SHAPE_PLACES];
};

ALWAYS struct fast_places fast_places(const struct spe_shapes *s)
{
	struct fast_places places = { .shapes = s, .count = s->places };

	memcpy(places.place, s->place, sizeof(places.place));
	return places;
}

/* Places that are not in use are all of class 0. */
ALWAYS unsigned fast_key(const struct fast_places *f, const uint8_t *p)
{
	unsigned key = 0;

	if (f->count > 0)
		key = f->shapes->class[0][p[f->place[0]]] | f->shapes->class[1][p[f->place[1]]];
	if (f->count > 2)
		key |= f->shapes->class[2][p[f->place[2]]] | f->shapes->class[3][p[f->place[3]]];
	return key;
}

/*
 * How far to the next record.  Where all shapes are of one length the step is
 * that constant, kept from the compiler's sight, so that the next record need
 * not wait until the shape of this one is known.
 */
ALWAYS size_t fast_step(const struct spe_shape *shape, uint32_t fixed)
{
	if (fixed) {
		__asm__("" : "+r"(fixed));
		return fixed;
	}
	return shape->length_bytes;
}

/* Zeros behind a record. */
ALWAYS size_t fast_padding(struct fast *f, const uint8_t *p, const uint8_t *stop)
{
	size_t bytes = 0, left = f->n - (size_t)(p - f->bytes);
	uint64_t word;

	if (p > stop || *p)
		return 0;
	do {
		word = load64(p + bytes);
		bytes += word ? (unsigned)__builtin_ctzll(word) / 8 : sizeof(word);
	} while (!word && p + bytes <= stop);
	bytes = bytes < left ? bytes : left;
	f->padding_bytes += bytes;
	return bytes;
}

/* Records that are not as most: by the general decoder. */
static __attribute__((noinline, cold)) void extract_slowly(const struct spe_shape *shape,
							   const uint8_t *p, struct spe_record *to,
							   uint64_t aux_offset, uint32_t want)
{
	struct spe_parse_rules rules = { .limit = SPE_SHAPE_BYTES };
	struct spe_parsed parsed;

	if (spe_record_parse(p, shape->length_bytes, aux_offset, &rules, &parsed) ==
	    SPE_PARSE_RECORD) {
		spe_record_restrict(&parsed.record, want);
		*to = parsed.record;
	}
}

/* Bits of an address' top byte that no exception level or security state has: such a top byte
 * may be no such thing at all, as early models wrote it. */
#define ODD_ADDRESS UINT64_C(0x0f00000000000000)

/* ---- any machine ---------------------------------------------------------- */

ALWAYS bool fits_plain(const struct spe_shape *s, const uint8_t *p)
{
	uint64_t differ = 0;

	for (uint32_t i = 0; i < s->length_bytes; i += 8)
		differ |= (load64(p + i) & load64(s->mask + i)) ^ load64(s->value + i);
	return !differ;
}

ALWAYS void put_right(struct spe_record *to, const struct spe_shape *s)
{
	uint8_t level = to->el, target_level = to->target_el;

	to->pc = spe_address_code(to->pc) & s->keep[0];
	to->target = spe_address_code(to->target);
	to->prev_target = spe_address_code(to->prev_target);
	to->va = spe_address_data(to->va);
	to->el = level >> 5 & 3;
	to->security = (level >> 4 & 1) << 1 | level >> 7;
	to->target_el = target_level >> 5 & 3;
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

#define FAST_LOOP run_plain
#define FAST_TARGET
#define FAST_FITS fits_plain
#define FAST_EXTRACT extract_plain
#include "fast-loop.h"

#if defined(__x86_64__)

/* ---- 16 bytes: SSSE3 ------------------------------------------------------ */

#define SSSE3 __attribute__((target("ssse3")))

ALWAYS __m128i load128(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

ALWAYS __m128i differ16(const struct spe_shape *s, const uint8_t *p, size_t at)
{
	return _mm_xor_si128(_mm_and_si128(load128(p + at), load128(s->mask + at)),
			     load128(s->value + at));
}

ALWAYS bool fits_wide(const struct spe_shape *s, const uint8_t *p)
{
	__m128i differ = _mm_or_si128(_mm_or_si128(differ16(s, p, 0), differ16(s, p, 16)),
				      _mm_or_si128(differ16(s, p, 32), differ16(s, p, 48)));

	for (uint32_t at = 64; at < s->length_bytes; at += 16)
		differ = _mm_or_si128(differ, differ16(s, p, at));
	return _mm_movemask_epi8(_mm_cmpeq_epi8(differ, _mm_setzero_si128())) == 0xffff;
}

ALWAYS SSSE3 __m128i move16(const struct spe_shape *s, const uint8_t *p, size_t to, __m128i bytes)
{
	for (size_t i = 0; i < 4; i++)
		bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(load128(p + SPE_SHAPE_PIECE * i),
							     load128(s->move[i] + to)));
	for (size_t i = 4; SPE_SHAPE_PIECE * i < s->length_bytes; i++)
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

#define FAST_LOOP run_wide
#define FAST_TARGET SSSE3
#define FAST_FITS fits_wide
#define FAST_EXTRACT extract_wide
#include "fast-loop.h"

/* ---- 32 bytes: AVX2 ------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

ALWAYS AVX2 __m256i load256(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

ALWAYS AVX2 __m256i differ32(const struct spe_shape *s, const uint8_t *p, size_t at)
{
	return _mm256_xor_si256(_mm256_and_si256(load256(p + at), load256(s->mask + at)),
				load256(s->value + at));
}

ALWAYS AVX2 bool fits_avx2(const struct spe_shape *s, const uint8_t *p)
{
	__m256i differ = _mm256_or_si256(differ32(s, p, 0), differ32(s, p, 32));

	if (s->length_bytes > 64)
		differ = _mm256_or_si256(differ,
					 _mm256_or_si256(differ32(s, p, 64), differ32(s, p, 96)));
	return _mm256_testz_si256(differ, differ);
}

/* The three thirds of a record. */
struct thirds {
	__m256i head, addresses, tail;
};

/* One piece of the trace: to wherever its bytes go. */
ALWAYS AVX2 void move_piece(struct thirds *t, const struct spe_shape *s, const uint8_t *p, size_t i)
{
	__m256i piece = _mm256_broadcastsi128_si256(load128(p + SPE_SHAPE_PIECE * i));
	const uint8_t *move = s->move[i];

	t->head = _mm256_or_si256(t->head, _mm256_shuffle_epi8(piece, load256(move)));
	t->addresses =
		_mm256_or_si256(t->addresses, _mm256_shuffle_epi8(piece, load256(move + 32)));
	t->tail = _mm256_or_si256(t->tail, _mm256_shuffle_epi8(piece, load256(move + 64)));
}

/* pc, target, prev_target: by level and bit 55; va: by bits 55:52. */
ALWAYS AVX2 __m256i right_addresses(__m256i raw, __m256i keep)
{
	const __m256i address = _mm256_set1_epi64x((int64_t)SPE_ADDR_MASK);
	const __m256i nibble = _mm256_set1_epi64x(0x00f0000000000000);
	__m256i level = _mm256_slli_epi64(_mm256_xor_si256(raw, _mm256_slli_epi64(raw, 1)), 1);
	__m256i sign = _mm256_and_si256(level, _mm256_slli_epi64(raw, 8));
	__m256i code = _mm256_cmpgt_epi64(_mm256_setzero_si256(), sign);
	__m256i data = _mm256_cmpeq_epi64(_mm256_and_si256(raw, nibble), nibble);
	__m256i top = _mm256_andnot_si256(address, _mm256_blend_epi32(code, data, 0xc0));

	return _mm256_and_si256(_mm256_or_si256(_mm256_and_si256(raw, address), top), keep);
}

/*
 * el and target_el are bits 6:5 of their bytes, security is bits 4 and 7.  Moved
 * down by four and masked no two of them ask for the same entry of one table.
 */
ALWAYS AVX2 __m256i right_levels(__m256i tail)
{
	const __m256i table = _mm256_setr_epi8(0, 2, 1, 0, 2, 0, 3, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 2,
					       1, 0, 2, 0, 3, 0, 1, 3, 0, 0, 0, 0, 0, 0);
	const __m256i raw = _mm256_setr_epi64x(0, 0, 0, (int64_t)0xff0000ffff000000);
	const __m256i bits = _mm256_setr_epi64x(0, 0, 0, 0x0600000906000000);
	__m256i index = _mm256_and_si256(_mm256_srli_epi64(tail, 4), bits);

	return _mm256_or_si256(_mm256_andnot_si256(raw, tail), _mm256_shuffle_epi8(table, index));
}

ALWAYS AVX2 void extract_avx2(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			      uint64_t aux_offset, uint32_t want)
{
	const __m256i odd = _mm256_setr_epi64x((int64_t)ODD_ADDRESS, (int64_t)ODD_ADDRESS,
					       (int64_t)ODD_ADDRESS, 0);
	const uint8_t *fixed = (const uint8_t *)&s->fixed;
	struct thirds t = { load256(fixed), load256(fixed + 32), load256(fixed + 64) };
	__m256i *out = (__m256i *)to;

	for (size_t i = 0; i < 4; i++)
		move_piece(&t, s, p, i);
	for (size_t i = 4; SPE_SHAPE_PIECE * i < s->length_bytes; i++)
		move_piece(&t, s, p, i);
	if (__builtin_expect(!_mm256_testz_si256(t.addresses, odd), 0)) {
		extract_slowly(s, p, to, aux_offset, want);
		return;
	}
	_mm256_storeu_si256(out, t.head);
	to->aux_offset = aux_offset;
	_mm256_storeu_si256(out + 1, right_addresses(t.addresses, load256(s->keep)));
	_mm256_storeu_si256(out + 2, right_levels(t.tail));
}

#define FAST_LOOP run_avx2
#define FAST_TARGET AVX2
#define FAST_FITS fits_avx2
#define FAST_EXTRACT extract_avx2
#include "fast-loop.h"

#elif defined(__aarch64__)

/* ---- 16 bytes: NEON ------------------------------------------------------- */

ALWAYS uint8x16_t differ16(const struct spe_shape *s, const uint8_t *p, size_t at)
{
	return veorq_u8(vandq_u8(vld1q_u8(p + at), vld1q_u8(s->mask + at)),
			vld1q_u8(s->value + at));
}

ALWAYS bool fits_wide(const struct spe_shape *s, const uint8_t *p)
{
	uint8x16_t differ = vorrq_u8(vorrq_u8(differ16(s, p, 0), differ16(s, p, 16)),
				     vorrq_u8(differ16(s, p, 32), differ16(s, p, 48)));

	for (uint32_t at = 64; at < s->length_bytes; at += 16)
		differ = vorrq_u8(differ, differ16(s, p, at));
	return !vmaxvq_u32(vreinterpretq_u32_u8(differ));
}

ALWAYS uint8x16x4_t load512(const uint8_t *p)
{
	return (uint8x16x4_t){ { vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32),
				 vld1q_u8(p + 48) } };
}

/* A table look-up gives zero for an index beyond the table. */
ALWAYS void extract_wide(const struct spe_shape *s, const uint8_t *p, struct spe_record *to,
			 uint64_t aux_offset, uint32_t want)
{
	const uint8_t *fixed = (const uint8_t *)&s->fixed;
	uint8x16x4_t low = load512(p);

	for (size_t i = 0; i < sizeof(*to); i += 16) {
		uint8x16_t source = vld1q_u8(s->source + i), bytes = vqtbl4q_u8(low, source);

		if (s->length_bytes > 64)
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

#define FAST_LOOP run_wide
#define FAST_TARGET
#define FAST_FITS fits_wide
#define FAST_EXTRACT extract_wide
#include "fast-loop.h"

#endif

/* ---- which way ------------------------------------------------------------ */

typedef void (*fast_loop)(struct fast *f);

static const fast_loop loops[SPE_FAST_WAYS] = {
	[SPE_FAST_PLAIN] = run_plain,
#if defined(__x86_64__) || defined(__aarch64__)
	[SPE_FAST_WIDE] = run_wide,
#endif
#if defined(__x86_64__)
	[SPE_FAST_AVX2] = run_avx2,
#endif
};

bool spe_fast_has_way(enum spe_fast_way way)
{
	if (way >= SPE_FAST_WAYS || !loops[way])
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

static struct fast begin(const struct spe_decoder *d, const struct spe_record_array *to)
{
	return (struct fast){
		.shapes = d->shapes,
		.to = (char *)to->first + to->count * to->stride_bytes,
		.to_end = (char *)to->first + to->room * to->stride_bytes,
		.stride_bytes = to->stride_bytes,
		.want = d->want,
	};
}

/* The last bytes, where whole loads would reach beyond: from a copy with room behind. */
static void run_tail(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to)
{
	struct fast f = begin(d, to);
	uint8_t copy[2 * SPE_SHAPE_WINDOW] = { 0 };

	f.n = in->n - in->pos;
	memcpy(copy, in->bytes + in->pos, f.n);
	f.bytes = copy;
	f.readable = sizeof(copy);
	f.aux_offset = in->aux_offset + in->pos;
	loops[d->way](&f);
	account(d, in, to, &f, f.pos);
}

void spe_fast_run(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to)
{
	struct fast f;

	if (!d->shapes->count)
		return;
	if (in->n - in->pos >= SPE_SHAPE_WINDOW) {
		f = begin(d, to);
		f.bytes = in->bytes;
		f.n = f.readable = in->n;
		f.pos = in->pos;
		f.aux_offset = in->aux_offset;
		loops[d->way](&f);
		account(d, in, to, &f, f.pos - in->pos);
	}
	if (in->n - in->pos < SPE_SHAPE_WINDOW && to->count < to->room && in->pos < in->n)
		run_tail(d, in, to);
}
