/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: finding them, and what they need to know of a recording. */
#include "keys-private.h"

#include <stdio.h>
#include <stdlib.h>

static const struct spe_key *const lists[] = { spe_keys_who, spe_keys_what, spe_keys_symbols,
					       spe_keys_memory };

const struct spe_key *spe_key_at(size_t i)
{
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++)
		for (const struct spe_key *key = lists[l]; key->name; key++)
			if (i-- == 0)
				return key;
	return NULL;
}

const struct spe_key *spe_key_find(const char *name, size_t length)
{
	const struct spe_key *key;

	for (size_t i = 0; (key = spe_key_at(i)); i++)
		if (strlen(key->name) == length && memcmp(key->name, name, length) == 0)
			return key;
	return NULL;
}

size_t spe_key_text(const struct spe_key *key, const struct spe_value *value, char *to, size_t room)
{
	struct spe_cell cell;

	if (key->text)
		return key->text(value, to, room);
	key->cell(value, &cell);
	if (cell.kind == SPE_CELL_NUMBER) {
		char *end = spe_put_signed(to, cell.number);

		*end = '\0';
		return (size_t)(end - to);
	}
	return spe_name_escape(to, room, cell.kind == SPE_CELL_TEXT ? cell.text : ABSENT_TEXT);
}

/* ---- cells ------------------------------------------------------------- */

void spe_cell_none(struct spe_cell *cell)
{
	cell->kind = SPE_CELL_NONE;
}

void spe_cell_number(struct spe_cell *cell, int64_t number)
{
	cell->kind = SPE_CELL_NUMBER;
	cell->number = number;
}

void spe_cell_text(struct spe_cell *cell, const char *text)
{
	size_t n = strlen(text);

	if (n >= sizeof(cell->text))
		n = sizeof(cell->text) - 1;
	cell->kind = SPE_CELL_TEXT;
	memcpy(cell->text, text, n);
	cell->text[n] = '\0';
}

void spe_cell_hex(struct spe_cell *cell, uint64_t value)
{
	cell->kind = SPE_CELL_TEXT;
	memcpy(cell->text, "0x", 2);
	*spe_put_hex(cell->text + 2, value) = '\0';
}

void spe_cell_named(struct spe_cell *cell, uint64_t value, const char *const *names, size_t count)
{
	value < count ? spe_cell_text(cell, names[value]) : spe_cell_none(cell);
}

/* ---- context ----------------------------------------------------------- */

uint64_t spe_source_value(const struct spe_key_context *context, const struct spe_sample *sample)
{
	unsigned value = sample->record.data_source;

	return value < 256 && sample->stream < context->streams
		       ? context->source_ids[context->stream_model[sample->stream]][value]
		       : UNRESOLVED | value;
}

const struct spe_data_source *spe_source_of(const struct spe_key_context *context,
					    const struct spe_sample *sample)
{
	unsigned value = sample->record.data_source;

	return sample->record.present & SPE_HAS_DATA_SOURCE && value < 256 &&
			       sample->stream < context->streams
		       ? context->sources[context->stream_model[sample->stream]][value]
		       : NULL;
}

/* Payloads that differ only in bits a name does not tell are one operation. */
static void context_ops(struct spe_key_context *context)
{
	for (unsigned i = 0; i < 4 * 256; i++) {
		const char *name = spe_op_name(i / 256, i % 256);
		unsigned first = i & ~255u;

		while (first < i && strcmp(name, spe_op_name(first / 256, first % 256)) != 0)
			first++;
		context->op_ids[i] = first;
	}
}

/* The id of a source's name, made if new; there is room for all. */
static uint64_t context_source(struct spe_key_context *context, const char *name)
{
	for (size_t i = 0; i < context->source_count; i++)
		if (strcmp(context->source_names[i], name) == 0)
			return i;
	context->source_names[context->source_count] = name;
	return context->source_count++;
}

static void context_model(struct spe_key_context *context, size_t model, uint64_t midr)
{
	for (unsigned value = 0; value < 256; value++) {
		const struct spe_data_source *source = spe_data_source_lookup(midr, value);

		context->sources[model][value] = source;
		context->source_ids[model][value] =
			source ? context_source(context, source->name) : UNRESOLVED | value;
	}
}

/* Number the distinct core models; *midrs gets them. */
static void context_number(struct spe_key_context *context, uint64_t *midrs)
{
	for (size_t i = 0; i < context->streams; i++) {
		uint64_t midr = spe_recording_stream(context->recording, i)->midr;
		size_t model = 0;

		while (model < context->models && midrs[model] != midr)
			model++;
		if (model == context->models && model < UINT16_MAX)
			midrs[context->models++] = midr;
		context->stream_model[i] = (uint16_t)model;
	}
}

int spe_key_context_init(struct spe_key_context *context, const struct spe_recording *recording)
{
	uint64_t *midrs;

	memset(context, 0, sizeof(*context));
	context->recording = recording;
	context->streams = spe_recording_streams(recording);
	context_ops(context);
	context->stream_model = calloc(context->streams + 1, sizeof(*context->stream_model));
	midrs = calloc(context->streams + 1, sizeof(*midrs));
	if (context->stream_model && midrs)
		context_number(context, midrs);
	context->source_ids = calloc(context->models + 1, sizeof(*context->source_ids));
	context->sources = calloc(context->models + 1, sizeof(*context->sources));
	context->source_names = calloc(256 * (context->models + 1), sizeof(char *));
	if (!context->stream_model || !midrs || !context->source_ids || !context->sources ||
	    !context->source_names) {
		free(midrs);
		spe_key_context_fini(context);
		return SPE_NOMEM;
	}
	for (size_t i = 0; i < context->models; i++)
		context_model(context, i, midrs[i]);
	context->midr = context->models == 1 ? midrs[0] : 0;
	free(midrs);
	return SPE_OK;
}

void spe_key_context_fini(struct spe_key_context *context)
{
	free(context->stream_model);
	free(context->source_ids);
	free(context->sources);
	free(context->source_names);
	spe_key_symbols_free(context->symbols);
	memset(context, 0, sizeof(*context)); /* a second time is allowed */
}
