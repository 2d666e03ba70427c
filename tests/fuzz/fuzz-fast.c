/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fast: the decoder that recognises shapes and the general one agree on every
 * record and every count, whatever the cuts.
 */

#include "decode-all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t aligns[] = { 64, 0, 1, 16, 4 };
	uint32_t align = aligns[size % 5];
	size_t step = size ? 1 + data[size / 2] * 3u : 1;
	struct decoded general = decode_all(SPE_DECODER_GENERAL, align, data, size, size, SIZE_MAX);
	struct decoded fast = decode_all(SPE_DECODER_AUTO, align, data, size, size, SIZE_MAX);
	struct decoded cut = decode_all(SPE_DECODER_AUTO, align, data, size, step, 1 + step % 9);

	check_same(&general, &fast);
	check_same(&general, &cut);
	free(general.records);
	free(fast.records);
	free(cut.records);
	return 0;
}
