/* SPDX-License-Identifier: GPL-2.0-only */
/* The recording as one HTML page: two runs, and the page around what they counted. */
#include "html.h"

#include "../base/opts.h"
#include "../perfdata/output.h"

#include <stdlib.h>
#include <string.h>

/* ---- collecting -------------------------------------------------------- */

int html_init(struct html *html, struct spe_recording *recording, const struct spe_html_opts *opts,
	      struct spe_error *error)
{
	const struct spe_column *column;
	int status;

	memset(html, 0, sizeof(*html));
	html->recording = recording;
	html->opts = opts;
	html->error = error;
	html->survey.first_ns = UINT64_MAX;
	html->pid = spe_key_find("pid", 3);
	for (unsigned t = 0; t < HTML_TABLES; t++)
		if (opts->symbols || !html_tables[t].symbols)
			html->keys[t] =
				spe_key_find(html_tables[t].key, strlen(html_tables[t].key));
	for (size_t i = 0; (column = spe_column_at(i)); i++)
		spe_columns_add(&html->columns, column);
	spe_rows_init(&html->survey.processes, (struct spe_row_shape){ .keys = 1 });
	spe_rows_init(&html->survey.cpus, (struct spe_row_shape){ .keys = 1 });
	status = spe_key_context_init(&html->context, recording);
	if (!status && opts->symbols)
		status = spe_key_context_symbols(&html->context, opts->symbols);
	return status;
}

void html_fini(struct html *html)
{
	html_survey_fini(&html->survey);
	if (html->counts.cells || html->counts.trends)
		html_counts_fini(&html->counts);
	free(html->loss);
	spe_key_context_fini(&html->context);
}

int html_collect(struct html *html, struct spe_run_stats *stats)
{
	struct spe_run_opts run = { .size = sizeof(run),
				    .threads = html->opts->threads,
				    .batch_records = html->opts->batch_records,
				    .filter = html->opts->filter,
				    .listener = html->opts->listener };
	struct spe_sink_ops ops = html_count_ops(html);
	int status = spe_sink_run_first(html->recording, &html_survey_ops, html, &run, stats,
					html->error);

	if (!status)
		status = html_choose(html);
	if (!status)
		status = spe_sink_run(html->recording, &ops, html, &run, stats, html->error);
	return status ? status : html_loss(html);
}

/* ---- the page ---------------------------------------------------------- */

struct page {
	struct spe_output output;
	struct spe_error *error;
};

/*
 * JSON has <, > and & in strings alone; as escapes they cannot end the element
 * the data stands in, nor begin another.
 */
static int write_data(void *priv, const char *bytes, size_t n)
{
	static const char *const escapes[128] = {
		['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026"
	};
	struct page *page = priv;
	size_t from = 0;
	int status = SPE_OK;

	for (size_t i = 0; i < n && !status; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c >= sizeof(escapes) / sizeof(escapes[0]) || !escapes[c])
			continue;
		status = spe_output_write(&page->output, bytes + from, i - from, page->error);
		if (!status)
			status = spe_output_write(&page->output, escapes[c], strlen(escapes[c]),
						  page->error);
		from = i + 1;
	}
	return status ? status
		      : spe_output_write(&page->output, bytes + from, n - from, page->error);
}

static int page_part(struct page *page, unsigned part)
{
	return spe_output_write(&page->output, html_page[part].bytes, html_page[part].n,
				page->error);
}

static int page_data(struct page *page, struct html *html, const struct spe_run_stats *stats)
{
	struct spe_out out = { .write = write_data, .priv = page };
	struct spe_text *text = malloc(sizeof(*text));
	int status, flushed;

	if (!text)
		return SPE_NOMEM;
	spe_text_init(text, &out);
	status = html_json(html, stats, text);
	flushed = spe_text_flush(text);
	free(text);
	return status ? status : flushed;
}

static int page_write(struct page *page, struct html *html, struct spe_run_stats *stats)
{
	int status = html_collect(html, stats);

	if (!status)
		status = page_part(page, 0);
	if (!status)
		status = page_data(page, html, stats);
	if (!status)
		status = page_part(page, 1);
	return status;
}

/* ---- the whole --------------------------------------------------------- */

static int check_request(const struct spe_recording *recording, const char *path,
			 struct spe_error *error)
{
	const char *input = spe_perfdata_info(spe_recording_perfdata(recording))->path;

	if (spe_output_is_input(path, input))
		return spe_error_set(error, SPE_INVALID,
				     "%s: output is the input; write to another file",
				     strcmp(path, "-") ? path : "standard output");
	if (!html_page[0].n)
		return spe_error_set(error, SPE_UNSUPPORTED,
				     "%s: cannot be written: this build is without Chart.js "
				     "(Debian: libjs-chart.js), which draws the page",
				     path);
	return SPE_OK;
}

static int write_page(struct html *html, struct page *page, struct spe_run_stats *stats,
		      const char *path)
{
	int status = spe_output_open(&page->output, path, 0, page->error);

	if (status)
		return status;
	status = page_write(page, html, stats);
	if (!status)
		return spe_output_finish(&page->output, page->error);
	spe_output_abort(&page->output);
	return status;
}

int spe_html_write(struct spe_recording *recording, const char *path,
		   const struct spe_html_opts *opts, struct spe_run_stats *stats,
		   struct spe_error *error)
{
	struct spe_run_stats unwanted;
	struct spe_html_opts taken;
	struct spe_error unheard = { 0 };
	struct page page = { .error = error ? error : &unheard };
	struct html *html;
	int status;

	*page.error = (struct spe_error){ 0 };
	if (!recording || !path || spe_opts_take(&taken, opts))
		return spe_error_set(error, SPE_INVALID, "spe_html_write: bad arguments");
	status = check_request(recording, path, error);
	if (status)
		return status;
	html = malloc(sizeof(*html));
	if (!html)
		return spe_error_set(error, SPE_NOMEM, "page: out of memory");
	status = html_init(html, recording, &taken, page.error);
	if (!status)
		status = write_page(html, &page, stats ? stats : &unwanted, path);
	html_fini(html);
	free(html);
	if (status < 0 && !page.error->status)
		spe_error_set(error, status, "%s: %s", path, spe_status_text(status));
	return status;
}
