/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop over records of known shapes, once for each way.  fast.c includes
 * this several times, with
 *	FAST_LOOP     the name of the loop to make,
 *	FAST_TARGET   an attribute: the instructions it may use,
 *	FAST_BLOCK    a type: 64 bytes of trace,
 *	FAST_LOAD     load them,
 *	FAST_LIKE     which of them are as in other 64 bytes, as a mask of bits,
 *	FAST_EXTRACT  make a record.
 */
#ifndef FAST_LOOP
#error "for fast.c alone"
#endif

/* Does the record fit the shape? The first 64 bytes are at hand. */
FAST_TARGET ALWAYS bool FAST_NAME(FAST_LOOP, _fits)(const struct spe_shape *s, FAST_BLOCK block,
						    const uint8_t *p)
{
	uint64_t differ = s->exact[0] & ~FAST_LIKE(block, s->value);

	if (s->length_bytes > 64)
		differ |= s->exact[1] & ~FAST_LIKE(FAST_LOAD(p + 64), s->value + 64);
	return !differ;
}

/* The shapes that were not the first guess, if one of them fits. */
FAST_TARGET static __attribute__((noinline)) const struct spe_shape *
FAST_NAME(FAST_LOOP, _find)(struct spe_shapes *shapes, const uint8_t *p,
			    struct spe_shape_guess *guess)
{
	const struct spe_shape *shape = shapes->list;

	for (unsigned i = 0; i < shapes->count; i++, shape++) {
		if (!FAST_NAME(FAST_LOOP, _fits)(shape, FAST_LOAD(p), p))
			continue;
		guess->shape = (uint8_t)i;
		guess->length_bytes = (uint8_t)shape->length_bytes;
		return shape;
	}
	return NULL;
}

FAST_TARGET static void FAST_LOOP(struct fast *f)
{
	struct spe_shapes *const shapes = f->shapes;
	const struct fast_places places = fast_places(shapes);
	const uint8_t *p = f->bytes + f->pos, *const end = f->bytes + f->n;
	const uint8_t *const stop = f->bytes + f->readable - SPE_SHAPE_WINDOW;
	const uint64_t aux = f->aux_offset - (uintptr_t)f->bytes;
	const uint32_t fixed = shapes->common_bytes, want = f->want;
	const size_t stride_bytes = f->stride_bytes;
	const struct spe_shape *shape, *last = NULL;
	struct spe_shape_guess *guess;
	char *to = f->to, *const to_end = f->to_end;
	uint64_t unknown = 0;

	while (to != to_end && p <= stop) {
		FAST_BLOCK block = FAST_LOAD(p);

		if (!*p) {
			p = skip_padding(f, p, stop);
			if (p == end)
				break;
			continue;
		}
		fast_prefetch(p);
		guess = &shapes->guesses[fast_key(&places, p)];
		shape = &shapes->list[guess->shape];
		if (__builtin_expect(!FAST_NAME(FAST_LOOP, _fits)(shape, block, p), 0)) {
			shape = FAST_NAME(FAST_LOOP, _find)(shapes, p, guess);
			if (!shape)
				break;
		}
		if (shape->length_bytes > (size_t)(end - p))
			break;
		FAST_EXTRACT(shape, p, (struct spe_record *)to, aux + (uintptr_t)p, want);
		to += stride_bytes;
		unknown += shape->unknown_packets;
		last = shape;
		p += fast_step(guess, fixed);
	}
	f->to = to;
	f->pos = (size_t)(p - f->bytes);
	f->last = last;
	f->unknown_packets = unknown;
}

#undef FAST_LOOP
#undef FAST_TARGET
#undef FAST_BLOCK
#undef FAST_LOAD
#undef FAST_LIKE
#undef FAST_EXTRACT
