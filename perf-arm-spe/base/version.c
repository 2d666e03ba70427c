/* SPDX-License-Identifier: GPL-2.0-only */
#include <perf-arm-spe/base.h>

#ifndef SPE_VERSION
#define SPE_VERSION "0.0.0"
#endif

/* HAVE_x come from the Makefile's probes. */
#ifdef HAVE_ZSTD
#define ZSTD true
#else
#define ZSTD false
#endif
#ifdef HAVE_LIBTRACEEVENT
#define TRACEEVENT true
#else
#define TRACEEVENT false
#endif
#ifdef HAVE_LIBDW
#define DW true
#else
#define DW false
#endif
#ifdef HAVE_OPENCSD
#define OPENCSD true
#else
#define OPENCSD false
#endif
#ifdef HAVE_LIBPERF
#define LIBPERF true
#else
#define LIBPERF false
#endif
#ifdef HAVE_RMATH
#define RMATH true
#else
#define RMATH false
#endif
#ifdef HAVE_ZLIB
#define ZLIB true
#else
#define ZLIB false
#endif
#ifdef HAVE_CHARTJS
#define CHARTJS true
#else
#define CHARTJS false
#endif
#ifdef HAVE_DEMANGLE
#define DEMANGLE true
#else
#define DEMANGLE false
#endif

static const struct {
	const char *name;
	bool present;
} features[] = {
	{ "libperf", LIBPERF },    { "libtraceevent", TRACEEVENT },
	{ "libzstd", ZSTD },       { "libdw", DW },
	{ "libopencsd", OPENCSD }, { "libiberty", DEMANGLE },
	{ "r-mathlib", RMATH },    { "zlib", ZLIB },
	{ "chart.js", CHARTJS },
};

const char *spe_version(void)
{
	return SPE_VERSION;
}

int spe_feature(unsigned index, const char **name, bool *present)
{
	if (index >= sizeof(features) / sizeof(features[0]))
		return SPE_END;
	*name = features[index].name;
	*present = features[index].present;
	return SPE_OK;
}
