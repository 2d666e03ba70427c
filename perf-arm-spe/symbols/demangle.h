/* SPDX-License-Identifier: GPL-2.0-only */
/* C++ and Rust names as people write them. */
#ifndef SPE_SYMBOLS_DEMANGLE_H
#define SPE_SYMBOLS_DEMANGLE_H

#include <perf-arm-spe/base.h>

/*
 * The readable form of a name, NUL-terminated, cut at room - 1 bytes; false when
 * the name is no mangled one, or what it stands for has no end.
 */
bool spe_demangle(const char *name, char *to, size_t room);

#endif
