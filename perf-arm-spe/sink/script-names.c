/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of tasks, dressed once for the format and copied from then on. */
#include <stdlib.h>

#include "../base/vec.h"
#include "json.h"
#include "script.h"

struct name_bytes {
	SPE_VEC(char) bytes;
	int status;
};

static int keep_bytes(void *priv, const char *bytes, size_t n)
{
	struct name_bytes *kept = priv;
	size_t count = kept->bytes.count;
	int status = spe_vec_reserve(&kept->bytes, count + n, UINT32_MAX);

	if (status)
		return status;
	memcpy(kept->bytes.items + count, bytes, n);
	kept->bytes.count = count + n;
	return SPE_OK;
}

static void put_padded(struct spe_text *text, const char *name)
{
	char safe[4 * SPE_LIMIT_COMM_BYTES + 1];
	size_t n = spe_name_escape(safe, sizeof(safe), name);

	for (size_t columns = spe_name_columns(safe); columns < SCRIPT_COMM_COLUMNS; columns++)
		spe_text_char(text, ' ');
	spe_text_put(text, safe, n);
}

static void put_name(const struct spe_script *script, struct spe_text *text, const char *name)
{
	if (script->format == SPE_FORMAT_JSON)
		spe_json_quote(text, name);
	else if (script->format == SPE_FORMAT_CSV)
		spe_text_csv(text, name);
	else
		put_padded(text, name);
}

static int write_name(const struct spe_script *script, struct spe_text *text,
		      struct name_bytes *kept, const char *name, struct script_name *made)
{
	size_t before = kept->bytes.count;
	int status;

	put_name(script, text, name ? name : "");
	status = spe_text_flush(text);
	made->offset = (uint32_t)before;
	made->bytes = (uint32_t)(kept->bytes.count - before);
	return status;
}

static int write_names(struct spe_script *script, struct spe_text *text, struct name_bytes *kept)
{
	int status = write_name(script, text, kept, "swapper", &script->idle);

	for (size_t i = 0; i < script->comm_count && !status; i++)
		status = write_name(script, text, kept,
				    spe_recording_comm(script->recording, (uint32_t)i),
				    &script->comms[i]);
	return status;
}

int spe_script_names(struct spe_script *script)
{
	struct name_bytes kept = { .status = SPE_OK };
	struct spe_out out = { .write = keep_bytes, .priv = &kept };
	struct spe_text *text = malloc(sizeof(*text));
	int status;

	script->comm_count = spe_recording_comms(script->recording);
	script->comms = calloc(script->comm_count ? script->comm_count : 1, sizeof(*script->comms));
	if (!text || !script->comms) {
		free(text);
		return SPE_NOMEM;
	}
	spe_text_init(text, &out);
	status = write_names(script, text, &kept);
	free(text);
	script->names = kept.bytes.items;
	return status;
}
