/* SPDX-License-Identifier: GPL-2.0-only */
/* The table as in kernel mails (runs, average, delta), then the verdicts; or the same as JSON. */
#include "json.h"
#include "overhead.h"
#include "talk.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything that is printed, worked out once. */
struct findings {
	struct overhead_experiment *e;
	const struct overhead_arm *compared[OVERHEAD_ARMS_MAX]; /* arms but the baseline and A/A */
	struct overhead_effect effects[OVERHEAD_ARMS_MAX];
	size_t count;
	const struct overhead_arm *again; /* the A/A arm, NULL: none */
	struct overhead_effect again_effect;
	bool uneasy; /* the baseline differs from itself */
	double margin_percent;
};

static int arm_values(const struct overhead_arm *arm, struct overhead_samples *samples)
{
	double *values = malloc((arm->count + 1) * sizeof(*values));

	if (!values)
		return -1;
	for (size_t i = 0; i < arm->count; i++)
		values[i] = arm->runs[i].value;
	*samples = (struct overhead_samples){ values, arm->count };
	return 0;
}

/*
 * An experiment whose baseline differs from itself has no say about the other
 * arms: their verdicts are withheld.
 */
static void withhold(struct findings *f)
{
	f->uneasy = f->again && f->again_effect.verdict == VERDICT_DIFFERS;
	for (size_t i = 0; f->uneasy && i < f->count; i++)
		if (f->effects[i].verdict != VERDICT_NONE)
			f->effects[i].verdict = VERDICT_INCONCLUSIVE;
}

static int findings_make(struct findings *f)
{
	struct overhead_experiment *e = f->e;
	struct overhead_rules rules = { .alpha = 0.05,
					.margin_percent = f->margin_percent,
					.paired = e->paired,
					.seed = e->seed };
	struct overhead_samples all[OVERHEAD_ARMS_MAX] = { 0 }, base = { 0 }, again = { 0 };
	int failed = arm_values(&e->arms[e->baseline], &base);

	for (size_t i = 0; !failed && i < e->arm_count; i++) {
		struct overhead_arm *arm = &e->arms[i];

		if (i == e->baseline)
			continue;
		if (arm->again) {
			f->again = arm;
			failed = arm_values(arm, &again);
			continue;
		}
		f->compared[f->count] = arm;
		failed = arm_values(arm, &all[f->count++]);
	}
	if (!failed)
		failed = overhead_judge(&base, all, f->count, &rules, f->effects);
	if (!failed && f->again)
		failed = overhead_judge(&base, &again, 1, &rules, &f->again_effect);
	withhold(f);
	for (size_t i = 0; i < f->count; i++)
		free((void *)all[i].values);
	free((void *)base.values);
	free((void *)again.values);
	return failed;
}

/* ---- text ------------------------------------------------------------------ */

static int column_width(const struct overhead_arm *arm)
{
	int width = (int)strlen(arm->name);

	return width < 10 ? 10 : width;
}

static double arm_mean(const struct overhead_arm *arm)
{
	double sum = 0;

	for (size_t i = 0; i < arm->count; i++)
		sum += arm->runs[i].value;
	return arm->count ? sum / (double)arm->count : 0;
}

/* Digits after the point so that about five figures are seen. */
static int decimals(const struct overhead_experiment *e)
{
	double mean = arm_mean(&e->arms[e->baseline]);
	int digits = mean > 0 ? 3 - (int)floor(log10(mean)) + 1 : 3;

	return digits < 0 ? 0 : digits > 9 ? 9 : digits;
}

static void print_runs(const struct overhead_experiment *e, FILE *out)
{
	size_t rows = 0;
	int digits = decimals(e);

	for (size_t i = 0; i < e->arm_count; i++)
		rows = e->arms[i].count > rows ? e->arms[i].count : rows;
	fprintf(out, "# %s; %s is better%s\n", e->metric_name,
		e->higher_is_better ? "higher" : "lower",
		e->paired ? "; runs of a row are one shuffled block" : "");
	fprintf(out, "%8s", "run");
	for (size_t i = 0; i < e->arm_count; i++)
		fprintf(out, "  %*s", column_width(&e->arms[i]), e->arms[i].name);
	fputc('\n', out);
	for (size_t row = 0; row < rows; row++) {
		fprintf(out, "%8zu", row + 1);
		for (size_t i = 0; i < e->arm_count; i++)
			if (row < e->arms[i].count)
				fprintf(out, "  %*.*f", column_width(&e->arms[i]), digits,
					e->arms[i].runs[row].value);
			else
				fprintf(out, "  %*s", column_width(&e->arms[i]), "-");
		fputc('\n', out);
	}
}

static const struct overhead_effect *effect_of(const struct findings *f,
					       const struct overhead_arm *arm)
{
	if (arm == f->again)
		return &f->again_effect;
	for (size_t i = 0; i < f->count; i++)
		if (f->compared[i] == arm)
			return &f->effects[i];
	return NULL;
}

static void print_summary(const struct findings *f, FILE *out)
{
	const struct overhead_experiment *e = f->e;
	int digits = decimals(e);

	fprintf(out, "%8s", "average");
	for (size_t i = 0; i < e->arm_count; i++)
		fprintf(out, "  %*.*f", column_width(&e->arms[i]), digits, arm_mean(&e->arms[i]));
	fprintf(out, "\n%8s", "delta %");
	for (size_t i = 0; i < e->arm_count; i++) {
		const struct overhead_effect *effect = effect_of(f, &e->arms[i]);

		if (effect)
			fprintf(out, "  %*.2f", column_width(&e->arms[i]), effect->delta_percent);
		else
			fprintf(out, "  %*s", column_width(&e->arms[i]), "baseline");
	}
	fputc('\n', out);
}

/* Bytes per second and per sample of the files the arms left, where one was watched. */
static void print_files(const struct overhead_experiment *e, FILE *out)
{
	for (size_t i = 0; i < e->arm_count; i++) {
		const struct overhead_arm *arm = &e->arms[i];
		double bytes = 0, seconds = 0, samples = 0;
		bool counted = arm->count > 0;

		for (size_t k = 0; k < arm->count; k++) {
			if (arm->runs[k].file_bytes < 0)
				continue;
			bytes += arm->runs[k].file_bytes;
			seconds += arm->runs[k].wall_s;
			samples += arm->runs[k].samples;
			counted = counted && arm->runs[k].samples >= 0;
		}
		if (!(bytes > 0))
			continue;
		fprintf(out, "%s: perf.data grows by %.0f bytes a second", arm->name,
			bytes / seconds);
		if (counted && samples > 0)
			fprintf(out, ", %.1f bytes a sample", bytes / samples);
		fputc('\n', out);
	}
}

static void verdict_text(const struct overhead_effect *effect, char *text, size_t size)
{
	switch (effect->verdict) {
	case VERDICT_NONE:
		snprintf(text, size, "no verdict: one run an arm");
		break;
	case VERDICT_DIFFERS:
		snprintf(text, size, "differs by [%+.2f, %+.2f] %%", effect->lo_percent,
			 effect->hi_percent);
		break;
	case VERDICT_NO_DIFFERENCE:
		snprintf(text, size, "no difference above %.2f %%", effect->bound_percent);
		break;
	case VERDICT_INCONCLUSIVE:
		snprintf(text, size, "inconclusive");
		break;
	}
}

static void print_verdict(const struct overhead_arm *arm, const struct overhead_effect *effect,
			  FILE *out)
{
	char text[96];

	verdict_text(effect, text, sizeof(text));
	if (effect->verdict == VERDICT_NONE) {
		fprintf(out, "%s: %+.1f %%, %s\n", arm->name, effect->delta_percent, text);
		return;
	}
	fprintf(out, "%s: %s (p = %.2g", arm->name, text, effect->p);
	if (effect->p_adjusted != effect->p)
		fprintf(out, ", %.2g after Holm", effect->p_adjusted);
	fprintf(out, "; smallest effect this experiment could have seen: %.1f %%)\n",
		effect->smallest_percent);
}

static void print_text(const struct findings *f, FILE *out)
{
	print_runs(f->e, out);
	print_summary(f, out);
	fputc('\n', out);
	if (f->again)
		print_verdict(f->again, &f->again_effect, out);
	if (f->uneasy)
		fprintf(out, "The baseline differs from itself: something else changed while this "
			     "ran.  Verdicts are withheld; run again on a quieter machine.\n");
	for (size_t i = 0; i < f->count; i++)
		print_verdict(f->compared[i], &f->effects[i], out);
	if (f->count && f->effects[0].verdict != VERDICT_NONE)
		fprintf(out, "# %s, 5 %% level; seed %llu\n", f->effects[0].method,
			(unsigned long long)f->e->seed);
	print_files(f->e, out);
	if (f->e->system[0])
		fprintf(out, "# %s\n", f->e->system);
}

/* ---- JSON ------------------------------------------------------------------- */

static const char *const verdict_names[] = { "none", "differs", "no difference", "inconclusive" };

static void json_key(const char *key, double number, unsigned digits, FILE *out)
{
	fprintf(out, ",\"%s\":", key);
	json_number(number, digits, out);
}

static void json_effect(const struct overhead_effect *effect, FILE *out)
{
	json_key("delta_percent", effect->delta_percent, 6, out);
	fprintf(out, ",\"verdict\":\"%s\"", verdict_names[effect->verdict]);
	if (effect->verdict != VERDICT_NONE) {
		json_key("p", effect->p, 6, out);
		json_key("p_holm", effect->p_adjusted, 6, out);
		json_key("smallest_percent", effect->smallest_percent, 6, out);
	}
	if (effect->has_interval) {
		fprintf(out, ",\"interval_percent\":[");
		json_number(effect->lo_percent, 6, out);
		fputc(',', out);
		json_number(effect->hi_percent, 6, out);
		fputc(']', out);
	}
}

static void json_arm(const struct findings *f, const struct overhead_arm *arm, FILE *out)
{
	const struct overhead_effect *effect = effect_of(f, arm);

	fprintf(out, "{\"name\":");
	json_string(arm->name, out);
	fprintf(out, ",\"again\":%s", arm->again ? "true" : "false");
	json_key("mean", arm_mean(arm), 9, out);
	fprintf(out, ",\"runs\":[");
	for (size_t i = 0; i < arm->count; i++) {
		if (i)
			fputc(',', out);
		json_number(arm->runs[i].value, 9, out);
	}
	fputc(']', out);
	if (effect)
		json_effect(effect, out);
	fputc('}', out);
}

static void print_json(const struct findings *f, FILE *out)
{
	const struct overhead_experiment *e = f->e;

	fprintf(out, "{\"metric\":");
	json_string(e->metric_name, out);
	fprintf(out, ",\"lower_is_better\":%s,\"paired\":%s,\"seed\":%llu,\"system\":",
		e->higher_is_better ? "false" : "true", e->paired ? "true" : "false",
		(unsigned long long)e->seed);
	json_string(e->system, out);
	fprintf(out, ",\"baseline\":");
	json_string(e->arms[e->baseline].name, out);
	fprintf(out, ",\"baseline_differs_from_itself\":%s,\"arms\":[",
		f->uneasy ? "true" : "false");
	for (size_t i = 0; i < e->arm_count; i++) {
		if (i)
			fputc(',', out);
		json_arm(f, &e->arms[i], out);
	}
	fprintf(out, "]}\n");
}

int overhead_print(struct overhead_experiment *e, double margin_percent, bool json, FILE *out)
{
	struct findings *f = calloc(1, sizeof(*f));
	int failed = 1;

	if (f) {
		f->e = e;
		f->margin_percent = margin_percent;
		failed = findings_make(f);
	}
	if (failed) {
		free(f);
		return talk_failed("out of memory");
	}
	if (json)
		print_json(f, out);
	else
		print_text(f, out);
	free(f);
	if (fflush(out) || ferror(out))
		return errno == EPIPE ? 0
				      : talk_failed("cannot write the result: %s", strerror(errno));
	return 0;
}
