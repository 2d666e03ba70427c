/* SPDX-License-Identifier: GPL-2.0-only */
/* A perf.data without some of its records. */
#ifndef SPE_ASM_STRIP_H
#define SPE_ASM_STRIP_H

/* types: "switch,comm" or numbers. */
void strip(const char *types, const char *from, const char *to);

#endif
