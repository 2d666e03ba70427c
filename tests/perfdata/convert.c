/* SPDX-License-Identifier: GPL-2.0-only */
/* convert FORM FROM TO: a perf.data through reader and writer; FORM is file, pipe, big or big-pipe.
 */
#include <perf-arm-spe/perfdata.h>
#include <stdio.h>
#include <string.h>

static int attrs_copy(const struct spe_perfdata *pd, struct spe_perfdata_writer *w)
{
	int status = SPE_OK;

	for (size_t i = 0; !status && i < spe_perfdata_attr_count(pd); i++)
		status = spe_perfdata_writer_attr(w, spe_perfdata_attr(pd, i));
	return status;
}

/* Bodies stand in the file's byte order: only where that stays. */
static int features_copy(const struct spe_perfdata *pd, struct spe_perfdata_writer *w)
{
	const uint8_t *bytes;
	size_t n;
	int status = SPE_OK;

	for (unsigned i = 0; !status && i < SPE_FEAT_MAX; i++)
		if (i != SPE_FEAT_AUXTRACE && i != SPE_FEAT_EVENT_DESC &&
		    i != SPE_FEAT_COMPRESSED && !spe_perfdata_feature(pd, i, &bytes, &n))
			status = spe_perfdata_writer_feature(w, i, bytes, n);
	return status;
}

static int record_copy(const struct spe_perf_event *e, struct spe_perfdata_writer *w,
		       struct spe_error *error)
{
	if (e->type == SPE_PERF_HEADER_ATTR || e->type == SPE_PERF_HEADER_FEATURE)
		return SPE_OK;
	if (e->type == SPE_PERF_AUXTRACE)
		return spe_perfdata_writer_auxtrace(w, e->raw, e->size, e->u.auxtrace.data,
						    e->u.auxtrace.data_bytes, error);
	return spe_perfdata_writer_records(w, e->raw, e->size, error);
}

static int copy(struct spe_perfdata *pd, const char *form, const char *to, struct spe_error *error)
{
	struct spe_perfdata_writer_opts opts = { .size = sizeof(opts),
						 .pipe = strstr(form, "pipe") != NULL,
						 .big_endian = strstr(form, "big") != NULL };
	struct spe_perfdata_writer *w;
	struct spe_perf_event e;
	int status = spe_perfdata_writer_new(to, &opts, &w, error);

	if (status)
		return status;
	status = attrs_copy(pd, w);
	if (!status && !opts.big_endian)
		status = features_copy(pd, w);
	while (!status) {
		status = spe_perfdata_next(pd, &e, error);
		if (!status)
			status = record_copy(&e, w, error);
	}
	if (status == SPE_END)
		return spe_perfdata_writer_finish(w, error);
	spe_perfdata_writer_abort(w);
	return status;
}

int main(int argc, char **argv)
{
	struct spe_error error = { .text = "" };
	struct spe_perfdata *pd;
	int status;

	if (argc != 4)
		return 2;
	status = spe_perfdata_open(argv[2], NULL, &pd, &error);
	if (!status) {
		status = copy(pd, argv[1], argv[3], &error);
		spe_perfdata_close(pd);
	}
	if (status)
		fprintf(stderr, "%s: %s\n", spe_status_text(status), error.text);
	return status != SPE_OK;
}
