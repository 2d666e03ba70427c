/* SPDX-License-Identifier: GPL-2.0-only */
#include "itrace.h"

#include <string.h>

#define BIT(event) (1u << SPE_SYNTH_##event)
#define ALL_EVENTS ((1u << SPE_SYNTH_EVENTS) - 1)

static const struct letter {
	char letter;
	uint32_t events;
	uint32_t branch_flags;
	bool period; /* takes an instruction period */
	bool stack;  /* takes a number of branch stack entries */
} letters_known[] = {
	{ .letter = 'i', .events = BIT(INSTRUCTIONS), .period = true },
	{ .letter = 'b', .events = BIT(BRANCH) },
	{ .letter = 'c', .events = BIT(BRANCH), .branch_flags = SPE_BRANCH_CALL },
	{ .letter = 'r', .events = BIT(BRANCH), .branch_flags = SPE_BRANCH_RETURN },
	{ .letter = 'f', .events = BIT(L1D_MISS) | BIT(L1D_ACCESS) },
	{ .letter = 'm', .events = BIT(LLC_MISS) | BIT(LLC_ACCESS) },
	{ .letter = 't', .events = BIT(TLB_MISS) | BIT(TLB_ACCESS) },
	{ .letter = 'a', .events = BIT(REMOTE_ACCESS) },
	{ .letter = 'M', .events = BIT(MEMORY) },
	{ .letter = 'l', .stack = true },
	{ .letter = 'L', .stack = true },
};

/* perf's letters for other traces. */
static const char letters_ignored[] = "xowpIedgGsqAZTy";
static const char flag_letters[] = "aceloq";

static const struct letter *find_letter(char c)
{
	for (size_t i = 0; i < sizeof(letters_known) / sizeof(letters_known[0]); i++)
		if (letters_known[i].letter == c)
			return &letters_known[i];
	return NULL;
}

/* A number at *at, cut at max; false when there is none. */
static bool take_number(const char **at, uint32_t max, uint32_t *number)
{
	uint64_t n = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++)
		n = n > max ? n : n * 10 + (uint64_t)(**at - '0');
	*number = n > max ? max : (uint32_t)n;
	return true;
}

/* "100i" after an i: the unit must be instructions, the only one SPE samples by. */
static int take_period(const char **at, uint32_t *period, struct spe_error *error)
{
	const char *from = *at;

	if (!take_number(at, SPE_ITRACE_PERIOD_MAX + 1, period))
		return SPE_OK;
	if (*period > SPE_ITRACE_PERIOD_MAX)
		return spe_error_set(error, SPE_INVALID,
				     "--itrace: 'i%.*s': a period is at most %u",
				     *at - from < 40 ? (int)(*at - from) : 40, from,
				     SPE_ITRACE_PERIOD_MAX);
	if (**at == 'i')
		(*at)++;
	else if (**at == 't' || !strncmp(*at, "ms", 2) || !strncmp(*at, "us", 2) ||
		 !strncmp(*at, "ns", 2))
		return spe_error_set(
			error, SPE_INVALID,
			"--itrace: 'i%.*s': SPE counts operations, not time; write 'i%ui'",
			(int)(*at - from + (**at == 't' ? 1 : 2)), from, *period);
	if (!*period) /* as often as possible, as perf has it */
		*period = 1;
	return SPE_OK;
}

/* Arguments of letters that mean nothing here: a number, or +flags-flags. */
static void skip_argument(char letter, const char **at)
{
	uint32_t number;

	if (letter == 'e' || letter == 'd')
		while ((**at == '+' || **at == '-') && (*at)[1] && strchr(flag_letters, (*at)[1]))
			*at += 2;
	else
		(void)take_number(at, UINT32_MAX, &number);
}

static int take_letter(const char **at, struct spe_itrace *itrace, uint32_t *branch_flags,
		       struct spe_error *error)
{
	char c = *(*at)++;
	const struct letter *letter = find_letter(c);

	if (!letter && strchr(letters_ignored, c)) {
		skip_argument(c, at);
		return SPE_OK;
	}
	if (!letter)
		return spe_error_set(error, SPE_INVALID, "--itrace: unknown letter '%c'",
				     c > ' ' && c < 0x7f ? c : '?');
	itrace->events |= letter->events;
	*branch_flags |= letter->branch_flags;
	if (c == 'b')
		itrace->branch_flags = UINT32_MAX;
	if (letter->period)
		return take_period(at, &itrace->period, error);
	if (letter->stack && !take_number(at, SPE_SYNTH_BRANCHES, &itrace->last_branch))
		itrace->last_branch = SPE_SYNTH_BRANCHES;
	return SPE_OK;
}

int spe_itrace_parse(const char *letters, struct spe_itrace *itrace, struct spe_error *error)
{
	uint32_t branch_flags = 0;

	*itrace = (struct spe_itrace){ .period = 1 };
	if (!letters || !*letters) {
		itrace->events = ALL_EVENTS;
		return SPE_OK;
	}
	while (*letters) {
		int status;

		if (*letters == ' ' || *letters == ',') {
			letters++;
			continue;
		}
		status = take_letter(&letters, itrace, &branch_flags, error);
		if (status)
			return status;
	}
	/* b is all branches, whatever c and r say. */
	itrace->branch_flags = itrace->branch_flags ? 0 : branch_flags;
	return SPE_OK;
}
