/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace bytes to text, which assembles to the same bytes again. */
#ifndef SPE_ASM_DISASSEMBLE_H
#define SPE_ASM_DISASSEMBLE_H

#include "buffer.h"

/* Bytes that stand at the start of a trace; text is not NUL-terminated. */
void disassemble(const uint8_t *bytes, size_t n, struct buffer *text);

#endif
