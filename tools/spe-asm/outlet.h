/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where records go: a perf.data file through the library's writer, or a bare
 * data.N of a directory; compressed on the way if so asked.
 */
#ifndef SPE_ASM_OUTLET_H
#define SPE_ASM_OUTLET_H

#include <stdio.h>

#include "recording.h"

struct outlet {
	struct spe_perfdata_writer *writer; /* or NULL, and then: */
	FILE *file;
	char *path;
	struct buffer records; /* not yet written */
	struct buffer plain;   /* to be compressed before anything else is written */
	struct outlet_zstd *zstd;
	unsigned compress; /* enum compress */
	bool no_index;     /* AUXTRACE records are not remembered */
};

/* Append whole records. */
void outlet_records(struct outlet *o, const uint8_t *bytes, size_t n);
/* Append whole records that may be compressed. */
void outlet_compressible(struct outlet *o, const uint8_t *bytes, size_t n);
/* An AUXTRACE record and its data, which is a multiple of 8 bytes. */
void outlet_auxtrace(struct outlet *o, const uint8_t *record, size_t record_bytes,
		     const uint8_t *data, size_t data_bytes);
/* Write what is still waiting. */
void outlet_flush(struct outlet *o);
/* Flush and close a bare file; the writer is not touched. */
void outlet_close(struct outlet *o);

/* The most plain bytes of one COMPRESSED record; feature COMPRESSED says so too. */
#define OUTLET_PLAIN_BYTES 20000u

#endif
