/* SPDX-License-Identifier: GPL-2.0-only */
/* Binding a filter to a recording: names, percentages and core models are resolved once. */
#include "filter-parts.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

#define SOURCES 65536u
#define EVENT_BITS 64u

/* ---- comm -------------------------------------------------------------- */

static bool filter_has_comm(const struct spe_filter *filter, const char *comm)
{
	for (size_t i = 0; comm && i < filter->comms.count; i++)
		if (strcmp(filter->comms.items[i], comm) == 0)
			return true;
	return false;
}

static int bind_comms(struct spe_filter_bound *bound, const struct spe_recording *recording)
{
	const spe_words *words = &bound->filter->comms;

	bound->comm_count = spe_recording_comms(recording);
	bound->comms = calloc(bound->comm_count + 1, sizeof(*bound->comms));
	if (!bound->comms)
		return SPE_NOMEM;
	for (uint32_t i = 0; i < bound->comm_count; i++)
		bound->comms[i] = filter_has_comm(bound->filter, spe_recording_comm(recording, i));
	for (size_t i = 0; i < words->count; i++) {
		struct spe_range range;
		char *end;
		int status;

		if (words->items[i][0] != ':')
			continue;
		range.lo = range.hi = strtol(words->items[i] + 1, &end, 10);
		if (*end || end == words->items[i] + 1)
			continue;
		status = spe_vec_push(&bound->comm_tids, &range, SPE_LIMIT_FILTER_ITEMS);
		if (status)
			return status;
	}
	return SPE_OK;
}

/* ---- time -------------------------------------------------------------- */

static uint64_t part_of(uint64_t first, uint64_t span, uint64_t millionths)
{
	return first + (uint64_t)((unsigned __int128)span * millionths / 1000000u);
}

static int bind_times(struct spe_filter_bound *bound, const struct spe_recording *recording)
{
	const spe_time_ranges *times = &bound->filter->times;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < spe_recording_streams(recording); i++) {
		const struct spe_stream_info *info = spe_recording_stream(recording, i);

		if (info->first_ns && info->first_ns < first)
			first = info->first_ns;
		if (info->last_ns > last)
			last = info->last_ns;
	}
	if (first > last)
		first = last;
	for (size_t i = 0; i < times->count; i++) {
		struct spe_time_range range = times->items[i];
		int status;

		if (range.percent) {
			range.lo = part_of(first, last - first, range.lo);
			range.hi = part_of(first, last - first, range.hi);
		}
		status = spe_vec_push(&bound->times, &range, SPE_LIMIT_FILTER_ITEMS);
		if (status)
			return status;
	}
	return SPE_OK;
}

/* ---- what depends on the core ------------------------------------------ */

/* The bit an event's name means on this core; EVENT_BITS when it means none. */
static unsigned event_bit(const char *word, uint64_t midr)
{
	const char *number = strncasecmp(word, "impdef:", 7) == 0 ? word + 7 : word;
	unsigned long bit;
	char *end;

	for (unsigned i = 0; i < EVENT_BITS; i++) {
		const char *name = spe_event_name(i, midr);

		if (name && spe_word_is(word, name))
			return i;
	}
	bit = strtoul(number, &end, 10);
	return end != number && !*end && bit < EVENT_BITS ? (unsigned)bit : EVENT_BITS;
}

/* "a+b" both, "!a" not: false when some name means nothing on this core. */
static bool event_test(const char *text, uint64_t midr, struct spe_event_test *test)
{
	bool more = true;

	*test = (struct spe_event_test){ 0 };
	while (more) {
		bool not = *text == '!';
		size_t length = strcspn(text += not, "+");
		char word[64] = "";
		unsigned bit;

		if (length < sizeof(word))
			memcpy(word, text, length);
		bit = event_bit(word, midr);
		if (bit == EVENT_BITS)
			return false;
		*(not ? &test->clear : &test->set) |= 1ull << bit;
		more = text[length] == '+';
		text += length + more;
	}
	return true;
}

/* Words for what sources have in common; any other word is a source's own name or number. */
static bool source_is(const char *word, unsigned value, const struct spe_data_source *source)
{
	const struct spe_filter_word *kind = spe_filter_source_word(word);
	char *end;
	unsigned long number = strtoul(word, &end, 0);

	if (end != word && !*end)
		return number == value;
	if (!source)
		return false;
	if (kind && source->level == kind->what)
		return true;
	return spe_word_is(word, source->name) || (spe_word_is(word, "remote") && source->remote) ||
	       (spe_word_is(word, "peer") && source->peer);
}

static bool model_sources(struct spe_filter_model *model, const char *word)
{
	bool any = false;

	for (unsigned value = 0; value < SOURCES; value++) {
		if (!source_is(word, value, spe_data_source_lookup(model->midr, value)))
			continue;
		model->sources[value / 64] |= 1ull << value % 64;
		any = true;
	}
	return any;
}

static int model_init(const struct spe_filter *filter, struct spe_filter_model *model,
		      bool *event_known, bool *source_known)
{
	if (filter->used[SPE_FILTER_EVENT]) {
		model->events = calloc(filter->events.count, sizeof(*model->events));
		if (!model->events)
			return SPE_NOMEM;
	}
	if (filter->used[SPE_FILTER_SOURCE]) {
		model->sources = calloc(SOURCES / 64, sizeof(*model->sources));
		if (!model->sources)
			return SPE_NOMEM;
	}
	for (size_t i = 0; i < filter->events.count && model->events; i++) {
		if (event_test(filter->events.items[i], model->midr, &model->events[i]))
			event_known[i] = true;
		else
			model->events[i] = (struct spe_event_test){ 0 };
	}
	for (size_t i = 0; i < filter->sources.count && model->sources; i++)
		source_known[i] |= model_sources(model, filter->sources.items[i]);
	return SPE_OK;
}

/* The number of the model with this MIDR, made if new. */
static int bound_model(struct spe_filter_bound *bound, uint64_t midr, uint16_t *number,
		       bool *event_known, bool *source_known)
{
	struct spe_filter_model model = { .midr = midr };
	int status;

	for (*number = 0; *number < bound->models.count; ++*number)
		if (bound->models.items[*number].midr == midr)
			return SPE_OK;
	status = spe_vec_push(&bound->models, &model, UINT16_MAX);
	if (status)
		return status;
	return model_init(bound->filter, &bound->models.items[*number], event_known, source_known);
}

static int unknown_words(const spe_words *words, const bool *known, const char *name,
			 struct spe_error *error)
{
	for (size_t i = 0; i < words->count; i++)
		if (!known[i])
			return spe_error_set(error, SPE_INVALID,
					     "--%s: '%.100s' means nothing on the cores of this "
					     "recording",
					     name, words->items[i]);
	return SPE_OK;
}

static int bind_models(struct spe_filter_bound *bound, const struct spe_recording *recording,
		       struct spe_error *error)
{
	const struct spe_filter *filter = bound->filter;
	bool *known = calloc(filter->events.count + filter->sources.count + 1, sizeof(*known));
	bool *source_known;
	int status = SPE_OK;

	if (!known)
		return SPE_NOMEM;
	source_known = known + filter->events.count;
	bound->streams = spe_recording_streams(recording);
	bound->stream_model = calloc(bound->streams + 1, sizeof(*bound->stream_model));
	if (!bound->stream_model)
		status = SPE_NOMEM;
	for (size_t i = 0; i < bound->streams && !status; i++)
		status = bound_model(bound, spe_recording_stream(recording, i)->midr,
				     &bound->stream_model[i], known, source_known);
	if (!status && bound->streams)
		status = unknown_words(&filter->events, known, "event", error);
	if (!status && bound->streams)
		status = unknown_words(&filter->sources, source_known, "source", error);
	free(known);
	return status;
}

/* ---- all --------------------------------------------------------------- */

void spe_filter_unbind(struct spe_filter_bound *bound)
{
	if (!bound)
		return;
	for (size_t i = 0; i < bound->models.count; i++) {
		free(bound->models.items[i].events);
		free(bound->models.items[i].sources);
	}
	free(bound->models.items);
	free(bound->stream_model);
	free(bound->times.items);
	free(bound->comm_tids.items);
	free(bound->comms);
	free(bound);
}

static bool filter_is_empty(const struct spe_filter *filter)
{
	for (unsigned i = 0; filter && i < SPE_FILTER_KINDS; i++)
		if (filter->used[i])
			return false;
	return true;
}

bool spe_filter_needs_span(const struct spe_filter *filter)
{
	for (size_t i = 0; filter && i < filter->times.count; i++)
		if (filter->times.items[i].percent)
			return true;
	return false;
}

int spe_filter_bind(const struct spe_filter *filter, const struct spe_recording *recording,
		    struct spe_filter_bound **bound, struct spe_error *error)
{
	struct spe_filter_bound *b;
	int status = SPE_OK;

	*bound = NULL;
	if (filter_is_empty(filter))
		return SPE_OK;
	b = calloc(1, sizeof(*b));
	if (!b)
		return SPE_NOMEM;
	b->filter = filter;
	if (filter->used[SPE_FILTER_COMM])
		status = bind_comms(b, recording);
	if (!status && filter->used[SPE_FILTER_TIME])
		status = bind_times(b, recording);
	if (!status && (filter->used[SPE_FILTER_EVENT] || filter->used[SPE_FILTER_SOURCE]))
		status = bind_models(b, recording, error);
	if (status) {
		spe_filter_unbind(b);
		return status;
	}
	*bound = b;
	return SPE_OK;
}
