/* SPDX-License-Identifier: GPL-2.0-only */
/* SPE records through an OpenCSD decode tree: elements, validity, any cutting of the input. */
#include <perf-arm-spe/opencsd.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_OPENCSD

#include <opencsd/c_api/opencsd_c_api.h>

/* A kernel load on a VHE host, 64 bytes; a user store on an EL1 host closed by End; damage; the
 * first again. */
static const uint8_t vhe_load[64] = {
	0xb0, 0xd0, 0xc2, 0xa1, 0xed, 0x66, 0xba, 0xff, 0xc0, 0,    0,    0,    0,    0, 0x65, 0x80,
	0x5f, 0,    0,    0x49, 0,    0x52, 0x16, 0,    0x99, 4,    0,    0x98, 12,   0, 0xb2, 0x28,
	0x6b, 9,    3,    0x37, 0x0e, 0xff, 0,    0x9a, 1,    0,    0,    0,    0,    0, 0,    0,
	0,    0,    0,    0x43, 0,    0,    0,    0x71, 0x2e, 0x65, 0x2f, 0x6a, 0x0a, 0, 0,    0,
};
static const uint8_t el1_store[] = {
	0xb0, 0xa8, 4, 0x40, 0, 0, 0, 0, 0x80, 0x64, 0xd2, 4, 0, 0, 0x49, 1, 0x52, 0x16, 0, 0x01,
};

struct seen {
	unsigned contexts, timestamps, no_sync, ends;
	uint32_t context_id, vmid;
	bool context_valid, vmid_valid, el_valid;
	int el;
	uint64_t timestamp, index, pc;
};

static ocsd_datapath_resp_t on_element(const void *context, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *element)
{
	struct seen *seen = (struct seen *)(uintptr_t)context;

	ck_assert_uint_eq(id, 0x10);
	seen->timestamps += element->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP;
	seen->no_sync += element->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC;
	seen->ends += element->elem_type == OCSD_GEN_TRC_ELEM_EO_TRACE;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP)
		seen->timestamp = element->timestamp;
	if (element->elem_type != OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		return OCSD_RESP_CONT;
	seen->contexts++;
	seen->context_id = element->context.context_id;
	seen->vmid = element->context.vmid;
	seen->context_valid = element->context.ctxt_id_valid;
	seen->vmid_valid = element->context.vmid_valid;
	seen->el_valid = element->context.el_valid;
	seen->el = (int)element->context.exception_level;
	seen->index = index;
	ck_assert(element->extended_data);
	seen->pc = ((const struct spe_record *)element->ptr_extended_data)->pc;
	return OCSD_RESP_CONT;
}

static unsigned packets_seen;

static void on_packet(const void *context, const ocsd_datapath_op_t op,
		      const ocsd_trc_index_t index, const void *packet, const uint32_t size,
		      const uint8_t *bytes)
{
	(void)context;
	(void)index;
	if (op != OCSD_OP_DATA)
		return;
	ck_assert(size && bytes);
	packets_seen += ((const struct spe_packet *)packet)->kind != SPE_PACKET_PADDING;
}

static dcd_tree_handle_t tree_make(struct seen *seen)
{
	static ocsd_extern_dcd_fact_t factory;
	static bool registered;
	struct spe_opencsd_config config = { .size = sizeof(config), .cs_id = 0x10 };
	dcd_tree_handle_t tree;
	unsigned char id = 0;

	if (!registered) {
		ck_assert_int_eq(spe_opencsd_factory(&factory), SPE_OK);
		ck_assert_int_eq(ocsd_register_custom_decoder(SPE_OPENCSD_NAME, &factory), OCSD_OK);
		registered = true;
	}
	tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ck_assert_int_eq(ocsd_dt_create_decoder(tree, SPE_OPENCSD_NAME,
						OCSD_CREATE_FLG_FULL_DECODER, &config, &id),
			 OCSD_OK);
	ck_assert_uint_eq(id, 0x10);
	ck_assert_int_eq(ocsd_dt_set_gen_elem_outfn(tree, on_element, seen), OCSD_OK);
	return tree;
}

static void feed(dcd_tree_handle_t tree, const uint8_t *bytes, size_t n, size_t step)
{
	uint32_t used;

	ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, &used);
	for (size_t at = 0; at < n; at += step) {
		uint32_t size = (uint32_t)(n - at < step ? n - at : step);

		ck_assert_int_eq(ocsd_dt_process_data(tree, OCSD_OP_DATA, at, size, bytes + at,
						      &used),
				 OCSD_RESP_CONT);
		ck_assert_uint_eq(used, size);
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, n, 0, NULL, &used);
}

START_TEST(elements_of_a_record)
{
	struct seen seen = { 0 };
	dcd_tree_handle_t tree = tree_make(&seen);

	feed(tree, vhe_load, sizeof(vhe_load), sizeof(vhe_load));
	ck_assert_uint_eq(seen.contexts, 1);
	ck_assert(seen.vmid_valid && !seen.context_valid && seen.el_valid);
	ck_assert_uint_eq(seen.vmid, 24448);
	ck_assert_int_eq(seen.el, 2);
	ck_assert_uint_eq(seen.timestamp, 44731163950u);
	ck_assert_uint_eq(seen.pc, 0xffffba66eda1c2d0u);
	ck_assert_uint_eq(seen.ends, 1);
	ocsd_destroy_dcd_tree(tree);
}
END_TEST

START_TEST(context_of_an_el1_host_and_no_time)
{
	struct seen seen = { 0 };
	dcd_tree_handle_t tree = tree_make(&seen);

	feed(tree, el1_store, sizeof(el1_store), sizeof(el1_store));
	ck_assert_uint_eq(seen.contexts, 1);
	ck_assert_uint_eq(seen.timestamps, 0);
	ck_assert(seen.context_valid && !seen.vmid_valid);
	ck_assert_uint_eq(seen.context_id, 1234);
	ck_assert_int_eq(seen.el, 0);
	ocsd_destroy_dcd_tree(tree);
}
END_TEST

START_TEST(same_answer_for_any_cutting)
{
	uint8_t stream[sizeof(vhe_load) * 300];

	for (size_t i = 0; i < 300; i++)
		memcpy(stream + i * sizeof(vhe_load), vhe_load, sizeof(vhe_load));
	stream[100 * sizeof(vhe_load) + 19] = 0x1f; /* no packet begins so */
	for (size_t step = 1; step < 40000; step = step * 3 + 1) {
		struct seen seen = { 0 };
		dcd_tree_handle_t tree = tree_make(&seen);

		feed(tree, stream, sizeof(stream), step);
		ck_assert_uint_eq(seen.contexts, 299);
		ck_assert_uint_eq(seen.timestamps, 299);
		ck_assert_uint_eq(seen.no_sync, 1);
		ck_assert_uint_eq(seen.index, 299 * sizeof(vhe_load));
		ocsd_destroy_dcd_tree(tree);
	}
}
END_TEST

START_TEST(packets_go_to_the_monitor)
{
	struct seen seen = { 0 };
	dcd_tree_handle_t tree = tree_make(&seen);

	packets_seen = 0;
	ck_assert_int_eq(ocsd_dt_attach_packet_callback(tree, 0, OCSD_C_API_CB_PKT_MON,
							(void *)on_packet, NULL),
			 OCSD_OK);
	feed(tree, vhe_load, sizeof(vhe_load), 7);
	ck_assert_uint_eq(seen.contexts, 1);
	ck_assert_uint_eq(packets_seen, 10);
	ocsd_destroy_dcd_tree(tree);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("record-opencsd");
	TCase *tc = tcase_create("opencsd");
	SRunner *runner;
	int failed;

#ifdef HAVE_OPENCSD
	tcase_add_test(tc, elements_of_a_record);
	tcase_add_test(tc, context_of_an_el1_host_and_no_time);
	tcase_add_test(tc, same_answer_for_any_cutting);
	tcase_add_test(tc, packets_go_to_the_monitor);
#endif
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
