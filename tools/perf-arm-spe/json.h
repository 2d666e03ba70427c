/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

/* A text in quotes, escaped. */
void json_string(const char *text, FILE *out);

#endif
