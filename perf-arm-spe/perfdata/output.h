/* SPDX-License-Identifier: GPL-2.0-only */
/* A buffered output file that appears under its name only when it is complete. */
#ifndef SPE_PERFDATA_OUTPUT_H
#define SPE_PERFDATA_OUTPUT_H

#include <perf-arm-spe/base.h>

struct spe_output {
	int fd;
	char *path;  /* where it will appear; NULL: nothing to rename */
	char *temp;  /* its name until then; NULL: it has none */
	char *name;  /* for messages */
	bool stream; /* not a regular file: no seeking back */
	uint8_t *buffer;
	size_t used;
	uint64_t offset; /* of the next byte, buffered ones counted */
	int status;      /* of the first failure, kept */
	struct spe_error error;
};

/* Would writing to path destroy what is read from input?  "-" is a standard stream in both. */
bool spe_output_is_input(const char *path, const char *input);
/* Begin.  "-" is standard output.  SPE_OK, SPE_IO, SPE_NOMEM; on failure there is nothing to end.
 */
int spe_output_open(struct spe_output *o, const char *path, uint64_t reserve_bytes,
		    struct spe_error *error);
/* Append.  SPE_OK, SPE_IO, SPE_CLOSED; the same ever after. */
int spe_output_write(struct spe_output *o, const void *bytes, size_t n, struct spe_error *error);
/* Overwrite n bytes at an offset already written (regular files only). */
int spe_output_patch(struct spe_output *o, uint64_t offset, const void *bytes, size_t n,
		     struct spe_error *error);
/* Write what is buffered, give the file its name, close. */
int spe_output_finish(struct spe_output *o, struct spe_error *error);
/* Close and leave nothing behind. */
void spe_output_abort(struct spe_output *o);

#endif
