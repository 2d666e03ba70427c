/* SPDX-License-Identifier: GPL-2.0-only */
/* SPE behind OpenCSD's interface for custom decoders. */
#include <perf-arm-spe/opencsd.h>

#ifdef HAVE_OPENCSD

#include <perf-arm-spe/limits.h>

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdlib.h>
#include <string.h>

/* Room for what one call left over and a good piece of the next. */
#define WINDOW_BYTES 16384u
#define RECORDS 64u

struct instance {
	struct spe_decoder *decoder;
	ocsd_extern_dcd_cb_fns lib;
	uint8_t cs_id;
	bool monitored;
	uint64_t window_offset; /* stream position of window[0] */
	size_t held;            /* bytes in the window */
	uint64_t damaged;       /* stretches reported so far */
	char name[16];
	uint8_t window[WINDOW_BYTES];
	struct spe_record records[RECORDS];
};

static ocsd_datapath_resp_t element_out(struct instance *in, uint64_t index,
					const ocsd_generic_trace_elem *element)
{
	return in->lib.fn_gen_elem_out(in->lib.lib_context, index, in->cs_id, element);
}

static ocsd_sec_level security_level(uint8_t security)
{
	static const ocsd_sec_level levels[] = {
		[SPE_SECURE] = ocsd_sec_secure,
		[SPE_NONSECURE] = ocsd_sec_nonsecure,
		[SPE_ROOT] = ocsd_sec_root,
		[SPE_REALM] = ocsd_sec_realm,
	};

	return levels[security & 3];
}

static void context_fill(const struct spe_record *r, ocsd_pe_context *context)
{
	context->bits64 = 1;
	context->exception_level = ocsd_EL_unknown;
	context->security_level = ocsd_sec_nonsecure;
	if (r->present & SPE_HAS_EL) {
		context->el_valid = 1;
		context->exception_level = (ocsd_ex_level)r->el;
		context->security_level = security_level(r->security);
	}
	if (r->present & SPE_HAS_CONTEXT_EL1) {
		context->ctxt_id_valid = 1;
		context->context_id = r->context[0];
	}
	if (r->present & SPE_HAS_CONTEXT_EL2) {
		context->vmid_valid = 1;
		context->vmid = r->context[1];
	}
}

static ocsd_datapath_resp_t record_out(struct instance *in, const struct spe_record *r)
{
	ocsd_generic_trace_elem element = { .elem_type = OCSD_GEN_TRC_ELEM_PE_CONTEXT };
	ocsd_datapath_resp_t resp;

	context_fill(r, &element.context);
	element.extended_data = 1;
	element.ptr_extended_data = r;
	resp = element_out(in, r->aux_offset, &element);
	if (!OCSD_DATA_RESP_IS_CONT(resp) || !(r->present & SPE_HAS_TIMESTAMP))
		return resp;
	element = (ocsd_generic_trace_elem){ .elem_type = OCSD_GEN_TRC_ELEM_TIMESTAMP,
					     .timestamp = r->timestamp,
					     .has_ts = 1 };
	return element_out(in, r->aux_offset, &element);
}

/* Each newly passed stretch of damage is one element. */
static ocsd_datapath_resp_t damage_out(struct instance *in, uint64_t index)
{
	const struct spe_decode_stats *stats = spe_decoder_stats(in->decoder);
	ocsd_generic_trace_elem element = { .elem_type = OCSD_GEN_TRC_ELEM_NO_SYNC };
	uint64_t damaged = 0;

	for (unsigned i = 0; i < SPE_DROP_KINDS; i++)
		damaged += stats->drops[i];
	if (damaged == in->damaged)
		return OCSD_RESP_CONT;
	in->damaged = damaged;
	element.unsync_eot_info = UNSYNC_BAD_PACKET;
	return element_out(in, index, &element);
}

/* Show the packets of consumed bytes to the monitor. */
static void packets_show(const struct instance *in, size_t n)
{
	size_t pos = 0;

	while (in->monitored && pos < n) {
		struct spe_packet packet = { .kind = SPE_PACKET_UNKNOWN };
		uint64_t index = in->window_offset + pos;
		size_t step = 1;

		if (!spe_packet_decode(in->window + pos, n - pos, index, &packet))
			step = packet.length_bytes;
		in->lib.fn_packet_mon(in->lib.lib_context, OCSD_OP_DATA, index, &packet,
				      (uint32_t)step, in->window + pos);
		pos += step;
	}
}

/* Decode what the window holds; `last`: nothing will follow. */
static ocsd_datapath_resp_t window_decode(struct instance *in, bool last)
{
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	size_t used = 1;

	while (used && in->held && OCSD_DATA_RESP_IS_CONT(resp)) {
		struct spe_record_array array = { .first = in->records,
						  .stride_bytes = sizeof(in->records[0]),
						  .room = RECORDS };

		if (spe_decoder_decode(in->decoder, in->window, in->held, in->window_offset, last,
				       &array, &used))
			return OCSD_RESP_FATAL_SYS_ERR;
		packets_show(in, used);
		for (size_t i = 0; i < array.count && OCSD_DATA_RESP_IS_CONT(resp); i++)
			resp = record_out(in, &in->records[i]);
		if (OCSD_DATA_RESP_IS_CONT(resp))
			resp = damage_out(in, in->window_offset + used);
		memmove(in->window, in->window + used, in->held - used);
		in->held -= used;
		in->window_offset += used;
	}
	return resp;
}

static ocsd_datapath_resp_t data_take(struct instance *in, ocsd_trc_index_t index, uint32_t n,
				      const uint8_t *bytes, uint32_t *taken)
{
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;

	*taken = 0;
	while (*taken < n && OCSD_DATA_RESP_IS_CONT(resp)) {
		size_t room = WINDOW_BYTES - in->held, step = n - *taken < room ? n - *taken : room;

		if (!in->held)
			in->window_offset = index + *taken;
		memcpy(in->window + in->held, bytes + *taken, step);
		in->held += step;
		*taken += (uint32_t)step;
		resp = window_decode(in, false);
	}
	return resp;
}

static ocsd_datapath_resp_t end_of_trace(struct instance *in)
{
	ocsd_generic_trace_elem element = { .elem_type = OCSD_GEN_TRC_ELEM_EO_TRACE };
	ocsd_datapath_resp_t resp = window_decode(in, true);

	return OCSD_DATA_RESP_IS_CONT(resp) ? element_out(in, in->window_offset, &element) : resp;
}

static ocsd_datapath_resp_t data_in(const void *handle, const ocsd_datapath_op_t op,
				    const ocsd_trc_index_t index, const uint32_t n,
				    const uint8_t *bytes, uint32_t *taken)
{
	struct instance *in = (struct instance *)(uintptr_t)handle;

	switch (op) {
	case OCSD_OP_DATA:
		return data_take(in, index, n, bytes, taken);
	case OCSD_OP_EOT:
		return end_of_trace(in);
	case OCSD_OP_RESET:
		in->held = 0;
		spe_decoder_restart(in->decoder, 0, false);
		return OCSD_RESP_CONT;
	case OCSD_OP_FLUSH:
		return OCSD_RESP_CONT;
	}
	return OCSD_RESP_FATAL_INVALID_OP;
}

static void monitor_flags(const void *handle, const int flags)
{
	struct instance *in = (struct instance *)(uintptr_t)handle;

	in->monitored = flags & OCSD_CUST_DCD_PKT_CB_USE_MON;
}

static ocsd_err_t instance_create(const int flags, const void *config,
				  const ocsd_extern_dcd_cb_fns *lib, ocsd_extern_dcd_inst_t *out)
{
	const struct spe_opencsd_config *c = config;
	struct spe_decoder_opts opts = { .size = sizeof(opts) };
	struct instance *in;

	if (!c || c->size < sizeof(*c) || !(flags & OCSD_CREATE_FLG_FULL_DECODER))
		return OCSD_ERR_INVALID_PARAM_VAL;
	in = calloc(1, sizeof(*in));
	opts.align_bytes = c->align_bytes;
	if (!in || spe_decoder_new(&opts, &in->decoder)) {
		free(in);
		return OCSD_ERR_MEM;
	}
	in->lib = *lib;
	in->cs_id = c->cs_id;
	memcpy(in->name, SPE_OPENCSD_NAME, sizeof(SPE_OPENCSD_NAME));
	out->fn_data_in = data_in;
	out->fn_update_pkt_mon = monitor_flags;
	out->decoder_handle = in;
	out->p_decoder_name = in->name;
	out->cs_id = c->cs_id;
	return OCSD_OK;
}

static ocsd_err_t instance_destroy(const void *handle)
{
	struct instance *in = (struct instance *)(uintptr_t)handle;

	spe_decoder_free(in->decoder);
	free(in);
	return OCSD_OK;
}

static ocsd_err_t id_of_config(const void *config, unsigned char *id)
{
	const struct spe_opencsd_config *c = config;

	if (!c || c->size < sizeof(*c))
		return OCSD_ERR_INVALID_PARAM_VAL;
	*id = c->cs_id;
	return OCSD_OK;
}

static ocsd_err_t packet_text(const void *packet, char *text, const int size)
{
	if (size <= 0 || spe_packet_describe(packet, 0, text, (size_t)size))
		return OCSD_ERR_INVALID_PARAM_VAL;
	return OCSD_OK;
}

int spe_opencsd_factory(struct _ocsd_extern_dcd_fact *factory)
{
	*factory = (ocsd_extern_dcd_fact_t){ .createDecoder = instance_create,
					     .destroyDecoder = instance_destroy,
					     .csidFromConfig = id_of_config,
					     .pktToString = packet_text };
	return SPE_OK;
}

#else

int spe_opencsd_factory(struct _ocsd_extern_dcd_fact *factory)
{
	(void)factory;
	return SPE_UNSUPPORTED;
}

#endif
