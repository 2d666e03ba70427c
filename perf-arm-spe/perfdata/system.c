/* SPDX-License-Identifier: GPL-2.0-only */
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int spe_system_error(struct spe_error *error, int errnum, const char *what, ...)
{
	char text[SPE_ERROR_TEXT], reason[128];
	int status = errnum == ENOMEM ? SPE_NOMEM : SPE_IO;
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof(text), what, args);
	va_end(args);
	status = spe_error_set(error, status, "%.380s: %s", text,
			       strerror_r(errnum, reason, sizeof(reason)));
	if (error)
		error->sys_errno = errnum;
	return status;
}
