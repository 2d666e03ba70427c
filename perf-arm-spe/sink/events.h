/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits of the Events packet (spe_record.events): Arm ARM, Events packet. */
#ifndef SPE_SINK_EVENTS_H
#define SPE_SINK_EVENTS_H

enum spe_event_bit {
	SPE_EV_L1D_ACCESS = 1u << 2,
	SPE_EV_L1D_REFILL = 1u << 3,
	SPE_EV_TLB_ACCESS = 1u << 4,
	SPE_EV_TLB_REFILL = 1u << 5,
	SPE_EV_NOT_TAKEN = 1u << 6,
	SPE_EV_MISPRED = 1u << 7,
	SPE_EV_LLC_ACCESS = 1u << 8,
	SPE_EV_LLC_REFILL = 1u << 9,
	SPE_EV_REMOTE = 1u << 10,
	SPE_EV_MISALIGNED = 1u << 11,
	SPE_EV_TXN = 1u << 16,
	SPE_EV_L2D_ACCESS = 1u << 19,
	SPE_EV_L2D_MISS = 1u << 20,
	SPE_EV_HITM = 1u << 21,
	SPE_EV_LFB = 1u << 22,
	SPE_EV_SNOOPED = 1u << 23,
};

#endif
