/* SPDX-License-Identifier: GPL-2.0-only */
/* Large made-up recordings whose every owner is known. */
#ifndef SPE_ASM_GENERATE_H
#define SPE_ASM_GENERATE_H

/* spec: "records=N,cpus=N,..." (docs/spe-asm.md); settings and truth may be NULL. */
void generate(const char *spec, const char *settings, const char *path, const char *truth);

#endif
