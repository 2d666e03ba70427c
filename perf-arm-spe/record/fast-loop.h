/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loops over records of known shapes, once for each way.  fast.c includes
 * this several times, with
 *	FAST_WAY      the way, NAME: there are
 *			like_NAME     which of 64 bytes are as in others, as bits,
 *			traits_NAME   their traits,
 *			extract_NAME  make a record,
 *			survey_NAME   make one of what a survey looks at,
 *	FAST_TARGET   an attribute: the instructions it may use,
 *	FAST_BLOCK    a type: 64 bytes of trace,
 *	FAST_LOAD     load them.
 * It makes run_NAME and run_NAME_survey.
 */
#ifndef FAST_WAY
#error "for fast.c alone"
#endif

#define FAST_PASTE(a, b, c) a##b##c
#define FAST_EXPAND(a, b, c) FAST_PASTE(a, b, c)
#define FAST(before, after) FAST_EXPAND(before, FAST_WAY, after)

/* Does the record fit the shape? The first 64 bytes are at hand. */
FAST_TARGET ALWAYS bool FAST(fits_, )(const struct spe_shape *s, FAST_BLOCK block, const uint8_t *p)
{
	uint64_t differ = s->exact[0] & ~FAST(like_, )(block, s->value);

	if (s->step_bytes > 64)
		differ |= s->exact[1] & ~FAST(like_, )(FAST_LOAD(p + 64), s->value + 64);
	return !differ;
}

/* A record ahead: its first bytes and which shape it may have. */
struct FAST(ahead_, ) {
	FAST_BLOCK block;
	struct spe_shape_guess *guess;
};

FAST_TARGET ALWAYS struct FAST(ahead_, ) FAST(look_ahead_, )(struct spe_shapes *s, const uint8_t *p)
{
	struct FAST(ahead_, ) a = { .block = FAST_LOAD(p) };

	a.guess = &s->guesses[spe_shape_key(s, FAST(traits_, )(a.block, s->telling))];
	return a;
}

/* The guess was wrong: correct it if another shape fits. */
FAST_TARGET static __attribute__((noinline)) bool
FAST(find_, )(struct spe_shapes *shapes, const uint8_t *p, struct spe_shape_guess *guess)
{
	const struct spe_shape *shape = shapes->list;

	for (unsigned i = 0; i < shapes->count; i++, shape++) {
		if (!FAST(fits_, )(shape, FAST_LOAD(p), p))
			continue;
		guess->offset = (uint32_t)(i * sizeof(*shape));
		guess->step_bytes = shape->step_bytes;
		return true;
	}
	return false;
}

/*
 * What shape the next record has is looked up before this one is extracted: the
 * look-up is a long chain of loads, each waiting for the one before.
 */
FAST_TARGET ALWAYS void FAST(loop_, )(struct fast *f, bool survey)
{
	struct spe_shapes *const shapes = f->shapes;
	const uint8_t *p = f->at, *const stop = f->stop, *next;
	const uint64_t aux = f->aux_offset - (uintptr_t)f->at;
	const uint32_t fixed = shapes->common_bytes, want = f->want;
	const size_t stride_bytes = f->stride_bytes;
	const struct spe_shape *shape, *last = NULL;
	char *to = f->to, *const to_end = f->to_end;
	struct FAST(ahead_, ) this = FAST(look_ahead_, )(shapes, p), ahead;
	uint64_t sums = 0;

	while (to != to_end) {
		fast_prefetch(p);
		shape = fast_shape(shapes, this.guess);
		next = p + fast_step(this.guess, fixed);
		if (next > stop)
			break;
		ahead = FAST(look_ahead_, )(shapes, next);
		if (__builtin_expect(!FAST(fits_, )(shape, this.block, p), 0)) {
			if (!*p)
				p = skip_padding(f, p);
			else if (!FAST(find_, )(shapes, p, this.guess))
				break;
			this = FAST(look_ahead_, )(shapes, p);
			continue;
		}
		if (survey)
			FAST(survey_, )
		(shape, p, (struct spe_record *)to, aux + (uintptr_t)p, want);
		else FAST(extract_, )(shape, p, (struct spe_record *)to, aux + (uintptr_t)p, want);
		to += stride_bytes;
		sums += shape->sums;
		last = shape;
		p = next;
		this = ahead;
	}
	f->to = to;
	f->at = p;
	f->last = last;
	f->padding_bytes += sums & UINT32_MAX;
	f->unknown_packets = sums >> 32;
}

FAST_TARGET static void FAST(run_, )(struct fast *f)
{
	FAST(loop_, )(f, false);
}

FAST_TARGET static void FAST(run_, _survey)(struct fast *f)
{
	FAST(loop_, )(f, true);
}

#undef FAST_WAY
#undef FAST_TARGET
#undef FAST_BLOCK
#undef FAST_LOAD
#undef FAST_PASTE
#undef FAST_EXPAND
#undef FAST
