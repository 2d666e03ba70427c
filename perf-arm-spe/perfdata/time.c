/* SPDX-License-Identifier: GPL-2.0-only */
/* The mmap page's conversion, as the comment in the kernel's perf_event.h gives it. */
#include <perf-arm-spe/perfdata.h>

static bool conv_usable(const struct spe_time_conv *conv)
{
	return conv->present && conv->mult && conv->shift < 64;
}

bool spe_time_from_ticks(const struct spe_time_conv *conv, uint64_t ticks, uint64_t *time_ns)
{
	uint64_t whole, rest;

	if (!conv_usable(conv))
		return false;
	if (conv->cap_short)
		ticks = conv->cycles + ((ticks - conv->cycles) & conv->mask);
	whole = ticks >> conv->shift;
	rest = ticks & ((UINT64_C(1) << conv->shift) - 1);
	*time_ns = conv->zero + whole * conv->mult + (rest * conv->mult >> conv->shift);
	return true;
}

bool spe_time_to_ticks(const struct spe_time_conv *conv, uint64_t time_ns, uint64_t *ticks)
{
	uint64_t since, whole, rest;

	if (!conv_usable(conv))
		return false;
	since = time_ns - conv->zero;
	whole = since / conv->mult;
	rest = since % conv->mult;
	*ticks = (whole << conv->shift) + ((rest << conv->shift) / conv->mult);
	return true;
}
