/* SPDX-License-Identifier: GPL-2.0-only */
/* A report of some files and functions only. */
#include "lookup.h"
#include "report.h"

#include <stdlib.h>

int spe_report_names_init(struct spe_report_names *names, const char *list)
{
	size_t bytes = strlen(list) + 1;
	char *at;

	names->text = malloc(bytes);
	if (!names->text)
		return SPE_NOMEM;
	memcpy(names->text, list, bytes);
	names->count = 1;
	for (at = names->text; (at = strchr(at, ',')); names->count++)
		*at++ = '\0';
	return SPE_OK;
}

void spe_report_names_fini(struct spe_report_names *names)
{
	free(names->text);
	names->text = NULL;
	names->count = 0;
}

static bool has_name(const struct spe_report_names *names, const char *name)
{
	const char *at = names->text;

	for (size_t i = 0; name && i < names->count; i++, at += strlen(at) + 1)
		if (strcmp(at, name) == 0)
			return true;
	return false;
}

static bool is_selected(const struct spe_report *report, const struct spe_symbol *symbol)
{
	if (report->only_symbols.count && !has_name(&report->only_symbols, symbol->name))
		return false;
	return !report->only_dsos.count || has_name(&report->only_dsos, symbol->dso_name) ||
	       has_name(&report->only_dsos, symbol->dso);
}

size_t spe_report_select(const struct spe_report *report, const struct spe_key_context *context,
			 struct spe_sample *samples, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_selected(report, spe_lookup_code(context->lookup, &samples[i])))
			continue;
		if (kept != i)
			samples[kept] = samples[i];
		kept++;
	}
	return kept;
}
