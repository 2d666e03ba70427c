/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop over records of known shapes, once for each way.  fast.c includes
 * this several times, with
 *	FAST_LOOP     the name of the loop to make,
 *	FAST_TARGET   an attribute: the instructions it may use,
 *	FAST_FITS     does a record fit a shape,
 *	FAST_EXTRACT  make a record of it.
 */
#ifndef FAST_LOOP
#error "for fast.c alone"
#endif

/* The shapes that were not the first guess, if one of them fits. */
FAST_TARGET static __attribute__((noinline)) const struct spe_shape *
FAST_NAME(FAST_LOOP, _find)(const struct spe_shapes *shapes, const uint8_t *p)
{
	for (unsigned i = 0; i < shapes->count; i++)
		if (FAST_FITS(&shapes->list[i], p))
			return &shapes->list[i];
	return NULL;
}

FAST_TARGET static void FAST_LOOP(struct fast *f)
{
	struct spe_shapes *shapes = f->shapes;
	struct fast_places places = fast_places(shapes);
	const uint8_t *p = f->bytes + f->pos, *end = f->bytes + f->n;
	const uint8_t *stop = f->bytes + f->readable - SPE_SHAPE_WINDOW;
	const struct spe_shape *shape, *last = NULL;
	char *to = f->to;
	uint64_t aux = f->aux_offset - (uintptr_t)f->bytes, unknown = 0;
	uint32_t fixed = shapes->common_bytes;
	unsigned key;

	p += fast_padding(f, p, stop);
	while (to != f->to_end && p <= stop) {
		fast_prefetch(p);
		key = fast_key(&places, p);
		shape = &shapes->list[shapes->by_key[key]];
		if (__builtin_expect(!FAST_FITS(shape, p), 0)) {
			shape = FAST_NAME(FAST_LOOP, _find)(shapes, p);
			if (!shape)
				break;
			shapes->by_key[key] = (uint8_t)(shape - shapes->list);
		}
		if (shape->length_bytes > (size_t)(end - p))
			break;
		FAST_EXTRACT(shape, p, (struct spe_record *)to, aux + (uintptr_t)p, f->want);
		to += f->stride_bytes;
		unknown += shape->unknown_packets;
		last = shape;
		p += fast_step(shape, fixed);
		p += fast_padding(f, p, stop);
	}
	f->to = to;
	f->pos = (size_t)(p - f->bytes);
	f->last = last;
	f->unknown_packets = unknown;
}

#undef FAST_LOOP
#undef FAST_TARGET
#undef FAST_FITS
#undef FAST_EXTRACT
