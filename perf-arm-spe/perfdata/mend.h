/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The size of trace is a claim of the file.  One that is too large takes other
 * records for trace, maybe another CPU's trace with them: it is held against
 * the records that follow, and mended where they begin inside.
 */
#ifndef SPE_PERFDATA_MEND_H
#define SPE_PERFDATA_MEND_H

#include <perf-arm-spe/perfdata.h>

/*
 * Somebody who knows more thinks that the data of the AUXTRACE record at an
 * offset of a file ends after so many bytes.  If a record stands there, that
 * is what is read from the next rewind on.
 * SPE_OK, SPE_NOT_FOUND when none stands there, SPE_NOMEM, SPE_LIMIT.
 */
int spe_perfdata_mend(struct spe_perfdata *pd, uint32_t file_index, uint64_t offset,
		      uint64_t bytes);

#endif
