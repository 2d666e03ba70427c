/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of --pid, --cpu, --time ... in perf's syntax. */
#include "filter-parts.h"
#include "names.h"

#include <ctype.h>
#include <stdlib.h>

#define NS_PER_S 1000000000u
#define MILLION 1000000u

/* ---- words of a list --------------------------------------------------- */

/* The next word up to a separator; *list moves behind it. NULL after the last. */
static const char *next_word(const char **list, const char *separators, size_t *length)
{
	const char *word = *list;

	if (!word)
		return NULL;
	*length = strcspn(word, separators);
	*list = word[*length] ? word + *length + 1 : NULL;
	return word;
}

static int bad_word(struct spe_error *error, const char *name, const char *word, size_t length,
		    const char *wanted)
{
	return spe_error_set(error, SPE_INVALID, "--%s: '%.*s' is not %s", name,
			     length < 100 ? (int)length : 100, word, wanted);
}

/* A word that is no name of this filter's. */
static int refuse(struct spe_error *error, const char *filter, const char *what, const char *word,
		  size_t length)
{
	struct spe_names names;

	spe_filter_names_of(filter, &names);
	return spe_names_refuse(&names, filter, what, word, length, error);
}

bool spe_word_is(const char *word, const char *name)
{
	for (; *word && *name; word++, name++) {
		char a = *word == '_' ? '-' : (char)tolower((unsigned char)*word);
		char b = *name == '_' ? '-' : (char)tolower((unsigned char)*name);

		if (a != b)
			return false;
	}
	return *word == *name;
}

static int word_copy(const char *word, size_t length, char **copy)
{
	*copy = malloc(length + 1);
	if (!*copy)
		return SPE_NOMEM;
	memcpy(*copy, word, length);
	(*copy)[length] = '\0';
	return SPE_OK;
}

static int words_add(spe_words *words, const char *name, const char *argument,
		     struct spe_error *error)
{
	const char *word;
	size_t length;

	while ((word = next_word(&argument, ",", &length))) {
		char *copy;
		int status;

		if (!length)
			return bad_word(error, name, word, length, "a name");
		status = word_copy(word, length, &copy);
		if (status)
			return status;
		status = spe_vec_push(words, &copy, SPE_LIMIT_FILTER_ITEMS);
		if (!status)
			continue;
		free(copy);
		return status == SPE_NOMEM ? status
					   : spe_error_set(error, status, "--%s: too many", name);
	}
	return SPE_OK;
}

int spe_parse_comms(struct spe_filter *filter, const char *name, const char *argument,
		    struct spe_error *error)
{
	return words_add(&filter->comms, name, argument, error);
}

static bool is_number(const char *word, size_t length, int base)
{
	char text[32] = "";
	char *end;

	if (!length || length >= sizeof(text))
		return false;
	memcpy(text, word, length);
	strtoul(text, &end, base);
	return !*end;
}

/* Is each event of "a+!b" a name on some core, or a number? */
static int check_event(const struct spe_names *names, const char *word, size_t length,
		       struct spe_error *error)
{
	const char *end = word + length;

	for (;; word++) {
		size_t n = strcspn(word += *word == '!', "+,");
		size_t prefix = n > 7 && strncasecmp(word, "impdef:", 7) == 0 ? 7 : 0;

		if (!is_number(word + prefix, n - prefix, 10) && !spe_names_have(names, word, n))
			return spe_names_refuse(names, "event", "event", word, n, error);
		word += n;
		if (word >= end)
			return SPE_OK;
	}
}

int spe_parse_events(struct spe_filter *filter, const char *name, const char *argument,
		     struct spe_error *error)
{
	const char *list = argument, *word;
	struct spe_names names;
	size_t length;
	int status = SPE_OK;

	spe_filter_names_of("event", &names);
	while (!status && (word = next_word(&list, ",", &length)))
		status = check_event(&names, word, length, error);
	if (status)
		return status;
	return words_add(&filter->events, name, argument, error);
}

int spe_parse_sources(struct spe_filter *filter, const char *name, const char *argument,
		      struct spe_error *error)
{
	const char *list = argument, *word;
	struct spe_names names;
	size_t length;

	spe_filter_names_of("source", &names);
	while ((word = next_word(&list, ",", &length)))
		if (!is_number(word, length, 0) && !spe_names_have(&names, word, length))
			return spe_names_refuse(&names, name, "data source", word, length, error);
	return words_add(&filter->sources, name, argument, error);
}

/* ---- numbers ----------------------------------------------------------- */

/* A decimal number at *at that fits 32 bits (sign allowed); *at moves behind it. */
static bool take_number(const char **at, const char *end, int64_t *value)
{
	const char *p = *at;
	bool minus = p < end && *p == '-';
	int64_t v = 0;

	p += minus;
	if (p == end || !isdigit((unsigned char)*p))
		return false;
	for (; p < end && isdigit((unsigned char)*p); p++) {
		v = v * 10 + (*p - '0');
		if (v > INT32_MAX)
			return false;
	}
	*value = minus ? -v : v;
	*at = p;
	return true;
}

/* -1 alone is what is printed for an id that is not known; there are no others below 0. */
static bool parse_range(const char *word, size_t length, struct spe_range *range)
{
	const char *end = word + length;

	if (!take_number(&word, end, &range->lo))
		return false;
	range->hi = range->lo;
	if (word < end && *word == '-') {
		word++;
		if (!take_number(&word, end, &range->hi))
			return false;
	}
	return word == end && range->lo <= range->hi &&
	       (range->lo >= 0 || (range->lo == -1 && range->hi == -1));
}

bool spe_ranges_have(const spe_ranges *ranges, int64_t value)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (value >= ranges->items[i].lo && value <= ranges->items[i].hi)
			return true;
	return false;
}

static int ranges_add(spe_ranges *ranges, const char *name, const char *argument,
		      const char *wanted, struct spe_error *error)
{
	const char *word;
	size_t length;

	while ((word = next_word(&argument, ",", &length))) {
		struct spe_range range;
		int status;

		if (!parse_range(word, length, &range))
			return bad_word(error, name, word, length, wanted);
		status = spe_vec_push(ranges, &range, SPE_LIMIT_FILTER_ITEMS);
		if (status)
			return status == SPE_NOMEM
				       ? status
				       : spe_error_set(error, status, "--%s: too many", name);
	}
	return SPE_OK;
}

int spe_parse_pids(struct spe_filter *filter, const char *name, const char *argument,
		   struct spe_error *error)
{
	return ranges_add(&filter->pids, name, argument, "a process id", error);
}

int spe_parse_tids(struct spe_filter *filter, const char *name, const char *argument,
		   struct spe_error *error)
{
	return ranges_add(&filter->tids, name, argument, "a thread id", error);
}

int spe_parse_cpus(struct spe_filter *filter, const char *name, const char *argument,
		   struct spe_error *error)
{
	return ranges_add(&filter->cpus, name, argument, "a CPU number or range", error);
}

int spe_parse_latency(struct spe_filter *filter, const char *name, const char *argument,
		      struct spe_error *error)
{
	struct spe_range range;

	if (!parse_range(argument, strlen(argument), &range) || range.lo != range.hi ||
	    range.lo < 0 || range.lo > UINT16_MAX)
		return bad_word(error, name, argument, strlen(argument),
				"a number of cycles (0 to 65535)");
	filter->min_latency_cycles = (uint16_t)range.lo;
	return SPE_OK;
}

/* ---- sets of few ------------------------------------------------------- */

int spe_parse_els(struct spe_filter *filter, const char *name, const char *argument,
		  struct spe_error *error)
{
	const char *word;
	size_t length;

	while ((word = next_word(&argument, ",", &length))) {
		size_t prefix = length == 3 && strncasecmp(word, "el", 2) == 0 ? 2 : 0;

		if (length != prefix + 1 || word[prefix] < '0' || word[prefix] > '3')
			return bad_word(error, name, word, length, "an exception level (0 to 3)");
		filter->els |= 1u << (word[prefix] - '0');
	}
	return SPE_OK;
}

int spe_parse_evidences(struct spe_filter *filter, const char *name, const char *argument,
			struct spe_error *error)
{
	const char *word;
	size_t length;

	while ((word = next_word(&argument, ",", &length))) {
		char text[32] = "";
		unsigned i = 0;

		if (length < sizeof(text))
			memcpy(text, word, length);
		while (i < SPE_EVIDENCE_KINDS && !spe_word_is(text, spe_evidence_name(i)))
			i++;
		if (i == SPE_EVIDENCE_KINDS)
			return refuse(error, name, "evidence", word, length);
		filter->evidences |= 1u << i;
	}
	return SPE_OK;
}

/* A kind of operation, or a name as spe_op_name() has it; "=name" where both are called so. */
static bool op_passes(unsigned op_class, unsigned payload, const char *word)
{
	const struct spe_filter_word *kind = spe_filter_op_word(word);

	if (kind)
		return spe_op_decode(op_class, payload).flags & kind->what;
	return spe_word_is(word + (*word == '='), spe_op_name(op_class, payload));
}

int spe_parse_ops(struct spe_filter *filter, const char *name, const char *argument,
		  struct spe_error *error)
{
	const char *word;
	size_t length;

	while ((word = next_word(&argument, ",", &length))) {
		char text[64] = "";
		bool any = false;

		if (length < sizeof(text))
			memcpy(text, word, length);
		for (unsigned i = 0; i < 4 * 256; i++) {
			if (!op_passes(i / 256, i % 256, text))
				continue;
			filter->ops[i / 256][i % 256] = true;
			any = true;
		}
		if (!any)
			return refuse(error, name, "operation", word, length);
	}
	return SPE_OK;
}

/* ---- times ------------------------------------------------------------- */

/* Digits with a fraction, in units of 1 / scale (a power of ten); the rest is cut off. */
static bool take_decimal(const char **at, const char *end, uint64_t scale, uint64_t *value)
{
	const char *p = *at;
	uint64_t v = 0, unit = scale;

	if (p == end || !isdigit((unsigned char)*p))
		return false;
	for (; p < end && isdigit((unsigned char)*p); p++) {
		v = v * 10 + (uint64_t)(*p - '0');
		if (v > UINT64_MAX / scale / 10)
			return false;
	}
	v *= scale;
	if (p < end && *p == '.') {
		for (p++; p < end && isdigit((unsigned char)*p); p++) {
			unit /= 10;
			v += (uint64_t)(*p - '0') * unit;
		}
	}
	*value = v;
	*at = p;
	return true;
}

/* "1.5,2.5" "1.5," ",2.5" */
static bool parse_span(const char *word, size_t length, struct spe_time_range *range)
{
	const char *end = word + length;

	*range = (struct spe_time_range){ .hi = UINT64_MAX };
	if (word < end && *word != ',' && !take_decimal(&word, end, NS_PER_S, &range->lo))
		return false;
	if (word == end || *word++ != ',')
		return false;
	if (word < end && !take_decimal(&word, end, NS_PER_S, &range->hi))
		return false;
	return word == end && range->lo <= range->hi;
}

static bool take_percent(const char **at, const char *end, uint64_t *millionths)
{
	if (!take_decimal(at, end, MILLION / 100, millionths) || *millionths > MILLION)
		return false;
	if (*at == end || **at != '%')
		return false;
	++*at;
	return true;
}

/* "10%" (the first), "10%/2" (the second), "10%-20%" */
static bool parse_percent(const char *word, size_t length, struct spe_time_range *range)
{
	const char *end = word + length;
	uint64_t size;
	int64_t which = 1;

	*range = (struct spe_time_range){ .percent = true };
	if (!take_percent(&word, end, &range->lo))
		return false;
	if (word < end && *word == '-') {
		word++;
		return take_percent(&word, end, &range->hi) && word == end && range->lo < range->hi;
	}
	size = range->lo;
	if (word < end && *word++ == '/' && (!take_number(&word, end, &which) || which < 1))
		return false;
	if (word != end || !size || (uint64_t)which > (MILLION + size - 1) / size)
		return false;
	range->lo = size * (uint64_t)(which - 1);
	range->hi = range->lo + size < MILLION ? range->lo + size : MILLION;
	return true;
}

int spe_parse_times(struct spe_filter *filter, const char *name, const char *argument,
		    struct spe_error *error)
{
	bool percent = strchr(argument, '%') != NULL;
	const char *word;
	size_t length;

	while ((word = next_word(&argument, percent ? ", " : " ", &length))) {
		struct spe_time_range range;
		int status;

		if (!length)
			continue;
		if (!(percent ? parse_percent : parse_span)(word, length, &range))
			return bad_word(error, name, word, length,
					"a time range: start,stop in seconds, or 10%-20%, 10%/2");
		range.open_end = percent && range.hi < MILLION;
		status = spe_vec_push(&filter->times, &range, SPE_LIMIT_FILTER_ITEMS);
		if (status)
			return status == SPE_NOMEM
				       ? status
				       : spe_error_set(error, status, "--%s: too many", name);
	}
	if (!filter->times.count)
		return bad_word(error, name, "", 0, "a time range");
	return SPE_OK;
}
