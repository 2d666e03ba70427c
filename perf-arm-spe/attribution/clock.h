/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Three clocks meet here: timer ticks (in the records), the perf clock (what
 * TIME_CONV makes of ticks, and what samples show) and the side-band's clock
 * (another one with -k).
 */
#ifndef SPE_ATTRIBUTION_CLOCK_H
#define SPE_ATTRIBUTION_CLOCK_H

#include <perf-arm-spe/perfdata.h>

struct spe_clock {
	struct spe_time_conv conv;
	bool usable;        /* ticks convert to the perf clock */
	bool linked;        /* ... and the perf clock to the side-band's, which has times */
	int64_t offset_ns;  /* side-band time = perf clock + this, at origin_ns */
	uint64_t origin_ns; /* perf clock */
	double drift;       /* the offset grows by so much per ns from there */
	uint64_t slack_ns;  /* how far off all that may be; 0 with one clock */
};

/*
 * Ticks of a short counter, made whole: from here on, more ticks is later.
 */
static inline uint64_t spe_clock_whole_ticks(const struct spe_clock *clock, uint64_t ticks)
{
	const struct spe_time_conv *conv = &clock->conv;

	return conv->cap_short ? conv->cycles + ((ticks - conv->cycles) & conv->mask) : ticks;
}

/*
 * Whole ticks to the perf clock; only with clock->usable.  The arithmetic of
 * spe_time_from_ticks(), inline because every record takes it.
 */
static inline uint64_t spe_clock_ns(const struct spe_clock *clock, uint64_t whole_ticks)
{
	const struct spe_time_conv *conv = &clock->conv;
	uint64_t quotient = whole_ticks >> conv->shift;
	uint64_t rest = whole_ticks & ((1ull << conv->shift) - 1);

	return conv->zero + quotient * conv->mult + ((rest * conv->mult) >> conv->shift);
}

/* Perf clock to side-band time; only with clock->linked. */
static inline uint64_t spe_clock_side_ns(const struct spe_clock *clock, uint64_t time_ns)
{
	uint64_t drifted = 0;

	if (clock->drift != 0)
		drifted = (uint64_t)(int64_t)((double)(int64_t)(time_ns - clock->origin_ns) *
					      clock->drift);
	return time_ns + (uint64_t)clock->offset_ns + drifted;
}

/* Side-band time to perf clock, keeping the two ends of time where they are. */
static inline uint64_t spe_clock_perf_ns(const struct spe_clock *clock, uint64_t side_ns)
{
	if (side_ns == 0 || side_ns == UINT64_MAX)
		return side_ns;
	side_ns -= (uint64_t)clock->offset_ns;
	/* the drift of the drift is below a nanosecond for any recording */
	if (clock->drift != 0)
		side_ns -= (uint64_t)(int64_t)((double)(int64_t)(side_ns - clock->origin_ns) *
					       clock->drift);
	return side_ns;
}

#endif
