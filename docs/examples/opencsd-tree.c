/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPE through an OpenCSD decode tree: prints what each record says of the
 * context it ran in.
 *
 *	cc opencsd-tree.c $(pkg-config --cflags --libs perf-arm-spe) -lopencsd_c_api -lopencsd
 *	./a.out trace.bin
 */
#include <perf-arm-spe/opencsd.h>

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>

static ocsd_datapath_resp_t on_element(const void *context, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *element)
{
	const ocsd_pe_context *c = &element->context;

	(void)context;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP)
		printf("%6llu id %02x time %llu\n", (unsigned long long)index, id,
		       (unsigned long long)element->timestamp);
	if (element->elem_type != OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		return OCSD_RESP_CONT;
	printf("%6llu id %02x", (unsigned long long)index, id);
	if (c->el_valid)
		printf(" EL%d", (int)c->exception_level);
	if (c->ctxt_id_valid)
		printf(" CONTEXTIDR_EL1 %u", c->context_id);
	if (c->vmid_valid)
		printf(" CONTEXTIDR_EL2 %u", c->vmid);
	putchar('\n');
	return OCSD_RESP_CONT;
}

static int decode(dcd_tree_handle_t tree, FILE *in)
{
	static uint8_t block[4096];
	uint64_t index = 0;
	uint32_t used;
	size_t n;

	ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, &used);
	while ((n = fread(block, 1, sizeof(block), in)) > 0) {
		if (OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(tree, OCSD_OP_DATA, index,
								 (uint32_t)n, block, &used)))
			return 1;
		index += n;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, index, 0, NULL, &used);
	return 0;
}

int main(int argc, char **argv)
{
	struct spe_opencsd_config config = { .size = sizeof(config), .cs_id = 0x10 };
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : stdin;
	ocsd_extern_dcd_fact_t factory;
	dcd_tree_handle_t tree;
	unsigned char id;
	int failed;

	if (!in || spe_opencsd_factory(&factory) ||
	    ocsd_register_custom_decoder(SPE_OPENCSD_NAME, &factory) != OCSD_OK)
		return 1;
	tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (ocsd_dt_create_decoder(tree, SPE_OPENCSD_NAME, OCSD_CREATE_FLG_FULL_DECODER, &config,
				   &id) != OCSD_OK)
		return 1;
	/* Only now: set before the decoder was made, the callback is never called. */
	ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL);
	failed = decode(tree, in);
	ocsd_destroy_dcd_tree(tree);
	return failed;
}
