/* SPDX-License-Identifier: GPL-2.0-only */
/* What the system said no to. */
#ifndef SPE_PERFDATA_SYSTEM_H
#define SPE_PERFDATA_SYSTEM_H

#include <perf-arm-spe/base.h>

/* Fill *error with "WHAT: text of errnum"; returns SPE_IO (SPE_NOMEM for ENOMEM). */
int spe_system_error(struct spe_error *error, int errnum, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

#endif
