/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * OpenCSD's decode tree, packets only.  Known of libopencsd 1.3.3: packet
 * callbacks on an ETE processor fail, an ETMv4 one with TRCIDR1 unchanged reads
 * ETE; in a single-source tree the callback is attached at id 0; formatted input
 * comes in multiples of 16 bytes; context fields hold nothing until updated.
 */
#include "etm.h"

#include <perf-arm-spe/limits.h>

#include <stdlib.h>

#ifdef HAVE_OPENCSD

#include <opencsd/c_api/opencsd_c_api.h>

#define FRAME_BYTES 16u
/* TRCIDR1.TRCARCHMIN at or above this: 64-bit ETMv4.4 and later. */
#define ARCH_MINOR_AA64 4u
/* What the decoder takes in one call: it counts used bytes in 32 bits. */
#define CALL_BYTES_MAX (1u << 30)
/* After this many fatal answers in one block the rest of it is given up. */
#define FATAL_MAX 100000u

struct etm_tree {
	struct spe_etm *etm;
	dcd_tree_handle_t handle;
	ocsd_etmv4_cfg *configs; /* OpenCSD reads them at creation only; kept for safety */
	bool formatted;
};

static void context_keep(struct etm_unit *unit, uint64_t index)
{
	struct spe_etm *etm = unit->etm;
	struct spe_etm_context c = {
		.cpu = unit->source.cpu,
		.aux_offset = etm->place.aux_offset + index,
		.has_context = unit->has_context,
		.has_vmid = unit->has_vmid,
		.has_el = unit->has_el,
		.has_timestamp = unit->has_timestamp,
		.has_bounds = etm->place.has_bounds,
		.context_id = unit->context_id,
		.vmid = unit->vmid,
		.el = unit->el,
		.security = unit->security,
		.timestamp = unit->timestamp,
		.after_ns = etm->place.after_ns,
		.before_ns = etm->place.before_ns,
	};

	if (unit->source.pid_format == SPE_ETM_PID_EL1) {
		c.has_tid = unit->has_context;
		c.tid = unit->context_id;
	} else if (unit->source.pid_format == SPE_ETM_PID_EL2) {
		c.has_tid = unit->has_vmid;
		c.tid = unit->vmid;
	}
	unit->stats.contexts++;
	if (!etm->status)
		etm->status = spe_vec_push(&etm->contexts, &c, SPE_LIMIT_SWITCHES);
	unit->current = etm->status ? 0 : etm->contexts.count;
}

static void context_update(struct etm_unit *unit, const ocsd_etmv4_i_pkt *p, uint64_t index)
{
	if (!p->pkt_valid.bits.context_valid || !p->context.updated)
		return;
	unit->has_el = true;
	unit->el = p->context.EL;
	unit->security = (uint8_t)(p->context.NSE << 1 | p->context.NS);
	if (p->context.updated_c) {
		unit->has_context = true;
		unit->context_id = p->context.ctxtID;
	}
	if (p->context.updated_v) {
		unit->has_vmid = true;
		unit->vmid = p->context.VMID;
	}
	if (unit->has_context || unit->has_vmid)
		context_keep(unit, index);
}

static void unit_forget(struct etm_unit *unit)
{
	unit->has_context = unit->has_vmid = false;
	unit->has_el = unit->has_timestamp = false;
	unit->pending = unit->etm->contexts.count;
	unit->current = 0;
}

static void timestamp_update(struct etm_unit *unit, uint64_t timestamp)
{
	struct spe_etm *etm = unit->etm;

	for (size_t i = unit->pending; i < etm->contexts.count; i++) {
		struct spe_etm_context *c = &etm->contexts.items[i];

		if (c->cpu == unit->source.cpu) {
			c->has_next_timestamp = true;
			c->next_timestamp = c->until_timestamp = timestamp;
		}
	}
	if (unit->current)
		etm->contexts.items[unit->current - 1].until_timestamp = timestamp;
	unit->pending = etm->contexts.count;
	unit->has_timestamp = true;
	unit->timestamp = timestamp;
	unit->stats.timestamps++;
}

static bool packet_bad(int type)
{
	return type >= ETM4_PKT_I_BAD_SEQUENCE && type <= ETM4_PKT_I_RESERVED_CFG;
}

/* Does a packet of this type carry address and context? Only then is the context part of it new. */
static bool packet_has_context(int type)
{
	return type == ETM4_PKT_I_CTXT ||
	       (type >= ETM4_PKT_I_ADDR_CTXT_L_32IS0 && type <= ETM4_PKT_I_ADDR_CTXT_L_64IS1);
}

static ocsd_datapath_resp_t packet_in(const void *context, const ocsd_datapath_op_t op,
				      const ocsd_trc_index_t index, const void *packet)
{
	struct etm_unit *unit = (struct etm_unit *)(uintptr_t)context;
	const ocsd_etmv4_i_pkt *p = packet;

	if (op != OCSD_OP_DATA || !p)
		return OCSD_RESP_CONT;
	if (p->type == ETM4_PKT_I_NOTSYNC || p->type == ETM4_PKT_I_INCOMPLETE_EOT)
		return OCSD_RESP_CONT;
	unit->stats.packets++;
	unit->stats.bad_packets += packet_bad((int)p->type);
	unit->stats.overflows += p->type == ETM4_PKT_I_OVERFLOW;
	if (p->type == ETM4_PKT_I_TIMESTAMP && p->pkt_valid.bits.ts_valid)
		timestamp_update(unit, p->ts.timestamp);
	if (packet_has_context((int)p->type))
		context_update(unit, p, index);
	return unit->etm->status ? OCSD_RESP_FATAL_SYS_ERR : OCSD_RESP_CONT;
}

/* The monitor sees a packet's bytes too: those before the first synchronisation are counted. */
static void packet_seen(const void *context, const ocsd_datapath_op_t op,
			const ocsd_trc_index_t index, const void *packet, const uint32_t size,
			const uint8_t *bytes)
{
	struct etm_unit *unit = (struct etm_unit *)(uintptr_t)context;
	const ocsd_etmv4_i_pkt *p = packet;

	(void)index;
	(void)bytes;
	if (op == OCSD_OP_DATA && p && p->type == ETM4_PKT_I_NOTSYNC)
		unit->stats.before_sync_bytes += size;
}

static bool callback_attach(struct etm_tree *tree, unsigned char csid, ocsd_c_api_cb_types kind,
			    void *function, struct etm_unit *unit)
{
	/* A single-source tree keeps its decoder at id 0 whatever the unit's own id. */
	return ocsd_dt_attach_packet_callback(tree->handle, tree->formatted ? csid : 0, kind,
					      function, unit) == OCSD_OK;
}

static void config_make(const struct spe_etm_source *s, ocsd_etmv4_cfg *cfg)
{
	*cfg = (ocsd_etmv4_cfg){
		.reg_idr0 = s->idr0,
		.reg_idr1 = s->idr1,
		.reg_idr2 = s->idr2,
		.reg_idr8 = s->idr8,
		.reg_configr = s->configr,
		.reg_traceidr = s->trace_id,
		.arch_ver = ((s->idr1 >> 4) & 0xf) >= ARCH_MINOR_AA64 ? ARCH_AA64 : ARCH_V8,
		.core_prof = profile_CortexA,
	};
}

static bool unit_attach(struct etm_tree *tree, struct etm_unit *unit, ocsd_etmv4_cfg *cfg)
{
	unsigned char csid = 0;

	if (!unit->source.supported || (tree->formatted && !unit->source.trace_id))
		return false;
	config_make(&unit->source, cfg);
	if (ocsd_dt_create_decoder(tree->handle, OCSD_BUILTIN_DCD_ETMV4I,
				   OCSD_CREATE_FLG_PACKET_PROC, cfg, &csid) != OCSD_OK)
		return false;
	return callback_attach(tree, csid, OCSD_C_API_CB_PKT_SINK, (void *)packet_in, unit) &&
	       callback_attach(tree, csid, OCSD_C_API_CB_PKT_MON, (void *)packet_seen, unit);
}

int etm_tree_new(struct spe_etm *etm, bool formatted, size_t unit, struct etm_tree **out)
{
	struct etm_tree *tree = calloc(1, sizeof(*tree));
	size_t attached = 0;

	*out = NULL;
	if (!tree)
		return SPE_NOMEM;
	tree->etm = etm;
	tree->formatted = formatted;
	tree->configs = calloc(etm->units.count + 1, sizeof(*tree->configs));
	tree->handle = formatted ? ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
							OCSD_DFRMTR_FRAME_MEM_ALIGN |
								OCSD_DFRMTR_RESET_ON_4X_FSYNC)
				 : ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (!tree->configs || tree->handle == C_API_INVALID_TREE_HANDLE) {
		etm_tree_free(tree);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < etm->units.count; i++)
		if (formatted || i == unit)
			attached += unit_attach(tree, &etm->units.items[i], &tree->configs[i]);
	if (!attached) {
		etm_tree_free(tree);
		return SPE_INVALID;
	}
	*out = tree;
	return SPE_OK;
}

void etm_tree_free(struct etm_tree *tree)
{
	if (!tree)
		return;
	if (tree->handle != C_API_INVALID_TREE_HANDLE)
		ocsd_destroy_dcd_tree(tree->handle);
	free(tree->configs);
	free(tree);
}

static void tree_reset(struct etm_tree *tree)
{
	uint32_t used = 0;

	ocsd_dt_process_data(tree->handle, OCSD_OP_RESET, 0, 0, NULL, &used);
	for (size_t i = 0; i < tree->etm->units.count; i++)
		unit_forget(&tree->etm->units.items[i]);
}

/* Bytes to step over after a fatal answer, so that the loop always moves on. */
static uint32_t step_over(const struct etm_tree *tree, uint32_t used, uint32_t left)
{
	uint32_t step = used ? used : 1;

	if (tree->formatted)
		step = (step + FRAME_BYTES - 1) / FRAME_BYTES * FRAME_BYTES;
	return step < left ? step : left;
}

int etm_tree_decode(struct etm_tree *tree, const uint8_t *bytes, size_t n)
{
	size_t whole = tree->formatted ? n / FRAME_BYTES * FRAME_BYTES : n, pos = 0;
	uint32_t used = 0, fatal = 0;

	tree_reset(tree);
	while (pos < whole && fatal < FATAL_MAX && !tree->etm->status) {
		uint32_t left =
			whole - pos > CALL_BYTES_MAX ? CALL_BYTES_MAX : (uint32_t)(whole - pos);
		ocsd_datapath_resp_t resp;

		used = 0;
		resp = ocsd_dt_process_data(tree->handle, OCSD_OP_DATA, pos, left, bytes + pos,
					    &used);
		if (OCSD_DATA_RESP_IS_FATAL(resp)) {
			fatal++;
			pos += step_over(tree, used, left);
			tree_reset(tree);
		} else if (OCSD_DATA_RESP_IS_WAIT(resp)) {
			pos += used;
			ocsd_dt_process_data(tree->handle, OCSD_OP_FLUSH, pos, 0, NULL, &used);
		} else {
			pos += used ? used : left;
		}
	}
	ocsd_dt_process_data(tree->handle, OCSD_OP_EOT, pos, 0, NULL, &used);
	tree->etm->totals.fatal_errors += fatal;
	return tree->etm->status;
}

#else /* HAVE_OPENCSD */

int etm_tree_new(struct spe_etm *etm, bool formatted, size_t unit, struct etm_tree **out)
{
	(void)etm;
	(void)formatted;
	(void)unit;
	*out = NULL;
	return SPE_UNSUPPORTED;
}

void etm_tree_free(struct etm_tree *tree)
{
	(void)tree;
}

int etm_tree_decode(struct etm_tree *tree, const uint8_t *bytes, size_t n)
{
	(void)tree;
	(void)bytes;
	(void)n;
	return SPE_UNSUPPORTED;
}

#endif
