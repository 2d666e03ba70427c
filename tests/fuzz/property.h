/* SPDX-License-Identifier: GPL-2.0-only */
/* What fuzz targets share. */
#ifndef TESTS_FUZZ_PROPERTY_H
#define TESTS_FUZZ_PROPERTY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that look at every byte must not be what the fuzzer watches: it would be all it does. */
#ifdef __clang__
#define UNWATCHED __attribute__((no_sanitize("coverage")))
#else
#define UNWATCHED
#endif

/* A property that does not hold is a finding: abort, so that the fuzzer keeps the input. */
#define PROPERTY(condition)                                                                        \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: ERROR: property does not hold: %s\n", __FILE__,    \
				__LINE__, #condition);                                             \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif
