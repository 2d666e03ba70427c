/* SPDX-License-Identifier: GPL-2.0-only */
#include "unzip.h"

#ifdef HAVE_ZSTD

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct spe_unzip {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool pending; /* it filled all room last time: there may be more without new input */
};

int spe_unzip_new(struct spe_unzip **unzip)
{
	*unzip = calloc(1, sizeof(**unzip));
	if (!*unzip)
		return SPE_NOMEM;
	(*unzip)->stream = ZSTD_createDStream();
	if ((*unzip)->stream)
		return SPE_OK;
	free(*unzip);
	*unzip = NULL;
	return SPE_NOMEM;
}

void spe_unzip_free(struct spe_unzip *unzip)
{
	if (!unzip)
		return;
	ZSTD_freeDStream(unzip->stream);
	free(unzip);
}

void spe_unzip_feed(struct spe_unzip *unzip, const uint8_t *bytes, size_t n)
{
	unzip->in = (ZSTD_inBuffer){ .src = bytes, .size = n };
	unzip->pending = false;
}

int spe_unzip_run(struct spe_unzip *unzip, uint8_t *to, size_t room, size_t *made,
		  const char **reason)
{
	ZSTD_outBuffer out = { .dst = to, .size = room };

	while (out.pos < room && (unzip->in.pos < unzip->in.size || unzip->pending)) {
		size_t before_in = unzip->in.pos, before_out = out.pos;
		size_t left = ZSTD_decompressStream(unzip->stream, &out, &unzip->in);

		if (ZSTD_isError(left)) {
			*reason = ZSTD_getErrorName(left);
			return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
				       ? SPE_NOMEM
				       : SPE_CORRUPT;
		}
		unzip->pending = out.pos == room;
		if (unzip->in.pos == before_in && out.pos == before_out)
			break;
	}
	*made = out.pos;
	return SPE_OK;
}

#else

int spe_unzip_new(struct spe_unzip **unzip)
{
	*unzip = NULL;
	return SPE_UNSUPPORTED;
}

void spe_unzip_free(struct spe_unzip *unzip)
{
	(void)unzip;
}

void spe_unzip_feed(struct spe_unzip *unzip, const uint8_t *bytes, size_t n)
{
	(void)unzip;
	(void)bytes;
	(void)n;
}

int spe_unzip_run(struct spe_unzip *unzip, uint8_t *to, size_t room, size_t *made,
		  const char **reason)
{
	(void)unzip;
	(void)to;
	(void)room;
	*made = 0;
	*reason = "this build has no libzstd";
	return SPE_UNSUPPORTED;
}

#endif
