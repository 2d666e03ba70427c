/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record: the general decoder gives the same records and counts however its
 * input is cut into calls; bytes used, padding and drops are all the bytes.
 */

#include "decode-all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t aligns[] = { 0, 1, 4, 16, 64 };
	uint32_t align = aligns[size % 5];
	size_t step = size ? 1 + data[size / 2] % 97u : 1;
	struct decoded whole = decode_all(SPE_DECODER_GENERAL, align, data, size, size, SIZE_MAX);
	struct decoded cut = decode_all(SPE_DECODER_GENERAL, align, data, size, step, 1 + step % 5);

	check_same(&whole, &cut);
	for (size_t i = 0; i < whole.count; i++) {
		struct spe_op op =
			spe_op_decode(whole.records[i].op_class, whole.records[i].op_payload);

		PROPERTY(spe_op_name(whole.records[i].op_class, whole.records[i].op_payload));
		PROPERTY(op.vector_bits <= 1u << 22);
		spe_data_source_lookup(0x413fd0c1, whole.records[i].data_source);
	}
	free(whole.records);
	free(cut.records);
	return 0;
}
