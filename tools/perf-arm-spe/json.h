/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

/* A text in quotes, escaped by the rule of the library: UTF-8 stays, what is none becomes U+FFFD.
 */
void json_string(const char *text, FILE *out);

/* A number of so many digits; null where JSON has none for it. */
void json_number(double number, unsigned digits, FILE *out);

#endif
