/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record, for OpenCSD: SPE as a custom decoder, so that a decode tree can carry
 * it beside ETM.
 *
 *	ocsd_extern_dcd_fact_t factory;
 *	struct spe_opencsd_config config = { .size = sizeof(config), .cs_id = 0x10 };
 *
 *	spe_opencsd_factory(&factory);
 *	ocsd_register_custom_decoder(SPE_OPENCSD_NAME, &factory);
 *	tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
 *	ocsd_dt_create_decoder(tree, SPE_OPENCSD_NAME, OCSD_CREATE_FLG_FULL_DECODER, &config, &id);
 *	ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL);
 *
 * Two traps of libopencsd 1.3.3: set the element callback after the decoder was
 * created, else it is never called; and never call ocsd_deregister_decoders()
 * once a custom decoder is registered, it uses memory it has freed.
 */
#ifndef PERF_ARM_SPE_OPENCSD_H
#define PERF_ARM_SPE_OPENCSD_H

#include <perf-arm-spe/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The name to register the factory under. */
#define SPE_OPENCSD_NAME "ARM_SPE"

struct _ocsd_extern_dcd_fact;

/** Configuration of one decoder: what ocsd_dt_create_decoder() is given. */
struct spe_opencsd_config {
	size_t size;          /**< sizeof(struct spe_opencsd_config) */
	uint8_t cs_id;        /**< trace id the tree knows the stream by, 1-0x6f */
	uint32_t align_bytes; /**< as spe_decoder_opts.align_bytes */
};

/**
 * Fill a decoder factory (ocsd_extern_dcd_fact_t) for
 * ocsd_register_custom_decoder().  Decoders made by it give, for each record:
 *
 * OCSD_GEN_TRC_ELEM_PE_CONTEXT: exception level and security state of the PC
 * (el_valid), CONTEXTIDR_EL1 as context_id (ctxt_id_valid), CONTEXTIDR_EL2 as
 * vmid (vmid_valid), as ETM with VMIDOPT gives it; what the record does not hold
 * is not valid.  ptr_extended_data points to the struct spe_record, for the
 * time of the call (extended_data is set).
 *
 * OCSD_GEN_TRC_ELEM_TIMESTAMP: its timestamp, if it has one.
 *
 * Damaged stretches give no element; OCSD_GEN_TRC_ELEM_NO_SYNC marks that one was
 * passed.  Packets go to the packet monitor, where one is attached, as struct
 * spe_packet.  Only OCSD_CREATE_FLG_FULL_DECODER is supported.
 *
 * Returns SPE_OK, or SPE_UNSUPPORTED without OpenCSD in this build.
 */
SPE_API SPE_MUST_CHECK int spe_opencsd_factory(struct _ocsd_extern_dcd_fact *factory);

#ifdef __cplusplus
}
#endif
#endif
