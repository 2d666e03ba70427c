/* SPDX-License-Identifier: GPL-2.0-only */
/* Other programs: finding one, asking it something. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Where a program lies: a path as it is, a name by PATH. False if there is none to run. */
bool program_find(const char *name, char *path, size_t size);

/* What it prints, as much as fits. False if it does not run or exits otherwise than with 0. */
bool program_ask(const char *const *argv, char *text, size_t size);

#endif
