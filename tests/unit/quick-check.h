/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before every unit test (see the Makefile).  libcheck writes a
 * message through a pipe for each assertion that holds, to tell the last one
 * before a crash; a test with a million assertions spends its time there.
 * Sanitizers tell where a crash was, so that message is left out.
 */
#ifndef TESTS_UNIT_QUICK_CHECK_H
#define TESTS_UNIT_QUICK_CHECK_H

#include <check.h>

#define _mark_point(file, line) ((void)0)

/*
 * Loops over everything there is cost several times as much with sanitizers,
 * which look for other faults than a wrong answer: there every nth will do.
 * `make check-long` defines THOROUGH.
 */
#if defined(__SANITIZE_ADDRESS__) && !defined(THOROUGH)
#define THINNED(n) (n)
#else
#define THINNED(n) 1
#endif

#endif
